//! The boundary of trust: every place in `src` that starts a program, opens or lists what a path
//! names, follows links, or shows a part of the host to a box, with who decides that path. A new
//! place fails this test until it stands in the table; `docs/isolation.md` says what bounds each
//! kind.

use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Who decides a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decides {
    /// The configuration, the command line or PATH: trusted, checked against entrants' folders
    /// where a submission might have prepared it.
    Organiser,
    /// A submission: hostile. Only `bot/submission` opens such a path, from its root down, and
    /// only to hash and copy regular files.
    Submission,
    /// The run: its folder, its stage, its store, its control groups.
    Run,
    /// The host: `/proc`, `/sys`, `/etc`, this very program.
    Host,
    /// Inside a box, or behind Landlock: whatever it is, it runs there.
    Box,
}

impl Decides {
    fn from_name(name: &str) -> Option<Self> {
        let all = [
            Self::Organiser,
            Self::Submission,
            Self::Run,
            Self::Host,
            Self::Box,
        ];
        all.into_iter().find(|it| format!("{it:?}") == name)
    }
}

/// What starts, opens, lists, follows or shows. The options of bubblewrap that show a part of the
/// host stand in texts.
const CALLS: &str = r#"(?x-u)
    \b (Command::new | File::open | File::options | OpenOptions::new
        | fs::(?:read_to_string | read_dir | read_link | read | copy | canonicalize)) \b
    | (\.canonicalize | \.read_dir | \bopenat | \breadlinkat | \bmount_bind_recursive | \bexecve) \(
    | "(--ro-bind | --bind | --dev-bind | --overlay | --file)"#;

/// Each place: who decides the path, the file below `src`, the function, and what it does there.
const PLACES: &str = "
Organiser   cli/check/output.rs                    target               .canonicalize
Organiser   cli/check/output.rs                    target               File::options
Organiser   cli/init/mod.rs                        write_new            OpenOptions::new
Organiser   cli/replay_to_bot/recording.rs         command              Command::new
Organiser   cli/replay_to_bot/program.rs           typed_command        Command::new
Organiser   cli/merge.rs                           check_folder         fs::read_dir
Organiser   cli/merge.rs                           end_jobs             Command::new
Organiser   cli/merge.rs                           journals             fs::read_dir
Organiser   cli/report.rs                          is_same              fs::canonicalize
Organiser   cli/shard/scripts.rs                   site_limit           Command::new
Organiser   cli/shard/mod.rs                       private_file         OpenOptions::new
Organiser   cli/shard/scripts.rs                   write_scripts        fs::canonicalize
Organiser   config/program.rs                      tools                .canonicalize
Organiser   config/class/mod.rs                     list                 fs::read_dir
Organiser   config/file_access.rs                  named_file           .canonicalize
Organiser   config/file_access.rs                  readable             fs::canonicalize
Organiser   config/finder.rs                       directory            .canonicalize
Organiser   config/finder.rs                       read_files           .canonicalize
Organiser   config/mod.rs                          meant_file           fs::read_dir
Organiser   config/toolchains.rs                   start                Command::new
Organiser   config/trust.rs                        real                 .canonicalize
Organiser   config/trust.rs                        steps                fs::read_link
Organiser   config/finder.rs                       house_bot            .canonicalize
Organiser   endgame_file/build.rs                  finish               File::open
Organiser   endgame_file/build.rs                  lock                 File::options
Organiser   isolation/supervisor/delegation.rs     gives_scopes         Command::new
Organiser   isolation/supervisor/delegation.rs     take_scope           Command::new
Organiser   isolation/supervisor/first_process.rs  names_shared_memory  .canonicalize
Organiser   nats/embedded.rs                       begin                Command::new
Organiser   nats/parcel.rs                         real                 .canonicalize
Submission  bot/submission/file.rs                 copy_file            File::options
Submission  bot/submission/file.rs                 open_listed          openat
Submission  bot/submission/file.rs                 small_file           openat
Submission  bot/submission/mod.rs                  link                 readlinkat
Submission  bot/submission/mod.rs                  open_folder          openat
Submission  bot/submission/mod.rs                  read                 openat
Run         bot/build/mod.rs                       run                  File::options
Run         bot/build/unpack.rs                    hard_link            File::open
Run         bot/build/unpack.rs                    write                File::options
Run         bot/control_group/family.rs            all_below_are_frozen fs::read_to_string
Run         bot/control_group/family.rs            await_empty          File::open
Run         bot/control_group/family.rs            is_empty             fs::read_to_string
Run         bot/control_group/family.rs            kill                 fs::read_to_string
Run         bot/control_group/family.rs            members              fs::read_to_string
Run         bot/control_group/family.rs            subfolders           fs::read_dir
Run         bot/control_group/group.rs             number_in            fs::read_to_string
Run         bot/control_group/group.rs             open_files           File::open
Run         bot/control_group/group.rs             open_files           OpenOptions::new
Run         bot/control_group/hierarchy.rs         read_count           fs::read_to_string
Run         bot/control_group/hierarchy.rs         write_control        OpenOptions::new
Run         bot/control_group/host_limits.rs       of                   fs::read_to_string
Run         bot/control_group/hierarchy.rs         branch_of_two        fs::read_to_string
Run         bot/control_group/hierarchy.rs         offers               fs::read_to_string
Run         bot/control_group/hierarchy.rs         throttling_files     File::open
Run         bot/control_group/mod.rs               remove_folders       fs::read_dir
Run         bot/sandbox/layout.rs                  mount                mount_bind_recursive
Run         bot/sandbox/bwrap_args.rs              show                 --ro-bind
Run         bot/sandbox/machine.rs                 covers               fs::read_dir
Run         bot/sandbox/store.rs                   remove_store         fs::read
Run         cli/run/sandboxes.rs                   real_path            .canonicalize
Run         files/folder.rs                        descend              openat
Organiser   files/folder.rs                        open                 openat
Run         nats/parcel.rs                         list                 fs::read_dir
Run         nats/parcel.rs                         list                 fs::read_link
Run         files/mod.rs                           open_at              openat
Run         files/removal.rs                       open_folder          openat
Run         isolation/supervisor/guard.rs          remove_stale_traces  fs::read_dir
Box         bot/sandbox/init/inner.rs              start                Command::new
Box         bot/sandbox/init/outer.rs              become_command       execve
Box         isolation/probe/attempts.rs            capabilities         fs::read_to_string
Box         isolation/probe/attempts.rs            environments         File::open
Box         isolation/probe/attempts.rs            execute              Command::new
Box         isolation/probe/attempts.rs            listed               fs::read_dir
Box         isolation/probe/attempts.rs            mounts               fs::read
Box         isolation/probe/attempts.rs            read                 File::open
Box         isolation/probe/attempts.rs            write                File::options
Box         isolation/probe/attempts.rs            write_new            File::options
Box         cli/adapter/program.rs                 start                Command::new
Box         isolation/probe/children.rs            start                Command::new
Host        bot/sandbox/machine.rs                 write_covers         fs::read_dir
Host        cli/replay_to_bot/mod.rs               house_command        Command::new
Host        bot/process/pipes.rs                   reopen_to_wait       File::options
Host        bot/process/core_clock.rs              of_this_thread       File::open
Host        bot/sandbox/bwrap_args.rs              words                --dev-bind
Host        bot/sandbox/bwrap_args.rs              words                --ro-bind
Run         bot/sandbox/init/inner.rs              cover_proc           fs::read_dir
Host        bot/sandbox/init/own_process.rs        keep_to_ourselves    fs::read_dir
Host        bot/sandbox/init/inner.rs              open                 openat
Host        bot/sandbox/init/outer.rs              attempt_streams      File::open
Host        bot/sandbox/init/outer.rs              attempt_streams      File::options
Host        bot/sandbox/machine.rs                 read                 fs::read_to_string
Host        bot/sandbox/sandboxed_bot.rs           helper_command       Command::new
Host        bot/sandbox/system.rs                  copy_file            fs::copy
Host        bot/sandbox/system.rs                  copy_for_all         fs::copy
Host        bot/sandbox/system.rs                  copy_for_all         fs::read_dir
Host        bot/sandbox/system.rs                  copy_for_all         fs::read_link
Host        bot/sandbox/system.rs                  layout               fs::read_dir
Host        bot/sandbox/system.rs                  system_path          fs::read_link
Host        config/machine.rs                      siblings             fs::read_to_string
Host        config/machine.rs                      this                 fs::read_to_string
Host        isolation/self_test.rs                 advice               fs::read_to_string
Host        isolation/supervisor/first_process.rs  beginning_of         File::open
Host        isolation/supervisor/parent.rs         open_referees        File::open
Host        isolation/supervisor/roles.rs          start                Command::new
Host        procfs/cores.rs                        idle_and_stolen      fs::read_to_string
Host        procfs/family.rs                       children             fs::read_dir
Host        procfs/family.rs                       children             fs::read_to_string
Host        procfs/family.rs                       children_of_all      fs::read_dir
Host        procfs/family.rs                       command_lines_of_others fs::read
Host        procfs/family.rs                       command_lines_of_others fs::read_dir
Host        procfs/family.rs                       shows_children       fs::read
Host        procfs/family.rs                       threads              fs::read_dir
Host        procfs/memory.rs                       deleted_files        fs::read
Host        procfs/memory.rs                       deleted_files        fs::read_dir
Host        procfs/memory.rs                       deleted_files        fs::read_link
Host        procfs/memory.rs                       host_kills           fs::read_to_string
Host        procfs/memory.rs                       machine_memory_bytes fs::read_to_string
Host        procfs/memory.rs                       of                   fs::read
Host        procfs/memory.rs                       peak_memory_kib      fs::read
Host        procfs/memory.rs                       pipes_and_sockets    fs::read_dir
Host        procfs/memory.rs                       pipes_and_sockets    fs::read_link
Host        procfs/memory.rs                       proportional_bytes   fs::read_to_string
Host        procfs/memory.rs                       storage_bytes_read   fs::read_to_string
Host        procfs/stat.rs                         own_file             fs::read
Host        procfs/cores.rs                        file_of_this_thread  File::open
Host        procfs/cores.rs                        of                   File::open
Host        procfs/cores.rs                        of_thread            File::open
Host        procfs/stat.rs                         read                 fs::read
Host        procfs/stat.rs                         of_this_process      fs::read
Host        procfs/stat.rs                         of_thread            fs::read
";

/// What to do with a place that is not in the table.
const BETTER: &str = "ask who decides the path. A submission: take `bot::Submission` or \
                      `bot::read_file`, or let it be done inside a box. Otherwise add the place \
                      to PLACES in tests/trust_boundary.rs, and to the table in docs/isolation.md \
                      if it is of a new kind";

/// File below `src`, function, call.
type Place = (String, String, String);

/// The places of a file below `src`. The function of a place is the one that began last.
fn places_in(file: &str, text: &str) -> BTreeSet<Place> {
    let calls = Regex::new(CALLS).expect("an expression");
    let head = Regex::new(r"(?-u)\bfn (\w+)").expect("an expression");
    let mut function = String::new();
    let mut found = BTreeSet::new();
    let code = text
        .split("\n#[cfg(test)]\nmod tests {")
        .next()
        .expect("a part");
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    for line in code.lines().filter(|line| !is_comment(line)) {
        if let Some(name) = head.captures(line) {
            name[1].clone_into(&mut function);
        }
        for call in calls.captures_iter(line) {
            let call = call.iter().skip(1).flatten().next().expect("one of them");
            found.insert((file.to_owned(), function.clone(), call.as_str().to_owned()));
        }
    }
    found
}

/// The table.
fn rows() -> Vec<(Decides, Place)> {
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [decides, file, function, call] = words[..] else {
            panic!("not four words: {line}");
        };
        let decides = Decides::from_name(decides).unwrap_or_else(|| panic!("who is it? {line}"));
        (
            decides,
            (file.to_owned(), function.to_owned(), call.to_owned()),
        )
    };
    PLACES
        .lines()
        .filter(|line| !line.is_empty())
        .map(row)
        .collect()
}

fn below(folder: &Path, found: &mut BTreeSet<Place>) {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(folder)
        .expect("a folder of the source")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            below(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("tests.rs") {
            let name = path.strip_prefix(&src).expect("below src");
            let text = fs::read_to_string(&path).expect("a source file");
            found.extend(places_in(&name.to_string_lossy(), &text));
        }
    }
}

#[test]
fn every_path_that_is_run_opened_or_shown_has_a_decider() {
    let mut found = BTreeSet::new();
    below(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut found,
    );
    let rows = rows();
    let table: BTreeSet<Place> = rows.iter().map(|(_, place)| place.clone()).collect();
    assert_eq!(table.len(), rows.len(), "a place stands in the table once");
    let new: Vec<String> = found
        .difference(&table)
        .map(|(file, function, call)| format!("DECIDES  {file}  {function}  {call}"))
        .collect();
    assert!(
        new.is_empty(),
        "not in the table: {BETTER}:\n{}",
        new.join("\n")
    );
    let gone: Vec<&Place> = table.difference(&found).collect();
    assert!(
        gone.is_empty(),
        "in the table, and not in the source: {gone:#?}"
    );
}

/// The one room that opens what a submission names.
#[test]
fn only_the_reader_of_submissions_opens_what_they_name() {
    for (decides, (file, function, _)) in rows() {
        let is_reader = file.starts_with("bot/submission/");
        assert_eq!(
            decides == Decides::Submission,
            is_reader,
            "{file} {function}"
        );
    }
}

#[test]
fn places_are_found() {
    let text = "fn f() {\n let x = std::process::Command::new(a);\n x.read_dir()?; }\n\
                fn g() { line.put(\"--ro-bind\", b); fs::read(c) }\n\
                #[cfg(test)]\nmod tests { fn h() { File::open(d) } }\n";
    let found = places_in("a.rs", text);
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|it| (it.1.as_str(), it.2.as_str()))
        .collect();
    let expected = [
        ("f", ".read_dir"),
        ("f", "Command::new"),
        ("g", "--ro-bind"),
        ("g", "fs::read"),
    ];
    assert_eq!(found, expected);
}
