//! Prefixes: fields against the field sets of the channel, event by event.

use super::Evaluator;
use super::code::{Code, Field, Pattern, Prefix};
use super::run::Frame;
use crate::process::term::Term;
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Span};
use crate::value::{Data, LazySet, Value, ValueError};

impl Evaluator {
    /// That a value is an event or the beginning of one.
    pub(super) fn expect_event_part(&self, v: Value, span: Span) -> Result<()> {
        if self.store.channel_of(v).is_some() {
            return Ok(());
        }
        Err(self.fail_value(&ValueError::Expected("an event", v), span))
    }

    /// That a value is a complete event inside the type of its channel.
    pub(super) fn expect_event(&mut self, v: Value, span: Span) -> Result<()> {
        self.expect_event_part(v, span)?;
        let shown = |this: &Self, v| this.store.show_short(v, &this.script);
        if !self.store.is_complete(v) {
            let message = format!("`{}` lacks fields: it is not yet an event", shown(self, v));
            return Err(Box::new(Diagnostic::error("E0417", span, message)));
        }
        let misfit = self.store.misfit(v);
        if let Some((field, part, set)) = self.at(misfit, span)? {
            let message = format!(
                "`{}` is outside the type of its channel: field {} is `{}`, which is not in `{}`",
                shown(self, v),
                field + 1,
                shown(self, part),
                shown(self, set)
            );
            return Err(Box::new(Diagnostic::error("E0418", span, message)));
        }
        if !self.has_right_size(v) {
            let message = format!("`{}` has more fields than its channel", shown(self, v));
            return Err(Box::new(Diagnostic::error("E0418", span, message)));
        }
        Ok(())
    }

    fn has_right_size(&self, v: Value) -> bool {
        match self.store.data(v) {
            Data::Dot(parts) => parts.len() == self.store.arity(parts[0]) + 1,
            _ => true,
        }
    }

    /// The events of a prefix without `$`, each with what follows it.
    pub(super) fn prefixes(
        &mut self,
        prefix: &Prefix,
        frame: &mut Frame,
        span: Span,
    ) -> Result<Vec<(Value, Term)>> {
        let head = self.eval(&prefix.head, frame)?;
        self.expect_event_part(head, prefix.head.span)?;
        let mut all = Vec::new();
        self.after_field(prefix, 0, head, frame, &mut all)?;
        if all.len() > self.limits.elements_max {
            // Where so many events begin.
            let set = self.store.lazy(LazySet::Productions([head].into()));
            return Err(self.fail_value(&ValueError::TooLarge(set), span));
        }
        Ok(all)
    }

    /// The events that extend `event` by the fields from number `i` on.
    fn after_field(
        &mut self,
        prefix: &Prefix,
        i: usize,
        event: Value,
        frame: &mut Frame,
        all: &mut Vec<(Value, Term)>,
    ) -> Result<()> {
        let Some((field, span)) = prefix.fields.get(i) else {
            let place = prefix
                .fields
                .last()
                .map_or(prefix.head.span, |f| prefix.head.span.to(f.1));
            self.expect_event(event, place)?;
            let fits = self.store.fits_jointly(event);
            if !self.at(fits, place)? {
                return self.misfit_together(prefix, event, place);
            }
            let next = self.term(&prefix.body, frame)?;
            all.push((event, next));
            return Ok(());
        };
        match field {
            Field::Output(code) => {
                let v = self.eval(code, frame)?;
                let event = self.store.extend(event, v);
                self.after_field(prefix, i + 1, event, frame, all)
            }
            Field::Input(pattern, set) | Field::Nondet(pattern, set) => {
                let last = i + 1 == prefix.fields.len();
                let choice = (pattern, set.as_ref(), last);
                for v in self.choices(event, choice, *span, frame)? {
                    if all.len() > self.limits.elements_max {
                        return Ok(());
                    }
                    self.look(*span)?;
                    if self.matches(pattern, v, frame)? {
                        let event = self.store.extend(event, v);
                        self.after_field(prefix, i + 1, event, frame, all)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// An event whose fields do not fit together: an input skips it, an output must not make it.
    fn misfit_together(&self, prefix: &Prefix, event: Value, span: Span) -> Result<()> {
        let input = |field: &(Field, Span)| !matches!(field.0, Field::Output(_));
        if prefix.fields.iter().any(input) {
            return Ok(());
        }
        let shown = self.store.show_short(event, &self.script);
        let message = format!("`{shown}` is outside the type of its channel");
        Err(Box::new(Diagnostic::error("E0418", span, message)))
    }

    /// A prefix with `$` fields: internal choices over them, external choices over the inputs
    /// before them. Fields `$` with no input between them make one choice.
    pub(super) fn nondeterministic_prefix(
        &mut self,
        prefix: &Prefix,
        frame: &mut Frame,
        span: Span,
    ) -> Result<Term> {
        let head = self.eval(&prefix.head, frame)?;
        self.expect_event_part(head, prefix.head.span)?;
        self.choice_from(prefix, (0, head), frame, span)
    }

    fn choice_from(
        &mut self,
        prefix: &Prefix,
        from: (usize, Value),
        frame: &mut Frame,
        span: Span,
    ) -> Result<Term> {
        let mut operands = Vec::new();
        self.options(prefix, from, frame, span, &mut operands)?;
        Ok(match *operands {
            // A choice of one is none.
            [one] => one,
            _ => self.terms.int_choice(&self.store, operands),
        })
    }

    /// What may be chosen internally from field number `i` on, after `event`.
    fn options(
        &mut self,
        prefix: &Prefix,
        (i, event): (usize, Value),
        frame: &mut Frame,
        span: Span,
        found: &mut Vec<Term>,
    ) -> Result<()> {
        let Some((end, control, slots)) = &prefix.rest else {
            return Err(Self::internal(span));
        };
        if i == *end {
            let mut env = vec![event];
            env.extend(self.captures(slots, frame, span)?);
            found.push(self.terms.call(&self.store, *control, env));
            return Ok(());
        }
        let Some((field, at)) = prefix.fields.get(i) else {
            return Err(Self::internal(span));
        };
        let (pattern, set) = match field {
            Field::Output(code) => {
                let v = self.eval(code, frame)?;
                let event = self.store.extend(event, v);
                return self.options(prefix, (i + 1, event), frame, span, found);
            }
            Field::Input(pattern, set) | Field::Nondet(pattern, set) => (pattern, set),
        };
        let internal = matches!(field, Field::Nondet(..));
        let last = i + 1 == prefix.fields.len();
        let mut offered = Vec::new();
        let before = found.len();
        for v in self.choices(event, (pattern, set.as_ref(), last), *at, frame)? {
            self.look(*at)?;
            if self.matches(pattern, v, frame)? {
                let next = (i + 1, self.store.extend(event, v));
                if internal {
                    self.options(prefix, next, frame, span, found)?;
                } else {
                    offered.push(self.choice_from(prefix, next, frame, span)?);
                }
            }
        }
        if !internal {
            found.push(self.terms.ext_choice(&self.store, offered));
        } else if found.len() == before {
            let message = "internal choice over the empty set is not defined";
            return Err(Box::new(Diagnostic::error("E0420", *at, message)));
        }
        Ok(())
    }

    /// The values that an input may take after `event`.
    fn choices(
        &mut self,
        event: Value,
        input: (&Pattern, Option<&Code>, bool),
        span: Span,
        frame: &mut Frame,
    ) -> Result<Vec<Value>> {
        let mut all = self.all_choices(event, input, span, frame)?;
        if !self.store.is_begun(event) {
            return Ok(all);
        }
        // The field that is begun may be held to less than what its constructor takes.
        let mut fitting = Vec::with_capacity(all.len());
        for v in all.drain(..) {
            self.look(span)?;
            let longer = self.store.extend(event, v);
            let misfit = self.store.misfit(longer);
            if self.store.is_begun(longer) || self.at(misfit, span)?.is_none() {
                fitting.push(v);
            }
        }
        Ok(fitting)
    }

    fn all_choices(
        &mut self,
        event: Value,
        (pattern, set, last): (&Pattern, Option<&Code>, bool),
        span: Span,
        frame: &mut Frame,
    ) -> Result<Vec<Value>> {
        let missing = self.store.missing(event);
        if missing.is_empty() {
            let shown = self.store.show_short(event, &self.script);
            let message = format!("`{shown}` takes no further fields");
            return Err(Box::new(Diagnostic::error("E0417", span, message)));
        }
        let Some(code) = set else {
            let width = if last {
                missing.len()
            } else {
                self.width(pattern, span)?.min(missing.len())
            };
            let space = self.product(&missing[..width]);
            let elements = self.store.elements(space);
            return Ok(self.at(elements, span)?.to_vec());
        };
        let given = self.eval(code, frame)?;
        let given = self.set_from(given, code.span)?;
        if self.store.size(given).is_some() {
            let elements = self.store.elements(given);
            let elements = self.at(elements, code.span)?;
            return self.inside(&elements, &missing, span);
        }
        let width = self.store.factors(given).len().min(missing.len());
        let space = self.product(&missing[..width]);
        let both = self.store.inter(space, given);
        let both = self.at(both, code.span)?;
        let elements = self.store.elements(both);
        Ok(self.at(elements, code.span)?.to_vec())
    }

    fn product(&mut self, sets: &[Value]) -> Value {
        match sets {
            [one] => *one,
            _ => self.store.lazy(LazySet::Product(sets.into())),
        }
    }

    /// Those of the given values that fit the field sets.
    fn inside(&mut self, items: &[Value], sets: &[Value], span: Span) -> Result<Vec<Value>> {
        let mut kept = Vec::with_capacity(items.len());
        for item in items {
            let first = self.store.contains(sets[0], *item);
            if self.at(first, span)? || self.fits_dotted(*item, sets, span)? {
                kept.push(*item);
            }
        }
        Ok(kept)
    }

    fn fits_dotted(&mut self, item: Value, sets: &[Value], span: Span) -> Result<bool> {
        let Data::Dot(parts) = self.store.data(item).clone() else {
            // A constructor without its fields: they come later.
            return Ok(!self.store.missing(item).is_empty());
        };
        if !self.store.missing(item).is_empty() {
            return Ok(true);
        }
        if parts.len() > sets.len() {
            return Ok(false);
        }
        for (part, set) in parts.iter().zip(sets) {
            let inside = self.store.contains(*set, *part);
            if !self.at(inside, span)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How many fields a pattern that is not the last takes.
    fn width(&mut self, pattern: &Pattern, span: Span) -> Result<usize> {
        let ps = match pattern {
            Pattern::Dot(ps) => ps,
            Pattern::Both(p, _) => return self.width(p, span),
            _ => return Ok(1),
        };
        // Fields still owed to constructors; each constructor counts as one field with its own.
        let mut owed = 0;
        let mut width = 0;
        for p in ps {
            if owed == 0 {
                width += 1;
            } else {
                owed -= 1;
            }
            if let Pattern::Ctor(id) = p {
                self.ensure_ctor(*id, span)?;
                let head = self.store.ctor(*id);
                owed += self.store.arity(head);
            }
        }
        Ok(width)
    }
}
