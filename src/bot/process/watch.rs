//! The watch over a wait for a bot: ends it in time, and learns meanwhile how late the host is and
//! how long other programs held the bot up.
//!
//! While the slot's thread waits it is woken every 10 ms by the timer that would end the wait
//! anyhow; how late it is then is how late the host is. That costs an answer within 10 ms nothing.
//! How busy the slot's cores are, and what the scheduler did with the slot's thread, is read at
//! the first of these wake-ups and at the end of such a wait; what the first 10 ms brought is
//! bounded by the reading before.
//!
//! Time is that of `Instant`, which stands still while a machine is suspended: a laptop that
//! sleeps in the middle of a turn takes nothing from it. Stopped with Ctrl-Z it does go on.

use super::clocks::FamilyClock;
use super::core_clock::{Activity, ClockReading, CoreClock};
use super::run_queue::{RunQueue, scheduled};
use super::signal_freezer::SignalFreezer;
use crate::bot::process::tick::TICK;
use crate::bot::process::used_time::used;
use crate::bot::reading_time::ReadingTime;
use crate::procfs::SchedulerTotals;
use crate::referee::{HostDelay, Scheduled, Stolen};
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};
/// The runtime's timers count whole milliseconds: so much later they may fire on any host.
const TIMER_STEP: Duration = Duration::from_millis(1);
/// A thread that is woken no later than this is woken in time.
const IN_TIME: Duration = Duration::from_millis(2);
/// Games that follow each other more quickly than this share one look at the host: a look takes
/// some 100 µs, and bots that answer at once play a whole game in 1 ms.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// What watches the waits of one process, one after another.
#[derive(Debug, Default)]
pub struct Watch {
    /// CPU time of the bot's family.
    pub family: FamilyClock,
    /// What the scheduler says of the slot's thread, and what it said last.
    thread: Option<File>,
    thread_before: Option<Scheduled>,
    queue: RunQueue,
    /// What lets a family go on that signals stop.
    signals: Option<Arc<SignalFreezer>>,
    cores: Option<CoreClock>,
    /// The last reading of the cores before this wait.
    cores_before: Option<ClockReading>,
    /// What was read at the first wake-up of this wait, once there was one.
    has_looked: bool,
    first: Option<FirstTick>,
    /// What reading the bot's output takes the slot's thread.
    reading: Arc<ReadingTime>,
    /// When this wait began, and what that and the family had used by then.
    pub begun: Option<Instant>,
    read_before: Duration,
    family_cpu: Option<Duration>,
    /// When the thread is to be woken.
    due: Option<Instant>,
    woken_late: Duration,
    /// At the last wake-up.
    noticed_late: Duration,
    /// How long it took until the request was written.
    asked_late: Duration,
    latest: Duration,
    /// When it was settled last.
    settled: Option<Instant>,
}

/// The first wake-up of a wait.
#[derive(Clone, Debug)]
struct FirstTick {
    cores: ClockReading,
    /// What can have happened on the cores until then.
    before: Activity,
}

impl Watch {
    /// To be made on the thread that will wait.
    pub fn new(
        family: FamilyClock,
        signals: Option<Arc<SignalFreezer>>,
        reading: Arc<ReadingTime>,
    ) -> Self {
        let thread = File::open("/proc/thread-self/schedstat").ok();
        Self {
            family,
            signals,
            reading,
            thread_before: thread
                .as_ref()
                .and_then(SchedulerTotals::read)
                .map(scheduled),
            thread,
            cores: CoreClock::of_this_thread(),
            ..Self::default()
        }
    }

    /// How many cores the slot has.
    pub fn cores(&self) -> u32 {
        self.cores.as_ref().map_or(1, CoreClock::cores)
    }

    /// A game begins: what was before it does not matter there.
    pub fn begin_game(&mut self) {
        let is_old = |settled: Instant| settled.elapsed() >= BETWEEN_LOOKS;
        if self.settled.is_none_or(is_old) {
            self.family.look();
            self.settle();
        }
    }

    /// A new wait begins; the family has used so much CPU time by now.
    pub fn begin(&mut self, now: Instant, family_cpu: Option<Duration>) {
        self.family.begin_turn();
        self.due = Some(now + TICK);
        self.begun = Some(now);
        self.read_before = self.reading.total();
        self.family_cpu = family_cpu;
        self.has_looked = false;
        self.first = None;
        self.queue.begin(family_cpu, now);
        self.woken_late = Duration::ZERO;
        self.noticed_late = Duration::ZERO;
        self.asked_late = Duration::ZERO;
        self.latest = Duration::ZERO;
    }

    /// The request is about to be waited for: it was written just now.
    fn asked(&mut self, now: Instant) {
        if self.asked_late.is_zero()
            && let Some(begun) = self.begun
        {
            self.asked_late = now.saturating_duration_since(begun);
        }
    }

    /// Waits until then. May be dropped and called again.
    pub async fn until(&mut self, end: Instant) {
        // Polled first after the first attempt to write.
        self.asked(Instant::now());
        loop {
            let due = self.due.unwrap_or(end).min(end);
            self.due = Some(due);
            tokio::time::sleep_until(due.into()).await;
            let now = Instant::now();
            self.look(now);
            self.tick(now);
            if now >= end {
                return;
            }
        }
    }

    /// The thread is awake: how late is it?
    fn look(&mut self, now: Instant) {
        let late = now.saturating_duration_since(self.due.unwrap_or(now));
        self.noticed_late = if late > IN_TIME { late } else { Duration::ZERO };
        self.woken_late += self.noticed_late;
        self.latest = self.latest.max(late.saturating_sub(TIMER_STEP));
        if !late.is_zero() {
            self.due = Some(now + self.pause());
        }
    }

    /// Until the next wake-up. Where processes are looked up then, no bot may know when.
    fn pause(&self) -> Duration {
        if !self.family.is_looked_up() {
            return TICK;
        }
        let mut part = [0_u8];
        // Without it the pause is shorter, and no less right.
        let _ = rustix::rand::getrandom(&mut part, rustix::rand::GetRandomFlags::NONBLOCK);
        TICK / 2 + TICK * u32::from(part[0]) / 256
    }

    fn tick(&mut self, now: Instant) {
        self.family.look();
        let family_cpu = self.family.read();
        let family = &self.family;
        let is_stopped = self.queue.look(family_cpu, now, || family.processes());
        if is_stopped && let Some(signals) = &self.signals {
            signals.thaw();
        }
        self.forget_before(now);
    }

    /// What the slot's thread has used in this wait to read what the bot wrote.
    fn reading(&self) -> Duration {
        self.reading.total().saturating_sub(self.read_before)
    }

    /// What was before this wait is of another one, if this is the first look in it.
    fn forget_before(&mut self, now: Instant) {
        let Some(begun) = self.begun.filter(|_| !self.has_looked) else {
            return;
        };
        self.has_looked = true;
        self.first = self.first_tick(now);
        let thread = self
            .thread
            .as_ref()
            .and_then(SchedulerTotals::read)
            .map(scheduled);
        let since_begun = |(thread, before): (Scheduled, Scheduled)| {
            let elapsed = now.saturating_duration_since(begun);
            thread.since(thread.since(before).at_most(elapsed))
        };
        self.thread_before = thread.zip(self.thread_before).map(since_begun);
    }

    fn first_tick(&self, now: Instant) -> Option<FirstTick> {
        let clock = self.cores.as_ref()?;
        let cores = clock.read()?;
        let elapsed = now.saturating_duration_since(self.begun?) * clock.cores();
        let before = self.cores_before.as_ref().map_or(
            Activity {
                busy: elapsed,
                stolen: Stolen::default(),
                ran: None,
            },
            |before| clock.activity(before, &cores).at_most(elapsed),
        );
        Some(FirstTick { cores, before })
    }

    /// An answer has come, or the wait is over.
    pub fn end(&mut self, now: Instant) {
        self.look(now);
    }

    /// How late the thread was woken at the latest in this wait, beyond what timers always are.
    pub const fn latest(&self) -> Duration {
        self.latest
    }

    /// All that is known of this wait so far, `elapsed` after it began. Reads what the scheduler
    /// says of every thread of the family.
    pub fn delay(&mut self, elapsed: Duration) -> HostDelay {
        // A thread that is woken late may find an answer before its first wake-up.
        self.forget_before(Instant::now());
        let thread = self
            .thread
            .as_ref()
            .and_then(SchedulerTotals::read)
            .map(scheduled);
        let processes = self.family.processes();
        self.family.look();
        let family_cpu = self.family.read();
        let turn = used(self.family_cpu, family_cpu);
        let waited = self.queue.waited(&processes, elapsed, family_cpu, turn);
        let others = self.others();
        // What ran while all this was looked up is of no turn.
        let since = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        let looking = since.saturating_sub(elapsed);
        let stolen = others.map_or(Stolen::default(), |activity| activity.stolen);
        HostDelay {
            used: elapsed,
            answered: false,
            woken_late: self.woken_late,
            noticed_late: self.noticed_late,
            asked_late: self.asked_late,
            thread: thread
                .zip(self.thread_before)
                .map(|(now, before)| now.since(before)),
            reading: self.reading(),
            others_ran: others.map(|activity| activity.busy.saturating_sub(looking)),
            uncounted: self.family.has_turned_over(),
            stolen,
            family_waited: others.map(|_| waited.saturating_add(stolen.most)),
            family_ran: turn.unwrap_or_default().saturating_sub(stolen.total),
            family_booked: turn.unwrap_or_default(),
            cores: self.cores(),
        }
    }

    /// How long other programs ran on the cores since the wait began, the referee among them. What
    /// it read of the bot is the bot's own doing, and so may all be of which a family that turned
    /// over gives no account.
    fn others(&mut self) -> Option<Activity> {
        let activity = self.activity()?;
        let bots = used(self.family_cpu, self.family.read())?;
        let ours = if self.family.has_turned_over() {
            Duration::MAX
        } else {
            bots.saturating_add(self.reading())
        };
        Some(Activity {
            busy: activity.besides(ours),
            ..activity
        })
    }

    /// What happened on the cores since the wait began.
    fn activity(&self) -> Option<Activity> {
        let first = self.first.as_ref()?;
        let clock = self.cores.as_ref()?;
        let since = clock.activity(&first.cores, &clock.read()?);
        Some(since.and(first.before))
    }

    /// What is known of a wait that is over, with all that the kernel has booked by now.
    pub fn with_booked(&self, delay: HostDelay) -> HostDelay {
        let stolen = self.activity().map(|activity| activity.stolen);
        delay.with_stolen(stolen.unwrap_or_default().since(delay.stolen))
    }

    /// What a hypervisor stole of the cores since this was last asked, or since the last turn that
    /// was looked at.
    pub fn newly_stolen(&mut self) -> Duration {
        let now = self.cores.as_ref().and_then(CoreClock::read);
        let before = std::mem::replace(&mut self.cores_before, now);
        let readings = before.as_ref().zip(self.cores_before.as_ref());
        let readings = self.cores.as_ref().zip(readings);
        readings.map_or(Duration::ZERO, |(clock, (before, now))| {
            clock.activity(before, now).stolen.total
        })
    }

    /// What was before the next wait does not matter there.
    pub fn settle(&mut self) {
        self.thread_before = self
            .thread
            .as_ref()
            .and_then(SchedulerTotals::read)
            .map(scheduled);
        self.cores_before = self.cores.as_ref().and_then(CoreClock::read);
        let processes = self.family.processes();
        self.queue.settle(&processes);
        self.settled = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::reading_time::thread_cpu;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn lateness_is_counted_from_when_the_thread_was_to_wake() {
        let start = Instant::now();
        let mut watch = Watch::default();
        watch.begin(start, None);
        // Within 10 ms nothing is late.
        watch.end(start + ms(9));
        assert_eq!((watch.woken_late, watch.latest), (ms(0), ms(0)));
        // A millisecond is the timer's own, two are in time.
        watch.look(start + ms(12));
        assert_eq!((watch.woken_late, watch.latest), (ms(0), ms(1)));
        // Due at 22.
        watch.look(start + ms(72));
        assert_eq!((watch.woken_late, watch.latest), (ms(50), ms(49)));
        // Due at 82.
        watch.end(start + ms(100));
        assert_eq!((watch.woken_late, watch.latest), (ms(68), ms(49)));
        assert_eq!(watch.noticed_late, ms(18));
        // An answer before the thread is due is not noticed late.
        watch.end(start + ms(105));
        assert_eq!((watch.woken_late, watch.noticed_late), (ms(68), ms(0)));
        // And every wait begins anew.
        watch.begin(start + ms(500), None);
        watch.end(start + ms(501));
        assert_eq!((watch.woken_late, watch.latest), (ms(0), ms(0)));
    }

    /// The bot does not cause what else the slot's thread does in its turn: looking at
    /// the host, reading what the opponent wrote.
    #[test]
    fn only_reading_what_the_bot_wrote_is_the_bots_doing() {
        let reading = Arc::new(ReadingTime::default());
        let mut watch = Watch::new(FamilyClock::default(), None, Arc::clone(&reading));
        let work = || {
            let end = thread_cpu() + ms(2);
            while thread_cpu() < end {}
        };
        reading.measure(work);
        watch.begin(Instant::now(), None);
        for _ in 0..20 {
            watch.tick(Instant::now());
            watch.delay(ms(10));
            work();
        }
        assert_eq!(watch.reading(), ms(0));
        reading.measure(work);
        assert!(watch.reading() >= ms(2), "{watch:?}");
        watch.begin(Instant::now(), None);
        assert_eq!(watch.reading(), ms(0));
    }

    /// What the slot's thread did before a turn is of no turn, nor does it explain why that thread
    /// is late in it.
    #[test]
    fn what_the_thread_did_before_a_wait_is_not_of_it() {
        let mut watch = Watch::new(FamilyClock::default(), None, Arc::default());
        let end = thread_cpu() + ms(200);
        while thread_cpu() < end {}
        // The kernel has booked all of it once the thread sleeps.
        std::thread::sleep(ms(1));
        let start = Instant::now();
        watch.begin(start, None);
        let delay = watch.delay(ms(10));
        if let Some(thread) = delay.thread {
            assert!(thread.ran <= start.elapsed(), "{delay:?}");
            assert!(thread.queued <= start.elapsed(), "{delay:?}");
        }
    }

    #[test]
    fn a_thread_that_slept_through_its_wait_knows() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut watch = Watch::new(FamilyClock::default(), None, Arc::default());
            let start = Instant::now();
            watch.begin(start, None);
            // What a stopped referee is to its runtime: a task that does not come back.
            let stalled = async { std::thread::sleep(ms(120)) };
            tokio::join!(watch.until(start + ms(30)), stalled);
            assert!(watch.woken_late >= ms(100), "{watch:?}");
            let delay = watch.delay(start.elapsed());
            assert_eq!(delay.woken_late, watch.woken_late);
            // It slept; it did not stand in a queue. Where the kernel counts, it says so.
            if let Some(thread) = delay.thread {
                assert!(thread.ran < delay.woken_late, "{delay:?}");
            }
        });
    }
}
