//! Every key of a configuration, declared once, as data.
//!
//! ```text
//! tables       all tables: key, kind of value, and the field that has the value
//! declaration  what a declaration says
//! value        the fields: read from what was typed, written as TOML
//! forms, limits   values of a form of their own
//! check        a value against its declaration
//! ```
//!
//! A key stands in two places. `tables` has its name, its kind and its bounds. The manual,
//! `configs/default.toml`, has its documentation and its default, because people read the manual
//! from top to bottom and write it by hand: one sentence for a key, its default beside it, the
//! neighbours around it. A list in code would have the same sentences without that order. A test
//! compares the two: every declared key is in the manual, every key of the manual is declared, and
//! each default is within its bounds.
//!
//! `FILE` is the root: all tables, their keys, kinds, bounds and choices can be reached from it.

pub mod check;
pub mod declaration;
pub mod forms;
pub mod limits;
pub mod tables;
pub mod value;

#[cfg(test)]
mod tests;
