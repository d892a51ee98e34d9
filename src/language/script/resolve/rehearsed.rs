//! Checking modules with parameters by themselves: they are declared once more (rehearsed), and removed after
//! inference.

use crate::script::core::Script;

/// The beginning of the modules that are declared to be checked only: the numbers of earlier declarations of each
/// kind.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::script) struct Rehearsed {
    globals: usize,
    types: usize,
    ctors: usize,
    channels: usize,
}

impl Rehearsed {
    /// Marks the beginning of the modules that are only checked.
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
