//! Curves between the boxes of a drawing.

use std::fmt::Write;

use super::lines::{COLUMN, LINE, clipped, columns, plain};
use super::room::Room;
use super::xml::XmlText;

/// Lines of a label at a curve.
pub const LABEL_LINES_MAX: usize = 4;
/// Depth of a curve within a row, below both of its ends.
const BELOW: f64 = 50.0;

/// Sideways extent of a curve that leads back over some rows.
pub fn bow(rows: usize) -> f64 {
    (44.0 + 22.0 * rows as f64).min(320.0)
}

/// Edges between the same two vertices, drawn as one.
pub struct Curve<'a> {
    /// Number and place of the box that it begins at.
    pub from: (usize, &'a BoxPlace),
    /// The component and box at its end.
    pub to: (usize, &'a BoxPlace),
    /// The labels of the curve, one line an edge.
    pub labels: Vec<String>,
    /// Whether all its events are hidden.
    pub silent: bool,
}

/// The place of a box.
#[derive(Clone, Debug, Default)]
pub struct BoxPlace {
    /// The middle of its upper side.
    pub x: f64,
    /// The height of its upper side.
    pub y: f64,
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
    /// The row that it is in.
    pub row: usize,
}

/// A cubic Bézier curve: both ends, and the control points between them.
type Bezier = [(f64, f64); 4];

impl Curve<'_> {
    fn points(&self) -> Bezier {
        let (a, b) = (self.from.1, self.to.1);
        let (from, to) = (a.row, b.row);
        // A point of the right side (1), or of the left one (-1).
        let side_point = |v: &BoxPlace, side: f64, share: f64| {
            (v.x + side * v.width / 2.0, v.y + v.height * share)
        };
        if self.from.0 == self.to.0 {
            let (start, end) = (side_point(a, 1.0, 0.25), side_point(a, 1.0, 0.75));
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
            // One row up, by the right halves, so that both directions can be distinguished.
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
            let low = start.1.max(end.1) + BELOW;
            return [start, (start.0, low), (end.0, low), end];
        }
        // Further up: around the boxes between, on the side of the lower one.
        let side = if a.x + 1.0 < b.x { -1.0 } else { 1.0 };
        let (start, end) = (side_point(a, side, 0.4), side_point(b, side, 0.6));
        let outer = side * (side * start.0).max(side * end.0);
        let far = outer + side * bow(from - to);
        [start, (far, start.1), (far, end.1), end]
    }

    /// Adds the curve, and its label to those that are drawn behind all curves, so that none hides it.
    pub fn draw(&self, text: &mut String, labels: &mut String, room: &mut Room) {
        let [a, b, c, d] = self.points();
        let class = if self.silent { "curve tau" } else { "curve" };
        // Each label is escaped by itself, so that the line ends between them stay.
        let all = self.labels.iter().map(|line| XmlText(line).to_string());
        let all: Vec<String> = all.collect();
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
        let widest = lines.iter().map(|line| columns(line)).max().unwrap_or(0);
        let (width, height) = (COLUMN * widest as f64, LINE * lines.len() as f64);
        // As near to the middle of the curve as there is room.
        let areas = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82].map(|t| {
            let (x, y) = between([a, b, c, d], t);
            let (left, top) = (x - width / 2.0, y - height / 2.0);
            [left, top, left + width, top + height]
        });
        let Some([left, top, ..]) = room.take_best(areas) else {
            return;
        };
        let class = if self.silent { "label silent" } else { "label" };
        let _ = writeln!(
            labels,
            "  <rect class=\"plate\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        );
        let (x, first) = (left + width / 2.0, top + LINE - 3.0);
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
