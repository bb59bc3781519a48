//! The number of faults after which an entrant is withdrawn.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The limits of faults. Exceeding either one withdraws the entrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct MaxFaults {
    /// The number of faults with which it is withdrawn.
    pub count: Option<u32>,
    /// The share of its games lost by faults above which it is withdrawn.
    pub share: Option<MaxShare>,
}

/// A share of an entrant's games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct MaxShare {
    /// The share in hundredths of a percent: 1000 is 10 %.
    pub hundredths: u32,
    /// The number of counted games from which on the share applies.
    pub after: u32,
}

impl MaxFaults {
    /// Whether an entrant with these faults in these games is withdrawn.
    pub fn withdraws(&self, faults: u32, games: u32) -> bool {
        let by_count = self.count.is_some_and(|count| faults >= count);
        let by_share = self.share.is_some_and(|share| {
            games >= share.after
                && 10_000 * u64::from(faults) > u64::from(share.hundredths) * u64::from(games)
        });
        by_count || by_share
    }
}

/// For example `10 faults, or over 10 % of 50 games or more`.
impl fmt::Display for MaxFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(count) = self.count {
            write!(f, "{count} faults")?;
        }
        if let Some(share) = self.share {
            let either = if self.count.is_some() { ", or " } else { "" };
            let (whole, part) = (share.hundredths / 100, share.hundredths % 100);
            let part = match part {
                0 => String::new(),
                part => format!(".{part:02}"),
            };
            write!(
                f,
                "{either}over {whole}{part} % of {} games or more",
                share.after
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entrant_is_withdrawn_at_the_limit_and_not_before() {
        let share = MaxShare {
            hundredths: 1000,
            after: 50,
        };
        let both = MaxFaults {
            count: Some(10),
            share: Some(share),
        };
        let count = MaxFaults {
            share: None,
            ..both
        };
        let share = MaxFaults {
            count: None,
            ..both
        };
        for (limit, faults, games, withdrawn) in [
            (both, 9, 49, false),
            (both, 10, 10, true),
            (both, 5, 50, false),
            (both, 6, 50, true),
            (both, 6, 59, true),
            (both, 6, 60, false),
            (count, 9, 60, false),
            (count, 10, 1_000_000, true),
            (share, 40, 49, false),
            (share, 100, 1000, false),
            (share, 101, 1000, true),
            (share, 500_000_000, 4_000_000_000, true),
        ] {
            assert_eq!(
                limit.withdraws(faults, games),
                withdrawn,
                "{limit}: {faults} of {games}"
            );
        }
        assert_eq!(
            both.to_string(),
            "10 faults, or over 10 % of 50 games or more"
        );
    }
}
