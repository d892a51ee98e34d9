//! Sequence comprehensions: their later items are found when they are needed.
//!
//! A comprehension that meets something that cannot be evaluated, or a source without end, does not
//! fail if it has found items already: what it has is the beginning, and the rest is a suspended
//! [`UnitBody::Resume`](super::code::UnitBody) that goes on in the middle of the source of a generator.

use std::rc::Rc;

use super::args::part;
use super::code::{Comp, CompItems, Slot, StmtCode};
use super::environment::captures;
use super::fail::internal;
use super::force::Force;
use super::frame::{Frame, SlotValue, bind};
use super::interpreter::Interpreter;
use super::sequence::{range, remaining, step, stream, suspend_append};
use crate::source::diagnostic::Result;
use crate::value::{Data, Value};

/// A comprehension that is being evaluated.
struct Rows<'a> {
    run: &'a mut Interpreter,
    comp: &'a Rc<Comp>,
    frame: &'a mut Frame,
    found: Vec<Value>,
}

/// The value of a sequence comprehension: the items that are found at once, and a suspended rest.
pub(super) fn evaluate(run: &mut Interpreter, comp: &Rc<Comp>, frame: &mut Frame) -> Result<Value> {
    let mut rows = Rows {
        run,
        comp,
        frame,
        found: Vec::new(),
    };
    let rest = rows.statements_from(0)?;
    stream(rows.run, rows.found, rest, comp.span)
}

/// Goes on with a comprehension in the middle of the source of a generator. What is left of the source
/// is captured first, then the variables in the slots. `size` is that of the frame.
pub(super) fn resume(
    run: &mut Interpreter,
    comp: &Rc<Comp>,
    generator: usize,
    slots: &[Slot],
    captured: &[SlotValue],
    size: u32,
) -> Result<Value> {
    let Some((source, values)) = captured.split_first() else {
        return Err(internal(comp.span));
    };
    let source = run.forced(source, comp.span)?;
    // The slots are those of the frame in which the comprehension began.
    let mut frame = vec![SlotValue::Empty; size as usize];
    for (slot, binding) in slots.iter().zip(values) {
        bind(&mut frame, *slot, binding.clone());
    }
    let mut rows = Rows {
        run,
        comp,
        frame: &mut frame,
        found: Vec::new(),
    };
    let rest = rows.draw(generator, source)?;
    stream(rows.run, rows.found, rest, comp.span)
}

impl Rows<'_> {
    /// Adds the items for the statements from number `i` on. What comes back is the rest, if there
    /// is more that is not evaluated yet.
    fn statements_from(&mut self, i: usize) -> Result<Option<Value>> {
        match self.comp.stmts.get(i) {
            None => self.items(),
            Some(StmtCode::Condition(code)) => {
                if self.run.condition(code, self.frame)? {
                    self.statements_from(i + 1)
                } else {
                    Ok(None)
                }
            }
            Some(StmtCode::Generator(_, code)) => {
                let source = self.run.eval(code, self.frame)?;
                self.draw(i, source)
            }
        }
    }

    /// Adds the items of one row.
    fn items(&mut self) -> Result<Option<Value>> {
        let span = self.comp.span;
        match &self.comp.items {
            CompItems::List(items) => {
                for item in items {
                    self.found.push(part(self.run, item, self.frame, span)?);
                }
                self.run.values.check_length(self.found.len(), span)?;
                Ok(None)
            }
            CompItems::Range(a, b) => {
                let (from, to) = self.run.bounds(a, b.as_ref(), self.frame)?;
                let range = range(self.run, from, to, a.span)?;
                let values = &mut self.run.values;
                // A row without end: it is the rest, and no other row is ever reached.
                if matches!(values.store.data(range), Data::From(_)) {
                    return Ok(Some(range));
                }
                let (items, rest) = step(values, range, span)?;
                self.found.extend_from_slice(&items);
                Ok(rest)
            }
        }
    }

    /// Adds the items for what generator number `i` draws from a source.
    fn draw(&mut self, i: usize, source: Value) -> Result<Option<Value>> {
        let span = self.comp.span;
        let Some(StmtCode::Generator(pattern, _)) = self.comp.stmts.get(i) else {
            return Err(internal(span));
        };
        let mut source = source;
        loop {
            let (items, rest) = step(&mut self.run.values, source, span)?;
            for (k, item) in items.iter().enumerate() {
                // A source without end must not outlast an experiment.
                if let Err(error) = self.run.values.count_call(span) {
                    if self.found.is_empty() {
                        return Err(error);
                    }
                    let left = remaining(self.run, &items[k..], rest, span)?;
                    return self.later(i, left).map(Some);
                }
                let row = match self.run.matches(pattern, *item, self.frame, span) {
                    Ok(true) => self.statements_from(i + 1),
                    Ok(false) => continue,
                    Err(error) => Err(error),
                };
                match row {
                    Ok(None) => {}
                    Ok(Some(inner)) => {
                        // The row goes on where it stopped, and after it come the other rows.
                        let left = remaining(self.run, &items[k + 1..], rest, span)?;
                        let later = self.later(i, left)?;
                        let store = &mut self.run.values.store;
                        return Ok(Some(suspend_append(store, inner, later)));
                    }
                    Err(error) if self.found.is_empty() => return Err(error),
                    // What was found stands; the error is one of whoever needs what comes next.
                    Err(_) => {
                        self.run.values.poll(span)?;
                        let left = remaining(self.run, &items[k..], rest, span)?;
                        return self.later(i, left).map(Some);
                    }
                }
            }
            match rest {
                None => return Ok(None),
                // Nothing more is looked for than what is known of the source: whoever walks the
                // result may never come here.
                Some(rest) if !self.found.is_empty() => return self.later(i, rest).map(Some),
                Some(rest) => source = self.run.settled(rest, span)?,
            }
        }
    }

    /// The comprehension from here on, suspended.
    fn later(&mut self, i: usize, source: Value) -> Result<Value> {
        let span = self.comp.span;
        let Some(Some(delayed)) = self.comp.resume.get(i) else {
            return Err(internal(span));
        };
        let mut env = vec![source];
        env.extend(captures(self.run, &delayed.captures, self.frame, span)?);
        let (code, env) = (delayed.unit, env.into());
        Ok(self.run.values.store.intern(Data::Suspended { code, env }))
    }
}
