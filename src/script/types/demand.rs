//! What a type can be asked to support.

use super::ty::{Kind, Store, Ty, children};
use super::unify::{Mismatch, Sides, Unified};
use crate::script::core::TypeId;
use crate::source::hash::Set;
use crate::source::stack::deep;

/// The constraints, as bits.
pub mod constraint {
    /// `==`
    pub const EQ: u8 = 1;
    /// `<`
    pub const ORD: u8 = 2;
    /// Being an element of a set.
    pub const SET: u8 = 4;
    /// Wanting no more fields.
    pub const COMPLETE: u8 = 8;
    /// Being what something becomes when all its fields are given.
    pub const YIELD: u8 = 16;

    /// All, with their names.
    pub const NAMES: [(u8, &str); 5] = [
        (EQ, "Eq"),
        (ORD, "Ord"),
        (SET, "Set"),
        (COMPLETE, "Complete"),
        (YIELD, "Yieldable"),
    ];

    /// What follows from each: what is ordered can be compared, what can be compared can be in a
    /// set, and events and values of datatypes are complete and can be in sets.
    const IMPLIED: [(u8, u8); 3] = [(ORD, EQ | SET), (EQ, SET), (YIELD, SET | COMPLETE)];

    /// Constraints with those that follow from them.
    #[must_use]
    pub fn closed(have: u8) -> u8 {
        let implied = IMPLIED.iter().filter(|(c, _)| have & c != 0);
        implied.fold(have, |all, (_, more)| all | more)
    }

    /// Constraints without those that follow from others.
    #[must_use]
    pub fn reduced(have: u8) -> u8 {
        let implied = IMPLIED.iter().filter(|(c, _)| have & c != 0);
        implied.fold(have, |all, (_, more)| all & !more)
    }
}
use constraint::{COMPLETE, EQ, ORD, SET, YIELD};

impl Store {
    /// Demands constraints of a type.
    pub(super) fn require(&mut self, t: Ty, wanted: u8) -> Unified {
        self.begin();
        self.demand(t, wanted)
    }

    pub(super) fn demand(&mut self, t: Ty, wanted: u8) -> Unified {
        if wanted == 0 {
            return Ok(());
        }
        self.step()?;
        let t = self.shallow(t);
        if self.granted.contains(&(t, wanted)) {
            return Ok(());
        }
        // Constraints are few: a type with each of them stands for what was demanded.
        let mark = Ty::mark(wanted);
        if !self.is_new(t, mark) {
            self.doubts += 1;
            return Ok(());
        }
        let doubts = self.doubts;
        deep(|| self.demand_kind(t, wanted))?;
        // A variable hands its constraints on to what it is bound to, so this holds for good.
        if self.doubts == doubts && !matches!(self.kind(t), Kind::Var(_)) {
            self.granted.insert((t, wanted));
        }
        Ok(())
    }

    fn demand_kind(&mut self, t: Ty, wanted: u8) -> Unified {
        let mut t = t;
        if matches!(self.kind(t), Kind::Dots(_)) && wanted & (YIELD | COMPLETE) != 0 {
            t = self.evaluated(t)?;
        }
        let kind = self.kind(t).clone();
        if matches!(kind, Kind::Dots(_) | Kind::Extendable(..) | Kind::Data(_)) {
            self.doubts += 1;
        }
        let without = match &kind {
            Kind::Any | Kind::NoFields => 0,
            Kind::Var(v) => return self.demand_var(t, *v, wanted),
            Kind::Extendable(result, v) => {
                if wanted & ORD != 0 {
                    return Err(Mismatch::Lacks(t, ORD));
                }
                self.demand(*result, wanted & !YIELD)?;
                if wanted & (YIELD | COMPLETE) != 0 {
                    self.extend(*v, Ty::NO_FIELDS, Sides::of(t))?;
                }
                0
            }
            Kind::Dots(_) => ORD | YIELD,
            Kind::Dotable(..) => ORD | YIELD | COMPLETE,
            Kind::Event => ORD,
            Kind::Data(d) => ORD | if self.is_comparable(*d) { 0 } else { EQ },
            Kind::Proc => EQ | ORD | YIELD,
            Kind::Fun(..) => EQ | ORD | SET | YIELD,
            Kind::Bool => ORD | YIELD,
            _ => YIELD,
        };
        if wanted & without != 0 {
            return Err(Mismatch::Lacks(t, wanted & without));
        }
        // Sequences are ordered by prefix, sets by inclusion: both take equality of the elements.
        let inner = match &kind {
            Kind::Seq(_) | Kind::Set(_) if wanted & ORD != 0 => wanted & !(ORD | COMPLETE) | EQ,
            Kind::Seq(_) | Kind::Set(_) | Kind::Tuple(_) | Kind::Map(..) => wanted & !COMPLETE,
            Kind::Dots(_) => wanted,
            Kind::Dotable(..) => wanted & !COMPLETE,
            _ => 0,
        };
        if inner == 0 {
            return Ok(());
        }
        let mut each = children(&kind);
        each.try_for_each(|c| self.demand(c, inner))
    }

    fn demand_var(&mut self, t: Ty, v: u32, wanted: u8) -> Unified {
        if self.rigid(v).is_none() {
            self.add_constraints(v, wanted);
            return Ok(());
        }
        match wanted & !constraint::closed(self.constraints(v)) {
            0 => Ok(()),
            lacking => Err(Mismatch::Lacks(t, lacking)),
        }
    }

    /// Whether the values of a datatype can be compared: none holds a process or a function. What
    /// is not known yet is taken to be comparable.
    pub(super) fn is_comparable(&mut self, d: TypeId) -> bool {
        if let Some(known) = self.comparable.get(&d) {
            return *known;
        }
        let (mut known, mut comparable) = (true, true);
        let mut seen: Set<TypeId> = Set::default();
        let mut reached = vec![d];
        seen.insert(d);
        let mut at = 0;
        while at < reached.len() && comparable {
            let fields = self.fields.get(reached[at].0 as usize).cloned().flatten();
            at += 1;
            let Some(fields) = fields else {
                known = false;
                continue;
            };
            for field in fields {
                self.walk(field, |kind| match kind {
                    Kind::Proc | Kind::Fun(..) => comparable = false,
                    Kind::Data(d) if seen.insert(*d) => reached.push(*d),
                    _ => {}
                });
            }
        }
        if !comparable {
            self.comparable.insert(d, false);
        } else if known {
            self.comparable
                .extend(reached.into_iter().map(|d| (d, true)));
        }
        comparable
    }
}
