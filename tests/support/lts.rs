//! Transition systems of terms, and strong bisimilarity by partition refinement.

use std::collections::BTreeSet;

use orbitscope::eval::Evaluator;
use orbitscope::process::term::{Label, Term};
use orbitscope::source::diagnostic::Result;
use orbitscope::source::hash::Map;

/// What can be reached from some terms. State `i` is `states[i]`; the roots come first.
pub struct Lts {
    pub states: Vec<Term>,
    pub steps: Vec<Vec<(Label, usize)>>,
    /// Whether the bound on states was kept to.
    pub complete: bool,
}

/// Explores from some terms, to at most `max` states.
///
/// # Errors
/// What evaluation reports.
pub fn explore(e: &mut Evaluator, roots: &[Term], max: usize) -> Result<Lts> {
    let mut index: Map<Term, usize> = Map::default();
    let mut states: Vec<Term> = Vec::new();
    for root in roots {
        index.entry(*root).or_insert_with(|| {
            states.push(*root);
            states.len() - 1
        });
    }
    let mut steps = Vec::new();
    while steps.len() < states.len() && steps.len() < max {
        let mut own = Vec::new();
        for (label, next) in e.step(states[steps.len()])? {
            let to = *index.entry(next).or_insert_with(|| {
                states.push(next);
                states.len() - 1
            });
            own.push((label, to));
        }
        steps.push(own);
    }
    let complete = steps.len() == states.len();
    steps.resize_with(states.len(), Vec::new);
    Ok(Lts {
        states,
        steps,
        complete,
    })
}

impl Lts {
    /// The class of every state: the coarsest partition in which states of one class can do the
    /// same, into the same classes.
    pub fn classes(&self) -> Vec<usize> {
        let mut class = vec![0; self.states.len()];
        let mut count = 1;
        loop {
            let mut known: Map<(usize, BTreeSet<(Label, usize)>), usize> = Map::default();
            let finer: Vec<usize> = (0..class.len())
                .map(|s| {
                    let can = self.steps[s].iter().map(|(l, to)| (*l, class[*to]));
                    let fresh = known.len();
                    *known.entry((class[s], can.collect())).or_insert(fresh)
                })
                .collect();
            class = finer;
            if known.len() == count {
                return class;
            }
            count = known.len();
        }
    }

    /// The same with τ abstracted from: a step is one with any number of τs around it, and staying
    /// is a τ.
    pub fn saturated(&self) -> Self {
        let closure: Vec<Vec<usize>> = (0..self.states.len()).map(|s| self.silently(s)).collect();
        let steps = (0..self.states.len())
            .map(|s| {
                let mut all: BTreeSet<(Label, usize)> =
                    closure[s].iter().map(|to| (Label::Tau, *to)).collect();
                for middle in &closure[s] {
                    for (label, to) in self.steps[*middle].iter().filter(|x| x.0 != Label::Tau) {
                        all.extend(closure[*to].iter().map(|end| (*label, *end)));
                    }
                }
                all.into_iter().collect()
            })
            .collect();
        Self {
            states: self.states.clone(),
            steps,
            complete: self.complete,
        }
    }

    fn silently(&self, from: usize) -> Vec<usize> {
        let mut reached = vec![from];
        let mut seen: BTreeSet<usize> = [from].into();
        let mut next = 0;
        while next < reached.len() {
            for (label, to) in &self.steps[reached[next]] {
                if *label == Label::Tau && seen.insert(*to) {
                    reached.push(*to);
                }
            }
            next += 1;
        }
        reached
    }
}

/// Whether two terms are strongly bisimilar, and the number of states looked at.
///
/// # Errors
/// What evaluation reports, or that there are more than `max` states.
pub fn bisimilar(
    e: &mut Evaluator,
    p: Term,
    q: Term,
    max: usize,
) -> std::result::Result<(bool, usize), String> {
    let lts = explore(e, &[p, q], max).map_err(|d| format!("{} {}", d.code, d.message))?;
    if !lts.complete {
        return Err(format!("more than {max} states"));
    }
    let class = lts.classes();
    let at = |t: Term| lts.states.iter().position(|s| *s == t);
    let same = at(p).map(|i| class[i]) == at(q).map(|i| class[i]);
    Ok((same, lts.states.len()))
}
