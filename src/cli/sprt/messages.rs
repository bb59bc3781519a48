//! The messages about a sequential test: before it, while it runs, and at its end.

use super::super::match_json::match_json;
use super::super::run::{Finished, FinishedTest, RunEvent, SessionResult, TestLine, TestState};
use super::ledger::EnteredTest;
use crate::config::Resolved;
use crate::report::match_lines;
use crate::stats::game;
use crate::stats::head_to_head::{EloEstimate, Pairing, Summary};
use crate::stats::sprt::{
    Model, PairCounts, Sprt, SprtCounts, SprtEvaluation, State, Strength, TypicalResults, Unbiased,
};
use crate::text::{counted, printable};
use crate::tournament::TestProgress;
use serde_json::{Value, json};

/// The names of the two bots for display.
pub struct Names {
    new: String,
    base: String,
}

impl Names {
    pub fn of(resolved: &Resolved) -> Self {
        let new = resolved.new.expect("a test and a match have a new one");
        let name = |index: usize| printable(&resolved.plan.entrants[index].name);
        Self {
            new: name(new.index()),
            base: name(1 - new.index()),
        }
    }

    /// The last event if nothing was played, with the reason.
    pub fn barred(&self, reason: &str) -> RunEvent {
        RunEvent::Finished(Box::new(Finished {
            reason: Some(reason.to_owned()),
            ..self.finished("faulty", false)
        }))
    }

    fn finished(&self, verdict: &'static str, interrupted: bool) -> Finished {
        Finished {
            interrupted,
            verdict: Some(verdict),
            new: Some(self.new.clone()),
            base: Some(self.base.clone()),
            ..Finished::default()
        }
    }
}

/// For example `[0, 10] Elo (logistic), alpha 0.05, beta 0.05`.
fn hypotheses(sprt: &Sprt) -> String {
    let settings = sprt.settings();
    let model = match settings.model {
        Model::Logistic => "logistic",
        Model::Normalised => "normalized",
    };
    format!(
        "[{}, {}] Elo ({model}), alpha {}, beta {}",
        settings.elo0, settings.elo1, settings.alpha, settings.beta
    )
}

/// What a passed test has shown. With an `elo0` below 0 that is not a gain: the question is whether
/// a simplification loses strength.
fn claim(sprt: &Sprt, Names { base, .. }: &Names) -> String {
    let loss = -sprt.settings().elo0;
    if loss <= 0.0 {
        format!("stronger than {base}")
    } else {
        format!("less than {loss} Elo weaker than {base}, if at all")
    }
}

/// How long a test may take, for the message before it.
pub fn outlook(sprt: &Sprt, names: &Names) -> String {
    let expected = sprt
        .outlook(&TypicalResults::default())
        .map(|(elo, forecast)| format!("{} if it is worth {elo}", pairs(forecast.observations)));
    format!(
        "is {} {}? {}\nexpected: {} (with typical draws; every test differs)",
        names.new,
        claim(sprt, names),
        hypotheses(sprt),
        expected.join(", "),
    )
}

/// The same as JSON.
pub fn outlook_json(sprt: &Sprt, most: u32) -> Value {
    let expected = sprt.outlook(&TypicalResults::default());
    let expected = expected.map(|(elo, forecast)| {
        let pairs = Some(forecast.observations).filter(|pairs| pairs.is_finite());
        json!({ "elo": elo, "pairs": pairs, "pass": forecast.pass })
    });
    json!({ "max_pairs": most, "expected": expected })
}

/// A number of pairs, rounded to its precision.
fn pairs(number: f64) -> String {
    if !number.is_finite() || number >= 1e9 {
        return "more pairs than can be played".to_owned();
    }
    let number = number.max(1.0);
    let unit = 10_f64.powf((number.log10().floor() - 1.0).max(0.0));
    let rounded = (number / unit).round() * unit;
    let plural = if rounded < 1.5 { "" } else { "s" };
    format!("about {rounded:.0} pair{plural}")
}

/// How many more pairs a test is expected to take, of those that are left.
fn expected(left: f64, playable: u64) -> String {
    if left > playable as f64 {
        format!(", not likely to be decided in the {playable} that are left")
    } else {
        format!(", {} left", pairs(left))
    }
}

/// For example `51 pairs`.
fn number_of_pairs(counts: &PairCounts) -> String {
    match counts.total() {
        1 => "1 pair".to_owned(),
        pairs => format!("{pairs} pairs"),
    }
}

/// The state of a test.
pub fn progress((sprt, most): (&Sprt, u32), progress: &TestProgress, names: &Names) -> TestLine {
    let TestProgress {
        counts, evaluation, ..
    } = progress;
    let is_whole = progress.distinct_games == 2 * counts.total();
    let left = sprt
        .remaining(&SprtCounts::Pairs(*counts))
        // Evidence that counts less takes longer, nobody knows how long.
        .filter(|_| is_whole)
        .map(|forecast| forecast.observations)
        .filter(|pairs| pairs.is_finite());
    let event = RunEvent::Test {
        new: names.new.clone(),
        state: TestState::of(progress),
        percent_to_h0: evaluation.percent_to_h0(),
        percent_to_h1: evaluation.percent_to_h1(),
        expected_pairs_left: left,
    };
    let playable = u64::from(most).saturating_sub(counts.total());
    let left = left.map_or(String::new(), |left| expected(left, playable));
    TestLine {
        text: format!(
            "LLR {:.2} ({:.0} % to failed, {:.0} % to passed) in {}{left}",
            evaluation.llr,
            evaluation.percent_to_h0(),
            evaluation.percent_to_h1(),
            number_of_pairs(counts),
        ),
        estimate: estimate(counts).unwrap_or_else(|| "no Elo yet".to_owned()),
        event,
    }
}

/// For example `Elo +12 ±20 (biased at a stop)`.
fn estimate(counts: &PairCounts) -> Option<String> {
    let elo = match Summary::of(&Pairing::of_pairs(*counts))?.elo {
        EloEstimate::Between { elo, low, high } => {
            format!("{elo:+.0} ±{:.0}", (high - low) / 2.0)
        }
        EloEstimate::AtLeast(elo) => format!("> {elo:+.0}"),
        EloEstimate::AtMost(elo) => format!("< {elo:+.0}"),
    };
    Some(format!("Elo {elo} (biased at a stop)"))
}

/// For example `LLR 2.95, above the upper bound 2.94 (lower -2.94)`.
fn llr(evaluation: &SprtEvaluation, digits: usize) -> String {
    let SprtEvaluation {
        llr, lower, upper, ..
    } = evaluation;
    match evaluation.state {
        State::H1 => format!(
            "LLR {llr:.digits$}, above the upper bound {upper:.digits$} (lower {lower:.digits$})"
        ),
        State::H0 => format!(
            "LLR {llr:.digits$}, below the lower bound {lower:.digits$} (upper {upper:.digits$})"
        ),
        State::Continue => {
            format!("LLR {llr:.digits$}, between the bounds {lower:.digits$} and {upper:.digits$}")
        }
    }
}

/// For example `42 % of the way to passed`.
fn way(evaluation: &SprtEvaluation) -> String {
    if evaluation.llr < 0.0 {
        format!("{:.0} % of the way to failed", evaluation.percent_to_h0())
    } else {
        format!("{:.0} % of the way to passed", evaluation.percent_to_h1())
    }
}

/// The output of `--counts`.
pub fn computed(sprt: &Sprt, counts: &SprtCounts, evaluation: &SprtEvaluation) -> String {
    let (what, cells) = match counts {
        SprtCounts::Pairs(pairs) => ("pairs LL, LD, DD+WL, WD, WW", pairs.0.as_slice()),
        SprtCounts::Games(games) => ("games lost, drawn, won", games.0.as_slice()),
    };
    let cells: Vec<String> = cells.iter().map(u64::to_string).collect();
    let verdict = match evaluation.state {
        State::Continue => "not decided",
        State::H0 => "failed (H0)",
        State::H1 => "passed (H1)",
    };
    let unbiased = unbiased_line(sprt, counts).map_or(String::new(), |line| line + "\n");
    format!(
        "{}\n{what}: {}\n{}: {verdict}, {}\n{unbiased}",
        hypotheses(sprt),
        cells.join(", "),
        llr(evaluation, 4),
        way(evaluation)
    )
}

/// The estimate that allows for the stop, for example `Allowing for the stop: +12.3 Elo (+1.0 to
/// +23.6, 95 %), normalized +20.1 (+1.6 to +38.7).` or `Allowing for the stop: at least +21.0 Elo
/// (95 %), normalized at least +30.2.`
fn unbiased_line(sprt: &Sprt, counts: &SprtCounts) -> Option<String> {
    let Unbiased {
        median,
        low95,
        high95,
    } = sprt.unbiased(counts)?;
    let text = |of: fn(&Strength) -> f64, before: &str, (unit, confidence): (&str, &str)| {
        let shown = |strength: Option<Strength>| strength.map(|it| signed(of(&it)));
        let [middle, low, high] = [median, low95, high95].map(shown);
        match (middle, low, high) {
            (Some(middle), low, high) => {
                let [low, high] = [low, high].map(|it| it.unwrap_or_else(|| "any".to_owned()));
                format!("{before}{middle}{unit} ({low} to {high}{confidence})")
            }
            (None, Some(low), _) => format!("{before}at least {low}{unit}"),
            (None, None, high) => format!("{before}at most {}{unit}", high.unwrap_or_default()),
        }
    };
    let elo = text(|it| it.elo, "", (" Elo", ", 95 %"));
    let normalised = text(|it| it.normalised, "normalized ", ("", ""));
    let one_sided = if median.is_none() { " (95 %)" } else { "" };
    Some(format!(
        "Allowing for the stop: {elo}{one_sided}, {normalised}."
    ))
}

/// One decimal, with its sign; zero is +0.0.
fn signed(elo: f64) -> String {
    format!("{:+.1}", (10.0 * elo).round() / 10.0 + 0.0)
}

/// The estimate that allows for the stop as JSON; null if there is no estimate.
pub fn unbiased_json(sprt: &Sprt, counts: &SprtCounts) -> Value {
    let Some(Unbiased {
        median,
        low95,
        high95,
    }) = sprt.unbiased(counts)
    else {
        return Value::Null;
    };
    let mut object = json!({});
    for (key, strength) in [("elo", median), ("low95", low95), ("high95", high95)] {
        object[key] = json!(strength.map(|it| it.elo));
        object[format!("normalized_{key}")] = json!(strength.map(|it| it.normalised));
    }
    object
}

/// The conclusion of a test or match.
pub struct Conclusion {
    pub text: String,
    pub event: Finished,
}

pub fn conclusion(
    played: &SessionResult<'_>,
    resolved: &Resolved,
    names: &Names,
    entered: Option<EnteredTest>,
) -> Conclusion {
    let (verdict, word) = verdict(played, resolved, names);
    let mut event = names.finished(word, played.outcome.interrupted);
    let mut lines = vec![verdict];
    let (by_ledger, in_ledger) = entered.map(|it| (it.text, it.event)).unzip();
    lines.extend(by_ledger);
    let tested = resolved
        .plan
        .test
        .as_ref()
        .zip(played.outcome.test.as_ref());
    if let Some((test, progress)) = &tested {
        lines.push(format!(
            "{} after {}, {}",
            llr(&progress.evaluation, 2),
            number_of_pairs(&progress.counts),
            hypotheses(&test.sprt)
        ));
    }
    let new = resolved.new.map_or(0, |new| new.0);
    let [new, base] = [new, 1 - new].map(game::RatedEntrant);
    if let Some(summary) = played.tables.summary(new, base) {
        lines.extend(match_lines([&names.new, &names.base], &summary));
        event.summary = Some(match_json(&summary));
    }
    if let Some((test, progress)) = &tested {
        let counts = SprtCounts::Pairs(progress.counts);
        event.test = Some(FinishedTest {
            state: TestState::of(progress),
            unbiased: if test.repeat_openings {
                Value::Null
            } else {
                unbiased_json(&test.sprt, &counts)
            },
            ledger: in_ledger,
        });
        lines.extend(test.repeat_openings.then(|| evidence(progress)));
        let unbiased = unbiased_line(&test.sprt, &counts);
        // It is an estimate for evidence that counts in full.
        if let Some(line) = unbiased.filter(|_| !test.repeat_openings) {
            lines.push(line);
            lines.push(
                "The Elo further up is biased: a test stops when results are far out.".to_owned(),
            );
        }
    }
    lines.extend(faults(played));
    Conclusion {
        text: lines.join("\n") + "\n",
        event,
    }
}

/// What the evidence of a test with repeated openings is made of.
fn evidence(progress: &TestProgress) -> String {
    let TestProgress {
        counts,
        distinct_games,
        openings,
        ..
    } = progress;
    let games = 2 * counts.total();
    let number = |count: u64, one, many| counted(usize::try_from(count).unwrap_or(0), one, many);
    format!(
        "The evidence is {} among {}, from {}: the test says nothing of other openings, and a game \
         that repeats another to the move adds nothing.",
        number(*distinct_games, "different game", "different games"),
        number(games, "game", "games"),
        number(*openings, "opening", "openings"),
    )
}

/// A sentence, and the word of the JSON.
fn verdict(
    played: &SessionResult<'_>,
    resolved: &Resolved,
    names: &Names,
) -> (String, &'static str) {
    let new = &names.new;
    if let Some(withdrawal) = played.outcome.exclusions.withdrawn.first() {
        let who = printable(&withdrawal.entrant);
        return (
            format!(
                "faulty: {who} lost {} of {} games by faults; that is a bug, not a strength, and \
                 nothing was tested: see faults/ in the run's folder",
                withdrawal.faults, withdrawal.games
            ),
            "faulty",
        );
    }
    let (Some(plan), Some(test)) = (&resolved.plan.test, &played.outcome.test) else {
        let pairs = played.outcome.games / 2;
        let text = if played.outcome.complete {
            format!("all {pairs} pairs are played")
        } else {
            format!("not all of {pairs} pairs are played yet")
        };
        return (text, "match");
    };
    let claim = claim(&plan.sprt, names);
    match test.evaluation.state {
        State::H1 => (format!("passed (H1): {new} is {claim}"), "h1"),
        State::H0 => (
            format!("failed (H0): {new} is not shown to be {claim}"),
            "h0",
        ),
        State::Continue if played.outcome.complete => (
            "inconclusive: no pair is left to play, and the likelihood ratio has reached neither \
             bound; the same command goes on with a larger --max-pairs"
                .to_owned(),
            "inconclusive",
        ),
        State::Continue => ("not decided yet".to_owned(), "continue"),
    }
}

/// Faults that were too few to end the test.
fn faults(played: &SessionResult<'_>) -> Option<String> {
    let rows = played.tables.standings().rows().iter();
    let faulty: Vec<String> = rows
        .filter(|row| row.faults.iter().any(|&count| count > 0))
        .map(|row| format!("{} lost by {}", printable(&row.entrant), row.faults_text()))
        .collect();
    (!faulty.is_empty()).then(|| format!("faults count as losses: {}", faulty.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::expected;

    #[test]
    fn no_more_pairs_are_expected_than_there_are() {
        assert_eq!(
            expected(25_700.0, 380),
            ", not likely to be decided in the 380 that are left"
        );
        assert_eq!(expected(257.0, 380), ", about 260 pairs left");
        assert_eq!(
            expected(1e12, 0),
            ", not likely to be decided in the 0 that are left"
        );
    }
}
