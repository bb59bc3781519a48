//! Small bots in Python, each with one mistake that beginners make.

/// A bot that makes no mistake; every mistake is a change of a line of it. It is started many
/// times, and reads what it is sent as Python: a third of every start is saved.
pub const HONEST: &str = r#"
import sys
class json:
    loads = lambda text: eval(text, {"true": True, "false": False, "null": None})
    dumps = lambda value: str(value).replace("'", '"')
games = 0
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "quit":
        break
    if kind == "hello":
        print(json.dumps({"type": "ready", "name": "small"}), flush=True)
    if kind == "new-game":
        games += 1
        side = message["you"]
        print(json.dumps({"type": "ready"}), flush=True)
    if kind == "game-over":
        pass
    if kind == "turn":
        pit = message["legal"][0]
        print(json.dumps({"type": "move", "pit": pit}), flush=True)
"#;

/// A mistake: the lines that are changed, and what must be said of it.
pub struct Mistake {
    pub name: &'static str,
    /// What is replaced in [`HONEST`], and by what.
    pub changes: &'static [(&'static str, &'static str)],
    /// The step that must be red, the only one.
    pub red: &'static str,
    /// What must be in the hint, or in what happened.
    pub said: &'static str,
}

const READY: &str = "print(json.dumps({\"type\": \"ready\", \"name\": \"small\"}), flush=True)";
const MOVE: &str = "print(json.dumps({\"type\": \"move\", \"pit\": pit}), flush=True)";
const PIT: &str = "pit = message[\"legal\"][0]";
const NEW_GAME: &str = "games += 1";

pub const MISTAKES: [Mistake; 39] = [
    Mistake {
        name: "ends at once",
        changes: &[("games = 0", "raise SystemExit(3)")],
        red: "starts",
        said: "exited with code 3",
    },
    Mistake {
        name: "does not compile",
        changes: &[("games = 0", "games = = 0")],
        red: "starts",
        said: "SyntaxError",
    },
    Mistake {
        name: "never flushes",
        changes: &[(", flush=True)", ")")],
        red: "hello",
        said: "does not flush",
    },
    Mistake {
        name: "reads all input first",
        changes: &[("in sys.stdin:", "in sys.stdin.readlines():")],
        red: "hello",
        said: "reads all of its input",
    },
    Mistake {
        name: "flushes ready but not moves",
        changes: &[(
            MOVE,
            "print(json.dumps({\"type\": \"move\", \"pit\": pit}))",
        )],
        red: "first-move",
        said: "does not flush",
    },
    Mistake {
        name: "writes no newline",
        changes: &[(
            MOVE,
            "print(json.dumps({\"type\": \"move\", \"pit\": pit}), end=\"\", flush=True)",
        )],
        red: "first-move",
        said: "no newline",
    },
    Mistake {
        name: "greets on standard output",
        changes: &[(
            "games = 0",
            "games = 0; print(\"Hello, I am a bot\", flush=True)",
        )],
        red: "hello",
        said: "debug text on standard output",
    },
    Mistake {
        name: "does not know hello",
        changes: &[("\"hello\"", "\"helo\"")],
        red: "hello",
        said: "nothing came",
    },
    Mistake {
        name: "prints a dictionary",
        changes: &[(READY, "print({\"type\": \"ready\"}, flush=True)")],
        red: "hello",
        said: "json.dumps",
    },
    Mistake {
        name: "is slow to start",
        changes: &[("games = 0", "games = 0; import time; time.sleep(1.7)")],
        red: "start-up-time",
        said: "of 1000 ms",
    },
    Mistake {
        name: "says ready twice",
        changes: &[(
            READY,
            "print('{\"type\":\"ready\"}\\n{\"type\":\"ready\"}', flush=True)",
        )],
        red: "quiet-after-hello",
        said: "an answer too many",
    },
    Mistake {
        name: "moves before it is asked",
        changes: &[(
            "side = message[\"you\"]",
            "side = 0; print(json.dumps({\"type\": \"ready\"})); pit = 1; kind = \"turn\"; \
             message[\"legal\"] = [1]",
        )],
        red: "quiet-after-new-game",
        said: "an answer too many",
    },
    Mistake {
        name: "prints what it thinks",
        changes: &[(
            PIT,
            "pit = message[\"legal\"][0]; print(\"thinking...\", flush=True)",
        )],
        red: "first-move",
        said: "debug text on standard output",
    },
    Mistake {
        name: "prints what it has done",
        changes: &[(
            MOVE,
            "print(json.dumps({\"type\": \"move\", \"pit\": pit}) + \"\\ndone\", flush=True)",
        )],
        red: "quiet-after-move",
        said: "debug text on standard output",
    },
    Mistake {
        name: "ends a line twice",
        changes: &[(
            MOVE,
            "print(json.dumps({\"type\": \"move\", \"pit\": pit}) + \"\\n\", flush=True)",
        )],
        red: "quiet-after-move",
        said: "a newline too many",
    },
    Mistake {
        name: "answers with a letter",
        changes: &[(
            MOVE,
            "print(json.dumps({\"type\": \"move\", \"pit\": \"ABCDEF\"[pit]}), flush=True)",
        )],
        red: "first-move",
        said: "not a letter",
    },
    Mistake {
        name: "answers with a bare number",
        changes: &[(MOVE, "print(pit, flush=True)")],
        red: "first-move",
        said: "not the pit alone",
    },
    Mistake {
        name: "answers with a fraction",
        changes: &[(
            MOVE,
            "print(json.dumps({\"type\": \"move\", \"pit\": pit / 1}), flush=True)",
        )],
        red: "first-move",
        said: "3, not 3.0",
    },
    Mistake {
        name: "calls the pit otherwise",
        changes: &[(
            MOVE,
            "print(json.dumps({\"type\": \"move\", \"move\": pit}), flush=True)",
        )],
        red: "first-move",
        said: "no `pit`",
    },
    Mistake {
        name: "counts from 1",
        changes: &[(PIT, "pit = message[\"legal\"][0] + 1")],
        red: "pit-numbers",
        said: "from 0 to 5, not from 1 to 6",
    },
    Mistake {
        name: "answers 6 to 11 as North",
        changes: &[(
            PIT,
            "pit = message[\"legal\"][0] + (6 if side == \"north\" else 0)",
        )],
        red: "pit-numbers-north",
        said: "your own on both sides",
    },
    Mistake {
        name: "looks at South's pits as North",
        changes: &[(
            PIT,
            "pit = next(k for k in range(6) if int(message[\"position\"].split(\"-\")[k]) > 0 and \
             (side == \"north\" or k in message[\"legal\"]))",
        )],
        red: "pit-numbers-north",
        said: "wrong side's pits",
    },
    Mistake {
        name: "leaves at game-over",
        changes: &[("        pass", "        break")],
        red: "quiet-after-game-over",
        said: "exited with code 0",
    },
    Mistake {
        name: "crashes at game-over",
        changes: &[("        pass", "        message[\"winner\"]")],
        red: "quiet-after-game-over",
        said: "KeyError",
    },
    Mistake {
        name: "answers game-over",
        changes: &[(
            "        pass",
            "        print('{\"type\":\"ok\"}', flush=True)",
        )],
        red: "quiet-after-game-over",
        said: "an answer too many",
    },
    Mistake {
        name: "plays one game only",
        changes: &[(
            NEW_GAME,
            "games += 1; assert games < 2 or side != \"south\"",
        )],
        red: "second-game",
        said: "AssertionError",
    },
    // A new process would play on: it must not be acquitted by being started again.
    Mistake {
        name: "hangs in its second game",
        changes: &[(
            NEW_GAME,
            "games += 1; import time; time.sleep(60 * (games == 2))",
        )],
        red: "second-game",
        said: "nothing came",
    },
    Mistake {
        name: "hangs after many games",
        changes: &[(
            PIT,
            "pit = message[\"legal\"][0]; import time; \
             time.sleep(60 * (games > 20 and message[\"board\"][0] == 6))",
        )],
        red: "mid-game-south",
        said: "nothing came",
    },
    Mistake {
        name: "ignores legal",
        changes: &[(
            PIT,
            "pit = next(k for k in range(6) if message[\"board\"][k] > 0)",
        )],
        red: "must-feed",
        said: "that pit holds seeds, but the rules forbid",
    },
    Mistake {
        name: "ends at an unknown message",
        changes: &[(
            "        pass",
            "        pass\n    if kind == \"weather\":\n        raise ValueError(kind)",
        )],
        red: "unknown-messages",
        said: "ValueError",
    },
    Mistake {
        name: "minds unknown fields",
        changes: &[(
            PIT,
            "pit = message[\"legal\"][0]; assert \"zebra\" not in message",
        )],
        red: "unknown-fields",
        said: "AssertionError",
    },
    Mistake {
        name: "reads fields by their place",
        changes: &[(
            PIT,
            "pit = message[\"legal\"][0]; assert line[:7] == '{\"type\"' or 'zebra' in line",
        )],
        red: "json-forms",
        said: "AssertionError",
    },
    Mistake {
        name: "counts on the clock of a move",
        changes: &[(
            PIT,
            "pit = message[\"legal\"][0]; message[\"clock\"][\"move_ms\"]",
        )],
        red: "game-clock",
        said: "KeyError",
    },
    Mistake {
        name: "never leaves at quit",
        changes: &[("        break", "        continue")],
        red: "quit",
        said: "went on running after quit",
    },
    Mistake {
        name: "waits on at the end of its input",
        changes: &[(
            "games = 0",
            "games = 0\nimport atexit, time\n\
             atexit.register(lambda: kind == \"quit\" or time.sleep(60))",
        )],
        red: "end-of-input",
        said: "went on running after the end of its input",
    },
    Mistake {
        name: "counts on an opponent",
        changes: &[(NEW_GAME, "games += 1; message[\"opponent\"]")],
        red: "blind",
        said: "KeyError",
    },
    Mistake {
        name: "has 32 bits for the seed",
        changes: &[(
            NEW_GAME,
            "games += 1; import struct; struct.pack(\"i\", message[\"seed\"])",
        )],
        red: "large-seed",
        said: "struct.error",
    },
    Mistake {
        name: "reads ASCII only",
        changes: &[(NEW_GAME, "games += 1; line.encode(\"ascii\")")],
        red: "strings",
        said: "UnicodeEncodeError",
    },
    Mistake {
        name: "counts on a turn before game-over",
        changes: &[
            (NEW_GAME, "games += 1; pit = None"),
            ("        pass", "        pit + 1"),
        ],
        red: "no-turn",
        said: "TypeError",
    },
];

/// It moves, but far too late: under a clock of 10 ms.
pub const TOO_SLOW: Mistake = Mistake {
    name: "thinks too long",
    changes: &[(
        PIT,
        "pit = message[\"legal\"][0]; import time; time.sleep(0.025)",
    )],
    red: "in-time",
    said: "leave a tenth of the time unused",
};

/// Not wrong, but worth a note: the step, and what is said of it.
pub const NOTED: [Mistake; 5] = [
    Mistake {
        name: "rolls its own dice",
        changes: &[(
            PIT,
            "import random; pit = random.choice(message[\"legal\"])",
        )],
        red: "deterministic",
        said: "the games differ from ply",
    },
    Mistake {
        name: "ends lines as Windows does",
        changes: &[(
            MOVE,
            "print(json.dumps({\"type\": \"move\", \"pit\": pit}), end=\"\\r\\n\", flush=True)",
        )],
        red: "line-ends",
        said: "lines ended with",
    },
    Mistake {
        name: "has no name",
        changes: &[(READY, "print('{\"type\":\"ready\"}', flush=True)")],
        red: "name",
        said: "no name",
    },
    Mistake {
        name: "talks to standard error",
        changes: &[(
            NEW_GAME,
            "games += 1; print(\"my \\x1b[31mlog\", file=sys.stderr)",
        )],
        red: "standard-error",
        said: "my \\u{1b}[31mlog",
    },
    Mistake {
        name: "explains itself at length",
        changes: &[(
            MOVE,
            "print(json.dumps({\"type\": \"move\", \"pit\": pit, \
             \"info\": {\"comment\": \"x\" * 5000}}), flush=True)",
        )],
        red: "info",
        said: "at most 4096 are kept",
    },
];
