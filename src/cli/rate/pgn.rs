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

use super::encoding::not_utf8;
use super::result::{ResultEnding, ending, refusal};
use super::rows::{GameText, NumberedGames, text_hash};
use super::tag::{BLACK, FEN, RESULT, ROUND, TAGS, WHITE, place_of, tag_name, tag_value};
use crate::cli::rate::shown_input::{shown_bytes, shown_text};
use crate::cli::rate::table_error::TableError;
use crate::stats::game::Outcome;
use std::io::{self, BufRead};

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
    let wrong = |wrong: Wrong| TableError::Row {
        file: file.to_owned(),
        line: wrong.line,
        reason: wrong.reason,
    };
    loop {
        line.clear();
        let read = input
            .read_until(b'\n', &mut line)
            .map_err(|error: io::Error| TableError::Form {
                file: file.to_owned(),
                reason: error.to_string(),
            })?;
        if read == 0 {
            return reader.end().map_err(wrong);
        }
        reader.line += 1;
        reader.take(&line).map_err(wrong)?;
    }
}

/// An error and its line.
struct Wrong {
    line: u64,
    reason: String,
}

/// A game that is being read.
#[derive(Default)]
struct PgnGame {
    /// The value and the line of each of [`TAGS`].
    tags: [Option<(Vec<u8>, u64)>; TAGS.len()],
    /// The line of the first tag or move.
    line: u64,
    /// The moves, each with a space after it.
    moves: Vec<u8>,
    /// The length of the part of the moves that comes from a book.
    book: usize,
}

impl PgnGame {
    /// The value of a tag; empty if it is missing or unknown.
    fn value(&self, tag: usize, file: &str) -> Result<&str, Wrong> {
        let Some((value, line)) = &self.tags[tag] else {
            return Ok("");
        };
        let text = std::str::from_utf8(value).map_err(|_| Wrong {
            line: *line,
            reason: format!("the tag {}: {}", TAGS[tag], not_utf8(value, file)),
        })?;
        let text = text.trim();
        Ok(if matches!(text, "?" | "-") { "" } else { text })
    }

    /// The line of a tag, otherwise that of the game.
    fn line_of(&self, tag: usize) -> u64 {
        let tag = self.tags[tag].as_ref();
        tag.map_or(self.line, |(_, line)| *line)
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
    fn wrong<T>(&self, reason: impl Into<String>) -> Result<T, Wrong> {
        Err(Wrong {
            line: self.line,
            reason: reason.into(),
        })
    }

    /// Reads a line with its line end.
    fn take(&mut self, line: &[u8]) -> Result<(), Wrong> {
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
                        return self.wrong("a `)` closes no variation");
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

    /// Refuses a tag inside a comment or a variation: an unclosed one would swallow whole games.
    fn check_open(&self, line: &[u8]) -> Result<(), Wrong> {
        let (since, what, sign) = match (self.comment_since, self.variations.first()) {
            (Some(line), _) => (line, "comment", '}'),
            (None, Some(&line)) => (line, "variation", ')'),
            (None, None) => return Ok(()),
        };
        let name = line.strip_prefix(b"[").and_then(tag_name);
        match name.filter(|(name, _)| place_of(name).is_some()) {
            None => Ok(()),
            Some(_) => self.wrong(format!(
                "a tag inside the {what} that begins in line {since}: is its `{sign}` missing?"
            )),
        }
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
    fn tag<'t>(&mut self, text: &'t [u8]) -> Result<&'t [u8], Wrong> {
        let Some((name, after)) = tag_name(text) else {
            let shown = shown_bytes(text.trim_ascii_end());
            return self.wrong(format!(
                "a `[` begins no tag, as in [White \"ada\"]: {shown}"
            ));
        };
        let place = place_of(name);
        let is_next = place.is_some_and(|place| self.game.tags[place].is_some())
            || !self.game.moves.is_empty()
            || name.eq_ignore_ascii_case(b"Event");
        // Some files have only tags, and some games have no result after their moves.
        if is_next && self.game.line > 0 {
            self.finish(None)?;
        }
        if self.game.line == 0 {
            self.game.line = self.line;
        }
        match (tag_value(after), place) {
            (Some((value, rest)), place) => {
                if let Some(place) = place {
                    self.game.tags[place] = Some((value, self.line));
                }
                Ok(rest)
            }
            (None, None) => Ok(&[]),
            (None, Some(place)) => {
                let (name, shown) = (TAGS[place], shown_bytes(after.trim_ascii()));
                self.wrong(format!("the tag {name} is not closed with \"]: {shown}"))
            }
        }
    }

    /// Reads a move, a move number, or the end of a game.
    fn word(&mut self, word: &[u8]) -> Result<(), Wrong> {
        if !self.variations.is_empty() || word.starts_with(b"$") {
            return Ok(());
        }
        let end = match word {
            b"1-0" | b"0-1" | b"1/2-1/2" | b"1/2" | b"*" => std::str::from_utf8(word).ok(),
            _ => None,
        };
        if let Some(end) = end {
            return self.finish(ending(end));
        }
        let digits = word.iter().take_while(|it| it.is_ascii_digit()).count();
        let dots = word[digits..].iter().take_while(|it| **it == b'.').count();
        let played = if dots > 0 {
            &word[digits + dots..]
        } else {
            word
        };
        if self.game.line == 0 {
            let shown = shown_bytes(word);
            return self.wrong(format!("{shown} stands before the first tag of a game"));
        }
        if !played.is_empty() {
            self.game.moves.extend_from_slice(played);
            self.game.moves.push(b' ');
        }
        Ok(())
    }

    /// Ends the game, with or without a result after its moves.
    fn finish(&mut self, after_moves: Option<ResultEnding>) -> Result<(), Wrong> {
        if self.game.line == 0 {
            return self.wrong("a result that no game belongs to");
        }
        match self.ending(after_moves)? {
            ResultEnding::Unfinished => self.rows.leave_out(),
            ResultEnding::Finished(outcome) => self.add(outcome)?,
        }
        let mut moves = std::mem::take(&mut self.game.moves);
        moves.clear();
        self.game = PgnGame {
            moves,
            ..PgnGame::default()
        };
        Ok(())
    }

    /// The result of the game by its tag and by the text after its moves.
    fn ending(&self, after_moves: Option<ResultEnding>) -> Result<ResultEnding, Wrong> {
        let text = self.game.value(RESULT, self.file)?;
        let line = self.game.line_of(RESULT);
        let wrong = |reason: String| Err(Wrong { line, reason });
        let of_tag = match (text, ending(text)) {
            ("", _) => None,
            (_, Some(ending)) => Some(ending),
            (_, None) => {
                let (shown, refusal) = (shown_text(text), refusal(text));
                return wrong(format!("the tag Result: {shown} {refusal}"));
            }
        };
        match (of_tag, after_moves) {
            (Some(of_tag), Some(other)) if of_tag != other => {
                let (shown, end) = (shown_text(text), self.line);
                wrong(format!(
                    "the tag Result says {shown}, but another result stands after the moves in \
                     line {end}"
                ))
            }
            (Some(ending), _) | (None, Some(ending)) => Ok(ending),
            (None, None) => wrong("the game that begins here has no result".to_owned()),
        }
    }

    fn add(&mut self, outcome: Outcome) -> Result<(), Wrong> {
        let (south, north) = (
            self.game.value(WHITE, self.file)?,
            self.game.value(BLACK, self.file)?,
        );
        let tags = [WHITE, BLACK].map(|tag| self.game.tags[tag].as_ref());
        let mut tags = tags.into_iter().flatten();
        if tags.any(|(value, _)| value.trim_ascii() == b"?") {
            self.rows.leave_out();
            return Ok(());
        }
        let (line, named) = match (south, north) {
            ("", _) => (self.game.line_of(WHITE), "White"),
            (_, "") => (self.game.line_of(BLACK), "Black"),
            _ => (self.game.line_of(WHITE), ""),
        };
        if !named.is_empty() {
            let reason = format!("the game has no tag {named} with a name");
            return Err(Wrong { line, reason });
        }
        let (start, round) = (
            self.game.value(FEN, self.file)?,
            self.game.value(ROUND, self.file)?,
        );
        let PgnGame { moves, book, .. } = &self.game;
        let content = (!moves.is_empty()).then(|| text_hash(start, moves));
        let book = String::from_utf8_lossy(&moves[..*book]);
        let opening = format!("{start} {book}");
        // Two entrants and a round: a round has many games that are not of one pair.
        let [lower, higher] = [south.min(north), south.max(north)];
        let pair = if round.is_empty() {
            String::new()
        } else {
            format!("{round}\n{lower}\n{higher}")
        };
        let game = GameText {
            south,
            north,
            outcome,
            opening: opening.trim(),
            pair: &pair,
            content,
        };
        let added = self.rows.add(game);
        added.map_err(|reason| Wrong { line, reason })
    }

    /// Handles the end of the file.
    fn end(&mut self) -> Result<(), Wrong> {
        let open = match (self.comment_since, self.variations.first()) {
            (Some(line), _) => Some((line, "comment", '}')),
            (None, Some(&line)) => Some((line, "variation", ')')),
            (None, None) => None,
        };
        if let Some((since, what, sign)) = open {
            return self.wrong(format!(
                "the file ends inside the {what} that begins in line {since}: its `{sign}` is \
                 missing"
            ));
        }
        if self.game.line > 0 {
            self.finish(None)?;
        }
        Ok(())
    }
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
}
