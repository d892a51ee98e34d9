//! Free space in a drawing, for labels.

use crate::source::hash::IndexMap;

/// Left, top, right, bottom.
pub type Area = [f64; 4];

/// Occupied areas, indexed by squares of the drawing.
#[derive(Default)]
pub struct Room(IndexMap<(i64, i64), Vec<Area>>);

/// The side of a square: about the size of a box.
const SQUARE: f64 = 160.0;

/// The size of the intersection of two areas.
fn common(a: &Area, b: &Area) -> f64 {
    let width = a[2].min(b[2]) - a[0].max(b[0]);
    let height = a[3].min(b[3]) - a[1].max(b[1]);
    width.max(0.0) * height.max(0.0)
}

/// The squares that an area is in.
fn squares(area: &Area) -> impl Iterator<Item = (i64, i64)> + use<> {
    let [left, top, right, bottom] = area.map(|side| (side / SQUARE).floor() as i64);
    (left..=right).flat_map(move |x| (top..=bottom).map(move |y| (x, y)))
}

impl Room {
    /// Marks an area as occupied.
    pub fn take(&mut self, area: Area) {
        for square in squares(&area) {
            self.0.entry(square).or_default().push(area);
        }
    }

    /// The occupied part of an area; parts in several squares count in each.
    fn taken(&self, area: &Area) -> f64 {
        let there = squares(area).filter_map(|square| self.0.get(&square));
        there.flatten().map(|other| common(area, other)).sum()
    }

    /// Takes the first of some areas that is free; if none is, the one of which the least is taken.
    pub fn take_best(&mut self, areas: impl IntoIterator<Item = Area>) -> Option<Area> {
        let mut best: Option<(f64, Area)> = None;
        for area in areas {
            let taken = self.taken(&area);
            if best.is_none_or(|(least, _)| taken < least) {
                best = Some((taken, area));
            }
            if taken <= 0.0 {
                break;
            }
        }
        let (_, area) = best?;
        self.take(area);
        Some(area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_go_where_there_is_room() {
        let mut room = Room::default();
        let at = |x: f64| [x, 0.0, x + 100.0, 20.0];
        room.take(at(0.0));
        assert_eq!(
            room.take_best([at(50.0), at(100.0), at(200.0)]),
            Some(at(100.0))
        );
        // Nothing is free: the least occupied area is chosen.
        assert_eq!(
            room.take_best([at(40.0), at(190.0), at(20.0)]),
            Some(at(190.0))
        );
        assert_eq!(room.take_best([]), None);
    }
}
