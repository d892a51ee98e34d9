//! Demanding constraints of types.

use super::constraint::{self, COMPLETE, EQ, ORD, SET, YIELD};
use super::ty::{Kind, Ty, children};
use super::unifier::{Mismatch, Sides, Unified, Unifier};
use crate::source::stack::deep;

impl Unifier {
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
        let t = self.store.shallow(t);
        if self.granted.has(t, wanted) {
            return Ok(());
        }
        // Constraints are few: a type with each of them stands for what was demanded.
        let mark = Ty::mark(wanted);
        if !self.is_new(t, mark) {
            self.granted.doubt();
            return Ok(());
        }
        let doubts = self.granted.doubts();
        deep(|| self.demand_kind(t, wanted))?;
        // A variable hands its constraints on to what it is bound to, so this holds for good.
        if !matches!(self.store.kind(t), Kind::Var(_)) {
            self.granted.grant(t, wanted, doubts);
        }
        Ok(())
    }

    fn demand_kind(&mut self, t: Ty, wanted: u8) -> Unified {
        let mut t = t;
        if matches!(self.store.kind(t), Kind::Dots(_)) && wanted & (YIELD | COMPLETE) != 0 {
            t = self.evaluated(t)?;
        }
        let kind = self.store.kind(t).clone();
        if matches!(kind, Kind::Dots(_) | Kind::Extendable(..) | Kind::Data(_)) {
            self.granted.doubt();
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
            Kind::Data(d) => {
                ORD | if self.datatypes.is_comparable(*d, &self.store) {
                    0
                } else {
                    EQ
                }
            }
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
        if self.store.vars().rigid(v).is_none() {
            self.store.vars_mut().add_constraints(v, wanted);
            return Ok(());
        }
        match wanted & !constraint::closed(self.store.vars().constraints(v)) {
            0 => Ok(()),
            lacking => Err(Mismatch::Lacks(t, lacking)),
        }
    }
}
