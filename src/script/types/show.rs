//! Types as people write them.

use std::rc::Rc;

use super::ty::{Store, Ty, VarId, constraint};
use crate::source::stack::deep;

/// Writes types with one naming of their variables.
pub(super) struct Printer<'a> {
    store: &'a Store,
    datatypes: &'a [Rc<str>],
    named: Vec<VarId>,
}

impl<'a> Printer<'a> {
    pub fn new(store: &'a Store, datatypes: &'a [Rc<str>]) -> Self {
        Self {
            store,
            datatypes,
            named: Vec::new(),
        }
    }

    /// The type with its constraints: `Eq a => (a) -> Bool`.
    pub fn scheme(&mut self, t: &Ty) -> String {
        let body = self.show(t);
        let mut wanted = Vec::new();
        for v in self.store.free(t) {
            let have = self.store.constraints(v);
            let name = self.name(v);
            let all = [
                (constraint::ORD, "Ord"),
                (constraint::EQ, "Eq"),
                (constraint::SET, "Set"),
            ];
            if let Some((_, class)) = all.iter().find(|(c, _)| have & c != 0) {
                wanted.push(format!("{class} {name}"));
            }
        }
        match wanted.as_slice() {
            [] => body,
            [one] => format!("{one} => {body}"),
            many => format!("({}) => {body}", many.join(", ")),
        }
    }

    pub fn show(&mut self, t: &Ty) -> String {
        deep(|| match self.store.shallow(t) {
            Ty::Var(v) => self.name(v),
            Ty::Any => "?".to_owned(),
            Ty::Int => "Int".to_owned(),
            Ty::Bool => "Bool".to_owned(),
            Ty::Char => "Char".to_owned(),
            Ty::Event => "Event".to_owned(),
            Ty::Proc => "Proc".to_owned(),
            Ty::Data(t) => self
                .datatypes
                .get(t.0 as usize)
                .map_or_else(String::new, ToString::to_string),
            Ty::Set(t) => format!("{{{}}}", self.show(&t)),
            Ty::Seq(t) => format!("<{}>", self.show(&t)),
            Ty::Map(k, v) => format!("(| {} => {} |)", self.show(&k), self.show(&v)),
            Ty::Tuple(ts) => format!("({})", self.list(&ts, ", ")),
            Ty::Fun(ps, r) => format!("({}) -> {}", self.list(&ps, ", "), self.show(&r)),
            Ty::Dots(ts) => self.list(&ts, "."),
            Ty::Dotable(fs, r) => format!("{} => {}", self.list(&fs, "."), self.show(&r)),
        })
    }

    fn list(&mut self, ts: &[Ty], between: &str) -> String {
        let parts: Vec<String> = ts.iter().map(|t| self.show(t)).collect();
        parts.join(between)
    }

    fn name(&mut self, v: VarId) -> String {
        let at = self.named.iter().position(|w| *w == v).unwrap_or_else(|| {
            self.named.push(v);
            self.named.len() - 1
        });
        let letter = char::from(b'a' + (at % 26) as u8);
        if at < 26 {
            letter.to_string()
        } else {
            format!("{letter}{}", at / 26)
        }
    }
}
