//! The steps as data: the name of each, why it matters, how to fix a failure, the steps that it
//! needs, and its action. `examine` carries the actions out.
//!
//! ```text
//! list  all steps, by subject
//! ```

use crate::conformance::arrangement::{Arrangement, OnlyWin, RulePosition};
use crate::conformance::message_style::MessageStyle;
use crate::rules::Side;
use crate::text::{did_you_mean, printable};
use std::collections::BTreeSet;

mod list;

/// All steps in their order.
pub fn all() -> impl Iterator<Item = &'static Step> {
    list::ALL.into_iter().flatten()
}

/// The steps with these names or numbers, and all that they need; `None` if the list is empty.
///
/// # Errors
/// A word is neither.
pub fn with_needs(words: &[String]) -> Result<Option<BTreeSet<&'static str>>, String> {
    let mut wanted: BTreeSet<&'static str> = BTreeSet::new();
    for word in words {
        wanted.insert(named(word.trim())?.id);
    }
    // A step comes after all that it needs.
    let steps: Vec<&Step> = all().collect();
    for step in steps.into_iter().rev() {
        if wanted.contains(step.id) {
            wanted.extend(step.needs);
        }
    }
    Ok((!wanted.is_empty()).then_some(wanted))
}

fn named(word: &str) -> Result<&'static Step, String> {
    let number: Option<usize> = word.parse().ok();
    let mut found = all()
        .enumerate()
        .filter(|(place, step)| step.id == word || Some(place + 1) == number)
        .map(|(_, step)| step);
    found.next().ok_or_else(|| {
        let ids: Vec<&str> = all().map(|step| step.id).collect();
        let hint = did_you_mean(word, &ids, ["", ""]);
        let takes = if hint.is_empty() {
            "; it takes"
        } else {
            " It takes"
        };
        let (word, last) = (printable(word), ids.len());
        format!(
            "--only knows no step \"{word}\"{hint}{takes} the number that stands before a \
             step, 1 to {last}, or its name, as in --only 13 or --only game-south,in-time; \
             docs/check.md lists them all"
        )
    })
}

/// One step.
#[derive(Debug)]
pub struct Step {
    /// Its name for programs; never changes.
    pub id: &'static str,
    /// The statement that is true if the step passes.
    pub title: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// How to fix it.
    pub fix: &'static str,
    /// The steps that must pass for this one to be meaningful.
    pub needs: &'static [&'static str],
    /// Its action.
    pub act: StepAction,
}

/// The action of a step.
#[derive(Debug)]
pub enum StepAction {
    /// Starts the program.
    Start,
    /// Greets the bot.
    Hello,
    /// Judges the time of the start.
    StartUpTime,
    /// Sends nothing and expects nothing.
    Quiet,
    /// Judges the name in the first answer.
    Name,
    /// Announces a game.
    NewGame,
    /// Asks for the first move of that game.
    FirstMove,
    /// Plays positions with a new process.
    Fresh(&'static [RulePosition]),
    /// Plays a whole game with a new process.
    Game(Side),
    /// Plays the game as South again, in the same process.
    SecondGame,
    /// Plays many short games in one process.
    ManyGames,
    /// Plays positions.
    Positions(&'static [RulePosition]),
    /// Asks for the only winning moves of positions, as advice.
    Wins(&'static [OnlyWin]),
    /// Plays some moves with messages in another style.
    Styled(MessageStyle),
    /// Plays some moves of a game that is changed like this.
    Changed(fn(&mut Arrangement)),
    /// Plays some moves on a game clock.
    Bank,
    /// Sends `quit` after some moves, with the input still open.
    Quit,
    /// Sends `quit` to a process that has not played.
    QuitAtOnce,
    /// Closes the input in the middle of a game.
    EndOfInput,
    /// Closes the input of a process that was told nothing.
    EndOfInputAtOnce,
    /// Judges the times of all moves.
    InTime,
    /// Compares the two games as South.
    Deterministic,
    /// Judges the ends of all lines.
    LineEnds,
    /// Judges the `info` of moves.
    Info,
    /// Judges the peak memory of a process.
    Memory,
    /// Judges standard error.
    StandardError,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::endgame::{EndgameValues, SolvedRules};
    use crate::engine::{Budget, Engine, House, MinimaxOptions};
    use crate::rules::{Game, Pit, Preset};

    #[test]
    fn steps_have_names_of_their_own_and_need_only_earlier_ones() {
        let mut earlier = BTreeSet::new();
        for step in all() {
            for need in step.needs {
                assert!(earlier.contains(need), "{} needs {need}", step.id);
            }
            assert!(earlier.insert(step.id), "{} twice", step.id);
            for text in [step.title, step.why, step.fix] {
                assert!(!text.is_empty(), "{}", step.id);
            }
        }
        assert!(earlier.len() >= 40, "{} steps", earlier.len());
    }

    #[test]
    fn steps_are_taken_with_what_they_need() {
        let taken = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            with_needs(&words).map(|only| only.map(Vec::from_iter))
        };
        assert_eq!(taken(&[]), Ok(None));
        assert_eq!(taken(&["1"]), Ok(Some(vec!["starts"])));
        let quiet = vec!["hello", "quiet-after-hello", "starts"];
        assert_eq!(taken(&["quiet-after-hello"]), Ok(Some(quiet.clone())));
        assert_eq!(taken(&["4", "hello"]), Ok(Some(quiet)));
        for word in ["0", "57", "", "helo", "-1"] {
            assert!(taken(&[word]).is_err(), "{word}");
        }
        let said = taken(&["game-soth"]).unwrap_err();
        assert!(said.contains("did you mean game-south?"), "{said}");
    }

    /// The values of all positions say which moves win, and the search how soon.
    #[test]
    fn one_move_wins_as_soon_as_the_step_says() {
        let rules = Preset::Awale.rules();
        let values = EndgameValues::solve(SolvedRules::of(&rules).unwrap(), 10);
        let mut checked = 0;
        for step in all() {
            let StepAction::Wins(wins) = step.act else {
                continue;
            };
            let plies = match step.id {
                "wins-at-once" => 1,
                "wins-in-two-moves" => 3,
                "wins-in-three-moves" => 5,
                other => panic!("{other}"),
            };
            for win in wins {
                let game = Game::new(rules, win.position.position());
                let [south, north] = game.position().stores();
                assert_eq!(south, north);
                let is_best = |pit: &Pit| values.value_of_move(game.position(), *pit) > Some(0);
                let winning: Vec<Pit> = game.legal_moves().iter().filter(is_best).collect();
                assert_eq!(winning, [Pit::from_letter(win.pit).unwrap()]);
                assert!(game.legal_moves().len() > 1);
                let mut engine = Engine::new(House::Minimax(MinimaxOptions {
                    depth: Some(plies),
                    ..MinimaxOptions::default()
                }));
                let choice = engine.choose(&game, &Budget::default()).unwrap();
                assert_eq!(choice.pit, winning[0]);
                let score = choice.score.unwrap();
                assert_eq!(
                    (score.certain_in(), score.seeds() > 0.0),
                    (Some(plies), true)
                );
                checked += 1;
            }
        }
        assert_eq!(checked, 6);
    }

    #[test]
    fn winning_moves_are_asked_where_they_win() {
        let asked = Preset::ALL
            .into_iter()
            .filter(|preset| OnlyWin::is_of(&preset.rules()));
        let asked: Vec<&str> = asked.map(Preset::name).collect();
        assert_eq!(asked, ["awale", "simple"]);
    }

    /// Each position arises in exactly the presets whose rules allow it.
    #[test]
    fn positions_arise_where_the_rules_say() {
        let all = Preset::ALL.map(Preset::name).to_vec();
        let without = |left_out: &[&str]| -> Vec<&str> {
            let mut names = all.clone();
            names.retain(|name| !left_out.contains(name));
            names
        };
        for step in super::all() {
            let (StepAction::Positions(positions) | StepAction::Fresh(positions)) = &step.act
            else {
                continue;
            };
            let arises: Vec<&str> = Preset::ALL
                .into_iter()
                .filter(|preset| {
                    positions
                        .iter()
                        .any(|it| it.arises(&preset.rules(), false).is_ok())
                })
                .map(Preset::name)
                .collect();
            let expected = match step.id {
                // A row is empty, which ends the children's game.
                "must-feed" | "one-legal-pit" | "before-no-move" => without(&["junior"]),
                "must-feed-slam" => {
                    vec![
                        "awale",
                        "abapa",
                        "classique",
                        "simple",
                        "abidjan",
                        "codingame",
                    ]
                }
                "slam-no-capture" => vec!["awale", "abapa", "simple", "abidjan", "codingame"],
                "slam-forbidden" => vec!["commun"],
                "slam-forbidden-unless-only-capture" => vec!["awari"],
                "before-majority" => vec!["awale", "abapa", "awari", "codingame"],
                "before-row-empty" | "slam-capture" => vec!["junior"],
                "before-dead-position" | "slam-forbidden-unless-only" => vec!["classique"],
                // Two seeds are dead, a row is empty on the way, or nothing ends it.
                "before-repetition" => without(&["classique", "junior", "codingame"]),
                _ => all.clone(),
            };
            assert_eq!(arises, expected, "{}", step.id);
        }
    }
}
