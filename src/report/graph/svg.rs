//! SVG with a layout of its own: rows by depth, curves between boxes, a legend. A map has the states on the
//! left, in one frame an orbit, and the quotient on the right, with each orbit in the row of its states.

use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::layout::{Rows, rows};
use super::xml::XmlText;
use super::{GraphPart, GraphView};
use crate::check::explore::GraphKind;
use crate::report::numbers::grouped;
use crate::report::words::EventKind;
use crate::source::hash::IndexMap;
use crate::source::visible_line;

/// More boxes than this nobody looks at, and programs that show SVG become slow.
pub const SVG_VERTICES_MAX: usize = 2_000;
/// The same of curves.
pub const SVG_CURVES_MAX: usize = 20_000;

/// Columns of a line in a box; the rest shows when the pointer rests on it.
const COLUMNS_MAX: usize = 36;
/// Lines of components in a box.
const LINES_MAX: usize = 14;
/// Lines of a label at a curve.
const LABEL_LINES_MAX: usize = 4;
/// Width of a column of the font.
const COLUMN: f64 = 6.7;
/// From one line to the next.
const LINE: f64 = 14.0;
/// Within a box, around its text.
const MARGIN: f64 = 8.0;
/// Between boxes of one row.
const GAP: f64 = 36.0;
/// Between rows, for the curves and their labels.
const ROW_GAP: f64 = 84.0;
/// Within the frame of an orbit.
const FRAME: f64 = 14.0;
/// Around the drawing.
const EDGE: f64 = 28.0;

const STYLE: &str = "text { font: 11px monospace; white-space: pre; }
    .box { fill: #fdfdfd; stroke: #333; }
    .initial { stroke-width: 2.5; }
    .deadlock { stroke: #c22; fill: #fff0f0; }
    .terminated { stroke: #282; fill: #f0fff0; }
    .open { stroke-dasharray: 5 3; }
    .name { font-weight: bold; }
    .frame { fill: #eef3fb; stroke: #88a; }
    .curve { fill: none; stroke: #333; marker-end: url(#head); }
    .tau { stroke: #999; marker-end: url(#grey); }
    .label { text-anchor: middle; }
    .plate { fill: #fff; fill-opacity: 0.85; }
    .silent { fill: #666; }";

/// One box.
#[derive(Clone, Debug, Default)]
struct VertexBox {
    lines: Vec<String>,
    width: f64,
    height: f64,
    /// Of the middle of its upper side.
    x: f64,
    y: f64,
}

/// One graph of the drawing, with where everything is.
struct Placed<'a> {
    letter: char,
    part: &'a GraphPart,
    rows: Rows,
    boxes: Vec<VertexBox>,
    /// Corners of the frames with the number of the orbit: left, top, right, bottom.
    frames: Vec<(usize, [f64; 4])>,
    /// Where it ends on the right, curves included.
    right: f64,
}

/// Edges between the same two vertices, drawn as one.
struct Curve<'a> {
    from: usize,
    to: usize,
    labels: Vec<String>,
    silent: bool,
    part: &'a Placed<'a>,
}

/// The picture as SVG.
///
/// # Errors
/// Why it would not be readable: it has too many vertices or curves.
pub fn svg(view: &GraphView) -> Result<String, String> {
    for (_, part) in view.parts() {
        let (vertices, curves) = (part.vertices.len(), together(part).len());
        let advice = "fewer of them with --depth or --max-states, or another format";
        if vertices > SVG_VERTICES_MAX {
            return Err(format!(
                "an SVG of {vertices} vertices is not readable (at most {SVG_VERTICES_MAX}): {advice}"
            ));
        }
        if curves > SVG_CURVES_MAX {
            return Err(format!(
                "an SVG of {curves} curves is not readable (at most {SVG_CURVES_MAX}): {advice}"
            ));
        }
    }
    let heading = view.heading();
    let top = EDGE + LINE * (heading.len() as f64 + 1.0);
    let mut placed: Vec<Placed<'_>> = view.parts().map(|(l, p)| sized(view, l, p)).collect();
    let heights = row_heights(&placed, view.kind == GraphKind::Map);
    let mut left = EDGE;
    for part in &mut placed {
        part.place(view, left, top, &heights);
        left = part.right + EDGE;
    }
    let legend = legend(view);
    let said = heading.iter().chain(&legend).map(|line| columns(line));
    let text_width = said.max().unwrap_or(0);
    let width = left.max(EDGE * 2.0 + COLUMN * text_width as f64);
    let bottom = top + heights.iter().map(|h| h + ROW_GAP).sum::<f64>();
    let height = bottom + LINE * (legend.len() as f64 + 1.0);
    let mut text = String::new();
    head(&mut text, view, width, height);
    for (at, line) in heading.iter().enumerate() {
        let class = if at == 0 { "name" } else { "said" };
        plain(&mut text, class, EDGE, EDGE + LINE * at as f64, line);
    }
    for part in &placed {
        part.draw(&mut text);
    }
    for (at, line) in legend.iter().enumerate() {
        plain(&mut text, "legend", EDGE, bottom + LINE * at as f64, line);
    }
    text.push_str("</svg>\n");
    Ok(text)
}

fn head(text: &mut String, view: &GraphView, width: f64, height: f64) {
    text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">"
    );
    let title = format!("{}: {}", view.process, view.word());
    let _ = writeln!(text, "  <title>{}</title>", XmlText(&title));
    let _ = writeln!(text, "  <style>{STYLE}</style>");
    text.push_str("  <defs>\n");
    for (id, colour) in [("head", "#333"), ("grey", "#999")] {
        let _ = writeln!(
            text,
            "    <marker id=\"{id}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
             markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"{colour}\"/></marker>"
        );
    }
    text.push_str("  </defs>\n");
    text.push_str("  <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
}

/// What the signs mean, for what is in the picture.
fn legend(view: &GraphView) -> Vec<String> {
    let mut lines = vec![
        "Thick border: initial state. Rows: least number of steps from it. Grey: tau, with the event \
         that was hidden."
            .to_owned(),
    ];
    let any = |has: fn(&super::VertexView) -> bool| {
        view.parts().any(|(_, part)| part.vertices.iter().any(has))
    };
    if any(|v| v.deadlocked) {
        lines.push("Red: deadlock.".to_owned());
    }
    if any(|v| v.terminated) {
        lines.push("Green: terminated.".to_owned());
    }
    if any(super::VertexView::is_open) {
        lines.push("Dashed: has transitions that are not in the picture.".to_owned());
    }
    if view.quotient.is_some() {
        lines.push(
            "Events are those of the representative; behind them the permutation that takes the state \
             after them to the representative."
                .to_owned(),
        );
        lines.push("xN: so many transitions of the representative with this event.".to_owned());
    }
    if view.kind == GraphKind::Map {
        lines.push(
            "Frames: the states of one orbit, each with the permutation that takes it to the \
             representative."
                .to_owned(),
        );
    }
    lines
}

fn columns(text: &str) -> usize {
    visible_line(text).width()
}

/// As much of a line as fits.
fn clipped(text: &str) -> String {
    if columns(text) <= COLUMNS_MAX {
        return text.to_owned();
    }
    let (mut kept, mut width) = (String::new(), 1);
    for c in visible_line(text).chars() {
        width += c.width().unwrap_or(0);
        if width > COLUMNS_MAX {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}

fn plain(text: &mut String, class: &str, x: f64, y: f64, line: &str) {
    let line = XmlText(line);
    let _ = writeln!(
        text,
        "  <text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{line}</text>"
    );
}

/// Edges by both ends, in order.
fn together(part: &GraphPart) -> IndexMap<(usize, usize), Vec<usize>> {
    let mut found: IndexMap<(usize, usize), Vec<usize>> = IndexMap::default();
    for (at, edge) in part.edges.iter().enumerate() {
        found.entry((edge.from, edge.to)).or_default().push(at);
    }
    found
}

/// A graph with its boxes, which have their sizes but no places yet.
fn sized<'a>(view: &GraphView, letter: char, part: &'a GraphPart) -> Placed<'a> {
    let covering = &view.covering;
    let boxes = part.vertices.iter().enumerate().map(|(number, vertex)| {
        let mut name = format!("{letter}{number}");
        if let Some(orbit) = vertex.orbit.as_ref().filter(|_| letter == 'o') {
            let _ = write!(name, ", orbit of {}", grouped(orbit));
        }
        if let Some(end) = vertex.end() {
            let _ = write!(name, ", {end}");
        }
        let mut lines = vec![name];
        if let Some(cover) = covering.get(number).filter(|_| letter == 's') {
            lines.push(clipped(&cover.image.text()));
        }
        let count = vertex.texts.len();
        let shown = if count > LINES_MAX {
            LINES_MAX - 1
        } else {
            count
        };
        lines.extend(vertex.components().take(shown).map(|c| clipped(&c)));
        if shown < count {
            lines.push(format!("and {} more components", count - shown));
        }
        let widest = lines.iter().map(|line| columns(line)).max().unwrap_or(0);
        VertexBox {
            width: COLUMN * widest as f64 + 2.0 * MARGIN,
            height: LINE * lines.len() as f64 + MARGIN,
            lines,
            ..VertexBox::default()
        }
    });
    let group = |number: usize| match covering.get(number) {
        Some(cover) if letter == 's' => cover.orbit,
        _ => number,
    };
    Placed {
        letter,
        part,
        rows: rows(part, group),
        boxes: boxes.collect(),
        frames: Vec::new(),
        right: 0.0,
    }
}

/// The height of each row, in all graphs of the drawing.
fn row_heights(placed: &[Placed<'_>], framed: bool) -> Vec<f64> {
    let count = placed.iter().map(|part| part.rows.len()).max().unwrap_or(0);
    let height = |row: usize| {
        let rows = placed
            .iter()
            .filter_map(|part| Some((part, part.rows.get(row)?)));
        let heights = rows.flat_map(|(part, row)| row.iter().map(|n| part.boxes[*n].height));
        heights.fold(0.0, f64::max) + if framed { 2.0 * FRAME + LINE } else { 0.0 }
    };
    (0..count).map(height).collect()
}

impl Placed<'_> {
    /// Gives every box its place.
    fn place(&mut self, view: &GraphView, left: f64, top: f64, heights: &[f64]) {
        let framed = view.kind == GraphKind::Map && self.letter == 's';
        let orbit = |number: usize| view.covering.get(number).map_or(0, |cover| cover.orbit);
        let gap = |before: usize, after: usize| match framed && orbit(before) != orbit(after) {
            true => GAP + 2.0 * FRAME,
            false => GAP,
        };
        let mut widths = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let boxes: f64 = row.iter().map(|n| self.boxes[*n].width).sum();
            let gaps: f64 = row.windows(2).map(|two| gap(two[0], two[1])).sum();
            widths.push(boxes + gaps + if framed { 2.0 * FRAME } else { 0.0 });
        }
        let widest = widths.iter().copied().fold(0.0, f64::max);
        // Room for curves that lead back on the left.
        let left = left + self.bow_max();
        let mut y = top;
        // Taken out for as long as boxes and frames are changed.
        let rows = std::mem::take(&mut self.rows);
        for ((row, width), height) in rows.iter().zip(&widths).zip(heights) {
            // Rows are centred.
            let mut x = left + (widest - width) / 2.0 + if framed { FRAME } else { 0.0 };
            let inner = if view.kind == GraphKind::Map {
                FRAME + LINE
            } else {
                0.0
            };
            for (at, number) in row.iter().enumerate() {
                if at > 0 {
                    x += gap(row[at - 1], *number);
                }
                let vertex = &mut self.boxes[*number];
                (vertex.x, vertex.y) = (x + vertex.width / 2.0, y + inner);
                x += vertex.width;
                if framed {
                    let bounds = [
                        vertex.x - vertex.width / 2.0 - FRAME,
                        vertex.y - FRAME - LINE,
                        vertex.x + vertex.width / 2.0 + FRAME,
                        vertex.y + vertex.height + FRAME,
                    ];
                    self.frame(orbit(*number), bounds);
                }
            }
            y += height + ROW_GAP;
        }
        self.rows = rows;
        self.right = left + widest + self.bow_max();
    }

    /// Extends the frame of an orbit.
    fn frame(&mut self, orbit: usize, bounds: [f64; 4]) {
        match self.frames.iter_mut().rev().find(|frame| frame.0 == orbit) {
            Some((_, frame)) => {
                frame[2] = frame[2].max(bounds[2]);
                frame[3] = frame[3].max(bounds[3]);
            }
            None => self.frames.push((orbit, bounds)),
        }
    }

    /// How far curves that lead back reach beyond the boxes, on either side.
    fn bow_max(&self) -> f64 {
        let depth = |n: usize| self.part.vertices[n].depth;
        let edges = self.part.edges.iter();
        let rows = edges.map(|edge| depth(edge.from).saturating_sub(depth(edge.to)));
        let far = rows.filter(|rows| *rows != 1).max();
        far.map_or(0.0, |rows| if rows == 0 { 40.0 } else { bow(rows) })
    }

    fn draw(&self, text: &mut String) {
        for (orbit, [left, top, right, bottom]) in &self.frames {
            let (width, height) = (right - left, bottom - top);
            let _ = writeln!(
                text,
                "  <g class=\"orbit\" data-orbit=\"{orbit}\"><rect class=\"frame\" x=\"{left:.1}\" \
                 y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"10\"/>"
            );
            plain(text, "name", left + 6.0, top + LINE, &format!("o{orbit}"));
            text.push_str("  </g>\n");
        }
        // Behind all curves, so that none hides a label.
        let mut labels = String::new();
        for ((from, to), edges) in together(self.part) {
            self.curve(&edges, from, to).draw(text, &mut labels);
        }
        text.push_str(&labels);
        for number in 0..self.boxes.len() {
            self.draw_box(text, number);
        }
    }

    fn curve(&self, edges: &[usize], from: usize, to: usize) -> Curve<'_> {
        let edges = edges.iter().map(|at| &self.part.edges[*at]);
        let label = |edge: &super::EdgeView| match &edge.image {
            Some(image) if !image.is_identity() => {
                format!("{} by {}", edge.label_and_count(), image.text())
            }
            _ => edge.label_and_count(),
        };
        Curve {
            from,
            to,
            labels: edges.clone().map(label).collect(),
            silent: edges.clone().all(|edge| edge.kind == EventKind::Tau),
            part: self,
        }
    }

    fn draw_box(&self, text: &mut String, number: usize) {
        let (vertex, place) = (&self.part.vertices[number], &self.boxes[number]);
        let mut class = String::from("box");
        for (name, is) in [
            ("initial", number == 0),
            ("deadlock", vertex.deadlocked),
            ("terminated", vertex.terminated),
            ("open", vertex.is_open()),
        ] {
            if is {
                let _ = write!(class, " {name}");
            }
        }
        let (left, y) = (place.x - place.width / 2.0, place.y);
        let id = format!("{}{number}", self.letter);
        let all: Vec<String> = vertex.components().collect();
        let _ = writeln!(
            text,
            "  <g class=\"vertex\" id=\"{id}\"><title>{}</title><rect class=\"{class}\" x=\"{left:.1}\" \
             y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\"/>",
            XmlText(&all.join("; ")),
            place.width,
            place.height
        );
        for (at, line) in place.lines.iter().enumerate() {
            let class = if at == 0 { "name" } else { "component" };
            let y = y + LINE * (at as f64 + 1.0);
            plain(text, class, left + MARGIN, y, line);
        }
        text.push_str("  </g>\n");
    }
}

/// How far a curve that leads back over some rows is drawn aside.
fn bow(rows: usize) -> f64 {
    (44.0 + 22.0 * rows as f64).min(320.0)
}

/// Both ends of a curve, and the points that it is drawn towards.
type Bezier = [(f64, f64); 4];

impl Curve<'_> {
    fn points(&self) -> Bezier {
        let (a, b) = (&self.part.boxes[self.from], &self.part.boxes[self.to]);
        let depth = |n: usize| self.part.part.vertices[n].depth;
        let (from, to) = (depth(self.from), depth(self.to));
        // Of the right side (1), or of the left one (-1).
        let beside = |v: &VertexBox, side: f64, share: f64| {
            (v.x + side * v.width / 2.0, v.y + v.height * share)
        };
        if self.from == self.to {
            let (start, end) = (beside(a, 1.0, 0.25), beside(a, 1.0, 0.75));
            return [
                start,
                (start.0 + 40.0, start.1 - 8.0),
                (end.0 + 40.0, end.1 + 8.0),
                end,
            ];
        }
        if from < to {
            // One row down: from the left half of the lower side to that of the upper side.
            let start = (a.x - a.width / 8.0, a.y + a.height);
            let end = (b.x - b.width / 8.0, b.y);
            let half = (end.1 - start.1) / 2.0;
            return [start, (start.0, start.1 + half), (end.0, end.1 - half), end];
        }
        if from == to + 1 {
            // One row up, by the right halves, so that both ways can be told apart.
            let start = (a.x + a.width / 4.0, a.y);
            let end = (b.x + b.width / 4.0, b.y + b.height);
            let half = (start.1 - end.1) / 2.0;
            return [
                start,
                (start.0 + 12.0, start.1 - half),
                (end.0 + 12.0, end.1 + half),
                end,
            ];
        }
        if from == to {
            // Within a row: below both.
            let (start, end) = ((a.x, a.y + a.height), (b.x, b.y + b.height));
            let low = start.1.max(end.1) + ROW_GAP * 0.6;
            return [start, (start.0, low), (end.0, low), end];
        }
        // Further up: around what is between, on the side where the lower one is.
        let side = if a.x + 1.0 < b.x { -1.0 } else { 1.0 };
        let (start, end) = (beside(a, side, 0.4), beside(b, side, 0.6));
        let outer = side * (side * start.0).max(side * end.0);
        let far = outer + side * bow(from - to);
        [start, (far, start.1), (far, end.1), end]
    }

    fn draw(&self, text: &mut String, labels: &mut String) {
        let [a, b, c, d] = self.points();
        let class = if self.silent { "curve tau" } else { "curve" };
        let all = self.labels.join("\n");
        // Lines of a title are kept apart: each is made harmless by itself.
        let all: Vec<String> = all.lines().map(|line| XmlText(line).to_string()).collect();
        let _ = writeln!(
            text,
            "  <g class=\"edge\"><title>{}</title><path class=\"{class}\" d=\"M{:.1} {:.1} C{:.1} {:.1} \
             {:.1} {:.1} {:.1} {:.1}\"/></g>",
            all.join("\n"),
            a.0,
            a.1,
            b.0,
            b.1,
            c.0,
            c.1,
            d.0,
            d.1
        );
        // Not all at the same height: labels of neighbours would hide one another.
        let t = [0.5, 0.35, 0.65, 0.42, 0.58][(self.from + 2 * self.to) % 5];
        let (x, y) = between([a, b, c, d], t);
        let count = self.labels.len();
        let shown = if count > LABEL_LINES_MAX {
            LABEL_LINES_MAX - 1
        } else {
            count
        };
        let mut lines: Vec<String> = self.labels[..shown].iter().map(|l| clipped(l)).collect();
        if shown < count {
            lines.push(format!("and {} more", count - shown));
        }
        let first = y - LINE * (lines.len() as f64 - 1.0) / 2.0 + 4.0;
        let class = if self.silent { "label silent" } else { "label" };
        let widest = lines.iter().map(|line| columns(line)).max().unwrap_or(0);
        let (width, height) = (COLUMN * widest as f64, LINE * lines.len() as f64);
        let _ = writeln!(
            labels,
            "  <rect class=\"plate\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>",
            x - width / 2.0,
            first - LINE + 3.0
        );
        for (at, line) in lines.iter().enumerate() {
            plain(labels, class, x, first + LINE * at as f64, line);
        }
    }
}

/// A point of a curve.
fn between(points: Bezier, t: f64) -> (f64, f64) {
    let s = 1.0 - t;
    let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
    let sum = |of: fn(&(f64, f64)) -> f64| -> f64 {
        points.iter().zip(weights).map(|(p, w)| of(p) * w).sum()
    };
    (sum(|p| p.0), sum(|p| p.1))
}
