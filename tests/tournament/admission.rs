//! The admission gate: who fails is left out, by the same rule whatever comes between.

use super::scripted_tournament::{
    Played, RANDOM, ScriptedFactory, games, plan, play_gated, play_with, read,
};
use awale::record::{Admission, Examiner, Refusal};
use awale::tournament::{EntrantIndex, Entry, Format, Gate, JournalReader, Plan, RunError};

const ADA: EntrantIndex = EntrantIndex(0);
const BOB: EntrantIndex = EntrantIndex(1);
const CYD: EntrantIndex = EntrantIndex(2);

fn three() -> Plan {
    plan(&["ada", "bob", "cyd"], 3, Format::RoundRobin)
}

fn gate(candidates: &[EntrantIndex], required: bool) -> Gate {
    Gate {
        candidates: candidates.to_vec(),
        required,
        unfit: Vec::new(),
    }
}

fn all() -> Gate {
    gate(&[ADA, BOB, CYD], false)
}

/// bob fails against random alone.
fn bob_fails() -> ScriptedFactory {
    ScriptedFactory::with_faults(|entrant, game| entrant == BOB.0 && game == "0.2")
}

fn behind(factory: &ScriptedFactory, gate: Gate, slots: usize, journal: Vec<u8>) -> Played {
    play_gated(factory, &three(), gate, slots, journal, None).unwrap()
}

fn admissions(journal: &[u8]) -> Vec<Admission> {
    let mut reader = JournalReader::new(journal);
    let mut admissions = Vec::new();
    while let Some(entry) = reader.next_entry().unwrap() {
        match entry {
            Entry::Admission(admission) => admissions.push(admission),
            Entry::Game(game) => assert!(game.id.pair.round() > 0, "its games are no records"),
            Entry::Withdrawal(_) => panic!("no entrant is withdrawn"),
        }
    }
    admissions.sort_by(|one, other| one.entrant.cmp(&other.entrant));
    admissions
}

#[test]
fn an_admitted_entrant_plays_as_without_a_gate() {
    let without = play_with(&ScriptedFactory::default(), &three(), 1, Vec::new(), None);
    let factory = ScriptedFactory::default();
    let played = behind(&factory, all(), 2, Vec::new());
    assert_eq!(games(&played.journal), games(&without.journal));
    assert_eq!(played.table, without.table);
    let admitted = admissions(&played.journal);
    let names: Vec<&str> = admitted.iter().map(|it| it.entrant.as_str()).collect();
    assert_eq!(names, ["ada", "bob", "cyd"]);
    assert!(admitted.iter().all(|it| it.refusal.is_none()));
    // Every outcome stands before the first game.
    let text = String::from_utf8(played.journal).unwrap();
    let places = |kind: &str| text.rmatch_indices(kind).map(|it| it.0).collect::<Vec<_>>();
    let (admissions, games) = (places("\"admission\""), places("\"game\""));
    assert!(admissions[0] < *games.last().unwrap());
}

#[test]
fn an_examination_has_players_of_its_own() {
    let factory = ScriptedFactory::default();
    let plan = plan(&["ada", "bob"], 1, Format::RoundRobin);
    play_gated(&factory, &plan, gate(&[ADA], false), 1, Vec::new(), None).unwrap();
    // ada twice and random; then ada and bob for their pair.
    assert_eq!(factory.players(), 3 + 2);
}

#[test]
fn a_refused_entrant_is_left_out_and_every_table_says_so() {
    let factory = bob_fails();
    let played = behind(&factory, all(), 1, Vec::new());
    assert!(played.outcome.complete && !played.outcome.barred);
    assert_eq!((played.outcome.games, played.told.len()), (6, 6));
    assert_eq!(played.failed, [BOB]);
    let (name, refusal) = &played.outcome.exclusions.refused[0];
    assert_eq!(
        (name.as_str(), refusal.against()),
        ("bob", Examiner::Random)
    );
    assert_eq!(refusal.detail(), "scripted crash");
    assert_eq!(
        admissions(&played.journal)[1].refusal.as_ref(),
        Some(refusal)
    );
    assert!(played.table.contains("not-admitted"), "{}", played.table);
    let note = "bob was not admitted and plays no game: crash against random (scripted crash).";
    assert_eq!(played.notes[0], note);
    for slots in [2, 5] {
        let other = behind(&factory, all(), slots, Vec::new());
        assert_eq!(
            (other.table, other.notes),
            (played.table.clone(), played.notes.clone())
        );
    }
}

/// bob is late this many times against itself, and fails against random if `also_fails`.
fn examined_late(times: u32, also_fails: bool) -> Played {
    let factory = if also_fails {
        bob_fails()
    } else {
        ScriptedFactory::default()
    };
    factory.late_game("0.1", times);
    behind(&factory, gate(&[BOB], false), 1, Vec::new())
}

#[test]
fn an_entrant_that_was_only_late_is_examined_three_times_and_then_admitted() {
    for (late, also_fails, note) in [
        (1, false, ""),
        (2, false, ""),
        (
            3,
            false,
            "bob is admitted, although it was late in every examination (scripted lateness).",
        ),
        (
            2,
            true,
            "bob was not admitted and plays no game: crash against random (scripted crash).",
        ),
    ] {
        let played = examined_late(late, also_fails);
        assert_eq!(played.examined, ["bob"]);
        assert_eq!(played.failed.is_empty(), !also_fails);
        let notes = played.notes.iter();
        let notes =
            notes.filter(|it| it.starts_with("bob is admitted") || it.contains("not admitted"));
        assert_eq!(notes.map(String::as_str).collect::<String>(), note);
        let refused = &admissions(&played.journal)[0].refusal;
        assert_eq!(refused.is_some(), also_fails);
        let again = behind(&ScriptedFactory::default(), all(), 1, played.journal);
        assert!(!again.examined.contains(&"bob".to_owned()));
        assert_eq!(again.notes, played.notes, "the journal has the note");
    }
}

#[test]
fn a_journal_cut_anywhere_leads_to_the_same_admissions() {
    let whole = behind(&bob_fails(), all(), 2, Vec::new());
    let ends = (0..whole.journal.len()).filter(|&place| whole.journal[place] == b'\n');
    for end in ends {
        let kept = whole.journal[..=end].to_vec();
        let before = admissions(&kept).len();
        let resumed = behind(&bob_fails(), all(), 1, kept);
        assert_eq!(
            resumed.examined.len(),
            3 - before,
            "no examination is repeated"
        );
        assert_eq!(resumed.table, whole.table);
        assert_eq!(resumed.notes, whole.notes);
        assert_eq!(admissions(&resumed.journal), admissions(&whole.journal));
    }
}

#[test]
fn where_admission_is_required_one_failure_bars_the_gate() {
    let played = behind(&bob_fails(), gate(&[ADA, BOB, CYD], true), 2, Vec::new());
    assert!(played.outcome.barred && played.told.is_empty());
    assert_eq!(
        admissions(&played.journal).len(),
        3,
        "all are examined all the same"
    );
    let again = behind(
        &bob_fails(),
        gate(&[ADA, BOB, CYD], true),
        2,
        played.journal,
    );
    assert!(again.outcome.barred && again.told.is_empty() && again.examined.is_empty());
    let passed = behind(
        &ScriptedFactory::default(),
        gate(&[ADA, BOB], true),
        1,
        Vec::new(),
    );
    assert!(!passed.outcome.barred);
}

#[test]
fn no_entrant_plays_alone() {
    let factory = ScriptedFactory::with_faults(|entrant, game| {
        entrant != ADA.0 && entrant != RANDOM.0 && game == "0.1"
    });
    let played = behind(&factory, all(), 2, Vec::new());
    assert!(played.outcome.barred && played.told.is_empty());
    assert_eq!(played.outcome.exclusions.refused.len(), 2);
    let champion = Format::Gauntlet(vec!["bob".to_owned()]);
    let plan = plan(&["ada", "bob", "cyd"], 3, champion);
    let played = play_gated(&bob_fails(), &plan, all(), 1, Vec::new(), None).unwrap();
    assert!(
        played.outcome.barred,
        "without its champion there is no gauntlet"
    );
}

#[test]
fn a_void_examination_is_not_a_failure() {
    let factory = ScriptedFactory::default();
    factory.void_game("0.1", 3);
    let played = behind(&factory, gate(&[BOB], false), 1, Vec::new());
    assert!(played.outcome.exclusions.is_empty());
    assert!(
        read(&played.journal)
            .unwrap()
            .iter()
            .all(|record| !record.is_void())
    );

    // No entrant can be examined: the host is broken, and the run says so.
    for void in [true, false] {
        let factory = if void {
            let factory = ScriptedFactory::default();
            factory.void_game("0.2", u32::MAX);
            factory
        } else {
            ScriptedFactory::with_faults(|entrant, _| entrant == RANDOM.0)
        };
        let ended = play_gated(&factory, &three(), all(), 1, Vec::new(), None);
        let Err((RunError::Examination { entrant, cause }, journal)) = ended else {
            panic!("the run goes on");
        };
        assert_eq!(entrant, "cyd", "the last in the queue");
        assert!(cause.contains("scripted"), "{cause}");
        assert!(admissions(&journal).iter().all(|it| !it.is_settled()));
        let later = behind(&ScriptedFactory::default(), all(), 1, journal);
        assert!(later.outcome.complete && later.examined.len() == 3);
        assert!(later.outcome.exclusions.is_empty());
    }
}

/// bob's process ends without a word in every admission game.
fn bob_disturbs() -> ScriptedFactory {
    ScriptedFactory::with_voids(|entrant, game| entrant == BOB.0 && game.starts_with("0."))
}

#[test]
fn an_entrant_that_cannot_be_examined_is_not_admitted_and_the_others_play() {
    for slots in [1, 2, 5] {
        let played = behind(&bob_disturbs(), all(), slots, Vec::new());
        assert!(played.outcome.complete && !played.outcome.barred);
        assert_eq!((played.outcome.games, played.told.len()), (6, 6));
        assert_eq!(played.postponed, ["bob"; 3], "it is examined four times");
        assert_eq!(played.failed, [], "it is at no fault");
        assert_eq!(
            played.examined.last().unwrap(),
            "bob",
            "the others go first"
        );
        let (name, refusal) = &played.outcome.exclusions.refused[0];
        let disturbed = Refusal::Disturbed {
            against: Examiner::Itself,
            games: 16,
            cause: "no last words".to_owned(),
        };
        assert_eq!((name.as_str(), refusal), ("bob", &disturbed));
        assert!(played.table.contains("not-admitted"), "{}", played.table);
        assert!(
            played.notes[0].starts_with(
                "bob was not admitted and plays no game: the host disturbed 16 of its admission \
                 games (no last words)."
            ),
            "{:?}",
            played.notes
        );
        // The journal says the same; where all must be admitted, nothing is played.
        assert_eq!(admissions(&played.journal)[1].refusal, Some(disturbed));
        let required = gate(&[ADA, BOB, CYD], true);
        let barred = behind(&bob_disturbs(), required, slots, Vec::new());
        assert!(barred.outcome.barred && barred.told.is_empty());
    }
}

#[test]
fn whom_the_host_disturbed_is_examined_again_by_the_next_run() {
    let first = behind(&bob_disturbs(), all(), 2, Vec::new());
    let whole = behind(&ScriptedFactory::default(), all(), 1, Vec::new());
    let later = behind(&ScriptedFactory::default(), all(), 1, first.journal);
    assert_eq!(later.examined, ["bob"]);
    assert!(later.outcome.complete && later.outcome.exclusions.is_empty());
    assert_eq!(later.table, whole.table, "as if the host had been quiet");
    // A host that is quiet after two rounds costs no entrant anything.
    let factory = ScriptedFactory::default();
    factory.void_game("0.1", 2 * 4);
    let played = behind(&factory, gate(&[BOB], false), 1, Vec::new());
    assert_eq!(played.postponed, ["bob"; 2]);
    assert_eq!(played.table, whole.table);
}
