//! A family with its specification as a finite control with counters.
//!
//! A *control* is the state of the rest, the node of the specification, and the local states of the members that these
//! two name. It is stored in the compiled network, whose size is fixed: the values that it names are the first ones, and
//! all other members are in their first local states there, which means nothing. The others are counted, by *place*: the
//! local states of the components of one value, as those of the first value.
//!
//! To find the steps that involve some members that are not named, their local states are put beside the named ones, and
//! the network is asked for its successors. Steps that involve exactly these are followed. All others are steps of
//! another choice, or images of these under permutations.

use std::rc::Rc;

use super::CoverEnd;
use super::members::{INVOLVED_MAX, Members, ValueSet, asymmetric, at_state, nowhere, set_of};
use super::tree::{ControlNumber, CountedSystem, TokenChange, TokenPlace};
use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId, LocalId, Machine, Network};
use crate::search::product::ProductMiss;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexSet, Map};
use crate::source::{Budget, Diagnostic, WorkStage};
use crate::specification::{NodeId, Specification};
use crate::value::Atom;

/// Values that the rest and the specification name together, at most: all their orders are tried.
pub(super) const NAMED_MAX: usize = 4;
/// The format of the network, which is its only one.
const FORMAT: FormatId = FormatId(0);

/// Both sides, compiled.
pub(super) struct BothSides {
    pub machine: Machine,
    pub network: Network,
    pub specification: Specification,
}

/// A control.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Control {
    locals: Box<[LocalId]>,
    node: NodeId,
    /// The number of values that it names: the first ones.
    named: usize,
}

/// A step of the network from a control with some members beside it.
struct FamilyStep {
    event: EventId,
    rule: u32,
    locals: Vec<LocalId>,
    /// The node afterwards; `None` if the specification does not allow the event.
    node: Option<NodeId>,
}

/// The system of counters.
pub(super) struct FamilyCounters<'a> {
    pub sides: BothSides,
    pub members: Members,
    budget: &'a Budget,
    /// Values that no control names, as many as a step may need.
    room: usize,
    /// Most values of a step that are not named.
    takes_max: usize,
    places: IndexSet<Box<[LocalId]>>,
    controls: IndexSet<Control>,
    /// Most values that a control names.
    pub named: usize,
    known: Map<(ControlNumber, Vec<TokenPlace>), Rc<[TokenChange]>>,
    scratch: RuleScratch,
}

impl<'a> FamilyCounters<'a> {
    /// The family of a network with the conditions decided; `takes` is the number of values to begin with.
    ///
    /// # Errors
    /// As [`CountedSystem::changes`].
    pub(super) fn new(
        (sides, members): (BothSides, Members),
        (room, takes): (usize, usize),
        budget: &'a Budget,
    ) -> std::result::Result<Self, CoverEnd> {
        let mut family = Self {
            takes_max: members.involved_max.max(takes),
            sides,
            members,
            budget,
            room,
            places: IndexSet::default(),
            controls: IndexSet::default(),
            named: 0,
            known: Map::default(),
            scratch: RuleScratch::default(),
        };
        let initial = family.sides.network.initial().to_vec();
        let names = family.names(&initial, NodeId(0));
        family.control(initial.clone(), NodeId(0), names)?;
        family.place(&initial, 0);
        Ok(family)
    }

    /// That permutations mapped both sides to themselves in each form that they took.
    ///
    /// # Errors
    /// A form of the specification that they do not.
    pub(super) fn stayed_symmetric(&self) -> std::result::Result<(), CoverEnd> {
        let (own, compared) = (&self.sides.network, self.sides.specification.network());
        match [own, compared].into_iter().find_map(Network::asymmetry) {
            Some(error) => Err(CoverEnd::Refused(asymmetric(error))),
            None => Ok(()),
        }
    }

    /// The values that the rest and a node name.
    fn names(&self, state: &[LocalId], node: NodeId) -> ValueSet {
        let locals = self.sides.machine.locals();
        let of_rest = self.members.rest.iter();
        let of_rest = of_rest.fold(0, |set, at| set | set_of(locals.atoms_of(state[*at])));
        of_rest | set_of(self.sides.specification.atoms(node))
    }

    /// The place of a value's components.
    fn place(&mut self, state: &[LocalId], value: usize) -> TokenPlace {
        let column = self.members.column(&mut self.sides.machine, state, value);
        self.places.insert_full(column).0
    }

    /// The number of a control up to permutations, given a state with the values that it names.
    fn control(
        &mut self,
        mut state: Vec<LocalId>,
        node: NodeId,
        names: ValueSet,
    ) -> std::result::Result<ControlNumber, CoverEnd> {
        let size = self.members.of_value.len();
        let named: Vec<usize> = (0..size).filter(|value| names >> value & 1 == 1).collect();
        if named.len() > NAMED_MAX || named.len().saturating_add(self.room) > size {
            return Err(self.too_small(&state, named.len()));
        }
        for value in (0..size).filter(|value| names >> value & 1 == 0) {
            for member in &self.members.of_value[value] {
                state[*member] = self.sides.network.initial()[*member];
            }
        }
        let mut least: Option<(Vec<LocalId>, NodeId)> = None;
        for image in &images(&named, size) {
            let image = self.image(&state, node, image)?;
            if least.as_ref().is_none_or(|least| image < *least) {
                least = Some(image);
            }
        }
        let (locals, node) = least.unwrap_or((state, node));
        self.named = self.named.max(named.len());
        let control = Control {
            locals: locals.into(),
            node,
            named: named.len(),
        };
        Ok(self.controls.insert_full(control).0)
    }

    /// The image of a pair.
    fn image(
        &mut self,
        state: &[LocalId],
        node: NodeId,
        image: &[Atom],
    ) -> Result<(Vec<LocalId>, NodeId)> {
        self.complete(|sides, _| {
            let locals = sides.machine.locals();
            let mut out = Vec::new();
            sides
                .network
                .permute(locals, FORMAT, state, image, &mut out)?;
            Ok((out, sides.specification.permute(locals, node, image)?))
        })
    }

    /// Repeats an attempt on read-only tables until it succeeds.
    fn complete<T>(
        &mut self,
        mut attempt: impl FnMut(&BothSides, &mut RuleScratch) -> std::result::Result<T, ProductMiss>,
    ) -> Result<T> {
        loop {
            let miss = match attempt(&self.sides, &mut self.scratch) {
                Ok(done) => return Ok(done),
                Err(miss) => miss,
            };
            let BothSides {
                machine,
                network,
                specification,
            } = &mut self.sides;
            machine.eval.check_time()?;
            match miss {
                ProductMiss::Machine(miss) => machine.resolve(network, &miss)?,
                ProductMiss::Specification(miss) => specification.resolve(machine, &miss)?,
                ProductMiss::Packer | ProductMiss::Enough => {
                    let message = "internal error: a packed state where none is stored";
                    return Err(Box::new(Diagnostic::nowhere("E0799", message)));
                }
            }
        }
    }

    /// That a control names more values than this size has room for.
    fn too_small(&mut self, state: &[LocalId], named: usize) -> CoverEnd {
        if named <= NAMED_MAX {
            return CoverEnd::Larger {
                size: named.saturating_add(self.room),
                takes: self.takes_max,
            };
        }
        let locals = self.sides.machine.locals();
        let holds = |at: &usize| locals.atoms_of(state[*at]).len();
        let most = self.members.rest.iter().copied().max_by_key(holds);
        match most.filter(|at| holds(at) > 0) {
            Some(at) => {
                let machine = &mut self.sides.machine;
                let (name, _) = machine.describe_local(state[at]);
                let why = format!(
                    "{name} and the specification name more than {NAMED_MAX} values of the type at once"
                );
                CoverEnd::Refused(at_state(machine, state[at], why))
            }
            None => CoverEnd::Refused(nowhere(&format!(
                "the specification names more than {NAMED_MAX} values of the type at once"
            ))),
        }
    }

    /// The steps of a state whose rules involve only the first `count` values: those of others are steps of another
    /// choice.
    fn steps(&mut self, state: &[LocalId], node: NodeId, count: usize) -> Result<Vec<FamilyStep>> {
        let involved = std::mem::take(&mut self.members.involved);
        let steps = self.complete(|sides, scratch| {
            let mut steps = Vec::new();
            let locals = sides.machine.locals();
            let emit = |step: crate::machine::network::Successor<'_>| {
                if involved[step.rule as usize] & !low(count) != 0 {
                    return Ok(());
                }
                let node = match step.event {
                    EventId::TAU => Some(node),
                    event => sides.specification.step(node, event)?,
                };
                steps.push(FamilyStep {
                    event: step.event,
                    rule: step.rule,
                    locals: step.locals.to_vec(),
                    node,
                });
                Ok::<(), ProductMiss>(())
            };
            sides
                .network
                .successors(locals, FORMAT, state, scratch, emit)?;
            Ok(steps)
        });
        self.members.involved = involved;
        steps
    }

    /// The change that a step makes to a control with the first `named` values, if it involves exactly the `taken`
    /// values after these.
    fn change(
        &mut self,
        step: FamilyStep,
        (named, taken): (usize, usize),
    ) -> std::result::Result<Option<TokenChange>, CoverEnd> {
        // A step that the specification does not allow is involved with the same values: its own.
        let after = step.node.unwrap_or(NodeId(0));
        let names = match step.node {
            Some(node) => self.names(&step.locals, node),
            None => 0,
        };
        let own = low(named);
        let involved = (self.members.involved[step.rule as usize] | names) & !own;
        let count = involved.count_ones() as usize;
        if count > self.takes_max {
            return Err(self.takes_more(step.event, count));
        }
        if involved != low(named + taken) & !own {
            return Ok(None);
        }
        if step.node.is_none() {
            let size = self.members.of_value.len();
            return Err(CoverEnd::Bad { size });
        }
        let mut adds = Vec::new();
        for value in (0..named + taken).filter(|value| names >> value & 1 == 0) {
            adds.push(self.place(&step.locals, value));
        }
        adds.sort_unstable();
        let to = self.control(step.locals, after, names)?;
        Ok(Some(TokenChange { adds, to }))
    }

    fn takes_more(&self, event: EventId, count: usize) -> CoverEnd {
        if count <= INVOLVED_MAX {
            return CoverEnd::Larger {
                size: self.members.of_value.len(),
                takes: count,
            };
        }
        let event = self.sides.machine.show_event(event);
        CoverEnd::Refused(nowhere(&format!(
            "a step ({event}) chooses more than {INVOLVED_MAX} values of the type at once"
        )))
    }
}

impl CountedSystem for FamilyCounters<'_> {
    type End = CoverEnd;

    fn takes_max(&self) -> usize {
        self.takes_max
    }

    fn changes(
        &mut self,
        control: ControlNumber,
        taken: &[TokenPlace],
    ) -> std::result::Result<Rc<[TokenChange]>, CoverEnd> {
        let key = (control, taken.to_vec());
        if let Some(known) = self.known.get(&key) {
            return Ok(Rc::clone(known));
        }
        let Control {
            locals,
            node,
            named,
        } = self.controls[control].clone();
        let mut state = locals.into_vec();
        for (place, value) in taken.iter().zip(named..) {
            let column = self.places[*place].clone();
            let machine = &mut self.sides.machine;
            self.members.put(machine, &column, value, &mut state);
        }
        let mut changes: IndexSet<TokenChange> = IndexSet::default();
        let about = (named, taken.len());
        for step in self.steps(&state, node, named + taken.len())? {
            changes.extend(self.change(step, about)?);
        }
        let changes: Rc<[TokenChange]> = changes.into_iter().collect();
        self.known.insert(key, Rc::clone(&changes));
        Ok(changes)
    }

    fn poll(&mut self, nodes: usize, bytes: usize) -> std::result::Result<(), CoverEnd> {
        self.budget.cancel.reach(WorkStage::Searching, nodes);
        let of_control = self.members.rest.len() + self.members.of_value.len();
        let own = self.controls.len() * of_control * size_of::<LocalId>();
        let limits = &self.budget.limits;
        match limits.reached(&self.budget.cancel, bytes + own) {
            Some(stop) => Err(CoverEnd::Stopped(stop)),
            None if nodes >= limits.states_max => {
                Err(CoverEnd::Stopped(crate::source::Stop::States))
            }
            None => Ok(()),
        }
    }
}

/// The set of the first values.
fn low(count: usize) -> ValueSet {
    (1 << count) - 1
}

/// All permutations of the values that take these to the first ones, in any order.
fn images(named: &[usize], size: usize) -> Vec<Vec<Atom>> {
    let mut orders = Vec::new();
    each_order(&mut named.to_vec(), 0, &mut |order| {
        orders.push(order.to_vec());
    });
    let image = |order: Vec<usize>| {
        let others = (0..size).filter(|value| !order.contains(value));
        let mut image = vec![Atom(0); size];
        for (to, value) in order.iter().copied().chain(others).enumerate() {
            image[value] = Atom(to as u16);
        }
        image
    };
    orders.into_iter().map(image).collect()
}

fn each_order(values: &mut Vec<usize>, from: usize, visit: &mut dyn FnMut(&[usize])) {
    if from == values.len() {
        return visit(values);
    }
    for at in from..values.len() {
        values.swap(from, at);
        each_order(values, from + 1, visit);
        values.swap(from, at);
    }
}
