//! The place of a person in the table of a run ([`crate::report::trail`]), and the part of it on the screen.

use crate::source::hash::{Map, Set};

/// The kind of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrailRow {
    /// The numbers of the steps, and whether they can be seen from outside.
    #[default]
    Step,
    /// The channels.
    Channel,
    /// The rest of the events.
    Fields,
    /// The specification.
    Specification,
    /// The moving members of a component's family.
    Family(usize),
    /// A component.
    Component(usize),
}

impl TrailRow {
    /// Whether it is about the step as a whole.
    #[must_use]
    pub fn is_head(self) -> bool {
        matches!(self, Self::Step | Self::Channel | Self::Fields)
    }
}

/// The place of the user in a run, and the chosen rows. By default, the violation.
#[derive(Clone, Debug)]
pub struct TrailPlace {
    /// The index among the counterexamples of the assertion, from 0.
    pub which: usize,
    /// The selected state, by the number of steps that lead to it; the last one if there are not so many.
    pub step: usize,
    /// The first column on the screen.
    pub from: usize,
    /// The selected row.
    pub row: TrailRow,
    /// Whether all rows are shown, and not only those that move.
    pub all: bool,
    /// Channels that the person has folded, or unfolded.
    pub folds: Map<String, bool>,
    /// Families whose members have rows of their own, by their names.
    pub families: Set<String>,
}

impl Default for TrailPlace {
    fn default() -> Self {
        Self {
            which: 0,
            step: usize::MAX,
            from: 0,
            row: TrailRow::default(),
            all: false,
            folds: Map::default(),
            families: Set::default(),
        }
    }
}

/// The columns on the screen: as many of `count` as fit, the selected one among them, and the screen full
/// where there are enough.
#[must_use]
pub fn window(
    count: usize,
    width: &dyn Fn(usize) -> usize,
    from: usize,
    chosen: usize,
    room: usize,
) -> std::ops::Range<usize> {
    let last = count.saturating_sub(1);
    let chosen = chosen.min(last);
    let fits = |used: &mut usize, at: usize| {
        *used += width(at);
        *used <= room
    };
    let forward = |from: usize| {
        let mut used = 0;
        let fit = (from..count).take_while(|at| fits(&mut used, *at)).count();
        // One at least, even on a narrow terminal.
        (from + fit.max(1)).min(count)
    };
    let backward = |to: usize| {
        let mut used = 0;
        let fit = (0..=to).rev().take_while(|at| fits(&mut used, *at)).count();
        to + 1 - fit.max(1)
    };
    let mut from = from.min(chosen);
    if chosen >= forward(from) {
        from = backward(chosen);
    }
    if forward(from) == count {
        from = from.min(backward(last));
    }
    from..forward(from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The selected column is on the screen, and no screen is left half empty.
        #[test]
        fn windows_are_full(
            widths in prop::collection::vec(1..20usize, 1..40),
            from in 0..50usize,
            chosen in 0..50usize,
            room in 1..80usize,
        ) {
            let chosen = chosen.min(widths.len() - 1);
            let shown = window(widths.len(), &|at| widths[at], from, chosen, room);
            prop_assert!(shown.contains(&chosen));
            let used: usize = widths[shown.clone()].iter().sum();
            prop_assert!(used <= room || shown.len() == 1);
            let left = shown.start.checked_sub(1).map(|at| widths[at]);
            let right = widths.get(shown.end);
            // Nothing more would fit on the right, and at the end nothing more on the left.
            prop_assert!(right.is_none_or(|w| used + w > room));
            prop_assert!(right.is_some() || left.is_none_or(|w| used + w > room));
        }
    }
}
