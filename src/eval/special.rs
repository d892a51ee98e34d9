//! The built-in functions that make processes, with the checks of their arguments.

use super::Evaluator;
use crate::process::term::{Term, TermData};
use crate::script::core::{Builtin, Expr};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet};
use crate::source::{Diagnostic, Span};
use crate::value::{Data, Value, ValueError};

impl Evaluator {
    /// Applies a built-in function that makes a process; none if this is not one.
    pub(super) fn process_builtin(
        &mut self,
        b: Builtin,
        args: &[Value],
        span: Span,
    ) -> Result<Option<Value>> {
        let t = match (b, args) {
            (Builtin::Chaos | Builtin::Run, [set]) => {
                let set = self.event_set(*set, span)?;
                let data = match b {
                    Builtin::Chaos => TermData::Chaos(set),
                    _ => TermData::Run(set),
                };
                self.make(data)
            }
            (
                Builtin::Explicate
                | Builtin::Diamond
                | Builtin::Normal
                | Builtin::Sbisim
                | Builtin::Dbisim
                | Builtin::Wbisim
                | Builtin::TauLoopFactor
                | Builtin::ModelCompress,
                [p],
            ) => {
                let p = self.term_of(*p, span)?;
                self.terms.compressed(&self.store, b, p)
            }
            // Processes are explored on demand and only once anyway.
            (Builtin::LazyEnumerate | Builtin::LazyNorm, [p]) => self.term_of(*p, span)?,
            (Builtin::Loop, [p]) => {
                let p = self.term_of(*p, span)?;
                self.make(TermData::Loop(p))
            }
            (Builtin::Chase | Builtin::ChaseNoCache | Builtin::Deter, [p]) => {
                let p = self.term_of(*p, span)?;
                self.terms.idempotent(&self.store, TermData::Resolved(b, p))
            }
            (Builtin::Prioritise | Builtin::PrioritiseNoCache, [p, levels]) => {
                let p = self.term_of(*p, span)?;
                self.prioritised(p, *levels, span)?
            }
            (Builtin::PrioritisePo, [p, events, order, maximal]) => {
                let p = self.term_of(*p, span)?;
                self.prioritised_partially(p, [*events, *order, *maximal], span)?
            }
            (Builtin::Buffer, [capacity, pairs]) => self.buffer(*capacity, *pairs, span)?,
            (Builtin::TraceWatchdog, [p, events, bark]) => {
                let p = self.term_of(*p, span)?;
                let events = self.event_set(*events, span)?;
                self.expect_event(*bark, span)?;
                self.terms.watchdog(&self.store, vec![p], events, *bark)
            }
            (Builtin::WeakBuffer | Builtin::SignalBuffer | Builtin::FailureWatchdog, _) => {
                return Err(Self::undocumented(b, span));
            }
            _ => return Ok(None),
        };
        Ok(Some(self.process_value(t)))
    }

    /// Refuses a function of which nobody says what its processes do.
    fn undocumented(b: Builtin, span: Span) -> Box<Diagnostic> {
        let message = format!("`{}` is not supported", b.name());
        Box::new(
            Diagnostic::error("E0601", span, message).note(
                "what it does exactly is not documented, and a guess could make verdicts wrong",
            ),
        )
    }

    /// The events of a trace: complete ones, in order.
    ///
    /// # Errors
    /// Whatever evaluation reports; what is not an event.
    pub fn trace(&mut self, e: &Expr) -> Result<Vec<Value>> {
        let v = self.evaluate(e)?;
        let events = self.store.as_seq(v).map(<[Value]>::to_vec);
        let events = self.at(events, e.span)?;
        for event in &events {
            self.expect_event(*event, e.span)?;
        }
        Ok(events)
    }

    /// A process in which τ and ✓ have priority over a set of events (`:[tau priority]: S`).
    ///
    /// # Errors
    /// Whatever evaluation of the set reports.
    pub fn silence_first(&mut self, process: Term, set: &Expr) -> Result<Term> {
        let below = self.evaluate(set)?;
        let below = self.event_set(below, set.span)?;
        let order = self.store.set(Vec::new());
        let data = TermData::PrioritisePo {
            process,
            order,
            below,
        };
        Ok(self.terms.idempotent(&self.store, data))
    }

    /// A set, in its normal form.
    fn event_set(&mut self, v: Value, span: Span) -> Result<Value> {
        let set = self.set_from(v, span)?;
        let set = self.store.settle_set(set);
        self.at(set, span)
    }

    /// The elements of a set of complete events.
    fn listed_events(&mut self, v: Value, span: Span) -> Result<IndexSet<Value>> {
        let set = self.event_set(v, span)?;
        let elements = self.store.elements(set);
        let elements = self.at(elements, span)?;
        for e in elements.iter() {
            self.expect_event(*e, span)?;
        }
        Ok(elements.iter().copied().collect())
    }

    /// A set of pairs of complete events.
    fn event_pairs(&mut self, v: Value, span: Span) -> Result<Vec<(Value, Value)>> {
        let set = self.event_set(v, span)?;
        let elements = self.store.elements(set);
        let mut pairs = Vec::new();
        for pair in self.at(elements, span)?.iter() {
            let (a, b) = match self.store.data(*pair) {
                Data::Tuple(parts) if parts.len() == 2 => (parts[0], parts[1]),
                _ => return Err(self.fail_value(&ValueError::Expected("a pair", *pair), span)),
            };
            self.expect_event(a, span)?;
            self.expect_event(b, span)?;
            pairs.push((a, b));
        }
        Ok(pairs)
    }

    /// `prioritise(P, <A1, …>)`
    fn prioritised(&mut self, p: Term, levels: Value, span: Span) -> Result<Term> {
        let given = self.store.as_seq(levels).map(<[Value]>::to_vec);
        let given = self.at(given, span)?;
        if given.is_empty() {
            let message = "`prioritise` needs at least one set of events";
            let note = "the first set is as important as τ and ✓: `<{}, A>` puts all of `A` below";
            return Err(Box::new(
                Diagnostic::error("E0440", span, message).note(note),
            ));
        }
        let mut sets = Vec::with_capacity(given.len());
        for set in given {
            sets.push(self.event_set(set, span)?);
        }
        let levels = self.store.seq(sets);
        let data = TermData::Prioritise(p, levels);
        Ok(self.terms.idempotent(&self.store, data))
    }

    /// `prioritisepo(P, E, order, maximal)`: the order has to be one, on `E`, with nothing above
    /// what is maximal.
    fn prioritised_partially(
        &mut self,
        process: Term,
        [events, order, maximal]: [Value; 3],
        span: Span,
    ) -> Result<Term> {
        let events = self.listed_events(events, span)?;
        let pairs = self.event_pairs(order, span)?;
        let maximal = self.listed_events(maximal, span)?;
        let used = pairs.iter().flat_map(|(a, b)| [*a, *b]);
        let mut used = used.chain(maximal.iter().copied());
        if let Some(e) = used.find(|e| !events.contains(e)) {
            let shown = self.store.show_short(e, &self.script);
            let message = format!("`{shown}` is not one of the events given to `prioritisepo`");
            return Err(Box::new(Diagnostic::error("E0441", span, message).note(
                "the second argument has to contain every event of the other two",
            )));
        }
        let above = transitive(&pairs);
        if let Some((e, _)) = above.iter().find(|(e, lower)| lower.contains(*e)) {
            let shown = self.store.show_short(*e, &self.script);
            let message = format!("the order of priorities is cyclic: `{shown}` is below itself");
            return Err(Box::new(Diagnostic::error("E0442", span, message)));
        }
        if let Some((higher, lower)) = pairs.iter().find(|(_, lower)| maximal.contains(lower)) {
            let lower = self.store.show_short(*lower, &self.script);
            let higher = self.store.show_short(*higher, &self.script);
            let message = format!("`{lower}` is said to be maximal, but `{higher}` is above it");
            return Err(Box::new(Diagnostic::error("E0443", span, message)));
        }
        let mut closed = Vec::new();
        for (e, lower) in &above {
            for f in lower {
                closed.push(self.store.tuple(vec![*e, *f]));
            }
        }
        let below = events.iter().filter(|e| !maximal.contains(*e)).copied();
        let below = self.store.set(below.collect());
        let order = self.store.set(closed);
        let data = TermData::PrioritisePo {
            process,
            order,
            below,
        };
        Ok(self.terms.idempotent(&self.store, data))
    }

    /// `BUFFER(n, pairs)`
    fn buffer(&mut self, capacity: Value, pairs: Value, span: Span) -> Result<Term> {
        let one = self.store.int(1);
        if self.store.compare(capacity, one).is_lt() {
            let shown = self.store.show_short(capacity, &self.script);
            let message = format!("the capacity of a buffer has to be at least 1, not {shown}");
            return Err(Box::new(Diagnostic::error("E0444", span, message)));
        }
        let listed = self.event_pairs(pairs, span)?;
        let mut seen: IndexSet<Value> = IndexSet::default();
        for e in listed.iter().flat_map(|(a, b)| [*a, *b]) {
            if !seen.insert(e) {
                let shown = self.store.show_short(e, &self.script);
                let message = format!("`{shown}` is used twice by one buffer");
                let note =
                    "every event of the pairs may occur once: it says what comes in or goes out";
                return Err(Box::new(
                    Diagnostic::error("E0445", span, message).note(note),
                ));
            }
        }
        let pairs = self.event_set(pairs, span)?;
        let rule = self.store.tuple(vec![capacity, pairs]);
        let held = self.store.seq(Vec::new());
        Ok(self.make(TermData::Buffer { rule, held }))
    }
}

/// For every event that is above others, all those below it.
fn transitive(pairs: &[(Value, Value)]) -> IndexMap<Value, IndexSet<Value>> {
    let mut below: IndexMap<Value, IndexSet<Value>> = IndexMap::default();
    for (a, b) in pairs {
        below.entry(*a).or_default().insert(*b);
    }
    let mut closed: IndexMap<Value, IndexSet<Value>> = IndexMap::default();
    for e in below.keys() {
        let mut reached: IndexSet<Value> = below[e].clone();
        let mut next = 0;
        while let Some(f) = reached.get_index(next).copied() {
            next += 1;
            reached.extend(below.get(&f).into_iter().flatten().copied());
        }
        closed.insert(*e, reached);
    }
    closed
}
