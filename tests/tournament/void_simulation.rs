//! Simulated tournaments on noisy hosts: honest bots are not accused of voids, makers of voids are.
//!
//! The host is quiet for some minutes and busy for some minutes. While it is busy, each turn loses
//! a time to strangers that is drawn from the scenario's distribution; an answer that is late
//! without that loss would have been a time-out, one that is late with it alone is void. What a
//! bot itself needs is drawn for each turn around its mean. `AWALE_FULL=1` simulates more of it.

use super::scripted_tournament::plan;
use awale::record::{GameEnding, GameId, GameRecord, PlyRecord, Void};
use awale::rules::{EndReason, Pit, Position, Side};
use awale::tournament::{EntrantIndex, Format, Pair, Progress, Schedule, judge};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::time::Duration;

/// What a turn may take, in µs: a limit of 100 ms and a margin of 10.
const DEADLINE: f64 = 110_000.0;
/// Turns of each side in a game.
const TURNS: usize = 24;
const ATTEMPTS: u32 = 4;

fn is_full() -> bool {
    std::env::var_os("AWALE_FULL").is_some_and(|value| value == "1")
}

/// What strangers take from a turn.
#[derive(Clone, Copy, Debug)]
enum Loss {
    /// Time slices: exponential, of this many µs in the mean, in every turn.
    Slices(f64),
    /// Rare stalls of seconds, which hit in proportion to time: a chance for each second.
    Stalls(f64),
    /// So heavy that no mean exists: a power law from this many µs on, in one of ten turns.
    Heavy(f64),
    /// Nothing works: the first process that is started ends, with this chance.
    Broken(f64),
}

#[derive(Clone, Copy, Debug)]
struct Host {
    loss: Loss,
    /// Seconds in the mean that it is quiet, and busy.
    quiet: f64,
    busy: f64,
}

/// How a bot uses its turns.
#[derive(Clone, Copy, Debug)]
enum Bot {
    /// This many µs in the mean.
    Thinks(f64),
    /// The same, and its first move takes almost all of the limit.
    ThinksLongFirst(f64),
    /// It thinks so long, and its process ends without a word in half of its games.
    Ends(f64),
}

struct World {
    random: ChaCha8Rng,
    host: Host,
    is_busy: bool,
    /// Seconds until that changes.
    left: f64,
}

impl World {
    fn new(host: Host, seed: u64) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
            host,
            is_busy: false,
            left: host.quiet,
        }
    }

    fn uniform(&mut self) -> f64 {
        (f64::from(self.random.next_u32()) + 0.5) / 4_294_967_296.0
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * self.uniform().ln()
    }

    fn pass(&mut self, us: f64) {
        self.left -= us / 1e6;
        while self.left < 0.0 {
            self.is_busy = !self.is_busy;
            let mean = if self.is_busy {
                self.host.busy
            } else {
                self.host.quiet
            };
            self.left += self.exponential(mean);
        }
    }

    /// What the bot itself needs for a turn.
    fn need(&mut self, bot: Bot, turn: usize) -> f64 {
        let mean = match bot {
            Bot::ThinksLongFirst(_) if turn == 0 => 90_000.0,
            Bot::Thinks(mean) | Bot::ThinksLongFirst(mean) | Bot::Ends(mean) => mean,
        };
        (mean * (0.5 + self.uniform())).min(95_000.0)
    }

    /// What strangers take from a turn that needs so much.
    fn loss(&mut self, need: f64) -> f64 {
        if !self.is_busy {
            return 0.0;
        }
        let chance = self.uniform();
        match self.host.loss {
            Loss::Slices(mean) => self.exponential(mean),
            Loss::Stalls(per_second) if chance < per_second * need / 1e6 => 2e6,
            Loss::Heavy(from) if chance < 0.1 => from / self.uniform(),
            Loss::Stalls(_) | Loss::Heavy(_) | Loss::Broken(_) => 0.0,
        }
    }

    /// An attempt at a game: the times of its turns, and how it was void if it was.
    fn play(&mut self, bots: [Bot; 2], loses: Option<Side>) -> (Vec<u64>, Option<Void>) {
        let mut times = Vec::new();
        self.pass(50_000.0);
        if let Loss::Broken(chance) = self.host.loss
            && self.is_busy
        {
            for side in Side::BOTH {
                if self.uniform() < chance {
                    return (times, Some(Void::new("cannot start").on_turn(side)));
                }
            }
        }
        for turn in 0..TURNS {
            for side in Side::BOTH {
                let bot = bots[side.index()];
                if loses == Some(side) && matches!(bot, Bot::Ends(_)) && turn == TURNS / 2 {
                    return (times, Some(Void::new("no last words").on_turn(side)));
                }
                let need = self.need(bot, turn);
                let used = need + self.loss(need);
                self.pass(used);
                if used > DEADLINE {
                    let mut void = Void::new("late").on_turn(side);
                    void.late_us = Some(micros(used));
                    void.cpu_us[side.index()] = Some(micros(need));
                    return (times, Some(void));
                }
                times.push(micros(used));
            }
        }
        (times, None)
    }
}

/// Whole µs of a time that is never negative.
fn micros(time: f64) -> u64 {
    Duration::from_secs_f64(time / 1e6)
        .as_micros()
        .try_into()
        .expect("a time in µs")
}

fn record(names: &[String], pair: &Pair, id: &GameId, attempt: u32) -> GameRecord {
    GameRecord {
        id: id.clone(),
        attempt,
        entrants: pair
            .sides(id.number)
            .map(|seat| names[seat.index()].clone()),
        opening: 1,
        opening_moves: Vec::new(),
        start: Position::START,
        plies: Vec::new(),
        ending: GameEnding::Rules(EndReason::Majority),
        stores: [25, 10],
        lateness_us: None,
        off_turn_us: [None; 2],
        short_cpu_us: [None; 2],
        ready_us: [None; 2],
        introductions: [None, None],
    }
}

/// What came of a simulated tournament.
#[derive(Clone, Debug, Default)]
struct Outcome {
    games: usize,
    voids: usize,
    given_up: usize,
    /// Entrants that were accused, with the games that each played until then.
    accused: Vec<(String, usize)>,
    charged_games: usize,
}

/// A tournament of these bots, one slot, in the order in which the feed hands out games.
fn tournament(bots: &[Bot], pairs: u32, host: Host, seed: u64) -> Outcome {
    let names: Vec<String> = (0..bots.len()).map(|it| format!("bot-{it}")).collect();
    let texts: Vec<&str> = names.iter().map(String::as_str).collect();
    let plan = plan(&texts, pairs, Format::RoundRobin);
    let schedule = Schedule::new(&plan);
    let mut world = World::new(host, seed);
    let mut progress = Progress::default();
    let mut outcome = Outcome::default();
    let pit = Pit::from_letter('A').unwrap();
    for pair in &schedule.pairs {
        let loses = pair.game_ids().map(|_| {
            let side = Side::BOTH[usize::from(world.uniform() < 0.5)];
            Some(side)
        });
        let mut open: Vec<(GameId, u32)> = pair.game_ids().map(|id| (id, 1)).into();
        while !open.is_empty() {
            let (id, attempt) = open.remove(0);
            let seats = pair
                .sides(id.number)
                .map(|it: EntrantIndex| bots[it.index()]);
            let (times, void) = world.play(seats, loses[id.number.number() as usize - 1]);
            let mut record = record(&names, pair, &id, attempt);
            record.plies = times
                .into_iter()
                .map(|time_us| PlyRecord {
                    pit,
                    time_us,
                    cpu_us: None,
                    held_up_us: 0,
                    info: None,
                })
                .collect();
            outcome.games += 1;
            if let Some(void) = void {
                outcome.voids += 1;
                record.ending = GameEnding::Void(void);
                if attempt == ATTEMPTS {
                    open.clear();
                } else {
                    open.push((id, attempt + 1));
                }
            }
            progress.note(&record);
        }
    }
    let exclusions = judge(&plan, &schedule, progress).exclusions;
    let games_until = |charge: &awale::record::Charge| {
        let plays = |pair: &&Pair| {
            let names = pair.entrants.map(|it| &names[it.index()]);
            pair.id <= charge.after && names.contains(&&charge.entrant)
        };
        2 * schedule.pairs.iter().filter(plays).count()
    };
    let accused = exclusions.charged.iter();
    outcome.accused = accused
        .map(|it| (it.entrant.clone(), games_until(it)))
        .collect();
    outcome.given_up = exclusions.given_up.len();
    outcome.charged_games = exclusions.charged_games.len();
    outcome
}

const HOSTS: [Host; 8] = [
    busy(Loss::Slices(6_000.0)),
    busy(Loss::Slices(30_000.0)),
    busy(Loss::Slices(90_000.0)),
    busy(Loss::Stalls(0.5)),
    busy(Loss::Heavy(4_000.0)),
    busy(Loss::Broken(0.3)),
    busy(Loss::Broken(0.95)),
    Host {
        loss: Loss::Slices(20_000.0),
        quiet: 1.0,
        busy: 3_000.0,
    },
];

const fn busy(loss: Loss) -> Host {
    Host {
        loss,
        quiet: 300.0,
        busy: 180.0,
    }
}

/// Classes of honest bots, with the pairs that each two of them play.
fn classes() -> Vec<(&'static str, Vec<Bot>, u32)> {
    use Bot::{Thinks, ThinksLongFirst};
    let mixed = [1_000.0, 8_000.0, 20_000.0, 50_000.0, 70_000.0, 85_000.0];
    let class_of_24 = (0..24).map(|it| Thinks(mixed[it % mixed.len()])).collect();
    let mut ten_times = vec![Thinks(8_000.0); 7];
    ten_times.push(Thinks(80_000.0));
    vec![
        ("24 of all speeds", class_of_24, 2),
        ("one of eight ten times slower", ten_times, 12),
        ("two alike", vec![Thinks(20_000.0); 2], 300),
        ("two at the limit", vec![Thinks(85_000.0); 2], 300),
        (
            "a slow and a fast one",
            vec![Thinks(80_000.0), Thinks(100.0)],
            300,
        ),
        ("two unlike", vec![Thinks(70_000.0), Thinks(40_000.0)], 300),
        (
            "a slow first move",
            vec![ThinksLongFirst(2_000.0), Thinks(2_000.0)],
            300,
        ),
    ]
}

#[test]
fn honest_bots_on_noisy_hosts_are_not_accused() {
    let repeats = if is_full() { 60 } else { 1 };
    let mut sum = Outcome::default();
    for (host_number, host) in (0_u64..).zip(HOSTS) {
        for (class_number, (class, bots, pairs)) in (0_u64..).zip(classes()) {
            let mut all = Outcome::default();
            for repeat in 0..repeats {
                let seed = 10_000 * repeat + 100 * host_number + class_number;
                let one = tournament(&bots, pairs, host, seed);
                all.games += one.games;
                all.voids += one.voids;
                all.given_up += one.given_up;
                all.charged_games += one.charged_games;
                all.accused.extend(one.accused);
            }
            println!(
                "{:?}, {class}: {} games, {} void, {} pairs given up, {} accused",
                host.loss,
                all.games,
                all.voids,
                all.given_up,
                all.accused.len()
            );
            sum.games += all.games;
            sum.voids += all.voids;
            sum.charged_games += all.charged_games;
            sum.accused.extend(all.accused);
        }
    }
    let (games, accused) = (sum.games, sum.accused.len());
    println!("{games} games, {} void, {accused} accused", sum.voids);
    assert!(sum.voids * 10 > games, "the hosts are noisy");
    assert!(
        accused * 10_000 < games,
        "{accused} of {games}: {:?}",
        sum.accused
    );
    assert!(sum.charged_games * 10_000 < games, "{}", sum.charged_games);
}

#[test]
fn makers_of_voids_are_accused() {
    let quiet = Host {
        loss: Loss::Slices(1.0),
        quiet: 1e9,
        busy: 1.0,
    };
    // The second bot ends without a word in every game that it would lose, half of them.
    for (host, others, count, pairs, most) in [
        (quiet, 20_000.0, 2, 40, 30),
        (quiet, 80_000.0, 2, 40, 30),
        (quiet, 1_000.0, 2, 40, 30),
        (quiet, 20_000.0, 24, 1, 30),
        (HOSTS[1], 20_000.0, 24, 1, 30),
        (HOSTS[4], 20_000.0, 24, 1, 30),
        (HOSTS[1], 20_000.0, 2, 60, 40),
    ] {
        for seed in 0..if is_full() { 200 } else { 5 } {
            let mut bots = vec![Bot::Thinks(others); count];
            bots[1] = Bot::Ends(20_000.0);
            let outcome = tournament(&bots, pairs, host, seed);
            let [(name, games)] = outcome.accused.as_slice() else {
                panic!("{host:?}, {count} bots, seed {seed}: {:?}", outcome.accused);
            };
            assert_eq!(name, "bot-1", "{host:?}, {count} bots, seed {seed}");
            println!(
                "{:?}, {count} bots, seed {seed}: after {games} games",
                host.loss
            );
            assert!(
                *games <= most,
                "{host:?}, {count} bots, seed {seed}: {games}"
            );
        }
    }
}
