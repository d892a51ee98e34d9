//! Shape and atoms of a term: Lemma 34 of the paper as data. Operands of commutative operators are
//! ordered by shape first and by atoms second, as the elements of sets are.

use std::rc::Rc;

use super::store::Terms;
use super::term::{Control, Offered, Term, TermData};
use crate::source::stack::deep;
use crate::value::atoms::{AtomTypes, InnerProcesses, Split};
use crate::value::{Atom, Data, Store, Value};

/// What stands in one hole of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoleInfo {
    /// The symmetric type.
    pub kind: u8,
    /// Equal for holes that are interchangeable positions of one set or of equal operands.
    pub group: u16,
    /// Equal for the holes of one element (or operand) that has others of its shape beside it; the
    /// outermost one counts. Elsewhere the number of the hole.
    pub row: u16,
    /// The variable, or a path such as `waiting.1`.
    pub name: String,
    /// Whether the hole is the whole value of a variable.
    pub simple: bool,
}

impl InnerProcesses for Terms {
    fn split(&mut self, store: &mut Store, p: u32, types: &AtomTypes) -> Split<u32> {
        let (shape, atoms) = self.split_alone(store, Term(p), types);
        (shape.0, atoms)
    }
    fn shift(&mut self, store: &mut Store, p: u32, by: u16) -> u32 {
        self.shift_term(store, Term(p), by).0
    }
    fn fill(&mut self, store: &mut Store, p: u32, atoms: &[Atom], types: &AtomTypes) -> u32 {
        self.fill_term(store, Term(p), atoms, types).0
    }
}

impl Terms {
    /// Says what permutations move. To be called before transitions are asked for: the names of
    /// compressed states depend on it.
    pub fn permute_types(&mut self, types: &AtomTypes) {
        if !self.split_types.as_ref().is_some_and(|k| k.same(types)) {
            self.split_types = Some(types.clone());
            self.split_memo.clear();
            self.compressions.forget();
        }
    }

    /// Splits a term into its shape and its atoms in order of occurrence; each atom of the shape is
    /// a [`Data::Hole`] with its position in the atoms.
    pub fn split_term(
        &mut self,
        store: &mut Store,
        t: Term,
        types: &AtomTypes,
    ) -> (Term, Rc<[Atom]>) {
        self.split_alone(store, t, types)
    }

    fn split_alone(&mut self, store: &mut Store, t: Term, types: &AtomTypes) -> Split<Term> {
        if types.is_empty() || !self.may_have_atoms(t) {
            return (t, [].into());
        }
        self.permute_types(types);
        if let Some((shape, atoms)) = self.split_memo.get(&t) {
            return (*shape, Rc::clone(atoms));
        }
        let mut atoms = Vec::new();
        let shape = deep(|| self.split_data(store, t, types, &mut atoms));
        let atoms: Rc<[Atom]> = atoms.into();
        self.split_memo.insert(t, (shape, Rc::clone(&atoms)));
        (shape, atoms)
    }

    fn split_data(
        &mut self,
        store: &mut Store,
        t: Term,
        types: &AtomTypes,
        atoms: &mut Vec<Atom>,
    ) -> Term {
        let data = self.data(t).clone();
        let shape = match data {
            TermData::ExtChoice(ts) => {
                TermData::ExtChoice(self.split_operands(store, &ts, types, atoms))
            }
            TermData::IntChoice(ts) => {
                TermData::IntChoice(self.split_operands(store, &ts, types, atoms))
            }
            TermData::Interleave(ts) => {
                TermData::Interleave(self.split_operands(store, &ts, types, atoms))
            }
            TermData::Sharing(set, ts) => {
                let set = store.split_with(set, types, atoms, self);
                TermData::Sharing(set, self.split_operands(store, &ts, types, atoms))
            }
            TermData::SyncChoice(ts, set) => {
                let set = store.split_with(set, types, atoms, self);
                TermData::SyncChoice(self.split_operands(store, &ts, types, atoms), set)
            }
            TermData::Alphabetised(pairs) => {
                TermData::Alphabetised(self.split_alphabetised(store, &pairs, types, atoms))
            }
            TermData::Watchdog { spec, events, bark } => {
                let events = store.split_with(events, types, atoms, self);
                let bark = store.split_with(bark, types, atoms, self);
                let spec = self.split_operands(store, &spec, types, atoms);
                TermData::Watchdog { spec, events, bark }
            }
            TermData::Compressed {
                with,
                process,
                state,
            } => TermData::Compressed {
                with,
                process: self.split_onto(store, process, types, atoms),
                state: self.split_operands(store, &state, types, atoms),
            },
            TermData::Part { members, offered } => {
                let offered = match offered {
                    Offered::Some(events, tick) => {
                        Offered::Some(store.split_with(events, types, atoms, self), tick)
                    }
                    Offered::Full => Offered::Full,
                };
                let members = self.split_operands(store, &members, types, atoms);
                TermData::Part { members, offered }
            }
            other => map_parts(&other, &mut |part| match part {
                Part::Value(v) => Part::Value(store.split_with(v, types, atoms, self)),
                Part::Term(p) => Part::Term(self.split_onto(store, p, types, atoms)),
            }),
        };
        self.intern(store, shape)
    }

    /// Splits a term and appends its atoms.
    fn split_onto(
        &mut self,
        store: &mut Store,
        t: Term,
        types: &AtomTypes,
        atoms: &mut Vec<Atom>,
    ) -> Term {
        let (shape, own) = self.split_alone(store, t, types);
        let shape = self.shift_term(store, shape, atoms.len() as u16);
        atoms.extend_from_slice(&own);
        shape
    }

    fn split_operands(
        &mut self,
        store: &mut Store,
        operands: &[Term],
        types: &AtomTypes,
        atoms: &mut Vec<Atom>,
    ) -> Box<[Term]> {
        let mut splits: Vec<Split<Term>> = operands
            .iter()
            .map(|t| self.split_alone(store, *t, types))
            .collect();
        splits.sort_by(|a, b| self.compare(store, a.0, b.0).then_with(|| a.1.cmp(&b.1)));
        splits
            .into_iter()
            .map(|(shape, own)| {
                let shape = self.shift_term(store, shape, atoms.len() as u16);
                atoms.extend_from_slice(&own);
                shape
            })
            .collect()
    }

    fn split_alphabetised(
        &mut self,
        store: &mut Store,
        pairs: &[(Value, Term)],
        types: &AtomTypes,
        atoms: &mut Vec<Atom>,
    ) -> Box<[(Value, Term)]> {
        let mut splits = Vec::with_capacity(pairs.len());
        for (set, t) in pairs {
            let mut own = Vec::new();
            let set = store.split_with(*set, types, &mut own, self);
            let t = self.split_onto(store, *t, types, &mut own);
            splits.push((set, t, own));
        }
        splits.sort_by(|a, b| {
            store
                .compare(a.0, b.0)
                .then_with(|| self.compare(store, a.1, b.1))
                .then_with(|| a.2.cmp(&b.2))
        });
        splits
            .into_iter()
            .map(|(set, t, own)| {
                let by = atoms.len() as u16;
                let set = store.shift(set, by, self);
                let t = self.shift_term(store, t, by);
                atoms.extend(own);
                (set, t)
            })
            .collect()
    }

    fn shift_term(&mut self, store: &mut Store, t: Term, by: u16) -> Term {
        if by == 0 || !self.may_have_hole(t) {
            return t;
        }
        if let Some(known) = self.shifted.get(&(t, by)) {
            return *known;
        }
        let data = self.data(t).clone();
        let moved = deep(|| {
            map_parts(&data, &mut |part| match part {
                Part::Value(v) => Part::Value(store.shift(v, by, self)),
                Part::Term(p) => Part::Term(self.shift_term(store, p, by)),
            })
        });
        let moved = self.intern(store, moved);
        self.shifted.insert((t, by), moved);
        moved
    }

    /// The term of a shape whose holes are filled with these atoms.
    pub fn fill_term(
        &mut self,
        store: &mut Store,
        shape: Term,
        atoms: &[Atom],
        types: &AtomTypes,
    ) -> Term {
        if !self.may_have_hole(shape) {
            return shape;
        }
        let data = self.data(shape).clone();
        let filled = deep(|| {
            map_parts(&data, &mut |part| match part {
                Part::Value(v) => Part::Value(store.fill_with(v, atoms, types, self)),
                Part::Term(p) => Part::Term(self.fill_term(store, p, atoms, types)),
            })
        });
        self.intern_sorted(store, filled)
    }

    /// The term with every atom `a` replaced by `map[a]`: `(P, ρ)` becomes `(P, π∘ρ)`.
    pub fn rename_term(
        &mut self,
        store: &mut Store,
        t: Term,
        map: &[Atom],
        types: &AtomTypes,
    ) -> Term {
        let (shape, atoms) = self.split_alone(store, t, types);
        let atoms: Vec<Atom> = atoms
            .iter()
            .map(|a| map.get(a.0 as usize).copied().unwrap_or(*a))
            .collect();
        self.fill_term(store, shape, &atoms, types)
    }

    /// What stands in the holes of a shape, by number. `variable` names the `i`-th variable of a
    /// control state.
    #[must_use]
    pub fn holes(
        &self,
        store: &Store,
        shape: Term,
        variable: &dyn Fn(Control, usize) -> String,
    ) -> Vec<HoleInfo> {
        let mut walk = HoleWalk {
            terms: self,
            store,
            variable,
            holes: Vec::new(),
        };
        walk.term(shape, "");
        let mut holes = std::mem::take(&mut walk.holes);
        holes.sort_by_key(|(index, _)| *index);
        holes.into_iter().map(|(_, info)| info).collect()
    }
}

/// Collects [`HoleInfo`]s. The group of a hole is first its own number.
struct HoleWalk<'a> {
    terms: &'a Terms,
    store: &'a Store,
    variable: &'a dyn Fn(Control, usize) -> String,
    holes: Vec<(u16, HoleInfo)>,
}

impl HoleWalk<'_> {
    fn term(&mut self, t: Term, path: &str) {
        if !self.terms.may_have_hole(t) {
            return;
        }
        deep(|| match self.terms.data(t) {
            TermData::Call { control, env } => {
                for (i, v) in env.iter().enumerate() {
                    let name = format!("{path}{}", (self.variable)(*control, i));
                    let simple = matches!(self.store.data(*v), Data::Hole { .. });
                    self.value(*v, &name, simple);
                }
            }
            data => self.operator(data, path),
        });
    }

    fn operator(&mut self, data: &TermData, path: &str) {
        let commutative = matches!(
            data,
            TermData::ExtChoice(_)
                | TermData::IntChoice(_)
                | TermData::Interleave(_)
                | TermData::Sharing(..)
                | TermData::Alphabetised(_)
                | TermData::SyncChoice(..)
                | TermData::Watchdog { .. }
                | TermData::Part { .. }
        );
        let values = super::store::values(data);
        let alphabets = matches!(data, TermData::Alphabetised(_));
        if !alphabets {
            for v in values.iter() {
                self.value(*v, &format!("{path}set"), false);
            }
        }
        let mut rows = Vec::new();
        for (i, t) in super::store::operands(data).into_iter().enumerate() {
            let from = self.holes.len();
            if alphabets {
                self.value(values[i], &format!("{path}{i}.alphabet"), false);
            }
            self.term(t, &format!("{path}{i}."));
            let mut key = Vec::new();
            if alphabets {
                self.value_key(values[i], self.base(from, self.holes.len()), &mut key);
            }
            self.term_key(t, self.base(from, self.holes.len()), &mut key);
            rows.push((key, from, self.holes.len()));
        }
        match data {
            _ if commutative => self.group(&rows),
            TermData::Compressed { .. } => self.group(&rows[1..]),
            _ => {}
        }
    }

    fn value(&mut self, v: Value, name: &str, simple: bool) {
        if !(self.store.has_hole(v) || self.store.has_process(v)) {
            return;
        }
        deep(|| match self.store.data(v) {
            Data::Hole { kind, index } => {
                let info = HoleInfo {
                    kind: *kind,
                    group: *index,
                    row: *index,
                    name: name.to_owned(),
                    simple,
                };
                self.holes.push((*index, info));
            }
            Data::Process(p) => self.term(Term(*p), &format!("{name}.")),
            Data::Set(items) => {
                let rows: Vec<Vec<Value>> = items.iter().map(|v| vec![*v]).collect();
                self.rows(&rows, name);
            }
            Data::Map(pairs) => {
                let rows: Vec<Vec<Value>> = pairs.iter().map(|(k, v)| vec![*k, *v]).collect();
                self.rows(&rows, name);
            }
            data => {
                let mut children = Vec::new();
                crate::value::store::for_each_child(data, &mut |child| children.push(child));
                for (i, child) in children.into_iter().enumerate() {
                    self.value(child, &format!("{name}.{i}"), false);
                }
            }
        });
    }

    /// Rows whose order means nothing.
    fn rows(&mut self, rows: &[Vec<Value>], name: &str) {
        let mut keys = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            let from = self.holes.len();
            for (j, v) in row.iter().enumerate() {
                let part = if row.len() > 1 {
                    format!("{name}{{{i}.{j}}}")
                } else {
                    format!("{name}{{{i}}}")
                };
                self.value(*v, &part, false);
            }
            let mut key = Vec::new();
            for v in row {
                self.value_key(*v, self.base(from, self.holes.len()), &mut key);
            }
            keys.push((key, from, self.holes.len()));
        }
        self.group(&keys);
    }

    /// The lowest hole number of what was collected from `from` up to `to`.
    fn base(&self, from: usize, to: usize) -> u16 {
        self.holes[from..to]
            .iter()
            .map(|(i, _)| *i)
            .min()
            .unwrap_or(0)
    }

    /// Gives holes at the same place of rows with equal keys the group of the first such row, and says
    /// which holes move together.
    fn group(&mut self, rows: &[(Vec<u32>, usize, usize)]) {
        for (i, (key, from, to)) in rows.iter().enumerate() {
            let is_alone = (0..rows.len()).all(|other| other == i || rows[other].0 != *key);
            let row = self.base(*from, *to);
            if !is_alone {
                let holes = self.holes[*from..*to].iter_mut();
                holes.for_each(|(_, hole)| hole.row = row);
            }
        }
        for (i, (key, from, to)) in rows.iter().enumerate() {
            let Some((_, first, _)) = rows[..i].iter().find(|r| r.0 == *key) else {
                continue;
            };
            for k in 0..to - from {
                self.holes[from + k].1.group = self.holes[first + k].1.group;
            }
        }
    }

    /// A shape as words, with hole numbers relative to `base`: equal for equal shapes.
    fn value_key(&self, v: Value, base: u16, key: &mut Vec<u32>) {
        if !(self.store.has_hole(v) || self.store.has_process(v)) {
            key.extend([0, v.0]);
            return;
        }
        deep(|| match self.store.data(v) {
            Data::Hole { kind, index } => {
                key.extend([1, u32::from(*kind), u32::from(index.wrapping_sub(base))]);
            }
            Data::Process(p) => self.term_key(Term(*p), base, key),
            data => {
                key.push(2 + kind_of(data));
                let mut children = Vec::new();
                crate::value::store::for_each_child(data, &mut |child| children.push(child));
                key.push(children.len() as u32);
                for child in children {
                    self.value_key(child, base, key);
                }
            }
        });
    }

    fn term_key(&self, t: Term, base: u16, key: &mut Vec<u32>) {
        if !self.terms.may_have_hole(t) {
            key.extend([0, t.0]);
            return;
        }
        deep(|| {
            let data = self.terms.data(t);
            let (kind, detail) = super::store::rank(data);
            key.extend([100 + u32::from(kind), detail]);
            for v in super::store::values(data) {
                self.value_key(v, base, key);
            }
            let operands = super::store::operands(data);
            key.push(operands.len() as u32);
            for p in operands {
                self.term_key(p, base, key);
            }
        });
    }
}

fn kind_of(data: &Data) -> u32 {
    match data {
        Data::Tuple(_) => 0,
        Data::Seq(_) => 1,
        Data::Dot(_) => 2,
        Data::Set(_) => 3,
        Data::Map(_) => 4,
        Data::Lazy(_) => 5,
        Data::Stream { .. } => 7,
        Data::Applied(..) => 8,
        Data::Closure { code, .. } | Data::Suspended { code, .. } => 10 + code,
        _ => 6,
    }
}

/// A direct part of a term.
pub(super) enum Part {
    Value(Value),
    Term(Term),
}

/// The same data with its direct parts replaced, in the order in which a person reads them.
pub(super) fn map_parts(data: &TermData, f: &mut dyn FnMut(Part) -> Part) -> TermData {
    // `f` keeps the kind of a part.
    let mut part = |p: Part| f(p);
    let value = |v: Value, part: &mut dyn FnMut(Part) -> Part| match part(Part::Value(v)) {
        Part::Value(v) => v,
        Part::Term(_) => v,
    };
    let term = |t: Term, part: &mut dyn FnMut(Part) -> Part| match part(Part::Term(t)) {
        Part::Term(t) => t,
        Part::Value(_) => t,
    };
    let p = &mut part;
    match data {
        TermData::Call { control, env } => TermData::Call {
            control: *control,
            env: env.iter().map(|v| value(*v, p)).collect(),
        },
        TermData::Chaos(v) => TermData::Chaos(value(*v, p)),
        TermData::Run(v) => TermData::Run(value(*v, p)),
        TermData::ExtChoice(ts) => TermData::ExtChoice(ts.iter().map(|t| term(*t, p)).collect()),
        TermData::IntChoice(ts) => TermData::IntChoice(ts.iter().map(|t| term(*t, p)).collect()),
        TermData::Interleave(ts) => TermData::Interleave(ts.iter().map(|t| term(*t, p)).collect()),
        TermData::Seq(a, b) => TermData::Seq(term(*a, p), term(*b, p)),
        TermData::Interrupt(a, b) => TermData::Interrupt(term(*a, p), term(*b, p)),
        TermData::Sliding(a, b) => TermData::Sliding(term(*a, p), term(*b, p)),
        TermData::Exception(a, v, b) => TermData::Exception(term(*a, p), value(*v, p), term(*b, p)),
        TermData::SyncInterrupt(a, v, b) => {
            TermData::SyncInterrupt(term(*a, p), value(*v, p), term(*b, p))
        }
        TermData::Link(a, v, b) => TermData::Link(term(*a, p), value(*v, p), term(*b, p)),
        TermData::SyncChoice(ts, v) => {
            let v = value(*v, p);
            TermData::SyncChoice(ts.iter().map(|t| term(*t, p)).collect(), v)
        }
        TermData::Sharing(v, ts) => {
            let v = value(*v, p);
            TermData::Sharing(v, ts.iter().map(|t| term(*t, p)).collect())
        }
        TermData::Alphabetised(pairs) => TermData::Alphabetised(
            pairs
                .iter()
                .map(|(v, t)| (value(*v, p), term(*t, p)))
                .collect(),
        ),
        TermData::Hide { process, set, keep } => TermData::Hide {
            process: term(*process, p),
            set: value(*set, p),
            keep: *keep,
        },
        TermData::Rename(a, v) => TermData::Rename(term(*a, p), value(*v, p)),
        TermData::Compressed {
            with,
            process,
            state,
        } => TermData::Compressed {
            with: *with,
            process: term(*process, p),
            state: state.iter().map(|t| term(*t, p)).collect(),
        },
        TermData::Part { members, offered } => {
            let offered = match offered {
                Offered::Some(events, tick) => Offered::Some(value(*events, p), *tick),
                Offered::Full => Offered::Full,
            };
            TermData::Part {
                members: members.iter().map(|t| term(*t, p)).collect(),
                offered,
            }
        }
        TermData::Loop(a) => TermData::Loop(term(*a, p)),
        TermData::Prioritise(a, v) => TermData::Prioritise(term(*a, p), value(*v, p)),
        TermData::PrioritisePo {
            process,
            order,
            below,
        } => TermData::PrioritisePo {
            process: term(*process, p),
            order: value(*order, p),
            below: value(*below, p),
        },
        TermData::Resolved(how, a) => TermData::Resolved(*how, term(*a, p)),
        TermData::Buffer { rule, held } => TermData::Buffer {
            rule: value(*rule, p),
            held: value(*held, p),
        },
        TermData::Watchdog { spec, events, bark } => {
            let (events, bark) = (value(*events, p), value(*bark, p));
            TermData::Watchdog {
                spec: spec.iter().map(|t| term(*t, p)).collect(),
                events,
                bark,
            }
        }
        TermData::Omega | TermData::Ended | TermData::Stop | TermData::Skip | TermData::Div => {
            data.clone()
        }
    }
}
