//! An open process: its states by number, and their views in words.

use std::time::{Duration, Instant};

use super::model::{
    ComponentView, EventKind, Explanation, RepView, StateId, StateView, TransitionView,
    TypeOrdering, TypePermutation, Uniqueness,
};
use super::words::{self, Words};
use crate::check::plan::{Demand, Plan, by_first, plans_of};
use crate::check::system::System;
use crate::machine::network::Scratch;
use crate::machine::order::Order;
use crate::machine::{EventId, FormatId, LocalId, Machine, Miss, Network};
use crate::script::core::Expr;
use crate::script::load::Loaded;
use crate::source::diagnostic::Result as Checked;
use crate::source::hash::IndexSet;
use crate::source::{Cancel, Diagnostic, Kind, Limits};
use crate::symmetry::permutation::whole_order;
use crate::symmetry::record::Recorder;
use crate::symmetry::strategy::{Context, Ordering, Strategy};
use crate::symmetry::trace::{Partition, Step, TypeOrder, Variable};
use crate::symmetry::{Permutation, Representative, StrategyKind};
use crate::value::Atom;

/// How far components are explored before the first state is shown.
const EXPLORE_MAX: usize = 20_000;
/// The time for that. A local state may never come to its transitions, and others grow without end: then
/// nothing is explored ahead.
const EXPLORE_TIME: Duration = Duration::from_secs(5);
/// So many transitions of a state are listed; the others are counted.
const TRANSITIONS_MAX: usize = 2_000;
/// Transitions between two looks at the limits.
const POLL_EVERY: usize = 1_000;

/// Why trust is not enough.
const UNEXPLORED: &str =
    "components are too large to see that no list of events tells values apart";

/// A process being animated.
pub(super) struct Opened {
    /// Which network it is, among those that the engine has opened.
    number: u32,
    machine: Machine,
    network: Network,
    words: Words,
    states: IndexSet<(FormatId, Box<[LocalId]>)>,
    representative: Representative,
    /// Why it is not reduced by more, if a better plan could not be gone.
    instead: Option<Box<Diagnostic>>,
}

/// A transition of the raw system.
struct Raw {
    event: EventId,
    rule: u32,
    target: (FormatId, Box<[LocalId]>),
}

/// What is known of the orbit of a state.
#[derive(Clone)]
struct Orbit {
    /// The state that stands for it.
    id: StateId,
    /// How many permutations leave that as it is; none if the search for it was given up, and with it
    /// the promise that no other state stands for the same orbit.
    stabiliser: Option<Order>,
}

/// What a transition of the raw system does, in words.
pub(super) struct RawStep {
    pub(super) kind: EventKind,
    pub(super) event: String,
    pub(super) target: StateId,
}

/// Why the transitions of a state are not all there.
enum Cut {
    /// A table does not hold something yet.
    Missed(Miss),
    /// A limit, or the person.
    Stopped,
}

impl From<Miss> for Cut {
    fn from(miss: Miss) -> Self {
        Self::Missed(miss)
    }
}

/// What goes for everything that is asked of an engine: how much it may take, and what cancels it.
#[derive(Clone, Default)]
pub(super) struct Bounds {
    pub(super) limits: Limits,
    pub(super) cancel: Cancel,
}

impl Opened {
    /// Starts a process, with every type in which it is symmetric.
    pub(super) fn new(number: u32, loaded: &Loaded, expr: &Expr, bounds: &Bounds) -> Checked<Self> {
        let plans = plans_of(loaded, &[expr], &Demand::default())?;
        let (mut opened, instead) = by_first(&plans, |plan| {
            let opened = Self::with(number, loaded, expr, plan, bounds)?;
            opened.network.formats[0].mappable.clone()?;
            if plan.is_trusting() && !opened.is_explored() {
                // What is not known yet may show that trust is not justified.
                return Err(Box::new(Diagnostic::nowhere("E0510", UNEXPLORED)));
            }
            Ok(opened)
        })?;
        opened.instead = instead;
        Ok(opened)
    }

    /// Starts a process without symmetric types.
    pub(super) fn unreduced(
        number: u32,
        loaded: &Loaded,
        expr: &Expr,
        bounds: &Bounds,
    ) -> Checked<Self> {
        Self::with(number, loaded, expr, &Plan::unreduced(), bounds)
    }

    /// Says what goes for what is asked next.
    pub(super) fn bound(&mut self, bounds: &Bounds) {
        self.machine
            .eval
            .limit(&bounds.limits.from_now(), bounds.cancel.clone());
    }

    /// The initial state.
    pub(super) fn initial(&self) -> StateId {
        StateId::new(self.number, 0)
    }

    /// Whether all components were explored to the end, so that trust which is not justified has shown.
    fn is_explored(&self) -> bool {
        self.network.formats[0].reach.iter().all(|r| r.complete)
    }

    /// What is explored ahead is a convenience: if there is a limit in its way, less has to do.
    fn with(
        number: u32,
        loaded: &Loaded,
        expr: &Expr,
        plan: &Plan,
        bounds: &Bounds,
    ) -> Checked<Self> {
        let soon = Instant::now() + EXPLORE_TIME;
        let mut ahead = bounds.clone();
        ahead.limits.deadline = Some(bounds.limits.deadline.map_or(soon, |d| d.min(soon)));
        match Self::explored(number, loaded, expr, plan, &ahead, EXPLORE_MAX) {
            Err(error)
                if matches!(error.kind, Kind::Stopped(_)) && !bounds.cancel.is_cancelled() =>
            {
                Self::explored(number, loaded, expr, plan, bounds, 0)
            }
            done => done,
        }
    }

    fn explored(
        number: u32,
        loaded: &Loaded,
        expr: &Expr,
        plan: &Plan,
        bounds: &Bounds,
        ahead: usize,
    ) -> Checked<Self> {
        let bounds = (&bounds.limits.from_now(), &bounds.cancel);
        let System { machine, network } = System::open(loaded, expr, plan, bounds, ahead)?;
        let mut states = IndexSet::default();
        states.insert((FormatId(0), network.initial.clone().into_boxed_slice()));
        Ok(Self {
            number,
            machine,
            network,
            words: Words::default(),
            states,
            representative: Representative::default(),
            instead: None,
        })
    }

    pub(super) fn state(&self, id: StateId) -> (FormatId, Vec<LocalId>) {
        let (format, locals) = &self.states[id.number as usize];
        (*format, locals.to_vec())
    }

    /// Whether it has met a state.
    pub(super) fn has(&self, id: StateId) -> bool {
        id.network == self.number && (id.number as usize) < self.states.len()
    }

    fn intern(&mut self, format: FormatId, locals: &[LocalId]) -> StateId {
        let number = self.states.insert_full((format, locals.into())).0 as u32;
        StateId::new(self.number, number)
    }

    pub(super) fn components_of(&mut self, id: StateId) -> Vec<ComponentView> {
        let (format, locals) = self.state(id);
        self.words
            .components(&mut self.machine, &self.network, format, &locals)
    }

    fn complete<R>(
        &mut self,
        mut attempt: impl FnMut(&Machine, &Network, &mut Representative) -> Result<R, Miss>,
    ) -> Checked<R> {
        let representative = &mut self.representative;
        self.machine
            .complete(&mut self.network, |machine, network| {
                attempt(machine, network, representative)
            })
    }

    /// The first `most` transitions of a state, and how many more there are.
    fn raw_transitions(&mut self, id: StateId, most: usize) -> Checked<(Vec<Raw>, usize)> {
        let (format, locals) = self.state(id);
        loop {
            let (mut found, mut more) = (Vec::new(), 0);
            let mut scratch = Scratch::default();
            let (machine, network) = (&self.machine, &self.network);
            let cut = network.successors(&machine.locals, format, &locals, &mut scratch, |s| {
                if found.len() < most {
                    found.push(Raw {
                        event: s.event,
                        rule: s.rule,
                        target: (s.format, s.locals.into()),
                    });
                } else {
                    more += 1;
                }
                let look = (found.len() + more) % POLL_EVERY == 0;
                if look && machine.eval.check_time().is_err() {
                    return Err(Cut::Stopped);
                }
                Ok(())
            });
            match cut {
                Ok(()) => return Ok((found, more)),
                Err(Cut::Missed(miss)) => self.machine.resolve(&mut self.network, &miss)?,
                Err(Cut::Stopped) => {}
            }
            self.machine.eval.check_time()?;
        }
    }

    /// All transitions of a state without what is known of their targets.
    pub(super) fn steps(&mut self, id: StateId) -> Checked<Vec<RawStep>> {
        let (format, _) = self.state(id);
        let (raw, _) = self.raw_transitions(id, usize::MAX)?;
        let mut steps = Vec::with_capacity(raw.len());
        for step in raw {
            let rule = &self.network.formats[format.0 as usize].rules.list[step.rule as usize];
            let shown = rule.shown;
            steps.push(RawStep {
                kind: words::kind(step.event),
                event: words::shown(&self.machine, shown),
                target: self.intern(step.target.0, &step.target.1),
            });
        }
        Ok(steps)
    }

    /// Why representatives cannot be taken in this format; empty if they can.
    fn obstacle(&self, format: FormatId) -> String {
        let entry = &self.network.formats[format.0 as usize];
        if self.machine.atoms.is_empty() && entry.copies.is_empty() {
            let instead = self.instead.as_ref().map(|why| why.message.clone());
            return instead
                .unwrap_or_else(|| "no datatype is symmetric in this process".to_owned());
        }
        match &entry.mappable {
            Ok(()) => String::new(),
            Err(why) => why.message.clone(),
        }
    }

    /// Leaves the representative of a state in `self.representative`.
    fn represent(&mut self, format: FormatId, state: &[LocalId]) -> Checked<()> {
        self.complete(|machine, network, out| {
            let context = context(machine, network, format, state);
            Ordering(TypeOrdering::Appearance).representative(&context, out)
        })
    }

    /// The state that stands for the orbit of a state: its exact form.
    fn orbit(&mut self, format: FormatId, state: &[LocalId]) -> Checked<Orbit> {
        if !self.obstacle(format).is_empty() {
            let id = self.intern(format, state);
            return Ok(Orbit {
                id,
                stabiliser: Some(Order::ONE),
            });
        }
        self.complete(|machine, network, out| {
            let context = context(machine, network, format, state);
            StrategyKind::Exact.strategy().representative(&context, out)
        })?;
        let stabiliser = self.representative.stabiliser.clone();
        let locals = std::mem::take(&mut self.representative.locals);
        let id = self.intern(format, &locals);
        self.representative.locals = locals;
        Ok(Orbit { id, stabiliser })
    }

    pub(super) fn view(&mut self, id: StateId) -> Checked<StateView> {
        let (format, locals) = self.state(id);
        let (raw, omitted) = self.raw_transitions(id, TRANSITIONS_MAX)?;
        let no_representative = self.obstacle(format);
        let mut transitions = Vec::with_capacity(raw.len());
        let orbit = self.orbit(format, &locals)?;
        let mut orbits_known = orbit.stabiliser.is_some();
        for step in &raw {
            let (transition, known) = self.transition(format, &locals, step)?;
            orbits_known &= known;
            transitions.push(transition);
        }
        transitions.sort_by(|a, b| (a.kind, &a.event, a.target).cmp(&(b.kind, &b.event, b.target)));
        transitions.dedup();
        let representative = if no_representative.is_empty() {
            self.represent(format, &locals)?;
            Some(self.rep_view(format, &locals, &orbit))
        } else {
            None
        };
        let components = self.components_of(id);
        // Where all parts have terminated but not yet the whole, ✓ is still to come.
        let terminated = transitions.is_empty()
            && !locals.is_empty()
            && components.iter().all(|c| c.text == OMEGA);
        Ok(StateView {
            id,
            components,
            deadlocked: transitions.is_empty() && !terminated,
            terminated,
            transitions,
            omitted,
            orbit: orbit.id,
            orbits_known,
            representative,
            no_representative,
        })
    }

    fn transition(
        &mut self,
        format: FormatId,
        locals: &[LocalId],
        step: &Raw,
    ) -> Checked<(TransitionView, bool)> {
        let rule = &self.network.formats[format.0 as usize].rules.list[step.rule as usize];
        let (parts, shown) = (rule.parts.clone(), rule.shown);
        let target = self.intern(step.target.0, &step.target.1);
        let orbit = self.orbit(step.target.0, &step.target.1)?;
        let mut movers = Vec::with_capacity(parts.len());
        for (component, _) in &parts {
            let at = *component as usize;
            let before = self.words.text(&mut self.machine, locals[at]);
            let after = match step.target.1.get(at) {
                Some(local) => self.words.text(&mut self.machine, *local),
                None => String::new(),
            };
            movers.push((at, before, after));
        }
        let view = TransitionView {
            kind: words::kind(step.event),
            event: words::shown(&self.machine, shown),
            target,
            orbit: orbit.id,
            movers,
        };
        Ok((view, orbit.stabiliser.is_some()))
    }

    /// The representative in `self.representative` in words.
    fn rep_view(&mut self, format: FormatId, state: &[LocalId], orbit: &Orbit) -> RepView {
        let image = self.representative.image.clone();
        let locals = self.representative.locals.clone();
        let id = self.intern(format, &locals);
        let entry = &self.network.formats[format.0 as usize];
        let mut source = vec![0; locals.len()];
        let mut images = vec![LocalId(0); locals.len()];
        for (component, local) in state.iter().enumerate() {
            let to = self
                .machine
                .component_image(entry, component, &image)
                .unwrap_or(component);
            source[to] = component;
            images[component] = self.machine.permute_local(*local, &image);
        }
        for set in entry.copies.sets() {
            let mut sources: Vec<usize> = set.iter().map(|c| source[*c as usize]).collect();
            sources.sort_by_key(|component| images[*component]);
            for (to, component) in set.iter().zip(sources) {
                source[*to as usize] = component;
            }
        }
        let order = whole_order(&self.machine.atoms, entry).to_big();
        let scratch = &self.representative.scratch;
        let seen = scratch.stabiliser(&self.machine.atoms).map(|mut seen| {
            entry.copies.stabiliser_into(&locals, &mut seen);
            seen
        });
        let size = orbit.stabiliser.as_ref().map(|s| &order / s.to_big());
        // The reasons for uniqueness count what leaves the state as it is: if they miss a part of it,
        // or count too much, they do not apply.
        let uniqueness = if seen == orbit.stabiliser {
            self.uniqueness(format)
        } else {
            Uniqueness::Unknown("some values are told apart by more than Def. 36 counts".to_owned())
        };
        RepView {
            id,
            components: self
                .words
                .components(&mut self.machine, &self.network, format, &locals),
            source,
            permutation: self.permutation(&Permutation::from_image(&image)),
            strategy: "ordering".to_owned(),
            uniqueness,
            orbit: size,
            group_order: order,
        }
    }

    /// Prop. 50, or Corollary 45 where nothing had to be chosen.
    fn uniqueness(&self, format: FormatId) -> Uniqueness {
        let scratch = &self.representative.scratch;
        if !scratch.choices_harmless {
            return Uniqueness::Unknown(
                "step 3 split a block that is not known to be fully symmetric".to_owned(),
            );
        }
        if scratch.choices == 0 {
            return Uniqueness::Unique("no choice was needed".to_owned());
        }
        let entry = &self.network.formats[format.0 as usize];
        let lone = |n: usize| {
            let class = entry.components[n].class;
            entry.components.iter().filter(|c| c.class == class).count() == 1
        };
        if (0..entry.components.len()).all(|n| entry.identity[n].is_some() || lone(n)) {
            Uniqueness::Unique("Prop 50".to_owned())
        } else {
            Uniqueness::Unknown("some components have no identity of their own".to_owned())
        }
    }

    fn permutation(&self, pi: &Permutation) -> Vec<TypePermutation> {
        let atoms = &self.machine.atoms;
        let name = |a: Atom| self.machine.atom_name(a);
        (0..atoms.kinds())
            .map(|kind| TypePermutation {
                name: atoms.name(kind as u8).to_owned(),
                cycles: pi.cycles(atoms, kind, &name),
                map: atoms
                    .atoms(kind as u8)
                    .map(|a| (name(Atom(a)), name(pi.apply(Atom(a)))))
                    .collect(),
            })
            .collect()
    }

    pub(super) fn explain(&mut self, id: StateId, order: TypeOrdering) -> Checked<Explanation> {
        let (format, state) = self.state(id);
        let obstacle = self.obstacle(format);
        if !obstacle.is_empty() {
            return Err(Box::new(Diagnostic::nowhere("E0510", obstacle)));
        }
        let orbit = self.orbit(format, &state)?;
        let recorder = self.complete(|machine, network, out| {
            let context = context(machine, network, format, &state);
            let mut recorder = Recorder::default();
            Ordering(order).watched(&context, out, &mut recorder)?;
            Ok(recorder)
        })?;
        let mut trace = recorder.trace;
        let representative = self.rep_view(format, &state, &orbit);
        let components = self.components_of(id);
        trace.variables = self.variables(format, &state);
        trace.type_orders = self.type_orders();
        let block_keys = |after: &Partition| {
            after
                .iter()
                .map(|b| self.block_key(&components[b[0]]))
                .collect()
        };
        for step in &mut trace.steps {
            if let Step::Initial { after, keys } = step {
                *keys = block_keys(after);
            }
        }
        Ok(Explanation {
            components,
            trace,
            representative,
            type_order: order,
        })
    }

    /// What all members of a block of step 1 share: the local state with its atoms left out.
    fn block_key(&self, component: &ComponentView) -> String {
        let atoms = &self.machine.atoms;
        let names: Vec<String> = (0..atoms.len() as u16)
            .map(|a| self.machine.atom_name(Atom(a)))
            .collect();
        if component.args.is_empty() {
            return component.text.clone();
        }
        let shown: Vec<&str> = component
            .args
            .iter()
            .map(|(_, v)| if names.contains(v) { "_" } else { v.as_str() })
            .collect();
        format!("{}({})", component.name, shown.join(", "))
    }

    fn variables(&self, format: FormatId, state: &[LocalId]) -> Vec<Vec<Variable>> {
        let locals = &self.machine.locals;
        let entry = &self.network.formats[format.0 as usize];
        let of = |(component, local): (usize, &LocalId)| {
            let holes = &locals.shape(locals.shape_of(*local)).holes;
            let atoms = locals.atoms_of(*local);
            holes
                .iter()
                .zip(atoms)
                .map(|(hole, atom)| Variable {
                    name: hole.name.clone(),
                    kind: hole.kind as usize,
                    value: self.machine.atom_name(*atom),
                    identity: entry.identity[component] == Some(*atom)
                        && hole.name == first_named(holes, atoms, *atom),
                })
                .collect()
        };
        state.iter().enumerate().map(of).collect()
    }

    fn type_orders(&self) -> Vec<TypeOrder> {
        let atoms = &self.machine.atoms;
        let image = &self.representative.image;
        (0..atoms.kinds())
            .map(|kind| {
                let mut values: Vec<Atom> = atoms.atoms(kind as u8).map(Atom).collect();
                values.sort_by_key(|a| image[a.0 as usize]);
                TypeOrder {
                    name: atoms.name(kind as u8).to_owned(),
                    values: values
                        .into_iter()
                        .map(|a| self.machine.atom_name(a))
                        .collect(),
                    seen: self.representative.scratch.seen[kind] as usize,
                }
            })
            .collect()
    }
}

/// A state of the animator for a strategy: there is no specification beside it.
fn context<'a>(
    machine: &'a Machine,
    network: &'a Network,
    format: FormatId,
    state: &'a [LocalId],
) -> Context<'a> {
    Context {
        atoms: &machine.atoms,
        locals: &machine.locals,
        network,
        format,
        state,
        extra: &[],
        extra_ordered: true,
    }
}

/// How the state after ✓ is shown.
const OMEGA: &str = "Ω";

/// The name of the first variable that holds an atom.
fn first_named(holes: &[crate::machine::locals::Hole], atoms: &[Atom], atom: Atom) -> String {
    holes
        .iter()
        .zip(atoms)
        .find(|(_, a)| **a == atom)
        .map_or(String::new(), |(h, _)| h.name.clone())
}
