//! Transition systems as arrays.

/// τ
pub const TAU: u32 = 0;
/// ✓. What follows it has no transitions.
pub const TICK: u32 = 1;

/// A state, by number.
pub type State = u32;

/// A transition system: the transitions of each state, ascending and each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lts {
    offsets: Vec<u32>,
    steps: Vec<(u32, State)>,
}

/// Collects the transitions of one state after the other.
#[derive(Debug)]
pub struct Builder(Lts);

impl Default for Builder {
    fn default() -> Self {
        Self(Lts {
            offsets: vec![0],
            steps: Vec::new(),
        })
    }
}

impl Builder {
    /// Adds the next state, with its transitions in any order.
    pub fn push(&mut self, steps: impl IntoIterator<Item = (u32, State)>) {
        let from = self.0.steps.len();
        self.0.steps.extend(steps);
        self.0.steps[from..].sort_unstable();
        // What comes twice is dropped.
        let mut kept = from;
        for at in from..self.0.steps.len() {
            if at == from || self.0.steps[at] != self.0.steps[kept - 1] {
                self.0.steps[kept] = self.0.steps[at];
                kept += 1;
            }
        }
        self.0.steps.truncate(kept);
        self.0.offsets.push(kept as u32);
    }

    /// Transitions so far.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.0.steps.len()
    }

    /// The system. Every target must have been pushed.
    #[must_use]
    pub fn finish(self) -> Lts {
        self.0
    }
}

impl Lts {
    /// The number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The transitions of a state, ascending.
    #[must_use]
    pub fn steps(&self, s: State) -> &[(u32, State)] {
        let at = s as usize;
        &self.steps[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    /// Transitions in all.
    #[must_use]
    pub fn transitions(&self) -> usize {
        self.steps.len()
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = State> + ExactSizeIterator + use<> {
        0..self.len() as u32
    }

    /// The τs of a state.
    #[must_use]
    pub fn silent(&self, s: State) -> &[(u32, State)] {
        let steps = self.steps(s);
        &steps[..steps.partition_point(|t| t.0 == TAU)]
    }

    /// The transitions of a state but for τ.
    #[must_use]
    pub fn visible(&self, s: State) -> &[(u32, State)] {
        let steps = self.steps(s);
        &steps[steps.partition_point(|t| t.0 == TAU)..]
    }

    /// Whether a state has no τ.
    #[must_use]
    pub fn is_stable(&self, s: State) -> bool {
        self.steps(s).first().is_none_or(|t| t.0 != TAU)
    }

    /// Whether a state has a τ to itself.
    #[must_use]
    pub fn loops(&self, s: State) -> bool {
        // Transitions are ascending.
        self.steps(s).binary_search(&(TAU, s)).is_ok()
    }

    /// The events of a state other than τ, ascending.
    #[must_use]
    pub fn initials(&self, s: State) -> Vec<u32> {
        let mut events: Vec<u32> = self.visible(s).iter().map(|t| t.0).collect();
        // Ascending, so equal ones stand side by side.
        events.dedup();
        events
    }

    /// For every state, those with a transition to it; a state as often as it has such transitions.
    #[must_use]
    pub fn sources(&self) -> Sources {
        let mut offsets = vec![0u32; self.len() + 1];
        for (_, to) in &self.steps {
            offsets[*to as usize + 1] += 1;
        }
        // Counts become places, and then each source is put into its own.
        for i in 1..offsets.len() {
            offsets[i] += offsets[i - 1];
        }
        let mut next = offsets.clone();
        let mut from = vec![0; self.steps.len()];
        for s in self.states() {
            for (_, to) in self.steps(s) {
                from[next[*to as usize] as usize] = s;
                next[*to as usize] += 1;
            }
        }
        Sources { offsets, from }
    }

    /// The quotient by a partition: a class does what its members do.
    #[must_use]
    pub fn quotient(&self, partition: &Partition) -> Self {
        let class = |t: &(u32, State)| (t.0, partition.class[t.1 as usize]);
        let mut builder = Builder::default();
        for members in partition.members() {
            builder.push(
                members
                    .iter()
                    .flat_map(|s| self.steps(*s).iter().map(class)),
            );
        }
        builder.finish()
    }

    /// The part that can be reached from a state, which becomes state 0, and the old number of each
    /// state of it. States are in the order in which breadth-first search meets them.
    #[must_use]
    pub fn reachable(&self, from: State) -> (Self, Vec<State>) {
        let mut number = vec![u32::MAX; self.len()];
        let mut old = vec![from];
        number[from as usize] = 0;
        let mut builder = Builder::default();
        let mut at = 0;
        while at < old.len() {
            for (_, to) in self.steps(old[at]) {
                if number[*to as usize] == u32::MAX {
                    number[*to as usize] = old.len() as u32;
                    old.push(*to);
                }
            }
            let steps = self.steps(old[at]).iter();
            builder.push(steps.map(|(event, to)| (*event, number[*to as usize])));
            at += 1;
        }
        (builder.finish(), old)
    }
}

/// The transitions of a system turned round.
#[derive(Debug)]
pub struct Sources {
    offsets: Vec<u32>,
    from: Vec<State>,
}

impl Sources {
    /// The states with a transition to a state.
    #[must_use]
    pub fn of(&self, s: State) -> &[State] {
        let at = s as usize;
        &self.from[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }
}

/// A partition of the states into classes numbered from 0, none of them empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The class of every state.
    pub class: Vec<u32>,
    /// The number of classes.
    pub count: usize,
}

impl Partition {
    /// One class for all.
    #[must_use]
    pub fn coarse(states: usize) -> Self {
        Self {
            class: vec![0; states],
            count: states.min(1),
        }
    }

    /// The classes of this partition, put together by a partition of them.
    #[must_use]
    pub fn then(mut self, coarser: &Self) -> Self {
        for class in &mut self.class {
            *class = coarser.class[*class as usize];
        }
        self.count = coarser.count;
        self
    }

    /// Every class with its members, ascending.
    #[must_use]
    pub fn members(&self) -> Vec<Vec<State>> {
        let mut members = vec![Vec::new(); self.count];
        for (s, class) in self.class.iter().enumerate() {
            members[*class as usize].push(s as u32);
        }
        members
    }
}

/// The part of its members' events that a state of a compressed system offers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// All that the members do.
    Whole,
    /// Every event that some member can do, possibly after τ; and of τs those to what is stable, and one to
    /// itself if a member can diverge.
    Full,
    /// These events alone, ascending: an acceptance of the members.
    Offer(Box<[u32]>),
}

/// The name of a state of a compressed system.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// States of the old system, ascending: the new state is where the old one is in one of these.
    pub members: Vec<State>,
    /// The part of their events that it offers.
    pub part: Part,
}

/// A compressed system.
///
/// States have names, and different states have different ones. They depend on the old system and on
/// what looks alike ([`super::Work`]), but not on how its states are numbered: an automorphism of the
/// old system that leads from states to states that look alike is one of the new system, and does to
/// a state what it does to the states in its name.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The system; its initial state is 0.
    pub lts: Lts,
    /// The name of every state: it is each of these, which are equivalent. The initial state is what
    /// it is, and needs no name.
    pub names: Vec<Vec<Name>>,
}
