//! `feedback.txt` of an entrant of a class: what its author needs to know of the tournament, in
//! plain text. Nothing of another entrant is in it but its row of the table.

use crate::course::grades::{Grades, GradesRow, points_text};
use crate::course::weeks::Week;
use crate::record::{FaultKind, Grading, RosterStatus, hint};
use crate::report::{FaultRow, Standings, StandingsRow, bound_sign, shortened, tenths};
use crate::rules::{Pit, Position, Side};
use crate::text::{counted, printable, shell_word};
use std::fmt::Write as _;

/// The width of names in tables, in columns.
const NAME_COLUMNS: usize = 24;
/// The most groups of faults that are explained.
const MOST_GROUPS: usize = 10;

/// Everything that the text tells.
#[derive(Clone, Copy, Debug)]
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
    /// Its faults, the same ones as one group.
    pub faults: &'a [FaultGroup],
    /// Games to look at.
    pub games: &'a [NotableGame],
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

/// Faults of the same kind with the same detail.
#[derive(Clone, Debug)]
pub struct FaultGroup {
    /// The first of them. `folder` is relative to that of the text.
    pub first: FaultRow,
    /// The number of them.
    pub count: usize,
    /// Whether the evidence suffices to show it again.
    pub can_replay: bool,
}

/// A game that its author should look at.
#[derive(Clone, Debug)]
pub struct NotableGame {
    /// The game's id.
    pub id: String,
    /// Why it is here: `the heaviest loss to greedy`.
    pub reason: String,
    /// The entrant's side.
    pub side: Side,
    /// Its store at the end, and the opponent's.
    pub stores: [u8; 2],
    /// The ending's name.
    pub ending: &'static str,
    /// The number of plies.
    pub plies: usize,
    /// The line of the game in the file of moves, from 1.
    pub line: usize,
    /// The opponent's largest capture.
    pub turning_point: Option<TurningPoint>,
}

/// A move that captured.
#[derive(Clone, Copy, Debug)]
pub struct TurningPoint {
    /// The ply, from 0.
    pub ply: usize,
    /// The position before it.
    pub position: Position,
    /// The move.
    pub pit: Pit,
    /// The seeds that it captured.
    pub captured: u8,
}

/// The file of moves that [`NotableGame::line`] counts in.
pub const GAME_LINES: &str = "games.jsonl";

/// The text. Every line is safe for a terminal. Of the others it has their rows in the table of
/// ranks, where names are shown, and nothing else.
pub fn feedback_text(feedback: &Feedback<'_>) -> String {
    let standing = &feedback.row.standing;
    let title = format!(
        "{} in {}",
        printable(&standing.entrant),
        printable(feedback.tournament)
    );
    let mut text = format!("{title}\n{}\n", "=".repeat(title.chars().count()));
    admission(&mut text, feedback);
    result(&mut text, standing, feedback.complete);
    progress(&mut text, feedback);
    against_yardsticks(&mut text, feedback);
    points(&mut text, feedback.row);
    if feedback.faults.iter().any(|it| it.can_replay) || !feedback.games.is_empty() {
        let _ = writeln!(
            text,
            "\nThe commands below run in the folder of your program. Tell them where this file is \
             first:\nFEEDBACK=/path/of/this/folder"
        );
    }
    faults(&mut text, feedback);
    games(&mut text, feedback.games);
    table(&mut text, feedback);
    text
}

fn heading(text: &mut String, words: &str) {
    let _ = writeln!(text, "\n{words}\n{}", "-".repeat(words.chars().count()));
}

fn admission(text: &mut String, feedback: &Feedback<'_>) {
    let row = feedback.row;
    if let Some(older) = &row.older {
        let _ = writeln!(
            text,
            "\nThis is about an earlier program: {}.",
            older.text()
        );
        if older.refusal.is_some() {
            let _ = writeln!(
                text,
                "What is wrong with your last program stands first under Faults. {}",
                advice(feedback.program)
            );
        }
    }
    let _ = match row.standing.status.name() {
        "" if row.is_admitted().is_none() => {
            writeln!(
                text,
                "\nNot examined yet, or its first game is not played yet."
            )
        }
        "" => writeln!(text, "\nAdmitted."),
        "withdrawn" => writeln!(
            text,
            "\nAdmitted, and withdrawn later: {}",
            row.standing.reason
        ),
        _ => writeln!(
            text,
            "\nNot admitted: it played no game. The reason is below.\n{}",
            advice(feedback.program)
        ),
    };
}

/// How an author tries a program before it is handed in again.
fn advice(program: &ShownProgram) -> String {
    let built = match program.build.as_str() {
        "" => String::new(),
        build => format!("build it with {build}\nand then "),
    };
    match program.command.as_str() {
        "" => "Give it the files that the reason names.".to_owned(),
        command => format!(
            "When it is repaired, {built}try it in its own folder: awale check {}{}",
            shell_word(command),
            program.check_flags
        ),
    }
}

fn result(text: &mut String, standing: &StandingsRow, complete: bool) {
    let results = &standing.results;
    if results.games() == 0 {
        return;
    }
    heading(text, "Result");
    if let Some(rank) = standing.rank {
        let _ = write!(text, "rank {rank}");
        if let Some(ranks) = standing.ranks {
            let _ = write!(text, " (95 %: {} to {})", ranks.low, ranks.high);
        }
        let _ = writeln!(text, ", Elo {}", elo(standing));
    }
    let _ = writeln!(
        text,
        "{}: {} won, {} drawn, {} lost",
        counted(to_usize(results.games()), "game", "games"),
        results.wins,
        results.draws,
        results.losses
    );
    if !complete {
        let _ = writeln!(text, "The tournament is not finished: more games follow.");
    }
}

/// What has changed since the earlier week: `rank 17 → 9, 40 → 70 points`.
fn progress(text: &mut String, feedback: &Feedback<'_>) {
    let Some(week) = feedback.earlier else {
        return;
    };
    let Some(before) = week.grades.get(feedback.row.entrant()) else {
        return;
    };
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
    let _ = writeln!(text, "since {}: {changes}", week.label);
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

fn against_yardsticks(text: &mut String, feedback: &Feedback<'_>) {
    let names = feedback.grades.yardsticks.iter();
    let played: Vec<_> = names
        .zip(&feedback.row.against_yardsticks)
        .filter_map(|(name, measured)| Some((name, measured.as_ref()?)))
        .collect();
    if played.is_empty() {
        return;
    }
    heading(text, "Against the yardsticks");
    if !feedback.row.placement.is_empty() {
        let _ = writeln!(text, "Your program is {}.", feedback.row.placement);
    }
    for (name, measured) in played {
        let results = &measured.results;
        let score = results.points() / results.games() as f64;
        let _ = writeln!(
            text,
            "{:<NAME_COLUMNS$} {:>4} won {:>4} drawn {:>4} lost   score {score:.3}{}",
            shortened(name, NAME_COLUMNS),
            results.wins,
            results.draws,
            results.losses,
            measured.interval.map_or(String::new(), |(low, high)| {
                format!(" (95 %: {low:.3} to {high:.3})")
            })
        );
    }
}

fn points(text: &mut String, row: &GradesRow) {
    let Some((points, most)) = row.points() else {
        return;
    };
    heading(text, "Points");
    for item in &row.earned {
        let _ = writeln!(text, "{}", item.text());
        if item.is_undecided {
            let _ = writeln!(
                text,
                "  Luck has decided this: with other openings the score could be on the other side."
            );
        }
    }
    let _ = writeln!(
        text,
        "together: {} of {}",
        points_text(points),
        points_text(most)
    );
}

fn faults(text: &mut String, feedback: &Feedback<'_>) {
    heading(text, "Faults");
    if feedback.faults.is_empty() {
        let _ = writeln!(text, "none");
    }
    for group in feedback.faults.iter().take(MOST_GROUPS) {
        fault_group(text, group, feedback.program);
    }
    let more = feedback.faults.len().saturating_sub(MOST_GROUPS);
    if more > 0 {
        let more = counted(more, "other kind of fault is", "other kinds of faults are");
        let _ = writeln!(text, "{more} in faults.csv.");
    }
}

fn fault_group(text: &mut String, group: &FaultGroup, program: &ShownProgram) {
    let first = &group.first;
    let kind = FaultKind::from_name(first.fault);
    let detail = printable(&first.detail);
    let _ = match kind {
        Some(kind) => writeln!(text, "{kind}: {detail}"),
        None => writeln!(text, "{detail}"),
    };
    if let Some(game) = &first.game {
        let _ = writeln!(
            text,
            "  {}, first in {} ({}), at ply {}",
            counted(group.count, "game lost", "games lost"),
            game.id,
            game.side,
            game.plies
        );
    }
    if let Some(hint) = kind.and_then(|kind| hint(kind, &first.detail)) {
        let _ = writeln!(text, "  hint: {hint}");
    }
    if let Some(folder) = &first.folder {
        let _ = writeln!(text, "  evidence: {folder}");
        if group.can_replay {
            let built = match program.build.as_str() {
                "" => String::new(),
                build => format!("{build} && "),
            };
            let command = match program.command.as_str() {
                "" => "COMMAND",
                command => command,
            };
            let _ = writeln!(
                text,
                "  to see it again: {built}awale replay-to-bot \"$FEEDBACK\"/{folder} -- {command}"
            );
        }
    }
}

fn games(text: &mut String, games: &[NotableGame]) {
    if games.is_empty() {
        return;
    }
    heading(text, "Games to look at");
    for game in games {
        let [own, others] = game.stores;
        let _ = writeln!(
            text,
            "{} ({}): {}, {own} to {others} seeds, {} after {}",
            game.id,
            game.side,
            printable(&game.reason),
            game.ending,
            counted(game.plies, "ply", "plies")
        );
        if let Some(point) = &game.turning_point {
            let _ = writeln!(
                text,
                "  the opponent's best move: {} at ply {} captured {}, in the position {}",
                point.pit,
                point.ply,
                counted(usize::from(point.captured), "seed", "seeds"),
                point.position
            );
        }
        let _ = writeln!(
            text,
            "  every position: sed -n {}p \"$FEEDBACK\"/{GAME_LINES} | awale trace",
            game.line
        );
    }
}

fn table(text: &mut String, feedback: &Feedback<'_>) {
    if feedback.grading.hides_names() {
        return;
    }
    heading(text, "The table");
    let own = &feedback.row.standing.entrant;
    let has_left = |row: &&StandingsRow| {
        let person = feedback.grading.people.get(&row.entrant);
        person.is_some_and(|it| it.status == RosterStatus::Withdrawn) && row.entrant != *own
    };
    for row in feedback
        .standings
        .rows()
        .iter()
        .filter(|row| !has_left(row))
    {
        let mark = if row.entrant == *own { '>' } else { ' ' };
        let rank = row.rank.map_or("-".to_owned(), |rank| rank.to_string());
        let status = row.status.name();
        let _ = writeln!(
            text,
            "{}",
            format!(
                "{mark}{rank:>4} {:<NAME_COLUMNS$} {:>18} {:>6} games {status}",
                shortened(&row.entrant, NAME_COLUMNS),
                elo(row),
                row.results.games()
            )
            .trim_end()
        );
    }
}

fn to_usize(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
