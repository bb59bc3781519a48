//! The evidence of faults: what `awale run` leaves of each kind, and what `awale replay-to-bot`
//! makes of it.

use super::story::{SECRET, Story};
use crate::support::awale_command::AWALE;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use rustix::fs::{CWD, Mode, mkfifoat};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// The recorded bot is let out of its box by nothing else.
const TRUST: &str = "--i-trust-this-bot";

pub fn villain() -> String {
    let build = Path::new(AWALE).parent().expect("the build's folder");
    let program = build.join("examples/villain");
    program
        .into_os_string()
        .into_string()
        .expect("a path in UTF-8")
}

/// A tournament of one villain against an honest bot.
fn configuration(command: &[&str], more: &str) -> String {
    format!(
        "[tournament]\n{SECRET}\npairs = 1\nslots = 1\n{more}\n\
         [admission]\nmode = \"off\"\n[clock]\nmove = \"300ms\"\n\
         [[entrant]]\nname = \"bad\"\ncommand = {command:?}\n\
         [[entrant]]\nname = \"good\"\ncommand = [{:?}]\n",
        villain()
    )
}

/// A line of a transcript: who wrote it, and the bytes.
fn chunks(transcript: &str) -> Vec<(u64, String, Vec<u8>)> {
    let chunk = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("an object");
        let bytes = unescaped(line["text"].as_str().expect("text"));
        let left_out = line["left_out"].as_u64().unwrap_or(0);
        assert_eq!(line["bytes"].as_u64(), Some(bytes.len() as u64 + left_out));
        let from = line["from"].as_str().expect("a name").to_owned();
        (line["time_us"].as_u64().expect("a time"), from, bytes)
    };
    transcript.lines().map(chunk).collect()
}

/// The bytes that a transcript's text stands for.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        bytes.push(match (byte, after) {
            (b'\\', [b'x', high, low, ..]) => {
                rest = &after[3..];
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).expect("two digits");
                u8::from_str_radix(digits, 16).expect("two digits")
            }
            (b'\\', [letter, ..]) => {
                rest = &after[1..];
                match letter {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    _ => *letter,
                }
            }
            _ => *byte,
        });
    }
    bytes
}

/// Kind of fault, what brings it about, and words that its page has.
pub type KindOfFault = (&'static str, &'static [&'static str], &'static str);

/// Every kind that a bot can be at fault by.
const KINDS: [KindOfFault; 14] = [
    ("timeout", &["move:1=hang"], "stopped by the referee"),
    (
        "timeout",
        &["move:1=write:{\"type\""],
        "half a line of 7 bytes",
    ),
    (
        "illegal-move",
        &["move:1=write:{\"type\":\"move\",\"pit\":77}\\n"],
        "played pit 77",
    ),
    ("bad-output", &["move:1=out:300"], "stopped by the referee"),
    ("bad-output", &["move:1=twice"], "stopped by the referee"),
    ("bad-output", &["wait:1=shout:me again\\n"], "me again"),
    (
        "output-limit",
        &["move:1=out:200000"],
        "more than 65536 bytes",
    ),
    ("crash", &["move:1=exit:7"], "exit-code = 7"),
    ("crash", &["move:1=abort"], "signal = 6"),
    ("crash", &["move:1=segv"], "signal = 11"),
    ("crash", &["move:1=close-out"], "closed-a-pipe = true"),
    (
        "crash",
        &["new-game=close-in", "eof=hang"],
        "closed-a-pipe = true",
    ),
    (
        "start-failure",
        &["start=say:hard day", "hello=exit:9"],
        "exit-code = 9",
    ),
    (
        "start-failure",
        &["hello=write:what?\\n"],
        "stopped by the referee",
    ),
];

/// Does this for each kind of fault. Waiting is most of it: some at a time.
pub fn for_each_kind(check: fn(KindOfFault)) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(&kind) = KINDS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(kind);
                }
            });
        }
    });
}

#[test]
fn every_kind_of_fault_leaves_evidence_that_can_be_replayed() {
    for_each_kind(leaves_evidence);
}

fn leaves_evidence((kind, script, words): KindOfFault) {
    let program = villain();
    let story = Story::new();
    let mut command: Vec<&str> = vec![&program];
    command.extend(script);
    story.write("t.toml", configuration(&command, ""));
    story.ok("run t.toml");
    for game in ["bad~good.1.1", "bad~good.1.2"] {
        let folder = format!("results/t/faults/{game}");
        let file = |name: &str| fs::read(story.path(&format!("{folder}/{name}"))).expect(name);
        let page = story.read(&format!("{folder}/fault.toml"));
        assert!(page.contains(words), "{script:?}: {page}");
        let command = format!("#   awale replay-to-bot {folder} -- ./mybot\n");
        assert!(page.contains(&command), "{page}");
        let table: toml::Table = page.parse().expect("TOML");
        assert_eq!(table["fault"]["kind"].as_str(), Some(kind), "{page}");
        assert_eq!(table["fault"]["game"].as_str(), Some(game));
        let process = &table["process"];
        let number = |key: &str| process.get(key).and_then(toml::Value::as_integer);
        assert!(number("wall-time-us").is_some_and(|time| time > 0));
        // What the host does not tell is left out, and differs between hosts.
        let plausible = |bytes: i64| (100 << 10..1 << 30).contains(&bytes);
        assert!(number("peak-memory-bytes").is_none_or(plausible), "{page}");
        let transcript = chunks(&story.read(&format!("{folder}/transcript.jsonl")));
        assert!(transcript.is_sorted_by_key(|(time, ..)| *time));
        for (name, from) in [("requests.jsonl", "referee"), ("answers.bin", "bot")] {
            let raw = file(name);
            let shown = transcript.iter().filter(|chunk| chunk.1 == from);
            let shown: Vec<u8> = shown.flat_map(|chunk| chunk.2.clone()).collect();
            assert!(raw == shown || kind == "output-limit", "{script:?}: {name}");
        }
        // North hears of no game for which South could not be started.
        let untold = kind == "start-failure" && game == "bad~good.1.1";
        assert_eq!(file("opponent-transcript.jsonl").is_empty(), untold);
    }
    story
        .ok("verify results/t --strict")
        .out_has("2 of 2 faults compared");
    let folder = "results/t/faults/bad~good.1.1";
    let said = story.run(format!("replay-to-bot {folder} {TRUST}"));
    let is_marked = said.stderr.contains("bot's stderr | hard day\n");
    assert_eq!(is_marked, script[0].contains("hard day"), "{}", said.stderr);
    said.with_code(0).out_has("same").out_has(kind);
    let other = format!("replay-to-bot {folder} -- {program}");
    story.ends(1, &other).out_has("different");
    let said = story.read("results/t/faults/bad~good.1.1/stderr.txt");
    assert_eq!(said.contains("hard day"), script[0].contains("hard day"));
}

/// An answer and its line end may come in two pieces.
#[test]
fn half_a_line_is_no_answer_yet() {
    let story = Story::new();
    let illegal = "move:1=write:{\"type\":\"move\",\"pit\":77}\\n";
    story.write("t.toml", configuration(&[&villain(), illegal], ""));
    story.ok("run t.toml");
    let slow = "import json, sys, time\n\
                for line in sys.stdin:\n    request = json.loads(line)\n    \
                if request['type'] == 'turn':\n        \
                answer = {'type': 'move', 'pit': request['legal'][0]}\n    \
                else:\n        answer = {'type': 'ready'}\n    \
                sys.stdout.write(json.dumps(answer))\n    sys.stdout.flush()\n    \
                time.sleep(0.05)\n    sys.stdout.write('\\n')\n    sys.stdout.flush()\n";
    story.write("slow.py", slow);
    let folder = "results/t/faults/bad~good.1.1";
    story
        .ends(1, format!("replay-to-bot {folder} -- python3 slow.py"))
        .out_has("the fault is gone");
}

/// A bot that only takes longer than the one that closed its output has not closed its own.
#[test]
fn slow_is_not_closed() {
    let story = Story::new();
    let program = villain();
    story.write("t.toml", configuration(&[&program, "move:1=close-out"], ""));
    story.ok("run t.toml");
    let slow = "move:1=wait:1500";
    let replay = format!("replay-to-bot 'results/t/faults/bad~good.1.1' -- {program} {slow}");
    story.ends(1, &replay).out_has("different");
}

#[test]
fn what_a_bot_used_is_told_without_any_isolation() {
    let story = Story::new();
    let program = villain();
    story.write("t.toml", configuration(&[&program, "move:1=hang"], ""));
    story.ok("run t.toml --isolation none --i-trust-these-bots");
    let page = story.read("results/t/faults/bad~good.1.1/fault.toml");
    let page: toml::Table = page.parse().expect("TOML");
    let number = |key: &str| page["process"][key].as_integer().expect(key);
    assert!(number("wall-time-us") >= 300_000);
    assert!((100 << 10..1 << 30).contains(&number("peak-memory-bytes")));
    assert!(number("cpu-time-us") < number("wall-time-us"));
    assert_eq!(page["limits"]["isolation"].as_str(), Some("none"));
}

#[test]
fn raw_bytes_of_a_bot_are_kept_to_the_last() {
    let story = Story::new();
    let program = villain();
    let config = configuration(&[&program, "move:0=out:251"], "logs = \"none\"");
    story.write("t.toml", config);
    story.ok("run t.toml");
    let folder = story.path("results/t/faults/bad~good.1.1");
    let answers = fs::read(folder.join("answers.bin")).expect("answers");
    let flood = answers
        .split(|&byte| byte == b'\n')
        .nth(2)
        .expect("the third line");
    // All bytes but 0, the newline, 253, 254 and 255, each in its place.
    let all: Vec<u8> = (1..=251)
        .map(|byte| if byte == 10 { 252 } else { byte })
        .collect();
    assert_eq!(flood[..251], all);
    assert!(
        !folder.join("stderr.txt").exists(),
        "no logs are to be kept"
    );
    // A terminal obeys nothing that the pages show.
    for name in ["fault.toml", "transcript.jsonl"] {
        let text = fs::read_to_string(folder.join(name)).expect(name);
        let obeyed = |letter: char| letter.is_control() && letter != '\n';
        assert!(!text.contains(obeyed), "{text}");
    }
}

#[test]
fn a_fault_between_games_is_replayed_with_the_game_before() {
    let story = Story::new();
    let program = villain();
    story.write(
        "t.toml",
        configuration(&[&program, "game-over:1=shout:won!\\n"], ""),
    );
    story.ok("run t.toml");
    assert!(
        !story.path("results/t/faults/bad~good.1.1").exists(),
        "a game without a fault"
    );
    let transcript = chunks(&story.read("results/t/faults/bad~good.1.2/transcript.jsonl"));
    let (_, from, bytes) = transcript.last().expect("chunks");
    assert!(from == "bot" && bytes.starts_with(b"won!\n"));
    let replay = format!("replay-to-bot 'results/t/faults/bad~good.1.2' {TRUST}");
    story.ok(&replay);
}

/// The line may come before or after the bot hears of the next game: it is what the bot wrote, and
/// what it wrote comes again.
#[test]
fn a_line_between_games_is_evidence_whenever_it_comes() {
    let program = villain();
    for pause in ["wait:0", "wait:3", "wait:40"] {
        let story = Story::new();
        let when = format!("game-over:1={pause}");
        let script = [&program, when.as_str(), "game-over:1=shout:won!\\n"];
        story.write(
            "t.toml",
            configuration(&script, "").replace("pairs = 1", "pairs = 2"),
        );
        story.ok("run t.toml");
        let folder = "results/t/faults/bad~good.1.2";
        let said = story.run(format!("replay-to-bot {folder} {TRUST}"));
        said.with_code(0).out_has("same: every recorded byte");
    }
}

/// What a bot remembers of the games before is in the recording.
#[test]
fn a_process_is_replayed_from_its_first_game() {
    let story = Story::new();
    let program = villain();
    let script = [&program, "new-game:5=exit:7"];
    story.write(
        "t.toml",
        configuration(&script, "").replace("pairs = 1", "pairs = 3"),
    );
    story.ok("run t.toml");
    let folder = "results/t/faults/bad~good.3.2";
    let page = story.read("results/t/faults/bad~good.3.2/fault.toml");
    let page: toml::Table = page.parse().expect("TOML");
    let number = |key: &str| page["process"][key].as_integer().expect("a number");
    assert_eq!((number("games-before"), number("games-left-out")), (5, 0));
    let transcript = chunks(&story.read("results/t/faults/bad~good.3.2/transcript.jsonl"));
    let line = usize::try_from(number("game-line")).expect("a line");
    let begins = String::from_utf8(transcript[line - 1].2.clone()).expect("a request");
    assert!(
        begins.contains(r#""type":"new-game","game":"bad~good.3.2""#),
        "{begins}"
    );
    let said = story.run(format!("replay-to-bot {folder} {TRUST}"));
    said.with_code(0)
        .out_has("games before: 5, all answers the same")
        .out_has("end: same (exited with code 7)");
    // A bot that was repaired answers what it was asked last.
    story
        .ends(1, format!("replay-to-bot {folder} -- {program}"))
        .out_has("\nnow: ready, after ")
        .out_has(" ms; the fault is gone\n");
    // Another bot that dies in its second game dies too early.
    let other = format!("replay-to-bot {folder} -- {program} new-game:1=exit:7");
    story
        .ends(1, &other)
        .out_has("game bad~good.1.2 new-game: different from byte 0 on")
        .out_has("different: exited with code 7;");
}

#[test]
fn a_replay_says_what_the_recording_lacks() {
    let story = Story::new();
    let program = villain();
    let script = [&program, "move=info:20000", "new-game:9=exit:7"];
    story.write(
        "t.toml",
        configuration(&script, "").replace("pairs = 1", "pairs = 5"),
    );
    story.ok("run t.toml");
    let page = story.read("results/t/faults/bad~good.5.2/fault.toml");
    let page: toml::Table = page.parse().expect("TOML");
    let left_out = page["process"]["games-left-out"].as_integer();
    let left_out = left_out.expect("a number");
    assert!((1..9).contains(&left_out), "{left_out}");
    let folder = "results/t/faults/bad~good.5.2";
    story
        .ends(1, format!("replay-to-bot {folder} {TRUST}"))
        .out_has("different")
        .out_has(&format!("had played 9 games before; {left_out} of them"));
}

/// As one with a debugger does it: the bot stops for longer than any silence that is waited for.
#[test]
fn a_debugger_has_all_the_time_that_it_takes() {
    let story = Story::new();
    let program = villain();
    story.write("t.toml", configuration(&[&program, "move:1=exit:7"], ""));
    story.ok("run t.toml");
    let held = |script: &[&str]| {
        let folder = "results/t/faults/bad~good.1.1";
        let arguments = ["replay-to-bot", folder, "--hold", "--", &program];
        story.run_with_input(&[&arguments, script].concat(), b"\n")
    };
    held(&["move:1=exit:7"])
        .with_code(0)
        .out_has(": attach a debugger to it, then press Enter here\n")
        .out_has("same: every recorded byte");
    // Twice the silence that a replay without --hold takes for the end of a last answer.
    held(&["move:1=wait:2000", "move:1=exit:7"])
        .with_code(0)
        .out_has("same: every recorded byte");
    held(&["move:0=exit:7"])
        .with_code(1)
        .out_has("exited with code 7; ");

    // Nothing is asked before Enter.
    let bot = "read request; touch asked; exit 7";
    let folder = "results/t/faults/bad~good.1.1";
    let mut command = story.command(format!("replay-to-bot {folder} --hold -- sh -c '{bot}'"));
    let mut replay = command.stdin(Stdio::piped()).spawn().expect("awale starts");
    let mut lines = BufReader::new(replay.stdout.take().expect("a pipe")).lines();
    let first = lines.next().expect("a line").expect("text");
    assert!(first.starts_with("process "), "{first}");
    sleep(Duration::from_millis(200));
    assert!(!story.path("asked").exists(), "Enter was not pressed");
    let mut terminal = replay.stdin.take().expect("a pipe");
    terminal.write_all(b"\n").expect("it waits for a line");
    let rest: Vec<String> = lines.map(|line| line.expect("text")).collect();
    assert!(story.path("asked").exists(), "{rest:?}");
    assert_eq!(replay.wait().expect("it ends").code(), Some(1), "{rest:?}");
}

#[test]
fn a_program_that_cannot_start_is_evidence_too() {
    let story = Story::new();
    story.write("bot", "#!/no/such/interpreter\n");
    story.write("t.toml", configuration(&["./bot"], ""));
    story.ok("run t.toml");
    let folder = "results/t/faults/bad~good.1.1";
    let page = story.read("results/t/faults/bad~good.1.1/fault.toml");
    assert!(page.contains("# never started"), "{page}");
    assert!(page.contains("kind = \"start-failure\""), "{page}");
    let said = story.run(format!("replay-to-bot {folder} {TRUST}"));
    said.with_code(0).out_has("could not be started either");
    let program = villain();
    let other = format!("replay-to-bot {folder} -- {program}");
    story.ends(1, &other).out_has("different");
}

/// The recorded bot is a stranger's program, and needs consent to run outside of a box.
#[test]
fn the_recorded_bot_runs_only_with_consent() {
    let story = Story::new();
    let program = villain();
    // In a box this is a file of the box's own.
    let canary = PathBuf::from(format!("/tmp/awale-canary-{}", std::process::id()));
    let touch = format!("start=touch:{}", canary.display());
    story.write(
        "t.toml",
        configuration(&[&program, &touch, "move:1=exit:7"], ""),
    );
    story.ok("run t.toml");
    let _ = fs::remove_file(&canary);
    story
        .ends(2, "replay-to-bot 'results/t/faults/bad~good.1.1'")
        .err_has("would run with your rights, outside of any box")
        .err_has(TRUST);
    assert!(!canary.exists(), "it has run");
    story.ok(format!(
        "replay-to-bot 'results/t/faults/bad~good.1.1' {TRUST}"
    ));
    fs::remove_file(&canary).expect("the villain's sign");
}

#[test]
fn what_is_no_evidence_is_refused() {
    let story = Story::new();
    story
        .ends(2, format!("replay-to-bot nowhere {TRUST}"))
        .err_has("cannot read nowhere/fault.toml");
    fs::create_dir(story.path("odd")).expect("a folder");
    story.write("odd/fault.toml", "format = 99\n[fault]\n[process]\n");
    story
        .ends(2, format!("replay-to-bot odd {TRUST}"))
        .err_has("fault.toml");
    let program = villain();
    story.write("t.toml", configuration(&[&program, "move:1=exit:7"], ""));
    story.ok("run t.toml");
    let folder = "results/t/faults/bad~good.1.1";
    story
        .ends(2, format!("replay-to-bot {folder} -- ./no-such-bot"))
        .err_has("cannot start ./no-such-bot");
    story.write("results/t/faults/bad~good.1.1/answers.bin", "");
    story
        .ends(2, format!("replay-to-bot {folder} {TRUST}"))
        .err_has("transcript.jsonl");
}

/// Evidence comes from others: a pipe in it may never be written to, and a device has no end.
#[test]
fn evidence_that_is_no_file_is_not_read() {
    let story = Story::new();
    let program = villain();
    story.write("t.toml", configuration(&[&program, "move:1=exit:7"], ""));
    story.ok("run t.toml");
    let folder = "results/t/faults/bad~good.1.1";
    let replay = format!("replay-to-bot {folder} {TRUST}");
    for name in [
        "fault.toml",
        "transcript.jsonl",
        "requests.jsonl",
        "answers.bin",
    ] {
        let path = story.path(folder).join(name);
        let sound = fs::read(&path).expect("evidence");
        let is_refused = |words: &str| {
            story
                .run_in_little_memory(&replay)
                .with_code(2)
                .err_has(&format!("cannot read {folder}/{name}: {words}"));
        };
        story.lengthen(&format!("{folder}/{name}"));
        is_refused("it has more than 64 MiB");
        fs::remove_file(&path).expect("a file");
        symlink("/dev/zero", &path).expect("a link");
        is_refused("it is not a file");
        fs::remove_file(&path).expect("a link");
        mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).expect("a pipe");
        is_refused("it is not a file");
        fs::remove_file(&path).expect("a pipe");
        fs::write(&path, sound).expect("a file");
    }
    story.ok(&replay);
}

#[test]
fn a_disk_that_takes_no_evidence_stops_nothing() {
    let story = Story::new();
    let program = villain();
    story.write("t.toml", configuration(&[&program, "move:1=exit:7"], ""));
    fs::create_dir_all(story.path("results/t")).expect("a folder");
    story.write("results/t/faults", "a file where a folder should be");
    story
        .ok("run t.toml")
        .err_has("the evidence of a fault is lost")
        .out_has("2 crash");
}

/// The evidence of a run without times and without the name of the run's folder.
fn evidence(story: &Story, run: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let entries = fs::read_dir(story.path(run).join("faults")).expect("faults");
    for game in entries {
        let game = game.expect("an entry").path();
        let name = game
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        for file in [
            "requests.jsonl",
            "answers.bin",
            "stderr.txt",
            "opponent-stderr.txt",
        ] {
            let bytes = fs::read(game.join(file)).expect(file);
            found.push((format!("{name}/{file}"), bytes));
        }
        let page = fs::read_to_string(game.join("fault.toml")).expect("a page");
        let timeless = page.lines().filter(|line| {
            !["time-us", "peak-memory", run]
                .iter()
                .any(|it| line.contains(it))
        });
        let timeless: Vec<&str> = timeless.collect();
        found.push((
            format!("{name}/fault.toml"),
            timeless.join("\n").into_bytes(),
        ));
        let transcript = fs::read_to_string(game.join("transcript.jsonl")).expect("a transcript");
        for (_, from, bytes) in chunks(&transcript) {
            found.push((format!("{name}/{from}"), bytes));
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

/// Kill −9 at random moments, and go on: not a fault lacks its evidence.
#[test]
fn a_killed_run_leaves_the_same_evidence() {
    let story = Story::new();
    let program = villain();
    let script = [&program, "start=say:hello", "move:2=exit:3"];
    let config =
        configuration(&script, "restart = \"each-game\"").replace("pairs = 1", "pairs = 4");
    story.write("t.toml", config);
    story.ok("run t.toml --output whole");
    let whole = evidence(&story, "whole");
    assert_eq!(
        whole
            .iter()
            .filter(|it| it.0.ends_with("fault.toml"))
            .count(),
        8
    );
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for trial in 0..8 {
        let folder = format!("killed-{trial}");
        let arguments = format!("run t.toml --output {folder}");
        for _ in 0..2 {
            let mut child = story.start(&arguments);
            sleep(Duration::from_micros(u64::from(
                random.next_u32() % 100_000,
            )));
            child.kill().expect("a kill");
            child.wait().expect("an end");
        }
        story.ok(&arguments);
        assert!(evidence(&story, &folder) == whole, "trial {trial}");
    }
}

#[test]
fn evidence_of_a_game_that_is_played_again_goes_first() {
    let story = Story::new();
    story.write("t.toml", configuration(&[&villain()], ""));
    for left_over in ["bad~good.1.1", ".half.part", "notes"] {
        fs::create_dir_all(story.path("results/t/faults").join(left_over)).expect("a folder");
    }
    story.ok("run t.toml");
    let left: Vec<_> = fs::read_dir(story.path("results/t/faults"))
        .expect("faults")
        .collect();
    assert_eq!(left.len(), 1, "what is not ours stays: {left:?}");
}

/// What a log of `logs = "transcript"` says that one wrote. No byte of it controls a terminal.
fn written(log: &str, who: &str) -> String {
    let is_harmless = |it: char| it == '\n' || !it.is_control();
    assert!(log.chars().all(is_harmless), "{log}");
    let chunks = chunks(log);
    assert!(chunks.is_sorted_by_key(|(time, ..)| *time));
    let own = chunks.into_iter().filter(|(_, from, _)| from == who);
    String::from_utf8(own.flat_map(|it| it.2).collect()).expect("UTF-8")
}

#[test]
fn transcripts_of_every_game_are_kept_on_request() {
    for restart in ["never", "each-game"] {
        let story = Story::new();
        let settings = format!("logs = \"transcript\"\nrestart = \"{restart}\"");
        let script = "start=say:hello";
        story.write("t.toml", configuration(&[&villain(), script], &settings));
        story.ok("run t.toml");
        let games = story.rows("results/t/games.csv");
        assert_eq!(games.len(), 2);
        for game in games {
            for (side, first, row) in [("south", 0, "ABCDEF"), ("north", 1, "abcdef")] {
                let log = story.read(&format!("results/t/logs/{}.{side}.jsonl", game["id"]));
                let asked = written(&log, "referee");
                assert!(asked.contains("\"type\":\"new-game\""), "{asked}");
                assert!(asked.contains("\"type\":\"game-over\""), "{asked}");
                // After the opening, South moves first.
                let own = game["moves"].chars().skip(first).step_by(2);
                let pits: Vec<usize> = own.map(|it| row.find(it).expect("its pit")).collect();
                assert_eq!(asked.matches("\"type\":\"turn\"").count(), pits.len());
                let answers = written(&log, "bot");
                let told = answers.split("\"pit\":").skip(1).map(|rest| {
                    let end = rest.find(|it: char| !it.is_ascii_digit());
                    rest[..end.expect("an end")].parse().expect("a pit")
                });
                assert_eq!(told.collect::<Vec<usize>>(), pits, "{answers}");
            }
        }
        story.ok("verify results/t --strict");
    }
}

/// Without `logs = "transcript"`, a run that goes on has no transcripts of its games.
#[test]
fn transcripts_are_harmless_and_only_kept_on_request() {
    let story = Story::new();
    let script = "move:2=append:\\rhidden";
    story.write("t.toml", configuration(&[&villain(), script], ""));
    story.ok("run t.toml --set tournament.logs=transcript");
    let log = story.read("results/t/logs/bad~good.1.1.south.jsonl");
    assert!(written(&log, "bot").contains("\rhidden"), "{log}");
    let evidence = story.read("results/t/faults/bad~good.1.1/transcript.jsonl");
    assert!(evidence.ends_with(&log), "{evidence}");
    // The same plan: what is kept beside the journal decides no game.
    story.ok("run t.toml --pairs 2 --update");
    assert!(
        !story
            .path("results/t/logs/bad~good.2.1.south.jsonl")
            .exists()
    );
}
