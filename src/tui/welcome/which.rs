//! The lists of the page, for code that knows nothing else of it.

/// The list that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WelcomePage {
    /// The main page.
    #[default]
    Main,
    /// A path to type, and scripts to choose.
    Open,
    /// Scripts that were opened before.
    Recent,
}
