//! The questions to interpreters about their folders. A name in PATH may be a script that needs
//! half a second for its answer, so each is asked once, before the answer is needed, and all of
//! them at the same time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The program that builds in Rust.
const CARGO: &str = "cargo";
/// The question for an interpreter's executable and its folders, one per line.
const QUESTIONS: [(&str, &[&str]); 4] = [
    (
        "python",
        &[
            "-I",
            "-c",
            "import sys; print(sys.executable, sys.prefix, sys.base_prefix, sep='\\n')",
        ],
    ),
    ("node", &["-p", "process.execPath"]),
    ("go", &["env", "GOROOT"]),
    (CARGO, &["--print", "sysroot"]),
];

/// The processes that have not been asked for their answer yet, by the program.
#[derive(Debug, Default)]
pub struct Questions(RefCell<BTreeMap<PathBuf, Child>>);

impl Questions {
    /// Starts a program with a question for which there is one, unless it runs already.
    pub fn start(&self, program: &Path, variables: impl Iterator<Item = (String, OsString)>) {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let mut questions = QUESTIONS.iter();
        let question = questions.find(|(start, _)| name.starts_with(start));
        let mut running = self.0.borrow_mut();
        let Some((_, question)) = question.filter(|_| !running.contains_key(program)) else {
            return;
        };
        // Cargo does not say where it is installed; the compiler beside it does.
        let asked = if name == CARGO {
            program.with_file_name("rustc")
        } else {
            program.to_owned()
        };
        let child = Command::new(asked)
            .args(*question)
            .env_clear()
            .envs(variables)
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        // A program that cannot be started has no answer.
        if let Ok(child) = child {
            running.insert(program.to_owned(), child);
        }
    }

    /// What a program that was started writes to its standard output.
    pub fn answer(&self, program: &Path) -> Option<Vec<u8>> {
        let child = self.0.borrow_mut().remove(program)?;
        let output = child.wait_with_output().ok()?;
        Some(output.stdout)
    }
}

/// No process is left behind whose answer was not needed.
impl Drop for Questions {
    fn drop(&mut self) {
        for child in self.0.get_mut().values_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
