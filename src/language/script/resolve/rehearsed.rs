//! Modules with parameters are checked by themselves, too: rehearsed, and then left out.

use crate::script::core::Script;

/// Where the modules with parameters begin that are there to be checked only: how many of each kind
/// stand before them.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::script) struct Rehearsed {
    globals: usize,
    types: usize,
    ctors: usize,
    channels: usize,
}

impl Rehearsed {
    /// What follows is rehearsed.
    pub fn from_here(script: &Script) -> Self {
        Self {
            globals: script.globals.len(),
            types: script.types.len(),
            ctors: script.ctors.len(),
            channels: script.channels.len(),
        }
    }

    /// Takes these modules out of the script, in which they must leave no trace; whether there was
    /// anything.
    pub fn leave_out(self, script: &mut Script) -> bool {
        let more = script.globals.len() > self.globals
            || script.types.len() > self.types
            || script.channels.len() > self.channels;
        script.globals.truncate(self.globals);
        script.types.truncate(self.types);
        script.ctors.truncate(self.ctors);
        script.channels.truncate(self.channels);
        more
    }
}
