//! Sequences, of which the later part may not be known yet: concatenation, comprehensions, and the
//! ways to look into them.

use std::rc::Rc;

use super::Evaluator;
use super::code::{APPEND, CONCAT, Code, Comp, CompItems, RANGE, Slot, Stmt};
use super::lazy::Held;
use super::run::Frame;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::value::{Data, Value, ValueError};

/// Numbers of an infinite or long range that are listed at a time.
const CHUNK: i64 = 256;
/// Ranges of at most this many numbers are listed at once.
const RANGE_MAX: i128 = 4096;

/// Items of a sequence that are copied to put others before them, if not all of it is known.
const COPIED_MAX: usize = 32;

/// The beginning of a sequence, and the sequence that follows, if anything can.
pub(super) type Step = (Rc<[Value]>, Option<Value>);

impl Evaluator {
    /// A sequence that begins with these items and goes on with `rest`, which may be suspended.
    pub(super) fn stream(
        &mut self,
        items: Vec<Value>,
        rest: Option<Value>,
        span: Span,
    ) -> Result<Value> {
        let Some(rest) = rest else {
            self.check_length(items.len(), span)?;
            return Ok(self.store.seq(items));
        };
        if items.is_empty() {
            return self.settled(rest, span);
        }
        if let Some(more) = self.store.known_length(rest) {
            self.check_length(items.len() + more, span)?;
            if items.len() + more <= COPIED_MAX {
                let more = self.store.known_items(rest, 0, more);
                return Ok(self.store.seq([items, more].concat()));
            }
            let items = self.store.seq(items);
            return Ok(self.store.joined(items, rest));
        }
        match self.store.data(rest) {
            // One that goes on as numbers do has a shortest form; of others, long ones are not copied.
            Data::Stream {
                items: more,
                rest: after,
            } if more.len() <= COPIED_MAX || !self.store.is_partial(rest) => {
                let (items, rest) = ([&items[..], more].concat().into(), *after);
                Ok(self.store.intern(Data::Stream { items, rest }))
            }
            Data::From(n) => {
                let n = *n;
                Ok(self.counting(items, n))
            }
            _ => {
                let items = items.into();
                Ok(self.store.intern(Data::Stream { items, rest }))
            }
        }
    }

    /// `items^<n..>`, in its shortest form.
    fn counting(&mut self, mut items: Vec<Value>, mut n: i64) -> Value {
        while let Some(last) = items.last()
            && n.checked_sub(1).map(Data::Int).as_ref() == Some(self.store.data(*last))
        {
            items.pop();
            n -= 1;
        }
        let rest = self.store.intern(Data::From(n));
        if items.is_empty() {
            return rest;
        }
        let items = items.into();
        self.store.intern(Data::Stream { items, rest })
    }

    fn check_length(&self, length: usize, span: Span) -> Result<()> {
        if length <= self.limits.elements_max {
            return Ok(());
        }
        let text = format!(
            "a sequence of more than {} elements",
            self.limits.elements_max
        );
        Err(self.fail_at("E0403", text, span))
    }

    /// The items of a sequence that are known, and what follows them.
    pub(super) fn seq_step(&mut self, v: Value, span: Span) -> Result<Step> {
        match self.store.data(v) {
            Data::Seq(items) => Ok((items.as_ref().into(), None)),
            Data::View { .. } => {
                let length = self.store.known_length(v).unwrap_or(0);
                Ok((self.store.known_items(v, 0, length).into(), None))
            }
            Data::Stream { items, rest } => Ok((items.as_ref().into(), Some(*rest))),
            Data::From(n) => {
                let n = *n;
                let end = n.saturating_add(CHUNK);
                if end == i64::MAX {
                    let error = ValueError::Overflow("..");
                    return Err(self.fail_value(&error, span));
                }
                let items: Vec<Value> = (n..end).map(|i| self.store.int(i)).collect();
                Ok((items.into(), Some(self.store.intern(Data::From(end)))))
            }
            _ => Err(self.fail_value(&ValueError::Expected("a sequence", v), span)),
        }
    }

    /// As [`Evaluator::seq_step`], but of a long sequence a few items only.
    pub(super) fn short_step(&mut self, v: Value, span: Span) -> Result<Step> {
        match self.store.known_length(v) {
            Some(length) if length > COPIED_MAX => {
                let items = self.store.known_items(v, 0, COPIED_MAX);
                let rest = self.store.slice(v, COPIED_MAX, length);
                Ok((items.into(), Some(rest)))
            }
            _ => self.seq_step(v, span),
        }
    }

    /// The number of items of a sequence, which must come to an end.
    pub(super) fn length(&mut self, v: Value, span: Span) -> Result<usize> {
        match self.store.known_length(v) {
            Some(length) => Ok(length),
            None => Ok(self.listed(v, span)?.len()),
        }
    }

    /// All items of a sequence, which must come to an end.
    pub(super) fn listed(&mut self, v: Value, span: Span) -> Result<Rc<[Value]>> {
        let (first, mut rest) = self.seq_step(v, span)?;
        if rest.is_none() {
            return Ok(first);
        }
        let mut items = first.to_vec();
        while let Some(next) = rest {
            let next = self.settled(next, span)?;
            if matches!(self.store.data(next), Data::From(_)) {
                let shown = self.store.show_short(v, &self.script);
                let text = format!("the sequence `{shown}` is infinite and cannot be listed");
                return Err(self.fail_at("E0402", text, span));
            }
            let (more, after) = self.seq_step(next, span)?;
            items.extend_from_slice(&more);
            self.check_length(items.len(), span)?;
            rest = after;
        }
        Ok(items.into())
    }

    /// The first `n` items of a sequence and what follows them; none if there are fewer.
    pub(super) fn take(
        &mut self,
        v: Value,
        n: usize,
        span: Span,
    ) -> Result<Option<(Vec<Value>, Value)>> {
        let v = self.settled(v, span)?;
        if let Data::From(from) = *self.store.data(v) {
            let end = from.saturating_add(n as i64);
            let items = (from..end).map(|i| self.store.int(i)).collect();
            return Ok(Some((items, self.store.intern(Data::From(end)))));
        }
        if let Some(length) = self.store.known_length(v) {
            if length < n {
                return Ok(None);
            }
            let items = self.store.known_items(v, 0, n);
            return Ok(Some((items, self.store.slice(v, n, length))));
        }
        let (first, mut rest) = self.seq_step(v, span)?;
        let mut items = first.to_vec();
        while items.len() < n
            && let Some(next) = rest
        {
            let next = self.settled(next, span)?;
            if let Data::From(_) = self.store.data(next) {
                let wanted = n - items.len();
                return Ok(self.take(next, wanted, span)?.map(|(more, after)| {
                    items.extend(more);
                    (items, after)
                }));
            }
            let (more, after) = self.seq_step(next, span)?;
            items.extend_from_slice(&more);
            rest = after;
        }
        if items.len() < n {
            return Ok(None);
        }
        let left = items.split_off(n);
        let after = match rest {
            Some(rest) if left.is_empty() => rest,
            rest => self.stream(left, rest, span)?,
        };
        Ok(Some((items, after)))
    }

    /// `s^t`, where `t` may be suspended.
    pub(super) fn append(&mut self, s: Value, t: Value, span: Span) -> Result<Value> {
        if let Some(first) = self.store.known_length(s) {
            if let Some(more) = self.store.known_length(t) {
                self.check_length(first + more, span)?;
                return Ok(self.store.joined(s, t));
            }
            let items = self.store.known_items(s, 0, first);
            return self.stream(items, Some(t), span);
        }
        match self.store.data(s).clone() {
            Data::From(_) => Ok(s),
            Data::Stream { items, rest } => {
                if matches!(self.store.data(rest), Data::From(_)) {
                    return Ok(s);
                }
                let env = [rest, t].into();
                let code = APPEND;
                let rest = self.store.intern(Data::Suspended { code, env });
                self.stream(items.into_vec(), Some(rest), span)
            }
            _ => Err(self.fail_value(&ValueError::Expected("a sequence", s), span)),
        }
    }

    /// `<a..b>` or `<a..>`
    pub(super) fn seq_range(
        &mut self,
        a: &Code,
        b: Option<&Code>,
        frame: &mut Frame,
    ) -> Result<Value> {
        let (from, to) = self.bounds(a, b, frame)?;
        let Some(to) = to else {
            return Ok(self.store.intern(Data::From(from)));
        };
        if i128::from(to) - i128::from(from) < RANGE_MAX {
            let items: Vec<Value> = (from..=to).map(|i| self.store.int(i)).collect();
            return Ok(self.store.seq(items));
        }
        let end = from + CHUNK;
        let items: Vec<Value> = (from..end).map(|i| self.store.int(i)).collect();
        let env = [self.store.int(end), self.store.int(to)].into();
        let rest = self.store.intern(Data::Suspended { code: RANGE, env });
        self.stream(items, Some(rest), a.span)
    }

    /// `concat(s)`: later sequences are not looked at before they are needed.
    pub(super) fn concat(&mut self, s: Value, span: Span) -> Result<Value> {
        let mut all: Vec<Value> = Vec::new();
        let mut source = s;
        loop {
            self.count_call(span)?;
            let (items, rest) = self.seq_step(source, span)?;
            for (i, item) in items.iter().enumerate() {
                let inner = match self.settled(*item, span) {
                    Ok(inner) => inner,
                    Err(error) if all.is_empty() => return Err(error),
                    Err(_) => {
                        self.poll(span)?;
                        let left = self.remaining(&items[i..], rest, span)?;
                        let later = self.suspend_concat(left);
                        return self.stream(all, Some(later), span);
                    }
                };
                let (more, inner_rest) = match self.store.data(inner) {
                    Data::From(_) => ([].into(), Some(inner)),
                    _ => self.seq_step(inner, span)?,
                };
                all.extend_from_slice(&more);
                if let Some(inner_rest) = inner_rest {
                    let left = self.remaining(&items[i + 1..], rest, span)?;
                    let later = self.suspend_concat(left);
                    let rest = self.suspend_append(inner_rest, later);
                    return self.stream(all, Some(rest), span);
                }
                self.check_length(all.len(), span)?;
            }
            match rest {
                None => return self.stream(all, None, span),
                Some(rest) if !all.is_empty() => {
                    let later = self.suspend_concat(rest);
                    return self.stream(all, Some(later), span);
                }
                Some(rest) => source = self.settled(rest, span)?,
            }
        }
    }

    /// What is left of a source: some items and what follows them.
    fn remaining(&mut self, items: &[Value], rest: Option<Value>, span: Span) -> Result<Value> {
        match rest {
            Some(rest) if items.is_empty() => Ok(rest),
            rest => self.stream(items.to_vec(), rest, span),
        }
    }

    fn suspend_concat(&mut self, s: Value) -> Value {
        let (code, env) = (CONCAT, [s].into());
        self.store.intern(Data::Suspended { code, env })
    }

    fn suspend_append(&mut self, s: Value, t: Value) -> Value {
        if matches!(self.store.data(s), Data::From(_)) {
            return s;
        }
        let (code, env) = (APPEND, [s, t].into());
        self.store.intern(Data::Suspended { code, env })
    }

    /// A sequence comprehension.
    pub(super) fn comprehension(&mut self, comp: &Rc<Comp>, frame: &mut Frame) -> Result<Value> {
        let mut found = Vec::new();
        let rest = self.comp_rows(comp, 0, frame, &mut found)?;
        self.stream(found, rest, comp.span)
    }

    /// Goes on with a comprehension in the middle of the source of a generator.
    pub(super) fn resume(
        &mut self,
        comp: &Rc<Comp>,
        generator: usize,
        slots: &[Slot],
        captured: &[Held],
        size: u32,
    ) -> Result<Value> {
        let Some((source, values)) = captured.split_first() else {
            return Err(Self::internal(comp.span));
        };
        let source = self.forced(source, comp.span)?;
        let mut frame = vec![Held::Empty; size as usize];
        for (slot, held) in slots.iter().zip(values) {
            if let Some(place) = frame.get_mut(*slot as usize) {
                *place = held.clone();
            }
        }
        let mut found = Vec::new();
        let rest = self.comp_source(comp, generator, source, &mut frame, &mut found)?;
        self.stream(found, rest, comp.span)
    }

    /// Adds the items for the statements from number `i` on. What comes back is the rest, if there
    /// is more that is not evaluated yet.
    fn comp_rows(
        &mut self,
        comp: &Rc<Comp>,
        i: usize,
        frame: &mut Frame,
        found: &mut Vec<Value>,
    ) -> Result<Option<Value>> {
        match comp.stmts.get(i) {
            None => self.comp_items(comp, frame, found),
            Some(Stmt::Condition(code)) => {
                if self.condition(code, frame)? {
                    self.comp_rows(comp, i + 1, frame, found)
                } else {
                    Ok(None)
                }
            }
            Some(Stmt::Generator(_, code)) => {
                let source = self.eval(code, frame)?;
                self.comp_source(comp, i, source, frame, found)
            }
        }
    }

    fn comp_items(
        &mut self,
        comp: &Rc<Comp>,
        frame: &mut Frame,
        found: &mut Vec<Value>,
    ) -> Result<Option<Value>> {
        match &comp.items {
            CompItems::List(items) => {
                for item in items {
                    found.push(self.part(item, frame, comp.span)?);
                }
                self.check_length(found.len(), comp.span)?;
                Ok(None)
            }
            CompItems::Range(a, b) => {
                let range = self.seq_range(a, b.as_ref(), frame)?;
                if matches!(self.store.data(range), Data::From(_)) {
                    return Ok(Some(range));
                }
                let (items, rest) = self.seq_step(range, comp.span)?;
                found.extend_from_slice(&items);
                Ok(rest)
            }
        }
    }

    fn comp_source(
        &mut self,
        comp: &Rc<Comp>,
        i: usize,
        source: Value,
        frame: &mut Frame,
        found: &mut Vec<Value>,
    ) -> Result<Option<Value>> {
        let span = comp.span;
        let Some(Stmt::Generator(pattern, _)) = comp.stmts.get(i) else {
            return Err(Self::internal(span));
        };
        let mut source = source;
        loop {
            let (items, rest) = self.seq_step(source, span)?;
            for (k, item) in items.iter().enumerate() {
                // A source without end must not outlast an experiment.
                if let Err(error) = self.count_call(span) {
                    if found.is_empty() {
                        return Err(error);
                    }
                    let left = self.remaining(&items[k..], rest, span)?;
                    return self.comp_later(comp, i, left, frame).map(Some);
                }
                let row = match self.matches_at(pattern, *item, frame, span) {
                    Ok(true) => self.comp_rows(comp, i + 1, frame, found),
                    Ok(false) => continue,
                    Err(error) => Err(error),
                };
                match row {
                    Ok(None) => {}
                    Ok(Some(inner)) => {
                        let left = self.remaining(&items[k + 1..], rest, span)?;
                        let later = self.comp_later(comp, i, left, frame)?;
                        return Ok(Some(self.suspend_append(inner, later)));
                    }
                    Err(error) if found.is_empty() => return Err(error),
                    Err(_) => {
                        self.poll(span)?;
                        let left = self.remaining(&items[k..], rest, span)?;
                        return self.comp_later(comp, i, left, frame).map(Some);
                    }
                }
            }
            match rest {
                None => return Ok(None),
                Some(rest) if !found.is_empty() => {
                    return self.comp_later(comp, i, rest, frame).map(Some);
                }
                Some(rest) => source = self.settled(rest, span)?,
            }
        }
    }

    /// The comprehension from here on, suspended.
    fn comp_later(
        &mut self,
        comp: &Rc<Comp>,
        i: usize,
        source: Value,
        frame: &Frame,
    ) -> Result<Value> {
        let Some(Some(delayed)) = comp.resume.get(i) else {
            return Err(Self::internal(comp.span));
        };
        let mut env = vec![source];
        env.extend(self.captures(&delayed.captures, frame, comp.span)?);
        let (code, env) = (delayed.unit, env.into());
        Ok(self.store.intern(Data::Suspended { code, env }))
    }
}
