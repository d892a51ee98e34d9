//! DOT, as Graphviz reads it.

use std::fmt::{self, Write};

use super::{CoverView, EdgeView, GraphPart, GraphView, VertexView};
use crate::lab::explore::GraphKind;
use crate::numbers::grouped;
use crate::source::visible_line;
use crate::words::EventKind;

/// Text within quotation marks. A label has escapes of its own (`\N`, `\l`) and entities like those of HTML,
/// so backslashes are doubled and `&` becomes one.
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in visible_line(self.0).chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '&' => f.write_str("&amp;")?,
                c => write!(f, "{c}")?,
            }
        }
        Ok(())
    }
}

/// The picture in DOT. A map has its states in one cluster an orbit, and the quotient in a cluster beside
/// them.
#[must_use]
pub fn dot(view: &GraphView) -> String {
    let mut text = String::new();
    for line in view.heading() {
        let _ = writeln!(text, "// {}", visible_line(&line));
    }
    let _ = writeln!(text, "digraph \"{}\" {{", Quoted(&view.process));
    text.push_str("  graph [rankdir=TB, compound=true];\n");
    text.push_str("  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=10];\n");
    text.push_str("  edge [fontname=\"monospace\", fontsize=9];\n");
    let map = view.kind == GraphKind::Map;
    for (letter, part) in view.parts() {
        match (map, letter) {
            (true, 's') => clusters(&mut text, view, part),
            (true, _) => {
                text.push_str("  subgraph cluster_quotient {\n    label=\"quotient\";\n");
                all_vertices(&mut text, view, letter, part);
                text.push_str("  }\n");
            }
            (false, _) => all_vertices(&mut text, view, letter, part),
        }
        for edge in view.watch.each(&part.edges) {
            write_edge(&mut text, letter, edge);
        }
    }
    text.push_str("}\n");
    text
}

fn all_vertices(text: &mut String, view: &GraphView, letter: char, part: &GraphPart) {
    for (number, vertex) in view.watch.each(&part.vertices).enumerate() {
        write_vertex(text, letter, number, vertex, None);
    }
}

/// The states of each orbit in a cluster of its own.
fn clusters(text: &mut String, view: &GraphView, part: &GraphPart) {
    let fibres = view.fibres();
    for (orbit, fibre) in view.watch.each(&fibres).enumerate() {
        let _ = writeln!(text, "  subgraph cluster_o{orbit} {{");
        let _ = writeln!(text, "    label=\"orbit o{orbit}\";");
        for state in &fibre.states {
            let cover = view.covering.get(*state);
            write_vertex(text, 's', *state, &part.vertices[*state], cover);
        }
        text.push_str("  }\n");
    }
}

fn write_vertex(
    text: &mut String,
    letter: char,
    number: usize,
    vertex: &VertexView,
    cover: Option<&CoverView>,
) {
    let _ = write!(text, "  {letter}{number} [label=\"{letter}{number}");
    if let Some(orbit) = vertex.orbit.as_ref().filter(|_| letter == 'o') {
        let _ = write!(text, ", orbit of {}", grouped(orbit));
    }
    if let Some(end) = vertex.end() {
        let _ = write!(text, ", {end}");
    }
    text.push_str("\\l");
    for component in vertex.components() {
        let _ = write!(text, "{}\\l", Quoted(&component));
    }
    let _ = write!(text, "\", depth={}", vertex.depth);
    if letter == 'o' {
        let size = vertex.orbit.as_ref().map(ToString::to_string);
        let size = size.as_deref().unwrap_or("unknown");
        let _ = write!(text, ", orbit_size=\"{size}\"");
    }
    if let Some(cover) = cover {
        let by = cover.image.text();
        let _ = write!(
            text,
            ", orbit={}, permutation=\"{}\"",
            cover.orbit,
            Quoted(&by)
        );
    }
    if let Some(end) = vertex.end() {
        let colour = if vertex.deadlocked { "red" } else { "green" };
        let _ = write!(text, ", {end}=true, color={colour}");
    }
    if vertex.is_open() {
        // Some of its transitions are missing.
        let _ = write!(text, ", open=true, style=\"rounded,dashed\"");
    }
    if number == 0 {
        text.push_str(", initial=true, penwidth=2");
    }
    text.push_str("];\n");
}

fn write_edge(text: &mut String, letter: char, edge: &EdgeView) {
    let EdgeView { from, to, .. } = edge;
    let label = Quoted(&edge.label()).to_string();
    let _ = write!(text, "  {letter}{from} -> {letter}{to} [label=\"{label}");
    if edge.multiplicity != 1 {
        let _ = write!(text, " x{}", edge.multiplicity);
    }
    let image = edge.image.as_ref();
    let by = image.map(|image| (image.is_identity(), Quoted(&image.text()).to_string()));
    if let Some((false, by)) = &by {
        let _ = write!(text, "\\n{by}");
    }
    let _ = write!(text, "\", event=\"{label}\"");
    if let Some((_, by)) = by {
        let _ = write!(
            text,
            ", multiplicity={}, permutation=\"{by}\"",
            edge.multiplicity
        );
    }
    if edge.kind == EventKind::Tau {
        text.push_str(", color=gray50, fontcolor=gray30");
    }
    text.push_str("];\n");
}
