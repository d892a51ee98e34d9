//! The strategies for structural symmetry, by name.

/// Method of finding the representative of a state under a structural group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StructuralKind {
    /// The default, by factors of the group: columns are sorted, and blocks of wreath products; any other factor has
    /// a stabiliser chain.
    #[default]
    Structure,
    /// A stabiliser chain for each factor.
    Chain,
    /// Enumeration of the group.
    Enumerate,
    /// Local search with generators.
    Local,
}

impl StructuralKind {
    /// All methods, the default first.
    pub const ALL: [Self; 4] = [Self::Structure, Self::Chain, Self::Enumerate, Self::Local];

    /// The name for reports and for `--rep`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Chain => "chain",
            Self::Enumerate => "enumerate",
            Self::Local => "local",
        }
    }

    /// The condition for one representative an orbit: a phrase after the name and a colon.
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

    /// The fallback where it does not apply.
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
