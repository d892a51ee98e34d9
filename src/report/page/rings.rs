//! Drawings of components on circles, with an arrow from each to the one that a permutation takes it to.

use std::f64::consts::{FRAC_PI_2, TAU};
use std::fmt::Write;

use crate::columns::{fit, width};
use crate::graph::xml::XmlText;

/// Cycles that stand on a circle have at least so many components.
const CYCLE_MIN: usize = 3;
/// Components on one circle at most.
const RING_MAX: usize = 24;
/// Circles within one another at most.
const RINGS_MAX: usize = 3;
/// Columns of the longest text in a box.
const TEXT_MAX: usize = 26;
/// Width of a column and height of a box.
const COLUMN: f64 = 7.4;
const HEIGHT: f64 = 40.0;
/// Space between boxes, and around the drawing.
const GAP: f64 = 18.0;
/// Half the height of the outermost circle by half its width.
const FLATNESS: f64 = 0.62;
/// Points of an arrow that are computed.
const SAMPLES: usize = 60;

/// A component in a drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RingItem {
    /// Its name.
    pub name: String,
    /// Its local state.
    pub state: String,
    /// Whether the last step has changed that.
    pub is_changed: bool,
}

/// A drawing of components on circles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RingDrawing {
    /// What the drawing shows, in a sentence.
    pub caption: String,
    /// The components.
    pub items: Vec<RingItem>,
    /// The components of each circle, each of which is taken to the next one.
    pub rings: Vec<Vec<usize>>,
}

/// The longest cycles of a permutation, if they are long enough to be drawn as circles.
#[must_use]
pub fn longest_cycles(cycles: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let longest = cycles.iter().map(Vec::len).max().unwrap_or(0);
    let is_long = |cycle: &&Vec<usize>| cycle.len() == longest && longest >= CYCLE_MIN;
    cycles.iter().filter(is_long).cloned().collect()
}

impl RingDrawing {
    /// The drawing, in the colours of the page that it is part of; `None` if there is too much to draw.
    #[must_use]
    pub fn svg(&self) -> Option<String> {
        let is_long = self.rings.iter().any(|ring| ring.len() > RING_MAX);
        if self.rings.is_empty() || self.rings.len() > RINGS_MAX || is_long {
            return None;
        }
        let layout = RingLayout::around(self);
        let (x, y) = layout.circles.radius;
        let (across, down) = (x + layout.box_width / 2.0 + GAP, y + HEIGHT / 2.0 + GAP);
        let mut out = String::new();
        let _ = writeln!(
            out,
            "<svg viewBox=\"{:.1} {:.1} {:.1} {:.1}\" style=\"max-width:{:.0}px\" role=\"img\" aria-label=\"{}\">",
            -across,
            -down,
            2.0 * across,
            2.0 * down,
            2.0 * across,
            XmlText(&self.caption)
        );
        for (ring, items) in self.rings.iter().enumerate() {
            for at in 0..items.len() {
                layout.arrow(ring, at, items.len(), &mut out);
            }
        }
        for (ring, items) in self.rings.iter().enumerate() {
            for (at, item) in items.iter().enumerate() {
                let place = layout.circles.place(ring, at as f64, items.len());
                layout.disc(&self.items[*item], place, &mut out);
            }
        }
        out.push_str("</svg>\n");
        Some(out)
    }
}

/// Circles around the origin, the first one outermost. They may be flattened.
#[derive(Clone, Copy, Debug)]
pub struct Circles {
    /// Half the width and half the height of the outermost.
    pub radius: (f64, f64),
    /// The number of circles.
    pub rings: usize,
}

impl Circles {
    /// The place of an item, or of a point between two: the first one is above, the others follow clockwise. On each
    /// second circle they stand between those of the one around it.
    #[must_use]
    pub fn place(&self, ring: usize, at: f64, count: usize) -> (f64, f64) {
        let offset = if ring % 2 == 1 { 0.5 } else { 0.0 };
        let angle = TAU * (at + offset) / count as f64 - FRAC_PI_2;
        let share = 1.0 - ring as f64 / self.rings as f64;
        let (x, y) = self.radius;
        (x * share * angle.cos(), y * share * angle.sin())
    }
}

/// Boxes on circles.
struct RingLayout {
    circles: Circles,
    box_width: f64,
    counts: Vec<usize>,
}

impl RingLayout {
    /// The smallest circles on which no two boxes touch.
    fn around(drawing: &RingDrawing) -> Self {
        let on_rings = drawing.rings.iter().flatten();
        let texts = on_rings.flat_map(|item| {
            let item = &drawing.items[*item];
            [width(&item.name), width(&item.state)]
        });
        let columns = texts.max().unwrap_or(0).clamp(6, TEXT_MAX);
        let circles = Circles {
            radius: (0.0, 0.0),
            rings: drawing.rings.len(),
        };
        let mut layout = Self {
            circles,
            box_width: columns as f64 * COLUMN + GAP,
            counts: drawing.rings.iter().map(Vec::len).collect(),
        };
        let mut radius = layout.box_width;
        loop {
            layout.circles.radius = (radius, radius * FLATNESS);
            if layout.is_free() {
                return layout;
            }
            radius *= 1.05;
        }
    }

    fn is_free(&self) -> bool {
        let places = self.places();
        let apart = |a: &(f64, f64), b: &(f64, f64)| {
            (a.0 - b.0).abs() >= self.box_width + GAP || (a.1 - b.1).abs() >= HEIGHT + GAP
        };
        let mut pairs = (0..places.len()).flat_map(|at| (0..at).map(move |other| (at, other)));
        pairs.all(|(a, b)| apart(&places[a], &places[b]))
    }

    fn places(&self) -> Vec<(f64, f64)> {
        let rings = self.counts.iter().enumerate();
        let all = rings.flat_map(|(ring, count)| {
            (0..*count).map(move |at| self.circles.place(ring, at as f64, *count))
        });
        all.collect()
    }

    /// Draws the way to the next item, as far as no box covers it.
    fn arrow(&self, ring: usize, at: usize, count: usize, out: &mut String) {
        let ends = [at, at + 1].map(|at| self.circles.place(ring, at as f64, count));
        let is_covered = |(x, y): (f64, f64)| {
            let near = |end: &(f64, f64)| {
                (x - end.0).abs() < self.box_width / 2.0 + 3.0
                    && (y - end.1).abs() < HEIGHT / 2.0 + 3.0
            };
            ends.iter().any(near)
        };
        let along = (0..=SAMPLES).map(|n| at as f64 + n as f64 / SAMPLES as f64);
        let points = along.map(|at| self.circles.place(ring, at, count));
        let way: Vec<(f64, f64)> = points.filter(|point| !is_covered(*point)).collect();
        let [.., before, (x, y)] = way[..] else {
            return;
        };
        let texts: Vec<String> = way.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            out,
            "<polyline class=\"way\" points=\"{}\"/>",
            texts.join(" ")
        );
        let (dx, dy) = (x - before.0, y - before.1);
        let length = dx.hypot(dy).max(f64::MIN_POSITIVE);
        let (dx, dy) = (dx / length, dy / length);
        let corner = |back: f64, aside: f64| {
            let (x, y) = (x - back * dx - aside * dy, y - back * dy + aside * dx);
            format!("{x:.1},{y:.1}")
        };
        let _ = writeln!(
            out,
            "<polygon class=\"tip\" points=\"{} {} {}\"/>",
            corner(-2.0, 0.0),
            corner(7.0, 4.0),
            corner(7.0, -4.0)
        );
    }

    /// Draws an item: its name above its state, which is marked if it changed.
    fn disc(&self, item: &RingItem, (x, y): (f64, f64), out: &mut String) {
        let (class, mark) = match item.is_changed {
            true => ("disc changed", "*"),
            false => ("disc", ""),
        };
        let name = fit(&item.name, TEXT_MAX);
        let state = fit(&format!("{mark}{}", item.state), TEXT_MAX);
        let _ = writeln!(
            out,
            "<g class=\"{class}\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{HEIGHT:.1}\" rx=\"6\"/>\
             <text class=\"name\" x=\"{x:.1}\" y=\"{:.1}\">{}</text><text x=\"{x:.1}\" y=\"{:.1}\">{}</text></g>",
            x - self.box_width / 2.0,
            y - HEIGHT / 2.0,
            self.box_width,
            y - 4.0,
            XmlText(&name),
            y + 13.0,
            XmlText(&state)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing(rings: usize, count: usize) -> RingDrawing {
        let item = |at: usize| RingItem {
            name: format!("Node[N{at}]"),
            state: format!("Waiting(N{at}, <x>)"),
            is_changed: at == 1,
        };
        RingDrawing {
            caption: "Each \"arrow\".".into(),
            items: (0..rings * count).map(item).collect(),
            rings: (0..rings)
                .map(|ring| (0..count).map(|at| ring * count + at).collect())
                .collect(),
        }
    }

    #[test]
    fn boxes_stand_apart_and_each_has_an_arrow() {
        for rings in 1..=RINGS_MAX {
            for count in CYCLE_MIN..=RING_MAX {
                let drawing = drawing(rings, count);
                assert!(RingLayout::around(&drawing).is_free());
                let svg = drawing.svg().expect("there is room");
                assert_eq!(svg.matches("<rect").count(), rings * count);
                assert_eq!(svg.matches("<polygon").count(), rings * count, "{svg}");
                assert!(!svg.contains("<x>") && !svg.contains("NaN"));
            }
        }
        assert_eq!(drawing(1, RING_MAX + 1).svg(), None);
        assert_eq!(drawing(0, 0).svg(), None);
    }

    #[test]
    fn short_cycles_are_no_circles() {
        assert!(longest_cycles(&[vec![0, 1]]).is_empty());
        let cycles = [vec![0, 1, 2], vec![3, 4], vec![5, 6, 7]];
        assert_eq!(longest_cycles(&cycles), [vec![0, 1, 2], vec![5, 6, 7]]);
    }
}
