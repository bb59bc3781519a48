//! Small bots in Python, each with one mistake that beginners make.

/// A bot that makes no mistake. It is started many times, and reads what it is sent as Python: a
/// third of every start is saved.
pub const HONEST: &str = include_str!("honest.py");
/// Mistakes, and what is no mistake, but worth a note.
pub const MISTAKES: &str = include_str!("mistakes.txt");
pub const NOTED: &str = include_str!("notes.txt");
/// It moves, but far too late: under a clock of 10 ms.
pub const TOO_SLOW: &str = "thinks too long | in-time | leave a tenth of the time unused
-pit = message[\"legal\"][0]
+pit = message[\"legal\"][0]; import time; time.sleep(0.025)";

/// A mistake: the lines that are changed, and what must be said of it.
pub struct Mistake {
    pub name: &'static str,
    /// What is replaced in [`HONEST`], and by what.
    changes: Vec<(&'static str, String)>,
    /// The step that must be red, the only one.
    pub red: &'static str,
    /// What must be in the hint, or in what happened.
    pub said: &'static str,
}

impl Mistake {
    /// Reads a part of a table, which `mistakes.txt` describes.
    pub fn parse(text: &'static str) -> Self {
        let mut lines = text.lines().skip_while(|line| line.starts_with('#'));
        let head: Vec<&str> = lines.next().expect("a name").split(" | ").collect();
        let [name, red, said] = head[..] else {
            panic!("{head:?} is not a name, a step and what is said");
        };
        let mut changes: Vec<(&str, String)> = Vec::new();
        for line in lines {
            let (sign, code) = line.split_at(1);
            if sign == "-" {
                changes.push((code, String::new()));
                continue;
            }
            let (_, added) = changes.last_mut().expect("a line that is replaced");
            added.push_str(if added.is_empty() { "" } else { "\n" });
            added.push_str(code);
        }
        Self {
            name,
            changes,
            red,
            said,
        }
    }

    /// All parts of a table but its head.
    pub fn all(table: &'static str) -> Vec<Self> {
        table.split("\n\n").skip(1).map(Self::parse).collect()
    }

    pub fn changes(&self) -> Vec<(&str, &str)> {
        let changes = self.changes.iter();
        changes.map(|(from, to)| (*from, to.as_str())).collect()
    }
}
