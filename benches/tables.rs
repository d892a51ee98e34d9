//! The tables of the paper's experiments (Sec. 8), by the program, one check after the other, as tables in Markdown.
//! `cargo bench --bench tables`, with these options after `--`:
//!
//! - `--seconds N`: the limit of a check (60);
//! - `--model NAME` and `--table N`: only this model, only this table;
//! - `--large`: also the sizes that take minutes or hours;
//! - `--workers N`: threads of a search (1);
//! - `--program PATH`: measures this program.
//!
//! Every search has to hold what it checks, and where counts are exact they have to agree.

#[path = "tables/models.rs"]
mod models;
mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use models::{MODELS, Model, Size};
use serde_json::Value;

/// What was asked for on the command line.
struct Asked {
    seconds: u64,
    model: Option<String>,
    table: Option<String>,
    large: bool,
    workers: String,
    program: PathBuf,
}

impl Asked {
    fn read() -> Self {
        let mut asked = Self {
            seconds: 60,
            model: None,
            table: None,
            large: false,
            workers: "1".to_owned(),
            program: PathBuf::from(env!("CARGO_BIN_EXE_orbitscope")),
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut value = || args.next().unwrap_or_else(|| panic!("{arg} needs a value"));
            match arg.as_str() {
                "--seconds" => asked.seconds = value().parse().expect("a number of seconds"),
                "--model" => asked.model = Some(value()),
                "--table" => asked.table = Some(value()),
                "--workers" => asked.workers = value(),
                "--program" => asked.program = value().into(),
                "--large" => asked.large = true,
                // Cargo says this to every benchmark.
                "--bench" => {}
                other => panic!("{other} is not an option"),
            }
        }
        asked
    }

    /// The models and sizes of these tables.
    fn sizes(&self) -> impl Iterator<Item = (&'static Model, Size)> {
        let wanted = |model: &&Model| self.model.as_ref().is_none_or(|name| name == model.name);
        MODELS.iter().filter(wanted).flat_map(|model| {
            let large = if self.large { model.large } else { &[] };
            model
                .sizes
                .iter()
                .chain(large)
                .map(move |size| (model, *size))
        })
    }

    /// Checks the first assertion of a script.
    fn check(&self, script: &str, options: &[&str]) -> Found {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tables.csp");
        std::fs::write(&path, script).expect("the folder is writable");
        let limit = format!("{}s", self.seconds);
        let mut command = Command::new(&self.program);
        command.args(["check", "-a", "1", "--quiet", "--format", "json"]);
        command.args(["--no-merging", "--workers", &self.workers]);
        command.args(["--timeout-each", &limit]).args(options);
        let output = command.arg(&path).output().expect("the program runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("it prints a report");
        let check = &report["checks"][0];
        let found = Found(check.clone());
        let status = check["status"].as_str().unwrap_or_default();
        // A network can have a structure that is not known.
        let refused = status == "error" && options.contains(&"--structure");
        assert!(
            refused || ["pass", "inconclusive"].contains(&status),
            "{status} with {options:?}: {}\n{script}",
            check["diagnostic"]
        );
        found
    }
}

/// The report of a check.
struct Found(Value);

impl Found {
    fn ended(&self) -> bool {
        self.0["status"] == "pass"
    }

    fn number(&self, key: &str) -> f64 {
        self.0["stats"][key].as_f64().unwrap_or(f64::NAN)
    }

    fn states(&self) -> u64 {
        self.0["stats"]["states"].as_u64().unwrap_or_default()
    }

    /// States and transitions of the unreduced system, if they are known.
    fn represented(&self) -> Option<(String, String)> {
        let text = |key: &str| self.0["stats"][key].as_str().map(str::to_owned);
        text("represented_states").zip(text("represented_transitions"))
    }

    /// Whether the number of states is that of orbits. Beside a node of the specification that is several states or
    /// holds a set of values, it may be more.
    fn is_of_orbits(&self) -> bool {
        let stats = &self.0["stats"];
        self.ended() && stats["fallbacks"] == 0 && stats["specification_holds_sets"] == false
    }

    /// States, transitions, seconds and MiB; of a search that did not end, how far it came.
    fn cells(&self) -> String {
        let far = if self.ended() { "" } else { "> " };
        let memory = match self.0["stats"]["peak_bytes"].as_u64() {
            Some(bytes) => (bytes >> 20).to_string(),
            None => "–".to_owned(),
        };
        format!(
            "{far}{} | {far}{} | {far}{:.2} | {memory}",
            grouped(&self.states().to_string()),
            grouped(&self.number("transitions").to_string()),
            self.number("seconds"),
        )
    }

    /// States and seconds, if a search was made.
    fn short(&self) -> String {
        if self.0["status"] == "error" {
            return "– | –".to_owned();
        }
        let far = if self.ended() { "" } else { "> " };
        let states = grouped(&self.states().to_string());
        format!("{far}{states} | {far}{:.2}", self.number("seconds"))
    }
}

/// A number with a comma for thousands.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// The heading of a table: the first two columns are the model and the size.
fn heading(columns: &[&str]) {
    let all = [&["model", "size"], columns].concat();
    say(&format!("\n| {} |", all.join(" | ")));
    say(&format!(
        "|{}",
        " --- |".repeat(2) + &" ---: |".repeat(columns.len())
    ));
}

/// Table 1: without and with symmetry reduction.
fn table_1(asked: &Asked) {
    heading(&[
        "states unreduced",
        "transitions",
        "s",
        "MiB",
        "states reduced",
        "transitions",
        "s",
        "MiB",
        "speed-up",
        "states that these stand for",
    ]);
    for (model, size) in asked.sizes() {
        let script = model.script(size);
        let plain = asked.check(&model.unreduced(size), &["--no-symmetry"]);
        let reduced = asked.check(&script, &[]);
        let full = asked.check(&script, &["--count-full"]).represented();
        let place = format!("{} {}", model.name, model.label(size));
        if plain.ended() && reduced.ended() {
            assert!(reduced.states() <= plain.states(), "{place}");
        }
        if let Some((states, transitions)) = &full
            && model.is_one_script()
            && plain.ended()
        {
            assert_eq!(*states, plain.states().to_string(), "{place}");
            assert_eq!(
                *transitions,
                plain.number("transitions").to_string(),
                "{place}"
            );
        }
        let factor = plain.number("seconds") / reduced.number("seconds");
        let speed_up = match (plain.ended(), reduced.ended()) {
            (true, true) => format!("{factor:.1}"),
            (false, true) => format!("> {factor:.0}"),
            (_, false) => "–".to_owned(),
        };
        let full = full.map_or("–".to_owned(), |(states, _)| grouped(&states));
        say(&format!(
            "| {} | {} | {} | {} | {speed_up} | {full} |",
            model.name,
            model.label(size),
            plain.cells(),
            reduced.cells(),
        ));
    }
}

/// Table 2: strategies, reducing only by the types that index processes.
fn table_2(asked: &Asked) {
    let strategies = ["ordering", "exact", "sorted", "segmented"];
    let columns: Vec<&str> = strategies.iter().flat_map(|name| [*name, "s"]).collect();
    heading(&columns);
    for (model, size) in asked.sizes() {
        let script = model.script(size);
        let by = |name| asked.check(&script, &["--types", model.indexing, "--rep", name]);
        let found = strategies.map(by);
        let place = format!("{} {}", model.name, model.label(size));
        let [ordering, exact, sorted, segmented] = &found;
        if exact.is_of_orbits() {
            for other in [ordering, sorted, segmented]
                .into_iter()
                .filter(|f| f.ended())
            {
                assert!(exact.states() <= other.states(), "{place}");
            }
            if segmented.is_of_orbits() {
                assert_eq!(exact.states(), segmented.states(), "{place}");
            }
        }
        let cells = found.map(|f| f.short());
        say(&format!(
            "| {} | {} | {} |",
            model.name,
            model.label(size),
            cells.join(" | ")
        ));
    }
}

/// What the paper does not have: with partial order reduction, and by the structure in place of types.
fn table_3(asked: &Asked) {
    heading(&["types", "s", "types, `--por`", "s", "structure", "s"]);
    for (model, size) in asked.sizes() {
        let script = model.script(size);
        let types = asked.check(&script, &[]);
        let por = asked.check(&script, &["--por"]);
        let structure = asked.check(&script, &["--structure"]);
        if types.is_of_orbits() && por.ended() {
            let place = format!("{} {}", model.name, model.label(size));
            assert!(por.states() <= types.states(), "{place}");
        }
        let cells = [types, por, structure].map(|f| f.short());
        say(&format!(
            "| {} | {} | {} |",
            model.name,
            model.label(size),
            cells.join(" | ")
        ));
    }
}

fn main() {
    let asked = Asked::read();
    let tables = [("1", table_1 as fn(&Asked)), ("2", table_2), ("3", table_3)];
    for (name, table) in tables {
        if asked.table.as_ref().is_none_or(|wanted| wanted == name) {
            table(&asked);
        }
    }
}
