//! Evaluating expressions: everything but the process operators and the built-in functions.

use super::args::{arguments, part, parts};
use super::code::{Code, CodeKind, Slot, UnitBody, UnitId};
use super::compare::comparison;
use super::comprehension;
use super::declarations::{check_fields, ensure_channel, ensure_ctor, type_set};
use super::definitions::global_value;
use super::environment::captures;
use super::fail::fail;
use super::force::Force;
use super::frame::{Frame, SlotValue, Tail, bind, delay, read_slot};
use super::generators::{productions, set_display};
use super::interpreter::Interpreter;
use super::operators::Operators;
use super::sequence::{append, length, range};
use super::whole::whole;
use crate::process::term::Term;
use crate::script::core::{BinOp, UnOp};
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::source::stack::deep;
use crate::value::{Data, Value, ValueResult, numbers};

impl Interpreter {
    /// Evaluates an expression to a value.
    pub(super) fn eval(&mut self, code: &Code, frame: &mut Frame) -> Result<Value> {
        match deep(|| self.tail(code, frame))? {
            Tail::Value(v) => Ok(v),
            // Outside of tail position there is something to come back to.
            Tail::Call(call) => self.call(call),
        }
    }

    /// Evaluates an expression and all parts of its value.
    pub(super) fn eval_whole(&mut self, code: &Code, frame: &mut Frame) -> Result<Value> {
        let v = self.eval(code, frame)?;
        whole(self, v, code.span)
    }

    /// Evaluates an expression that must be true or false.
    pub(super) fn condition(&mut self, code: &Code, frame: &mut Frame) -> Result<bool> {
        let v = self.eval(code, frame)?;
        self.values.truth(v, code.span)
    }

    /// Evaluates a process expression to a normalised term.
    pub(super) fn term(&mut self, code: &Code, frame: &mut Frame) -> Result<Term> {
        let v = self.eval(code, frame)?;
        self.values.term(v, code.span)
    }

    /// Evaluates a set; small lazy ones are listed, so that equal sets are equal handles.
    pub(super) fn set_value(&mut self, code: &Code, frame: &mut Frame) -> Result<Value> {
        let v = self.eval(code, frame)?;
        self.values.settled_set(v, code.span)
    }

    fn integer(&mut self, code: &Code, frame: &mut Frame) -> Result<i64> {
        let v = self.eval(code, frame)?;
        self.values.at(self.values.store.as_int(v), code.span)
    }

    /// Lower and upper bound of a range.
    pub(super) fn bounds(
        &mut self,
        a: &Code,
        b: Option<&Code>,
        frame: &mut Frame,
    ) -> Result<(i64, Option<i64>)> {
        let from = self.integer(a, frame)?;
        let to = b.map(|b| self.integer(b, frame)).transpose()?;
        Ok((from, to))
    }

    /// Evaluates an expression in tail position: a call there is handed back, not made.
    pub(super) fn tail(&mut self, code: &Code, frame: &mut Frame) -> Result<Tail> {
        let span = code.span;
        match &code.kind {
            CodeKind::If(condition, a, b) => {
                let taken = if self.condition(condition, frame)? {
                    a
                } else {
                    b
                };
                self.tail(taken, frame)
            }
            // Each follows those it needs, so what it captures is there.
            CodeKind::Let(bindings, body) => {
                for (slot, delayed) in bindings {
                    let binding = delay(delayed, frame, span)?;
                    bind(frame, *slot, binding);
                }
                self.tail(body, frame)
            }
            CodeKind::Guard(condition, process) => {
                if self.condition(condition, frame)? {
                    self.tail(process, frame)
                } else {
                    let stop = self.terms.stop(&self.values.store);
                    Ok(Tail::Value(self.values.process(stop)))
                }
            }
            CodeKind::Apply(f, args) => {
                // A local function is called with what it captures as it is: a closure would need
                // it evaluated.
                if let CodeKind::Lifted(unit, slots) = &f.kind
                    && matches!(self.program.unit(*unit).body, UnitBody::Function { .. })
                {
                    let captured = slots
                        .iter()
                        .map(|slot| read_slot(frame, *slot, span))
                        .collect::<Result<Vec<SlotValue>>>()?;
                    let args = arguments(self, args, frame)?;
                    return self.apply_unit(*unit, captured, args, span);
                }
                // The function comes first, so that an error in it is the one that is reported.
                let f = self.eval(f, frame)?;
                let args = arguments(self, args, frame)?;
                self.apply(f, args, span)
            }
            _ => self.strict(code, frame).map(Tail::Value),
        }
    }

    /// Evaluates what cannot end in a call: names, operators and displays.
    // A part of `tail`, which is entered for every expression: another call there is measurable.
    #[inline(always)]
    fn strict(&mut self, code: &Code, frame: &mut Frame) -> Result<Value> {
        let span = code.span;
        match &code.kind {
            CodeKind::Const(v) => Ok(*v),
            CodeKind::Slot(slot) => {
                let binding = read_slot(frame, *slot, span)?;
                self.forced(&binding, span)
            }
            CodeKind::Lifted(unit, slots) => self.lifted(*unit, slots, frame, span),
            CodeKind::Global(id) => global_value(self, *id, span),
            CodeKind::Type(id) => type_set(self, *id, span),
            CodeKind::Ctor(id) => {
                // Before the value exists: the store asks for its fields as soon as it is dotted.
                ensure_ctor(self, *id, span)?;
                Ok(self.values.store.ctor(*id))
            }
            CodeKind::Channel(id) => {
                ensure_channel(self, *id, span)?;
                Ok(self.values.store.channel(*id))
            }
            CodeKind::Builtin(b) => self.builtin_value(*b, span),
            CodeKind::Whole(code) => self.eval_whole(code, frame),
            CodeKind::Binary(op, a, b) => self.binary(*op, a, b, frame),
            CodeKind::Unary(op, a) => self.unary(*op, a, frame),
            CodeKind::Lambda(delayed) => {
                let env = captures(self, &delayed.captures, frame, span)?;
                let code = delayed.unit;
                Ok(self.values.store.intern(Data::Closure { code, env }))
            }
            CodeKind::Part(whole, pattern, slot) => {
                let whole = read_slot(frame, *whole, span)?;
                let v = self.forced(&whole, span)?;
                if !self.matches(pattern, v, frame, span)? {
                    let shown = self.values.short(v);
                    let message = format!("the pattern does not match `{shown}`");
                    return Err(fail("E0414", message, span));
                }
                let part = read_slot(frame, *slot, span)?;
                self.forced(&part, span)
            }
            _ => self.composed(code, frame),
        }
    }

    /// Evaluates what puts values together.
    fn composed(&mut self, code: &Code, frame: &mut Frame) -> Result<Value> {
        let span = code.span;
        match &code.kind {
            CodeKind::Tuple(items) => {
                let items = parts(self, items, frame, span)?;
                Ok(self.values.store.tuple(items))
            }
            CodeKind::Dot(parts) => {
                // A dotted value may become an event or an element of a set, so its parts are
                // evaluated.
                let parts = parts.iter().map(|part| self.eval_whole(part, frame));
                let parts = parts.collect::<Result<Vec<Value>>>()?;
                let dot = self.values.store.join(&parts);
                check_fields(self, dot, span)?;
                Ok(dot)
            }
            CodeKind::Map(pairs) => {
                let mut values = Vec::with_capacity(pairs.len());
                for (k, v) in pairs {
                    // Keys are compared, values are not.
                    values.push((self.eval_whole(k, frame)?, part(self, v, frame, span)?));
                }
                Ok(self.values.store.map(values))
            }
            CodeKind::Seq(items) => {
                let items = parts(self, items, frame, span)?;
                Ok(self.values.store.seq(items))
            }
            CodeKind::SeqRange(a, b) => {
                let (from, to) = self.bounds(a, b.as_deref(), frame)?;
                range(self, from, to, a.span)
            }
            CodeKind::SeqComp(comp) => comprehension::evaluate(self, comp, frame),
            CodeKind::Append(s, t) => {
                let s = self.eval(s, frame)?;
                // Nothing comes after what has no end.
                if matches!(self.values.store.data(s), Data::From(_)) {
                    return Ok(s);
                }
                // The rest of a sequence may be infinite, or mention the sequence itself.
                let t = part(self, t, frame, span)?;
                append(self, s, t, span)
            }
            CodeKind::Set(items, stmts) => set_display(self, items, stmts, frame, span),
            CodeKind::Productions(items, stmts) => productions(self, items, stmts, frame, span),
            _ => {
                let term = Operators { run: self, frame }.operator(code)?;
                Ok(self.values.process(term))
            }
        }
    }

    fn lifted(&mut self, unit: UnitId, slots: &[Slot], frame: &Frame, span: Span) -> Result<Value> {
        let env = captures(self, slots, frame, span)?;
        // A value that refers to itself is found once for each environment; a function is a
        // closure.
        if matches!(self.program.unit(unit).body, UnitBody::Thunk(_)) {
            let v = self.force_unit(unit, env, span)?;
            self.settled(v, span)
        } else {
            let store = &mut self.values.store;
            Ok(store.intern(Data::Closure { code: unit, env }))
        }
    }

    fn unary(&mut self, op: UnOp, a: &Code, frame: &mut Frame) -> Result<Value> {
        let v = self.eval(a, frame)?;
        let values = &mut self.values;
        match op {
            UnOp::Not => {
                let b = values.truth(v, a.span)?;
                Ok(values.store.bool(!b))
            }
            UnOp::Neg => {
                let i = values.at(values.store.as_int(v).and_then(numbers::neg), a.span)?;
                Ok(values.store.int(i))
            }
            UnOp::Length => {
                let n = length(self, v, a.span)?;
                Ok(self.values.store.int(n as i64))
            }
        }
    }

    fn binary(&mut self, op: BinOp, a: &Code, b: &Code, frame: &mut Frame) -> Result<Value> {
        let arithmetic: fn(i64, i64) -> ValueResult<i64> = match op {
            BinOp::And => {
                let v = self.condition(a, frame)? && self.condition(b, frame)?;
                return Ok(self.values.store.bool(v));
            }
            BinOp::Or => {
                let v = self.condition(a, frame)? || self.condition(b, frame)?;
                return Ok(self.values.store.bool(v));
            }
            BinOp::Add => numbers::add,
            BinOp::Sub => numbers::sub,
            BinOp::Mul => numbers::mul,
            BinOp::Div => numbers::div,
            BinOp::Mod => numbers::rem,
            _ => {
                let (x, y) = (self.eval(a, frame)?, self.eval(b, frame)?);
                let truth = comparison(self, op, x, y, a.span.to(b.span))?;
                return Ok(self.values.store.bool(truth));
            }
        };
        // Both are evaluated before either is found not to be a number.
        let (x, y) = (self.eval(a, frame)?, self.eval(b, frame)?);
        let values = &mut self.values;
        let x = values.at(values.store.as_int(x), a.span)?;
        let y = values.at(values.store.as_int(y), b.span)?;
        let z = values.at(arithmetic(x, y), a.span.to(b.span))?;
        Ok(values.store.int(z))
    }
}
