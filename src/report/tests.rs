//! The tables, compared with values computed by hand and laws that hold for all records.

use super::table::documented;
use super::*;
use crate::record::sample::{game, names};
use crate::record::{
    Examiner, Fault, FaultKind, GameEnding, GameId, GameNumber, GameRecord, GameSummary, PairId,
    Refusal, Void, Withdrawal,
};
use crate::rules::{EndReason, Pit, Position, Side};
use crate::stats::rating::BoundDirection;
use crate::stats::ratings::RatingModel;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The CSV of the entrants and their meetings.
fn csv_files(tables: &Tables<'_>) -> [String; 2] {
    let mut csv_files = [Vec::new(), Vec::new()];
    tables.standings_csv(&mut csv_files[0]).unwrap();
    tables.crosstable_csv(&mut csv_files[1]).unwrap();
    csv_files.map(|csv| String::from_utf8(csv).unwrap())
}

/// A position for each number below 81, of 48 seeds.
fn start(number: u32) -> Position {
    let (one, other) = (number % 9, number / 9);
    let text = format!(
        "{one}-{}-{other}-{}-4-4-4-4-4-4-4-4-0-0-S",
        8 - one,
        8 - other
    );
    text.parse().unwrap()
}

/// The same games, each pair with its own opening.
fn own_openings(records: Vec<GameRecord>) -> Vec<GameRecord> {
    let own = |record: GameRecord| GameRecord {
        start: start(record.id.pair.round()),
        ..record
    };
    records.into_iter().map(own).collect()
}

/// The CSV of the games, which are brought into order first.
fn games_csv(records: &[GameRecord]) -> String {
    let mut sorted: Vec<&GameRecord> = records.iter().collect();
    sorted.sort_by_key(|record| record.id.clone());
    let mut text = Vec::new();
    let mut csv = GamesCsv::new(&mut text).unwrap();
    for record in sorted {
        csv.add(GameSummary::of(record)).unwrap();
    }
    csv.finish().unwrap();
    String::from_utf8(text).unwrap()
}

/// The standings for people: headings, titles and rows, a line each.
fn standings_text(tables: &Tables<'_>) -> String {
    let mut lines = Vec::new();
    for table in tables.standings_tables() {
        lines.extend(table.heading);
        let titles: Vec<&str> = table.columns.iter().map(|it| it.title.as_str()).collect();
        lines.push(titles.join(" "));
        for row in table.rows {
            assert_eq!(row.len(), titles.len(), "{row:?}");
            lines.push(row.join(" "));
        }
    }
    lines.join("\n")
}

/// The leaders in one line.
fn leaders(tables: &Tables<'_>, most: usize) -> String {
    standings_table::leaders_line(tables.names, tables.standings.ratings(), most)
}

/// Everything that can be made of records in any order.
fn everything(tables: &Tables<'_>) -> Vec<String> {
    let mut outputs = csv_files(tables).to_vec();
    outputs.push(standings_text(tables));
    outputs.push(leaders(tables, 3));
    outputs.extend(tables.notes());
    outputs
}

/// The rows of a csv as column → cell.
fn rows(csv: &str) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_reader(csv.as_bytes())
        .deserialize()
        .collect::<Result<_, _>>()
        .unwrap()
}

/// Some columns of a csv, with spaces between the cells.
fn columns(csv: &str, columns: &[&str]) -> Vec<String> {
    rows(csv)
        .iter()
        .map(|row| {
            let cells: Vec<&str> = columns.iter().map(|&column| row[column].as_str()).collect();
            cells.join(" ")
        })
        .collect()
}

const AB: [&str; 2] = ["ada", "bob"];
const BA: [&str; 2] = ["bob", "ada"];

/// Eight games of ada and bob in four pairs. As South ada scored 3 of 4 and bob 2 of 4.
fn four_pairs() -> Vec<GameRecord> {
    let opened = |record: GameRecord| GameRecord {
        opening: 2,
        opening_moves: ['C', 'd', 'F', 'b']
            .map(|c| Pit::from_letter(c).unwrap())
            .to_vec(),
        start: "6-5-0-5-5-0-6-0-6-2-7-6-0-0-S".parse().unwrap(),
        ..record
    };
    vec![
        game("1.1", AB, [25, 10])
            .ended(GameEnding::Rules(EndReason::Majority))
            .with_plies("AaB", &[10, 300, 21])
            .with_cpu_times(&[Some(7), None, Some(9)])
            .with_ready_times([Some(600), Some(80)])
            .with_lateness(1_234),
        game("1.2", BA, [24, 24]).with_ready_times([None, Some(601)]),
        opened(game("2.1", AB, [40, 8])).with_plies("Ab", &[1_000, 2_000]),
        opened(game("2.2", BA, [30, 18])).ended(GameEnding::Adjudicated),
        // The stores say otherwise, but a side that resigns has lost.
        game("3.1", AB, [20, 28]).ended(GameEnding::Resignation(Side::North)),
        game("3.2", BA, [48, 0]).faulted(Side::South, FaultKind::Timeout),
        game("4.1", AB, [0, 48])
            .faulted(Side::South, FaultKind::IllegalMove)
            .with_plies("Ff", &[0, 1]),
        game("4.2", BA, [20, 20]).ended(GameEnding::Rules(EndReason::Repetition)),
        game("5.1", AB, [0, 0]).ended(GameEnding::Void(Void::new("the host slept"))),
    ]
}

#[test]
fn standings_worked_out_by_hand() {
    let (names, records) = (names(&["idle", "bob", "ada"]), own_openings(four_pairs()));
    let tables = Tables::new(&names, &records).unwrap();
    // With scores of 3/4 and 1/2 for South, d + a = ln 3 and −d + a = 0 logits: d = a = ln 3 / 2,
    // 95.4 Elo, half of it for each entrant. Variances of the two scores' logits: 1 / (4 · 3/16)
    // and 1 / (4 · 1/4). H, the information of d and a, is [7 −1; −1 7] / 4, its inverse
    // [7 1; 1 7] / 12. What the pairs left over of (d, a), in quarters of a point: (1, 1), (−1, 3),
    // (3, −1), (−3, −3); the sum of their squares B = [20 4; 4 20] / 16. H⁻¹ B H⁻¹ has the
    // variances 11/24. All four openings say as much of d, and of a, so the fit hides a quarter and
    // leaves 3 degrees of freedom: 4/3 of that, of a rating a quarter.
    // 3.182446 · √(11/72) · 173.7178 = 216.1, and twice that for a.
    // Of two of ada's moves the CPU time is known: 7 and 9.
    // ada's moves: 10, 21, 1000, 0: mean 257.75. bob's: 300, 2000, 1: mean 767.
    let expected = "\
        rank,entrant,elo,bound,error95,relative_to,may_be_best,rank_low,rank_high,\
        games,wins,draws,losses,score,planned_games,pairs,\
        seeds_for,seeds_against,first_player_score,timeout,illegal_move,bad_output,output_limit,\
        crash,memory_limit,process_limit,temporary_limit,start_failure,busy_off_turn,slow_to_quit,\
        blocks_starts,voids_on_turn,mean_time_us,max_time_us,\
        mean_cpu_time_us,max_cpu_time_us,max_new_game_time_us,pool,status,\
        last_game,reason,clock\n\
        1,ada,47.7,,216.1,mean,yes,1,2,8,4,2,2,0.6250,,4,147,216,0.7500,\
        0,1,0,0,0,0,0,0,0,0,0,0,0,258,1000,8,9,601,1,,,,\n\
        2,bob,-47.7,,216.1,mean,yes,1,2,8,2,2,4,0.3750,,4,216,147,0.5000,\
        1,0,0,0,0,0,0,0,0,0,0,0,0,767,2000,,,80,1,,,,\n\
        ,idle,,,,,,,,0,0,0,0,,,0,0,0,,0,0,0,0,0,0,0,0,0,0,0,0,0,,,,,,,,,,\n";
    assert_eq!(csv_files(&tables)[0], expected);
    assert_eq!(leaders(&tables, 1), "1. ada +48 ±216 …");
    assert_eq!(leaders(&tables, 9), "1. ada +48 ±216  2. bob -48 ±216");
    assert_eq!(
        tables.notes(),
        [
            // Of eight games nobody is told what moving first is worth.
            "idle has no game yet.",
            // (1.959964 + 0.841621) · √(11/18) · 173.7178 / 50 squared is 57.9 times as many.
            "Too close to call: ada and bob. To tell them apart if they differ by 50 Elo, play \
             about 230 more pairs.",
            "±: the true Elo, counted from the average of the entrants, is inside this margin in \
             95 of 100 tournaments. Differences between two entrants have margins of their own, in \
             los.csv.",
            "The margins come from 4 openings; games from one opening count as one observation."
        ]
    );
}

#[test]
fn crosstable_worked_out_by_hand() {
    let (names, records) = (names(&["idle", "bob", "ada"]), four_pairs());
    let tables = Tables::new(&names, &records).unwrap();
    assert_eq!(
        csv_files(&tables)[1],
        "entrant,opponent,games,wins,draws,losses,score,expected,z,status\n\
         bob,ada,8,2,2,4,0.3750,0.3750,,\n\
         ada,bob,8,4,2,2,0.6250,0.6250,,\n"
    );
}

#[test]
fn openings_worked_out_by_hand() {
    let names = names(&["bob", "ada"]);
    let mut records = four_pairs();
    for record in &mut records {
        // Pairs 1 and 2 are of one opening, 3 and 4 of another.
        record.opening = if record.id.pair.round() < 3 { 7 } else { 9 };
        record.start = Position::START;
    }
    for _ in 0..2 {
        records.reverse();
        let tables = Tables::new(&names, &records).unwrap();
        let mut text = Vec::new();
        tables.openings_csv(&mut text).unwrap();
        // South wins 1.1, 2.1 and 2.2, 1.2 is drawn: 3.5 of 4. Ada's score as South is expected to
        // be 3/4, as North 1/2 (see the standings): South's 0.75 and 0.5. Ada has 2.5 of 2.5
        // expected points of these. Of the second opening, South: 3.1 won, 3.2 and 4.1 lost, 4.2
        // drawn; ada has 2.5 points again, so no entrant is short of half a point.
        let start = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
        let expected = format!(
            "opening,start,games,south_wins,draws,north_wins,south_score,expected,pairs,\
             pairs_by_side,pairs_by_entrant,weakest,shortfall\n\
             7,{start},4,3,1,0,0.8750,0.6250,2,1,0,,\n\
             9,{start},4,1,1,2,0.3750,0.6250,2,0,1,,\n"
        );
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
    // The only thing that counts in the first opening is that bob won both games of a pair.
    let pair = [game("1.1", AB, [10, 30]), game("1.2", BA, [30, 10])];
    let rest = four_pairs().split_off(2).into_iter();
    let mut records: Vec<GameRecord> = pair.into_iter().chain(rest).collect();
    for record in &mut records {
        record.opening = record.id.pair.round();
    }
    let tables = Tables::new(&names, &records).unwrap();
    let row = &tables.openings[0];
    let (weakest, shortfall) = row.weakest.as_ref().expect("ada lost both");
    assert_eq!((weakest.as_str(), row.pairs_by_entrant), ("ada", 1));
    assert!(*shortfall > 0.5 && *shortfall <= 2.0, "{shortfall}");
}

#[test]
fn games_worked_out_by_hand() {
    let start = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
    let opened = "2,CdFb,6-5-0-5-5-0-6-0-6-2-7-6-0-0-S";
    let expected = format!(
        "id,pair,opening,opening_moves,start,south,north,result,ending,fault_side,withdrawn,\
         plies,store_south,store_north,mean_time_south_us,max_time_south_us,total_time_south_us,\
         mean_time_north_us,max_time_north_us,total_time_north_us,\
         mean_cpu_time_south_us,max_cpu_time_south_us,total_cpu_time_south_us,\
         mean_cpu_time_north_us,max_cpu_time_north_us,total_cpu_time_north_us,\
         preempted_time_south_us,preempted_time_north_us,\
         off_turn_cpu_time_south_us,off_turn_cpu_time_north_us,max_late_time_us,moves\n\
         1.1,1,1,,{start},ada,bob,1-0,majority,,,3,25,10,16,21,31,300,300,300,8,9,16,,,,\
         0,7,70,,1234,AaB\n\
         1.2,1,1,,{start},bob,ada,1/2-1/2,no-move,,,0,24,24,,,0,,,0,,,,,,,0,0,,,,\n\
         2.1,2,{opened},ada,bob,1-0,no-move,,,2,40,8,1000,1000,1000,2000,2000,2000,,,,,,,\
         0,0,,,,Ab\n\
         2.2,2,{opened},bob,ada,1-0,adjudicated,,,0,30,18,,,0,,,0,,,,,,,0,0,,,,\n\
         3.1,3,1,,{start},ada,bob,1-0,resignation,,,0,20,28,,,0,,,0,,,,,,,0,0,,,,\n\
         3.2,3,1,,{start},bob,ada,0-1,timeout,south,,0,48,0,,,0,,,0,,,,,,,0,0,,,,\n\
         4.1,4,1,,{start},ada,bob,0-1,illegal-move,south,,2,0,48,0,0,0,1,1,1,,,,,,,0,0,,,,Ff\n\
         4.2,4,1,,{start},bob,ada,1/2-1/2,repetition,,,0,20,20,,,0,,,0,,,,,,,0,0,,,,\n"
    );
    let mut records = four_pairs();
    records[0].plies[1].preempted_us = 7;
    records[0].off_turn_us = [Some(70), None];
    assert_eq!(games_csv(&records), expected);
}

#[test]
fn what_is_excluded_is_left_out_and_said() {
    let names = names(&["ada", "bob", "cyd", "=dan"]);
    let records = [
        game("1.1", ["ada", "bob"], [25, 23]).faulted(Side::North, FaultKind::Crash),
        game("1.2", ["bob", "ada"], [25, 23]).faulted(Side::South, FaultKind::Crash),
        game("2.1", ["ada", "cyd"], [25, 23]),
        game("3.1", ["bob", "cyd"], [25, 23]),
        game("4.1", ["ada", "cyd"], [26, 22]),
        game("4.2", ["cyd", "ada"], [20, 28]),
    ];
    let refusal = Refusal::Fault {
        against: Examiner::Itself,
        fault: Fault::new(FaultKind::Timeout, "no answer\u{7}"),
        may_pass: false,
    };
    let withdrawal = Withdrawal {
        entrant: "bob".to_owned(),
        after: "1.2".parse().unwrap(),
        faults: 2,
        games: 2,
    };
    let exclusions = Exclusions {
        refused: vec![("=dan".to_owned(), refusal)],
        withdrawn: vec![withdrawal],
        open: [(PairId::numbered(2), ["ada", "cyd"].map(str::to_owned))].into(),
        ..Exclusions::default()
    };
    let mut backwards = records.to_vec();
    backwards.reverse();
    for records in [records.to_vec(), backwards] {
        let builder = TablesBuilder::new(&names).unwrap();
        let mut builder = builder.excluding(exclusions.clone());
        for record in &records {
            builder.add(&GameSummary::of(record));
        }
        let tables = builder.finish().unwrap();
        assert_eq!(tables.games(), 4, "1.1, 1.2, 4.1 and 4.2");
        let [standings, crosstable] = csv_files(&tables);
        let refused = r",not-admitted,,timeout against itself: no answer\u{7},";
        for (start, end) in [
            ("1,ada,", ",1,,,,"),
            ("2,bob,", ",1,withdrawn,1.2,2 faults in 2 games: 2 crash,"),
            (",'=dan,", refused),
        ] {
            let row = |row: &&str| row.starts_with(start) && row.ends_with(end);
            assert_eq!(standings.lines().filter(row).count(), 1, "{standings}");
        }
        for row in [
            "bob,ada,2,0,0,2,0.0000,,,withdrawn\n",
            "ada,bob,2,2,0,0,1.0000,,,\n",
        ] {
            assert!(crosstable.contains(row), "{crosstable}");
        }
        let text = standings_text(&tables);
        assert!(text.contains("withdrawn after 1.2") && text.contains("not admitted"));
        assert!(!tables.notes().concat().contains("no game yet"));
        assert_eq!(
            tables.notes()[..3],
            [
                "=dan was not admitted and plays no game: timeout against itself (no \
                 answer\\u{7}).",
                "bob was withdrawn after game 1.2, with 2 faults in 2 games: those count, later \
                 ones do not.",
                "Pair 2 (ada – cyd) is open and left out: the host made a game void each time. The \
                 same command plays it again.",
            ]
        );
    }
}

#[test]
fn the_table_for_people() {
    let (names, records) = (names(&["idle", "bob", "ada"]), own_openings(four_pairs()));
    let tables = Tables::new(&names, &records).unwrap();
    let shown = standings_text(&tables);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 4, "{shown}");
    let words = |line: usize| lines[line].split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        words(0),
        "# entrant Elo ±95 % games won drawn lost score mean time max time faults"
    );
    assert_eq!(
        words(1),
        "1 ada 47.7 216.1 8 4 2 2 62.5 % 258 µs 1.00 ms 1 illegal-move"
    );
    assert_eq!(
        words(2),
        "2 bob -47.7 216.1 8 2 2 4 37.5 % 767 µs 2.00 ms 1 timeout"
    );
    assert_eq!(words(3), "idle 0 0 0 0");
}

#[test]
fn schedule_order_is_by_number() {
    let names = names(&AB);
    let records: Vec<_> = ["10.1", "9.2", "9.1", "2.1"]
        .map(|id| game(id, AB, [24, 24]))
        .into();
    let tables = Tables::new(&names, &records).unwrap();
    assert_eq!(
        columns(&games_csv(&records), &["id"]),
        ["2.1", "9.1", "9.2", "10.1"]
    );
    // Only the ninth pair is complete.
    assert_eq!(columns(&csv_files(&tables)[0], &["pairs"]), ["1", "1"]);
}

#[test]
fn a_pair_counts_for_the_entrants_of_both_games() {
    let names = names(&["ada", "bob", "carl"]);
    let mut records = [
        game("1.1", AB, [24, 24]),
        game("1.2", ["carl", "ada"], [24, 24]),
        game("2.2", ["carl", "ada"], [24, 24]),
    ];
    for _ in 0..records.len() {
        records.rotate_left(1);
        let tables = Tables::new(&names, &records).unwrap();
        let mut pairs = columns(&csv_files(&tables)[0], &["entrant", "pairs"]);
        pairs.sort();
        assert_eq!(pairs, ["ada 1", "bob 0", "carl 0"]);
    }
}

/// `los.csv` as text.
fn los_sheet(tables: &Tables<'_>) -> String {
    let mut text = Vec::new();
    tables.los_csv(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn differences_worked_out_by_hand() {
    let (names, records) = (names(&["idle", "bob", "ada"]), own_openings(four_pairs()));
    let tables = Tables::new(&names, &records).unwrap();
    // As in the standings: ln 3 / 2 logits with a variance of 11/18 are 95.4 Elo ± 432.2, and
    // Student's t with 3 degrees of freedom is below 0.549306 / 0.781736 with 0.733562.
    // With a single difference, the simultaneous interval is its own.
    let expected = "entrant,opponent,difference,bound,error95,simultaneous95,los\n\
        idle,bob,,,,,\nidle,ada,,,,,\n\
        bob,idle,,,,,\nbob,ada,-95.4,,432.2,432.2,0.266438\n\
        ada,idle,,,,,\nada,bob,95.4,,432.2,432.2,0.733562\n";
    assert_eq!(los_sheet(&tables), expected);
}

#[test]
fn anchors_move_the_scale_and_take_the_error() {
    let (names, records) = (names(&["bob", "ada"]), own_openings(four_pairs()));
    let mut builder = TablesBuilder::new(&names).unwrap().rated_by(RatingModel {
        anchors: [(RatedEntrant(0), 1000.0)].into(),
        ..RatingModel::default()
    });
    for record in &records {
        builder.add(&GameSummary::of(record));
    }
    let tables = builder.finish().unwrap();
    assert_eq!(
        columns(
            &csv_files(&tables)[0],
            &["entrant", "elo", "error95", "relative_to"]
        ),
        ["ada 1095.4 432.2 anchor", "bob 1000.0 0.0 anchor"]
    );
}

#[test]
fn the_same_game_again_is_counted_and_said() {
    let names = names(&AB);
    let mut records = Vec::new();
    // Bots without randomness, two openings, each played five times.
    for pair in 1..=10 {
        let stores = [[30, 18], [18, 30]][pair as usize % 2];
        records.push(opening(pair % 2, game(&format!("{pair}.1"), AB, stores)));
        records.push(opening(pair % 2, game(&format!("{pair}.2"), BA, [20, 20])));
    }
    let tables = Tables::new(&names, &records).unwrap();
    let notes = tables.notes().join("\n");
    assert!(
        notes.contains("16 of 20 games repeat another to the move")
            && notes.contains("More openings"),
        "{notes}"
    );
    assert_eq!(columns(&csv_files(&tables)[0], &["games"]), ["20", "20"]);
}

/// The same game from the opening of this number.
fn opening(number: u32, record: GameRecord) -> GameRecord {
    GameRecord {
        opening: number,
        start: start(number),
        ..record
    }
}

#[test]
fn a_clean_sweep_has_bounds() {
    let names = names(&["bob", "ada"]);
    let mut records = Vec::new();
    for pair in 1..=5 {
        records.push(opening(pair, game(&format!("{pair}.1"), AB, [30, 18])));
        records.push(opening(pair, game(&format!("{pair}.2"), BA, [18, 30])));
    }
    let tables = Tables::new(&names, &records).unwrap();
    // 10 ln σ(x) = −1.920729: x = 1.5523 logits, 269.66 Elo, half of it up and half down.
    assert_eq!(
        columns(
            &csv_files(&tables)[0],
            &["rank", "entrant", "elo", "bound", "error95"]
        ),
        ["1 ada 134.8 > ", "2 bob -134.8 < "]
    );
    assert_eq!(leaders(&tables, 2), "1. ada >+135  2. bob <-135");
    assert!(standings_text(&tables).contains(">134.8"));
    let notes = tables.notes().join("\n");
    assert!(
        notes.contains("An Elo with > means: at least so many"),
        "{notes}"
    );
    assert!(notes.contains("cannot be told from strength"), "{notes}");
}

#[test]
fn an_endless_advantage_has_a_bound() {
    let names = names(&AB);
    let mut records = Vec::new();
    for pair in 1..=5 {
        records.push(opening(pair, game(&format!("{pair}.1"), AB, [30, 18])));
        records.push(opening(pair, game(&format!("{pair}.2"), BA, [30, 18])));
    }
    let tables = Tables::new(&names, &records).unwrap();
    // South won all games of five openings, of which each tells once: 5 ln σ(x) = −1.920729, with
    // x = 0.75852 logits, 131.77 Elo.
    let advantage = tables.standings().ratings().advantage.expect("a bound");
    assert_eq!(advantage.bound, Some(BoundDirection::AtLeast));
    assert!((advantage.elo - 131.77).abs() < 0.01, "{advantage:?}");
    // Ten games are too few to tell anybody.
    let notes = tables.notes().join("\n");
    assert!(!notes.contains("Moving first"), "{notes}");
    assert_eq!(
        columns(
            &csv_files(&tables)[0],
            &["rank", "entrant", "elo", "bound", "error95"]
        ),
        // Five level pairs: 1 − exp(−1.920729 / 5) = 0.318968, 2 artanh of that 114.8 Elo. With the
        // advantage at its bound a game has 0.681032 · 0.318968 of information and not 1/4: the
        // root of the quotient times as much is 123.2, half of it for each.
        ["1 ada 0.0  61.6", "1 bob 0.0  61.6"]
    );
}

#[test]
fn a_winner_of_all_games_stands_first_whatever_the_bound() {
    let names = names(&["carl", "bob", "ada"]);
    let records = [
        game("1.1", ["carl", "bob"], [24, 24]),
        game("1.2", ["bob", "carl"], [24, 24]),
        game("2.1", BA, [18, 30]),
        game("2.2", AB, [30, 18]),
    ];
    let tables = Tables::new(&names, &records).unwrap();
    // 2 ln σ(x) = −1.920729: x = −0.4779 logits, −83.0 Elo. Two wins are little evidence.
    assert_eq!(
        columns(&csv_files(&tables)[0], &["rank", "entrant", "elo", "bound"]),
        ["1 ada -216.2 >", "2 carl 0.0 ", "2 bob 0.0 "]
    );
}

#[test]
fn a_loser_of_all_games_stands_last_whatever_the_bound() {
    let names = names(&["champion", "dora", "eve"]);
    let mut records = Vec::new();
    for pair in 1..=8 {
        // dora takes one draw of 16 games, eve nothing.
        let stores = if pair == 1 { [24, 24] } else { [30, 18] };
        records.push(game(&format!("{pair}.1"), ["champion", "dora"], stores));
        records.push(game(&format!("{pair}.2"), ["dora", "champion"], [18, 30]));
        records.push(game(
            &format!("{}.1", 10 + pair),
            ["champion", "eve"],
            [30, 18],
        ));
    }
    let tables = Tables::new(&names, &records).unwrap();
    let rows = rows(&csv_files(&tables)[0]);
    let elo = |row: usize| rows[row]["elo"].parse::<f64>().unwrap();
    let order: Vec<&str> = rows.iter().map(|row| row["entrant"].as_str()).collect();
    assert_eq!(order, ["champion", "dora", "eve"]);
    assert_eq!(rows[2]["bound"], "<");
    assert!(
        elo(2) > elo(1),
        "the case is one where the bound says little"
    );
}

#[test]
fn all_draws_share_the_first_rank() {
    let names = names(&["ada", "bob", "carl"]);
    let pairings = [["ada", "bob"], ["bob", "carl"], ["ada", "carl"]];
    let mut records = Vec::new();
    for (pair, [first, second]) in (1..).zip(pairings) {
        records.push(game(&format!("{pair}.1"), [first, second], [24, 24]));
        records.push(game(&format!("{pair}.2"), [second, first], [24, 24]));
    }
    let records = own_openings(records);
    let tables = Tables::new(&names, &records).unwrap();
    // Each rating rests on two pairs, which two numbers are fitted to. The advantage is seen in
    // three, all level: 1 − exp(−1.920729 / 3) = 0.472836, and 2 artanh of that 178.5 Elo.
    let columns = columns(
        &csv_files(&tables)[0],
        &[
            "rank", "entrant", "elo", "bound", "error95", "score", "pool",
        ],
    );
    assert_eq!(
        columns,
        [
            "1 ada 0.0   0.5000 1",
            "1 bob 0.0   0.5000 1",
            "1 carl 0.0   0.5000 1"
        ]
    );
    let notes = tables.notes();
    assert!(
        notes[0].starts_with("How far the Elo of ada, bob and carl may be off is not known yet"),
        "{notes:?}"
    );
    assert!(
        notes[1].starts_with("The margins come from 3 openings"),
        "{notes:?}"
    );
    assert_eq!(notes.len(), 2, "{notes:?}");
}

#[test]
fn without_games_there_are_names() {
    for entrants in [&[][..], &["ada"], &["ada", "bob"]] {
        let names = names(entrants);
        let records = [game("1.1", AB, [0, 0]).ended(GameEnding::Void(Void::default()))];
        for records in [&records[..], &[]] {
            let tables = Tables::new(&names, records).unwrap();
            let ([standings, crosstable], games) = (csv_files(&tables), games_csv(records));
            assert_eq!(columns(&standings, &["entrant"]), entrants);
            for row in rows(&standings) {
                let known: Vec<&str> = row
                    .iter()
                    .filter(|(_, cell)| !cell.is_empty() && *cell != "0")
                    .map(|(column, _)| column.as_str())
                    .collect();
                assert_eq!(known, ["entrant"]);
            }
            assert_eq!((crosstable.lines().count(), games.lines().count()), (1, 1));
            assert_eq!(leaders(&tables, 3), "");
            assert_eq!(standings_text(&tables).lines().count(), 1 + entrants.len());
            assert_eq!(tables.notes().len(), 1);
        }
    }
}

#[test]
fn pools_are_ranked_apart() {
    let names = names(&["ada", "carl", "bob", "dora"]);
    let records = [
        game("1.1", AB, [24, 24]),
        game("1.2", BA, [24, 24]),
        game("2.1", ["carl", "dora"], [24, 24]),
        game("2.2", ["dora", "carl"], [24, 24]),
    ];
    let tables = Tables::new(&names, &records).unwrap();
    assert_eq!(
        columns(&csv_files(&tables)[0], &["pool", "rank", "entrant"]),
        ["1 1 ada", "1 1 bob", "2 1 carl", "2 1 dora"]
    );
    assert!(tables.notes().join("\n").contains("2 pools"));
    let shown = standings_text(&tables);
    let headings: Vec<&str> = shown
        .lines()
        .filter(|line| line.starts_with("Pool") || line.starts_with("Without"))
        .collect();
    assert_eq!(
        headings,
        [
            "Pool 1, with a scale of its own",
            "Pool 2, with a scale of its own"
        ],
        "{shown}"
    );
    assert_eq!(shown.matches("±95 %").count(), 2, "{shown}");
}

#[test]
fn impossible_records_are_refused() {
    let two = names(&AB);
    let cases = [
        (
            vec![game("1.1", ["ada", "eve"], [24, 24])],
            RecordsError::UnknownEntrant {
                game: "1.1".parse().unwrap(),
                name: "eve".to_owned(),
            },
        ),
        (
            vec![game("1.2", ["ada", "ada"], [24, 24])],
            RecordsError::OneEntrant("1.2".parse().unwrap()),
        ),
        (
            vec![game("1.1", AB, [24, 24]), game("1.1", AB, [25, 23])],
            RecordsError::TwoRecords("1.1".parse().unwrap()),
        ),
    ];
    for (records, error) in cases {
        assert_eq!(Tables::new(&two, &records).unwrap_err(), error);
    }
    let namesakes = names(&["ada", "bob", "ada"]);
    assert_eq!(
        Tables::new(&namesakes, &[]).unwrap_err(),
        RecordsError::TwoEntrantsOfOneName("ada".to_owned())
    );
}

#[test]
fn the_first_wrong_game_is_named_whatever_came_first() {
    let names = names(&AB);
    let mut records = vec![
        game("4.1", AB, [24, 24]),
        game("3.1", ["ada", "eve"], [24, 24]),
        game("2.2", ["bob", "bob"], [24, 24]),
        game("5.1", ["ada", "eve"], [24, 24]),
    ];
    for _ in 0..records.len() {
        records.rotate_left(1);
        let error = Tables::new(&names, &records).unwrap_err();
        assert_eq!(error, RecordsError::OneEntrant("2.2".parse().unwrap()));
    }
    for id in ["7.1", "6.2", "8.1"] {
        records.extend([game(id, AB, [24, 24]), game(id, AB, [25, 23])]);
    }
    for _ in 0..records.len() {
        records.rotate_left(1);
        let error = Tables::new(&names, &records).unwrap_err();
        assert_eq!(error, RecordsError::TwoRecords("6.2".parse().unwrap()));
    }
}

#[test]
fn records_that_differ_anywhere_differ() {
    let names = names(&AB);
    let first = game("1.1", AB, [24, 24]).with_plies("Ab", &[10, 20]);
    let fault_of = |side, fault: Fault| first.clone().ended(GameEnding::Fault(side, fault));
    let fault = |fault: Fault| fault_of(Side::South, fault);
    let crash = || Fault::new(FaultKind::Crash, "signal 9").after(5);
    let faulted = || fault(crash());
    let other = |change: fn(&mut GameRecord)| {
        let mut record = first.clone();
        change(&mut record);
        record
    };
    let resigned = |side| first.clone().ended(GameEnding::Resignation(side));
    let cases = [
        (first.clone(), other(|record| record.attempt = 2)),
        (first.clone(), other(|record| record.entrants.reverse())),
        (first.clone(), other(|record| record.opening = 2)),
        (
            first.clone(),
            other(|record| record.opening_moves = vec![Pit::from_letter('A').unwrap()]),
        ),
        (
            first.clone(),
            other(|record| record.start = "6-5-0-5-5-0-6-0-6-2-7-6-0-0-S".parse().unwrap()),
        ),
        (first.clone(), other(|record| record.plies.truncate(1))),
        (first.clone(), other(|record| record.plies[1].time_us = 21)),
        (
            first.clone(),
            other(|record| record.plies[1].pit = Pit::from_letter('c').unwrap()),
        ),
        (
            first.clone(),
            first.clone().ended(GameEnding::Rules(EndReason::Majority)),
        ),
        (first.clone(), first.clone().ended(GameEnding::Adjudicated)),
        (resigned(Side::South), resigned(Side::North)),
        (first.clone(), other(|record| record.stores = [23, 24])),
        (first.clone(), faulted()),
        (faulted(), fault_of(Side::North, crash())),
        (
            faulted(),
            fault(Fault::new(FaultKind::Timeout, "signal 9").after(5)),
        ),
        (
            faulted(),
            fault(Fault::new(FaultKind::Crash, "signal 6").after(5)),
        ),
        (faulted(), fault(Fault::new(FaultKind::Crash, "signal 9"))),
    ];
    let error = RecordsError::TwoRecords(first.id.clone());
    for (one, two) in cases {
        for records in [[&one, &two], [&two, &one]] {
            let refused = Tables::new(&names, records).unwrap_err();
            assert_eq!(refused, error, "{records:?}");
        }
        for record in [one, two] {
            let twice = Tables::new(&names, [&record, &record.clone()]).unwrap();
            assert_eq!(twice.games(), 1, "{record:?}");
        }
    }
    // No table shows the bots' `info`.
    let talked = other(|record| record.plies[0].info = Some("{}".to_owned()));
    let twice = Tables::new(&names, [&first, &talked]).unwrap();
    assert_eq!(twice.games(), 1);
}

#[test]
fn the_sheet_of_games_refuses_disorder() {
    for [first, second] in [["2.1", "1.2"], ["1.2", "1.1"], ["1.1", "1.1"]] {
        let add_both = || {
            let mut csv = GamesCsv::new(io::sink()).unwrap();
            csv.add(GameSummary::of(&game(first, AB, [24, 24])))
                .unwrap();
            csv.add(GameSummary::of(&game(second, AB, [24, 24])))
                .unwrap();
        };
        let added = std::panic::catch_unwind(add_both);
        assert!(added.is_err(), "{second} after {first}");
    }
}

#[test]
fn a_record_twice_or_after_a_void_attempt_counts_once() {
    let names = names(&AB);
    let void = game("1.1", AB, [0, 0]).ended(GameEnding::Void(Void::default()));
    let again = GameRecord {
        attempt: 2,
        ..game("1.1", AB, [25, 23])
    };
    let records = [again.clone(), void, again];
    let tables = Tables::new(&names, &records).unwrap();
    assert_eq!(
        columns(&csv_files(&tables)[0], &["games", "wins"]),
        ["1 1", "1 0"]
    );
    assert_eq!(tables.games(), 1);
}

#[test]
fn hostile_names_do_no_harm() {
    let hostile = [
        "=HYPERLINK(\"x\")",
        "\u{1b}[31m\u{202e}red\n2",
        "-1",
        "@x,\ty",
        "+\r",
    ];
    let names = names(&hostile);
    let mut records = Vec::new();
    for (pair, window) in (1..).zip(hostile.windows(2)) {
        let [first, second] = [window[0], window[1]];
        records.push(game(&format!("{pair}.1"), [first, second], [24, 24]));
        records.push(game(&format!("{pair}.2"), [second, first], [20, 28]));
    }
    let tables = Tables::new(&names, &records).unwrap();
    let guarded: Vec<String> = hostile
        .map(|name| match name.chars().next() {
            Some('=' | '+' | '-' | '@') => format!("'{name}"),
            _ => name.to_owned(),
        })
        .into();
    let [standings, crosstable] = csv_files(&tables);
    for (csv, columns) in [
        (standings, &["entrant"][..]),
        (crosstable, &["entrant", "opponent"]),
        (games_csv(&records), &["south", "north"]),
    ] {
        for row in rows(&csv) {
            for &column in columns {
                assert!(guarded.contains(&row[column]), "{:?}", row[column]);
            }
        }
    }
    // Elo below 0 are numbers, not text.
    let elo: Vec<f64> = rows(&csv_files(&tables)[0])
        .iter()
        .map(|row| row["elo"].parse().unwrap())
        .collect();
    assert!(elo.iter().any(|&elo| elo < 0.0));
    for shown in [
        standings_text(&tables),
        leaders(&tables, 9),
        tables.notes().concat(),
    ] {
        let harmful = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!shown.contains(harmful), "{shown:?}");
    }
    assert_eq!(standings_text(&tables).lines().count(), 1 + hostile.len());
}

#[test]
fn leaders_come_one_by_one_as_from_the_tables() {
    let (names, records) = (names(&["idle", "bob", "ada"]), own_openings(four_pairs()));
    let mut counted = Leaders::new(&names).unwrap();
    assert_eq!(counted.line(3, 0.5), "");
    for record in records.iter().rev() {
        counted.add(&GameSummary::of(record)).unwrap();
    }
    let tables = Tables::new(&names, &records).unwrap();
    // As in the tables, but half way 1.5487 times as wide: 216.09 · 1.5487 = 334.7.
    let line = "1. ada +48 ±335  2. bob -48 ±335";
    assert_eq!(counted.line(3, 0.5), line);
    assert_eq!(counted.line(3, 1.0), line.replace("335", "216"));
    assert_eq!(leaders(&tables, 3), line.replace("335", "216"));
    let stranger = game("9.1", ["ada", "eve"], [24, 24]);
    assert!(counted.add(&GameSummary::of(&stranger)).is_err());
    assert_eq!(counted.line(3, 0.5), line);
}

/// One random game: whether it exists, its ending, its stores and times.
type RandomGame = (bool, usize, [u8; 2], Vec<u64>);

fn random_game() -> impl Strategy<Value = RandomGame> {
    let stores = (0_u8..=48).prop_flat_map(|south| (Just(south), 0..=48 - south));
    (
        prop::bool::weighted(0.9),
        0_usize..6,
        stores.prop_map(|(south, north)| [south, north]),
        prop::collection::vec(0_u64..1 << 40, 0..4),
    )
}

fn record_of(pair: u32, number: GameNumber, sides: [&String; 2], random: RandomGame) -> GameRecord {
    let (_, ending, stores, times_us) = random;
    let moves: String = "AbCd".chars().take(times_us.len()).collect();
    let id = GameId {
        pair: PairId::numbered(pair),
        number,
    };
    let record = game(&id.to_string(), [sides[0], sides[1]], stores).with_plies(&moves, &times_us);
    match ending {
        0 => record.faulted(Side::South, FaultKind::Crash),
        1 => record.faulted(Side::North, FaultKind::StartFailure),
        2 => record.ended(GameEnding::Resignation(Side::North)),
        3 => record.ended(GameEnding::Void(Void::new("chance"))),
        _ => record,
    }
}

/// Entrants with names of any characters, and some of their games, in any order.
fn tournament() -> impl Strategy<Value = (Vec<String>, Vec<GameRecord>)> {
    (2_usize..6)
        .prop_flat_map(|entrants| {
            let pair = (0..entrants, 1..entrants, random_game(), random_game());
            (
                prop::collection::vec(any::<String>(), entrants),
                prop::collection::vec(pair, 0..25),
            )
        })
        .prop_map(|(stems, pairs)| {
            let names: Vec<String> = stems
                .into_iter()
                .zip(0..)
                .map(|(stem, number)| format!("{stem}{number}"))
                .collect();
            let mut records = Vec::new();
            for (id, (first, step, one, two)) in (1..).zip(pairs) {
                let second = (first + step) % names.len();
                for (number, sides, random) in [
                    (GameNumber::First, [first, second], one),
                    (GameNumber::Second, [second, first], two),
                ] {
                    if random.0 {
                        let sides = sides.map(|side| &names[side]);
                        records.push(record_of(id, number, sides, random));
                    }
                }
            }
            (names, records)
        })
        .prop_flat_map(|(names, records)| (Just(names), Just(records).prop_shuffle()))
}

/// The sum of a column.
fn sum(rows: &[BTreeMap<String, String>], column: &str) -> u64 {
    rows.iter()
        .map(|row| row[column].parse::<u64>().unwrap())
        .sum()
}

proptest! {
    #[test]
    fn the_order_of_records_changes_nothing((names, records) in tournament()) {
        let mut sorted = records.clone();
        sorted.sort_by_key(|record| record.id.clone());
        let tables = Tables::new(&names, &records).unwrap();
        prop_assert_eq!(
            everything(&tables),
            everything(&Tables::new(&names, &sorted).unwrap())
        );
    }

    #[test]
    fn totals_agree((names, records) in tournament()) {
        let tables = Tables::new(&names, &records).unwrap();
        let [standings, crosstable] = csv_files(&tables).map(|csv| rows(&csv));
        let games = rows(&games_csv(&records));
        let counted: Vec<_> = records.iter().filter(|record| !record.is_void()).collect();
        let played = counted.len() as u64;

        prop_assert_eq!(standings.len(), names.len());
        prop_assert_eq!((games.len() as u64, tables.games()), (played, played));
        for table in [&standings, &crosstable] {
            prop_assert_eq!(sum(table, "games"), 2 * played);
            prop_assert_eq!(sum(table, "wins"), sum(table, "losses"));
            prop_assert_eq!(
                sum(table, "wins") + sum(table, "draws") + sum(table, "losses"),
                2 * played
            );
        }
        let draws = games.iter().filter(|row| row["result"] == "1/2-1/2").count() as u64;
        prop_assert_eq!(sum(&standings, "draws"), 2 * draws);

        let seeds = |side: usize| counted.iter().map(|r| u64::from(r.stores[side])).sum::<u64>();
        prop_assert_eq!(sum(&standings, "seeds_for"), seeds(0) + seeds(1));
        prop_assert_eq!(sum(&standings, "seeds_against"), seeds(0) + seeds(1));
        prop_assert_eq!(sum(&games, "store_south"), seeds(0));

        let crashes = games.iter().filter(|row| row["ending"] == "crash").count() as u64;
        prop_assert_eq!(sum(&standings, "crash"), crashes);
        let failures = games.iter().filter(|row| row["ending"] == "start-failure").count();
        prop_assert_eq!(sum(&standings, "start_failure"), failures as u64);

        let complete = counted
            .iter()
            .filter(|record| record.id.number == GameNumber::First)
            .filter(|first| counted.iter().any(|other| {
                other.id.pair == first.id.pair && other.id.number == GameNumber::Second
            }))
            .count();
        prop_assert_eq!(sum(&standings, "pairs"), 2 * complete as u64);
    }

    #[test]
    fn every_number_is_a_number((names, records) in tournament()) {
        let tables = Tables::new(&names, &records).unwrap();
        let words = [
            "entrant", "opponent", "bound", "relative_to", "may_be_best", "south", "north",
            "result", "ending",
            "fault_side",
            "opening_moves", "start", "moves",
        ];
        let [standings, crosstable] = csv_files(&tables);
        for csv in [standings, crosstable, games_csv(&records)] {
            for (column, cell) in rows(&csv).into_iter().flatten() {
                let is_number = !cell.is_empty() && !words.contains(&column.as_str());
                if is_number {
                    let value = cell.parse::<f64>();
                    prop_assert!(value.is_ok_and(f64::is_finite), "{column}: {cell}");
                }
            }
        }
        if let Some(advantage) = tables.standings().ratings().advantage {
            let finite = advantage.elo.is_finite() && advantage.error95.is_none_or(f64::is_finite);
            prop_assert!(finite, "{advantage:?}");
        }
        for row in rows(&csv_files(&tables)[0]) {
            let known = row["games"] != "0";
            for column in ["rank", "elo", "score", "pool"] {
                prop_assert_eq!(!row[column].is_empty(), known, "{}", column);
            }
            prop_assert!(row["bound"].is_empty() || row["error95"].is_empty());
        }
    }

    #[test]
    fn ranks_follow_elo_and_one_sided_results((names, records) in tournament()) {
        let tables = Tables::new(&names, &records).unwrap();
        let standings = tables.standings();
        let ratings = standings.ratings();
        let number = |row: &StandingsRow| names.iter().position(|name| *name == row.entrant);
        let group = |row: &StandingsRow| ratings.ratings[number(row).unwrap()].group;
        let mut before: Vec<&StandingsRow> = Vec::new();
        for row in standings.rows().iter().filter(|row| row.rank.is_some()) {
            before.retain(|other| other.pool == row.pool);
            let ahead = before.iter().filter(|other| other.rank < row.rank).count();
            prop_assert_eq!(row.rank, Some(1 + ahead));
            for other in &before {
                prop_assert!(other.rank <= row.rank);
                let connectivity = &ratings.connectivity;
                prop_assert!(!connectivity.is_above(group(row), group(other)));
                if group(row) == group(other) {
                    prop_assert!(other.elo.unwrap() > row.elo.unwrap() - 0.1);
                }
            }
            before.push(row);
        }
    }
}

/// The tables of this room, with their columns as `docs/tables.md` explains them.
pub fn documented_tables() -> Vec<(&'static str, String)> {
    vec![
        ("standings.csv", documented(standings::STANDINGS)),
        ("crosstable.csv", documented(crosstable::CROSSTABLE)),
        ("los.csv", documented(crosstable::LOS)),
        ("history.csv", documented(history::HISTORY)),
        ("openings.csv", documented(openings::OPENINGS)),
        ("games.csv", documented(games::GAMES)),
        ("hosts.csv", documented(hosts::HOSTS)),
        ("accuracy.csv", documented(accuracy::ACCURACY)),
        ("endgames.csv", documented(accuracy::ENDGAMES)),
        ("rounds.csv", documented(rounds::ROUNDS)),
        ("places.csv", documented(rounds::PLACES)),
        ("bracket.csv", documented(rounds::BRACKET)),
        ("faults.csv", documented(faults::FAULTS)),
        ("noise.csv", HostNoise::documented()),
    ]
}

#[test]
fn each_fault_has_its_column() {
    let column = standings::STANDINGS
        .iter()
        .find(|it| it.names.contains(&"timeout"));
    let names = FaultKind::ALL.map(|kind| kind.name().replace('-', "_"));
    assert_eq!(column.expect("a column").names, names);
}
