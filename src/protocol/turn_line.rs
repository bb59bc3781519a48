//! The line of a turn, written digit by digit into a buffer that is used again: the referee writes
//! one for every ply, and writing it must neither allocate nor cost more than the pipe.

use super::request::{LastObject, TurnClock, TurnRequest};
use crate::rules::{PITS, Pit, PitSet, Position, Side};

/// The message `turn` for the bot of the side to move.
#[derive(Clone, Copy, Debug)]
pub struct TurnLine {
    /// Ply number in this game, from 0.
    pub turn: u32,
    /// The position, the bot to move.
    pub position: Position,
    /// The bot's legal pits, at least one.
    pub legal: PitSet,
    /// The opponent's last move, absent on the first turn of a game.
    pub last: Option<LastObject>,
    /// The rest of the clocks.
    pub clock: TurnClock,
}

impl TurnLine {
    /// The pits and the stores as the bot sees them, its own first.
    fn seen(&self) -> ([u8; PITS], [u8; 2]) {
        let side = self.position.to_move();
        let mut board = self.position.pits();
        board.rotate_left(PITS / 2 * side.index());
        let mut stores = self.position.stores();
        stores.rotate_left(side.index());
        (board, stores)
    }

    /// The message as a bot reads it.
    pub fn request(&self) -> TurnRequest {
        let (board, stores) = self.seen();
        TurnRequest {
            turn: self.turn,
            board,
            stores,
            legal: self.legal.iter().map(Pit::row_index).collect(),
            last: self.last,
            position: self.position.to_string(),
            clock: self.clock,
        }
    }

    /// Appends the message and a newline to `line`.
    pub fn write_line(&self, line: &mut Vec<u8>) {
        let (board, stores) = self.seen();
        line.extend_from_slice(b"{\"type\":\"turn\",\"turn\":");
        push_number(line, self.turn.into());
        line.extend_from_slice(b",\"board\":[");
        push_list(line, board, b',');
        line.extend_from_slice(b"],\"stores\":[");
        push_list(line, stores, b',');
        line.extend_from_slice(b"],\"legal\":[");
        push_list(line, self.legal.iter().map(Pit::row_index), b',');
        line.push(b']');
        if let Some(last) = self.last {
            line.extend_from_slice(b",\"last\":{\"pit\":");
            push_number(line, last.pit.into());
            line.extend_from_slice(b",\"captured\":");
            push_number(line, last.captured.into());
            line.push(b'}');
        }
        line.extend_from_slice(b",\"position\":\"");
        push_position(line, self.position);
        line.extend_from_slice(b"\",\"clock\":{");
        push_clock(line, &self.clock);
        line.extend_from_slice(b"}}\n");
    }
}

/// The text of a position, as `Display` writes it.
fn push_position(line: &mut Vec<u8>, position: Position) {
    push_list(line, position.pits(), b'-');
    line.push(b'-');
    push_list(line, position.stores(), b'-');
    line.extend_from_slice(match position.to_move() {
        Side::South => b"-S",
        Side::North => b"-N",
    });
}

/// The fields that are configured, each a whole number of ms.
fn push_clock(line: &mut Vec<u8>, clock: &TurnClock) {
    let fields = [
        ("\"move_ms\":", clock.move_ms),
        ("\"own_ms\":", clock.own_ms),
        ("\"opponent_ms\":", clock.opponent_ms),
        ("\"increment_ms\":", clock.increment_ms),
    ];
    let mut is_first = true;
    for (name, ms) in fields {
        if let Some(ms) = ms {
            if !is_first {
                line.push(b',');
            }
            is_first = false;
            line.extend_from_slice(name.as_bytes());
            push_number(line, ms);
        }
    }
}

fn push_list(line: &mut Vec<u8>, numbers: impl IntoIterator<Item = u8>, separator: u8) {
    for (place, number) in numbers.into_iter().enumerate() {
        if place > 0 {
            line.push(separator);
        }
        push_number(line, number.into());
    }
}

fn push_number(line: &mut Vec<u8>, number: u64) {
    const MOST_DIGITS: usize = 20;
    let mut digits = [0; MOST_DIGITS];
    let mut first = MOST_DIGITS;
    let mut rest = number;
    loop {
        first -= 1;
        digits[first] = b"0123456789"[usize::try_from(rest % 10).expect("a digit")];
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[first..]);
}

#[cfg(test)]
mod tests {
    use super::super::{Request, TurnRequest};
    use super::*;
    use crate::rules::{Preset, RuleSet};
    use proptest::prelude::*;

    fn text(line: &TurnLine) -> String {
        let mut bytes = Vec::new();
        line.write_line(&mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_turn_is_written_as_documented() {
        let turn = TurnLine {
            turn: 0,
            position: Position::START,
            legal: RuleSet::default().legal_moves(Position::START),
            last: None,
            clock: TurnClock {
                move_ms: Some(100),
                ..TurnClock::default()
            },
        };
        assert_eq!(
            text(&turn),
            "{\"type\":\"turn\",\"turn\":0,\"board\":[4,4,4,4,4,4,4,4,4,4,4,4],\"stores\":[0,0],\
             \"legal\":[0,1,2,3,4,5],\"position\":\"4-4-4-4-4-4-4-4-4-4-4-4-0-0-S\",\
             \"clock\":{\"move_ms\":100}}\n"
        );
    }

    fn positions() -> impl Strategy<Value = Position> {
        let seeds = proptest::collection::vec(0..12_usize, 0..48);
        (seeds, any::<bool>(), 0..25_u8).prop_map(|(places, is_north, store)| {
            let mut pits = [0; PITS];
            for &place in &places {
                pits[place] += 1;
            }
            let left = 48 - u8::try_from(places.len()).unwrap();
            let own = store.min(left);
            let side = if is_north { Side::North } else { Side::South };
            Position::new(pits, [own, left - own], side).unwrap()
        })
    }

    proptest! {
        /// Bots read the line with a JSON parser: it must find every value in its place.
        #[test]
        fn a_parser_reads_what_was_written(
            position in positions(),
            turn in any::<u32>(),
            last in proptest::option::of((0..6_u8, 0..48_u8)),
            times in proptest::array::uniform4(proptest::option::of(any::<u64>())),
        ) {
            let legal = Preset::Awale.rules().legal_moves(position);
            let [move_ms, own_ms, opponent_ms, increment_ms] = times;
            let clock = TurnClock { move_ms, own_ms, opponent_ms, increment_ms };
            let last = last.map(|(pit, captured)| LastObject { pit, captured });
            let line = TurnLine { turn, position, legal, last, clock };
            let written = text(&line);
            let (own, other) = match position.to_move() {
                Side::South => (0, 1),
                Side::North => (1, 0),
            };
            let pits = position.pits();
            let stores = position.stores();
            let mut board = [0; PITS];
            for place in 0..PITS {
                board[place] = pits[(place + 6 * own) % PITS];
            }
            let expected = TurnRequest {
                turn,
                board,
                stores: [stores[own], stores[other]],
                legal: legal.iter().map(Pit::row_index).collect(),
                last,
                position: position.to_string(),
                clock,
            };
            prop_assert_eq!(&line.request(), &expected);
            prop_assert_eq!(Request::parse(&written).unwrap(), Request::Turn(expected.clone()));
            let mut by_serde = Vec::new();
            Request::Turn(expected).write_line(&mut by_serde);
            prop_assert_eq!(written.into_bytes(), by_serde);
        }
    }
}
