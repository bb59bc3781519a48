//! How long the games of a plan will take, from games that were measured, or from those of the
//! examinations. What bots take to start is not in it.

use super::examination::Gate;
use super::formats::DealtRound;
use super::plan::{EntrantIndex, Plan};
use super::progress::Progress;
use super::schedule::Schedule;
use crate::record::{Admission, GameSummary};
use std::collections::BTreeMap;
use std::time::Duration;

/// Two entrants by their places in the plan, the smaller first.
type Pairing = [usize; 2];

/// The games that are still to be played, and what is known of their times. Each time is that of
/// the answers to `new-game` and of all moves: the games are thought to be as long, and their moves
/// to take as long, as those before.
#[derive(Clone, Debug)]
pub struct RemainingTime {
    places: BTreeMap<String, usize>,
    /// The numbers of open games.
    open: BTreeMap<Pairing, u32>,
    /// What the games of two entrants took.
    pairings: BTreeMap<Pairing, Measured>,
    /// What the sides of each entrant took.
    sides: Vec<Measured>,
    /// What a side took in the examination. House bots, which nobody examines, count as if they
    /// answered at once.
    examined: Vec<Option<Duration>>,
    /// The entrants that play no further game.
    are_out: Vec<bool>,
    played: Duration,
}

/// Games that were measured.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    games: u32,
    time: Duration,
}

impl Measured {
    fn add(&mut self, time: Duration) {
        self.games = self.games.saturating_add(1);
        self.time = self.time.saturating_add(time);
    }

    fn mean(self) -> Option<Duration> {
        self.time.checked_div(self.games)
    }
}

impl RemainingTime {
    /// The games of the schedule that have no result yet. None of them is measured.
    pub fn new(plan: &Plan, schedule: &Schedule, gate: &Gate, progress: &Progress) -> Self {
        let names = plan.entrants.iter().map(|it| it.name.clone());
        let is_out = |name: &str| progress.refusal(name).is_some() || progress.is_withdrawn(name);
        let others = (!gate.candidates.is_empty()).then_some(Duration::ZERO);
        let mut examined = vec![others; plan.entrants.len()];
        for entrant in &gate.candidates {
            let name = &plan.entrants[entrant.index()].name;
            examined[entrant.index()] = progress.side_time(name);
        }
        let mut open = BTreeMap::new();
        for pair in &schedule.pairs {
            let ids = pair.game_ids().into_iter();
            let games = ids.filter(|it| !progress.is_done(it)).count();
            let pairing = sorted(pair.entrants.map(EntrantIndex::index));
            *open.entry(pairing).or_default() += u32::try_from(games).unwrap_or(u32::MAX);
        }
        Self {
            places: names.zip(0..).collect(),
            open,
            pairings: BTreeMap::new(),
            sides: vec![Measured::default(); plan.entrants.len()],
            examined,
            are_out: plan.entrants.iter().map(|it| is_out(&it.name)).collect(),
            played: Duration::ZERO,
        }
    }

    /// Measures a game that is not among those to be played. A void game says nothing.
    pub fn measure(&mut self, game: &GameSummary) {
        let places = game.entrants.each_ref().map(|it| self.places.get(it));
        let ([Some(&south), Some(&north)], Some(_)) = (places, game.result()) else {
            return;
        };
        let times = side_times(game);
        for (place, time) in [south, north].into_iter().zip(times) {
            self.sides[place].add(time);
        }
        let pairing = self.pairings.entry(sorted([south, north])).or_default();
        pairing.add(times[0].saturating_add(times[1]));
    }

    /// Measures a game of those to be played.
    pub fn note_played(&mut self, game: &GameSummary) {
        self.measure(game);
        let [south, north] = side_times(game);
        self.played = self.played.saturating_add(south).saturating_add(north);
        let places = game.entrants.each_ref().map(|it| self.places.get(it));
        if let ([Some(&south), Some(&north)], Some(_)) = (places, game.result())
            && let Some(open) = self.open.get_mut(&sorted([south, north]))
        {
            *open = open.saturating_sub(1);
        }
    }

    /// Notes the games of another round.
    pub fn note_dealt(&mut self, round: &DealtRound) {
        for dealt in &round.matches {
            let places = dealt.entrants.each_ref().map(|it| self.places.get(it));
            if let [Some(&one), Some(&other)] = places {
                *self.open.entry(sorted([one, other])).or_default() += 2 * dealt.pairs;
            }
        }
    }

    /// Notes the result of an examination.
    pub fn note_admission(&mut self, admission: &Admission) {
        if let Some(&place) = self.places.get(&admission.entrant) {
            self.examined[place] = admission.side_ms.map(Duration::from_millis);
            self.are_out[place] |= admission.refusal.is_some() && admission.is_settled();
        }
    }

    /// Notes that an entrant plays no further game.
    pub fn note_withdrawal(&mut self, entrant: &str) {
        if let Some(&place) = self.places.get(entrant) {
            self.are_out[place] = true;
        }
    }

    /// The number of games that were measured.
    pub fn games_measured(&self) -> usize {
        self.pairings.values().map(|it| it.games as usize).sum()
    }

    /// The number of games that are still to be played.
    pub fn games_open(&self) -> usize {
        self.still_open().map(|(_, games)| games as usize).sum()
    }

    /// What the games of [`RemainingTime::note_played`] took, void ones included.
    pub const fn played(&self) -> Duration {
        self.played
    }

    /// The time that the games take which are still to be played, one after the other: for two
    /// entrants as their games so far, or else as the sides of each so far, or in its examination,
    /// or as the mean side of all others. `None` if nothing is known.
    pub fn time(&self) -> Option<Duration> {
        let all = self
            .sides
            .iter()
            .fold(Measured::default(), |sum, it| Measured {
                games: sum.games.saturating_add(it.games),
                time: sum.time.saturating_add(it.time),
            });
        let side = |place: usize| {
            let own = self.sides[place].mean().or(self.examined[place]);
            own.or_else(|| all.mean())
        };
        let mut time = Duration::ZERO;
        for (pairing, games) in self.still_open() {
            let measured = self.pairings.get(&pairing).and_then(|it| it.mean());
            let game = match measured {
                Some(game) => game,
                None => side(pairing[0])?.saturating_add(side(pairing[1])?),
            };
            time = time.saturating_add(game.saturating_mul(games));
        }
        Some(time)
    }

    fn still_open(&self) -> impl Iterator<Item = (Pairing, u32)> {
        let open = self.open.iter().map(|(pairing, games)| (*pairing, *games));
        open.filter(|(pairing, games)| *games > 0 && !pairing.iter().any(|&it| self.are_out[it]))
    }
}

const fn sorted([one, other]: [usize; 2]) -> Pairing {
    if one <= other {
        [one, other]
    } else {
        [other, one]
    }
}

fn side_times(game: &GameSummary) -> [Duration; 2] {
    [0, 1].map(|side| {
        let ready = game.ready_us[side].unwrap_or_default();
        Duration::from_micros(game.times[side].total_us().saturating_add(ready))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sample::game;
    use crate::record::{Examiner, Fault, FaultKind, GameEnding, GameRecord, Refusal, Void};
    use crate::tournament::Secret;

    const NAMES: [&str; 3] = ["ada", "bob", "cyd"];

    fn plan() -> Plan {
        Plan::round_robin(NAMES, 5, Secret::from_bytes([7; 32]))
    }

    /// The times of ten games of each pairing of [`plan`] of which nothing is known but the
    /// examinations of the first so many entrants.
    fn remaining(examined: usize) -> RemainingTime {
        let plan = plan();
        let mut candidates: Vec<_> = plan.pairings().into_keys().flatten().collect();
        candidates.retain(|it| it.index() < examined);
        let gate = Gate {
            candidates,
            ..Gate::default()
        };
        RemainingTime::new(&plan, &Schedule::new(&plan), &gate, &Progress::default())
    }

    fn admitted(entrant: &str, side_ms: Option<u64>) -> Admission {
        Admission {
            entrant: entrant.to_owned(),
            refusal: None,
            late: None,
            side_ms,
        }
    }

    /// A game in which South's move took so many ms, and North's too.
    fn played(id: &str, sides: [&str; 2], ms: [u64; 2]) -> GameRecord {
        let moves = game(id, sides, [25, 23]).with_plies("Aa", &ms.map(|it| 1_000 * it));
        GameRecord {
            ready_us: [Some(500), None],
            ..moves
        }
    }

    fn ms(remaining: &RemainingTime) -> Option<u128> {
        remaining.time().map(|it| it.as_millis())
    }

    #[test]
    fn without_a_game_the_sides_of_examinations_add_up() {
        let mut remaining = remaining(2);
        assert_eq!(ms(&remaining), None);
        remaining.note_admission(&admitted("ada", Some(30)));
        assert_eq!(ms(&remaining), None, "bob's is not known");
        remaining.note_admission(&admitted("bob", Some(7)));
        // Each plays ten games with each of the others; cyd is a house bot.
        assert_eq!(ms(&remaining), Some(20 * 30 + 20 * 7));
        remaining.note_admission(&Admission {
            refusal: Some(Refusal::Fault {
                against: Examiner::Random,
                fault: Fault::new(FaultKind::Crash, "exited with code 3"),
                may_pass: false,
            }),
            ..admitted("bob", None)
        });
        assert_eq!(ms(&remaining), Some(10 * 30), "bob plays nothing");
        assert_eq!(
            (remaining.games_open(), remaining.games_measured()),
            (10, 0)
        );
    }

    #[test]
    fn games_say_more_than_examinations() {
        let mut remaining = remaining(0);
        assert_eq!(ms(&remaining), None, "nobody is examined");
        let first = played("ada~bob.1.1", ["ada", "bob"], [30, 10]);
        remaining.note_played(&GameSummary::of(&first));
        // Nine games of 40.5 ms; cyd's sides are thought to be as the mean of the others, 20.25 ms:
        // ten games of 50.75 ms and ten of 30.25 ms.
        assert_eq!(ms(&remaining), Some(1174));
        // Measured in an earlier run: the games of these two take longer than their sides say.
        let second = played("bob~cyd.1.1", ["cyd", "bob"], [99, 100]);
        remaining.measure(&GameSummary::of(&second));
        // Ten games of 130 ms, and ten of 199.5 ms.
        assert_eq!(ms(&remaining), Some(3659));
        remaining.note_withdrawal("cyd");
        assert_eq!(ms(&remaining), Some(364));
        assert_eq!((remaining.games_open(), remaining.games_measured()), (9, 2));
        assert_eq!(remaining.played().as_micros(), 40_500);
    }

    #[test]
    fn void_games_and_strangers_are_not_measured() {
        let mut remaining = remaining(0);
        let first = played("ada~bob.1.1", ["ada", "bob"], [30, 10]);
        let void = first.clone().ended(GameEnding::Void(Void::default()));
        remaining.note_played(&GameSummary::of(&void));
        let other = played("ada~eve.1.1", ["ada", "eve"], [30, 10]);
        remaining.measure(&GameSummary::of(&other));
        assert_eq!(
            (remaining.games_open(), remaining.games_measured()),
            (30, 0)
        );
    }
}
