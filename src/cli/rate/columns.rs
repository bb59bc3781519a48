//! Finds the columns of a CSV file and their separator: the one of comma, semicolon and tab with
//! which the first line contains the required columns.

use crate::cli::rate::shown_input::{shown_bytes, shown_text};
use csv::{ByteRecord, ReaderBuilder};

/// Each separator and its name.
const SEPARATORS: [(u8, &str); 3] = [(b',', "commas"), (b';', "semicolons"), (b'\t', "tabs")];

/// Names for the two players of a game, the first to move before the other.
const PLAYERS: [[&str; 2]; 5] = [
    ["south", "north"],
    ["white", "black"],
    ["player1", "player2"],
    ["home", "away"],
    ["first", "second"],
];
/// Other columns, with the preferred name first.
const RESULT: [&str; 2] = ["result", "score"];
const OPENING: [&str; 3] = ["start", "fen", "opening"];

/// The indices of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    pub south: usize,
    pub north: usize,
    pub result: usize,
    /// The beginning of the game.
    pub opening: Option<usize>,
    pub pair: Option<usize>,
    /// The moves after the opening.
    pub moves: Option<usize>,
}

/// Why a first line is not suitable.
struct Misfit {
    /// How much of what is required was found, and the number of cells: the most similar reading
    /// gives the best message.
    near: (usize, usize),
    reason: String,
}

/// The separator and the columns of a table that begins with these bytes.
///
/// # Errors
/// Says what the first line has, and what it needs.
pub fn find(start: &[u8]) -> Result<(u8, Columns), String> {
    let mut fits = Vec::new();
    let mut misfits = Vec::new();
    for (separator, name) in SEPARATORS {
        let header = header(start, separator);
        match Columns::find(&header) {
            Ok(columns) => fits.push((separator, name, columns)),
            Err(misfit) => misfits.push((misfit, name, header)),
        }
    }
    match fits[..] {
        [(separator, _, columns)] => Ok((separator, columns)),
        // The comma is preferred among equally similar ones.
        [] => Err(misfits
            .iter()
            .rev()
            .max_by_key(|(misfit, _, _)| misfit.near)
            .map_or_else(String::new, |(misfit, name, header)| {
                format!(
                    "its first line has {}; {}",
                    misfit.reason,
                    seen(header, name)
                )
            })),
        [(_, one, _), (_, other, _), ..] => Err(format!(
            "its first line has the columns of a table of games when read with {one}, and when \
             read with {other}: which are meant? Take out the columns that are not needed"
        )),
    }
}

/// The length of a first line such as `sep=;`, which tells Excel the separator; 0 without one.
pub fn line_of_separator(start: &[u8]) -> usize {
    let end = start.iter().position(|byte| *byte == b'\n');
    let Some(end) = end else { return 0 };
    match start[..end].trim_ascii() {
        [b'"', line @ .., b'"'] | line => match line.split_last() {
            Some((separator, b"sep=")) if SEPARATORS.iter().any(|(it, _)| it == separator) => {
                end + 1
            }
            _ => 0,
        },
    }
}

/// The first row that is not blank, with trimmed cells.
fn header(start: &[u8], separator: u8) -> Vec<String> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(start);
    let mut row = ByteRecord::new();
    // Reading from memory cannot fail.
    let _ = reader.read_byte_record(&mut row);
    row.iter()
        .map(|cell| String::from_utf8_lossy(cell).trim().to_owned())
        .collect()
}

/// Describes a first line.
fn seen(header: &[String], separator: &str) -> String {
    const MOST: usize = 8;
    let cells: Vec<String> = header.iter().take(MOST).map(|it| shown_text(it)).collect();
    let more = match header.len().saturating_sub(MOST) {
        0 => String::new(),
        hidden => format!(" and {hidden} more"),
    };
    match header {
        [] => "it is empty".to_owned(),
        [line] => format!("it is {}", shown_bytes(line.as_bytes())),
        _ => format!("separated by {separator}, it is {}{more}", cells.join(", ")),
    }
}

/// Describes a table of games.
fn needed() -> String {
    let players = PLAYERS.map(|[first, second]| format!("{first} and {second}"));
    format!(
        "a table of games has two columns of players ({}), and a column `result`, with commas, \
         semicolons or tabs between them; or it is PGN, which begins with a tag",
        players.join(", ")
    )
}

impl Columns {
    fn find(header: &[String]) -> Result<Self, Misfit> {
        let misfit = |found: usize, reason: String| Misfit {
            near: (found, header.len()),
            reason,
        };
        let place = |column| place(header, column);
        let first_of = |columns: &[&'static str]| {
            let mut places = columns.iter().map(|column| place(column));
            places
                .find(|found| !matches!(found, Ok(None)))
                .unwrap_or(Ok(None))
        };
        let found_result = usize::from(!matches!(first_of(&RESULT), Ok(None)));
        let mut sets = Vec::new();
        let mut lone = None;
        for names in PLAYERS {
            let twice = |reason| misfit(2 + found_result, reason);
            match names.map(place) {
                [Ok(Some(south)), Ok(Some(north))] => sets.push((names, south, north)),
                [Ok(None), Ok(None)] => {}
                [Err(reason), _] | [_, Err(reason)] => return Err(twice(reason)),
                [Ok(first), _] => lone = lone.or(Some(names[usize::from(first.is_some())])),
            }
        }
        let (south, north) = match sets[..] {
            [(_, south, north)] => (south, north),
            [] => {
                let missing = lone.map_or("no columns of players".to_owned(), |missing| {
                    format!("no column `{missing}`")
                });
                let near = found_result + usize::from(lone.is_some());
                return Err(misfit(near, format!("{missing}: {}", needed())));
            }
            [(one, ..), (other, ..), ..] => {
                let [[a, b], [c, d]] = [one, other];
                let reason = format!(
                    "two pairs of columns of players, `{a}` and `{b}`, `{c}` and `{d}`: take \
                     out, or rename, those that are not meant"
                );
                return Err(misfit(2 + found_result, reason));
            }
        };
        let twice = |reason| misfit(3, reason);
        let result = first_of(&RESULT)
            .map_err(twice)?
            .ok_or_else(|| misfit(2, format!("no column `result`: {}", needed())))?;
        Ok(Self {
            south,
            north,
            result,
            opening: first_of(&OPENING).map_err(twice)?,
            pair: place("pair").map_err(twice)?,
            moves: place("moves").map_err(twice)?,
        })
    }
}

/// The index of a column: of the exact name, or of a name that differs only in capitals, spaces,
/// `_` and `-`.
fn place(header: &[String], column: &str) -> Result<Option<usize>, String> {
    let places = |is_it: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let cells = header.iter().enumerate();
        cells
            .filter_map(|(place, name)| is_it(name).then_some(place))
            .collect()
    };
    let mut found = places(&|name| name == column);
    if found.is_empty() {
        // Ignoring `Pair` would silently treat its games as independent.
        found = places(&|name| plain(name) == column);
    }
    match *found {
        [] => Ok(None),
        [place] => Ok(Some(place)),
        _ => Err(format!("two columns `{column}`: which of them is meant?")),
    }
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|it| !it.is_whitespace() && !matches!(it, '_' | '-'))
        .map(|it| it.to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_every_name_and_separator() {
        for (line, south, north, result) in [
            ("south,north,result", 0, 1, 2),
            ("result;north;south", 2, 1, 0),
            ("x\tWhite\tBlack\tResult\n1\t2\t3\t4", 1, 2, 3),
            ("Player 1;Player 2;Score", 0, 1, 2),
            ("player_1,player-2,SCORE", 0, 1, 2),
            ("home;away;result;score", 0, 1, 2),
            ("\n\r\n First , Second , result \r\na;b;c", 0, 1, 2),
            (
                "\"so\"\"uth\",\"south\",\"north\",\"a,b\nc\",result",
                1,
                2,
                4,
            ),
            ("note 5\",south,north,result\n", 1, 2, 3),
            // The exact name is preferred.
            ("South,south,North,north,result", 1, 3, 4),
            ("white,south,north,result", 1, 2, 3),
        ] {
            let found = find(line.as_bytes()).map(|(_, it)| (it.south, it.north, it.result));
            assert_eq!(found, Ok((south, north, result)), "{line:?}");
        }
        for (line, separator) in [
            ("a;b,south,north,result", b','),
            ("a,b;south;north;result", b';'),
            ("a,b\tsouth\tnorth\tresult;", b'\t'),
        ] {
            let found = find((line.to_owned() + "\n").as_bytes()).map(|found| found.0);
            let expected = (separator != b'\t').then_some(separator);
            assert_eq!(found.ok(), expected, "{line:?}");
        }
    }

    #[test]
    fn the_line_for_excel_is_passed_over() {
        for (start, length) in [
            ("sep=;\nx", 6),
            ("sep=,\r\nx", 7),
            ("\"sep=;\"\nx", 8),
            ("sep=\t\nx", 0),
            ("sep=x\n", 0),
            ("sep;\n", 0),
            ("sep=;", 0),
            ("", 0),
        ] {
            assert_eq!(line_of_separator(start.as_bytes()), length, "{start:?}");
        }
    }

    #[test]
    fn the_rest_is_found_too() {
        let (_, columns) = find(b"south,north,result").expect("columns");
        assert_eq!(
            (columns.opening, columns.pair, columns.moves),
            (None, None, None)
        );
        for (line, opening) in [
            ("south,north,result,opening", 3),
            ("south,north,result,opening,FEN", 4),
            ("south,north,result,Start,opening,fen", 3),
        ] {
            let (_, columns) = find(line.as_bytes()).expect("columns");
            assert_eq!(columns.opening, Some(opening), "{line}");
        }
        let (_, columns) = find(b"Moves;PAIR;south;north;result").expect("columns");
        assert_eq!((columns.moves, columns.pair), (Some(0), Some(1)));
    }

    #[test]
    fn what_does_not_fit_is_shown() {
        for (line, words) in [
            ("", &["no columns of players", "it is empty"][..]),
            (
                "hello\n",
                &["no columns of players", "it is \"hello\"", "or it is PGN"],
            ),
            ("a|b|c", &["it is \"a|b|c\"", "commas, semicolons or tabs"]),
            (
                "south;north",
                &[
                    "no column `result`",
                    "separated by semicolons",
                    "\"south\", \"north\"",
                ],
            ),
            (
                "south,result",
                &["no column `north`", "separated by commas"],
            ),
            (
                "black\tresult\tx",
                &["no column `white`", "separated by tabs"],
            ),
            ("south,north,south,result", &["two columns `south`"]),
            ("White,WHITE,black,result", &["two columns `white`"]),
            (
                "south,north,result,Result,RESULT,score",
                &["separated by commas"][..0],
            ),
            ("south,north,Result,RESULT", &["two columns `result`"]),
            ("Pair,south,north,result,PAIR", &["two columns `pair`"]),
            (
                "south;north;white;black;result",
                &["two pairs of columns of players, `south` and `north`, `white` and `black`"],
            ),
            ("a,b,c,d,e,f,g,h,i,j", &["\"h\" and 2 more"]),
            ("\u{1b}[2J,\u{202e}", &["\"\\u{1b}[2J\", \"\\u{202e}\""]),
            (
                "south,north,result,x;south;north;result",
                &["read with commas, and when read with semicolons"],
            ),
        ] {
            let found = find(line.as_bytes());
            if words.is_empty() {
                assert!(found.is_ok(), "{line:?}");
                continue;
            }
            let said = found.expect_err(line);
            for word in words {
                assert!(said.contains(word), "{word:?} in {said}");
            }
        }
    }
}
