//! Pictures of finite automata, as DOT and as SVG.

use std::fmt::Write;

use super::curves::{BoxPlace, Curve, bow};
use super::dot::Quoted;
use super::layout::rows;
use super::lines::{COLUMN, LINE, columns, plain};
use super::room::Room;
use super::svg::{EDGE, GAP, MARGIN, ROW_GAP, svg_head};
use crate::source::hash::IndexMap;

/// An automaton in words.
#[derive(Clone, Debug, Default)]
pub struct AutomatonView {
    /// What it is.
    pub title: String,
    /// What is said above it, line by line.
    pub remarks: Vec<String>,
    /// Whether each state accepts; state 0 is the initial one.
    pub accepting: Vec<bool>,
    /// From which state to which, by which symbols.
    pub edges: Vec<(usize, usize, Vec<String>)>,
}

/// The automaton for Graphviz.
#[must_use]
pub fn automaton_dot(view: &AutomatonView) -> String {
    let mut text = String::new();
    for line in &view.remarks {
        let _ = writeln!(text, "// {}", crate::source::visible_line(line));
    }
    let _ = writeln!(text, "digraph \"{}\" {{", Quoted(&view.title));
    text.push_str("  graph [rankdir=LR];\n  node [shape=circle, fontname=\"monospace\"];\n");
    text.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    text.push_str("  start [shape=point];\n  start -> q0;\n");
    for (state, accepts) in view.accepting.iter().enumerate() {
        let shape = if *accepts { ", shape=doublecircle" } else { "" };
        let _ = writeln!(text, "  q{state} [label=\"{state}\"{shape}];");
    }
    for (from, to, labels) in &view.edges {
        let labels: Vec<String> = labels.iter().map(|l| Quoted(l).to_string()).collect();
        let _ = writeln!(
            text,
            "  q{from} -> q{to} [label=\"{}\"];",
            labels.join("\\n")
        );
    }
    text.push_str("}\n");
    text
}

/// The automaton as a drawing: rows by the least number of symbols that lead to a state.
#[must_use]
pub fn automaton_svg(view: &AutomatonView) -> String {
    let lines = std::iter::once(&view.title).chain(&view.remarks);
    let top = EDGE + LINE * (view.remarks.len() as f64 + 2.0);
    let (places, width, bottom) = view.placed(top);
    let said = lines.clone().map(|line| columns(line)).max().unwrap_or(0);
    let width = width.max(2.0 * EDGE + COLUMN * said as f64);
    let mut text = String::new();
    svg_head(&mut text, &view.title, width, bottom + 2.0 * LINE);
    for (at, line) in lines.enumerate() {
        let class = if at == 0 { "name" } else { "said" };
        plain(&mut text, class, EDGE, EDGE + LINE * at as f64, line);
    }
    view.draw_curves(&mut text, &places);
    for (state, place) in places.iter().enumerate() {
        let mut class = String::from("box");
        for (name, is) in [
            ("initial", state == 0),
            ("terminated", view.accepting[state]),
        ] {
            if is {
                let _ = write!(class, " {name}");
            }
        }
        let left = place.x - place.width / 2.0;
        let _ = writeln!(
            text,
            "  <g class=\"vertex\" id=\"q{state}\"><rect class=\"{class}\" x=\"{left:.1}\" y=\"{:.1}\" \
             width=\"{:.1}\" height=\"{:.1}\" rx=\"6\"/>",
            place.y, place.width, place.height
        );
        let name = view.name(state);
        plain(&mut text, "name", left + MARGIN, place.y + LINE, &name);
        text.push_str("  </g>\n");
    }
    let legend = "Thick border: the initial state. Green: accepts.";
    plain(&mut text, "legend", EDGE, bottom, legend);
    text.push_str("</svg>\n");
    text
}

impl AutomatonView {
    fn name(&self, state: usize) -> String {
        match self.accepting[state] {
            true => format!("{state} accepts"),
            false => state.to_string(),
        }
    }

    /// The places of the states below `top`, the width of the drawing, and where it ends.
    fn placed(&self, top: f64) -> (Vec<BoxPlace>, f64, f64) {
        let depths = self.depths();
        let ends = self.edges.iter().map(|(from, to, _)| (*from, *to));
        let rows = rows(&depths, ends, |state| state);
        let width = |state: usize| COLUMN * columns(&self.name(state)) as f64 + 2.0 * MARGIN;
        let row_width = |row: &Vec<usize>| {
            row.iter()
                .map(|state| width(*state) + 2.0 * GAP)
                .sum::<f64>()
        };
        let widest = rows.iter().map(row_width).fold(0.0, f64::max);
        // Room for curves that lead back on either side.
        let side = bow(rows.len());
        let height = 2.0 * LINE + ROW_GAP;
        let mut places = vec![BoxPlace::default(); depths.len()];
        for (number, row) in rows.iter().enumerate() {
            let mut x = EDGE + side + (widest - row_width(row)) / 2.0;
            for state in row {
                let width = width(*state);
                places[*state] = BoxPlace {
                    x: x + width / 2.0,
                    y: top + number as f64 * height,
                    width,
                    height: LINE + MARGIN,
                    row: number,
                };
                x += width + 2.0 * GAP;
            }
        }
        let bottom = top + rows.len() as f64 * height;
        (places, widest + 2.0 * (side + EDGE), bottom)
    }

    /// The least number of symbols that lead to each state.
    fn depths(&self) -> Vec<usize> {
        let mut found: IndexMap<usize, usize> = IndexMap::default();
        found.insert(0, 0);
        let mut at = 0;
        while let Some((state, depth)) = found.get_index(at).map(|(s, d)| (*s, *d)) {
            for (from, to, _) in &self.edges {
                if *from == state {
                    found.entry(*to).or_insert(depth + 1);
                }
            }
            at += 1;
        }
        let states = 0..self.accepting.len();
        states
            .map(|state| found.get(&state).copied().unwrap_or(0))
            .collect()
    }

    fn draw_curves(&self, text: &mut String, places: &[BoxPlace]) {
        let mut labels = String::new();
        let mut room = Room::default();
        for place in places {
            let (left, right) = (place.x - place.width / 2.0, place.x + place.width / 2.0);
            room.take([left, place.y, right, place.y + place.height]);
        }
        for (from, to, symbols) in &self.edges {
            let curve = Curve {
                from: (*from, &places[*from]),
                to: (*to, &places[*to]),
                labels: vec![symbols.join(" ")],
                silent: false,
            };
            curve.draw(text, &mut labels, &mut room);
        }
        text.push_str(&labels);
    }
}
