//! The checksum at the beginning of each line of a journal.

use crate::tournament::sha256::sha256_hex;

/// Hexadecimal digits of a line's checksum: 64 bits of SHA-256.
pub const SUM_DIGITS: usize = 16;

pub const SUM_HEAD: &str = "{\"sum\":\"";

pub const SUM_TAIL: &str = "\",";

/// The text after the checksum, if the checksum is right.
pub fn checked_fields(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(SUM_HEAD)?;
    let sum = rest.get(..SUM_DIGITS)?;
    let fields = rest.get(SUM_DIGITS..)?.strip_prefix(SUM_TAIL)?;
    (checksum(fields) == sum).then_some(fields)
}

pub fn checksum(fields: &str) -> String {
    let mut sum = sha256_hex(fields.as_bytes());
    sum.truncate(SUM_DIGITS);
    sum
}
