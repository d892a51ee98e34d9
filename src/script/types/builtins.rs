//! The types of the built-ins.

use super::ty::{Store, Ty, constraint, fun, seq, set};
use crate::script::core::Builtin;

fn map(k: Ty, v: Ty) -> Ty {
    Ty::Map(k.into(), v.into())
}

fn pair(a: Ty, b: Ty) -> Ty {
    Ty::Tuple(vec![a, b].into())
}

/// The type of one use of a built-in, and, if it can break symmetry (Def. 23.2), the type at which
/// it does.
pub(super) fn type_of(b: Builtin, store: &mut Store) -> (Ty, Option<Ty>) {
    let a = store.fresh();
    match b {
        Builtin::SeqOf => (fun(vec![set(a.clone())], seq(a.clone())), Some(a)),
        Builtin::MapToList => {
            let v = store.fresh();
            let list = seq(pair(a.clone(), v.clone()));
            (fun(vec![map(a.clone(), v)], list), Some(a))
        }
        Builtin::MTransClose => {
            let relation = set(pair(a.clone(), a.clone()));
            (
                fun(vec![relation.clone(), set(a.clone())], relation),
                Some(a),
            )
        }
        Builtin::Show => (fun(vec![a.clone()], seq(Ty::Char)), Some(a)),
        Builtin::Deter | Builtin::Chase | Builtin::ChaseNoCache => {
            (fun(vec![Ty::Proc], Ty::Proc), Some(Ty::Proc))
        }
        _ => (data(b, a, store), None),
    }
}

fn data(b: Builtin, a: Ty, store: &mut Store) -> Ty {
    use Builtin as B;
    let eq = |store: &mut Store| store.fresh_with(constraint::EQ, false);
    match b {
        B::Union | B::Inter | B::Diff => fun(vec![set(a.clone()), set(a.clone())], set(a)),
        B::BigUnion | B::BigInter => fun(vec![set(set(a.clone()))], set(a)),
        B::Member => {
            let e = eq(store);
            fun(vec![e.clone(), set(e)], Ty::Bool)
        }
        B::Card => fun(vec![set(a)], Ty::Int),
        B::Empty => fun(vec![set(a)], Ty::Bool),
        B::SetOf => fun(vec![seq(a.clone())], set(a)),
        B::Powerset => fun(vec![set(a.clone())], set(set(a))),
        B::SeqsOver => fun(vec![set(a.clone())], set(seq(a))),
        B::Length => fun(vec![seq(a)], Ty::Int),
        B::Null => fun(vec![seq(a)], Ty::Bool),
        B::Head => fun(vec![seq(a.clone())], a),
        B::Tail => fun(vec![seq(a.clone())], seq(a)),
        B::Concat => fun(vec![seq(seq(a.clone()))], seq(a)),
        B::Elem => {
            let e = eq(store);
            fun(vec![e.clone(), seq(e)], Ty::Bool)
        }
        B::Error => fun(vec![seq(Ty::Char)], a),
        B::IntSet => set(Ty::Int),
        B::BoolSet => set(Ty::Bool),
        B::CharSet => set(Ty::Char),
        B::Proc => set(Ty::Proc),
        B::Events => set(Ty::Event),
        B::True | B::False => Ty::Bool,
        B::Extensions => fun(vec![Ty::Any], set(Ty::Any)),
        B::Productions => fun(vec![Ty::Any], set(Ty::Any)),
        B::EmptyMap
        | B::MapFromList
        | B::MapLookup
        | B::MapMember
        | B::MapUpdate
        | B::MapUpdateMultiple
        | B::MapDelete
        | B::MapsOver => maps(b, a, store),
        B::Transpose | B::RelationalImage | B::RelationalInverseImage => relations(b, a, store),
        _ => processes(b),
    }
}

fn maps(b: Builtin, k: Ty, store: &mut Store) -> Ty {
    let v = store.fresh();
    let m = map(k.clone(), v.clone());
    let pairs = seq(pair(k.clone(), v.clone()));
    match b {
        Builtin::EmptyMap => m,
        Builtin::MapFromList => fun(vec![pairs], m),
        Builtin::MapLookup => fun(vec![m, k], v),
        Builtin::MapMember => fun(vec![m, k], Ty::Bool),
        Builtin::MapUpdate => fun(vec![m.clone(), k, v], m),
        Builtin::MapUpdateMultiple => fun(vec![m.clone(), pairs], m),
        Builtin::MapDelete => fun(vec![m.clone(), k], m),
        _ => fun(vec![set(k), set(v)], set(m)),
    }
}

fn relations(b: Builtin, x: Ty, store: &mut Store) -> Ty {
    let y = store.fresh();
    let relation = set(pair(x.clone(), y.clone()));
    match b {
        Builtin::Transpose => fun(vec![relation], set(pair(y, x))),
        Builtin::RelationalImage => fun(vec![relation], fun(vec![x], set(y))),
        _ => fun(vec![relation], fun(vec![y], set(x))),
    }
}

fn processes(b: Builtin) -> Ty {
    use Builtin as B;
    let events = || set(Ty::Event);
    // The buffers take pairs of channels, each with a type of its own.
    let ends = || set(pair(Ty::Any, Ty::Any));
    match b {
        B::Stop | B::Skip | B::Div | B::TStop | B::TSkip => Ty::Proc,
        B::Chaos | B::Run => fun(vec![events()], Ty::Proc),
        B::Buffer => fun(vec![Ty::Int, ends()], Ty::Proc),
        B::WeakBuffer => fun(vec![Ty::Int, Ty::Event, ends()], Ty::Proc),
        B::SignalBuffer => fun(vec![Ty::Int, Ty::Event, Ty::Event, ends()], Ty::Proc),
        B::Wait => fun(vec![Ty::Int], Ty::Proc),
        B::FailureWatchdog | B::TraceWatchdog => fun(vec![Ty::Proc, events(), Ty::Event], Ty::Proc),
        B::Prioritise | B::PrioritiseNoCache => fun(vec![Ty::Proc, seq(events())], Ty::Proc),
        B::PrioritisePo => {
            let order = set(pair(Ty::Event, Ty::Event));
            fun(vec![Ty::Proc, events(), order, events()], Ty::Proc)
        }
        _ => fun(vec![Ty::Proc], Ty::Proc),
    }
}
