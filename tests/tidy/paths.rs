//! Which paths a file names, and what they lead to: a room of the crate, or a crate outside.
//! Follows `crate`, `self`, any number of `super`, groups, and names that `use` has given.

use super::source::{Source, Token};
use std::collections::BTreeMap;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A path from the root of the crate; empty for the root itself.
    Inside(Vec<String>),
    /// A path that begins with the name of a crate.
    Outside(Vec<String>),
}

/// A path that a file names.
#[derive(Clone, Debug)]
pub struct Named {
    /// Where it leads.
    pub target: Target,
    /// Its line.
    pub line: usize,
    /// The name that `pub use` gives it for others.
    pub exported_as: Option<String>,
}

/// A path as it stands there, with the module that it stands in.
#[derive(Clone, Debug)]
struct Written {
    segments: Vec<String>,
    module: Vec<String>,
    line: usize,
    exported_as: Option<String>,
}

/// The paths of `source` that lead into the crate or to one of `crates`, in order.
pub fn named_paths(source: &Source, crates: &[String]) -> Vec<Named> {
    let mut reader = Reader {
        tokens: &source.tokens,
        modules: vec![(module_of(&source.path), 0)],
        depth: 0,
        exports: false,
        written: Vec::new(),
        given: BTreeMap::new(),
    };
    reader.read();
    let resolve = |written: &Written| {
        let target = resolve(written, &reader.given, crates, 8)?;
        Some(Named {
            target,
            line: written.line,
            exported_as: written.exported_as.clone(),
        })
    };
    reader.written.iter().filter_map(resolve).collect()
}

/// `src/bot/lines.rs` → `bot`, `lines`.
pub fn module_of(path: &str) -> Vec<String> {
    let path = path.strip_prefix("src/").unwrap_or(path);
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let names = path.split('/');
    names
        .filter(|name| !matches!(*name, "mod" | "lib" | "main"))
        .map(str::to_owned)
        .collect()
}

fn resolve(
    written: &Written,
    given: &BTreeMap<String, Written>,
    crates: &[String],
    patience: u8,
) -> Option<Target> {
    let (first, rest) = written.segments.split_first()?;
    let from = |base: &[String], rest: &[String]| Target::Inside([base, rest].concat());
    match first.as_str() {
        "crate" => Some(from(&[], rest)),
        "self" => Some(from(&written.module, rest)),
        "super" => {
            let ups = 1 + rest.iter().take_while(|name| *name == "super").count();
            let base = &written.module[..written.module.len().saturating_sub(ups)];
            Some(from(base, &rest[ups - 1..]))
        }
        name => {
            if let Some(origin) = given.get(name).filter(|_| patience > 0) {
                let mut longer = origin.clone();
                longer.segments.extend_from_slice(rest);
                // `use serde;` gives a name to itself.
                if origin.segments[0] != name {
                    return resolve(&longer, given, crates, patience - 1);
                }
            }
            match name {
                // Only the program, `main`, calls its own library by name.
                "awale" => Some(from(&[], rest)),
                "std" | "core" | "alloc" => Some(Target::Outside(written.segments.clone())),
                name if crates.iter().any(|known| known == name) => {
                    Some(Target::Outside(written.segments.clone()))
                }
                _ => None,
            }
        }
    }
}

struct Reader<'a> {
    tokens: &'a [Token],
    /// Paths of the modules around, each with the depth of braces that it was opened at.
    modules: Vec<(Vec<String>, usize)>,
    depth: usize,
    /// Whether the `use` that is being read begins with `pub`.
    exports: bool,
    written: Vec<Written>,
    /// What `use` calls by which name.
    given: BTreeMap<String, Written>,
}

impl Reader<'_> {
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &token.text)
    }

    fn is_word(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(Token::is_word)
    }

    fn read(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            at = self.step(at);
        }
    }

    /// Reads what begins at `at`; returns where to go on.
    fn step(&mut self, at: usize) -> usize {
        match self.text(at) {
            "{" => self.depth += 1,
            "}" => {
                self.depth = self.depth.saturating_sub(1);
                if self.modules.len() > 1 && self.modules[self.modules.len() - 1].1 == self.depth {
                    self.modules.pop();
                }
            }
            "mod" if self.text(at + 2) == "{" => {
                let module = [self.module(), &[self.text(at + 1).to_owned()]].concat();
                self.modules.push((module, self.depth));
                self.depth += 1;
                return at + 3;
            }
            // The name of a child module begins a path, as an imported name does.
            "mod" if self.text(at + 2) == ";" => self.declare(at + 1),
            // `pub(in some::path)` says who may see an item, and names nothing.
            "pub" if self.text(at + 1) == "(" && self.text(at + 2) == "in" => {
                let after = self.tokens.iter().skip(at);
                return at + after.take_while(|token| token.text != ")").count();
            }
            // `impl Trait + use<'a>` is not an import.
            "use" if self.text(at + 1) != "<" => {
                self.exports = at > 0 && matches!(self.text(at - 1), "pub" | ")");
                return self.read_use(at + 1, &[]) + 1;
            }
            _ if self.begins_path(at) => return self.read_path(at),
            _ => {}
        }
        at + 1
    }

    fn module(&self) -> &[String] {
        &self.modules[self.modules.len() - 1].0
    }

    fn begins_path(&self, at: usize) -> bool {
        let continues = at > 1
            && self.text(at - 1) == "::"
            && (self.is_word(at - 2) || self.text(at - 2) == ">");
        self.is_word(at) && self.text(at + 1) == "::" && !continues
    }

    fn read_path(&mut self, at: usize) -> usize {
        let mut segments = vec![self.text(at).to_owned()];
        let mut end = at + 1;
        while self.text(end) == "::" && self.is_word(end + 1) {
            segments.push(self.text(end + 1).to_owned());
            end += 2;
        }
        self.write(segments, self.tokens[at].line);
        end
    }

    fn write(&mut self, segments: Vec<String>, line: usize) {
        let written = self.at_place(segments, line);
        self.written.push(written);
    }

    fn at_place(&self, segments: Vec<String>, line: usize) -> Written {
        Written {
            segments,
            module: self.module().to_vec(),
            line,
            exported_as: None,
        }
    }

    /// Reads `mod name;`, the name at `at`.
    fn declare(&mut self, at: usize) {
        let name = self.text(at).to_owned();
        let child = self.at_place(vec!["self".to_owned(), name.clone()], self.tokens[at].line);
        self.given.insert(name, child);
    }

    /// Reads one tree of a `use`; returns the index of the sign after it.
    fn read_use(&mut self, from: usize, prefix: &[String]) -> usize {
        let (mut segments, mut at) = (prefix.to_vec(), from);
        loop {
            match self.text(at) {
                "::" => {}
                "{" => {
                    while at < self.tokens.len() && self.text(at) != "}" {
                        at = self.read_use(at + 1, &segments);
                    }
                    return at + 1;
                }
                "*" => segments.push("*".to_owned()),
                "as" => {
                    let name = self.text(at + 1).to_owned();
                    self.give(name, segments, self.tokens[at].line);
                    return at + 2;
                }
                _ if self.is_word(at) => segments.push(self.text(at).to_owned()),
                _ => break,
            }
            at += 1;
        }
        if segments.len() > prefix.len() {
            let named = segments.iter().rev().find(|name| *name != "self");
            let name = named.cloned().unwrap_or_default();
            self.give(name, segments, self.tokens[at - 1].line);
        }
        at
    }

    fn give(&mut self, name: String, mut segments: Vec<String>, line: usize) {
        if segments.len() > 1 && segments.last().is_some_and(|last| last == "self") {
            segments.pop();
        }
        let mut written = self.at_place(segments, line);
        written.exported_as = self.exports.then(|| name.clone());
        if name != "*" {
            self.given.insert(name, written.clone());
        }
        self.written.push(written);
    }
}
