//! Counterexamples in words: the events of a run, the components that take part, the node of the specification
//! meanwhile, and the violation at the end.

use super::events::set_text;
use super::keys::RunKeys;
use super::numbers;
use super::outcome::{Counterexample, CounterexampleStep, Ending};
use super::parted::PartedText;
use super::words::{self, WordCache};
use crate::check::Check;
use crate::check::observed::{Observations, observations, offers};
use crate::check::outcome::{RawCounterexample, RunEnding};
use crate::check::reduction::component_cycles;
use crate::check::structural::component_names;
use crate::machine::{EventId, FormatId, Machine};
use crate::script::load::Loaded;
use crate::search::counterexample::{GroupElement, RawStep, node_members, violation_of};
use crate::search::followed::FollowedFrom;
use crate::search::product::{ProductState, Violation};
use crate::source::diagnostic::Result;
use crate::specification::NodeId;

/// Largest number of minimal acceptances shown.
const ACCEPTANCES_MAX: usize = 6;

/// Puts a counterexample of assertion `number` into words.
///
/// # Errors
/// An evaluation error of a state on the run.
pub fn describe(
    check: &mut Check,
    loaded: &Loaded,
    number: usize,
    raw: &RawCounterexample,
) -> Result<Counterexample> {
    let mut words = WordCache::default();
    let mut raw = raw.clone();
    let observed = observations(&mut check.lazy_product(), &mut raw.run, &raw.ending)?;
    let node = raw.run.end().node;
    for step in &mut raw.further {
        // They are all silent.
        step.after.node = node;
    }
    let (raw, run) = (&raw, &raw.run);
    let labels = words.labels(&mut check.machine, &check.network, FormatId(0));
    let initial = run
        .initial
        .locals
        .iter()
        .map(|l| words.text(&mut check.machine, *l))
        .collect();
    let initial_spec = match check.specification {
        Some(_) => spec_text(check, &mut words, run.initial.node),
        None => String::new(),
    };
    let mut before = &run.initial;
    let mut steps = Vec::with_capacity(run.steps.len() + raw.further.len());
    for raw_step in run.steps.iter().chain(&raw.further) {
        steps.push(step(check, &mut words, before, raw_step));
        before = &raw_step.after;
    }
    // Put into words together, since the first of them begins where the run ends.
    let further = steps.split_off(run.steps.len());
    for (step, offered) in steps.iter_mut().zip(&observed) {
        step.observed = offered.as_ref().map(|o| set_text(&check.machine, o).into());
    }
    let ending = ending(check, raw, &observed)?;
    let trace = trace(check, &run.steps, &ending) + &conditions(&steps);
    Ok(Counterexample {
        process: implementation_text(loaded, number),
        components: labels,
        initial,
        initial_spec,
        reason: reason(&ending, &trace),
        ending,
        quotient: quotient(check, &mut words, &run.steps),
        keys: Some(RunKeys::of(check, run)),
        steps,
        further,
    })
}

fn step(
    check: &mut Check,
    words: &mut WordCache,
    before: &ProductState,
    step: &RawStep,
) -> CounterexampleStep {
    let has_spec = check.specification.is_some();
    let spec = (has_spec && step.allowed).then(|| spec_text(check, words, step.after.node));
    let format = FormatId(step.after.format);
    // Components at the beginning are described once, for all steps.
    let components =
        (format != FormatId(0)).then(|| words.labels(&mut check.machine, &check.network, format));
    let mut events = Vec::with_capacity(step.parts.len());
    // Parts are components of the format before the step. In another format these numbers mean others, so their own
    // events are left out.
    if before.format == step.after.format {
        for (component, event) in &step.parts {
            let component = *component as usize;
            if component < step.after.locals.len() {
                events.push((component, words::shown(&check.machine, *event)));
            }
        }
    }
    CounterexampleStep {
        kind: words::kind(step.event),
        event: words::shown(&check.machine, step.shown),
        changes: changes(&mut check.machine, words, before, step),
        events,
        components,
        observed: None,
        spec,
    }
}

/// Components that a step moves, with their states afterwards; all components, where the step leads to another list
/// of them.
pub(super) fn changes(
    machine: &mut Machine,
    words: &mut WordCache,
    before: &ProductState,
    step: &RawStep,
) -> Vec<(usize, PartedText)> {
    let all = 0..step.after.locals.len();
    let moved: Vec<usize> = if before.format == step.after.format {
        step.parts.iter().map(|part| part.0 as usize).collect()
    } else {
        all.collect()
    };
    let texts = moved.into_iter().filter_map(|c| {
        let local = step.after.locals.get(c)?;
        Some((c, words.text(machine, *local)))
    });
    texts.collect()
}

/// The path through the reduced automaton: one line a step, with the permutation that had been
/// composed so far. Empty without reduction.
fn quotient(check: &mut Check, words: &mut WordCache, steps: &[RawStep]) -> Vec<String> {
    if check.machine.atoms().is_empty() && !check.is_by_structure() {
        return Vec::new();
    }
    let names = component_names(&mut check.machine, check.network.first());
    let mut lines = Vec::with_capacity(steps.len());
    for reduced in steps.iter().filter_map(|s| s.reduced.as_ref()) {
        let machine = &check.machine;
        let name = |a| machine.atom_name(a);
        // A type of which no value moves is not mentioned.
        let cycles: Vec<String> = match &reduced.pi {
            GroupElement::Values(pi) => (0..machine.atoms().kinds())
                .map(|kind| pi.cycles(machine.atoms(), kind, &name))
                .filter(|c| c != "id")
                .collect(),
            GroupElement::Structure(map) => component_cycles(map, &names)
                .iter()
                .map(|cycle| format!("({})", cycle.join(" ")))
                .collect(),
        };
        let pi = if cycles.is_empty() {
            "id".to_owned()
        } else {
            cycles.join(" ")
        };
        let event = machine.show_event(reduced.event);
        let states: Vec<PartedText> = reduced
            .after
            .locals
            .iter()
            .map(|l| words.text(&mut check.machine, *l))
            .collect();
        lines.push(format!("pi {pi}; {event} -> {}", states.join(" ")));
    }
    lines
}

/// The implementation of an assertion, as written.
pub(super) fn implementation_text(loaded: &Loaded, number: usize) -> String {
    let subject = loaded.script.assertions[number - 1].subject();
    let text = loaded.sources.text(subject.span);
    // On one line, however the script is laid out.
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The states of a specification's node; the first few if there are many.
pub(super) fn spec_text(check: &mut Check, words: &mut WordCache, node: u32) -> String {
    const SHOWN: usize = 3;
    let members = node_members(&check.lazy_product(), node);
    let mut texts = Vec::new();
    for (_, locals) in members.iter().take(SHOWN) {
        let parts: Vec<PartedText> = locals
            .iter()
            .map(|l| words.text(&mut check.machine, *l))
            .collect();
        texts.push(parts.join(" ||| "));
    }
    if members.len() > SHOWN {
        let more = numbers::thousands((members.len() - SHOWN) as u128);
        texts.push(format!("{more} more"));
    }
    // The specification may be in any of them: after the same trace they are one node.
    texts.join(" or ")
}

/// The violation at the end of a run with these observations.
// In one piece, since it is flat: an arm for each ending, and none that depends on another.
pub(super) fn ending(
    check: &mut Check,
    raw: &RawCounterexample,
    observed: &Observations,
) -> Result<Ending> {
    let (initial, steps) = (&raw.run.initial, &raw.run.steps);
    let last = steps.last().map_or(initial, |s| &s.after);
    Ok(match &raw.ending {
        RunEnding::Performed => Ending::Performed,
        RunEnding::Unable { event, offered } => Ending::Unable {
            event: check.machine.show_event(*event),
            offered: set_text(&check.machine, offered),
        },
        RunEnding::Reluctant { event } => {
            let offered = offers(&mut check.lazy_product(), last)?;
            Ending::Reluctant {
                event: check.machine.show_event(*event),
                offered: set_text(&check.machine, &offered),
            }
        }
        RunEnding::Deadlock => Ending::Deadlock,
        RunEnding::Divergence { lap, laps } => Ending::Divergence {
            lap: *lap,
            laps: *laps,
        },
        RunEnding::Refused => {
            // The last step is the refused one: the state before it has the allowed events.
            let before = match steps.len() {
                0 | 1 => initial,
                n => &steps[n - 2].after,
            };
            let seen = observed.last().and_then(Option::as_deref);
            let allowed = allowed(check, before, seen)?;
            // There is a last step whenever an event was refused.
            let event = steps.last().map_or(EventId::TAU, |s| s.event);
            Ending::Refused {
                event: check.machine.show_event(event),
                allowed: set_text(&check.machine, &allowed),
            }
        }
        RunEnding::Refusal => {
            let offered = offers(&mut check.lazy_product(), last)?;
            Ending::Refusal {
                acceptances: acceptances(check, last, None),
                offered: set_text(&check.machine, &offered),
            }
        }
        RunEnding::Revival => {
            let offered = offers(&mut check.lazy_product(), last)?;
            let event = match violation_of(&mut check.lazy_product(), last)? {
                Some(Violation::Revival(event)) => event,
                // It was an event when the run was followed.
                _ => EventId::TAU,
            };
            Ending::Revival {
                event: check.machine.show_event(event),
                acceptances: acceptances(check, last, Some(event)),
                offered: set_text(&check.machine, &offered),
            }
        }
        RunEnding::Ambiguity => {
            let offered = offers(&mut check.lazy_product(), last)?;
            let mut possible = allowed(check, last, None)?;
            possible.retain(|event| !offered.contains(event));
            Ending::Ambiguity {
                refused: set_text(&check.machine, &possible),
                offered: set_text(&check.machine, &offered),
            }
        }
    })
}

/// The smallest sets of events that the specification may offer in a state; with an event, of those that have it.
fn acceptances(check: &Check, at: &ProductState, with: Option<EventId>) -> Vec<String> {
    let specification = check.specification.iter();
    let all = specification.flat_map(|s| s.acceptances(NodeId(at.node)));
    let all = all.filter(|set| with.is_none_or(|event| set.contains(&event)));
    let all: Vec<&[EventId]> = all.map(|set| &**set).collect();
    // Where revivals are kept, acceptances that are not minimal are among them.
    let is_least = |set: &&&[EventId]| {
        let inside = |other: &[EventId]| other.iter().all(|event| set.contains(event));
        !all.iter().any(|other| other != *set && inside(other))
    };
    let least = all.iter().filter(is_least);
    let sets = least.map(|set| set_text(&check.machine, set).into());
    let mut texts: Vec<String> = sets.collect();
    texts.sort();
    // Texts are shortened, so different sets may read the same.
    texts.dedup();
    texts
}

/// The events that the specification allows in a state, of which some may be known to be its whole offer.
fn allowed(
    check: &mut Check,
    at: &ProductState,
    offered: Option<&[EventId]>,
) -> Result<Vec<EventId>> {
    check.lazy_product().complete(|product| {
        let from = match offered {
            Some(offered) => product.followed_from(at.node, offered)?,
            None => FollowedFrom::node(at.node),
        };
        product.allowed_from(from)
    })
}

/// Largest number of conditions that are written out.
const CONDITIONS_MAX: usize = 3;

/// Observations on a run, as a part of a sentence: `, with nothing on offer but {a} before step 2,`.
fn conditions(steps: &[CounterexampleStep]) -> String {
    let seen = (1..).zip(steps);
    let seen = seen.filter_map(|(n, step): (usize, _)| Some((n, step.observed.as_ref()?)));
    let all: Vec<String> = seen
        .map(|(n, offered)| format!("{offered} before step {n}"))
        .collect();
    let (shown, more) = all.split_at(all.len().min(CONDITIONS_MAX));
    let shown = shown.join(" and ");
    match (shown.is_empty(), more.len()) {
        (true, _) => String::new(),
        (false, 0) => format!(", with nothing on offer but {shown},"),
        (false, more) => {
            format!(", with nothing on offer but {shown} (and {more} more such steps),")
        }
    }
}

/// `<a, b>`: the visible events before the end.
fn trace(check: &Check, steps: &[RawStep], ending: &Ending) -> String {
    // A refused event is named by itself: the trace is that of the steps before.
    let steps = match (ending, steps) {
        (Ending::Refused { .. }, [before @ .., _]) => before,
        (_, all) => all,
    };
    let visible: Vec<String> = steps
        .iter()
        .filter(|s| s.event != EventId::TAU)
        .map(|s| check.machine.show_event(s.event))
        .collect();
    format!("<{}>", visible.join(", "))
}

/// The ending as one or two sentences.
fn reason(ending: &Ending, trace: &str) -> String {
    match ending {
        Ending::Performed => format!("The process can perform {trace}, for example like this."),
        Ending::Unable { event, offered } => format!(
            "After {trace} the process cannot perform {event}: it can perform {}.",
            only(offered)
        ),
        Ending::Reluctant { event, offered } => format!(
            "After {trace} the process can refuse {event}: in this state it offers {}.",
            only(offered)
        ),
        Ending::Deadlock => {
            format!("After {trace} the process has no transition: deadlock.")
        }
        Ending::Divergence { lap, laps } => format!(
            "After {trace} the process can perform internal events for ever: {}.",
            loop_text(*lap, *laps)
        ),
        Ending::Refused { event, allowed } => {
            let allowed = only(allowed);
            format!(
                "After {trace} the specification allows {allowed}. The implementation performs {event}."
            )
        }
        Ending::Refusal {
            offered,
            acceptances,
        } => format!(
            "After {trace} the implementation {}. The specification {}.",
            match offered.as_str() {
                "{}" => "refuses everything".to_owned(),
                set => format!("refuses everything but {set}"),
            },
            demand(acceptances)
        ),
        Ending::Revival {
            event,
            offered,
            acceptances,
        } => format!(
            "After {trace} the implementation can perform {event} while it refuses everything but {offered}. {}",
            match acceptances.as_slice() {
                [] => format!("No stable state of the specification offers {event} there."),
                some => format!(
                    "A stable state of the specification that offers {event} {}.",
                    demand(some)
                ),
            }
        ),
        Ending::Ambiguity { refused, .. } => format!(
            "After {trace} the process can refuse {}, which it can also perform after the same trace.",
            refused.all_items()
        ),
    }
}

/// `nothing`, or `only` the events of a set.
fn only(set: &PartedText) -> String {
    match set.all_items() {
        "" => "nothing".to_owned(),
        events => format!("only {events}"),
    }
}

/// The acceptances that the specification demands, as words.
fn demand(acceptances: &[String]) -> String {
    let shown = &acceptances[..acceptances.len().min(ACCEPTANCES_MAX)];
    let more = acceptances.len() - shown.len();
    match (shown, more) {
        // Each stable member gives its node an acceptance: with none there is no such member.
        ([], _) => "has no stable state there (it diverges)".to_owned(),
        // Acceptances are minimal: more may be offered, hence `at least`.
        ([one], 0) => format!("offers at least {one}"),
        (some, 0) => format!("offers at least one of {}", some.join(", ")),
        (some, _) => format!("offers at least one of {} and {more} more", some.join(", ")),
    }
}

/// The loop of a divergent run, in words.
fn loop_text(lap: usize, laps: usize) -> String {
    let steps = match lap {
        1 => "the last step".to_owned(),
        n => format!("the last {n} steps"),
    };
    match laps {
        1 => format!("{steps} of this run lead{} back to the same state", s(lap)),
        n => format!(
            "{steps} of this run can be repeated with other names, and after {n} rounds the state is the same again"
        ),
    }
}

/// The end of a verb: one step leads back, several lead back.
fn s(steps: usize) -> &'static str {
    if steps == 1 { "s" } else { "" }
}
