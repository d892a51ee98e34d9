//! The manual: pages about one topic each, for `orbitscope help TOPIC` and for readers of the repository.
//!
//! The pages are the files in `assets/manual`. A page begins with a heading, which is what lists of topics say of it.

/// A page of the manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its name, which is that of its file.
    pub name: &'static str,
    /// The whole page, in Markdown.
    pub text: &'static str,
}

impl Topic {
    /// The heading of the page.
    #[must_use]
    pub fn title(&self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first.trim_start_matches(['#', ' '])
    }
}

/// The page in the file of this name.
macro_rules! topic {
    ($name:literal) => {
        Topic {
            name: $name,
            text: include_str!(concat!("../../../assets/manual/", $name, ".md")),
        }
    };
}

/// All pages, in the order in which they are listed: what a newcomer reads first, then by what one does.
pub const TOPICS: &[Topic] = &[
    topic!("start"),
    topic!("welcome"),
    topic!("animate"),
    topic!("lessons"),
    topic!("models"),
    topic!("source"),
    topic!("counterexamples"),
    topic!("sessions"),
    topic!("symmetry"),
    topic!("reductions"),
    topic!("structural-symmetry"),
    topic!("partial-order"),
    topic!("symmetry-view"),
    topic!("adaptive"),
    topic!("strategies"),
    topic!("check"),
    topic!("many-assertions"),
    topic!("families"),
    topic!("refinement"),
    topic!("coverability"),
    topic!("limits"),
    topic!("large"),
    topic!("exit-codes"),
    topic!("json"),
    topic!("refines"),
    topic!("explain"),
    topic!("compare"),
    topic!("certificates"),
    topic!("export"),
    topic!("graph"),
    topic!("find"),
    topic!("structure"),
    topic!("race"),
    topic!("experiments"),
    topic!("experiments-large"),
    topic!("language"),
    topic!("typecheck"),
    topic!("names"),
    topic!("editors"),
    topic!("config"),
    topic!("themes"),
    topic!("pictures"),
    topic!("scripts"),
];

/// The page on a topic; case is ignored.
#[must_use]
pub fn topic(name: &str) -> Option<Topic> {
    let found = TOPICS
        .iter()
        .find(|topic| topic.name.eq_ignore_ascii_case(name));
    found.copied()
}
