//! Unused declarations: names of a `let`, and channels.

use super::facts::Facts;
use crate::script::core::{ChannelId, Script};
use crate::source::hash::IndexMap;
use crate::source::{Diagnostic, Span};

/// The channel of the clock of Timed sections, which mention it by being there.
const CLOCK: &str = "tock";

/// Adds the warnings.
pub(super) fn find(script: &Script, facts: &Facts, out: &mut Vec<Diagnostic>) {
    for (local, span) in &facts.lets {
        if !facts.locals.contains(local) {
            let name = &script.locals[local.0 as usize];
            let message = format!("`{name}` is defined and not used");
            out.push(
                Diagnostic::warning("W0101", *span, message)
                    .label("nothing in this `let` mentions it"),
            );
        }
    }
    // What asserts nothing may be a part of something else.
    if facts.events || script.assertions.is_empty() {
        return;
    }
    // A channel of a module is declared once for each instance.
    let mut declared: IndexMap<Span, (ChannelId, bool)> = IndexMap::default();
    for (i, channel) in script.channels.iter().enumerate() {
        let id = ChannelId(i as u32);
        let used = facts.channels.contains(&id) || &*channel.name == CLOCK;
        let entry = declared.entry(channel.span).or_insert((id, false));
        entry.1 |= used;
    }
    for (span, (id, used)) in declared {
        if !used {
            let name = &script.channels[id.0 as usize].name;
            let message = format!("the channel `{name}` is never used");
            out.push(
                Diagnostic::warning("W0104", span, message)
                    .label("no process, set or assertion mentions it"),
            );
        }
    }
}
