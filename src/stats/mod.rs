//! Statistics: counts in, numbers out. Knows nothing of awalé, of names of files, or of printing.
//!
//! ```text
//! game   one game as it is counted
//! games → tally (counts per ordered pair of entrants; clusters: games that are one observation)
//!           ├─ connectivity  who can be compared with whom: components, groups, order of groups
//!           ├─ separation    can the first-move advantage be told from strength?
//!           ├─ constraints         what anchors fix, and how much games of one opening tell
//!           ├─ layout        which ratings are free, and where they stand in vectors
//!           ├─ advantage     the fit with the advantage estimated, held or bounded
//!           ├─ likelihood    Newton's method on the joint log-likelihood (information, matrix)
//!           ├─ errors        the sandwich, clustered by opening
//!           ├─ uncertainty   how surely that is known, and the interval; student
//!           ├─ bounds        where to put groups that won or lost every game against the others
//!           ├─ bound_levels  how surely one such group is above another
//!           ├─ zero_point    what ratings and their errors are relative to
//!           ├─ rating        all of it together (ratings: as values; warning)
//!           ├─ comparison    two of them: difference, interval, likelihood of superiority
//!           │                (pair_likelihood: where few openings make the scatter)
//!           ├─ allocation    which pairs would lower the errors of differences most
//!           ├─ ranks         all of them: which ranks each may have, who may be the best
//!           └─ fit           where games and ratings disagree, and circles
//!                            (part_fit: where the games of a part do)
//! counts of one entrant against one other
//!           ├─ sprt          is it stronger by so much? a sequential test, and how long it takes
//!           └─ head_to_head  score, its Elo and normalised Elo, and their errors
//! e-values of many tests
//!           └─ discoveries   which of them are refuted, at a false discovery rate
//! results of pairs around values
//!           └─ spsa          better values of parameters
//! assumed results
//!           └─ power         how many pairs a tournament needs until a difference shows
//! elo           the scale and its constants
//! the share of games that are played
//!           └─ anytime       intervals that hold at all times at once
//! ```
//!
//! Everything here but `spsa` is a function of the *set* of games: their order changes nothing.
//! Only `ranks` and `spsa` draw random numbers, from a fixed seed.

mod advantage;
pub mod allocation;
pub mod anytime;
mod bound_levels;
mod bounds;
pub mod clusters;
mod comparison;
pub mod connectivity;
mod constraints;
pub mod discoveries;
pub mod elo;
mod errors;
pub mod fit;
pub mod game;
pub mod head_to_head;
mod information;
mod layout;
mod likelihood;
mod matrix;
mod pair_likelihood;
pub mod part_fit;
pub mod power;
pub mod ranks;
pub mod rating;
pub mod ratings;
mod separation;
pub mod sprt;
pub mod spsa;
mod student;
pub mod tally;
mod uncertainty;
mod warning;
mod zero_point;
