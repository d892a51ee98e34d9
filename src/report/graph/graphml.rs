//! GraphML, as networkx, yEd, Gephi and others read it.

use std::fmt::Write;

use super::xml::XmlText;
use super::{CoverView, EdgeView, GraphPart, GraphView, ImageView, VertexView};
use crate::lab::explore::GraphKind;
use crate::words::EventKind;

/// Attributes: element, name, type. Sizes of orbits are texts, as they may have any length.
const KEYS: [(&str, &str, &str); 20] = [
    ("graph", "process", "string"),
    ("graph", "picture", "string"),
    ("graph", "complete", "boolean"),
    ("graph", "about", "string"),
    ("node", "label", "string"),
    ("node", "part", "string"),
    ("node", "group", "int"),
    ("node", "depth", "int"),
    ("node", "components", "string"),
    ("node", "orbit_size", "string"),
    ("node", "initial", "boolean"),
    ("node", "deadlock", "boolean"),
    ("node", "terminated", "boolean"),
    ("node", "open", "boolean"),
    ("edge", "part", "string"),
    ("edge", "label", "string"),
    ("edge", "event", "string"),
    ("edge", "kind", "string"),
    ("edge", "multiplicity", "int"),
    ("edge", "permutation", "string"),
];

/// The picture in GraphML. A map is one graph: its vertices have the attribute `part`, which is `full` or
/// `quotient`, and the number of their orbit as `group`; edges of the part `covering` lead from each state to
/// its orbit.
#[must_use]
pub fn graphml(view: &GraphView) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text.push_str("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    for (of, name, kind) in KEYS {
        let _ = writeln!(
            text,
            "  <key id=\"{}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>",
            key(of, name)
        );
    }
    text.push_str("  <graph id=\"G\" edgedefault=\"directed\">\n");
    data(&mut text, "graph", "process", &view.process);
    data(&mut text, "graph", "picture", view.word());
    data(&mut text, "graph", "complete", truth(view.is_complete()));
    data(&mut text, "graph", "about", &view.heading().join(" "));
    for (letter, part) in view.parts() {
        vertices(&mut text, view, letter, part);
    }
    let mut number = 0;
    for (letter, part) in view.parts() {
        for edge in view.watch.each(&part.edges) {
            write_edge(&mut text, letter, number, edge);
            number += 1;
        }
    }
    for (state, cover) in view.watch.each(&view.covering).enumerate() {
        open_edge(
            &mut text,
            number,
            &format!("s{state}"),
            &format!("o{}", cover.orbit),
        );
        number += 1;
        data(&mut text, "edge", "part", "covering");
        image(&mut text, &cover.image);
        text.push_str("</edge>\n");
    }
    text.push_str("  </graph>\n</graphml>\n");
    text
}

/// Readers take an attribute by its name, but the identifiers have to differ.
fn key(of: &str, name: &str) -> String {
    format!("{}_{name}", &of[..1])
}

fn truth(is: bool) -> &'static str {
    if is { "true" } else { "false" }
}

fn data(text: &mut String, of: &str, name: &str, value: &str) {
    let (key, value) = (key(of, name), XmlText(value));
    let _ = write!(text, "<data key=\"{key}\">{value}</data>");
    if of == "graph" {
        text.push('\n');
    }
}

fn vertices(text: &mut String, view: &GraphView, letter: char, part: &GraphPart) {
    for (number, vertex) in view.watch.each(&part.vertices).enumerate() {
        let cover = view.covering.get(number).filter(|_| letter == 's');
        write_vertex(text, view.kind, letter, number, vertex, cover);
    }
}

fn write_vertex(
    text: &mut String,
    kind: GraphKind,
    letter: char,
    number: usize,
    vertex: &VertexView,
    cover: Option<&CoverView>,
) {
    let _ = write!(text, "    <node id=\"{letter}{number}\">");
    let components: Vec<String> = vertex.components().collect();
    let components = components.join("; ");
    data(text, "node", "label", &format!("{letter}{number}"));
    let part = if letter == 's' { "full" } else { "quotient" };
    data(text, "node", "part", part);
    if kind == GraphKind::Map {
        let group = cover.map_or(number, |cover| cover.orbit);
        data(text, "node", "group", &group.to_string());
    }
    data(text, "node", "depth", &vertex.depth.to_string());
    data(text, "node", "components", &components);
    if let Some(orbit) = &vertex.orbit {
        data(text, "node", "orbit_size", &orbit.to_string());
    }
    data(text, "node", "initial", truth(number == 0));
    data(text, "node", "deadlock", truth(vertex.deadlocked));
    data(text, "node", "terminated", truth(vertex.terminated));
    data(text, "node", "open", truth(vertex.is_open()));
    text.push_str("</node>\n");
}

fn open_edge(text: &mut String, number: usize, from: &str, to: &str) {
    let _ = write!(
        text,
        "    <edge id=\"e{number}\" source=\"{from}\" target=\"{to}\">"
    );
}

fn write_edge(text: &mut String, letter: char, number: usize, edge: &EdgeView) {
    let (from, to) = (
        format!("{letter}{}", edge.from),
        format!("{letter}{}", edge.to),
    );
    open_edge(text, number, &from, &to);
    let part = if letter == 's' { "full" } else { "quotient" };
    data(text, "edge", "part", part);
    data(text, "edge", "label", &edge.label_and_count());
    data(text, "edge", "event", &edge.event);
    let kind = match edge.kind {
        EventKind::Tau => "tau",
        EventKind::Tick => "tick",
        EventKind::Visible => "visible",
    };
    data(text, "edge", "kind", kind);
    data(text, "edge", "multiplicity", &edge.multiplicity.to_string());
    if let Some(found) = &edge.image {
        image(text, found);
    }
    text.push_str("</edge>\n");
}

fn image(text: &mut String, image: &ImageView) {
    data(text, "edge", "permutation", &image.text());
}
