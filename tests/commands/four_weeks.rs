//! Four weeks of a class of twelve, in six languages, from the zip of a platform to its gradebook: a
//! program that breaks, a late one, somebody who leaves, two equal programs, a final.

use super::imports::zipped_on;
use super::story::{SECRET, Said, Story, has, lacks};
use crate::support::skip::is_here;
use std::collections::BTreeMap;
use std::fs;

/// What each person hands in: the file, the starter bot that it is, and the program that it needs.
const PEOPLE: [(&str, &str, &str, &str); 9] = [
    ("Ada", "main.py", "python/bot.py", "python3"),
    ("Ben", "main.py", "python/bot.py", "python3"),
    ("Cy", "bot.js", "javascript/bot.js", "node"),
    ("Dee", "main.c", "c/bot.c", "cc"),
    ("Eve", "Bot.java", "java/Bot.java", "javac"),
    ("Flo", "main.go", "go/main.go", "go"),
    ("Hal", "main.py", "python/bot.py", "python3"),
    ("Ivy", "main.py", "python/bot.py", "python3"),
    ("Jo", "main.py", "python/bot.py", "python3"),
];
/// Others of the class: a crate, a file with one ending too many, nothing.
const OTHERS: [&str; 3] = ["Gus", "Kim", "Lou"];

/// The points of the class. Nobody earns a part of one, so every sum is a whole number.
const POINTS: &str = "points = [{ check = 40 }, { beats = \"random\", share = 0.1, points = 60 }, \
                      { late = -10 }]";

struct Course {
    story: Story,
    /// What is on the platform: paths and contents, and the day of December.
    handed_in: BTreeMap<String, (Vec<u8>, u8)>,
}

impl Course {
    fn new() -> Self {
        let story = Story::new();
        let names = PEOPLE.iter().map(|it| it.0).chain(OTHERS);
        let list: Vec<String> = names.map(|it| format!("{it} Example")).collect();
        story.write("students.csv", format!("name\n{}\n", list.join("\n")));
        story.ok("class new INF101 --roster students.csv");
        let config = story.read("INF101/class.toml");
        let (before, after) = config.split_once("[class]").expect("a class");
        assert!(after.contains("names = \"pseudonyms\""));
        let before = before
            .replace("[tournament]\n", &format!("[tournament]\n{SECRET}\n"))
            .replace("restart = \"each-game\"", "restart = \"never\"")
            .replace(
                "pairs = 10",
                "format = \"gauntlet\"\nchampions = [\"random\", \"greedy\"]\npairs = 1",
            )
            .replace("move = \"100ms\"", "move = \"5s\"");
        story.write(
            "INF101/class.toml",
            format!(
                "{before}[isolation]\nlevel = \"none\"\n[class]\nsubmissions = \"submissions\"\n\
                 names = \"pseudonyms\"\ndeadline = \"2026-12-11T23:59\"\n\
                 house = [\"random\", \"greedy\"]\nhouse-pairs = 2\n{POINTS}\n"
            ),
        );
        Self {
            story,
            handed_in: BTreeMap::new(),
        }
    }

    /// Somebody hands in on this day of December.
    fn hand_in(&mut self, name: &str, files: &[(&str, &[u8])], day: u8) {
        let number = PEOPLE.iter().map(|it| it.0).chain(OTHERS);
        let number = 1 + number.clone().position(|it| it == name).expect("a person");
        let folder = format!("{name} Example_{number}_assignsubmission_file_");
        self.handed_in.retain(|path, _| !path.starts_with(&folder));
        for (file, bytes) in files {
            let what = ((*bytes).to_vec(), day);
            self.handed_in.insert(format!("{folder}/{file}"), what);
        }
    }

    /// Imports the whole download, and plays a week.
    fn week(&self, label: &str) -> Said {
        let files: Vec<(&str, &[u8])> = self
            .handed_in
            .iter()
            .map(|(path, (bytes, _))| (path.as_str(), bytes.as_slice()))
            .collect();
        let zip = zipped_on(&files, |path| (12, self.handed_in[path].1));
        self.story.write("download.zip", zip);
        self.story.ok("class import download.zip --course INF101");
        let arguments = format!("run class.toml --i-trust-these-bots --update --label {label}");
        let mut command = self.story.command(arguments.as_str());
        let output = command.current_dir(self.story.path("INF101")).output();
        Said::of(output.expect("awale")).with_code(0)
    }

    /// The rows of the grades by the first names of the people.
    fn grades(&self) -> Rows {
        let rows = self.story.rows("INF101/results/class/grades.csv");
        let named = rows.into_iter().map(|row| {
            let first = row["name"].split(' ').next().expect("a name").to_owned();
            (first, row)
        });
        named.collect()
    }

    fn alias(&self, name: &str) -> String {
        self.grades()[name]["entrant"].clone()
    }

    fn feedback(&self, name: &str) -> String {
        let label = self.alias(name).replace(' ', "-");
        let path = format!("INF101/results/class/feedback/{label}/feedback.txt");
        self.story.read(&path)
    }
}

fn starter(path: &str) -> Vec<u8> {
    let path = format!("{}/bots/{path}", env!("CARGO_MANIFEST_DIR"));
    fs::read(path).expect("a starter bot")
}

/// The grades by the first names of the people.
type Rows = BTreeMap<String, BTreeMap<String, String>>;

#[test]
fn a_class_plays_four_weeks_from_the_zip_to_the_gradebook() {
    let mut course = Course::new();
    let first = first_week(&mut course);
    second_week(&mut course, &first);
    let third = third_week(&mut course);
    final_of_the_best(&course);
    gradebook(&course, &third);
}

fn first_week(course: &mut Course) -> Rows {
    let people: Vec<_> = PEOPLE.iter().filter(|it| is_here(it.3)).collect();
    // The first week: everybody but Lou; Kim's file has one ending too many.
    for (name, file, path, _) in &people {
        course.hand_in(name, &[(file, &starter(path))], 4);
    }
    if is_here("cargo") {
        let files = ["Cargo.toml", "src/main.rs"].map(|it| (it, starter(&format!("rust/{it}"))));
        let files = [&files[0], &files[1]].map(|(name, bytes)| (*name, bytes.as_slice()));
        course.hand_in("Gus", &files, 4);
    }
    course.hand_in("Kim", &[("main.py.txt", &starter("python/bot.py"))], 4);
    course.week("week-1");
    let first = course.grades();
    assert_eq!(first.len(), 12, "nobody vanishes: {first:?}");
    for (name, ..) in &people {
        assert_eq!(
            first[*name]["admitted"], "yes",
            "{name}: {:?}",
            first[*name]
        );
        assert_eq!(first[*name]["points"], "100", "{name}: {:?}", first[*name]);
    }
    // Equal programs have played equal games.
    for column in [
        "score_random",
        "low_random",
        "score_greedy",
        "placement",
        "points_for",
    ] {
        assert_eq!(first["Ada"][column], first["Ben"][column], "{column}");
    }
    has(&first["Kim"]["reason"], "main.py.txt");
    assert_eq!(first["Lou"]["reason"], "nothing was handed in");
    assert_eq!(
        [&first["Kim"], &first["Lou"]].map(|it| &*it["points"]),
        ["0", "0"]
    );
    first
}

fn second_week(course: &mut Course, first: &Rows) {
    // The second: Hal's new program is broken, Kim's is repaired.
    course.hand_in("Hal", &[("main.py", b"raise SystemExit('no')\n")], 9);
    course.hand_in("Kim", &[("main.py", &starter("python/bot.py"))], 9);
    course.week("week-2");
    let second = course.grades();
    has(
        &second["Hal"]["version"],
        "version of 2026-12-04; that of 2026-12-09 is not admitted",
    );
    for column in ["points", "score_random", "score_greedy", "games"] {
        assert_eq!(second["Hal"][column], first["Hal"][column], "{column}");
    }
    assert_eq!(second["Kim"]["points"], "100");
    has(&course.feedback("Kim"), "since week-1: ");
    has(&course.feedback("Kim"), "0 → 100 points");
    has(&course.feedback("Hal"), "version of 2026-12-04");
    let page = course.story.read("INF101/results/class/report.html");
    has(&page, &second["Hal"]["version"]);
}

fn third_week(course: &mut Course) -> Rows {
    // The third: Ivy is late, and Jo has left.
    let mut changed = starter("python/bot.py");
    changed.extend_from_slice(b"\n# again\n");
    course.hand_in("Ivy", &[("main.py", &changed)], 12);
    let roster = course.story.read("INF101/roster.csv");
    let rows: Vec<String> = roster
        .lines()
        .map(|row| {
            let has_left = row.contains("Jo Example");
            let status = if has_left { ",withdrawn," } else { ",active," };
            row.replacen(",active,", status, 1)
        })
        .collect();
    assert_ne!(rows.join("\n"), roster.trim_end());
    course
        .story
        .write("INF101/roster.csv", rows.join("\n") + "\n");
    course.week("week-3");
    let third = course.grades();
    assert_eq!(
        [&*third["Ivy"]["late"], &*third["Ivy"]["points"]],
        ["yes", "90"]
    );
    assert_eq!(third["Jo"]["status"], "withdrawn");
    let page = course.story.read("INF101/results/class/report.html");
    lacks(&page, &course.alias("Jo"));
    lacks(&page, "Example");
    has(&page, &course.alias("Ada"));
    third
}

fn final_of_the_best(course: &Course) {
    // The fourth: a final of the best.
    let config = course.story.read("INF101/class.toml");
    course.story.write(
        "INF101/final.toml",
        config.replace(
            "house-pairs = 2",
            "best = 2\nbest-of = \"results/class\"\nhouse-pairs = 2",
        ),
    );
    let mut command = course.story.command("run final.toml --i-trust-these-bots");
    let output = command.current_dir(course.story.path("INF101")).output();
    Said::of(output.expect("awale")).with_code(0);
    let finalists = course.story.rows("INF101/results/final/grades.csv");
    // Who has left, was late or has handed in nothing is not among them; who is level is.
    let folders: Vec<&str> = finalists.iter().map(|it| &*it["folder"]).collect();
    assert!(folders.len() >= 2, "{folders:?}");
    let others = ["ivy-example", "jo-example", "lou-example"];
    assert!(!others.iter().any(|it| folders.contains(it)), "{folders:?}");
    for row in &finalists {
        assert_eq!(row["points"], "100", "{row:?}");
    }
}

/// The grades go back to the platform.
fn gradebook(course: &Course, third: &Rows) {
    course.story.ok("class export --course INF101");
    let gradebook = course.story.read("INF101/export/gradebook.csv");
    let mut lines = gradebook.lines();
    assert_eq!(
        lines.next(),
        Some("Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade)")
    );
    let mut rows: Vec<&str> = lines.collect();
    rows.sort_unstable();
    let names: Vec<&str> = PEOPLE.iter().map(|it| it.0).chain(OTHERS).collect();
    let handed_in = |name: &&str| {
        let folder = format!("{name} Example_");
        course.handed_in.keys().any(|it| it.starts_with(&folder)) && *name != "Jo"
    };
    let mut expected: Vec<String> = names
        .iter()
        .enumerate()
        .filter(|(_, name)| handed_in(name))
        .map(|(number, name)| {
            let points = &third[*name]["points"];
            format!(
                "Participant {},{name} Example,,Submitted for grading,{points},100,-",
                number + 1
            )
        })
        .collect();
    expected.sort_unstable();
    assert_eq!(rows, expected);
    let weeks = fs::read_dir(course.story.path("INF101/results/class/weeks")).expect("weeks");
    assert_eq!(weeks.count(), 3);
}
