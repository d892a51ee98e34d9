//! Counter abstraction, as in BOOM and GRIP: where components hold only their own names, a state is the number of
//! components of each family in each control state.
//!
//! The representative is the state with the components of each family in order of their control states. That is
//! the same information as the counters, and all readers of stored states understand it.
//!
//! A value is a *column*: the control states of the components that it names, one a family, and the places
//! where the specification mentions it. Where no component holds a value but that of its own label, a state
//! is the multiset of its columns, so sorting the columns gives one representative an orbit.

use super::context::StateContext;
use super::exact::Exact;
use super::sorted::{set_image, sort_values};
use super::strategy::{Representative, Strategy};
use crate::machine::{Format, LocalId, Locals, Machine, Miss};

/// The `counters` strategy.
#[derive(Clone, Copy, Debug)]
pub struct Counters;

impl Strategy for Counters {
    fn name(&self) -> &'static str {
        "counters"
    }

    fn representative(
        &self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<(), Miss> {
        // A case that was not known before the search. Permutations do not change the answer, so all states of an
        // orbit are treated alike.
        if !is_countable(context) {
            Exact.representative(context, out)?;
            out.fell_back = true;
            return Ok(());
        }
        sort_values(context, out, true);
        out.fell_back = false;
        set_image(&out.sorted.order, &mut out.image);
        context.image(&out.image, &mut out.locals)
    }

    fn instead(&self) -> &'static str {
        "`exact` was done: the specification held a set of values, or a component held a value of which \
         that was not known before the search"
    }
}

/// Whether a state is the multiset of its columns.
fn is_countable(context: &StateContext<'_>) -> bool {
    let format = context.network.format(context.format);
    let mut components = context.state.iter().enumerate();
    context.spec_atoms_ordered
        && components.all(|(component, local)| {
            // A component that values of two labels move belongs to no single column.
            let moved_by = format.images().label(component).len();
            moved_by <= 1 && foreign(context.locals, format, component, *local).is_none()
        })
}

/// The first variable of a local state that holds anything but the one value of the component's
/// label; if the label has several values, the first variable that holds a value.
fn foreign(locals: &Locals, format: &Format, component: usize, local: LocalId) -> Option<usize> {
    let own = match locals.atoms_of(format.components()[component].initial) {
        [_] => format.identity()[component],
        _ => None,
    };
    let mut held = locals.atoms_of(local).iter();
    held.position(|atom| Some(*atom) != own)
}

/// A value that a component holds although it is not that of its own label.
#[derive(Clone, Debug)]
pub struct ForeignValue {
    /// The local state that holds it.
    pub local: LocalId,
    /// As in "the variable `x` of `P` holds a value of `T`".
    pub words: String,
}

/// The first such value in the local states that some components of a format reach, as far as explored.
pub fn foreign_value(
    machine: &mut Machine,
    format: &Format,
    concerns: &dyn Fn(usize) -> bool,
) -> Option<ForeignValue> {
    let locals = machine.locals();
    let of = |component: usize| {
        let mut reached = format.reach()[component].locals.iter();
        reached.find_map(|local| {
            // It becomes several components, and its values their labels: decided at that time.
            if format.tree().may_change(locals, component as u16, *local) {
                return None;
            }
            let hole = foreign(locals, format, component, *local)?;
            Some((component, *local, hole))
        })
    };
    let mut concerned = (0..format.components().len()).filter(|component| concerns(*component));
    let (component, local, hole) = concerned.find_map(of)?;
    let initial = format.components()[component].initial;
    let is_several = locals.atoms_of(initial).len() > 1;
    let hole = &locals.shape(locals.shape_of(local)).holes[hole];
    let (variable, kind) = (hole.name.clone(), hole.kind);
    let type_name = machine.atoms().name(kind).to_owned();
    let (family, _) = machine.describe_local(initial);
    let (state, _) = machine.describe_local(local);
    // Named by the initial state, and by the present one if that has another name.
    let whose = match state == family {
        true => family,
        false => format!("{family}, as {state},"),
    };
    let several = match is_several {
        true => "; it is one of several values that name the component",
        false => "",
    };
    let words =
        format!("the variable `{variable}` of {whose} holds a value of {type_name}{several}");
    Some(ForeignValue { local, words })
}

/// The reason why counters do not apply to the local states that the components of a format reach, as far as
/// explored; `None` if they apply.
pub fn obstacle(machine: &mut Machine, format: &Format) -> Option<String> {
    let found = foreign_value(machine, format, &|_| true)?;
    Some(format!("counters do not apply: {}", found.words))
}
