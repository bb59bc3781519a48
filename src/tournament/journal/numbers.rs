//! A list of numbers in a line, one for each ply.

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// More plies than nearly all games have. A list that grows while it is read is copied several
/// times, and there are two lists in each line.
const PLIES: usize = 128;

/// A list of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers<T>(pub Vec<T>);

impl<T: Serialize> Serialize for Numbers<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Numbers<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(NumbersVisitor(PhantomData))
    }
}

struct NumbersVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NumbersVisitor<T> {
    type Value = Numbers<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut numbers = Vec::with_capacity(PLIES);
        while let Some(number) = list.next_element()? {
            numbers.push(number);
        }
        Ok(Numbers(numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_any_length_is_read_and_written_as_any_other() {
        for count in [0, 1, PLIES, 3 * PLIES] {
            let list: Vec<Option<u64>> = (0..count as u64).map(|n| (n != 7).then_some(n)).collect();
            let text = serde_json::to_string(&list).unwrap();
            let numbers: Numbers<Option<u64>> = serde_json::from_str(&text).unwrap();
            assert_eq!(numbers.0, list);
            assert_eq!(serde_json::to_string(&numbers).unwrap(), text);
        }
        for text in ["7", "[-1]", "[1.5]", "[\"1\"]", "{}", "[1"] {
            let plain = serde_json::from_str::<Vec<u64>>(text)
                .unwrap_err()
                .to_string();
            let read = serde_json::from_str::<Numbers<u64>>(text)
                .unwrap_err()
                .to_string();
            assert_eq!(read, plain);
        }
    }
}
