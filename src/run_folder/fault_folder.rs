//! Writes `faults/GAME-ID/` in a run's folder: the evidence of a game lost by a fault, from which
//! its author can reproduce it, and `faults/admission-ENTRANT/`, the same of an admission game. A
//! folder appears whole or not at all.

use super::evidence::admission_folder;
use super::folder_error::FolderError;
use super::whole_file::open_target;
use crate::bot::{BotSettings, Level};
use crate::files::Folder;
use crate::record::{
    Chunk, Evidence, Fault, GameEnding, GameId, GameRecord, ProcessEnd, Transcript, Usage, Writer,
};
use crate::rules::{Game, Pit, Side, moves_text};
use crate::run_folder::evidence::{
    ANSWERS, ChunkLine, FAULTS, FORMAT, MOST_MIB, OPPONENT_STDERR, OPPONENT_TRANSCRIPT, PAGE,
    PAGE_ALONE, PART, REQUESTS, STDERR, TRANSCRIPT,
};
use crate::text::{TomlWriter, printable, shell_word, time_text};
use crate::tournament::{PairNames, Plan, Progress};
use std::cell::Cell;
use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A folder that is still being written.
const UNFINISHED: &str = "faults/.new.part";

/// The size of the evidence in a run's folder.
#[derive(Debug, Default)]
pub struct Used {
    /// Bytes; counted at the first use.
    bytes: Cell<Option<u64>>,
}

impl Used {
    /// Whether new evidence may replace older evidence of the same game; both in bytes.
    fn has_room(&self, new: u64, replaced: u64, run: &Folder) -> bool {
        self.after(new, replaced, run) <= MOST_MIB << 20
    }

    /// Counts new evidence instead of older evidence of the same game; both in bytes.
    fn replace(&self, new: u64, replaced: u64, run: &Folder) {
        self.bytes.set(Some(self.after(new, replaced, run)));
    }

    fn after(&self, new: u64, replaced: u64, run: &Folder) -> u64 {
        let bytes = self.bytes.get().unwrap_or_else(|| finished_bytes(run));
        self.bytes.set(Some(bytes));
        bytes.saturating_sub(replaced).saturating_add(new)
    }
}

/// The bytes of all evidence except that of unfinished folders.
fn finished_bytes(run: &Folder) -> u64 {
    let names = run.names(FAULTS).unwrap_or_default();
    let finished = names.iter().filter(|name| !is_unfinished(name));
    finished
        .map(|name| folder_bytes(run, &format!("{FAULTS}/{name}")))
        .sum()
}

/// Whether a folder of this name is still being written, or was when its run was killed.
fn is_unfinished(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(PART)
}

/// The bytes of the files in a folder of evidence.
fn folder_bytes(run: &Folder, name: &str) -> u64 {
    let names = run.names(name).unwrap_or_default().into_iter();
    let files = names.filter_map(|file| run.file(format!("{name}/{file}")).ok());
    files
        .filter_map(|file| Some(file.metadata().ok()?.len()))
        .sum()
}

/// What the evidence of a fault tells about its run.
#[derive(Clone, Copy)]
pub struct RunFacts<'a> {
    /// What was played.
    pub plan: &'a Plan,
    /// The settings of an entrant's bot, by its index in the plan.
    pub bot: &'a dyn Fn(usize) -> &'a BotSettings,
    /// The level of isolation.
    pub level: Level,
    /// The run's folder.
    pub folder: &'a Path,
}

/// A game that ended by a fault, and its evidence.
pub struct FaultyGame<'a> {
    /// How it was played, and how it ended.
    pub record: &'a GameRecord,
    /// The standard error of South and North; `None` if it is not kept.
    pub logs: Option<&'a [Vec<u8>; 2]>,
    /// The transcripts of South and North, and how their processes ended.
    pub evidence: &'a [Evidence; 2],
    /// The entrant that was examined, if this is an admission game: all entrants have games of
    /// these ids.
    pub examined: Option<&'a str>,
}

/// Writes the evidence of a game into the run's folder and replaces older evidence of the game.
/// Only the page is written if the run has too much evidence already.
///
/// # Errors
/// The disk's.
pub fn write(game: &FaultyGame<'_>, facts: &RunFacts<'_>, used: &Used) -> Result<(), FolderError> {
    let name = match game.examined {
        Some(entrant) => admission_folder(entrant),
        None => format!("{FAULTS}/{}", game.record.id),
    };
    let run = open_target(facts.folder)?;
    write_folder(game, facts, used, &run, &name)
        .map_err(|error| FolderError::file("write", run.path(&name), error))
}

fn write_folder(
    game: &FaultyGame<'_>,
    facts: &RunFacts<'_>,
    used: &Used,
    run: &Folder,
    name: &str,
) -> io::Result<()> {
    let GameEnding::Fault(side, fault) = &game.record.ending else {
        return Ok(());
    };
    // One fault is written at a time.
    let begin = || {
        run.remove(UNFINISHED)?;
        run.make(UNFINISHED)
    };
    let part = begin()?;
    let (guilty, other) = (side.index(), side.opponent().index());
    let page = page(game, *side, fault, facts, &run.path(name));
    fill_file(&part, PAGE, &|out| out.write_all(page.as_bytes()))?;
    let told_id = facts.plan.told_id(&game.record.id);
    fill(
        game,
        &told_id,
        (guilty, other),
        &|name: &str, fill: Fill<'_>| fill_file(&part, name, fill),
    )?;
    let replaced = folder_bytes(run, name);
    if !used.has_room(folder_bytes(run, UNFINISHED), replaced, run) {
        let page =
            format!("{PAGE_ALONE}: the evidence of this run has taken {MOST_MIB} MiB.\n{page}");
        fill_file(&begin()?, PAGE, &|out| out.write_all(page.as_bytes()))?;
    }
    run.below(UNFINISHED)?.sync()?;
    used.replace(folder_bytes(run, UNFINISHED), replaced, run);
    run.remove(name)?;
    run.rename(UNFINISHED, name)?.sync()
}

type Fill<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Writes everything except the page.
fn fill(
    game: &FaultyGame<'_>,
    told_id: &str,
    (guilty, other): (usize, usize),
    file: &dyn Fn(&str, Fill<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let transcript = &game.evidence[guilty].transcript;
    file(TRANSCRIPT, &|out| write_lines(transcript.chunks(), out))?;
    file(REQUESTS, &|out| write_raw(transcript, Writer::Referee, out))?;
    file(ANSWERS, &|out| write_raw(transcript, Writer::Bot, out))?;
    let opponents = &game.evidence[other].transcript;
    file(OPPONENT_TRANSCRIPT, &|out| {
        write_lines(opponents.chunks_of(told_id), out)
    })?;
    if let Some(logs) = game.logs {
        file(STDERR, &|out| out.write_all(&logs[guilty]))?;
        file(OPPONENT_STDERR, &|out| out.write_all(&logs[other]))?;
    }
    Ok(())
}

fn fill_file(folder: &Folder, name: &str, fill: Fill<'_>) -> io::Result<()> {
    let mut file = BufWriter::new(folder.create_file(name, 0o666)?);
    fill(&mut file)?;
    file.into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .sync_all()
}

fn write_lines<'a>(chunks: impl Iterator<Item = Chunk<'a>>, out: &mut dyn Write) -> io::Result<()> {
    for chunk in chunks {
        serde_json::to_writer(&mut *out, &ChunkLine::new(&chunk))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn write_raw(transcript: &Transcript, from: Writer, out: &mut dyn Write) -> io::Result<()> {
    let mut chunks = transcript.chunks().filter(|chunk| chunk.from == from);
    chunks.try_for_each(|chunk| out.write_all(chunk.bytes))
}

/// Removes what a killed run left: unfinished folders, and evidence of games that are not in the
/// journal, because these may end differently when they are played again.
///
/// # Errors
/// The disk's.
pub fn sweep(folder: &Path, plan: &Plan, progress: &Progress) -> Result<(), FolderError> {
    let run = open_target(folder)?;
    let names = PairNames::new(plan);
    let swept = run.names(FAULTS).and_then(|entries| {
        let mut left = entries
            .iter()
            .filter(|it| is_left_over(it, &names, progress));
        left.try_for_each(|name| run.remove(format!("{FAULTS}/{name}")))
    });
    swept.map_err(|error| FolderError::file("clear", run.path(FAULTS), error))
}

fn is_left_over(name: &str, names: &PairNames, progress: &Progress) -> bool {
    let unplayed = |id: GameId| !progress.is_done(&names.placed(id));
    is_unfinished(name) || name.parse().is_ok_and(unplayed)
}

/// The contents of `fault.toml`.
fn page(
    game: &FaultyGame<'_>,
    side: Side,
    fault: &Fault,
    facts: &RunFacts<'_>,
    path: &Path,
) -> String {
    let record = game.record;
    let [entrant, opponent] = [side, side.opponent()].map(|it| &record.entrants[it.index()]);
    let mut page = TomlWriter::default();
    let path = printable(&shell_word(&path.to_string_lossy()));
    let game_name = match game.examined {
        Some(_) => format!("Admission game {}", record.id),
        None => format!("Game {}", record.id),
    };
    page.line(format_args!(
        "# {game_name}: {} ({side}) lost to {} by {}: {}",
        printable(entrant),
        printable(opponent),
        fault.kind,
        printable(&fault.detail)
    ));
    page.line(
        "# To see it again, with the tournament's bot outside of its box or with another command:",
    );
    page.line(format_args!(
        "#   awale replay-to-bot {path} --i-trust-this-bot"
    ));
    page.line(format_args!("#   awale replay-to-bot {path} -- ./mybot"));
    page.line("# docs/faults.md explains every file of this folder.\n");
    page.key("format", FORMAT);
    page.text("awale", env!("CARGO_PKG_VERSION"));
    page.table("[fault]");
    page.text("kind", fault.kind.name());
    page.text("detail", &fault.detail);
    if !fault.figures.is_empty() {
        page.text("figures", &fault.figures);
    }
    if let Some(time) = fault.time_us {
        page.key("time-us", time);
    }
    page.text("game", &record.id.to_string());
    if facts.plan.blind {
        page.text("told-game", &facts.plan.told_id(&record.id));
    }
    page.text("entrant", entrant);
    page.text("side", side.name());
    page.text("opponent", opponent);
    position(&mut page, record, facts);
    let bot = facts
        .plan
        .entrants
        .iter()
        .position(|it| it.name == *entrant);
    if let Some(bot) = bot.map(facts.bot) {
        process(&mut page, game, (side, facts), bot);
        limits(&mut page, entrant, facts, bot);
    }
    page.into_text()
}

/// Describes the position at the fault.
fn position(page: &mut TomlWriter, record: &GameRecord, facts: &RunFacts<'_>) {
    let mut game = Game::new(facts.plan.rules, record.start);
    for pit in record.moves() {
        if game.play(pit).is_err() {
            break;
        }
    }
    let legal = game.legal_moves();
    page.table("[position]");
    page.text("rules", facts.plan.preset.name());
    page.text("start", &record.start.to_string());
    page.text("moves", &moves_text(game.moves()));
    page.key("turn", game.moves().len());
    page.text("position", &game.position().to_string());
    page.text("to-move", game.position().to_move().name());
    page.text("legal", &legal.to_string());
    let pits: Vec<u8> = legal.iter().map(Pit::row_index).collect();
    page.key("legal-pits", format_args!("{pits:?}"));
}

/// Describes the program, what it used, and how it ended.
fn process(
    page: &mut TomlWriter,
    game: &FaultyGame<'_>,
    (side, facts): (Side, &RunFacts<'_>),
    bot: &BotSettings,
) {
    let evidence = &game.evidence[side.index()];
    let bytes = |from| -> usize {
        let chunks = evidence
            .transcript
            .chunks()
            .filter(|chunk| chunk.from == from);
        chunks.map(|chunk| chunk.bytes.len()).sum()
    };
    page.table("[process]");
    match evidence.end {
        None | Some(ProcessEnd::NeverStarted) => page.line("# never started"),
        Some(end) => page.text("end", &end.to_string()),
    }
    match evidence.end {
        Some(ProcessEnd::Exited(code)) => page.key("exit-code", code),
        Some(ProcessEnd::Signalled(signal)) => page.key("signal", signal),
        Some(ProcessEnd::Closed) => page.key("closed-a-pipe", true),
        Some(ProcessEnd::Stopped | ProcessEnd::NeverStarted) | None => {}
    }
    let transcript = &evidence.transcript;
    let told_id = facts.plan.told_id(&game.record.id);
    let beginning = transcript.beginning_of(&told_id);
    let begun = transcript.games_begun();
    page.key("games-before", begun - usize::from(beginning.is_some()));
    page.key("games-left-out", transcript.games_left_out());
    if let Some(chunk) = beginning {
        // Lines are counted from 1.
        page.key("game-line", chunk + 1);
    }
    page.key("sent-bytes", bytes(Writer::Referee));
    page.key("received-bytes", bytes(Writer::Bot));
    page.key("moves-time-us", game.record.times_us(side).sum::<u64>());
    usage(page, evidence.usage);
    let launch = &bot.launch;
    let words = std::iter::once(launch.known_program().as_os_str())
        .chain(launch.arguments.iter().map(AsRef::as_ref));
    // A command that is not valid text cannot be written here without changing it.
    if let Some(words) = words.map(OsStr::to_str).collect::<Option<Vec<_>>>() {
        page.texts("command", &words);
    }
    page.text("dir", &launch.directory.to_string_lossy());
    page.table("[process.env]");
    for (name, value) in &launch.environment {
        page.text_under(&name.to_string_lossy(), &value.to_string_lossy());
    }
}

/// Writes the values that were measured.
fn usage(page: &mut TomlWriter, usage: Usage) {
    let measured = [
        ("wall-time-us", usage.wall_us),
        ("cpu-time-us", usage.cpu_us),
        ("peak-memory-bytes", usage.peak_memory_bytes),
    ];
    for (key, value) in measured {
        if let Some(value) = value {
            page.key(key, value);
        }
    }
}

/// Writes the bot's limits.
fn limits(page: &mut TomlWriter, name: &str, facts: &RunFacts<'_>, bot: &BotSettings) {
    page.table("[limits]");
    let clock = facts.plan.clock_of(name);
    let clock = serde_json::to_value(clock).expect("a clock of texts and numbers");
    for (key, value) in clock.as_object().into_iter().flatten() {
        match value.as_str() {
            Some(text) => page.text(key, text),
            None => page.key(key, value),
        }
    }
    page.text("start-up", &time_text(bot.start_up));
    page.text("new-game", &time_text(bot.new_game));
    page.text("isolation", facts.level.name());
    for (name, value) in bot.limits.named() {
        page.key(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: u64 = MOST_MIB << 20;

    fn evidence(run: &Folder, name: &str, bytes: u64) {
        let file = run.create_file(format!("{FAULTS}/{name}/answers.txt"), 0o600);
        file.unwrap().set_len(bytes).unwrap();
    }

    #[test]
    fn a_run_keeps_this_much_evidence_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let run = Folder::open(folder.path()).unwrap();
        assert!(Used::default().has_room(1, 0, &run), "no folder yet");
        evidence(&run, "1.1", MOST - 10);
        // A resumed run counts the existing evidence.
        let used = Used::default();
        for (bytes, fits) in [(11, false), (4, true), (6, true), (1, false), (0, true)] {
            assert_eq!(used.has_room(bytes, 0, &run), fits, "{bytes}");
            if fits {
                used.replace(bytes, 0, &run);
            }
        }
    }

    #[test]
    fn each_byte_of_evidence_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let run = Folder::open(folder.path()).unwrap();
        evidence(&run, "1.1", MOST - 10);
        // What is just being written is what asks for room.
        evidence(&run, &format!(".next{PART}"), 10);
        let used = Used::default();
        assert!(used.has_room(10, 0, &run));
        used.replace(10, 0, &run);
        assert!(!used.has_room(1, 0, &run));
        // A game that was played again has its evidence replaced.
        assert!(used.has_room(5, 10, &run));
        used.replace(5, 10, &run);
        for (bytes, fits) in [(5, true), (6, false)] {
            assert_eq!(used.has_room(bytes, 0, &run), fits, "{bytes}");
        }
    }
}
