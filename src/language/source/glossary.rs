//! The terms that the program uses, in plain words: for `orbitscope help TERM` and for the help of the screen.
//!
//! They are the sections of `assets/glossary.md`: a heading with the term, what belongs to it as items (the number in
//! the paper, other forms of the word, a command that shows it), and a text.

/// The file, compiled in.
const TEXT: &str = include_str!("../../../assets/glossary.md");

/// A term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlossaryTerm {
    /// As it is listed.
    pub name: &'static str,
    /// The number of its definition in the paper; empty if there is none.
    pub paper: &'static str,
    /// Other words that mean it, or forms of it.
    pub also: Vec<&'static str>,
    /// The arguments of a command that shows it.
    pub example: &'static str,
    /// The explanation.
    pub text: &'static str,
}

impl GlossaryTerm {
    /// The whole entry as text, in long lines.
    #[must_use]
    pub fn show(&self) -> String {
        let mut text = self.text.to_owned();
        if !self.paper.is_empty() {
            text += &format!("\n\nIn the paper: {}", self.paper);
        }
        text + &format!("\n\nAn example: orbitscope {}", self.example)
    }

    /// The first sentence.
    #[must_use]
    pub fn short(&self) -> &'static str {
        let end = self.text.find(". ").map_or(self.text.len(), |end| end + 1);
        &self.text[..end]
    }

    /// Whether this is one of its names.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        let mut all = self.also.iter().chain([&self.name]);
        all.any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The first place in a text of one of its names as whole words, and that name.
    #[must_use]
    pub fn used_at(&self, text: &str) -> Option<(usize, &'static str)> {
        let all = self.also.iter().chain([&self.name]);
        all.filter_map(|name| Some((word_at(text, name)?, *name)))
            .min_by_key(|(at, _)| *at)
    }
}

/// The place of a word in a text, with no letter before or after it.
fn word_at(text: &str, word: &str) -> Option<usize> {
    let found = text.match_indices(word).find(|(at, _)| {
        let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let before = text[..*at].chars().next_back();
        let behind = text[at + word.len()..].chars().next();
        !part(before) && !part(behind)
    });
    found.map(|(at, _)| at)
}

/// All terms, in the order of the file.
#[must_use]
pub fn terms() -> Vec<GlossaryTerm> {
    let sections = TEXT.split("\n## ");
    let sections = sections.map(|section| section.trim_start_matches("## "));
    sections.map(term).collect()
}

fn term(section: &'static str) -> GlossaryTerm {
    let (name, rest) = section.split_once('\n').unwrap_or((section, ""));
    let mut term = GlossaryTerm {
        name,
        ..GlossaryTerm::default()
    };
    let (fields, text) = rest.split_once("\n\n").unwrap_or(("", rest));
    for field in fields.lines() {
        match field.trim_start_matches("- ").split_once(": ") {
            Some(("paper", number)) => term.paper = number,
            Some(("also", names)) => term.also = names.split(", ").collect(),
            Some(("example", command)) => term.example = command,
            _ => {}
        }
    }
    term.text = text.trim();
    term
}

/// The term with this name, or that has it among its other names.
#[must_use]
pub fn find(name: &str) -> Option<GlossaryTerm> {
    let all = terms();
    let by_name = all.iter().find(|term| term.name.eq_ignore_ascii_case(name));
    let found = by_name.or_else(|| all.iter().find(|term| term.is_called(name)));
    found.cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::hash::Set;

    #[test]
    fn terms_are_whole_and_called_by_one_name_each() {
        let all = terms();
        assert!(all.len() > 40);
        let mut names = Set::default();
        for term in &all {
            assert!(
                !term.text.is_empty() && !term.example.is_empty(),
                "{term:?}"
            );
            assert!(term.text.ends_with('.'), "{}", term.name);
            for name in term.also.iter().chain([&term.name]) {
                assert!(names.insert(*name), "{name} is two terms");
            }
        }
        assert_eq!(find("Prop 50").map(|term| term.name), Some("unique"));
        assert_eq!(find("ORBITS").map(|term| term.name), Some("orbit"));
        assert!(find("nothing").is_none());
        assert_eq!(word_at("norbit orbit_ orbit", "orbit"), Some(14));
    }
}
