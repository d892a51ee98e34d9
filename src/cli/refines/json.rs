//! Results as the JSON that callers of FDR4's `refines` read: one object a script, or one an assertion, in one line.

use std::collections::BTreeMap;
use std::mem::take;

use serde::Serialize;

use super::behaviour::{
    FdrAnswer, FdrBehaviour, FdrBehaviourKind, FdrCounterexample, FdrResult, TAU, TICK, exact,
};
use super::sink::{ReadScript, ResultSink, in_lines};
use crate::source::Severity;
use orbitscope_language::script::load::Loaded;

/// Results as JSON.
pub struct JsonResults {
    /// Whether each result is a line of its own.
    framed: bool,
    /// Whether events behind silent steps are named.
    reveals: bool,
    events: EventMap,
    /// What is known and not written.
    open: RefinesDocument,
    /// Whether something was written on the present script.
    is_written: bool,
}

/// The object of a script, or of an assertion.
#[derive(Default, Serialize)]
struct RefinesDocument {
    file_name: String,
    errors: Vec<String>,
    warnings: Vec<String>,
    print_statement_results: Vec<PrintStatement>,
    results: Vec<ResultObject>,
    event_map: BTreeMap<u32, String>,
}

/// The value of a `print` expression.
#[derive(Serialize)]
struct PrintStatement {
    statement: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    errors: Vec<String>,
}

/// The result of an assertion.
#[derive(Serialize)]
struct ResultObject {
    assertion_string: String,
    /// 1 if it passed, 0 if it failed, and absent where there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<u8>,
    errors: Vec<String>,
    visited_states: u64,
    visited_transitions: u64,
    visited_plys: usize,
    counterexamples: Vec<CounterexampleObject>,
}

#[derive(Serialize)]
struct CounterexampleObject {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    specification_behaviour: Option<BehaviourObject>,
    implementation_behaviour: BehaviourObject,
}

/// A run, with its events by number.
#[derive(Serialize)]
struct BehaviourObject {
    r#type: &'static str,
    trace: Vec<u32>,
    /// The trace with the events behind silent steps in their place.
    #[serde(skip_serializing_if = "Option::is_none")]
    revealed_trace: Option<Vec<u32>>,
    /// The places on the run: before the first event, and after each.
    states: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_event: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_acceptance: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_index: Option<usize>,
    child_behaviours: [(); 0],
}

/// Numbers of events, from 1: that of the silent step, that of termination, then by first use. They are kept for the
/// whole output, since callers put the maps of several lines together.
struct EventMap(Vec<String>);

impl EventMap {
    fn number(&mut self, name: &str) -> u32 {
        let at = self.0.iter().position(|known| known == name);
        let at = at.unwrap_or_else(|| {
            self.0.push(name.to_owned());
            self.0.len() - 1
        });
        u32::try_from(at + 1).unwrap_or(u32::MAX)
    }

    fn map(&self) -> BTreeMap<u32, String> {
        (1..).zip(self.0.iter().cloned()).collect()
    }
}

impl JsonResults {
    /// Results of which none is known.
    pub fn new(framed: bool, reveals: bool) -> Self {
        Self {
            framed,
            reveals,
            events: EventMap(vec![TAU.to_owned(), TICK.to_owned()]),
            open: RefinesDocument::default(),
            is_written: false,
        }
    }

    /// Writes what is open.
    fn line(&mut self) -> String {
        self.is_written = true;
        self.open.event_map = self.events.map();
        let text = serde_json::to_string(&self.open).unwrap_or_default();
        self.open = RefinesDocument {
            file_name: take(&mut self.open.file_name),
            ..RefinesDocument::default()
        };
        text + "\n"
    }

    fn counterexample(&mut self, found: &FdrCounterexample) -> CounterexampleObject {
        let specification = found.specification.as_ref();
        CounterexampleObject {
            r#type: found.kind.names().0,
            specification_behaviour: specification.map(|run| self.behaviour(run, false)),
            implementation_behaviour: self.behaviour(&found.implementation, self.reveals),
        }
    }

    fn behaviour(&mut self, run: &FdrBehaviour, reveals: bool) -> BehaviourObject {
        let mut number = |name: &String| self.events.number(name);
        let trace: Vec<u32> = run.trace.iter().map(|event| number(&event.name)).collect();
        let revealed = run.trace.iter().map(|event| &event.revealed);
        let revealed_trace = reveals.then(|| revealed.map(&mut number).collect());
        let is_failure = run.kind == FdrBehaviourKind::Failure;
        let offered = run.offered.as_ref().filter(|_| is_failure).and_then(exact);
        BehaviourObject {
            r#type: run.kind.names().0,
            states: (0..=trace.len()).collect(),
            trace,
            revealed_trace,
            error_event: run.error_event.as_ref().map(&mut number),
            min_acceptance: offered.map(|all| all.iter().map(number).collect()),
            loop_index: run.loop_start,
            child_behaviours: [],
        }
    }
}

impl ResultSink for JsonResults {
    fn start(&mut self) -> String {
        String::new()
    }

    fn script(&mut self, script: &ReadScript<'_>) -> String {
        self.is_written = false;
        self.open = begun(script.name, script.loaded);
        for print in script.printed {
            let error = print.value.as_ref().err();
            let error = error.map(|error| in_lines(error, &script.loaded.sources));
            self.open.print_statement_results.push(PrintStatement {
                statement: print.expression.clone(),
                result: print.value.as_ref().ok().cloned(),
                errors: error.into_iter().collect(),
            });
        }
        String::new()
    }

    fn result(&mut self, result: &FdrResult<'_>) -> String {
        let (passed, why) = match &result.answer {
            FdrAnswer::Passed => (Some(1), None),
            FdrAnswer::Failed => (Some(0), None),
            FdrAnswer::Undecided(why) => (None, Some(why.clone())),
        };
        let progress = &result.outcome.progress;
        let found = result.counterexamples.iter();
        let object = ResultObject {
            assertion_string: result.outcome.text.clone(),
            result: passed,
            errors: why.into_iter().collect(),
            visited_states: progress.states,
            visited_transitions: progress.transitions,
            visited_plys: progress.ply,
            counterexamples: found.map(|found| self.counterexample(found)).collect(),
        };
        self.open.results.push(object);
        if self.framed {
            self.line()
        } else {
            String::new()
        }
    }

    fn end_script(&mut self) -> String {
        // A line without a result would be none to a caller that reads the first result of each.
        if self.framed && self.is_written {
            String::new()
        } else {
            self.line()
        }
    }
}

/// The object of a script with its diagnostics.
fn begun(name: &str, loaded: &Loaded) -> RefinesDocument {
    let of = |severity| {
        let all = loaded
            .diagnostics
            .iter()
            .filter(move |d| d.severity == severity);
        all.map(|d| in_lines(d, &loaded.sources)).collect()
    };
    RefinesDocument {
        file_name: name.to_owned(),
        errors: of(Severity::Error),
        warnings: of(Severity::Warning),
        ..RefinesDocument::default()
    }
}

/// The line of a script that could not be read to its end.
pub fn unread(name: &str, loaded: &Loaded) -> String {
    let mut results = JsonResults::new(false, false);
    results.open = begun(name, loaded);
    results.line()
}
