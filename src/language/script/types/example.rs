//! Example values of types, as text: what a person may begin with where a function wants arguments.

use super::Types;
use super::ty::{Ty, TyKind};
use crate::script::core::{GlobalId, Script};
use crate::source::stack::deep;

/// Placeholder for a value of an unknown type.
const UNKNOWN: &str = "_";

impl Types {
    /// A value for each parameter of a function that gives a process, group by group; none for other definitions.
    #[must_use]
    pub fn example_arguments(&self, global: GlobalId, script: &Script) -> Option<Vec<Vec<String>>> {
        let mut t = self.globals.get(global.0 as usize)?.ty;
        let mut groups = Vec::new();
        loop {
            t = self.store.trace(t, None).0;
            let TyKind::Fun(parameters, result) = self.store.kind(t) else {
                break;
            };
            let values = parameters.iter().map(|p| self.example(*p, script));
            groups.push(values.collect());
            t = *result;
        }
        (t == Ty::PROC && !groups.is_empty()).then_some(groups)
    }

    fn example(&self, t: Ty, script: &Script) -> String {
        let t = self.store.trace(t, None).0;
        match self.store.kind(t) {
            TyKind::Int => "0".to_owned(),
            TyKind::Bool => "true".to_owned(),
            TyKind::Char => "'a'".to_owned(),
            TyKind::Proc => "STOP".to_owned(),
            TyKind::Set(_) => "{}".to_owned(),
            TyKind::Seq(_) => "<>".to_owned(),
            TyKind::Tuple(parts) => {
                let parts = parts
                    .iter()
                    .map(|part| deep(|| self.example(*part, script)));
                format!("({})", parts.collect::<Vec<_>>().join(", "))
            }
            TyKind::Data(data) => {
                let datatype = script.types.get(data.0 as usize);
                let mut clauses = datatype.into_iter().flat_map(|d| &d.clauses);
                let plain = clauses.find(|(_, fields)| fields.is_none());
                let name = plain.and_then(|(c, _)| script.ctors.get(c.0 as usize));
                name.map_or_else(|| UNKNOWN.to_owned(), |c| c.name.to_string())
            }
            _ => UNKNOWN.to_owned(),
        }
    }
}
