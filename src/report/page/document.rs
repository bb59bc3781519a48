//! The file itself: the page with its style and program, and the data in blocks.

use super::games::GameColumns;
use super::packing::packed_json;
use super::summary::PageSummary;
use base64::Engine as _;
use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::io::{self, Write};

const TEMPLATE: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/style.css");
/// One module: later files use what earlier ones define, and these files its views; the last one
/// says where the data come from.
macro_rules! program {
    ($($last:literal),+) => {
        concat!(
            include_str!("assets/dom.js"),
            include_str!("assets/data.js"),
            include_str!("assets/board.js"),
            include_str!("assets/charts.js"),
            include_str!("assets/figure.js"),
            include_str!("assets/class.js"),
            include_str!("assets/highlights.js"),
            include_str!("assets/rounds.js"),
            include_str!("assets/overview.js"),
            include_str!("assets/games_view.js"),
            include_str!("assets/player.js"),
            include_str!("assets/worth.js"),
            include_str!("assets/replay.js"),
            include_str!("assets/show.js"),
            include_str!("assets/entrant.js"),
            include_str!("assets/main.js"),
            $(include_str!($last)),+
        )
    };
}

/// The program of a page that is a file.
const PROGRAM: &str = program!("assets/file.js");
/// The program of a page that is served while the run plays.
const LIVE_PROGRAM: &str = program!("assets/live_boards.js", "assets/live.js");
/// The program of a page on which a person plays: against a bot behind a server, or one of its own.
macro_rules! person_program {
    ($($last:literal),+) => {
        concat!(
            include_str!("assets/dom.js"),
            include_str!("assets/board.js"),
            include_str!("assets/figure.js"),
            include_str!("assets/said.js"),
            include_str!("assets/person.js"),
            $(include_str!($last)),+
        )
    };
}

const PERSON_PROGRAM: &str = person_program!("assets/person_server.js");
const PLAY_PROGRAM: &str = person_program!(
    "assets/rules.js",
    "assets/house.js",
    "assets/person_file.js"
);

/// The program of a page of puzzles.
const PUZZLES_PROGRAM: &str = person_program!("assets/puzzles.js");

/// The program of the page of an author.
const FEEDBACK_PROGRAM: &str = concat!(
    include_str!("assets/dom.js"),
    include_str!("assets/board.js"),
    include_str!("assets/figure.js"),
    include_str!("assets/player.js"),
    include_str!("assets/feedback.js"),
);

/// Writes the page with the compressed blocks of games.
///
/// # Errors
/// Those of `out`.
pub fn write_page(
    summary: &PageSummary<'_>,
    columns: &GameColumns,
    blocks: &[Vec<u8>],
    mut out: impl Write,
) -> io::Result<()> {
    let index = packed_json(columns)?;
    write_slots(&mut out, |slot, out| match slot {
        "policy" => out.write_all(policy(PROGRAM, "").as_bytes()),
        "title" => out.write_all(escaped(summary.tournament()).as_bytes()),
        "style" => out.write_all(STYLE.as_bytes()),
        "summary" => out.write_all(data(&serde_json::to_string(summary)?).as_bytes()),
        "blocks" => {
            write_block(out, "games-index", &index)?;
            let mut blocks = blocks.iter().enumerate();
            blocks
                .try_for_each(|(number, block)| write_block(out, &format!("games-{number}"), block))
        }
        "script" => out.write_all(PROGRAM.as_bytes()),
        other => unreachable!("the page has no slot {other}"),
    })?;
    out.flush()
}

/// A page that gets its data from the server that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageHtml {
    /// Its Content-Security-Policy, which is also in its first `meta`.
    pub policy: String,
    /// The document.
    pub html: String,
}

/// The page of a tournament that is being played. It reads `summary`, `columns`, `game?id=…` and
/// the stream `events` beside its own address.
pub fn live_page(tournament: &str) -> PageHtml {
    page_of_server(LIVE_PROGRAM, tournament)
}

/// The page on which a person plays against a bot. It asks `act` beside its own address.
pub fn person_page(bot: &str) -> PageHtml {
    page_of_server(PERSON_PROGRAM, &format!("you against {bot}"))
}

/// A file on which a person plays against bots of the page itself. It needs no server.
pub fn play_page() -> String {
    page_without_blocks(PLAY_PROGRAM, "Play awalé", "null", "").html
}

/// A file on which a person solves puzzles. It needs no server.
///
/// # Panics
/// The puzzles cannot be written as JSON.
pub fn puzzles_page(puzzles: &impl Serialize) -> String {
    let puzzles = serde_json::to_string(puzzles).expect("puzzles are texts and numbers");
    page_without_blocks(PUZZLES_PROGRAM, "Awalé puzzles", &puzzles, "").html
}

/// The feedback of an author, which is shown as sections of blocks.
pub fn feedback_page(title: &str, content: &impl Serialize) -> String {
    let content = serde_json::to_string(content).expect("the content is texts and numbers");
    page_without_blocks(FEEDBACK_PROGRAM, title, &content, "").html
}

fn page_of_server(program: &str, title: &str) -> PageHtml {
    page_without_blocks(program, title, "null", "; connect-src 'self'")
}

/// A page with this JSON, without games in blocks.
fn page_without_blocks(program: &str, title: &str, json: &str, more: &str) -> PageHtml {
    let policy = policy(program, more);
    let mut html = Vec::new();
    let written = write_slots(&mut html, |slot, out| match slot {
        "policy" => out.write_all(policy.as_bytes()),
        "title" => out.write_all(escaped(title).as_bytes()),
        "style" => out.write_all(STYLE.as_bytes()),
        "summary" => out.write_all(data(json).as_bytes()),
        "blocks" => Ok(()),
        "script" => out.write_all(program.as_bytes()),
        other => unreachable!("the page has no slot {other}"),
    });
    written.expect("writing to memory never fails");
    let html = String::from_utf8(html).expect("all parts are text");
    PageHtml { policy, html }
}

/// Writes the template; `fill` writes what stands in its slots.
fn write_slots<W: Write>(
    out: &mut W,
    mut fill: impl FnMut(&str, &mut W) -> io::Result<()>,
) -> io::Result<()> {
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once('{') {
        out.write_all(before.as_bytes())?;
        let (slot, after) = after.split_once('}').expect("every slot is closed");
        fill(slot, out)?;
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// Writes compressed data as base64 (RFC 4648).
fn write_block(out: &mut impl Write, id: &str, packed: &[u8]) -> io::Result<()> {
    let packed = Base64Display::new(packed, &STANDARD);
    writeln!(
        out,
        "<script type=\"text/plain\" id=\"{id}\">{packed}</script>"
    )
}

/// The page may run its own program and use its own style, and load nothing but what `more` allows
/// (CSP level 3).
fn policy(program: &str, more: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let (program, style) = (hash(program), hash(STYLE));
    format!(
        "default-src 'none'; script-src {program}; style-src {style}; base-uri 'none'; \
         form-action 'none'{more}"
    )
}

/// JSON that cannot end the element in which it stands.
fn data(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// Text of an element.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands in an element of this kind ends at the first such tag.
    #[test]
    fn neither_program_nor_style_ends_its_element() {
        for text in [
            PROGRAM,
            LIVE_PROGRAM,
            PERSON_PROGRAM,
            PLAY_PROGRAM,
            PUZZLES_PROGRAM,
            FEEDBACK_PROGRAM,
            STYLE,
        ] {
            let text = text.to_lowercase();
            for end in ["</script", "</style", "<!--"] {
                assert!(!text.contains(end), "{end}");
            }
        }
        assert_eq!(data("</script><!--"), "\\u003c/script>\\u003c!--");
    }
}
