//! A Rust file as the checks see it: words and signs with their lines, comments and texts left
//! out, and which lines only tests are built with. It knows no grammar beyond that.

use std::ops::RangeInclusive;

/// A word (identifier, number), `::`, or one sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// As it stands there; a raw identifier without its `r#`.
    pub text: String,
    /// From 1.
    pub line: usize,
}

impl Token {
    /// Whether it is a word.
    pub fn is_word(&self) -> bool {
        self.text
            .starts_with(|first: char| first == '_' || first.is_alphanumeric())
    }
}

/// A function: its name and its lines, signature and closing brace included.
pub struct Function {
    /// Its name.
    pub name: String,
    /// Line of `fn`.
    pub line: usize,
    /// How many lines it takes.
    pub lines: usize,
}

/// A file of Rust.
pub struct Source {
    /// Path from the repository's root, with `/`.
    pub path: String,
    /// The whole text.
    pub text: String,
    /// The code.
    pub tokens: Vec<Token>,
    /// Lines of items under `#[cfg(test)]`.
    tests: Vec<RangeInclusive<usize>>,
    /// Names of modules under `#[cfg(test)]` that have files of their own.
    pub test_modules: Vec<String>,
}

impl Source {
    /// Reads a text that stands at `path`.
    pub fn new(path: &str, text: &str) -> Self {
        let mut source = Self {
            path: path.to_owned(),
            text: text.to_owned(),
            tokens: tokens(text),
            tests: Vec::new(),
            test_modules: Vec::new(),
        };
        source.find_tests();
        source
    }

    /// Marks the whole file as part of the tests.
    pub fn belongs_to_tests(&mut self) {
        self.tests = vec![1..=self.text.lines().count()];
    }

    /// Whether a line is only built for tests.
    pub fn is_test(&self, line: usize) -> bool {
        self.tests.iter().any(|lines| lines.contains(&line))
    }

    /// Lines that are not only built for tests.
    pub fn own_lines(&self) -> usize {
        let lines = 1..=self.text.lines().count();
        lines.filter(|line| !self.is_test(*line)).count()
    }

    /// Whether these texts stand one after the other from `at` on.
    pub fn reads(&self, at: usize, texts: &[&str]) -> bool {
        let here = self.tokens.iter().skip(at).map(|token| token.text.as_str());
        here.take(texts.len()).eq(texts.iter().copied())
    }

    /// Names of types and traits that the program itself, not its tests, declares, each with its
    /// line. The types that belong to a trait have their names from it.
    pub fn declared_types(&self) -> Vec<(&str, usize)> {
        let mut depth = 0_usize;
        let mut found = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            let declares = match token.text.as_str() {
                "{" => {
                    depth += 1;
                    false
                }
                "}" => {
                    depth = depth.saturating_sub(1);
                    false
                }
                "struct" | "enum" | "union" | "trait" => true,
                "type" => depth == 0,
                _ => false,
            };
            let name = self.tokens.get(at + 1).filter(|name| name.is_word());
            if let Some(name) = name.filter(|_| declares && !self.is_test(token.line)) {
                found.push((name.text.as_str(), token.line));
            }
        }
        found
    }

    /// How often the program itself, not its tests, writes a word.
    pub fn mentions(&self, word: &str) -> usize {
        let same = |token: &&Token| token.text == word && !self.is_test(token.line);
        self.tokens.iter().filter(same).count()
    }

    /// Every function that has a body.
    pub fn functions(&self) -> Vec<Function> {
        let named = |at: usize| self.tokens.get(at + 1).filter(|name| name.is_word());
        (0..self.tokens.len())
            .filter(|at| self.reads(*at, &["fn"]))
            .filter_map(|at| {
                let name = named(at)?.text.clone();
                let end = self.end_of_item(at);
                let line = self.tokens[at].line;
                (self.tokens[end].text == "}").then(|| Function {
                    name,
                    line,
                    lines: self.tokens[end].line - line + 1,
                })
            })
            .collect()
    }

    /// Index of the `}` or `;` that ends the item that begins at `at`, the last token at worst.
    fn end_of_item(&self, at: usize) -> usize {
        let (mut braces, mut others) = (0, 0);
        for (index, token) in self.tokens.iter().enumerate().skip(at) {
            match token.text.as_str() {
                "(" | "[" => others += 1,
                ")" | "]" => others -= 1,
                "{" => braces += 1,
                "}" => braces -= 1,
                _ => {}
            }
            let ends = matches!(token.text.as_str(), "}" | ";");
            if ends && braces <= 0 && others <= 0 {
                return index;
            }
        }
        self.tokens.len() - 1
    }

    fn find_tests(&mut self) {
        let mark = ["#", "[", "cfg", "(", "test", ")", "]"];
        for at in 0..self.tokens.len() {
            if !self.reads(at, &mark) {
                continue;
            }
            let mut item = at + mark.len();
            while self.reads(item, &["#", "["]) {
                item = self.end_of_attribute(item) + 1;
            }
            if item >= self.tokens.len() {
                break;
            }
            let end = self.end_of_item(item);
            self.tests
                .push(self.tokens[at].line..=self.tokens[end].line);
            if self.reads(item, &["mod"]) && self.reads(item + 2, &[";"]) {
                self.test_modules.push(self.tokens[item + 1].text.clone());
            }
        }
    }

    /// Index of the `]` that ends the attribute whose `#` stands at `at`.
    pub fn end_of_attribute(&self, at: usize) -> usize {
        let mut depth = 0;
        for (index, token) in self.tokens.iter().enumerate().skip(at) {
            match token.text.as_str() {
                "[" => depth += 1,
                "]" if depth == 1 => return index,
                "]" => depth -= 1,
                _ => {}
            }
        }
        self.tokens.len() - 1
    }
}

/// Words and signs of a text, without comments and the insides of texts and characters.
fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while at < chars.len() {
        let end = end_of_token(&chars, at);
        let kept = match chars[at] {
            first if first.is_whitespace() || first == '"' || first == '\'' => None,
            '/' if end > at + 1 => None,
            first if is_word_sign(first) && chars[at..end].contains(&'"') => None,
            first if is_word_sign(first) && chars[at..end].contains(&'\'') => None,
            _ => Some(chars[at..end].iter().collect::<String>()),
        };
        if let Some(text) = kept {
            let text = text.strip_prefix("r#").unwrap_or(&text).to_owned();
            found.push(Token { text, line });
        }
        line += chars[at..end].iter().filter(|sign| **sign == '\n').count();
        at = end;
    }
    found
}

fn is_word_sign(sign: char) -> bool {
    sign == '_' || sign.is_alphanumeric()
}

/// Where the token, comment, text or blank that begins at `at` ends.
fn end_of_token(chars: &[char], at: usize) -> usize {
    let next = |ahead: usize| chars.get(at + ahead).copied().unwrap_or(' ');
    match (chars[at], next(1)) {
        ('/', '/') => find(chars, at, |index| chars[index] == '\n'),
        ('/', '*') => end_of_block_comment(chars, at),
        ('"', _) => end_of_quoted(chars, at + 1, '"'),
        ('\'', '\\') => end_of_quoted(chars, at + 1, '\''),
        ('\'', _) if next(2) == '\'' => at + 3,
        // A lifetime.
        ('\'', _) => find(chars, at + 1, |index| !is_word_sign(chars[index])),
        (':', ':') => at + 2,
        (first, _) if is_word_sign(first) => {
            let end = find(chars, at, |index| !is_word_sign(chars[index]));
            end_of_prefixed(chars, at, end)
        }
        _ => at + 1,
    }
}

/// The end of the word `at..end`, or of the text (`b"…"`, `r#"…"#`), character (`b'…'`) or raw
/// identifier that it begins.
fn end_of_prefixed(chars: &[char], at: usize, end: usize) -> usize {
    let prefix: String = chars[at..end].iter().collect();
    let hashes = chars[end..].iter().take_while(|sign| **sign == '#').count();
    let quote = chars.get(end + hashes).copied();
    match (prefix.as_str(), quote) {
        ("r" | "br" | "cr", Some('"')) => {
            let close = |index: usize| {
                let tail = chars[index..].iter().skip(1).take(hashes);
                chars[index] == '"' && tail.filter(|sign| **sign == '#').count() == hashes
            };
            (find(chars, end + hashes + 1, close) + 1 + hashes).min(chars.len())
        }
        ("b" | "c", Some('"')) if hashes == 0 => end_of_quoted(chars, end + 1, '"'),
        ("b", Some('\'')) if hashes == 0 => end_of_quoted(chars, end + 1, '\''),
        ("r", Some(first)) if hashes == 1 && is_word_sign(first) => {
            find(chars, end + 1, |index| !is_word_sign(chars[index]))
        }
        _ => end,
    }
}

fn end_of_quoted(chars: &[char], from: usize, quote: char) -> usize {
    let mut at = from;
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// Block comments nest.
fn end_of_block_comment(chars: &[char], from: usize) -> usize {
    let (mut depth, mut at) = (0, from);
    loop {
        let step = match chars.get(at..at + 2) {
            None => return chars.len(),
            Some(['/', '*']) => (1, 2),
            Some(['*', '/']) => (-1, 2),
            Some(_) => (0, 1),
        };
        depth += step.0;
        at += step.1;
        if depth == 0 {
            return at;
        }
    }
}

fn find(chars: &[char], from: usize, mut wanted: impl FnMut(usize) -> bool) -> usize {
    let mut rest = from..chars.len();
    rest.find(|index| wanted(*index)).unwrap_or(chars.len())
}
