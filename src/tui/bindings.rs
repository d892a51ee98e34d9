//! Keys that a person has given to commands in the place of the usual ones.

use std::collections::BTreeMap;

/// The keys of commands, by their ids. Commands without an entry keep the default keys that no other command has
/// taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings(BTreeMap<&'static str, Vec<String>>);

impl Bindings {
    /// Gives keys to a command: those and no others.
    pub fn bind(&mut self, id: &'static str, keys: Vec<String>) {
        self.0.insert(id, keys);
    }

    /// The keys that were given to a command.
    #[must_use]
    pub fn of(&self, id: &str) -> Option<&[String]> {
        self.0.get(id).map(Vec::as_slice)
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the entries, by id.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        self.0.iter().map(|(id, keys)| (*id, keys.as_slice()))
    }
}
