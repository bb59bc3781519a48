//! Games in Portable Game Notation, and in the notation of the program Aualé: the tags with players
//! and results, and the moves as words.
//!
//! ```text
//! tags     names, result, Round (its pair), FEN (where the moves begin), Start (where the bots began)
//! words    each move as it is written: nothing here knows a game's rules
//! {book}   marks the moves before it as those of the opening
//! ```

use super::result::{ending, seeds};
use super::rows::{GameText, NumberedGames, text_hash};
use super::table::{TableError, not_utf8};
use crate::stats::game::Outcome;
use crate::text::{PgnError, PgnPart, PgnText, shown_bytes};
use std::collections::BTreeMap;
use std::io::BufRead;

/// The tag with which a game begins in many files.
const EVENT: &str = "Event";
/// The tags that are read.
const TAGS: [&str; 9] = [
    EVENT, "White", "Black", "South", "North", "Result", "FEN", "Start", "Round",
];

/// The names of a player: those of chess, and those of awalé.
const PLAYERS: [[&str; 2]; 2] = [["White", "South"], ["Black", "North"]];

/// Adds the games of a PGN file.
pub fn read(
    mut input: impl BufRead,
    file: &str,
    rows: &mut NumberedGames,
) -> Result<(), TableError> {
    let of_file = |error: PgnError| TableError::Row {
        file: file.to_owned(),
        line: error.line,
        reason: error.reason,
    };
    let mut text = PgnText::new(&TAGS);
    let mut reader = Reader {
        file,
        rows,
        game: PgnGame::default(),
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        let read = read.map_err(|error| TableError::Form {
            file: file.to_owned(),
            reason: error.to_string(),
        })?;
        let done = if read == 0 {
            text.end().and_then(|()| reader.end(text.line()))
        } else {
            text.read_line(&line, &mut |line, part| reader.take(line, part))
        };
        done.map_err(of_file)?;
        if read == 0 {
            return Ok(());
        }
    }
}

/// A game that is being read.
#[derive(Default)]
struct PgnGame {
    /// The value and the line of each of [`TAGS`] that it has.
    tags: BTreeMap<&'static str, (String, u64)>,
    /// The line of the first tag or move; 0 before it.
    line: u64,
    /// The moves, each with a space after it.
    moves: Vec<u8>,
    /// The length of the part of the moves that comes from a book.
    book: usize,
}

impl PgnGame {
    /// The value of a tag; empty if it is missing or unknown.
    fn value(&self, tag: &str) -> &str {
        match self.tags.get(tag) {
            Some((value, _)) if value != "?" && value != "-" => value,
            _ => "",
        }
    }

    /// The line of a tag, otherwise that of the game.
    fn line_of(&self, tag: &str) -> u64 {
        self.tags.get(tag).map_or(self.line, |(_, line)| *line)
    }

    /// The one of the two names of a player that the game has, or should have.
    fn player(&self, [chess, awale]: [&'static str; 2]) -> Result<&'static str, PgnError> {
        match [chess, awale].map(|tag| self.tags.contains_key(tag)) {
            [true, true] => PgnError::new(
                self.line_of(awale),
                format!("the game has both tags {chess} and {awale}: take one out"),
            ),
            [false, true] => Ok(awale),
            [false, false] if self.has_seeds() => Ok(awale),
            _ => Ok(chess),
        }
    }

    /// Whether it has seeds as its result: a game of awalé, by its tags.
    fn has_seeds(&self) -> bool {
        self.tags.contains_key("South") || self.tags.contains_key("North")
    }

    /// The result in this text; `None` for a game that is not finished.
    fn result(&self, text: &str) -> Result<Option<Outcome>, String> {
        let found = ending(text);
        match seeds(text).filter(|_| self.has_seeds() && found.is_err()) {
            Some(outcome) => Ok(Some(outcome)),
            None => found,
        }
    }
}

struct Reader<'a> {
    file: &'a str,
    rows: &'a mut NumberedGames,
    game: PgnGame,
}

impl Reader<'_> {
    fn take(&mut self, line: u64, part: PgnPart<'_>) -> Result<(), PgnError> {
        match part {
            PgnPart::Tag(name, value) => self.tag(line, name, value),
            PgnPart::Comment(text) => {
                // cutechess and similar programs mark the moves of an opening like this.
                if text.trim_ascii().eq_ignore_ascii_case(b"book") {
                    self.game.book = self.game.moves.len();
                }
                Ok(())
            }
            PgnPart::Word(word) => self.word(line, word),
        }
    }

    fn tag(&mut self, line: u64, name: &[u8], value: Option<Vec<u8>>) -> Result<(), PgnError> {
        let known = known(name);
        let is_next = known.is_some_and(|tag| self.game.tags.contains_key(tag))
            || !self.game.moves.is_empty()
            || known == Some(EVENT) && !self.game.tags.is_empty();
        // Some files have only tags, and some games have no result after their moves.
        if is_next {
            self.finish(line, None)?;
        }
        if self.game.line == 0 {
            self.game.line = line;
        }
        if let (Some(tag), Some(value)) = (known, value) {
            // Only the place of the event's name matters: it may have any encoding.
            let value = if tag == EVENT { Vec::new() } else { value };
            let Ok(text) = str::from_utf8(&value) else {
                let reason = format!("the tag {tag}: {}", not_utf8(&value, self.file));
                return PgnError::new(line, reason);
            };
            let value = (text.trim().to_owned(), line);
            self.game.tags.insert(tag, value);
        }
        Ok(())
    }

    /// Reads a move or a result.
    fn word(&mut self, line: u64, word: &[u8]) -> Result<(), PgnError> {
        let text = str::from_utf8(word).unwrap_or_default();
        let is_seeds = self.game.has_seeds() && seeds(text).is_some();
        if is_seeds || matches!(text, "1-0" | "0-1" | "1/2-1/2" | "1/2" | "*") {
            return self.finish(line, Some(text));
        }
        if self.game.line == 0 {
            let shown = shown_bytes(word);
            let reason = format!("{shown} stands before the first tag of a game");
            return PgnError::new(line, reason);
        }
        self.game.moves.extend_from_slice(word);
        self.game.moves.push(b' ');
        Ok(())
    }

    /// Ends the game, with or without a result after its moves.
    fn finish(&mut self, line: u64, after_moves: Option<&str>) -> Result<(), PgnError> {
        if self.game.line == 0 {
            return PgnError::new(line, "a result that no game belongs to");
        }
        match self.ending(line, after_moves)? {
            None => self.rows.leave_out(),
            Some(outcome) => self.add(outcome)?,
        }
        self.game = PgnGame::default();
        Ok(())
    }

    /// The result of the game by its tag and by the text after its moves.
    fn ending(&self, end: u64, after_moves: Option<&str>) -> Result<Option<Outcome>, PgnError> {
        let text = self.game.value("Result");
        let line = self.game.line_of("Result");
        let after_moves = after_moves.and_then(|text| self.game.result(text).ok());
        if text.is_empty() {
            return after_moves.map_or_else(
                || PgnError::new(line, "the game that begins here has no result"),
                Ok,
            );
        }
        match self.game.result(text) {
            Err(refusal) => PgnError::new(line, format!("the tag Result: {refusal}")),
            Ok(of_tag) if after_moves.is_some_and(|other| of_tag != other) => {
                let shown = shown_bytes(text.as_bytes());
                let reason = format!(
                    "the tag Result says {shown}, but another result stands after the moves in \
                     line {end}"
                );
                PgnError::new(line, reason)
            }
            Ok(of_tag) => Ok(of_tag),
        }
    }

    fn add(&mut self, outcome: Outcome) -> Result<(), PgnError> {
        let game = &self.game;
        let [south, north] = PLAYERS.map(|names| game.player(names));
        let players = [south?, north?];
        if players
            .iter()
            .any(|tag| game.tags.get(tag).is_some_and(|(name, _)| name == "?"))
        {
            self.rows.leave_out();
            return Ok(());
        }
        if let Some(tag) = players.into_iter().find(|tag| game.value(tag).is_empty()) {
            let reason = format!("the game has no tag {tag} with a name");
            return PgnError::new(game.line_of(tag), reason);
        }
        let [south, north] = players.map(|tag| game.value(tag));
        let round = game.value("Round");
        // Two entrants and a round: a round has many games that are not of one pair.
        let [lower, higher] = [south.min(north), south.max(north)];
        let pair = if round.is_empty() {
            String::new()
        } else {
            format!("{round}\n{lower}\n{higher}")
        };
        let (book, played) = game.moves.split_at(game.book);
        let (opening, content) = match (game.value("Start"), game.value("FEN")) {
            ("", fen) => {
                let opening = format!("{fen} {}", String::from_utf8_lossy(book));
                let content = (!game.moves.is_empty()).then(|| text_hash(fen, &game.moves));
                (opening.trim().to_owned(), content)
            }
            (start, _) => {
                let content = (!played.is_empty()).then(|| text_hash(start, played));
                (start.to_owned(), content)
            }
        };
        let added = self.rows.add(GameText {
            south,
            north,
            outcome,
            opening: &opening,
            pair: &pair,
            content,
        });
        added.or_else(|reason| PgnError::new(self.game.line_of(players[0]), reason))
    }

    /// Handles the end of the file.
    fn end(&mut self, line: u64) -> Result<(), PgnError> {
        if self.game.line > 0 {
            self.finish(line, None)?;
        }
        Ok(())
    }
}

/// The one of the [`TAGS`] that has this name.
fn known(name: &[u8]) -> Option<&'static str> {
    let mut tags = TAGS.into_iter();
    tags.find(|tag| name.eq_ignore_ascii_case(tag.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::game::RatedGame as Counted;
    use std::fmt::Write as _;

    /// The games of a PGN file, the names of its players, and the number of games that were left
    /// out.
    fn games(text: &[u8]) -> Result<(Vec<String>, Vec<Counted>, u64), String> {
        let mut rows = NumberedGames::default();
        read(text, "a.pgn", &mut rows).map_err(|error| error.to_string())?;
        rows.keep_true_pairs();
        let table = rows.sorted();
        Ok((table.names, table.games.collect(), table.unfinished))
    }

    /// `ada-bob south`, one text for each game.
    fn told(text: &str) -> Vec<String> {
        let (names, games, _) = games(text.as_bytes()).expect("a PGN file");
        let line = |game: &Counted| {
            let [south, north] = [game.south, game.north].map(|it| names[it.position()].clone());
            let outcome = match game.outcome {
                Outcome::SouthWins => "south",
                Outcome::NorthWins => "north",
                Outcome::Draw => "draw",
            };
            format!("{south}-{north} {outcome}")
        };
        games.iter().map(line).collect()
    }

    /// A game with these other tags and moves.
    fn game(players: [&str; 2], result: &str, tags: &str, moves: &str) -> String {
        let [white, black] = players;
        format!(
            "[Event \"x\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\
             {tags}\n{moves} {result}\n\n"
        )
    }

    const ADA_BOB: [&str; 2] = ["ada", "bob"];
    const BOB_ADA: [&str; 2] = ["bob", "ada"];

    #[test]
    fn games_of_every_shape_are_read() {
        for (text, expected) in [
            ("", &[][..]),
            (&game(ADA_BOB, "1-0", "", "1. e4 e5"), &["ada-bob south"]),
            (
                &game(ADA_BOB, "0-1", "", "").replace('\n', "\r\n"),
                &["ada-bob north"],
            ),
            (
                &game(ADA_BOB, "1/2-1/2", "", "").replace('\n', "\r"),
                &["ada-bob draw"],
            ),
            // A result in another form, or only after the moves.
            ("[White \"a\"][Black \"b\"][Result \"½-½\"] *", &[]),
            (
                "[White \"a\"][Black \"b\"][Result \"½-½\"]\n3 4",
                &["a-b draw"],
            ),
            (
                "[White \"a\"][Black \"b\"][Result \"?\"] 0-1",
                &["a-b north"],
            ),
            ("[White \"a\"]\n[Black \"b\"]\n1. Aa Bb 1/2", &["a-b draw"]),
            // Only tags, and lower case.
            (
                "[white \"a\"]\n[black \"b\"]\n[result \"1-0\"]\n[White \"b\"]\n[Black \"a\"]\n\
                 [Result \"1-0\"]\n",
                &["a-b south", "b-a south"],
            ),
            (
                "[Event \"1\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n[Event \"2\"]\n\
                 [White \"b\"]\n[Black \"a\"]\n[Result \"0-1\"]",
                &["a-b south", "b-a north"],
            ),
            // No result after the moves: the next tag begins a game.
            (
                "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4\n\n[Site \"x\"]\n\
                 [White \"c\"]\n[Black \"a\"]\n[Result \"0-1\"]\n1-0 is not a result here {",
                &[],
            ),
            // Text that looks like a result, a tag or a name, but is not one.
            (
                &game(
                    ADA_BOB,
                    "1-0",
                    "[Remark \"not closed]",
                    "{0-1} 1. e4 (1. d4 {(} 0-1 (1. c4 *)) $1 e5 ; 0-1 {\n% 0-1 {\n{[%clk 1] \
                     \n[Site \"in it\"]\n%} 2. Nf3",
                ),
                &["ada-bob south"],
            ),
        ] {
            if expected.is_empty() && !text.is_empty() {
                assert!(games(text.as_bytes()).is_err(), "{text}");
            } else {
                assert_eq!(told(text), expected, "{text}");
            }
        }
    }

    /// Seeds are results of games of awalé alone, and Start names their opening.
    #[test]
    fn games_of_awale_are_read() {
        let game = |tags: &str, moves: &str| {
            format!(
                "[Variant \"Oware Abapa\"]\n[Event \"x\"]\n[South \"ada\"]\n{tags}\n\n{moves}\n"
            )
        };
        for (tags, moves, expected) in [
            (
                "[North \"bob\"]\n[Result \"25-23\"]",
                "1. A a 25-23",
                "south",
            ),
            ("[North \"bob\"]\n[Result \"9-10\"]", "", "north"),
            ("[North \"bob\"]", "1. A+2 a { 25-23 } 24-24", "draw"),
            (
                "[North \"bob\"]\n[Result \"0-1\"]\n[Stores \"30-1\"]",
                "1. A 0-1",
                "north",
            ),
        ] {
            let text = game(tags, moves) + &game("[North \"bob\"]", "1-0");
            let told = told(&text);
            assert_eq!(
                told,
                [format!("ada-bob {expected}"), "ada-bob south".to_owned()]
            );
        }
        let with = |start: &str, moves: &str| {
            let tags = format!("[North \"bob\"]\n[Result \"25-23\"]\n[Start \"{start}\"]");
            game(&tags, &format!("{moves} 25-23"))
        };
        let text = [
            with("p1", "1. A a {book} 2. B b"),
            with("p1", "1. C c {book} 2. B b"),
            with("p2", "1. A a {book} 2. B b"),
        ];
        let (_, counted, _) = games(text.concat().as_bytes()).expect("games");
        assert_eq!(counted[0].opening, counted[1].opening);
        assert_ne!(counted[0].opening, counted[2].opening);
        assert!(counted[0].content.is_some() && counted[0].content == counted[1].content);
        for (tags, said) in [
            (
                "[White \"ada\"]\n[North \"bob\"]",
                "a.pgn:3: the game has both tags White and South",
            ),
            (
                "[Result \"25-23\"]",
                "a.pgn:1: the game has no tag North with a name",
            ),
            (
                "[North \"bob\"]\n[Result \"49-0\"]",
                "\"49-0\" is not a result",
            ),
        ] {
            let error = games(game(tags, "1. A 25-23").as_bytes()).expect_err(tags);
            assert!(error.contains(said), "{said:?} in {error}");
        }
    }

    #[test]
    fn names_are_what_was_meant() {
        for (value, name) in [
            ("ada", "ada"),
            ("  Ada L. ", "Ada L."),
            (r#"the \"one\""#, r#"the "one""#),
            (r"C:\\ada\x", r"C:\ada\x"),
            (r#"the "one""#, r#"the "one""#),
            ("{ada} [1]; (2) %", "{ada} [1]; (2) %"),
            ("Ελένη 明", "Ελένη 明"),
        ] {
            let text = game([value, "~"], "1-0", "", "");
            let names = games(text.as_bytes()).expect("a game").0;
            assert!(names.iter().any(|it| it == name), "{name} in {names:?}");
        }
    }

    #[test]
    fn unfinished_games_are_left_out() {
        let text = game(ADA_BOB, "*", "", "1. e4") + &game(ADA_BOB, "1-0", "", "");
        let nameless = game(["?", ""], "*", "", "") + &game(["?", "a"], "1-0", "", "");
        let (names, counted, unfinished) = games((text + &nameless).as_bytes()).expect("games");
        assert_eq!((names.len(), counted.len(), unfinished), (2, 1, 3));
    }

    #[test]
    fn openings_are_positions_or_moves_of_a_book() {
        let with = |tags: &str, moves: &str| game(ADA_BOB, "1-0", tags, moves);
        let text = [
            with("[FEN \"p1\"]", "1. a b"),
            with("[FEN \" p1 \"]", "1. b a"),
            with("[FEN \"p2\"]", "1. a b"),
            with("[ECO \"A00\"]\n[Opening \"Lines\"]", "1. a b"),
            with("", "1. a {book} b { Book } 2. c {+1.2/7 book} d"),
            with("", "1. a {book} 1... b {book} 2. d d"),
            with("", "1. a {book} b c d (1. x {book})"),
        ]
        .concat();
        let (_, counted, _) = games(text.as_bytes()).expect("games");
        let openings: Vec<_> = counted.iter().map(|game| game.opening).collect();
        assert_eq!(openings[0], openings[1]);
        assert_eq!(openings[3], None);
        assert_eq!(openings[4], openings[5]);
        for (one, other) in [(0, 2), (0, 4), (4, 6), (2, 6)] {
            assert_ne!(openings[one], openings[other], "{one}, {other}");
        }
    }

    #[test]
    fn repeated_games_have_the_same_content() {
        let with = |tags: &str, moves: &str| game(ADA_BOB, "1-0", tags, moves);
        let text = [
            with("", "1. e4 e5 2. Nf3"),
            with("", "1.e4 {a comment} 1...e5 (1... c5) $3\n2.Nf3 ;!"),
            with("", "1. e4 e5 2. Nc3"),
            with("[FEN \"p\"]", "1. e4 e5 2. Nf3"),
            with("", ""),
            with("", "{nothing} "),
            // The moves of other games are words too, including numbers.
            with("", "1. 4 5 2. 6"),
            with("", "1.4 5 2.6"),
            with("", "1. 4 52. 6"),
        ]
        .concat();
        let (_, counted, _) = games(text.as_bytes()).expect("games");
        let contents: Vec<_> = counted.iter().map(|game| game.content).collect();
        assert_eq!(contents[0], contents[1]);
        assert_ne!(contents[0], contents[2]);
        assert_ne!(contents[0], contents[3]);
        assert_eq!((contents[4], contents[5]), (None, None));
        assert_eq!(contents[6], contents[7]);
        assert_ne!(contents[6], contents[8]);
    }

    #[test]
    fn a_round_is_a_pair_where_it_has_two_games_with_sides_swapped() {
        let mut text = String::new();
        for (players, round) in [
            (ADA_BOB, "1"),
            (BOB_ADA, "1"),
            (ADA_BOB, "2"),
            (["bob", "carl"], "1"),
            (["carl", "bob"], "1"),
            (ADA_BOB, "?"),
            (BOB_ADA, "?"),
            (ADA_BOB, "-"),
            (BOB_ADA, "-"),
            (ADA_BOB, "3"),
            (ADA_BOB, "3"),
        ] {
            text += &game(players, "1-0", &format!("[Round \"{round}\"]"), "");
        }
        let (_, counted, _) = games(text.as_bytes()).expect("games");
        let pairs: Vec<_> = counted.iter().map(|game| game.pair).collect();
        assert!(pairs[0].is_some() && pairs[0] == pairs[1]);
        assert!(pairs[3].is_some() && pairs[3] == pairs[4] && pairs[3] != pairs[0]);
        assert_eq!(pairs[2], None);
        assert_eq!(pairs[5..], [None; 6]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let head = "[Event \"x\"]\n[White \"a\"]\n[Black \"b\"]\n";
        for (text, said) in [
            (
                head.to_owned() + "[Result \"2-0\"]\n2-0",
                "a.pgn:4: the tag Result: \"2-0\" is no",
            ),
            (
                head.to_owned() + "1. e4\n",
                "a.pgn:1: the game that begins here has no result",
            ),
            (
                head.to_owned() + "[Result \"1-0\"]\n\n1. e4 0-1",
                "a.pgn:4: the tag Result says \"1-0\", but another result stands after the moves \
                 in line 6",
            ),
            (
                head.to_owned() + "{open\n\n[White \"c\"]\n}",
                "a.pgn:6: a tag inside the comment that begins in line 4",
            ),
            (
                head.to_owned() + "(open\n[Result \"1-0\"]",
                "a.pgn:5: a tag inside the variation that begins in line 4",
            ),
            (
                head.to_owned() + "1. e4 {open\n",
                "ends inside the comment that begins in line 4",
            ),
            (
                head.to_owned() + "1. e4 (open\n",
                "ends inside the variation that begins in line 4",
            ),
            (
                head.to_owned() + "1. e4 )",
                "a.pgn:4: a `)` closes no variation",
            ),
            (
                head.replace('b', "-") + "1-0",
                "a.pgn:3: the game has no tag Black with a name",
            ),
            (
                "[Black \"b\"]\n0-1".to_owned(),
                "a.pgn:1: the game has no tag White with a name",
            ),
            (
                head.replace('b', "a") + "1-0",
                "a.pgn:2: \"a\" plays itself",
            ),
            (
                "[White \"a\n[Black \"b\"]\n1-0".to_owned(),
                "a.pgn:1: the tag White is not closed",
            ),
            (
                head.to_owned() + "[x]",
                "a.pgn:4: a `[` begins no tag, as in [White \"ada\"]: \"x]\"",
            ),
            (
                head.to_owned() + "1-0\n\ne4 e5",
                "a.pgn:6: \"e4\" stands before the first tag",
            ),
            (
                head.to_owned() + "1-0 1-0",
                "a.pgn:4: a result that no game belongs to",
            ),
        ] {
            let error = games(text.as_bytes()).expect_err(&text);
            assert!(error.contains(said), "{said:?} in {error}");
        }
    }

    #[test]
    fn names_in_other_letters_are_refused() {
        let latin = b"[Event \"caf\xe9\"]\n[White \"J\xfcrg\"]\n[Black \"b\"]\n1-0";
        let error = games(latin).expect_err("Latin-1");
        let said = "a.pgn:2: the tag White: \"J\\xfcrg\" is neither UTF-8 nor UTF-16; save the \
                    file as UTF-8";
        assert!(error.starts_with(said), "{error}");
        // Where the text is not needed, it may have any encoding.
        let remark = b"[Event \"caf\xe9\"]\n[White \"a\"]\n[Black \"b\"]\n{\xe9} 1. \xe9 1-0";
        assert_eq!(games(remark).expect("a game").1.len(), 1);
    }

    /// Long lines and many games are fine.
    #[test]
    fn many_games_are_read() {
        let mut text = String::new();
        for number in 0..1000 {
            let players = [ADA_BOB, BOB_ADA][number % 2];
            let moves = format!("1. x{number} y");
            let tags = format!("[Round \"{}\"]", number / 2);
            let _ = write!(text, "{}", game(players, "1-0", &tags, &moves));
        }
        let lines = games(text.as_bytes()).expect("games").1;
        let one_line = games(text.replace('\n', " ").as_bytes()).expect("games").1;
        assert_eq!(lines.len(), 1000);
        assert_eq!(lines, one_line);
    }
}
