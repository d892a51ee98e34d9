//! Shortest run to a state with some property, reduced by symmetry.
//!
//! The property may name values: then it need not hold for all states of an orbit. So the search explores pairs of a
//! state and of the named values, the *carried* values, which no step changes, and reduces these pairs by permuting
//! both: the property holds for `(σ, t)` if and only if it holds, with the names permuted, for `(π(σ), π(t))`, and
//! transitions commute with permutations (Prop. 24). The run ends in a pair `(σ, t)` with the original values, and
//! begins in the given state, which need not be symmetric. It is unwound as in Sec. 3.5, on the network itself.

use super::explore::{ExploredKey, RawArrows, raw_arrows};
use crate::machine::locals::invert;
use crate::machine::{EventId, LocalId, Machine, Network};
use crate::source::diagnostic::Result;
use crate::source::hash::IndexMap;
use crate::source::{Budget, Diagnostic, Stop, WorkStage};
use crate::symmetry::context::StateContext;
use crate::symmetry::{Permutation, Representative, StrategyKind};
use crate::value::Atom;

/// Bytes of a pair besides local states and values, roughly.
const BYTES_EACH: usize = 200;

/// A step: the event, the displayed event, and the target.
pub type FoundStep = (EventId, EventId, ExploredKey);

/// A state to be tested.
pub struct SoughtState<'a> {
    /// The state.
    pub key: &'a ExploredKey,
    /// The images of the carried values in it.
    pub carried: &'a [Atom],
    /// Its transitions.
    pub arrows: &'a RawArrows,
}

/// Parameters of a search.
pub struct Sought<'a> {
    /// The initial state of the search.
    pub from: ExploredKey,
    /// The values that the property names.
    pub carried: Vec<Atom>,
    /// Whether to reduce by symmetry.
    pub reduces: bool,
    /// Pairs stored, at most.
    pub states_max: usize,
    /// Limits and cancellation.
    pub budget: &'a Budget,
}

/// The result of a search.
#[derive(Debug)]
pub enum FoundEnd {
    /// The steps of a shortest run.
    Found(Vec<FoundStep>),
    /// No such state is reachable.
    Nowhere,
    /// Unknown, because of a limit or a cancellation.
    Stopped(Stop),
    /// Permutations turned out not to map the network to itself: the search has to be unreduced.
    Asymmetric,
}

/// The result of a search, with the number of pairs.
#[derive(Debug)]
pub struct FoundRun {
    /// The result.
    pub end: FoundEnd,
    /// Pairs reached.
    pub states: usize,
}

/// A state with the images of the carried values.
type FoundPair = (ExploredKey, Box<[Atom]>);

/// The parent of a pair, and the permutation from the target of the step to the pair.
struct Met {
    parent: usize,
    image: Box<[Atom]>,
}

/// Searches, breadth first.
///
/// # Errors
/// An evaluation error, or an error of `test`. Limits are no errors.
pub fn find(
    machine: &mut Machine,
    network: &mut Network,
    sought: &Sought<'_>,
    test: &mut impl FnMut(&mut Machine, &Network, &SoughtState<'_>) -> Result<bool>,
) -> Result<FoundRun> {
    let mut finder = Finder {
        machine,
        network,
        sought,
        met: IndexMap::default(),
        representative: Representative::default(),
    };
    let (pair, image) = finder.represent(&sought.from, &sought.carried)?;
    finder.met.insert(pair, Met { parent: 0, image });
    let mut at = 0;
    while at < finder.met.len() {
        if let Some(stop) = finder.stop() {
            return Ok(finder.ended(FoundEnd::Stopped(stop)));
        }
        let Some((pair, _)) = finder.met.get_index(at) else {
            break;
        };
        let (key, carried) = pair.clone();
        let arrows = raw_arrows(finder.machine, finder.network, &key);
        let arrows = match arrows {
            Ok(arrows) => arrows,
            Err(error) => match finder.stop() {
                Some(stop) => return Ok(finder.ended(FoundEnd::Stopped(stop))),
                None => return Err(error),
            },
        };
        let state = SoughtState {
            key: &key,
            carried: &carried,
            arrows: &arrows,
        };
        if test(finder.machine, finder.network, &state)? {
            let steps = finder.unwound(at)?;
            return Ok(finder.ended(FoundEnd::Found(steps)));
        }
        for (_, _, target) in &arrows {
            let (pair, image) = finder.represent(target, &carried)?;
            let new = Met { parent: at, image };
            finder.met.entry(pair).or_insert(new);
        }
        if sought.reduces && finder.network.asymmetry().is_some() {
            return Ok(finder.ended(FoundEnd::Asymmetric));
        }
        at += 1;
    }
    Ok(finder.ended(FoundEnd::Nowhere))
}

struct Finder<'a> {
    machine: &'a mut Machine,
    network: &'a mut Network,
    sought: &'a Sought<'a>,
    met: IndexMap<FoundPair, Met>,
    representative: Representative,
}

impl Finder<'_> {
    fn ended(&self, end: FoundEnd) -> FoundRun {
        FoundRun {
            end,
            states: self.met.len(),
        }
    }

    fn stop(&self) -> Option<Stop> {
        let Sought {
            from,
            carried,
            states_max,
            budget,
            ..
        } = self.sought;
        let each = from.1.len() * size_of::<LocalId>() + carried.len() + BYTES_EACH;
        let held = each * self.met.len();
        budget.cancel.reach(WorkStage::Searching, self.met.len());
        let full = (self.met.len() > *states_max).then_some(Stop::States);
        budget.limits.reached(&budget.cancel, held).or(full)
    }

    /// The representative of a pair, and the permutation to it.
    fn represent(
        &mut self,
        key: &ExploredKey,
        carried: &[Atom],
    ) -> Result<(FoundPair, Box<[Atom]>)> {
        if !self.sought.reduces {
            let identity = Permutation::identity(self.machine.atoms().len());
            let image = identity.image().into();
            return Ok(((key.clone(), carried.into()), image));
        }
        let (format, state) = key;
        let out = &mut self.representative;
        self.machine.complete(self.network, |machine, network| {
            let context = StateContext {
                spec_atoms: carried,
                ..StateContext::alone(machine, network, *format, state)
            };
            StrategyKind::default()
                .strategy()
                .representative(&context, out)
        })?;
        let named = carried.iter().map(|a| out.image[usize::from(a.0)]);
        let pair = ((*format, out.locals[..].into()), named.collect());
        Ok((pair, out.image[..].into()))
    }

    /// The run of the network itself to a pair.
    fn unwound(&mut self, to: usize) -> Result<Vec<FoundStep>> {
        let mut path = vec![to];
        while let Some(last) = path.last().copied().filter(|n| *n > 0) {
            path.push(self.met[last].parent);
        }
        path.reverse();
        // The permutation from the stored pair to the one of the run.
        let mut back = invert(&self.met[0].image);
        let mut here = self.sought.from.clone();
        let mut steps = Vec::new();
        for node in path.into_iter().skip(1) {
            // `ρ ∘ π⁻¹`, where `π` mapped the target to the stored pair.
            let image = invert(&self.met[node].image);
            back = image.iter().map(|a| back[usize::from(a.0)]).collect();
            let stored = self.met.get_index(node).map(|((key, _), _)| key.clone());
            let Some(stored) = stored else { break };
            let wanted = self.permuted(&stored, &back)?;
            let arrows = raw_arrows(self.machine, self.network, &here)?;
            let format = self.network.format(wanted.0);
            let settled = |key: &ExploredKey| {
                let mut locals = key.1.to_vec();
                format.copies().settle(&mut locals);
                locals
            };
            let goal = settled(&wanted);
            // Equal up to identical components, which a representative may have exchanged.
            let step = arrows.iter().find(|(_, _, target)| {
                *target == wanted
                    || self.sought.reduces && target.0 == wanted.0 && settled(target) == goal
            });
            let Some(step) = step else {
                let message = "internal error: a run that was found cannot be followed";
                return Err(Box::new(Diagnostic::nowhere("E0799", message)));
            };
            here = step.2.clone();
            steps.push(step.clone());
        }
        Ok(steps)
    }

    fn permuted(&mut self, (format, state): &ExploredKey, image: &[Atom]) -> Result<ExploredKey> {
        let mut out = Vec::new();
        self.machine.complete(self.network, |machine, network| {
            network.permute(machine.locals(), *format, state, image, &mut out)
        })?;
        Ok((*format, out.into()))
    }
}
