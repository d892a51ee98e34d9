//! Layout on circles: the places of items, and arrows from each to the next one, in cells of a terminal. Where a circle
//! has no room for all, they go around along the edges.

use crate::report::page::rings::Circles;

/// Columns that a thing may take, from much to little.
const WIDTHS: [usize; 5] = [28, 24, 20, 16, 12];
/// Columns of a thing at least, however short its texts are.
const WIDTH_MIN: usize = 9;
/// Rows of a disc: its name, and its state.
pub const DISC_ROWS: usize = 2;
/// Columns between things beside each other, so that an arrow has room.
const GAP: usize = 4;
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
    // As wide as the longest text; if that has no room, the widest that has. Short texts are never cut.
    let most = wanted.clamp(WIDTH_MIN, WIDTHS[0]);
    let narrower = WIDTHS.iter().copied().filter(|width| *width < most);
    std::iter::once(most).chain(narrower).find_map(|width| {
        let tracks = Tracks::new(rings.len(), width, size)?;
        let round = tracks.plan(rings, false);
        round.or_else(|| tracks.plan(rings, true))
    })
}

/// Whether two discs touch: a column is left between adjacent ones.
fn overlap(one: (usize, usize), other: (usize, usize), width: usize) -> bool {
    one.0.abs_diff(other.0) <= width && one.1.abs_diff(other.1) < DISC_ROWS
}

/// Ways around one centre for discs of some width: circles, flattened as the terminal is, or rectangles.
struct Tracks {
    circles: Circles,
    width: usize,
    size: (usize, usize),
}

impl Tracks {
    fn new(rings: usize, width: usize, size: (usize, usize)) -> Option<Self> {
        let across = size.0.checked_sub(width)?;
        let down = size.1.checked_sub(DISC_ROWS)?;
        let radius = (across as f64 / 2.0, down as f64 / 2.0);
        Some(Self {
            circles: Circles { radius, rings },
            width,
            size,
        })
    }

    /// The picture, unless two discs would touch or an arrow would not be seen.
    fn plan(&self, rings: &[Vec<usize>], edged: bool) -> Option<CirclePlan> {
        let mut plan = CirclePlan {
            width: self.width,
            ..CirclePlan::default()
        };
        for (ring, items) in rings.iter().enumerate() {
            for (at, item) in items.iter().enumerate() {
                let (x, y) = self.point(edged, ring, at as f64, items.len());
                let left = (x - self.width as f64 / 2.0).round().max(0.0) as usize;
                let top = (y - DISC_ROWS as f64 / 2.0).round().max(0.0) as usize;
                let place = (
                    left.min(self.size.0 - self.width),
                    top.min(self.size.1 - DISC_ROWS),
                );
                plan.discs.push(Disc { item: *item, place });
            }
        }
        for (at, one) in plan.discs.iter().enumerate() {
            let mut others = plan.discs[at + 1..].iter();
            if others.any(|other| overlap(one.place, other.place, self.width)) {
                return None;
            }
        }
        for (ring, items) in rings.iter().enumerate() {
            for at in 0..items.len() {
                let way = self.way(edged, ring, at, items.len(), &plan);
                // An invisible arrow is left out.
                if way.is_empty() {
                    return None;
                }
                plan.marks.extend(way);
            }
        }
        Some(plan)
    }

    /// The middle of a disc, or a point of the way between two.
    fn point(&self, edged: bool, ring: usize, at: f64, count: usize) -> (f64, f64) {
        let (x, y) = match edged {
            true => self.on_edges(ring, at, count),
            false => self.circles.place(ring, at, count),
        };
        (self.size.0 as f64 / 2.0 + x, self.size.1 as f64 / 2.0 + y)
    }

    /// A point of a rectangle: the first item is in the middle of the upper edge, the others follow clockwise, as far
    /// apart as discs need it on edges across and down.
    fn on_edges(&self, ring: usize, at: f64, count: usize) -> (f64, f64) {
        let unit = ((self.width + GAP) as f64, (DISC_ROWS + 1) as f64);
        let inner = |radius: f64, unit: f64| (radius - ring as f64 * unit).max(0.0);
        let (x, y) = (
            inner(self.circles.radius.0, unit.0),
            inner(self.circles.radius.1, unit.1),
        );
        let (across, down) = (2.0 * x / unit.0, 2.0 * y / unit.1);
        let offset = if ring % 2 == 1 { 0.5 } else { 0.0 };
        let all = 2.0 * (across + down);
        // From the upper left corner.
        let mut rest = (all * (at + offset) / count as f64 + across / 2.0).rem_euclid(all.max(1.0));
        for (length, from, (dx, dy)) in [
            (across, (-x, -y), (unit.0, 0.0)),
            (down, (x, -y), (0.0, unit.1)),
            (across, (x, y), (-unit.0, 0.0)),
            (down, (-x, y), (0.0, -unit.1)),
        ] {
            if rest <= length {
                return (from.0 + rest * dx, from.1 + rest * dy);
            }
            rest -= length;
        }
        (-x, -y)
    }

    /// The arrow from an item to the next one, without the cells that a disc covers.
    fn way(
        &self,
        edged: bool,
        ring: usize,
        at: usize,
        count: usize,
        plan: &CirclePlan,
    ) -> Vec<WayMark> {
        let mut way: Vec<WayMark> = Vec::new();
        let mut end = (0.0, 0.0);
        for sample in 0..=SAMPLES {
            let point = |sample: usize| {
                self.point(
                    edged,
                    ring,
                    at as f64 + sample as f64 / SAMPLES as f64,
                    count,
                )
            };
            let (x, y) = point(sample);
            // The middle of a disc is between its two rows, and the way belongs to the upper one.
            let place = (x.max(0.0) as usize, (y - 0.5).max(0.0) as usize);
            let mut discs = plan.discs.iter();
            let is_free = discs.all(|disc| !covers(disc, place, plan.width));
            if is_free && way.last().is_none_or(|mark| mark.place != place) {
                way.push(WayMark { place, sign: '·' });
                let (left, above) = point(sample.saturating_sub(1));
                end = (x - left, y - above);
            }
        }
        if let Some(last) = way.last_mut() {
            last.sign = arrow(end);
        }
        way
    }
}

/// The character of an arrow in a direction.
fn arrow((x, y): (f64, f64)) -> char {
    // A row is as high as two columns are wide.
    let (across, down) = (x, 2.0 * y);
    match (across.abs() >= down.abs(), across > 0.0, down > 0.0) {
        (true, true, _) => '→',
        (true, false, _) => '←',
        (false, _, true) => '↓',
        (false, _, false) => '↑',
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

    /// Rings of up to twelve are drawn beside the other panes of a terminal of 120x36, with short and long names; so are two
    /// within each other, as of philosophers and forks.
    #[test]
    fn twelve_have_room_on_a_usual_screen() {
        for count in 3..=12 {
            for (rings, wanted) in [(1, 9), (1, 28), (1, 60), (2, 9), (2, 14)] {
                let ring = |ring: usize| (0..count).map(|at| ring * count + at).collect();
                let rings: Vec<Vec<usize>> = (0..rings).map(ring).collect();
                let plan = plan(&rings, wanted, (72, 28)).expect("there is room");
                assert!(
                    plan.width >= wanted.min(16).min(24 / rings.len()),
                    "{count}: {}",
                    plan.width
                );
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
