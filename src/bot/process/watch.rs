//! The watch over a wait for a bot: it ends the wait in time, and measures how late the host is and
//! how long other programs hold the bot up.
//!
//! A timer wakes the waiting thread of the slot every 10 ms; the same timer ends the wait. The
//! delay of such a wake-up is the lateness of the host. An answer within 10 ms pays nothing for
//! this. The first wake-up and the end of the wait read how busy the slot's cores are and what the
//! scheduler did with the slot's thread; the reading before the wait bounds what happened in the
//! first 10 ms.
//!
//! Times are those of `Instant`, which stands still while a machine is suspended: a laptop that
//! sleeps during a turn costs the bot nothing. Ctrl-Z does not stop that clock.

use super::core_clock::{Activity, ClockReading, CoreClock};
use super::run_queue::{RunQueue, TurnSoFar, scheduled};
use super::signal_freezer::SignalFreezer;
use crate::bot::error_stream::ReadingTime;
use crate::bot::process::exchange::TICK;
use crate::bot::process::family_clock::FamilyClock;
use crate::bot::process::off_turn::used;
use crate::procfs::SchedulerTotals;
use crate::referee::{HostDelay, Scheduled, Stolen};
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};
/// The runtime's timers count whole milliseconds, so they may fire this late on any host.
const TIMER_STEP: Duration = Duration::from_millis(1);
/// A wake-up with at most this delay counts as punctual.
const IN_TIME: Duration = Duration::from_millis(2);
/// Games that follow each other faster than this share one look at the host: a look takes about 100
/// µs, and bots that answer at once play a whole game in 1 ms.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Watches the waits of one process, one after another.
#[derive(Debug, Default)]
pub struct Watch {
    /// CPU time of the bot's family.
    pub family: FamilyClock,
    /// The scheduler's account of the slot's thread, and its last reading.
    thread: Option<File>,
    thread_before: Option<Scheduled>,
    queue: RunQueue,
    /// Continues a family that was stopped by signals.
    signals: Option<Arc<SignalFreezer>>,
    cores: Option<CoreClock>,
    /// The last reading of the cores before this wait.
    cores_before: Option<ClockReading>,
    /// Whether this wait has had its first wake-up, and the readings made then.
    has_looked: bool,
    first: Option<FirstTick>,
    /// The time that the slot's thread spends on reading the bot's output.
    reading: Arc<ReadingTime>,
    /// When this wait began, and the reading time and the family's CPU time at that moment.
    pub begun: Option<Instant>,
    read_before: Duration,
    family_cpu: Option<Duration>,
    /// When the timer is set to wake the thread.
    due: Option<Instant>,
    woken_late: Duration,
    /// The delay of the last wake-up.
    noticed_late: Duration,
    /// The time from the start of the wait until the request was written.
    asked_late: Duration,
    /// The longest delay of a wake-up in this wait, beyond the resolution of the timers.
    pub latest: Duration,
    /// When [`Watch::settle`] was called last.
    settled: Option<Instant>,
}

/// The readings at the first wake-up of a wait.
#[derive(Clone, Debug)]
struct FirstTick {
    cores: ClockReading,
    /// An upper bound of what happened on the cores before it.
    before: Activity,
}

impl Watch {
    /// A watch; to be made on the thread that will wait.
    pub fn new(
        family: FamilyClock,
        signals: Option<Arc<SignalFreezer>>,
        reading: Arc<ReadingTime>,
    ) -> Self {
        let thread = SchedulerTotals::file_of_this_thread();
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

    /// Begins a game: forgets what happened before it. False if that is too little to look again.
    pub fn begin_game(&mut self) -> bool {
        let is_old = |settled: Instant| settled.elapsed() >= BETWEEN_LOOKS;
        let looks = self.settled.is_none_or(is_old);
        if looks {
            self.family.refresh();
            self.settle();
        }
        looks
    }

    /// Begins a wait; `family_cpu` is the family's CPU time so far.
    pub fn begin(&mut self, now: Instant, family_cpu: Option<Duration>) {
        self.family.begin_turn();
        self.due = Some(now + TICK);
        self.begun = Some(now);
        self.read_before = self.reading.total();
        self.family_cpu = family_cpu;
        self.has_looked = false;
        self.first = None;
        self.queue.begin(family_cpu, now);
        let family = &self.family;
        self.queue.forget_wait_between_turns(|| family.processes());
        self.woken_late = Duration::ZERO;
        self.noticed_late = Duration::ZERO;
        self.asked_late = Duration::ZERO;
        self.latest = Duration::ZERO;
    }

    /// Notes that the request was written at this moment.
    pub fn asked(&mut self, now: Instant) {
        if self.asked_late.is_zero()
            && let Some(begun) = self.begun
        {
            self.asked_late = now.saturating_duration_since(begun);
        }
    }

    /// Waits until `end`. The future may be dropped and called again.
    pub async fn until(&mut self, end: Instant) {
        // The runtime polls this for the first time after the first attempt to write.
        self.asked(Instant::now());
        loop {
            let due = self.due.unwrap_or(end).min(end);
            self.due = Some(due);
            tokio::time::sleep_until(due.into()).await;
            let now = Instant::now();
            self.note_wakeup(now);
            self.tick(now);
            if now >= end {
                return;
            }
        }
    }

    /// Notes how late the thread was woken: by the timer, or because an answer has come.
    pub fn note_wakeup(&mut self, now: Instant) {
        let late = now.saturating_duration_since(self.due.unwrap_or(now));
        self.noticed_late = if late > IN_TIME { late } else { Duration::ZERO };
        self.woken_late += self.noticed_late;
        self.latest = self.latest.max(late.saturating_sub(TIMER_STEP));
        if !late.is_zero() {
            self.due = Some(now + self.pause());
        }
    }

    /// The time until the next wake-up. Where the family is looked up at a wake-up, the time is
    /// random: no bot can know it.
    fn pause(&self) -> Duration {
        if !self.family.is_looked_up() {
            return TICK;
        }
        let mut part = [0_u8];
        // If this fails, the pause is shorter and still correct.
        let _ = rustix::rand::getrandom(&mut part, rustix::rand::GetRandomFlags::NONBLOCK);
        TICK / 2 + TICK * u32::from(part[0]) / 256
    }

    fn tick(&mut self, now: Instant) {
        self.family.refresh();
        let family_cpu = self.family.read();
        let family = &self.family;
        let is_stopped = self.queue.refresh(family_cpu, now, || family.processes());
        if is_stopped && let Some(signals) = &self.signals {
            signals.thaw();
        }
        self.forget_before(now);
    }

    /// The time that the slot's thread has spent in this wait on reading the bot's output.
    fn reading(&self) -> Duration {
        self.reading.total().saturating_sub(self.read_before)
    }

    /// At the first look of a wait, separates what happened before it.
    fn forget_before(&mut self, now: Instant) {
        let Some(begun) = self.begun.filter(|_| !self.has_looked) else {
            return;
        };
        self.has_looked = true;
        self.first = self.first_tick(now);
        let thread = self.thread_now();
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

    /// Everything known of this wait so far, `elapsed` after its beginning. Reads the scheduler's
    /// figures of every thread of the family.
    pub fn delay(&mut self, elapsed: Duration, is_answered: bool) -> HostDelay {
        // A thread that wakes late may find an answer before its first wake-up.
        self.forget_before(Instant::now());
        let thread = self.thread_now();
        let processes = self.family.processes();
        self.family.refresh();
        let family_cpu = self.family.read();
        let turn = used(self.family_cpu, family_cpu);
        let turn_so_far = TurnSoFar {
            elapsed,
            used: family_cpu,
            cpu: turn,
            is_answered,
        };
        let waited = self.queue.waited(&processes, turn_so_far);
        let others = self.others();
        // What ran during these look-ups does not belong to the turn.
        let since = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        let looking = since.saturating_sub(elapsed);
        let stolen = others.map_or(Stolen::default(), |activity| activity.stolen);
        HostDelay {
            used: elapsed,
            answered: is_answered,
            woken_late: self.woken_late,
            noticed_late: self.noticed_late,
            asked_late: self.asked_late,
            thread: thread
                .zip(self.thread_before)
                .map(|(now, before)| now.since(before)),
            reading: self.reading(),
            others_ran: others.map(|activity| activity.busy.saturating_sub(looking)),
            uncounted: self.family.has_turned_over,
            stolen,
            family_waited: others.map(|_| waited.saturating_add(stolen.most)),
            family_ran: turn.unwrap_or_default().saturating_sub(stolen.total),
            family_booked: turn.unwrap_or_default(),
            cores: self.cores(),
        }
    }

    /// How long other programs, the referee among them, ran on the cores since the wait began. The
    /// time to read the bot's output counts as the bot's. If processes of the family started and
    /// ended unseen, all activity may be the bot's.
    fn others(&mut self) -> Option<Activity> {
        let activity = self.activity()?;
        let bots = used(self.family_cpu, self.family.read())?;
        let ours = if self.family.has_turned_over {
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

    /// The delay of a finished wait with the stolen time that the kernel has booked by now.
    pub fn with_booked(&self, delay: HostDelay) -> HostDelay {
        let stolen = self.activity().map(|activity| activity.stolen);
        delay.with_stolen(stolen.unwrap_or_default().since(delay.stolen))
    }

    /// The time that a hypervisor stole of the cores since the last call, or since the last turn
    /// that was looked at.
    pub fn newly_stolen(&mut self) -> Duration {
        let now = self.cores.as_ref().and_then(CoreClock::read);
        let before = std::mem::replace(&mut self.cores_before, now);
        let readings = before.as_ref().zip(self.cores_before.as_ref());
        let readings = self.cores.as_ref().zip(readings);
        readings.map_or(Duration::ZERO, |(clock, (before, now))| {
            clock.activity(before, now).stolen.total
        })
    }

    /// The scheduler's account of the slot's thread so far.
    fn thread_now(&self) -> Option<Scheduled> {
        let totals = self.thread.as_ref().and_then(SchedulerTotals::read);
        totals.map(scheduled)
    }

    /// Takes new readings, so that the next wait does not count what happened before.
    pub fn settle(&mut self) {
        self.thread_before = self.thread_now();
        self.cores_before = self.cores.as_ref().and_then(CoreClock::read);
        let processes = self.family.processes();
        self.queue.settle(&processes);
        self.settled = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::error_stream::thread_cpu;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn lateness_is_counted_from_when_the_thread_was_to_wake() {
        let start = Instant::now();
        let mut watch = Watch::default();
        watch.begin(start, None);
        // No answer within 10 ms is late.
        watch.note_wakeup(start + ms(9));
        assert_eq!((watch.woken_late, watch.latest), (ms(0), ms(0)));
        // A delay of 1 ms is the timer's own; 2 ms is punctual.
        watch.note_wakeup(start + ms(12));
        assert_eq!((watch.woken_late, watch.latest), (ms(0), ms(1)));
        // The next wake-up is due at 22 ms.
        watch.note_wakeup(start + ms(72));
        assert_eq!((watch.woken_late, watch.latest), (ms(50), ms(49)));
        // The next wake-up is due at 82 ms.
        watch.note_wakeup(start + ms(100));
        assert_eq!((watch.woken_late, watch.latest), (ms(68), ms(49)));
        assert_eq!(watch.noticed_late, ms(18));
        // An answer before the next wake-up is noticed at once.
        watch.note_wakeup(start + ms(105));
        assert_eq!((watch.woken_late, watch.noticed_late), (ms(68), ms(0)));
        // Every wait starts from zero.
        watch.begin(start + ms(500), None);
        watch.note_wakeup(start + ms(501));
        assert_eq!((watch.woken_late, watch.latest), (ms(0), ms(0)));
    }

    /// The other work of the slot's thread in a bot's turn, looking at the host and reading the
    /// opponent's output, is not the bot's.
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
            watch.delay(ms(10), false);
            work();
        }
        assert_eq!(watch.reading(), ms(0));
        reading.measure(work);
        assert!(watch.reading() >= ms(2), "{watch:?}");
        watch.begin(Instant::now(), None);
        assert_eq!(watch.reading(), ms(0));
    }

    /// Work of the slot's thread before a turn does not belong to the turn, and does not explain
    /// why that thread wakes late in it.
    #[test]
    fn what_the_thread_did_before_a_wait_is_not_of_it() {
        let mut watch = Watch::new(FamilyClock::default(), None, Arc::default());
        let end = thread_cpu() + ms(200);
        while thread_cpu() < end {}
        // The kernel books the whole time once the thread sleeps.
        std::thread::sleep(ms(1));
        let start = Instant::now();
        watch.begin(start, None);
        let delay = watch.delay(ms(10), false);
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
            // The runtime sees a stopped referee as a task that does not return.
            let stalled = async { std::thread::sleep(ms(120)) };
            tokio::join!(watch.until(start + ms(30)), stalled);
            assert!(watch.woken_late >= ms(100), "{watch:?}");
            let delay = watch.delay(start.elapsed(), false);
            assert_eq!(delay.woken_late, watch.woken_late);
            // The thread slept and did not wait in the run queue, where the kernel counts that.
            if let Some(thread) = delay.thread {
                assert!(thread.ran < delay.woken_late, "{delay:?}");
            }
        });
    }
}
