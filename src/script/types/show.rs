//! Types as people write them, in the syntax of annotations.

use std::rc::Rc;

use super::constraint;
use super::store::Store;
use super::ty::{Kind, Ty, VarId};
use crate::source::hash::{IndexMap, Set};
use crate::source::stack::deep;

/// What is written of one type at most, in bytes.
const LONGEST: usize = 4_000;

/// Writes types with one naming of their variables.
pub(super) struct Printer<'a> {
    store: &'a Store,
    datatypes: &'a [Rc<str>],
    named: IndexMap<VarId, String>,
    /// Names that other things have.
    taken: Set<Rc<str>>,
    /// How many names were tried.
    tried: usize,
    out: String,
}

/// How tightly the surroundings bind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Anything may stand here.
    Open,
    /// Before `=>`: no function, and no `=>`.
    Left,
    /// Between dots: no `=>` and no function.
    Dotted,
}

impl<'a> Printer<'a> {
    pub fn new(store: &'a Store, datatypes: &'a [Rc<str>]) -> Self {
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
        for v in self.store.free(t) {
            self.taken.extend(self.store.vars().rigid(v).cloned());
        }
        self.out.clear();
        self.write(t, Place::Open);
        std::mem::take(&mut self.out)
    }

    fn write(&mut self, t: Ty, place: Place) {
        if self.out.len() > LONGEST {
            if !self.out.ends_with('…') {
                self.out.push('…');
            }
            return;
        }
        deep(|| self.write_here(t, place));
    }

    fn write_here(&mut self, t: Ty, place: Place) {
        let t = self.store.trace(t, None).0;
        match self.store.kind(t) {
            Kind::Any => self.out.push('?'),
            Kind::Int => self.out.push_str("Int"),
            Kind::Bool => self.out.push_str("Bool"),
            Kind::Char => self.out.push_str("Char"),
            Kind::Event => self.out.push_str("Event"),
            Kind::Proc => self.out.push_str("Proc"),
            Kind::NoFields => {}
            Kind::Var(v) => {
                let name = self.name(*v);
                self.out.push_str(&name);
            }
            Kind::Data(d) => {
                let name = self.datatypes.get(d.0 as usize);
                self.out.push_str(name.map_or("?", |n| n));
            }
            Kind::Set(t) => self.bracketed("{", &[*t], "}"),
            Kind::Seq(t) => self.bracketed("<", &[*t], ">"),
            Kind::Map(k, v) => {
                self.out.push_str("(| ");
                self.write(*k, Place::Left);
                self.out.push_str(" => ");
                self.write(*v, Place::Open);
                self.out.push_str(" |)");
            }
            Kind::Tuple(ts) => self.bracketed("(", ts, ")"),
            Kind::Fun(ps, r) => self.grouped(place > Place::Open, |p| {
                p.bracketed("(", ps, ")");
                p.out.push_str(" -> ");
                p.write(*r, Place::Open);
            }),
            Kind::Dots(ts) => self.dotted(ts),
            Kind::Dotable(fs, r) => self.grouped(place > Place::Open, |p| {
                for f in fs.iter() {
                    p.write(*f, Place::Left);
                    p.out.push_str("=>");
                }
                p.write(*r, Place::Open);
            }),
            Kind::Extendable(r, v) => self.extendable(*r, *v, place),
        }
    }

    fn extendable(&mut self, result: Ty, v: VarId, place: Place) {
        match self.store.vars().link(v) {
            None => self.grouped(place > Place::Open, |p| {
                let name = p.name(v);
                p.out.push_str(&name);
                p.out.push_str("=>*");
                p.write(result, Place::Open);
            }),
            Some(to) => match self.store.kind(to) {
                Kind::Var(w) => self.extendable(result, *w, place),
                Kind::Dotable(fs, rest) => self.grouped(place > Place::Open, |p| {
                    for f in fs.iter() {
                        p.write(*f, Place::Left);
                        p.out.push_str("=>");
                    }
                    match p.store.kind(*rest) {
                        Kind::Var(w) => p.extendable(result, *w, Place::Open),
                        _ => p.write(result, Place::Open),
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
            self.write(*t, Place::Open);
        }
        self.out.push_str(close);
    }

    fn dotted(&mut self, ts: &[Ty]) {
        for (i, t) in ts.iter().enumerate() {
            if i > 0 {
                self.out.push('.');
            }
            self.write(*t, Place::Dotted);
        }
    }

    fn name(&mut self, v: VarId) -> String {
        if let Some(name) = self.store.vars().rigid(v) {
            return name.to_string();
        }
        if let Some(name) = self.named.get(&v) {
            return name.clone();
        }
        loop {
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
