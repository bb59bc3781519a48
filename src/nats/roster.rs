//! The workers of a run: what each has proven, and who gets no more work.

use super::message::{BatchPair, Hello};
use crate::record::GameRecord;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// A worker that is silent for so long is taken for gone.
const SILENCE: Duration = Duration::from_secs(10);
/// The most workers of a run, with those that are gone.
const MOST_WORKERS: usize = 20_000;
/// The last games by which a worker is judged, and the fewest that suffice.
const LAST_GAMES: usize = 40;
const FEWEST_GAMES: usize = 12;
/// Of these games so many in four may be void, and so many may be late.
const MOST_VOID: usize = 1;
const MOST_LATE: usize = 2;

/// What a worker must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The version of awale.
    pub awale: String,
    /// The hash of the plan without its secret.
    pub plan: String,
    /// The level of isolation.
    pub level: String,
    /// Nodes in a second.
    pub min_speed: u64,
    /// The delay of a wake-up from which a game is late.
    pub late: Duration,
}

/// The pair that a worker plays before it gets work, as the collector has played it.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The pair.
    pub pair: BatchPair,
    /// The hashes of its games, in their order.
    pub games: Vec<u64>,
}

/// A worker.
#[derive(Clone, Debug)]
struct Member {
    hello: Hello,
    heard: Instant,
    /// Whether it has said something of late, and not goodbye.
    is_here: bool,
    /// Whether it has played the known pair, if there is one.
    is_proven: bool,
    /// Why it gets no work.
    out: Option<String>,
    /// Of its last games, whether each was void, and whether it was late.
    last: VecDeque<[bool; 2]>,
}

impl Member {
    /// Whether it may play.
    fn may_play(&self) -> bool {
        self.is_proven && self.out.is_none()
    }
}

/// The workers.
#[derive(Debug)]
pub struct Roster {
    terms: Terms,
    members: BTreeMap<String, Member>,
}

/// What became of a worker, for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// A sentence.
    pub text: String,
    /// Whether something is wrong.
    pub is_warning: bool,
}

impl Roster {
    /// Without workers.
    pub const fn new(terms: Terms) -> Self {
        Self {
            terms,
            members: BTreeMap::new(),
        }
    }

    /// Hears a worker. `needs_proof` says whether it plays a known pair first. What it has said of itself
    /// holds: one that says something else later is not heard.
    pub fn hear(&mut self, hello: Hello, needs_proof: bool, now: Instant) -> Option<Change> {
        let name = format!("{} ({})", hello.host, counted_slots(hello.slots));
        let leaves = hello.leaves.clone();
        let said = Hello {
            leaves: None,
            ..hello
        };
        let Some(member) = self.members.get_mut(&said.worker) else {
            let has_room = self.members.len() < MOST_WORKERS;
            return (has_room && leaves.is_none())
                .then(|| self.join(&name, said, needs_proof, now));
        };
        if member.hello != said || member.out.is_some() {
            return None;
        }
        member.heard = now;
        let was_here = std::mem::replace(&mut member.is_here, leaves.is_none());
        match (was_here, leaves) {
            (true, Some(reason)) => Some(Change::note(format!("{name} leaves: {reason}"))),
            (false, None) => Some(Change::note(format!("{name} is back"))),
            (true, None) | (false, Some(_)) => None,
        }
    }

    /// A worker is new.
    fn join(&mut self, name: &str, hello: Hello, needs_proof: bool, now: Instant) -> Change {
        let out = self.unfit(&hello);
        let change = match &out {
            Some(reason) => Change::warning(format!("{name} gets no work: {reason}")),
            None => Change::note(format!(
                "{name} joins, {:.1} million nodes a second",
                hello.speed as f64 / 1e6
            )),
        };
        let member = Member {
            heard: now,
            is_here: true,
            is_proven: !needs_proof,
            out,
            last: VecDeque::new(),
            hello: hello.clone(),
        };
        self.members.insert(hello.worker, member);
        change
    }

    /// Why a worker cannot play this run.
    fn unfit(&self, hello: &Hello) -> Option<String> {
        let terms = &self.terms;
        if hello.awale != terms.awale {
            return Some(format!(
                "it has awale {}, and the run {}",
                hello.awale, terms.awale
            ));
        }
        if hello.plan != terms.plan {
            return Some("its files give another plan".to_owned());
        }
        if hello.level != terms.level {
            return Some(format!(
                "it isolates bots by {:?}, and the plan says {:?}",
                hello.level, terms.level
            ));
        }
        (hello.speed < terms.min_speed).then(|| {
            format!(
                "it is too slow: {} nodes a second, and --min-speed is {}",
                hello.speed, terms.min_speed
            )
        })
    }

    /// Why a worker gets no more work.
    pub fn out(&self, worker: &str) -> Option<&str> {
        self.members.get(worker)?.out.as_deref()
    }

    /// Whether a worker must prove itself.
    pub fn is_proving(&self, worker: &str) -> bool {
        let member = self.members.get(worker);
        member.is_some_and(|it| !it.is_proven && it.out.is_none())
    }

    /// Whether what a worker plays counts, also if it is gone.
    pub fn is_playing(&self, worker: &str) -> bool {
        self.members.get(worker).is_some_and(Member::may_play)
    }

    /// A worker has proven itself, or no proof is wanted any more.
    pub fn prove(&mut self, worker: &str) {
        if let Some(member) = self.members.get_mut(worker) {
            member.is_proven = true;
        }
    }

    /// What a worker has said.
    pub fn hello(&self, worker: &str) -> Option<&Hello> {
        self.members.get(worker).map(|it| &it.hello)
    }

    /// Gives a worker no more work.
    pub fn put_aside(&mut self, worker: &str, reason: String) -> Option<Change> {
        let member = self.members.get_mut(worker)?;
        if member.out.is_some() {
            return None;
        }
        let change = Change::warning(format!(
            "{} is put aside, and gets no more work: {reason}",
            member.hello.host
        ));
        member.out = Some(reason);
        Some(change)
    }

    /// Notes a game of a worker, and puts it aside if too many were void or late.
    pub fn note(&mut self, worker: &str, game: &GameRecord) -> Option<Change> {
        let late = u64::try_from(self.terms.late.as_micros()).unwrap_or(u64::MAX);
        let member = self.members.get_mut(worker)?;
        let is_late = game.lateness_us.is_some_and(|it| it > late);
        member.last.push_back([game.is_void(), is_late]);
        if member.last.len() > LAST_GAMES {
            member.last.pop_front();
        }
        let games = member.last.len();
        let [voids, lates] = [0, 1].map(|kind| member.last.iter().filter(|it| it[kind]).count());
        if games < FEWEST_GAMES {
            return None;
        }
        let reason = if 4 * voids > MOST_VOID * games {
            format!("it made {voids} of its last {games} games void")
        } else if 4 * lates > MOST_LATE * games {
            format!(
                "{lates} of its last {games} games woke up later than {} ms",
                self.terms.late.as_millis()
            )
        } else {
            return None;
        };
        self.put_aside(worker, reason)
    }

    /// Names workers that are silent now.
    pub fn expire(&mut self, now: Instant) -> Vec<Change> {
        let mut changes = Vec::new();
        for member in self.members.values_mut() {
            if member.is_here && now.duration_since(member.heard) > SILENCE {
                member.is_here = false;
                let host = &member.hello.host;
                let is_told = member.out.is_none();
                changes.extend(is_told.then(|| Change::note(format!("{host} is silent"))));
            }
        }
        changes
    }

    /// How many games are played at a time.
    pub fn slots(&self) -> usize {
        let members = self.members.values();
        let playing = members.filter(|it| it.is_here && it.may_play());
        playing.map(|it| it.hello.slots as usize).sum()
    }

    /// How many workers are here, and were not sent away.
    pub fn here(&self) -> usize {
        let members = self.members.values();
        members.filter(|it| it.is_here && it.out.is_none()).count()
    }

    /// The workers that were put aside, and why.
    pub fn aside(&self) -> impl Iterator<Item = (&str, &str)> {
        let members = self.members.values();
        members.filter_map(|it| Some((it.hello.host.as_str(), it.out.as_deref()?)))
    }
}

impl Change {
    fn note(text: String) -> Self {
        Self {
            text,
            is_warning: false,
        }
    }

    fn warning(text: String) -> Self {
        Self {
            text,
            is_warning: true,
        }
    }
}

fn counted_slots(slots: u32) -> String {
    crate::text::counted(slots as usize, "slot", "slots")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameEnding, Void, sample};

    fn terms() -> Terms {
        Terms {
            awale: "1".to_owned(),
            plan: "p".to_owned(),
            level: "box".to_owned(),
            min_speed: 100,
            late: Duration::from_millis(10),
        }
    }

    fn hello(worker: &str) -> Hello {
        Hello {
            worker: worker.to_owned(),
            host: format!("host of {worker}"),
            awale: "1".to_owned(),
            plan: "p".to_owned(),
            level: "box".to_owned(),
            slots: 2,
            speed: 100,
            other_programs: Vec::new(),
            leaves: None,
        }
    }

    #[test]
    fn only_who_is_what_the_run_wants_plays() {
        let change = |change: fn(&mut Hello)| {
            let mut hello = hello("a");
            change(&mut hello);
            hello
        };
        for (hello, reason) in [
            (change(|it| it.awale = "2".to_owned()), "it has awale 2"),
            (change(|it| it.plan = "q".to_owned()), "another plan"),
            (change(|it| it.level = "none".to_owned()), "isolates bots"),
            (change(|it| it.speed = 99), "too slow"),
        ] {
            let mut roster = Roster::new(terms());
            let change = roster
                .hear(hello, false, Instant::now())
                .expect("it is told");
            assert!(
                change.is_warning && change.text.contains(reason),
                "{change:?}"
            );
            assert!(roster.out("a").is_some() && roster.slots() == 0);
        }
    }

    #[test]
    fn a_worker_comes_proves_itself_is_silent_and_comes_back() {
        let mut roster = Roster::new(terms());
        let begin = Instant::now();
        roster.hear(hello("a"), true, begin);
        roster.hear(hello("b"), false, begin);
        assert!(roster.is_proving("a") && !roster.is_playing("a"));
        assert_eq!((roster.slots(), roster.here()), (2, 2));
        roster.prove("a");
        assert_eq!(roster.slots(), 4);
        let later = begin + SILENCE + Duration::from_secs(1);
        roster.hear(hello("b"), false, later);
        assert_eq!(roster.expire(later).len(), 1);
        assert_eq!((roster.slots(), roster.here()), (2, 1));
        // What it has played before still counts.
        assert!(roster.is_playing("a"));
        let back = roster.hear(hello("a"), true, later).expect("it is told");
        assert!(back.text.ends_with("is back"));
        assert_eq!(roster.slots(), 4);
        // What it says of itself holds.
        let other = Hello {
            host: "another".to_owned(),
            slots: 9,
            ..hello("a")
        };
        assert_eq!(roster.hear(other, false, later), None);
        assert_eq!(roster.slots(), 4);
        roster.put_aside("a", "it lies".to_owned());
        roster.hear(hello("a"), false, later);
        assert_eq!((roster.out("a"), roster.slots()), (Some("it lies"), 2));
        assert!(!roster.is_playing("a"));
    }

    #[test]
    fn nobody_gets_work_without_a_proof_by_being_silent() {
        let mut roster = Roster::new(terms());
        let begin = Instant::now();
        roster.hear(hello("a"), true, begin);
        let later = begin + SILENCE + Duration::from_secs(1);
        roster.expire(later);
        assert!(!roster.is_playing("a"));
        roster.hear(hello("a"), true, later);
        let goodbye = Hello {
            leaves: Some("later".to_owned()),
            ..hello("a")
        };
        roster.hear(goodbye, true, later);
        roster.hear(hello("a"), true, later);
        assert!(roster.is_proving("a") && !roster.is_playing("a"));
        assert_eq!(roster.slots(), 0);
        roster.prove("a");
        assert_eq!(roster.slots(), 2);
    }

    /// Of 40 games so many are void or late, and the worker goes on or not.
    #[test]
    fn a_noisy_worker_is_put_aside() {
        for (voids, late, goes) in [(10, 0, true), (11, 0, false), (0, 20, true), (0, 21, false)] {
            let mut roster = Roster::new(terms());
            roster.hear(hello("a"), false, Instant::now());
            // Good games come first: the last ones decide.
            for place in (0..LAST_GAMES).rev() {
                let mut game = sample::game("ada~bob.1.1", ["ada", "bob"], [0, 0]);
                if place < voids {
                    game = game.ended(GameEnding::Void(Void::new("x")));
                }
                game.lateness_us = Some(if place < late { 10_001 } else { 10_000 });
                roster.note("a", &game);
            }
            assert_eq!(roster.is_playing("a"), goes, "{voids} {late}");
        }
    }
}
