//! Terms, values and labels as text.

use super::growth::{Growing, MetValues, measured};
use super::interpreter::Interpreter;
use super::program::Program;
use crate::process::Terms;
use crate::process::parts::operands;
use crate::process::term::{ControlState, Label, Offered, Term, TermData};
use crate::script::core::Script;
use crate::source::Span;
use crate::source::stack::deep;
use crate::value::{Data, Value, ValueStore};

/// Longer texts are cut.
const TEXT_MAX: usize = 400;

/// The description of a term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The definition, or definition and first channel; operators as short text.
    pub name: String,
    /// The variables with their values, parameters first and in their order.
    pub args: Vec<(String, Value)>,
    /// The place of the control state.
    pub span: Option<Span>,
}

/// The tables for naming things, read-only.
#[derive(Clone, Copy)]
pub(super) struct Naming<'a> {
    store: &'a ValueStore,
    terms: &'a Terms,
    program: &'a Program,
    script: &'a Script,
}

impl<'a> Naming<'a> {
    pub(super) fn of(run: &'a Interpreter) -> Self {
        Self {
            store: &run.values.store,
            terms: &run.terms,
            program: &run.program,
            script: run.values.script(),
        }
    }

    /// The description of a term: a control state by its definition (and first channel, if it is not the whole body)
    /// with its variables, anything else as short text.
    pub(super) fn describe(self, t: Term) -> Description {
        let TermData::Call { control, env } = self.terms.data(t) else {
            return Description {
                name: self.show_term(t),
                args: Vec::new(),
                span: None,
            };
        };
        let Some(info) = self.program.control(*control) else {
            return Description::default();
        };
        // A variable without a name or value would be a mistake here, and is better left out than a
        // panic.
        let args = info.order.iter().filter_map(|i| {
            let name = info.variables.get(*i as usize)?;
            Some((name.to_string(), *env.get(*i as usize)?))
        });
        Description {
            name: info.label.clone(),
            args: args.collect(),
            span: Some(info.span),
        }
    }

    /// The parameters that grow along a sequence of terms, in order of discovery.
    pub(super) fn growing(self, terms: impl Iterator<Item = Term>) -> Vec<Growing> {
        let mut met: MetValues<ControlState> = MetValues::default();
        for t in terms {
            self.note_calls(t, &mut met);
        }
        let counts = met.counts();
        let growing = counts.iter().filter_map(|(control, _)| {
            let info = self.program.control(*control)?;
            let name = |i: usize| self.variable(*control, i);
            Some(met.growing(*control, &info.label, name))
        });
        growing.flatten().collect()
    }

    /// Notes the calls that a term consists of.
    fn note_calls(self, t: Term, met: &mut MetValues<ControlState>) {
        // A term may share its parts, and then has far more of them than it takes room.
        const PARTS_MAX: usize = 64;
        let mut open = vec![t];
        for _ in 0..PARTS_MAX {
            let Some(t) = open.pop() else {
                return;
            };
            let data = self.terms.data(t);
            if let TermData::Call { control, env } = data {
                met.note(*control, env.iter().map(|v| measured(self.store, *v)));
            }
            open.extend(operands(data).into_iter().rev());
        }
    }

    /// The name of the `i`-th variable of a control state.
    pub(super) fn variable(self, control: ControlState, i: usize) -> String {
        let info = self.program.control(control);
        let name = info.and_then(|info| info.variables.get(i));
        name.map_or_else(|| format!("x{i}"), ToString::to_string)
    }

    /// The place of the first control state in a term; none if it has no part from the script.
    pub(super) fn place_of(self, t: Term) -> Option<Span> {
        let mut open = vec![t];
        while let Some(t) = open.pop() {
            let data = self.terms.data(t);
            if let TermData::Call { control, .. } = data {
                return self.program.control(*control).map(|info| info.span);
            }
            // The leftmost operand is looked at first.
            open.extend(operands(data).into_iter().rev());
        }
        None
    }

    /// A term as one line of text.
    pub(super) fn show_term(self, t: Term) -> String {
        let mut text = String::new();
        self.write_term(&mut text, t);
        // By characters, not bytes: names of scripts may be in any language.
        if text.chars().count() > TEXT_MAX {
            text = text.chars().take(TEXT_MAX).chain(['…']).collect();
        }
        text
    }

    /// A value as text; processes inside are shown as terms.
    pub(super) fn show(self, v: Value) -> String {
        match self.store.data(v) {
            Data::Process(number) => self.show_term(Term(*number)),
            _ => self.store.show_printed(v, self.script),
        }
    }

    /// A value as part of the text of a term, which is cut.
    fn show_part(self, v: Value) -> String {
        match self.store.data(v) {
            Data::Process(number) => self.show_term(Term(*number)),
            _ => self.store.show_start(v, self.script, TEXT_MAX),
        }
    }

    /// The text of a value for `show`, if it can be written out.
    pub(super) fn show_whole(self, v: Value) -> Option<String> {
        match self.store.data(v) {
            Data::Process(number) => Some(self.show_term(Term(*number))),
            _ => self.store.show_whole(v, self.script),
        }
    }

    /// A label as text.
    pub(super) fn show_event(self, label: Label) -> String {
        match label {
            Label::Tau => "τ".to_owned(),
            Label::Tick | Label::Done => "✓".to_owned(),
            Label::Event(e) => self.store.show(e, self.script),
        }
    }

    fn write_term(self, out: &mut String, t: Term) {
        // Enough is written already: the rest will be cut.
        if out.len() > 4 * TEXT_MAX {
            return;
        }
        deep(|| match self.infix(t) {
            Some((ts, operator)) => self.write_all(out, &ts, &operator),
            None => self.write_other(out, t),
        });
    }

    /// The operands of an operator that is written between them, and its text.
    fn infix(self, t: Term) -> Option<(Vec<Term>, String)> {
        let with = |before: &str, set: &Value, after: &str| {
            format!(" {before}{}{after} ", self.short(*set))
        };
        Some(match self.terms.data(t) {
            TermData::ExtChoice(ts) => (ts.to_vec(), " [] ".into()),
            TermData::IntChoice(ts) => (ts.to_vec(), " |~| ".into()),
            TermData::Interleave(ts) => (ts.to_vec(), " ||| ".into()),
            TermData::Sharing(a, ts) => (ts.to_vec(), with("[|", a, "|]")),
            TermData::SyncChoice(ts, a) => (ts.to_vec(), with("[+", a, "+]")),
            TermData::Alphabetised(pairs) => (pairs.iter().map(|p| p.1).collect(), " || ".into()),
            TermData::Seq(p, q) => (vec![*p, *q], " ; ".into()),
            TermData::Interrupt(p, q) => (vec![*p, *q], " /\\ ".into()),
            TermData::Sliding(p, q) => (vec![*p, *q], " [> ".into()),
            TermData::Exception(p, a, q) => (vec![*p, *q], with("[|", a, "|>")),
            TermData::SyncInterrupt(p, a, q) => (vec![*p, *q], with("/+", a, "+\\")),
            TermData::Link(p, a, q) => (vec![*p, *q], with("[", a, "]")),
            _ => return None,
        })
    }

    /// Writes what is not an operator between operands. The match names every kind of term, so that a
    /// new one is not forgotten.
    fn write_other(self, out: &mut String, t: Term) {
        match self.terms.data(t) {
            TermData::Call { .. } => {
                let shown = self.describe(t);
                out.push_str(&shown.name);
                if !shown.args.is_empty() {
                    let args = shown.args.iter().map(|(_, v)| self.show_part(*v));
                    let args: Vec<String> = args.collect();
                    out.push_str(&format!("({})", args.join(", ")));
                }
            }
            TermData::Omega | TermData::Ended => out.push('Ω'),
            TermData::Stop => out.push_str("STOP"),
            TermData::Skip => out.push_str("SKIP"),
            TermData::Div => out.push_str("DIV"),
            TermData::Chaos(a) => out.push_str(&format!("CHAOS({})", self.short(*a))),
            TermData::Run(a) => out.push_str(&format!("RUN({})", self.short(*a))),
            TermData::Hide { process, set, keep } => {
                self.write_operand(out, *process);
                out.push_str(if *keep { " |\\ " } else { " \\ " });
                out.push_str(&self.short(*set));
            }
            TermData::Rename(p, pairs) => {
                self.write_operand(out, *p);
                out.push_str(&format!("[[{}]]", self.short(*pairs)));
            }
            TermData::Part { members, offered } => {
                self.write_all(out, members, " or ");
                if let Offered::Some(events, _) = offered {
                    out.push_str(&format!(", {}", self.short(*events)));
                }
            }
            TermData::Watchdog { spec, bark, .. } if spec.is_empty() => {
                out.push_str(&format!("{} -> STOP", self.short(*bark)));
            }
            TermData::Compressed { .. }
            | TermData::Resolved(..)
            | TermData::Loop(_)
            | TermData::Buffer { .. }
            | TermData::Prioritise(..)
            | TermData::PrioritisePo { .. }
            | TermData::Watchdog { .. } => self.write_function(out, t),
            // These are written between their operands.
            TermData::ExtChoice(_)
            | TermData::IntChoice(_)
            | TermData::Interleave(_)
            | TermData::Sharing(..)
            | TermData::SyncChoice(..)
            | TermData::Alphabetised(_)
            | TermData::Seq(..)
            | TermData::Interrupt(..)
            | TermData::Sliding(..)
            | TermData::Exception(..)
            | TermData::SyncInterrupt(..)
            | TermData::Link(..) => {}
        }
    }

    /// Writes what scripts write as a built-in function applied to processes.
    fn write_function(self, out: &mut String, t: Term) {
        let also = |v: &Value| format!(", {}", self.short(*v));
        match self.terms.data(t) {
            TermData::Compressed {
                with,
                process,
                state,
            } => {
                // A compressed process shows the states that it may be in, once it has taken a
                // step.
                let own = std::slice::from_ref(process);
                let shown = if state.is_empty() { own } else { state };
                self.write_applied(out, with.name(), shown, "");
            }
            TermData::Resolved(with, p) => self.write_applied(out, with.name(), &[*p], ""),
            TermData::Loop(p) => self.write_applied(out, "loop", &[*p], ""),
            TermData::Buffer { rule, held } => {
                let capacity = match self.store.data(*rule) {
                    Data::Tuple(parts) => self.short(parts[0]),
                    _ => String::new(),
                };
                out.push_str(&format!("BUFFER({capacity}, {})", self.short(*held)));
            }
            TermData::Prioritise(p, levels) => {
                self.write_applied(out, "prioritise", &[*p], &also(levels));
            }
            TermData::PrioritisePo { process, order, .. } => {
                self.write_applied(out, "prioritisepo", &[*process], &also(order));
            }
            TermData::Watchdog { spec, events, bark } => {
                let more = also(events) + &also(bark);
                self.write_applied(out, "trace_watchdog", spec, &more);
            }
            _ => {}
        }
    }

    /// A function applied to terms and to more that is text already.
    fn write_applied(self, out: &mut String, name: &str, ts: &[Term], more: &str) {
        out.push_str(name);
        out.push('(');
        for (i, t) in ts.iter().enumerate() {
            if i > 0 {
                out.push_str(" or ");
            }
            self.write_term(out, *t);
        }
        out.push_str(more);
        out.push(')');
    }

    fn short(self, v: Value) -> String {
        const SHORT: usize = 40;
        self.store.show_start(v, self.script, SHORT)
    }

    fn write_all(self, out: &mut String, ts: &[Term], operator: &str) {
        for (i, t) in ts.iter().enumerate() {
            if i > 0 {
                out.push_str(operator);
            }
            self.write_operand(out, *t);
        }
    }

    /// An operand, in brackets unless it is a name.
    fn write_operand(self, out: &mut String, t: Term) {
        // Everything that reads as one name or one call.
        let atomic = matches!(
            self.terms.data(t),
            TermData::Call { .. }
                | TermData::Omega
                | TermData::Ended
                | TermData::Stop
                | TermData::Skip
                | TermData::Div
                | TermData::Chaos(_)
                | TermData::Run(_)
                | TermData::Compressed { .. }
                | TermData::Loop(_)
                | TermData::Prioritise(..)
                | TermData::PrioritisePo { .. }
                | TermData::Resolved(..)
                | TermData::Buffer { .. }
                | TermData::Watchdog { .. }
        );
        if atomic {
            self.write_term(out, t);
        } else {
            out.push('(');
            self.write_term(out, t);
            out.push(')');
        }
    }
}
