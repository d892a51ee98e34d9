//! Process operators: their operands are evaluated, and put together to normalised terms.

use super::code::{Code, CodeKind, LinksCode, StmtCode};
use super::environment::captures;
use super::events::{expect_event, expect_event_part};
use super::fail::{fail, internal, nowhere};
use super::frame::Frame;
use super::generators::{DrawnFrom, rows};
use super::interpreter::Interpreter;
use crate::process::Terms;
use crate::process::term::{Term, TermData};
use crate::script::core::{ProcOp, RepOp};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::{Diagnostic, Span};
use crate::value::dots::suffix;
use crate::value::{Data, Interner, Value};

/// Operands of one parallel operator: a process that doubles with every step reaches it soon, and no
/// network of so many components could be explored.
const OPERANDS_MAX: usize = 1 << 16;

/// Checks that a parallel operator, `[|A|]` or `|||`, has not too many operands, including those of operands with
/// the same operator.
fn expect_room(terms: &Terms, set: Option<Value>, operands: &[Term], span: Span) -> Result<()> {
    let count: usize = operands.iter().map(|t| terms.width(*t, set)).sum();
    if count <= OPERANDS_MAX {
        return Ok(());
    }
    let text = format!("a parallel composition of more than {OPERANDS_MAX} processes");
    Err(Box::new(Diagnostic::error("E0705", span, text).note(
        "perhaps a recursion adds to it with every step, and does not end",
    )))
}

/// A pair of a renaming or link, with the places of both sides.
type LinkPair = [(Value, Span); 2];

/// A process expression that is evaluated in a frame.
pub(super) struct Operators<'a> {
    pub run: &'a mut Interpreter,
    pub frame: &'a mut Frame,
}

impl Operators<'_> {
    /// The terms, and the values that they are made with.
    fn stores(&mut self) -> (&mut Terms, &Interner) {
        (&mut self.run.terms, &self.run.values.store)
    }

    fn term(&mut self, code: &Code) -> Result<Term> {
        self.run.term(code, self.frame)
    }

    fn set(&mut self, code: &Code) -> Result<Value> {
        self.run.set_value(code, self.frame)
    }

    fn make(&mut self, data: TermData) -> Term {
        let (terms, store) = self.stores();
        terms.intern(store, data)
    }

    /// Evaluates a process operator.
    pub(super) fn operator(&mut self, code: &Code) -> Result<Term> {
        match &code.kind {
            CodeKind::Suspend(control, slots) => {
                let env = captures(self.run, slots, self.frame, code.span)?;
                // A variable that holds a process already has nothing to suspend.
                let info = self.run.program.control(*control);
                if let [v] = *env
                    && info.is_some_and(|info| info.plain)
                    && let Data::Process(number) = self.run.values.store.data(v)
                {
                    return Ok(Term(*number));
                }
                let (terms, store) = self.stores();
                Ok(terms.call(store, *control, env))
            }
            CodeKind::Operator(op, p, q) => {
                // Operands are evaluated from left to right, so the error that is reported is the
                // first in the text.
                let (p, q) = (self.term(p)?, self.term(q)?);
                self.binary(*op, p, q, code.span)
            }
            CodeKind::AlphaParallel(operands) => {
                let [p, a, b, q] = &**operands;
                let (p, a) = (self.term(p)?, self.set(a)?);
                let (b, q) = (self.set(b)?, self.term(q)?);
                let (terms, store) = self.stores();
                Ok(terms.alphabetised(store, vec![(a, p), (b, q)]))
            }
            CodeKind::Hide(process, set, keep) => {
                let (process, set, keep) = (self.term(process)?, self.set(set)?, *keep);
                Ok(self.make(TermData::Hide { process, set, keep }))
            }
            CodeKind::Rename(p, links) => {
                let p = self.term(p)?;
                // A renaming is a set: the order of its pairs and repeated ones mean nothing.
                let pairs = self.renaming(links)?;
                Ok(self.make(TermData::Rename(p, pairs)))
            }
            CodeKind::Link(p, links, q) => {
                let p = self.term(p)?;
                let pairs = self.links(links)?;
                let q = self.term(q)?;
                Ok(self.make(TermData::Link(p, pairs, q)))
            }
            CodeKind::Replicated {
                op,
                set,
                stmts,
                body,
            } => self.replicated(*op, set.as_deref(), stmts, body),
            CodeKind::ReplicatedLink { links, stmts, body } => {
                self.replicated_link(links, stmts, body, code.span)
            }
            _ => self.sharing(code),
        }
    }

    /// An operator of two processes and nothing else.
    fn binary(&mut self, op: ProcOp, p: Term, q: Term, span: Span) -> Result<Term> {
        let (terms, store) = self.stores();
        Ok(match op {
            ProcOp::Seq => terms.intern(store, TermData::Seq(p, q)),
            ProcOp::Interleave => {
                expect_room(terms, None, &[p, q], span)?;
                terms.interleave(store, vec![p, q])
            }
            ProcOp::Interrupt => terms.intern(store, TermData::Interrupt(p, q)),
            ProcOp::Sliding => terms.intern(store, TermData::Sliding(p, q)),
            // These are control states: they never get here.
            ProcOp::ExtChoice => terms.ext_choice(store, vec![p, q]),
            ProcOp::IntChoice => terms.int_choice(store, vec![p, q]),
        })
    }

    /// An operator of two processes and a set of events between them.
    fn sharing(&mut self, code: &Code) -> Result<Term> {
        let (CodeKind::Parallel(operands)
        | CodeKind::Exception(operands)
        | CodeKind::SyncChoice(operands)
        | CodeKind::SyncInterrupt(operands)) = &code.kind
        else {
            return Err(internal(code.span));
        };
        let [p, set, q] = &**operands;
        let (p, a, q) = (self.term(p)?, self.set(set)?, self.term(q)?);
        let (terms, store) = self.stores();
        Ok(match &code.kind {
            CodeKind::Exception(_) => terms.intern(store, TermData::Exception(p, a, q)),
            CodeKind::SyncChoice(_) => terms.sync_choice(store, vec![p, q], a),
            CodeKind::SyncInterrupt(_) => terms.intern(store, TermData::SyncInterrupt(p, a, q)),
            CodeKind::Parallel(_) => {
                expect_room(terms, Some(a), &[p, q], code.span)?;
                terms.sharing(store, a, vec![p, q])
            }
            _ => return Err(internal(code.span)),
        })
    }

    pub(super) fn all_terms(&mut self, codes: &[Code]) -> Result<Vec<Term>> {
        codes.iter().map(|code| self.term(code)).collect()
    }

    /// The process of every row of the statements.
    pub(super) fn row_terms(
        &mut self,
        stmts: &[StmtCode],
        source: DrawnFrom,
        body: &Code,
    ) -> Result<Vec<Term>> {
        let mut terms = Vec::new();
        rows(self.run, stmts, source, self.frame, &mut |run, frame| {
            terms.push(run.term(body, frame)?);
            Ok(())
        })?;
        Ok(terms)
    }

    fn replicated(
        &mut self,
        op: RepOp,
        set: Option<&Code>,
        stmts: &[StmtCode],
        body: &Code,
    ) -> Result<Term> {
        match (op, set) {
            (RepOp::AlphaParallel, Some(alphabet)) => {
                let mut operands = Vec::new();
                let sets = DrawnFrom::Sets;
                rows(self.run, stmts, sets, self.frame, &mut |run, frame| {
                    let a = run.set_value(alphabet, frame)?;
                    operands.push((a, run.term(body, frame)?));
                    Ok(())
                })?;
                let (terms, store) = self.stores();
                Ok(terms.alphabetised(store, operands))
            }
            (RepOp::Parallel, Some(set)) => {
                let set = self.set(set)?;
                let operands = self.row_terms(stmts, DrawnFrom::Sets, body)?;
                let (terms, store) = self.stores();
                expect_room(terms, Some(set), &operands, body.span)?;
                Ok(terms.sharing(store, set, operands))
            }
            (RepOp::SyncChoice, Some(set)) => {
                let set = self.set(set)?;
                let operands = self.row_terms(stmts, DrawnFrom::Sets, body)?;
                let (terms, store) = self.stores();
                Ok(terms.sync_choice(store, operands, set))
            }
            (RepOp::Interleave, _) => {
                let operands = self.row_terms(stmts, DrawnFrom::Sets, body)?;
                let (terms, store) = self.stores();
                expect_room(terms, None, &operands, body.span)?;
                Ok(terms.interleave(store, operands))
            }
            (RepOp::Seq, _) => {
                // Only `;` and links depend on the order of their operands; the others take sets.
                let operands = self.row_terms(stmts, DrawnFrom::Sequences, body)?;
                let mut operands = operands.into_iter().rev();
                let Some(last) = operands.next() else {
                    let (terms, store) = self.stores();
                    return Ok(terms.skip(store));
                };
                // Nested to the right, as it is written: `P1; (P2; P3)`.
                let chain = operands.fold(last, |rest, p| self.make(TermData::Seq(p, rest)));
                // Its operands are kept suspended, but the first is to run at once.
                self.run.settle(chain)
            }
            _ => Err(internal(body.span)),
        }
    }

    fn replicated_link(
        &mut self,
        links: &LinksCode,
        stmts: &[StmtCode],
        body: &Code,
        span: Span,
    ) -> Result<Term> {
        // The links may mention the variables of a row: they are those to the next process. So the
        // ones of the last row are not used, and need not make sense.
        let mut operands = Vec::new();
        let sequences = DrawnFrom::Sequences;
        rows(self.run, stmts, sequences, self.frame, &mut |run, frame| {
            let mut row = Operators { run, frame };
            operands.push((row.term(body)?, row.links(links)));
            Ok(())
        })?;
        let Some((mut chain, _)) = operands.pop() else {
            let message = "linked parallel of no processes is not defined";
            return Err(fail("E0420", message, span));
        };
        for (p, pairs) in operands.into_iter().rev() {
            chain = self.make(TermData::Link(p, pairs?, chain));
        }
        Ok(chain)
    }

    /// The pairs of a renaming or link, with their places. Partial events on both sides denote all their
    /// completions.
    fn pairs(&mut self, links: &LinksCode) -> Result<Vec<LinkPair>> {
        let mut pairs = Vec::new();
        let sets = DrawnFrom::Sets;
        rows(
            self.run,
            &links.stmts,
            sets,
            self.frame,
            &mut |run, frame| {
                for (a, b) in &links.pairs {
                    let span = a.span.to(b.span);
                    let (old, new) = (run.eval(a, frame)?, run.eval(b, frame)?);
                    let values = &mut run.values;
                    expect_event_part(values, old, a.span)?;
                    expect_event_part(values, new, b.span)?;
                    let completions = values.store.sets().completions(old);
                    for from in values.at(completions, span)? {
                        values.look(span)?;
                        // `a.x <- b` renames every `a.x.y` to `b.y`: what completes the one
                        // completes the other.
                        let to = match suffix(&mut values.store, old, from) {
                            Some(rest) => values.store.extend(new, rest),
                            None => new,
                        };
                        expect_event(values, to, b.span)?;
                        pairs.push([(from, a.span), (to, b.span)]);
                    }
                }
                Ok(())
            },
        )?;
        Ok(pairs)
    }

    /// Pairs as a set of tuples.
    fn set_of_pairs(&mut self, pairs: &[LinkPair]) -> Result<Value> {
        let values = &mut self.run.values;
        let store = &mut values.store;
        let tuples = pairs.iter();
        let tuples = tuples.map(|[(a, _), (b, _)]| store.tuple(vec![*a, *b]));
        let tuples: Vec<Value> = tuples.collect();
        let set = store.sets().of(tuples);
        values.at(set, nowhere())
    }

    /// The pairs of a renaming: an event may become several.
    fn renaming(&mut self, links: &LinksCode) -> Result<Value> {
        let pairs = self.pairs(links)?;
        self.set_of_pairs(&pairs)
    }

    /// The pairs of a linked parallel: with what an event is linked must be clear.
    fn links(&mut self, links: &LinksCode) -> Result<Value> {
        let pairs = self.pairs(links)?;
        for (side, name) in [(0, "left"), (1, "right")] {
            let mut seen: Map<Value, Span> = Map::default();
            for pair in &pairs {
                let (event, span) = pair[side];
                let Some(first) = seen.insert(event, span) else {
                    continue;
                };
                let shown = self.run.values.short(event);
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
}
