//! Shared tables of the networks of one check or one session: the evaluator, and the tables of events and of
//! local states that it fills.
//!
//! A [`Machine`] knows single components only. Their composition belongs to formats and
//! networks, which take it as a parameter.

use super::event_images::EventImages;
use super::events::{EventId, Events};
use super::ids::{LocalId, ShapeId};
use super::locals::{Hole, LocalTransition, Locals, invert};
use super::parallel::{OPERANDS_MAX, is_parallel, is_parallel_for_now, size};
use crate::eval::{Evaluator, Growing};
use crate::process::term::{Label, Term, TermData};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::thousands::thousands;
use crate::source::{Budget, Diagnostic, Span, WorkStage};
use crate::value::{Atom, AtomTypes};

/// Operators and operands of a term that are counted, at most.
const SIZE_MAX: usize = 1 << 14;

/// The evaluator, and the tables of events and local states. Many threads read the tables while the
/// evaluator is idle.
#[derive(Clone)]
pub struct Machine {
    /// The source of new local states and events.
    pub eval: Evaluator,
    /// The symmetric types.
    pub(super) atoms: AtomTypes,
    /// Interned events.
    pub(super) events: Events,
    event_images: EventImages,
    /// Interned local states and their transitions.
    pub(super) locals: Locals,
    /// See [`Machine::set_trusting`].
    trusting: bool,
    /// See [`Machine::set_exchanging`].
    exchanging: bool,
    /// See [`Machine::kept_together`].
    kept_together: bool,
    /// Whether [`Machine::kept_together`] may hold of what was explored ahead of a search.
    kept_ahead: bool,
    /// See [`Machine::set_patience`].
    patience: Option<usize>,
    /// See [`Machine::evaluated`].
    evaluated: usize,
    /// Decisions on opening compressed processes ([`super::opening`]).
    pub(super) opened: Map<Term, bool>,
}

impl Machine {
    /// A machine without local states.
    #[must_use]
    pub fn new(mut eval: Evaluator, atoms: AtomTypes) -> Self {
        // Before anything is evaluated: names of compressed states depend on the permuted types.
        eval.permute_types(&atoms);
        let locals = Locals::bounded(eval.patience());
        Self {
            eval,
            atoms,
            events: Events::default(),
            event_images: EventImages::default(),
            locals,
            trusting: false,
            exchanging: true,
            kept_together: false,
            kept_ahead: false,
            patience: None,
            evaluated: 0,
            opened: Map::default(),
        }
    }

    /// Replaces the limits ([`Evaluator::go_on_within`]).
    pub fn go_on_within(&mut self, budget: &Budget, apart: Option<Span>) {
        self.eval.go_on_within(budget, apart);
        self.locals.go_on_within(self.eval.patience());
    }

    /// Whether a parallel composition stayed inside a component because permutations move it, so that networks may have
    /// other components than those of an unreduced check. Then a state is not one
    /// of the unreduced system up to renaming, and a step need not be one step there.
    #[must_use]
    pub fn kept_together(&self) -> bool {
        self.kept_together || self.eval.terms().mentioned().atoms_keep_chase_inside()
    }

    /// Bounds the number of local states where permutations keep parallel compositions together, and in a machine
    /// without permutations: beyond it, [`Machine::check_patience`] fails. With permutations it also bounds the states
    /// of each compressed process.
    pub fn set_patience(&mut self, local_states: Option<usize>) {
        self.patience = local_states;
        let named = local_states.filter(|_| !self.atoms.is_empty());
        self.eval.compress_within(named);
    }

    /// Whether the number of local states exceeds that bound.
    #[must_use]
    pub fn is_impatient(&self) -> bool {
        let is_dear = || self.atoms.is_empty() || self.kept_ahead || self.kept_together();
        self.patience.is_some_and(|most| self.locals.len() > most) && is_dear()
    }

    /// Notes how many local states are known by now, and checks the limits.
    ///
    /// # Errors
    /// A limit was reached.
    pub fn check_compiling(&self) -> Result<()> {
        self.eval.reach(WorkStage::Compiling, self.locals.len());
        self.eval.check_time()
    }

    /// Checks that bound.
    ///
    /// # Errors
    /// Too many local states.
    pub fn check_patience(&self) -> Result<()> {
        match self.is_impatient() {
            true => Err(self.given_up(0)),
            false => Ok(()),
        }
    }

    /// The error for a reduction that is given up because it takes too much work.
    #[must_use]
    pub fn given_up(&self, transitions: u64) -> Box<Diagnostic> {
        let (locals, transitions) = (thousands(self.locals.len()), thousands(transitions));
        Box::new(Diagnostic::nowhere(
            "E0514",
            format!(
                "the reduction was given up after {locals} local states and {transitions} transitions: permutations keep \
                 parallel compositions inside of one component, which may take more work than no reduction"
            ),
        ))
    }

    /// Notes that exploring ahead found a parallel composition that permutations keep inside its component.
    pub(super) fn note_kept_ahead(&mut self) {
        self.kept_ahead = true;
    }

    /// Sets whether the symmetric types rest on trust in the script's use of functions such as `seq`
    /// ([`crate::script::symmetric::Trust`]): then components that could use them are refused, since
    /// their transitions do not follow by renaming. To be called before the first network is made.
    pub fn set_trusting(&mut self, trusting: bool) {
        self.trusting = trusting;
    }

    /// Sets whether networks made from now on detect copies ([`super::copies`]).
    pub fn set_exchanging(&mut self, exchanging: bool) {
        self.exchanging = exchanging;
    }

    /// Whether networks detect copies.
    #[must_use]
    pub fn is_exchanging(&self) -> bool {
        self.exchanging
    }

    /// The symmetric types.
    #[inline]
    #[must_use]
    pub fn atoms(&self) -> &AtomTypes {
        &self.atoms
    }

    /// All events interned so far.
    #[inline]
    #[must_use]
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// All local states interned so far, and their transitions.
    #[inline]
    #[must_use]
    pub fn locals(&self) -> &Locals {
        &self.locals
    }

    /// Interns the event with a label.
    pub fn intern_event(&mut self, label: Label) -> EventId {
        self.events.intern(label)
    }

    /// Notes, if `kept`, that a parallel composition stayed inside a component that a network without permutations
    /// would have unrolled.
    pub(super) fn note_kept_together(&mut self, kept: bool) {
        self.kept_together |= kept;
    }

    /// Number of local states evaluated; the transitions of all others followed by renaming.
    #[must_use]
    pub fn evaluated(&self) -> usize {
        self.evaluated
    }

    /// Ranks the shapes. To be called after shapes were added and before representatives are taken.
    ///
    /// # Errors
    /// A limit: the terms may be deep.
    pub fn rank_shapes(&mut self) -> Result<()> {
        // Without symmetric types ranks are not used.
        if self.atoms.is_empty() {
            return Ok(());
        }
        let (terms, store) = (self.eval.terms(), self.eval.store());
        let compare = |a, b| terms.compare(store, a, b);
        self.locals.rank_shapes(compare, || self.eval.check_time())
    }

    /// Interns the local state of a term.
    pub fn intern(&mut self, term: Term) -> LocalId {
        let (shape_term, atoms) = self.eval.split(term, &self.atoms);
        let shape = self.intern_shape(shape_term);
        self.locals.intern(shape, &atoms)
    }

    fn intern_shape(&mut self, term: Term) -> ShapeId {
        if let Some(found) = self.locals.find_shape(term) {
            return found;
        }
        let found = self.eval.holes(term);
        let mut rows = vec![0u32; found.len()];
        found.iter().for_each(|h| rows[h.row as usize] += 1);
        let holes: Vec<Hole> = found
            .into_iter()
            .map(|h| Hole {
                kind: h.kind,
                group: h.group,
                row: h.row,
                compound: rows[h.row as usize] > 1,
                name: h.name,
            })
            .collect();
        let terms = self.eval.terms();
        let parallel = (is_parallel(terms, term), is_parallel_for_now(terms, term));
        self.locals.add_shape(term, holes, parallel, &self.atoms)
    }

    /// Interns the local state with these atoms in the holes of a shape, in any order within a set.
    pub fn intern_image(&mut self, shape: ShapeId, atoms: &[Atom]) -> LocalId {
        if let Some(found) = self.locals.get(shape, &atoms.iter().copied()) {
            return found;
        }
        let entry = self.locals.shape(shape);
        if !entry.grouped {
            return self.locals.intern(shape, atoms);
        }
        // The members of a set have to be sorted, and their order is that of their values.
        let term = self.eval.fill(entry.term, atoms, &self.atoms);
        let local = self.intern(term);
        if self.locals.get(shape, &atoms.iter().copied()).is_none() {
            self.locals.alias(shape, atoms, local);
        }
        local
    }

    /// The image `π(s)`, interned if necessary.
    pub fn permute_local(&mut self, local: LocalId, image: &[Atom]) -> LocalId {
        if let Ok(found) = self.locals.permute(local, image) {
            return found;
        }
        let atoms = self.locals.atoms_of(local).iter();
        let atoms: Vec<Atom> = atoms.map(|a| image[a.0 as usize]).collect();
        self.intern_image(self.locals.shape_of(local), &atoms)
    }

    /// The image `π(a)`: the event with its atoms replaced (Sec. 2.2, lifting to events).
    pub fn permute_event(&mut self, event: EventId, image: &[Atom]) -> EventId {
        let Some(value) = self.events.value(event) else {
            return event;
        };
        let mut shapes = self.eval.store_mut().shapes();
        let (shape, atoms) = shapes.parts(value, &self.atoms);
        // Atoms beyond the permutation are fixed.
        let image_of = |atom: &Atom| image.get(usize::from(atom.0)).copied().unwrap_or(*atom);
        let images = atoms.iter().map(image_of);
        let found = self.event_images.get(shape, images, || {
            let renamed = shapes.rename(value, image, &self.atoms);
            self.events.intern(Label::Event(renamed))
        });
        // One of four is checked, to keep tests short.
        debug_assert!(
            !found.0.is_multiple_of(4)
                || self.events.value(found) == Some(shapes.rename(value, image, &self.atoms))
        );
        found
    }

    /// The atoms of an event, in the order of its fields.
    pub fn atoms_of_event(&mut self, event: EventId) -> Vec<Atom> {
        let Some(value) = self.events.value(event) else {
            return Vec::new();
        };
        let mut shapes = self.eval.store_mut().shapes();
        shapes.parts(value, &self.atoms).1.to_vec()
    }

    /// Effort of expanding a local state, roughly: every operand of its term has transitions, and
    /// each of these copies the operands. Small terms do not count.
    #[must_use]
    pub fn effort(&self, local: LocalId) -> usize {
        const SMALL: usize = 8;
        let shape = self.locals.shape(self.locals.shape_of(local)).term;
        let (all, _) = size(self.eval.terms(), shape, SIZE_MAX);
        let transitions = self.locals.transitions(local).map_or(0, <[_]>::len);
        all.saturating_sub(SMALL) * transitions.max(all)
    }

    /// Whether a local state belongs to a compressed process.
    #[must_use]
    pub fn is_compressed(&self, local: LocalId) -> bool {
        let shape = self.locals.shape(self.locals.shape_of(local)).term;
        matches!(self.eval.terms().data(shape), TermData::Compressed { .. })
    }

    /// The term of a local state.
    pub fn term_of(&mut self, local: LocalId) -> Term {
        let shape = self.locals.shape(self.locals.shape_of(local)).term;
        self.eval
            .fill(shape, self.locals.atoms_of(local), &self.atoms)
    }

    /// Expands a local state, unless its transitions are known.
    ///
    /// # Errors
    /// An evaluation error.
    pub fn expand(&mut self, local: LocalId) -> Result<()> {
        if self.locals.transitions(local).is_some() {
            return Ok(());
        }
        let (canonical, image) = self.canonical(local);
        if self.locals.transitions(canonical).is_none() {
            self.evaluate(canonical)?;
        }
        // The canonical one is a local state that is expanded sooner or later, so its transitions are kept, too.
        if canonical != local {
            let back = invert(&image);
            self.rename_transitions(canonical, local, &back)?;
        }
        Ok(())
    }

    /// Whether a local state is stable, without a silent transition. Any expanded state of its orbit decides that: its
    /// own transitions need not be known.
    ///
    /// # Errors
    /// An evaluation error.
    pub fn is_stable(&mut self, local: LocalId) -> Result<bool> {
        let of = match self.locals.transitions(local) {
            Some(_) => local,
            None => self.canonical(local).0,
        };
        self.expand(of)?;
        let mut transitions = self.locals.transitions(of).unwrap_or(&[]).iter();
        Ok(transitions.all(|(event, _)| *event != EventId::TAU))
    }

    /// The canonical form of a local state, the one of its orbit (of the shape) that is evaluated, and the permutation
    /// to it: the atoms of each type are numbered by first occurrence.
    pub(super) fn canonical(&mut self, local: LocalId) -> (LocalId, Vec<Atom>) {
        let image = self.atoms.canonical(self.locals.atoms_of(local));
        (self.permute_local(local, &image), image)
    }

    fn evaluate(&mut self, local: LocalId) -> Result<()> {
        let term = self.term_of(local);
        if self.trusting
            && let Some(name) = self.eval.order_seen_by(term)
        {
            return Err(self.sees_order(local, &name));
        }
        let (_, parallel) = size(self.eval.terms(), term, SIZE_MAX);
        if parallel > OPERANDS_MAX {
            let message = format!(
                "a component has come to contain more than {OPERANDS_MAX} parallel processes"
            );
            return Err(Box::new(Diagnostic::nowhere("E0705", message).note(
                "a recursion through a parallel operator grows without bound",
            )));
        }
        let steps = self.eval.step(term)?;
        self.evaluated += 1;
        let mut found: Vec<LocalTransition> = Vec::with_capacity(steps.len());
        // Only networks use the termination of a component as an event, so the rules of terms do not show it.
        if *self.eval.terms().data(term) == TermData::Omega {
            let ended = self.eval.ended();
            found.push((EventId::DONE, self.intern(ended)));
        }
        for (label, target) in steps {
            self.eval.check_step()?;
            found.push((self.events.intern(label), self.intern(target)));
        }
        self.locals.store_transitions(local, found);
        Ok(())
    }

    fn sees_order(&mut self, local: LocalId, name: &str) -> Box<Diagnostic> {
        let shown = self.show_local(local);
        Box::new(
            Diagnostic::nowhere(
                "E0513",
                format!("the component {shown} may depend on an order of the symmetric values"),
            )
            .note(format!(
                "`{name}` reaches a function such as `seq`, whose result does"
            )),
        )
    }

    /// Prop. 24: the transitions of `π(s)` are the images under `π` of those of `s`.
    fn rename_transitions(&mut self, from: LocalId, to: LocalId, image: &[Atom]) -> Result<()> {
        let original = self.locals.transitions(from).unwrap_or(&[]).to_vec();
        let mut renamed = Vec::with_capacity(original.len());
        for (event, target) in original {
            self.eval.check_step()?;
            renamed.push((
                self.permute_event(event, image),
                self.permute_local(target, image),
            ));
        }
        self.locals.store_transitions(to, renamed);
        Ok(())
    }

    /// An event in words: `tau`, `tick`, or in CSPm.
    #[must_use]
    pub fn show_event(&self, event: EventId) -> String {
        match self.events.label(event) {
            Label::Tau => "tau".to_owned(),
            Label::Tick | Label::Done => "tick".to_owned(),
            label @ Label::Event(_) => self.eval.show_event(label),
        }
    }

    /// The channel name of an event; for τ and ✓ as [`Self::show_event`].
    #[must_use]
    pub fn channel_name(&self, event: EventId) -> String {
        let channel = |value| self.eval.store().dotted().channel_of(value);
        match self.events.value(event).and_then(channel) {
            Some(channel) => self.eval.script().channels[channel.0 as usize]
                .name
                .to_string(),
            None => self.show_event(event),
        }
    }

    /// A local state in words: `Node(N1, B, Null)`.
    pub fn show_local(&mut self, local: LocalId) -> String {
        let (name, args) = self.describe_local(local);
        if args.is_empty() {
            return name;
        }
        let values: Vec<String> = args.into_iter().map(|a| a.1).collect();
        format!("{name}({})", values.join(", "))
    }

    /// The name of a local state, and its variables with their values.
    pub fn describe_local(&mut self, local: LocalId) -> (String, Vec<(String, String)>) {
        let term = self.term_of(local);
        let description = self.eval.describe(term);
        let (store, script) = (self.eval.store(), self.eval.script());
        let args = description
            .args
            .into_iter()
            .map(|(n, v)| (n, store.show(v, script)))
            .collect();
        (description.name, args)
    }

    /// Process parameters that grow along the local states interned.
    #[must_use]
    pub fn growing(&self) -> Vec<Growing> {
        self.eval.growing(self.locals.terms())
    }

    /// The name of an atom in the script.
    #[must_use]
    pub fn atom_name(&self, atom: Atom) -> String {
        self.eval.script().ctors[self.atoms.ctor(atom).0 as usize]
            .name
            .to_string()
    }
}
