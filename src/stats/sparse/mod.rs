//! Large tables: ratings and their errors without a matrix of all entrants.
//!
//! A dense matrix of 10,000 ratings has a hundred million entries, and its inverse takes 10¹²
//! multiplications; but they met some 100,000 pairs of opponents. So a table beyond some size (see
//! [`super::layout`]) is fitted and measured with the links between those who met:
//!
//! ```text
//!   graph        who met whom, and how much that tells
//!   elimination  what of it is cheap to take out of the equations
//!   solver       solutions: by elimination, then by conjugate gradients
//!   played       the games of each opening
//!   parts        what they make of a number
//!   measures     of every rating: its scatter over openings, and what the model expects of it
//!   hidden       what the fit hides of that: estimated with random signs, or solved for
//! ```
//!
//! # What is exact
//! The ratings are, to rounding. For each rating `a = H⁺ℓ` is solved for to a thousandth of its
//! error; with it the sandwich, `q` and `Σ q_c²` (see [`super::uncertainty`]) are sums over
//! openings. What the fit hides, `t = Σ aᵀH_c H⁺ H_c a`, would take a solution for each rating and
//! each opening; `hidden` says how it is estimated and how well.
//!
//! # What is not there
//! Differences: each would take a solution of its own.

mod elimination;
mod graph;
mod hidden;
mod measures;
mod measuring;
mod parts;
mod played;
mod solver;

pub use crate::stats::sparse::measuring::Measuring;
pub use graph::Graph;
pub use measures::{Number, measure};
pub use solver::{EXACT, Lanes, Solver};

#[cfg(test)]
mod tests;
