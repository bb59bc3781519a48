//! `[adjudication]`: what ends games before the rules do.
//!
//! The rules must have a database whose values end games, and this machine must have it, unless a plan
//! is only examined. What bots may agree on trusts them, so a class cannot have it.

use crate::config::context::Context;
use crate::config::error::Diagnostic;
use crate::config::keys::tables::Typed;
use crate::config::keys::value::EndgameMode;
use crate::config::resolve::is_class;
use crate::endgame_file::{EndgameDatabase, EndgameFileError, find, find_planned};
use crate::text::printable;
use crate::tournament::{EndgameTerms, Opening, OpeningSource, Plan};
use std::error::Error as _;
use std::path::Path;

/// The source of what is not typed of a plan's database: its seeds and its name.
#[derive(Clone, Debug, Default)]
pub enum EndgameSource {
    /// None: the whole database of this machine.
    #[default]
    Database,
    /// The run's folder, through this function, if it has a plan: a larger database that was built
    /// since changes no game of the run.
    Folder(fn(&Path) -> Option<Plan>),
    /// The plan of the run, which is a file.
    Given(Option<EndgameTerms>),
    /// Nothing is asked for: no game of the plan is played.
    Unused,
}

/// What ends games before the rules do.
#[derive(Clone, Debug, Default)]
pub struct ResolvedEndgame {
    /// As the plan names it.
    pub terms: Option<EndgameTerms>,
    /// The database, if the plan is to be played.
    pub database: Option<EndgameDatabase>,
}

/// Finds the database that a configuration asks for, of a run in this folder, and checks what bots
/// may agree on.
pub fn resolve_endgame(
    typed: &Typed,
    output: &Path,
    context: &Context<'_>,
) -> Result<ResolvedEndgame, Diagnostic> {
    check_agreement(typed)?;
    let adjudication = &typed.adjudication;
    let is_unused = matches!(context.endgame, EndgameSource::Unused);
    if adjudication.endgame.value == EndgameMode::Off || is_unused {
        return Ok(ResolvedEndgame::default());
    }
    let rules = typed.rules();
    let refused = |error: EndgameFileError| {
        let cause = error.source().map(|it| format!(": {it}"));
        let error = printable(&format!("{error}{}", cause.unwrap_or_default()));
        let message = format!("`endgame` in [adjudication] needs a database: {error}");
        Diagnostic::new(&adjudication.endgame.origin, message)
    };
    let named = named(typed, output, context)?;
    if context.is_record {
        let database = None;
        return Ok(ResolvedEndgame {
            terms: Some(named.whole(&adjudication.endgame.origin)?),
            database,
        });
    }
    let database = match named.seeds {
        None => find(&rules),
        Some(seeds) => find_planned(&rules, seeds, named.sha256.as_deref()),
    };
    let database = database.map_err(refused)?;
    let seeds = database.seeds();
    Ok(ResolvedEndgame {
        terms: Some(EndgameTerms {
            seeds,
            sha256: database.sha256(seeds),
        }),
        database: Some(database),
    })
}

/// Refuses what bots may agree on in a class, or where the terms contradict each other.
fn check_agreement(typed: &Typed) -> Result<(), Diagnostic> {
    let (resign, draw) = (&typed.adjudication.resign, &typed.adjudication.draw);
    let keys = [
        ("resign", resign.value.is_some(), &resign.origin),
        ("draw", draw.value.is_some(), &draw.origin),
    ];
    if is_class(typed)
        && let Some((key, _, origin)) = keys.iter().find(|(_, is_on, _)| *is_on)
    {
        let message = format!(
            "`{key}` in [adjudication] believes what bots say of their games, and the bots of a \
             [class] have reasons not to say the truth; take it away"
        );
        return Err(Diagnostic::new(origin, message));
    }
    if let (Some(won), Some(drawn)) = (resign.value, draw.value)
        && drawn.seeds >= won.seeds
    {
        let message = format!(
            "`draw` in [adjudication] calls a lead of {} seeds even, and `resign` a lead of {} won; \
             the `seeds` of `draw` must be fewer",
            drawn.seeds, won.seeds
        );
        return Err(Diagnostic::new(&draw.origin, message));
    }
    Ok(())
}

/// Warns of openings whose games end before the first move.
pub fn warn_of_decided(plan: &Plan, warnings: &mut Vec<String>) {
    let (Some(EndgameTerms { seeds, .. }), OpeningSource::Listed(list)) =
        (&plan.endgame, &plan.openings)
    else {
        return;
    };
    let is_decided = |it: &&Opening| it.position.seeds_on_board() <= *seeds;
    let decided = list.iter().filter(is_decided).count();
    if decided > 0 {
        let (all, has) = (list.len(), if decided == 1 { "has" } else { "have" });
        warnings.push(format!(
            "{decided} of {all} openings {has} at most {seeds} seeds on the board: with `endgame` in \
             [adjudication] their games end before the first move"
        ));
    }
}

/// As much as is known of a database before it is opened.
struct NamedDatabase {
    seeds: Option<u8>,
    sha256: Option<String>,
}

impl NamedDatabase {
    /// The name in a plan.
    fn whole(self, origin: &crate::config::Origin) -> Result<EndgameTerms, Diagnostic> {
        let whole = self.seeds.zip(self.sha256);
        let terms = whole.map(|(seeds, sha256)| EndgameTerms { seeds, sha256 });
        terms.ok_or_else(|| {
            let message = "`endgame` in [adjudication] needs `seeds` and `sha256` in the plan of a \
                           run";
            Diagnostic::new(origin, message)
        })
    }
}

/// What is typed, and otherwise what the plan of the run says.
fn named(typed: &Typed, output: &Path, context: &Context<'_>) -> Result<NamedDatabase, Diagnostic> {
    let adjudication = &typed.adjudication;
    let sha256 = adjudication.sha256.as_ref();
    if let Some(seeds) = &adjudication.seeds {
        return Ok(NamedDatabase {
            seeds: Some(seeds.value),
            sha256: sha256.map(|it| it.value.clone()),
        });
    }
    if let Some(sha256) = sha256 {
        let message = "`sha256` in [adjudication] needs `seeds`: it names the values of all \
                       positions of up to so many";
        return Err(Diagnostic::new(&sha256.origin, message));
    }
    let terms = match context.endgame {
        EndgameSource::Database | EndgameSource::Unused => None,
        EndgameSource::Given(terms) => terms.clone(),
        EndgameSource::Folder(kept) => {
            let plan = kept(output).filter(|plan| plan.rules == typed.rules());
            plan.and_then(|plan| plan.endgame)
        }
    };
    let (seeds, sha256) = terms.map(|it| (it.seeds, it.sha256)).unzip();
    Ok(NamedDatabase { seeds, sha256 })
}
