//! `==`, `<` and so on: numeric, prefix order on sequences, inclusion on sets and maps,
//! lexicographic on tuples.

use std::cmp::Ordering;

use super::Evaluator;
use crate::script::core::BinOp;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::source::stack::deep;
use crate::value::{Data, Value, ValueError};

/// Items compared between two looks at the limits.
const POLL_EVERY: usize = 4096;

impl Evaluator {
    pub(super) fn comparison(&mut self, op: BinOp, x: Value, y: Value, span: Span) -> Result<bool> {
        match op {
            BinOp::Eq => self.equal(x, y, span),
            BinOp::Ne => self.equal(x, y, span).map(|b| !b),
            BinOp::Le => self.at_most(x, y, span),
            BinOp::Ge => self.at_most(y, x, span),
            BinOp::Lt => Ok(!self.equal(x, y, span)? && self.at_most(x, y, span)?),
            _ => Ok(!self.equal(x, y, span)? && self.at_most(y, x, span)?),
        }
    }

    /// Whether two values are equal. Of what is not evaluated yet no more is evaluated than it takes
    /// to find a difference.
    pub(super) fn equal(&mut self, x: Value, y: Value, span: Span) -> Result<bool> {
        let (x, y) = (self.settled(x, span)?, self.settled(y, span)?);
        for v in [x, y] {
            let what = match self.store.data(v) {
                Data::Process(_) => "data to compare, not a process",
                Data::Closure { .. } | Data::Builtin(_) | Data::Applied(..) => {
                    "data to compare, not a function"
                }
                _ => continue,
            };
            return Err(self.fail_value(&ValueError::Expected(what, v), span));
        }
        if x == y {
            return Ok(true);
        }
        if self.store.is_plain(x) && self.store.is_plain(y) {
            return Ok(false);
        }
        match (self.store.data(x).clone(), self.store.data(y).clone()) {
            (Data::Lazy(_), Data::Set(_) | Data::Lazy(_)) | (Data::Set(_), Data::Lazy(_)) => {
                let equal = self.store.equal_sets(x, y);
                self.at(equal, span)
            }
            (Data::Tuple(s), Data::Tuple(t)) => self.all_equal(&s, &t, span),
            (Data::Map(s), Data::Map(t)) => {
                if s.len() != t.len() || s.iter().zip(&t).any(|(a, b)| a.0 != b.0) {
                    return Ok(false);
                }
                let values = |pairs: &[(Value, Value)]| -> Vec<Value> {
                    pairs.iter().map(|pair| pair.1).collect()
                };
                self.all_equal(&values(&s), &values(&t), span)
            }
            (
                Data::Seq(_) | Data::View { .. } | Data::From(_) | Data::Stream { .. },
                Data::Seq(_) | Data::View { .. } | Data::From(_) | Data::Stream { .. },
            ) => Ok(self.compare_sequences(x, y, span)? == Some(Ordering::Equal)),
            _ => Ok(false),
        }
    }

    fn all_equal(&mut self, s: &[Value], t: &[Value], span: Span) -> Result<bool> {
        if s.len() != t.len() {
            return Ok(false);
        }
        for (x, y) in s.iter().zip(t) {
            if !deep(|| self.equal(*x, *y, span))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Prefix order: none if neither is the beginning of the other.
    fn compare_sequences(&mut self, x: Value, y: Value, span: Span) -> Result<Option<Ordering>> {
        let (mut x, mut y) = (x, y);
        let mut seen = 0;
        loop {
            if x == y {
                return Ok(Some(Ordering::Equal));
            }
            if let (Some(m), Some(n)) = (self.store.known_length(x), self.store.known_length(y)) {
                return self.compare_known((x, m), (y, n), span);
            }
            if let (Data::From(a), Data::From(b)) = (self.store.data(x), self.store.data(y)) {
                return Ok((a == b).then_some(Ordering::Equal));
            }
            let ((s, s_rest), (t, t_rest)) = (self.short_step(x, span)?, self.short_step(y, span)?);
            let common = s.len().min(t.len());
            if !self.all_equal(&s[..common], &t[..common], span)? {
                return Ok(None);
            }
            seen += common;
            if seen > self.limits.elements_max {
                let text = format!("the first {seen} elements of two infinite sequences are equal");
                return Err(self.fail_at("E0423", text, span));
            }
            let (s_left, t_left) = (&s[common..], &t[common..]);
            match (
                self.left(s_left, s_rest, span)?,
                self.left(t_left, t_rest, span)?,
            ) {
                (None, None) => return Ok(Some(Ordering::Equal)),
                (None, Some(_)) => return Ok(Some(Ordering::Less)),
                (Some(_), None) => return Ok(Some(Ordering::Greater)),
                (Some(a), Some(b)) => (x, y) = (a, b),
            }
        }
    }

    /// [`Evaluator::compare_sequences`] of two with these lengths.
    fn compare_known(
        &mut self,
        (x, m): (Value, usize),
        (y, n): (Value, usize),
        span: Span,
    ) -> Result<Option<Ordering>> {
        for i in 0..m.min(n) {
            if i % POLL_EVERY == POLL_EVERY - 1 {
                self.poll(span)?;
            }
            let items = (self.store.known_item(x, i), self.store.known_item(y, i));
            if let (Some(a), Some(b)) = items
                && !deep(|| self.equal(a, b, span))?
            {
                return Ok(None);
            }
        }
        Ok(Some(m.cmp(&n)))
    }

    /// The rest of a sequence; none if it is empty.
    fn left(&mut self, items: &[Value], rest: Option<Value>, span: Span) -> Result<Option<Value>> {
        let v = self.stream(items.to_vec(), rest, span)?;
        let empty = matches!(self.store.data(v), Data::Seq(items) if items.is_empty());
        Ok((!empty).then_some(v))
    }

    fn at_most(&mut self, x: Value, y: Value, span: Span) -> Result<bool> {
        let (x, y) = (self.settled(x, span)?, self.settled(y, span)?);
        let (a, b) = (self.store.data(x).clone(), self.store.data(y).clone());
        match (&a, &b) {
            (Data::Int(_), Data::Int(_))
            | (Data::Char(_), Data::Char(_))
            | (Data::Bool(_), Data::Bool(_)) => Ok(self.store.compare(x, y).is_le()),
            (
                Data::Seq(_) | Data::View { .. } | Data::From(_) | Data::Stream { .. },
                Data::Seq(_) | Data::View { .. } | Data::From(_) | Data::Stream { .. },
            ) => {
                let order = self.compare_sequences(x, y, span)?;
                Ok(matches!(order, Some(Ordering::Less | Ordering::Equal)))
            }
            (Data::Set(_) | Data::Lazy(_), Data::Set(_) | Data::Lazy(_)) => {
                let inside = self.store.subset(x, y);
                self.at(inside, span)
            }
            (Data::Map(s), Data::Map(t)) => self.submap(s, t, span),
            (Data::Tuple(s), Data::Tuple(t)) => {
                for (v, w) in s.iter().zip(t) {
                    if !self.equal(*v, *w, span)? {
                        return deep(|| self.at_most(*v, *w, span));
                    }
                }
                Ok(true)
            }
            // Constructed values and events have no order but equality.
            (Data::Dot(_) | Data::Ctor(_) | Data::Channel(_), _) => self.equal(x, y, span),
            _ => {
                let error = ValueError::Expected("values that have an order", x);
                Err(self.fail_value(&error, span))
            }
        }
    }

    /// `<=` on maps: every key of the first is one of the second, with a value at most as large.
    fn submap(&mut self, s: &[(Value, Value)], t: &[(Value, Value)], span: Span) -> Result<bool> {
        for (key, v) in s {
            let found = t.binary_search_by(|pair| self.store.compare(pair.0, *key));
            let Ok(at) = found else {
                return Ok(false);
            };
            if !self.equal(*v, t[at].1, span)? && !self.at_most(*v, t[at].1, span)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
