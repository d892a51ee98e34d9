//! The steps of one component by *place* (its local states) and *label* (its events that take part in rules), and sets
//! of labels.

/// The steps of a component, ascending by label at each place.
#[derive(Debug)]
pub(super) struct LabelSteps {
    labels: usize,
    /// Words of a set of labels.
    words: usize,
    /// The beginning of the steps of each place; one more at the end.
    from: Vec<u32>,
    list: Vec<(u32, u32)>,
    /// The labels of each place, as a set.
    offers: Vec<u64>,
}

impl LabelSteps {
    /// A component without places.
    pub(super) fn new(labels: usize) -> Self {
        Self {
            labels,
            words: labels.div_ceil(64),
            from: vec![0],
            list: Vec::new(),
            offers: Vec::new(),
        }
    }

    /// Adds the next place, with label and place of each step.
    pub(super) fn push(&mut self, steps: &mut [(u32, u32)]) {
        steps.sort_unstable();
        self.list.extend_from_slice(steps);
        self.from.push(self.list.len() as u32);
        let own = self.offers.len();
        self.offers.resize(own + self.words, 0);
        for (label, _) in steps {
            put(&mut self.offers[own..], *label);
        }
    }

    /// The number of places.
    pub(super) fn len(&self) -> usize {
        self.from.len() - 1
    }

    pub(super) fn labels(&self) -> usize {
        self.labels
    }

    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The number of steps of all places.
    pub(super) fn steps(&self) -> usize {
        self.list.len()
    }

    /// The steps of a place.
    pub(super) fn of(&self, place: usize) -> &[(u32, u32)] {
        &self.list[self.from[place] as usize..self.from[place + 1] as usize]
    }

    /// The steps of a place with one label.
    pub(super) fn on(&self, place: usize, label: u32) -> &[(u32, u32)] {
        let all = self.of(place);
        let from = all.partition_point(|step| step.0 < label);
        let len = all[from..].partition_point(|step| step.0 == label);
        &all[from..from + len]
    }

    /// The labels of a place in ascending order.
    pub(super) fn offered(&self, place: usize) -> impl Iterator<Item = u32> {
        let same = self.of(place).chunk_by(|a, b| a.0 == b.0);
        same.map(|steps| steps[0].0)
    }

    /// The labels of a place, as a set.
    pub(super) fn offers_of(&self, place: usize) -> &[u64] {
        &self.offers[place * self.words..][..self.words]
    }

    pub(super) fn offers(&self, place: usize, label: u32) -> bool {
        has(self.offers_of(place), label)
    }
}

/// Whether a label is in a set.
pub(super) fn has(set: &[u64], label: u32) -> bool {
    set[label as usize / 64] >> (label % 64) & 1 == 1
}

pub(super) fn put(set: &mut [u64], label: u32) {
    set[label as usize / 64] |= 1 << (label % 64);
}

/// The members of a set in ascending order.
pub(super) fn members(set: &[u64]) -> impl Iterator<Item = u32> {
    (0u32..).zip(set).flat_map(|(word, bits)| {
        (0..64).filter_map(move |bit| (bits >> bit & 1 == 1).then_some(word * 64 + bit))
    })
}

/// Components with few places and labels, for tests.
#[cfg(test)]
pub(super) fn random_steps() -> impl proptest::strategy::Strategy<Value = LabelSteps> {
    use proptest::prelude::*;
    let step = (0_u32..4, 0_u32..5);
    let rows = proptest::collection::vec(proptest::collection::vec(step, 0..4), 5);
    rows.prop_map(|rows| {
        // Labels beyond one word, too.
        let mut steps = LabelSteps::new(70);
        for mut row in rows {
            row.iter_mut().for_each(|step| step.0 *= 23);
            steps.push(&mut row);
        }
        steps
    })
}
