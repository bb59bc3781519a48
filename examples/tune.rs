//! Fits the weights of `minimax` to recorded games and writes them as a file of
//! `src/engine/weights/` to stdout; `scripts/tune-minimax` makes the games and calls it.
//!
//! ```text
//! cargo run --release --example tune -- chain games.jsonl …  > src/engine/weights/chain.bin
//! ```
//! Each game file is the journal of a run in which every bot told the score of its search. A
//! position's target is the probability to win, as the searches and the result saw it from there
//! on: a share of the score of the search at this position, the rest from the target of the next.
//! Scores become probabilities by a logistic curve whose width is fitted for each phase of the
//! game. Positions whose move captures are left out (the search plays captures out before it asks
//! for an estimate), and so are those whose result was certain.
//!
//! The fit is logistic: the network's value, divided by a constant, is the log-odds of a win. Adam,
//! small batches, the same random numbers every time: the same games give the same weights.

use awale::engine::tuning::{FEATURES, LANES, LOGISTIC_SCALE, ROWS, UNIT, features};
use awale::rules::{Capture, Game, Pit, Position, Preset};
use serde::Deserialize;
use serde_json::Value;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};

/// The share of the next position's target in that of a position.
const LAMBDA: f32 = 0.85;
/// Passes over all positions.
const EPOCHS: usize = 24;
const BATCH: usize = 1024;
/// The step at the beginning; it falls to a hundredth of that.
const STEP: f32 = 2e-3;
/// One game in so many is not fitted, but tells how good the fit is.
const HELD_OUT: usize = 20;
/// Phases of a game, by seeds on the board.
const PHASES: usize = 7;

/// A position to be fitted.
struct Sample {
    rows: [u16; FEATURES],
    target: f32,
}

/// A ply of a recorded game, as its mover saw it.
struct Ply {
    position: Position,
    captured: u8,
    /// In seeds, if the search told it.
    score: Option<f32>,
}

/// A recorded game.
struct Record {
    capture: Capture,
    plies: Vec<Ply>,
    /// 1, ½ or 0 for South.
    south: f32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let capture = match arguments.next().as_deref() {
        Some("chain") => Capture::Chain,
        Some("last-pit") => Capture::LastPit,
        _ => return Err("usage: tune chain|last-pit games.jsonl …".into()),
    };
    let mut records = Vec::new();
    for path in arguments {
        read(&path, &mut records).map_err(|error| format!("{path}: {error}"))?;
    }
    records.retain(|record| record.capture == capture);
    let widths = widths(&records);
    eprintln!(
        "{} games; widths of the curve, in seeds: {widths:.2?}",
        records.len()
    );
    let network = fit(&records, &widths);
    io::stdout().write_all(&bytes(&network))?;
    Ok(())
}

/// Reads the games of a journal.
fn read(path: &str, records: &mut Vec<Record>) -> Result<(), Box<dyn Error>> {
    let mut rules = None;
    for line in BufReader::new(File::open(path)?).lines() {
        let line: Value = serde_json::from_str(&line?)?;
        if line["kind"] == "plan" {
            // Journals of format 2, the first that version 1 of minimax played, name it otherwise.
            let name = &line["plan"]["tournament"]["rules"];
            let name = name
                .as_str()
                .or(line["identity"]["tournament.rules"].as_str());
            rules = Preset::ALL
                .into_iter()
                .find(|preset| name == Some(preset.name()));
        }
        if line["kind"] == "game" {
            let preset = rules.ok_or("a game before the plan, or unknown rules")?;
            records.extend(record(preset, &line));
        }
    }
    Ok(())
}

/// A game that the rules have ended.
fn record(preset: Preset, line: &Value) -> Option<Record> {
    let rules = preset.rules();
    let mut game = Game::new(rules, line["start"].as_str()?.parse().ok()?);
    let mut plies = Vec::new();
    for (ply, letter) in line["moves"].as_str()?.chars().enumerate() {
        let position = game.position();
        let captured = game.play(Pit::from_letter(letter)?).ok()?.captured;
        let score = &line["infos"][ply.to_string()]["score"];
        let score = Deserialize::deserialize(score).ok();
        plies.push(Ply {
            position,
            captured,
            score,
        });
    }
    let [south, north] = game.ending()?.stores;
    let south = match south.cmp(&north) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    Some(Record {
        capture: rules.capture,
        plies,
        south,
    })
}

fn phase(position: Position) -> usize {
    usize::from(position.seeds_on_board()) * PHASES / 49
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// For each phase the seeds by which a score must rise to multiply the odds of a win by e: of a
/// range of widths the one under which the results are likeliest.
fn widths(records: &[Record]) -> [f32; PHASES] {
    let candidates: Vec<f32> = (2..40).map(|half| half as f32 / 2.0).collect();
    let mut losses = vec![[0.0_f64; PHASES]; candidates.len()];
    for record in records {
        for ply in &record.plies {
            let Some(score) = ply.score.filter(|score| score.abs() < 47.0) else {
                continue;
            };
            let won = for_mover(record.south, ply.position);
            for (losses, width) in losses.iter_mut().zip(&candidates) {
                losses[phase(ply.position)] += f64::from(cross_entropy(score / width, won));
            }
        }
    }
    std::array::from_fn(|phase| {
        let best =
            (0..candidates.len()).min_by(|&a, &b| losses[a][phase].total_cmp(&losses[b][phase]));
        best.map_or(1.0, |best| candidates[best])
    })
}

/// A probability of South as one of the side to move.
fn for_mover(south: f32, position: Position) -> f32 {
    if position.to_move().index() == 0 {
        south
    } else {
        1.0 - south
    }
}

/// Of log-odds, where `won` is the truth.
fn cross_entropy(odds: f32, won: f32) -> f32 {
    // ln(1 + e^odds) without overflow.
    odds.max(0.0) + (-odds.abs()).exp().ln_1p() - won * odds
}

/// The positions of a game and their targets.
fn samples(record: &Record, widths: &[f32; PHASES], out: &mut Vec<Sample>) {
    let mut south = record.south;
    for ply in record.plies.iter().rev() {
        let Some(score) = ply.score else { continue };
        let is_certain = score.abs() >= 47.0;
        let seen = if is_certain {
            f32::from(score > 0.0)
        } else {
            sigmoid(score / widths[phase(ply.position)])
        };
        let seen = for_mover(seen, ply.position);
        south = (1.0 - LAMBDA) * seen + LAMBDA * south;
        if !is_certain && ply.captured == 0 {
            let rows = features(record.capture, ply.position);
            out.push(Sample {
                rows: rows.map(|row| u16::try_from(row).expect("some hundred rows")),
                target: for_mover(south, ply.position),
            });
        }
    }
}

/// All weights in one row: of the features, of the start, of the units.
struct Weights(Vec<f32>);

const START: usize = ROWS * LANES;
const WORTHS: usize = START + LANES;
const COUNT: usize = WORTHS + LANES;

impl Weights {
    fn random(dice: &mut Dice) -> Self {
        let mut weights = vec![0.0; COUNT];
        for (index, weight) in weights.iter_mut().enumerate() {
            *weight = match (index % LANES, index < WORTHS) {
                // What a feature is worth on its own begins with nothing.
                (0, _) => 0.0,
                (_, true) => (dice.uniform() - 0.5) * 0.2,
                (_, false) => (dice.uniform() - 0.5) * 2.0,
            };
            if (START..WORTHS).contains(&index) && index % LANES > 0 {
                *weight = 0.5;
            }
        }
        Self(weights)
    }

    /// The sums of a sample's rows.
    fn sums(&self, sample: &Sample) -> [f32; LANES] {
        let mut sums: [f32; LANES] = self.0[START..WORTHS].try_into().expect("a row");
        for &row in &sample.rows {
            let row = &self.0[usize::from(row) * LANES..][..LANES];
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, weight)| *sum += weight);
        }
        sums
    }

    /// The log-odds of a win.
    fn odds(&self, sums: &[f32; LANES]) -> f32 {
        let units = sums.iter().zip(&self.0[WORTHS..]).skip(1);
        sums[0]
            + units
                .map(|(sum, worth)| sum.clamp(0.0, 1.0) * worth)
                .sum::<f32>()
    }

    /// Adds what one sample says about the direction of the fit.
    fn add_gradient(&self, sample: &Sample, gradient: &mut [f32]) {
        let sums = self.sums(sample);
        let error = sigmoid(self.odds(&sums)) - sample.target;
        let mut of_sums = [error; LANES];
        for lane in 1..LANES {
            gradient[WORTHS + lane] += error * sums[lane].clamp(0.0, 1.0);
            let is_free = sums[lane] > 0.0 && sums[lane] < 1.0;
            of_sums[lane] = if is_free {
                error * self.0[WORTHS + lane]
            } else {
                0.0
            };
        }
        let rows = sample.rows.iter().map(|&row| usize::from(row) * LANES);
        for row in rows.chain([START]) {
            let row = &mut gradient[row..][..LANES];
            row.iter_mut()
                .zip(of_sums)
                .for_each(|(sum, part)| *sum += part);
        }
    }
}

/// A stream of random numbers that is the same every time (xorshift64*).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn uniform(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u32 << 24) as f32
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = (self.next() >> 11) as usize % (last + 1);
            items.swap(last, other);
        }
    }
}

/// Adam (Kingma and Ba, 2015): the moments of each weight's gradient.
struct Adam {
    first: Vec<f32>,
    second: Vec<f32>,
    steps: i32,
}

impl Adam {
    const KEEP: [f32; 2] = [0.9, 0.999];

    fn step(&mut self, weights: &mut [f32], gradient: &[f32], size: f32) {
        self.steps += 1;
        let [a, b] = Self::KEEP;
        let [whole_a, whole_b] = [a, b].map(|keep| 1.0 - keep.powi(self.steps));
        for (index, &gradient) in gradient.iter().enumerate() {
            let first = &mut self.first[index];
            let second = &mut self.second[index];
            *first = a * *first + (1.0 - a) * gradient;
            *second = b * *second + (1.0 - b) * gradient * gradient;
            weights[index] -= size * (*first / whole_a) / ((*second / whole_b).sqrt() + 1e-8);
        }
    }
}

fn fit(records: &[Record], widths: &[f32; PHASES]) -> Weights {
    let (mut fitted, mut held_out) = (Vec::new(), Vec::new());
    for (number, record) in records.iter().enumerate() {
        let out = if number % HELD_OUT == 0 {
            &mut held_out
        } else {
            &mut fitted
        };
        samples(record, widths, out);
    }
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut weights = Weights::random(&mut dice);
    let mut adam = Adam {
        first: vec![0.0; COUNT],
        second: vec![0.0; COUNT],
        steps: 0,
    };
    for epoch in 0..EPOCHS {
        dice.shuffle(&mut fitted);
        let size = STEP * 0.01_f32.powf(epoch as f32 / EPOCHS as f32);
        for batch in fitted.chunks(BATCH) {
            let mut gradient = vec![0.0; COUNT];
            for sample in batch {
                weights.add_gradient(sample, &mut gradient);
            }
            for part in &mut gradient {
                *part /= batch.len() as f32;
            }
            adam.step(&mut weights.0, &gradient, size);
        }
        if (epoch + 1) % 4 == 0 {
            eprintln!(
                "epoch {}: loss {:.5} of {} positions, {:.5} of {} others",
                epoch + 1,
                loss(&weights, &fitted),
                fitted.len(),
                loss(&weights, &held_out),
                held_out.len(),
            );
        }
    }
    weights
}

fn loss(weights: &Weights, samples: &[Sample]) -> f64 {
    let losses = samples.iter().map(|sample| {
        let odds = weights.odds(&weights.sums(sample));
        // What would be left if the target were met is no loss.
        let target = sample.target.clamp(1e-6, 1.0 - 1e-6);
        let least = cross_entropy((target / (1.0 - target)).ln(), target);
        f64::from(cross_entropy(odds, target) - least)
    });
    losses.sum::<f64>() / samples.len().max(1) as f64
}

/// The file of a network: rounded to 16-bit integers, little end first.
#[expect(clippy::cast_possible_truncation, reason = "weights are some hundreds")]
fn bytes(weights: &Weights) -> Vec<u8> {
    let scale = |index: usize| match (index < WORTHS, index % LANES) {
        (true, 0) => LOGISTIC_SCALE,
        (true, _) => f32::from(UNIT),
        (false, 0) => 0.0,
        (false, _) => LOGISTIC_SCALE,
    };
    let whole = |index: usize| (weights.0[index] * scale(index)).round() as i16;
    (0..COUNT)
        .flat_map(|index| whole(index).to_le_bytes())
        .collect()
}
