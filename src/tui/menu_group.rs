//! The groups of the Space menu.

/// A group of the Space menu: commands that serve one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenuGroup {
    /// Steps of the process, of an algorithm or of a generator.
    Steps,
    /// Places to go to.
    Go,
    /// What a view shows, and how.
    Look,
    /// Reasons and differences.
    Explain,
    /// Assertions and races.
    Check,
    /// What is copied, saved or shared.
    Keep,
    /// What can be opened.
    Open,
    /// The views.
    Views,
    /// The program itself.
    Program,
}

impl MenuGroup {
    /// All groups, in the order of the menu.
    pub const ALL: [Self; 9] = [
        Self::Steps,
        Self::Go,
        Self::Look,
        Self::Explain,
        Self::Check,
        Self::Keep,
        Self::Open,
        Self::Views,
        Self::Program,
    ];

    /// Its key, its name, and what is in it.
    #[must_use]
    pub const fn row(self) -> (char, &'static str, &'static str) {
        match self {
            Self::Steps => ('s', "Steps", "take, undo and repeat steps"),
            Self::Go => ('g', "Go to", "a mark, a branch, a state with a property"),
            Self::Look => ('l', "Look", "what this view shows, and how"),
            Self::Explain => ('e', "Explain", "why something is so, and what differs"),
            Self::Check => ('c', "Check", "check assertions, race the strategies"),
            Self::Keep => ('k', "Keep", "copy, save and share"),
            Self::Open => ('o', "Open", "a process, a script, a lesson"),
            Self::Views => ('v', "Views", "the eight views and the question of each"),
            Self::Program => ('p', "Program", "help, colours, the mouse, the end"),
        }
    }
}
