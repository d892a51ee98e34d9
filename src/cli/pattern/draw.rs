//! Automata as tables and as pictures.

use std::path::Path;

use serde_json::{Value, json};

use crate::report::document::{DocumentTable, TableColumn, Tone};
use crate::report::graph::{AutomatonView, automaton_dot, automaton_svg};
use crate::source::hash::IndexMap;
use crate::{USAGE, complain};
use orbitscope_pattern::alphabet::Symbol;
use orbitscope_pattern::automaton::Nfa;

/// An automaton for people: symbols between the same two states stand together.
pub fn view(title: &str, automaton: &Nfa, name: impl Fn(Symbol) -> String) -> AutomatonView {
    let states = 0..automaton.states() as u32;
    let mut edges = Vec::new();
    for from in states.clone() {
        let mut by_target: IndexMap<u32, Vec<String>> = IndexMap::default();
        for (symbol, to) in automaton.edges(from) {
            by_target.entry(*to).or_default().push(name(*symbol));
        }
        let own = by_target.into_iter();
        edges.extend(own.map(|(to, names)| (from as usize, to as usize, names)));
    }
    AutomatonView {
        title: title.to_owned(),
        remarks: Vec::new(),
        accepting: states.map(|state| automaton.accepts_in(state)).collect(),
        edges,
    }
}

/// The automaton as a table of its transitions.
pub fn table(view: &AutomatonView) -> DocumentTable {
    let mut table = DocumentTable::new(vec![
        TableColumn::headed("state"),
        TableColumn::headed("by"),
        TableColumn::headed("to"),
    ]);
    let mut last = None;
    for state in 0..view.accepting.len() {
        let accepts = if view.accepting[state] {
            " accepts"
        } else {
            ""
        };
        let own = view.edges.iter().filter(|edge| edge.0 == state);
        for (_, to, names) in own {
            let shown = match last == Some(state) {
                true => String::new(),
                false => format!("{state}{accepts}"),
            };
            last = Some(state);
            table.row(Tone::Plain, vec![shown, names.join(" "), to.to_string()]);
        }
        if last != Some(state) {
            let shown = format!("{state}{accepts}");
            table.row(Tone::Plain, vec![shown, String::new(), String::new()]);
        }
    }
    table
}

/// The automaton for programs.
pub fn automaton_json(view: &AutomatonView) -> Value {
    let accepting: Vec<usize> = (0..view.accepting.len())
        .filter(|state| view.accepting[*state])
        .collect();
    let edges = view.edges.iter();
    let edges = edges.map(|(from, to, by)| json!({ "from": from, "to": to, "by": by }));
    json!({
        "states": view.accepting.len(),
        "initial": 0,
        "accepting": accepting,
        "edges": edges.collect::<Vec<_>>(),
    })
}

/// Whether a file that is to be drawn has a name that tells the format.
pub fn is_drawable(path: &Path) -> Result<(), u8> {
    match picture(path, &AutomatonView::default()) {
        Some(_) => Ok(()),
        None => {
            let name = path.display();
            complain(&format!(
                "the name {name} does not tell the format: it has to end in .svg or .dot"
            ));
            Err(USAGE)
        }
    }
}

/// The picture in the format that the name of a file tells.
pub fn picture(path: &Path, view: &AutomatonView) -> Option<String> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => Some(automaton_svg(view)),
        Some("dot" | "gv") => Some(automaton_dot(view)),
        _ => None,
    }
}
