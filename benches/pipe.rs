//! What a ply costs the harness: whole games between bots that answer at once, referee, protocol,
//! deadlines and pipes included, all on one core; and beside it the bare pipe, where a loop without
//! rules, JSON or deadlines exchanges lines of the same length with programs that send one back.
//!
//! Both are counted in plies (one request, one answer), so that their ratio says what the harness
//! adds. The bench starts itself as the bots.

#[path = "support/instant.rs"]
mod instant;
#[path = "support/seat.rs"]
mod seat;

use criterion::{Criterion, Throughput};
use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// What this program is called to be a bot.
const BOT: &str = "be-an-instant-bot";
/// What this program is called to be the far end of the bare pipe.
const FAR_END: &str = "be-a-far-end";

/// A turn's request as the referee writes it.
const REQUEST: &[u8] = b"{\"type\":\"turn\",\"turn\":12,\"board\":[4,0,6,6,1,5,5,0,6,6,1,6],\
    \"stores\":[2,0],\"you\":\"south\",\"legal\":[0,2,3,4,5],\"last\":{\"pit\":4,\"captured\":0},\
    \"clock\":{\"move\":1000}}\n";

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some(BOT) => instant::answer_turns().expect("a pipe to the referee"),
        Some(FAR_END) => instant::answer_all_alike().expect("a pipe to the bench"),
        _ => measure(),
    }
}

fn measure() {
    seat::stay_on_one_core();
    let mut criterion = Criterion::default()
        .configure_from_args()
        .measurement_time(Duration::from_secs(10));
    let mut group = criterion.benchmark_group("pipe");

    let runtime = seat::runtime();
    let program = std::env::current_exe().expect("the bench's own path");
    let mut south = seat::bot(&program, &[BOT]);
    let mut north = seat::bot(&program, &[BOT]);
    let mut play = || {
        runtime
            .block_on(seat::game([&mut south, &mut north], [1, 2]))
            .plies
            .len()
    };
    let plies = play();
    group.throughput(Throughput::Elements(plies as u64));
    group.bench_function("game", |bencher| {
        bencher.iter(|| assert_eq!(play(), plies, "instant bots always play the same game"));
    });
    runtime.block_on(async {
        south.close().await;
        north.close().await;
    });

    let mut ends = [FarEnd::start(), FarEnd::start()];
    group.bench_function("bare", |bencher| {
        bencher.iter_custom(|times| {
            let started = Instant::now();
            for _ in 0..times {
                for ply in 0..plies {
                    ends[ply % 2].exchange();
                }
            }
            started.elapsed()
        });
    });
    group.finish();
    for end in ends {
        end.leave();
    }
    criterion.final_summary();
}

/// A program that sends lines back.
struct FarEnd {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl FarEnd {
    fn start() -> Self {
        let program = std::env::current_exe().expect("the bench's own path");
        let mut child = Command::new(program)
            .arg(FAR_END)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the bench can start itself");
        let input = child.stdin.take().expect("a pipe");
        let output = child.stdout.take().expect("a pipe");
        Self {
            child,
            input,
            output,
        }
    }

    fn exchange(&mut self) {
        self.input.write_all(REQUEST).expect("the far end reads");
        let mut answer = [0; 64];
        let mut length = 0;
        while length == 0 || answer[length - 1] != b'\n' {
            let more = self.output.read(&mut answer[length..]);
            length += more.expect("the far end writes");
        }
    }

    fn leave(mut self) {
        drop(self.input);
        self.child.wait().expect("the far end leaves");
    }
}
