//! The last line of a page: what the page is made from, and what is above that line, as digests. By
//! it a page is recognised that would be written once more.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::io::{self, BufWriter, Read, Write};

/// Characters of a digest: SHA-256 in base64 (RFC 4648).
const DIGITS: usize = 44;

/// Stands for all that a page is made from: one build of awale makes pages of the same bytes from
/// the same origin.
#[derive(Clone, Debug)]
pub struct PageOrigin {
    digest: PageDigest,
}

impl PageOrigin {
    /// An origin that begins with this text.
    pub(super) fn of(text: &str) -> Self {
        Self {
            digest: PageDigest(Sha256::new_with_prefix(text)),
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

    /// Its text in the page.
    pub fn text(self) -> String {
        self.digest.text()
    }
}

/// Whether a page of this length is of this origin, and as it was written.
///
/// # Errors
/// Those of `page`.
pub fn is_page_of(origin: &str, mut page: impl Read, length: u64) -> io::Result<bool> {
    let last = last_line(origin, &"=".repeat(DIGITS)).len();
    let Some(above) = length.checked_sub(last as u64) else {
        return Ok(false);
    };
    let mut digest = PageDigest::default();
    io::copy(&mut page.by_ref().take(above), &mut digest)?;
    let mut read = Vec::with_capacity(last);
    page.take(last as u64 + 1).read_to_end(&mut read)?;
    Ok(read == last_line(origin, &digest.text()).as_bytes())
}

fn last_line(origin: &str, above: &str) -> String {
    format!("<!-- {origin} {above} -->\n")
}

/// Writes a page, and knows the digest of what was written.
pub(super) struct DigestedWriter<W> {
    out: W,
    digest: PageDigest,
}

impl<W: Write> DigestedWriter<W> {
    pub fn new(out: W) -> Self {
        Self {
            out,
            digest: PageDigest::default(),
        }
    }

    /// Ends the page, with the line by which it is recognised if it has an origin.
    pub fn end(mut self, origin: Option<&str>) -> io::Result<()> {
        if let Some(origin) = origin {
            let line = last_line(origin, &self.digest.text());
            self.out.write_all(line.as_bytes())?;
        }
        self.out.flush()
    }
}

impl<W: Write> Write for DigestedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.digest.write(&bytes[..count])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The digest of what is written to it.
#[derive(Clone, Debug, Default)]
struct PageDigest(Sha256);

impl PageDigest {
    fn text(self) -> String {
        STANDARD.encode(self.0.finalize())
    }
}

impl Write for PageDigest {
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
        let mut origin = PageOrigin::of("");
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
            assert_eq!(one.len(), DIGITS);
            assert!(!all[..place].contains(one), "{place}");
        }
        assert_eq!(origin(&["a", "b"]), all[4]);
    }

    #[test]
    fn a_page_that_was_changed_anywhere_is_not_recognised() {
        let (origin, other) = (origin(&["a"]), origin(&["b"]));
        let mut page = Vec::new();
        let mut out = DigestedWriter::new(&mut page);
        out.write_all(b"<p>text</p>\n").unwrap();
        out.end(Some(&origin)).unwrap();
        let is_that =
            |origin: &str, page: &[u8]| is_page_of(origin, page, page.len() as u64).unwrap();
        assert!(is_that(&origin, &page));
        assert!(!is_that(&other, &page));
        for place in 0..page.len() {
            assert!(!is_that(&origin, &page[..place]), "{place}");
            assert!(!is_that(
                &origin,
                &[&page[..=place], &page[place..]].concat()
            ));
            let mut changed = page.clone();
            changed[place] ^= 1;
            assert!(!is_that(&origin, &changed), "{place}");
        }
    }
}
