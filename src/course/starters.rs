//! The starter bots: those of `bots/`, under the names by which a class starts them. Beside them lie
//! two files that need no awale: `practice.py` plays a bot, `play.html` plays against its author.

use crate::report::play_page;

/// A program with which a bot practises on any system that has Python.
const PRACTICE: &str = include_str!("../../bots/practice.py");

/// What a student gets besides a starter: the names of the files, and their contents.
pub fn practice_files() -> [(&'static str, String); 2] {
    [
        ("practice.py", PRACTICE.to_owned()),
        ("play.html", play_page()),
    ]
}

/// A starter bot.
#[derive(Clone, Copy, Debug)]
pub struct Starter {
    /// The language, as it is typed.
    pub language: &'static str,
    /// The language and its version, for people.
    pub about: &'static str,
    /// Paths relative to its folder, and contents.
    pub files: &'static [(&'static str, &'static str)],
    /// The command that builds it, if it must be built.
    pub build: Option<&'static str>,
    /// The command that starts it.
    pub command: &'static str,
}

macro_rules! file {
    ($path:literal) => {
        include_str!(concat!("../../bots/", $path))
    };
}

/// A starter bot for each language.
pub const STARTERS: &[Starter] = &[
    Starter {
        language: "python",
        about: "Python 3",
        files: &[("main.py", file!("python/bot.py"))],
        build: None,
        command: "python3 main.py",
    },
    Starter {
        language: "javascript",
        about: "Node.js",
        files: &[("bot.js", file!("javascript/bot.js"))],
        build: None,
        command: "node bot.js",
    },
    Starter {
        language: "c",
        about: "C",
        files: &[("main.c", file!("c/bot.c"))],
        build: Some("cc -std=gnu11 -Wall -O2 -o bot main.c"),
        command: "./bot",
    },
    Starter {
        language: "cpp",
        about: "C++17",
        files: &[("main.cpp", file!("cpp/main.cpp"))],
        build: Some("c++ -std=c++17 -Wall -O2 -o bot main.cpp"),
        command: "./bot",
    },
    Starter {
        language: "java",
        about: "Java 11",
        files: &[("Bot.java", file!("java/Bot.java"))],
        build: Some("javac Bot.java"),
        command: "java -Xmx256m -XX:+UseSerialGC Bot",
    },
    Starter {
        language: "rust",
        about: "Rust",
        files: &[
            ("Cargo.toml", file!("rust/Cargo.toml")),
            ("src/main.rs", file!("rust/src/main.rs")),
        ],
        build: Some("cargo build --release"),
        command: "target/release/my-bot",
    },
    Starter {
        language: "go",
        about: "Go",
        files: &[("main.go", file!("go/main.go"))],
        build: Some("go build -o bot main.go"),
        command: "./bot",
    },
];
