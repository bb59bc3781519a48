//! The file of a league: a configuration to which entrants are added, and from which they are taken.
//! What people have written in it stays as it is.

use super::duel::named_bot;
use super::locate::split_adapter;
use super::names::TakenNames;
use crate::text::{did_you_mean, quoted, some_names, toml_array, toml_string};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The line before the keys of an entrant.
const ENTRANT: &str = "[[entrant]]";

/// The file of a league.
#[derive(Clone, Debug)]
pub struct LeagueFile {
    /// Everything before the first entrant, and between and after them.
    pieces: Vec<Piece>,
}

/// A part of the file.
#[derive(Clone, Debug)]
struct Piece {
    text: String,
    /// The name, if it is an entrant.
    entrant: Option<String>,
}

/// An entrant, as far as it is read here.
#[derive(Deserialize)]
struct NamedEntrant {
    entrant: [EntrantName; 1],
}

#[derive(Deserialize)]
struct EntrantName {
    name: String,
}

impl LeagueFile {
    /// The file of a new league of this name.
    pub fn new(name: &str) -> Self {
        let text = format!(
            "# A league: `awale league add`, `remove`, `play` and `table` work on its folder. Every\n\
             # key of a configuration may stand here (docs/formats.md).\n\
             [tournament]\n\
             name = {}\n\
             until = {{ error95 = 25, max-pairs = 400 }}\n",
            toml_string(name)
        );
        let entrant = None;
        Self {
            pieces: vec![Piece { text, entrant }],
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// An entrant of it has no name.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut pieces = vec![Piece {
            text: String::new(),
            entrant: None,
        }];
        let mut is_entrant = false;
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let header = line.trim_end();
            let begins = header == ENTRANT;
            // `[entrant.limits]` belongs to the entrant before it.
            let is_other = header.starts_with('[') && !header.starts_with("[entrant.");
            if begins || is_entrant && is_other {
                is_entrant = begins;
                pieces.push(Piece {
                    text: String::new(),
                    entrant: begins.then(|| number.to_string()),
                });
            }
            let last = pieces.last_mut().expect("one piece at least");
            last.text.push_str(line);
        }
        for piece in &mut pieces {
            if let Some(line) = piece.entrant.take() {
                let read: NamedEntrant = toml::from_str(&piece.text)
                    .map_err(|error| format!("the entrant in line {line}: {error}"))?;
                let [EntrantName { name }] = read.entrant;
                piece.entrant = Some(name);
            }
        }
        Ok(Self { pieces })
    }

    /// The names of the entrants.
    pub fn names(&self) -> Vec<&str> {
        let names = self.pieces.iter();
        names.filter_map(|it| it.entrant.as_deref()).collect()
    }

    /// Adds a bot that is typed as for a duel, with or without a name; `here` is where its paths
    /// begin. Returns its name.
    ///
    /// # Errors
    /// The text is no bot, or somebody has a name that looks like its own.
    pub fn add(&mut self, bot: &str, here: &Path) -> Result<String, String> {
        let (name, command) = named_bot(bot)?;
        let mut taken = TakenNames::default();
        for known in self.names() {
            taken.add(known);
        }
        if let Some(like) = taken.like(&name) {
            return Err(format!(
                "{} is in the league already; give this bot another name, as in {name}-2=\"…\"",
                quoted(like)
            ));
        }
        let (command, folder) = placed(command, here);
        let command = toml_array(command.iter().map(|it| toml_string(it)));
        let folder = folder.map(|it| format!("dir = {}\n", toml_string(&it.to_string_lossy())));
        let text = format!(
            "\n{ENTRANT}\nname = {}\ncommand = {command}\n{}",
            toml_string(&name),
            folder.unwrap_or_default()
        );
        let entrant = Some(name.clone());
        self.pieces.push(Piece { text, entrant });
        Ok(name)
    }

    /// Takes an entrant out.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn remove(&mut self, name: &str) -> Result<(), String> {
        let place = self.pieces.iter();
        let place = place
            .clone()
            .position(|it| it.entrant.as_deref() == Some(name));
        let Some(place) = place else {
            let names = self.names();
            return Err(format!(
                "there is no entrant {} in the league{}; there are {}",
                quoted(name),
                did_you_mean(name, &names, ["\"", "\""]),
                some_names(&names)
            ));
        };
        self.pieces.remove(place);
        Ok(())
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        self.pieces.iter().map(|it| it.text.as_str()).collect()
    }
}

/// A command that works from any folder, and the folder of its program: the file that the command
/// names first, with all that lies beside it.
fn placed(mut command: Vec<String>, here: &Path) -> (Vec<String>, Option<PathBuf>) {
    let path_of = |word: &String| {
        let path = here.join(split_adapter(word).1);
        path.is_file().then_some(path)
    };
    let first = command.iter().position(|word| path_of(word).is_some());
    let Some(first) = first else {
        return (command, None);
    };
    let program = path_of(&command[first]).expect("the file was there");
    let folder = program.parent().map(Path::to_path_buf);
    for (place, word) in command.iter_mut().enumerate() {
        if let Some(path) = path_of(word) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let (adapter, _) = split_adapter(word);
            *word = match (place == first, place == 0) {
                (true, true) => format!("{adapter}./{name}"),
                (true, false) => name.into_owned(),
                (false, _) => path.to_string_lossy().into_owned(),
            };
        }
    }
    (command, folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entrants_come_and_go_and_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("ada")).unwrap();
        std::fs::write(folder.path().join("ada/ada.py"), "").unwrap();
        let mut file = LeagueFile::new("spring");
        let add = |file: &mut LeagueFile, bot: &str| file.add(bot, folder.path());
        assert_eq!(add(&mut file, "greedy").unwrap(), "greedy");
        assert_eq!(add(&mut file, "a=python3 ada/ada.py --deep").unwrap(), "a");
        assert!(add(&mut file, "A=minimax").unwrap_err().contains("already"));
        let text = format!(
            "{}[entrant.limits]\nfiles = 7\n\n[clock]\nmove = \"1s\"\n",
            file.text()
        );
        let mut read = LeagueFile::read(&text).unwrap();
        assert_eq!(read.text(), text);
        assert_eq!(read.names(), ["greedy", "a"]);
        let value: toml::Table = toml::from_str(&text).unwrap();
        let ada = &value["entrant"][1];
        assert_eq!(
            ada["command"].to_string(),
            "[\"python3\", \"ada.py\", \"--deep\"]"
        );
        let dir = folder.path().join("ada");
        assert_eq!(ada["dir"].as_str(), dir.to_str());
        read.remove("a").unwrap();
        assert!(read.remove("a").unwrap_err().contains("\"greedy\""));
        let left = read.text();
        assert!(
            left.contains("[clock]") && !left.contains("files = 7"),
            "{left}"
        );
        assert_eq!(LeagueFile::read(&left).unwrap().names(), ["greedy"]);
        assert!(LeagueFile::read("[[entrant]]\ncommand = []\n").is_err());
    }

    #[test]
    fn a_program_is_started_from_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bot"), "").unwrap();
        let (command, dir) = placed(vec!["./bot".to_owned(), "bot".to_owned()], folder.path());
        let there = folder.path().join("bot");
        assert_eq!(
            command,
            ["./bot".to_owned(), there.to_string_lossy().into_owned()]
        );
        assert_eq!(dir.as_deref(), Some(folder.path()));
        let house = vec!["awale".to_owned(), "bot".to_owned(), "greedy".to_owned()];
        let nowhere = folder.path().join("ada");
        assert_eq!(placed(house.clone(), &nowhere), (house, None));
    }
}
