//! The text of the script, and places in it by the names of definitions.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::animate::model::*;
use crate::script::load::load_text;

/// The text that the states are of.
const TEXT: &str = include_str!("../../../../models/list_stack.csp");

/// A text that cannot be used: its first error ends it, and the others are in it.
pub const BROKEN: &str = "-- Three things are wrong.\nP = a ->\n  [] STOP\n\tchannel b : {1..}\n";

pub fn listing() -> Arc<Listing> {
    static KNOWN: OnceLock<Arc<Listing>> = OnceLock::new();
    Arc::clone(KNOWN.get_or_init(|| listed("liststack.csp", TEXT)))
}

/// The listing of any text.
pub fn listed(name: &str, text: &str) -> Arc<Listing> {
    Arc::new(Listing::new(&load_text(Path::new(name), text)))
}

/// The definition that a local state is named after.
fn place(name: &str) -> Vec<ScriptPlace> {
    let name = name.split(['.', '(']).next().unwrap_or(name);
    let listing = listing();
    // A state that is named after no definition is one of a thread.
    let mut all = listing.outline.iter();
    let found = all.clone().find(|e| e.name == name);
    let found = found.or_else(|| all.find(|e| e.name == "Thread"));
    let also = Vec::new();
    let place = |entry: &OutlineEntry| ScriptPlace {
        span: entry.whole,
        also,
    };
    found.map(place).into_iter().collect()
}

pub fn places(view: &StateView, transition: Option<&TransitionView>) -> PlacesView {
    let movers = transition.map_or(&[][..], |t| &t.movers);
    PlacesView {
        components: view.components.iter().map(|c| place(&c.name)).collect(),
        branches: movers
            .iter()
            .map(|(at, before, _)| (*at, place(before)))
            .collect(),
    }
}
