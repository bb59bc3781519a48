//! What an author reads of a tournament: sections of blocks. `feedback.txt` and `feedback.html` show
//! the same ones. Of another entrant there is nothing in it but its row of the table.
//!
//! All texts are harmless: they have no character that controls a terminal or is invisible.

use super::games::{CostlyMove, ShownGame};
use super::habits::Habits;
use crate::course::grades::{Grades, GradesRow, points_text};
use crate::course::weeks::Week;
use crate::record::{FaultKind, Grading, RosterStatus, hint};
use crate::report::{BoardGame, FaultRow, Standings, StandingsRow, bound_sign, tenths};
use crate::text::{counted, printable, shell_word};
use serde::Serialize;

/// The most groups of faults that are explained.
const MOST_GROUPS: usize = 10;
/// The variable of the shell that the commands of the feedback use for its folder.
const FOLDER: &str = "\"$FEEDBACK\"";

/// Everything that the feedback of an entrant tells.
#[derive(Clone, Debug)]
pub struct Feedback<'a> {
    /// The name of the tournament.
    pub tournament: &'a str,
    /// The grades of the class.
    pub grades: &'a Grades,
    /// The grades at the end of an earlier week.
    pub earlier: Option<&'a Week>,
    /// Those of this entrant.
    pub row: &'a GradesRow,
    /// How the class is graded, and by which names others are shown.
    pub grading: &'a Grading,
    /// The standings of all entrants.
    pub standings: &'a Standings,
    /// Its faults, like ones as one group.
    pub faults: &'a [FaultGroup],
    /// Games to look at.
    pub games: &'a [ShownGame],
    /// How accurate its moves in endgames are, if that is known.
    pub accuracy: Option<String>,
    /// The moves that lost most seeds.
    pub costly: &'a [CostlyMove],
    /// How it plays.
    pub habits: &'a Habits,
    /// Whether all games of the run were played.
    pub complete: bool,
    /// How it is started.
    pub program: &'a ShownProgram,
}

/// The commands of an entrant as a shell reads them; empty if there is none.
#[derive(Clone, Debug, Default)]
pub struct ShownProgram {
    /// What starts it.
    pub command: String,
    /// What builds it.
    pub build: String,
    /// The flags that give `awale check` the clock and the rules of the run, each after a space.
    pub check_flags: String,
}

/// Faults of the same kind whose details are the same but for numbers.
#[derive(Clone, Debug)]
pub struct FaultGroup {
    /// The first of them. `folder` is relative to that of the feedback.
    pub first: FaultRow,
    /// The number of them.
    pub count: usize,
    /// Whether the evidence suffices to show it again.
    pub can_replay: bool,
    /// The last lines that the program, or its build, wrote.
    pub output: Option<String>,
    /// The game of the first one.
    pub game: Option<ShownGame>,
}

/// The feedback in the order in which it is read.
#[derive(Clone, Debug, Serialize)]
pub struct Content {
    pub title: String,
    pub sections: Vec<Section>,
}

/// A part of the feedback. The first one has no heading.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    pub heading: &'static str,
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Block {
    /// The beginning of an item, such as a fault. The blocks that follow are about it.
    Item { text: String },
    /// A sentence.
    Sentence { text: String },
    /// What an item of the points earned, from 0 to 1 of its points, and what would earn the rest.
    Points {
        text: String,
        share: f64,
        missing: Option<String>,
    },
    /// A table.
    Table(Table),
    /// Lines that the author's program wrote.
    Output { about: &'static str, text: String },
    /// A command, and what it is for.
    Command {
        about: &'static str,
        command: String,
    },
    /// A game that can be played on a board. The plain text has its command instead.
    Board(ShownBoard),
}

/// A table whose first column has names.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
    /// The row of the author's own program.
    pub own: Option<usize>,
}

/// A game as a board shows it.
#[derive(Clone, Debug, Serialize)]
pub struct ShownBoard {
    /// The names of South and North.
    pub names: [String; 2],
    /// The author's side: 0 South, 1 North.
    pub side: usize,
    /// The ply that is shown first.
    pub ply: usize,
    #[serde(flatten)]
    pub game: BoardGame,
}

impl Content {
    /// The feedback of an entrant.
    pub fn of(feedback: &Feedback<'_>) -> Self {
        let sections = [
            ("", verdict(feedback)),
            ("Result", result(feedback)),
            ("Points", points(feedback.row)),
            ("Against the yardsticks", against_yardsticks(feedback)),
            ("How it plays", habits(feedback.habits)),
            ("Commands", commands(feedback)),
            ("Faults", faults(feedback)),
            ("The most expensive moves", costly(feedback)),
            (
                "Games to look at",
                feedback.games.iter().flat_map(game).collect(),
            ),
            ("The table", table(feedback)),
        ];
        Self::new(feedback.row.entrant(), feedback.tournament, sections)
    }

    /// The feedback of an entrant with these sections, but for empty ones.
    pub fn new(
        entrant: &str,
        tournament: &str,
        sections: impl IntoIterator<Item = (&'static str, Vec<Block>)>,
    ) -> Self {
        let sections = sections.into_iter();
        let sections = sections.filter(|(_, blocks)| !blocks.is_empty());
        Self {
            title: format!("{} in {}", printable(entrant), printable(tournament)),
            sections: sections
                .map(|(heading, blocks)| Section { heading, blocks })
                .collect(),
        }
    }
}

pub(super) fn sentence(text: impl Into<String>) -> Block {
    Block::Sentence { text: text.into() }
}

pub(super) fn item(text: impl Into<String>) -> Block {
    Block::Item { text: text.into() }
}

/// The end of what the program wrote.
pub(super) fn output(text: String) -> Block {
    Block::Output {
        about: "the last lines that it wrote to standard error",
        text,
    }
}

/// Whether it was admitted, and what came of it in one sentence.
fn verdict(feedback: &Feedback<'_>) -> Vec<Block> {
    let row = feedback.row;
    let mut blocks = Vec::new();
    if let Some(older) = &row.older {
        let text = older.text();
        blocks.push(sentence(format!(
            "This is about an earlier program: {text}."
        )));
        if older.refusal.is_some() {
            blocks.push(sentence(
                "What is wrong with your last program stands first under Faults.",
            ));
            blocks.extend(advice(feedback.program));
        }
    }
    match row.standing.status.name() {
        "" if row.is_admitted().is_none() => {
            let text = "Not examined yet, or its first game is not played yet.";
            blocks.push(sentence(text));
        }
        "" => blocks.push(sentence("Admitted.")),
        "withdrawn" => {
            let reason = printable(&row.standing.reason);
            blocks.push(sentence(format!("Admitted, and withdrawn later: {reason}")));
        }
        _ => {
            let text = "Not admitted: it played no game. The reason is below.";
            blocks.push(sentence(text));
            blocks.extend(advice(feedback.program));
        }
    }
    blocks.extend(in_short(row).map(sentence));
    blocks
}

/// `It has 70 of 100 points, and is between minimax-1 and minimax-2.`
fn in_short(row: &GradesRow) -> Option<String> {
    let points = row.points();
    let points = points.map(|it| <[f64; 2]>::from(it).map(points_text));
    let points = points.map(|[points, most]| format!("has {points} of {most} points"));
    let placement = (!row.placement.is_empty()).then(|| format!("is {}", row.placement));
    let all: Vec<String> = points.into_iter().chain(placement).collect();
    (!all.is_empty()).then(|| format!("Your program {}.", all.join(", and ")))
}

/// How an author tries a program before it is handed in again.
pub(super) fn advice(program: &ShownProgram) -> Vec<Block> {
    if program.command.is_empty() {
        return vec![sentence("Give it the files that the reason names.")];
    }
    let build = (!program.build.is_empty()).then(|| Block::Command {
        about: "When it is repaired, build it in its own folder",
        command: program.build.clone(),
    });
    let about = match build {
        Some(_) => "and try it there",
        None => "When it is repaired, try it in its own folder",
    };
    let flags = &program.check_flags;
    let command = format!("awale check {}{flags}", shell_word(&program.command));
    build
        .into_iter()
        .chain([Block::Command { about, command }])
        .collect()
}

fn result(feedback: &Feedback<'_>) -> Vec<Block> {
    let standing = &feedback.row.standing;
    let results = &standing.results;
    let mut blocks = Vec::new();
    if results.games() > 0 {
        if let Some(rank) = standing.rank {
            let ranks = standing.ranks;
            let ranks = ranks.map(|it| format!(" (95 %: {} to {})", it.low, it.high));
            let ranks = ranks.unwrap_or_default();
            blocks.push(sentence(format!(
                "rank {rank}{ranks}, Elo {}",
                elo(standing)
            )));
        }
        blocks.push(sentence(format!(
            "{}: {} won, {} drawn, {} lost",
            counted(to_usize(results.games()), "game", "games"),
            results.wins,
            results.draws,
            results.losses
        )));
        if !feedback.complete {
            let text = "The tournament is not finished: more games follow.";
            blocks.push(sentence(text));
        }
    }
    blocks.extend(progress(feedback).map(sentence));
    blocks
}

/// What has changed since the earlier week: `since week-1: rank 17 → 9, 40 → 70 points`.
fn progress(feedback: &Feedback<'_>) -> Option<String> {
    let week = feedback.earlier?;
    let before = week.grades.get(feedback.row.entrant())?;
    let mut changes = Vec::new();
    let ranks = before.rank.zip(feedback.row.standing.rank);
    if let Some((before, now)) = ranks.filter(|(before, now)| before != now) {
        changes.push(format!("rank {before} → {now}"));
    }
    let points = before.points.zip(feedback.row.points());
    let points = points.map(|(before, (now, _))| [before, now].map(points_text));
    if let Some([before, now]) = points.filter(|[before, now]| before != now) {
        changes.push(format!("{before} → {now} points"));
    }
    let changes = match changes.as_slice() {
        [] => "nothing has changed".to_owned(),
        changes => changes.join(", "),
    };
    Some(format!("since {}: {changes}", week.label))
}

/// `+120.5 ± 35.2`, or a bound.
fn elo(standing: &StandingsRow) -> String {
    let Some(elo) = standing.elo else {
        return String::new();
    };
    let error = standing
        .error95
        .map(|error| format!(" ± {}", tenths(error)));
    let sign = if elo >= 0.05 { "+" } else { "" };
    let bound = bound_sign(standing.bound);
    format!("{bound}{sign}{}{}", tenths(elo), error.unwrap_or_default())
}

fn points(row: &GradesRow) -> Vec<Block> {
    let Some((points, most)) = row.points() else {
        return Vec::new();
    };
    let mut blocks = Vec::new();
    for earned in &row.earned {
        blocks.push(Block::Points {
            text: earned.text(),
            share: earned.share(),
            missing: earned.missing(),
        });
        if earned.is_undecided {
            blocks.push(sentence(
                "Luck has decided this: with other openings the score could be on the other side.",
            ));
        }
    }
    let [points, most] = [points, most].map(points_text);
    blocks.push(item(format!("together: {points} of {most}")));
    blocks
}

fn against_yardsticks(feedback: &Feedback<'_>) -> Vec<Block> {
    let names = feedback.grades.yardsticks.iter();
    let played = names
        .zip(&feedback.row.against_yardsticks)
        .filter_map(|(name, measured)| Some((name, measured.as_ref()?)));
    let rows: Vec<Vec<String>> = played
        .map(|(name, measured)| {
            let results = &measured.results;
            let score = results.points() / results.games() as f64;
            let interval = measured.interval;
            let interval = interval.map(|(low, high)| format!("{low:.3} to {high:.3}"));
            vec![
                printable(name),
                results.wins.to_string(),
                results.draws.to_string(),
                results.losses.to_string(),
                format!("{score:.3}"),
                interval.unwrap_or_default(),
            ]
        })
        .collect();
    if rows.is_empty() {
        return Vec::new();
    }
    vec![Block::Table(Table {
        columns: vec!["yardstick", "won", "drawn", "lost", "score", "95 %"],
        rows,
        own: None,
    })]
}

fn habits(habits: &Habits) -> Vec<Block> {
    habits.sentences().into_iter().map(sentence).collect()
}

/// Where the commands below run.
fn commands(feedback: &Feedback<'_>) -> Vec<Block> {
    let has_command = !feedback.games.is_empty()
        || !feedback.costly.is_empty()
        || feedback.faults.iter().any(|it| it.can_replay);
    if !has_command {
        return Vec::new();
    }
    vec![
        sentence("The commands below run in the folder of your program."),
        Block::Command {
            about: "Tell them first where this file is",
            command: "FEEDBACK=/path/of/this/folder".to_owned(),
        },
    ]
}

fn faults(feedback: &Feedback<'_>) -> Vec<Block> {
    let groups = feedback.faults.iter().take(MOST_GROUPS);
    let mut blocks: Vec<Block> = groups
        .flat_map(|group| fault_group(group, feedback.program))
        .collect();
    if blocks.is_empty() {
        blocks.push(sentence("none"));
    }
    let more = feedback.faults.len().saturating_sub(MOST_GROUPS);
    if more > 0 {
        let more = counted(more, "other kind of fault is", "other kinds of faults are");
        blocks.push(item(format!("{more} in faults.csv.")));
    }
    blocks
}

fn fault_group(group: &FaultGroup, program: &ShownProgram) -> Vec<Block> {
    let first = &group.first;
    let kind = FaultKind::from_name(first.fault);
    let detail = printable(&first.detail);
    let mut blocks = vec![match kind {
        Some(kind) => item(format!("{kind}: {detail}")),
        None => item(detail),
    }];
    if let Some(game) = &first.game {
        blocks.push(sentence(format!(
            "{}, first in {} ({}), at ply {}",
            counted(group.count, "game lost", "games lost"),
            game.id,
            game.side,
            game.plies
        )));
    }
    blocks.extend(group.output.clone().map(output));
    if let Some(hint) = kind.and_then(|kind| hint(kind, &first.detail)) {
        blocks.push(sentence(format!("hint: {hint}")));
    }
    if let Some(folder) = &first.folder {
        blocks.push(sentence(format!("evidence: {folder}")));
        if group.can_replay {
            blocks.push(Block::Command {
                about: "to see it again",
                command: replay_command(folder, program),
            });
        }
    }
    blocks.extend(group.game.iter().map(|it| Block::Board(it.board.clone())));
    blocks
}

fn replay_command(folder: &str, program: &ShownProgram) -> String {
    let built = match program.build.as_str() {
        "" => String::new(),
        build => format!("{build} && "),
    };
    let command = match program.command.as_str() {
        "" => "COMMAND",
        command => command,
    };
    format!("{built}awale replay-to-bot {FOLDER}/{folder} -- {command}")
}

/// The moves that lost most seeds where perfect play is known.
fn costly(feedback: &Feedback<'_>) -> Vec<Block> {
    let accuracy = feedback.accuracy.clone().map(sentence);
    let moves = feedback.costly.iter().flat_map(costly_move);
    accuracy.into_iter().chain(moves).collect()
}

fn costly_move(CostlyMove { ply, game }: &CostlyMove) -> Vec<Block> {
    let better = ply.better.map(|pit| format!("; {pit} was better"));
    let before = ply.before;
    let arguments = format!("{} --ply {}", shell_word(&game.id), before.ply);
    vec![
        item(format!(
            "{} lost {}{}",
            ply.pit,
            counted(ply.lost().into(), "seed", "seeds"),
            better.unwrap_or_default()
        )),
        sentence(format!(
            "at ply {} of {} ({}), in the position {}",
            before.ply, game.id, game.side, before.position
        )),
        Block::Command {
            about: "on a board",
            command: format!("awale replay {FOLDER} {arguments}"),
        },
        Block::Board(game.board.clone()),
    ]
}

fn game(game: &ShownGame) -> Vec<Block> {
    let [own, others] = game.stores;
    let mut blocks = vec![
        item(printable(&game.reason)),
        sentence(format!(
            "{} ({}): {own} to {others} seeds, {} after {}",
            game.id,
            game.side,
            game.ending,
            counted(game.plies, "ply", "plies")
        )),
    ];
    if let Some(point) = &game.turning_point {
        blocks.push(sentence(format!(
            "the opponent's best move: {} at ply {} captured {}, in the position {}",
            point.pit,
            point.ply,
            counted(usize::from(point.captured), "seed", "seeds"),
            point.position
        )));
    }
    blocks.push(Block::Command {
        about: "on a board",
        command: format!("awale replay {FOLDER} {}", shell_word(&game.id)),
    });
    blocks.push(Block::Board(game.board.clone()));
    blocks
}

fn table(feedback: &Feedback<'_>) -> Vec<Block> {
    if feedback.grading.hides_names() {
        return Vec::new();
    }
    let own = &feedback.row.standing.entrant;
    let has_left = |row: &&StandingsRow| {
        let person = feedback.grading.people.get(&row.entrant);
        person.is_some_and(|it| it.status == RosterStatus::Withdrawn) && row.entrant != *own
    };
    let shown = feedback.standings.rows().iter();
    let shown: Vec<&StandingsRow> = shown.filter(|row| !has_left(row)).collect();
    let rows = shown.iter().map(|row| {
        vec![
            printable(&row.entrant),
            row.rank.map_or("-".to_owned(), |rank| rank.to_string()),
            elo(row),
            row.results.games().to_string(),
            row.status.name().to_owned(),
        ]
    });
    vec![Block::Table(Table {
        columns: vec!["entrant", "rank", "Elo", "games", ""],
        rows: rows.collect(),
        own: shown.iter().position(|row| row.entrant == *own),
    })]
}

fn to_usize(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
