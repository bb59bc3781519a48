//! The program `awale`.

fn main() {}
