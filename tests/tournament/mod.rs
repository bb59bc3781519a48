//! The referee and whole tournaments with scripted players: no process and no sleep; files only in
//! `updates`.

mod admission;
mod agreement;
mod blocked_slot;
mod dealt_rounds;
mod endgame;
mod games;
mod kept_players;
mod openings;
mod referee;
mod scripted_player;
mod scripted_tournament;
mod sequential;
mod starts;
mod updates;
mod voids;
mod withdrawal;
