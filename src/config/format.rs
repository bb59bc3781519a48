//! The format of a tournament: who meets whom, and how the entrants are seeded.

use super::entrants::check_champion;
use super::error::{Diagnostic, Located};
use super::keys::forms::{TypedSeeding, TypedStage};
use super::keys::tables::{Typed, TypedTournament};
use super::keys::value::{FormatName, name};

use super::trust::shown;
use crate::files::Folder;
use crate::text::some_names;
use crate::tournament::{Format, Seeding, Stage, Until};
use serde::Deserialize;
use std::io;
use std::path::Path;

/// The table of an earlier run that seeds entrants.
const STANDINGS: &str = "standings.csv";
/// The largest one that is read, in MiB.
const MOST_MIB: u64 = 64;
/// Without the key, a difference of so many Elo is none.
const EQUAL: f64 = 10.0;
/// Without the key, the most pairs of a drawn match are so many times its pairs.
const MORE_PAIRS: u32 = 3;

/// What a plan says of who meets whom.
#[derive(Debug)]
pub struct ResolvedFormat {
    pub format: Format,
    pub seeding: Seeding,
    pub until: Option<Until>,
}

/// The keys of a format, of the tournament or of one of its stages.
struct FormatKeys<'t> {
    format: &'t Located<FormatName>,
    rounds: Option<&'t Located<u32>>,
    most_pairs: Option<&'t Located<u32>>,
    groups: Option<&'t Located<u32>>,
    divisions: Option<&'t Located<u32>>,
    promoted: Option<&'t Located<u32>>,
    seasons: Option<&'t Located<u32>>,
}

/// The format of a configuration; `folder` is where its paths begin.
///
/// # Errors
/// Keys that do not belong together, names of no entrant, and an earlier run that cannot be read.
pub fn resolve_format(typed: &Typed, folder: &Path) -> Result<ResolvedFormat, Diagnostic> {
    let tournament = &typed.tournament;
    let entrants = u32::try_from(typed.entrants.len()).unwrap_or(u32::MAX);
    let keys = FormatKeys {
        format: &tournament.format,
        rounds: tournament.rounds.as_ref(),
        most_pairs: tournament.most_pairs.as_ref(),
        groups: tournament.groups.as_ref(),
        divisions: tournament.divisions.as_ref(),
        promoted: tournament.promoted.as_ref(),
        seasons: tournament.seasons.as_ref(),
    };
    let format = match tournament.stages.as_ref().filter(|it| !it.value.is_empty()) {
        None => {
            let champions = tournament.champions.as_ref();
            keys.resolve(entrants, tournament.pairs.value, || {
                champions.map_or(Ok(None), |it| champions_of(typed, it).map(Some))
            })?
        }
        Some(stages) => Format::Stages(resolve_stages(tournament, stages, entrants)?),
    };
    if let Some(typed) = &tournament.champions
        && !matches!(format, Format::Gauntlet(_))
    {
        return Err(Diagnostic::new(
            &typed.origin,
            "`champions` in [tournament] needs format = \"gauntlet\"; in other formats nobody has \
             a place of his own",
        ));
    }
    let until = resolve_until(tournament, &format)?;
    let is_seeded = !matches!(format, Format::RoundRobin | Format::Gauntlet(_));
    let seeding = match &tournament.seeding {
        Some(seeding) if !is_seeded => {
            return Err(Diagnostic::new(
                &seeding.origin,
                "`seeding` in [tournament] needs a format that asks for it: swiss, knockout, \
                 groups, divisions or stages",
            ));
        }
        Some(seeding) => resolve_seeding(seeding, typed, folder)?,
        None => Seeding::Draw,
    };
    check_class(typed, &format, until.is_some())?;
    Ok(ResolvedFormat {
        format,
        seeding,
        until,
    })
}

impl FormatKeys<'_> {
    fn resolve(
        &self,
        entrants: u32,
        pairs: u32,
        champions: impl FnOnce() -> Result<Option<Vec<String>>, Diagnostic>,
    ) -> Result<Format, Diagnostic> {
        let format = match self.format.value {
            FormatName::RoundRobin => Format::RoundRobin,
            FormatName::Gauntlet => Format::Gauntlet(champions()?.ok_or_else(|| {
                let message = "a gauntlet needs `champions`, the entrants that meet all others, \
                               as in champions = [\"greedy\"]";
                Diagnostic::new(&self.format.origin, message)
            })?),
            FormatName::Swiss => {
                // So many rounds leave one entrant that has won all matches.
                let enough = entrants.max(2).next_power_of_two().ilog2();
                let rounds = self.rounds.map_or(enough, |it| it.value);
                Format::Swiss { rounds }
            }
            FormatName::Knockout => {
                let more = pairs.saturating_mul(MORE_PAIRS);
                let most_pairs = self.most_pairs.map_or(more, |it| it.value);
                if let Some(typed) = self.most_pairs.filter(|it| it.value < pairs) {
                    let message = format!(
                        "`most-pairs` = {} is less than the {pairs} pairs of a match",
                        typed.value
                    );
                    return Err(Diagnostic::new(&typed.origin, message));
                }
                Format::Knockout { most_pairs }
            }
            FormatName::Groups => Format::Groups {
                groups: self.parts("groups", self.groups, entrants)?,
            },
            FormatName::Divisions => Format::Divisions {
                divisions: self.parts("divisions", self.divisions, entrants)?,
                promoted: self.promoted.map_or(1, |it| it.value),
                seasons: self.seasons.map_or(1, |it| it.value),
            },
        };
        self.refuse_others()?;
        Ok(format)
    }

    /// The number of groups or divisions, each of which has two entrants at least.
    fn parts(
        &self,
        key: &str,
        typed: Option<&Located<u32>>,
        entrants: u32,
    ) -> Result<u32, Diagnostic> {
        let Some(typed) = typed else {
            let message =
                format!("format = \"{key}\" needs `{key}`, their number, as in {key} = 2");
            return Err(Diagnostic::new(&self.format.origin, message));
        };
        if typed.value > entrants / 2 {
            let message = format!(
                "`{key}` = {} is too many for {entrants} entrants: each has two of them at least, \
                 so allowed are 1 to {}",
                typed.value,
                (entrants / 2).max(1)
            );
            return Err(Diagnostic::new(&typed.origin, message));
        }
        Ok(typed.value)
    }

    /// Fails if a key belongs to another format.
    fn refuse_others(&self) -> Result<(), Diagnostic> {
        let here = self.format.value;
        let others = [
            ("rounds", self.rounds, FormatName::Swiss),
            ("most-pairs", self.most_pairs, FormatName::Knockout),
            ("groups", self.groups, FormatName::Groups),
            ("divisions", self.divisions, FormatName::Divisions),
            ("promoted", self.promoted, FormatName::Divisions),
            ("seasons", self.seasons, FormatName::Divisions),
        ];
        let wrong = others.into_iter().find_map(|(key, typed, format)| {
            let typed = typed.filter(|_| format != here)?;
            Some((key, typed, format))
        });
        wrong.map_or(Ok(()), |(key, typed, format)| {
            let message = format!(
                "`{key}` belongs to format = \"{}\", and the format here is {:?}",
                name(format),
                name(here)
            );
            Err(Diagnostic::new(&typed.origin, message))
        })
    }
}

fn champions_of(
    typed: &Typed,
    champions: &Located<Vec<Located<String>>>,
) -> Result<Vec<String>, Diagnostic> {
    let names = entrant_names(typed);
    if champions.value.is_empty() {
        let message = format!(
            "`champions` in [tournament] is empty; allowed: {}",
            some_names(&names)
        );
        return Err(Diagnostic::new(&champions.origin, message));
    }
    let mut found = Vec::new();
    for champion in &champions.value {
        check_champion("champion", champion, &names, &found)?;
        found.push(champion.value.clone());
    }
    Ok(found)
}

fn entrant_names(typed: &Typed) -> Vec<&str> {
    let names = typed.entrants.iter();
    names.map(|it| it.name.value.as_str()).collect()
}

/// Every stage but the last says how many entrants go on.
fn resolve_stages(
    tournament: &TypedTournament,
    stages: &Located<Vec<TypedStage>>,
    entrants: u32,
) -> Result<Vec<Stage>, Diagnostic> {
    let mut left = entrants;
    let mut resolved = Vec::new();
    for (number, typed) in (1..).zip(&stages.value) {
        let is_dealt = |it: &&Located<FormatName>| {
            !matches!(it.value, FormatName::RoundRobin | FormatName::Gauntlet)
        };
        let Some(format) = typed.format.as_ref().filter(is_dealt) else {
            let message = format!(
                "stage {number} needs a format: swiss, knockout, groups or divisions; a round \
                 robin is {{ format = \"groups\", groups = 1 }}"
            );
            return Err(Diagnostic::new(&stages.origin, message));
        };
        let origin = &format.origin;
        let keys = FormatKeys {
            format,
            rounds: typed.rounds.as_ref(),
            most_pairs: typed.most_pairs.as_ref(),
            groups: typed.groups.as_ref(),
            divisions: typed.divisions.as_ref(),
            promoted: typed.promoted.as_ref(),
            seasons: typed.seasons.as_ref(),
        };
        let pairs = typed
            .pairs
            .as_ref()
            .map_or(tournament.pairs.value, |it| it.value);
        let format = keys.resolve(left, pairs, || Ok(None))?;
        let advance = typed.advance.as_ref();
        let is_last = number == stages.value.len();
        match advance {
            None if !is_last => {
                let message = format!(
                    "stage {number} needs `advance`, the number of entrants that go on to the \
                     next, as in advance = 8"
                );
                return Err(Diagnostic::new(origin, message));
            }
            Some(typed) if is_last => {
                let message = "`advance` of the last stage leads nowhere: leave it out";
                return Err(Diagnostic::new(&typed.origin, message));
            }
            Some(typed) if typed.value > left => {
                let message = format!(
                    "`advance` = {} is more than the {left} entrants of stage {number}",
                    typed.value
                );
                return Err(Diagnostic::new(&typed.origin, message));
            }
            _ => {}
        }
        let advance = advance.map(|it| it.value);
        left = advance.unwrap_or(left);
        resolved.push(Stage {
            format,
            pairs,
            advance,
        });
    }
    Ok(resolved)
}

fn resolve_until(
    tournament: &TypedTournament,
    format: &Format,
) -> Result<Option<Until>, Diagnostic> {
    let Some(typed) = &tournament.until else {
        return Ok(None);
    };
    let keys = &typed.value;
    let refuse = |message: &str| Err(Diagnostic::new(&typed.origin, message));
    if *format != Format::RoundRobin {
        return refuse("`until` in [tournament] needs format = \"round-robin\"");
    }
    match (&keys.error95, &keys.max_pairs) {
        (Some(error95), Some(max_pairs)) => Ok(Some(Until {
            error95: error95.value,
            max_pairs: max_pairs.value,
            equal: keys.equal.as_ref().map_or(EQUAL, |it| it.value),
        })),
        _ => refuse(
            "`until` in [tournament] needs `error95`, in Elo, and `max-pairs`, as in \
             until = { error95 = 25, max-pairs = 400 }",
        ),
    }
}

/// Grades and examinations of a class rest on pairings that everybody has.
fn check_class(typed: &Typed, format: &Format, is_dealt: bool) -> Result<(), Diagnostic> {
    let is_plain = matches!(format, Format::RoundRobin | Format::Gauntlet(_)) && !is_dealt;
    if typed.class.house.is_empty() || is_plain {
        return Ok(());
    }
    Err(Diagnostic::new(
        &typed.tournament.format.origin,
        "the `house` of [class] measures everybody in the same games, and here results decide who \
         meets whom: play a class as a round robin, and its final without `house`",
    ))
}

/// A row of `standings.csv`, as far as it is read.
#[derive(Deserialize)]
struct StandingsRow {
    entrant: String,
}

fn resolve_seeding(
    seeding: &Located<TypedSeeding>,
    typed: &Typed,
    folder: &Path,
) -> Result<Seeding, Diagnostic> {
    let names = entrant_names(typed);
    let listed: Vec<String> = match &seeding.value {
        TypedSeeding::Draw => return Ok(Seeding::Draw),
        TypedSeeding::Order(order) => {
            for (place, seed) in order.iter().enumerate() {
                let earlier: Vec<String> =
                    order[..place].iter().map(|it| it.value.clone()).collect();
                check_champion("seed", seed, &names, &earlier)?;
            }
            order.iter().map(|it| it.value.clone()).collect()
        }
        TypedSeeding::EloOf(run) => {
            let place = folder.join(&run.value);
            let rows = Folder::open(&place).and_then(|it| read_standings(&it));
            let rows = rows.map_err(|error| {
                let message = format!(
                    "cannot read {STANDINGS} in {}: {error}; `elo-of` is the folder of an \
                     earlier run, relative to {}",
                    shown(&place),
                    shown(folder)
                );
                Diagnostic::new(&run.origin, message)
            })?;
            let known = rows.into_iter().filter(|it| names.contains(&it.as_str()));
            known.collect()
        }
    };
    // Who is not listed follows in the order of the configuration.
    let others = names
        .iter()
        .filter(|it| !listed.iter().any(|name| name == *it));
    let others: Vec<String> = others.map(|it| (*it).to_owned()).collect();
    Ok(Seeding::List([listed, others].concat()))
}

/// The entrants of a table of standings, the best first.
fn read_standings(folder: &Folder) -> io::Result<Vec<String>> {
    let table = folder.read(STANDINGS, MOST_MIB)?;
    let mut table = csv::Reader::from_reader(table.as_slice());
    let rows = table
        .deserialize()
        .map(|row| row.map(|it: StandingsRow| it.entrant));
    Ok(rows.collect::<Result<_, _>>()?)
}
