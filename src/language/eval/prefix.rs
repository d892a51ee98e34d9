//! Prefixes: fields against the field sets of the channel, event by event.

use smallvec::SmallVec;

use super::code::{Code, FieldCode, PatternCode, Prefix, Slot};
use super::declarations::{Declare, ensure_ctor};
use super::environment::captures;
use super::events::{expect_event, expect_event_part, fail_misfit};
use super::fail::{fail, internal, nowhere};
use super::frame::{Frame, SlotValue};
use super::interpreter::Interpreter;
use super::values::Values;
use crate::process::term::Term;
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::{Diagnostic, Span};
use crate::value::dots::factors;
use crate::value::fields::Misfit;
use crate::value::{Interner, LazySet, Value, ValueError};

/// A prefix that is being evaluated.
pub(super) struct Communication<'a> {
    pub run: &'a mut Interpreter,
    /// The frame in which inputs are bound, one event after the other.
    pub frame: &'a mut Frame,
    pub prefix: &'a Prefix,
    /// Of the whole prefix, with what follows.
    pub span: Span,
    /// The processes after events, by the values of [`Prefix::mentioned`].
    pub followers: Map<SmallVec<[Value; 4]>, Term>,
}

/// The set of an input: its pattern, the set that is given for it, and whether it is the last field,
/// which takes all that is left.
type InputField<'a> = (&'a PatternCode, Option<&'a Code>, bool);

impl Communication<'_> {
    /// The events of a prefix without `$`, each with what follows it.
    pub(super) fn events(&mut self) -> Result<Vec<(Value, Term)>> {
        let head = self.head()?;
        let mut all = Vec::new();
        self.after_field(0, head, &mut all)?;
        let values = &mut self.run.values;
        if all.len() > values.elements_max() {
            // Where so many events begin.
            let set = values.store.lazy(LazySet::Productions([head].into()));
            return Err(values.fail_value(&ValueError::TooLarge(set), self.span));
        }
        Ok(all)
    }

    /// The event so far, before the fields.
    fn head(&mut self) -> Result<Value> {
        let code = &self.prefix.head;
        let head = self.run.eval(code, self.frame)?;
        expect_event_part(&self.run.values, head, code.span)?;
        Ok(head)
    }

    /// The events that extend `event` by the fields from number `i` on.
    fn after_field(&mut self, i: usize, event: Value, all: &mut Vec<(Value, Term)>) -> Result<()> {
        let prefix = self.prefix;
        let Some((field, span)) = prefix.fields.get(i) else {
            return self.add_event(event, all);
        };
        match field {
            FieldCode::Output(code) => {
                let v = self.run.eval(code, self.frame)?;
                let event = self.run.values.store.extend(event, v);
                self.after_field(i + 1, event, all)
            }
            FieldCode::Input(pattern, set) | FieldCode::Nondet(pattern, set) => {
                let last = i + 1 == prefix.fields.len();
                let input = (pattern, set.as_ref(), last);
                for v in self.choices(event, input, *span)? {
                    // Enough to know that there are too many.
                    if all.len() > self.run.values.elements_max() {
                        return Ok(());
                    }
                    if let Some(event) = self.with_input(event, v, input, *span)? {
                        self.after_field(i + 1, event, all)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Adds an event with what follows it. One whose fields do not fit together is skipped by an
    /// input, and must not be made by outputs alone.
    fn add_event(&mut self, event: Value, all: &mut Vec<(Value, Term)>) -> Result<()> {
        let prefix = self.prefix;
        let place = match prefix.fields.last() {
            Some((_, last)) => prefix.head.span.to(*last),
            None => prefix.head.span,
        };
        let values = &mut self.run.values;
        expect_event(values, event, place)?;
        let fits = values.store.sets().fits_jointly(event);
        if values.at(fits, place)? {
            let next = self.follower()?;
            all.push((event, next));
            return Ok(());
        }
        let output = |field: &FieldCode| matches!(field, FieldCode::Output(_));
        if prefix.fields.iter().all(|(field, _)| output(field)) {
            let shown = values.short(event);
            let message = format!("`{shown}` is outside the type of its channel");
            return Err(fail("E0418", message, place));
        }
        Ok(())
    }

    /// The process after an event whose inputs are bound. The next event binds them anew.
    fn follower(&mut self) -> Result<Term> {
        let body = &self.prefix.body;
        let value = |slot: &Slot| self.frame.get(*slot as usize).and_then(SlotValue::known);
        let values: Option<SmallVec<_>> = match &self.prefix.mentioned {
            Some(slots) => slots.iter().map(value).collect(),
            None => None,
        };
        let Some(values) = values else {
            return self.run.term(body, self.frame);
        };
        if let Some(known) = self.followers.get(&values) {
            return Ok(*known);
        }
        let next = self.run.term(body, self.frame)?;
        self.followers.insert(values, next);
        Ok(next)
    }

    /// A prefix with `$` fields: internal choices over them, external choices over the inputs
    /// before them. Fields `$` with no input between them make one choice.
    pub(super) fn internal_choice(&mut self) -> Result<Term> {
        let head = self.head()?;
        self.choice_from(0, head)
    }

    /// The choice between what may follow `event`, from field number `i` on.
    fn choice_from(&mut self, i: usize, event: Value) -> Result<Term> {
        let mut operands = Vec::new();
        self.options(i, event, &mut operands)?;
        Ok(match *operands {
            // A choice of one is none.
            [one] => one,
            _ => {
                let store = &self.run.values.store;
                self.run.terms.int_choice(store, operands)
            }
        })
    }

    /// The internal choices from field number `i` on, after `event`.
    fn options(&mut self, i: usize, event: Value, found: &mut Vec<Term>) -> Result<()> {
        let prefix = self.prefix;
        let Some((end, control, slots)) = &prefix.rest else {
            return Err(internal(self.span));
        };
        if i == *end {
            let mut env = vec![event];
            env.extend(captures(self.run, slots, self.frame, self.span)?);
            let store = &self.run.values.store;
            found.push(self.run.terms.call(store, *control, env));
            return Ok(());
        }
        let Some((field, at)) = prefix.fields.get(i) else {
            return Err(internal(self.span));
        };
        let (pattern, set) = match field {
            FieldCode::Output(code) => {
                let v = self.run.eval(code, self.frame)?;
                let event = self.run.values.store.extend(event, v);
                return self.options(i + 1, event, found);
            }
            FieldCode::Input(pattern, set) | FieldCode::Nondet(pattern, set) => (pattern, set),
        };
        let internal = matches!(field, FieldCode::Nondet(..));
        let last = i + 1 == prefix.fields.len();
        // The values of an input are offered by an external choice; those of a `$` field are
        // options of the internal one.
        let mut offered = Vec::new();
        let before = found.len();
        let input = (pattern, set.as_ref(), last);
        for v in self.choices(event, input, *at)? {
            let Some(event) = self.with_input(event, v, input, *at)? else {
                continue;
            };
            if internal {
                self.options(i + 1, event, found)?;
            } else {
                offered.push(self.choice_from(i + 1, event)?);
            }
        }
        if !internal {
            let store = &self.run.values.store;
            found.push(self.run.terms.ext_choice(store, offered));
        } else if found.len() == before {
            let message = "internal choice over the empty set is not defined";
            return Err(fail("E0420", message, *at));
        }
        Ok(())
    }

    /// `event` with the value of an input, if its pattern matches. A value of the set that is given for the input is an error
    /// if its field does not take it.
    fn with_input(
        &mut self,
        event: Value,
        v: Value,
        (pattern, set, _): InputField<'_>,
        span: Span,
    ) -> Result<Option<Value>> {
        self.run.values.look(span)?;
        if !self.run.matches(pattern, v, self.frame, nowhere())? {
            return Ok(None);
        }
        let values = &mut self.run.values;
        let longer = values.store.extend(event, v);
        let Some(code) = set else {
            return Ok(Some(longer));
        };
        let misfit = values.store.sets().added_misfit(event, longer);
        match values.at(misfit, code.span)? {
            Some(misfit) => Err(outside_field(values, misfit, code.span)),
            None => Ok(Some(longer)),
        }
    }

    /// The values that an input may take after `event`: those of the set that is given for it, or those that the channel
    /// takes.
    fn choices(
        &mut self,
        event: Value,
        (pattern, set, last): InputField<'_>,
        span: Span,
    ) -> Result<Vec<Value>> {
        let missing = self.run.values.store.dotted().missing(event);
        if missing.is_empty() {
            let shown = self.run.values.short(event);
            let message = format!("`{shown}` takes no further fields");
            return Err(fail("E0417", message, span));
        }
        if let Some(code) = set {
            return self.given_choices(event, &missing, pattern, code);
        }
        let width = if last {
            missing.len()
        } else {
            width(self.run, pattern, span)?.min(missing.len())
        };
        let values = &mut self.run.values;
        let space = product(&mut values.store, &missing[..width]);
        let elements = values.store.sets().elements(space);
        let endless = matches!(elements, Err(ValueError::Infinite(_)));
        let all = match values.at(elements, span) {
            Err(error) if endless => return Err(Box::new(error.note(
                "an input offers every value that its channel takes: declare the channel for a finite set, such as `channel c : {0..3}`, or name a set in the input, as in `c?x:{0..3}`",
            ))),
            all => all?.to_vec(),
        };
        if !values.store.dotted().is_begun(event) {
            return Ok(all);
        }
        // The field that is begun may be held to less than what its constructor takes.
        let mut fitting = Vec::with_capacity(all.len());
        for v in all {
            values.look(span)?;
            let longer = values.store.extend(event, v);
            let misfit = values.store.sets().misfit(longer);
            if values.store.dotted().is_begun(longer) || values.at(misfit, span)?.is_none() {
                fitting.push(v);
            }
        }
        Ok(fitting)
    }

    /// The elements of the set of an input. It may mention the inputs before it.
    fn given_choices(
        &mut self,
        event: Value,
        missing: &[Value],
        pattern: &PatternCode,
        code: &Code,
    ) -> Result<Vec<Value>> {
        let given = self.run.eval(code, self.frame)?;
        let values = &mut self.run.values;
        let given = values.set_from(given, code.span)?;
        let short = values.elements_max() as u128;
        if values.store.sizes().size(given).is_none_or(|n| n > short) {
            // Such a set cannot be listed, but often it is plain what comes of it.
            match pattern {
                PatternCode::Const(v) => {
                    let contains = values.store.sets().contains(given, *v);
                    let contains = values.at(contains, code.span)?;
                    return Ok(if contains { vec![*v] } else { Vec::new() });
                }
                PatternCode::Bind(_) | PatternCode::Wild => {
                    let width = factors(&values.store, given).len().min(missing.len());
                    let space = product(&mut values.store, &missing[..width]);
                    if let Some(v) = values.store.sets().witness_outside(given, space) {
                        let longer = values.store.extend(event, v);
                        let misfit = values.store.sets().added_misfit(event, longer);
                        let misfit = values.at(misfit, code.span)?;
                        if let Some(misfit) = misfit {
                            return Err(outside_field(values, misfit, code.span));
                        }
                    }
                }
                _ => {}
            }
        }
        let elements = values.store.sets().elements(given);
        Ok(values.at(elements, code.span)?.to_vec())
    }
}

/// The error that the set of an input has a value that its field does not take.
fn outside_field(values: &Values, misfit: Misfit, span: Span) -> Box<Diagnostic> {
    let error = fail_misfit(values, misfit, span);
    Box::new(error.note(
        "an input offers every value of its set that matches its pattern; leave out those that the channel does not take",
    ))
}

fn product(store: &mut Interner, sets: &[Value]) -> Value {
    match sets {
        [one] => *one,
        _ => store.lazy(LazySet::Product(sets.into())),
    }
}

/// The number of fields that a pattern takes which is not the last.
fn width(run: &mut impl Declare, pattern: &PatternCode, span: Span) -> Result<usize> {
    let ps = match pattern {
        PatternCode::Dot(ps) => ps,
        PatternCode::Both(p, _) => return width(run, p, span),
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
        if let PatternCode::Ctor(id) = p {
            ensure_ctor(run, *id, span)?;
            let store = &mut run.values().store;
            let head = store.ctor(*id);
            owed += store.dotted().arity(head);
        }
    }
    Ok(width)
}
