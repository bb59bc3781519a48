//! Circles between files: a file that needs another one which needs the first, perhaps through
//! more files. A re-export is followed to the file that declares the name, and is not a need of
//! the file that re-exports it.

use super::paths::{Target, module_of, named_paths};
use super::source::Source;
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use std::collections::{BTreeMap, BTreeSet};

type Module = Vec<String>;

/// Which files of the program need which.
pub struct Needs<'a> {
    files: BTreeMap<Module, &'a str>,
    /// By module and name, the path that `pub use` gives that name to.
    exports: BTreeMap<(Module, String), Module>,
    /// By both files, the names that the first needs of the second.
    names: BTreeMap<(&'a str, &'a str), BTreeSet<String>>,
}

impl<'a> Needs<'a> {
    /// Reads files of `src/`; what they are tested with is left out.
    pub fn new(sources: impl Iterator<Item = &'a Source> + Clone) -> Self {
        let modules = sources.clone().filter(|source| !source.is_test(1));
        let mut needs = Self {
            files: modules
                .map(|source| (module_of(&source.path), source.path.as_str()))
                .collect(),
            exports: BTreeMap::new(),
            names: BTreeMap::new(),
        };
        let mut paths = Vec::new();
        for source in sources {
            let module = module_of(&source.path);
            for named in named_paths(source, &[]) {
                let Target::Inside(path) = named.target else {
                    continue;
                };
                let is_export = named.exported_as.is_some();
                let is_used = |name: &String| source.mentions(name) > 1;
                if !source.is_test(named.line)
                    && (!is_export || named.exported_as.as_ref().is_some_and(is_used))
                {
                    paths.push((source.path.as_str(), path.clone()));
                }
                if let Some(name) = named.exported_as {
                    needs.exports.insert((module.clone(), name), path);
                }
            }
        }
        for (from, path) in paths {
            needs.add(from, &path);
        }
        needs
    }

    fn add(&mut self, from: &'a str, path: &[String]) {
        let Some(to) = self.declaring_file(path, 8) else {
            return;
        };
        // The crate's root only declares the rooms.
        if from != to && to != "src/lib.rs" {
            let name = path.last().cloned().unwrap_or_default();
            self.names.entry((from, to)).or_default().insert(name);
        }
    }

    /// The file that declares what a path leads to.
    fn declaring_file(&self, path: &[String], steps: u8) -> Option<&'a str> {
        let length = (0..=path.len())
            .rev()
            .find(|&length| self.files.contains_key(&path[..length]))?;
        let (module, rest) = path.split_at(length);
        if let Some((name, after)) = rest.split_first() {
            let export = self.exports.get(&(module.to_vec(), name.clone()));
            if let Some(origin) = export.filter(|_| steps > 0) {
                return self.declaring_file(&[origin, after].concat(), steps - 1);
            }
        }
        self.files.get(module).copied()
    }

    /// Each circle as a text: who needs what of whom.
    pub fn circles(&self) -> Vec<String> {
        let mut graph = DiGraph::<&str, ()>::new();
        let nodes: BTreeMap<&str, _> = self
            .files
            .values()
            .map(|file| (*file, graph.add_node(file)))
            .collect();
        for (from, to) in self.names.keys() {
            graph.add_edge(nodes[from], nodes[to], ());
        }
        let circles = tarjan_scc(&graph);
        let circles = circles.iter().filter(|nodes| nodes.len() > 1);
        circles
            .map(|nodes| {
                let files: Vec<&str> = nodes.iter().map(|node| graph[*node]).collect();
                self.described(&files)
            })
            .collect()
    }

    fn described(&self, files: &[&str]) -> String {
        let within = self
            .names
            .iter()
            .filter(|((from, to), _)| files.contains(from) && files.contains(to));
        let lines: Vec<String> = within
            .map(|((from, to), names)| format!("{from} needs {names:?} of {to}"))
            .collect();
        lines.join("\n")
    }
}
