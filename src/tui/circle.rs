//! Layout on circles: the places of items, and arrows from each to the next one, in cells of a terminal.

use std::f64::consts::{FRAC_PI_2, TAU};

/// Columns that a thing may take, from much to little.
const WIDTHS: [usize; 6] = [28, 24, 20, 16, 12, 9];
/// Rows of a disc: its name, and its state.
pub const DISC_ROWS: usize = 2;
/// Rows of a picture at least.
const ROWS_MIN: usize = 7;
/// Things on one circle at most.
const RING_MAX: usize = 40;
/// Circles within one another at most.
const RINGS_MAX: usize = 3;
/// Points of an arrow that are computed.
const SAMPLES: usize = 240;

/// Something on a circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disc {
    /// The number of the item.
    pub item: usize,
    /// The column and the row of its upper left corner.
    pub place: (usize, usize),
}

/// A character of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WayMark {
    /// The column and row.
    pub place: (usize, usize),
    /// An arrow where the way ends, and a dot elsewhere.
    pub sign: char,
}

/// A picture of circles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CirclePlan {
    /// The columns of each disc.
    pub width: usize,
    /// The discs of all circles.
    pub discs: Vec<Disc>,
    /// The ways between them.
    pub marks: Vec<WayMark>,
}

/// Draws circles of things, each with a way to the next one; `wanted` is how many columns the longest text has.
/// None if there is no room, or too much to draw.
#[must_use]
pub fn plan(rings: &[Vec<usize>], wanted: usize, size: (usize, usize)) -> Option<CirclePlan> {
    let too_long = rings.iter().any(|ring| ring.len() > RING_MAX);
    if rings.is_empty() || rings.len() > RINGS_MAX || too_long || size.1 < ROWS_MIN {
        return None;
    }
    // The narrowest that has room for all texts, and if that is too wide, the widest that fits.
    let enough = WIDTHS.iter().rposition(|width| *width >= wanted);
    let widths = &WIDTHS[enough.unwrap_or(0)..];
    widths.iter().find_map(|width| fitted(rings, *width, size))
}

fn fitted(rings: &[Vec<usize>], width: usize, size: (usize, usize)) -> Option<CirclePlan> {
    let circles = Circles::new(rings.len(), width, size)?;
    let mut plan = CirclePlan {
        width,
        ..CirclePlan::default()
    };
    for (ring, items) in rings.iter().enumerate() {
        for (at, item) in items.iter().enumerate() {
            let (x, y) = circles.point(ring, circles.angle(ring, at as f64, items.len()));
            let left = (x - width as f64 / 2.0).round().max(0.0) as usize;
            let top = (y - DISC_ROWS as f64 / 2.0).round().max(0.0) as usize;
            let place = (left.min(size.0 - width), top.min(size.1 - DISC_ROWS));
            plan.discs.push(Disc { item: *item, place });
        }
    }
    for (at, one) in plan.discs.iter().enumerate() {
        let mut others = plan.discs[at + 1..].iter();
        if others.any(|other| overlap(one.place, other.place, width)) {
            return None;
        }
    }
    for (ring, items) in rings.iter().enumerate() {
        for at in 0..items.len() {
            let way = circles.way(ring, at, items.len(), &plan);
            // An invisible arrow is left out.
            if way.is_empty() {
                return None;
            }
            plan.marks.extend(way);
        }
    }
    Some(plan)
}

/// Whether two discs touch: a column is left between adjacent ones.
fn overlap(one: (usize, usize), other: (usize, usize), width: usize) -> bool {
    one.0.abs_diff(other.0) <= width && one.1.abs_diff(other.1) < DISC_ROWS
}

/// Circles around one centre, flattened as the terminal is.
struct Circles {
    centre: (f64, f64),
    /// Half the columns and half the rows of the outermost.
    radius: (f64, f64),
    rings: usize,
}

impl Circles {
    fn new(rings: usize, width: usize, size: (usize, usize)) -> Option<Self> {
        let across = size.0.checked_sub(width)?;
        let down = size.1.checked_sub(DISC_ROWS)?;
        Some(Self {
            centre: (size.0 as f64 / 2.0, size.1 as f64 / 2.0),
            radius: (across as f64 / 2.0, down as f64 / 2.0),
            rings,
        })
    }

    /// The angle of an item: the first one above, the others clockwise. On each second circle they are placed
    /// between those of the one around it.
    fn angle(&self, ring: usize, at: f64, count: usize) -> f64 {
        let offset = if ring % 2 == 1 { 0.5 } else { 0.0 };
        TAU * (at + offset) / count as f64 - FRAC_PI_2
    }

    fn point(&self, ring: usize, angle: f64) -> (f64, f64) {
        let share = 1.0 - ring as f64 / self.rings as f64;
        let x = self.centre.0 + self.radius.0 * share * angle.cos();
        let y = self.centre.1 + self.radius.1 * share * angle.sin();
        (x, y)
    }

    /// The arrow from an item to the next one, without the cells that a disc covers.
    fn way(&self, ring: usize, at: usize, count: usize, plan: &CirclePlan) -> Vec<WayMark> {
        let mut way: Vec<WayMark> = Vec::new();
        let mut end = None;
        for sample in 0..=SAMPLES {
            let along = at as f64 + sample as f64 / SAMPLES as f64;
            let angle = self.angle(ring, along, count);
            let (x, y) = self.point(ring, angle);
            // The middle of a disc is between its two rows, and the way belongs to the upper one.
            let place = (x.max(0.0) as usize, (y - 0.5).max(0.0) as usize);
            let is_free = plan
                .discs
                .iter()
                .all(|disc| !covers(disc, place, plan.width));
            if is_free && way.last().is_none_or(|mark| mark.place != place) {
                way.push(WayMark { place, sign: '·' });
                end = Some(angle);
            }
        }
        if let (Some(last), Some(angle)) = (way.last_mut(), end) {
            last.sign = self.arrow(angle);
        }
        way
    }

    /// The character of a clockwise arrow.
    fn arrow(&self, angle: f64) -> char {
        // A row is as high as two columns are wide.
        let across = -self.radius.0 * angle.sin();
        let down = 2.0 * self.radius.1 * angle.cos();
        match (across.abs() >= down.abs(), across > 0.0, down > 0.0) {
            (true, true, _) => '→',
            (true, false, _) => '←',
            (false, _, true) => '↓',
            (false, _, false) => '↑',
        }
    }
}

/// Whether a cell belongs to a disc, or is right beside one.
fn covers(disc: &Disc, (x, y): (usize, usize), width: usize) -> bool {
    let (left, top) = disc.place;
    (top..top + DISC_ROWS).contains(&y) && x + 1 >= left && x <= left + width
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A circle of five, with arrows that go around clockwise.
    #[test]
    fn a_circle_goes_around() {
        let plan = plan(&[(0..5).collect()], 9, (60, 20)).expect("there is room");
        assert_eq!(plan.width, 9);
        let order: Vec<usize> = plan.discs.iter().map(|disc| disc.item).collect();
        assert_eq!(order, [0, 1, 2, 3, 4]);
        let place = |item: usize| plan.discs[item].place;
        // The first one above in the middle, the second on the right, the last on the left.
        assert!(place(0).1 < place(1).1 && place(1).0 > place(0).0);
        assert_eq!(place(1).1, place(4).1);
        assert!(place(4).0 < place(0).0);
        let arrows: String = plan
            .marks
            .iter()
            .map(|mark| mark.sign)
            .filter(|s| *s != '·')
            .collect();
        assert_eq!(arrows.chars().count(), 5, "{arrows}");
        assert!(
            arrows.starts_with('→') || arrows.starts_with('↓'),
            "{arrows}"
        );
        assert!(arrows.ends_with('→') || arrows.ends_with('↑'), "{arrows}");
    }

    /// No item covers another, and none is outside.
    #[test]
    fn what_is_drawn_is_apart() {
        for rings in 1..=3_usize {
            for count in 3..30 {
                for size in [(30, 8), (72, 26), (78, 11), (120, 40)] {
                    let all: Vec<Vec<usize>> = (0..rings)
                        .map(|ring| (0..count).map(|at| ring * count + at).collect())
                        .collect();
                    let Some(plan) = plan(&all, 12, size) else {
                        continue;
                    };
                    assert_eq!(plan.discs.len(), rings * count);
                    for (at, disc) in plan.discs.iter().enumerate() {
                        assert!(disc.place.0 + plan.width <= size.0, "{size:?}");
                        assert!(disc.place.1 + DISC_ROWS <= size.1, "{size:?}");
                        let mut others = plan.discs[at + 1..].iter();
                        assert!(!others.any(|o| overlap(disc.place, o.place, plan.width)));
                    }
                    for mark in &plan.marks {
                        assert!(mark.place.0 < size.0 && mark.place.1 < size.1, "{size:?}");
                        let mut discs = plan.discs.iter();
                        assert!(!discs.any(|d| covers(d, mark.place, plan.width)));
                    }
                }
            }
        }
    }

    #[test]
    fn without_room_there_is_no_circle() {
        assert_eq!(plan(&[(0..5).collect()], 9, (12, 20)), None);
        assert_eq!(plan(&[(0..5).collect()], 9, (60, 4)), None);
        assert_eq!(plan(&[(0..100).collect()], 9, (300, 100)), None);
        assert_eq!(plan(&[], 9, (60, 20)), None);
    }
}
