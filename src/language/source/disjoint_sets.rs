//! Disjoint sets of numbers (union-find), each represented by its least member.

/// A partition of the numbers from 0 into sets, which can be joined.
#[derive(Clone, Debug)]
pub struct DisjointSets {
    /// A smaller member of the set of each number, or itself if it is the least.
    parent: Vec<u32>,
}

impl DisjointSets {
    /// The numbers below `count`, each in a set of its own.
    #[must_use]
    pub fn new(count: u32) -> Self {
        Self {
            parent: (0..count).collect(),
        }
    }

    /// How many numbers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Whether there are no numbers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// The least member of the set of a number. Halves the paths that it walks.
    pub fn least(&mut self, mut number: u32) -> u32 {
        while self.parent[number as usize] != number {
            let above = self.parent[number as usize];
            self.parent[number as usize] = self.parent[above as usize];
            number = above;
        }
        number
    }

    /// Joins the sets of two numbers. Returns the least members that both had, the smaller one first; `None` if it was one
    /// set already.
    pub fn join(&mut self, a: u32, b: u32) -> Option<(u32, u32)> {
        let (a, b) = (self.least(a), self.least(b));
        let (least, other) = (a.min(b), a.max(b));
        self.parent[other as usize] = least;
        (least != other).then_some((least, other))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sets_are_the_connected_parts(pairs in prop::collection::vec((0_u32..12, 0_u32..12), 0..14)) {
            let mut sets = DisjointSets::new(12);
            // By its definition: labels that spread until nothing changes.
            let mut label: Vec<u32> = (0..12).collect();
            for (a, b) in &pairs {
                let before = [label[*a as usize], label[*b as usize]];
                let joined = sets.join(*a, *b);
                prop_assert_eq!(joined.is_some(), before[0] != before[1]);
                let least = before[0].min(before[1]);
                let both = |l: &&mut u32| before.contains(*l);
                label.iter_mut().filter(both).for_each(|l| *l = least);
            }
            let found: Vec<u32> = (0..12).map(|n| sets.least(n)).collect();
            prop_assert_eq!(found, label);
        }
    }
}
