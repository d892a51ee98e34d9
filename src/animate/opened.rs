//! An open process: its states by number, and their views in words.

use std::sync::Arc;

use super::model::{ComponentView, ReductionView, StateId, TypeOrdering};
use crate::check::plan::{Demand, Plan, PlanKey, by_first, plan_of, plans_of};
use crate::check::reduction::Reduction;
use crate::check::system::System;
use crate::machine::copies::Copies;
use crate::machine::digests::MachineDigests;
use crate::machine::order::Order;
use crate::machine::{FormatId, LocalId, Machine, Miss, Network};
use crate::report::plans;
use crate::report::reduction::in_full;
use crate::report::words::WordCache;
use crate::script::core::Expr;
use crate::script::load::Loaded;
use crate::source::diagnostic::Result as Checked;
use crate::source::hash::{IndexSet, Map};
use crate::source::{Budget, Diagnostic};
use crate::symmetry::context::StateContext;
use crate::symmetry::permutation::whole_order;
use crate::symmetry::strategy::{Ordering, Strategy};
use crate::symmetry::structural::StructuralGroup;
use crate::symmetry::{Representative, StrategyKind};

/// Why trust is not enough.
const UNEXPLORED: &str =
    "components are too large to see that no list of events tells values apart";

/// The reason why no type is symmetric in a process that was opened for a run of an unreduced check.
const FOLLOWED: &str = "it was opened without symmetric types, to follow a run of a check that was not \
                        reduced";
/// The reason where the check was reduced by other types than the process alone would be.
const AS_CHECKED: &str =
    "it was opened with the symmetric types of the check whose run is followed";
/// The reason where the check was one of revivals or of refusal testing.
const UNCOMPRESSED: &str = "it was opened as for the check whose run is followed, without compressions that lose what \
                            its model sees";

/// The error where values would have to be permuted.
const NO_VALUES: &str = "no values are ordered here, for the symmetry of this process was found in the structure of \
                         its network: components are permuted, and the representative is the least of all images \
                         of the state";

/// A process being animated.
pub(super) struct AnimatedProcess {
    /// The number of the network, among those that the engine has opened.
    pub(super) number: u32,
    pub(super) machine: Machine,
    pub(super) network: Network,
    /// The group that was found in its structure, if states are permuted by that.
    pub(super) structure: Option<Arc<StructuralGroup>>,
    pub(super) words: WordCache,
    pub(super) states: IndexSet<(FormatId, Box<[LocalId]>)>,
    /// The orbits of those that were asked for: pictures of neighbouring states have most of theirs in common.
    orbits: Map<u32, KnownOrbit>,
    /// The other way to permute its states, if both values and more of its structure are symmetric.
    pub(super) other: Option<Box<OtherPermutations>>,
    pub(super) representative: Representative,
    /// Digests that identify states and events in other machines, computed on request.
    pub(super) digests: MachineDigests,
    /// Why it is not reduced by more, if a better plan could not be gone.
    instead: Option<Box<Diagnostic>>,
    /// The basis and the symmetry of its reduction, in words.
    pub(super) reduction: Arc<ReductionView>,
}

/// Permutations of the states of a process that its views do not go by: of values and copies alone, or those of a
/// structural group that moves local states alone besides.
#[derive(Default)]
pub(super) struct OtherPermutations {
    structure: Option<Arc<StructuralGroup>>,
    copies: Vec<Copies>,
    orbits: Map<u32, KnownOrbit>,
    /// Their names, as `D (3)`.
    name: String,
}

impl OtherPermutations {
    /// A structural group beside values that lead.
    pub(super) fn of_structure(group: Box<StructuralGroup>, used: &Reduction) -> Self {
        Self {
            structure: Some(Arc::from(group)),
            name: in_full(&plans::summary(used)),
            ..Self::default()
        }
    }

    /// Values, and copies that were given up, beside a structural group that leads.
    pub(super) fn of_values(copies: Vec<Copies>, used: &Reduction) -> Self {
        let values = Reduction {
            structure: None,
            ..used.clone()
        };
        Self {
            copies,
            name: in_full(&plans::summary(&values)),
            ..Self::default()
        }
    }
}

/// Facts about the orbit of a state.
#[derive(Clone)]
pub(super) struct KnownOrbit {
    /// The representative of the orbit.
    pub(super) id: StateId,
    /// The order of the stabiliser; `None` if its search was given up, and with it the promise that the
    /// representative is unique.
    pub(super) stabiliser: Option<Order>,
}

/// By which plan a process is opened.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Opening {
    /// The best that it can be opened by.
    Best,
    /// The plan of a check whose run is to be followed: another one may make another network.
    AsChecked(PlanKey),
}

impl AnimatedProcess {
    /// Compiles a process and makes its network, by the first plan that can be gone.
    pub(super) fn new(
        number: u32,
        loaded: &Loaded,
        expr: &Expr,
        opening: &Opening,
        budget: &Budget,
    ) -> Checked<Self> {
        let plans = match opening {
            Opening::Best => plans_of(loaded, &[expr], &Demand::default())?,
            Opening::AsChecked(key) => vec![plan_of(loaded, &[expr], key)?],
        };
        let (((mut opened, trusting), by_structure), instead) = by_first(&plans, |plan| {
            let mut opened = Self::with(number, loaded, expr, plan, budget)?;
            let by_structure = match plan.looks_at_structure() {
                true => opened.look_for_structure(budget)?,
                false => None,
            };
            // Not mappable (Def. 29): the next plan permutes less.
            opened.network.first().mappable()?;
            if plan.is_trusting() && !opened.is_explored() {
                // Unexplored components may show that trust is not justified.
                return Err(Box::new(Diagnostic::nowhere("E0510", UNEXPLORED)));
            }
            Ok(((opened, plan.is_trusting()), by_structure))
        })?;
        // A plan that was given is not one that something better failed for: say why it was taken.
        opened.instead = match opening {
            Opening::Best => instead,
            // Symmetry in the structure does not depend on the check.
            Opening::AsChecked(_) if opened.structure.is_some() => None,
            Opening::AsChecked(key) => {
                let why = match key.is_unreduced() {
                    _ if key.shows_states() => UNCOMPRESSED,
                    true => FOLLOWED,
                    false => AS_CHECKED,
                };
                Some(Box::new(Diagnostic::nowhere("E0510", why)))
            }
        };
        opened.tell_reduction(loaded, expr, trusting, by_structure);
        Ok(opened)
    }

    /// Puts its reduction into words: by a structural group, or by values and copies.
    fn tell_reduction(
        &mut self,
        loaded: &Loaded,
        expr: &Expr,
        trusting: bool,
        by_structure: Option<Reduction>,
    ) {
        let used = by_structure.or_else(|| {
            let kind = StrategyKind::default().into();
            Reduction::new(&mut self.machine, (&self.network, None), kind)
        });
        let view = ReductionView {
            used: used.as_ref().map(plans::summary),
            plan: plans::plan(trusting, self.instead.as_deref(), loaded),
            types: plans::types_of(loaded, &[expr]),
            has_other: self.other.is_some(),
        };
        self.reduction = Arc::new(view);
    }

    /// Sets the limits of the next request.
    pub(super) fn bound(&mut self, budget: &Budget) {
        self.machine
            .eval
            .limit(&budget.limits.from_now(), budget.cancel.clone());
    }

    /// The number of the initial state.
    pub(super) fn initial(&self) -> StateId {
        StateId::new(self.number, 0)
    }

    /// Whether all components were explored to the end, so that unjustified trust has shown.
    fn is_explored(&self) -> bool {
        self.network.first().reach().iter().all(|r| r.complete)
    }

    fn with(
        number: u32,
        loaded: &Loaded,
        expr: &Expr,
        plan: &Plan,
        budget: &Budget,
    ) -> Checked<Self> {
        let System { machine, network } = System::shown(loaded, expr, plan, budget)?;
        let mut states = IndexSet::default();
        // The first state has number 0, which `initial` relies on.
        states.insert((FormatId(0), network.initial().to_vec().into_boxed_slice()));
        Ok(Self {
            number,
            machine,
            network,
            structure: None,
            words: WordCache::default(),
            states,
            orbits: Map::default(),
            other: None,
            representative: Representative::default(),
            digests: MachineDigests::default(),
            instead: None,
            reduction: Arc::default(),
        })
    }

    pub(super) fn state(&self, id: StateId) -> (FormatId, Vec<LocalId>) {
        let (format, locals) = &self.states[id.number as usize];
        (*format, locals.to_vec())
    }

    /// Whether it has numbered a state.
    pub(super) fn has(&self, id: StateId) -> bool {
        id.network == self.number && (id.number as usize) < self.states.len()
    }

    pub(super) fn intern(&mut self, format: FormatId, locals: &[LocalId]) -> StateId {
        // States are never removed, so a number is valid as long as the process is open.
        let number = self.states.insert_full((format, locals.into())).0 as u32;
        StateId::new(self.number, number)
    }

    pub(super) fn components_of(&mut self, id: StateId) -> Vec<ComponentView> {
        let (format, locals) = self.state(id);
        self.words
            .components(&mut self.machine, &self.network, format, &locals)
    }

    pub(super) fn complete<R>(
        &mut self,
        mut attempt: impl FnMut(&Machine, &Network, &mut Representative) -> Result<R, Miss>,
    ) -> Checked<R> {
        let representative = &mut self.representative;
        self.machine
            .complete(&mut self.network, |machine, network| {
                attempt(machine, network, representative)
            })
    }

    /// The name of the other permutations, if there are any.
    pub(super) fn other_name(&self) -> Option<String> {
        self.other.as_ref().map(|other| other.name.clone())
    }

    /// Answers a question by the other permutations; `None` if there are none.
    pub(super) fn by_other<R>(&mut self, answer: impl FnOnce(&mut Self) -> R) -> Option<R> {
        let mut other = self.other.take()?;
        self.exchange(&mut other);
        let done = answer(self);
        self.exchange(&mut other);
        self.other = Some(other);
        Some(done)
    }

    fn exchange(&mut self, other: &mut OtherPermutations) {
        std::mem::swap(&mut self.structure, &mut other.structure);
        std::mem::swap(&mut self.orbits, &mut other.orbits);
        let copies = self.network.give_up_copies();
        self.network
            .take_back_copies(std::mem::replace(&mut other.copies, copies));
    }

    /// Why representatives cannot be taken in this format; empty if they can.
    pub(super) fn obstacle(&self, format: FormatId) -> String {
        let entry = self.network.format(format);
        if self.structure_of(format).is_some() {
            return String::new();
        }
        // No values to permute and no copies to exchange: the group is trivial.
        if self.machine.atoms().is_empty() && entry.copies().is_empty() {
            let instead = self.instead.as_ref().map(|why| why.message.clone());
            return instead
                .unwrap_or_else(|| "no datatype is symmetric in this process".to_owned());
        }
        match entry.mappable() {
            Ok(()) => String::new(),
            Err(why) => why.message.clone(),
        }
    }

    /// Why values are not permuted in this format; empty if they are.
    pub(super) fn values_obstacle(&self, format: FormatId) -> String {
        match (self.structure_of(format), &self.other) {
            (Some(_), None) => NO_VALUES.to_owned(),
            (Some(_), Some(_)) => {
                let mappable = self.network.format(format).mappable();
                mappable.map_or_else(|why| why.message, |()| String::new())
            }
            (None, _) => self.obstacle(format),
        }
    }

    /// The order of the group that states of a format are permuted by.
    pub(super) fn group_order(&self, format: FormatId) -> Order {
        match self.structure_of(format) {
            Some(group) => group.order().clone(),
            None => whole_order(self.machine.atoms(), self.network.format(format)),
        }
    }

    /// Leaves the representative of a state in `self.representative`.
    pub(super) fn represent(&mut self, format: FormatId, state: &[LocalId]) -> Checked<()> {
        if let Some(group) = self.structure_of(format) {
            return self.represent_by(&group, format, state);
        }
        self.complete(|machine, network, out| {
            let context = StateContext::alone(machine, network, format, state);
            Ordering(TypeOrdering::Appearance).representative(&context, out)
        })
    }

    /// The orbit of a state by number; it is computed once.
    pub(super) fn known_orbit(&mut self, id: StateId) -> Checked<KnownOrbit> {
        let (format, locals) = self.state(id);
        // Whether representatives can be computed may change as components are explored.
        let reduces = self.obstacle(format).is_empty();
        if let Some(known) = self.orbits.get(&id.number).filter(|_| reduces) {
            return Ok(known.clone());
        }
        let orbit = self.orbit(format, &locals)?;
        // A search that was given up may succeed with a larger limit.
        if orbit.stabiliser.is_some() && reduces {
            self.orbits.insert(id.number, orbit.clone());
        }
        Ok(orbit)
    }

    /// Computes the orbit of a state, whose representative is the exact form.
    pub(super) fn orbit(&mut self, format: FormatId, state: &[LocalId]) -> Checked<KnownOrbit> {
        if !self.obstacle(format).is_empty() {
            let id = self.intern(format, state);
            return Ok(KnownOrbit {
                id,
                // The group is taken to be trivial, so every state is an orbit of its own.
                stabiliser: Some(Order::ONE),
            });
        }
        let group = self.structure_of(format);
        self.complete(|machine, network, out| {
            let context = StateContext::alone(machine, network, format, state);
            // The order of the stabiliser gives the number of states of the orbit.
            out.counting = true;
            if let Some(group) = &group {
                return group.representative(&context, out);
            }
            StrategyKind::Exact.strategy().representative(&context, out)
        })?;
        let stabiliser = self.representative.stabiliser.clone();
        // Taken and put back, since `intern` needs the whole of `self`.
        let locals = std::mem::take(&mut self.representative.locals);
        let id = self.intern(format, &locals);
        self.representative.locals = locals;
        Ok(KnownOrbit { id, stabiliser })
    }
}
