//! Games in Portable Game Notation (S. J. Edwards, *PGN specification and implementation guide*,
//! 1994): the tags with players and results, and the moves as words.
//!
//! ```text
//! [White "ada"]  ─→ tag     names, result, FEN (where the game began), Round (its pair)
//! 1. e4 {book} …  ─→ word    each move as it is written: nothing here knows a game's rules
//! ; % $ ( ) { }   ─→ passed over, but that `book` in a comment marks a move of the opening
//! 1-0             ─→ the end of a game
//! ```
//!
//! The crates that read PGN know chess, and the good ones are under the GPL. Moves of awalé are not
//! chess moves, and a table of ratings needs only their text.

use super::result::ending;
use super::rows::{GameText, NumberedGames, text_hash};
use super::table::{TableError, not_utf8, shown_bytes};
use crate::stats::game::Outcome;
use std::collections::BTreeMap;
use std::io::BufRead;

/// The tags that are read.
const TAGS: [&str; 5] = ["White", "Black", "Result", "FEN", "Round"];

/// Whether a text with this beginning is PGN: its first line that is neither blank nor a comment is
/// a tag.
pub fn is_pgn(start: &[u8]) -> bool {
    let first = start
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !matches!(line[0], b'%' | b';'));
    first.is_some_and(|line| line.starts_with(b"[") && tag_name(&line[1..]).is_some())
}

/// Adds the games of a PGN file.
pub fn read(
    mut input: impl BufRead,
    file: &str,
    rows: &mut NumberedGames,
) -> Result<(), TableError> {
    let mut reader = Reader {
        file,
        rows,
        line: 0,
        game: PgnGame::default(),
        comment_since: None,
        variations: Vec::new(),
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        let read = read.map_err(|error| TableError::Form {
            file: file.to_owned(),
            reason: error.to_string(),
        })?;
        if read == 0 {
            return reader.end();
        }
        reader.line += 1;
        reader.take(&line)?;
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
}

struct Reader<'a> {
    file: &'a str,
    rows: &'a mut NumberedGames,
    /// The number of the current line, from 1.
    line: u64,
    game: PgnGame,
    /// The line where an unclosed comment in braces began.
    comment_since: Option<u64>,
    /// The lines where unclosed variations began.
    variations: Vec<u64>,
}

impl Reader<'_> {
    fn wrong<T>(&self, line: u64, reason: impl Into<String>) -> Result<T, TableError> {
        Err(TableError::Row {
            file: self.file.to_owned(),
            line,
            reason: reason.into(),
        })
    }

    /// Reads a line with its line end.
    fn take(&mut self, line: &[u8]) -> Result<(), TableError> {
        // In a comment a line may begin with a percent sign.
        if line.starts_with(b"%") && self.comment_since.is_none() {
            return Ok(());
        }
        self.check_open(line)?;
        let mut rest = line;
        loop {
            if self.comment_since.is_some() {
                let Some(end) = rest.iter().position(|byte| *byte == b'}') else {
                    return Ok(());
                };
                self.comment_since = None;
                rest = &rest[end + 1..];
            }
            rest = rest.trim_ascii_start();
            let Some((&first, after)) = rest.split_first() else {
                return Ok(());
            };
            rest = match first {
                b';' => return Ok(()),
                b'{' => {
                    self.comment(after);
                    after
                }
                b'(' => {
                    self.variations.push(self.line);
                    after
                }
                b')' => {
                    if self.variations.pop().is_none() {
                        return self.wrong(self.line, "a `)` closes no variation");
                    }
                    after
                }
                b'[' if self.variations.is_empty() => self.tag(after)?,
                _ => {
                    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"{}();".contains(byte);
                    // A lone `}` is a word.
                    let end = after.iter().position(is_end).unwrap_or(after.len()) + 1;
                    self.word(&rest[..end])?;
                    &rest[end..]
                }
            };
        }
    }

    /// The outermost comment or variation that is not closed, and the sign that is missing.
    fn open(&self) -> Option<(String, char)> {
        let (what, sign, since) = match (self.comment_since, self.variations.first()) {
            (Some(line), _) => ("comment", '}', line),
            (None, Some(&line)) => ("variation", ')', line),
            (None, None) => return None,
        };
        Some((format!("the {what} that begins in line {since}"), sign))
    }

    /// Refuses a tag inside a comment or a variation: an unclosed one would swallow whole games.
    fn check_open(&self, line: &[u8]) -> Result<(), TableError> {
        let name = line.strip_prefix(b"[").and_then(tag_name);
        if name.is_none_or(|(name, _)| known(name).is_none()) {
            return Ok(());
        }
        self.open().map_or(Ok(()), |(what, sign)| {
            let reason = format!("a tag inside {what}: is its `{sign}` missing?");
            self.wrong(self.line, reason)
        })
    }

    /// Begins a comment; `text` follows its brace on this line.
    fn comment(&mut self, text: &[u8]) {
        self.comment_since = Some(self.line);
        // cutechess and similar programs mark the moves of an opening like this.
        let is_book = |text: &[u8]| text.trim_ascii().eq_ignore_ascii_case(b"book");
        let end = text.iter().position(|byte| *byte == b'}');
        if self.variations.is_empty() && end.is_some_and(|end| is_book(&text[..end])) {
            self.game.book = self.game.moves.len();
        }
    }

    /// Reads a tag; `text` follows its `[` on this line, and the rest after the tag is returned.
    fn tag<'t>(&mut self, text: &'t [u8]) -> Result<&'t [u8], TableError> {
        let Some((name, after)) = tag_name(text) else {
            let shown = shown_bytes(text.trim_ascii_end());
            let reason = format!("a `[` begins no tag, as in [White \"ada\"]: {shown}");
            return self.wrong(self.line, reason);
        };
        let known = known(name);
        let is_next = known.is_some_and(|tag| self.game.tags.contains_key(tag))
            || !self.game.moves.is_empty()
            || name.eq_ignore_ascii_case(b"Event");
        // Some files have only tags, and some games have no result after their moves.
        if is_next && self.game.line > 0 {
            self.finish(None)?;
        }
        if self.game.line == 0 {
            self.game.line = self.line;
        }
        match (tag_value(after), known) {
            (Some((value, rest)), Some(tag)) => {
                let Ok(text) = str::from_utf8(&value) else {
                    let reason = format!("the tag {tag}: {}", not_utf8(&value, self.file));
                    return self.wrong(self.line, reason);
                };
                let value = (text.trim().to_owned(), self.line);
                self.game.tags.insert(tag, value);
                Ok(rest)
            }
            (Some((_, rest)), None) => Ok(rest),
            (None, None) => Ok(&[]),
            (None, Some(tag)) => {
                let shown = shown_bytes(after.trim_ascii());
                let reason = format!("the tag {tag} is not closed with \"]: {shown}");
                self.wrong(self.line, reason)
            }
        }
    }

    /// Reads a move, a move number, or the end of a game.
    fn word(&mut self, word: &[u8]) -> Result<(), TableError> {
        if !self.variations.is_empty() || word.starts_with(b"$") {
            return Ok(());
        }
        if let b"1-0" | b"0-1" | b"1/2-1/2" | b"1/2" | b"*" = word {
            return self.finish(Some(&String::from_utf8_lossy(word)));
        }
        if self.game.line == 0 {
            let shown = shown_bytes(word);
            let reason = format!("{shown} stands before the first tag of a game");
            return self.wrong(self.line, reason);
        }
        let digits = word.iter().take_while(|it| it.is_ascii_digit()).count();
        let dots = word[digits..].iter().take_while(|it| **it == b'.').count();
        let played = if dots > 0 {
            &word[digits + dots..]
        } else {
            word
        };
        if !played.is_empty() {
            self.game.moves.extend_from_slice(played);
            self.game.moves.push(b' ');
        }
        Ok(())
    }

    /// Ends the game, with or without a result after its moves.
    fn finish(&mut self, after_moves: Option<&str>) -> Result<(), TableError> {
        if self.game.line == 0 {
            return self.wrong(self.line, "a result that no game belongs to");
        }
        match self.ending(after_moves)? {
            None => self.rows.leave_out(),
            Some(outcome) => self.add(outcome)?,
        }
        self.game = PgnGame::default();
        Ok(())
    }

    /// The result of the game by its tag and by the text after its moves.
    fn ending(&self, after_moves: Option<&str>) -> Result<Option<Outcome>, TableError> {
        let text = self.game.value("Result");
        let line = self.game.line_of("Result");
        let after_moves = after_moves.and_then(|text| ending(text).ok());
        if text.is_empty() {
            return after_moves.map_or_else(
                || self.wrong(line, "the game that begins here has no result"),
                Ok,
            );
        }
        match ending(text) {
            Err(refusal) => self.wrong(line, format!("the tag Result: {refusal}")),
            Ok(of_tag) if after_moves.is_some_and(|other| of_tag != other) => {
                let (shown, end) = (shown_bytes(text.as_bytes()), self.line);
                let reason = format!(
                    "the tag Result says {shown}, but another result stands after the moves in \
                     line {end}"
                );
                self.wrong(line, reason)
            }
            Ok(of_tag) => Ok(of_tag),
        }
    }

    fn add(&mut self, outcome: Outcome) -> Result<(), TableError> {
        let game = &self.game;
        let players = ["White", "Black"];
        if players
            .iter()
            .any(|tag| game.tags.get(tag).is_some_and(|(name, _)| name == "?"))
        {
            self.rows.leave_out();
            return Ok(());
        }
        if let Some(tag) = players.into_iter().find(|tag| game.value(tag).is_empty()) {
            let reason = format!("the game has no tag {tag} with a name");
            return self.wrong(game.line_of(tag), reason);
        }
        let [south, north] = players.map(|tag| game.value(tag));
        let (start, round) = (game.value("FEN"), game.value("Round"));
        let book = String::from_utf8_lossy(&game.moves[..game.book]);
        // Two entrants and a round: a round has many games that are not of one pair.
        let [lower, higher] = [south.min(north), south.max(north)];
        let pair = if round.is_empty() {
            String::new()
        } else {
            format!("{round}\n{lower}\n{higher}")
        };
        let added = self.rows.add(GameText {
            south,
            north,
            outcome,
            opening: format!("{start} {book}").trim(),
            pair: &pair,
            content: (!game.moves.is_empty()).then(|| text_hash(start, &game.moves)),
        });
        added.or_else(|reason| self.wrong(self.game.line_of("White"), reason))
    }

    /// Handles the end of the file.
    fn end(&mut self) -> Result<(), TableError> {
        if let Some((what, sign)) = self.open() {
            let reason = format!("the file ends inside {what}: its `{sign}` is missing");
            return self.wrong(self.line, reason);
        }
        if self.game.line > 0 {
            self.finish(None)?;
        }
        Ok(())
    }
}

/// The one of the [`TAGS`] that has this name.
fn known(name: &[u8]) -> Option<&'static str> {
    let mut tags = TAGS.into_iter();
    tags.find(|tag| name.eq_ignore_ascii_case(tag.as_bytes()))
}

/// The name of a tag, and the text after the next quotation mark.
fn tag_name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let (name, rest) = text.split_at(text.iter().take_while(is_of_name).count());
    let rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
    (!name.is_empty()).then_some((name, rest))
}

/// The value of a tag, from behind its first quotation mark, and the text after its `]`.
fn tag_value(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut value = Vec::new();
    let mut bytes = text.iter().copied().enumerate();
    while let Some((place, byte)) = bytes.next() {
        match (byte, text.get(place + 1)) {
            (b'\\', Some(&escaped @ (b'"' | b'\\'))) => {
                bytes.next();
                value.push(escaped);
            }
            (b'"', _) => {
                let after = text[place + 1..].trim_ascii_start();
                if let Some(rest) = after.strip_prefix(b"]") {
                    return Some((value, rest));
                }
                // Some programs do not escape quotation marks in names.
                value.push(byte);
            }
            _ => value.push(byte),
        }
    }
    None
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

    #[test]
    fn pgn_is_known_by_its_first_tag() {
        for text in [
            "[Event \"?\"]\n",
            "\n\r\n  [ White   \"ada\" ]",
            "% made by hand\n; a comment\n[Site \"[x\"]",
        ] {
            assert!(is_pgn(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "%\n",
            "south,north,result\n[Event \"x\"]",
            "[south],[north]",
            "[]",
            "[a",
        ] {
            assert!(!is_pgn(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn values_end_at_their_last_mark() {
        for (text, value, rest) in [
            (r#"a"]"#, "a", ""),
            (r#"a" ] x"#, "a", " x"),
            (r#""]"#, "", ""),
            (r#"a"b"]"#, "a\"b", ""),
            (r#"a\"]"]"#, "a\"]", ""),
            (r#"a\\"]"#, "a\\", ""),
            (r#"a\b\\"]"#, "a\\b\\", ""),
        ] {
            let found = tag_value(text.as_bytes());
            let expected = Some((value.as_bytes().to_vec(), rest.as_bytes()));
            assert_eq!(found, expected, "{text}");
        }
        for text in ["", "a", "a\"", "a]", r#"a\"]"#, "\\"] {
            assert_eq!(tag_value(text.as_bytes()), None, "{text}");
        }
    }
}
