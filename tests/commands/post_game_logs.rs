//! What bots write to standard error when a game is over, and when they are asked to quit.

use super::story::{SECRET, Story};
use std::fs;

/// Says on standard error what it is told, except its turns.
const TALKER: &str = include_str!("../bots/talker.py");

/// The logs of the talker's games, by game.
fn logs(story: &Story, folder: &str, settings: &str) -> Vec<(String, String)> {
    logs_of(story, folder, settings, TALKER)
}

/// Those of another bot.
fn logs_of(story: &Story, folder: &str, settings: &str, bot: &str) -> Vec<(String, String)> {
    let config = format!(
        "[tournament]\n{SECRET}\npairs = 4\nslots = 1\n{settings}\n\
         [clock]\nmove = \"20s\"\n[isolation]\nlevel = \"none\"\n[admission]\nmode = \"off\"\n\
         [[entrant]]\nname = \"ada\"\ncommand = [\"python3\", \"ada.py\"]\n"
    );
    let entrants = "[[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n";
    story.write("ada.py", bot);
    let restart = if folder == "fresh" {
        "restart = \"each-game\"\n"
    } else {
        ""
    };
    story.write("t.toml", format!("{config}{restart}{entrants}"));
    story.ok(format!("run t.toml --i-trust-these-bots --output {folder}"));
    let Ok(entries) = fs::read_dir(story.path(folder).join("logs")) else {
        return Vec::new();
    };
    let logs = entries.map(|entry| {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_str().expect("text");
        let game = name.rsplitn(3, '.').nth(2).expect("a game");
        (game.to_owned(), fs::read_to_string(&path).expect("text"))
    });
    logs.collect()
}

/// A process that is asked to quit has a fifth of a second: on a busy host that may not be enough
/// for all of them.
#[test]
fn last_words_are_in_the_log_of_their_game() {
    for blind in ["", "blind = true"] {
        let story = Story::new();
        let logs = logs(&story, "fresh", &format!("logs = \"all\"\n{blind}"));
        assert_eq!(logs.len(), 8);
        let mut whole = 0;
        for (game, log) in logs {
            let told = log.lines().next().expect("a line");
            let told = told.strip_prefix("turn of ").expect("a turn");
            assert_eq!(told == game, blind.is_empty(), "{told} {game}");
            // A bot that is quick has read `game-over` before its log is taken.
            let log = log.replacen("\n[after the game]\n", "", 1);
            whole += u32::from(log.ends_with(&format!("over: {told}\nbye after {told}\n")));
        }
        assert!(
            whole >= 4,
            "{whole} of 8 logs have the last words of their game"
        );
    }
}

/// A process that plays on is stopped between its games, and reads `game-over` with what follows.
#[test]
fn processes_that_play_on_speak_of_every_game() {
    let story = Story::new();
    let logs = logs(&story, "kept", "logs = \"all\"");
    let all: String = logs.iter().map(|(_, log)| log.as_str()).collect();
    assert_eq!(logs.len(), 8);
    let spoken = logs
        .iter()
        .filter(|(game, _)| all.contains(&format!("over: {game}\n")));
    assert!(spoken.count() >= 7, "{all}");
}

#[test]
fn nothing_is_kept_where_no_logs_are() {
    for settings in ["", "logs = \"none\"", "logs = \"faults\""] {
        assert_eq!(logs(&Story::new(), "fresh", settings), []);
    }
}

/// However much a bot writes, the log of a game is no longer than its limit.
#[test]
fn a_log_stays_within_its_limit() {
    let story = Story::new();
    let flood = TALKER.replace("say(f\"bye", "say(\"x\" * 3000 + f\"bye");
    let limits = "[limits]\nstderr-head = \"1KiB\"\nstderr-tail = \"1KiB\"";
    let settings = format!("logs = \"all\"\n{limits}");
    let logs = logs_of(&story, "fresh", &settings, &flood);
    assert_eq!(logs.len(), 8);
    let longest = logs.iter().map(|(_, log)| log.len()).max();
    // The line that counts what is left out comes on top.
    assert!(longest <= Some((2 << 10) + 60), "{longest:?}");
    let ends = logs.iter().filter(|(_, log)| log.contains("xbye after "));
    assert!(ends.count() >= 4);
}
