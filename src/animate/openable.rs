//! The processes that a script offers to be opened, and the functions that give one when they get arguments.

use crate::script::core::{Clause, Expr, ExprKind, Global, GlobalId, GlobalKind, PatternKind};
use crate::script::load::Loaded;
use crate::script::visit::{self, Mention, Visit};
use crate::source::hash::{IndexSet, Map};
use crate::source::{FileId, Span};

/// A process of a script, or a function that gives one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenableProcess {
    /// Its name, or for a function a call with example arguments.
    pub text: String,
    /// As the script defines it, such as `P(i, s)`.
    pub signature: String,
    /// Whether it is a function, whose arguments are a person's choice.
    pub is_function: bool,
    /// Where it is defined, and how the first assertion that names it does so.
    pub about: String,
}

/// Processes without parameters, in order: those of assertions first, then the other definitions of type `Proc`, and
/// last built-in processes that assertions are about, which are not the system of a script.
#[must_use]
pub fn processes(loaded: &Loaded) -> Vec<String> {
    let script = &loaded.script;
    // An expression that is no name, too: it can be opened by its text ([`Loaded::process`]).
    let subjects = script
        .assertions
        .iter()
        .map(|a| loaded.words_of(a.subject()));
    let (built_in, own): (Vec<_>, Vec<_>) = subjects.partition(|text| is_built_in(text));
    let mut found: IndexSet<String> = own.into_iter().collect();
    for (n, global) in script.globals.iter().enumerate() {
        let id = GlobalId(n as u32);
        if matches!(global.kind, GlobalKind::Value(_)) && loaded.types.is_process(id) {
            found.insert(global.name.to_string());
        }
    }
    found.extend(built_in);
    found.into_iter().filter(|name| !name.is_empty()).collect()
}

/// Whether the text of a process is that of a built-in one: `STOP`, `RUN({a})`.
fn is_built_in(text: &str) -> bool {
    let head = text.split('(').next().unwrap_or_default();
    ["STOP", "SKIP", "DIV", "RUN", "CHAOS"].contains(&head)
}

/// All of a script: the processes in the order of [`processes`], then the functions in the order of the text.
#[must_use]
pub fn openable(loaded: &Loaded) -> Vec<OpenableProcess> {
    let script = &loaded.script;
    let ids = (0..script.globals.len()).map(|n| GlobalId(n as u32));
    let mut by_name: Map<&str, GlobalId> = Map::default();
    by_name.extend(ids.clone().map(|id| (&*global(loaded, id).name, id)));
    let assertions = NamingAssertions::new(loaded);
    let of_process = |text: String| {
        let about = match by_name.get(text.as_str()) {
            Some(id) => about(loaded, *id, &assertions),
            None => assertions.of_text(loaded, &text),
        };
        OpenableProcess {
            signature: text.clone(),
            text,
            is_function: false,
            about,
        }
    };
    let mut all: Vec<_> = processes(loaded).into_iter().map(of_process).collect();
    let calls = calls(loaded);
    all.extend(ids.filter_map(|id| function(loaded, id, &calls, &assertions)));
    all
}

fn global(loaded: &Loaded, id: GlobalId) -> &Global {
    &loaded.script.globals[id.0 as usize]
}

/// The entry of a function that gives a process.
fn function(
    loaded: &Loaded,
    id: GlobalId,
    calls: &Map<GlobalId, String>,
    assertions: &NamingAssertions,
) -> Option<OpenableProcess> {
    let global = global(loaded, id);
    let GlobalKind::Function(function) = &global.kind else {
        return None;
    };
    // What was generated has no text, and an instance of a module cannot be told by its name alone.
    if global.made || !global.params.is_empty() {
        return None;
    }
    let examples = loaded.types.example_arguments(id, &loaded.script)?;
    let groups = examples
        .iter()
        .map(|group| format!("({})", group.join(", ")));
    let by_type = || format!("{}{}", global.name, groups.collect::<String>());
    let is_plain = |c: &&Clause| {
        let mut patterns = c.groups.iter().flatten();
        patterns.all(|p| matches!(p.kind, PatternKind::Bind(_)))
    };
    let mut clauses = function.clauses.iter();
    let clause = clauses.clone().find(is_plain).or_else(|| clauses.next())?;
    let groups = clause.groups.iter().map(|group| {
        let patterns = group.iter().map(|p| folded(loaded, p.span));
        format!("({})", patterns.collect::<Vec<_>>().join(", "))
    });
    Some(OpenableProcess {
        text: calls.get(&id).cloned().unwrap_or_else(by_type),
        signature: format!("{}{}", global.name, groups.collect::<String>()),
        is_function: true,
        about: about(loaded, id, assertions),
    })
}

/// The first assertion, by its index, that names each definition, and that is about each process.
struct NamingAssertions {
    naming: Map<GlobalId, usize>,
    about: Map<String, usize>,
}

impl NamingAssertions {
    fn new(loaded: &Loaded) -> Self {
        let (mut naming, mut about) = (Map::default(), Map::default());
        for (index, assertion) in loaded.script.assertions.iter().enumerate() {
            about
                .entry(folded(loaded, assertion.subject().span))
                .or_insert(index);
            let mut look = |mention: Mention, _: Span| {
                if let Mention::Global(id) = mention {
                    naming.entry(id).or_insert(index);
                }
            };
            for root in assertion.roots() {
                visit::expr(root, &mut look);
            }
        }
        Self { naming, about }
    }

    /// What is said of a process that has no name, and stands in an assertion.
    fn of_text(&self, loaded: &Loaded, text: &str) -> String {
        let index = self.about.get(text);
        index.map_or_else(String::new, |index| told(loaded, *index))
    }
}

/// An assertion with its number.
fn told(loaded: &Loaded, index: usize) -> String {
    let text = &loaded.script.assertions[index].text;
    format!("assertion {}: {text}", index + 1)
}

/// The line of a definition, and the first assertion that names it.
fn about(loaded: &Loaded, id: GlobalId, assertions: &NamingAssertions) -> String {
    let span = global(loaded, id).span;
    let line = loaded.sources.line_col(span).line;
    let file = loaded.sources.file(span.file).path.file_name();
    let place = match file.filter(|_| span.file != FileId(0)) {
        Some(file) => format!("{}, line {line}", file.display()),
        None => format!("line {line}"),
    };
    match assertions.naming.get(&id) {
        Some(index) => format!("{place}; {}", told(loaded, *index)),
        None => format!("{place}; no assertion names it"),
    }
}

/// The text of a place, its white space folded.
fn folded(loaded: &Loaded, span: Span) -> String {
    let words = loaded.sources.text(span).split_whitespace();
    words.collect::<Vec<_>>().join(" ")
}

/// For each function the first call that mentions no variable: those of assertions first.
fn calls(loaded: &Loaded) -> Map<GlobalId, String> {
    let script = &loaded.script;
    let mut calls = Calls {
        loaded,
        found: Map::default(),
    };
    for assertion in &script.assertions {
        for root in assertion.roots() {
            visit::expr(root, &mut calls);
        }
    }
    for global in &script.globals {
        match &global.kind {
            GlobalKind::Value(body) => visit::expr(body, &mut calls),
            GlobalKind::Function(function) => {
                for clause in &function.clauses {
                    visit::expr(&clause.body, &mut calls);
                }
            }
            GlobalKind::Part { .. } | GlobalKind::Nametype(_) => {}
        }
    }
    calls.found
}

struct Calls<'a> {
    loaded: &'a Loaded,
    found: Map<GlobalId, String>,
}

impl Calls<'_> {
    /// The function that is called, with all its groups of arguments.
    fn called(&self, expr: &Expr) -> Option<GlobalId> {
        let mut head = expr;
        let mut groups = 0;
        while let ExprKind::Apply(function, _) = &head.kind {
            head = function;
            groups += 1;
        }
        let ExprKind::Global(id) = head.kind else {
            return None;
        };
        match &global(self.loaded, id).kind {
            GlobalKind::Function(f) if f.arity.len() == groups => Some(id),
            _ => None,
        }
    }
}

impl Visit for Calls<'_> {
    fn mention(&mut self, _: Mention, _: Span) {}

    fn expression(&mut self, expr: &Expr) {
        let Some(id) = self.called(expr).filter(|id| !self.found.contains_key(id)) else {
            return;
        };
        let mut is_closed = true;
        let mut look = |mention: Mention, _: Span| {
            is_closed &= !matches!(mention, Mention::Local(_));
        };
        visit::expr(expr, &mut look);
        if is_closed {
            self.found.insert(id, folded(self.loaded, expr.span));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::load::load_text;
    use std::path::Path;

    #[test]
    fn processes_of_the_script_come_before_built_in_ones() {
        let text = "channel a\nassert STOP :[deadlock free]\nassert STOP [T= RUN({a})\n\
                    STOPPED = a -> STOP\nassert STOP [T= STOPPED \\ {a}\nassert STOP [T= STOPPED";
        let found = processes(&load_text(Path::new("built_in.csp"), text));
        assert_eq!(found, ["STOPPED \\ {a}", "STOPPED", "STOP", "RUN({a})"]);
    }

    #[test]
    fn functions_are_listed_with_what_they_are_called_with() {
        let text = "datatype T = A | B.Int\nchannel a : T\nQ = P(1, {A})\n\
                    P(0, s) = STOP\nP(n, s) = a.A -> P(n - 1, s)\nR(t)(x) = a.t -> Q\nF(n) = n + 1\n\
                    assert Q [T= P(2, {A,  B.0})\nassert Q :[deadlock free]";
        let loaded = load_text(Path::new("functions.csp"), text);
        let all = openable(&loaded);
        let shown = |o: &OpenableProcess| {
            let sign = if o.is_function { "=" } else { "" };
            format!("{} {sign} {}; {}", o.signature, o.text, o.about)
        };
        let shown: Vec<_> = all.iter().map(shown).collect();
        assert_eq!(
            shown,
            [
                "P(2, {A, B.0})  P(2, {A, B.0}); assertion 1: Q [T= P(2, {A, B.0})",
                "Q  Q; line 3; assertion 1: Q [T= P(2, {A, B.0})",
                "P(n, s) = P(2, {A, B.0}); line 4; assertion 1: Q [T= P(2, {A, B.0})",
                "R(t)(x) = R(A)(_); line 6; no assertion names it",
            ]
        );
    }
}
