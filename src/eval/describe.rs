//! Terms as text.

use super::{Description, Evaluator};
use crate::process::term::{Control, Label, Offered, Term, TermData};
use crate::source::stack::deep;
use crate::value::{Data, Store, Value};

/// Longer texts are cut.
const TEXT_MAX: usize = 400;

impl Evaluator {
    /// How a term is shown: a control state by its definition (and first channel, if it is not the
    /// whole body) with its variables, anything else as short text.
    #[must_use]
    pub fn describe(&self, t: Term) -> Description {
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

    /// The name of the `i`-th variable of a control state.
    #[must_use]
    pub fn variable(&self, control: Control, i: usize) -> String {
        let info = self.program.control(control);
        let name = info.and_then(|info| info.variables.get(i));
        name.map_or_else(|| format!("x{i}"), ToString::to_string)
    }

    /// Number of control states known so far.
    #[must_use]
    pub fn control_count(&self) -> usize {
        self.program.control_count()
    }

    /// A term as one line of text.
    #[must_use]
    pub fn show_term(&self, t: Term) -> String {
        let mut text = String::new();
        self.write_term(&mut text, t);
        if text.chars().count() > TEXT_MAX {
            text = text.chars().take(TEXT_MAX).chain(['…']).collect();
        }
        text
    }

    /// A value as text; processes inside are shown as terms.
    #[must_use]
    pub fn show(&self, v: Value) -> String {
        match self.store.data(v) {
            Data::Process(number) => self.show_term(Term(*number)),
            _ => self.store.show(v, &self.script),
        }
    }

    /// A label as text.
    #[must_use]
    pub fn show_event(&self, label: Label) -> String {
        match label {
            Label::Tau => "τ".to_owned(),
            Label::Tick | Label::Done => "✓".to_owned(),
            Label::Event(e) => self.store.show(e, &self.script),
        }
    }

    fn write_term(&self, out: &mut String, t: Term) {
        // Enough is written already: the rest will be cut.
        if out.len() > 4 * TEXT_MAX {
            return;
        }
        deep(|| match self.terms.data(t) {
            TermData::Call { .. } => {
                let shown = self.describe(t);
                out.push_str(&shown.name);
                if !shown.args.is_empty() {
                    let args: Vec<String> = shown.args.iter().map(|(_, v)| self.show(*v)).collect();
                    out.push_str(&format!("({})", args.join(", ")));
                }
            }
            TermData::Omega | TermData::Ended => out.push('Ω'),
            TermData::Stop => out.push_str("STOP"),
            TermData::Skip => out.push_str("SKIP"),
            TermData::Div => out.push_str("DIV"),
            TermData::Chaos(a) => out.push_str(&format!("CHAOS({})", self.short(*a))),
            TermData::Run(a) => out.push_str(&format!("RUN({})", self.short(*a))),
            TermData::ExtChoice(ts) => self.write_all(out, ts, " [] "),
            TermData::IntChoice(ts) => self.write_all(out, ts, " |~| "),
            TermData::Interleave(ts) => self.write_all(out, ts, " ||| "),
            TermData::Sharing(a, ts) => {
                self.write_all(out, ts, &format!(" [|{}|] ", self.short(*a)));
            }
            TermData::SyncChoice(ts, a) => {
                self.write_all(out, ts, &format!(" [+{}+] ", self.short(*a)));
            }
            TermData::Alphabetised(pairs) => {
                let ts: Vec<Term> = pairs.iter().map(|p| p.1).collect();
                self.write_all(out, &ts, " || ");
            }
            TermData::Seq(p, q) => self.write_all(out, &[*p, *q], " ; "),
            TermData::Interrupt(p, q) => self.write_all(out, &[*p, *q], " /\\ "),
            TermData::Sliding(p, q) => self.write_all(out, &[*p, *q], " [> "),
            TermData::Exception(p, a, q) => {
                self.write_all(out, &[*p, *q], &format!(" [|{}|> ", self.short(*a)));
            }
            TermData::SyncInterrupt(p, a, q) => {
                self.write_all(out, &[*p, *q], &format!(" /+{}+\\ ", self.short(*a)));
            }
            TermData::Link(p, a, q) => {
                self.write_all(out, &[*p, *q], &format!(" [{}] ", self.short(*a)));
            }
            TermData::Hide { process, set, keep } => {
                self.write_operand(out, *process);
                out.push_str(if *keep { " |\\ " } else { " \\ " });
                out.push_str(&self.short(*set));
            }
            TermData::Rename(p, pairs) => {
                self.write_operand(out, *p);
                out.push_str(&format!("[[{}]]", self.short(*pairs)));
            }
            TermData::Compressed {
                with,
                process,
                state,
            } => {
                let own = std::slice::from_ref(process);
                let shown = if state.is_empty() { own } else { state };
                self.write_applied(out, with.name(), shown, "");
            }
            TermData::Part { members, offered } => {
                self.write_all(out, members, " or ");
                if let Offered::Some(events, _) = offered {
                    out.push_str(&format!(", {}", self.short(*events)));
                }
            }
            TermData::Resolved(with, p) => self.write_applied(out, with.name(), &[*p], ""),
            TermData::Loop(p) => self.write_applied(out, "loop", &[*p], ""),
            TermData::Prioritise(p, levels) => {
                let levels = format!(", {}", self.short(*levels));
                self.write_applied(out, "prioritise", &[*p], &levels);
            }
            TermData::PrioritisePo { process, order, .. } => {
                let order = format!(", {}", self.short(*order));
                self.write_applied(out, "prioritisepo", &[*process], &order);
            }
            TermData::Buffer { rule, held } => {
                let capacity = match self.store.data(*rule) {
                    Data::Tuple(parts) => self.short(parts[0]),
                    _ => String::new(),
                };
                out.push_str(&format!("BUFFER({capacity}, {})", self.short(*held)));
            }
            TermData::Watchdog { spec, bark, .. } if spec.is_empty() => {
                out.push_str(&format!("{} -> STOP", self.short(*bark)));
            }
            TermData::Watchdog { spec, events, bark } => {
                let rest = format!(", {}, {}", self.short(*events), self.short(*bark));
                self.write_applied(out, "trace_watchdog", spec, &rest);
            }
        });
    }

    /// A function applied to terms and to more that is text already.
    fn write_applied(&self, out: &mut String, name: &str, ts: &[Term], more: &str) {
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

    fn short(&self, v: Value) -> String {
        const SHORT: usize = 40;
        let text = self.store.show(v, &self.script);
        if text.chars().count() <= SHORT {
            return text;
        }
        text.chars().take(SHORT).chain(['…']).collect()
    }

    fn write_all(&self, out: &mut String, ts: &[Term], operator: &str) {
        for (i, t) in ts.iter().enumerate() {
            if i > 0 {
                out.push_str(operator);
            }
            self.write_operand(out, *t);
        }
    }

    /// An operand, in brackets unless it is a name.
    fn write_operand(&self, out: &mut String, t: Term) {
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

    /// The values, for reading.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }
}
