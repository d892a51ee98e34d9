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

/// Classes as ranges of one array, dirty states first.
struct Blocks {
    states: Vec<State>,
    position: Vec<u32>,
    class: Vec<u32>,
    start: Vec<u32>,
    end: Vec<u32>,
    /// How many states at the start of the range are to be looked at.
    dirty: Vec<u32>,
    /// Classes with such states.
    open: Vec<u32>,
}

impl Blocks {
    fn new(partition: &Partition) -> Self {
        let members = partition.members();
        let mut blocks = Self {
            states: Vec::with_capacity(partition.class.len()),
            position: vec![0; partition.class.len()],
            class: partition.class.clone(),
            start: Vec::new(),
            end: Vec::new(),
            dirty: Vec::new(),
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

    fn mark(&mut self, s: State) {
        let class = self.class[s as usize] as usize;
        let at = self.position[s as usize];
        let border = self.start[class] + self.dirty[class];
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
}

/// The coarsest strong bisimulation that is finer than a partition.
///
/// # Errors
/// What `poll` reports.
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
            let (from, to) = (blocks.start[class as usize], blocks.end[class as usize]);
            changed.clear();
            changed.extend_from_slice(&blocks.states[from as usize..to as usize]);
            for s in &changed {
                let sources = sources.of(*s);
                work += sources.len();
                for source in sources {
                    blocks.mark(*source);
                }
            }
        }
    }
    Ok(numbered(&blocks.class))
}

/// The same partition with classes numbered in the order of their first states.
fn numbered(class: &[u32]) -> Partition {
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
    let at = block as usize;
    let (start, end, dirty) = (blocks.start[at], blocks.end[at], blocks.dirty[at]);
    blocks.dirty[at] = 0;
    if end - start == 1 {
        return Ok(Vec::new());
    }
    let border = start + dirty;
    let mut arena: Vec<(u32, u32)> = Vec::new();
    let mut keyed: Vec<(State, usize, usize)> = Vec::with_capacity(dirty as usize);
    for s in &blocks.states[start as usize..border as usize] {
        let from = arena.len();
        *work += lts.steps(*s).len() + 1;
        if *work >= POLL_EVERY {
            *work = 0;
            poll(lts.len())?;
        }
        let class = |t: &(u32, State)| (t.0, blocks.class[t.1 as usize]);
        arena.extend(lts.steps(*s).iter().map(class));
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
    keyed.sort_by(|a, b| signature(a).cmp(signature(b)).then(a.0.cmp(&b.0)));
    let groups: Vec<Vec<State>> = keyed
        .chunk_by(|a, b| signature(a) == signature(b))
        .map(|group| group.iter().map(|k| k.0).collect())
        .collect();
    // States that are not dirty still have one signature, which no dirty state has: a dirty one
    // leads to a class that did not exist when theirs were equal. They stay where they are.
    let clean = end - border;
    if groups.len() == 1 && clean == 0 {
        return Ok(Vec::new());
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
            blocks.place(from, group, None);
            (blocks.start[at], blocks.end[at]) = (from, to);
        } else {
            let class = blocks.add(from, to);
            blocks.place(from, group, Some(class));
            renamed.push(class);
        }
        from = to;
    }
    if keeper.is_none() {
        blocks.start[at] = border;
    } else if clean > 0 {
        let class = blocks.add(border, end);
        for i in border..end {
            let s = blocks.states[i as usize];
            blocks.class[s as usize] = class;
        }
        renamed.push(class);
    }
    Ok(renamed)
}
