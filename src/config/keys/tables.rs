//! Every key of a configuration: its name, the values that it takes, and the field that has its
//! value.

use super::check::{KeyPlace, check_file};
use super::declaration::{ConfigKey, Keys, Kind};
use super::limits::{ENTRANT_LIMITS, LIMITS, TypedLimits};
use super::value::{
    self, Bytes, Counts, EndgameMode, FormatName, KeyValue, Logs, Section, TypedField, Variables,
    declare, inline_keys, names,
};
use crate::bot::{Level, Restart};
use crate::config::error::{Diagnostic, Diagnostics, Located, Origin};
use crate::config::keys::forms::{
    self, DRAW, LONGER, MAX_FAULTS, OPENINGS, POINTS, RESIGN, SEEDING, STAGE, TypedLonger,
    TypedOpenings, TypedPoints, TypedSeeding, TypedStage, TypedUntil, UNTIL,
};
use crate::config::names::{ANCHORS_ALLOWED, MOST_ANCHOR, TypedAnchors};
use crate::config::tree::{Node, TomlTable, Value};
use crate::engine::endgame::MOST_SEEDS;
use crate::protocol::INFO_BYTES;
use crate::record::ShownNames;
use crate::referee::{DrawTerms, Measure, ResignTerms};
use crate::rules::{
    Capture, GIFTS, GrandSlam, OCCURRENCES, Preset, Remaining, Repetition, RuleSet,
};
use crate::stats::sprt::Model;
use crate::tournament::{AdmissionMode, LONGEST_LINE, MaxFaults, Secret, Toolchains};
use std::ops::RangeInclusive;
use std::time::Duration;

/// The shortest time above 0.
const LEAST: Duration = Duration::from_micros(1);
/// The most pairs of each pairing.
pub const MOST_PAIRS: u64 = 1_000_000;
/// The most rounds, groups, divisions or seasons.
pub const MOST_PARTS: u64 = 10_000;
/// The most plies before adjudication.
pub const MOST_PLIES: u64 = 100_000;
/// Every line that a run writes can be read again: most of it is plies, each with its `info` and
/// less than 200 bytes of times.
const _: () = assert!(MOST_PLIES * (INFO_BYTES as u64 + 200) < LONGEST_LINE);
/// No compiler works with less, in bytes.
const LEAST_MEMORY: u64 = 1 << 20;
/// More than any machine has, in bytes.
const MOST_MEMORY: u64 = 1 << 44;
/// More than any machine has.
const MOST_PROCESSES: u64 = 4_194_304;
/// More than any machine has.
const MOST_SLOTS: u64 = 4_096;
/// The processes that a slot may keep; each takes about ten descriptors.
const MOST_KEPT: u64 = 4_096;
/// TOML's largest integer: a plan could not contain a larger seed.
const MOST_SEED: u64 = i64::MAX as u64;
/// JSON's readers in every language keep whole numbers of 53 bits.
const MOST_NODES: u64 = (1 << 53) - 1;
/// Engines cannot be told apart beyond this Elo.
const MOST_ELO: f64 = 4000.0;

/// The names of the tables that stand once in a file.
pub fn single_tables() -> Vec<&'static str> {
    let tables = FILE.keys.iter();
    let single = tables.filter(|key| matches!(key.kind, Kind::Table(_)));
    single.map(|key| key.name).collect()
}

declare! {
    /// The tables of a file. Only plans that awale wrote contain the last one.
    FILE, Typed = "the file" {
        tournament: TypedTournament = "tournament", Kind::Table(&TOURNAMENT);
        clock: TypedClock = "clock", Kind::Table(&CLOCK);
        rules: TypedRules = "rules", Kind::Table(&RULES);
        adjudication: TypedAdjudication = "adjudication", Kind::Table(&ADJUDICATION);
        admission: TypedAdmission = "admission", Kind::Table(&ADMISSION);
        isolation: TypedIsolation = "isolation", Kind::Table(&ISOLATION);
        limits: TypedLimits = "limits", Kind::Table(&LIMITS);
        sprt: TypedSprt = "sprt", Kind::Table(&SPRT);
        class: TypedClass = "class", Kind::Table(&CLASS);
        build: TypedBuild = "build", Kind::Table(&BUILD);
        starts: Vec<TypedStart> = "start", Kind::Tables(&START);
        entrants: Vec<TypedEntrant> = "entrant", Kind::Tables(&ENTRANT);
        provenance: Unread = "provenance", Kind::Unread;
    }

    /// `[tournament]`.
    TOURNAMENT, TypedTournament = "[tournament]" {
        name: Option<Located<String>> = "name", Kind::Text("\"spring-class\"");
        folder: Option<Located<String>> = "folder", Kind::Text("\"..\"");
        format: Located<FormatName> = "format", Kind::Choice(names::<FormatName>);
        champions: Option<Located<Vec<Located<String>>>> =
            "champions", Kind::Texts("[\"greedy\"]");
        rounds: Option<Located<u32>> = "rounds", Kind::Integer(1..=MOST_PARTS);
        most_pairs: Option<Located<u32>> = "most-pairs", Kind::Integer(1..=MOST_PAIRS);
        groups: Option<Located<u32>> = "groups", Kind::Integer(1..=MOST_PARTS);
        divisions: Option<Located<u32>> = "divisions", Kind::Integer(1..=MOST_PARTS);
        promoted: Option<Located<u32>> = "promoted", Kind::Integer(1..=MOST_PARTS);
        seasons: Option<Located<u32>> = "seasons", Kind::Integer(1..=MOST_PARTS);
        stages: Option<Located<Vec<TypedStage>>> = "stages", Kind::Forms {
            keys: &STAGE,
            allowed: forms::STAGE_ALLOWED,
        };
        seeding: Option<Located<TypedSeeding>> = "seeding", Kind::Form {
            keys: &SEEDING,
            word: Some(forms::DRAWN),
            allowed: forms::SEEDING_ALLOWED,
        };
        until: Option<Located<TypedUntil>> = "until", Kind::Form {
            keys: &UNTIL,
            word: None,
            allowed: forms::UNTIL_ALLOWED,
        };
        preset: Preset = "rules", Kind::Choice(names::<Preset>);
        pairs: Located<u32> = "pairs", Kind::Integer(1..=MOST_PAIRS);
        seed: u64 = "seed", Kind::Integer(0..=MOST_SEED);
        secret: Option<Located<Secret>> = "secret", Kind::Pattern("^[0-9a-fA-F]{64}$");
        slots: Option<Located<u32>> = "slots", Kind::Integer(1..=MOST_SLOTS);
        openings: Located<TypedOpenings> = "openings", Kind::Form {
            keys: &OPENINGS,
            word: None,
            allowed: forms::OPENINGS_ALLOWED,
        };
        max_plies: Option<Located<u32>> = "max-plies", Kind::Integer(1..=MOST_PLIES);
        max_faults: Option<MaxFaults> = "max-faults", Kind::Form {
            keys: &MAX_FAULTS,
            word: Some(forms::OFF),
            allowed: forms::MAX_FAULTS_ALLOWED,
        };
        restart: Restart = "restart", Kind::Choice(names::<Restart>);
        start_up: Duration = "start-up", Kind::Time(LEAST);
        new_game: Duration = "new-game", Kind::Time(LEAST);
        threads_per_bot: Located<u32> = "threads-per-bot", Kind::Integer(1..=MOST_SLOTS);
        processes_kept: u32 = "processes-kept", Kind::Integer(0..=MOST_KEPT);
        logs: Logs = "logs", Kind::Choice(names::<Logs>);
        toolchains: Toolchains = "toolchains", Kind::Choice(names::<Toolchains>);
        blind: bool = "blind", Kind::Boolean;
        anchors: Option<Located<TypedAnchors>> = "anchor", Kind::Map {
            values: &Kind::Number(-MOST_ANCHOR..=MOST_ANCHOR),
            allowed: ANCHORS_ALLOWED,
        };
    }

    /// `[clock]`.
    CLOCK, TypedClock = "[clock]" {
        move_limit: Option<Located<Duration>> = "move", Kind::Time(LEAST);
        bank: Option<Located<Duration>> = "bank", Kind::Time(LEAST);
        increment: Option<Located<Duration>> = "increment", Kind::Time(Duration::ZERO);
        nodes: Option<Located<u64>> = "nodes", Kind::Integer(1..=MOST_NODES);
        margin: Duration = "margin", Kind::Time(Duration::ZERO);
        measure: Measure = "measure", Kind::Choice(names::<Measure>);
    }

    /// `[entrant.clock]`: what an entrant has in place of `[clock]`.
    ENTRANT_CLOCK, TypedEntrantClock = "[entrant.clock]" {
        move_limit: Option<Located<Duration>> = "move", Kind::Time(LEAST);
        bank: Option<Located<Duration>> = "bank", Kind::Time(LEAST);
        increment: Option<Located<Duration>> = "increment", Kind::Time(Duration::ZERO);
        nodes: Option<Located<u64>> = "nodes", Kind::Integer(1..=MOST_NODES);
    }

    /// `[rules]`. Fields that are not set have the values of the preset.
    RULES, TypedRules = "[rules]" {
        capture: Option<Located<Capture>> = "capture", Kind::Choice(names::<Capture>);
        grand_slam: Option<Located<GrandSlam>> = "grand-slam", Kind::Choice(names::<GrandSlam>);
        must_feed: Option<Located<bool>> = "must-feed", Kind::Boolean;
        majority_ends: Option<Located<bool>> = "majority-ends", Kind::Boolean;
        row_empty_ends: Option<Located<bool>> = "row-empty-ends", Kind::Boolean;
        dead_position_ends: Option<Located<bool>> = "dead-position-ends", Kind::Boolean;
        repetition: Option<Located<TypedRepetition>> = "repetition", Kind::Table(&REPETITION);
        no_move_gift: Option<Located<u8>> = "no-move-gift", bytes(GIFTS);
    }

    /// `[rules.repetition]`.
    REPETITION, TypedRepetition = "[rules.repetition]" {
        occurrences: Option<Located<u8>> = "occurrences", bytes(OCCURRENCES);
        remaining: Option<Located<Remaining>> = "remaining", Kind::Choice(names::<Remaining>);
    }

    /// `[adjudication]`. A plan that a run wrote names the database.
    ADJUDICATION, TypedAdjudication = "[adjudication]" {
        endgame: Located<EndgameMode> = "endgame", Kind::Choice(names::<EndgameMode>);
        seeds: Option<Located<u8>> = "seeds", bytes(0..=MOST_SEEDS);
        sha256: Option<Located<String>> = "sha256", Kind::Text("\"9f86d081…\"");
        resign: Located<Option<ResignTerms>> = "resign", Kind::Form {
            keys: &RESIGN,
            word: Some(forms::OFF),
            allowed: forms::RESIGN_ALLOWED,
        };
        draw: Located<Option<DrawTerms>> = "draw", Kind::Form {
            keys: &DRAW,
            word: Some(forms::OFF),
            allowed: forms::DRAW_ALLOWED,
        };
    }

    /// `[admission]`.
    ADMISSION, TypedAdmission = "[admission]" {
        mode: AdmissionMode = "mode", Kind::Choice(names::<AdmissionMode>);
    }

    /// `[isolation]`. Without a level, the strongest that is available is requested.
    ISOLATION, TypedIsolation = "[isolation]" {
        level: Located<Option<Level>> = "level", Kind::Choice(names::<Option<Level>>);
        freeze: bool = "freeze", Kind::Boolean;
        readable: Vec<Located<String>> = "readable", Kind::Texts("[\"/opt/models\"]");
    }

    /// `[sprt]`.
    SPRT, TypedSprt = "[sprt]" {
        new: Option<Located<String>> = "new", Kind::Text("\"new\"");
        elo0: Located<f64> = "elo0", Kind::Number(-MOST_ELO..=MOST_ELO);
        elo1: Located<f64> = "elo1", Kind::Number(-MOST_ELO..=MOST_ELO);
        alpha: Located<f64> = "alpha", Kind::Number(0.0..=0.5);
        beta: Located<f64> = "beta", Kind::Number(0.0..=0.5);
        model: Model = "model", Kind::Choice(names::<Model>);
        repeat_openings: bool = "repeat-openings", Kind::Boolean;
        max_pairs: Located<u32> = "max-pairs", Kind::Integer(1..=MOST_PAIRS);
    }

    /// `[class]`.
    CLASS, TypedClass = "[class]" {
        submissions: Option<Located<String>> = "submissions", Kind::Text("\"submissions\"");
        roster: Option<Located<String>> = "roster", Kind::Text("\"roster.csv\"");
        shown_names: Located<ShownNames> = "names", Kind::Choice(names::<ShownNames>);
        deadline: Option<Located<String>> =
            "deadline", Kind::Text("\"2026-12-04T23:59+01:00\"");
        only: Vec<Located<String>> = "only", Kind::Texts("[\"ada\"]");
        best: Option<Located<u32>> = "best", Kind::Integer(1..=MOST_PAIRS);
        best_of: Option<Located<String>> = "best-of", Kind::Text("\"results/class\"");
        house: Vec<Located<String>> = "house", Kind::Texts("[\"random\", \"minimax-3\"]");
        house_pairs: Located<u32> = "house-pairs", Kind::Integer(1..=MOST_PAIRS);
        counts: Counts = "counts", Kind::Choice(names::<Counts>);
        longer: Vec<TypedLonger> = "longer", Kind::Forms {
            keys: &LONGER,
            allowed: forms::LONGER_ALLOWED,
        };
        points: Vec<TypedPoints> = "points", Kind::Forms {
            keys: &POINTS,
            allowed: forms::POINTS_ALLOWED,
        };
    }

    /// `[build]`: the limits of every build.
    BUILD, TypedBuild = "[build]" {
        time: Duration = "time", Kind::Time(LEAST);
        memory: Bytes =
            "memory", Kind::Size { bounds: LEAST_MEMORY..=MOST_MEMORY, example: 2 << 30 };
        processes: u32 = "processes", Kind::Integer(1..=MOST_PROCESSES);
        temporary: Bytes =
            "temporary", Kind::Size { bounds: LEAST_MEMORY..=MOST_MEMORY, example: 1 << 30 };
    }

    /// `[[start]]`: how a folder of a class is started.
    START, TypedStart = "[[start]]" {
        name: Located<String> = "name", Kind::Text("\"python\"");
        file: Located<String> = "file", Kind::Text("\"main.py\"");
        command: Located<Vec<Located<String>>> =
            "command", Kind::Texts("[\"python3\", \"main.py\"]");
        build: Vec<Located<String>> = "build", Kind::Texts("[\"make\"]");
        tools: Vec<Located<String>> = "tools", Kind::Texts("[\"cargo\"]");
    }

    /// `[[entrant]]`.
    ENTRANT, TypedEntrant = "[[entrant]]" {
        name: Located<String> = "name", Kind::Text("\"ada\"");
        command: Located<Vec<Located<String>>> =
            "command", Kind::Texts("[\"python3\", \"ada.py\"]");
        dir: Option<Located<String>> = "dir", Kind::Text("\"submissions/ada\"");
        build: Vec<Located<String>> = "build", Kind::Texts("[\"make\"]");
        tools: Vec<Located<String>> = "tools", Kind::Texts("[\"cargo\"]");
        readable: Vec<Located<String>> = "readable", Kind::Texts("[\"/opt/models\"]");
        env: Variables = "env", Kind::Map {
            values: &Kind::Text("\"3\""),
            allowed: value::VARIABLES_ALLOWED,
        };
        restart: Option<Located<Restart>> = "restart", Kind::Choice(names::<Restart>);
        deterministic: Option<Located<bool>> = "deterministic", Kind::Boolean;
        clock: Option<Located<TypedEntrantClock>> = "clock", Kind::Table(&ENTRANT_CLOCK);
        limits: TypedLimits = "limits", Kind::Table(&ENTRANT_LIMITS);
    }
}

const fn bytes(bounds: RangeInclusive<u8>) -> Kind {
    Kind::Integer(*bounds.start() as u64..=*bounds.end() as u64)
}

/// What was written for people.
#[derive(Clone, Copy, Debug)]
pub struct Unread;

impl KeyValue for Unread {
    const UNSET: Option<fn() -> Self> = Some(|| Self);

    fn from_node(_: KeyPlace, _: &Node) -> Result<Self, Diagnostic> {
        Ok(Self)
    }

    fn to_toml(&self) -> String {
        inline_keys([])
    }
}

impl Typed {
    /// Reads a tree that the defaults have completed.
    pub fn of_file(table: TomlTable) -> Result<Self, Diagnostic> {
        let mut errors = Diagnostics::default();
        if let Err(error) = check_file(&table, &mut errors) {
            // Values of such a file cannot be read.
            errors.push(error);
            errors.end()?;
        }
        let (value, origin) = (Value::Table(table), Origin::Whole);
        let typed = errors.take(Self::read(&Node { value, origin }));
        errors.end()?;
        Ok(typed.expect("a file without an error was read"))
    }

    /// The rules of the games: those of the preset with the fields that are set.
    pub fn rules(&self) -> RuleSet {
        let (typed, base) = (&self.rules, self.tournament.preset.rules());
        let repetition = typed.repetition.as_ref().map(|it| &it.value);
        let occurrences = repetition.and_then(|it| it.occurrences.as_ref());
        let remaining = repetition.and_then(|it| it.remaining.as_ref());
        RuleSet {
            capture: over(typed.capture.as_ref(), base.capture),
            grand_slam: over(typed.grand_slam.as_ref(), base.grand_slam),
            must_feed: over(typed.must_feed.as_ref(), base.must_feed),
            majority_ends: over(typed.majority_ends.as_ref(), base.majority_ends),
            row_empty_ends: over(typed.row_empty_ends.as_ref(), base.row_empty_ends),
            dead_position_ends: over(typed.dead_position_ends.as_ref(), base.dead_position_ends),
            repetition: Repetition {
                occurrences: over(occurrences, base.repetition.occurrences),
                remaining: over(remaining, base.repetition.remaining),
            },
            no_move_gift: over(typed.no_move_gift.as_ref(), base.no_move_gift),
        }
    }

    /// The plies after which a game ends: those of the preset, unless others were typed.
    pub fn max_plies(&self) -> u32 {
        let typed = self.tournament.max_plies.as_ref();
        over(typed, self.tournament.preset.max_plies())
    }

    /// The entrants' names, in the order of the file.
    pub fn names(&self) -> Vec<&str> {
        let entrants = self.entrants.iter();
        entrants.map(|it| it.name.value.as_str()).collect()
    }
}

fn over<T: Copy>(typed: Option<&Located<T>>, base: T) -> T {
    typed.map_or(base, |it| it.value)
}

impl TypedEntrant {
    /// An entrant of whom nothing else was typed.
    pub fn new(
        name: Located<String>,
        command: Located<Vec<Located<String>>>,
        dir: Option<Located<String>>,
    ) -> Self {
        Self {
            name,
            command,
            dir,
            build: Vec::new(),
            tools: Vec::new(),
            readable: Vec::new(),
            env: Variables::default(),
            restart: None,
            deterministic: None,
            clock: None,
            limits: TypedLimits::default(),
        }
    }
}
