//! What a ply costs the harness: whole games between bots that answer at once, referee, protocol,
//! deadlines and pipes included, all on one core; and beside it the bare pipe, where a loop without
//! rules, JSON or deadlines exchanges lines of the same length with programs that send one back.
//!
//! Both are counted in plies (one request, one answer), so that their ratio says what the harness
//! adds. The bench starts itself as the bots.

#[path = "support/harness.rs"]
mod harness;
#[path = "support/instant.rs"]
mod instant;

use awale::bot::Level;
use criterion::{Criterion, Throughput};
use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// What this program is called to be a bot.
const BOT: &str = "be-an-instant-bot";
/// What this program is called to be the far end of the bare pipe.
const FAR_END: &str = "be-a-far-end";

/// Games and bare games that take turns.
const ROUNDS: usize = 4_001;

/// A turn's request as the referee writes it.
const REQUEST: &[u8] = b"{\"type\":\"turn\",\"turn\":8,\"board\":[3,2,11,0,10,1,0,8,1,1,1,2],\
    \"stores\":[5,3],\"legal\":[0,1,2,4,5],\"last\":{\"pit\":0,\"captured\":0},\
    \"position\":\"3-2-11-0-10-1-0-8-1-1-1-2-5-3-S\",\"clock\":{\"move_ms\":1000}}\n";

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some(BOT) => instant::answer_turns().expect("a pipe to the referee"),
        Some(FAR_END) => answer_all_alike().expect("a pipe to the bench"),
        _ => measure(),
    }
}

/// Answers every line with the same one: what the pipe alone costs.
fn answer_all_alike() -> std::io::Result<()> {
    instant::answer_lines(|_| Some(instant::FIRST_PIT.to_vec()))
}

fn measure() {
    harness::stay_on_one_core();
    let mut criterion = Criterion::default()
        .configure_from_args()
        .measurement_time(Duration::from_secs(10));
    let mut group = criterion.benchmark_group("pipe");

    let runtime = harness::runtime();
    let program = std::env::current_exe().expect("the bench's own path");
    let sandbox = harness::sandbox(Level::None, false, None);
    let mut south = harness::bot_in(&sandbox, &program, &[BOT]);
    let mut north = harness::bot_in(&sandbox, &program, &[BOT]);
    let mut play = || {
        let game = runtime.block_on(harness::game([&mut south, &mut north], [1, 2]));
        game.plies.len()
    };
    let plies = play();
    let mut ends = [FarEnd::start(), FarEnd::start()];
    let mut exchange = || (0..plies).for_each(|ply| ends[ply % 2].exchange());

    group.throughput(Throughput::Elements(plies as u64));
    group.bench_function("game", |bencher| {
        bencher.iter(|| assert_eq!(play(), plies, "instant bots always play the same game"));
    });
    group.bench_function("bare", |bencher| bencher.iter(&mut exchange));
    group.finish();
    side_by_side(plies, || assert_eq!(play(), plies), exchange);

    runtime.block_on(async {
        south.close().await;
        north.close().await;
    });
    ends.into_iter().for_each(FarEnd::leave);
    criterion.final_summary();
}

/// Prints the median times of a ply, in ns, of games and of the bare pipe that took turns: whatever
/// else slowed the machine down in the meantime slowed both, so that their ratio means something.
fn side_by_side(plies: usize, mut play: impl FnMut(), mut exchange: impl FnMut()) {
    let time = |act: &mut dyn FnMut()| {
        let started = Instant::now();
        act();
        started.elapsed().as_nanos() / plies as u128
    };
    let mut times: [Vec<u128>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(time(&mut play));
        times[1].push(time(&mut exchange));
    }
    for (name, mut times) in ["game_ply_ns", "bare_ply_ns"].into_iter().zip(times) {
        times.sort_unstable();
        println!("{name} {}", times[ROUNDS / 2]);
    }
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
