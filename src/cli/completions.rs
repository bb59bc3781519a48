//! `awale completions`: what shells complete, and manual pages, from the definition of the
//! arguments.

use super::args::{Arguments, CompletionsArguments};
use super::exit::{Exit, Failure, say_data, tell};
use clap::CommandFactory as _;

/// The name of the program, as it is typed.
const PROGRAM: &str = "awale";

/// Prints the completions of a shell, or writes a page for each command into a folder.
///
/// # Errors
/// Those of standard output and of the disk.
pub fn completions(arguments: &CompletionsArguments) -> Result<Exit, Failure> {
    let mut command = Arguments::command();
    if let Some(folder) = &arguments.man {
        std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(command, folder))
            .map_err(|error| {
                let folder = folder.display();
                Failure::machine(format!(
                    "cannot write the manual pages to {folder}: {error}"
                ))
            })?;
        tell(&format!("the manual pages are in {}", folder.display()));
        return Ok(Exit::Done);
    }
    let shell = arguments.shell.expect("clap asks for a shell or a folder");
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, PROGRAM, &mut text);
    say_data(&text)
}
