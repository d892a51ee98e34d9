//! The operational semantics: one function an operator, named as in the literature.
//!
//! Termination is distributed: an operand of a parallel composition terminates by itself, which the
//! others see as τ at most, and the composition performs ✓ once all of its operands have. In `P ; Q`
//! the ✓ of `P` becomes τ. External choice is resolved by visible events and ✓, never by τ.

use super::compress::operand_transitions;
use super::store::Terms;
use super::term::{Control, Label, Term, TermData};
use super::{buffer, compress, parallel, priority, resolved, watchdog};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexSet, Set};
use crate::source::stack::deep;
use crate::value::{Data, Store, Value, ValueError};

/// What a suspended expression turns out to be.
#[derive(Clone, Debug)]
pub enum Head {
    /// Prefixes, their choices of input enumerated: event and what follows it.
    Prefixes(Vec<(Value, Term)>),
    /// An operator over normalised operands.
    Term(Term),
}

/// How the rules open suspended expressions. `eval` implements it.
pub trait Unfold {
    /// The stores.
    fn stores(&mut self) -> (&mut Terms, &mut Store);

    /// Opens a suspended expression.
    ///
    /// # Errors
    /// Whatever its evaluation reports.
    fn unfold(&mut self, control: Control, env: &[Value]) -> Result<Head>;

    /// The normalised form of an operand that was kept suspended (the right side of `;`, `[>` and
    /// `[|A|>`), now that it is to run.
    ///
    /// # Errors
    /// Whatever its evaluation reports.
    fn settle(&mut self, t: Term) -> Result<Term>;

    /// Called before the transitions of a term are computed: refuses recursion that never reaches a
    /// prefix, and polls for cancellation.
    ///
    /// # Errors
    /// Non-terminating recursion, or a limit.
    fn enter(&mut self, t: Term) -> Result<()>;

    /// Called after [`Unfold::enter`] succeeded and the transitions are known.
    fn leave(&mut self, t: Term);

    /// Forgets for a while what was entered, to compute transitions of states that come later; gives
    /// it back for [`Unfold::go_on`].
    fn set_aside(&mut self) -> Set<Term>;

    /// Goes on with what was set aside.
    fn go_on(&mut self, entered: Set<Term>);

    /// Called now and then while states of a compressed term are explored, with their number and
    /// with the number of words that hold them.
    ///
    /// # Errors
    /// A limit, or that the work was cancelled.
    fn allow(&self, t: Term, states: usize, words: usize) -> Result<()>;

    /// Turns an error on values into a diagnostic about a term.
    fn complain(&mut self, error: &ValueError, t: Term) -> Box<Diagnostic>;
}

/// The transitions of a term.
pub type Steps = Vec<(Label, Term)>;

/// The transitions of a term in a fixed order, each once.
///
/// # Errors
/// Whatever evaluation reports; a non-terminating recursion.
pub fn transitions(t: Term, u: &mut dyn Unfold) -> Result<Steps> {
    u.enter(t)?;
    let steps = deep(|| dispatch(t, u));
    u.leave(t);
    let mut distinct: IndexSet<(Label, Term)> = IndexSet::default();
    for step in steps? {
        look(u, t)?;
        distinct.insert(step);
    }
    Ok(distinct.into_iter().collect())
}

/// To be called for every step of a term that may have very many.
pub(super) fn look(u: &mut dyn Unfold, t: Term) -> Result<()> {
    match u.stores().1.look() {
        Ok(()) => Ok(()),
        Err(error) => Err(u.complain(&error, t)),
    }
}

fn dispatch(t: Term, u: &mut dyn Unfold) -> Result<Steps> {
    let data = u.stores().0.data(t).clone();
    match &data {
        TermData::Call { control, env } => call(*control, env, u),
        TermData::Omega | TermData::Ended | TermData::Stop => Ok(Vec::new()),
        TermData::Skip => Ok(vec![(Label::Tick, omega(u))]),
        TermData::Div => Ok(vec![(Label::Tau, t)]),
        TermData::Chaos(set) => chaos(t, *set, u),
        TermData::Run(set) => run(t, *set, u),
        TermData::ExtChoice(operands) => external_choice(t, operands, u),
        TermData::IntChoice(operands) => Ok(operands.iter().map(|p| (Label::Tau, *p)).collect()),
        TermData::Seq(p, q) => sequential(t, (*p, *q), u),
        TermData::Interrupt(p, q) => interrupt(t, (*p, *q), u),
        TermData::Sliding(p, q) => sliding_choice(t, (*p, *q), u),
        TermData::Exception(p, set, q) => exception(t, (*p, *set, *q), u),
        TermData::SyncChoice(operands, set) => parallel::synchronising_choice(t, operands, *set, u),
        TermData::SyncInterrupt(p, set, q) => {
            parallel::synchronising_interrupt(t, (*p, *set, *q), u)
        }
        TermData::Interleave(operands) => parallel::interleave(t, operands, u),
        TermData::Sharing(set, operands) => parallel::generalised(t, *set, operands, u),
        TermData::Alphabetised(operands) => parallel::alphabetised(t, operands, u),
        TermData::Link(p, pairs, q) => parallel::linked(t, (*p, *pairs, *q), u),
        TermData::Hide { process, set, keep } => hide(t, (*process, *set, *keep), u),
        TermData::Rename(p, pairs) => rename(t, *p, *pairs, u),
        TermData::Loop(p) => sequential(t, (*p, t), u),
        TermData::Prioritise(p, levels) => priority::prioritise(t, *p, *levels, u),
        TermData::PrioritisePo {
            process,
            order,
            below,
        } => priority::prioritise_partially(t, (*process, *order, *below), u),
        TermData::Resolved(how, p) => resolved::resolved(*how, *p, u),
        TermData::Buffer { rule, held } => buffer::buffer(t, *rule, *held, u),
        TermData::Watchdog { spec, events, bark } => {
            watchdog::watchdog(t, spec, (*events, *bark), u)
        }
        TermData::Compressed { with, process, .. } => compress::compressed(t, *with, *process, u),
        // A name is no state.
        TermData::Part { .. } => Ok(Vec::new()),
    }
}

/// The state after ✓.
pub(super) fn omega(u: &mut dyn Unfold) -> Term {
    let (terms, store) = u.stores();
    terms.omega(store)
}

/// Interns data, commutative operands brought in order.
pub(super) fn make(u: &mut dyn Unfold, data: TermData) -> Term {
    let (terms, store) = u.stores();
    terms.intern_sorted(store, data)
}

/// Whether a visible event belongs to a set.
pub(super) fn belongs(u: &mut dyn Unfold, t: Term, set: Value, event: Value) -> Result<bool> {
    match u.stores().1.contains(set, event) {
        Ok(inside) => Ok(inside),
        Err(error) => Err(u.complain(&error, t)),
    }
}

fn call(control: Control, env: &[Value], u: &mut dyn Unfold) -> Result<Steps> {
    match u.unfold(control, env)? {
        Head::Prefixes(prefixes) => Ok(prefixes
            .into_iter()
            .map(|(event, next)| (Label::Event(event), next))
            .collect()),
        Head::Term(term) => transitions(term, u),
    }
}

pub(super) fn elements(u: &mut dyn Unfold, t: Term, set: Value) -> Result<std::rc::Rc<[Value]>> {
    match u.stores().1.elements(set) {
        Ok(elements) => Ok(elements),
        Err(error) => Err(u.complain(&error, t)),
    }
}

/// `CHAOS(A)` may do any event of `A` and may silently refuse all: its τ leads to `STOP`.
fn chaos(t: Term, set: Value, u: &mut dyn Unfold) -> Result<Steps> {
    let stop = make(u, TermData::Stop);
    let mut steps = vec![(Label::Tau, stop)];
    steps.extend(run(t, set, u)?);
    Ok(steps)
}

/// `RUN(A)` always offers all events of `A`.
fn run(t: Term, set: Value, u: &mut dyn Unfold) -> Result<Steps> {
    let events = elements(u, t, set)?;
    Ok(events.iter().map(|e| (Label::Event(*e), t)).collect())
}

/// `P [] Q`: τ does not resolve it.
fn external_choice(t: Term, operands: &[Term], u: &mut dyn Unfold) -> Result<Steps> {
    let mut steps = Vec::new();
    for (i, p) in operands.iter().enumerate() {
        for (label, next) in operand_transitions(*p, u)?.iter().copied() {
            look(u, t)?;
            if label == Label::Tau {
                let mut evolved = operands.to_vec();
                evolved[i] = next;
                let (terms, store) = u.stores();
                steps.push((label, terms.ext_choice(store, evolved)));
            } else {
                steps.push((label, next));
            }
        }
    }
    Ok(steps)
}

/// `P ; Q`: the ✓ of `P` is silent and hands over to `Q`.
fn sequential(t: Term, (p, q): (Term, Term), u: &mut dyn Unfold) -> Result<Steps> {
    let mut steps = Vec::new();
    for (label, next) in operand_transitions(p, u)?.iter().copied() {
        look(u, t)?;
        if label == Label::Tick {
            steps.push((Label::Tau, u.settle(q)?));
        } else {
            steps.push((label, make(u, TermData::Seq(next, q))));
        }
    }
    Ok(steps)
}

/// `P /\ Q`: a visible event of `Q` takes over at any time.
fn interrupt(t: Term, (p, q): (Term, Term), u: &mut dyn Unfold) -> Result<Steps> {
    let mut steps = Vec::new();
    for (label, next) in operand_transitions(p, u)?.iter().copied() {
        look(u, t)?;
        let next = match label {
            Label::Tick => next,
            _ => make(u, TermData::Interrupt(next, q)),
        };
        steps.push((label, next));
    }
    for (label, next) in operand_transitions(q, u)?.iter().copied() {
        let next = match label {
            Label::Tau => make(u, TermData::Interrupt(p, next)),
            _ => next,
        };
        steps.push((label, next));
    }
    Ok(steps)
}

/// `P [> Q`: `P` may be offered for a while; τ leads to `Q`.
fn sliding_choice(t: Term, (p, q): (Term, Term), u: &mut dyn Unfold) -> Result<Steps> {
    let mut steps = Vec::new();
    for (label, next) in operand_transitions(p, u)?.iter().copied() {
        look(u, t)?;
        let next = match label {
            Label::Tau => make(u, TermData::Sliding(next, q)),
            _ => next,
        };
        steps.push((label, next));
    }
    steps.push((Label::Tau, u.settle(q)?));
    Ok(steps)
}

/// `P [|A|> Q`: an event of `A` by `P` hands over to `Q`.
fn exception(t: Term, (p, set, q): (Term, Value, Term), u: &mut dyn Unfold) -> Result<Steps> {
    let mut steps = Vec::new();
    for (label, next) in operand_transitions(p, u)?.iter().copied() {
        let next = match label {
            Label::Tick => next,
            Label::Event(e) if belongs(u, t, set, e)? => u.settle(q)?,
            _ => make(u, TermData::Exception(next, set, q)),
        };
        steps.push((label, next));
    }
    Ok(steps)
}

/// `P \ A`, or `P |\ A` if `keep`: hidden events are silent, ✓ passes.
fn hide(t: Term, (p, set, keep): (Term, Value, bool), u: &mut dyn Unfold) -> Result<Steps> {
    let mut steps = Vec::new();
    for (label, next) in operand_transitions(p, u)?.iter().copied() {
        if label == Label::Tick {
            steps.push((label, next));
            continue;
        }
        let label = match label {
            Label::Event(e) if belongs(u, t, set, e)? != keep => Label::Tau,
            other => other,
        };
        let process = next;
        steps.push((label, make(u, TermData::Hide { process, set, keep })));
    }
    Ok(steps)
}

/// `P [[…]]`: every image of an event; an event without image stays.
fn rename(t: Term, p: Term, pairs: Value, u: &mut dyn Unfold) -> Result<Steps> {
    let links = pairs_of(u, t, pairs)?;
    let mut steps = Vec::new();
    for (label, next) in operand_transitions(p, u)?.iter().copied() {
        look(u, t)?;
        let next = match label {
            Label::Tick => next,
            _ => make(u, TermData::Rename(next, pairs)),
        };
        let Label::Event(old) = label else {
            steps.push((label, next));
            continue;
        };
        // The pairs are ascending, so those of one old event stand together.
        let from = {
            let store = &*u.stores().1;
            links.partition_point(|l| store.compare(l.0, old).is_lt())
        };
        let images: Vec<_> = links[from..].iter().take_while(|l| l.0 == old).collect();
        if images.is_empty() {
            steps.push((label, next));
        }
        steps.extend(images.into_iter().map(|l| (Label::Event(l.1), next)));
    }
    Ok(steps)
}

/// The pairs of a renaming or of a linked parallel, ascending.
pub(super) fn pairs_of(u: &mut dyn Unfold, t: Term, pairs: Value) -> Result<Vec<(Value, Value)>> {
    let elements = elements(u, t, pairs)?;
    let store = &*u.stores().1;
    Ok(elements
        .iter()
        .filter_map(|pair| match store.data(*pair) {
            Data::Tuple(parts) => match **parts {
                [a, b] => Some((a, b)),
                _ => None,
            },
            _ => None,
        })
        .collect())
}
