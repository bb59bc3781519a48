//! The plan of a run as a file, with its secret: the first line of its journal. Where a shard is
//! played, what is there must be what this file says.

use crate::files;
use crate::tournament::{Journal, JournalError, JournalReader, Plan, RunDocument};
use serde_json::Value;
use std::io::{self, Write};
use std::path::Path;
use thiserror::Error;

/// The most MiB of a plan: with 10,000 entrants it has about 10.
const MOST_MIB: u64 = 64;

/// Why a file is no plan.
#[derive(Debug, Error)]
pub enum PlanFileError {
    /// It cannot be read.
    #[error("cannot read it: {0}")]
    Read(#[from] io::Error),
    /// A newer version wrote it.
    #[error("{0}")]
    Line(#[from] JournalError),
    /// It has something else.
    #[error("it is no plan, or a damaged one; `awale shard CONFIG --write-plan FILE` writes one")]
    NoPlan,
}

/// Writes the plan of a run. Only its owner may read the file: it has the secret.
///
/// # Errors
/// Those of `out`.
pub fn write_plan(run: &RunDocument, mut out: impl Write) -> io::Result<()> {
    out.write_all(&Journal::begin(Vec::new(), run)?.into_storage())
}

/// Reads such a file.
///
/// # Errors
/// It is not there, or is no plan.
pub fn read_plan(path: &Path) -> Result<RunDocument, PlanFileError> {
    let bytes = files::read(path, MOST_MIB)?;
    let mut reader = JournalReader::new(bytes.as_slice());
    match reader.next_entry() {
        // Advice on journals would be about another file.
        Err(JournalError::Damaged { .. }) => return Err(PlanFileError::NoPlan),
        read => read?,
    };
    let plan = reader.state.plan.filter(|it| it.hash_fits);
    Ok(RunDocument::clone(&plan.ok_or(PlanFileError::NoPlan)?.run))
}

/// How what is on a machine agrees with a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// It is what the plan says.
    Whole,
    /// Interpreters or compilers differ: `python3 of "ada"`.
    OtherPrograms(Vec<String>),
    /// More differs: the keys with their values there and here.
    None(Vec<String>),
}

/// Compares the plan that a configuration gives on this machine with that of the run.
pub fn agreement(run: &Plan, here: &Plan) -> Agreement {
    if run.hash() == here.hash() {
        return Agreement::Whole;
    }
    let mut same = here.clone();
    let mut others = Vec::new();
    for (planned, entrant) in run.entrants.iter().zip(&mut same.entrants) {
        for name in host_programs(&planned.program) {
            let hash = |program: &Value| program["sha256"].get(&name).cloned();
            let (there, here) = (hash(&planned.program), hash(&entrant.program));
            if planned.name == entrant.name && there != here && there.is_some() && here.is_some() {
                entrant.program["sha256"][&name] = there.unwrap_or_default();
                others.push(format!("{name} of {:?}", planned.name));
            }
        }
    }
    if run.hash() == same.hash() {
        return Agreement::OtherPrograms(others);
    }
    let differences = run.differences(here).into_iter();
    let texts = differences.map(|it| {
        let value = |value: Option<String>| value.unwrap_or_else(|| "nothing".to_owned());
        format!(
            "{}: {} in the plan, {} here",
            it.key,
            value(it.there),
            value(it.here)
        )
    });
    Agreement::None(texts.collect())
}

/// The programs of a machine that start or build a bot: words that are looked up in `PATH`.
fn host_programs(program: &Value) -> Vec<String> {
    let first = |key: &str| program[key].get(0).and_then(Value::as_str);
    let words = ["command", "build"].into_iter().filter_map(first);
    let words = words.filter(|it| !it.contains('/'));
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{RunSettings, Secret};
    use serde_json::json;

    fn plan(python: &str, bot: &str) -> Plan {
        let secret = Secret::from_bytes([7; 32]);
        let mut plan = Plan::round_robin(["ada", "bob"], 3, secret);
        plan.entrants[0].program = json!({
            "command": ["python3", "ada.py"],
            "sha256": { "python3": python, "ada.py": bot },
        });
        plan
    }

    #[test]
    fn interpreters_may_differ_and_programs_may_not() {
        let run = plan("aa", "bb");
        assert_eq!(agreement(&run, &plan("aa", "bb")), Agreement::Whole);
        let others = vec!["python3 of \"ada\"".to_owned()];
        assert_eq!(
            agreement(&run, &plan("xx", "bb")),
            Agreement::OtherPrograms(others)
        );
        for here in [plan("aa", "xx"), plan("xx", "xx")] {
            let Agreement::None(texts) = agreement(&run, &here) else {
                panic!("they agree");
            };
            assert!(texts.iter().any(|it| it.contains("ada.py")), "{texts:?}");
        }
        let secret = Plan {
            secret: Some(Secret::from_bytes([8; 32])),
            ..plan("aa", "bb")
        };
        let Agreement::None(texts) = agreement(&run, &secret) else {
            panic!("they agree");
        };
        assert!(!texts.concat().contains("0808"), "{texts:?}");
    }

    #[test]
    fn a_plan_is_read_as_it_was_written() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("plan.json");
        let run = RunDocument::new(plan("aa", "bb"), RunSettings::default());
        write_plan(&run, std::fs::File::create(&path).unwrap()).unwrap();
        assert_eq!(read_plan(&path).unwrap(), run);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[200] ^= 1;
        for text in [bytes, Vec::new(), b"{}\n".to_vec()] {
            std::fs::write(&path, text).unwrap();
            read_plan(&path).unwrap_err();
        }
    }
}
