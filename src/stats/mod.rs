//! Statistics: counts in, numbers out. Knows nothing of awalé, of names of files, or of printing.
//!
//! ```text
//! games → tally (counts per ordered pair of entrants)
//!           ├─ connectivity  who can be compared with whom: components, groups, order of groups
//!           ├─ separation    can the first-move advantage be told from strength?
//!           ├─ advantage     the fit with the advantage estimated, held or bounded
//!           ├─ likelihood    Newton's method on the joint log-likelihood (matrix: Cholesky)
//!           ├─ bounds        where to put groups that won or lost every game against the others
//!           └─ rating        all of it together: the ratings, their errors, the warnings
//! counts of one entrant against one other
//!           └─ sprt          is it stronger by so much? a sequential test, and how long it takes
//! ```
//!
//! Everything here is a function of the *set* of games: their order changes nothing.

mod advantage;
mod bounds;
pub mod connectivity;
pub mod elo;
mod likelihood;
mod matrix;
pub mod rating;
mod separation;
pub mod sprt;
pub mod tally;
