//! How much of a stranger's archive is taken. `docs/classes.md` names these bounds.

/// The most entries of an archive, and files of a hand-in.
pub const MOST_ENTRIES: usize = 100_000;
pub const MOST_FILES: usize = 10_000;
/// The most bytes of a hand-in, unpacked.
const MOST_BYTES: u64 = 64 << 20;
/// The most bytes that one byte of an archive becomes, beyond what is free.
const MOST_RATIO: u64 = 100;
/// The bytes of a hand-in that are free of that ratio: small files of one letter are no bomb.
const FREE_BYTES: u64 = 16 << 20;
/// The most folders in each other, and bytes of a path and of a name in it.
const MOST_DEPTH: usize = 32;
const LONGEST_PATH: usize = 1024;
const LONGEST_NAME: usize = 255;

/// The most bytes to which an archive of this many bytes may unpack.
pub fn most_bytes(packed: u64) -> u64 {
    MOST_BYTES.min(FREE_BYTES.max(packed.saturating_mul(MOST_RATIO)))
}

/// Why no file can have this path below a hand-in's folder.
pub fn unfit(path: &str) -> Option<&'static str> {
    let steps: Vec<&str> = path.split('/').collect();
    match () {
        () if path.is_empty() => Some("a file without a name"),
        () if path.chars().any(char::is_control) => Some("control characters in the name"),
        () if path.len() > LONGEST_PATH => Some("a path that is too long"),
        () if steps.len() > MOST_DEPTH => Some("too many folders in each other"),
        () if steps.iter().any(|it| it.len() > LONGEST_NAME) => Some("a name that is too long"),
        () => None,
    }
}
