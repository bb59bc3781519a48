//! Why the host cannot start a script: its first line.

use crate::record::{BYTE_ORDER_MARK, NO_INTERPRETER, WINDOWS_LINE_END};
use rustix::io::Errno;

/// Bytes of a script that are looked at: the kernel reads no more of a `#!` line.
pub const FIRST_BYTES: usize = 256;

/// What is wrong with the first bytes of a program that could not be started for this reason, if it
/// is a script.
pub fn flaw_of_script(beginning: &[u8], errno: Errno) -> Option<&'static str> {
    const ELF: &[u8] = b"\x7fELF";
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let text = beginning.strip_prefix(MARK);
    let first_line = text
        .unwrap_or(beginning)
        .split(|&byte| byte == b'\n')
        .next()?;
    match (errno, first_line.starts_with(b"#!")) {
        (Errno::NOEXEC, true) if text.is_some() => Some(BYTE_ORDER_MARK),
        (Errno::NOENT, true) if first_line.ends_with(b"\r") => Some(WINDOWS_LINE_END),
        (Errno::NOENT, true) => Some("the program in its `#!` line is not here"),
        (Errno::NOEXEC, false) if !beginning.starts_with(ELF) => Some(NO_INTERPRETER),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_first_line_is_found() {
        let flaw = |text: &[u8], errno| flaw_of_script(text, errno);
        let missing = Some("the program in its `#!` line is not here");
        for (text, errno, expected) in [
            (&b"print(1)\n"[..], Errno::NOEXEC, Some(NO_INTERPRETER)),
            (b"", Errno::NOEXEC, Some(NO_INTERPRETER)),
            (
                b"\xef\xbb\xbfprint(1)\n",
                Errno::NOEXEC,
                Some(NO_INTERPRETER),
            ),
            (
                b"\xef\xbb\xbf#!/bin/sh\n",
                Errno::NOEXEC,
                Some(BYTE_ORDER_MARK),
            ),
            (
                b"#!/bin/sh\r\nexit\r\n",
                Errno::NOENT,
                Some(WINDOWS_LINE_END),
            ),
            (b"#!/usr/bin/python9\nexit\r\n", Errno::NOENT, missing),
            (b"\x7fELF\x02\x01", Errno::NOEXEC, None),
            (b"\x7fELF\x02\x01", Errno::NOENT, None),
            (b"#!/bin/sh\n", Errno::ACCESS, None),
        ] {
            assert_eq!(flaw(text, errno), expected, "{text:?} {errno}");
        }
    }
}
