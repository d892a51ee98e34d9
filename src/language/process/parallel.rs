//! The rules of the parallel operators, and of the choices that synchronise.

use std::rc::Rc;

use super::rule_context::RuleContext;
use super::term::{Label, Steps, Term, TermData};
use crate::source::diagnostic::Result;
use crate::source::hash::IndexMap;
use crate::value::Value;

/// The transitions of every operand.
fn all_transitions(operands: &[Term], s: &mut RuleContext<'_>) -> Result<Vec<Rc<Steps>>> {
    let all = operands.iter();
    all.map(|p| s.part(*p)).collect()
}

/// One operand replaced.
fn replaced(operands: &[Term], i: usize, next: Term) -> Vec<Term> {
    let mut changed = operands.to_vec();
    changed[i] = next;
    changed
}

/// ✓ of a parallel composition: once all operands have terminated. Each terminates by itself, unseen by the others
/// (distributed termination: Roscoe, *Understanding Concurrent Systems*, Sec. 6.1).
fn joint_tick<'a>(
    mut operands: impl Iterator<Item = &'a Term>,
    s: &mut RuleContext<'_>,
    steps: &mut Steps,
) {
    let omega = s.omega();
    if operands.all(|p| *p == omega) {
        steps.push((Label::Tick, omega));
    }
}

/// The label of a step of an operand alone, as the others see it.
fn alone(label: Label) -> Label {
    match label {
        Label::Tick => Label::Tau,
        other => other,
    }
}

/// Operands between two looks at the limits.
const POLL_EVERY: usize = 64;

/// Whether an operand equals the one before it. Operands are sorted, so its steps alone lead to the same as those of
/// that one.
fn repeated(operands: &[Term], i: usize) -> bool {
    i > 0 && operands[i - 1] == operands[i]
}

/// `P ||| Q …`
pub(super) fn interleave(t: Term, operands: &[Term], s: &mut RuleContext<'_>) -> Result<Steps> {
    let all = all_transitions(operands, s)?;
    let mut steps = Vec::new();
    for (i, own) in all.iter().enumerate() {
        if repeated(operands, i) {
            continue;
        }
        // Thousands of operands that can do nothing would never come to the look below.
        if i % POLL_EVERY == POLL_EVERY - 1 {
            s.allow(t, 0, 0)?;
        }
        for (label, next) in own.iter() {
            s.look(t)?;
            let (terms, store) = s.stores();
            // The other operands stand where they stood; the constructor brings them in order.
            let next = terms.interleave(store, replaced(operands, i, *next));
            steps.push((alone(*label), next));
        }
    }
    joint_tick(operands.iter(), s, &mut steps);
    Ok(steps)
}

/// `P [|A|] Q …`: the events of `A` need all operands.
pub(super) fn generalised(
    t: Term,
    set: Value,
    operands: &[Term],
    s: &mut RuleContext<'_>,
) -> Result<Steps> {
    let all = all_transitions(operands, s)?;
    let mut steps = Vec::new();
    let mut shared = JointEvents::default();
    for (i, own) in all.iter().enumerate() {
        for (label, next) in own.iter() {
            match label {
                Label::Event(e) if s.belongs(t, set, *e)? => {
                    shared.note(*e, i);
                }
                // Only what is done alone: together, each of two equal operands moves.
                _ if repeated(operands, i) => {}
                _ => {
                    let (terms, store) = s.stores();
                    let next = terms.sharing(store, set, replaced(operands, i, *next));
                    steps.push((alone(*label), next));
                }
            }
        }
    }
    for event in shared.by_all(all.len()) {
        for joint in joint_moves(&all, event) {
            let (terms, store) = s.stores();
            steps.push((Label::Event(event), terms.sharing(store, set, joint)));
        }
    }
    joint_tick(operands.iter(), s, &mut steps);
    Ok(steps)
}

/// Events that need all operands, each with the number of operands, from the first on, that can do it.
#[derive(Default)]
struct JointEvents(IndexMap<Value, usize>);

impl JointEvents {
    /// Operand `i` can do an event; the operands come one after the other.
    fn note(&mut self, event: Value, i: usize) {
        let able = self.0.entry(event).or_default();
        // Once an operand cannot do it, nobody after it counts any more.
        if *able == i {
            *able = i + 1;
        }
    }

    /// The events that all operands can do: often few, although single operands can do many.
    fn by_all(self, operands: usize) -> impl Iterator<Item = Value> {
        let able = self.0.into_iter();
        able.filter(move |(_, n)| *n == operands).map(|(e, _)| e)
    }
}

/// All ways in which all operands do an event together; none if one of them cannot.
fn joint_moves(all: &[Rc<Steps>], event: Value) -> Vec<Vec<Term>> {
    let mut rows = vec![Vec::new()];
    for own in all {
        let targets: Vec<Term> = own
            .iter()
            .filter(|(label, _)| *label == Label::Event(event))
            .map(|(_, next)| *next)
            .collect();
        // No targets of one operand: no rows are left.
        rows = rows
            .into_iter()
            .flat_map(|row: Vec<Term>| {
                targets.iter().map(move |next| {
                    let mut longer = row.clone();
                    longer.push(*next);
                    longer
                })
            })
            .collect();
    }
    rows
}

/// `|| x:S @ [A] P`: an event needs every operand whose alphabet has it, and only those do it.
pub(super) fn alphabetised(
    t: Term,
    operands: &[(Value, Term)],
    s: &mut RuleContext<'_>,
) -> Result<Steps> {
    let processes: Vec<Term> = operands.iter().map(|o| o.1).collect();
    let all = all_transitions(&processes, s)?;
    let mut steps = Vec::new();
    // For each event, the moves of the operands that can do it.
    let mut able: IndexMap<Value, Vec<(usize, Vec<Term>)>> = IndexMap::default();
    for (i, own) in all.iter().enumerate() {
        for (label, next) in own.iter() {
            match label {
                Label::Tau | Label::Tick | Label::Done => {
                    let next = with_replaced(operands, &[(i, *next)], s);
                    steps.push((Label::Tau, next));
                }
                Label::Event(e) => {
                    s.look(t)?;
                    let moves = able.entry(*e).or_default();
                    // The transitions of one operand need not be ascending, but its events come under one entry.
                    match moves.last_mut() {
                        Some((last, targets)) if *last == i => targets.push(*next),
                        _ => moves.push((i, vec![*next])),
                    }
                }
            }
        }
    }
    for (event, moves) in able {
        joint_event(t, operands, event, &moves, s, &mut steps)?;
    }
    joint_tick(processes.iter(), s, &mut steps);
    Ok(steps)
}

fn joint_event(
    t: Term,
    operands: &[(Value, Term)],
    event: Value,
    moves: &[(usize, Vec<Term>)],
    s: &mut RuleContext<'_>,
    steps: &mut Steps,
) -> Result<()> {
    let mut rows: Vec<Vec<(usize, Term)>> = vec![Vec::new()];
    for (i, (alphabet, _)) in operands.iter().enumerate() {
        if !s.belongs(t, *alphabet, event)? {
            continue;
        }
        let Some((_, targets)) = moves.iter().find(|m| m.0 == i) else {
            // An operand whose alphabet has the event cannot do it.
            return Ok(());
        };
        rows = rows
            .into_iter()
            .flat_map(|row| {
                targets.iter().map(move |next| {
                    let mut longer = row.clone();
                    longer.push((i, *next));
                    longer
                })
            })
            .collect();
    }
    // Nobody's alphabet has the event, so nobody does it.
    for row in rows.iter().filter(|row| !row.is_empty()) {
        let next = with_replaced(operands, row, s);
        steps.push((Label::Event(event), next));
    }
    Ok(())
}

fn with_replaced(
    operands: &[(Value, Term)],
    row: &[(usize, Term)],
    s: &mut RuleContext<'_>,
) -> Term {
    let mut changed = operands.to_vec();
    for (i, next) in row {
        changed[*i].1 = *next;
    }
    let (terms, store) = s.stores();
    terms.alphabetised(store, changed)
}

/// `P [a <-> b] Q`: `a` of the left with `b` of the right, silently.
pub(super) fn linked(
    t: Term,
    (p, pairs, q): (Term, Value, Term),
    s: &mut RuleContext<'_>,
) -> Result<Steps> {
    let links = s.pairs_of(t, pairs)?;
    let all = all_transitions(&[p, q], s)?;
    let mut steps = Vec::new();
    let linked = |side: fn(&(Value, Value)) -> Value, label: &Label| matches!(label, Label::Event(e) if links.iter().any(|l| side(l) == *e));
    for (label, next) in all[0].iter() {
        if !linked(|l| l.0, label) {
            steps.push((alone(*label), s.make(TermData::Link(*next, pairs, q))));
        }
    }
    for (label, next) in all[1].iter() {
        if !linked(|l| l.1, label) {
            steps.push((alone(*label), s.make(TermData::Link(p, pairs, *next))));
        }
    }
    // Both sides together, and nobody else sees it.
    for (a, b) in &links {
        for (_, left) in all[0].iter().filter(|s| s.0 == Label::Event(*a)) {
            for (_, right) in all[1].iter().filter(|s| s.0 == Label::Event(*b)) {
                steps.push((Label::Tau, s.make(TermData::Link(*left, pairs, *right))));
            }
        }
    }
    joint_tick([p, q].iter(), s, &mut steps);
    Ok(steps)
}

/// `P [+A+] Q …`: the events of `A` are done together and do not resolve the choice.
pub(super) fn synchronising_choice(
    t: Term,
    operands: &[Term],
    set: Value,
    s: &mut RuleContext<'_>,
) -> Result<Steps> {
    let all = all_transitions(operands, s)?;
    let mut steps = Vec::new();
    let mut shared = JointEvents::default();
    for (i, own) in all.iter().enumerate() {
        for (label, next) in own.iter() {
            match label {
                Label::Tau => {
                    let (terms, store) = s.stores();
                    let next = terms.sync_choice(store, replaced(operands, i, *next), set);
                    steps.push((*label, next));
                }
                Label::Event(e) if s.belongs(t, set, *e)? => {
                    shared.note(*e, i);
                }
                _ => steps.push((*label, *next)),
            }
        }
    }
    for event in shared.by_all(all.len()) {
        for joint in joint_moves(&all, event) {
            let (terms, store) = s.stores();
            steps.push((Label::Event(event), terms.sync_choice(store, joint, set)));
        }
    }
    Ok(steps)
}

/// `P /+A+\ Q`: the events of `A` are done together and do not interrupt.
pub(super) fn synchronising_interrupt(
    t: Term,
    p: Term,
    set: Value,
    q: Term,
    s: &mut RuleContext<'_>,
) -> Result<Steps> {
    let all = all_transitions(&[p, q], s)?;
    let mut steps = Vec::new();
    let mut shared = JointEvents::default();
    for (label, next) in all[0].iter() {
        match label {
            // ✓ of `P` ends it all, and an event of its own does not: only `Q` interrupts.
            Label::Tick => steps.push((*label, *next)),
            Label::Event(e) if s.belongs(t, set, *e)? => {
                shared.note(*e, 0);
            }
            _ => steps.push((*label, s.make(TermData::SyncInterrupt(*next, set, q)))),
        }
    }
    for (label, next) in all[1].iter() {
        match label {
            Label::Tau => steps.push((*label, s.make(TermData::SyncInterrupt(p, set, *next)))),
            Label::Event(e) if s.belongs(t, set, *e)? => shared.note(*e, 1),
            _ => steps.push((*label, *next)),
        }
    }
    for event in shared.by_all(all.len()) {
        for joint in joint_moves(&all, event) {
            let next = TermData::SyncInterrupt(joint[0], set, joint[1]);
            steps.push((Label::Event(event), s.make(next)));
        }
    }
    Ok(steps)
}
