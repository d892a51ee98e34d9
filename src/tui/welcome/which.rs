//! Which lists there are, for those that know nothing else of them.

/// Which list is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WelcomePage {
    /// What there is to begin with.
    #[default]
    Main,
    /// A path to type, and scripts to choose.
    Open,
    /// Scripts that were opened before.
    Recent,
}
