//! Datatypes, constructors and channels: their field sets are evaluated when they are first needed, and passed to
//! the store before it makes a value that depends on them.

use std::rc::Rc;

use super::demand::OnDemand;
use super::fail::{depends_on_itself, fail, internal};
use super::force::Force;
use crate::script::core::{ChannelId, CtorId, Expr, Script, TypeId};
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::source::hash::Set;
use crate::value::declared::JointFields;
use crate::value::dots;
use crate::value::{Data, LazySet, Value};

/// Whether the field sets of a constructor or channel are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Declared {
    No,
    Open,
    Yes,
}

/// The state of evaluation of the declarations of a script.
#[derive(Clone, Debug)]
pub(super) struct Declarations {
    types: Vec<OnDemand>,
    /// Recursive types: those that were needed while they were under evaluation.
    recursive_types: Vec<bool>,
    ctors: Vec<Declared>,
    channels: Vec<Declared>,
    /// Dotted values whose fields are known to belong to the declared sets.
    checked: Set<Value>,
}

impl Declarations {
    /// Of a script of which nothing is evaluated yet.
    pub(super) fn new(script: &Script) -> Self {
        Self {
            types: vec![OnDemand::Idle; script.types.len()],
            recursive_types: vec![false; script.types.len()],
            ctors: vec![Declared::No; script.ctors.len()],
            channels: vec![Declared::No; script.channels.len()],
            checked: Set::default(),
        }
    }

    /// Checks that an evaluation left nothing open when it ended, also by an error.
    #[cfg(debug_assertions)]
    pub(super) fn assert_at_rest(&self) {
        assert!(!self.types.iter().any(|state| state.is_open()));
        assert!(!self.ctors.contains(&Declared::Open));
        assert!(!self.channels.contains(&Declared::Open));
    }
}

/// The evaluator as declarations need it: it evaluates the expressions in them.
pub(super) trait Declare: Force {
    fn declarations(&mut self) -> &mut Declarations;

    /// The value of an expression without variables, with all its parts.
    fn closed_value(&mut self, e: &Expr) -> Result<Value>;
}

/// A datatype as the set of its values: listed if small, lazy if large or infinite.
pub(super) fn type_set(run: &mut impl Declare, id: TypeId, span: Span) -> Result<Value> {
    let index = id.0 as usize;
    let declarations = run.declarations();
    match declarations.types.get(index) {
        Some(OnDemand::Done(v)) => return Ok(*v),
        // It contains itself.
        Some(OnDemand::Open) => {
            declarations.recursive_types[index] = true;
            return Ok(run.values().store.lazy(LazySet::Datatype(id)));
        }
        Some(OnDemand::Idle) => {}
        None => return Err(internal(span)),
    }
    // From here on the type counts as known by name: its own fields may mention it.
    declarations.types[index] = OnDemand::Open;
    let set = open_type(run, id, span);
    run.declarations().types[index] = OnDemand::after(&set);
    set
}

/// Declares a type and finds its set.
fn open_type(run: &mut impl Declare, id: TypeId, span: Span) -> Result<Value> {
    declare_type(run, id, span)?;
    let recursive = run.declarations().recursive_types[id.0 as usize];
    let values = run.values();
    let lazy = values.store.lazy(LazySet::Datatype(id));
    // One that contains itself is infinite.
    if recursive {
        return Ok(lazy);
    }
    let settled = values.store.sets().settle(lazy);
    values.at(settled, span)
}

fn declare_type(run: &mut impl Declare, id: TypeId, span: Span) -> Result<()> {
    let script = Rc::clone(run.values().script());
    let datatype = &script.types[id.0 as usize];
    let mut clauses = Vec::new();
    for (ctor, fields) in &datatype.clauses {
        ensure_ctor(run, *ctor, span)?;
        let known = run.values().store.declared().ctor(*ctor).map(Rc::clone);
        let mut sets = known.unwrap_or_else(|| [].into());
        if datatype.subtype_of.is_some() && fields.is_some() {
            // A subtype restricts the first fields; the others are as declared.
            let mut own = field_sets(run, fields.as_ref())?;
            own.extend(sets.iter().skip(own.len()).copied().collect::<Vec<_>>());
            sets = own.into();
        }
        clauses.push((*ctor, sets));
    }
    run.values().store.declared_mut().set_type(id, clauses);
    Ok(())
}

/// The factors of what is declared, each in its normal form.
fn factors(run: &mut impl Declare, e: &Expr) -> Result<Vec<Value>> {
    let v = run.closed_value(e)?;
    let values = run.values();
    let set = values.set_from(v, e.span)?;
    let factors = dots::factors(&values.store, set);
    factors
        .into_iter()
        .map(|factor| values.settled_set(factor, e.span))
        .collect()
}

/// The field sets of a declaration: a product is taken apart.
fn field_sets(run: &mut impl Declare, fields: Option<&Expr>) -> Result<Vec<Value>> {
    let Some(e) = fields else {
        return Ok(Vec::new());
    };
    let mut sets = Vec::new();
    for factor in factors(run, e)? {
        match run.values().store.columns(factor) {
            Some(columns) => sets.extend(columns),
            None => sets.push(factor),
        }
    }
    Ok(sets)
}

/// The fields of a declaration that depend on each other.
fn joint_fields(run: &mut impl Declare, fields: Option<&Expr>) -> Result<Vec<JointFields>> {
    let Some(e) = fields else {
        return Ok(Vec::new());
    };
    let (mut joint, mut start) = (Vec::new(), 0);
    for set in factors(run, e)? {
        let store = &mut run.values().store;
        // A set of plain values is one field.
        let Some(columns) = store.columns(set) else {
            start += 1;
            continue;
        };
        // If every combination of the columns is there, the fields are independent.
        let sizes = columns.iter().map(|c| store.sizes().size(*c).unwrap_or(0));
        if Some(sizes.product()) != store.sizes().size(set) {
            let width = columns.len();
            joint.push(JointFields { start, width, set });
        }
        start += columns.len();
    }
    Ok(joint)
}

/// Finds the field sets of a constructor.
pub(super) fn ensure_ctor(run: &mut impl Declare, id: CtorId, span: Span) -> Result<()> {
    let index = id.0 as usize;
    match run.declarations().ctors.get(index) {
        Some(Declared::Yes) => return Ok(()),
        Some(Declared::No) => {}
        Some(Declared::Open) => {
            let name = &run.values().script().ctors[index].name;
            return Err(depends_on_itself(&format!("the type of `{name}`"), span));
        }
        None => return Err(internal(span)),
    }
    let script = Rc::clone(run.values().script());
    let owner = script.ctors[index].owner;
    if let Some(OnDemand::Idle) = run.declarations().types.get(owner.0 as usize) {
        // The type comes first: so it notices if it contains itself.
        type_set(run, owner, span)?;
        return ensure_ctor(run, id, span);
    }
    run.declarations().ctors[index] = Declared::Open;
    let clause = script.types[owner.0 as usize]
        .clauses
        .iter()
        .find(|(ctor, _)| *ctor == id);
    let fields = clause.and_then(|(_, fields)| fields.as_ref());
    let sets = field_sets(run, fields);
    run.declarations().ctors[index] = Declared::No;
    // Closed before an error is passed on, so that it can be tried again with other limits.
    run.values().store.declared_mut().set_ctor(id, sets?);
    let joint = joint_fields(run, fields)?;
    let store = &mut run.values().store;
    let head = store.ctor(id);
    store.declared_mut().set_joint(head, joint);
    run.declarations().ctors[index] = Declared::Yes;
    Ok(())
}

/// Finds the field sets of a channel.
pub(super) fn ensure_channel(run: &mut impl Declare, id: ChannelId, span: Span) -> Result<()> {
    let index = id.0 as usize;
    match run.declarations().channels.get(index) {
        Some(Declared::Yes) => return Ok(()),
        Some(Declared::No) => {}
        Some(Declared::Open) => {
            let name = &run.values().script().channels[index].name;
            return Err(depends_on_itself(&format!("the type of `{name}`"), span));
        }
        None => return Err(internal(span)),
    }
    run.declarations().channels[index] = Declared::Open;
    let script = Rc::clone(run.values().script());
    let fields = script.channels[index].fields.as_deref();
    let sets = field_sets(run, fields);
    run.declarations().channels[index] = Declared::No;
    run.values().store.declared_mut().set_channel(id, sets?);
    let joint = joint_fields(run, fields)?;
    let store = &mut run.values().store;
    let head = store.channel(id);
    store.declared_mut().set_joint(head, joint);
    run.declarations().channels[index] = Declared::Yes;
    Ok(())
}

/// The set of all events.
pub(super) fn events(run: &mut impl Declare, span: Span) -> Result<Value> {
    for i in 0..run.values().script().channels.len() {
        ensure_channel(run, ChannelId(i as u32), span)?;
    }
    let values = run.values();
    let set = values.store.lazy(LazySet::Events);
    values.settled_set(set, span)
}

/// Checks that the fields of a constructor or channel belong to the sets declared for them.
pub(super) fn check_fields(run: &mut impl Declare, v: Value, span: Span) -> Result<()> {
    // Every use of a dotted value comes through here, and there are far fewer values than uses.
    let dotted = matches!(run.values().store.data(v), Data::Dot(_));
    if !dotted || run.declarations().checked.contains(&v) {
        return Ok(());
    }
    let values = run.values();
    let misfit = values.store.sets().given_misfit(v);
    let Some((field, part, set)) = values.at(misfit, span)? else {
        run.declarations().checked.insert(v);
        return Ok(());
    };
    let [v, part, set] = [v, part, set].map(|v| values.short(v));
    let text = format!(
        "`{v}` is outside its type: field {} is `{part}`, which is not in `{set}`",
        field + 1
    );
    Err(fail("E0418", text, span))
}
