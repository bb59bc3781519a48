//! The program `awale`: everything is in the library, so that tests and other programs can use it.

fn main() -> std::process::ExitCode {
    awale::cli::main()
}
