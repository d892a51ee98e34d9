//! `orbitscope family FILE -p PROCESS --ring N`: a circle of components as automata, and what is proved of these.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::family::ReadFamily;
use super::family_args::FamilyArgs;
use super::json::tool;
use super::output::Output;
use super::pattern::family::AskedFamily;
use super::pattern::{verify, words};
use super::{LATE, USAGE, check, complain};
use crate::animate::engine::find_process;
use crate::report::document::{Document, DocumentTable, TableColumn, Tone};
use crate::report::inputs::inputs;
use crate::report::numbers::counted;
use crate::report::rings::{RingAtSize, RingSizes, letter_name};
use crate::report::words::stop_text;
use crate::source::write::write_whole;
use crate::source::{Bounds, Budget};
use orbitscope_engine::lab::ring::{NoRing, read};
use orbitscope_language::script::sizes::SizedName;
use orbitscope_pattern::invariant::{InvariantOutcome, find_invariant, without_successor};
use orbitscope_pattern::library::LibraryPattern;
use orbitscope_pattern::verify::verify_library;

/// Fewer cells are no circle: the next one is the one before.
const LEAST: usize = 3;
/// States of an invariant, at most.
const INVARIANT_STATES: usize = 6;

/// Reads the sizes and reports. Returns the exit code.
pub fn run(args: &FamilyArgs, ring: &str, script: &ReadFamily) -> u8 {
    reported(args, ring, script).unwrap_or_else(|code| code)
}

fn reported(args: &FamilyArgs, ring: &str, script: &ReadFamily) -> Result<u8, u8> {
    let process = args.process.as_deref().unwrap_or_default();
    let number = asked(args, (ring, process), script).map_err(|why| {
        complain(&why);
        USAGE
    })?;
    let sizes = read_sizes(args, script, (process, &number));
    let mut document = Document::default();
    let file = args.file.display();
    let head = format!("{process} of {file} as a circle, {ring} its number of cells");
    document
        .section("ring")
        .say(Tone::Strong, &head)
        .table(table(&sizes));
    let agreeing = sizes.agreeing();
    let mut code = match (sizes.differs(), agreeing.is_empty()) {
        (true, _) => 1,
        (false, true) => LATE,
        (false, false) => 0,
    };
    if let Some((name, first, last)) = sizes.growing_middle() {
        let said = format!("the local states of {name} grow with {ring}: from {first} to {last}");
        document.say(Tone::Open, said);
    }
    let about = format!(
        "{process} of {file}, read at {ring} = {}",
        listed(&agreeing)
    );
    let proved = match sizes.family(&about) {
        None => {
            document.say(Tone::Open, "It is not read as automata: nothing is proved.");
            json!(null)
        }
        Some(text) => {
            let family = proofs(&sizes, (&text, args.timeout), script, &mut document)?;
            agreement(ring, &sizes, &mut document);
            write(args, &text)?;
            family
        }
    };
    code = script.signals.code().unwrap_or(code);
    let (letters, found) = sizes.json();
    document
        .fact("schema", "orbitscope.family/1")
        .fact("tool", tool())
        .fact("inputs", json!(inputs(&script.written.sources)))
        .fact("exit_code", code)
        .fact(
            "ring",
            json!({ "process": process, "number": ring, "letters": letters, "sizes": found }),
        )
        .fact("automata", proved);
    Ok(Output::default().document(&document, args.format, code))
}

/// The number of cells, if there is one, and what is asked for fits to the script.
fn asked(args: &FamilyArgs, of: (&str, &str), script: &ReadFamily) -> Result<SizedName, String> {
    let (ring, process) = of;
    let number = script.script.number(ring);
    let number =
        number.ok_or_else(|| format!("no definition `{ring} = NUMBER` is in the script"))?;
    if find_process(&script.written, process).is_none() {
        return Err(format!(
            "there is no process `{process}` without parameters"
        ));
    }
    match args
        .output
        .as_deref()
        .filter(|o| check::same_file(o, &args.file))
    {
        Some(output) => {
            let output = output.display();
            Err(format!(
                "{output} is the script: nothing is written over it"
            ))
        }
        None => Ok(number),
    }
}

fn read_sizes(args: &FamilyArgs, script: &ReadFamily, of: (&str, &SizedName)) -> RingSizes {
    let (process, number) = of;
    let mut sizes = RingSizes::default();
    let from = (*args.sizes.0.start()).max(LEAST);
    for size in from..=*args.sizes.0.end() {
        if script.cancel.is_cancelled() {
            break;
        }
        let mut limits = script.limits.clone();
        if let Some(timeout) = args.timeout {
            limits.deadline = Instant::now().checked_add(timeout);
        }
        let bounds = Bounds::new(&limits, &script.cancel);
        let loaded = script.script.at(&[(number, size)], &bounds);
        let budget = Budget {
            limits,
            cancel: script.cancel.clone(),
        };
        let Some(body) = find_process(&loaded, process) else {
            sizes.add_failure(size, "the script has errors".to_owned());
            break;
        };
        match read(&loaded, body, size, &budget) {
            Ok(found) => {
                let is_large = matches!(found, Err(NoRing::Large(_)));
                sizes.add(size, found);
                if is_large {
                    break;
                }
            }
            Err(error) => {
                sizes.add_failure(size, error.message.clone());
                break;
            }
        }
    }
    sizes
}

fn listed(sizes: &[usize]) -> String {
    let names: Vec<String> = sizes.iter().map(usize::to_string).collect();
    names.join(", ")
}

fn table(sizes: &RingSizes) -> DocumentTable {
    let number = |head: &'static str| TableColumn {
        is_number: true,
        ..TableColumn::headed(head)
    };
    let mut table = DocumentTable::new(vec![
        number("cells"),
        number("words"),
        number("pairs"),
        TableColumn::headed(""),
    ]);
    let mut is_first = true;
    for (size, found) in &sizes.sizes {
        let none = String::new;
        let (tone, words, pairs, said) = match found {
            RingAtSize::Agrees(words, pairs) => {
                let said = match (&sizes.base, is_first) {
                    (Some(base), true) => format!(
                        "read: {}, {}",
                        counted(base.letters.len() as u64, "letter"),
                        counted(base.windows.len() as u64, "window")
                    ),
                    _ => "agrees".to_owned(),
                };
                is_first = false;
                (Tone::Good, words.to_string(), pairs.to_string(), said)
            }
            RingAtSize::Differs => (Tone::Bad, none(), none(), "another circle".to_owned()),
            RingAtSize::Unread(why) => (Tone::Open, none(), none(), why.reason()),
            RingAtSize::Failed(why) => (Tone::Open, none(), none(), why.clone()),
        };
        table.row(tone, vec![size.to_string(), words, pairs, said]);
    }
    table
}

/// What holds of the automata for every size.
fn proofs(
    sizes: &RingSizes,
    (text, timeout): (&str, Option<std::time::Duration>),
    script: &ReadFamily,
    document: &mut Document,
) -> Result<Value, u8> {
    let mut limits = script.limits.clone();
    if let Some(timeout) = timeout {
        limits.deadline = Instant::now().checked_add(timeout);
    }
    let budget = Budget {
        limits,
        cancel: script.cancel.clone(),
    };
    let family = AskedFamily::of_text(Path::new("ring.pat"), text, &budget, &script.signals)?;
    document.gap().section("automata");
    for (number, letter) in (0..).zip(sizes.base.iter().flat_map(|base| &base.letters)) {
        document.labelled(Tone::Plain, letter_name(number), letter);
    }
    let states: usize = family.model.actions.iter().map(|a| a.steps.states()).sum();
    let from = sizes.base.as_ref().map_or(0, |base| base.cells);
    let said = format!(
        "Of the automaton, with {} and words of at least {from} letters:",
        counted(states as u64, "state")
    );
    document.gap().say(Tone::Strong, said);
    let mut patterns = Vec::new();
    for pattern in [
        LibraryPattern::Rotation(1),
        LibraryPattern::Swap(1),
        LibraryPattern::Reflection,
    ] {
        let report = verify_library(&family.model, pattern, &family.watch);
        let report = report.map_err(|stop| family.stopped(stop))?;
        let (tone, said) = verify::verdict(&report, &family);
        document.labelled(tone, pattern.name(), said);
        let mut fact = words::report_json(&report, &family);
        fact["name"] = pattern.name().into();
        patterns.push(fact);
    }
    let stuck = never_stuck(&family, document)?;
    Ok(
        json!({ "text": text, "states": states, "from": from, "patterns": patterns, "never_stuck": stuck }),
    )
}

/// Whether the automaton reaches a word that no step changes.
fn never_stuck(family: &AskedFamily, document: &mut Document) -> Result<Value, u8> {
    const LABEL: &str = "always goes on";
    let Some(initial) = &family.file.initial else {
        let said = "not asked: the initial words of the sizes have no common form";
        document.labelled(Tone::Open, LABEL, said);
        return Ok(json!(null));
    };
    let stuck = without_successor(&family.model, &family.watch);
    let stuck = stuck.map_err(|stop| family.stopped(stop))?;
    let states = 1..=INVARIANT_STATES;
    let found = find_invariant(&family.model, initial, &stuck, states, &family.budget);
    let (tone, said, outcome) = match &found.outcome {
        InvariantOutcome::Found(invariant) => {
            let states = counted(invariant.states() as u64, "state");
            let said = format!(
                "PROVED for every n: no word is reached that no step changes (an inductive invariant with {states})"
            );
            (Tone::Good, said, "proved")
        }
        InvariantOutcome::Reached => {
            let last = found.small.bad_run.iter().flatten().last();
            let word = last.map_or_else(String::new, |word| family.model.alphabet.word(word));
            let said = format!("fails: {word} is reached, and no step changes it");
            (Tone::Bad, said, "reached")
        }
        InvariantOutcome::NotFound => {
            let said = format!("not proved: no invariant has up to {INVARIANT_STATES} states");
            (Tone::Open, said, "not found")
        }
        InvariantOutcome::Stopped(stop) => {
            let said = format!("not proved: {}", stop_text(*stop));
            (Tone::Open, said, "undecided")
        }
    };
    document.labelled(tone, LABEL, said);
    Ok(json!(outcome))
}

/// Says for which sizes the script and the automaton agree, and that nothing is proved of others.
fn agreement(ring: &str, sizes: &RingSizes, document: &mut Document) {
    let agreeing = listed(&sizes.agreeing());
    let said = format!(
        "The script agrees with the automaton for {ring} = {agreeing}: the same windows, read off the rules, and the same \
         reachable transitions. That it agrees for other {ring} is not proved."
    );
    document.gap().say(Tone::Plain, said);
}

fn write(args: &FamilyArgs, text: &str) -> Result<(), u8> {
    let Some(path) = &args.output else {
        return Ok(());
    };
    write_whole(path, text.as_bytes()).map_err(|error| {
        let name = path.display();
        complain(&format!(
            "nothing was written: {name} cannot be written: {error}"
        ));
        USAGE
    })
}
