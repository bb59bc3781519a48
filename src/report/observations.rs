//! The names of observations: openings where those are known, otherwise pairs, otherwise games.

/// The kinds of clusters in a set of games; one flag for each kind that occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observations {
    /// Games whose opening is known.
    pub openings: bool,
    /// Games without a known opening, but with a pair.
    pub pairs: bool,
    /// Games without either.
    pub games: bool,
}

impl Observations {
    /// The kind in every run: each of its games has an opening.
    pub const OPENINGS: Self = Self {
        openings: true,
        pairs: false,
        games: false,
    };

    /// For example `opening`, or `opening or game`.
    pub(super) fn one(self) -> String {
        self.words(["opening", "pair", "game"], "or")
    }

    /// For example `openings`, or `openings and games`.
    pub(super) fn several(self) -> String {
        self.words(["openings", "pairs", "games"], "and")
    }

    /// For example `1 opening`, or `12 pairs and games`.
    pub(super) fn count(self, count: u64) -> String {
        if count == 1 {
            format!("1 {}", self.one())
        } else {
            format!("{count} {}", self.several())
        }
    }

    /// The end of a sentence about margins: what counts as one observation.
    pub(super) fn counted_once(self) -> &'static str {
        match self {
            Self {
                openings: false,
                pairs: false,
                ..
            } => ".",
            Self { openings: true, .. } => "; games from one opening count as one observation.",
            Self { pairs: true, .. } => "; the games of one pair count as one observation.",
        }
    }

    fn words(self, words: [&str; 3], joint: &str) -> String {
        let occurs = [self.openings, self.pairs, self.games];
        let occurring = words.iter().zip(occurs).filter(|(_, occurs)| *occurs);
        match *occurring.map(|(word, _)| *word).collect::<Vec<_>>() {
            // Without games the name does not matter.
            [] => words[0].to_owned(),
            [one] => one.to_owned(),
            [one, other] => format!("{one} {joint} {other}"),
            _ => format!("{}, {} {joint} {}", words[0], words[1], words[2]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_have_their_names() {
        for ([openings, pairs, games], one, twelve) in [
            ([true, false, false], "1 opening", "12 openings"),
            ([false, true, false], "1 pair", "12 pairs"),
            ([false, false, true], "1 game", "12 games"),
            (
                [true, false, true],
                "1 opening or game",
                "12 openings and games",
            ),
            (
                [true, true, true],
                "1 opening, pair or game",
                "12 openings, pairs and games",
            ),
        ] {
            let observations = Observations {
                openings,
                pairs,
                games,
            };
            assert_eq!(observations.count(1), one);
            assert_eq!(observations.count(12), twelve);
        }
        assert_eq!(Observations::OPENINGS.count(0), "0 openings");
        assert_eq!(Observations::default().count(0), "0 openings");
    }
}
