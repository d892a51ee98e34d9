//! Process expressions to normalised terms, and the opening of control states.

use std::rc::Rc;

use super::code::{Body, Code, Head, Kind, Links, Stmt};
use super::run::{Frame, Held};
use super::{Evaluator, nowhere};
use crate::process::step;
use crate::process::term::{Control, Term, TermData};
use crate::script::core::{ProcOp, RepOp};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::{Diagnostic, Span};
use crate::value::{Data, Value, ValueError};

/// Operands of one parallel operator: a process that doubles with every step reaches it soon, and no
/// network of so many components could be explored.
const OPERANDS_MAX: usize = 1 << 16;

impl Evaluator {
    /// That a parallel operator, `[|A|]` or `|||`, gets no more operands than can be handled, those of
    /// operands that are made by the same operator included.
    fn expect_room(&self, set: Option<Value>, operands: &[Term], span: Span) -> Result<()> {
        let count: usize = operands.iter().map(|t| self.terms.width(*t, set)).sum();
        if count <= OPERANDS_MAX {
            return Ok(());
        }
        let text = format!("a parallel composition of more than {OPERANDS_MAX} processes");
        Err(Box::new(Diagnostic::error("E0705", span, text).note(
            "perhaps a recursion adds to it with every step, and does not end",
        )))
    }

    /// A process as a value.
    pub(super) fn process_value(&mut self, t: Term) -> Value {
        self.store.intern(Data::Process(t.0))
    }

    /// The process that a value is.
    pub(super) fn term_of(&self, v: Value, span: Span) -> Result<Term> {
        match self.store.data(v) {
            Data::Process(number) => Ok(Term(*number)),
            _ => Err(self.fail_value(&ValueError::Expected("a process", v), span)),
        }
    }

    /// Evaluates a process expression to a normalised term.
    pub(super) fn term(&mut self, code: &Code, frame: &mut Frame) -> Result<Term> {
        let v = self.eval(code, frame)?;
        self.term_of(v, code.span)
    }

    pub(super) fn make(&mut self, data: TermData) -> Term {
        self.terms.intern(&self.store, data)
    }

    /// Evaluates a process operator.
    pub(super) fn operator(&mut self, code: &Code, frame: &mut Frame) -> Result<Term> {
        match &code.kind {
            Kind::Suspend(control, slots) => {
                let env = self.captures(slots, frame, code.span)?;
                // A variable that holds a process already has nothing to suspend.
                if let [v] = *env
                    && self
                        .program
                        .control(*control)
                        .is_some_and(|info| info.plain)
                    && let Data::Process(number) = self.store.data(v)
                {
                    return Ok(Term(*number));
                }
                Ok(self.terms.call(&self.store, *control, env))
            }
            Kind::Operator(op, p, q) => {
                let (p, q) = (self.term(p, frame)?, self.term(q, frame)?);
                Ok(match op {
                    ProcOp::Seq => self.make(TermData::Seq(p, q)),
                    ProcOp::Interleave => {
                        self.expect_room(None, &[p, q], code.span)?;
                        self.terms.interleave(&self.store, vec![p, q])
                    }
                    ProcOp::Interrupt => self.make(TermData::Interrupt(p, q)),
                    ProcOp::Sliding => self.make(TermData::Sliding(p, q)),
                    // These are control states: they never get here.
                    ProcOp::ExtChoice => self.terms.ext_choice(&self.store, vec![p, q]),
                    ProcOp::IntChoice => self.terms.int_choice(&self.store, vec![p, q]),
                })
            }
            Kind::Parallel(operands) => {
                let (p, a, q) = self.operands(operands, frame)?;
                self.expect_room(Some(a), &[p, q], code.span)?;
                Ok(self.terms.sharing(&self.store, a, vec![p, q]))
            }
            Kind::Exception(operands) => {
                let (p, a, q) = self.operands(operands, frame)?;
                Ok(self.make(TermData::Exception(p, a, q)))
            }
            Kind::SyncChoice(operands) => {
                let (p, a, q) = self.operands(operands, frame)?;
                Ok(self.terms.sync_choice(&self.store, vec![p, q], a))
            }
            Kind::SyncInterrupt(operands) => {
                let (p, a, q) = self.operands(operands, frame)?;
                Ok(self.make(TermData::SyncInterrupt(p, a, q)))
            }
            Kind::AlphaParallel(operands) => {
                let [p, a, b, q] = &**operands;
                let (p, a) = (self.term(p, frame)?, self.set_value(a, frame)?);
                let (b, q) = (self.set_value(b, frame)?, self.term(q, frame)?);
                Ok(self.terms.alphabetised(&self.store, vec![(a, p), (b, q)]))
            }
            Kind::Hide(p, set, keep) => {
                let process = self.term(p, frame)?;
                let set = self.set_value(set, frame)?;
                let keep = *keep;
                Ok(self.make(TermData::Hide { process, set, keep }))
            }
            Kind::Rename(p, links) => {
                let p = self.term(p, frame)?;
                let pairs = self.renaming(links, frame)?;
                Ok(self.make(TermData::Rename(p, pairs)))
            }
            Kind::Link(p, links, q) => {
                let p = self.term(p, frame)?;
                let pairs = self.links(links, frame)?;
                let q = self.term(q, frame)?;
                Ok(self.make(TermData::Link(p, pairs, q)))
            }
            Kind::Replicated {
                op,
                set,
                stmts,
                body,
            } => self.replicated(*op, set.as_deref(), stmts, body, frame),
            Kind::ReplicatedLink { links, stmts, body } => {
                self.replicated_link(links, stmts, body, frame, code.span)
            }
            _ => Err(Self::internal(code.span)),
        }
    }

    fn operands(&mut self, operands: &[Code; 3], frame: &mut Frame) -> Result<(Term, Value, Term)> {
        let [p, set, q] = operands;
        let p = self.term(p, frame)?;
        let set = self.set_value(set, frame)?;
        Ok((p, set, self.term(q, frame)?))
    }

    /// The process of every row of the statements.
    fn row_terms(
        &mut self,
        stmts: &[Stmt],
        sequences: bool,
        body: &Code,
        frame: &mut Frame,
    ) -> Result<Vec<Term>> {
        let mut terms = Vec::new();
        self.rows(stmts, sequences, frame, &mut |this, frame| {
            terms.push(this.term(body, frame)?);
            Ok(())
        })?;
        Ok(terms)
    }

    fn replicated(
        &mut self,
        op: RepOp,
        set: Option<&Code>,
        stmts: &[Stmt],
        body: &Code,
        frame: &mut Frame,
    ) -> Result<Term> {
        match (op, set) {
            (RepOp::AlphaParallel, Some(alphabet)) => {
                let mut operands = Vec::new();
                self.rows(stmts, false, frame, &mut |this, frame| {
                    let a = this.set_value(alphabet, frame)?;
                    operands.push((a, this.term(body, frame)?));
                    Ok(())
                })?;
                Ok(self.terms.alphabetised(&self.store, operands))
            }
            (RepOp::Parallel, Some(set)) => {
                let set = self.set_value(set, frame)?;
                let operands = self.row_terms(stmts, false, body, frame)?;
                self.expect_room(Some(set), &operands, body.span)?;
                Ok(self.terms.sharing(&self.store, set, operands))
            }
            (RepOp::SyncChoice, Some(set)) => {
                let set = self.set_value(set, frame)?;
                let operands = self.row_terms(stmts, false, body, frame)?;
                Ok(self.terms.sync_choice(&self.store, operands, set))
            }
            (RepOp::Interleave, _) => {
                let operands = self.row_terms(stmts, false, body, frame)?;
                self.expect_room(None, &operands, body.span)?;
                Ok(self.terms.interleave(&self.store, operands))
            }
            (RepOp::Seq, _) => {
                let operands = self.row_terms(stmts, true, body, frame)?;
                let mut operands = operands.into_iter().rev();
                let Some(last) = operands.next() else {
                    return Ok(self.terms.skip(&self.store));
                };
                let chain = operands.fold(last, |rest, p| self.make(TermData::Seq(p, rest)));
                self.settle_term(chain)
            }
            _ => Err(Self::internal(body.span)),
        }
    }

    fn replicated_link(
        &mut self,
        links: &Links,
        stmts: &[Stmt],
        body: &Code,
        frame: &mut Frame,
        span: Span,
    ) -> Result<Term> {
        // The links may mention the variables of a row: they are those to the next process. So the
        // ones of the last row are not used, and need not make sense.
        let mut operands = Vec::new();
        self.rows(stmts, true, frame, &mut |this, frame| {
            let p = this.term(body, frame)?;
            operands.push((p, this.links(links, frame)));
            Ok(())
        })?;
        let Some((mut chain, _)) = operands.pop() else {
            let message = "linked parallel of no processes is not defined";
            return Err(Box::new(Diagnostic::error("E0420", span, message)));
        };
        for (p, pairs) in operands.into_iter().rev() {
            chain = self.make(TermData::Link(p, pairs?, chain));
        }
        Ok(chain)
    }

    /// The pairs of a renaming or link, with their places. Partial events on both sides stand for all
    /// their completions.
    fn pairs(&mut self, links: &Links, frame: &mut Frame) -> Result<Vec<[(Value, Span); 2]>> {
        let mut pairs = Vec::new();
        self.rows(&links.stmts, false, frame, &mut |this, frame| {
            for (a, b) in &links.pairs {
                let span = a.span.to(b.span);
                let (old, new) = (this.eval(a, frame)?, this.eval(b, frame)?);
                for event in [(old, a.span), (new, b.span)] {
                    this.expect_event_part(event.0, event.1)?;
                }
                let completions = this.store.completions(old);
                for from in this.at(completions, span)? {
                    this.look(span)?;
                    let to = match this.store.suffix(old, from) {
                        Some(rest) => this.store.extend(new, rest),
                        None => new,
                    };
                    this.expect_event(to, b.span)?;
                    pairs.push([(from, a.span), (to, b.span)]);
                }
            }
            Ok(())
        })?;
        Ok(pairs)
    }

    /// Pairs as a set of tuples.
    fn set_of_pairs(&mut self, pairs: &[[(Value, Span); 2]]) -> Result<Value> {
        let tuples = pairs.iter();
        let tuples = tuples.map(|[(a, _), (b, _)]| self.store.tuple(vec![*a, *b]));
        let tuples: Vec<Value> = tuples.collect();
        let set = self.store.set_of(tuples);
        self.at(set, nowhere())
    }

    /// The pairs of a renaming: an event may become several.
    fn renaming(&mut self, links: &Links, frame: &mut Frame) -> Result<Value> {
        let pairs = self.pairs(links, frame)?;
        self.set_of_pairs(&pairs)
    }

    /// The pairs of a linked parallel: with what an event is linked must be clear.
    fn links(&mut self, links: &Links, frame: &mut Frame) -> Result<Value> {
        let pairs = self.pairs(links, frame)?;
        for (side, name) in [(0, "left"), (1, "right")] {
            let mut seen: Map<Value, Span> = Map::default();
            for pair in &pairs {
                let (event, span) = pair[side];
                let Some(first) = seen.insert(event, span) else {
                    continue;
                };
                let shown = self.store.show_short(event, &self.script);
                let message = format!("`{shown}` of the {name} is linked twice");
                let note = "every event of the left has one partner at the right, and the reverse";
                let mut diagnostic = Diagnostic::error("E0446", span, message).note(note);
                if first != span {
                    diagnostic = diagnostic.also(first, "linked here already");
                }
                return Err(Box::new(diagnostic));
            }
        }
        self.set_of_pairs(&pairs)
    }

    /// Makes a suspended operand ready to run.
    pub(super) fn settle_term(&mut self, t: Term) -> Result<Term> {
        match self.terms.data(t).clone() {
            TermData::Call { control, env } if self.is_suspended(control) => {
                let t = self.open_other(control, &env)?;
                self.settle_term(t)
            }
            TermData::Seq(p, q) => {
                let p = crate::source::stack::deep(|| self.settle_term(p))?;
                Ok(self.make(TermData::Seq(p, q)))
            }
            _ => Ok(t),
        }
    }

    fn is_suspended(&self, control: Control) -> bool {
        self.program
            .control(control)
            .is_some_and(|info| info.suspended)
    }

    pub(super) fn open_other(&mut self, control: Control, env: &[Value]) -> Result<Term> {
        if self.begins_with_prefix(control) {
            // It may offer millions of events, which nobody asked for.
            return Ok(self.terms.call(&self.store, control, env));
        }
        match self.open(control, env)? {
            step::Head::Term(t) => Ok(t),
            step::Head::Prefixes(_) => Ok(self.terms.call(&self.store, control, env)),
        }
    }

    fn begins_with_prefix(&self, control: Control) -> bool {
        self.program.control(control).is_some_and(
            |info| matches!(&self.program.unit(info.unit).body, Body::Head(Head::Prefix(prefix)) if prefix.rest.is_none()),
        )
    }

    /// Opens a control state.
    pub(super) fn open(&mut self, control: Control, env: &[Value]) -> Result<step::Head> {
        let unit = Rc::clone(self.program.control_unit(control));
        let Body::Head(head) = &unit.body else {
            return Err(Self::internal(unit.span));
        };
        let mut frame: Frame = env.iter().map(|v| Held::Value(*v)).collect();
        frame.resize(unit.frame as usize, Held::Empty);
        self.descend(unit.span)?;
        let result = self.open_head(head, &mut frame, unit.span);
        self.depth -= 1;
        result
    }

    fn open_head(&mut self, head: &Head, frame: &mut Frame, span: Span) -> Result<step::Head> {
        let term = match head {
            Head::Prefix(prefix) if prefix.rest.is_some() => {
                self.nondeterministic_prefix(prefix, frame, span)?
            }
            Head::Prefix(prefix) => {
                let prefixes = self.prefixes(prefix, frame, span)?;
                return Ok(step::Head::Prefixes(prefixes));
            }
            Head::ExtChoice(operands) => {
                let operands = self.all_terms(operands, frame)?;
                self.terms.ext_choice(&self.store, operands)
            }
            Head::IntChoice(operands) => {
                let operands = self.all_terms(operands, frame)?;
                self.terms.int_choice(&self.store, operands)
            }
            Head::ReplicatedExt(stmts, body) => {
                let operands = self.row_terms(stmts, false, body, frame)?;
                self.terms.ext_choice(&self.store, operands)
            }
            Head::ReplicatedInt(stmts, body) => {
                let operands = self.row_terms(stmts, false, body, frame)?;
                if operands.is_empty() {
                    let message = "internal choice over the empty set is not defined";
                    return Err(Box::new(Diagnostic::error("E0420", span, message)));
                }
                self.terms.int_choice(&self.store, operands)
            }
            Head::Other(code) => self.term(code, frame)?,
        };
        Ok(step::Head::Term(term))
    }

    fn all_terms(&mut self, codes: &[Code], frame: &mut Frame) -> Result<Vec<Term>> {
        codes.iter().map(|code| self.term(code, frame)).collect()
    }
}
