//! Reads an untrusted table of games: CSV with a header, PGN, or the journal of a run. Blank lines,
//! CR LF, a byte order mark (UTF-16 has one) and quoted cells are accepted; other columns and tags
//! are skipped.

use super::columns::{self, Columns, RowColumns};
use super::pgn;
use super::result::ending;
use super::rows::{GameText, NumberedGames, RateTable, text_hash};
use crate::files;
use crate::run_folder::RecordedRun;
use crate::run_folder::tables::{share_played, write_games};
use crate::text::{did_you_mean, is_pgn, printable, quoted, shown_bytes, some_names};
use crate::verification;
use csv::{ByteRecord, ReaderBuilder};
use encoding_rs_io::DecodeReaderBytesBuilder;
use std::collections::BTreeSet;
use std::error::Error;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// The name of `-` in errors.
const STANDARD_INPUT: &str = "standard input";
/// The number of first bytes that determine the kind of a table; they include its first line.
const TELLING: usize = 1 << 16;
/// The longest line of a table of games, in bytes. Data without lines is not text, and is refused
/// before it fills the memory.
const LONGEST_LINE: u64 = 1 << 20;

/// Why a table cannot be rated.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error("cannot read {file}: {error}")]
    File { file: String, error: io::Error },
    #[error("{file}: {reason}")]
    Form { file: String, reason: String },
    #[error("{file}:{line}: {reason}")]
    Row {
        file: String,
        line: u64,
        reason: String,
    },
    #[error("--without-host {}: {reason}", quoted(.host))]
    Host { host: String, reason: String },
}

/// Reads files as one table: the journal of a run's folder, and standard input for `-`. Players
/// and openings of one name are the same in all of them, pairs are not. Games that were played on
/// the hosts of these names are left out.
pub fn read(paths: &[PathBuf], without_hosts: &[String]) -> Result<RateTable, TableError> {
    let mut rows = NumberedGames::default();
    let mut hosts = BTreeSet::new();
    for path in paths {
        rows.begin_file();
        read_one(path, &mut rows, (without_hosts, &mut hosts))?;
    }
    match without_hosts.iter().find(|host| !hosts.contains(*host)) {
        None => Ok(rows.sorted()),
        Some(host) => Err(TableError::Host {
            host: host.clone(),
            reason: unknown_host(host, &hosts),
        }),
    }
}

fn unknown_host(host: &str, hosts: &BTreeSet<String>) -> String {
    let known: Vec<&str> = hosts.iter().map(String::as_str).collect();
    if known.is_empty() {
        return "all games were played on the machine of their run".to_owned();
    }
    let hint = did_you_mean(host, &known, ["\"", "\""]);
    let known = some_names(&known);
    format!("no game was played there{hint}; the hosts are {known}")
}

/// Reads one file. `hosts` has the names of the hosts whose games are left out, and gets those of
/// the hosts that there are.
fn read_one(
    path: &Path,
    rows: &mut NumberedGames,
    (without_hosts, hosts): (&[String], &mut BTreeSet<String>),
) -> Result<(), TableError> {
    if !without_hosts.is_empty() && !path.is_dir() {
        return Err(TableError::Form {
            file: shown(path),
            reason: "--without-host needs folders of runs: only their journals say on which host \
                     a game was played"
                .to_owned(),
        });
    }
    if path.as_os_str() == "-" {
        return read_from(io::stdin().lock(), STANDARD_INPUT, rows);
    }
    let file = shown(path);
    if path.is_dir() {
        let table = table_of_run(path, without_hosts, hosts);
        let (table, share) = table.map_err(|error| TableError::Form {
            file: file.clone(),
            reason: error.to_string(),
        })?;
        rows.note_share(share);
        return read_from(&*table, &file, rows);
    }
    match files::open(path) {
        Ok(opened) => read_from(opened, &file, rows),
        Err(error) => Err(TableError::File { file, error }),
    }
}

/// The games of a run as its `games.csv` has them, without those of some hosts, from its journal: a
/// table may be older. And the share of all games that the run has played.
fn table_of_run(
    path: &Path,
    without_hosts: &[String],
    hosts: &mut BTreeSet<String>,
) -> Result<(Vec<u8>, f64), Box<dyn Error>> {
    let folder = verification::open(path)?;
    let RecordedRun {
        run,
        games,
        outcome,
        ..
    } = RecordedRun::read(&folder)?;
    hosts.extend(games.store().hosts().into_iter().map(str::to_owned));
    let is_left_out = |host: &str| without_hosts.iter().any(|it| it == host);
    let results = games.store().results();
    let results = results.filter(|game| !game.host.as_deref().is_some_and(is_left_out));
    let mut table = Vec::new();
    write_games(results, &outcome.exclusions, &mut table)?;
    let share = share_played(games.store(), &run.plan, &outcome.exclusions);
    Ok((table, share))
}

fn read_from(input: impl Read, file: &str, rows: &mut NumberedGames) -> Result<(), TableError> {
    let mut input = DecodeReaderBytesBuilder::new()
        .utf8_passthru(true)
        .strip_bom(true)
        .build(input);
    let mut start = Vec::new();
    let read = (&mut input).take(TELLING as u64).read_to_end(&mut start);
    read.map_err(|error| TableError::File {
        file: file.to_owned(),
        error,
    })?;
    let is_pgn = is_pgn(&start);
    let columns = columns::find(&start);
    let lines = Lines {
        input: BufReader::with_capacity(TELLING, Cursor::new(start).chain(input)),
        line: Vec::new(),
        given: 0,
        number: 0,
    };
    if is_pgn {
        pgn::read(BufReader::with_capacity(TELLING, lines), file, rows)?;
        rows.keep_true_pairs();
        return Ok(());
    }
    let (separator, columns) = columns.map_err(|reason| TableError::Form {
        file: file.to_owned(),
        reason,
    })?;
    read_csv(lines, separator, columns, file, rows)
}

fn read_csv(
    lines: impl Read,
    separator: u8,
    columns: RowColumns,
    file: &str,
    rows: &mut NumberedGames,
) -> Result<(), TableError> {
    let mut reader = ReaderBuilder::new()
        .delimiter(separator)
        // This module refuses rows of another length, with their line.
        .flexible(true)
        .buffer_capacity(TELLING)
        .from_reader(lines);
    let csv_error = |error: csv::Error| TableError::Form {
        file: file.to_owned(),
        reason: error.to_string(),
    };
    let cells = reader.byte_headers().map_err(csv_error)?.len();
    let mut row = ByteRecord::new();
    while reader.read_byte_record(&mut row).map_err(csv_error)? {
        let added = check_length(&row, cells).and_then(|()| match &columns {
            _ if is_blank_row(&row) => Ok(()),
            RowColumns::Games(columns) => add(rows, columns, &row, file),
            RowColumns::Pooled(columns) => add_pooled(rows, columns, &row, file),
        });
        added.map_err(|reason| TableError::Row {
            file: file.to_owned(),
            // The reader is behind the line feed at the end of the row.
            line: reader.position().line() - 1,
            reason: reason + open_quotes(&row),
        })?;
    }
    Ok(())
}

/// Refuses a row with more cells than the header names: a decimal comma may have made two of one.
fn check_length(row: &ByteRecord, cells: usize) -> Result<(), String> {
    match row.iter().skip(cells).find(|cell| !cell.is_empty()) {
        None => Ok(()),
        Some(cell) => Err(format!(
            "the row has {} cells, and the header names {cells}: {} belongs to no column",
            row.len(),
            shown_bytes(cell)
        )),
    }
}

fn add(
    rows: &mut NumberedGames,
    columns: &Columns,
    row: &ByteRecord,
    file: &str,
) -> Result<(), String> {
    let cell = |column: usize| cell(row, column, file);
    let maybe = |column: Option<usize>| column.map_or(Ok(""), cell);
    let result = cell(columns.result)?;
    if result.is_empty() {
        return Err(
            "a game needs a result: 1-0, 0-1 or 1/2-1/2, or * if it is not finished".into(),
        );
    }
    let outcome = ending(result);
    let outcome = outcome.map_err(|error| format!("column {}: {error}", columns.result + 1))?;
    let Some(outcome) = outcome else {
        rows.leave_out();
        return Ok(());
    };
    let opening = maybe(columns.opening)?;
    // Moves identify a game if its beginning is known.
    let moves = columns.moves.and_then(|column| row.get(column));
    let content = moves
        .filter(|moves| !opening.is_empty() && !is_blank(moves))
        .map(|moves| text_hash(opening, moves.trim_ascii()));
    rows.add(GameText {
        south: cell(columns.south)?,
        north: cell(columns.north)?,
        outcome,
        opening,
        pair: maybe(columns.pair)?,
        content,
    })
}

/// Adds a row of sums.
fn add_pooled(
    rows: &mut NumberedGames,
    columns: &[usize; 5],
    row: &ByteRecord,
    file: &str,
) -> Result<(), String> {
    let [first, second, counts @ ..] = *columns;
    let mut games = [0; 3];
    for (games, column) in games.iter_mut().zip(counts) {
        let text = cell(row, column, file)?;
        *games = text.parse().map_err(|_| {
            let shown = shown_bytes(text.as_bytes());
            format!("column {}: {shown} is not a number of games", column + 1)
        })?;
    }
    rows.add_pooled([cell(row, first, file)?, cell(row, second, file)?], games)
}

/// The text of a cell, trimmed.
fn cell<'r>(row: &'r ByteRecord, column: usize, file: &str) -> Result<&'r str, String> {
    let bytes = row.get(column).unwrap_or_default();
    let text = std::str::from_utf8(bytes).map(str::trim);
    text.map_err(|_| format!("column {}: {}", column + 1, not_utf8(bytes, file)))
}

fn is_blank(cell: &[u8]) -> bool {
    String::from_utf8_lossy(cell).trim().is_empty()
}

fn is_blank_row(row: &ByteRecord) -> bool {
    row.iter().all(is_blank)
}

/// A possible explanation of a wrong row that spans several lines.
fn open_quotes(row: &ByteRecord) -> &'static str {
    if row.iter().any(|cell| cell.contains(&b'\n')) {
        "; the row goes over several lines: is a quotation mark in it not closed?"
    } else {
        ""
    }
}

/// Another reader's contents with a line feed at the end of every line, so that a reader can count
/// lines.
struct Lines<R> {
    input: R,
    line: Vec<u8>,
    /// The part of the line that was returned.
    given: usize,
    number: u64,
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.line.len() {
            self.line.clear();
            self.given = 0;
            self.number += 1;
            let mut input = (&mut self.input).take(LONGEST_LINE + 1);
            if input.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(0);
            }
            self.line.pop_if(|last| *last == b'\n');
            self.line.pop_if(|last| *last == b'\r');
            if self.line.len() as u64 >= LONGEST_LINE {
                let line = self.number;
                let said = format!("line {line} has more than 1 MiB: this is not a table of games");
                return Err(io::Error::new(io::ErrorKind::InvalidData, said));
            }
            self.line.push(b'\n');
        }
        let read = (&self.line[self.given..]).read(buffer)?;
        self.given += read;
        Ok(read)
    }
}

/// The name of a file in an error.
pub fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}

/// Describes bytes that are not UTF-8, and what to do.
pub fn not_utf8(bytes: &[u8], file: &str) -> String {
    // A command cannot name standard input.
    let file = if file == STANDARD_INPUT { "FILE" } else { file };
    format!(
        "{} is neither UTF-8 nor UTF-16; save the file as UTF-8, or, if its letters are those of Windows or \
         Latin-1, convert it: iconv -f WINDOWS-1252 -t UTF-8 {file}",
        shown_bytes(bytes)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::game::Outcome;
    use crate::stats::tally::Tally;
    use proptest::prelude::*;
    use std::fmt::Write as _;

    /// The names in a table, and its games as the statistics see them.
    fn seen(bytes: &[u8]) -> Result<(Vec<String>, Tally, u64), String> {
        let mut rows = NumberedGames::default();
        read_from(bytes, "games", &mut rows).map_err(|error| error.to_string())?;
        let table = rows.sorted();
        let count = u32::try_from(table.names.len()).expect("a few names");
        let tally = Tally::from_games(count, table.games).expect("two players in each game");
        Ok((table.names, tally, table.unfinished))
    }

    /// Two games of one opening, sides swapped.
    #[derive(Clone, Debug)]
    struct Pair {
        players: [String; 2],
        opening: Option<u8>,
        results: [Option<Outcome>; 2],
        /// The moves; there are few different ones, so that games repeat each other.
        moves: [u8; 2],
        has_number: bool,
    }

    fn any_pair() -> impl Strategy<Value = Pair> {
        let names = [
            "ada",
            "Bob",
            "bob",
            "C;arl, the \"1st\"",
            "Élo 明",
            "{x} [y]",
            "a\\b\\",
            "1-0",
            "'",
            "%",
        ];
        let result = || {
            prop_oneof![
                Just(None),
                Just(Some(Outcome::SouthWins)),
                Just(Some(Outcome::Draw)),
                Just(Some(Outcome::NorthWins)),
            ]
        };
        (
            proptest::sample::subsequence(names.to_vec(), 2),
            proptest::option::of(0..5_u8),
            (result(), result()),
            (0..3_u8, 0..3_u8),
            any::<bool>(),
        )
            .prop_map(|(players, opening, results, moves, has_number)| Pair {
                players: [players[0].to_owned(), players[1].to_owned()],
                opening,
                results: results.into(),
                moves: moves.into(),
                has_number,
            })
    }

    /// The spelling of a table.
    struct Dialect {
        separator: u8,
        /// South, North, result, opening, pair, moves.
        header: [&'static str; 6],
        /// South won, drawn, North won, not finished.
        results: [&'static str; 4],
        line_end: &'static str,
    }

    const DIALECTS: [Dialect; 4] = [
        Dialect {
            separator: b',',
            header: ["south", "north", "result", "start", "pair", "moves"],
            results: ["1-0", "1/2-1/2", "0-1", "*"],
            line_end: "\n",
        },
        Dialect {
            separator: b';',
            header: ["White", "Black", "Result", "FEN", "Pair", "Moves"],
            results: ["1,0 - 0,0", "0,5 - 0,5", "0,0 - 1,0", " * "],
            line_end: "\r\n",
        },
        Dialect {
            separator: b'\t',
            header: ["WHITE", "black ", "Score", "OPENING", "pair", "moves"],
            results: ["1/0", "½–½", "0/1", "*"],
            line_end: "\n",
        },
        Dialect {
            separator: b';',
            header: ["south", "north", "score", "start", "PAIR", "moves"],
            results: ["1", ".5", "0", "*"],
            line_end: "\n",
        },
    ];

    fn index(result: Option<Outcome>) -> usize {
        result.map_or(3, |outcome| outcome as usize)
    }

    fn opening(pair: &Pair) -> String {
        pair.opening
            .map_or(String::new(), |it| format!("position {it}"))
    }

    /// Moves count only if the beginning of the game is known.
    fn moves(pair: &Pair, game: usize) -> String {
        match pair.opening {
            Some(_) => ["", "Aa Bb ", "Cc "][usize::from(pair.moves[game])].to_owned(),
            None => String::new(),
        }
    }

    impl Dialect {
        fn write(&self, pairs: &[Pair]) -> String {
            let mut text = self
                .header
                .map(|name| self.cell(name))
                .join(&self.between());
            text += self.line_end;
            for (number, pair) in pairs.iter().enumerate() {
                for game in 0..2 {
                    let [south, north] = [&pair.players[game], &pair.players[1 - game]];
                    let number = if pair.has_number {
                        format!("n{number}")
                    } else {
                        String::new()
                    };
                    let result = self.results[index(pair.results[game])];
                    let (opening, moves) = (opening(pair), moves(pair, game));
                    let cells = [south, north, result, &opening, &number, &moves];
                    text += &cells.map(|cell| self.cell(cell)).join(&self.between());
                    text += self.line_end;
                }
            }
            text
        }

        fn between(&self) -> String {
            char::from(self.separator).to_string()
        }

        fn cell(&self, text: &str) -> String {
            if text.contains([char::from(self.separator), '"']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text.to_owned()
            }
        }
    }

    fn as_pgn(pairs: &[Pair]) -> String {
        let mut text = String::new();
        for (number, pair) in pairs.iter().enumerate() {
            for game in 0..2 {
                let escaped = |name: &str| name.replace('\\', "\\\\").replace('"', "\\\"");
                let [south, north] =
                    [&pair.players[game], &pair.players[1 - game]].map(|it| escaped(it));
                let result = ["1-0", "1/2-1/2", "0-1", "*"][index(pair.results[game])];
                let _ = writeln!(
                    text,
                    "[Event \"e\"]\n[White \"{south}\"]\n[Black \"{north}\"]"
                );
                let _ = writeln!(text, "[Result \"{result}\"]");
                if pair.has_number {
                    let _ = writeln!(text, "[Round \"{number}\"]");
                }
                if pair.opening.is_some() {
                    let _ = writeln!(text, "[FEN \"{}\"]", opening(pair));
                }
                let _ = writeln!(text, "\n{{0-1}} 1. {} {result}\n", moves(pair, game));
            }
        }
        text
    }

    fn in_utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn the_same_games_are_the_same_in_every_dialect(
            pairs in proptest::collection::vec(any_pair(), 1..12),
        ) {
            let texts = DIALECTS.map(|dialect| dialect.write(&pairs));
            let expected = seen(texts[0].as_bytes());
            let finished = pairs.iter().flat_map(|pair| pair.results).flatten().count();
            let (_, tally, unfinished) = expected.as_ref().expect("a table");
            prop_assert_eq!(tally.games(), finished as u64);
            prop_assert_eq!(*unfinished, (2 * pairs.len() - finished) as u64);
            for text in texts.iter().chain([&as_pgn(&pairs)]) {
                prop_assert_eq!(&seen(text.as_bytes()), &expected, "{}", text);
                let marked = format!("\u{feff}{text}");
                prop_assert_eq!(&seen(marked.as_bytes()), &expected);
                prop_assert_eq!(&seen(&in_utf16(&marked, u16::to_le_bytes)), &expected);
                prop_assert_eq!(&seen(&in_utf16(&marked, u16::to_be_bytes)), &expected);
            }
        }

        /// Any bytes give a result or an error.
        #[test]
        fn no_bytes_are_too_strange(
            start in proptest::sample::select(vec![
                "",
                "south;north;result\n",
                "[White \"a\"]\n[Black \"b\"]\n",
                "\u{feff}[Event \"x\"]",
                "white;black;result;start;moves;pair\n",
            ]),
            words in proptest::collection::vec(proptest::sample::select(vec![
                "a", ";", "b", "1-0", "\n", "\"", "[", "]", "{", "}", "(", ")", "*", "½", "\r", " ",
                "[White \"x\"]\n", "[Result \"0-1\"]", "%", "\\", "1.", "\0", "\u{feff}", "é",
            ]), 0..30),
            cut in 0..4_usize,
        ) {
            let mut bytes = (start.to_owned() + &words.concat()).into_bytes();
            bytes.truncate(bytes.len().saturating_sub(cut));
            let _ = seen(&bytes);
        }
    }

    #[test]
    fn rows_that_are_wrong_are_told_with_line_and_column() {
        for (text, said) in [
            (
                "south;north;result\na;b;1-0\n\na;b; 2-0 \n",
                "games:4: column 3: \"2-0\" is not a result; accepted are 1-0, 0-1, 1/2-1/2",
            ),
            (
                "score\twhite\tblack\n1-1\ta\tb",
                "games:2: column 1: \"1-1\" is not a result",
            ),
            (
                "south,north,result\na,b,\u{1b}[2J\u{202e}01234567890123456789012345678901234567\n",
                "column 3: \"\\u{1b}[2J\\u{202e}01234567890123456789012345678901234\"… is no",
            ),
            (
                "south;north;result\na;b\n",
                "games:2: a game needs a result: 1-0, 0-1",
            ),
            (
                "south;north;result\n;b;1-0\n",
                "games:2: a game needs the names of both players",
            ),
            (
                "south;north;result\nb;b;1-0\n",
                "games:2: \"b\" plays itself",
            ),
            (
                "name;elo\na;5\n",
                "games: its first line has no column `south` or `white`: a table of",
            ),
        ] {
            let error = seen(text.as_bytes()).expect_err(text);
            assert!(error.contains(said), "{said:?} in {error}");
        }
        let latin = b"south;north;result;remark\nb;J\xfcrg;1-0;x\n";
        let error = seen(latin).expect_err("Latin-1");
        let said = "games:2: column 2: \"J\\xfcrg\" is neither UTF-8 nor UTF-16; save the file as \
                    UTF-8, or, if its letters are those of Windows or Latin-1, convert it: iconv \
                    -f WINDOWS-1252 -t UTF-8 games";
        assert_eq!(error, said);
        // Where the text is not needed, it may have any encoding.
        let remark = b"south;north;result;\xfcber\nb;a;1-0;J\xfcrg\n";
        assert_eq!(seen(remark).expect("a table").1.games(), 1);
    }

    /// `/dev/zero` has neither an end nor lines.
    #[test]
    fn data_without_lines_is_refused() {
        let head = b"south,north,result\n".to_vec();
        let table = |length: usize| [head.clone(), vec![b'x'; length]].concat();
        let error = seen(&table(1 << 21)).expect_err("a long line");
        let said = "games: line 2 has more than 1 MiB: this is not a table of games";
        assert!(error.starts_with(said), "{error}");
        let mut rows = NumberedGames::default();
        let endless = read_from(io::repeat(b'['), "games", &mut rows);
        assert!(endless.is_err());
        let zeros = Cursor::new(b"[White \"\n").chain(io::repeat(0));
        assert!(read_from(zeros, "games", &mut rows).is_err());
    }
}
