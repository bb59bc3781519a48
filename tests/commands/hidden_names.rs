//! A class whose names are hidden: no page and no feedback tells who somebody else is.

use super::class::{class, hand_in, run};
use super::feedback::files;
use super::story::{FIRST_LEGAL, Story};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use std::fs;
use std::io::Read as _;
use std::path::Path;

/// Alias, and what tells who somebody is: folder, name, id, email.
const PEOPLE: [(&str, [&str; 4]); 5] = [
    (
        "Quiet Heron",
        ["Lovelace Ada", "Ada Lovelace", "M7001-X", "ada@uni.example"],
    ),
    (
        "Brave Otter",
        ["babbage-77", "Charles Babbage", "M7002-X", "cb@uni.example"],
    ),
    (
        "Green Lynx",
        ["turing.at", "Alan Turing", "M7003-X", "at@uni.example"],
    ),
    (
        "Calm Raven",
        ["noether-e", "Emmy Noether", "M7004-X", "en@uni.example"],
    ),
    ("Fair Mole", ["", "Kurt Gödel", "M7005-X", "kg@uni.example"]),
];

/// A bot that says all that it knows, and ends at its first turn.
const TELLS_ALL: &str = "while read -r line; do
    echo \"$PWD $0 $line\" >&2
    case $line in
        *'\"type\":\"turn\"'*) if [ \"$bad\" ]; then exit 3; fi
            legal=${line#*'\"legal\":['}
            echo \"{\\\"type\\\":\\\"move\\\",\\\"pit\\\":${legal%%[],]*},\\\"info\\\":{\\\"at\\\":\\\"$PWD\\\"}}\"
            continue ;;
    esac
    case $line in *'\"opponent\":\"minimax-2\"'*) bad=1 ;; *'\"opponent\"'*) bad= ;; esac
";

fn hidden_class() -> Story {
    let story = class();
    let config = story.read("class.toml").replace(
        "house = [\"greedy\", \"minimax-2\"]\n",
        "house = [\"random\", \"minimax-2\"]\nnames = \"pseudonyms\"\n\
         deadline = \"2026-12-04T23:59+01:00\"\n\
         points = [{ check = 20 }, { late = -5 }, { faults = 0, points = 10 }]\n",
    );
    story.write("class.toml", config);
    let statuses = [
        ",2026-12-04T23:59:00,",
        ",2026-12-04T23:59:01,",
        "excused,,",
        "withdrawn,,",
        ",,",
    ];
    let rows = PEOPLE.iter().zip(statuses).map(|((alias, facts), rest)| {
        let [folder, name, id, email] = facts;
        format!("{folder},{name},{id},{email},{alias},{rest}\n")
    });
    let head = "folder,name,id,email,alias,status,submitted,late\n";
    story.write("roster.csv", head.to_owned() + &rows.collect::<String>());
    hand_in(&story, "Lovelace Ada/bot.sh", FIRST_LEGAL);
    let body = FIRST_LEGAL.replacen("while read -r line; do\n", TELLS_ALL, 1);
    assert_ne!(body, FIRST_LEGAL);
    hand_in(&story, "babbage-77/bot.sh", &body);
    hand_in(&story, "turing.at/Alan Turing.sh", FIRST_LEGAL);
    hand_in(&story, "noether-e/bot.sh", FIRST_LEGAL);
    story
}

/// A page with its compressed parts.
fn page(path: &Path) -> String {
    let html = fs::read_to_string(path).expect("a page");
    let mut text = html.clone();
    for block in html
        .split("<script type=\"text/plain\" id=\"games-")
        .skip(1)
    {
        let packed = block.split(['>', '<']).nth(1).expect("a block");
        let bytes = STANDARD.decode(packed).expect("base64");
        let mut unpacked = String::new();
        let read = GzDecoder::new(bytes.as_slice()).read_to_string(&mut unpacked);
        read.expect("gzip");
        text += &unpacked;
    }
    text
}

/// What a text tells of these people.
fn told<'p>(text: &str, people: impl Iterator<Item = &'p (&'p str, [&'p str; 4])>) -> Vec<String> {
    let facts = people.flat_map(|(_, facts)| *facts);
    let facts = facts.filter(|fact| !fact.is_empty() && text.contains(fact));
    facts.map(str::to_owned).collect()
}

#[test]
fn no_hand_out_tells_who_somebody_is() {
    let story = hidden_class();
    run(&story, &["--set", "tournament.logs=all"]).with_code(0);
    let public = page(&story.path("results/class/report.html"));
    assert_eq!(told(&public, PEOPLE.iter()), [""; 0]);
    // The page is not empty: it has the games, the aliases, and who had faults.
    for part in ["Quiet Heron", "Brave Otter", "crash", "\"moves\""] {
        assert!(public.contains(part), "no {part:?}");
    }
    // A student who has left is not on the page at all; the others are.
    assert!(
        !public.contains("Calm") && !public.contains("Raven"),
        "{public}"
    );
    let journal = story.read("results/class/games.jsonl");
    let is_told = |line: &str| line.contains("\"kind\":\"game\"") && line.contains("babbage-77");
    assert!(journal.lines().any(is_told), "{journal}");
    let organiser = page(&story.path("results/class/organiser.html"));
    assert!(organiser.contains("submissions/babbage-77"));
    assert!(organiser.contains("Calm Raven"));
    // Both names of everybody, and what was noticed about their programs.
    for (_, [_, name, ..]) in PEOPLE {
        assert!(organiser.contains(name), "no {name:?}");
    }
    assert!(!public.contains("same-moves"), "{public}");
    assert!(organiser.contains("same-moves"), "{organiser}");
    let notes = story.rows("results/class/notes.csv");
    assert!(
        notes.iter().any(|it| it["note"] == "same-moves"),
        "{notes:?}"
    );
    let said = story.run(&["faults", "results/class", "--entrant", "brave-otter"]);
    assert!(said.stdout.contains("crash"), "{}", said.stdout);
    for (alias, _) in PEOPLE {
        let label = alias.replace(' ', "-").to_lowercase();
        let index = story.rows("results/class/feedback/index.csv");
        let mut own = index.iter().filter(|row| row["entrant"] == alias);
        assert_eq!(own.next().expect(alias)["folder"], label);
        let handed_out = files(&story.path(&format!("results/class/feedback/{label}")));
        for file in ["feedback.html", "feedback.txt"] {
            assert!(handed_out.iter().any(|it| it.ends_with(file)), "no {file}");
        }
        for file in handed_out {
            let text = String::from_utf8(fs::read(&file).unwrap()).unwrap();
            let others = PEOPLE.iter().filter(|it| it.0 != alias);
            assert_eq!(told(&text, others), [""; 0], "in {}", file.display());
            assert!(!text.contains("The table"), "{text}");
        }
    }
    // The evidence has what the bot said of its own folder, and whom it met.
    let evidence = story.path("results/class/faults");
    let said = files(&evidence).into_iter();
    let said = said.filter(|it| it.ends_with("stderr.txt"));
    let said: String = said.map(|it| fs::read_to_string(it).unwrap()).collect();
    assert!(said.contains("submissions/babbage-77"), "{said}");
    let others = PEOPLE.iter().filter(|it| it.0 != "Brave Otter");
    assert_eq!(told(&said, others), [""; 0]);
}

#[test]
fn the_organiser_reads_who_it_was_and_what_was_late() {
    let story = hidden_class();
    run(&story, &[]).with_code(0);
    let rows = story.rows("results/class/grades.csv");
    let cells = rows.iter().map(|row| {
        let columns = [
            "entrant",
            "name",
            "folder",
            "status",
            "late",
            "admitted",
            "points",
            "most_points",
        ];
        columns.map(|column| row[column].as_str())
    });
    let cells: Vec<[&str; 8]> = cells.collect();
    assert_eq!(
        cells,
        [
            [
                "Quiet Heron",
                "Ada Lovelace",
                "Lovelace Ada",
                "",
                "",
                "yes",
                "30",
                "30"
            ],
            [
                "Brave Otter",
                "Charles Babbage",
                "babbage-77",
                "",
                "yes",
                "yes",
                "15",
                "30"
            ],
            [
                "Calm Raven",
                "Emmy Noether",
                "noether-e",
                "withdrawn",
                "",
                "yes",
                "30",
                "30"
            ],
            [
                "Green Lynx",
                "Alan Turing",
                "turing.at",
                "excused",
                "",
                "no",
                "",
                ""
            ],
            ["Fair Mole", "Kurt Gödel", "", "", "", "no", "0", "30"],
        ]
    );
    assert_eq!(rows[4]["reason"], "nothing was handed in");
    story.ok("verify results/class");
}

#[test]
fn a_name_that_cannot_be_hidden_stops_the_run() {
    for (roster, said) in [
        (
            "folder,alias\nLovelace Ada,\n",
            "the roster has no alias for the folder \"Lovelace Ada\"",
        ),
        (
            "folder,alias\nturing.at,Green Lynx\n",
            "the roster has no row for the folder \"Lovelace Ada\"",
        ),
    ] {
        let story = hidden_class();
        story.write("roster.csv", roster);
        run(&story, &["--dry-run"]).with_code(2).err_has(said);
    }
    let story = hidden_class();
    fs::remove_file(story.path("roster.csv")).expect("removed");
    let said = "names = \"pseudonyms\" in [class] needs a roster.csv";
    run(&story, &["--dry-run"]).with_code(2).err_has(said);
    let story = hidden_class();
    let deadline = ["--dry-run", "--set", "class.deadline=\"Friday\""];
    let said = run(&story, &deadline).with_code(2);
    said.err_has("`deadline` in [class] cannot be \"Friday\"");
}
