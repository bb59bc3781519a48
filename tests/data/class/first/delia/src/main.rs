//! A bot of a student: its first legal pit.

use std::io::{stdin, BufRead};

fn main() {
    for line in stdin().lock().lines() {
        let line = line.unwrap();
        if let Some((_, legal)) = line.split_once("\"legal\":[") {
            println!("{{\"type\":\"move\",\"pit\":{}}}", legal.parse::<u8>().unwrap());
        } else if line.contains("\"hello\"") || line.contains("\"new-game\"") {
            println!("{{\"type\":\"ready\"}}");
        }
    }
}
