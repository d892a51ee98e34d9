//! Why a permutation is no symmetry, in words.

use crate::lab::nearly::Hindrance;

/// Largest number of named components with another initial state.
const NAMED_MAX: usize = 4;

/// Writes a sentence for each reason, without full stop.
pub fn reasons(all: &[Hindrance], names: &[String]) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for hindrance in all {
        if reasons.len() == NAMED_MAX {
            let more = all.len() - NAMED_MAX;
            reasons.push(format!("so do {more} more components"));
            break;
        }
        reasons.push(reason(hindrance, names));
    }
    reasons
}

fn reason(hindrance: &Hindrance, names: &[String]) -> String {
    match hindrance {
        Hindrance::Begins { component, image } => {
            format!(
                "{} begins otherwise than {}",
                names[*component], names[*image]
            )
        }
        Hindrance::Alphabet {
            component,
            event,
            image,
            wanted,
        } => format!(
            "{} takes part in {event}, and {} never in {wanted}",
            names[*component], names[*image]
        ),
        Hindrance::Ability {
            component,
            trace,
            event,
            image,
            image_trace,
            wanted,
        } => format!(
            "{} can perform {event} {}, and {} cannot perform {wanted} {}",
            names[*component],
            after(trace),
            names[*image],
            after(image_trace)
        ),
        Hindrance::Rule { parts, images } => format!(
            "{} together, and not {}",
            performers(parts, names),
            performers(images, names)
        ),
        Hindrance::Name { event, image } => {
            format!("{event} would become {image}, and the names of events matter")
        }
        Hindrance::Specification {
            trace,
            event,
            other_trace,
            wanted,
        } => format!(
            "the specification allows {event} {}, and {wanted} not {}",
            after(trace),
            after(other_trace)
        ),
        Hindrance::Node => "the specification does not allow the same afterwards".to_owned(),
    }
}

/// `at first`, or `after <a, b>`.
fn after(trace: &[String]) -> String {
    match trace {
        [] => "at first".to_owned(),
        _ => format!("after <{}>", trace.join(", ")),
    }
}

/// `Phil(0) performs a.0 and Fork(1) performs a.0`.
fn performers(parts: &[(usize, String)], names: &[String]) -> String {
    let part =
        |(component, event): &(usize, String)| format!("{} performs {event}", names[*component]);
    parts.iter().map(part).collect::<Vec<_>>().join(" and ")
}
