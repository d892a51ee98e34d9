//! JSON of the schema `orbitscope.graph/1`: one vertex, edge or member of a fibre a line.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{EdgeView, GraphPart, GraphView, ImageView, VertexView};
use crate::reduction::StructureSummary;
use crate::words::stop_text;

/// The document. Orders of groups and sizes of orbits are texts, as they may have any length.
#[must_use]
pub fn json(view: &GraphView) -> String {
    let cut = view.cut();
    let reduction = view.used.as_ref().map(|used| {
        json!({
            "types": used.types,
            "copies": used.copies,
            "structure": used.structure.as_ref().map(StructureSummary::json),
            "group_order": used.group_order.to_string(),
            "strategy": used.strategy,
        })
    });
    let mut fields: Vec<(&str, Value)> = vec![
        ("schema", json!("orbitscope.graph/1")),
        ("process", json!(view.process)),
        ("picture", json!(view.word())),
        ("about", json!(view.heading())),
        ("reduction", json!(reduction)),
        ("complete", json!(view.is_complete())),
        (
            "cut",
            json!({
                "depth": cut.depth,
                "states": cut.states,
                "stopped": cut.stop.map(stop_text),
            }),
        ),
    ];
    if let Some((states, transitions)) = view.represented() {
        let both = json!({
            "states": states.to_string(),
            "transitions": transitions.to_string(),
        });
        fields.push(("represented", both));
    }
    let mut text = String::from("{");
    for (at, (name, value)) in fields.iter().enumerate() {
        text.push_str(if at == 0 { "\n  " } else { ",\n  " });
        text.push_str(&format!("\"{name}\": {value}"));
    }
    for (letter, part) in view.parts() {
        let name = if letter == 's' { "full" } else { "quotient" };
        text.push_str(&format!(",\n  \"{name}\": {{\n    \"vertices\": ["));
        list(
            &mut text,
            view.watch
                .each(&part.vertices)
                .enumerate()
                .map(|(n, v)| vertex(letter, n, v)),
        );
        text.push_str("],\n    \"edges\": [");
        list(&mut text, view.watch.each(&part.edges).map(edge));
        text.push_str("]\n  }");
    }
    if let (Some(quotient), Some(_)) = (&view.quotient, &view.full) {
        covering(&mut text, view, quotient);
    }
    text.push_str("\n}\n");
    text
}

/// The map: by state, and by orbit.
fn covering(text: &mut String, view: &GraphView, quotient: &GraphPart) {
    text.push_str(",\n  \"covering\": [");
    let places = view.watch.each(&view.covering).enumerate();
    list(
        text,
        places.map(|(state, place)| {
            let mut value = json!({ "state": state, "orbit": place.orbit });
            add_image(&mut value, &place.image);
            value
        }),
    );
    text.push_str("],\n  \"fibres\": [");
    let fibres = view.fibres();
    let both = quotient.vertices.iter().zip(fibres);
    let both = view.watch.each(both).enumerate();
    list(
        text,
        both.map(|(orbit, (vertex, fibre))| {
            let size = vertex.orbit.as_ref().map(ToString::to_string);
            json!({ "orbit": orbit, "orbit_size": size, "states": fibre.states })
        }),
    );
    text.push(']');
}

fn list(text: &mut String, values: impl Iterator<Item = Value>) {
    for (at, value) in values.enumerate() {
        text.push_str(if at == 0 { "\n      " } else { ",\n      " });
        text.push_str(&value.to_string());
    }
}

fn vertex(letter: char, number: usize, vertex: &VertexView) -> Value {
    let components = vertex.labels.iter().zip(&vertex.texts);
    let component =
        |(label, state): (&String, &Arc<str>)| json!({ "label": label, "state": &**state });
    let mut value = json!({
        "number": number,
        "depth": vertex.depth,
        "components": components.map(component).collect::<Vec<_>>(),
        "deadlock": vertex.deadlocked,
        "terminated": vertex.terminated,
        "expanded": vertex.expanded,
        "transitions": vertex.transitions,
        "outside": vertex.outside,
    });
    if letter == 'o' {
        value["orbit_size"] = json!(vertex.orbit.as_ref().map(ToString::to_string));
    }
    value
}

fn edge(edge: &EdgeView) -> Value {
    let mut value = json!({
        "from": edge.from,
        "to": edge.to,
        "kind": edge.kind,
        "event": &*edge.event,
        "multiplicity": edge.multiplicity,
    });
    if let Some(found) = &edge.image {
        add_image(&mut value, found);
    }
    value
}

fn add_image(value: &mut Value, image: &ImageView) {
    let types = image.cycles.iter();
    let types = types.map(|(kind, cycles)| json!({ "type": &**kind, "cycles": cycles }));
    value["permutation"] = types.collect();
    value["copies_exchanged"] = json!(image.exchanges);
    if let Some(moved) = &image.components {
        value["components_moved"] =
            json!({ "cycles": moved.cycles, "permuted_inside": moved.inside });
    }
}
