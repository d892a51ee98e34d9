//! Properties that hold of every text.

use std::path::Path;

use lsp_types::{
    Position, Range, SemanticToken, SemanticTokensFullDeltaResult, TextDocumentContentChangeEvent,
};
use proptest::prelude::*;

use super::{analysis, analysis_after, applied};
use crate::analysis::{Analysis, MAIN};
use crate::colours::LastColours;
use crate::diagnostics::offset;
use crate::script::report;
use crate::source::models::MODELS;
use crate::source::positions::{self, Units};
use crate::source::{FileId, SourceFile, SourceMap, Span};
use crate::syntax::KEYWORDS;
use crate::texts::edited;
use crate::tokens::words;

/// Pieces that texts are made of: some lines, some scripts, and characters beyond ASCII.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\r\n"),
        Just("x"),
        Just("P'"),
        Just(" = "),
        Just("é"),
        Just("𝔸"),
        Just("-- "),
        Just("{-"),
        Just("-}"),
        Just("\""),
        Just("STOP"),
        Just("let "),
        Just("c?x"),
        Just("\t"),
        Just("e\u{301}"),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|all| all.concat())
}

/// The text as an array of units and where a place of it is: another way to apply a change.
fn by_units(text: &str, change: &TextDocumentContentChangeEvent) -> String {
    let Some(range) = change.range else {
        return change.text.clone();
    };
    let units: Vec<u16> = text.encode_utf16().collect();
    let place = |at: Position| {
        let ends = units
            .iter()
            .enumerate()
            .filter(|(_, u)| **u == u16::from(b'\n'))
            .map(|(n, _)| n);
        let starts: Vec<usize> = std::iter::once(0).chain(ends.map(|n| n + 1)).collect();
        let Some(start) = starts.get(at.line as usize) else {
            return units.len();
        };
        let mut end = starts
            .get(at.line as usize + 1)
            .map_or(units.len(), |n| n - 1);
        if end > *start && units[end - 1] == u16::from(b'\r') {
            end -= 1;
        }
        let mut at = (start + at.character as usize).min(end);
        // Positions between the two units of one character are invalid.
        if at < units.len() && (0xDC00..0xE000).contains(&units[at]) {
            at += 1;
        }
        at
    };
    let start = place(range.start);
    let end = place(range.end).max(start);
    let new = change.text.encode_utf16();
    let all: Vec<u16> = units[..start]
        .iter()
        .copied()
        .chain(new)
        .chain(units[end..].iter().copied())
        .collect();
    String::from_utf16(&all).unwrap()
}

fn change(range: Option<Range>, text: &str) -> TextDocumentContentChangeEvent {
    TextDocumentContentChangeEvent {
        range,
        range_length: None,
        text: text.to_owned(),
    }
}

proptest! {
    #[test]
    fn edits_one_by_one_are_the_whole_text(
        text in pieces(),
        edits in proptest::collection::vec((0..6u32, 0..9u32, 0..6u32, 0..9u32, pieces(), 0..9u8), 1..12),
    ) {
        let changes: Vec<_> = edits.iter().map(|(l, c, m, d, new, whole)| {
            let range = Range::new(Position::new(*l, *c), Position::new(*m, *d));
            change((*whole > 0).then_some(range), new)
        }).collect();
        let expected = changes.iter().fold(text.clone(), |text, change| by_units(&text, change));
        prop_assert_eq!(&edited(&text, &changes, Units::Utf16), &expected);
        // In several messages as in one.
        let singly = changes.iter().fold(text, |text, change| edited(&text, std::slice::from_ref(change), Units::Utf16));
        prop_assert_eq!(singly, expected);
    }

    #[test]
    fn positions_lead_back(text in pieces()) {
        let mut sources = SourceMap::default();
        sources.add(Path::new("a.csp"), text.as_str());
        let file = sources.file(FileId(0));
        let ends = text.match_indices("\r\n").map(|(n, _)| n + 1).collect::<Vec<_>>();
        for at in text.char_indices().map(|(n, _)| n).chain([text.len()]) {
            // No position lies between the two characters of a line end.
            if ends.contains(&at) {
                continue;
            }
            for units in [Units::Utf8, Units::Utf16, Units::Utf32] {
                let there = positions::position(file, at as u32, units);
                prop_assert_eq!(positions::offset(file, there, units), at as u32);
                // It is also the place that a change at this position changes.
                let point = Position::new(there.line, there.character);
                let change = change(Some(Range::new(point, point)), "|");
                let marked = format!("{}|{}", &text[..at], &text[at..]);
                prop_assert_eq!(edited(&text, &[change], units), marked);
            }
        }
    }

    #[test]
    fn colours_are_words_in_order(text in pieces(), new in pieces()) {
        let colours = LastColours::default();
        let known = analysis_after(&text, &colours);
        let before = known.semantic_tokens();
        let found = coloured(&text, &before.data);
        let all: Vec<(usize, usize)> = words(&text).collect();
        let mut last = 0;
        for (start, end, _) in &found {
            prop_assert!(*start >= last && all.contains(&(*start, *end)), "{found:?} in {text:?}");
            last = *end;
        }
        let keywords = all.iter().filter(|(start, end)| KEYWORDS.contains(&&text[*start..*end]));
        for (start, end) in keywords {
            prop_assert!(found.contains(&(*start, *end, 0)), "{found:?} in {text:?}");
        }
        // The delta takes the old colours to the new ones.
        let now = analysis_after(&new, &colours);
        let delta = now.semantic_tokens_since(&before.result_id.unwrap());
        let SemanticTokensFullDeltaResult::TokensDelta(delta) = delta else {
            panic!("{delta:?}");
        };
        let mut data = before.data;
        for edit in delta.edits {
            let (start, count) = (edit.start as usize / 5, edit.delete_count as usize / 5);
            data.splice(start..start + count, edit.data.unwrap());
        }
        prop_assert_eq!(data, now.semantic_tokens().data);
    }
}

/// Tokens as bytes with their kinds.
fn coloured(text: &str, data: &[SemanticToken]) -> Vec<(usize, usize, u32)> {
    let mut here = Position::default();
    let mut found = Vec::new();
    for token in data {
        if token.delta_line > 0 {
            here.character = 0;
        }
        here.line += token.delta_line;
        here.character += token.delta_start;
        let start = offset(text, here, Units::Utf16);
        found.push((start, start + token.length as usize, token.token_type));
    }
    found
}

fn span((start, end): (usize, usize)) -> Span {
    Span {
        file: MAIN,
        start: start as u32,
        end: end as u32,
    }
}

/// The place of a byte in the units of the editor.
fn place(file: &SourceFile, byte: u32) -> Position {
    let at = positions::position(file, byte, Units::Utf16);
    Position::new(at.line, at.character)
}

/// The words of a script that mean something, with the place of each as an editor names it.
fn meaningful(known: &Analysis) -> Vec<(Span, Position)> {
    let file = known.file().unwrap();
    let all = words(known.text()).map(span);
    let known = all.filter(|span| known.meaning(*span).is_some());
    known.map(|span| (span, place(file, span.start))).collect()
}

#[test]
fn every_place_of_a_name_names_the_same_places() {
    for model in MODELS {
        let known = analysis(model.text);
        for (span, at) in meaningful(&known) {
            let (_, definition) = known.at(at).unwrap();
            let places = known.places(definition);
            assert!(places.contains(&span), "{} {at:?}", model.name);
            for place in places {
                let (_, other) = known.meaning(place).unwrap();
                // Several instances of a module have definitions in the same place.
                let of = |one| known.index.place(&known.loaded.script, one).ok_or(one);
                assert_eq!(of(definition), of(other), "{} {at:?} {place:?}", model.name);
            }
        }
        // The colours of some lines are those of the whole text.
        let lines = model.text.lines().count() as u32;
        let whole = coloured(model.text, &known.semantic_tokens().data);
        let line = |line| Position { line, character: 0 };
        let mut parts = Vec::new();
        for from in (0..=lines).step_by(7) {
            let part = known.semantic_tokens_in(Range::new(line(from), line(from + 7)));
            parts.extend(coloured(model.text, &part.data));
        }
        assert_eq!(parts, whole, "{}", model.name);
    }
}

/// The messages on a script, without the one name.
fn messages(known: &Analysis, name: &str) -> String {
    let typed = report::typed(&known.loaded.script, &known.loaded.types);
    let types: Vec<String> = typed
        .iter()
        .map(|t| format!("{} :: {}", t.name, t.shown))
        .collect();
    let wrong: Vec<&str> = known
        .loaded
        .diagnostics
        .iter()
        .map(|d| &*d.message)
        .collect();
    let all = [types.join("\n"), wrong.join("\n")].join("\n");
    let parts = words(&all).fold((String::new(), 0), |(text, from), (start, end)| {
        let word = if &all[start..end] == name {
            "_"
        } else {
            &all[start..end]
        };
        (text + &all[from..start] + word, end)
    });
    parts.0 + &all[parts.1..]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 8 + 4, ..ProptestConfig::default() })]

    #[test]
    fn a_name_comes_back(model in 0..MODELS.len(), which in any::<prop::sample::Index>(), new in "[a-z]zz[A-Z0-9_]{0,3}'?") {
        let text = MODELS[model].text;
        let known = analysis(text);
        let all = meaningful(&known);
        let (span, at) = all[which.index(all.len())];
        let old = &text[span.start as usize..span.end as usize];
        match known.rename(at, &new) {
            Err((_, why)) => {
                // A Timed section uses `tock` without naming it.
                let reasons = [format!("`{old}` is built in"), format!("means `{old}` and does not name it")];
                prop_assert!(reasons.iter().any(|reason| why.ends_with(reason)), "{old} {at:?} {why}");
            }
            Ok(edits) => {
                let renamed = applied(text, &edits);
                let then = analysis(&renamed);
                prop_assert_eq!(messages(&then, &new), messages(&known, old));
                prop_assert!(then.index.means_the_same(&known.index));
                // The place is unchanged if names before it have the same length.
                let file = then.file().unwrap();
                let first = words(&renamed).find(|(start, end)| renamed[*start..*end] == new);
                let there = place(file, first.unwrap().0 as u32);
                let back = then.rename(there, old).unwrap();
                prop_assert_eq!(applied(&renamed, &back), text);
            }
        }
    }
}

/// Also in modules of several instances and in Timed sections, where what is written once is translated several times, and
/// where a type is called as a model.
#[test]
fn every_name_can_be_another() {
    let named = ["timed_crossing", "two_buffers"];
    for model in MODELS.iter().filter(|model| named.contains(&model.name)) {
        let known = analysis(model.text);
        for (span, at) in meaningful(&known) {
            let old = &model.text[span.start as usize..span.end as usize];
            if let Err((_, why)) = known.rename(at, "zzz9") {
                // A Timed section uses `tock` without naming it.
                let is_known = old == "tock" || why == format!("`{old}` is built in");
                assert!(is_known, "{}: {why}", model.name);
            }
        }
    }
}

/// A function of such a name is used elsewhere.
#[test]
fn words_of_assertions_stay() {
    let script = |name: &str| {
        format!(
            "channel a\n{name}(0) = STOP\n{name}(n) = a -> {name}(n - 1)\nassert {name}(2) :[deadlock free [F]]\n"
        )
    };
    let known = analysis(&script("free"));
    let edits = known.rename(Position::new(2, 1), "longer").unwrap();
    assert_eq!(applied(&script("free"), &edits), script("longer"));
    let of_property = Position::new(3, 27);
    assert!(known.rename(of_property, "longer").is_err());
    assert_eq!(known.references(of_property, true), None);
}
