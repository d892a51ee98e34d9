//! Datatypes, channels, and top-level definitions: evaluated when they are first needed.

use std::rc::Rc;

use super::Evaluator;
use super::run::Held;
use crate::script::core::{ChannelId, CtorId, Expr, GlobalId, TypeId};
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Span};
use crate::value::store::Joint;
use crate::value::{Data, LazySet, Value};

/// The compiled form of a top-level definition.
#[derive(Clone, Debug)]
pub(super) enum GlobalCode {
    /// A unit without parameters; a nametype is read as a set.
    Value { unit: u32, nametype: bool },
    /// A function.
    Function(u32),
    /// A variable of the pattern binding with this number.
    Part { binding: usize, unit: u32 },
}

/// How far the evaluation of something is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Progress {
    /// Not asked for yet.
    #[default]
    Idle,
    /// Being evaluated.
    Open,
    /// Known.
    Done(Value),
}

/// What is a constructor's or channel's field set, found on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    No,
    Open,
    Yes,
}

impl Evaluator {
    /// The value of a top-level definition.
    pub(super) fn global(&mut self, id: GlobalId, span: Span) -> Result<Value> {
        let index = id.0 as usize;
        if let Some(Progress::Done(v)) = self.globals.get(index) {
            return Ok(*v);
        }
        let Some(code) = self.global_code.get(index).cloned() else {
            return Err(Self::internal(span));
        };
        if matches!(self.globals[index], Progress::Open) {
            return Err(self.cycle(id, span));
        }
        self.globals[index] = Progress::Open;
        let result = self.global_value(&code, id, span);
        self.globals[index] = match &result {
            Ok(v) => Progress::Done(*v),
            Err(_) => Progress::Idle,
        };
        result
    }

    fn cycle(&self, id: GlobalId, span: Span) -> Box<Diagnostic> {
        let global = &self.script.globals[id.0 as usize];
        let message = format!("the recursion of `{}` does not end", global.name);
        Box::new(
            Diagnostic::error("E0411", span, message)
                .also(global.span, format!("`{}` is defined here", global.name))
                .note("a process may refer to itself only after an event"),
        )
    }

    fn global_value(&mut self, code: &GlobalCode, id: GlobalId, span: Span) -> Result<Value> {
        match code {
            GlobalCode::Function(unit) => Ok(self.store.intern(Data::Closure {
                code: *unit,
                env: [].into(),
            })),
            GlobalCode::Value { unit, nametype } => {
                let v = self.run_global(*unit, Vec::new(), id, span)?;
                if *nametype {
                    self.set_from(v, self.script.globals[id.0 as usize].span)
                } else {
                    Ok(v)
                }
            }
            GlobalCode::Part { binding, unit } => {
                let whole = self.binding(*binding, id, span)?;
                self.run_global(*unit, vec![Held::Value(whole)], id, span)
            }
        }
    }

    fn run_global(
        &mut self,
        unit: u32,
        captured: Vec<Held>,
        id: GlobalId,
        span: Span,
    ) -> Result<Value> {
        self.run_thunk(unit, captured, span).map_err(|mut error| {
            let name = self.script.globals[id.0 as usize].name.to_string();
            self.name_stop(&mut error, &name);
            if error.trace.len() < 10 {
                error.trace.push((name, span));
            }
            error
        })
    }

    /// The value of a top-level pattern binding.
    fn binding(&mut self, number: usize, id: GlobalId, span: Span) -> Result<Value> {
        let (unit, progress) = self.bindings[number];
        match progress {
            Progress::Done(v) => return Ok(v),
            Progress::Open => return Err(self.cycle(id, span)),
            Progress::Idle => {}
        }
        self.bindings[number].1 = Progress::Open;
        let result = self.run_global(unit, Vec::new(), id, span);
        self.bindings[number].1 = match &result {
            Ok(v) => Progress::Done(*v),
            Err(_) => Progress::Idle,
        };
        result
    }

    /// A datatype as the set of its values: listed if small, lazy if large or infinite.
    pub(super) fn type_set(&mut self, id: TypeId, span: Span) -> Result<Value> {
        let index = id.0 as usize;
        let lazy = self.store.lazy(LazySet::Datatype(id));
        match self.types.get(index) {
            Some(Progress::Done(v)) => return Ok(*v),
            // It contains itself.
            Some(Progress::Open) => {
                self.recursive_types[index] = true;
                return Ok(lazy);
            }
            Some(Progress::Idle) => {}
            None => return Err(Self::internal(span)),
        }
        self.types[index] = Progress::Open;
        let declared = self.declare_type(id, span);
        if let Err(error) = declared {
            self.types[index] = Progress::Idle;
            return Err(error);
        }
        let set = if self.recursive_types[index] {
            lazy
        } else {
            let settled = self.store.settle_set(lazy);
            match self.at(settled, span) {
                Ok(set) => set,
                Err(error) => {
                    self.types[index] = Progress::Idle;
                    return Err(error);
                }
            }
        };
        self.types[index] = Progress::Done(set);
        Ok(set)
    }

    fn declare_type(&mut self, id: TypeId, span: Span) -> Result<()> {
        let script = Rc::clone(&self.script);
        let datatype = &script.types[id.0 as usize];
        let mut clauses = Vec::new();
        for (ctor, fields) in &datatype.clauses {
            self.ensure_ctor(*ctor, span)?;
            let known = self.store.signature().ctor(*ctor).map(Rc::clone);
            let mut sets = known.unwrap_or_else(|| [].into());
            if datatype.subtype_of.is_some() && fields.is_some() {
                // A subtype restricts the first fields; the others are as declared.
                let mut own = self.field_sets(fields.as_ref())?;
                own.extend(sets.iter().skip(own.len()).copied().collect::<Vec<_>>());
                sets = own.into();
            }
            clauses.push((*ctor, sets));
        }
        self.store.declare_type(id, clauses);
        Ok(())
    }

    /// The field sets of a declaration: a product is taken apart.
    fn field_sets(&mut self, fields: Option<&Expr>) -> Result<Vec<Value>> {
        let Some(e) = fields else {
            return Ok(Vec::new());
        };
        let v = self.closed_value(e)?;
        let set = self.set_from(v, e.span)?;
        let factors = self.store.factors(set);
        let mut sets = Vec::new();
        for factor in factors {
            let settled = self.store.settle_set(factor);
            let factor = self.at(settled, e.span)?;
            match self.store.columns(factor) {
                Some(columns) => sets.extend(columns),
                None => sets.push(factor),
            }
        }
        Ok(sets)
    }

    /// Which fields of a declaration depend on each other.
    fn joint_fields(&mut self, fields: Option<&Expr>) -> Result<Vec<Joint>> {
        let Some(e) = fields else {
            return Ok(Vec::new());
        };
        let v = self.closed_value(e)?;
        let set = self.set_from(v, e.span)?;
        let (mut joint, mut start) = (Vec::new(), 0);
        for factor in self.store.factors(set) {
            let settled = self.store.settle_set(factor);
            let set = self.at(settled, e.span)?;
            let Some(columns) = self.store.columns(set) else {
                start += 1;
                continue;
            };
            let sizes = columns.iter().map(|c| self.store.size(*c).unwrap_or(0));
            if Some(sizes.product()) != self.store.size(set) {
                let width = columns.len();
                joint.push(Joint { start, width, set });
            }
            start += columns.len();
        }
        Ok(joint)
    }

    /// Finds the field sets of a constructor.
    pub(super) fn ensure_ctor(&mut self, id: CtorId, span: Span) -> Result<()> {
        let index = id.0 as usize;
        match self.ctors.get(index) {
            Some(Declared::Yes) => return Ok(()),
            Some(Declared::No) => {}
            Some(Declared::Open) => {
                let name = &self.script.ctors[index].name;
                let message = format!("the type of `{name}` depends on itself");
                return Err(Box::new(Diagnostic::error("E0410", span, message)));
            }
            None => return Err(Self::internal(span)),
        }
        let script = Rc::clone(&self.script);
        let owner = script.ctors[index].owner;
        if matches!(self.types.get(owner.0 as usize), Some(Progress::Idle)) {
            // The type comes first: so it notices if it contains itself.
            self.type_set(owner, span)?;
            return self.ensure_ctor(id, span);
        }
        self.ctors[index] = Declared::Open;
        let clause = script.types[owner.0 as usize]
            .clauses
            .iter()
            .find(|(ctor, _)| *ctor == id);
        let fields = clause.and_then(|(_, fields)| fields.as_ref());
        let sets = self.field_sets(fields);
        self.ctors[index] = Declared::No;
        self.store.declare_ctor(id, sets?);
        let joint = self.joint_fields(fields)?;
        let head = self.store.ctor(id);
        self.store.declare_joint(head, joint);
        self.ctors[index] = Declared::Yes;
        Ok(())
    }

    /// Finds the field sets of a channel.
    pub(super) fn ensure_channel(&mut self, id: ChannelId, span: Span) -> Result<()> {
        let index = id.0 as usize;
        match self.channels.get(index) {
            Some(Declared::Yes) => return Ok(()),
            Some(Declared::No) => {}
            Some(Declared::Open) => {
                let name = &self.script.channels[index].name;
                let message = format!("the type of `{name}` depends on itself");
                return Err(Box::new(Diagnostic::error("E0410", span, message)));
            }
            None => return Err(Self::internal(span)),
        }
        self.channels[index] = Declared::Open;
        let fields = self.script.channels[index].fields.as_ref().map(Rc::clone);
        let sets = self.field_sets(fields.as_deref());
        self.channels[index] = Declared::No;
        self.store.declare_channel(id, sets?);
        let joint = self.joint_fields(fields.as_deref())?;
        let head = self.store.channel(id);
        self.store.declare_joint(head, joint);
        self.channels[index] = Declared::Yes;
        Ok(())
    }

    /// The set of all events.
    pub(super) fn events(&mut self, span: Span) -> Result<Value> {
        for i in 0..self.script.channels.len() {
            self.ensure_channel(ChannelId(i as u32), span)?;
        }
        let set = self.store.lazy(LazySet::Events);
        let settled = self.store.settle_set(set);
        self.at(settled, span)
    }

    /// That the fields given to a constructor or channel belong to the sets declared for them.
    pub(super) fn check_fields(&mut self, v: Value, span: Span) -> Result<()> {
        if !matches!(self.store.data(v), Data::Dot(_)) || self.checked.contains(&v) {
            return Ok(());
        }
        let misfit = self.store.given_misfit(v);
        let Some((field, part, set)) = self.at(misfit, span)? else {
            self.checked.insert(v);
            return Ok(());
        };
        let [v, part, set] = [v, part, set].map(|v| self.store.show_short(v, &self.script));
        let text = format!(
            "`{v}` is outside its type: field {} is `{part}`, which is not in `{set}`",
            field + 1
        );
        Err(self.fail_at("E0418", text, span))
    }
}
