//! Variables.

use std::rc::Rc;

use crate::script::core::{Pattern, PatternKind, VariableId};

/// All variables of the script so far, by their names.
#[derive(Default)]
pub(super) struct Variables(Vec<Rc<str>>);

impl Variables {
    /// A variable of its own.
    pub fn fresh(&mut self, name: &Rc<str>) -> VariableId {
        self.0.push(Rc::clone(name));
        VariableId(self.0.len() as u32 - 1)
    }

    pub fn name(&self, local: VariableId) -> &Rc<str> {
        &self.0[local.0 as usize]
    }

    pub fn into_names(self) -> Vec<Rc<str>> {
        self.0
    }

    /// The variable for the whole value that a pattern matches; made if there is none.
    pub fn named(&mut self, p: &mut Pattern) -> VariableId {
        if let PatternKind::Bind(local) = p.kind {
            return local;
        }
        let local = self.fresh(&"input".into());
        let own = Pattern {
            kind: PatternKind::Bind(local),
            span: p.span,
        };
        // `?(x, y)` becomes `?((x, y) @@ input)`: it matches the same, and the whole has a name.
        let before = std::mem::replace(&mut p.kind, PatternKind::Wild);
        p.kind = match before {
            PatternKind::Wild => PatternKind::Bind(local),
            kind => {
                let inner = Pattern { kind, span: p.span };
                PatternKind::Both(Box::new(inner), Box::new(own))
            }
        };
        local
    }
}
