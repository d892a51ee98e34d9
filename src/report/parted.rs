//! Texts that know their parts.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};

use serde::Serialize;

/// A text with the places of its parts, so that it need not be parsed: the channel and the fields of an
/// event (`push.T0.A`), the name and the values of a local state (`Node(N1, B)`), the family and the index of a
/// component (`Node[N0]`), or the members of a set. Elsewhere it is a text like others, and equal texts are equal.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(into = "String")]
pub struct PartedText {
    text: String,
    /// The end of the head.
    head: usize,
    items: Vec<Range<usize>>,
}

impl PartedText {
    /// An event: its channel and its fields.
    #[must_use]
    pub fn event(channel: &str, fields: &[impl AsRef<str>]) -> Self {
        Self::new(channel, (".", ".", ""), fields)
    }

    /// A local state: its name and the values of its variables.
    #[must_use]
    pub fn local(name: &str, values: &[impl AsRef<str>]) -> Self {
        Self::new(name, ("(", ", ", ")"), values)
    }

    /// A component: its family, and its index unless that is empty.
    #[must_use]
    pub fn label(family: &str, index: &str) -> Self {
        let index = (!index.is_empty()).then_some(index);
        Self::new(family, ("[", "", "]"), index.as_slice())
    }

    /// A set in braces.
    #[must_use]
    pub fn set(items: &[impl AsRef<str>]) -> Self {
        if items.is_empty() {
            Self {
                text: "{}".to_owned(),
                ..Self::default()
            }
        } else {
            Self::new("", ("{", ", ", "}"), items)
        }
    }

    fn new(
        head: &str,
        (open, comma, close): (&str, &str, &str),
        items: &[impl AsRef<str>],
    ) -> Self {
        let mut parted = Self::from(head);
        for (at, item) in items.iter().enumerate() {
            parted.text += if at == 0 { open } else { comma };
            let start = parted.text.len();
            parted.text += item.as_ref();
            parted.items.push(start..parted.text.len());
        }
        if !items.is_empty() {
            parted.text += close;
        }
        parted
    }

    /// The whole text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The channel, the name or the family.
    #[must_use]
    pub fn head(&self) -> &str {
        &self.text[..self.head]
    }

    /// The fields, the values or the index.
    pub fn items(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(|range| &self.text[range.clone()])
    }

    /// The text from the first item to the last one, separators included.
    #[must_use]
    pub fn all_items(&self) -> &str {
        match (self.items.first(), self.items.last()) {
            (Some(first), Some(last)) => &self.text[first.start..last.end],
            _ => "",
        }
    }

    /// The text without white space.
    #[must_use]
    pub fn compact(&self) -> Self {
        let place = |at: usize| compact(&self.text[..at]).len();
        let range = |range: &Range<usize>| place(range.start)..place(range.end);
        Self {
            text: compact(&self.text),
            head: place(self.head),
            items: self.items.iter().map(range).collect(),
        }
    }
}

/// A text without white space, as texts that people type are compared.
#[must_use]
pub fn compact(text: &str) -> String {
    text.split_whitespace().collect()
}

/// A text from elsewhere has no known parts.
impl From<String> for PartedText {
    fn from(text: String) -> Self {
        Self {
            head: text.len(),
            text,
            items: Vec::new(),
        }
    }
}

impl From<&str> for PartedText {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<PartedText> for String {
    fn from(parted: PartedText) -> Self {
        parted.text
    }
}

impl Deref for PartedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Borrow<str> for PartedText {
    fn borrow(&self) -> &str {
        self
    }
}

impl fmt::Display for PartedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl<T: Deref<Target = str>> PartialEq<T> for PartedText {
    fn eq(&self, other: &T) -> bool {
        self.text == **other
    }
}

impl Eq for PartedText {}

impl Hash for PartedText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_known_also_with_separators_in_them() {
        let event = PartedText::event("c", &["<A.1, B>", "N.0"]);
        assert_eq!(event, "c.<A.1, B>.N.0");
        assert_eq!(event.head(), "c");
        assert_eq!(event.items().collect::<Vec<_>>(), ["<A.1, B>", "N.0"]);
        let compact = event.compact();
        assert_eq!(compact.items().collect::<Vec<_>>(), ["<A.1,B>", "N.0"]);
        assert_eq!(compact.all_items(), "<A.1,B>.N.0");
        assert_eq!(PartedText::local("P", &["a", "(b, c)"]), "P(a, (b, c))");
        assert_eq!(PartedText::local("STOP", &[""; 0]), "STOP");
        assert_eq!(PartedText::label("Node", "N[0]"), "Node[N[0]]");
        assert_eq!(PartedText::label("Top", "").head(), "Top");
    }
}
