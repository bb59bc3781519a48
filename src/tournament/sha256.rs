//! SHA-256 in the form of the journal.

use crate::text::hexadecimal;
use sha2::{Digest, Sha256};
use std::io::{self, Read};

/// SHA-256 in hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// SHA-256 of what a reader gives, in hexadecimal.
///
/// # Errors
/// It cannot be read.
pub fn sha256_of(mut reader: impl Read) -> io::Result<String> {
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 64 << 10]);
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(hexadecimal(&hasher.finalize())),
            count => hasher.update(&buffer[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-2, appendix B.1.
    #[test]
    fn the_published_example_is_met() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_hex(b"abc"), expected);
        assert_eq!(sha256_of(&b"abc"[..]).unwrap(), expected);
    }
}
