//! Sound assertions of a script with errors: those that reach no declaration with an error.

use std::cell::Cell;
use std::rc::Rc;

use super::core::{Builtin, Expr, ExprKind, GlobalKind, Script};
use super::reach::{TopLevel, reach};
use super::visit::{Mention, Visit};
use crate::source::hash::IndexMap;
use crate::source::{Diagnostic, Kind, Severity, Span};
use crate::syntax::ast::{Decl, DeclKind, Ident};

/// Facts about the text of a script, beyond what could be resolved.
#[derive(Debug, Default)]
pub struct ReadText {
    /// The places of the declarations, those of modules included, in order of their starts.
    declarations: Vec<Span>,
    /// Names declared where the text could not be read.
    lost: IndexMap<Rc<str>, Span>,
    /// Whether any other name may be missing too.
    incomplete: bool,
}

impl ReadText {
    /// The facts about a tree.
    pub(super) fn new(decls: &[Decl], lost: &[Ident], incomplete: bool) -> Self {
        let mut declarations = Vec::new();
        places(decls, &mut declarations);
        declarations.sort_by_key(|s| (s.file, s.start, std::cmp::Reverse(s.end)));
        Self {
            declarations,
            lost: lost
                .iter()
                .map(|name| (Rc::clone(&name.text), name.span))
                .collect(),
            incomplete,
        }
    }

    /// The innermost declaration around a place, by its index.
    fn declaration(&self, span: Span) -> Option<usize> {
        let after = self
            .declarations
            .partition_point(|d| (d.file, d.start) <= (span.file, span.start));
        (0..after)
            .rev()
            .take_while(|i| self.declarations[*i].file == span.file)
            .find(|i| self.declarations[*i].end >= span.end)
    }

    /// The declarations with errors, each with the place of its first one. An error belongs to the declaration it
    /// stands in: what it points to besides, such as the channel that is used wrongly, is sound. Only where two
    /// declarations share a name either of them may be the wrong one.
    fn broken(&self, errors: &[&Diagnostic]) -> IndexMap<usize, Span> {
        let mut broken: IndexMap<usize, Span> = IndexMap::default();
        for error in errors {
            let shared = matches!(error.kind, Kind::Taken | Kind::Clauses);
            let labels = error.labels.iter().filter(|_| shared).map(|l| l.span);
            for span in error.span.into_iter().chain(labels) {
                if let Some(index) = self.declaration(span) {
                    broken.entry(index).or_insert(error.span.unwrap_or(span));
                }
            }
        }
        broken
    }
}

fn places(decls: &[Decl], out: &mut Vec<Span>) {
    for decl in decls {
        out.push(decl.span);
        match &decl.kind {
            DeclKind::Module {
                private, exports, ..
            } => {
                places(private, out);
                places(exports, out);
            }
            DeclKind::Timed { decls, .. } => places(decls, out),
            _ => {}
        }
    }
}

/// The error that keeps expressions at a place, such as those of an assertion, from being evaluated; the rest of the
/// script may be sound.
#[must_use]
pub fn in_the_way(
    script: &Script,
    text: &ReadText,
    diagnostics: &[Diagnostic],
    place: Span,
    roots: &[&Expr],
) -> Option<Diagnostic> {
    let errors: Vec<&Diagnostic> = diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .collect();
    let first = errors.first()?;
    let message = "this depends on what has errors";
    let problem = Diagnostic::error("E0230", place, message);
    if text.incomplete {
        return Some(match first.span {
            Some(span) => problem.also(span, "after this error anything may be missing"),
            None => problem.note(first.message.clone()),
        });
    }
    let broken = text.broken(&errors);
    let mut watch = MissingWatch {
        script,
        text,
        left_out: Cell::new(None),
        lost: None,
    };
    let nodes = reach(script, roots, &mut watch);
    // An assertion is a declaration, too, and may have errors of its own.
    let own = std::iter::once((place, "this itself"));
    let reached = nodes.iter().flat_map(|n| declared(script, *n));
    for (span, name) in own.chain(reached) {
        let error = text.declaration(span).and_then(|i| broken.get(&i));
        if let Some(error) = error {
            return Some(problem.also(*error, format!("an error in {name}")));
        }
        if let Some(lost) = text.lost.get(name) {
            return Some(problem.also(*lost, format!("a part of {name} could not be read")));
        }
    }
    if let Some((name, span)) = watch.lost {
        return Some(problem.also(span, format!("{name} could not be read")));
    }
    // Something was replaced by a call of `error` although no declaration on the way has an error:
    // it was lost with something else.
    let left_out = watch.left_out.get()?;
    let name = script.sources.text(left_out);
    if let Some(lost) = text.lost.get(name) {
        return Some(problem.also(*lost, format!("{name} could not be read")));
    }
    Some(problem.also(left_out, "this needs what was left out"))
}

/// The places of a declaration, each with the name.
fn declared(script: &Script, node: TopLevel) -> Vec<(Span, &str)> {
    match node {
        TopLevel::Global(g) => {
            let global = &script.globals[g.0 as usize];
            let mut places = vec![(global.span, &*global.name)];
            if let GlobalKind::Function(function) = &global.kind {
                places.extend(function.clauses.iter().map(|c| (c.span, &*global.name)));
            }
            places
        }
        TopLevel::Channel(c) => {
            let channel = &script.channels[c.0 as usize];
            vec![(channel.span, &*channel.name)]
        }
        TopLevel::Type(t) => {
            let datatype = &script.types[t.0 as usize];
            vec![(datatype.span, &*datatype.name)]
        }
    }
}

/// Looks for expressions that stand in for others, and for variables that may have been meant as
/// something that was lost.
struct MissingWatch<'a> {
    script: &'a Script,
    text: &'a ReadText,
    left_out: Cell<Option<Span>>,
    lost: Option<(Rc<str>, Span)>,
}

impl Visit for MissingWatch<'_> {
    fn mention(&mut self, mention: Mention, _: Span) {
        let name = match mention {
            Mention::Binder(local) => Rc::clone(&self.script.locals[local.0 as usize]),
            _ => return,
        };
        if let Some(place) = self.text.lost.get(&name) {
            self.lost.get_or_insert((name, *place));
        }
    }

    fn enters(&self, e: &Expr) -> bool {
        // Only what stands in for another expression is called at its own place.
        if let ExprKind::Apply(f, _) = &e.kind
            && matches!(f.kind, ExprKind::Builtin(Builtin::Error))
            && f.span == e.span
        {
            self.left_out.set(self.left_out.get().or(Some(e.span)));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::script::load::load_text;

    /// Assertions about `Good…` are to be checked, those about `Bad…` not.
    #[test]
    fn an_error_belongs_to_the_use() {
        let loaded = load_text(
            Path::new("t.csp"),
            "channel a : {0..3}
datatype D = K.{0..1}
channel d : D
nametype N = {0..1}
f :: (Int) -> Int
f(x) = x + 1
g(x) = x + 1
module M
  secret = a.0 -> STOP
exports
  open = secret
endmodule
Good1 = a?x -> Good1
Good2 = d?(K.x) -> a.f(g(x)) -> M::open
Good3 = a?x:N -> STOP
Good4 = d.K.0 -> Good1
Bad1 = a.2.3 -> STOP
Bad2 = a.true -> STOP
Bad3 = d.K.true -> STOP
Bad4 = d.K.0.1 -> STOP
Bad5 = a.f(true) -> STOP
Bad6 = a.g(true) -> STOP
Bad7 = M::secret
Bad8 = a?x:union(N, {true}) -> STOP
Bad9 = f::x
BadTwice = a.0 -> STOP
BadTwice = a.1 -> STOP
BadClauses(0) = a.0 -> STOP
BadClauses(0, 1) = a.1 -> STOP
assert Good1 :[deadlock free]
assert Good2 :[deadlock free]
assert Good3 :[deadlock free]
assert Good4 :[deadlock free]
assert Bad1 :[deadlock free]
assert Bad2 :[deadlock free]
assert Bad3 :[deadlock free]
assert Bad4 :[deadlock free]
assert Bad5 :[deadlock free]
assert Bad6 :[deadlock free]
assert Bad7 :[deadlock free]
assert Bad8 :[deadlock free]
assert Bad9 :[deadlock free]
assert BadTwice :[deadlock free]
assert BadClauses(0) :[deadlock free]
",
        );
        assert_eq!(loaded.script.assertions.len(), 15);
        for assertion in &loaded.script.assertions {
            let text = loaded.sources.text(assertion.span);
            let refused = loaded.in_the_way(assertion);
            let bad = text.contains("Bad");
            assert_eq!(refused.is_some(), bad, "{text}: {refused:?}");
        }
    }
}
