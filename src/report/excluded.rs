//! Entrants that were not admitted or were withdrawn, and pairs that are excluded: as columns and
//! sentences.

use super::text::listed;
use crate::record::{Exclusions, GameId, GameSummary, Refusal, Withdrawal};
use crate::rules::Side;
use crate::text::{counted, printable};

/// The status of an entrant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It played to the end, or still plays.
    #[default]
    Playing,
    /// It was withdrawn because of its faults after this game, the last of its games that counts.
    Withdrawn(GameId),
    /// It was not admitted and played no game.
    NotAdmitted,
}

impl Status {
    /// The status of an entrant.
    pub(super) fn of(name: &str, exclusions: &Exclusions) -> Self {
        if exclusions
            .refused
            .iter()
            .any(|(refused, _)| refused == name)
        {
            return Self::NotAdmitted;
        }
        let mut withdrawn = exclusions.withdrawn.iter();
        withdrawn
            .find(|it| it.entrant == name)
            .map_or(Self::Playing, |it| Self::Withdrawn(it.after.clone()))
    }

    /// The word of the tables: empty, `withdrawn` or `not-admitted`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Playing => "",
            Self::Withdrawn(_) => "withdrawn",
            Self::NotAdmitted => "not-admitted",
        }
    }

    /// The same for people.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Playing => String::new(),
            Self::Withdrawn(after) => format!("withdrawn after {after}"),
            Self::NotAdmitted => "not admitted".to_owned(),
        }
    }

    /// The game after which it was withdrawn.
    pub const fn last_game(&self) -> Option<&GameId> {
        match self {
            Self::Withdrawn(after) => Some(after),
            Self::Playing | Self::NotAdmitted => None,
        }
    }
}

/// Why an entrant is not in all of its games, in one line safe for a terminal: `start-failure: at
/// the first message: …`, or for an entrant with these faults `12 faults in 60 games: 12 timeout`.
/// Empty if it plays.
pub fn reason(name: &str, faults: &str, exclusions: &Exclusions) -> String {
    let mut refused = exclusions.refused.iter();
    if let Some((_, refusal)) = refused.find(|(refused, _)| refused == name) {
        return format!("{}: {}", refusal.reason(), printable(refusal.detail()));
    }
    let mut withdrawn = exclusions.withdrawn.iter();
    let withdrawn = withdrawn.find(|it| it.entrant == name);
    withdrawn.map_or(String::new(), |it| {
        let lost = counted(it.faults as usize, "fault", "faults");
        let played = counted(it.games as usize, "game", "games");
        format!("{lost} in {played}: {faults}")
    })
}

/// Which side was withdrawn after a game: empty, `south`, `north` or `both`.
pub fn withdrawn_after(game: &GameSummary, exclusions: &Exclusions) -> &'static str {
    let [south, north] = Side::BOTH.map(|side| {
        let name = &game.entrants[side.index()];
        let mut withdrawn = exclusions.withdrawn.iter();
        withdrawn.any(|it| it.after == game.id && it.entrant == *name)
    });
    match (south, north) {
        (true, true) => "both",
        (true, false) => Side::South.name(),
        (false, true) => Side::North.name(),
        (false, false) => "",
    }
}

/// All exclusions, in sentences safe for a terminal.
pub fn sentences(exclusions: &Exclusions) -> Vec<String> {
    let mut sentences: Vec<String> = exclusions
        .refused
        .iter()
        .map(|(name, refusal)| refused(name, refusal))
        .collect();
    sentences.extend(
        exclusions
            .late
            .iter()
            .map(|(name, detail)| admitted_late(name, detail)),
    );
    sentences.extend(exclusions.withdrawn.iter().map(withdrawn));
    sentences.extend(open(exclusions));
    sentences
}

fn refused(name: &str, refusal: &Refusal) -> String {
    let (name, reason, detail) = (
        printable(name),
        refusal.reason(),
        printable(refusal.detail()),
    );
    let advice = match refusal {
        Refusal::Fault { .. } => "",
        Refusal::Disturbed { .. } => {
            " That is not known to be its fault: the same command examines it again."
        }
    };
    format!("{name} was not admitted and plays no game: {reason} ({detail}).{advice}")
}

/// The note on an entrant that was admitted although it was too late in every examination, with
/// its last fault; safe for a terminal.
pub fn admitted_late(name: &str, detail: &str) -> String {
    let (name, detail) = (printable(name), printable(detail));
    format!("{name} is admitted, although it was late in every examination ({detail}).")
}

fn withdrawn(withdrawal: &Withdrawal) -> String {
    let Withdrawal {
        entrant,
        after,
        faults,
        games,
    } = withdrawal;
    format!(
        "{} was withdrawn after game {after}, with {faults} faults in {games} games: those count, \
         later ones do not.",
        printable(entrant)
    )
}

fn open(exclusions: &Exclusions) -> Option<String> {
    let pairs: Vec<String> = exclusions
        .open
        .iter()
        .map(|(pair, [first, second])| format!("{pair} ({first} – {second})"))
        .collect();
    let what = if pairs.len() == 1 { "Pair" } else { "Pairs" };
    let verb = if pairs.len() == 1 { "is" } else { "are" };
    (!pairs.is_empty()).then(|| {
        format!(
            "{what} {} {verb} open and left out: the host made a game void each time. The same \
             command plays it again.",
            listed(pairs.iter().map(String::as_str))
        )
    })
}
