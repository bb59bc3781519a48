//! Copies the evidence of a fault for the author of the bot: without the other bot's part, and with
//! pseudonyms in what the bot was sent. It can be replayed like the original.

use super::pseudonyms::Pseudonyms;
use crate::files::Folder;
use crate::record::{Chunk, Writer};
use crate::report::{FaultRow, LostGame};
use crate::run_folder::evidence::{
    ANSWERS, BUILD_OUTPUT, ChunkLine, MOST_MIB, PAGE, REQUESTS, STDERR, TRANSCRIPT, chunk_lines,
};
use crate::text::TomlWriter;
use serde_json::Value;
use std::io::{self, Read as _, Write as _};

/// Files that contain nothing but the bot's own bytes, or the compiler's.
const OWN: [&str; 3] = [ANSWERS, STDERR, BUILD_OUTPUT];

/// Copies the folder of a fault to a new folder. `fault` is the fault as its author reads it, and
/// names that folder.
///
/// # Errors
/// The disk's, or a file of the evidence is not as awale wrote it.
pub fn copy(from: &Folder, to: &Folder, fault: &FaultRow, names: &Pseudonyms) -> io::Result<()> {
    let write = |name: &str, bytes: &[u8]| {
        let mut file = to.create_file(name, 0o666)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    for name in OWN {
        if let Some(bytes) = read(from, name)? {
            write(name, &bytes)?;
        }
    }
    if let Some(page) = read(from, PAGE)? {
        let page = String::from_utf8_lossy(&page);
        let shown = fault.folder.as_deref().unwrap_or_default();
        let page = rewrite_page(&page, shown, fault.game.as_ref());
        write(PAGE, page.as_bytes())?;
    }
    let (lines, requests) = (read(from, TRANSCRIPT)?, read(from, REQUESTS)?);
    if let (Some(lines), Some(requests)) = (lines, requests) {
        let (lines, requests) = rewrite_transcript(&lines, &requests, names)?;
        write(TRANSCRIPT, &lines)?;
        write(REQUESTS, &requests)?;
    }
    to.sync()
}

/// A file, if it exists. awale has written it, but a folder may come from somewhere else: a link, a
/// device and more bytes than awale writes are left out.
fn read(folder: &Folder, name: &str) -> io::Result<Option<Vec<u8>>> {
    if !folder.is_file(name) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let mut file = folder.file(name)?.take(MOST_MIB << 20);
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// `fault.toml` with other comments at its beginning, and pseudonyms for the game and the opponent.
/// An admission game has no other entrant.
fn rewrite_page(page: &str, shown: &str, game: Option<&LostGame>) -> String {
    let mut rewritten = TomlWriter::default();
    rewritten.line("# To see the fault again, in the folder of your bot:");
    rewritten.line(format_args!("#   awale replay-to-bot {shown} -- COMMAND"));
    rewritten.line("# The names of other entrants are left out.\n");
    let is_comment = |line: &&str| line.is_empty() || line.starts_with('#');
    for line in page.lines().skip_while(is_comment) {
        match (line.split_once(" = "), game) {
            (Some(("game", _)), Some(game)) => rewritten.text("game", &game.id.to_string()),
            (Some(("opponent", _)), Some(game)) => rewritten.text("opponent", &game.opponent),
            _ => rewritten.line(line),
        }
    }
    rewritten.into_text()
}

/// The lines of the transcript and the bytes of the requests.
fn rewrite_transcript(
    lines: &[u8],
    requests: &[u8],
    names: &Pseudonyms,
) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let (mut new_lines, mut new_requests) = (Vec::new(), Vec::new());
    let mut rest = requests;
    for line in chunk_lines(lines) {
        let (_, mut line) = line.map_err(io::Error::other)?;
        if line.from == Writer::Referee {
            let Some((request, after)) = rest.split_at_checked(line.bytes) else {
                let reason = "the transcript has more bytes than the file of the requests";
                return Err(io::Error::other(reason));
            };
            rest = after;
            let request = rewrite_requests(request, names);
            line = ChunkLine::new(&Chunk {
                time_us: line.time_us,
                from: line.from,
                bytes: &request,
            });
            new_requests.extend_from_slice(&request);
        }
        serde_json::to_writer(&mut new_lines, &line)?;
        new_lines.push(b'\n');
    }
    Ok((new_lines, new_requests))
}

/// Requests, one in each line. Only a game's beginning has names. All other bytes stay.
fn rewrite_requests(requests: &[u8], names: &Pseudonyms) -> Vec<u8> {
    let lines = requests.split_inclusive(|&byte| byte == b'\n');
    lines
        .flat_map(|line| {
            let text = std::str::from_utf8(line).ok();
            let rewritten = text.and_then(|text| rewrite_request(text, names));
            rewritten.map_or_else(|| line.to_vec(), String::into_bytes)
        })
        .collect()
}

fn rewrite_request(line: &str, names: &Pseudonyms) -> Option<String> {
    let request: Value = serde_json::from_str(line).ok()?;
    if request.get("type")?.as_str()? != "new-game" {
        return None;
    }
    let mut line = line.to_owned();
    let game = request.get("game")?.as_str()?;
    line = replaced(&line, "game", game, &names.id_text(game));
    if let Some(opponent) = request.get("opponent").and_then(Value::as_str) {
        line = replaced(&line, "opponent", opponent, names.name(opponent));
    }
    Some(line)
}

/// The line with another text for a key. awale writes each key once, without spaces.
fn replaced(line: &str, key: &str, old: &str, new: &str) -> String {
    let pair = |text: &str| format!("\"{key}\":{}", Value::from(text));
    line.replacen(&pair(old), &pair(new), 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{Plan, Secret};
    use std::fs;

    fn names() -> Pseudonyms {
        let secret = Secret::from_bytes([7; 32]);
        let plan = Plan::round_robin(["ada", "ben"], 1, secret);
        Pseudonyms::for_entrant("ada", &plan)
    }

    const NEW_GAME: &str = "{\"type\":\"new-game\",\"game\":\"ada~ben.3.1\",\"you\":\"south\",\
                            \"opponent\":\"ben\",\"rules\":{\"ben\":1}}\n";

    #[test]
    fn only_the_names_of_a_new_game_change() {
        let shown = NEW_GAME.replace("ada~ben.3.1", "ada~opponent-1.3.1");
        let shown = shown.replace(":\"ben\"", ":\"opponent-1\"");
        let turn = "{\"type\":\"turn\",\"opponent\":\"ben\"}\n";
        let broken = b"\xff {\"type\":\"new-game\"\n".as_slice();
        for (line, expected) in [
            (NEW_GAME.as_bytes(), shown.as_bytes()),
            (turn.as_bytes(), turn.as_bytes()),
            (broken, broken),
            (b"", b""),
        ] {
            assert_eq!(rewrite_requests(line, &names()), expected);
        }
        // Several lines in one chunk.
        let both = [NEW_GAME, turn].concat();
        let expected = [shown.as_str(), turn].concat();
        assert_eq!(
            rewrite_requests(both.as_bytes(), &names()),
            expected.as_bytes()
        );
    }

    #[test]
    fn the_transcript_counts_the_bytes_of_the_requests() {
        let chunk = |from, bytes: &[u8]| {
            let chunk = Chunk {
                time_us: 5,
                from,
                bytes,
            };
            serde_json::to_string(&ChunkLine::new(&chunk)).unwrap() + "\n"
        };
        let answer = b"{\"type\":\"ready\"}\n";
        let lines = [
            chunk(Writer::Referee, NEW_GAME.as_bytes()),
            chunk(Writer::Bot, answer),
            chunk(Writer::Referee, b"{\"type\":\"quit\"}\n"),
        ]
        .concat();
        let requests = [NEW_GAME, "{\"type\":\"quit\"}\n"].concat();
        let (new_lines, new_requests) =
            rewrite_transcript(lines.as_bytes(), requests.as_bytes(), &names()).unwrap();
        let sent = chunk_lines(&new_lines).map(|line| line.unwrap().1);
        let sent = sent.filter(|line| line.from == Writer::Referee);
        let bytes: usize = sent.map(|line| line.bytes).sum();
        assert_eq!(bytes, new_requests.len());
        assert!(!String::from_utf8(new_lines).unwrap().contains("ada~ben"));
        // Fewer bytes than the transcript says.
        let error = rewrite_transcript(lines.as_bytes(), &requests.as_bytes()[..20], &names());
        assert!(error.is_err());
    }

    #[test]
    fn a_link_in_the_evidence_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let secret = place.path().join("secret");
        fs::write(&secret, "the organiser's").unwrap();
        let from = place.path().join("from");
        fs::create_dir(&from).unwrap();
        std::os::unix::fs::symlink(&secret, from.join(STDERR)).unwrap();
        fs::write(from.join(ANSWERS), "own").unwrap();
        let fault = FaultRow {
            entrant: "ada".to_owned(),
            game: None,
            fault: "crash",
            detail: String::new(),
            folder: None,
        };
        let from = Folder::open(&from).unwrap();
        let to = Folder::create(&place.path().join("to")).unwrap();
        copy(&from, &to, &fault, &names()).unwrap();
        assert_eq!(to.names("").unwrap(), [ANSWERS]);
        assert_eq!(to.read(ANSWERS, 1).unwrap(), b"own");
    }
}
