//! The communication graph of the components in DOT: components of one orbit have one colour.

use std::fmt::Write;

use super::{NetworkSymmetry, orders};
use crate::graph::Quoted;
use crate::source::visible_line;

/// Components that are drawn.
const COMPONENTS_MAX: usize = 300;

/// The picture in DOT.
#[must_use]
pub fn dot(view: &NetworkSymmetry) -> String {
    let mut text = String::new();
    let subject = match view.assertion {
        Some(number) => format!("assertion {number}: {}", view.subject),
        None => view.subject.clone(),
    };
    let mut remark = |line: &str| {
        let _ = writeln!(text, "// {}", visible_line(line));
    };
    remark(&subject);
    match &view.found {
        Ok(group) => remark(&format!("group {}", orders(group))),
        Err(why) => remark(&format!("symmetry was not looked for: {why}")),
    }
    let drawn = view.components.len().min(COMPONENTS_MAX);
    if drawn < view.components.len() {
        let all = view.components.len();
        remark(&format!("only the first {drawn} of {all} components"));
    }
    let _ = writeln!(text, "graph \"{}\" {{", Quoted(&subject));
    text.push_str("  graph [layout=neato, overlap=false];\n");
    text.push_str("  node [style=filled, fontname=\"monospace\", fontsize=10];\n");
    text.push_str("  edge [fontname=\"monospace\", fontsize=9];\n");
    let mut orbit_of = vec![None; view.components.len()];
    let mut orbits = 0;
    if let Ok(group) = &view.found {
        for orbit in group.orbits.iter().filter(|orbit| orbit.len() > 1) {
            for component in orbit {
                orbit_of[*component] = Some(orbits);
            }
            orbits += 1;
        }
    }
    for (number, name) in view.components.iter().enumerate().take(drawn) {
        let _ = write!(text, "  c{number} [label=\"{}\"", Quoted(name));
        let _ = match orbit_of[number] {
            // Colours all around, far apart for few and different for many.
            Some(orbit) => writeln!(
                text,
                ", orbit={orbit}, fillcolor=\"{:.3} 0.35 0.95\"];",
                orbit as f64 / orbits as f64
            ),
            None => writeln!(text, ", fillcolor=white];"),
        };
    }
    let inside = |link: &&super::LinkView| link.ends.0 < drawn && link.ends.1 < drawn;
    for link in view.links.iter().filter(inside) {
        let mut label = link.channels.join(", ");
        if link.more > 0 {
            let _ = write!(label, " and {} more", link.more);
        }
        let (a, b) = link.ends;
        let _ = writeln!(text, "  c{a} -- c{b} [label=\"{}\"];", Quoted(&label));
    }
    text.push_str("}\n");
    text
}
