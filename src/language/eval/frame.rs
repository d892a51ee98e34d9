//! The contents of variables while code runs: a value, or a *thunk*, an expression that is evaluated when it is
//! first needed and at most once. Nothing here evaluates anything.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::code::{Delayed, Slot, UnitId};
use super::fail::{depends_on_itself, internal, unbound};
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::source::stack::deep;
use crate::value::{Data, Interner, Value};

/// Bytes that a suspended expression takes, roughly.
const THUNK_BYTES: usize = 120;

thread_local! {
    /// Thunks alive. They are dropped wherever the last frame that holds them is, so no owner could
    /// count them.
    static THUNKS: Cell<usize> = const { Cell::new(0) };
}

/// The variables of a unit that runs.
pub(super) type Frame = Vec<SlotValue>;

/// The contents of a variable.
#[derive(Clone, Debug, Default)]
pub(super) enum SlotValue {
    /// Not bound yet: reading it is an internal error.
    #[default]
    Empty,
    Value(Value),
    Lazy(Rc<Thunk>),
}

/// A value that is evaluated when it is first needed.
#[derive(Debug)]
pub(super) struct Thunk(RefCell<ThunkStage>);

/// The state of a thunk.
#[derive(Debug)]
pub(super) enum ThunkStage {
    /// Not needed yet: a unit, and what it captures.
    Waiting(UnitId, Box<[SlotValue]>),
    /// Under evaluation: a demand now is part of a cycle.
    Running,
    Done(Value),
}

impl Thunk {
    fn new(unit: UnitId, captured: Box<[SlotValue]>) -> Rc<Self> {
        THUNKS.set(THUNKS.get() + 1);
        Rc::new(Self(RefCell::new(ThunkStage::Waiting(unit, captured))))
    }

    /// Marks it as running and returns its previous state. A caller that gets [`ThunkStage::Waiting`] has to call
    /// [`Thunk::end`], with that state if the evaluation failed.
    pub(super) fn begin(&self) -> ThunkStage {
        self.0.replace(ThunkStage::Running)
    }

    pub(super) fn end(&self, stage: ThunkStage) {
        self.0.replace(stage);
    }

    /// The unit that is not evaluated yet.
    pub(super) fn waiting(&self) -> Option<UnitId> {
        match &*self.0.borrow() {
            ThunkStage::Waiting(unit, _) => Some(*unit),
            _ => None,
        }
    }

    /// The value, if it is known.
    pub(super) fn done(&self) -> Option<Value> {
        match &*self.0.borrow() {
            ThunkStage::Done(v) => Some(*v),
            _ => None,
        }
    }

    /// It as a value, without evaluating it.
    pub(super) fn suspend(&self, store: &mut Interner, span: Span) -> Result<Value> {
        // What it captures may lead back to it, so the borrow has to end first.
        let (code, captured) = match &*self.0.borrow() {
            ThunkStage::Waiting(unit, captured) => (*unit, captured.clone()),
            ThunkStage::Done(v) => return Ok(*v),
            ThunkStage::Running => {
                return Err(depends_on_itself("the value of this variable", span));
            }
        };
        let env = captured.iter().map(|h| deep(|| h.as_is(store, span)));
        let env = env.collect::<Result<Box<[Value]>>>()?;
        Ok(store.intern(Data::Suspended { code, env }))
    }
}

impl Drop for Thunk {
    /// Suspended expressions can hold each other in a long chain: it is taken apart in a loop.
    fn drop(&mut self) {
        THUNKS.set(THUNKS.get().saturating_sub(1));
        let ThunkStage::Waiting(_, captured) = self.0.replace(ThunkStage::Running) else {
            return;
        };
        // Only what nobody else holds is taken apart; the rest is just let go.
        let mut open = captured.into_vec();
        while let Some(binding) = open.pop() {
            if let SlotValue::Lazy(rc) = binding
                && let Some(thunk) = Rc::into_inner(rc)
                && let ThunkStage::Waiting(_, inner) = thunk.0.replace(ThunkStage::Running)
            {
                open.extend(inner.into_vec());
            }
        }
    }
}

impl SlotValue {
    /// Whether two variables certainly hold the same.
    pub(super) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            // The same thunk has the same value, even if nobody knows it yet.
            (Self::Lazy(a), Self::Lazy(b)) if Rc::ptr_eq(a, b) => true,
            _ => match (self.known(), other.known()) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }

    /// The value, if it is evaluated already.
    pub(super) fn known(&self) -> Option<Value> {
        match self {
            Self::Empty => None,
            Self::Value(v) => Some(*v),
            Self::Lazy(thunk) => thunk.done(),
        }
    }

    /// A variable as a value without evaluating it.
    fn as_is(&self, store: &mut Interner, span: Span) -> Result<Value> {
        match self {
            Self::Empty => Err(internal(span)),
            Self::Value(v) => Ok(*v),
            Self::Lazy(thunk) => thunk.suspend(store, span),
        }
    }
}

/// The place of a variable in a frame.
pub(super) fn read_slot(frame: &[SlotValue], slot: Slot, span: Span) -> Result<SlotValue> {
    match frame.get(slot as usize) {
        Some(SlotValue::Empty) | None => Err(unbound(span)),
        Some(binding) => Ok(binding.clone()),
    }
}

/// Puts something into the place of a variable. A place outside of the frame is reported when it is
/// read.
pub(super) fn bind(frame: &mut [SlotValue], slot: Slot, binding: SlotValue) {
    if let Some(place) = frame.get_mut(slot as usize) {
        *place = binding;
    }
}

/// Captures the variables of an expression that is evaluated later, for a variable of the frame.
pub(super) fn delay(delayed: &Delayed, frame: &[SlotValue], span: Span) -> Result<SlotValue> {
    let captured = delayed
        .captures
        .iter()
        .map(|slot| read_slot(frame, *slot, span))
        .collect::<Result<Box<[SlotValue]>>>()?;
    Ok(SlotValue::Lazy(Thunk::new(delayed.unit, captured)))
}

/// Captures the variables of an expression that is evaluated later, as a suspended value.
pub(super) fn suspend(
    store: &mut Interner,
    delayed: &Delayed,
    frame: &[SlotValue],
    span: Span,
) -> Result<Value> {
    let env = delayed
        .captures
        .iter()
        .map(|slot| read_slot(frame, *slot, span)?.as_is(store, span))
        .collect::<Result<Box<[Value]>>>()?;
    let code = delayed.unit;
    Ok(store.intern(Data::Suspended { code, env }))
}

/// Bytes taken by suspended expressions, roughly.
pub(super) fn suspended_bytes() -> usize {
    THUNKS.get() * THUNK_BYTES
}

/// A call that is about to happen.
#[derive(Debug)]
pub(super) struct Call {
    pub unit: UnitId,
    pub captured: Vec<SlotValue>,
    pub args: Vec<SlotValue>,
    pub span: Span,
}

impl Call {
    /// The key of a call, if all its arguments are evaluated.
    pub(super) fn key(&self, store: &mut Interner) -> Option<Value> {
        let all = self.captured.iter().chain(&self.args);
        let env = all
            .map(SlotValue::known)
            .collect::<Option<Box<[Value]>>>()?;
        // As a closure that nobody calls: then equal calls have equal handles.
        let code = self.unit;
        Some(store.intern(Data::Closure { code, env }))
    }

    /// Whether it certainly is the same call.
    pub(super) fn same(&self, other: &Self) -> bool {
        let same = |a: &[SlotValue], b: &[SlotValue]| {
            a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.same(y))
        };
        self.unit == other.unit
            && same(&self.args, &other.args)
            && same(&self.captured, &other.captured)
    }

    /// A copy to compare later calls with.
    pub(super) fn mark(&self) -> Self {
        Self {
            unit: self.unit,
            captured: self.captured.clone(),
            args: self.args.clone(),
            span: self.span,
        }
    }
}

/// The result of an expression in tail position.
pub(super) enum Tail {
    Value(Value),
    Call(Call),
}
