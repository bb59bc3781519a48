//! The form of the evaluation's network: what its weights are and how many.

/// Numbers of a feature's row.
pub const LANES: usize = 16;
/// What a pit can look like.
pub const COLUMNS: usize = 19;
/// What a store can look like: 0 to 24 seeds, or more.
pub const STORES: usize = 25;
/// All rows of a network.
pub const ROWS: usize = 12 * COLUMNS + 2 * STORES;
/// Features of a position: twelve pits and two stores.
pub const FEATURES: usize = 14;
/// The greatest value of a hidden unit; its smallest is 0.
pub const UNIT: i16 = 256;
/// A value of so much is an expected score of 73 %.
pub const LOGISTIC_SCALE: f32 = 400.0;

/// The weights for one way of capturing.
pub struct Network {
    /// A row for each column of each feature.
    pub rows: [[i16; LANES]; ROWS],
    /// What is added to the rows of every position.
    pub start: [i16; LANES],
    /// What each hidden unit is worth, in hundredths of a seed; the first is not used.
    pub worths: [i16; LANES],
}
