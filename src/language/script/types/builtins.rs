//! The types of the built-ins.

use super::constraint::{EQ, SET, YIELD};
use super::store::TypeStore;
use super::ty::{Ty, TyKind};
use crate::script::core::Builtin;

/// The type of one use of a built-in, and, if it can break symmetry (Def. 23.2), the type at which
/// it does.
pub(super) fn type_of(b: Builtin, store: &mut TypeStore) -> (Ty, Option<Ty>) {
    let mut make = Maker { store };
    match b {
        // The order of the sequence is that of the elements of the set.
        Builtin::SeqOf => {
            let a = make.var(EQ);
            let (s, list) = (make.set(a), make.seq(a));
            (make.fun(&[s], list), Some(a))
        }
        Builtin::MapToList => {
            let (k, v) = (make.var(SET), make.var(0));
            let list = make.pairs(k, v);
            let m = make.map(k, v);
            (make.fun(&[m], list), Some(k))
        }
        // It picks one representative of each class.
        Builtin::MTransClose => {
            let a = make.var(EQ);
            let relation = make.relation(a, a);
            let s = make.set(a);
            (make.fun(&[relation, s], relation), Some(a))
        }
        // The text of a value names its constructors.
        Builtin::Show => {
            let a = make.var(0);
            let text = make.seq(Ty::CHAR);
            (make.fun(&[a], text), Some(a))
        }
        // These choose one of several branches of a process, by an order of events.
        Builtin::Deter | Builtin::Chase | Builtin::ChaseNoCache => {
            (make.fun(&[Ty::PROC], Ty::PROC), Some(Ty::PROC))
        }
        _ => (make.plain(b), None),
    }
}

/// Short names for making types.
struct Maker<'a> {
    store: &'a mut TypeStore,
}

impl Maker<'_> {
    fn var(&mut self, wanted: u8) -> Ty {
        self.store.fresh_with(wanted)
    }
    fn set(&mut self, t: Ty) -> Ty {
        self.store.set(t)
    }
    fn seq(&mut self, t: Ty) -> Ty {
        self.store.seq(t)
    }
    fn map(&mut self, k: Ty, v: Ty) -> Ty {
        self.store.map(k, v)
    }
    fn fun(&mut self, params: &[Ty], result: Ty) -> Ty {
        self.store.fun(params, result)
    }
    fn pairs(&mut self, a: Ty, b: Ty) -> Ty {
        let pair = self.store.tuple([a, b]);
        self.store.seq(pair)
    }
    fn relation(&mut self, a: Ty, b: Ty) -> Ty {
        let pair = self.store.tuple([a, b]);
        self.store.set(pair)
    }

    fn plain(&mut self, b: Builtin) -> Ty {
        use Builtin as B;
        match b {
            B::Union
            | B::Inter
            | B::Diff
            | B::BigUnion
            | B::BigInter
            | B::Member
            | B::Card
            | B::Empty
            | B::SetOf
            | B::Powerset
            | B::SeqsOver => self.sets(b),
            B::Length | B::Null | B::Head | B::Tail | B::Concat | B::Elem => self.sequences(b),
            B::Error => {
                let a = self.var(0);
                let text = self.seq(Ty::CHAR);
                self.fun(&[text], a)
            }
            B::IntSet => self.set(Ty::INT),
            B::BoolSet => self.set(Ty::BOOL),
            B::CharSet => self.set(Ty::CHAR),
            B::Proc => self.set(Ty::PROC),
            B::Events => self.set(Ty::EVENT),
            B::True | B::False => Ty::BOOL,
            B::Extensions => {
                let (a, whole) = (self.var(0), self.var(YIELD));
                // `extensions(c)` is the set of the fields that complete `c`: so `c` wants one
                // field, or several as one product.
                let partial = self.store.dotable(&[a], whole);
                let all = self.set(a);
                self.fun(&[partial], all)
            }
            B::Productions => {
                let whole = self.var(YIELD);
                let v = self.store.vars_mut().add(0, None);
                let partial = self.store.make(TyKind::Extendable(whole, v));
                let all = self.set(whole);
                self.fun(&[partial], all)
            }
            B::EmptyMap
            | B::MapFromList
            | B::MapLookup
            | B::MapMember
            | B::MapUpdate
            | B::MapUpdateMultiple
            | B::MapDelete
            | B::MapsOver => self.maps(b),
            B::Transpose | B::RelationalImage | B::RelationalInverseImage => self.relations(b),
            _ => self.processes(b),
        }
    }

    /// Types of set functions. Those that test equality require comparable elements.
    fn sets(&mut self, b: Builtin) -> Ty {
        use Builtin as B;
        let asks = matches!(b, B::Member | B::Card | B::Empty);
        let a = self.var(if asks { EQ } else { SET });
        let s = self.set(a);
        match b {
            B::Union | B::Inter | B::Diff => self.fun(&[s, s], s),
            B::BigUnion | B::BigInter => {
                let ss = self.set(s);
                self.fun(&[ss], s)
            }
            B::Member => self.fun(&[a, s], Ty::BOOL),
            B::Card => self.fun(&[s], Ty::INT),
            B::Empty => self.fun(&[s], Ty::BOOL),
            B::SetOf => {
                let list = self.seq(a);
                self.fun(&[list], s)
            }
            B::Powerset => {
                let ss = self.set(s);
                self.fun(&[s], ss)
            }
            _ => {
                let list = self.seq(a);
                let lists = self.set(list);
                self.fun(&[s], lists)
            }
        }
    }

    fn sequences(&mut self, b: Builtin) -> Ty {
        use Builtin as B;
        let a = self.var(if b == B::Elem { EQ } else { 0 });
        let s = self.seq(a);
        match b {
            B::Length => self.fun(&[s], Ty::INT),
            B::Null => self.fun(&[s], Ty::BOOL),
            B::Head => self.fun(&[s], a),
            B::Tail => self.fun(&[s], s),
            B::Elem => self.fun(&[a, s], Ty::BOOL),
            _ => {
                let ss = self.seq(s);
                self.fun(&[ss], s)
            }
        }
    }

    fn maps(&mut self, b: Builtin) -> Ty {
        use Builtin as B;
        let k = self.var(SET);
        let v = self.var(if b == B::MapsOver { SET } else { 0 });
        let m = self.map(k, v);
        let pairs = self.pairs(k, v);
        match b {
            B::EmptyMap => m,
            B::MapFromList => self.fun(&[pairs], m),
            B::MapLookup => self.fun(&[m, k], v),
            B::MapMember => self.fun(&[m, k], Ty::BOOL),
            B::MapUpdate => self.fun(&[m, k, v], m),
            B::MapUpdateMultiple => self.fun(&[m, pairs], m),
            B::MapDelete => self.fun(&[m, k], m),
            _ => {
                let (ks, vs, ms) = (self.set(k), self.set(v), self.set(m));
                self.fun(&[ks, vs], ms)
            }
        }
    }

    fn relations(&mut self, b: Builtin) -> Ty {
        use Builtin as B;
        let x = self.var(if b == B::RelationalImage { EQ } else { SET });
        let y = self.var(if b == B::RelationalInverseImage {
            EQ
        } else {
            SET
        });
        let relation = self.relation(x, y);
        let result = match b {
            B::Transpose => self.relation(y, x),
            B::RelationalImage => {
                let image = self.set(y);
                self.fun(&[x], image)
            }
            _ => {
                let image = self.set(x);
                self.fun(&[y], image)
            }
        };
        self.fun(&[relation], result)
    }

    fn processes(&mut self, b: Builtin) -> Ty {
        use Builtin as B;
        let events = self.set(Ty::EVENT);
        match b {
            B::Stop | B::Skip | B::Div | B::TStop | B::TSkip => Ty::PROC,
            B::Chaos | B::Run => self.fun(&[events], Ty::PROC),
            // The buffers take pairs of channels, each with a type of its own.
            B::Buffer | B::WeakBuffer | B::SignalBuffer => {
                let ends = self.relation(Ty::ANY, Ty::ANY);
                let all = [Ty::INT, Ty::EVENT, Ty::EVENT, ends];
                match b {
                    B::Buffer => self.fun(&[Ty::INT, ends], Ty::PROC),
                    B::WeakBuffer => self.fun(&[Ty::INT, Ty::EVENT, ends], Ty::PROC),
                    _ => self.fun(&all, Ty::PROC),
                }
            }
            B::Wait => self.fun(&[Ty::INT], Ty::PROC),
            B::FailureWatchdog | B::TraceWatchdog => {
                self.fun(&[Ty::PROC, events, Ty::EVENT], Ty::PROC)
            }
            B::Prioritise | B::PrioritiseNoCache => {
                let order = self.seq(events);
                self.fun(&[Ty::PROC, order], Ty::PROC)
            }
            B::PrioritisePo => {
                let order = self.relation(Ty::EVENT, Ty::EVENT);
                self.fun(&[Ty::PROC, events, order, events], Ty::PROC)
            }
            _ => self.fun(&[Ty::PROC], Ty::PROC),
        }
    }
}
