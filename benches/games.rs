//! Games per second of `random` against `random`, each a process of its own, on one core with the
//! referee: no tournament around them, no journal.

#[path = "support/harness.rs"]
mod harness;

use awale::bot::Level;
use criterion::{Criterion, Throughput};
use std::path::Path;
use std::time::Duration;

fn main() {
    harness::stay_on_one_core();
    let mut criterion = Criterion::default()
        .configure_from_args()
        .measurement_time(Duration::from_secs(10));
    let mut group = criterion.benchmark_group("games");
    let runtime = harness::runtime();
    let program = Path::new(env!("CARGO_BIN_EXE_awale"));
    let sandbox = harness::sandbox(Level::None, false, None);
    let mut south = harness::bot_in(&sandbox, program, &["bot", "random"]);
    let mut north = harness::bot_in(&sandbox, program, &["bot", "random"]);
    // The same games in the same order in every run: only their number differs.
    let mut seed = 0;
    group.throughput(Throughput::Elements(1));
    group.bench_function("random", |bencher| {
        bencher.iter(|| {
            seed += 2;
            runtime.block_on(harness::game([&mut south, &mut north], [seed, seed + 1]))
        });
    });
    group.finish();
    runtime.block_on(async {
        south.close().await;
        north.close().await;
    });
    criterion.final_summary();
}
