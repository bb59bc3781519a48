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
        let mut board = self.position.pits();
        let mut stores = self.position.stores();
        if self.position.to_move() == Side::North {
            let (south, north) = board.split_at_mut(PITS / 2);
            south.swap_with_slice(north);
            stores.swap(0, 1);
        }
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
        let mut text = LineText::new();
        text.push(b"{\"type\":\"turn\",\"turn\":");
        text.push_number(self.turn.into());
        text.push(b",\"board\":[");
        text.push_list(board, &WITH_COMMA);
        text.push(b"],\"stores\":[");
        text.push_list(stores, &WITH_COMMA);
        text.push(b"],\"legal\":[");
        text.push_list(self.legal.iter().map(Pit::row_index), &WITH_COMMA);
        text.push(b"]");
        if let Some(last) = self.last {
            text.push(b",\"last\":{\"pit\":");
            text.push_number(last.pit.into());
            text.push(b",\"captured\":");
            text.push_number(last.captured.into());
            text.push(b"}");
        }
        text.push(b",\"position\":\"");
        text.push_position(self.position);
        text.push(b"\",\"clock\":{");
        text.push_clock(&self.clock);
        text.push(b"}}\n");
        line.extend_from_slice(text.bytes());
    }
}

/// A number with a separator after it.
#[derive(Clone, Copy)]
struct NumberText {
    text: [u8; 4],
    /// The length of both, in bytes.
    length: usize,
}

/// The texts of all numbers of a byte.
type NumberTexts = [NumberText; 256];

static WITH_COMMA: NumberTexts = number_texts(b',');
static WITH_DASH: NumberTexts = number_texts(b'-');

/// Computed by the compiler: for the pits of a board, divisions would take as long as all else.
const fn number_texts(separator: u8) -> NumberTexts {
    let mut texts = [NumberText {
        text: [separator; 4],
        length: 1,
    }; 256];
    let mut number = 0;
    while number < texts.len() {
        let text = &mut texts[number];
        let mut divisor = 100;
        while divisor > 0 {
            // No zeros at the front.
            if number >= divisor || divisor == 1 {
                text.text[text.length - 1] = b"0123456789"[number / divisor % 10];
                text.length += 1;
            }
            divisor /= 10;
        }
        number += 1;
    }
    texts
}

/// The text of a line while it is written. It is always shorter than its array: 160 bytes of names
/// and signs, 12 pits and 2 stores twice, 6 legal pits, and at most 7 longer numbers of 20 digits.
struct LineText {
    text: [u8; 512],
    length: usize,
}

impl LineText {
    const fn new() -> Self {
        Self {
            text: [0; 512],
            length: 0,
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.text[..self.length]
    }

    #[inline]
    fn push<const N: usize>(&mut self, bytes: &[u8; N]) {
        self.text[self.length..self.length + N].copy_from_slice(bytes);
        self.length += N;
    }

    /// The text of a position, as `Display` writes it.
    fn push_position(&mut self, position: Position) {
        self.push_list(position.pits(), &WITH_DASH);
        self.push(b"-");
        self.push_list(position.stores(), &WITH_DASH);
        self.push(match position.to_move() {
            Side::South => b"-S",
            Side::North => b"-N",
        });
    }

    /// The fields that are configured, each a whole number.
    fn push_clock(&mut self, clock: &TurnClock) {
        self.push_field(b"\"move_ms\":", clock.move_ms);
        self.push_field(b"\"own_ms\":", clock.own_ms);
        self.push_field(b"\"opponent_ms\":", clock.opponent_ms);
        self.push_field(b"\"increment_ms\":", clock.increment_ms);
        self.push_field(b"\"nodes\":", clock.nodes);
    }

    fn push_field<const N: usize>(&mut self, name: &[u8; N], number: Option<u64>) {
        let Some(number) = number else { return };
        if self.bytes().last() != Some(&b'{') {
            self.push(b",");
        }
        self.push(name);
        self.push_number(number);
    }

    #[inline]
    fn push_list(&mut self, numbers: impl IntoIterator<Item = u8>, texts: &NumberTexts) {
        let mut end = self.length;
        for number in numbers {
            let NumberText { text, length } = texts[usize::from(number)];
            self.text[end..end + text.len()].copy_from_slice(&text);
            end += length;
        }
        // The separator after the last number is overwritten.
        self.length = end - usize::from(end > self.length);
    }

    fn push_number(&mut self, number: u64) {
        let digits = number.checked_ilog10().unwrap_or(0) + 1;
        self.length += digits as usize;
        let mut rest = number;
        for place in 1..=digits as usize {
            self.text[self.length - place] = b"0123456789"[(rest % 10) as usize];
            rest /= 10;
        }
    }
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
            numbers in proptest::array::uniform5(proptest::option::of(any::<u64>())),
        ) {
            let legal = Preset::Awale.rules().legal_moves(position);
            let [move_ms, own_ms, opponent_ms, increment_ms, nodes] = numbers;
            let clock = TurnClock { move_ms, own_ms, opponent_ms, increment_ms, nodes };
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
