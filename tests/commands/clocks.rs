//! Which clock rules, through the real binary.

use super::story::{AWALE, Story};
use std::path::Path;

/// A tournament of a bot that sleeps for so many ms on its second turn of 300 ms.
fn sleeper(nap_ms: u32) -> String {
    let build = Path::new(AWALE).parent().expect("the build's folder");
    let villain = build.join("examples/villain");
    let villain = villain.display();
    format!(
        "[tournament]\npairs = 1\nslots = 1\nrestart = \"each-game\"\n\
         [admission]\nmode = \"off\"\n[clock]\nmove = \"300ms\"\n\
         [[entrant]]\nname = \"sleeper\"\ncommand = ['{villain}', \"move:1=wait:{nap_ms}\"]\n\
         [[entrant]]\nname = \"random\"\ncommand = [\"awale\", \"bot\", \"random\"]\n"
    )
}

#[test]
fn who_sleeps_uses_no_cpu_time() {
    let story = Story::new();
    // Too long by the wall's clock, which here is only a stop, after five times the limit.
    story.write("sleeper.toml", sleeper(500));
    let by_cpu = ["run", "sleeper.toml", "--set", "clock.measure=cpu"];
    let said = story.run(&by_cpu);
    if said.code == Some(2) {
        said.err_has("`measure` = \"cpu\" in [clock] needs control groups");
        eprintln!("skipped: no control group here counts CPU time");
        return;
    }
    said.with_code(0);
    let journal = story.read("results/sleeper/games.jsonl");
    assert!(journal.contains("\"clock.measure\":\"cpu\""), "{journal}");
    assert!(journal.contains("\"cpu_us\":["), "{journal}");
    assert!(!journal.contains("\"ending\":\"timeout\""), "{journal}");
    // The same bot under another clock is another tournament.
    let said = story.run(&["run", "sleeper.toml"]).with_code(2);
    said.err_has("clock.measure");
}

#[test]
fn who_sleeps_is_late_by_the_wall_clock() {
    let story = Story::new();
    // For longer than any pause of the host that would be given back.
    story.write("sleeper.toml", sleeper(60_000));
    story.run(&["run", "sleeper.toml"]).with_code(0);
    let games = story.read("results/sleeper/games.csv");
    assert_eq!(games.matches(",timeout,").count(), 2, "{games}");
    let journal = story.read("results/sleeper/games.jsonl");
    assert!(journal.contains(" ms by the wall clock"), "{journal}");
    assert!(journal.contains("\"lateness_us\":"), "{journal}");
    let noise = story.read("results/sleeper/noise.csv");
    assert!(
        noise.starts_with("id,attempt,ending,max_late_time_us,on_turn,charged_to,cause\n"),
        "{noise}"
    );
}
