//! Replays one game: by the rules, with the referee's clock, up to the ending in the journal.

use super::findings::Check;
use crate::record::{FaultKind, GameEnding, GameRecord};
use crate::referee::{Agreement, Clock, EndgameJudge, Judged, Limit, Measure, is_solved};
use crate::rules::{Game, Position, Side};
use crate::tournament::Plan;
use std::time::Duration;

/// Receives the problems of a game.
pub type Tell<'t> = &'t mut dyn FnMut(Check, &str);

/// Replays a game from its start position, and reports everything that is impossible. Without a
/// judge, the final stores of a game that one has ended are not checked.
pub fn play_again(
    plan: &Plan,
    endgame: Option<&dyn EndgameJudge>,
    record: &GameRecord,
    tell: Tell<'_>,
) {
    let mut game = Game::new(plan.rules, record.start);
    let names = record.entrants.each_ref();
    let mut clock = Clock::new(names.map(|name| plan.clock_of(name)));
    let mut agreement = Agreement::new(plan.agreement());
    let mut times_fit = true;
    for (number, ply) in (1_u32..).zip(&record.plies) {
        if let Some(message) = over_before(plan, number, &game, &agreement) {
            return tell(Check::Games, &message);
        }
        let side = game.position().to_move();
        let limit = clock.limit(side);
        let wall = micros(ply.time_us.saturating_sub(ply.preempted_us));
        let cpu = ply.cpu_us.map(micros);
        let used = match limit.judge(wall, cpu) {
            Judged::InTime(used) => used,
            late => {
                if times_fit {
                    tell(Check::Times, &overstepped(number, &limit, late, wall, cpu));
                }
                // From here on the banks are unknown.
                times_fit = false;
                wall
            }
        };
        let legal = game.legal_moves();
        if game.play(ply.pit).is_err() {
            let pit = ply.pit;
            let message = format!("ply {number} is {pit}, and {side} could play {legal} there");
            return tell(Check::Games, &message);
        }
        clock.charge(side, used);
        agreement.add(ply);
    }
    if let Some(message) = late_ready(plan, record) {
        tell(Check::Times, &message);
    }
    if let Some(message) = wrong_ending(plan, record, &game, &agreement) {
        return tell(Check::Games, &message);
    }
    if endgame.is_none()
        && let Some(message) = impossible_stores(record, game.position())
    {
        return tell(Check::Games, &message);
    }
    let stores = final_stores(record, &game, endgame);
    if let Some(stores) = stores.filter(|it| *it != record.stores) {
        let lead = match record.ending {
            GameEnding::Endgame => "perfect play leads",
            _ => "the moves lead",
        };
        let (recorded, stores) = (score(record.stores), score(stores));
        let message = format!("the final stores are {recorded}, and {lead} to {stores}");
        tell(Check::Games, &message);
    }
    if times_fit && let Some(message) = wrong_fault_time(plan, record, &clock, &game) {
        tell(Check::Times, &message);
    }
}

/// Reports a ply of this number of a game that was over before it.
fn over_before(plan: &Plan, number: u32, game: &Game, agreement: &Agreement) -> Option<String> {
    let before = number - 1;
    if let Some(ending) = game.ending() {
        let reason = ending.reason;
        return Some(format!(
            "the game is over ({reason}) after ply {before}, and goes on"
        ));
    }
    if let Some(seeds) = solved_seeds(plan, game) {
        return Some(format!(
            "perfect play is known after ply {before}, with {seeds} seeds on the board, and the \
             game goes on"
        ));
    }
    if let Some(agreed) = agreement.ending() {
        let name = agreed.name();
        return Some(format!(
            "both bots agree after ply {before} ({name}), and the game goes on"
        ));
    }
    let most = plan.max_plies;
    (number > most).then(|| format!("the game has more than the {most} plies that the plan allows"))
}

/// Reports a preparation that took longer than its limit, although the host was not late by that.
fn late_ready(plan: &Plan, record: &GameRecord) -> Option<String> {
    let most = plan.conditions.new_game + micros(record.lateness_us.unwrap_or(0));
    Side::BOTH.into_iter().find_map(|side| {
        let time = micros(record.ready_us[side.index()]?);
        (time > most).then(|| {
            let (time, most) = (ms(time), ms(most));
            format!("{side} was ready after {time}, and at most {most} could be accepted")
        })
    })
}

fn micros(time_us: u64) -> Duration {
    Duration::from_micros(time_us)
}

fn score([south, north]: [u8; 2]) -> String {
    format!("{south}–{north}")
}

fn ms(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

fn overstepped(
    number: u32,
    limit: &Limit,
    judged: Judged,
    wall: Duration,
    cpu: Option<Duration>,
) -> String {
    let (used, most) = match judged {
        Judged::Late(Measure::Cpu) => (cpu.unwrap_or(wall), limit.deadline),
        Judged::Late(Measure::Wall) => (wall, limit.wall_stop()),
        Judged::InTime(_) | Judged::Unknown => {
            return format!(
                "ply {number} has no CPU time, which the clock measures: the game could not go on"
            );
        }
    };
    format!(
        "ply {number} took {}, and at most {} could be accepted there",
        ms(used),
        ms(most)
    )
}

/// The seeds on the board of a game that the plan's database ends here.
fn solved_seeds(plan: &Plan, game: &Game) -> Option<u8> {
    let most = plan.endgame.as_ref()?.seeds;
    is_solved(game, most).then(|| game.position().seeds_on_board())
}

/// Reports a game that a database has ended which does not know its end. An earlier position can
/// only come back where the game should have been ended before, and that is reported there.
fn wrong_endgame(plan: &Plan, game: &Game) -> Option<String> {
    let Some(terms) = &plan.endgame else {
        return Some("it ended by endgame, and the plan plays all games to their end".to_owned());
    };
    let (seeds, most) = (game.position().seeds_on_board(), terms.seeds);
    (seeds > most).then(|| {
        format!(
            "it ended by endgame with {seeds} seeds on the board, and the plan says at most {most}"
        )
    })
}

/// Reports a wrong ending, after moves that are all legal.
fn wrong_ending(
    plan: &Plan,
    record: &GameRecord,
    game: &Game,
    agreement: &Agreement,
) -> Option<String> {
    let (played, most) = (record.plies.len(), plan.max_plies as usize);
    let over = game.ending().map(|ending| ending.reason);
    let name = record.ending.name();
    if let GameEnding::Rules(reason) = record.ending {
        return match over {
            Some(rules) if rules == reason => None,
            Some(rules) => Some(format!("it ended by {reason}, and the rules say {rules}")),
            None => Some(format!(
                "it ended by {reason}, and the rules say that it goes on: {} may play {}",
                game.position().to_move(),
                game.legal_moves()
            )),
        };
    }
    if let Some(rules) = over
        && !is_found_after_the_last_turn(&record.ending)
    {
        return Some(format!(
            "it ended by {name}, and by the rules it was over before ({rules})"
        ));
    }
    if record.ending == GameEnding::Endgame {
        return wrong_endgame(plan, game);
    }
    if let Some(seeds) = solved_seeds(plan, game)
        && !is_found_after_the_last_turn(&record.ending)
        && !(played == 0 && is_found_before_the_first_turn(&record.ending))
    {
        return Some(format!(
            "it ended by {name}, and before, with {seeds} seeds on the board, perfect play was \
             known"
        ));
    }
    let agreed = agreement.ending();
    if let GameEnding::AgreedWin(_) | GameEnding::AgreedDraw = record.ending {
        return (agreed.as_ref() != Some(&record.ending)).then(|| {
            format!(
                "it ended by {name} after {played} plies, and the scores of the bots do not say so"
            )
        });
    }
    if let Some(agreed) = agreed
        && !is_found_after_the_last_turn(&record.ending)
    {
        let agreed = agreed.name();
        return Some(format!(
            "it ended by {name}, and before, both bots had agreed ({agreed})"
        ));
    }
    match (&record.ending, played >= most) {
        (GameEnding::Adjudicated, false) => Some(format!(
            "it was adjudicated after {played} plies, and the plan says after {most}"
        )),
        (GameEnding::Adjudicated, true) => None,
        (ending, true) if !is_found_after_the_last_turn(ending) => Some(format!(
            "it ended by {name} after {played} plies, at which the plan has it adjudicated"
        )),
        (ending, _) => wrong_side(ending, played, game.position().to_move()),
    }
}

/// A fault in the opponent's turn is noticed when that turn is over, and the game may be over with
/// it.
const fn is_found_after_the_last_turn(ending: &GameEnding) -> bool {
    matches!(ending, GameEnding::Fault(_, fault) if matches!(fault.kind, FaultKind::BusyOffTurn))
}

/// What can end a game before the referee looks at its position.
const fn is_found_before_the_first_turn(ending: &GameEnding) -> bool {
    matches!(ending, GameEnding::Fault(..) | GameEnding::Void(_))
}

/// Reports a side that could not have resigned or been at fault at this point.
fn wrong_side(ending: &GameEnding, played: usize, to_move: Side) -> Option<String> {
    let (side, what, preparing) = match ending {
        GameEnding::Resignation(side) => (*side, "resigned", false),
        GameEnding::Fault(side, fault) => match fault.kind {
            FaultKind::IllegalMove => (*side, "played an illegal move", false),
            // Before the first ply, a bot that does not get ready is also too late.
            FaultKind::Timeout => (*side, "was too late", played == 0),
            FaultKind::StartFailure if played > 0 => {
                return Some(format!("a bot failed to start after {played} plies"));
            }
            FaultKind::BlocksStarts if played > 0 => {
                return Some(format!(
                    "it was lost before the first ply, after {played} plies"
                ));
            }
            _ => return None,
        },
        GameEnding::Void(_)
        | GameEnding::Rules(_)
        | GameEnding::Adjudicated
        | GameEnding::Endgame
        | GameEnding::AgreedWin(_)
        | GameEnding::AgreedDraw => return None,
    };
    (side != to_move && !preparing)
        .then(|| format!("{side} {what}, and {to_move} was to move after {played} plies"))
}

/// What no play from the last position can lead to, where nobody knows perfect play.
fn impossible_stores(record: &GameRecord, position: Position) -> Option<String> {
    let before = position.stores();
    let all = before[0] + before[1] + position.seeds_on_board();
    let keeps = Side::BOTH.map(|side| record.stores[side.index()] >= before[side.index()]);
    let sum = u16::from(record.stores[0]) + u16::from(record.stores[1]);
    let is_possible = keeps == [true; 2] && sum <= u16::from(all);
    (record.ending == GameEnding::Endgame && !is_possible).then(|| {
        let (recorded, before) = (score(record.stores), score(before));
        format!("the final stores are {recorded}, and the last position has {before} and {all} seeds in all")
    })
}

/// The final stores that the ending requires; `None` where only a judge could tell them.
fn final_stores(
    record: &GameRecord,
    game: &Game,
    endgame: Option<&dyn EndgameJudge>,
) -> Option<[u8; 2]> {
    let position = game.position();
    Some(match &record.ending {
        GameEnding::Endgame => return endgame?.final_stores(game),
        GameEnding::Rules(reason) => game.rules().settle(position, *reason),
        GameEnding::Adjudicated => position.stores_with_own_rows(),
        GameEnding::AgreedWin(winner) => position.stores_after_forfeit(winner.opponent()),
        GameEnding::AgreedDraw => position.stores_as_even_as_possible(),
        GameEnding::Resignation(loser) | GameEnding::Fault(loser, _) => {
            position.stores_after_forfeit(*loser)
        }
        GameEnding::Void(_) => position.stores(),
    })
}

/// Reports a wrong time of a fault: a time-out within the limit, or a late answer that was judged
/// by its content.
fn wrong_fault_time(
    plan: &Plan,
    record: &GameRecord,
    clock: &Clock,
    game: &Game,
) -> Option<String> {
    let GameEnding::Fault(_, fault) = &record.ending else {
        return None;
    };
    let time = micros(fault.time_us?);
    let limit = clock.limit(game.position().to_move());
    // The journal truncates times to whole µs, and a bank loses the rest of each ply.
    let slack = micros(1 + record.plies.len() as u64);
    match fault.kind {
        // Of a CPU clock the journal holds only the wall time, which proves nothing.
        FaultKind::Timeout if limit.measure == Measure::Wall => {
            let least = if record.plies.is_empty() {
                limit.deadline.min(plan.conditions.new_game)
            } else {
                limit.deadline
            };
            (time + slack <= least).then(|| {
                let (time, least) = (ms(time), ms(least));
                format!("a time-out after {time}, where {least} were allowed")
            })
        }
        FaultKind::IllegalMove => {
            let late = matches!(limit.judge(time, Some(Duration::ZERO)), Judged::Late(_));
            late.then(|| {
                let (time, most) = (ms(time), ms(limit.wall_stop()));
                format!("an illegal move after {time}: beyond {most} it is a time-out")
            })
        }
        _ => None,
    }
}
