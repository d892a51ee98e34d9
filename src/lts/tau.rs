//! Cycles of τ.

use super::graph::{Lts, Partition, State};

/// The strongly connected components of τ (Tarjan). They are numbered so that a τ leads from a
/// component to one of a lower number, or stays.
#[must_use]
pub fn silent_components(lts: &Lts) -> Partition {
    const NEW: u32 = u32::MAX;
    let mut order = vec![NEW; lts.len()];
    let mut low = vec![0; lts.len()];
    let mut class = vec![NEW; lts.len()];
    let mut open: Vec<State> = Vec::new();
    let (mut next, mut count) = (0, 0);
    let mut path: Vec<(State, usize)> = Vec::new();
    for root in lts.states() {
        if order[root as usize] != NEW {
            continue;
        }
        path.push((root, 0));
        while let Some((s, at)) = path.last_mut() {
            let s = *s;
            if *at == 0 && order[s as usize] == NEW {
                order[s as usize] = next;
                low[s as usize] = next;
                next += 1;
                open.push(s);
            }
            let to = lts.silent(s).get(*at).map(|t| t.1);
            *at += 1;
            if let Some(to) = to {
                if order[to as usize] == NEW {
                    path.push((to, 0));
                } else if class[to as usize] == NEW {
                    low[s as usize] = low[s as usize].min(order[to as usize]);
                }
                continue;
            }
            if low[s as usize] == order[s as usize] {
                while let Some(member) = open.pop() {
                    class[member as usize] = count;
                    if member == s {
                        break;
                    }
                }
                count += 1;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent as usize] = low[*parent as usize].min(low[s as usize]);
            }
        }
    }
    Partition {
        class,
        count: count as usize,
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
    /// What was reached, in the order met.
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
        self.now = if self.now == u32::MAX {
            // After 2³² closures the stamps begin anew.
            self.stamp.fill(0);
            1
        } else {
            self.now + 1
        };
        self.reached.clear();
        for s in from {
            self.reach(s);
        }
        let mut at = 0;
        while at < self.reached.len() {
            for (_, to) in lts.silent(self.reached[at]) {
                self.reach(*to);
            }
            at += 1;
        }
        &self.reached
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
