//! Evaluating data: everything but the process operators and the built-in functions.

use std::rc::Rc;

use super::Evaluator;
use super::code::{Body, Code, Items, Kind, Slot, Stmt, UnitId};
use super::run::{Frame, Held, Outcome};
use crate::script::core::{BinOp, UnOp};
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::value::{Data, Value, ValueError, numbers};

/// What is done for every row of a list of generators.
pub(super) type OnRow<'a> = dyn FnMut(&mut Evaluator, &mut Frame) -> Result<()> + 'a;

impl Evaluator {
    /// Evaluates an expression in tail position: a call there is handed back, not made.
    pub(super) fn tail(&mut self, code: &Code, frame: &mut Frame) -> Result<Outcome> {
        let span = code.span;
        match &code.kind {
            Kind::If(condition, a, b) => {
                let taken = if self.condition(condition, frame)? {
                    a
                } else {
                    b
                };
                self.tail(taken, frame)
            }
            Kind::Let(bindings, body) => {
                for (slot, delayed) in bindings {
                    let held = Self::delay(delayed, frame, span)?;
                    if let Some(place) = frame.get_mut(*slot as usize) {
                        *place = held;
                    }
                }
                self.tail(body, frame)
            }
            Kind::Guard(condition, process) => {
                if self.condition(condition, frame)? {
                    self.tail(process, frame)
                } else {
                    let stop = self.terms.stop(&self.store);
                    Ok(Outcome::Value(self.process_value(stop)))
                }
            }
            Kind::Apply(f, args) => {
                if let Kind::Lifted(unit, slots) = &f.kind
                    && matches!(self.unit(*unit).body, Body::Function { .. })
                {
                    let captured = slots
                        .iter()
                        .map(|slot| Self::held(frame, *slot, span))
                        .collect::<Result<Vec<Held>>>()?;
                    let args = self.args(args, frame)?;
                    return self.apply_unit(*unit, captured, args, span);
                }
                let f = self.eval(f, frame)?;
                let args = self.args(args, frame)?;
                self.apply(f, args, span)
            }
            _ => self.strict(code, frame).map(Outcome::Value),
        }
    }

    /// Evaluates a condition.
    pub(super) fn condition(&mut self, code: &Code, frame: &mut Frame) -> Result<bool> {
        let v = self.eval(code, frame)?;
        self.at(self.store.as_bool(v), code.span)
    }

    fn strict(&mut self, code: &Code, frame: &mut Frame) -> Result<Value> {
        let span = code.span;
        match &code.kind {
            Kind::Const(v) => Ok(*v),
            Kind::Slot(slot) => {
                let held = Self::held(frame, *slot, span)?;
                self.forced(&held, span)
            }
            Kind::Lifted(unit, slots) => self.lifted(*unit, slots, frame, span),
            Kind::Global(id) => self.global(*id, span),
            Kind::Type(id) => self.type_set(*id, span),
            Kind::Ctor(id) => {
                self.ensure_ctor(*id, span)?;
                Ok(self.store.ctor(*id))
            }
            Kind::Channel(id) => {
                self.ensure_channel(*id, span)?;
                Ok(self.store.channel(*id))
            }
            Kind::Builtin(b) => self.builtin_value(*b, span),
            Kind::Tuple(items) => {
                let items = self.parts(items, frame, span)?;
                Ok(self.store.tuple(items))
            }
            Kind::Dot(parts) => {
                let parts = self.evals_whole(parts, frame)?;
                let dot = self.store.join(&parts);
                self.check_fields(dot, span)?;
                Ok(dot)
            }
            Kind::Map(pairs) => {
                let mut values = Vec::with_capacity(pairs.len());
                for (k, v) in pairs {
                    values.push((self.eval_whole(k, frame)?, self.part(v, frame, span)?));
                }
                Ok(self.store.map(values))
            }
            Kind::Seq(items) => {
                let items = self.parts(items, frame, span)?;
                Ok(self.store.seq(items))
            }
            Kind::SeqRange(a, b) => self.seq_range(a, b.as_deref(), frame),
            Kind::SeqComp(comp) => self.comprehension(comp, frame),
            Kind::Append(s, t) => {
                let s = self.eval(s, frame)?;
                if matches!(self.store.data(s), Data::From(_)) {
                    return Ok(s);
                }
                let t = self.part(t, frame, span)?;
                self.append(s, t, span)
            }
            Kind::Whole(code) => self.eval_whole(code, frame),
            Kind::Set(items, stmts) => self.set_display(items, stmts, frame, span),
            Kind::Productions(items, stmts) => self.productions(items, stmts, frame, span),
            Kind::Binary(op, a, b) => self.binary(*op, a, b, frame),
            Kind::Unary(op, a) => self.unary(*op, a, frame),
            Kind::Lambda(delayed) => {
                let env = self.captures(&delayed.captures, frame, span)?;
                let code = delayed.unit;
                Ok(self.store.intern(Data::Closure { code, env }))
            }
            Kind::Part(whole, pattern, slot) => {
                let held = Self::held(frame, *whole, span)?;
                let v = self.forced(&held, span)?;
                if !self.matches_at(pattern, v, frame, span)? {
                    let shown = self.store.show_short(v, &self.script);
                    let message = format!("the pattern does not match `{shown}`");
                    return Err(self.fail_at("E0414", message, span));
                }
                let held = Self::held(frame, *slot, span)?;
                self.forced(&held, span)
            }
            _ => {
                let term = self.operator(code, frame)?;
                Ok(self.process_value(term))
            }
        }
    }

    pub(super) fn evals_whole(&mut self, codes: &[Code], frame: &mut Frame) -> Result<Vec<Value>> {
        let values = codes.iter().map(|code| self.eval_whole(code, frame));
        values.collect()
    }

    fn lifted(&mut self, unit: UnitId, slots: &[Slot], frame: &Frame, span: Span) -> Result<Value> {
        let env = self.captures(slots, frame, span)?;
        if matches!(self.unit(unit).body, Body::Thunk(_)) {
            let v = self.force_unit(unit, env, span)?;
            self.settled(v, span)
        } else {
            Ok(self.store.intern(Data::Closure { code: unit, env }))
        }
    }

    fn unary(&mut self, op: UnOp, a: &Code, frame: &mut Frame) -> Result<Value> {
        let v = self.eval(a, frame)?;
        match op {
            UnOp::Not => {
                let b = self.at(self.store.as_bool(v), a.span)?;
                Ok(self.store.bool(!b))
            }
            UnOp::Neg => {
                let i = self.store.as_int(v).and_then(numbers::neg);
                let i = self.at(i, a.span)?;
                Ok(self.store.int(i))
            }
            UnOp::Length => {
                let n = self.length(v, a.span)?;
                Ok(self.store.int(n as i64))
            }
        }
    }

    fn binary(&mut self, op: BinOp, a: &Code, b: &Code, frame: &mut Frame) -> Result<Value> {
        let span = a.span.to(b.span);
        match op {
            BinOp::And => {
                let v = self.condition(a, frame)? && self.condition(b, frame)?;
                return Ok(self.store.bool(v));
            }
            BinOp::Or => {
                let v = self.condition(a, frame)? || self.condition(b, frame)?;
                return Ok(self.store.bool(v));
            }
            _ => {}
        }
        let (x, y) = (self.eval(a, frame)?, self.eval(b, frame)?);
        match op {
            BinOp::Add => self.arithmetic(numbers::add, (x, a.span), (y, b.span), span),
            BinOp::Sub => self.arithmetic(numbers::sub, (x, a.span), (y, b.span), span),
            BinOp::Mul => self.arithmetic(numbers::mul, (x, a.span), (y, b.span), span),
            BinOp::Div => self.arithmetic(numbers::div, (x, a.span), (y, b.span), span),
            BinOp::Mod => self.arithmetic(numbers::rem, (x, a.span), (y, b.span), span),
            _ => {
                let truth = self.comparison(op, x, y, span)?;
                Ok(self.store.bool(truth))
            }
        }
    }

    fn arithmetic(
        &mut self,
        f: fn(i64, i64) -> crate::value::ValueResult<i64>,
        a: (Value, Span),
        b: (Value, Span),
        span: Span,
    ) -> Result<Value> {
        let x = self.at(self.store.as_int(a.0), a.1)?;
        let y = self.at(self.store.as_int(b.0), b.1)?;
        let z = self.at(f(x, y), span)?;
        Ok(self.store.int(z))
    }

    /// A list of generators and conditions: `f` runs for every row that passes.
    pub(super) fn rows(
        &mut self,
        stmts: &[Stmt],
        sequences: bool,
        frame: &mut Frame,
        f: &mut OnRow<'_>,
    ) -> Result<()> {
        let Some((first, rest)) = stmts.split_first() else {
            return f(self, frame);
        };
        match first {
            Stmt::Condition(code) => {
                if self.condition(code, frame)? {
                    self.rows(rest, sequences, frame, f)?;
                }
                Ok(())
            }
            Stmt::Generator(pattern, code) => {
                let source = self.eval(code, frame)?;
                let items = self.source_items(source, sequences, code.span)?;
                for item in items.iter() {
                    self.count_call(code.span)?;
                    if self.matches_at(pattern, *item, frame, code.span)? {
                        self.rows(rest, sequences, frame, f)?;
                    }
                }
                self.poll(code.span)
            }
        }
    }

    fn source_items(&mut self, v: Value, sequence: bool, span: Span) -> Result<Rc<[Value]>> {
        if sequence {
            return self.listed(v, span);
        }
        let set = self.set_from(v, span)?;
        let elements = self.store.elements(set);
        self.at(elements, span)
    }

    /// A value read as a set (a product or a tuple of sets too).
    pub(super) fn set_from(&mut self, v: Value, span: Span) -> Result<Value> {
        match self.store.as_set(v) {
            Some(set) => Ok(set),
            None => Err(self.fail_value(&ValueError::Expected("a set", v), span)),
        }
    }

    /// Evaluates a set; small lazy ones are listed, so that equal sets are equal handles.
    pub(super) fn set_value(&mut self, code: &Code, frame: &mut Frame) -> Result<Value> {
        let v = self.eval(code, frame)?;
        let set = self.set_from(v, code.span)?;
        let settled = self.store.settle_set(set);
        self.at(settled, code.span)
    }

    /// Lower and upper bound of a range.
    pub(super) fn bounds(
        &mut self,
        a: &Code,
        b: Option<&Code>,
        frame: &mut Frame,
    ) -> Result<(i64, Option<i64>)> {
        let from = self.eval(a, frame)?;
        let from = self.at(self.store.as_int(from), a.span)?;
        let Some(b) = b else {
            return Ok((from, None));
        };
        let to = self.eval(b, frame)?;
        let to = self.at(self.store.as_int(to), b.span)?;
        Ok((from, Some(to)))
    }

    fn set_display(
        &mut self,
        items: &Items,
        stmts: &[Stmt],
        frame: &mut Frame,
        span: Span,
    ) -> Result<Value> {
        let mut all = Vec::new();
        let mut ranges = Vec::new();
        self.rows(stmts, false, frame, &mut |this, frame| {
            match items {
                Items::List(codes) => {
                    for code in codes {
                        all.push(this.eval_whole(code, frame)?);
                    }
                }
                Items::Range(a, b) => {
                    let (from, to) = this.bounds(a, b.as_deref(), frame)?;
                    ranges.push(this.store.int_range(Some(from), to));
                }
            }
            if all.len() > this.limits.elements_max {
                let text = format!("more than {} elements", this.limits.elements_max);
                return Err(this.fail_at("E0403", text, span));
            }
            Ok(())
        })?;
        if let [range] = *ranges {
            return Ok(range);
        }
        let set = self.store.set_of(all);
        let mut set = self.at(set, span)?;
        for range in ranges {
            let union = self.store.union(set, range);
            set = self.at(union, span)?;
        }
        Ok(set)
    }

    fn productions(
        &mut self,
        items: &[Code],
        stmts: &[Stmt],
        frame: &mut Frame,
        span: Span,
    ) -> Result<Value> {
        let mut heads = Vec::new();
        self.rows(stmts, false, frame, &mut |this, frame| {
            heads.extend(this.evals_whole(items, frame)?);
            Ok(())
        })?;
        let set = self.store.productions(heads);
        self.at(set, span)
    }
}
