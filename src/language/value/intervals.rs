//! Sets of integers as intervals: `Int`, `{n..}`, long ranges, and what union, intersection and
//! difference make of them. Each set has one form.

/// A bound below every integer: the interval is open to the left.
// Far outside 64 bits, and far inside 128: bounds can be moved by one without an overflow, and an
// open end is never mistaken for the smallest or largest integer.
const LOWEST: i128 = -(1 << 100);
/// A bound above every integer: the interval is open to the right.
const HIGHEST: i128 = 1 << 100;

/// Intervals, bounds included: ascending, disjoint and not adjacent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Intervals(Box<[(i128, i128)]>);

impl Intervals {
    /// From one number to another; an absent bound means that there is none.
    #[must_use]
    pub fn range(from: Option<i64>, to: Option<i64>) -> Self {
        let from = from.map_or(LOWEST, i128::from);
        let to = to.map_or(HIGHEST, i128::from);
        Self::of(if from <= to {
            vec![(from, to)]
        } else {
            Vec::new()
        })
    }

    /// The set of some numbers in ascending order.
    #[must_use]
    pub fn of_ascending(numbers: impl IntoIterator<Item = i64>) -> Self {
        Self::joined(
            numbers
                .into_iter()
                .map(|n| (i128::from(n), i128::from(n)))
                .collect(),
        )
    }

    fn of(intervals: Vec<(i128, i128)>) -> Self {
        Self(intervals.into())
    }

    /// Intervals in ascending order of their lower bounds; those that touch are joined.
    fn joined(intervals: Vec<(i128, i128)>) -> Self {
        let mut all: Vec<(i128, i128)> = Vec::new();
        for (from, to) in intervals {
            match all.last_mut() {
                // Also those that only touch, as `{1..2}` and `{3..4}` do: otherwise one set would
                // have several forms. `max`, since an interval may lie inside the one before it.
                Some(last) if from <= last.1 + 1 => last.1 = last.1.max(to),
                _ => all.push((from, to)),
            }
        }
        Self::of(all)
    }

    /// The number of intervals, not of their elements.
    #[must_use]
    pub fn pieces(&self) -> usize {
        self.0.len()
    }

    /// The number of elements; none if infinitely many.
    #[must_use]
    pub fn size(&self) -> Option<u128> {
        let infinite = |(from, to): &(i128, i128)| *from == LOWEST || *to == HIGHEST;
        if self.0.iter().any(infinite) {
            return None;
        }
        Some(
            self.0
                .iter()
                .map(|(from, to)| (to - from + 1) as u128)
                .sum(),
        )
    }

    /// Whether a number belongs to it.
    #[must_use]
    pub fn contains(&self, n: i64) -> bool {
        let n = i128::from(n);
        // The first interval that does not end before `n` is the only one that can hold it.
        let at = self.0.partition_point(|(_, to)| *to < n);
        self.0.get(at).is_some_and(|(from, _)| *from <= n)
    }

    /// The numbers, ascending. Only for a finite set.
    pub fn numbers(&self) -> impl Iterator<Item = i64> + '_ {
        self.0
            .iter()
            .flat_map(|(from, to)| (*from as i64)..=(*to as i64))
    }

    /// The bounds of each interval; none where there is no bound.
    pub fn bounds(&self) -> impl Iterator<Item = (Option<i64>, Option<i64>)> + '_ {
        self.0.iter().map(|(from, to)| {
            let from = (*from != LOWEST).then_some(*from as i64);
            (from, (*to != HIGHEST).then_some(*to as i64))
        })
    }

    /// The numbers of either.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut all = [&*self.0, &*other.0].concat();
        all.sort_unstable();
        Self::joined(all)
    }

    /// The numbers of both.
    #[must_use]
    pub fn inter(&self, other: &Self) -> Self {
        let (mut i, mut j) = (0, 0);
        let mut all = Vec::new();
        while let (Some(a), Some(b)) = (self.0.get(i), other.0.get(j)) {
            // No need to join the results: between two of them lies a number that one of the sets
            // lacks.
            let (from, to) = (a.0.max(b.0), a.1.min(b.1));
            if from <= to {
                all.push((from, to));
            }
            if a.1 < b.1 {
                // The interval that ends first meets no more of the other set.
                i += 1;
            } else {
                j += 1;
            }
        }
        Self::of(all)
    }

    /// The numbers that are not in `other`.
    #[must_use]
    pub fn diff(&self, other: &Self) -> Self {
        // The complement of `other`: what lies between its intervals, and beyond them at both ends.
        let mut outside = Vec::new();
        let mut next = LOWEST;
        for (from, to) in &other.0 {
            if next < *from {
                outside.push((next, from - 1));
            }
            next = to + 1;
        }
        if next <= HIGHEST {
            outside.push((next, HIGHEST));
        }
        self.inter(&Self::of(outside))
    }
}
