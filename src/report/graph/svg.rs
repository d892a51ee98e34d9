//! SVG with a layout of its own: rows by depth, curves between boxes, a legend. A map has the states on the
//! left, in one frame an orbit, and the quotient on the right, with each orbit in the row of its states.

use std::fmt::Write;

use super::curves::{BoxPlace, Curve, LABEL_LINES_MAX, bow};
use super::layout::{DepthRows, rows};
use super::lines::{COLUMN, LINE, clipped, columns, plain};
use super::room::Room;
use super::xml::XmlText;
use super::{GraphPart, GraphView};
use crate::lab::explore::GraphKind;
use crate::numbers::grouped;
use crate::source::hash::IndexMap;
use crate::words::EventKind;

/// Largest number of boxes: more are of no use to a reader, and programs that show SVG become slow.
pub const SVG_VERTICES_MAX: usize = 2_000;
/// Largest number of curves, for the same reason.
pub const SVG_CURVES_MAX: usize = 20_000;

/// Lines of components in a box.
const LINES_MAX: usize = 14;
/// Within a box, around its text.
pub(super) const MARGIN: f64 = 8.0;
/// Between boxes of one row.
pub(super) const GAP: f64 = 36.0;
/// Between rows, for the curves and their labels: at least, and at most where there are many.
pub(super) const ROW_GAP: f64 = 84.0;
const ROW_GAP_MAX: f64 = 280.0;
/// Within the frame of an orbit.
const FRAME: f64 = 14.0;
/// The margin around the drawing.
pub(super) const EDGE: f64 = 28.0;

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

/// A box of the drawing.
#[derive(Clone, Debug, Default)]
struct VertexBox {
    lines: Vec<String>,
    place: BoxPlace,
}

/// A graph of the drawing, with all coordinates.
struct Placed<'a> {
    letter: char,
    part: &'a GraphPart,
    rows: DepthRows,
    boxes: Vec<VertexBox>,
    /// Corners of the frames with the number of the orbit: left, top, right, bottom.
    frames: Vec<(usize, [f64; 4])>,
    /// The right end, curves included.
    right: f64,
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
    let rooms = row_rooms(&placed, view.kind == GraphKind::Map);
    let mut left = EDGE;
    for part in &mut placed {
        part.place(view, left, top, &rooms);
        left = part.right + EDGE;
    }
    let legend = legend(view);
    let said = heading.iter().chain(&legend).map(|line| columns(line));
    let text_width = said.max().unwrap_or(0);
    let width = left.max(EDGE * 2.0 + COLUMN * text_width as f64);
    let bottom = top + rooms.iter().map(|r| r.height + r.gap).sum::<f64>();
    let height = bottom + LINE * (legend.len() as f64 + 1.0);
    let mut text = String::new();
    let title = format!("{}: {}", view.process, view.word());
    svg_head(&mut text, &title, width, height);
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

/// Begins a drawing.
pub(super) fn svg_head(text: &mut String, title: &str, width: f64, height: f64) {
    text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">"
    );
    let _ = writeln!(text, "  <title>{}</title>", XmlText(title));
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

/// The legend: the signs that occur in the picture.
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
        let place = BoxPlace {
            width: COLUMN * widest as f64 + 2.0 * MARGIN,
            height: LINE * lines.len() as f64 + MARGIN,
            row: vertex.depth,
            ..BoxPlace::default()
        };
        VertexBox { lines, place }
    });
    let group = |number: usize| match covering.get(number) {
        Some(cover) if letter == 's' => cover.orbit,
        _ => number,
    };
    Placed {
        letter,
        part,
        rows: arranged(part, group),
        boxes: boxes.collect(),
        frames: Vec::new(),
        right: 0.0,
    }
}

/// The room of a row, in all graphs of the drawing.
struct RowRoom {
    height: f64,
    /// The gap below it.
    gap: f64,
}

fn row_rooms(placed: &[Placed<'_>], framed: bool) -> Vec<RowRoom> {
    let count = placed.iter().map(|part| part.rows.len()).max().unwrap_or(0);
    let mut rooms: Vec<RowRoom> = Vec::with_capacity(count);
    let below: Vec<Vec<f64>> = placed.iter().map(Placed::labels_below).collect();
    for row in 0..count {
        let mut room = RowRoom {
            height: 0.0,
            gap: ROW_GAP,
        };
        for (part, below) in placed.iter().zip(&below) {
            let boxes = part.rows.get(row).into_iter().flatten();
            let boxes: Vec<&BoxPlace> = boxes.map(|n| &part.boxes[*n].place).collect();
            let next = part.rows.get(row + 1).into_iter().flatten();
            let next: f64 = next.map(|n| part.boxes[*n].place.width + GAP).sum();
            let own: f64 = boxes.iter().map(|b| b.width + GAP).sum();
            let heights = boxes.iter().map(|b| b.height);
            room.height = heights.fold(room.height, f64::max);
            // Only a part of the area can be used, and curves need room themselves.
            let labels = 1.6 * below.get(row).copied().unwrap_or(0.0);
            let needed = labels / own.max(next).max(1.0) + LINE * 4.0;
            room.gap = room.gap.max(needed.min(ROW_GAP_MAX));
        }
        room.height += if framed { 2.0 * FRAME + LINE } else { 0.0 };
        rooms.push(room);
    }
    rooms
}

impl Placed<'_> {
    /// Gives every box its place.
    fn place(&mut self, view: &GraphView, left: f64, top: f64, rooms: &[RowRoom]) {
        let framed = view.kind == GraphKind::Map && self.letter == 's';
        let orbit = |number: usize| view.covering.get(number).map_or(0, |cover| cover.orbit);
        let gap = |before: usize, after: usize| {
            if framed && orbit(before) != orbit(after) {
                GAP + 2.0 * FRAME
            } else {
                GAP
            }
        };
        let mut widths = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let boxes: f64 = row.iter().map(|n| self.boxes[*n].place.width).sum();
            let gaps: f64 = row.windows(2).map(|two| gap(two[0], two[1])).sum();
            widths.push(boxes + gaps + if framed { 2.0 * FRAME } else { 0.0 });
        }
        let widest = widths.iter().copied().fold(0.0, f64::max);
        // Room for curves that lead back on the left.
        let left = left + self.bow_max();
        let mut y = top;
        // Taken out while boxes and frames are changed.
        let rows = std::mem::take(&mut self.rows);
        for ((row, width), room) in rows.iter().zip(&widths).zip(rooms) {
            // DepthRows are centred.
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
                let vertex = &mut self.boxes[*number].place;
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
            y += room.height + room.gap;
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

    /// The area that labels of curves take between each row and the next, roughly.
    fn labels_below(&self) -> Vec<f64> {
        let mut areas = vec![0.0; self.rows.len()];
        let depth = |n: usize| self.part.vertices[n].depth;
        for ((from, to), edges) in together(self.part) {
            let labels = self.curve(&edges, from, to).labels;
            let shown = labels.iter().take(LABEL_LINES_MAX);
            let widths = shown.map(|label| columns(&clipped(label)) as f64 * COLUMN);
            areas[depth(from).min(depth(to))] += widths.sum::<f64>() * LINE;
        }
        areas
    }

    /// The extent of curves that lead back beyond the boxes, on either side.
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
        let mut room = Room::default();
        for drawn in &self.boxes {
            let place = &drawn.place;
            let (left, right) = (place.x - place.width / 2.0, place.x + place.width / 2.0);
            room.take([left, place.y, right, place.y + place.height]);
        }
        for ((from, to), edges) in together(self.part) {
            self.curve(&edges, from, to)
                .draw(text, &mut labels, &mut room);
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
            from: (from, &self.boxes[from].place),
            to: (to, &self.boxes[to].place),
            labels: edges.clone().map(label).collect(),
            silent: edges.clone().all(|edge| edge.kind == EventKind::Tau),
        }
    }

    fn draw_box(&self, text: &mut String, number: usize) {
        let (vertex, drawn) = (&self.part.vertices[number], &self.boxes[number]);
        let place = &drawn.place;
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
        for (at, line) in drawn.lines.iter().enumerate() {
            let class = if at == 0 { "name" } else { "component" };
            let y = y + LINE * (at as f64 + 1.0);
            plain(text, class, left + MARGIN, y, line);
        }
        text.push_str("  </g>\n");
    }
}

/// Sorts the vertices of a part into rows.
fn arranged(part: &GraphPart, group: impl Fn(usize) -> usize) -> DepthRows {
    let depths: Vec<usize> = part.vertices.iter().map(|v| v.depth).collect();
    let edges = part.edges.iter().map(|edge| (edge.from, edge.to));
    rows(&depths, edges, group)
}
