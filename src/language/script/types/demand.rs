//! Demanding constraints of types.

use super::constraint::{self, COMPLETE, EQ, ORD, SET, YIELD};
use super::ty::{Ty, TyKind, children};
use super::unifier::{Mismatch, TypePair, Unified, Unifier};
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
        // Of a variable that is bound, what it is bound to is asked.
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
        // Datatypes may contain themselves: what is being asked already is assumed to hold, above.
        deep(|| self.demand_kind(t, wanted))?;
        // A variable hands its constraints on to what it is bound to, so this holds for good.
        if !matches!(self.store.kind(t), TyKind::Var(_)) {
            self.granted.grant(t, wanted, doubts);
        }
        Ok(())
    }

    fn demand_kind(&mut self, t: Ty, wanted: u8) -> Unified {
        let mut t = t;
        // Whether a product is complete depends on what it comes to, so that is decided now. Other
        // constraints are the same for all of its parts, and it can wait.
        if matches!(self.store.kind(t), TyKind::Dots(_)) && wanted & (YIELD | COMPLETE) != 0 {
            t = self.evaluated(t)?;
        }
        let kind = self.store.kind(t).clone();
        if matches!(
            kind,
            TyKind::Dots(_) | TyKind::Extendable(..) | TyKind::Data(_)
        ) {
            self.granted.doubt();
        }
        // What such a type can never be, whatever it is made of.
        let without = match &kind {
            TyKind::Any | TyKind::NoFields => 0,
            TyKind::Var(v) => return self.demand_var(t, *v, wanted),
            TyKind::Extendable(result, v) => {
                if wanted & ORD != 0 {
                    return Err(Mismatch::Lacks(t, ORD));
                }
                self.demand(*result, wanted & !YIELD)?;
                // It is complete only if no fields follow.
                if wanted & (YIELD | COMPLETE) != 0 {
                    self.extend(*v, Ty::NO_FIELDS, TypePair::of(t))?;
                }
                0
            }
            TyKind::Dots(_) => ORD | YIELD,
            TyKind::Dotable(..) => ORD | YIELD | COMPLETE,
            // Where values must not be compared, neither must events that carry them, and a set of processes would
            // compare what these hold. Sets of events are needed, and looked at elsewhere.
            TyKind::Event if self.datatypes.forbids() => EQ | ORD,
            TyKind::Event => ORD,
            TyKind::Data(d) => ORD | self.datatypes.lacks(*d, &self.store),
            TyKind::Proc if self.datatypes.forbids() => EQ | ORD | SET | YIELD,
            TyKind::Proc => EQ | ORD | YIELD,
            TyKind::Fun(..) => EQ | ORD | SET | YIELD,
            TyKind::Bool => ORD | YIELD,
            _ => YIELD,
        };
        if wanted & without != 0 {
            return Err(Mismatch::Lacks(t, wanted & without));
        }
        let inner = of_parts(&kind, wanted);
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
        // The annotation must promise what is wanted: nothing can be added to it here.
        match wanted & !constraint::closed(self.store.vars().constraints(v)) {
            0 => Ok(()),
            lacking => Err(Mismatch::Lacks(t, lacking)),
        }
    }
}

/// The constraints on the parts of a type from which `wanted` of the type itself follows.
fn of_parts(kind: &TyKind, wanted: u8) -> u8 {
    match kind {
        // Sequences are ordered by prefix, sets by inclusion: both take equality of the elements.
        TyKind::Seq(_) | TyKind::Set(_) if wanted & ORD != 0 => wanted & !(ORD | COMPLETE) | EQ,
        TyKind::Seq(_) | TyKind::Set(_) | TyKind::Tuple(_) | TyKind::Map(..) => wanted & !COMPLETE,
        TyKind::Dots(_) => wanted,
        TyKind::Dotable(..) => wanted & !COMPLETE,
        _ => 0,
    }
}
