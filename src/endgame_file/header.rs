//! The first page of a database's file.
//!
//! ```text
//! {"format":"awale endgame 1","rules":{…},"seeds":12,"layers":["SHA-256 of the codes",…]}
//! SHA-256 of the line above
//! spaces up to 4,096 bytes; then the codes of the positions of 0 seeds, of 1 seed, …
//! ```
//! `head -2 FILE` shows it.

use crate::engine::endgame::{MOST_SEEDS, SolvedRules, positions_below, positions_of};
use crate::rules::RuleSet;
use crate::text::hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Bytes of the header.
pub const HEADER: u64 = 4096;
/// What a file begins with, with the number of its format.
const FORMAT: &str = "awale endgame 1";

/// The header of a database.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    format: String,
    rules: RuleSet,
    seeds: u8,
    layers: Vec<String>,
}

impl Header {
    /// Of a database without any layer yet.
    pub fn new(rules: SolvedRules) -> Self {
        Self {
            format: FORMAT.to_owned(),
            rules: *rules.rules(),
            seeds: 0,
            layers: Vec::new(),
        }
    }

    /// Notes a finished layer.
    pub fn add_layer(&mut self, codes: &[u8]) {
        self.seeds = u8::try_from(self.layers.len()).unwrap_or(MOST_SEEDS);
        self.layers.push(checksum(codes));
    }

    /// The checksums of the finished layers.
    pub fn layers(&self) -> &[String] {
        &self.layers
    }

    /// The most seeds of a finished layer.
    pub const fn seeds(&self) -> u8 {
        self.seeds
    }

    /// The rules, reduced to what decides values; `None` if they have none.
    pub fn rules(&self) -> Option<SolvedRules> {
        SolvedRules::of(&self.rules).ok()
    }

    /// Bytes of the whole file.
    pub fn file_size(seeds: u8) -> u64 {
        HEADER + positions_below(seeds) + positions_of(seeds)
    }

    /// Where the codes of a layer begin in the file, and how many they are.
    pub fn layer_range(seeds: u8) -> (u64, u64) {
        (HEADER + positions_below(seeds), positions_of(seeds))
    }

    /// The page.
    pub fn page(&self) -> Vec<u8> {
        let line = serde_json::to_string(self).unwrap_or_default();
        let mut page = format!("{line}\n{}\n", checksum(line.as_bytes())).into_bytes();
        page.resize(usize::try_from(HEADER).unwrap_or(0), b' ');
        page
    }

    /// Reads the page.
    ///
    /// # Errors
    /// In words, what is wrong: it is no header, one of another format, or damaged.
    pub fn read(page: &[u8]) -> Result<Self, HeaderError> {
        let mut lines = page.split(|&byte| byte == b'\n');
        let line = lines.next().unwrap_or_default();
        if line.is_empty() {
            return Err(HeaderError::Format("it has no header".to_owned()));
        }
        if !line.starts_with(br#"{"format":"awale endgame "#) {
            return Err(HeaderError::Format(
                "it begins with something else".to_owned(),
            ));
        }
        let Some(sum) = lines.next() else {
            return Err(HeaderError::Damaged("its header is cut off".to_owned()));
        };
        if checksum(line).as_bytes() != sum {
            return Err(HeaderError::Damaged("its header was changed".to_owned()));
        }
        let named: Named = read(line)?;
        if named.format != FORMAT {
            let found = named.format;
            return Err(HeaderError::Format(format!(
                "its format is {found:?}, not {FORMAT:?}"
            )));
        }
        let header: Self = read(line)?;
        // A field of the rules that is not known here would be passed over.
        if serde_json::to_string(&header)
            .unwrap_or_default()
            .as_bytes()
            != line
        {
            return Err(HeaderError::Format(
                "its rules have fields of a newer version".to_owned(),
            ));
        }
        let is_whole = header.layers.len() == usize::from(header.seeds) + 1
            && header.seeds <= MOST_SEEDS
            && header.rules().is_some();
        if !is_whole {
            return Err(HeaderError::Damaged(
                "its header contradicts itself".to_owned(),
            ));
        }
        Ok(header)
    }

    /// Names the values of all positions of up to so many seeds: 64 hexadecimal digits.
    pub fn name(&self, seeds: u8) -> String {
        let rules = serde_json::to_string(&self.rules).unwrap_or_default();
        let layers = self.layers.iter().take(usize::from(seeds) + 1);
        let lines = [FORMAT, &rules]
            .into_iter()
            .chain(layers.map(String::as_str));
        checksum(lines.collect::<Vec<&str>>().join("\n").as_bytes())
    }
}

/// What every format begins with.
#[derive(Deserialize)]
struct Named {
    format: String,
}

fn read<'d, T: Deserialize<'d>>(line: &'d [u8]) -> Result<T, HeaderError> {
    serde_json::from_slice(line).map_err(|error| HeaderError::Format(error.to_string()))
}

/// What is wrong with a header.
#[derive(Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// It is not one that can be read.
    Format(String),
    /// It was one.
    Damaged(String),
}

/// SHA-256 in hexadecimal.
pub fn checksum(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}
