//! A seed, another one each time.

use crate::cli::exit::Failure;
use rustix::rand::{GetRandomFlags, getrandom};

/// A seed below 2^53, another one each time.
pub fn random_seed() -> Result<u64, Failure> {
    let mut bytes = [0; 8];
    getrandom(&mut bytes, GetRandomFlags::empty())
        .map_err(|error| Failure::machine(format!("cannot draw a seed: {error}")))?;
    Ok(u64::from_le_bytes(bytes) >> 11)
}
