//! A played pair on its way from a worker: the records of its games, their logs, and the evidence of
//! faults. Large ones are compressed.

use crate::record::{Evidence, GameRecord, ProcessEnd, Transcript, Usage, Writer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};
use std::io::{Read as _, Write as _};

/// Bytes from which a message is compressed.
const LARGE: usize = 32 << 10;
/// The most bytes of a message that was compressed.
const MOST_BYTES: u64 = 64 << 20;
/// Bytes of a transcript of which only the last game is sent.
const LONG_TRANSCRIPT: usize = 1 << 19;

/// The games of a pair.
#[derive(Debug, Deserialize, Serialize)]
pub struct PlayedPair {
    /// Who has played them.
    pub worker: String,
    /// The place of the pair in the schedule.
    pub place: usize,
    /// The games.
    pub games: Vec<PlayedGame>,
}

/// One of them.
#[derive(Debug, Deserialize, Serialize)]
pub struct PlayedGame {
    /// Its record.
    pub record: GameRecord,
    /// The logs of South and North.
    pub logs: [Bytes; 2],
    /// South's and North's evidence of a fault.
    pub evidence: Option<[SentEvidence; 2]>,
}

/// Bytes as Base64.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bytes(pub Vec<u8>);

impl From<Bytes> for String {
    fn from(bytes: Bytes) -> Self {
        BASE64.encode(bytes.0)
    }
}

impl TryFrom<String> for Bytes {
    type Error = base64::DecodeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        BASE64.decode(text).map(Self)
    }
}

/// Evidence on its way.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct SentEvidence {
    /// The chunks of the transcript: µs since the start of the process, whether the bot wrote it, and
    /// its bytes.
    chunks: Vec<(u64, bool, Bytes)>,
    /// The ids of games that the bot was told, and the indices of their first chunks.
    games: Vec<(String, usize)>,
    end: Option<ProcessEnd>,
    usage: Usage,
}

impl From<&Evidence> for SentEvidence {
    fn from(evidence: &Evidence) -> Self {
        let whole = &evidence.transcript;
        let length: usize = whole.chunks().map(|it| it.bytes.len()).sum();
        let last;
        let transcript = if length > LONG_TRANSCRIPT {
            last = whole.last_game();
            &last
        } else {
            whole
        };
        let chunks = transcript.chunks().map(|it| {
            let is_bots = it.from == Writer::Bot;
            (it.time_us, is_bots, Bytes(it.bytes.to_vec()))
        });
        let games = transcript.games();
        Self {
            chunks: chunks.collect(),
            games: games.map(|(id, first)| (id.to_owned(), first)).collect(),
            end: evidence.end,
            usage: evidence.usage,
        }
    }
}

impl From<SentEvidence> for Evidence {
    fn from(sent: SentEvidence) -> Self {
        let mut transcript = Transcript::default();
        let mut games = sent.games.into_iter().peekable();
        for (index, (time_us, is_bots, bytes)) in sent.chunks.into_iter().enumerate() {
            while let Some((id, _)) = games.next_if(|(_, first)| *first <= index) {
                transcript.begin_game(&id);
            }
            let writer = if is_bots {
                Writer::Bot
            } else {
                Writer::Referee
            };
            transcript.push(time_us, writer, &bytes.0);
        }
        games.for_each(|(id, _)| transcript.begin_game(&id));
        Self {
            transcript,
            end: sent.end,
            usage: sent.usage,
        }
    }
}

impl PlayedPair {
    /// The message, of at most so many bytes: without evidence and logs if they have no room.
    pub fn into_bytes(mut self, most: usize) -> Vec<u8> {
        let bytes = compressed(&self);
        if bytes.len() <= most {
            return bytes;
        }
        for game in &mut self.games {
            game.logs = Default::default();
            game.evidence = game.evidence.as_ref().map(|_| Default::default());
        }
        compressed(&self)
    }

    /// The pair of a message.
    ///
    /// # Errors
    /// Why it is none.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, String> {
        let read = if bytes.first() == Some(&b'{') {
            serde_json::from_slice(bytes)
        } else {
            let mut text = Vec::new();
            let mut inflated = ZlibDecoder::new(bytes).take(MOST_BYTES);
            let inflated = inflated.read_to_end(&mut text);
            inflated.map_err(|error| format!("it cannot be unpacked: {error}"))?;
            serde_json::from_slice(&text)
        };
        read.map_err(|error| format!("it is no played pair: {error}"))
    }
}

fn compressed(pair: &PlayedPair) -> Vec<u8> {
    let text = super::message::written(pair);
    if text.len() < LARGE {
        return text;
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let packed = encoder.write_all(&text).and_then(|()| encoder.finish());
    packed.expect("memory takes what is written")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sample;

    fn evidence(bytes: usize) -> Evidence {
        let mut transcript = Transcript::default();
        transcript.push(1, Writer::Referee, b"hello\n");
        for (place, game) in ["one", "two"].into_iter().enumerate() {
            transcript.begin_game(game);
            transcript.push(10 + place as u64, Writer::Referee, b"new-game\n");
            transcript.push(20 + place as u64, Writer::Bot, &vec![b'x'; bytes]);
        }
        Evidence {
            transcript,
            end: Some(ProcessEnd::Exited(7)),
            usage: Usage {
                wall_us: Some(3),
                ..Usage::default()
            },
        }
    }

    fn pair(evidence: &Evidence) -> PlayedPair {
        let game = |logs: [&[u8]; 2]| PlayedGame {
            record: sample::game("ada~bob.1.1", ["ada", "bob"], [0, 0]),
            logs: logs.map(|it| Bytes(it.to_vec())),
            evidence: Some([evidence.into(), SentEvidence::default()]),
        };
        PlayedPair {
            worker: "w".to_owned(),
            place: 3,
            games: vec![game([b"\xff\x00", b"log"]), game([b"", b""])],
        }
    }

    #[test]
    fn a_pair_arrives_as_it_was_sent() {
        for bytes in [1, 100_000] {
            let sent = evidence(bytes);
            let message = pair(&sent).into_bytes(1 << 20);
            assert_eq!(message[0] == b'{', bytes == 1);
            let came = PlayedPair::of_bytes(&message).expect("a pair");
            assert_eq!((came.worker.as_str(), came.place), ("w", 3));
            let [game, _] = came.games.try_into().expect("two games");
            assert_eq!(
                game.logs.map(|it| it.0),
                [b"\xff\x00".to_vec(), b"log".to_vec()]
            );
            let [one, other] = game.evidence.expect("evidence").map(Evidence::from);
            assert_eq!((one.end, one.usage), (sent.end, sent.usage));
            let chunks = |it: &Evidence, game: &str| {
                let chunks = it.transcript.chunks_of(game);
                let chunks = chunks.map(|it| (it.time_us, it.from, it.bytes.to_vec()));
                chunks.collect::<Vec<_>>()
            };
            assert_eq!(one.transcript.games_begun(), 2);
            assert_eq!(one.transcript.beginning_of("two"), Some(3));
            assert_eq!(chunks(&one, "two"), chunks(&sent, "two"));
            assert!(other.transcript.chunks().next().is_none());
        }
    }

    #[test]
    fn what_has_no_room_is_left_behind_and_the_games_come() {
        let noise: Vec<u8> = (0..400_000_u32)
            .flat_map(|it| it.wrapping_mul(0x9e37_79b9).to_le_bytes())
            .collect();
        let mut pair = pair(&evidence(1));
        pair.games[0].logs[0] = Bytes(noise);
        let message = pair.into_bytes(20_000);
        assert!(message.len() <= 20_000);
        let came = PlayedPair::of_bytes(&message).expect("a pair");
        assert_eq!(came.games.len(), 2);
        assert!(came.games[0].logs[0].0.is_empty() && came.games[0].evidence.is_some());
    }

    #[test]
    fn what_is_no_pair_is_refused() {
        for bytes in [&b""[..], b"{}", b"{\"worker\":1}", b"\x78\x9c", b"xyz"] {
            PlayedPair::of_bytes(bytes).unwrap_err();
        }
        // A bomb is cut off.
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        for _ in 0..200 {
            encoder.write_all(&vec![b' '; 1 << 20]).unwrap();
        }
        PlayedPair::of_bytes(&encoder.finish().unwrap()).unwrap_err();
    }
}
