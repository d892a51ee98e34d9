//! Strong bisimulation by refining signatures.
//!
//! The signature of a state is the set of its pairs of event and class of the target. Classes are
//! split until all states of each have one signature. Of the parts of a class the largest keeps its
//! number, so a state gets a new number at most log n times, and only states with a transition to a
//! state of a new number are looked at again.

use super::graph::{Lts, Partition, State};
use crate::source::diagnostic::Result;

/// States and transitions looked at between two calls of `poll`, roughly.
const POLL_EVERY: usize = 1 << 16;

/// Classes as ranges of one array, dirty states first. A state is dirty while its signature may have changed
/// since its class was split.
pub(super) struct Blocks {
    states: Vec<State>,
    position: Vec<u32>,
    /// The class of every state.
    pub class: Vec<u32>,
    start: Vec<u32>,
    end: Vec<u32>,
    /// For each class, the number of dirty states, at the start of its range.
    dirty: Vec<u32>,
    /// Classes with such states.
    pub open: Vec<u32>,
}

impl Blocks {
    pub fn new(partition: &Partition) -> Self {
        let members = partition.members();
        let mut blocks = Self {
            states: Vec::with_capacity(partition.class.len()),
            position: vec![0; partition.class.len()],
            class: partition.class.clone(),
            start: Vec::new(),
            end: Vec::new(),
            dirty: Vec::new(),
            // Nothing is known of any signature yet: all classes are open, and all their states dirty.
            open: (0..members.len() as u32).collect(),
        };
        for own in members {
            blocks.start.push(blocks.states.len() as u32);
            for s in &own {
                blocks.position[*s as usize] = blocks.states.len() as u32;
                blocks.states.push(*s);
            }
            blocks.end.push(blocks.states.len() as u32);
            blocks.dirty.push(own.len() as u32);
        }
        blocks
    }

    /// Makes a state dirty: it moves to the border of the dirty ones of its class.
    pub fn mark(&mut self, s: State) {
        let class = self.class[s as usize] as usize;
        let at = self.position[s as usize];
        let border = self.start[class] + self.dirty[class];
        // It is dirty already.
        if at < border {
            return;
        }
        if self.dirty[class] == 0 {
            self.open.push(class as u32);
        }
        let other = self.states[border as usize];
        self.states.swap(at as usize, border as usize);
        self.position[s as usize] = border;
        self.position[other as usize] = at;
        self.dirty[class] += 1;
    }

    /// The states of a class.
    pub fn members(&self, class: u32) -> &[State] {
        &self.states[self.start[class as usize] as usize..self.end[class as usize] as usize]
    }

    /// The dirty states of a class.
    pub fn dirty(&self, class: u32) -> &[State] {
        &self.members(class)[..self.dirty[class as usize] as usize]
    }

    /// A new class.
    fn add(&mut self, start: u32, end: u32) -> u32 {
        self.start.push(start);
        self.end.push(end);
        self.dirty.push(0);
        self.start.len() as u32 - 1
    }

    /// Writes states back into a range, and the number of a class if it is new.
    fn place(&mut self, from: u32, states: &[State], class: Option<u32>) {
        for (i, s) in states.iter().enumerate() {
            let at = from + i as u32;
            self.states[at as usize] = *s;
            self.position[*s as usize] = at;
            if let Some(class) = class {
                self.class[*s as usize] = class;
            }
        }
    }

    /// Makes the groups classes of their own, which are the dirty states of a class; the classes that are
    /// new. The largest part keeps the number, and no state of these is dirty any longer.
    pub fn divide(&mut self, class: u32, groups: &[Vec<State>]) -> Vec<u32> {
        let at = class as usize;
        let (start, end) = (self.start[at], self.end[at]);
        let border = start + std::mem::take(&mut self.dirty[at]);
        // States that are not dirty still have one signature, which no dirty state has: a dirty one
        // leads to a class that did not exist when theirs were equal. They stay where they are.
        let clean = end - border;
        if groups.len() == 1 && clean == 0 {
            return Vec::new();
        }
        let sizes = groups.iter().map(Vec::len);
        let largest = sizes
            .enumerate()
            .max_by_key(|(i, size)| (*size, usize::MAX - i));
        let keeper = largest
            .filter(|(_, size)| *size > clean as usize)
            .map(|(i, _)| i);
        let mut renamed = Vec::new();
        let mut from = start;
        for (i, group) in groups.iter().enumerate() {
            let to = from + group.len() as u32;
            if Some(i) == keeper {
                self.place(from, group, None);
                (self.start[at], self.end[at]) = (from, to);
            } else {
                let class = self.add(from, to);
                self.place(from, group, Some(class));
                renamed.push(class);
            }
            from = to;
        }
        if keeper.is_none() {
            self.start[at] = border;
        } else if clean > 0 {
            let class = self.add(border, end);
            for i in border..end {
                let s = self.states[i as usize];
                self.class[s as usize] = class;
            }
            renamed.push(class);
        }
        renamed
    }
}

/// The coarsest strong bisimulation that is finer than a partition.
///
/// # Errors
/// Errors of `poll`.
pub fn bisimulation(
    lts: &Lts,
    initial: &Partition,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<Partition> {
    let sources = lts.sources();
    let mut blocks = Blocks::new(initial);
    let mut changed: Vec<State> = Vec::new();
    let mut work = 0usize;
    poll(lts.len())?;
    while let Some(block) = blocks.open.pop() {
        work += 1;
        if work >= POLL_EVERY {
            work = 0;
            poll(lts.len())?;
        }
        let renamed = split(lts, &mut blocks, block, &mut work, poll)?;
        for class in renamed {
            changed.clear();
            // A copy, since marking moves states about within their classes.
            changed.extend_from_slice(blocks.members(class));
            for s in &changed {
                let sources = sources.of(*s);
                work += sources.len();
                for source in sources {
                    blocks.mark(*source);
                }
            }
        }
    }
    // Which part of a class kept its number depends on sizes, which is nobody's business.
    Ok(numbered(&blocks.class))
}

/// The same partition with classes numbered in the order of their first states.
pub(super) fn numbered(class: &[u32]) -> Partition {
    let mut number = vec![u32::MAX; class.len()];
    let mut count = 0;
    let class = class
        .iter()
        .map(|c| {
            let slot = &mut number[*c as usize];
            if *slot == u32::MAX {
                *slot = count;
                count += 1;
            }
            *slot
        })
        .collect();
    Partition {
        class,
        count: count as usize,
    }
}

/// Splits a class by the signatures of its dirty states; the classes that are new. Adds up the `work`.
fn split(
    lts: &Lts,
    blocks: &mut Blocks,
    block: u32,
    work: &mut usize,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<Vec<u32>> {
    // A single state cannot be split, whatever it does.
    if blocks.members(block).len() == 1 {
        blocks.dirty[block as usize] = 0;
        return Ok(Vec::new());
    }
    let groups = by_signature(lts, blocks.dirty(block), &blocks.class, work, poll)?;
    Ok(blocks.divide(block, &groups))
}

/// States grouped by their signatures.
fn by_signature(
    lts: &Lts,
    states: &[State],
    class: &[u32],
    work: &mut usize,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<Vec<Vec<State>>> {
    // The signatures one after the other: a vector for each state would be slow to allocate.
    let mut arena: Vec<(u32, u32)> = Vec::new();
    let mut keyed: Vec<(State, usize, usize)> = Vec::with_capacity(states.len());
    for s in states {
        let from = arena.len();
        *work += lts.steps(*s).len() + 1;
        if *work >= POLL_EVERY {
            *work = 0;
            poll(lts.len())?;
        }
        arena.extend(lts.steps(*s).iter().map(|t| (t.0, class[t.1 as usize])));
        arena[from..].sort_unstable();
        let mut kept = from;
        for i in from..arena.len() {
            if i == from || arena[i] != arena[kept - 1] {
                arena[kept] = arena[i];
                kept += 1;
            }
        }
        arena.truncate(kept);
        keyed.push((*s, from, kept));
    }
    let signature = |k: &(State, usize, usize)| &arena[k.1..k.2];
    // By number where signatures are equal: nothing may depend on the order of dirty states.
    keyed.sort_by(|a, b| signature(a).cmp(signature(b)).then(a.0.cmp(&b.0)));
    Ok(keyed
        .chunk_by(|a, b| signature(a) == signature(b))
        .map(|group| group.iter().map(|k| k.0).collect())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lts::testing::{arbitrary, partition_of};
    use proptest::prelude::*;

    /// Bisimilarity by definition: the greatest bisimulation that relates only states of one class, found by
    /// removing pairs until nothing changes.
    fn greatest(lts: &Lts, initial: &Partition) -> Vec<Vec<bool>> {
        let class = |s: State| initial.class[s as usize];
        let all = || lts.states();
        let mut related: Vec<Vec<bool>> = all()
            .map(|a| all().map(|b| class(a) == class(b)).collect())
            .collect();
        let matched = |related: &Vec<Vec<bool>>, a: State, b: State| {
            lts.steps(a).iter().all(|(event, to)| {
                let mut answers = lts.steps(b).iter().filter(|t| t.0 == *event);
                answers.any(|t| related[*to as usize][t.1 as usize])
            })
        };
        loop {
            let before = related.clone();
            for a in all() {
                for b in all() {
                    let holds = matched(&before, a, b) && matched(&before, b, a);
                    related[a as usize][b as usize] &= holds;
                }
            }
            if related == before {
                return related;
            }
        }
    }

    proptest! {
        #[test]
        fn classes_are_those_of_the_greatest_fixed_point(
            (lts, initial) in arbitrary(9, 3, 24).prop_flat_map(|lts| {
                let states = lts.len();
                (Just(lts), partition_of(states))
            })
        ) {
            let found = bisimulation(&lts, &initial, &|_| Ok(())).expect("nothing stops it");
            let related = greatest(&lts, &initial);
            for a in lts.states() {
                for b in lts.states() {
                    let same = found.class[a as usize] == found.class[b as usize];
                    prop_assert_eq!(same, related[a as usize][b as usize], "{} and {}", a, b);
                }
            }
            // Classes are numbered in the order of their first states.
            prop_assert_eq!(numbered(&found.class), found);
        }
    }
}
