//! Why a bot lost or was not admitted, everywhere where its author looks.

use super::story::{FIRST_LEGAL, SECRET, Story};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

fn write_bot(story: &Story, name: &str, script: impl AsRef<[u8]>) {
    story.write(name, script);
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(story.path(name), executable).expect("an executable file");
}

/// A tournament of bots for `sh`, each with the name of its file.
fn tournament(story: &Story, tables: &str, bots: &[&str]) {
    let mut text = format!(
        "[tournament]\n{SECRET}\npairs = 2\nslots = 1\n[clock]\nmove = \"10s\"\n{tables}\n"
    );
    for bot in bots {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "[[entrant]]\nname = \"{bot}\"\ncommand = [\"./{bot}\"]"
        );
    }
    story.write("t.toml", text);
}

fn rows(story: &Story, table: &str) -> Vec<Vec<String>> {
    let reader = csv::Reader::from_path(story.path(table));
    let rows = reader.expect("a table").into_records();
    rows.map(|row| row.expect("a row").iter().map(str::to_owned).collect())
        .collect()
}

#[test]
fn what_a_bot_wrote_is_no_formula_and_no_escape_sequence() {
    let story = Story::new();
    write_bot(&story, "ada", format!("#!/bin/sh\n{FIRST_LEGAL}"));
    let hostile = "#!/bin/sh\nprintf '=1+1\\033[2J\\r\\n' >&2\nexit 1\n";
    write_bot(&story, "omar", hostile);
    tournament(&story, "[admission]\nmode = \"off\"", &["ada", "omar"]);
    let limit = "pairs = 2\nmax-faults = { count = 1 }\n";
    story.write("t.toml", story.read("t.toml").replace("pairs = 2\n", limit));
    story.run(&["run", "t.toml"]).with_code(0);
    let words = r#"standard error ends with "=1+1\u{1b}[2J""#;
    let faults = rows(&story, "results/t/faults.csv");
    assert!(faults[0][3].ends_with(words), "{faults:?}");
    let is_text = |text: &str| !text.contains(|it: char| it.is_control() && it != '\n');
    assert!(is_text(&story.read("results/t/faults.csv")));
    let standings = rows(&story, "results/t/standings.csv");
    let omar = standings
        .iter()
        .find(|row| row[1] == "omar")
        .expect("a row");
    assert_eq!(omar.last().unwrap(), "1 fault in 1 game: 1 start-failure");
}
