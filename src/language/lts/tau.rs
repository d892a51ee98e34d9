//! Cycles of τ.

use super::graph::{Lts, Partition, State};
use crate::source::components::{Digraph, Numbered, numbered};

/// The strongly connected components of τ. They are numbered so that a τ leads from a component to one
/// of a lower number, or stays.
#[must_use]
pub fn silent_components(lts: &Lts) -> Partition {
    let Numbered { component, count } = numbered(&Silent(lts));
    Partition {
        class: component,
        count: count as usize,
    }
}

/// A transition system with its τ alone.
struct Silent<'a>(&'a Lts);

impl Digraph for Silent<'_> {
    fn nodes(&self) -> usize {
        self.0.len()
    }

    fn edge(&self, node: usize, number: usize) -> Option<usize> {
        let edge = self.0.silent(node as State).get(number);
        edge.map(|(_, to)| *to as usize)
    }
}

/// The quotient by τ-cycles: such a cycle becomes one state with a τ to itself. Otherwise τ leads from
/// a state to one of a lower number.
#[must_use]
pub(super) fn factored(lts: &Lts) -> (Lts, Partition) {
    let components = silent_components(lts);
    // Within a component of several states there is a cycle, so the quotient has a τ to itself.
    (lts.quotient(&components), components)
}

/// Collects what states reach by τ.
#[derive(Debug)]
pub(super) struct Closure {
    stamp: Vec<u32>,
    now: u32,
    /// The reached states, in order of discovery.
    pub reached: Vec<State>,
}

impl Closure {
    pub fn new(states: usize) -> Self {
        Self {
            stamp: vec![0; states],
            now: 0,
            reached: Vec::new(),
        }
    }

    /// These states and all that they reach by τ.
    pub fn close(&mut self, lts: &Lts, from: impl IntoIterator<Item = State>) -> &[State] {
        self.begin();
        for s in from {
            self.reach(s);
        }
        self.go_on(lts, 0);
        &self.reached
    }

    /// A closure of nothing, to which states are added.
    pub fn begin(&mut self) {
        self.now = if self.now == u32::MAX {
            // After 2³² closures the stamps begin anew.
            self.stamp.fill(0);
            1
        } else {
            self.now + 1
        };
        self.reached.clear();
    }

    /// Adds a state and all that it reaches by τ.
    pub fn add(&mut self, lts: &Lts, s: State) {
        let at = self.reached.len();
        self.reach(s);
        self.go_on(lts, at);
    }

    fn go_on(&mut self, lts: &Lts, mut at: usize) {
        while at < self.reached.len() {
            for (_, to) in lts.silent(self.reached[at]) {
                self.reach(*to);
            }
            at += 1;
        }
    }

    fn reach(&mut self, s: State) {
        let stamp = &mut self.stamp[s as usize];
        if *stamp != self.now {
            *stamp = self.now;
            self.reached.push(s);
        }
    }

    /// Whether the last closure has a state.
    pub fn has(&self, s: State) -> bool {
        self.stamp[s as usize] == self.now
    }
}
