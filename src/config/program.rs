//! From an entrant's command to a program that can be started, and to its identity.

use super::error::Diagnostic;
use super::finder::{Finder, unreadable};
use super::keys::tables::{TypedEntrant, TypedStart};
use super::locate::{check_script, special};
use super::trust::real;
use crate::bot::{FileAccess, Launch, Level};
use crate::config::error::wrong;
use crate::config::file_access::EntrantFiles;
use crate::config::found_program::FoundProgram;
use crate::config::host_env::OURSELVES;
use std::path::PathBuf;

impl Finder<'_> {
    /// The entrant's program, or for a record the parts of it that exist here.
    pub fn find_or_list(
        &mut self,
        entrant: &TypedEntrant,
        most_bytes: u64,
        is_record: bool,
    ) -> Result<FoundProgram, Diagnostic> {
        if is_record {
            Ok(self.list(entrant, most_bytes))
        } else {
            self.find(entrant, most_bytes)
        }
    }

    /// The program of a class's folder, which may be wrong in every way: only this entrant is not
    /// admitted then. Its files decide its command.
    ///
    /// # Errors
    /// The host cannot read its files.
    pub fn find_submitted(
        &mut self,
        entrant: &mut TypedEntrant,
        starts: &[TypedStart],
        most_bytes: u64,
    ) -> Result<FoundProgram, Diagnostic> {
        let directory = self.directory(entrant)?;
        let start = self.reader(entrant, &directory, most_bytes).start(starts);
        let start = start.map_err(|error| unreadable(entrant, &directory, &error))?;
        let unfit = |finder: &Self, reason: String| {
            let files = EntrantFiles::unfit(reason);
            finder.program(entrant, PathBuf::new(), directory.clone(), files)
        };
        let start = match start {
            Ok(start) => start,
            Err(reason) => return Ok(unfit(self, reason)),
        };
        let started = TypedEntrant {
            command: start.command.clone(),
            build: start.build.clone(),
            tools: start.tools.clone(),
            ..entrant.clone()
        };
        let found = self.find(&started, most_bytes);
        let found = found.unwrap_or_else(|problem| unfit(self, problem.message));
        *entrant = started;
        Ok(found)
    }

    /// The entrant's program, whose files may have this many bytes.
    pub fn find(
        &mut self,
        entrant: &TypedEntrant,
        most_bytes: u64,
    ) -> Result<FoundProgram, Diagnostic> {
        let name = &entrant.name.value;
        let words = &entrant.command;
        let Some((first, arguments)) = words.value.split_first() else {
            return Err(wrong(
                name,
                &words.origin,
                format!(
                    "`command` is empty; it takes a program and its arguments, as in {}",
                    self.medium.command(&["python3", "ada.py"])
                ),
            ));
        };
        let directory = self.directory(entrant)?;
        if first.value == OURSELVES {
            let words: Vec<&str> = words.value.iter().map(|word| word.value.as_str()).collect();
            (self.host_env.house.check)(&words, self.medium)
                .map_err(|message| wrong(name, &entrant.command.origin, message))?;
            return Ok(self.house_bot(entrant, directory));
        }
        if let Some(first_build) = entrant.build.first() {
            return self.find_built(entrant, first_build, directory, most_bytes);
        }
        let program = self.locator().locate(name, first, &directory)?;
        if let Some(reason) = special(&program) {
            return Ok(self.program(entrant, program, directory, EntrantFiles::unfit(reason)));
        }
        check_script(name, arguments, &directory, self.medium)?;
        let unlinked = self.leads_elsewhere(entrant, &directory);
        let files = match unlinked.filter(|_| self.level > Level::None) {
            Some(reason) => EntrantFiles::unfit(reason),
            None => self.read_files(entrant, &program, &directory, most_bytes)?,
        };
        let mut found = self.program(entrant, program, directory, files);
        if self.level > Level::None && found.unfit.is_none() {
            self.equip(entrant, &mut found.launch)?;
        }
        Ok(found)
    }

    /// The parts of the entrant's program that exist on this machine: all of it may be missing, and
    /// no program is started. Only existing files have hashes.
    fn list(&mut self, entrant: &TypedEntrant, most_bytes: u64) -> FoundProgram {
        let words = &entrant.command.value;
        let directory = match &entrant.dir {
            Some(dir) => real(&self.folder.join(&dir.value)),
            None => self.folder.to_owned(),
        };
        let Some(first) = words.first() else {
            // A folder of a class that nothing could start.
            return self.program(entrant, PathBuf::new(), directory, EntrantFiles::default());
        };
        if first.value == OURSELVES {
            return self.house_bot(entrant, directory);
        }
        let program = self
            .locator()
            .locate(&entrant.name.value, first, &directory);
        let program = program.unwrap_or_default();
        let files = self.read_files(entrant, &program, &directory, most_bytes);
        let files = files.unwrap_or_default();
        let found = self.program(entrant, program, directory, files);
        let tools = entrant.build.first().map(|first| {
            let tools = self.tools(entrant, first, &found.launch.directory);
            tools.unwrap_or_default()
        });
        let launch = Launch {
            arguments: Vec::new(),
            file_access: FileAccess::default(),
            ..found.launch
        };
        FoundProgram {
            launch,
            tools: tools.unwrap_or_default(),
            unfit: None,
            ..found
        }
    }
}
