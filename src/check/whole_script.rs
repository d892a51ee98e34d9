//! What a check asks of a script as a whole, and not only of what its assertion reaches by name. Who keeps results of
//! checks has to know it.

use crate::eval::common_names;
use crate::script::core::{ChannelId, Script, TypeId};
use crate::script::reach::{Ordered, TopLevel, chases_in_implementations_alone, everything};
use crate::script::visit::Mention;
use crate::source::Span;

/// These facts as a text: where it is the same, they are.
#[must_use]
pub fn facts(script: &Script) -> String {
    // How operators above components are treated.
    let mut builtins: Vec<&str> = Vec::new();
    everything(script, &mut |mention: Mention, _: Span| {
        if let Mention::Builtin(builtin) = mention {
            builtins.push(builtin.name());
        }
    });
    builtins.sort_unstable();
    builtins.dedup();
    let chases = chases_in_implementations_alone(script);
    // What functions such as `seq` may see, where they are trusted.
    let ordered = Ordered::new(script);
    let channels = (0..script.channels.len() as u32).map(|c| TopLevel::Channel(ChannelId(c)));
    let types = (0..script.types.len() as u32).map(|t| TopLevel::Type(TypeId(t)));
    let names = channels.chain(types).filter(|node| ordered.has(*node));
    let ordered: Vec<&str> = names
        .map(|node| match node {
            TopLevel::Channel(c) => &*script.channels[c.0 as usize].name,
            TopLevel::Type(t) => &*script.types[t.0 as usize].name,
            TopLevel::Global(_) => "",
        })
        .collect();
    // How states are called.
    let common = common_names(script);
    let mut common: Vec<&str> = common.iter().map(|name| &**name).collect();
    common.sort_unstable();
    format!("{builtins:?} {chases} {ordered:?} {common:?}")
}
