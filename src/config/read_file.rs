//! Reads the file of a configuration, and says what was meant if there is none.

use super::MOST_PLAN_MIB;
use crate::files;
use crate::text::did_you_mean;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The bytes of a configuration, or why it cannot be read.
pub fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    files::read(path, MOST_PLAN_MIB).map_err(|error| {
        let advice = match error.kind() {
            ErrorKind::NotFound => {
                let meant = meant_file(path);
                format!("{meant}; `awale init` writes a first one")
            }
            _ => String::new(),
        };
        format!("cannot read this configuration: {error}{advice}")
    })
}

/// `; did you mean …`, if a configuration in its folder has a name like it.
fn meant_file(path: &Path) -> String {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new(".")));
    let names: Vec<String> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension() == Some("toml".as_ref()))
        .collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    let typed = path.file_name().and_then(|name| name.to_str());
    did_you_mean(typed.unwrap_or_default(), &names, ["\"", "\""])
}
