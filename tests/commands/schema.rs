//! `awale schema`: a JSON Schema that fits what awale itself accepts.

use super::story::Story;
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn configs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("configs")
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().expect("a type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("the type {other}"),
    }
}

/// Checks a value against the part of JSON Schema that the schema uses: a library that knows all of
/// it needs thirty others. An unknown keyword fails the test.
fn check(schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    let wrong = |keyword: &str| Err(format!("{place}: {keyword} of {schema} fails for {value}"));
    if *schema == true {
        return Ok(());
    }
    for (keyword, rule) in schema.as_object().expect("a schema") {
        let holds = match keyword.as_str() {
            "$schema" | "title" | "description" | "default" | "examples" | "properties"
            | "format" => true,
            "type" => match rule {
                Value::Array(types) => types.iter().any(|it| is_of_type(value, it)),
                one => is_of_type(value, one),
            },
            "enum" => rule.as_array().expect("values").contains(value),
            "const" => rule == value,
            "pattern" => {
                let pattern = Regex::new(rule.as_str().expect("a pattern")).expect("a pattern");
                value.as_str().is_none_or(|text| pattern.is_match(text))
            }
            "minimum" => value
                .as_f64()
                .is_none_or(|it| it >= rule.as_f64().expect("a bound")),
            "maximum" => value
                .as_f64()
                .is_none_or(|it| it <= rule.as_f64().expect("a bound")),
            "anyOf" | "oneOf" => {
                let mut any = rule.as_array().expect("schemas").iter();
                any.any(|schema| check(schema, value, place).is_ok())
            }
            "minItems" | "maxItems" => {
                let (length, bound) = (value.as_array().map(Vec::len), rule.as_u64());
                length.and_then(|it| u64::try_from(it).ok()) == bound
            }
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    check(rule, item, place)?;
                }
                true
            }
            "required" => {
                let mut keys = rule.as_array().expect("keys").iter();
                keys.all(|key| value.get(key.as_str().expect("a key")).is_some())
            }
            "additionalProperties" => {
                for (key, field) in value.as_object().into_iter().flatten() {
                    let place = format!("{place}.{key}");
                    match schema.get("properties").and_then(|it| it.get(key)) {
                        Some(known) => check(known, field, &place)?,
                        None if rule == false => return Err(format!("{place} is unknown")),
                        None => check(rule, field, &place)?,
                    }
                }
                true
            }
            other => panic!("the keyword {other}"),
        };
        if !holds {
            return wrong(keyword);
        }
    }
    Ok(())
}

/// The schema, ready to check configurations.
struct Checker(Value);

impl Checker {
    fn of(text: &str) -> Self {
        Self(serde_json::from_str(text).expect("JSON"))
    }

    fn check(&self, toml: &str) -> Result<(), String> {
        let table: toml::Table = toml.parse().expect("TOML");
        check(&self.0, &serde_json::to_value(table).expect("JSON"), "file")
    }
}

#[test]
fn the_schema_accepts_what_awale_accepts() {
    let story = Story::new();
    let text = story.ok("schema").stdout;
    let kept = fs::read_to_string(configs().join("schema.json")).expect("the schema's file");
    assert_eq!(kept, text, "configs/schema.json is `awale schema`");
    let checker = Checker::of(&text);
    for entry in fs::read_dir(configs()).expect("configs") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|it| it == "toml") {
            let text = fs::read_to_string(&path).expect("a configuration");
            assert_eq!(
                text.lines().next(),
                Some("#:schema schema.json"),
                "{path:?}"
            );
            checker
                .check(&text)
                .unwrap_or_else(|error| panic!("{path:?}: {error}"));
        }
    }
    story.ok("init spring.toml");
    story.ok("class new INF101");
    for file in ["spring.toml", "INF101/class.toml"] {
        checker.check(&story.read(file)).unwrap();
    }
    let dumped = story.ok("run spring.toml --dump-config");
    checker.check(&dumped.stdout).unwrap();
}

#[test]
fn the_schema_refuses_what_awale_refuses() {
    let story = Story::new();
    let checker = Checker::of(&story.ok("schema").stdout);
    let bots = "[[entrant]]\nname = \"a\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n\
                [[entrant]]\nname = \"b\"\ncommand = [\"awale\", \"bot\", \"random\"]\n";
    checker.check(bots).unwrap();
    for wrong in [
        "[tournament]\npair = 3\n",
        "[tournament]\npairs = 0\n",
        "[tournament]\npairs = \"3\"\n",
        "[tournament]\nrules = \"awele\"\n",
        "[tournament]\nopenings = { ply = 4 }\n",
        "[tournament]\nmax-faults = \"none\"\n",
        "[clock]\nmove = 100\n",
        "[clock]\nmove = \"100\"\n",
        "[limits]\nmemory = \"512MB\"\n",
        "[rules]\nmust-feed = \"yes\"\n",
        "[rules]\nrepetition.occurrences = 1\n",
        "[class]\npoints = [{ check = -1 }]\n",
        "[clocks]\n",
    ] {
        let text = format!("{wrong}{bots}");
        assert!(checker.check(&text).is_err(), "{wrong}");
        story.write("wrong.toml", &text);
        story.ends(2, "run wrong.toml --dry-run");
    }
}

/// Completions and pages name every command.
#[test]
fn shells_and_manual_pages_know_every_command() {
    let story = Story::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = story.ok(format!("completions {shell}"));
        for command in ["run", "duel", "init", "class", "replay"] {
            assert!(said.stdout.contains(command), "{shell} {command}");
        }
    }
    story.ok("completions --man man");
    let page = story.read("man/awale-run.1");
    assert!(page.contains(".TH") && page.contains("dry\\-run"), "{page}");
    story.write("file", "");
    story
        .ends(3, "completions --man file/man")
        .err_has("cannot write the manual pages to file/man");
    story.ends(2, "completions").err_has("required");
}

/// Writes the configurations of a tournament whose gate refuses an entrant, of one in which it is
/// withdrawn,
/// of a test, and of one that cannot begin.
fn write_runs_with_events(story: &Story) {
    story.write("crash.py", "raise SystemExit(1)\n");
    let house = |name: &str, depth: u32| {
        format!(
            "[[entrant]]\nname = \"{name}\"\n\
             command = [\"awale\", \"bot\", \"minimax\", \"--depth\", \"{depth}\"]\n"
        )
    };
    let crash = "[[entrant]]\nname = \"crash\"\ncommand = [\"python3\", \"crash.py\"]\n";
    let (one, two) = (house("one", 1), house("two", 2));
    let open = "[isolation]\nlevel = \"none\"\n[tournament]\npairs = 12\n";
    let off = "[admission]\nmode = \"off\"\n";
    let sprt = "[sprt]\nnew = \"two\"\nelo0 = 0\nelo1 = 400\nmax-pairs = 8\n";
    let alone = "[isolation]\nlevel = \"none\"\n";
    story.write("gate.toml", format!("{open}{one}{two}{crash}"));
    story.write(
        "open.toml",
        format!("{open}max-faults = {{ count = 2 }}\n{off}{one}{two}{crash}"),
    );
    story.write("sprt.toml", format!("{alone}{sprt}{one}{two}"));
    story.write("bad.toml", format!("{alone}{sprt}{two}{crash}"));
}

/// The name of the events that a schema is of.
fn name_of(schema: &Value) -> &str {
    let name = &schema["properties"]["event"]["const"];
    name.as_str().expect("a name")
}

/// Checks an event against the schema, and returns its name.
fn check_event(schema: &Value, line: &str) -> String {
    let event: Value = serde_json::from_str(line).expect("JSON");
    let name = event["event"].as_str().expect("a name").to_owned();
    // The one of its name says what is wrong.
    let mut schemas = schema["oneOf"].as_array().expect("schemas").iter();
    let own = schemas.find(|it| name_of(it) == name);
    let own = own.unwrap_or_else(|| panic!("no schema for {line}"));
    for schema in [own, schema] {
        check(schema, &event, &name).unwrap_or_else(|error| panic!("{error}"));
    }
    for key in event.as_object().expect("an object").keys() {
        let is_known = [own, schema]
            .iter()
            .any(|it| it["properties"].get(key).is_some());
        assert!(is_known, "{name} has an unknown key {key}");
    }
    name
}

/// Every event of real runs.
#[test]
fn events_are_as_their_schema_says() {
    let story = Story::new();
    let schema = story.ok("schema --events").stdout;
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    write_runs_with_events(&story);
    let trusted = "--i-trust-these-bots";
    let mut seen = BTreeSet::new();
    for arguments in [
        &["run", "gate.toml", "--json", trusted][..],
        &["run", "open.toml", "--json", "--live", "0", trusted],
        &["sprt", "sprt.toml", "--json"],
        &["sprt", "bad.toml", "--json", trusted],
    ] {
        let said = story.run(arguments);
        assert!(
            said.stdout.lines().count() > 1,
            "{arguments:?}: {}",
            said.stderr
        );
        seen.extend(said.stdout.lines().map(|line| check_event(&schema, line)));
    }
    for name in [
        "started",
        "live",
        "examining",
        "admission",
        "game",
        "withdrawn",
        "test",
        "finished",
    ] {
        assert!(seen.contains(name), "no event {name} among {seen:?}");
    }
    let documented = fs::read_to_string(configs().join("../docs/json.md")).expect("docs");
    for schema in schema["oneOf"].as_array().expect("schemas") {
        let name = name_of(schema);
        assert!(
            documented.contains(&format!("| `{name}` |")),
            "{name} is not documented"
        );
    }
}
