//! Completion at a place.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionTextEdit, Position, Range,
    TextEdit,
};

use super::analysis::{Analysis, MAIN, TextVersion};
use super::client::Client;
use super::context::{self, Due};
use super::diagnostics::offset;
use super::tokens::{Tokens, declaration};
use crate::script::core::Builtin;
use crate::script::index::Definition;
use crate::source::Span;
use crate::source::hash::IndexMap;
use crate::syntax::KEYWORDS;

/// Largest number of proposals sent; more letters leave fewer.
const PROPOSALS_MAX: usize = 1_000;

/// A proposal for completion.
struct Proposal {
    kind: CompletionItemKind,
    /// The type of the name.
    detail: String,
    /// Whether it has the expected type.
    fits: bool,
}

/// Completes at a place of a text: names of the script with their types, words of the declaration around, built-in
/// names and keywords. The analysis may be that of an earlier text, or missing.
pub(super) fn completion(
    known: Option<&Analysis>,
    client: Client,
    now: &TextVersion,
    at: Position,
) -> CompletionList {
    let text = &*now.text;
    let offset = offset(text, at, client.units);
    let around = declaration(text, offset);
    let part = &text[around.0..around.1];
    let tokens = Tokens::new(part);
    let here = offset - around.0;
    // A comment may have begun long before.
    let current = known.filter(|known| known.is_of(now));
    let noted = current.is_some_and(|known| known.words.is_quoted(offset));
    if noted || tokens.is_quoted(here) {
        return CompletionList::default();
    }
    let start = path_start(&part[..here]);
    let due = known.and_then(|known| context::due(known, &context::bare(&part[..start])));
    let mut found = IndexMap::default();
    let mut all = 0;
    if let Some(known) = known {
        // Of very many names, those that match the written letters.
        let many = known.described().len() > PROPOSALS_MAX;
        let written = if many { &part[start..here] } else { "" };
        known.propose(&mut found, due.as_ref(), written);
        all = known.described().len();
    }
    let earlier = known.map(|known| known.earlier(now));
    let own = tokens.at(here);
    let first = tokens.words.first().map(|(start, _)| *start);
    // The word that is being written is no proposal for itself, nor is a definition a value in itself.
    let words = tokens.words.iter().filter(|word| Some(**word) != own);
    for (from, to) in words {
        let Some(word) = part.get(*from..*to) else {
            continue;
        };
        let earlier = earlier.and_then(|earlier| earlier(around.0 + from));
        let known = known.zip(due.as_ref()).filter(|_| Some(*from) != first);
        let fits = known.is_some_and(|(known, due)| known.may_be(earlier, word, due));
        let entry = found.entry(word.to_owned()).or_insert_with(|| Proposal {
            kind: CompletionItemKind::VARIABLE,
            detail: String::new(),
            fits,
        });
        entry.fits |= fits && entry.kind == CompletionItemKind::VARIABLE;
    }
    keep_fitting(&mut found, due.as_ref());
    let written = &part[start..here];
    let incomplete = current.is_none() || all > PROPOSALS_MAX;
    shown(found, written, at, incomplete)
}

/// Adds keywords; or leaves only values, where a field of an event is due.
fn keep_fitting(found: &mut IndexMap<String, Proposal>, due: Option<&Due>) {
    let keyword = |detail: &str, fits| Proposal {
        kind: CompletionItemKind::KEYWORD,
        detail: detail.to_owned(),
        fits,
    };
    if let Some(due) = due.filter(|due| due.field) {
        let constant = |kind| kind == CompletionItemKind::ENUM_MEMBER || !due.pattern;
        found.retain(|_, proposal| proposal.fits && constant(proposal.kind));
    } else {
        found.extend(KEYWORDS.map(|word| (word.to_owned(), keyword("", false))));
    }
    if due.is_some_and(|due| due.shown == "Bool") {
        found.extend(["true", "false"].map(|word| (word.to_owned(), keyword("Bool", true))));
    }
}

/// Proposals as the editor takes them.
fn shown(
    mut found: IndexMap<String, Proposal>,
    written: &str,
    at: Position,
    incomplete: bool,
) -> CompletionList {
    found.sort_by_key(|_, proposal| !proposal.fits);
    // The whole path is replaced, which editors take for several words; it is ASCII, so that bytes are units.
    let from = at.character.saturating_sub(written.len() as u32);
    let range = Range::new(Position::new(at.line, from), at);
    let items = found.into_iter().take(PROPOSALS_MAX).map(|(name, one)| {
        let rank = if one.fits { "0" } else { "1" };
        CompletionItem {
            kind: Some(one.kind),
            detail: Some(one.detail),
            sort_text: Some(format!("{rank}{name}")),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(range, name.clone()))),
            label: name,
            ..CompletionItem::default()
        }
    });
    CompletionList {
        is_incomplete: incomplete,
        items: items.collect(),
    }
}

/// The start of the name that ends a text, with the modules before it.
fn path_start(text: &str) -> usize {
    let bytes = text.as_bytes();
    let part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'\'');
    let mut at = text.len();
    loop {
        while at > 0 && part(bytes[at - 1]) {
            at -= 1;
        }
        let qualified = text[..at].strip_suffix("::");
        match qualified.filter(|front| front.bytes().next_back().is_some_and(part)) {
            Some(front) => at = front.len(),
            None => return at,
        }
    }
}

impl Analysis {
    /// Adds the names that are known wherever one writes.
    fn propose(&self, found: &mut IndexMap<String, Proposal>, due: Option<&Due>, written: &str) {
        let due = due.map(|due| &*due.shown);
        for (definition, shown) in self.described() {
            let (name, detail) = shown.split_once(" :: ").unwrap_or((shown, ""));
            let fits = due.is_some_and(|due| gives(detail, due));
            // Names that always fit are first in the order.
            if !fits && !has(name, written) {
                continue;
            }
            let kind = match definition {
                Definition::Global(_) if detail.contains("->") => CompletionItemKind::FUNCTION,
                Definition::Global(_) => CompletionItemKind::CONSTANT,
                Definition::Type(_) => CompletionItemKind::ENUM,
                Definition::Ctor(_) => CompletionItemKind::ENUM_MEMBER,
                _ => CompletionItemKind::EVENT,
            };
            let proposal = Proposal {
                kind,
                detail: detail.to_owned(),
                fits,
            };
            found.insert(name.to_owned(), proposal);
        }
        for builtin in Builtin::ALL {
            let entry = found.entry(builtin.name().to_owned());
            // A name of the script hides the built-in one.
            entry.or_insert_with(|| Proposal {
                kind: CompletionItemKind::FUNCTION,
                detail: "built in".to_owned(),
                fits: false,
            });
        }
    }

    /// Whether a word of a text can be a variable of the expected type: it is one, or its type is unknown.
    fn may_be(&self, earlier: Option<usize>, word: &str, due: &Due) -> bool {
        if self.named(word).is_some() || KEYWORDS.contains(&word) {
            return false;
        }
        let known = earlier.and_then(|start| {
            let span = Span {
                file: MAIN,
                start: start as u32,
                end: (start + word.len()) as u32,
            };
            let found = self.index.at(MAIN, span.start);
            found.filter(|(place, _)| *place == span)
        });
        match known {
            Some((_, Definition::Local(local))) => {
                gives(&self.loaded.types.show_local(local), &due.shown)
            }
            Some(_) => false,
            None => !Builtin::ALL.iter().any(|b| b.name() == word),
        }
    }
}

/// Whether a name contains the written letters, ignoring case.
fn has(name: &str, written: &str) -> bool {
    let (name, written) = (name.as_bytes(), written.as_bytes());
    written.is_empty()
        || name
            .windows(written.len())
            .any(|part| part.eq_ignore_ascii_case(written))
}

/// Whether a value of the first type has, or with its fields gets, the second type.
fn gives(shown: &str, wanted: &str) -> bool {
    let rest = shown.strip_suffix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with("=>"))
}

#[cfg(test)]
mod tests {
    use super::path_start;

    #[test]
    fn paths_are_one_name() {
        for (text, start) in [
            ("x = M::y", 4),
            ("c?x:S", 4),
            ("A::B::", 0),
            ("", 0),
            ("::x", 2),
        ] {
            assert_eq!(path_start(text), start, "{text}");
        }
    }
}
