//! Matching values against patterns.

use super::code::PatternCode;
use super::compare::equal;
use super::force::Force;
use super::frame::{SlotValue, bind};
use super::sequence::{listed, take};
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::source::stack::deep;
use crate::value::views::slice;
use crate::value::{Data, Value};

/// Matches values and binds the variables of patterns in a frame. A pattern that does not match may
/// leave some of its variables bound: nothing reads them before another pattern has bound them.
pub(super) struct Matcher<'a, F> {
    pub force: &'a mut F,
    pub frame: &'a mut [SlotValue],
    /// The place of errors in parts that are evaluated to be matched.
    pub span: Span,
}

impl<F: Force> Matcher<'_, F> {
    /// Matches a value, which may be suspended: a variable binds it without evaluating it.
    pub(super) fn matches(&mut self, pattern: &PatternCode, v: Value) -> Result<bool> {
        match pattern {
            PatternCode::Wild => Ok(true),
            PatternCode::Bind(slot) => {
                bind(self.frame, *slot, SlotValue::Value(v));
                Ok(true)
            }
            _ => {
                let v = self.force.settled(v, self.span)?;
                deep(|| self.evaluated(pattern, v))
            }
        }
    }

    /// Matches a value that is not suspended itself; its parts may be.
    fn evaluated(&mut self, pattern: &PatternCode, v: Value) -> Result<bool> {
        let store = &mut self.force.values().store;
        Ok(match pattern {
            PatternCode::Wild | PatternCode::Bind(_) => self.matches(pattern, v)?,
            // Equal sequences may have different handles, if one is not evaluated or a view.
            PatternCode::Const(constant) if store.is_sequence(*constant) => {
                *constant == v
                    || (store.flags(v).is_partial() && equal(self.force, *constant, v, self.span)?)
            }
            PatternCode::Const(constant) => *constant == v,
            PatternCode::Ctor(id) => matches!(store.data(v), Data::Ctor(c) if c == id),
            PatternCode::Channel(id) => matches!(store.data(v), Data::Channel(c) if c == id),
            PatternCode::Both(p, q) => self.matches(p, v)? && self.matches(q, v)?,
            PatternCode::Tuple(ps) => match store.data(v).clone() {
                Data::Tuple(items) => self.all(ps, &items)?,
                _ => false,
            },
            PatternCode::Seq(_) | PatternCode::Concat(..) if !store.is_sequence(v) => false,
            PatternCode::Seq(ps) => self.sequence(ps, v)?,
            PatternCode::Concat(front, middle, back) if back.is_empty() => {
                self.begins_with(front, middle, v)?
            }
            PatternCode::Concat(front, middle, back) => self.framed(front, middle, back, v)?,
            PatternCode::EmptySet => {
                // Whether a set is empty may be unknown, or the value no set: then it does not
                // match.
                store.expect_set(v).is_ok() && matches!(store.sets().is_empty(v), Ok(true))
            }
            PatternCode::Singleton(p) => {
                // By its size first: an infinite set need not be listed to see that it is no
                // singleton.
                if store.sizes().size(v) != Some(1) {
                    return Ok(false);
                }
                match store.sets().elements(v).ok().as_deref() {
                    Some([one]) => self.matches(p, *one)?,
                    _ => false,
                }
            }
            // A constructed value is matched part by part, like an event.
            PatternCode::Dot(ps) => {
                let parts = store.dotted().parts(v);
                self.parts(ps, parts)?
            }
        })
    }

    fn all(&mut self, ps: &[PatternCode], items: &[Value]) -> Result<bool> {
        if ps.len() != items.len() {
            return Ok(false);
        }
        for (p, v) in ps.iter().zip(items) {
            if !self.matches(p, *v)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `<p, q>`: of a sequence that is not known to its end, one item more than that is looked for.
    fn sequence(&mut self, ps: &[PatternCode], v: Value) -> Result<bool> {
        let store = &self.force.values().store;
        match store.data(v).clone() {
            Data::Seq(items) => self.all(ps, &items),
            // The length of a view is known, so no item of a long one is copied in vain.
            Data::View { .. } if store.known_length(v) != Some(ps.len()) => Ok(false),
            _ => match take(self.force, v, ps.len(), self.span)? {
                None => Ok(false),
                Some((items, rest)) => {
                    Ok(take(self.force, rest, 1, self.span)?.is_none() && self.all(ps, &items)?)
                }
            },
        }
    }

    /// Matches `<p, q>^s`; the value of `s` need not be known.
    fn begins_with(
        &mut self,
        front: &[PatternCode],
        middle: &PatternCode,
        v: Value,
    ) -> Result<bool> {
        match take(self.force, v, front.len(), self.span)? {
            None => Ok(false),
            Some((items, rest)) => Ok(self.all(front, &items)? && self.matches(middle, rest)?),
        }
    }

    /// `<p>^s^<q>`: the sequence has to come to an end.
    fn framed(
        &mut self,
        front: &[PatternCode],
        middle: &PatternCode,
        back: &[PatternCode],
        v: Value,
    ) -> Result<bool> {
        let v = match self.force.values().store.known_length(v) {
            Some(_) => v,
            None => {
                let items = listed(self.force, v, self.span)?;
                self.force.values().store.seq(items.as_ref())
            }
        };
        let store = &mut self.force.values().store;
        let length = store.known_length(v).unwrap_or(0);
        if length < front.len() + back.len() {
            return Ok(false);
        }
        let end = length - back.len();
        let first = store.known_items(v, 0, front.len());
        let last = store.known_items(v, end, length);
        let inner = slice(store, v, front.len(), end);
        Ok(self.all(front, &first)? && self.matches(middle, inner)? && self.all(back, &last)?)
    }

    /// Matches the parts of a dotted value: the last pattern takes all that is left. A constructor
    /// stands for itself and opens the constructed value that begins with it.
    fn parts(&mut self, ps: &[PatternCode], mut parts: Vec<Value>) -> Result<bool> {
        for (i, p) in ps.iter().enumerate() {
            let store = &mut self.force.values().store;
            if parts.is_empty() {
                return Ok(false);
            }
            if i + 1 == ps.len() {
                let rest = store.dot(parts);
                return self.matches(p, rest);
            }
            if matches!(p, PatternCode::Ctor(_) | PatternCode::Channel(_))
                && let Data::Dot(inner) = store.data(parts[0]).clone()
            {
                parts.splice(0..1, inner.iter().copied());
            }
            // A nested pattern takes as many parts as it has itself.
            let taken = parts_taken(p).min(parts.len());
            let first: Vec<Value> = parts.drain(..taken).collect();
            let first = store.dot(first);
            if !self.matches(p, first)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The number of parts of a dotted value that a pattern takes which is not the last.
fn parts_taken(p: &PatternCode) -> usize {
    match p {
        PatternCode::Dot(ps) => ps.iter().map(parts_taken).sum(),
        PatternCode::Both(p, q) => parts_taken(p).max(parts_taken(q)),
        _ => 1,
    }
}
