//! Announces a run's beginning, entrants that drop out, and an interruption.

use super::Watcher;
use super::events::RunEvent;
use crate::cli::paint::Paint;
use crate::cli::run::ending::advice;
use crate::cli::run::estimate::about;
use crate::record::{Admission, GameEnding, GameId, GameRecord, Refusal, Withdrawal};
use crate::report::{admitted_late, shortened};
use crate::run_folder::folder_of_refusal;
use crate::text::{counted, printable};
use crate::tournament::DealtRound;
use std::path::Path;

/// Columns of what happened at a fault.
const FAULT_COLUMNS: usize = 160;

impl Watcher<'_> {
    /// The tournament and its folder.
    pub fn started(&self, name: &str, output: &Path, may_end_early: bool) {
        self.publish(|| RunEvent::Started {
            name: name.to_owned(),
            output: output.display().to_string(),
            games: self.total,
            done: self.earlier,
        });
        let name = printable(name);
        let going_on = match self.earlier {
            0 => String::new(),
            earlier => format!(", {earlier} of them played already"),
        };
        let output = printable(&output.to_string_lossy());
        let most = if may_end_early { "at most " } else { "" };
        self.announce(&format!(
            "{name}: {most}{} games{going_on}, into {output}",
            self.total
        ));
    }

    pub fn building(&self, programs: usize) {
        self.publish(|| RunEvent::Building { programs });
        let what = counted(programs, "program", "programs");
        self.announce(&format!("building {what} first"));
    }

    pub fn examining(&mut self, entrants: usize) {
        self.show_examination(entrants);
        self.publish(|| RunEvent::Examining { entrants });
        let who = match entrants {
            1 => "1 entrant plays against itself".to_owned(),
            many => format!("{many} entrants play against themselves"),
        };
        self.announce(&format!("admission: {who} and random first"));
    }

    /// Tells of an entrant's first fault as it happens; later ones are only counted.
    pub fn tell_first_fault(&mut self, record: &GameRecord) {
        let GameEnding::Fault(side, fault) = &record.ending else {
            return;
        };
        let entrant = &record.entrants[side.index()];
        if !self.faulty.insert(entrant.clone()) {
            return;
        }
        let kind = Paint::for_standard_error().red(fault.kind.name());
        self.announce(&format!(
            "{} lost {} by its first fault: {kind}: {}",
            printable(entrant),
            printable(&record.id.to_string()),
            shortened(&fault.detail, FAULT_COLUMNS)
        ));
    }

    pub fn examined(&mut self, admission: &Admission) {
        let entrant = &admission.entrant;
        self.show_examined(entrant);
        self.publish(|| {
            let refusal = admission.refusal.as_ref();
            let detail = refusal.map(Refusal::detail).or(admission.late.as_deref());
            RunEvent::Admission {
                entrant: entrant.clone(),
                admitted: refusal.is_none(),
                against: refusal.map(|it| it.against().name()),
                fault: refusal.and_then(|it| it.fault()).map(|it| it.kind.name()),
                detail: detail.map(str::to_owned),
            }
        });
        if let Some(late) = &admission.late {
            self.alert(&admitted_late(entrant, late));
        }
        if let Some(refusal) = &admission.refusal {
            let evidence = folder_of_refusal(entrant, refusal);
            let evidence = evidence.map(|folder| format!(" ({folder})"));
            let advice = advice(refusal).map(|hint| format!("; hint: {hint}"));
            self.alert(&format!(
                "{entrant} is not admitted: {}: {}{}{}",
                refusal.reason(),
                refusal.detail(),
                evidence.unwrap_or_default(),
                advice.unwrap_or_default()
            ));
        }
    }

    /// Tells how long the games will take, after the last examination.
    pub fn estimate(&mut self, admission: &Admission) {
        let Some(remaining) = &mut self.remaining else {
            return;
        };
        remaining.note_admission(admission);
        let time = self.slots.and_then(|slots| about(remaining, slots));
        if let Some(time) = time.filter(|_| self.has_examined_all()) {
            self.announce(&time);
        }
    }

    /// Something about those who play elsewhere.
    pub fn notice(&self, text: &str) {
        self.publish(|| RunEvent::Notice {
            text: text.to_owned(),
        });
        self.announce(&printable(text));
    }

    pub fn postponed(&self, entrant: &str, cause: &str) {
        self.publish(|| RunEvent::Postponed {
            entrant: entrant.to_owned(),
            cause: cause.to_owned(),
        });
        self.alert(&format!(
            "the host disturbed the examination of {entrant}, which is examined again later \
             ({cause})"
        ));
    }

    pub fn open(&self, game: &GameId, cause: &str) {
        self.publish(|| RunEvent::Open {
            game: game.to_string(),
            pair: game.pair.to_string(),
            cause: cause.to_owned(),
        });
        self.alert(&format!(
            "game {game} was void each time: its pair stays open, and is played again later \
             ({cause})"
        ));
    }

    pub fn withdrawn(&self, withdrawal: &Withdrawal) {
        let Withdrawal {
            entrant,
            after,
            faults,
            games,
        } = withdrawal;
        self.publish(|| RunEvent::Withdrawn {
            entrant: entrant.clone(),
            after: after.to_string(),
            faults: *faults,
            games: *games,
        });
        self.alert(&format!(
            "{entrant} is withdrawn after game {after}: {faults} faults in {games} games"
        ));
    }

    /// Tells who meets whom in the next round.
    pub fn dealt(&self, round: &DealtRound) {
        self.publish(|| RunEvent::Round {
            number: round.number,
            name: round.name.clone(),
            matches: round.matches.iter().map(|it| it.entrants.clone()).collect(),
            byes: round.byes.clone(),
        });
        let matches = counted(round.matches.len(), "match", "matches");
        let byes = match round.byes.as_slice() {
            [] => String::new(),
            byes => format!(", a bye for {}", byes.join(", ")),
        };
        let line = format!("{}: {matches}{byes}", round.name);
        self.announce(&printable(&line));
    }

    pub fn stopping(&self) {
        self.publish(|| RunEvent::Stopping);
        self.announce("stopping: games that are being played may end; Ctrl-C again drops them");
    }
}
