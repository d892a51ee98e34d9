//! Names that are not found: what is wrong with them, and what may have been meant.

use std::rc::Rc;

use super::Resolver;
use super::scope::{Availability, Entity, ModuleId, Obstacle, Scopes, availability};
use crate::script::core::Builtin;
use crate::source::{Diagnostic, Kind, Span};

/// A script that lacks more names lacks a file, not a letter.
const SUGGESTIONS_MAX: usize = 200;

impl Scopes {
    /// The known name that is closest to an unknown one, if any is close. Exported names of the
    /// modules in scope count too, as paths.
    pub fn suggestion(&self, name: &str) -> Option<Rc<str>> {
        self.missed.set(self.missed.get() + 1);
        if self.missed.get() > SUGGESTIONS_MAX {
            return None;
        }
        let last = name.rsplit("::").next().unwrap_or(name);
        let allowed = (last.chars().count() / 3).clamp(1, 3);
        let own = self
            .visible()
            .map(|(n, _)| n)
            .filter(|n| !name.contains("::") || n.contains("::"));
        let builtin = Builtin::ALL
            .iter()
            .filter(|b| availability(**b) == Availability::Always)
            .map(|b| Rc::from(b.name()));
        let near = own
            .chain(builtin)
            .filter_map(|n| Some((distance(name, &n, allowed)?, n)))
            .filter(|(d, n)| *d < n.chars().count())
            .min_by_key(|(d, _)| *d);
        let paths = self.paths();
        let elsewhere = paths
            .iter()
            .filter_map(|path| {
                let end = path.rsplit("::").next().unwrap_or(path);
                let whole = distance(name, path, allowed);
                let nearest = whole.into_iter().chain(distance(last, end, allowed)).min();
                Some((nearest?, path))
            })
            .filter(|(d, path)| *d < path.chars().count())
            .min_by_key(|(d, _)| *d);
        match (near, elsewhere) {
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
        while let Some((path, id)) = open.get(next).cloned() {
            next += 1;
            if self.modules[id.0 as usize].parametrised {
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

/// Longer names are never near others: comparing them takes the product of their lengths.
const COMPARED_MAX: usize = 100;

/// Edit distance with swaps of neighbours, if it is at most `most`; letters that differ in case only
/// are the same.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    // Names are ASCII.
    if a.len().abs_diff(b.len()) > most || a.len() > COMPARED_MAX {
        return None;
    }
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let width = b.len() + 1;
    let mut rows = vec![0usize; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = a[i - 1].eq_ignore_ascii_case(&b[j - 1]);
                let replaced = rows[(i - 1) * width + j - 1] + usize::from(!same);
                let dropped = rows[(i - 1) * width + j] + 1;
                let added = rows[i * width + j - 1] + 1;
                let mut best = replaced.min(dropped).min(added);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[(i - 2) * width + j - 2] + 1);
                }
                best
            };
        }
    }
    Some(rows[a.len() * width + b.len()]).filter(|d| *d <= most)
}

impl Resolver {
    /// Puts a name into the innermost scope; an earlier one there stays, and is reported.
    pub(super) fn declare(&mut self, name: &Rc<str>, entity: Entity, span: Span) -> bool {
        if let Some(earlier) = self.scopes.innermost(name) {
            self.report(
                Diagnostic::error("E0202", span, format!("`{name}` is defined twice"))
                    .label("defined again here")
                    .also(earlier.span, "first defined here"),
            );
            return false;
        }
        self.scopes.define(name, entity, span);
        true
    }

    /// Reports a name that is not in scope, with what may have been meant.
    pub(super) fn unbound(&mut self, name: &str, span: Span) -> String {
        let diagnostic = match self.scopes.path(name) {
            Err(obstacle) if name.contains("::") => self.blocked(name, span, &obstacle),
            _ => self.not_defined(name, span),
        };
        let message = diagnostic.message.clone();
        // It may be defined in what could not be read, which was reported.
        if !(self.scopes.incomplete
            && diagnostic.kind == Kind::Undefined
            && diagnostic.notes.is_empty())
        {
            self.report(diagnostic);
        }
        message
    }

    fn not_defined(&self, name: &str, span: Span) -> Diagnostic {
        let diagnostic = Diagnostic::error("E0201", span, format!("`{name}` is not defined"))
            .label("not found in this scope");
        let builtin = Builtin::ALL.iter().find(|b| b.name() == name);
        match builtin.map(|b| availability(*b)) {
            Some(Availability::Declared(how)) => {
                let message = format!("`{name}` is used but not declared");
                Diagnostic::error("E0212", span, message)
                    .label("not found in this scope")
                    .note(format!("add the line `{how} {name}` to use the built-in"))
            }
            Some(Availability::Timed) => {
                diagnostic.note(format!("`{name}` exists in Timed sections only"))
            }
            _ => self.did_you_mean(diagnostic, name),
        }
    }

    fn did_you_mean(&self, diagnostic: Diagnostic, name: &str) -> Diagnostic {
        match self.scopes.suggestion(name) {
            Some(near) => diagnostic.note(format!("did you mean `{near}`?")),
            None => diagnostic,
        }
    }

    /// Why a path cannot be used.
    pub(super) fn blocked(&self, name: &str, span: Span, obstacle: &Obstacle) -> Diagnostic {
        let module = |id: &ModuleId| &self.scopes.modules[id.0 as usize];
        match obstacle {
            Obstacle::Unknown(Some(id), part) => {
                let m = module(id);
                let message = format!("the module `{}` has no `{part}`", m.name);
                let diagnostic = Diagnostic::error("E0201", span, message)
                    .label("not found in the module")
                    .also(m.span, "the module is defined here");
                self.did_you_mean(diagnostic, name)
            }
            Obstacle::Unknown(None, part) => {
                let message = format!("there is no module `{part}`");
                let diagnostic =
                    Diagnostic::error("E0201", span, message).label("not found in this scope");
                self.did_you_mean(diagnostic, name)
            }
            Obstacle::Private(id, part, place) => {
                let m = module(id);
                let message = format!("`{part}` is not exported by the module `{}`", m.name);
                Diagnostic::error("E0219", span, message)
                    .label("used outside the module here")
                    .also(*place, "defined before `exports` here")
                    .note("move the definition behind `exports` to use it outside")
            }
            Obstacle::Parametrised(id) => {
                let m = module(id);
                let message = format!("the module `{}` has parameters", m.name);
                Diagnostic::error("E0220", span, message)
                    .label("only an instance of it has names")
                    .also(m.span, "the module is defined here")
                    .note(format!(
                        "add a line such as `instance I = {}(…)` and use the names of `I`",
                        m.name
                    ))
            }
            Obstacle::NoModule(part, place) => {
                let message = format!("`{part}` is not a module");
                Diagnostic::error("E0221", span, message)
                    .label("`::` follows the name of a module")
                    .also(*place, "defined here")
            }
        }
    }

    /// A module where a value is needed.
    pub(super) fn module_as_value(&mut self, name: &str, id: ModuleId, span: Span) -> String {
        let m = &self.scopes.modules[id.0 as usize];
        let message = format!("`{name}` is a module, not a value");
        let diagnostic = Diagnostic::error("E0221", span, message.clone())
            .label("a value is needed here")
            .also(m.span, "the module is defined here");
        let first = self.scopes.members(id).find(|(_, b)| b.exported);
        let diagnostic = match first {
            Some((member, _)) => diagnostic.note(format!(
                "the names that it exports are used as in `{name}::{member}`"
            )),
            None => diagnostic,
        };
        self.report(diagnostic);
        message
    }
}
