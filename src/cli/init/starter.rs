//! The starter bots, as files of a new folder. They are those of `bots/`, under the names by which
//! a class starts them.

use clap::ValueEnum;

/// A language with a starter bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// Python 3
    Python,
    /// Node.js
    Javascript,
    /// C99
    C,
    /// C++17
    Cpp,
    /// Java 11
    Java,
    /// Rust
    Rust,
    /// Go
    Go,
}

/// A starter bot.
pub struct Starter {
    /// Paths relative to its folder, and contents.
    pub files: &'static [(&'static str, &'static str)],
    /// The command that builds it, if it must be built.
    pub build: Option<&'static str>,
    /// The command that starts it.
    pub command: &'static str,
}

macro_rules! file {
    ($path:literal) => {
        include_str!(concat!("../../../bots/", $path))
    };
}

impl Language {
    /// The starter bot of this language.
    pub const fn starter(self) -> Starter {
        match self {
            Self::Python => Starter {
                files: &[("main.py", file!("python/bot.py"))],
                build: None,
                command: "python3 main.py",
            },
            Self::Javascript => Starter {
                files: &[("bot.js", file!("javascript/bot.js"))],
                build: None,
                command: "node bot.js",
            },
            Self::C => Starter {
                files: &[("main.c", file!("c/bot.c"))],
                build: Some("cc -std=c99 -O2 -o bot main.c"),
                command: "./bot",
            },
            Self::Cpp => Starter {
                files: &[("main.cpp", file!("cpp/main.cpp"))],
                build: Some("c++ -std=c++17 -O2 -o bot main.cpp"),
                command: "./bot",
            },
            Self::Java => Starter {
                files: &[("Bot.java", file!("java/Bot.java"))],
                build: Some("javac Bot.java"),
                command: "java -Xmx256m -XX:+UseSerialGC Bot",
            },
            Self::Rust => Starter {
                files: &[
                    ("Cargo.toml", file!("rust/Cargo.toml")),
                    ("Cargo.lock", file!("rust/Cargo.lock")),
                    ("src/main.rs", file!("rust/src/main.rs")),
                ],
                build: Some("cargo build --release"),
                command: "target/release/my-bot",
            },
            Self::Go => Starter {
                files: &[("main.go", file!("go/main.go"))],
                build: Some("go build -o bot main.go"),
                command: "./bot",
            },
        }
    }
}
