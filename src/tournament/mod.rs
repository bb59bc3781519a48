//! A whole tournament: what is played, who plays it where, and the journal of it.
//!
//! This room knows neither the protocol's JSON, nor TOML, nor the programs of bots: players come
//! from the caller, and the journal writes to what the caller opened.
//!
//! ```text
//! plan         Plan: everything that decides games, resolved
//! document     a run as JSON, its hash, and how two plans differ
//! pair_names   the ids of pairs, and the pair that an id means
//! secret       the key from which a run derives seeds, openings and blind ids
//! openings     the positions that pairs start from
//! game_setup   one game of the plan: its settings, and its record
//! formats      who meets whom next, where results decide it
//! schedule     plan and rounds so far → pairs with stable ids, a pure function
//! play_order   the order in which the pairs of a round are played
//! progress     what is known of the games
//! counted_games       which games count, decided in schedule order
//! sequential   a test that ends the games of two entrants once it is decided
//! examination  the games that an entrant plays before it is admitted
//! estimate     how long the games will take, from those
//! slots        threads that play one game at a time
//! carrier      the interface that gives pairs to other machines
//! start_ladder  what follows when a bot cannot be started
//! boards       the games in play, for those who watch
//! slot_players the players of a slot: two play, others wait
//! player_factory  the interface that gives a slot its players
//! run          the loop that holds the state of a run
//! journal      the record of what was played, and resuming from it
//! event        events for the observer
//! sha256       hashes as text
//! ```

mod boards;
mod carrier;
mod counted_games;
mod document;
mod estimate;
mod event;
mod examination;
mod formats;
mod game_setup;
mod journal;
mod openings;
mod pair_names;
mod plan;
mod play_order;
mod player_factory;
mod progress;
mod rounds;
mod run;
mod schedule;
mod secret;
mod sequential;
mod sha256;
mod slot_players;
mod slots;
mod start_ladder;

pub use crate::tournament::player_factory::PlayerFactory;
pub use crate::tournament::run::outcome::{RunError, RunOutcome};
pub use boards::{BoardInPlay, Boards};
pub use carrier::{Carrier, CarrierLines};
pub use counted_games::UnfoundedWithdrawal;
pub use document::{
    Agreement, KeyDifference, PlanChange, RunDocument, RunSettings, Toolchains, changed_fields,
    hash_of, override_rules, plain_text, rule_fields,
};
pub use estimate::RemainingTime;
pub use event::Event;
pub use examination::{AdmissionVerdict, FailedGame, Gate};
pub use formats::{
    BracketMatch, BracketPlace, CountedGame, Dealer, DealtRound, DecidedBy, FormatPlace, Match,
    MatchResult, RoundResults, SoFar, round_results,
};
pub use game_setup::{PlannedGame, Told};
pub use journal::{
    EarlierPlan, Entry, FORMAT, FoundLine, FoundLines, IdentifiedGame, Journal, JournalError,
    JournalReader, JournalState, JournalText, LONGEST_LINE, PlanDifference, RecordedPlan, Repair,
    SetAsideLine, Storage, check_update,
};
pub use openings::{
    Opening, OpeningError, OpeningNumbers, Openings, parse_openings, seeded_openings,
};
pub use pair_names::{PairNames, label, look_alike, numbered};
pub use plan::{
    AdmissionMode, Conditions, EndgameTerms, Entrant, EntrantIndex, Format, LongerPairing,
    MOST_GAMES, MaxFaults, MaxShare, OpeningSharing, OpeningSource, Plan, Seeding, SequentialTest,
    Stage, Until,
};
pub use player_factory::{InProcess, InProcessPlayer};
pub use progress::{ATTEMPTS, Progress};
pub use run::{
    MOST_TOGETHER, RunSetup, RunShard, judge, missing_withdrawals, on_slots, play_again,
    round_after, run, run_to_end,
};
pub use schedule::{Pair, Schedule, pair_count, planned_games};
pub use secret::{Secret, SecretError};
pub use sequential::TestProgress;
pub use sha256::sha256_of;
pub use slot_players::KeepLimits;
pub use slots::{AssignedGame, Assignment, Job, Order, Phase, Report};
