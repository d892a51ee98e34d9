//! Processes that may depend on an order among values (Def. 23.2).
//!
//! Scripts put networks together with the help of `seq` and the like; that is judged afterwards, by
//! looking at the network (Def. 29). What a component does is not looked at: that its transitions
//! follow by renaming (Prop. 24) rests on its code. So the code of every control state, function and
//! suspended value in a component is examined here, with all that it reaches. For code that reaches no function of
//! Def. 23.2, Prop. 24 holds in every environment; with labels and rules compared by Def. 29 the argument
//! is complete. A component that does reach one ends the reduction (E0513).

use std::rc::Rc;

use super::code::UnitId;
use super::interpreter::Interpreter;
use super::parts::{CodePart, Parts, outer_expressions};
use super::program::Program;
use crate::process::Terms;
use crate::process::parts::{operands, values};
use crate::process::term::{Term, TermData};
use crate::script::core::{ChannelId, Script, TypeId};
use crate::script::reach::{Ordered, TopLevel};
use crate::source::hash::Set;
use crate::value::parts::for_each_child;
use crate::value::{Data, Interner, Value};

/// Facts about the parts of a script, and about examined terms.
#[derive(Clone, Debug)]
pub(super) struct OrderJudge {
    parts: Parts,
    /// The dependence of the code of the script, computed at the first query.
    judged: Option<Judged>,
    /// Terms and values that do not depend on an order.
    free_terms: Set<Term>,
    free_values: Set<Value>,
}

/// Code that may depend on an order.
#[derive(Clone, Debug)]
struct Judged {
    /// For each part of the script.
    ordered: Vec<bool>,
    /// A channel or datatype that may depend on an order: then every process may.
    declared: Option<Rc<str>>,
}

impl OrderJudge {
    /// Of a script that was compiled into these parts, none after them.
    pub(super) fn new(parts: Parts) -> Self {
        Self {
            parts,
            judged: None,
            free_terms: Set::default(),
            free_values: Set::default(),
        }
    }

    /// The place of the part of the script that a unit belongs to.
    pub(super) fn place_of(&self, unit: UnitId) -> usize {
        self.parts.of(unit)
    }

    /// The name of a part of a term whose code reaches a function of Def. 23.2, if there is one.
    pub(super) fn order_seen_by(&mut self, run: &Interpreter, t: Term) -> Option<Rc<str>> {
        let parts = &self.parts;
        let judge = || judge(parts, run.values.script());
        // Most scripts are never judged: nothing in them is trusted.
        let judged = self.judged.get_or_insert_with(judge);
        if judged.declared.is_some() {
            return judged.declared.clone();
        }
        let mut search = OrderSearch {
            terms: &run.terms,
            store: &run.values.store,
            program: &run.program,
            parts,
            ordered: &judged.ordered,
            todo: vec![Todo::Term(t)],
        };
        // What is being looked at counts as free: it was looked at already, or will be. If
        // something ordered is found that was a mistake, and all of it is taken back.
        let (mut terms, mut values) = (Vec::new(), Vec::new());
        while let Some(next) = search.todo.pop() {
            let found = match next {
                Todo::Term(t) if self.free_terms.insert(t) => {
                    terms.push(t);
                    search.look_at_term(t)
                }
                Todo::Value(v) if self.free_values.insert(v) => {
                    values.push(v);
                    search.look_at_value(v)
                }
                Todo::Term(_) | Todo::Value(_) => None,
            };
            if found.is_some() {
                for t in &terms {
                    self.free_terms.remove(t);
                }
                for v in &values {
                    self.free_values.remove(v);
                }
                return found;
            }
        }
        None
    }
}

/// A term or value that is still to be examined.
enum Todo {
    Term(Term),
    Value(Value),
}

/// A search for code that depends on an order.
struct OrderSearch<'a> {
    terms: &'a Terms,
    store: &'a Interner,
    program: &'a Program,
    parts: &'a Parts,
    ordered: &'a [bool],
    todo: Vec<Todo>,
}

impl OrderSearch<'_> {
    fn look_at_term(&mut self, t: Term) -> Option<Rc<str>> {
        let data = self.terms.data(t);
        match data {
            TermData::Call { control, env } => {
                self.todo.extend(env.iter().map(|v| Todo::Value(*v)));
                let unit = self.program.control(*control)?.unit;
                return self.ordered_unit(unit);
            }
            // Chasing and its like take one of several steps, and which one depends on an order.
            TermData::Resolved(builtin, _) => return Some(builtin.name().into()),
            _ => {}
        }
        self.todo.extend(operands(data).into_iter().map(Todo::Term));
        self.todo.extend(values(data).into_iter().map(Todo::Value));
        None
    }

    fn look_at_value(&mut self, v: Value) -> Option<Rc<str>> {
        let data = self.store.data(v);
        for_each_child(data, &mut |child| self.todo.push(Todo::Value(child)));
        match data {
            Data::Closure { code, .. } | Data::Suspended { code, .. } => self.ordered_unit(*code),
            Data::Builtin(b) | Data::Applied(b, _) if b.sees_order() => Some(b.name().into()),
            Data::Process(p) => {
                self.todo.push(Todo::Term(Term(*p)));
                None
            }
            _ => None,
        }
    }

    /// The name of a unit, if its part may depend on an order.
    fn ordered_unit(&self, unit: UnitId) -> Option<Rc<str>> {
        let ordered = self.ordered.get(self.parts.of(unit)).copied();
        let name = || Rc::clone(&self.program.unit(unit).name);
        ordered.unwrap_or(true).then(name)
    }
}

/// Looks at the text of all parts.
fn judge(parts: &Parts, script: &Script) -> Judged {
    let ordered = Ordered::new(script);
    let outer = outer_expressions(script);
    let all = parts.all().map(|part| match part {
        CodePart::Common => false,
        CodePart::Global(g) => ordered.has(TopLevel::Global(g)),
        CodePart::Outer(n) => outer.get(n).is_none_or(|e| ordered.has_expression(e)),
        // Nobody looked at its text.
        CodePart::Given => true,
    });
    let all = all.collect();
    let channels = script.channels.iter().zip(0..);
    let channels = channels.map(|(c, n)| (TopLevel::Channel(ChannelId(n)), &c.name));
    let types = script.types.iter().zip(0..);
    let types = types.map(|(t, n)| (TopLevel::Type(TypeId(n)), &t.name));
    let mut declared = channels.chain(types);
    Judged {
        ordered: all,
        declared: declared
            .find(|(node, _)| ordered.has(*node))
            .map(|(_, name)| Rc::clone(name)),
    }
}
