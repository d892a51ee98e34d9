//! The holes of a shape: which variable each is, and which are interchangeable.

use super::parts::{operands, rank, values};
use super::store::Terms;
use super::term::{ControlState, Term, TermData};
use crate::source::stack::deep;
use crate::value::parts::for_each_child;
use crate::value::{Data, Interner, Value};

/// The variable in one hole of a shape.
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

/// The variables in the holes of a shape, by number. `variable` names the `i`-th variable of a control state.
#[must_use]
pub fn holes(
    terms: &Terms,
    store: &Interner,
    shape: Term,
    variable: &dyn Fn(ControlState, usize) -> String,
) -> Vec<HoleInfo> {
    let mut walk = HoleWalk {
        terms,
        store,
        variable,
        holes: Vec::new(),
    };
    walk.term(shape, "");
    let mut holes = walk.holes;
    holes.sort_by_key(|(index, _)| *index);
    holes.into_iter().map(|(_, info)| info).collect()
}

/// Collects [`HoleInfo`]s. The group of a hole is first its own number.
struct HoleWalk<'a> {
    terms: &'a Terms,
    store: &'a Interner,
    variable: &'a dyn Fn(ControlState, usize) -> String,
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
                    // A variable that is an atom has its own name; a part of a value is told by a path.
                    let simple = matches!(self.store.data(*v), Data::Hole { .. });
                    self.value(*v, &name, simple);
                }
            }
            data => self.operator(data, path),
        });
    }

    fn operator(&mut self, data: &TermData, path: &str) {
        // Equal operands of these may change places, so their holes are of one group.
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
        let values = values(data);
        let alphabets = matches!(data, TermData::Alphabetised(_));
        // The alphabets are named with their operands below.
        if !alphabets {
            for v in values.iter() {
                self.value(*v, &format!("{path}set"), false);
            }
        }
        let mut rows = Vec::new();
        for (i, t) in operands(data).into_iter().enumerate() {
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
            // All but the process that was compressed: those are the members of a name.
            TermData::Compressed { .. } => self.group(&rows[1..]),
            _ => {}
        }
    }

    fn value(&mut self, v: Value, name: &str, simple: bool) {
        // Most values have neither.
        if !(self.store.flags(v).has_hole() || self.store.flags(v).has_process()) {
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
                for_each_child(data, &mut |child| children.push(child));
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
            // The outermost row counts: it is set last.
            if !is_alone {
                let holes = self.holes[*from..*to].iter_mut();
                holes.for_each(|(_, hole)| hole.row = row);
            }
        }
        for (i, (key, from, to)) in rows.iter().enumerate() {
            let Some((_, first, _)) = rows[..i].iter().find(|r| r.0 == *key) else {
                continue;
            };
            // Equal keys have equally many holes, in the same places.
            for k in 0..to - from {
                self.holes[from + k].1.group = self.holes[first + k].1.group;
            }
        }
    }

    /// A shape as words, with hole numbers relative to `base`: equal for equal shapes.
    fn value_key(&self, v: Value, base: u16, key: &mut Vec<u32>) {
        if !(self.store.flags(v).has_hole() || self.store.flags(v).has_process()) {
            // Without holes a value is its own key: equal ones have equal handles.
            key.extend([0, v.0]);
            return;
        }
        deep(|| match self.store.data(v) {
            Data::Hole { kind, index } => {
                // Counted from the first hole of the row: rows that differ in nothing else are equal.
                key.extend([1, u32::from(*kind), u32::from(index.wrapping_sub(base))]);
            }
            Data::Process(p) => self.term_key(Term(*p), base, key),
            data => {
                key.push(2 + kind_of(data));
                let mut children = Vec::new();
                for_each_child(data, &mut |child| children.push(child));
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
            let (kind, detail) = rank(data);
            key.extend([100 + u32::from(kind), detail]);
            for v in values(data) {
                self.value_key(v, base, key);
            }
            let operands = operands(data);
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
