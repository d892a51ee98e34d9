//! Lists of generators and conditions, and the sets that are displayed with them.

use std::rc::Rc;

use super::code::{Code, ItemsCode, StmtCode};
use super::fail::fail;
use super::frame::Frame;
use super::interpreter::Interpreter;
use super::sequence::listed;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::value::{Value, algebra};

/// A callback for every row of a list of generators.
pub(super) type OnRow<'a> = dyn FnMut(&mut Interpreter, &mut Frame) -> Result<()> + 'a;

/// The kind of collection that generators draw from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DrawnFrom {
    Sets,
    Sequences,
}

/// A list of generators and conditions: `f` runs for every row that passes.
pub(super) fn rows(
    run: &mut Interpreter,
    stmts: &[StmtCode],
    drawn_from: DrawnFrom,
    frame: &mut Frame,
    f: &mut OnRow<'_>,
) -> Result<()> {
    let Some((first, rest)) = stmts.split_first() else {
        return f(run, frame);
    };
    match first {
        StmtCode::Condition(code) => {
            if run.condition(code, frame)? {
                rows(run, rest, drawn_from, frame, f)?;
            }
            Ok(())
        }
        StmtCode::Generator(pattern, code) => {
            // Once for each row of the generators before it, whose variables it may mention.
            let source = run.eval(code, frame)?;
            let items = match drawn_from {
                DrawnFrom::Sequences => listed(run, source, code.span)?,
                DrawnFrom::Sets => elements(run, source, code.span)?,
            };
            for item in items.iter() {
                // A row counts as a call, so that an experiment ends within a long generator.
                run.values.count_call(code.span)?;
                if run.matches(pattern, *item, frame, code.span)? {
                    rows(run, rest, drawn_from, frame, f)?;
                }
            }
            // Rows may be few and what is done for them long.
            run.values.poll(code.span)
        }
    }
}

fn elements(run: &mut Interpreter, v: Value, span: Span) -> Result<Rc<[Value]>> {
    let set = run.values.set_from(v, span)?;
    let elements = run.values.store.sets().elements(set);
    run.values.at(elements, span)
}

/// `{a, b | stmts}` or `{a..b | stmts}`
pub(super) fn set_display(
    run: &mut Interpreter,
    items: &ItemsCode,
    stmts: &[StmtCode],
    frame: &mut Frame,
    span: Span,
) -> Result<Value> {
    let mut all = Vec::new();
    let mut ranges = Vec::new();
    rows(run, stmts, DrawnFrom::Sets, frame, &mut |run, frame| {
        match items {
            ItemsCode::List(codes) => {
                for code in codes {
                    all.push(run.eval_whole(code, frame)?);
                }
            }
            ItemsCode::Range(a, b) => {
                let (from, to) = run.bounds(a, b.as_deref(), frame)?;
                ranges.push(run.values.store.int_range(Some(from), to));
            }
        }
        let max = run.values.elements_max();
        // Duplicates count: they take memory until they are sorted out.
        if all.len() > max {
            return Err(fail("E0403", format!("more than {max} elements"), span));
        }
        Ok(())
    })?;
    // One range stays as it is: it may be infinite.
    if let [range] = *ranges {
        return Ok(range);
    }
    // Elements and ranges cannot be mixed, so there are either elements or ranges here.
    let set = run.values.store.sets().of(all);
    let mut set = run.values.at(set, span)?;
    for range in ranges {
        let union = algebra::union(&mut run.values.store.sets(), set, range);
        set = run.values.at(union, span)?;
    }
    Ok(set)
}

/// `{|c, d | stmts|}`
pub(super) fn productions(
    run: &mut Interpreter,
    items: &[Code],
    stmts: &[StmtCode],
    frame: &mut Frame,
    span: Span,
) -> Result<Value> {
    let mut heads = Vec::new();
    rows(run, stmts, DrawnFrom::Sets, frame, &mut |run, frame| {
        for code in items {
            heads.push(run.eval_whole(code, frame)?);
        }
        Ok(())
    })?;
    let set = algebra::productions(&mut run.values.store.sets(), heads);
    run.values.at(set, span)
}
