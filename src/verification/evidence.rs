//! Checks the evidence of faults: each game that ended by a fault has a folder that agrees with the
//! journal, and no other game has one. Files in `faults/` may come from anyone: only regular files
//! are read, up to a bound, and links are not followed.

use super::findings::{Check, FindingPlace, Findings, Severity, short};
use super::transcript;
use crate::files::Folder;
use crate::record::{Fault, GameEnding, GameId, GameRecord, is_of_labels};
use crate::rules::{Side, moves_text};
use crate::run_folder::RunFolder;
use crate::run_folder::evidence::FaultPage;
use crate::run_folder::evidence::{
    ADMISSION, FAULTS, FORMAT, MOST_MIB, OPPONENT_TRANSCRIPT, PAGE, PAGE_ALONE, PART, TRANSCRIPT,
};
use crate::tournament::Plan;
use std::collections::BTreeSet;
use std::io;

/// MiB of a page: the moves of the longest game, a command and an environment are much smaller.
const MOST_PAGE_MIB: u64 = 8;
/// The most unexplained names in `faults/` that are searched.
const MOST_NAMES: usize = 1_000;
/// Bytes shown of an unknown name.
const LONGEST_NAME: usize = 80;

/// The evidence of a run.
#[derive(Debug)]
pub struct EvidenceFolders {
    /// `faults/` of the run, if it is a folder.
    folder: Option<Folder>,
    /// Ids of games that ended by a fault.
    faulty: BTreeSet<String>,
    /// The number of them whose moves were compared, and of those with only a page.
    compared: usize,
    pages: usize,
    missing: usize,
    /// Bytes of transcripts that were read.
    bytes: u64,
}

impl EvidenceFolders {
    /// The evidence of a run.
    pub fn of(run: &RunFolder) -> Self {
        Self {
            folder: run.files().below(FAULTS).ok(),
            faulty: BTreeSet::new(),
            compared: 0,
            pages: 0,
            missing: 0,
            bytes: 0,
        }
    }

    /// Compares the evidence of a game with its record.
    pub fn compare(&mut self, plan: &Plan, record: &GameRecord, findings: &mut Findings) {
        let GameEnding::Fault(side, fault) = &record.ending else {
            return;
        };
        let name = record.id.to_string();
        self.faulty.insert(name.clone());
        let Some(faults) = &self.folder else {
            self.missing += 1;
            return;
        };
        let place =
            |file: &str| FindingPlace::file(&format!("{FAULTS}/{name}{file}")).of(&record.id);
        let folder = match faults.below(&name) {
            Ok(folder) => folder,
            Err(error) => {
                self.missing += 1;
                let message = match error.kind() {
                    io::ErrorKind::NotFound => {
                        "the evidence of this fault is not here: it was taken away, or the disk \
                         did not take it when the game was played"
                    }
                    _ => "it is not a folder, and no link is followed",
                };
                return findings.warning(Check::Evidence, place(""), message);
            }
        };
        match self.compare_folder(&folder, plan, record, (*side, fault)) {
            Ok(true) => self.compared += 1,
            Ok(false) => self.pages += 1,
            Err((file, (weight, message))) => {
                let place = place(&format!("/{file}"));
                findings.add(weight, Check::Evidence, place, &message);
            }
        }
    }

    /// Whether all of it could be compared, and not only its page: the run had kept too much
    /// evidence already.
    fn compare_folder(
        &mut self,
        folder: &Folder,
        plan: &Plan,
        record: &GameRecord,
        (side, fault): (Side, &Fault),
    ) -> Result<bool, (&'static str, Told)> {
        let of_page = |told| (PAGE, told);
        let page = read(folder, PAGE, MOST_PAGE_MIB).map_err(of_page)?;
        let page = String::from_utf8_lossy(&page);
        compare_page(&page, record, (side, fault)).map_err(of_page)?;
        if page.starts_with(PAGE_ALONE) && folder.kind(TRANSCRIPT).is_none() {
            return Ok(false);
        }
        // In a blind tournament, the ids that bots were told are unknown only for the oldest
        // formats.
        let is_known = !plan.blind || plan.secret.is_some();
        let id = is_known.then(|| plan.told_id(&record.id));
        let files = [(TRANSCRIPT, side), (OPPONENT_TRANSCRIPT, side.opponent())];
        for (file, side) in files {
            let text = self.transcript(folder, file).map_err(|it| (file, it))?;
            let game = (record, id.as_deref());
            if let Some(message) = transcript::difference(&text, side, game, plan.rules) {
                return Err((file, problem(message)));
            }
        }
        Ok(true)
    }

    /// A transcript, as long as all of them together do not exceed what a run keeps.
    fn transcript(&mut self, folder: &Folder, file: &str) -> Result<Vec<u8>, Told> {
        let text = read(folder, file, MOST_MIB)?;
        self.bytes = self.bytes.saturating_add(text.len() as u64);
        if self.bytes > MOST_MIB << 20 {
            let message = format!(
                "with it there are more than {MOST_MIB} MiB of transcripts, and no run keeps more"
            );
            return Err(problem(message));
        }
        Ok(text)
    }

    /// After the last game: reports missing evidence, and evidence of other games. `is_whole`: all
    /// games of the run are known, and no run is playing.
    pub fn conclude(&self, is_whole: bool, findings: &mut Findings) {
        let faults = self.faulty.len();
        if self.folder.is_none() {
            if faults > 0 {
                let message = format!(
                    "there is no such folder, and {faults} games ended by a fault: what happened \
                     in them cannot be compared. Evidence may have been taken away before the \
                     folder was handed on; it is not part of any table"
                );
                findings.warning(Check::Evidence, FindingPlace::file(FAULTS), &message);
            }
        } else if is_whole {
            self.look_for_others(findings);
        }
        let what = match (faults, self.pages) {
            (0, _) => "no game ended by a fault".to_owned(),
            (_, 0) => format!("{} of {faults} faults compared", self.compared),
            (_, pages) => format!(
                "{} of {faults} faults compared, of {pages} more only {PAGE} is kept",
                self.compared
            ),
        };
        findings.done(Check::Evidence, what);
    }

    fn look_for_others(&self, findings: &mut Findings) {
        let names = self.folder.as_ref().map(|folder| folder.names(""));
        let names = match names.unwrap_or_else(|| Ok(Vec::new())) {
            Ok(names) => names,
            Err(error) => {
                let message = format!("cannot list it: {error}");
                return findings.warning(Check::Evidence, FindingPlace::file(FAULTS), &message);
            }
        };
        let others = names.iter().filter(|name| !self.explains(name));
        for name in others.take(MOST_NAMES) {
            let shown = short(name, LONGEST_NAME);
            let place = FindingPlace::file(&format!("{FAULTS}/{shown}"));
            if let Ok(game) = name.parse::<GameId>() {
                let message = "it is the evidence of a fault, and the journal has no such game \
                               that ended by one";
                findings.problem(Check::Evidence, place.of(&game), message);
            } else if name.starts_with('.') && name.ends_with(PART) {
                let message = "a run that was killed while it wrote this left it, and the same \
                               `awale run` clears it";
                findings.warning(Check::Evidence, place, message);
            } else {
                let message = "no run writes anything of this name there";
                findings.warning(Check::Evidence, place, message);
            }
        }
    }

    /// Whether the run could have written a file of this name.
    fn explains(&self, name: &str) -> bool {
        if self.faulty.contains(name) {
            return true;
        }
        let label = name.strip_prefix(ADMISSION);
        label.is_some_and(|label| !label.is_empty() && label.bytes().all(is_of_labels))
    }
}

/// Why something could not be compared, or what is different.
type Told = (Severity, String);

/// Whether `fault.toml` describes this fault.
fn compare_page(
    page: &str,
    record: &GameRecord,
    (side, fault): (Side, &Fault),
) -> Result<(), Told> {
    let page: FaultPage = toml::from_str(page)
        .map_err(|error| problem(format!("it is damaged: {}", error.message())))?;
    if page.format != FORMAT {
        return Err(warning(format!(
            "it has format {}, and this awale reads format {FORMAT}",
            page.format
        )));
    }
    let [entrant, opponent] = [side, side.opponent()].map(|it| &record.entrants[it.index()]);
    let id = record.id.to_string();
    let moves = moves_text(&record.moves());
    let start = record.start.to_string();
    for (key, there, here) in [
        ("game", page.fault.game.as_str(), id.as_str()),
        ("entrant", &page.fault.entrant, entrant),
        ("opponent", &page.fault.opponent, opponent),
        ("side", &page.fault.side, side.name()),
        ("kind", &page.fault.kind, fault.kind.name()),
        ("start", &page.position.start, &start),
        ("moves", &page.position.moves, &moves),
    ] {
        if there != here {
            return Err(problem(format!(
                "{key} is {}, and in the journal {}",
                short(there, LONGEST_VALUE),
                short(here, LONGEST_VALUE)
            )));
        }
    }
    Ok(())
}

const fn problem(message: String) -> Told {
    (Severity::Problem, message)
}

const fn warning(message: String) -> Told {
    (Severity::Warning, message)
}

/// Characters shown of a value.
const LONGEST_VALUE: usize = 200;

fn read(folder: &Folder, file: &str, most_mib: u64) -> Result<Vec<u8>, Told> {
    folder
        .read(file, most_mib)
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => warning(
                "it is not here: it was taken away, or the disk did not take it when the game was \
             played"
                    .to_owned(),
            ),
            io::ErrorKind::PermissionDenied => warning(format!("it cannot be read: {error}")),
            _ => problem(format!("it cannot be compared: {error}")),
        })
}
