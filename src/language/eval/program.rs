//! The compiled program: units and control states. The compiler adds to it, and running code only
//! reads it.

use std::rc::Rc;

use super::canon::Canons;
use super::code::{ControlInfo, Unit, UnitBody, UnitId};
use super::fail::nowhere;
use crate::process::term::ControlState;
use crate::script::core::{Builtin, Expr};
use crate::source::Span;
use crate::source::hash::{IndexMap, Map, Set};
use crate::source::ordinal;

/// So many further places of a control state are known: enough to show, and no work for scripts that are
/// made by machines.
const PLACES_MAX: usize = 32;

/// Everything compiled so far. Units and control states are never changed once they are defined (but for
/// further places where they stand), and never removed, since values and terms refer to them by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    units: Vec<Rc<Unit>>,
    /// By what makes two control states the same; the index is the number of the state.
    controls: IndexMap<Box<[u32]>, ControlInfo>,
    /// The numbers of expressions, from which those keys are made.
    pub canons: Canons,
    /// Built-in functions that were compiled since the last call of [`Program::take_mentioned`].
    mentioned: Vec<Builtin>,
    /// Labels of control states that are taken.
    labels: Set<String>,
    /// Names that several definitions of the script have.
    common: Set<Rc<str>>,
    /// Units of the expressions of the script that are evaluated from outside, by address: they live
    /// as long as the script. An expression made later may be dropped and its address used again, so
    /// it must not get here.
    closed: Map<usize, UnitId>,
}

impl Program {
    pub(super) fn unit(&self, id: UnitId) -> &Rc<Unit> {
        &self.units[id as usize]
    }
    /// The name of a parameter of a function.
    pub(super) fn parameter(&self, id: UnitId, at: usize) -> String {
        let name = match &self.unit(id).body {
            UnitBody::Function { parameters, .. } => parameters.get(at).cloned().flatten(),
            _ => None,
        };
        name.map_or_else(|| format!("argument {}", at + 1), |name| name.to_string())
    }
    /// The number of the unit that comes next.
    pub(super) fn next_unit(&self) -> UnitId {
        self.units.len() as UnitId
    }
    /// The data of a control state.
    pub(super) fn control(&self, control: ControlState) -> Option<&ControlInfo> {
        let (_, info) = self.controls.get_index(control.0 as usize)?;
        Some(info)
    }
    /// The code of a control state.
    pub(super) fn control_unit(&self, control: ControlState) -> &Rc<Unit> {
        self.unit(self.controls[control.0 as usize].unit)
    }
    /// Number of control states.
    #[cfg(test)]
    pub(super) fn control_count(&self) -> usize {
        self.controls.len()
    }

    /// The unit of an expression of the script, if it is evaluated from outside.
    pub(super) fn closed(&self, e: &Expr) -> Option<UnitId> {
        self.closed.get(&(std::ptr::from_ref(e) as usize)).copied()
    }
    /// Remembers the unit of an expression that lives as long as the script.
    pub(super) fn remember_closed(&mut self, e: &Expr, unit: UnitId) {
        self.closed.insert(std::ptr::from_ref(e) as usize, unit);
    }

    /// A place for a unit that is compiled next: what it mentions may mention it.
    pub(super) fn reserve(&mut self, name: &Rc<str>) -> UnitId {
        let id = self.next_unit();
        self.units.push(Rc::new(Unit {
            name: Rc::clone(name),
            span: nowhere(),
            captures: 0,
            frame: 0,
            body: UnitBody::Pending,
        }));
        id
    }

    /// Puts a unit into its place.
    pub(super) fn define(&mut self, id: UnitId, unit: Unit) {
        debug_assert!(matches!(self.unit(id).body, UnitBody::Pending));
        self.units[id as usize] = Rc::new(unit);
    }

    /// Says which names several definitions of the script have.
    pub(super) fn set_common(&mut self, names: Set<Rc<str>>) {
        self.common = names;
    }
    /// Whether several definitions of the script have this name.
    pub(super) fn is_common(&self, name: &str) -> bool {
        self.common.contains(name)
    }

    /// The control state with this key.
    pub(super) fn find_control(&self, key: &[u32]) -> Option<ControlState> {
        let index = self.controls.get_index_of(key)?;
        Some(ControlState(index as u32))
    }

    /// Adds a control state. If its label is taken, it gets one that is not: two states of one definition may
    /// begin with the same channel, and then the later one says which it is, in the order of the script. A line
    /// would tell more, but it would be another one after any edit above it, and runs are saved with labels.
    pub(super) fn add_control(&mut self, key: Box<[u32]>, mut info: ControlInfo) -> ControlState {
        debug_assert!(!self.controls.contains_key(&key));
        let bare = &info.label;
        let counted = (2..).map(|n| format!("{bare}.{}", ordinal(n)));
        let free = |label: &String| !self.labels.contains(label);
        let label = std::iter::once(bare.clone()).chain(counted).find(free);
        info.label = label.unwrap_or_default();
        self.labels.insert(info.label.clone());
        let (index, _) = self.controls.insert_full(key, info);
        ControlState(index as u32)
    }

    /// Notes a further place of a control state: equal expressions are one, wherever they stand.
    pub(super) fn stands_at(&mut self, control: ControlState, place: Span) {
        let Some((_, info)) = self.controls.get_index_mut(control.0 as usize) else {
            return;
        };
        let is_new = info.span != place && !info.also.contains(&place);
        if is_new && info.also.len() < PLACES_MAX {
            info.also.push(place);
        }
    }

    /// Notes that a built-in function occurs in the script.
    pub(super) fn mention(&mut self, function: Builtin) {
        self.mentioned.push(function);
    }
    /// The built-in functions that were compiled since the last call.
    pub(super) fn take_mentioned(&mut self) -> Vec<Builtin> {
        std::mem::take(&mut self.mentioned)
    }

    /// To be called when the expressions compiled so far may be dropped.
    pub(super) fn end_compilation(&mut self) {
        self.canons.end_compilation();
        #[cfg(debug_assertions)]
        self.assert_consistent();
    }

    /// Checks that everything reserved is defined, and that frames and control states fit their code.
    #[cfg(debug_assertions)]
    fn assert_consistent(&self) {
        for unit in &self.units {
            assert!(!matches!(unit.body, UnitBody::Pending), "{}", unit.name);
            // The captured values come first in the frame; a partial application has none.
            let partial = matches!(unit.body, UnitBody::Partial { .. });
            let resumed = matches!(unit.body, UnitBody::Resume { .. });
            let fits = unit.captures <= unit.frame;
            assert!(partial || resumed || fits, "{}", unit.name);
        }
        for info in self.controls.values() {
            let unit = self.unit(info.unit);
            // An environment has a value for each variable that is shown.
            assert!(matches!(unit.body, UnitBody::Head(_)), "{}", info.label);
            assert_eq!(unit.captures as usize, info.variables.len());
            assert_eq!(info.order.len(), info.variables.len());
        }
    }
}
