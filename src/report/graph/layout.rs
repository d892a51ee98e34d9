//! Layered layout of a graph, on paper or on the screen: vertices stand in rows by their depth, so that no edge
//! skips a row on its way down, and within a row near their neighbours.
//!
//! The order within rows is the usual one: by barycentres of neighbours in the row before, from top to bottom,
//! and then by those in the row after, from bottom to top. Vertices of one group stay together; all states of
//! an orbit are in one row, as they are equally far from the initial state.

use crate::source::hash::IndexMap;

/// The vertices of each row, from left to right.
pub type DepthRows = Vec<Vec<usize>>;

/// Sorts vertices into rows by their depths and the ends of the edges. Vertices of a `group` stay together; without
/// groups, each vertex is its own.
pub fn rows(
    depths: &[usize],
    edges: impl IntoIterator<Item = (usize, usize)>,
    group: impl Fn(usize) -> usize,
) -> DepthRows {
    let mut rows: DepthRows = Vec::new();
    for (number, depth) in depths.iter().enumerate() {
        if rows.len() <= *depth {
            rows.resize_with(depth + 1, Vec::new);
        }
        rows[*depth].push(number);
    }
    let neighbours = RowNeighbours::of(depths, edges);
    let mut places = vec![0.0; depths.len()];
    for row in &mut rows {
        // Groups stay together in the first row, too, and where barycentres are equal.
        arrange(row, &group, &mut places, |_| None);
    }
    for row in rows.iter_mut().skip(1) {
        let near = |number: usize, places: &[f64]| neighbours.above.mean(number, places);
        settle(row, &group, &mut places, near);
    }
    for row in rows.iter_mut().rev().skip(1) {
        let near = |number: usize, places: &[f64]| neighbours.below.mean(number, places);
        settle(row, &group, &mut places, near);
    }
    rows
}

/// Arranges a row by its neighbours in another row, which does not change meanwhile.
fn settle(
    row: &mut [usize],
    group: &impl Fn(usize) -> usize,
    places: &mut [f64],
    near: impl Fn(usize, &[f64]) -> Option<f64>,
) {
    let wanted: Vec<(usize, Option<f64>)> = row.iter().map(|n| (*n, near(*n, places))).collect();
    let wanted: IndexMap<usize, Option<f64>> = wanted.into_iter().collect();
    arrange(row, group, places, |number| {
        wanted.get(&number).copied().flatten()
    });
}

/// Sorts a row, groups by the mean of their members, and notes the place of each vertex. Vertices without a wish
/// keep theirs.
fn arrange(
    row: &mut [usize],
    group: &impl Fn(usize) -> usize,
    places: &mut [f64],
    wish: impl Fn(usize) -> Option<f64>,
) {
    let length = row.len() as f64;
    let mut wishes: IndexMap<usize, f64> = IndexMap::default();
    let mut groups: IndexMap<usize, (f64, f64)> = IndexMap::default();
    for (at, number) in row.iter().enumerate() {
        let here = (at as f64 + 0.5) / length;
        let wished = wish(*number).unwrap_or(here);
        wishes.insert(*number, wished);
        let sum = groups.entry(group(*number)).or_default();
        sum.0 += wished;
        sum.1 += 1.0;
    }
    let of = |number: &usize| {
        let group = group(*number);
        let (sum, count) = groups.get(&group).copied().unwrap_or((0.0, 1.0));
        let own = wishes.get(number).copied().unwrap_or(0.0);
        (sum / count, group, own)
    };
    row.sort_by(|a, b| {
        let (a, b) = (of(a), of(b));
        let by_group = a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        by_group.then(a.2.total_cmp(&b.2))
    });
    for (at, number) in row.iter().enumerate() {
        places[*number] = (at as f64 + 0.5) / length;
    }
}

/// Adjacency lists: for each vertex its neighbours in one other row.
struct AdjacencyLists(Vec<Vec<usize>>);

impl AdjacencyLists {
    fn mean(&self, number: usize, places: &[f64]) -> Option<f64> {
        let neighbours = &self.0[number];
        let sum: f64 = neighbours.iter().map(|n| places[*n]).sum();
        (!neighbours.is_empty()).then(|| sum / neighbours.len() as f64)
    }
}

struct RowNeighbours {
    above: AdjacencyLists,
    below: AdjacencyLists,
}

impl RowNeighbours {
    fn of(depths: &[usize], edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let count = depths.len();
        let mut found = Self {
            above: AdjacencyLists(vec![Vec::new(); count]),
            below: AdjacencyLists(vec![Vec::new(); count]),
        };
        for (from, to) in edges {
            let depth = |n: usize| depths[n];
            let (upper, lower) = if depth(from) < depth(to) {
                (from, to)
            } else {
                (to, from)
            };
            // Edges that lead further back would distort the drawing more than they help.
            if depth(upper) + 1 == depth(lower) {
                found.below.0[upper].push(lower);
                found.above.0[lower].push(upper);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossings_that_need_not_be_are_taken_out() {
        let edges = [(0, 1), (0, 2), (1, 4), (2, 3), (4, 0)];
        let rows = rows(&[0, 1, 1, 2, 2], edges, |n| n);
        let flat = |row: &[usize]| row.to_vec();
        let straight = flat(&rows[1]) == [1, 2] && flat(&rows[2]) == [4, 3];
        let turned = flat(&rows[1]) == [2, 1] && flat(&rows[2]) == [3, 4];
        assert!(straight || turned, "{rows:?}");
    }

    #[test]
    fn groups_stay_together() {
        let edges = (1..7).map(|n| (0, n));
        let rows = rows(&[0, 1, 1, 1, 1, 1, 1], edges, |n| n % 2);
        let odd: Vec<usize> = rows[1].iter().map(|n| n % 2).collect();
        assert!(odd.is_sorted() || odd.iter().rev().is_sorted(), "{rows:?}");
    }
}
