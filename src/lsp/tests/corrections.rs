//! Corrections: each removes its diagnostic, and adds none.

use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, NumberOrString, Position, Range};

use super::{analysis, applied};
use crate::analysis::Analysis;
use crate::source::{Diagnostic, Severity, codes};

const BASE: &str = "datatype T = Red | Green | Blue
channel c : T.{0..3}
-- é𝔸
P(i, n) = let m = (n + 1) % 4 within c!i?x -> P(i, m)
limit = 3
assert P(Red, limit) :[deadlock free]
";

fn corrections(known: &Analysis) -> Vec<CodeAction> {
    let whole = Range::new(Position::default(), Position::new(u32::MAX, 0));
    let found = known.corrections(whole, None).unwrap();
    let action = |one| match one {
        CodeActionOrCommand::CodeAction(action) => action,
        CodeActionOrCommand::Command(command) => panic!("{command:?}"),
    };
    found.into_iter().map(action).collect()
}

/// The lines that a correction of a script that ends with some lines leaves there.
fn corrected(lines: &str) -> Vec<(String, String)> {
    let text = format!("{BASE}{lines}");
    let found = corrections(&analysis(&text));
    let each = found.iter().map(|one| {
        let new = applied(&text, one.edit.as_ref().unwrap());
        let left = new.strip_prefix(BASE).map(str::to_owned);
        (one.title.clone(), left.unwrap_or(new))
    });
    each.collect()
}

#[test]
fn what_is_certain_is_offered() {
    for (lines, title, left) in [
        ("Q = P(Red, limti)", "write `limit`", "Q = P(Red, limit)"),
        ("Q = STPO", "write `STOP`", "Q = STOP"),
        ("f(Gren) = 1", "write `Green`", "f(Green) = 1"),
        (
            "f(0) = 1\nf(n) = n\nf(1) = 2\n",
            "remove this clause",
            "f(0) = 1\nf(n) = n\n",
        ),
        (
            "channel d\nchannel e : {0..3}.Bool\nx = d",
            "remove the channel `e`",
            "channel d\nx = d",
        ),
        (
            "channel d, e, f\nx = {|d, f|}",
            "remove the channel `e`",
            "channel d, f\nx = {|d, f|}",
        ),
        (
            "channel d, e\nx = d",
            "remove the channel `e`",
            "channel d\nx = d",
        ),
        ("Q = let a = 1 within STOP", "remove `a`", "Q = STOP"),
        (
            "Q = let a = 1\n        b(0) = 2\n        b(n) = 3\n    within P(Red, a)",
            "remove `b`",
            "Q = let a = 1\n    within P(Red, a)",
        ),
        ("x = 1 ≠ 2", "write `!=`", "x = 1 != 2"),
        ("x := 1", "write `=`", "x = 1"),
        ("x = 1;", "leave this out", "x = 1"),
        ("x = ! true", "write `not`", "x = not  true"),
        (
            "x = if limit = 3 then 1 else 2",
            "write `==`",
            "x = if limit == 3 then 1 else 2",
        ),
        ("// x", "write `--`", "-- x"),
        ("Q = c!Red?x <- STOP", "write `->`", "Q = c!Red?x -> STOP"),
        (
            "assert Q :[deadlok free]\nQ = STOP",
            "write `deadlock free`",
            "assert Q :[deadlock free]\nQ = STOP",
        ),
        ("datatype V = X, Y", "write `|`", "datatype V = X| Y"),
    ] {
        let found = corrected(lines);
        let expected = (title.to_owned(), left.to_owned());
        assert!(found.contains(&expected), "{lines}: {found:?}");
    }
    // A line to add stands before the first declaration.
    let whole = format!("-- first\n{BASE}Q = normal(STOP)\n");
    let found = corrections(&analysis(&whole));
    let new = applied(&whole, found[0].edit.as_ref().unwrap());
    assert_eq!(
        new,
        whole.replacen("datatype", "transparent normal\ndatatype", 1)
    );
}

#[test]
fn what_is_not_certain_is_not() {
    for lines in [
        // No similar name exists.
        "Q = nowhere_at_all",
        // The nearest is of another type.
        "x = limit + Rde",
        // The file is not there.
        "#include \"x.csp\"",
        // Removed, it would leave another one that is not used.
        "Q = let a = 1\n        b = a\n    within STOP",
    ] {
        let found = corrected(lines);
        let titles: Vec<&str> = found.iter().map(|(title, _)| &**title).collect();
        assert!(
            !titles
                .iter()
                .any(|t| t.starts_with("write") || *t == "remove `b`"),
            "{lines}: {found:?}"
        );
    }
}

#[test]
fn a_question_may_ask_for_others() {
    let text = format!("{BASE}Q = STPO\n");
    let known = analysis(&text);
    let at = super::at(&text, "STPO");
    let there = Range::new(at, at);
    let ask = |kind| known.corrections(there, Some(&[kind])).unwrap();
    assert_eq!(ask(CodeActionKind::QUICKFIX).len(), 1);
    assert_eq!(ask(CodeActionKind::REFACTOR), []);
    // Elsewhere there is nothing to correct.
    assert_eq!(known.corrections(Range::default(), None), Ok(Vec::new()));
}

/// The messages on a script, without places: these move.
fn messages(known: &Analysis, errors: bool) -> Vec<(&'static str, String)> {
    let all = known.loaded.diagnostics.iter();
    let kept = all.filter(|d: &&Diagnostic| !errors || d.severity == Severity::Error);
    let mut list: Vec<_> = kept.map(|d| (d.code, d.message.clone())).collect();
    list.sort();
    list
}

/// Every fault of the pages that explain codes and of the scripts with slips.
#[test]
fn corrections_take_away_what_they_are_for_and_bring_nothing() {
    let slips = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/slips");
    let slips = std::fs::read_dir(slips).unwrap().flatten();
    let slips = slips.filter_map(|entry| std::fs::read_to_string(entry.path()).ok());
    let pages = codes::pages().filter_map(|page| page.example().map(str::to_owned));
    let mut times = 0;
    for text in slips.chain(pages) {
        let known = analysis(&text);
        for one in corrections(&known) {
            let new = analysis(&applied(&text, one.edit.as_ref().unwrap()));
            let errors = known.loaded.has_errors();
            let mut left = messages(&known, errors);
            let fault = &one.diagnostics.as_ref().unwrap()[0];
            let first = fault.message.lines().next().unwrap();
            let at = left.iter().position(|(code, message)| {
                fault.code == Some(NumberOrString::String((*code).to_owned())) && message == first
            });
            left.remove(at.unwrap());
            for fault in messages(&new, errors) {
                let at = left.iter().position(|old| *old == fault);
                let at = at.unwrap_or_else(|| panic!("{fault:?} is new after {one:?} in\n{text}"));
                left.remove(at);
            }
            times += 1;
        }
    }
    assert!(times >= 20, "{times} corrections");
}
