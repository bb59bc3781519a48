//! A run whose plan has changed since its folder was played: what follows from that, and whether it
//! may be played.

use crate::cli::exit::{Failure, tell};
use crate::record::GameSummary;
use crate::run_folder::{FoundJournal, JournalGames};
use crate::text::{counted, printable};
use crate::tournament::{KeyDifference, Phase, Plan, PlanChange, RunDocument, Schedule};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use tokio::sync::watch;

/// What a run does if its plan is not the one of its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnChange {
    /// It refuses.
    Refuse,
    /// It says what follows, and asks a person, if there is one.
    Ask,
    /// It says what follows, and plays that.
    Play,
}

/// A change of the plan of a run that has games.
pub struct Update<'a> {
    /// The plan that the games in the folder follow.
    pub earlier: &'a RunDocument,
    /// What of the journal counts for it.
    pub before: &'a JournalGames,
    /// The present plan.
    pub plan: &'a Plan,
    /// Its schedule.
    pub schedule: &'a Schedule,
    /// What of the journal counts for the present plan.
    pub found: &'a FoundJournal,
    /// The run's folder.
    pub folder: &'a Path,
}

impl Update<'_> {
    /// Says what follows from the change, a line for each cause.
    pub fn describe(&self) -> String {
        let change = PlanChange::between(&self.earlier.plan, self.plan);
        let folder = printable(&self.folder.to_string_lossy());
        let mut text = format!("the plan is not the one that {folder} was played with:");
        let mut line = |what: String| _ = write!(text, "\n  {what}");
        for key in &change.terms {
            line(format!("{}, which decides every game", values(key)));
        }
        for name in &change.new {
            let games = counted(self.asked_for(name), "game", "games");
            line(format!("{} is new: {games} to play", printable(name)));
        }
        for (name, keys) in &change.changed {
            line(self.changed(name, keys));
        }
        for name in &change.left {
            let before = of_entrant(self.before, name);
            line(format!("{} left{}", printable(name), no_longer(before)));
        }
        for (left, new) in self.renamed(&change) {
            let [left, new] = [left, new].map(printable);
            line(format!(
                "{new} is the program of {left}: openings and seeds follow names, so a new name \
                 is one entrant gone and one new"
            ));
        }
        if change.is_reordered {
            line(
                "entrants are listed in another order: the one listed first is South in the first \
                 game of a pair, and those that have changed places meet anew"
                    .to_owned(),
            );
        }
        for key in &change.choices {
            line(values(key));
        }
        let stay = self.found.progress.games_done();
        let open = self.schedule.game_count().saturating_sub(stay);
        let stay = counted(stay, "game stays", "games stay");
        let open = counted(open, "is to be played", "are to be played");
        let _ = write!(text, "\n{stay}, {open}");
        text
    }

    fn changed(&self, name: &str, keys: &[KeyDifference]) -> String {
        let keys: Vec<String> = keys.iter().map(|key| printable(&key.key)).collect();
        let (name_shown, keys) = (printable(name), keys.join(", "));
        let (before, asked_for) = (of_entrant(self.before, name), self.asked_for(name));
        if before == asked_for {
            let games = counted(before, "game is", "games are");
            return format!("{name_shown} changed ({keys}): its {games} played again");
        }
        let games = counted(asked_for, "game", "games");
        format!(
            "{name_shown} changed ({keys}): {games} to play{}",
            no_longer(before)
        )
    }

    /// The games that the plan asks of an entrant.
    fn asked_for(&self, name: &str) -> usize {
        let has = |entrant: &crate::tournament::EntrantIndex| {
            self.plan.entrants[entrant.index()].name == name
        };
        let pairs = self.schedule.pairs.iter();
        2 * pairs.filter(|pair| pair.entrants.iter().any(has)).count()
    }

    /// Entrants that left and new ones with the same program.
    fn renamed<'c>(&self, change: &'c PlanChange) -> Vec<(&'c str, &'c str)> {
        let program = |plan: &Plan, name: &str| {
            let entrant = plan.entrants.iter().find(|it| it.name == name)?;
            Some(entrant.program.clone())
        };
        let mut renamed = Vec::new();
        for left in &change.left {
            let there = program(&self.earlier.plan, left);
            let same = |new: &&String| program(self.plan, new) == there;
            renamed.extend(change.new.iter().filter(same).map(|new| (&**left, &**new)));
        }
        renamed
    }

    /// Asks whether to play what follows, where that must be asked.
    ///
    /// # Errors
    /// It may not be played, or the question was interrupted.
    pub fn permit(
        &self,
        on_change: OnChange,
        interrupt: &watch::Receiver<Phase>,
    ) -> Result<(), Failure> {
        let text = self.describe();
        if on_change == OnChange::Play {
            tell(&text);
            return Ok(());
        }
        match answer_to(&text, interrupt)? {
            Some(true) => return Ok(()),
            Some(false) => {
                return Err(Failure::usage(
                    "nothing was played; to keep this folder as it is, choose another one with \
                     --output DIR",
                ));
            }
            None => {}
        }
        Err(Failure::usage(format!(
            "{text}\nto play that, run the same command with --update: games that no longer count \
             stay in the journal, and their evidence goes to superseded/; to keep this folder as \
             it is, choose another one with --output DIR"
        )))
    }
}

/// The number of games of an entrant that have a result.
fn of_entrant(games: &JournalGames, name: &str) -> usize {
    let has = |game: &GameSummary| game.entrants.iter().any(|it| it == name);
    games.store().results().filter(has).count()
}

fn no_longer(games: usize) -> String {
    match games {
        0 => String::new(),
        games => format!(
            ": its {} longer count",
            counted(games, "game no", "games no")
        ),
    }
}

fn values(key: &KeyDifference) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
    let [there, here] = [&key.there, &key.here].map(value);
    printable(&format!("{}: there {there}, here {here}", key.key))
}

/// Asks a person at a terminal whether to play; `None` if nobody is there.
fn answer_to(text: &str, interrupt: &watch::Receiver<Phase>) -> Result<Option<bool>, Failure> {
    let (input, error) = (std::io::stdin(), std::io::stderr());
    if !input.is_terminal() || !error.is_terminal() {
        return Ok(None);
    }
    let _ = write!(error.lock(), "{text}\nplay that? [y/N] ");
    let tick = Timespec {
        tv_sec: 0,
        tv_nsec: 100_000_000,
    };
    loop {
        let mut events = [PollFd::new(&input, PollFlags::IN)];
        // A signal may end it: the loop looks why.
        let ready = poll(&mut events, Some(&tick)).unwrap_or(0) > 0;
        if *interrupt.borrow() != Phase::Play {
            return Err(Failure::Interrupted("nothing was played"));
        }
        if ready {
            let mut line = String::new();
            let read = input.read_line(&mut line);
            read.map_err(|error| Failure::machine(format!("cannot read the answer: {error}")))?;
            return Ok(Some(matches!(line.trim(), "y" | "Y" | "yes")));
        }
    }
}
