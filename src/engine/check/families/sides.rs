//! Both sides of an assertion as networks of one machine, explored state by state as the script describes them: no
//! state is merged, no step is left out.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::unprovable::{Decided, Unprovable, limit};
use crate::check::plan::atom_types;
use crate::eval::Evaluator;
use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId, LocalId, Machine, Miss, Network};
use crate::script::core::{Expr, TypeId};
use crate::script::load::Loaded;
use crate::script::symmetric::{self, SymmetricType, Trust};
use crate::source::hash::{IndexSet, Map};
use crate::source::{Budget, Stop, WorkStage};
use crate::value::{Atom, Value};

/// A global state.
pub(super) type StateKey = (FormatId, Box<[LocalId]>);

/// The states of a specification after a trace, ascending.
pub(super) type SpecNode = Rc<[StateKey]>;

/// The distinct transitions of a state.
pub(super) type Arrows = Rc<[(EventId, StateKey)]>;

/// States and pairs that are explored, at most: the searches here are for small sizes.
const STATES_MAX: usize = 500_000;
/// Bytes of a state, roughly.
const BYTES_EACH: usize = 400;

/// A process with its transitions as far as they were asked for.
pub(super) struct FamilySide {
    pub network: Network,
    arrows: Map<StateKey, Arrows>,
}

/// The sides of an assertion. Values of the datatype in question are the first atoms.
pub(super) struct FamilySides<'a> {
    pub machine: Machine,
    pub sides: Vec<FamilySide>,
    /// The number of values of the datatype.
    pub values: usize,
    budget: &'a Budget,
}

impl<'a> FamilySides<'a> {
    /// Compiles the processes of some expressions, reduced by the datatype, and by the others that are symmetric in
    /// them if `with_others`.
    pub fn new(
        loaded: &Loaded,
        exprs: &[&Expr],
        datatype: TypeId,
        with_others: bool,
        budget: &'a Budget,
    ) -> Decided<Self> {
        let script = &loaded.script;
        let clauses = &script.types[datatype.0 as usize].clauses;
        let members: Vec<_> = clauses.iter().map(|(c, _)| *c).collect();
        let values = members.len();
        let mut types = vec![SymmetricType::believed(datatype, members)];
        if with_others {
            let all = symmetric::symmetric_types(script, &loaded.types, exprs, Trust::Nothing);
            let others = all
                .into_iter()
                .filter(|t| t.datatype != datatype && t.is_usable() && t.is_reached);
            types.extend(others);
        }
        let eval = Evaluator::new(Rc::clone(script), &budget.limits, budget.cancel.clone());
        let mut machine = Machine::new(eval, atom_types(script, &types));
        machine.set_exchanging(false);
        let mut sides = Vec::new();
        for expr in exprs {
            let term = machine.eval.process(expr)?;
            let network = Network::new(&mut machine, term, budget.limits.local_states_max)?;
            network.first().mappable()?;
            sides.push(FamilySide {
                network,
                arrows: Map::default(),
            });
        }
        Ok(Self {
            machine,
            sides,
            values,
            budget,
        })
    }

    /// Checks the limits, when so many states are known.
    pub fn poll(&self, states: usize) -> Decided<()> {
        let Budget { limits, cancel } = self.budget;
        cancel.reach(WorkStage::Searching, states);
        let full = (states > STATES_MAX.min(limits.states_max)).then_some(Stop::States);
        match limits.reached(cancel, states * BYTES_EACH).or(full) {
            Some(stop) => Err(limit(stop)),
            None => Ok(()),
        }
    }

    /// The initial state of a side.
    pub fn initial(&self, side: usize) -> StateKey {
        let network = &self.sides[side].network;
        (FormatId(0), network.initial().into())
    }

    /// The transitions of a state. A network that changes its operators is refused: then values may stand outside of
    /// local states.
    pub fn arrows(&mut self, side: usize, key: &StateKey) -> Decided<Arrows> {
        let FamilySide { network, arrows } = &mut self.sides[side];
        if let Some(known) = arrows.get(key) {
            return Ok(Rc::clone(known));
        }
        let mut scratch = RuleScratch::default();
        let found = self.machine.complete(network, |machine, network| {
            let (mut found, mut keeps_form) = (IndexSet::default(), true);
            let locals = machine.locals();
            network.successors(locals, key.0, &key.1, &mut scratch, |s| {
                keeps_form &= s.keeps_form();
                found.insert((s.event, (s.format, s.locals.into())));
                Ok::<(), Miss>(())
            })?;
            Ok((found, keeps_form))
        })?;
        if let Some(failed) = network.asymmetry() {
            return Err(Box::new(failed.clone()).into());
        }
        let (found, keeps_form) = found;
        if !keeps_form {
            let why = "its parallel operators begin or end on the way, so values may stand outside of components";
            return Err(Unprovable::nowhere(why));
        }
        let found: Arrows = found.into_iter().collect::<Vec<_>>().into();
        arrows.insert(key.clone(), Rc::clone(&found));
        Ok(found)
    }

    /// All states that τ leads to from some states, these included.
    pub fn silently(&mut self, side: usize, from: Vec<StateKey>) -> Decided<SpecNode> {
        let mut known: BTreeSet<StateKey> = from.iter().cloned().collect();
        let mut open = from;
        while let Some(key) = open.pop() {
            for (event, target) in self.arrows(side, &key)?.iter() {
                if *event == EventId::TAU && known.insert(target.clone()) {
                    open.push(target.clone());
                }
            }
            self.poll(known.len())?;
        }
        Ok(known.into_iter().collect::<Vec<_>>().into())
    }

    /// The node of a side after an event; `None` if it cannot follow.
    pub fn after(
        &mut self,
        side: usize,
        node: &SpecNode,
        event: EventId,
    ) -> Decided<Option<SpecNode>> {
        let mut targets = Vec::new();
        for key in node.iter() {
            let arrows = self.arrows(side, key)?;
            let same = arrows.iter().filter(|(e, _)| *e == event);
            targets.extend(same.map(|(_, target)| target.clone()));
        }
        if targets.is_empty() {
            return Ok(None);
        }
        self.silently(side, targets).map(Some)
    }

    /// The image of a state under a permutation.
    pub fn permuted(&mut self, side: usize, key: &StateKey, image: &[Atom]) -> Decided<StateKey> {
        let network = &mut self.sides[side].network;
        let mut out = Vec::new();
        self.machine.complete(network, |machine, network| {
            network.permute(machine.locals(), key.0, &key.1, image, &mut out)
        })?;
        Ok((key.0, out[..].into()))
    }

    /// The image of a node under a permutation.
    pub fn permuted_node(
        &mut self,
        side: usize,
        node: &SpecNode,
        image: &[Atom],
    ) -> Decided<SpecNode> {
        let mut all = Vec::with_capacity(node.len());
        for key in node.iter() {
            all.push(self.permuted(side, key, image)?);
        }
        all.sort_unstable();
        Ok(all.into())
    }

    /// The shape of an event and its values, where the datatype is the only one that is permuted.
    pub fn parts_of(&mut self, event: Value) -> (Value, Box<[Atom]>) {
        let types = self.machine.atoms().clone();
        let mut shapes = self.machine.eval.store_mut().shapes();
        let (shape, atoms) = shapes.parts(event, &types);
        (shape, atoms.iter().copied().collect())
    }

    /// An event as text.
    pub fn shown(&self, event: EventId) -> String {
        let label = self.machine.events().label(event);
        self.machine.eval.show_event(label)
    }

    /// The values of the datatype in some states, in the order of first occurrence.
    pub fn values_in<'k>(&self, keys: impl IntoIterator<Item = &'k StateKey>) -> IndexSet<Atom> {
        let mut found = IndexSet::default();
        for local in keys.into_iter().flat_map(|key| key.1.iter()) {
            let atoms = self.machine.locals().atoms_of(*local).iter();
            found.extend(atoms.filter(|a| usize::from(a.0) < self.values));
        }
        found
    }
}
