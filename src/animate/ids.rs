//! What states are known by.

/// A state that the animator has met: the network that it is of, and its number there. Equal ids are
/// equal states; whatever is kept by them cannot be taken for what another process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId {
    /// Numbers the networks that an engine has opened.
    pub network: u32,
    /// Numbers the states of that network.
    pub number: u32,
}

impl StateId {
    /// A state of a network.
    #[must_use]
    pub fn new(network: u32, number: u32) -> Self {
        Self { network, number }
    }
}
