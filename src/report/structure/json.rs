//! The symmetry of a network as JSON.

use serde_json::{Value, json as made};

use super::{NetworkSymmetry, StructureGroupView, difference};
use crate::lab::examined::NamesMatter;

/// Makes a result of a document of the schema `orbitscope.symmetry/1`.
#[must_use]
pub fn json(view: &NetworkSymmetry) -> Value {
    let sizes = |list: &[(String, usize)]| -> serde_json::Map<String, Value> {
        let sizes = list.iter();
        sizes
            .map(|(name, size)| (name.clone(), made!(size)))
            .collect()
    };
    let subject = match view.assertion {
        Some(_) => "assertion",
        None => "process",
    };
    let links = view.links.iter().map(|link| {
        made!({ "components": [link.ends.0, link.ends.1], "channels": link.channels, "more": link.more })
    });
    let mut value = made!({
        "index": view.assertion,
        "components": view.components,
        "names_of_events": match view.names_matter {
            NamesMatter::No => "free",
            NamesMatter::Tied => "tied",
            NamesMatter::Yes => "fixed",
        },
        "not_looked_for": view.found.as_ref().err(),
        "group": view.found.as_ref().ok().map(|group| group_json(view, group)),
        "text": { "types": sizes(&view.types), "copies": sizes(&view.copies), "order": view.known.to_string() },
        "difference": difference(view),
        "links": links.collect::<Vec<_>>(),
        "compile_seconds": view.seconds.0,
        "seconds": view.seconds.1,
    });
    value[subject] = made!(view.subject);
    value
}

fn group_json(view: &NetworkSymmetry, group: &StructureGroupView) -> Value {
    let generators = group.generators.iter().map(|generator| {
        let local = generator.local.as_ref();
        let local = local.map(|(component, before, after)| {
            made!({ "component": component, "before": before, "after": after })
        });
        made!({
            "components": generator.components,
            "events": generator.events,
            "event_cycles": generator.event_cycles,
            "local_states_alone": local,
        })
    });
    let misses = group.misses.iter().map(|miss| {
        made!({
            "components": miss.components,
            "reasons": miss.reasons,
            "all_else_holds": miss.all,
            "text": view.miss_text(miss),
        })
    });
    made!({
        "order": group.order.as_ref().map(ToString::to_string),
        "order_with_events": group.order_with_events.to_string(),
        "complete": group.complete,
        "name": group.name,
        "generators": generators.collect::<Vec<_>>(),
        "orbits": group.orbits,
        "fixed": group.fixed(),
        "vertices": group.graph.0,
        "edges": group.graph.1,
        "almost": misses.collect::<Vec<_>>(),
    })
}
