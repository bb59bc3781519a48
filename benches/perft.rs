//! Leaves per second of the rules alone: perft from the start, the last ply counted in bulk.

use awale::rules::{Position, Preset, perft};
use criterion::{BenchmarkId, Criterion, Throughput};
use std::hint::black_box;

/// Plies, and sequences of so many: the same in all presets that start with four seeds a pit.
const COUNTS: [(u32, u64); 2] = [(8, 711_414), (10, 18_137_964)];

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("perft");
    group.sample_size(20);
    let rules = Preset::Awale.rules();
    for (depth, leaves) in COUNTS {
        assert_eq!(perft(&rules, Position::START, depth), leaves);
        group.throughput(Throughput::Elements(leaves));
        group.bench_function(BenchmarkId::from_parameter(depth), |bencher| {
            bencher.iter(|| perft(black_box(&rules), black_box(Position::START), depth));
        });
    }
    group.finish();
    criterion.final_summary();
}
