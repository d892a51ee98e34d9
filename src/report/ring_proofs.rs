//! A circle of components read at several sizes, and what is proved of the automata that are read off it.
//!
//! Two words are kept apart: of the automata something is *PROVED* for every size; the script *agrees* with them at the sizes
//! that were compared.

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::document::{Document, DocumentTable, TableColumn, Tone};
use super::numbers::counted;
use super::pattern_words;
use super::rings::{RingAtSize, RingSizes, letter_name};
use super::words::stop_text;
use crate::source::{Bounds, Budget, Cancel, Limits, SourceMap, Stop};
use orbitscope_engine::lab::ring::{NoRing, read};
use orbitscope_language::script::sizes::{SizedName, SizedScript};
use orbitscope_pattern::format::{FamilyError, FamilyFile, read_family};
use orbitscope_pattern::invariant::{InvariantOutcome, find_invariant, without_successor};
use orbitscope_pattern::library::LibraryPattern;
use orbitscope_pattern::limits::LimitWatch;
use orbitscope_pattern::model::FamilyModel;
use orbitscope_pattern::verify::verify_library;

/// Fewer cells are no circle: the next one is the one before.
const LEAST: usize = 3;
/// States of an invariant, at most.
const INVARIANT_STATES: usize = 6;

/// What is asked about a process.
pub struct RingRequest<'a> {
    /// The script with its sizes.
    pub script: &'a SizedScript,
    /// The name of the file, for people.
    pub file: &'a str,
    /// The process, a name or a text.
    pub process: &'a str,
    /// The number of its cells.
    pub number: &'a SizedName,
    /// The sizes to read; those below three are left out.
    pub sizes: RangeInclusive<usize>,
    /// The limits of all.
    pub limits: &'a Limits,
    /// The time for each size, and for the proofs.
    pub timeout: Option<Duration>,
    /// Ends the work at once.
    pub cancel: &'a Cancel,
}

/// Why not all was decided of the automata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RingEnd {
    /// A limit was reached.
    Stopped(Stop),
    /// The text of the automata cannot be read: a fault of the program.
    Fault(String),
}

/// What was found of a circle.
#[derive(Debug)]
pub struct RingReport {
    /// What was read at each size.
    pub sizes: RingSizes,
    /// The family of automata as a text, if one was read.
    pub text: Option<String>,
    /// Why not all was decided of it.
    pub end: Option<RingEnd>,
    /// All in words and as facts.
    pub document: Document,
}

impl RingRequest<'_> {
    /// Reads the sizes, and proves what can be proved; `report` gets each size before it is read.
    pub fn run(&self, report: &mut dyn FnMut(usize)) -> RingReport {
        let sizes = self.read_sizes(report);
        let (process, ring) = (self.process, &*self.number.name);
        let mut document = Document::default();
        let head = format!(
            "{process} of {} as a circle, {ring} its number of cells",
            self.file
        );
        document
            .section("ring")
            .say(Tone::Strong, &head)
            .table(table(&sizes));
        if let Some((name, first, last)) = sizes.growing_middle() {
            let said =
                format!("the local states of {name} grow with {ring}: from {first} to {last}");
            document.say(Tone::Open, said);
        }
        let agreeing = listed(&sizes.agreeing());
        let about = format!("{process} of {}, read at {ring} = {agreeing}", self.file);
        let text = sizes.family(&about);
        let mut end = None;
        let proved = match &text {
            None => {
                document.say(Tone::Open, "It is not read as automata: nothing is proved.");
                json!(null)
            }
            Some(text) => {
                let proved = self.proofs(&sizes, text, &mut document);
                agreement(ring, &agreeing, &mut document);
                proved.unwrap_or_else(|why| {
                    let (tone, said) = match &why {
                        RingEnd::Stopped(stop) => {
                            (Tone::Open, format!("undecided: {}", stop_text(*stop)))
                        }
                        RingEnd::Fault(why) => (Tone::Bad, format!("INTERNAL ERROR: {why}")),
                    };
                    document.say(tone, said);
                    end = Some(why);
                    json!(null)
                })
            }
        };
        let (letters, found) = sizes.json();
        document
            .fact(
                "ring",
                json!({ "process": process, "number": ring, "letters": letters, "sizes": found }),
            )
            .fact("automata", proved);
        RingReport {
            sizes,
            text,
            end,
            document,
        }
    }

    /// The limits of a part of the work, which begins now.
    fn budget(&self) -> Budget {
        let mut limits = self.limits.clone();
        if let Some(timeout) = self.timeout {
            limits.deadline = Instant::now().checked_add(timeout);
        }
        Budget {
            limits,
            cancel: self.cancel.clone(),
        }
    }

    fn read_sizes(&self, report: &mut dyn FnMut(usize)) -> RingSizes {
        let mut sizes = RingSizes::default();
        for size in (*self.sizes.start()).max(LEAST)..=*self.sizes.end() {
            if self.cancel.is_cancelled() {
                break;
            }
            report(size);
            let budget = self.budget();
            let bounds = Bounds::new(&budget.limits, self.cancel);
            let loaded = self.script.at(&[(self.number, size)], &bounds);
            let Some(body) = loaded.process(self.process) else {
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

    /// What holds of the automata for every size.
    fn proofs(
        &self,
        sizes: &RingSizes,
        text: &str,
        document: &mut Document,
    ) -> Result<Value, RingEnd> {
        let budget = self.budget();
        let watch = LimitWatch::new(&budget);
        let (file, model) = automata(text, &watch)?;
        document.gap().section("automata");
        for (number, letter) in (0..).zip(sizes.base.iter().flat_map(|base| &base.letters)) {
            document.labelled(Tone::Plain, letter_name(number), letter);
        }
        let states: usize = model.actions.iter().map(|a| a.steps.states()).sum();
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
            let report = verify_library(&model, pattern, &watch).map_err(RingEnd::Stopped)?;
            let (tone, said) = pattern_words::verdict(&report, &model.alphabet);
            document.labelled(tone, pattern.name(), said);
            let mut fact = pattern_words::report_json(&report, &model.alphabet);
            fact["name"] = pattern.name().into();
            patterns.push(fact);
        }
        let stuck = never_stuck(&file, &model, (&watch, &budget), document)?;
        Ok(
            json!({ "text": text, "states": states, "from": from, "patterns": patterns, "never_stuck": stuck }),
        )
    }
}

/// The family that is written in a text.
fn automata(text: &str, watch: &LimitWatch) -> Result<(FamilyFile, FamilyModel), RingEnd> {
    let mut sources = SourceMap::default();
    let id = sources.add(Path::new("ring.pat"), text);
    let file = read_family(id, text, watch).map_err(|error| match error {
        FamilyError::Stopped(stop) => RingEnd::Stopped(stop),
        FamilyError::Wrong(all) => {
            let all: Vec<_> = all.iter().map(|d| d.message.as_str()).collect();
            RingEnd::Fault(all.join("; "))
        }
    })?;
    let model = FamilyModel::new(
        file.alphabet.clone(),
        file.steps.clone(),
        file.configurations.clone(),
        watch,
    );
    Ok((file, model.map_err(RingEnd::Stopped)?))
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

/// Whether the automaton reaches a word that no step changes.
fn never_stuck(
    file: &FamilyFile,
    model: &FamilyModel,
    (watch, budget): (&LimitWatch, &Budget),
    document: &mut Document,
) -> Result<Value, RingEnd> {
    const LABEL: &str = "always goes on";
    let Some(initial) = &file.initial else {
        let said = "not asked: the initial words of the sizes have no common form";
        document.labelled(Tone::Open, LABEL, said);
        return Ok(json!(null));
    };
    let stuck = without_successor(model, watch).map_err(RingEnd::Stopped)?;
    let states = 1..=INVARIANT_STATES;
    let found = find_invariant(model, initial, &stuck, states, budget);
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
            let word = last.map_or_else(String::new, |word| model.alphabet.word(word));
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
fn agreement(ring: &str, agreeing: &str, document: &mut Document) {
    let said = format!(
        "The script agrees with the automaton for {ring} = {agreeing}: the same windows, read off the rules, and the same \
         reachable transitions. That it agrees for other {ring} is not proved."
    );
    document.gap().say(Tone::Plain, said);
}
