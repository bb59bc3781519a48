//! What a page is made from, as a digest in the page.

use super::document::page_frame;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::io::{self, BufWriter, Write};

/// Stands for all that a page is made from: pages of the same origin have the same bytes.
#[derive(Clone, Debug)]
pub struct PageOrigin {
    digest: Digested,
}

impl PageOrigin {
    /// What all pages of this version have in common.
    pub fn of_this_version() -> Self {
        Self {
            digest: Digested(Sha256::new_with_prefix(page_frame())),
        }
    }

    /// Adds a value that the page is made from, as JSON.
    ///
    /// # Errors
    /// The value is none of JSON.
    pub fn add(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut text = BufWriter::new(&mut self.digest);
        // JSON has no line feed of its own, so this tells values apart.
        text.write_all(b"\n")?;
        serde_json::to_writer(&mut text, value)?;
        text.flush()
    }

    /// Its text in the page: SHA-256 in base64 (RFC 4648).
    pub fn text(self) -> String {
        STANDARD.encode(self.digest.0.finalize())
    }
}

/// Takes what is written into a digest.
#[derive(Clone, Debug)]
struct Digested(Sha256);

impl Write for Digested {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(values: &[&str]) -> String {
        let mut origin = PageOrigin::of_this_version();
        for value in values {
            origin.add(value).unwrap();
        }
        origin.text()
    }

    #[test]
    fn each_value_and_where_it_ends_count() {
        let all = [
            origin(&[]),
            origin(&[""]),
            origin(&["", ""]),
            origin(&["ab"]),
            origin(&["a", "b"]),
            origin(&["b", "a"]),
            origin(&["a\nb"]),
        ];
        for (place, one) in all.iter().enumerate() {
            assert_eq!(one.len(), 44);
            assert!(!all[..place].contains(one), "{place}");
        }
        assert_eq!(origin(&["a", "b"]), all[4]);
    }
}
