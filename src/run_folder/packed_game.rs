//! The summary of a game in about 100 bytes: all but its id and the names of its entrants, which
//! many games share.
//!
//! ```text
//! number   7 bits a byte, low ones first; the high bit says that another byte follows
//! option   0, or the number plus 1
//! moves    their number, then two pits a byte
//! ```

use crate::record::{Fault, FaultKind, GameEnding, GameId, GameSummary, MoveTimes, Void};
use crate::rules::{EndReason, PITS, Pit, Position, Side};

/// Appends the packed form of a summary.
pub fn pack(game: &GameSummary, bytes: &mut Vec<u8>) {
    // All fields are named, so that a new one cannot be forgotten here.
    let GameSummary {
        id: _,
        attempt,
        entrants: _,
        opening,
        opening_moves,
        start,
        moves,
        times,
        cpu_times,
        preempted_us,
        ending,
        stores,
        ready_us,
        lateness_us,
        off_turn_us,
        content,
        fingerprint,
    } = game;
    let mut packed = Packer(bytes);
    packed.number(u128::from(*attempt));
    packed.number(u128::from(*opening));
    packed.moves(opening_moves);
    packed.position(*start);
    packed.moves(moves);
    for times in times.iter().chain(cpu_times) {
        packed.times(times);
    }
    for time in preempted_us {
        packed.number(*time);
    }
    packed.ending(ending);
    packed.0.extend_from_slice(stores);
    for time in ready_us.iter().chain(off_turn_us).chain([lateness_us]) {
        packed.option(*time);
    }
    packed.0.extend_from_slice(&content.to_le_bytes());
    packed.0.extend_from_slice(&fingerprint.to_le_bytes());
}

/// The summary of the game with this id, between entrants of these names, from the beginning of
/// `bytes`.
///
/// # Panics
/// These are not the bytes of a packed game.
pub fn unpack(bytes: &[u8], id: GameId, entrants: [String; 2]) -> GameSummary {
    let mut packed = Unpacker(bytes);
    // Fields are read in the order in which they stand here.
    GameSummary {
        id,
        attempt: packed.u32(),
        entrants,
        opening: packed.u32(),
        opening_moves: packed.moves(),
        start: packed.position(),
        moves: packed.moves(),
        times: [packed.times(), packed.times()],
        cpu_times: [packed.times(), packed.times()],
        preempted_us: [packed.number(), packed.number()],
        ending: packed.ending(),
        stores: packed.bytes(),
        ready_us: [packed.option(), packed.option()],
        off_turn_us: [packed.option(), packed.option()],
        lateness_us: packed.option(),
        content: u64::from_le_bytes(packed.bytes()),
        fingerprint: u64::from_le_bytes(packed.bytes()),
    }
}

struct Packer<'a>(&'a mut Vec<u8>);

impl Packer<'_> {
    fn number(&mut self, mut number: u128) {
        while number >= 0x80 {
            self.0.push(low_byte(number) | 0x80);
            number >>= 7;
        }
        self.0.push(low_byte(number));
    }

    fn option(&mut self, number: Option<u64>) {
        self.number(number.map_or(0, |it| u128::from(it) + 1));
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u128);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn side(&mut self, side: Option<Side>) {
        self.option(side.map(|side| side.index() as u64));
    }

    fn moves(&mut self, moves: &[Pit]) {
        self.number(moves.len() as u128);
        let nibble = |pit: &Pit| low_byte(pit.index() as u128);
        let bytes = moves.chunks(2).map(|two| match two {
            [one, other] => nibble(one) | nibble(other) << 4,
            rest => rest.first().map_or(0, nibble),
        });
        self.0.extend(bytes);
    }

    fn position(&mut self, position: Position) {
        self.0.extend_from_slice(&position.pits());
        self.0.extend_from_slice(&position.stores());
        self.side(Some(position.to_move()));
    }

    fn times(&mut self, times: &MoveTimes) {
        self.number(u128::from(times.moves()));
        self.number(times.total_us());
        self.option(times.max_us());
    }

    fn ending(&mut self, ending: &GameEnding) {
        match ending {
            GameEnding::Rules(reason) => {
                let known = EndReason::ALL.iter().position(|it| it == reason);
                self.0.push(b'r');
                self.number(known.expect("ALL has every reason") as u128);
            }
            GameEnding::Adjudicated => self.0.push(b'a'),
            GameEnding::Resignation(side) => {
                self.0.push(b's');
                self.side(Some(*side));
            }
            GameEnding::Fault(side, fault) => {
                let known = FaultKind::ALL.iter().position(|it| *it == fault.kind);
                self.0.push(b'f');
                self.side(Some(*side));
                self.number(known.expect("ALL has every kind") as u128);
                self.text(&fault.detail);
            }
            GameEnding::Void(void) => {
                self.0.push(b'v');
                self.side(void.on_turn);
                self.text(&void.cause);
            }
        }
    }
}

const fn low_byte(number: u128) -> u8 {
    (number & 0xff) as u8
}

struct Unpacker<'a>(&'a [u8]);

/// The message of a panic: only what was packed is unpacked.
const BROKEN: &str = "a packed game";

impl Unpacker<'_> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let (bytes, rest) = self.0.split_first_chunk().expect(BROKEN);
        self.0 = rest;
        *bytes
    }

    fn number(&mut self) -> u128 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let [byte] = self.bytes();
            number |= u128::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }

    fn u64(&mut self) -> u64 {
        u64::try_from(self.number()).expect(BROKEN)
    }

    fn u32(&mut self) -> u32 {
        u32::try_from(self.number()).expect(BROKEN)
    }

    fn index(&mut self) -> usize {
        usize::try_from(self.number()).expect(BROKEN)
    }

    fn option(&mut self) -> Option<u64> {
        let number = self.number().checked_sub(1)?;
        Some(u64::try_from(number).expect(BROKEN))
    }

    fn text(&mut self) -> String {
        let length = self.index();
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        str::from_utf8(text).expect(BROKEN).to_owned()
    }

    fn side(&mut self) -> Option<Side> {
        let index = usize::try_from(self.option()?).expect(BROKEN);
        Some(Side::BOTH[index])
    }

    fn known_side(&mut self) -> Side {
        self.side().expect(BROKEN)
    }

    fn moves(&mut self) -> Vec<Pit> {
        let count = self.index();
        let (bytes, rest) = self.0.split_at(count.div_ceil(2));
        self.0 = rest;
        let nibbles = bytes.iter().flat_map(|byte| [byte & 15, byte >> 4]);
        let pits = nibbles.map(|index| Pit::new(index).expect(BROKEN));
        pits.take(count).collect()
    }

    fn position(&mut self) -> Position {
        let pits: [u8; PITS] = self.bytes();
        let stores = self.bytes();
        Position::new(pits, stores, self.known_side()).expect(BROKEN)
    }

    fn times(&mut self) -> MoveTimes {
        MoveTimes::of_sums(self.u64(), self.number(), self.option())
    }

    fn ending(&mut self) -> GameEnding {
        match self.bytes() {
            [b'r'] => GameEnding::Rules(EndReason::ALL[self.index()]),
            [b'a'] => GameEnding::Adjudicated,
            [b's'] => GameEnding::Resignation(self.known_side()),
            [b'f'] => {
                let side = self.known_side();
                let kind = FaultKind::ALL[self.index()];
                GameEnding::Fault(side, Fault::new(kind, self.text()))
            }
            [b'v'] => {
                let on_turn = self.side();
                let cause = self.text();
                GameEnding::Void(Void {
                    cause,
                    on_turn,
                    ..Void::default()
                })
            }
            other => unreachable!("{BROKEN} does not end with {other:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameRecord, PlyRecord};
    use proptest::option::of;
    use proptest::prelude::*;

    fn ending() -> impl Strategy<Value = GameEnding> {
        let side = || prop_oneof![Just(Side::South), Just(Side::North)];
        let reason = prop::sample::select(&EndReason::ALL[..]);
        let fault = (prop::sample::select(&FaultKind::ALL[..]), ".{0,9}");
        prop_oneof![
            reason.prop_map(GameEnding::Rules),
            Just(GameEnding::Adjudicated),
            side().prop_map(GameEnding::Resignation),
            (side(), fault).prop_map(|(side, (kind, detail))| {
                GameEnding::Fault(side, Fault::new(kind, detail))
            }),
            ("\\PC{0,300}", of(side())).prop_map(|(cause, on_turn)| {
                GameEnding::Void(Void {
                    on_turn,
                    ..Void::new(cause)
                })
            }),
        ]
    }

    prop_compose! {
        /// Numbers of all lengths.
        fn number()(bits in 0..=64_u32, all in any::<u64>()) -> u64 {
            all.checked_shr(64 - bits).unwrap_or(0)
        }
    }

    prop_compose! {
        fn ply()(index in 0..12_u8, time_us in number(), cpu_us in of(number()), held in number())
            -> PlyRecord
        {
            PlyRecord {
                pit: Pit::new(index).unwrap(),
                time_us,
                cpu_us,
                preempted_us: held,
                info: None,
            }
        }
    }

    prop_compose! {
        fn record()(
            (attempt, opening) in any::<(u32, u32)>(),
            plies in prop::collection::vec(ply(), 0..20),
            odd in any::<bool>(),
            ending in ending(),
            stores in any::<[u8; 2]>(),
            ready_us in [of(number()), of(number())],
            off_turn_us in [of(number()), of(number())],
            short_cpu_us in [of(number()), of(number())],
            lateness_us in of(number()),
        ) -> GameRecord {
            let pits = [0, 48, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            let strange = Position::new(pits, [0; 2], Side::North).unwrap();
            GameRecord {
                id: "ada~bob.7.2".parse().unwrap(),
                attempt,
                entrants: ["ada".to_owned(), String::new()],
                opening,
                opening_moves: plies.iter().take(3).map(|ply| ply.pit).collect(),
                start: if odd { strange } else { Position::START },
                plies,
                ending,
                stores,
                ready_us,
                lateness_us,
                off_turn_us,
                short_cpu_us,
                introductions: Default::default(),
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn what_is_packed_is_unpacked(record in record(), more in any::<[u8; 3]>()) {
            let game = GameSummary::of(&record);
            let mut bytes = Vec::new();
            pack(&game, &mut bytes);
            bytes.extend(more);
            let again = unpack(&bytes, game.id.clone(), game.entrants.clone());
            prop_assert_eq!(again, game);
        }
    }
}
