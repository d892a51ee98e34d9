//! Local states: a shape and some atoms.
//!
//! The *shape* of a component's local state is everything that a permutation leaves alone (control
//! state, values of other types, structure), with numbered holes; the *atoms* fill the holes. A
//! permutation maps the atoms and leaves the shape (Lemma 34), so applying one is a look-up. By
//! Prop. 24 the transitions of a local state follow by renaming those of any state of its orbit, so
//! the evaluator is asked once an orbit: for the state whose atoms are numbered by first occurrence.
//!
//! Invariant: equal local states have equal ids. A shape with sets has several atom tuples for one
//! state; all of them lead to the same id.

use super::format::{OPERANDS_MAX, is_parallel, size};
use super::tables::{Names, Outline, Sparse};
use super::turns::is_parallel_for_now;
use super::{EventId, Machine, Miss};
use crate::process::term::{Label, Term, TermData};
use crate::source::diagnostic::Result;
use crate::source::hash::IndexMap;
use crate::source::{Cancel, Diagnostic, Limits};
use crate::value::{Atom, AtomTypes};

/// A local state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u32);

/// What a permutation leaves alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeId(pub u32);

/// A distinguished variable of a shape: a hole, or the interchangeable holes of one set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// The symmetric type of its atoms.
    pub kind: u8,
    /// Holes of one group stand in one set: their order means nothing.
    pub group: u16,
    /// Holes of one row stand in one element of a set, as the parts of a pair in a set of pairs.
    pub row: u16,
    /// Whether others stand in the same element: then elements move as a whole.
    pub compound: bool,
    /// The variable's name.
    pub name: String,
}

/// One shape.
#[derive(Debug)]
pub struct Shape {
    /// The term, with holes.
    pub term: Term,
    /// In the order of the atom tuple.
    pub holes: Vec<Hole>,
    /// Whether some group has several holes.
    pub grouped: bool,
    /// Whether the term is a parallel composition under static operators only.
    pub is_static: bool,
    /// Whether it is one under operators that end ([`super::turns`]).
    pub is_parallel_for_now: bool,
    /// Used where the full table would be too large.
    sparse: Sparse,
}

/// From atoms to local state: a table in mixed radix in [`Locals::dense`], or a hash table where a
/// full table would be too large.
#[derive(Clone, Copy, Debug)]
struct Radix {
    /// First of its digits in [`Locals::digits`], one a hole.
    digits: u32,
    /// Number of holes.
    arity: u32,
    /// First entry in [`Locals::dense`]; `u32::MAX` for a hash table.
    table: u32,
    /// The same, less what the first atom of each type would be worth (modulo 2³²).
    base: u32,
    /// As [`Shape::grouped`].
    grouped: bool,
}

/// Operators and operands of a term that are counted.
const SIZE_MAX: usize = 1 << 14;
/// Largest table of one shape, in entries.
const DENSE_MAX: usize = 1 << 16;

/// A transition of a local state.
pub type LocalTransition = (EventId, LocalId);

/// All local states met so far, with the transitions of those that were expanded.
#[derive(Debug, Default)]
pub struct Locals {
    shapes: IndexMap<Term, Shape>,
    /// Position of each shape in the structural order: the symmetry-respecting order of step 1.
    ranks: Vec<u32>,
    /// How each shape finds its local states.
    radix: Vec<Radix>,
    /// What one step in a hole is worth.
    digits: Vec<u32>,
    dense: Vec<u32>,
    outlines: Vec<Outline>,
    atoms: Vec<Atom>,
    /// Start and end in `transitions`; start is `u32::MAX` while not expanded.
    expanded: Vec<(u32, u32)>,
    transitions: Vec<LocalTransition>,
    /// How many times the evaluator was asked.
    pub evaluated: usize,
    /// When whoever works on the tables without the evaluator has to stop.
    patience: (Limits, Cancel),
}

impl Locals {
    /// None, of work that is limited like this.
    #[must_use]
    pub fn bounded(patience: (Limits, Cancel)) -> Self {
        Self {
            patience,
            ..Self::default()
        }
    }

    /// Whether the work was cancelled, or its time is over.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        let (limits, cancel) = &self.patience;
        limits.reached(cancel, 0).is_some()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.outlines.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.outlines.is_empty()
    }

    /// The shape of a local state.
    #[must_use]
    pub fn shape_of(&self, local: LocalId) -> ShapeId {
        self.outlines[local.0 as usize].shape()
    }

    /// What the search for representatives sees of a local state.
    #[must_use]
    pub fn outline(&self, local: LocalId) -> &Outline {
        &self.outlines[local.0 as usize]
    }

    /// What is known of a shape.
    #[must_use]
    pub fn shape(&self, shape: ShapeId) -> &Shape {
        &self.shapes[shape.0 as usize]
    }

    /// Position of a shape in the structural order of those known when [`Machine::rank_shapes`] last
    /// ran. New shapes never change the order of two old ones.
    #[must_use]
    pub fn rank(&self, shape: ShapeId) -> u32 {
        self.ranks
            .get(shape.0 as usize)
            .copied()
            .unwrap_or(u32::MAX)
    }

    /// The atoms of a local state: the values of its distinguished variables.
    #[must_use]
    pub fn atoms_of(&self, local: LocalId) -> &[Atom] {
        let outline = &self.outlines[local.0 as usize];
        let arity = self.radix[outline.shape as usize].arity;
        &self.atoms[outline.at as usize..(outline.at + arity) as usize]
    }

    /// Whether a variable of a local state is a set with several elements: their order means nothing.
    #[must_use]
    pub fn is_grouped(&self, local: LocalId) -> bool {
        self.radix[self.shape_of(local).0 as usize].grouped
    }

    /// The transitions of a local state in ascending order of events, if it was expanded.
    #[must_use]
    pub fn transitions(&self, local: LocalId) -> Option<&[LocalTransition]> {
        let (from, to) = self.expanded[local.0 as usize];
        (from != u32::MAX).then(|| &self.transitions[from as usize..to as usize])
    }

    /// Where the transitions of a local state with one event stand in the arena; empty if there are
    /// none or the local state is not expanded.
    #[must_use]
    pub fn range_on(&self, local: LocalId, event: EventId) -> (u32, u32) {
        let all = self.transitions(local).unwrap_or(&[]);
        let from = all.partition_point(|t| t.0 < event);
        let len = all[from..].iter().take_while(|t| t.0 == event).count();
        let start = self.expanded[local.0 as usize].0.wrapping_add(from as u32);
        (start, start.wrapping_add(len as u32))
    }

    /// A range of the transition arena, as [`Locals::range_on`] gave it.
    #[must_use]
    pub fn range(&self, range: (u32, u32)) -> &[LocalTransition] {
        &self.transitions[range.0 as usize..range.1 as usize]
    }

    /// Where the transitions of an expanded local state stand in the arena.
    #[must_use]
    pub fn arena_range(&self, local: LocalId) -> (u32, u32) {
        self.expanded[local.0 as usize]
    }

    /// `π(s)` where an outline and a full table are enough to find it.
    #[inline]
    #[must_use]
    pub fn image(&self, local: LocalId, names: &Names) -> Option<LocalId> {
        let outline = &self.outlines[local.0 as usize];
        if outline.is_bare() {
            return Some(local);
        }
        let found = self.dense.get(outline.slot(names)? as usize)?;
        (*found != u32::MAX).then_some(LocalId(*found))
    }

    /// `π(s)` (Lemma 34), if the tables hold it.
    ///
    /// # Errors
    /// The image that is missing.
    pub fn permute(&self, local: LocalId, image: &[Atom]) -> std::result::Result<LocalId, Miss> {
        let atoms = self.atoms_of(local).iter().map(|a| image[a.0 as usize]);
        let shape = self.shape_of(local);
        self.get(shape, &atoms)
            .ok_or_else(|| Miss::Image(shape, atoms.collect()))
    }

    /// The position of an atom tuple in the full table of its shape; `None` if it has no such table.
    fn slot(&self, shape: ShapeId, atoms: impl Iterator<Item = Atom>) -> Option<usize> {
        let radix = self.radix[shape.0 as usize];
        if radix.table == u32::MAX {
            return None;
        }
        let digits = &self.digits[radix.digits as usize..(radix.digits + radix.arity) as usize];
        let steps = atoms
            .zip(digits)
            .map(|(atom, worth)| u32::from(atom.0).wrapping_mul(*worth));
        Some(steps.fold(radix.base, u32::wrapping_add) as usize)
    }

    /// The local state with these atoms in the holes of a shape.
    fn get(
        &self,
        shape: ShapeId,
        atoms: &(impl ExactSizeIterator<Item = Atom> + Clone),
    ) -> Option<LocalId> {
        match self.slot(shape, atoms.clone()) {
            Some(slot) => Some(LocalId(self.dense[slot])).filter(|l| l.0 != u32::MAX),
            None => self.shape(shape).sparse.find(atoms),
        }
    }

    /// Adds an entry for atoms that have none.
    fn set(&mut self, shape: ShapeId, atoms: &[Atom], local: LocalId) {
        match self.slot(shape, atoms.iter().copied()) {
            Some(slot) => self.dense[slot] = local.0,
            None => self.shapes[shape.0 as usize].sparse.insert(atoms, local),
        }
    }

    /// Room for the local states of a new shape.
    fn add_radix(&mut self, holes: &[Hole], grouped: bool, atoms: &AtomTypes) {
        let digits = self.digits.len() as u32;
        let mut size = 1usize;
        let mut least = 0u32;
        for hole in holes {
            let range = atoms.atoms(hole.kind);
            let step = u32::try_from(size).unwrap_or(u32::MAX);
            self.digits.push(step);
            least = least.wrapping_add(u32::from(range.start).wrapping_mul(step));
            size = size.saturating_mul(range.len());
        }
        let fits = size <= DENSE_MAX && self.dense.len() + size < u32::MAX as usize;
        let table = if fits {
            self.dense.len() as u32
        } else {
            u32::MAX
        };
        if fits {
            self.dense.resize(self.dense.len() + size, u32::MAX);
        }
        self.radix.push(Radix {
            digits,
            arity: holes.len() as u32,
            table,
            base: table.wrapping_sub(least),
            grouped,
        });
    }
}

impl Machine {
    /// Orders the shapes. To be called after shapes were added and before representatives are taken.
    pub fn rank_shapes(&mut self) {
        let locals = &mut self.locals;
        // Without symmetric types nobody asks for a rank.
        if self.atoms.is_empty() || locals.ranks.len() == locals.shapes.len() {
            return;
        }
        // Those that have a rank are in their order already, which makes sorting cheap.
        let mut order: Vec<usize> = (0..locals.shapes.len()).collect();
        for (shape, rank) in locals.ranks.iter().enumerate() {
            order[*rank as usize] = shape;
        }
        let (shapes, eval) = (&locals.shapes, &self.eval);
        order.sort_by(|a, b| {
            eval.terms()
                .compare(eval.store(), shapes[*a].term, shapes[*b].term)
        });
        locals.ranks = vec![0; order.len()];
        for (rank, shape) in order.into_iter().enumerate() {
            locals.ranks[shape] = rank as u32;
        }
    }

    /// The local state of a term.
    pub fn intern(&mut self, term: Term) -> LocalId {
        let (shape_term, atoms) = self.eval.split(term, &self.atoms);
        let shape = self.intern_shape(shape_term);
        self.intern_exact(shape, &atoms)
    }

    fn intern_shape(&mut self, term: Term) -> ShapeId {
        if let Some(index) = self.locals.shapes.get_index_of(&term) {
            return ShapeId(index as u32);
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
        let grouped = holes
            .iter()
            .enumerate()
            .any(|(n, h)| holes[..n].iter().any(|g| g.group == h.group));
        self.locals.add_radix(&holes, grouped, &self.atoms);
        let terms = self.eval.terms();
        let (is_static, for_now) = (is_parallel(terms, term), is_parallel_for_now(terms, term));
        let (at, _) = self.locals.shapes.insert_full(
            term,
            Shape {
                term,
                holes,
                grouped,
                is_static,
                is_parallel_for_now: for_now,
                sparse: Sparse::default(),
            },
        );
        ShapeId(at as u32)
    }

    /// Interns atoms that are known to be in normal order.
    fn intern_exact(&mut self, shape: ShapeId, atoms: &[Atom]) -> LocalId {
        let locals = &mut self.locals;
        if let Some(found) = locals.get(shape, &atoms.iter().copied()) {
            return found;
        }
        let id = LocalId(locals.outlines.len() as u32);
        locals.set(shape, atoms, id);
        let of = locals.shape(shape);
        let is_parallel = of.is_static || of.is_parallel_for_now;
        let mut outline = Outline::new(shape, atoms, (of.grouped, is_parallel));
        outline.at = locals.atoms.len() as u32;
        let radix = locals.radix[shape.0 as usize];
        if radix.table != u32::MAX {
            let digits = radix.digits as usize..(radix.digits + radix.arity) as usize;
            outline.set_table(radix.base, &locals.digits[digits]);
        }
        locals.outlines.push(outline);
        locals.atoms.extend_from_slice(atoms);
        locals.expanded.push((u32::MAX, u32::MAX));
        id
    }

    /// The local state with these atoms in the holes of a shape, in any order within a set.
    pub fn intern_image(&mut self, shape: ShapeId, atoms: &[Atom]) -> LocalId {
        if let Some(found) = self.locals.get(shape, &atoms.iter().copied()) {
            return found;
        }
        let entry = self.locals.shape(shape);
        if !entry.grouped {
            return self.intern_exact(shape, atoms);
        }
        let term = self.eval.fill(entry.term, atoms, &self.atoms);
        let local = self.intern(term);
        self.locals.set(shape, atoms, local);
        local
    }

    /// `π(s)`, made if necessary.
    pub fn permute_local(&mut self, local: LocalId, image: &[Atom]) -> LocalId {
        match self.locals.permute(local, image) {
            Ok(found) => found,
            Err(Miss::Image(shape, atoms)) => self.intern_image(shape, &atoms),
            Err(_) => local,
        }
    }

    /// `α_π(i)`, as [`super::Format::component_image`], interning what that needs.
    pub fn component_image(
        &mut self,
        format: &super::Format,
        component: usize,
        image: &[Atom],
    ) -> Option<usize> {
        let initial = self.permute_local(format.components[component].initial, image);
        format.component_labelled(component, initial)
    }

    /// What it took to expand a local state, roughly: every operand of its term has transitions, and
    /// each of these copies the operands. Small terms do not count.
    #[must_use]
    pub fn effort(&self, local: LocalId) -> usize {
        const SMALL: usize = 8;
        let shape = self.locals.shape(self.locals.shape_of(local)).term;
        let (all, _) = size(self.eval.terms(), shape, SIZE_MAX);
        let transitions = self.locals.transitions(local).map_or(0, <[_]>::len);
        all.saturating_sub(SMALL) * transitions.max(all)
    }

    /// The term of a local state.
    pub fn term_of(&mut self, local: LocalId) -> Term {
        let shape = self.locals.shape(self.locals.shape_of(local)).term;
        let atoms = self.locals.atoms_of(local).to_vec();
        self.eval.fill(shape, &atoms, &self.atoms)
    }

    /// A local state as a person reads it: `Node(N1, B, Null)`.
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

    /// The name of an atom in the script.
    #[must_use]
    pub fn atom_name(&self, atom: Atom) -> String {
        self.eval.script().ctors[self.atoms.ctor(atom).0 as usize]
            .name
            .to_string()
    }

    /// Makes sure that the transitions of a local state are known.
    ///
    /// # Errors
    /// An evaluation error.
    pub fn expand(&mut self, local: LocalId) -> Result<()> {
        if self.locals.transitions(local).is_some() {
            return Ok(());
        }
        // The atoms of each type numbered by first occurrence: the one state of the orbit (of the
        // shape) that is evaluated.
        let image = self.atoms.canonical(self.locals.atoms_of(local));
        let canonical = self.permute_local(local, &image);
        if self.locals.transitions(canonical).is_none() {
            self.evaluate(canonical)?;
        }
        if canonical != local {
            let back = invert(&image);
            self.rename_transitions(canonical, local, &back)?;
        }
        Ok(())
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
        self.locals.evaluated += 1;
        let mut found: Vec<LocalTransition> = Vec::with_capacity(steps.len());
        if *self.eval.terms().data(term) == TermData::Omega {
            let ended = self.eval.ended();
            found.push((EventId::DONE, self.intern(ended)));
        }
        for (label, target) in steps {
            self.eval.check_step()?;
            found.push((self.intern_label(label), self.intern(target)));
        }
        self.store_transitions(local, found);
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

    fn intern_label(&mut self, label: Label) -> EventId {
        self.events.intern(label)
    }

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
        self.store_transitions(to, renamed);
        Ok(())
    }

    fn store_transitions(&mut self, local: LocalId, mut found: Vec<LocalTransition>) {
        found.sort_unstable();
        found.dedup();
        let locals = &mut self.locals;
        let from = locals.transitions.len() as u32;
        locals.transitions.extend_from_slice(&found);
        locals.expanded[local.0 as usize] = (from, locals.transitions.len() as u32);
    }
}

/// `π⁻¹` of a permutation given by its images.
#[must_use]
pub fn invert(image: &[Atom]) -> Vec<Atom> {
    let mut inverse = vec![Atom(0); image.len()];
    for (from, to) in image.iter().enumerate() {
        inverse[to.0 as usize] = Atom(from as u16);
    }
    inverse
}
