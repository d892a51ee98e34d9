//! The shortest way to a state of which a condition holds.

use serde_json::{Value, json};

use super::path_text;
use crate::model::{FoundStepView, FoundView, FoundWord};
use crate::report::document::{Document, DocumentTable, TableColumn, Tone};

/// Columns that an event may take before it pushes the changes aside.
const EVENT_MAX: usize = 32;

/// The result of a search, with its process.
pub struct FoundState {
    /// The process.
    pub process: String,
    /// The condition.
    pub condition: String,
    /// The events on the way to where the search began.
    pub path: Vec<String>,
    /// The result.
    pub view: FoundView,
    /// The way as a trace, from where the search began.
    pub trace: Vec<String>,
}

impl FoundState {
    /// The result. The facts are a document of the schema `orbitscope.find/1`.
    #[must_use]
    pub fn document(&self) -> Document {
        let view = &self.view;
        let mut document = Document::default();
        let heading = format!("{} after {}", self.process, path_text(&self.path));
        document
            .section("result")
            .say(Tone::Strong, heading)
            .say(Tone::Plain, format!("{}: {}", self.condition, view.text()));
        if !view.reduced && !view.not_reduced.is_empty() {
            let why = format!("not reduced by symmetry: {}", view.not_reduced);
            document.say(Tone::Dim, why);
        }
        let number = TableColumn {
            is_number: true,
            ..TableColumn::default()
        };
        let event = TableColumn::texts(Some(EVENT_MAX));
        let mut table = DocumentTable::new(vec![number, event, TableColumn::texts(None)]);
        for (n, (step, event)) in view.steps.iter().zip(&self.trace).enumerate() {
            let changes = step.changes.iter();
            let changes: Vec<String> = changes.map(|(who, s)| format!("{who} = {s}")).collect();
            let cells = vec![(n + 1).to_string(), event.clone(), changes.join("  ")];
            table.row(Tone::Plain, cells);
        }
        let (word, why) = match &view.word {
            FoundWord::Found => ("found", None),
            FoundWord::Nowhere => ("nowhere", None),
            FoundWord::Stopped(_, why) => ("stopped", Some(why.as_str())),
        };
        let step = |step: &FoundStepView| {
            let changes = step.changes.iter();
            let changes = changes.map(|(who, state)| json!({ "component": who, "state": state }));
            json!({
                "kind": step.kind,
                "event": step.event,
                "changes": changes.collect::<Vec<_>>(),
            })
        };
        document
            .table(table)
            .fact("schema", "orbitscope.find/1")
            .fact("process", self.process.as_str())
            .fact("condition", self.condition.as_str())
            .fact("from", self.path.clone())
            .fact("trace", [&*self.path, &*self.trace].concat())
            .fact("result", word)
            .fact("why", why)
            .fact("states", view.states)
            .fact("reduced", view.reduced)
            .fact("not_reduced", view.not_reduced.as_str())
            .fact("steps", view.steps.iter().map(step).collect::<Value>());
        document
    }
}
