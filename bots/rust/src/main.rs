//! A starter bot for awalé, with nothing but the standard library. Copy the folder, change `choose`,
//! and enter it into a tournament.
//!
//! The referee writes one JSON object per line to our standard input. We answer three kinds of
//! message, each with one line on standard output. Debug text belongs on standard error:
//! `eprintln!("…")`. A second line on standard output would lose the game.

use std::io;

/// Dice that new-game gives a seed, so that the same games can be played again.
struct Dice(u64);

impl Dice {
    /// A random number below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % sides
    }
}

/// How many seeds a move takes from the opponent's row (pits 6 to 11).
fn captured(mut board: [u8; 12], pit: usize) -> u8 {
    let mut seeds = std::mem::take(&mut board[pit]);
    let mut at = pit;
    while seeds > 0 {
        at = (at + 1) % 12;
        // The pit we sow from is left out on every lap.
        if at != pit {
            board[at] += 1;
            seeds -= 1;
        }
    }
    let mut taken = 0;
    // Backward while the capture goes on.
    while at >= 6 && matches!(board[at], 2 | 3) {
        taken += board[at];
        at -= 1;
    }
    // The whole row would be a grand slam, which takes nothing by most rule sets: docs/rules.md.
    let row: u8 = board[6..].iter().sum();
    if taken == row { 0 } else { taken }
}

/// Returns the pit to play. YOUR IDEA GOES HERE.
///
/// * `board`: 12 numbers seen from our side: 0–5 are our pits in sowing order, 6–11 theirs
/// * `legal`: the pits we may play
///
/// The message says more, such as "stores": `answer` can read it with `numbers` or `field`.
fn choose(board: [u8; 12], legal: &[usize], dice: &mut Dice) -> usize {
    let most = legal.iter().map(|&pit| captured(board, pit)).max();
    let best: Vec<usize> = legal
        .iter()
        .copied()
        .filter(|&pit| Some(captured(board, pit)) == most)
        .collect();
    best[dice.roll(best.len())]
}

/// The line that answers a message, if it wants one.
fn answer(line: &str, dice: &mut Dice) -> Option<String> {
    match field(line, "type")?.trim_matches('"') {
        // Once, when the program starts.
        "hello" => Some(r#"{"type":"ready","name":"my-bot","version":"1.0"}"#.to_owned()),
        // Forget the last game here.
        "new-game" => {
            let seed = field(line, "seed").and_then(|it| it.parse().ok());
            *dice = Dice(seed.unwrap_or(0));
            Some(r#"{"type":"ready"}"#.to_owned())
        }
        "turn" => {
            let board = numbers(line, "board").try_into().ok()?;
            let legal: Vec<usize> = numbers(line, "legal");
            let pit = choose(board, &legal, dice);
            Some(format!(r#"{{"type":"move","pit":{pit}}}"#))
        }
        // No answer to game-over, nor to a kind that a later version of the protocol may add.
        _ => None,
    }
}

fn main() {
    let mut dice = Dice(0);
    for line in io::stdin().lines() {
        let line = line.expect("standard input is readable");
        if field(&line, "type") == Some("\"quit\"") {
            break;
        }
        if let Some(answer) = answer(&line, &mut dice) {
            println!("{answer}"); // Rust sends its standard output at every end of line: no flush
        }
    }
}

// ---- Just enough JSON: nothing below needs to change. ------------------------------------------

/// Splits a text behind a string that begins it: its contents without quotes, and the rest.
fn string(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('"')?;
    let mut is_escaped = false;
    let end = text.find(|sign| {
        let is_end = sign == '"' && !is_escaped;
        is_escaped = sign == '\\' && !is_escaped;
        is_end
    })?;
    Some((&text[..end], &text[end + 1..]))
}

/// Splits a text behind the value that begins it, before the comma or bracket that follows.
fn value(text: &str) -> (&str, &str) {
    let mut rest = text;
    let mut depth = 0;
    while let Some(sign) = rest.chars().next() {
        if let Some((_, after)) = string(rest) {
            rest = after;
            continue;
        }
        match sign {
            ',' | ']' | '}' if depth == 0 => break,
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            _ => {}
        }
        rest = &rest[sign.len_utf8()..];
    }
    let (value, rest) = text.split_at(text.len() - rest.len());
    (value.trim_end(), rest)
}

/// The value of a field of the outermost object. Equal names inside other fields, and quotes or
/// brackets inside strings, do not confuse it.
fn field<'line>(line: &'line str, name: &str) -> Option<&'line str> {
    let mut rest = line.trim_start().strip_prefix('{')?;
    loop {
        let (key, after) = string(rest.trim_start())?;
        let (found, after) = value(after.trim_start().strip_prefix(':')?.trim_start());
        if key == name {
            return Some(found);
        }
        rest = after.strip_prefix(',')?;
    }
}

/// The whole numbers of an array.
fn numbers<T: std::str::FromStr>(line: &str, name: &str) -> Vec<T> {
    let array = field(line, name).unwrap_or_default();
    let items = array.trim_matches(['[', ']']).split(',');
    items.filter_map(|it| it.trim().parse().ok()).collect()
}
