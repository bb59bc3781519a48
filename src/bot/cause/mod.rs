//! The cause of a program's end, as its standard error names it: the message of an exception that
//! the program did not catch, with its file and line, else the last line. The text is hostile.
//!
//! Programs report their end in the form of their language's runtime. Where a program has reported
//! several times, the last report counts.

use crate::text::printable;
use std::path::Path;

/// Characters of a message, and of a place.
const MOST_CHARACTERS: usize = 300;

/// What `env` adds below its message about a program that it does not find.
const ADVICE_OF_ENV: &str = ": use -[v]S to pass options in shebang lines";

/// The cause of a program's end in one short line that is safe to print: `: IndexError: list index
/// out of range (bot.py:12)` for an exception, and `; standard error ends with "oh no"` for any
/// other text. Empty if there is no text. Paths in `folder`, where the program ran, are shortened.
pub fn cause(standard_error: &[u8], folder: &Path) -> String {
    let text = String::from_utf8_lossy(standard_error);
    let lines: Vec<&str> = text.lines().collect();
    if let Some(Traceback { message, place, .. }) = last_report(&lines) {
        let place = place.map(|place| format!(" ({})", short(&in_folder(&place, folder))));
        return format!(": {}{}", short(&message), place.unwrap_or_default());
    }
    let mut lines = lines.iter().map(|line| line.trim());
    let last = lines.rfind(|line| !line.is_empty() && !line.ends_with(ADVICE_OF_ENV));
    let words = last.map(|line| format!("; standard error ends with \"{}\"", short(line)));
    words.unwrap_or_default()
}

/// A path without the folder that it is in.
fn in_folder(path: &str, folder: &Path) -> String {
    let inside = Path::new(path).strip_prefix(folder);
    inside.map_or_else(|_| path.to_owned(), |it| it.to_string_lossy().into_owned())
}

/// The beginning of a text, safe to print.
fn short(text: &str) -> String {
    let mut characters = text.trim().chars();
    let mut shown: String = characters.by_ref().take(MOST_CHARACTERS).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    printable(&shown)
}

/// A report: what happened, and where.
pub struct Traceback {
    /// The line where the report begins, to tell which of several is the last.
    line: usize,
    pub message: String,
    /// File and line: `bot.py:12`.
    pub place: Option<String>,
}

impl Traceback {
    fn new(line: usize, message: impl Into<String>, place: Option<&str>) -> Self {
        Self {
            line,
            message: message.into(),
            place: place.map(str::to_owned),
        }
    }
}

/// A language's way to report.
type Recogniser = fn(&[&str]) -> Option<Traceback>;

const RECOGNISERS: [Recogniser; 9] = [
    python, javascript, java, rust, cpp, sanitizer, go, dotnet, ruby,
];

/// The last report in these lines.
pub fn last_report(lines: &[&str]) -> Option<Traceback> {
    let reports = RECOGNISERS.iter().filter_map(|recognise| recognise(lines));
    reports.max_by_key(|report| report.line)
}

/// The index of the last line that begins with this text.
fn last_with(lines: &[&str], beginning: &str) -> Option<usize> {
    lines.iter().rposition(|line| line.starts_with(beginning))
}

/// Whether a text is the name of a type: `json.decoder.JSONDecodeError`.
fn is_name(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "_.$:".contains(letter);
    text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && text.chars().all(is_part)
}

/// Path and line of a frame of Python.
fn python_frame(line: &str) -> Option<(&str, &str)> {
    let (path, rest) = line.strip_prefix("  File \"")?.split_once("\", line ")?;
    Some((path, rest.split(',').next()?))
}

/// `  File "/bot/bot.py", line 3, in main`, its source, and the exception without an indent. A
/// `SyntaxError` has one frame and no head.
fn python(lines: &[&str]) -> Option<Traceback> {
    // An ExceptionGroup has a frame of its own.
    let bare = |line: &&str| line.strip_prefix("  | ").unwrap_or(line).to_owned();
    let lines: Vec<String> = lines.iter().map(bare).collect();
    let last = lines
        .iter()
        .rposition(|line| python_frame(line).is_some())?;
    let mut rest = lines[last + 1..].iter();
    let message = rest.find(|it| !it.is_empty() && !it.starts_with(char::is_whitespace))?;
    if !is_name(message.split(": ").next()?.trim_end_matches(':')) {
        return None;
    }
    let frames = lines[..=last].iter().rev();
    let frames = frames.take_while(|line| line.starts_with(' '));
    let frames: Vec<(&str, &str)> = frames.filter_map(|line| python_frame(line)).collect();
    let is_library = |path: &str| {
        path.starts_with('<') || path.contains("/lib/python") || path.contains("-packages/")
    };
    let own = frames.iter().find(|(path, _)| !is_library(path));
    let (path, line) = own.or(frames.first())?;
    Some(Traceback {
        line: last,
        message: message.clone(),
        place: Some(format!("{path}:{line}")),
    })
}

/// The place in a frame of JavaScript: `    at pick (/bot/bot.js:2:32)`.
fn javascript_place(frame: &str) -> Option<&str> {
    let frame = frame.strip_prefix("    at ")?;
    let inner = frame.rsplit_once('(').map_or(frame, |(_, inner)| inner);
    let place = inner.split(')').next()?;
    let place = place.strip_prefix("async ").unwrap_or(place);
    let place = place.strip_prefix("file://").unwrap_or(place);
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (rest, column) = place.rsplit_once(':')?;
    let (_, line) = rest.rsplit_once(':')?;
    (is_number(line) && is_number(column) && !place.starts_with("node:")).then_some(place)
}

/// Node: the source with carets, an empty line, the exception, its frames, and `Node.js v20.1.0` at
/// the end. Other runtimes leave parts of that out.
fn javascript(lines: &[&str]) -> Option<Traceback> {
    let is_frame = |line: &&str| line.starts_with("    at ");
    let is_node = lines.iter().rfind(|line| !line.is_empty());
    let is_node = is_node.is_some_and(|line| line.starts_with("Node.js v"));
    let is_caret =
        |line: &&str| !line.trim().is_empty() && line.trim().bytes().all(|it| it == b'^');
    let caret = lines.iter().rposition(is_caret).filter(|_| is_node);
    let last_frame = lines.iter().rposition(is_frame);
    let first_frame = last_frame.map(|last| {
        let others = lines[..last].iter().rev();
        last - others.take_while(|line| is_frame(line)).count()
    });
    let head = match (caret, first_frame) {
        (Some(caret), _) => caret + 1 + lines[caret + 1..].iter().position(|it| !it.is_empty())?,
        (None, Some(first)) => {
            let above = lines[..first].iter().rev();
            let head = first - above.take_while(|line| !line.is_empty()).count();
            let is_head = |line: &&str| is_javascript_head(line);
            head + lines[head..first].iter().rposition(is_head)?
        }
        (None, None) => return None,
    };
    let frames = lines[head..].iter().skip_while(|line| !is_frame(line));
    let mut places = frames.take_while(|line| is_frame(line)).copied();
    // A program that cannot be read has its own place above its source.
    let above = caret.and_then(|caret| lines[..caret].iter().rfind(|line| is_file_and_line(line)));
    let place = places.find_map(javascript_place).or(above.copied());
    Some(Traceback::new(head, *lines.get(head)?, place))
}

/// `TypeError: x is undefined`, `Error [ERR_MODULE_NOT_FOUND]: …`, `error: Uncaught TypeError: …`.
fn is_javascript_head(line: &str) -> bool {
    let name = line.split(": ").next().unwrap_or_default();
    let name = name.split(" [").next().unwrap_or_default();
    is_name(name) && name.to_lowercase().ends_with("error")
}

/// `/bot/bot.js:12`
fn is_file_and_line(line: &str) -> bool {
    let parts = line.rsplit_once(':');
    let is_line = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    line.starts_with('/') && parts.is_some_and(|(_, line)| is_line(line))
}

/// `Exception in thread "main" java.lang.RuntimeException: …`, frames, and perhaps the exception
/// behind it after `Caused by: `.
fn java(lines: &[&str]) -> Option<Traceback> {
    const THREAD: &str = "Exception in thread \"";
    const CAUSE: &str = "Caused by: ";
    const NO_CLASS: &str = "Error: Could not find or load main class ";
    if let Some(line) = last_with(lines, NO_CLASS) {
        // A class in a package has another name than its file.
        let cause = lines.get(line + 1).and_then(|it| it.strip_prefix(CAUSE));
        let cause = cause.filter(|it| it.contains("(wrong name: "));
        return Some(Traceback::new(line, cause.unwrap_or(lines[line]), None));
    }
    let head = last_with(lines, THREAD)?;
    let line = head + last_with(&lines[head..], CAUSE).unwrap_or(0);
    let message = match lines[line].strip_prefix(CAUSE) {
        Some(message) => message,
        None => lines[line].strip_prefix(THREAD)?.split_once("\" ")?.1,
    };
    let is_library = |frame: &&str| {
        let libraries = ["java.", "jdk.", "javax.", "sun.", "kotlin.", "scala."];
        libraries.iter().any(|library| frame.starts_with(library))
    };
    let frames = lines[line + 1..].iter();
    let mut frames = frames.filter_map(|line| line.strip_prefix("\tat "));
    let frame = frames.find(|frame| !is_library(frame));
    let place = frame.and_then(|frame| frame.split_once('(')?.1.strip_suffix(')'));
    Some(Traceback::new(line, message, place))
}

/// `thread 'main' (17) panicked at src/main.rs:3:5:` and the message below it; before Rust 1.73 the
/// message comes first, in apostrophes.
fn rust(lines: &[&str]) -> Option<Traceback> {
    const PANICKED: &str = " panicked at ";
    let is_thread = |line: &&str| line.starts_with("thread '");
    let is_panic = |line: &&str| is_thread(line) && line.contains(PANICKED);
    let is_overflow = |line: &&str| is_thread(line) && line.ends_with("has overflowed its stack");
    let last = lines
        .iter()
        .rposition(|it| is_panic(it) || is_overflow(it))?;
    if is_overflow(&lines[last]) {
        // A number of the thread may follow its name.
        let thread = lines[last].split("' ").next()?;
        return Some(Traceback::new(
            last,
            format!("{thread}' has overflowed its stack"),
            None,
        ));
    }
    // The thread that waited for the one that panicked panics too.
    let is_echo = lines
        .get(last + 1)
        .is_some_and(|it| it.contains("`Err` value: Any"));
    let earlier = lines[..last].iter().rposition(is_panic).filter(|_| is_echo);
    let line = earlier.unwrap_or(last);
    let (_, after) = lines[line].split_once(PANICKED)?;
    let (place, message) = if let Some(place) = after.strip_suffix(':') {
        let first = *lines.get(line + 1)?;
        let sides = if first.starts_with("assertion `") {
            2
        } else {
            0
        };
        let sides = lines[line + 2..].iter().take(sides);
        let words = std::iter::once(first).chain(sides.map(|side| side.trim()));
        (place, words.collect::<Vec<&str>>().join("; "))
    } else {
        let (message, place) = after.rsplit_once(", ")?;
        (place, message.trim_matches('\'').to_owned())
    };
    Some(Traceback::new(
        line,
        format!("panicked: {message}"),
        Some(place),
    ))
}

/// `terminate called after throwing an instance of 'std::out_of_range'` and `  what():  …`.
fn cpp(lines: &[&str]) -> Option<Traceback> {
    const THROWN: &str = "terminate called after throwing an instance of '";
    let line = last_with(lines, "terminate called ")?;
    let message = match lines[line].strip_prefix(THROWN) {
        Some(kind) => {
            let what = lines
                .get(line + 1)
                .and_then(|it| it.strip_prefix("  what():  "));
            let what = what.map(|what| format!(": {what}")).unwrap_or_default();
            format!("{}{what}", kind.trim_end_matches('\''))
        }
        None => lines[line].to_owned(),
    };
    Some(Traceback::new(line, message, None))
}

/// `SUMMARY: AddressSanitizer: heap-buffer-overflow /bot/bot.c:2 in main`
fn sanitizer(lines: &[&str]) -> Option<Traceback> {
    let line = last_with(lines, "SUMMARY: ")?;
    let message = lines[line].strip_prefix("SUMMARY: ")?;
    Some(Traceback::new(line, message, None))
}

/// `panic: …` or `fatal error: …`, then the stack of each goroutine.
fn go(lines: &[&str]) -> Option<Traceback> {
    let goroutine = lines
        .iter()
        .position(|line| line.starts_with("goroutine "))?;
    let is_head = |line: &&str| line.starts_with("panic: ") || line.starts_with("fatal error: ");
    let line = lines[..goroutine].iter().rposition(is_head)?;
    let stack = lines[goroutine..].iter();
    let mut places = stack.filter_map(|line| {
        let place = line.strip_prefix('\t')?.split(" +0x").next()?;
        let is_library = ["/go/src/", "/usr/lib/go", "/usr/local/go/"];
        let is_own = !is_library.iter().any(|library| place.contains(library));
        (place.contains(".go:") && is_own).then_some(place)
    });
    Some(Traceback::new(line, lines[line], places.next()))
}

/// `Unhandled exception. System.Exception: …` and `   at Bot.Main() in /bot/Bot.cs:line 3`.
fn dotnet(lines: &[&str]) -> Option<Traceback> {
    const UNHANDLED: &str = "Unhandled exception. ";
    let line = last_with(lines, UNHANDLED)?;
    let frames = lines[line + 1..].iter();
    let mut frames = frames.filter(|line| line.starts_with("   at "));
    let place = frames.find_map(|frame| frame.rsplit_once(" in ")?.1.rsplit_once(":line "));
    Some(Traceback {
        line,
        message: lines[line].strip_prefix(UNHANDLED)?.to_owned(),
        place: place.map(|(path, line)| format!("{path}:{line}")),
    })
}

/// `bot.rb:3:in 'pick': undefined method 'x' for nil (NoMethodError)` and `\tfrom …` lines.
fn ruby(lines: &[&str]) -> Option<Traceback> {
    let is_head = |line: &&str| {
        let kind = line.strip_suffix(')').and_then(|it| it.rsplit_once(" ("));
        line.contains(":in ") && kind.is_some_and(|(_, kind)| is_name(kind))
    };
    let line = lines.iter().rposition(is_head)?;
    let (place, rest) = lines[line].split_once(":in ")?;
    let (_, message) = rest.split_once(": ")?;
    Some(Traceback::new(line, message, Some(place)))
}

#[cfg(test)]
mod tests;
