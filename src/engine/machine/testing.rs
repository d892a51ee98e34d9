//! Small random components for tests.

use proptest::prelude::*;

use super::events::EventId;
use super::ids::LocalId;
use super::locals::Locals;
use crate::process::term::Term;
use crate::value::AtomTypes;

/// Local states in each test.
pub(super) const LOCALS: u32 = 4;
/// Components in each test.
pub(super) const COMPONENTS: u16 = 3;

pub(super) fn event() -> impl Strategy<Value = EventId> {
    (3u32..7).prop_map(EventId)
}

/// A global state.
pub(super) fn state() -> impl Strategy<Value = Vec<LocalId>> {
    let local = (0..LOCALS).prop_map(LocalId);
    proptest::collection::vec(local, usize::from(COMPONENTS))
}

/// Some components with an event each, ascending; at least one.
pub(super) fn parts() -> impl Strategy<Value = Vec<(u16, EventId)>> {
    let each = proptest::option::of(event());
    let all = proptest::collection::vec(each, usize::from(COMPONENTS));
    all.prop_filter_map("nobody takes part", |all| {
        let parts = (0..).zip(all).filter_map(|(n, e)| Some((n, e?)));
        let parts: Vec<(u16, EventId)> = parts.collect();
        (!parts.is_empty()).then_some(parts)
    })
}

/// Local states without atoms, all of them expanded.
pub(super) fn locals() -> impl Strategy<Value = Locals> {
    let step = (event(), (0..LOCALS).prop_map(LocalId));
    let steps = proptest::collection::vec(step, 0..5);
    proptest::collection::vec(steps, LOCALS as usize).prop_map(|rows| {
        let (mut locals, none) = (Locals::default(), AtomTypes::none());
        for n in 0..LOCALS {
            let shape = locals.add_shape(Term(n), Vec::new(), (false, false), &none);
            locals.intern(shape, &[]);
        }
        for (n, row) in (0..).zip(rows) {
            locals.store_transitions(LocalId(n), row);
        }
        locals
    })
}

/// Whether every participant can perform its event.
pub(super) fn all_can(locals: &Locals, state: &[LocalId], parts: &[(u16, EventId)]) -> bool {
    let can = |(component, event): &(u16, EventId)| {
        let all = locals.transitions(state[usize::from(*component)]);
        all.unwrap_or(&[]).iter().any(|t| t.0 == *event)
    };
    parts.iter().all(can)
}
