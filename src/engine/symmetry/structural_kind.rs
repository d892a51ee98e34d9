//! The strategies under a group that was found in the structure of a network, by name.

/// How the representative of a state is found under such a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StructuralKind {
    /// The group is taken apart: columns are sorted, and blocks of wreath products, and the least image under any
    /// other factor is found by a chain. What checks use if nothing else is asked for.
    #[default]
    Structure,
    /// A chain of stabilisers for each factor.
    Chain,
    /// All elements are tried.
    Enumerate,
    /// Local search with the generators.
    Local,
}

impl StructuralKind {
    /// All of them, the default first.
    pub const ALL: [Self; 4] = [Self::Structure, Self::Chain, Self::Enumerate, Self::Local];

    /// As shown to people and accepted by `--rep`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Chain => "chain",
            Self::Enumerate => "enumerate",
            Self::Local => "local",
        }
    }

    /// Where all states of an orbit get the same representative: a phrase after the name and a colon.
    #[must_use]
    pub fn exact_for(self) -> &'static str {
        match self {
            Self::Structure => "exact as long as 2,048 images are enough for one state",
            Self::Chain => {
                "exact as long as 2,048 images are enough for one state, which without sorting of columns \
                 are more"
            }
            Self::Enumerate => {
                "exact for all states; refused where the group has more than 4,096 elements"
            }
            Self::Local => {
                "never certain to be exact: it keeps an image that neither generators, nor some of their \
                 conjugates and products, make less, of which an orbit may have several"
            }
        }
    }

    /// What is done where it cannot do what it is named for.
    #[must_use]
    pub fn instead(self) -> &'static str {
        match self {
            Self::Structure | Self::Chain => {
                "more than 2,048 images could still have become the least, so some were left out"
            }
            Self::Enumerate | Self::Local => {
                "the state was kept as it was, since it held what the group says nothing of"
            }
        }
    }
}
