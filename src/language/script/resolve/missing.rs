//! Names that are not found: what may have been meant.

use std::rc::Rc;

use super::scope::{BuiltinAccess, Entity, ModuleId, Scopes, availability};
use crate::script::core::Builtin;
use crate::source::distance;

/// A script that lacks more names lacks a file, not a letter.
const SUGGESTIONS_MAX: usize = 200;

impl Scopes {
    /// The known name that is closest to an unknown one, if any is close. Exported names of the
    /// modules in scope count too, as paths.
    pub fn suggestion(&self, name: &str) -> Option<Rc<str>> {
        if self.one_more_missed() > SUGGESTIONS_MAX {
            return None;
        }
        let last = name.rsplit("::").next().unwrap_or(name);
        // One letter in three may differ: `Rde` is near `Red`, `x` is near nothing but other single
        // letters.
        let allowed = (last.chars().count() / 3).clamp(1, 3);
        let own = self
            .visible()
            .map(|(n, _)| n)
            .filter(|n| !name.contains("::") || n.contains("::"));
        let builtin = Builtin::ALL
            .iter()
            .filter(|b| availability(**b) == BuiltinAccess::Always)
            .map(|b| Rc::from(b.name()));
        let near = own
            .chain(builtin)
            .filter_map(|n| Some((distance(name, &n, allowed)?, n)))
            // A name that shares no letter is not near, however short.
            .filter(|(d, n)| *d < n.chars().count())
            .min_by_key(|(d, _)| *d);
        let paths = self.paths();
        let elsewhere = paths
            .iter()
            .filter_map(|path| {
                let end = path.rsplit("::").next().unwrap_or(path);
                // Either the path was mistyped, or it was left out but for its last part.
                let whole = distance(name, path, allowed);
                let nearest = whole.into_iter().chain(distance(last, end, allowed)).min();
                Some((nearest?, path))
            })
            .filter(|(d, path)| *d < path.chars().count())
            .min_by_key(|(d, _)| *d);
        match (near, elsewhere) {
            // What is in scope already is preferred.
            (Some((d, n)), Some((e, _))) if d <= e => Some(n),
            (_, Some((_, path))) => Some(Rc::clone(path)),
            (near, None) => near.map(|(_, n)| n),
        }
    }

    /// Paths to the names that modules in scope export.
    fn paths(&self) -> Vec<Rc<str>> {
        let module = |e: Entity| match e {
            Entity::Module(m) => Some(m),
            _ => None,
        };
        let mut open: Vec<(String, ModuleId)> = self
            .visible()
            .filter_map(|(n, b)| Some((n.to_string(), module(b.entity)?)))
            .collect();
        let mut out = Vec::new();
        let mut next = 0;
        // Modules inside modules, breadth first: short paths come before long ones.
        while let Some((path, id)) = open.get(next).cloned() {
            next += 1;
            if self.module(id).parametrised {
                continue;
            }
            for (name, binding) in self.members(id).filter(|(_, b)| b.exported) {
                let longer = format!("{path}::{name}");
                match module(binding.entity) {
                    Some(inner) => open.push((longer, inner)),
                    None => out.push(longer.into()),
                }
            }
        }
        out
    }
}
