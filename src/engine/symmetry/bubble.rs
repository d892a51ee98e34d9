//! Adjacent transpositions, as in SVISS: two neighbouring values of a type are exchanged while
//! that makes the state less.
//!
//! That is a local search, which ends in a local minimum. Where the state is nothing but one column
//! for each value (the control states of the components with its label, and the variables of others that hold it)
//! the exchange of two neighbours exchanges two columns, and the search is bubble sort: then there is one
//! local minimum an orbit.

use std::cmp::Ordering;

use super::context::StateContext;
use super::scratch::BubbleScratch;
use super::strategy::{Representative, Strategy};
use crate::machine::{LocalId, Miss};
use crate::value::Atom;

/// The `bubble` strategy.
#[derive(Clone, Copy, Debug)]
pub struct Bubble;

impl Strategy for Bubble {
    fn name(&self) -> &'static str {
        "bubble"
    }

    fn representative(
        &self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<(), Miss> {
        out.fell_back = false;
        start(context, out);
        context.image(&out.image, &mut out.locals)?;
        // It terminates: each exchange makes the state less, and an orbit is finite.
        while exchange_once(context, out)? {}
        Ok(())
    }
}

/// The exchanges of the last computation, as pairs of names.
#[must_use]
pub fn exchanges(out: &Representative) -> Vec<(Atom, Atom)> {
    let lower = out.bubble.exchanges.iter();
    lower.map(|name| (*name, Atom(name.0 + 1))).collect()
}

/// Whether a state is one column for each value, so that its orbit has one local minimum: components
/// that permutations move hold only the one value of their label, copies hold nothing, and in the others
/// each variable holds one value.
#[must_use]
pub fn is_columns(context: &StateContext<'_>) -> bool {
    let format = context.network.format(context.format);
    let is_moved = |component: usize| !format.images().label(component).is_empty();
    let mut copies = format.copies().sets().iter().flatten();
    let mut all = context.state.iter().enumerate();
    let is_plain = |local: LocalId| context.locals.atoms_of(local).is_empty();
    context.spec_atoms_ordered
        && copies.all(|copy| is_plain(context.state[usize::from(*copy)]))
        && all.all(|(component, local)| match is_moved(component) {
            true => holds_label(context, component, *local),
            false => !context.locals.is_grouped(*local),
        })
}

/// Whether a component that permutations move holds only the one value of its label.
fn holds_label(context: &StateContext<'_>, component: usize, local: LocalId) -> bool {
    let format = context.network.format(context.format);
    let label = context
        .locals
        .atoms_of(format.components()[component].initial);
    let mut held = context.locals.atoms_of(local).iter();
    label.len() == 1 && held.all(|atom| *atom == label[0])
}

/// Starts with the identity, and compares components in the order of their labels: with another order, the
/// places of neighbouring values might stand the other way round.
fn start(context: &StateContext<'_>, out: &mut Representative) {
    let values = (0..context.atoms.len() as u16).map(Atom);
    out.image.clear();
    out.image.extend(values.clone());
    let BubbleScratch {
        order,
        named,
        exchanges,
        ..
    } = &mut out.bubble;
    named.clear();
    named.extend(values);
    exchanges.clear();
    order.clear();
    order.extend(0..context.state.len() as u16);
    let components = context.network.format(context.format).components();
    let key = |c: u16| {
        let component = &components[usize::from(c)];
        let label = context.locals.atoms_of(component.initial);
        (component.class, label, c)
    };
    order.sort_unstable_by(|a, b| key(*a).cmp(&key(*b)));
    spec_names(context, &out.image, &mut out.bubble.spec.0);
}

/// The names of the specification's values; sorted where their order means nothing.
fn spec_names(context: &StateContext<'_>, image: &[Atom], names: &mut Vec<Atom>) {
    names.clear();
    let values = context.spec_atoms.iter();
    names.extend(values.map(|atom| image[usize::from(atom.0)]));
    if !context.spec_atoms_ordered {
        names.sort_unstable();
    }
}

/// Tries all pairs of neighbours once, from the first; true if one was exchanged.
fn exchange_once(context: &StateContext<'_>, out: &mut Representative) -> Result<bool, Miss> {
    let mut changed = false;
    for kind in 0..context.atoms.kinds() {
        let names = context.atoms.atoms(kind as u8);
        for lower in names.start..names.end.saturating_sub(1) {
            exchange(out, lower);
            context.image(&out.image, &mut out.bubble.trial)?;
            spec_names(context, &out.image, &mut out.bubble.spec.1);
            if is_less(context, out) {
                std::mem::swap(&mut out.locals, &mut out.bubble.trial);
                let (now, then) = &mut out.bubble.spec;
                std::mem::swap(now, then);
                out.bubble.exchanges.push(Atom(lower));
                changed = true;
            } else {
                // Undone.
                exchange(out, lower);
            }
        }
    }
    Ok(changed)
}

/// Exchanges two neighbouring names.
fn exchange(out: &mut Representative, lower: u16) {
    let at = usize::from(lower);
    let (a, b) = (out.bubble.named[at], out.bubble.named[at + 1]);
    out.bubble.named.swap(at, at + 1);
    out.image.swap(usize::from(a.0), usize::from(b.0));
}

/// Compares the trial with the best so far: component by component, shapes by their rank and not by their
/// number, which depends on the order of discovery; then the values that the specification mentions.
fn is_less(context: &StateContext<'_>, out: &Representative) -> bool {
    let (locals, bubble) = (context.locals, &out.bubble);
    for component in &bubble.order {
        let at = usize::from(*component);
        let (new, old) = (bubble.trial[at], out.locals[at]);
        if new != old {
            let key = |local| (locals.rank(locals.shape_of(local)), locals.atoms_of(local));
            match key(new).cmp(&key(old)) {
                Ordering::Equal => {}
                other => return other == Ordering::Less,
            }
        }
    }
    bubble.spec.1 < bubble.spec.0
}
