//! A run whose plan has changed since its folder was played: what follows from that, and whether it
//! may be played.

use crate::cli::exit::{Failure, tell};
use crate::run_folder::{FolderError, FoundJournal, JournalGames, RunFolder};
use crate::text::{counted, printable};
use crate::tournament::{
    EntrantIndex, KeyDifference, Phase, Plan, PlanChange, Progress, Schedule, judge,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use tokio::sync::watch;

/// Characters that are shown of a value.
const LONGEST_VALUE: usize = 60;

/// What a run does if its plan is not the one of its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnChange {
    /// It refuses.
    Refuse,
    /// It says what follows, and asks a person, if there is one.
    Ask,
    /// It says what follows, and plays that.
    Play,
    /// It plays what follows: the change is its own.
    PlaySilently,
}

/// The games that count for a plan, as far as they are known.
struct CountedResults {
    /// The entrants of each game with a result.
    done: Vec<[String; 2]>,
    /// The entrants of each game that is to be played.
    open: Vec<[String; 2]>,
}

impl CountedResults {
    /// What of a journal counts for a plan.
    fn of(plan: &Plan, games: &JournalGames, progress: Progress) -> Self {
        let schedule = Schedule::new(plan);
        let exclusions = judge(plan, &schedule, progress).exclusions;
        let mut found = BTreeSet::new();
        let mut done = Vec::new();
        for game in games.store().results() {
            found.insert(game.id.clone());
            if exclusions.counted(game).is_some() {
                done.push((*game.entrants).clone());
            }
        }
        let name = |entrant: EntrantIndex| plan.entrants[entrant.index()].name.clone();
        let asked_for = schedule.pairs.iter().flat_map(|pair| {
            let entrants = pair.entrants.map(name);
            pair.game_ids().map(|id| (id, entrants.clone()))
        });
        let open = asked_for
            .filter(|(id, entrants)| !found.contains(id) && exclusions.allow_game(id, entrants));
        Self {
            done,
            open: open.map(|(_, entrants)| entrants).collect(),
        }
    }
}

/// The number of games of an entrant.
fn of_entrant(games: &[[String; 2]], name: &str) -> usize {
    let has = |entrants: &&[String; 2]| entrants.iter().any(|it| it == name);
    games.iter().filter(has).count()
}

/// A change of the plan of a run that has games.
pub struct Update<'a> {
    /// The plan that the games in the folder follow, and what counts for it.
    before: (&'a Plan, CountedResults),
    /// The present plan, and what counts for it.
    now: (&'a Plan, CountedResults),
}

impl<'a> Update<'a> {
    /// The change from the earlier plan of a folder, in which this was found for the present one.
    pub fn of(
        folder: &RunFolder,
        earlier: &'a Plan,
        plan: &'a Plan,
        found: &FoundJournal,
    ) -> Result<Self, FolderError> {
        let (games, progress) = folder.read_for(earlier)?;
        let now = CountedResults::of(plan, &found.games, found.progress.clone());
        Ok(Self {
            before: (earlier, CountedResults::of(earlier, &games, progress)),
            now: (plan, now),
        })
    }

    /// Says what follows from the change, a line for each cause.
    fn describe(&self, folder: &Path) -> String {
        let ((earlier, _), (plan, now)) = (&self.before, &self.now);
        let change = PlanChange::between(earlier, plan);
        let folder = printable(&folder.to_string_lossy());
        let mut text = format!("the plan is not the one that {folder} was played with:");
        let mut line = |what: String| _ = write!(text, "\n  {what}");
        for key in &change.terms {
            line(format!(
                "{}, which decides every game{}",
                values(key),
                way_back(key)
            ));
        }
        for name in &change.new {
            line(format!(
                "{} is new: {}",
                printable(name),
                self.consequences(name)
            ));
        }
        for (name, keys) in &change.changed {
            let keys: Vec<String> = keys.iter().map(|key| printable(&key.key)).collect();
            let (name_shown, keys) = (printable(name), keys.join(", "));
            let follows = self.consequences(name);
            line(format!("{name_shown} changed ({keys}): {follows}"));
        }
        for name in &change.left {
            line(format!(
                "{} left: {}",
                printable(name),
                self.consequences(name)
            ));
        }
        for [left, new] in renamed(earlier, plan, &change) {
            line(format!(
                "{} is the program of {}: openings and seeds follow names, so a new name is one \
                 entrant gone and one new",
                printable(new),
                printable(left)
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
        let stay = counted(now.done.len(), "game counts", "games count");
        let open = counted(now.open.len(), "is to be played", "are to be played");
        let _ = write!(text, "\n{stay} already, {open}");
        text
    }

    /// What follows for an entrant whose games before and now are others.
    fn consequences(&self, name: &str) -> String {
        let (before, now) = (&self.before.1, &self.now.1);
        let before = of_entrant(&before.done, name);
        let [known, open] = [&now.done, &now.open].map(|games| of_entrant(games, name));
        if known == 0 && before == open && open > 0 {
            let games = counted(open, "game is", "games are");
            return format!("its {games} played again");
        }
        let mut parts = Vec::new();
        if open > 0 {
            parts.push(format!("{} to play", counted(open, "game", "games")));
        }
        if known > 0 {
            let games = counted(known, "earlier game counts", "earlier games count");
            parts.push(format!("{games} again"));
        }
        if before > 0 {
            let games = counted(before, "game no", "games no");
            parts.push(format!("its {games} longer count"));
        }
        if parts.is_empty() {
            return "no game follows from that".to_owned();
        }
        parts.join(", ")
    }

    /// Asks whether to play what follows, where that must be asked.
    ///
    /// # Errors
    /// It may not be played, or the question was interrupted.
    pub fn permit(
        &self,
        folder: &Path,
        on_change: OnChange,
        interrupt: &watch::Receiver<Phase>,
    ) -> Result<(), Failure> {
        let text = self.describe(folder);
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

/// Entrants that left and new ones with the same program, each once.
fn renamed<'c>(earlier: &Plan, plan: &Plan, change: &'c PlanChange) -> Vec<[&'c str; 2]> {
    let program = |plan: &Plan, name: &str| {
        let entrant = plan.entrants.iter().find(|it| it.name == name)?;
        Some(entrant.program.clone())
    };
    let mut new: Vec<&String> = change.new.iter().collect();
    let renamed = change.left.iter().filter_map(|left| {
        let there = program(earlier, left);
        let place = new.iter().position(|new| program(plan, new) == there)?;
        Some([left.as_str(), new.remove(place)])
    });
    renamed.collect()
}

/// Another level of isolation is often not the user's choice: the machine decides it.
fn way_back(key: &KeyDifference) -> String {
    match (&*key.key, &key.there) {
        ("isolation.level", Some(level)) => {
            format!(" (to go on with its games, use --isolation {level})")
        }
        _ => String::new(),
    }
}

/// The values of a key; a long one, such as a list of openings, by its beginning.
fn values(key: &KeyDifference) -> String {
    let value = |value: &Option<String>| match value {
        None => "absent".to_owned(),
        Some(value) if value.chars().count() > LONGEST_VALUE => {
            let beginning: String = value.chars().take(LONGEST_VALUE).collect();
            format!("{beginning}…")
        }
        Some(value) => value.clone(),
    };
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
            return Ok(Some(matches!(
                line.trim().to_lowercase().as_str(),
                "y" | "yes"
            )));
        }
    }
}
