//! Types as people write them, in the syntax of annotations.

use std::rc::Rc;

use super::constraint;
use super::store::TypeStore;
use super::ty::{Ty, TyKind, TypeVarId};
use crate::source::hash::{IndexMap, Set};
use crate::source::stack::deep;

/// Maximum length of the text of a type, in bytes.
const LONGEST: usize = 4_000;

/// Writes types with one naming of their variables.
pub(super) struct TypePrinter<'a> {
    store: &'a TypeStore,
    datatypes: &'a [Rc<str>],
    named: IndexMap<TypeVarId, String>,
    /// Names that other things have.
    taken: Set<Rc<str>>,
    /// The number of names that were tried.
    tried: usize,
    out: String,
}

/// The precedence of the context.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Surroundings {
    /// Anything may stand here.
    Open,
    /// Before `=>`: no function, and no `=>`.
    Left,
    /// Between dots: no `=>` and no function.
    Dotted,
}

impl<'a> TypePrinter<'a> {
    pub fn new(store: &'a TypeStore, datatypes: &'a [Rc<str>]) -> Self {
        Self {
            store,
            datatypes,
            named: IndexMap::default(),
            taken: datatypes.iter().map(Rc::clone).collect(),
            tried: 0,
            out: String::new(),
        }
    }

    /// The type with its constraints: `Eq a => (a) -> Bool`.
    pub fn scheme(&mut self, t: Ty) -> String {
        let body = self.show(t);
        let mut wanted = Vec::new();
        for v in self.store.free(t) {
            let have = constraint::reduced(self.store.vars().constraints(v));
            let name = self.name(v);
            for (bit, class) in constraint::NAMES {
                if have & bit != 0 {
                    wanted.push(format!("{class} {name}"));
                }
            }
        }
        match wanted.as_slice() {
            [] => body,
            [one] => format!("{one} => {body}"),
            many => format!("({}) => {body}", many.join(", ")),
        }
    }

    pub fn show(&mut self, t: Ty) -> String {
        // Names of annotations are kept, so no other variable may get one of them.
        for v in self.store.free(t) {
            self.taken.extend(self.store.vars().rigid(v).cloned());
        }
        self.out.clear();
        self.write(t, Surroundings::Open);
        std::mem::take(&mut self.out)
    }

    fn write(&mut self, t: Ty, place: Surroundings) {
        if self.out.len() > LONGEST {
            if !self.out.ends_with('…') {
                self.out.push('…');
            }
            return;
        }
        deep(|| self.write_here(t, place));
    }

    fn write_here(&mut self, t: Ty, place: Surroundings) {
        // Printing changes nothing, so chains are followed and not shortened.
        let t = self.store.trace(t, None).0;
        match self.store.kind(t) {
            TyKind::Any => self.out.push('?'),
            TyKind::Int => self.out.push_str("Int"),
            TyKind::Bool => self.out.push_str("Bool"),
            TyKind::Char => self.out.push_str("Char"),
            TyKind::Event => self.out.push_str("Event"),
            TyKind::Proc => self.out.push_str("Proc"),
            TyKind::NoFields => {}
            TyKind::Var(v) => {
                let name = self.name(*v);
                self.out.push_str(&name);
            }
            TyKind::Data(d) => {
                let name = self.datatypes.get(d.0 as usize);
                self.out.push_str(name.map_or("?", |n| n));
            }
            TyKind::Set(t) => self.bracketed("{", &[*t], "}"),
            TyKind::Seq(t) => self.bracketed("<", &[*t], ">"),
            TyKind::Map(k, v) => {
                self.out.push_str("(| ");
                self.write(*k, Surroundings::Left);
                self.out.push_str(" => ");
                self.write(*v, Surroundings::Open);
                self.out.push_str(" |)");
            }
            TyKind::Tuple(ts) => self.bracketed("(", ts, ")"),
            TyKind::Fun(ps, r) => self.grouped(place > Surroundings::Open, |p| {
                p.bracketed("(", ps, ")");
                p.out.push_str(" -> ");
                p.write(*r, Surroundings::Open);
            }),
            TyKind::Dots(ts) => self.dotted(ts),
            TyKind::Dotable(fs, r) => self.grouped(place > Surroundings::Open, |p| {
                for f in fs.iter() {
                    p.write(*f, Surroundings::Left);
                    p.out.push_str("=>");
                }
                p.write(*r, Surroundings::Open);
            }),
            TyKind::Extendable(r, v) => self.extendable(*r, *v, place),
        }
    }

    fn extendable(&mut self, result: Ty, v: TypeVarId, place: Surroundings) {
        match self.store.vars().link(v) {
            None => self.grouped(place > Surroundings::Open, |p| {
                let name = p.name(v);
                p.out.push_str(&name);
                p.out.push_str("=>*");
                p.write(result, Surroundings::Open);
            }),
            Some(to) => match self.store.kind(to) {
                TyKind::Var(w) => self.extendable(result, *w, place),
                TyKind::Dotable(fs, rest) => self.grouped(place > Surroundings::Open, |p| {
                    for f in fs.iter() {
                        p.write(*f, Surroundings::Left);
                        p.out.push_str("=>");
                    }
                    match p.store.kind(*rest) {
                        TyKind::Var(w) => p.extendable(result, *w, Surroundings::Open),
                        _ => p.write(result, Surroundings::Open),
                    }
                }),
                _ => self.write(result, place),
            },
        }
    }

    fn grouped(&mut self, brackets: bool, f: impl FnOnce(&mut Self)) {
        if brackets {
            self.out.push('(');
        }
        f(self);
        if brackets {
            self.out.push(')');
        }
    }

    fn bracketed(&mut self, open: &str, ts: &[Ty], close: &str) {
        self.out.push_str(open);
        for (i, t) in ts.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.write(*t, Surroundings::Open);
        }
        self.out.push_str(close);
    }

    fn dotted(&mut self, ts: &[Ty]) {
        for (i, t) in ts.iter().enumerate() {
            if i > 0 {
                self.out.push('.');
            }
            self.write(*t, Surroundings::Dotted);
        }
    }

    fn name(&mut self, v: TypeVarId) -> String {
        if let Some(name) = self.store.vars().rigid(v) {
            return name.to_string();
        }
        if let Some(name) = self.named.get(&v) {
            return name.clone();
        }
        loop {
            // a, b, …, z, a1, b1, …: without those that mean something else.
            let at = self.tried;
            self.tried += 1;
            let letter = char::from(b'a' + (at % 26) as u8);
            let name = if at < 26 {
                letter.to_string()
            } else {
                format!("{letter}{}", at / 26)
            };
            if !self.taken.contains(name.as_str()) {
                self.named.insert(v, name.clone());
                return name;
            }
        }
    }
}
