//! Which processes may depend on an order among values (Def. 23.2).
//!
//! Scripts put networks together with the help of `seq` and the like; that is judged afterwards, by
//! looking at the network (Def. 29). What a component does is not looked at: that its transitions
//! follow by renaming (Prop. 24) rests on its code. So the code of every control state, function and
//! suspended value in a component is looked up here, down to what it reaches.

use std::rc::Rc;

use super::code::UnitId;
use super::{Evaluator, outer_expressions};
use crate::process::store::{operands, values};
use crate::process::term::{Term, TermData};
use crate::script::core::{ChannelId, GlobalId, TypeId};
use crate::script::reach::{Node, Ordered};
use crate::source::hash::Set;
use crate::value::store::for_each_child;
use crate::value::{Data, Value};

/// A part of the script that was compiled into units of its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// What every script has.
    Common,
    /// A definition.
    Global(GlobalId),
    /// An expression outside of definitions, by its place in [`outer_expressions`].
    Outer(usize),
    /// What came later.
    Given,
}

/// The parts by their first units, and what is known of them.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Ascending.
    starts: Vec<(UnitId, Part)>,
    /// For each part, whether it may depend on an order; empty until somebody asks.
    ordered: Vec<bool>,
    /// A channel or datatype that may depend on an order: then every process may.
    declared: Option<Rc<str>>,
    /// Terms and values that do not.
    free_terms: Set<Term>,
    free_values: Set<Value>,
}

impl Parts {
    /// The units from here on belong to a part.
    pub(super) fn begin(&mut self, first: UnitId, part: Part) {
        self.starts.push((first, part));
    }

    fn of(&self, unit: UnitId) -> usize {
        self.starts
            .partition_point(|(first, _)| *first <= unit)
            .saturating_sub(1)
    }
}

/// What is still to be looked at.
enum Todo {
    Term(Term),
    Value(Value),
}

impl Evaluator {
    /// The name of a part of a term whose code reaches a function of Def. 23.2, if there is one.
    pub fn order_seen_by(&mut self, t: Term) -> Option<Rc<str>> {
        self.judge_parts();
        if self.parts.declared.is_some() {
            return self.parts.declared.clone();
        }
        let (mut terms, mut seen_values) = (Vec::new(), Vec::new());
        let mut todo = vec![Todo::Term(t)];
        while let Some(next) = todo.pop() {
            match next {
                Todo::Term(t) if self.parts.free_terms.insert(t) => {
                    terms.push(t);
                    if let Some(name) = self.look_at_term(t, &mut todo) {
                        self.forget(&terms, &seen_values);
                        return Some(name);
                    }
                }
                Todo::Value(v) if self.parts.free_values.insert(v) => {
                    seen_values.push(v);
                    if let Some(name) = self.look_at_value(v, &mut todo) {
                        self.forget(&terms, &seen_values);
                        return Some(name);
                    }
                }
                Todo::Term(_) | Todo::Value(_) => {}
            }
        }
        None
    }

    /// Takes back what was assumed while looking.
    fn forget(&mut self, terms: &[Term], values: &[Value]) {
        for t in terms {
            self.parts.free_terms.remove(t);
        }
        for v in values {
            self.parts.free_values.remove(v);
        }
    }

    fn look_at_term(&self, t: Term, todo: &mut Vec<Todo>) -> Option<Rc<str>> {
        let data = self.terms.data(t);
        match data {
            TermData::Call { control, env } => {
                todo.extend(env.iter().map(|v| Todo::Value(*v)));
                let info = self.program.control(*control);
                return info.and_then(|info| self.ordered_unit(info.unit));
            }
            TermData::Resolved(builtin, _) => return Some(builtin.name().into()),
            _ => {}
        }
        todo.extend(operands(data).into_iter().map(Todo::Term));
        todo.extend(values(data).into_iter().map(Todo::Value));
        None
    }

    fn look_at_value(&self, v: Value, todo: &mut Vec<Todo>) -> Option<Rc<str>> {
        let data = self.store.data(v);
        for_each_child(data, &mut |child| todo.push(Todo::Value(child)));
        match data {
            Data::Closure { code, .. } | Data::Suspended { code, .. } => self.ordered_unit(*code),
            Data::Builtin(b) | Data::Applied(b, _) if b.sees_order() => Some(b.name().into()),
            Data::Process(p) => {
                todo.push(Todo::Term(Term(*p)));
                None
            }
            _ => None,
        }
    }

    /// The name of a unit, if its part may depend on an order.
    fn ordered_unit(&self, unit: UnitId) -> Option<Rc<str>> {
        let ordered = self.parts.ordered.get(self.parts.of(unit)).copied();
        let name = || Rc::clone(&self.program.unit(unit).name);
        ordered.unwrap_or(true).then(name)
    }

    fn judge_parts(&mut self) {
        let known = self.parts.ordered.len();
        if known == self.parts.starts.len() {
            return;
        }
        let script = Rc::clone(&self.script);
        let ordered = Ordered::new(&script);
        let outer = outer_expressions(&script);
        let more = self.parts.starts[known..]
            .iter()
            .map(|(_, part)| match part {
                Part::Common => false,
                Part::Global(g) => ordered.has(Node::Global(*g)),
                Part::Outer(n) => outer.get(*n).is_none_or(|e| ordered.has_expression(e)),
                Part::Given => true,
            });
        let more: Vec<bool> = more.collect();
        self.parts.ordered.extend(more);
        let channels = script.channels.iter().zip(0..);
        let channels = channels.map(|(c, n)| (Node::Channel(ChannelId(n)), &c.name));
        let types = script.types.iter().zip(0..);
        let types = types.map(|(t, n)| (Node::Type(TypeId(n)), &t.name));
        let mut declared = channels.chain(types);
        self.parts.declared = declared
            .find(|(node, _)| ordered.has(*node))
            .map(|(_, name)| Rc::clone(name));
    }
}
