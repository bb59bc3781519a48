//! The table of hostile programs: what each of them is, what it comes to, and who holds it.

use awale::bot::Level;
use awale::record::FaultKind::{
    self, BadOutput, Crash, IllegalMove, MemoryLimit, OutputLimit, StartFailure, Timeout,
};

/// What a villain is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// A deed of `villain.py`.
    Python,
    /// A deed of `attacks.c`.
    C,
    /// A file of that name, which the test lays out: no program at all.
    File,
}

/// What becomes of a villain's games.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// Each is lost by this fault, whose detail has this in it.
    Fault(FaultKind, &'static str),
    /// Each is lost by one of these faults: which one is a matter of moments.
    OneOf(&'static [FaultKind]),
    /// Each ends by the rules, and the attempt gave nothing.
    PlaysOn,
    /// It has gained nothing, and either plays on or is at fault for its memory.
    Survives,
    /// It has never had more than it may: it was refused, or is at fault for its memory or files.
    Bounded,
    /// It has gained nothing, and either plays on or is at fault for the time that it takes to stop
    /// it: this many processes, or one that keeps process 1 busy.
    Crowds,
}

/// Where the kernel's account of a family is needed to hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// Nowhere.
    Never,
    /// Where the box has no limit of its own for it.
    BelowBox,
    /// At each level.
    Always,
}

/// A hostile program.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "rows of a table: each is a yes or a no of its own"
)]
pub struct Villain {
    pub deed: &'static str,
    pub language: Language,
    pub outcome: Outcome,
    /// The levels that promise to hold it.
    pub held_by: &'static [Level],
    /// Whether it gains something where it is not held: then it is a villain indeed.
    pub gains_at_none: bool,
    pub groups: Groups,
    /// Whether it says what it attempts: not those whose deed is their answer.
    pub tells: bool,
    /// Whether its games are waits for a deadline.
    pub waits: bool,
    /// Whether its deed is done once in the life of a process, so that each game needs a new one.
    pub fresh: bool,
}

const EVERY: &[Level] = &Level::ALL;
const WALLS: &[Level] = &[Level::Landlock, Level::Box];
const BOX: &[Level] = &[Level::Box];

impl Villain {
    const fn new(deed: &'static str, outcome: Outcome, held_by: &'static [Level]) -> Self {
        Self {
            deed,
            language: Language::Python,
            outcome,
            held_by,
            gains_at_none: false,
            groups: Groups::Never,
            tells: true,
            waits: false,
            fresh: false,
        }
    }

    /// Its deed is its answer, or the want of one.
    const fn fault(deed: &'static str, kind: FaultKind, detail: &'static str) -> Self {
        Self {
            tells: false,
            ..Self::new(deed, Outcome::Fault(kind, detail), EVERY)
        }
    }

    const fn one_of(deed: &'static str, kinds: &'static [FaultKind]) -> Self {
        Self {
            tells: false,
            ..Self::new(deed, Outcome::OneOf(kinds), EVERY)
        }
    }

    /// Does not answer in time.
    const fn slow(deed: &'static str) -> Self {
        Self {
            waits: true,
            ..Self::fault(deed, Timeout, "ms")
        }
    }

    /// What it says is harmless.
    const fn harmless(deed: &'static str) -> Self {
        Self {
            tells: false,
            ..Self::new(deed, Outcome::PlaysOn, EVERY)
        }
    }

    /// Attempts something that walls refuse.
    const fn refused(deed: &'static str) -> Self {
        Self::new(deed, Outcome::PlaysOn, WALLS)
    }

    /// The same; without walls it succeeds.
    const fn walled(deed: &'static str) -> Self {
        Self {
            gains_at_none: true,
            ..Self::refused(deed)
        }
    }

    /// Takes more memory than it has.
    const fn hungry(deed: &'static str) -> Self {
        Self {
            groups: Groups::Always,
            ..Self::new(
                deed,
                Outcome::Fault(MemoryLimit, "more than its memory limit of "),
                WALLS,
            )
        }
    }

    /// The same in a way that the kernel refuses where no control group counts it.
    const fn refusable(deed: &'static str) -> Self {
        Self {
            outcome: Outcome::Bounded,
            ..Self::hungry(deed)
        }
    }

    /// Takes more memory than it has, and shows none of it: nobody needs a group to hold it.
    const fn hiding(deed: &'static str) -> Self {
        Self::new(deed, Outcome::Bounded, WALLS).in_c()
    }

    /// Makes more processes than it has.
    const fn fertile(deed: &'static str) -> Self {
        Self {
            groups: Groups::BelowBox,
            ..Self::new(deed, Outcome::Crowds, WALLS)
        }
    }

    const fn in_c(self) -> Self {
        Self {
            language: Language::C,
            ..self
        }
    }

    const fn no_program(deed: &'static str, held_by: &'static [Level]) -> Self {
        Self {
            language: Language::File,
            held_by,
            ..Self::fault(deed, StartFailure, "cannot start")
        }
    }

    const fn held_by(self, held_by: &'static [Level]) -> Self {
        Self { held_by, ..self }
    }

    const fn telling(self) -> Self {
        Self {
            tells: true,
            ..self
        }
    }

    const fn fresh(self) -> Self {
        Self {
            fresh: true,
            ..self
        }
    }

    const fn waiting(self) -> Self {
        Self {
            waits: true,
            ..self
        }
    }
}

/// All villains that play against an honest bot.
pub const VILLAINS: &[Villain] = &[
    // Clocks.
    Villain::slow("silent"),
    Villain::slow("silent_and_deaf"),
    Villain::slow("late"),
    Villain::slow("drip"),
    Villain::slow("hold_own_input").telling(),
    Villain::slow("stopped"),
    Villain::slow("stopped_group"),
    Villain::slow("daemon_and_silence").telling(),
    Villain::slow("unkillable").in_c().telling(),
    Villain::fault("never_ready", StartFailure, "at the first message").waiting(),
    Villain::one_of("written_before_later", &[Timeout, BadOutput, IllegalMove]).waiting(),
    Villain::one_of("close_input", &[Timeout, Crash]).waiting(),
    // Pipes.
    Villain::fault("endless_line", OutputLimit, ""),
    Villain::fault("endless_spaces", OutputLimit, ""),
    Villain::fault("many_lines", BadOutput, "without being asked"),
    Villain::fault("empty_lines", BadOutput, "not a JSON object"),
    Villain::fault("written_before", BadOutput, "without being asked"),
    Villain::fault("half_line_before", BadOutput, "without being asked"),
    Villain::fault("close_output", Crash, "closed its input or output"),
    Villain::fault("close_all", Crash, "closed its input or output"),
    Villain::harmless("flood_error"),
    Villain::harmless("flood_error_for_ever"),
    // Ends.
    Villain::fault("exit_0", Crash, "exited with code 0"),
    Villain::fault("exit_3", Crash, "exited with code 3"),
    Villain::fault("exit_after_answer", Crash, "exited with code 0"),
    Villain::fault("refork_at_turns", Crash, "exited with code 0").telling(),
    Villain::fault("killed_by_itself", Crash, "killed by signal 9"),
    Villain::fault("kill_own_group", Crash, "killed by signal 9"),
    Villain::fault("segv", Crash, "killed by signal 11").in_c(),
    Villain::fault("abort", Crash, "killed by signal 6").in_c(),
    Villain::fault("bus", Crash, "killed by signal 7").in_c(),
    // Answers.
    Villain::fault("brackets", OutputLimit, ""),
    Villain::harmless("fitting_brackets"),
    Villain::fault("open_brackets", BadOutput, ""),
    Villain::harmless("brackets_in_info"),
    Villain::fault("brackets_as_answer", BadOutput, "not a JSON object"),
    Villain::fault("nul", BadOutput, ""),
    Villain::fault("nul_inside", BadOutput, ""),
    Villain::fault("invalid_utf8", BadOutput, "not UTF-8"),
    Villain::harmless("lone_surrogate"),
    Villain::fault("huge_number", BadOutput, ""),
    Villain::fault("long_number", BadOutput, ""),
    Villain::harmless("huge_number_in_info"),
    Villain::fault("duplicate_keys", BadOutput, "duplicate"),
    Villain::fault("duplicate_types", BadOutput, "duplicate"),
    Villain::fault("half_a_pit", BadOutput, ""),
    Villain::fault("pit_of_the_opponent", IllegalMove, "played pit 7"),
    Villain::fault("negative_pit", IllegalMove, "played pit -1"),
    Villain::fault("other_turn", BadOutput, "turn"),
    Villain::fault("two_answers", BadOutput, ""),
    Villain::harmless("large_info"),
    Villain::harmless("escapes_in_info"),
    Villain::fault("escapes_in_garbage", BadOutput, "not a JSON object"),
    Villain::harmless("escapes_in_name"),
    // Starts.
    Villain::fault("exit_at_start", StartFailure, "exited with code 7"),
    Villain::fault("garbage_first", StartFailure, "hello, world"),
    Villain::fault("ready_twice", BadOutput, "without being asked"),
    Villain::no_program("wrong-elf", EVERY),
    Villain::no_program("torn-elf", EVERY),
    Villain::no_program("bad-shebang", EVERY),
    Villain::no_program("empty", EVERY),
    Villain::no_program("link-to-rival", WALLS),
    // Children.
    Villain::refused("daemon_with_pipes").held_by(EVERY),
    Villain::refused("daemon_without").held_by(EVERY),
    Villain::fault("daemon_and_exit", Crash, "exited with code 5").telling(),
    Villain::refused("daemon_family"),
    Villain::refused("reforking"),
    Villain::fertile("fork_bomb"),
    Villain::fertile("fork_tree").in_c(),
    Villain::fertile("thread_bomb").in_c(),
    Villain::fertile("burst").in_c().fresh(),
    // Memory and disks.
    Villain::hungry("memory_malloc"),
    Villain::refusable("memory_shared"),
    Villain::refusable("memory_file"),
    Villain::hiding("hidden_memory"),
    Villain::hiding("shared_pages"),
    Villain::hiding("zero_device"),
    Villain::hiding("segments"),
    Villain::hiding("page_tables"),
    Villain::hiding("full_sockets"),
    Villain::hiding("in_flight"),
    Villain::hiding("first_thread_ends").fresh(),
    Villain {
        outcome: Outcome::Survives,
        ..Villain::hungry("memory_in_children")
    },
    Villain::refused("fill_temporary"),
    Villain::refused("fill_with_many").held_by(BOX),
    Villain::hiding("deleted_files"),
    Villain::hiding("mapped_files"),
    Villain::hiding("empty_files"),
    Villain::refused("fill_shared_memory"),
    Villain::refused("fill_system"),
    // Files.
    Villain::walled("read_secret"),
    Villain::walled("read_rival"),
    Villain::walled("read_results"),
    Villain::walled("read_links"),
    Villain::refused("host_figures").held_by(BOX),
    Villain::refused("mounts").held_by(BOX),
    Villain::refused("write_proc"),
    Villain::refused("read_environments"),
    Villain::refused("read_descriptors").held_by(EVERY),
    Villain::refused("see_others"),
    Villain::walled("write_system"),
    Villain::walled("write_own"),
    Villain::walled("write_others"),
    Villain::walled("write_links"),
    // The network.
    Villain::walled("call_tcp"),
    Villain::walled("call_udp"),
    Villain::walled("call_abstract"),
    Villain::walled("call_path"),
    Villain::refused("odd_sockets"),
    // Others, and what belongs to the kernel.
    Villain::refused("kill_all"),
    Villain::refused("kill_parent"),
    Villain::refused("stop_parent"),
    Villain::refused("kill_first"),
    Villain::refused("asynchronous").in_c(),
    Villain::refused("timers").in_c(),
    Villain::refused("wakers").in_c(),
    Villain::refused("disks").in_c(),
    Villain::refused("options").in_c(),
    Villain::refused("attributes").in_c(),
    Villain::refused("own_session"),
    Villain::refused("still_root").in_c(),
    Villain::refused("more_rights").in_c().held_by(BOX),
    Villain::refused("covers").in_c().held_by(BOX).fresh(),
    Villain::refused("uncover").in_c().held_by(BOX),
    Villain::refused("better_score").in_c(),
    Villain::refused("signal_first").in_c(),
    Villain::refused("signal_at_start").in_c().fresh(),
    Villain::new("signal_first_always", Outcome::Crowds, WALLS)
        .in_c()
        .fresh(),
    Villain::fault("signal_and_exit", Crash, "exited with code 9")
        .in_c()
        .telling()
        .held_by(WALLS),
    Villain::refused("raise_limits").held_by(EVERY),
    Villain::refused("others_limits"),
    Villain::refused("all_cores"),
    Villain::walled("numbered"),
    Villain::refused("open_many").held_by(EVERY),
    Villain::refused("doors").in_c(),
    Villain {
        outcome: Outcome::Fault(Crash, "killed by signal"),
        ..Villain::refused("old_door").in_c()
    },
    Villain::refused("nested").in_c(),
    Villain::refused("remount").in_c(),
    Villain::refused("terminal").in_c(),
    Villain::refused("favour").in_c(),
];

/// Its processes end long after they were killed: it plays alone.
pub const SLOW: Villain = Villain::refused("slow_calls").in_c().fresh();

/// The same in the last game of a run.
pub const SLOW_AT_LAST: Villain = Villain {
    fresh: false,
    ..SLOW
};

/// What twins can hear of each other where nothing keeps them apart: enough to show that they
/// talk.
pub const HEARD_AT_NONE: [&str; 12] = [
    "Shmem",
    "flock",
    "fcntl lock",
    "shared memory",
    "semaphore",
    "/dev/shm",
    "/tmp",
    "abstract socket",
    "port",
    "socket cookie",
    "network cookie",
    "pages in memory",
];
