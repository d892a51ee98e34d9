//! Matching values against patterns.

use super::Evaluator;
use super::code::Pattern;
use super::run::{Frame, Held};
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::source::stack::deep;
use crate::value::{Data, Value};

impl Evaluator {
    /// Matches something that may be lazy: a plain variable binds it without evaluating it.
    pub(super) fn matches_held(
        &mut self,
        pattern: &Pattern,
        held: &Held,
        frame: &mut Frame,
        span: Span,
    ) -> Result<bool> {
        match pattern {
            Pattern::Wild => Ok(true),
            Pattern::Bind(slot) => {
                if let Some(place) = frame.get_mut(*slot as usize) {
                    *place = held.clone();
                }
                Ok(true)
            }
            _ => {
                let v = self.forced(held, span)?;
                self.matches_at(pattern, v, frame, span)
            }
        }
    }

    /// Matches a value and binds the variables of the pattern.
    pub(super) fn matches(
        &mut self,
        pattern: &Pattern,
        v: Value,
        frame: &mut Frame,
    ) -> Result<bool> {
        self.matches_at(pattern, v, frame, super::nowhere())
    }

    /// [`Evaluator::matches`] with a place for errors in parts that are evaluated to be matched.
    pub(super) fn matches_at(
        &mut self,
        pattern: &Pattern,
        v: Value,
        frame: &mut Frame,
        span: Span,
    ) -> Result<bool> {
        match pattern {
            Pattern::Wild | Pattern::Bind(_) => self.matches_inner(pattern, v, frame, span),
            _ => {
                let v = self.settled(v, span)?;
                deep(|| self.matches_inner(pattern, v, frame, span))
            }
        }
    }

    fn matches_inner(
        &mut self,
        pattern: &Pattern,
        v: Value,
        frame: &mut Frame,
        span: Span,
    ) -> Result<bool> {
        Ok(match pattern {
            Pattern::Wild => true,
            Pattern::Bind(slot) => {
                if let Some(place) = frame.get_mut(*slot as usize) {
                    *place = Held::Value(v);
                }
                true
            }
            Pattern::Const(constant) if self.store.is_sequence(*constant) => {
                *constant == v || (self.store.is_partial(v) && self.equal(*constant, v, span)?)
            }
            Pattern::Const(constant) => *constant == v,
            Pattern::Ctor(id) => matches!(self.store.data(v), Data::Ctor(c) if c == id),
            Pattern::Channel(id) => matches!(self.store.data(v), Data::Channel(c) if c == id),
            Pattern::Both(p, q) => {
                self.matches_at(p, v, frame, span)? && self.matches_at(q, v, frame, span)?
            }
            Pattern::Tuple(ps) => match self.store.data(v).clone() {
                Data::Tuple(items) => self.all_match(ps, &items, frame, span)?,
                _ => false,
            },
            Pattern::Seq(_) | Pattern::Concat(..) if !self.store.is_sequence(v) => false,
            Pattern::Seq(ps) => match self.store.data(v).clone() {
                Data::Seq(items) => self.all_match(ps, &items, frame, span)?,
                Data::View { .. } if self.store.known_length(v) != Some(ps.len()) => false,
                _ => match self.take(v, ps.len(), span)? {
                    None => false,
                    Some((items, rest)) => {
                        self.take(rest, 1, span)?.is_none()
                            && self.all_match(ps, &items, frame, span)?
                    }
                },
            },
            Pattern::Concat(front, middle, back) if back.is_empty() => {
                match self.take(v, front.len(), span)? {
                    None => false,
                    Some((items, rest)) => {
                        self.all_match(front, &items, frame, span)?
                            && self.matches_at(middle, rest, frame, span)?
                    }
                }
            }
            Pattern::Concat(front, middle, back) => {
                let v = match self.store.known_length(v) {
                    Some(_) => v,
                    None => {
                        let items = self.listed(v, span)?;
                        self.store.seq(items.as_ref())
                    }
                };
                let length = self.store.known_length(v).unwrap_or(0);
                if length < front.len() + back.len() {
                    return Ok(false);
                }
                let end = length - back.len();
                let first = self.store.known_items(v, 0, front.len());
                let last = self.store.known_items(v, end, length);
                let inner = self.store.slice(v, front.len(), end);
                self.all_match(front, &first, frame, span)?
                    && self.matches_at(middle, inner, frame, span)?
                    && self.all_match(back, &last, frame, span)?
            }
            Pattern::EmptySet => {
                self.store.expect_set(v).is_ok() && matches!(self.store.is_empty_set(v), Ok(true))
            }
            Pattern::Singleton(p) => {
                if self.store.size(v) != Some(1) {
                    return Ok(false);
                }
                match self.store.elements(v).ok().as_deref() {
                    Some([one]) => self.matches_at(p, *one, frame, span)?,
                    _ => false,
                }
            }
            Pattern::Dot(ps) => {
                let parts = self.store.parts(v);
                self.match_parts(ps, parts, frame, span)?
            }
        })
    }

    fn all_match(
        &mut self,
        ps: &[Pattern],
        items: &[Value],
        frame: &mut Frame,
        span: Span,
    ) -> Result<bool> {
        if ps.len() != items.len() {
            return Ok(false);
        }
        for (p, v) in ps.iter().zip(items) {
            if !self.matches_at(p, *v, frame, span)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Matches the parts of a dotted value: the last pattern takes all that is left. A constructor
    /// stands for itself and opens the constructed value that begins with it.
    fn match_parts(
        &mut self,
        ps: &[Pattern],
        mut parts: Vec<Value>,
        frame: &mut Frame,
        span: Span,
    ) -> Result<bool> {
        for (i, p) in ps.iter().enumerate() {
            if parts.is_empty() {
                return Ok(false);
            }
            if i + 1 == ps.len() {
                let rest = self.store.dot(parts);
                return self.matches_at(p, rest, frame, span);
            }
            if matches!(p, Pattern::Ctor(_) | Pattern::Channel(_))
                && let Data::Dot(inner) = self.store.data(parts[0]).clone()
            {
                parts.splice(0..1, inner.iter().copied());
            }
            let taken = parts_taken(p).min(parts.len());
            let first: Vec<Value> = parts.drain(..taken).collect();
            let first = self.store.dot(first);
            if !self.matches_at(p, first, frame, span)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// How many parts of a dotted value a pattern takes that is not the last.
fn parts_taken(p: &Pattern) -> usize {
    match p {
        Pattern::Dot(ps) => ps.iter().map(parts_taken).sum(),
        Pattern::Both(p, q) => parts_taken(p).max(parts_taken(q)),
        _ => 1,
    }
}
