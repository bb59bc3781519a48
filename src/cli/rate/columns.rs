//! Finds the columns of a CSV file and their separator: the one of comma, semicolon and tab that
//! splits the first line into the most cells.

use crate::text::shown_bytes;
use csv::{ByteRecord, ReaderBuilder};

/// Each separator and its name. Among equal ones the last is taken.
const SEPARATORS: [(u8, &str); 3] = [(b'\t', "tabs"), (b';', "semicolons"), (b',', "commas")];

/// The names of the player that moves first, of the other, and of the result.
const NEEDED: [[&str; 2]; 3] = [["south", "white"], ["north", "black"], ["result", "score"]];

/// The columns of a table whose rows sum up games: two players, and the games that the first of
/// them won, that were drawn, and that it lost.
const POOLED: [&str; 5] = ["first", "second", "won", "drawn", "lost"];

/// What the rows of a table are, with the indices of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowColumns {
    /// A game each.
    Games(Columns),
    /// The sums of games of two players each, in the order of [`POOLED`].
    Pooled([usize; 5]),
}

/// The indices of the columns of a table of games.
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

/// The separator and the columns of a table that begins with these bytes.
///
/// # Errors
/// Says what the first line has, and what it needs.
pub fn find(start: &[u8]) -> Result<(u8, RowColumns), String> {
    let headers = SEPARATORS.map(|(separator, name)| (separator, name, header(start, separator)));
    let (separator, name, header) = headers
        .into_iter()
        .max_by_key(|(_, _, header)| header.len())
        .expect("there are separators");
    let columns = RowColumns::find(&header).map_err(|reason| {
        let seen = seen(&header, name);
        format!("its first line has {reason}; {seen}")
    })?;
    Ok((separator, columns))
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
    let cells = header.iter().take(MOST);
    let cells: Vec<String> = cells.map(|it| shown_bytes(it.as_bytes())).collect();
    let more = match header.len().saturating_sub(MOST) {
        0 => String::new(),
        hidden => format!(" and {hidden} more"),
    };
    match header {
        [] => "it is empty".to_owned(),
        [_] => format!("it is {}", cells[0]),
        _ => format!("separated by {separator}, it is {}{more}", cells.join(", ")),
    }
}

impl RowColumns {
    fn find(header: &[String]) -> Result<Self, String> {
        let of_games = Columns::find(header);
        let mut pooled = [0; POOLED.len()];
        for (index, column) in pooled.iter_mut().zip(POOLED) {
            match place(header, column)? {
                Some(place) => *index = place,
                None => return of_games.map(Self::Games),
            }
        }
        if of_games.is_ok() {
            return Err(
                "the columns of a table of games, and those of sums: take out, or rename, the \
                 columns that are not meant"
                    .to_owned(),
            );
        }
        Ok(Self::Pooled(pooled))
    }
}

impl Columns {
    fn find(header: &[String]) -> Result<Self, String> {
        // The first of these names that is there.
        let first_of = |names: &[&str]| -> Result<Option<usize>, String> {
            for name in names {
                if let Some(found) = place(header, name)? {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        };
        let needed = |names: [&str; 2]| {
            first_of(&names)?.ok_or_else(|| {
                let [own, other] = names;
                format!(
                    "no column `{own}` or `{other}`: a table of games has two columns of players \
                     (south and north, or white and black), and a column `result`, with commas, \
                     semicolons or tabs between them; or columns first, second, won, drawn, lost; or \
                     it is PGN, which begins with a tag"
                )
            })
        };
        let [south, north, result] = NEEDED.map(needed);
        let columns = Self {
            south: south?,
            north: north?,
            result: result?,
            opening: first_of(&["start", "fen", "opening"])?,
            pair: place(header, "pair")?,
            moves: place(header, "moves")?,
        };
        for [own, other] in &NEEDED[..2] {
            if place(header, own)?.is_some() && place(header, other)?.is_some() {
                return Err(format!(
                    "both columns `{own}` and `{other}`: take out, or rename, the one that is not \
                     meant"
                ));
            }
        }
        Ok(columns)
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
        _ => Err(format!(
            "two columns `{column}`: take out, or rename, the one that is not meant"
        )),
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

    fn games(columns: RowColumns) -> Columns {
        let RowColumns::Games(columns) = columns else {
            panic!("a table of games: {columns:?}");
        };
        columns
    }

    #[test]
    fn sums_are_known_by_their_columns() {
        for (line, expected) in [
            ("first,second,won,drawn,lost", [0, 1, 2, 3, 4]),
            ("note;Lost;DRAWN;won;second;first", [5, 4, 3, 2, 1]),
            // One column of games is not a table of games.
            ("first\tsecond\twon\tdrawn\tlost\tresult", [0, 1, 2, 3, 4]),
        ] {
            let found = find(line.as_bytes()).map(|(_, columns)| columns);
            assert_eq!(found, Ok(RowColumns::Pooled(expected)), "{line:?}");
        }
        for (line, said) in [
            (
                "first,second,won,drawn,lost,south,north,result",
                "and those of sums",
            ),
            ("first,second,won,won,drawn,lost", "two columns `won`"),
            ("first,second,won,lost", "or columns first, second, won"),
        ] {
            let error = find(line.as_bytes()).expect_err(line);
            assert!(error.contains(said), "{said:?} in {error}");
        }
    }

    #[test]
    fn columns_are_found_by_every_name_and_separator() {
        for (line, south, north, result) in [
            ("south,north,result", 0, 1, 2),
            ("result;north;south", 2, 1, 0),
            ("x\tWhite\tBlack\tResult\n1\t2\t3\t4", 1, 2, 3),
            ("White;black;SCORE", 0, 1, 2),
            ("south;north;result;score", 0, 1, 2),
            ("\n\r\n South , North , result \r\na;b;c", 0, 1, 2),
            (
                "\"so\"\"uth\",\"south\",\"north\",\"a,b\nc\",result",
                1,
                2,
                4,
            ),
            ("note 5\",south,north,result\n", 1, 2, 3),
            // The exact name is preferred.
            ("South,south,North,north,result", 1, 3, 4),
        ] {
            let found = find(line.as_bytes()).map(|(_, it)| games(it));
            let found = found.map(|it| (it.south, it.north, it.result));
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
    fn the_rest_is_found_too() {
        let columns = |line: &[u8]| games(find(line).expect("columns").1);
        let bare = columns(b"south,north,result");
        assert_eq!((bare.opening, bare.pair, bare.moves), (None, None, None));
        for (line, opening) in [
            ("south,north,result,opening", 3),
            ("south,north,result,opening,FEN", 4),
            ("south,north,result,Start,opening,fen", 3),
        ] {
            let found = columns(line.as_bytes());
            assert_eq!(found.opening, Some(opening), "{line}");
        }
        let found = columns(b"Moves;PAIR;south;north;result");
        assert_eq!((found.moves, found.pair), (Some(0), Some(1)));
    }

    #[test]
    fn what_does_not_fit_is_shown() {
        for (line, words) in [
            ("", &["no column `south` or `white`", "it is empty"][..]),
            (
                "hello\n",
                &["no column `south`", "it is \"hello\"", "or it is PGN"],
            ),
            ("a|b|c", &["it is \"a|b|c\"", "commas, semicolons or tabs"]),
            (
                "south;north",
                &[
                    "no column `result` or `score`",
                    "separated by semicolons",
                    "\"south\", \"north\"",
                ],
            ),
            (
                "south,result",
                &["no column `north` or `black`", "separated by commas"],
            ),
            (
                "black\tresult\tx",
                &["no column `south` or `white`", "separated by tabs"],
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
                &["both columns `south` and `white`: take out, or rename, the one"],
            ),
            ("a,b,c,d,e,f,g,h,i,j", &["\"h\" and 2 more"]),
            ("\u{1b}[2J,\u{202e}", &["\"\\u{1b}[2J\", \"\\u{202e}\""]),
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
