//! The tree of Karp and Miller for a system of counters with a finite control.
//!
//! A state is a control and a *marking*: the number of tokens in each place, or ω. A change takes tokens, adds others and
//! leads to the next control; no change needs a place to be empty. So more tokens never disable a change, and of a
//! marking with a larger one at the same control nothing new follows.
//!
//! A branch that comes back to a control with more tokens could do so for ever: the places that gained get ω. Every
//! branch ends, since among infinitely many markings two are ordered; and every control of the tree is reached in the
//! system with some number of tokens in the places of the first marking that have ω. A marking below one that was
//! expanded is left out, wherever that stands: each step from the smaller marking is covered by one from the larger, and
//! no marking that was expanded is taken back.

use std::rc::Rc;

use crate::source::hash::Map;

/// The number of a control.
pub(super) type ControlNumber = usize;

/// The number of a place.
pub(super) type TokenPlace = usize;

/// Unboundedly many tokens.
pub(super) const OMEGA: u32 = u32::MAX;

/// A change of a control that takes given tokens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TokenChange {
    /// The places that gain a token, ascending, possibly repeated.
    pub adds: Vec<TokenPlace>,
    /// The next control.
    pub to: ControlNumber,
}

/// A finite control with counters.
pub(super) trait CountedSystem {
    /// The reason why the tree is not completed.
    type End;

    /// Most tokens that a change takes.
    fn takes_max(&self) -> usize;

    /// All changes of a control that take exactly these tokens (ascending).
    ///
    /// # Errors
    /// The reason to give up the tree, such as a change that must not be.
    fn changes(
        &mut self,
        control: ControlNumber,
        taken: &[TokenPlace],
    ) -> Result<Rc<[TokenChange]>, Self::End>;

    /// Polled once for each node, with the number of nodes and the bytes that they take.
    ///
    /// # Errors
    /// A limit.
    fn poll(&mut self, nodes: usize, bytes: usize) -> Result<(), Self::End>;
}

/// The number of tokens in each place; places beyond the end are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marking(Vec<u32>);

impl Marking {
    /// Unboundedly many tokens in one place, and none elsewhere.
    pub(super) fn unbounded(place: TokenPlace) -> Self {
        let mut tokens = vec![0; place + 1];
        tokens[place] = OMEGA;
        Self(tokens)
    }

    fn at(&self, place: TokenPlace) -> u32 {
        self.0.get(place).copied().unwrap_or(0)
    }

    /// Whether it has at most as many tokens as another, everywhere.
    fn is_below(&self, other: &Self) -> bool {
        let mut each = self.0.iter().enumerate();
        each.all(|(place, tokens)| *tokens <= other.at(place))
    }

    /// The marking after a change that takes these tokens, which it has.
    fn after(&self, taken: &[TokenPlace], adds: &[TokenPlace]) -> Self {
        let mut tokens = self.0.clone();
        for place in taken {
            if tokens[*place] != OMEGA {
                tokens[*place] -= 1;
            }
        }
        for place in adds {
            if tokens.len() <= *place {
                tokens.resize(place + 1, 0);
            }
            if tokens[*place] != OMEGA {
                tokens[*place] += 1;
            }
        }
        while tokens.last() == Some(&0) {
            tokens.pop();
        }
        Self(tokens)
    }

    /// Sets ω where it has more tokens than an earlier marking of the same control that is below it.
    fn accelerate(&mut self, earlier: &Self) {
        if earlier.is_below(self) {
            for (place, tokens) in self.0.iter_mut().enumerate() {
                if *tokens > earlier.at(place) {
                    *tokens = OMEGA;
                }
            }
        }
    }

    /// Each choice of `size` tokens that it has, by ascending places.
    fn each_choice<E>(
        &self,
        size: usize,
        taken: &mut Vec<TokenPlace>,
        visit: &mut impl FnMut(&[TokenPlace]) -> Result<(), E>,
    ) -> Result<(), E> {
        if taken.len() == size {
            return visit(taken);
        }
        for place in taken.last().copied().unwrap_or(0)..self.0.len() {
            let used = taken.iter().filter(|other| **other == place).count();
            if self.0[place] as usize > used {
                taken.push(place);
                self.each_choice(size, taken, visit)?;
                taken.pop();
            }
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + self.0.len() * size_of::<u32>()
    }
}

/// A node that is still to be expanded.
struct OpenNode {
    control: ControlNumber,
    marking: Marking,
    /// Number of its ancestors.
    depth: usize,
}

/// The ancestors of the present node.
#[derive(Default)]
struct Branch {
    nodes: Vec<(ControlNumber, Marking)>,
    /// The places in `nodes` of each control, ascending.
    of_control: Map<ControlNumber, Vec<usize>>,
}

impl Branch {
    /// Goes back to so many ancestors.
    fn cut(&mut self, depth: usize) {
        for (control, _) in self.nodes.drain(depth..) {
            if let Some(at) = self.of_control.get_mut(&control) {
                at.pop();
            }
        }
    }

    fn push(&mut self, control: ControlNumber, marking: Marking) {
        let at = self.of_control.entry(control).or_default();
        at.push(self.nodes.len());
        self.nodes.push((control, marking));
    }

    /// Accelerates the marking of a node below this branch.
    fn accelerate(&self, control: ControlNumber, marking: &mut Marking) {
        for at in self.of_control.get(&control).into_iter().flatten() {
            marking.accelerate(&self.nodes[*at].1);
        }
    }
}

/// The markings that were expanded, without those below others.
#[derive(Default)]
struct Expanded {
    of_control: Map<ControlNumber, Vec<Marking>>,
    bytes: usize,
}

impl Expanded {
    fn covers(&self, control: ControlNumber, marking: &Marking) -> bool {
        let known = self.of_control.get(&control);
        known.is_some_and(|known| known.iter().any(|larger| marking.is_below(larger)))
    }

    fn add(&mut self, control: ControlNumber, marking: Marking) {
        let known = self.of_control.entry(control).or_default();
        let before: usize = known.iter().map(Marking::bytes).sum();
        known.retain(|smaller| !smaller.is_below(&marking));
        known.push(marking);
        self.bytes += known.iter().map(Marking::bytes).sum::<usize>();
        self.bytes -= before;
    }
}

/// The size of a completed tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeSize {
    /// Nodes that were expanded.
    pub nodes: usize,
    /// Controls among them.
    pub controls: usize,
}

/// Builds the tree from control 0 and a marking.
///
/// # Errors
/// The end that the system reports.
pub(super) fn cover<S: CountedSystem>(system: &mut S, start: Marking) -> Result<TreeSize, S::End> {
    let mut expanded = Expanded::default();
    let mut branch = Branch::default();
    let mut open = vec![OpenNode {
        control: 0,
        marking: start,
        depth: 0,
    }];
    let mut nodes = 0;
    while let Some(OpenNode {
        control,
        marking,
        depth,
    }) = open.pop()
    {
        if expanded.covers(control, &marking) {
            continue;
        }
        nodes += 1;
        let bytes = expanded.bytes + open.len() * size_of::<OpenNode>();
        system.poll(nodes, bytes)?;
        expanded.add(control, marking.clone());
        branch.cut(depth);
        branch.push(control, marking.clone());
        for size in 0..=system.takes_max() {
            let mut visit = |taken: &[TokenPlace]| {
                for change in &*system.changes(control, taken)? {
                    let mut marking = marking.after(taken, &change.adds);
                    branch.accelerate(change.to, &mut marking);
                    if !expanded.covers(change.to, &marking) {
                        open.push(OpenNode {
                            control: change.to,
                            marking,
                            depth: depth + 1,
                        });
                    }
                }
                Ok(())
            };
            marking.each_choice(size, &mut Vec::new(), &mut visit)?;
        }
    }
    Ok(TreeSize {
        nodes,
        controls: expanded.of_control.len(),
    })
}
