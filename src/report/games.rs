//! `games.csv`: a row for each game. Its columns are described where it is offered, at
//! [`super::Tables::games_csv`].

use super::counted::{CountedGame, CountedGames};
use super::sheet::Sheet;
use super::times::MoveTimes;
use crate::rules::{GameResult, Pit, Side};
use std::io::{self, Write};

const COLUMNS: [&str; 20] = [
    "id",
    "pair",
    "opening",
    "opening_moves",
    "start",
    "south",
    "north",
    "result",
    "ending",
    "fault_side",
    "plies",
    "store_south",
    "store_north",
    "mean_time_south_us",
    "max_time_south_us",
    "total_time_south_us",
    "mean_time_north_us",
    "max_time_north_us",
    "total_time_north_us",
    "moves",
];

pub(super) fn write_csv(games: &CountedGames<'_>, out: impl Write) -> io::Result<()> {
    let mut sheet = Sheet::new(out, &COLUMNS)?;
    for game in games.iter() {
        write_game(&mut sheet, game)?;
    }
    sheet.finish()
}

fn write_game<W: Write>(sheet: &mut Sheet<W>, game: &CountedGame<'_>) -> io::Result<()> {
    let record = game.record;
    sheet.number(Some(record.id))?;
    sheet.number(Some(record.id.pair))?;
    sheet.number(Some(record.opening))?;
    sheet.text(&letters(record.opening_moves.iter().copied()))?;
    sheet.text(&record.start.to_string())?;
    for name in &record.entrants {
        sheet.text(name)?;
    }
    sheet.text(match game.result {
        GameResult::Win(Side::South) => "1-0",
        GameResult::Win(Side::North) => "0-1",
        GameResult::Draw => "1/2-1/2",
    })?;
    sheet.text(record.ending.name())?;
    sheet.text(record.fault().map_or("", |(side, _)| side.name()))?;
    sheet.number(Some(record.plies.len()))?;
    for store in record.stores {
        sheet.number(Some(store))?;
    }
    for side in Side::BOTH {
        let times = MoveTimes::default().with(record.times_us(side));
        sheet.number(times.mean_us())?;
        sheet.number(times.max_us())?;
        sheet.number(Some(times.total_us()))?;
    }
    sheet.text(&letters(record.plies.iter().map(|ply| ply.pit)))?;
    sheet.end_row()
}

fn letters(moves: impl Iterator<Item = Pit>) -> String {
    moves.map(Pit::letter).collect()
}
