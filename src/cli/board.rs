//! A position as a board of text:
//!
//! ```text
//!            f    e    d    c    b    a
//!         ┌────┬────┬────┬────┬────┬────┐
//!         │  2 │  8 │  4 │  · │  3 │  2 │
//!  N  15  ├────┼────┼────┼────┼────┼────┤   8  S
//!         │  · │  · │  1 │  4 │[ ·]│  1 │
//!         └────┴────┴────┴────┴────┴────┘
//!            A    B    C    D    E    F
//! ```
//! The pit that was played last is in brackets.

use crate::rules::{PITS_PER_ROW, Pit, Position, Side};

/// The indentation of the board, in columns.
const MARGIN: &str = "        ";

/// The board with the pit that was played last, without a line end at its end.
pub fn drawn(position: Position, last: Option<Pit>) -> String {
    let letters = |side: Side| {
        let cells = row(side).map(|pit| format!("   {} ", pit.letter()));
        format!("{MARGIN}{}", cells.collect::<String>())
            .trim_end()
            .to_owned()
    };
    let rule = |left: &str, between: &str, right: &str| {
        let cells = ["────"; PITS_PER_ROW].join(between);
        format!("{left}{cells}{right}")
    };
    let seeds = |side: Side| {
        let cells = row(side).map(|pit| cell(position.seeds(pit), last == Some(pit)));
        format!("{MARGIN}│{}│", cells.collect::<Vec<_>>().join("│"))
    };
    let [south, north] = position.stores();
    let middle = rule("├", "┼", "┤");
    [
        letters(Side::North),
        format!("{MARGIN}{}", rule("┌", "┬", "┐")),
        seeds(Side::North),
        format!(" N {north:>3}  {middle} {south:>3}  S"),
        seeds(Side::South),
        format!("{MARGIN}{}", rule("└", "┴", "┘")),
        letters(Side::South),
    ]
    .join("\n")
}

/// The pits of a side from left to right.
fn row(side: Side) -> impl Iterator<Item = Pit> {
    let pits: Vec<Pit> = Pit::all().filter(|pit| pit.side() == side).collect();
    let is_south = side == Side::South;
    (0..PITS_PER_ROW).map(move |place| {
        pits[if is_south {
            place
        } else {
            PITS_PER_ROW - 1 - place
        }]
    })
}

fn cell(seeds: u8, is_last: bool) -> String {
    let seeds = match seeds {
        0 => "·".to_owned(),
        seeds => seeds.to_string(),
    };
    if is_last {
        format!("[{seeds:>2}]")
    } else {
        format!(" {seeds:>2} ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_above_and_seen_from_south() {
        let position = "0-0-1-4-0-1-2-3-0-4-18-0-8-7-N"
            .parse()
            .expect("a position");
        let board = "           f    e    d    c    b    a
        ┌────┬────┬────┬────┬────┬────┐
        │  · │ 18 │  4 │  · │  3 │  2 │
 N   7  ├────┼────┼────┼────┼────┼────┤   8  S
        │  · │  · │  1 │  4 │[ ·]│  1 │
        └────┴────┴────┴────┴────┴────┘
           A    B    C    D    E    F";
        assert_eq!(drawn(position, Pit::from_letter('E')), board);
    }
}
