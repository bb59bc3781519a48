//! Compares the games with the schedule: sides, attempts, missing games, and openings.

use crate::record::{Exclusions, GameId, GameNumber, GameSummary};
use crate::rules::moves_text;
use crate::run_folder::JOURNAL;
use crate::tournament::{OpeningSource, Openings, Pair, Plan, Progress, Schedule, round_after};
use crate::verification::findings::{Check, FindingPlace, Findings};

/// The number of missing games that are named.
const NAMED: usize = 5;

/// The last attempt at a game.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    /// Its line in the journal; 0 if there was no attempt.
    line: u32,
    attempt: u32,
    has_result: bool,
}

/// The attempts at every game of a schedule: 12 bytes each.
#[derive(Clone, Debug)]
pub struct SeenGames {
    last: Vec<Last>,
    results: usize,
    /// Whether there are records that no table can be made of.
    pub cannot_tabulate: bool,
}

impl SeenGames {
    pub fn new(schedule: &Schedule) -> Self {
        Self {
            last: vec![Last::default(); schedule.game_count()],
            results: 0,
            cannot_tabulate: false,
        }
    }

    /// The number of games that have a result.
    pub const fn results(&self) -> usize {
        self.results
    }

    /// Notes a game and returns the problems. `is_torn` says that earlier lines are damaged, so
    /// that attempts may be missing.
    pub fn note(&mut self, game: &GameSummary, line: usize, is_torn: bool) -> Vec<String> {
        let mut wrong = Vec::new();
        let Some(last) = place(&game.id).and_then(|it| self.last.get_mut(it)) else {
            return wrong;
        };
        let Last {
            line: before,
            attempt: earlier,
            has_result,
        } = *last;
        let attempt = game.attempt;
        if has_result && !game.is_void() {
            self.cannot_tabulate = true;
            wrong.push(format!("a second result; the first is in line {before}"));
        } else if has_result {
            wrong.push(format!("a void attempt after the result in line {before}"));
        } else if attempt <= earlier && before > 0 {
            wrong.push(format!(
                "attempt {attempt} comes after attempt {earlier}, which is in line {before}"
            ));
        } else if attempt > earlier + 1 && !is_torn {
            let missing = earlier + 1;
            wrong.push(format!(
                "this is attempt {attempt}, and attempt {missing} has no record"
            ));
        }
        if attempt == 0 {
            wrong.push("attempt 0: they are counted from 1".to_owned());
        }
        if !has_result {
            self.results += usize::from(!game.is_void());
            *last = Last {
                line: u32::try_from(line).unwrap_or(u32::MAX),
                attempt,
                has_result: !game.is_void(),
            };
        }
        wrong
    }

    /// Whether a game has a result.
    fn has_result(&self, game: &GameId) -> bool {
        let last = place(game).and_then(|it| self.last.get(it));
        last.is_some_and(|it| it.has_result)
    }

    /// The first games that must still be played, in the order of the schedule.
    pub fn open_games(
        &self,
        plan: &Plan,
        schedule: &Schedule,
        exclusions: &Exclusions,
    ) -> Vec<GameId> {
        let games = schedule.pairs.iter().flat_map(|pair| {
            let games = pair.game_ids().into_iter();
            games.map(|game| (pair.sides(game.number), game))
        });
        let open = games.filter(|(sides, game)| {
            let names = sides.map(|side| plan.entrants[side.index()].name.clone());
            !self.has_result(game) && exclusions.allow_game(game, &names)
        });
        open.map(|(_, game)| game).take(NAMED).collect()
    }

    /// The last line with a game of a pair up to this one.
    pub fn last_line_up_to(&self, game: &GameId) -> usize {
        let pairs = game.pair.index().map_or(0, |index| index + 1);
        let up_to = pairs.saturating_mul(2).min(self.last.len());
        let lines = self.last[..up_to].iter().map(|it| it.line as usize);
        lines.max().unwrap_or(0)
    }

    /// Reports games that are missing: the first game of a pair is played before the second.
    pub fn conclude(&self, schedule: &Schedule, findings: &mut Findings) {
        for (pair, [first, second]) in schedule.pairs.iter().zip(self.last.as_chunks::<2>().0) {
            if first.line == 0 && second.line > 0 {
                let [missing, there] = pair.game_ids();
                let message = format!(
                    "it has no record, and {there}, which is played after it, has one in line {}",
                    second.line
                );
                let place = FindingPlace::file(JOURNAL).of(&missing);
                findings.problem(Check::Schedule, place, &message);
            }
        }
    }
}

fn place(game: &GameId) -> Option<usize> {
    let pair = game.pair.index()?;
    Some(2 * pair + game.number.number() as usize - 1)
}

/// Compares each dealt round with the one that the results before it decide. Rounds of earlier plans
/// rest on games that count no more.
pub fn compare_rounds(plan: &Plan, progress: &Progress, earlier: usize, findings: &mut Findings) {
    for (place, round) in plan.rounds.iter().enumerate().skip(earlier) {
        let before = Plan {
            rounds: plan.rounds[..place].to_vec(),
            ..plan.clone()
        };
        if round_after(&before, progress).as_ref() == Some(round) {
            continue;
        }
        let message = format!(
            "round {} ({:?}) is not the one that the results of the rounds before it decide",
            round.number, round.name
        );
        findings.problem(Check::Schedule, FindingPlace::file(JOURNAL), &message);
    }
}

/// Reports wrong sides.
pub fn wrong_sides(
    plan: &Plan,
    pair: &Pair,
    number: GameNumber,
    [south, north]: &[String; 2],
) -> Option<String> {
    let sides = pair.sides(number);
    let names = sides.map(|entrant| &plan.entrants[entrant.index()].name);
    (names != [south, north]).then(|| {
        let [planned_south, planned_north] = names;
        format!(
            "{south:?} is South and {north:?} North, and the schedule has {planned_south:?} and \
             {planned_north:?}"
        )
    })
}

/// Whether no table can be made with this game: it is a game of an entrant against itself, or of
/// an entrant that the plan does not know.
pub fn cannot_tabulate(plan: &Plan, game: &GameSummary) -> bool {
    let [south, north] = &*game.entrants;
    let knows = |name: &String| plan.entrants.iter().any(|it| it.name == *name);
    south == north || !knows(south) || !knows(north)
}

/// Checks that the number, the moves and the position of a game's opening are those of its pair.
pub fn compare_openings(
    openings: &Openings,
    pair: &Pair,
    game: &GameSummary,
) -> Result<(), String> {
    let (number, opening) = openings.of_pair(pair);
    if game.opening != number {
        let there = game.opening;
        return Err(format!(
            "it has opening {there}, and the schedule gives it {number}"
        ));
    }
    if *game.opening_moves != *opening.moves {
        return Err(format!(
            "the moves of opening {number} are {}, and those of the plan {}",
            named(&moves_text(&game.opening_moves)),
            named(&moves_text(&opening.moves))
        ));
    }
    if game.start != opening.position {
        return Err(format!(
            "it starts from {}, and opening {number} leads to {}",
            game.start, opening.position
        ));
    }
    Ok(())
}

fn named(moves: &str) -> &str {
    if moves.is_empty() { "none" } else { moves }
}

/// The message about a list of openings that differs from the one that was played.
pub const fn changed(here: &OpeningSource) -> &'static str {
    match here {
        OpeningSource::Listed(list) if !list.is_empty() => {
            "the file of openings has other openings now than the ones that were played: run \
             again, this would be another tournament"
        }
        _ => "the file of openings is not on this machine, or is none any more",
    }
}
