//! Layout of boxes, and of the lines between them, on a canvas of characters.
//!
//! Boxes stand in rows, and lines lead from a row to the one below: down from the middle of a box to a line across
//! that all lines from this box share, and from there down to each target. Lines from boxes begin at even columns
//! and lines to boxes end at odd ones, so that no two lines that belong to different boxes ever run along each
//! other; where they cross, both go straight on.

/// Columns between two boxes of a row.
const GAP: usize = 2;
/// Largest number of horizontal lines between two rows. An edge without one is not drawn.
const TRACKS_MAX: usize = 10;
/// Lines that end at one box, at most.
const PORTS_MAX: usize = 3;
/// Columns of a box at least.
const WIDTH_MIN: usize = 8;
/// Rows of a box besides those of its text: the border, and its signs.
const BOX_ROWS: usize = 3;

/// The place of a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// The first column.
    pub x: usize,
    /// The first row.
    pub y: usize,
    /// The number of columns.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
}

/// A line from a box to one of the next row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The box where it begins.
    pub from: usize,
    /// The box where it ends.
    pub to: usize,
    /// Its column in the row of the first one, which it leaves downwards.
    pub leaves: usize,
    /// The row in which it goes across.
    pub across: usize,
    /// The column in which it goes down.
    pub arrives: usize,
    /// The row of its arrow, just above the second one.
    pub end: usize,
}

/// The place of a label above a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelSpot {
    /// The index of the box.
    pub to: usize,
    /// The first column.
    pub x: usize,
    /// The row.
    pub y: usize,
    /// The number of columns.
    pub width: usize,
}

/// The layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Columns of the sheet.
    pub width: usize,
    /// Rows of the sheet.
    pub height: usize,
    /// The place of each box.
    pub spots: Vec<Spot>,
    /// The lines that are drawn.
    pub wires: Vec<Wire>,
    /// The rows of each box's label, from top to bottom.
    pub labels: Vec<LabelSpot>,
}

/// Places boxes and lines. `rows` are the boxes by row; `edges` lead from a row to the next one, each pair once;
/// `labels` says for a box how many rows its label wants; `sizes` are the columns of the boxes of each row, and their
/// lines of text.
#[must_use]
pub fn sketch(
    rows: &[Vec<usize>],
    edges: &[(usize, usize)],
    labels: impl Fn(usize) -> usize,
    sizes: &[(usize, usize)],
) -> Sketch {
    let count = rows.iter().flatten().max().map_or(0, |most| most + 1);
    let mut sheet = Sketch {
        spots: vec![Spot::default(); count],
        ..Sketch::default()
    };
    let widths = rows.iter().zip(sizes).map(|(row, (width, _))| {
        let width = (*width).max(WIDTH_MIN);
        // A step of an even number of columns keeps all boxes at even columns.
        let step = (width + GAP).next_multiple_of(2);
        (width, step, (row.len() * step).saturating_sub(step - width))
    });
    let widths: Vec<(usize, usize, usize)> = widths.collect();
    sheet.width = widths.iter().map(|(.., all)| *all).max().unwrap_or(0);
    for ((row, (_, lines)), (width, step, all)) in rows.iter().zip(sizes).zip(widths) {
        let indent = ((sheet.width - all) / 2) & !1;
        let height = BOX_ROWS + lines;
        for (place, number) in row.iter().enumerate() {
            sheet.spots[*number] = Spot {
                x: indent + place * step,
                y: 0,
                width,
                height,
            };
        }
    }
    let mut y = 0;
    for (at, row) in rows.iter().enumerate() {
        if let Some(above) = at.checked_sub(1).and_then(|above| rows.get(above)) {
            y = connect(&mut sheet, above, row, edges, &labels, y);
        }
        let mut below = y;
        for number in row {
            let spot = &mut sheet.spots[*number];
            spot.y = y;
            below = y + spot.height;
        }
        y = below;
    }
    sheet.height = y;
    sheet
}

/// Adds the lines between two rows, from the row `y` on. Returns the row where the lower boxes begin.
fn connect(
    sheet: &mut Sketch,
    above: &[usize],
    below: &[usize],
    edges: &[(usize, usize)],
    labels: &impl Fn(usize) -> usize,
    y: usize,
) -> usize {
    let mut between: Vec<(usize, usize)> = edges.to_vec();
    between.retain(|(from, to)| above.contains(from) && below.contains(to));
    // From left to right at each box, so that lines cross as little as may be.
    between.sort_by_key(|(from, to)| (sheet.spots[*to].x, sheet.spots[*from].x));
    let mut ports = vec![0; sheet.spots.len()];
    let mut wires = Vec::new();
    for (from, to) in between {
        if ports[to] == PORTS_MAX {
            continue;
        }
        let (source, target) = (&sheet.spots[from], &sheet.spots[to]);
        wires.push(Wire {
            from,
            to,
            leaves: source.x + ((source.width / 2) & !1),
            across: y,
            arrives: target.x + 1 + 2 * ports[to],
            end: y,
        });
        ports[to] += 1;
    }
    let (tracks, across) = tracks(&wires);
    let rows = below.iter().map(|to| labels(*to)).max().unwrap_or(0).max(1);
    let end = y + across + rows;
    for mut wire in wires {
        if let Some((_, track)) = tracks.iter().find(|(of, _)| *of == wire.from) {
            (wire.across, wire.end) = (y + track, end - 1);
            sheet.wires.push(wire);
        }
    }
    for to in below {
        let wanted = labels(*to).min(rows);
        let (spot, taken) = (&sheet.spots[*to], 1 + 2 * ports[*to]);
        let (x, width) = (spot.x + taken, spot.width.saturating_sub(taken));
        let lines = (end - wanted..end).map(|y| LabelSpot {
            to: *to,
            x,
            y,
            width,
        });
        sheet.labels.extend(lines);
    }
    end
}

/// Assigns a row to each box from which lines go across, while there are enough; and returns the number of rows.
fn tracks(wires: &[Wire]) -> (Vec<(usize, usize)>, usize) {
    let mut spans: Vec<(usize, usize, usize)> = Vec::new();
    for wire in wires {
        let (first, last) = (wire.leaves.min(wire.arrives), wire.leaves.max(wire.arrives));
        match spans.iter_mut().find(|(.., source)| *source == wire.from) {
            Some(span) => (span.0, span.1) = (span.0.min(first), span.1.max(last)),
            None => spans.push((first, last, wire.from)),
        }
    }
    spans.sort_unstable();
    let mut ends: Vec<usize> = Vec::new();
    let mut tracks = Vec::new();
    for (first, last, source) in spans {
        // A row in which another line across has ended before, with a column between them.
        match ends.iter().position(|end| end + 1 < first) {
            Some(track) => {
                ends[track] = last;
                tracks.push((source, track));
            }
            None if ends.len() < TRACKS_MAX => {
                tracks.push((source, ends.len()));
                ends.push(last);
            }
            None => {}
        }
    }
    (tracks, ends.len())
}

impl Sketch {
    /// The box at a place.
    #[must_use]
    pub fn at(&self, x: usize, y: usize) -> Option<usize> {
        let inside = |spot: &Spot| {
            (spot.x..spot.x + spot.width).contains(&x)
                && (spot.y..spot.y + spot.height).contains(&y)
        };
        self.spots.iter().position(inside)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Pairs = Vec<(usize, usize)>;

    /// Rows of boxes, edges between neighbouring ones, and the sizes by row.
    fn drawings() -> impl Strategy<Value = (Vec<Vec<usize>>, Pairs, Pairs)> {
        let lengths = proptest::collection::vec((1..9usize, (1..30usize, 1..5usize)), 1..6);
        (lengths, any::<u64>()).prop_map(|(lengths, seed)| {
            let sizes = lengths.iter().map(|(_, size)| *size).collect();
            let mut rows: Vec<Vec<usize>> = Vec::new();
            let mut count = 0;
            for (length, _) in lengths {
                rows.push((count..count + length).collect());
                count += length;
            }
            let mut edges = Vec::new();
            let mut random = seed;
            for pair in rows.windows(2) {
                for (from, to) in pair[0]
                    .iter()
                    .flat_map(|f| pair[1].iter().map(move |t| (*f, *t)))
                {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    if (random >> 33) % 3 == 0 {
                        edges.push((from, to));
                    }
                }
            }
            (rows, edges, sizes)
        })
    }

    /// The places that a line takes, with whether it runs down there.
    fn cells(wire: &Wire) -> Vec<(usize, usize, bool)> {
        let (first, last) = (wire.leaves.min(wire.arrives), wire.leaves.max(wire.arrives));
        let across = (first..=last).map(|x| (x, wire.across, false));
        let down = (wire.across..=wire.end).map(|y| (wire.arrives, y, true));
        across.chain(down).collect()
    }

    proptest! {
        #[test]
        fn boxes_and_lines_keep_apart((rows, edges, sizes) in drawings()) {
            let sheet = sketch(&rows, &edges, |n| n % 3, &sizes);
            for (at, a) in sheet.spots.iter().enumerate() {
                prop_assert!(a.x + a.width <= sheet.width && a.y + a.height <= sheet.height);
                for b in &sheet.spots[at + 1..] {
                    let beside = a.x + a.width <= b.x || b.x + b.width <= a.x;
                    prop_assert!(beside || a.y + a.height <= b.y || b.y + b.height <= a.y);
                }
            }
            for wire in &sheet.wires {
                // A wire connects the ends of its edge, begins just below the one box and ends just above the other.
                prop_assert!(edges.contains(&(wire.from, wire.to)));
                let (from, to) = (&sheet.spots[wire.from], &sheet.spots[wire.to]);
                prop_assert!((from.x + 1..from.x + from.width - 1).contains(&wire.leaves));
                prop_assert!((to.x + 1..to.x + to.width - 1).contains(&wire.arrives));
                prop_assert!(from.y + from.height <= wire.across && wire.across < wire.end);
                prop_assert_eq!(wire.end + 1, to.y);
                for (x, y, _) in cells(wire) {
                    prop_assert_eq!(sheet.at(x, y), None);
                }
            }
            // Lines from different boxes never run along each other.
            for (at, a) in sheet.wires.iter().enumerate() {
                for b in sheet.wires[at + 1..].iter().filter(|b| b.from != a.from) {
                    let taken = cells(a);
                    prop_assert!(cells(b).iter().all(|cell| !taken.contains(cell)));
                    prop_assert!(a.leaves != b.leaves || a.across >= b.end || b.across >= a.end);
                }
            }
            for label in &sheet.labels {
                let (spot, x) = (&sheet.spots[label.to], label.x);
                prop_assert!(x > spot.x && x + label.width <= spot.x + spot.width);
                for wire in &sheet.wires {
                    let hit = |(cx, cy, _): &(usize, usize, bool)| *cy == label.y && (x..x + label.width).contains(cx);
                    prop_assert!(!cells(wire).iter().any(hit));
                }
            }
        }

        #[test]
        fn every_edge_of_a_small_drawing_is_drawn(lower in 1..6usize) {
            let rows = vec![vec![0], (1..=lower).collect()];
            let edges: Vec<(usize, usize)> = (1..=lower).map(|to| (0, to)).collect();
            prop_assert_eq!(sketch(&rows, &edges, |_| 1, &[(20, 1), (20, 1)]).wires.len(), lower);
        }
    }
}
