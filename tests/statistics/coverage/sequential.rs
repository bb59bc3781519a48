//! Sequential tests in the same worlds: how often they pass a bot that is worth `elo0`, and fail
//! one that is worth `elo1`, where openings are few, many or endless.
//!
//! A run's own code says after which pair a test is decided. It is told of more pairs than there
//! are openings: what is played once more from an opening ends as before, and must not count.

use super::is_full;
use super::known_strengths::{ENDLESS, mixed, plan};
use super::recorded_outcomes::{HalfPoints, Table};
use awale::record::{GameEnding, GameId, GameNumber, GameRecord};
use awale::rules::{EndReason, Position};
use awale::stats::sprt::{Model, PairCounts, Settings, Sprt, SprtCounts, State};
use awale::tournament::{
    EntrantIndex, OpeningNumbers, OpeningSharing, Pair, Plan, Progress, Schedule, SequentialTest,
    judge,
};
use std::collections::HashSet;

const NAMES: [&str; 2] = ["new", "base"];
const ALPHA: f64 = 0.05;
const BETA: f64 = 0.1;

/// The new bot's half points as South and as North, by recorded opening.
struct Match(Vec<[HalfPoints; 2]>);

impl Match {
    fn new(table: &Table, new: &str, base: &str) -> Self {
        let (new, base) = (table.bot(new), table.bot(base));
        let pair = |it: usize| [table.result(it, new, base), 2 - table.result(it, base, new)];
        Self((0..table.openings()).map(pair).collect())
    }

    /// The new bot's strength over all openings, on the scale of a model.
    fn strength(&self, model: Model) -> f64 {
        let scores: Vec<f64> = self
            .0
            .iter()
            .map(|[south, north]| f64::from(south + north) / 4.0)
            .collect();
        let count = scores.len() as f64;
        let mean = scores.iter().sum::<f64>() / count;
        let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
        match model {
            Model::Logistic => 400.0 * (mean / (1.0 - mean)).log10(),
            // Of a pair the deviation counts √2 times, and 800 / ln 10 to the unit.
            Model::Normalised => {
                let deviation = (2.0 * squares / count).sqrt();
                800.0 / std::f64::consts::LN_10 * (mean - 0.5) / deviation
            }
        }
    }
}

/// Different positions for different numbers.
pub fn position(number: u32) -> Position {
    let pits = (0..12).map(|pit| (number >> (2 * pit)) & 3);
    let pits: Vec<u32> = pits.collect();
    let left = 48 - pits.iter().sum::<u32>();
    let seeds = pits.into_iter().chain([left / 2, left - left / 2]);
    let text: Vec<String> = seeds.map(|seeds| seeds.to_string()).collect();
    format!("{}-S", text.join("-")).parse().expect("48 seeds")
}

/// What a test takes for an observation.
#[derive(Clone, Copy, Debug)]
enum Counted {
    /// A pair of a new opening, as a run does.
    NewOpenings,
    /// Every pair.
    EveryPair,
}

/// A simulated test.
struct Test<'a> {
    bots: &'a Match,
    plan: Plan,
    sprt: Sprt,
    openings: OpeningNumbers,
    number: u64,
}

impl Test<'_> {
    fn half_points(&self, pair: &Pair) -> [HalfPoints; 2] {
        let drawn = mixed(self.number, u64::from(self.openings.of_pair(pair)));
        self.bots.0[usize::try_from(drawn % self.bots.0.len() as u64).expect("few openings")]
    }

    /// The record of a game that ended by the rules, without its moves.
    fn record(&self, pair: &Pair, number: GameNumber) -> GameRecord {
        let [south, north] = self.half_points(pair);
        let (names, half_points) = match number {
            GameNumber::First => ([NAMES[0], NAMES[1]], south),
            GameNumber::Second => ([NAMES[1], NAMES[0]], 2 - north),
        };
        let opening = self.openings.of_pair(pair);
        GameRecord {
            id: GameId {
                pair: pair.id.clone(),
                number,
            },
            attempt: 1,
            entrants: names.map(str::to_owned),
            opening,
            opening_moves: Vec::new(),
            start: position(opening),
            plies: Vec::new(),
            ending: GameEnding::Rules(EndReason::NoMove),
            stores: [23 + half_points, 25 - half_points],
            ready_us: [None; 2],
            lateness_us: None,
            off_turn_us: [None; 2],
            short_cpu_us: [None; 2],
            introductions: [None, None],
            at: None,
        }
    }

    fn verdict(&self, schedule: &Schedule, counted: Counted) -> State {
        match counted {
            Counted::NewOpenings => self.played(schedule),
            Counted::EveryPair => self.wrongly_played(schedule),
        }
    }

    /// How it ends if a run plays it.
    fn played(&self, schedule: &Schedule) -> State {
        let mut progress = Progress::default();
        let (mut told, mut portion) = (0, 50);
        loop {
            let until = schedule.pairs.len().min(told + portion);
            for pair in &schedule.pairs[told..until] {
                for number in GameNumber::BOTH {
                    progress.note(&self.record(pair, number));
                }
            }
            told = until;
            portion *= 2;
            let judgement = judge(&self.plan, schedule, progress.clone());
            if let Some(last) = judgement.exclusions.decided_after {
                let played = &schedule.pairs[..=last.index().unwrap()];
                let state = self.sprt.evaluate(&self.counts(played, true)).state;
                assert_ne!(state, State::Continue, "decided, and not by these pairs");
                return state;
            }
            if told == schedule.pairs.len() {
                return State::Continue;
            }
        }
    }

    /// What pairs count for; of each opening the first alone, or each as if its opening were new.
    fn counts(&self, pairs: &[Pair], new_ones: bool) -> SprtCounts {
        let mut counts = [0; 5];
        let mut seen = HashSet::new();
        for pair in pairs {
            if seen.insert(self.openings.of_pair(pair)) || !new_ones {
                counts[usize::from(self.half_points(pair).iter().sum::<u8>())] += 1;
            }
        }
        SprtCounts::Pairs(PairCounts(counts))
    }

    /// How it would end if a repeated opening were news.
    fn wrongly_played(&self, schedule: &Schedule) -> State {
        let lengths = 1..=schedule.pairs.len();
        let mut states = lengths.map(|length| {
            let counts = self.counts(&schedule.pairs[..length], false);
            self.sprt.evaluate(&counts).state
        });
        let decided = states.find(|&state| state != State::Continue);
        decided.unwrap_or(State::Continue)
    }
}

/// Many tests of one kind.
#[derive(Clone, Copy, Debug)]
struct Campaign {
    new: &'static str,
    base: &'static str,
    model: Model,
    /// Between the two hypotheses, Elo.
    gap: f64,
    /// Openings of the list, and pairs at most.
    openings: u32,
    pairs: u32,
    tests: u32,
}

/// Shares of all tests.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Verdicts {
    passed: f64,
    failed: f64,
}

impl Campaign {
    /// How tests end if the new bot is worth `elo0`, or `elo1`.
    fn verdicts(&self, table: &Table, is_h1: bool, counted: Counted) -> Verdicts {
        let bots = Match::new(table, self.new, self.base);
        let truth = bots.strength(self.model);
        let elo0 = if is_h1 { truth - self.gap } else { truth };
        let sprt = Sprt::new(Settings {
            elo0,
            elo1: elo0 + self.gap,
            alpha: ALPHA,
            beta: BETA,
            model: self.model,
        })
        .expect("a test");
        let test_of = |number: u32| {
            let number = 2 * u64::from(number) + u64::from(is_h1);
            let mut plan = plan(&NAMES, self.pairs, OpeningSharing::Own, number);
            plan.test = Some(SequentialTest {
                sprt,
                new: EntrantIndex(0),
                repeat_openings: false,
            });
            Test {
                bots: &bots,
                openings: OpeningNumbers::of_list(&plan, self.openings),
                plan,
                sprt,
                number,
            }
        };
        let schedule = Schedule::new(&test_of(0).plan);
        let numbers = 0..self.tests;
        let ended: Vec<State> = numbers
            .map(|it| test_of(it).verdict(&schedule, counted))
            .collect();
        let share = |state: State| {
            ended.iter().filter(|&&it| it == state).count() as f64 / f64::from(self.tests)
        };
        Verdicts {
            passed: share(State::H1),
            failed: share(State::H0),
        }
    }
}

/// Three standard errors above what should be.
fn most(share: f64, tests: u32) -> f64 {
    share + 3.0 * (share * (1.0 - share) / f64::from(tests)).sqrt()
}

/// Normalised strengths far from 0 are left out: first pairs that end alike can pass any such test.
const MATCHES: [(&str, &str, Model); 4] = [
    ("minimax4-1", "minimax3-1", Model::Logistic),
    ("minimax5-1", "minimax6-1", Model::Logistic),
    ("minimax6-1", "minimax5-1", Model::Normalised),
    ("minimax3-1", "minimax3-2", Model::Normalised),
];

/// Tests err as rarely as they say, with this many openings, pairs at most, and this gap.
fn hold(openings: u32, pairs: u32, gap: f64) {
    let table = Table::recorded();
    let tests = if is_full() { 5_000 } else { 250 };
    for (new, base, model) in MATCHES {
        let campaign = Campaign {
            new,
            base,
            model,
            gap,
            openings,
            pairs,
            tests,
        };
        let under_h0 = campaign.verdicts(&table, false, Counted::NewOpenings);
        let under_h1 = campaign.verdicts(&table, true, Counted::NewOpenings);
        println!("{campaign:?}\n  H0 {under_h0:?}\n  H1 {under_h1:?}");
        let (passed, failed) = (most(ALPHA, tests), most(BETA, tests));
        assert!(
            under_h0.passed <= passed,
            "{campaign:?}: {under_h0:?} under H0"
        );
        assert!(
            under_h1.failed <= failed,
            "{campaign:?}: {under_h1:?} under H1"
        );
        // An endless list decides every test.
        let decided = under_h0.passed + under_h0.failed;
        assert!(
            openings < ENDLESS || decided > 0.99,
            "{campaign:?}: {under_h0:?}"
        );
    }
}

#[test]
fn tests_of_36_openings_err_as_rarely_as_they_say() {
    hold(36, 400, 160.0);
}

#[test]
fn tests_of_300_openings_do() {
    hold(300, 600, 80.0);
}

#[test]
fn tests_of_endless_openings_do() {
    hold(ENDLESS, 4_000, 100.0);
}

/// What the rule is for: with it broken, this campaign sees it.
#[test]
fn openings_taken_for_news_again_would_pass_too_often() {
    let campaign = Campaign {
        new: "minimax4-1",
        base: "minimax3-1",
        model: Model::Logistic,
        gap: 80.0,
        openings: 36,
        pairs: 400,
        tests: 100,
    };
    let under_h0 = campaign.verdicts(&Table::recorded(), false, Counted::EveryPair);
    println!("{under_h0:?}");
    assert!(
        under_h0.passed > most(ALPHA, campaign.tests),
        "{under_h0:?}"
    );
}
