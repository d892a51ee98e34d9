//! Completion while a person is writing, and answers on new names.

use lsp_types::error_codes::REQUEST_FAILED;
use lsp_types::{CompletionItem, CompletionTextEdit, HoverContents, Position};

use super::{able, analysis, applied, at, version};
use crate::completion::completion;

const SCRIPT: &str = "datatype Id = A | B | C
datatype Msg = Get.Id.Bool | Put.{0..3} | Nop
channel c : Id.Msg.{0..3}
-- é𝔸
P(i, n) = let m = (n + 1) % 4 within c!i?x -> P(i, m)
limit = 3
S = {A, B}
module M
  k = 4
exports
  r = k + 1
endmodule
";

/// The names outside of modules that are proposed behind a line at the end of the script: those that fit.
fn fitting(line: &str) -> Vec<String> {
    let found = proposed(line);
    let fits = found.iter().filter(|one| {
        let rank = one.sort_text.as_ref().unwrap();
        rank.starts_with('0') && !rank.contains("::")
    });
    fits.map(|one| one.label.clone()).collect()
}

fn proposed(line: &str) -> Vec<CompletionItem> {
    let text = format!("{SCRIPT}{line}");
    let known = analysis(&text);
    completion(Some(&known), able(), &version(&text), end(&text)).items
}

fn end(text: &str) -> Position {
    Position {
        line: text.matches('\n').count() as u32,
        character: text.lines().last().map_or(0, |l| l.encode_utf16().count()) as u32,
    }
}

#[test]
fn what_is_due_is_known_by_types() {
    let ids = ["A", "B", "C"];
    let messages = ["Get", "Put", "Nop"];
    for line in [
        "Q = c.",
        "Q = c!",
        "Q = c?",
        "Q = c ! ",
        "Q = {|c.",
        "Q = c.A.Get.",
        "Q = {- 𝔸 -} c?",
    ] {
        assert_eq!(fitting(line), ids, "{line}");
    }
    for line in [
        "Q = c.A.",
        "Q = c!A!",
        "Q = c?x?",
        "Q = c?_:{A}!",
        "Q = c!(A)?",
        "Q = c.A.N",
    ] {
        assert_eq!(fitting(line), messages, "{line}");
    }
    for line in ["Q = c.A.Put.", "Q = c.A.Put.1!", "Q = c?_?Nop!"] {
        assert_eq!(fitting(line), ["limit"], "{line}");
    }
    assert_eq!(fitting("Q = c.A.Get.B!"), ["true", "false"]);
    // A set of values, and values of a set.
    assert_eq!(fitting("Q = c?_:"), ["S", "Id"]);
    assert_eq!(fitting("R = {B, "), ids);
    assert_eq!(fitting("R = {|c.A, c."), ids);
    // Arguments, and variables.
    assert_eq!(fitting("Q = P("), ids);
    assert_eq!(fitting("Q = P(A, "), ["limit"]);
    assert_eq!(fitting("Q = P((B), "), ["limit"]);
    assert_eq!(fitting("Q(j) = P(j, "), ["limit", "j"]);
    // Places after the last field, in types, comments and ranges.
    for line in [
        "Q = c!A.Nop?",
        "Q = c.A.Nop.1.",
        "Q = nothing.",
        "Q = member(",
        "Q = {0..",
        "Q = 1 + ",
    ] {
        assert_eq!(fitting(line), [""; 0], "{line}");
    }
    assert_eq!(proposed("-- c.").len(), 0);
    // Behind a channel hardly anything else is meant; elsewhere all is there.
    assert_eq!(proposed("Q = c.").len(), 3);
    assert!(proposed("Q = P(").len() > 90);
}

#[test]
fn a_path_is_replaced_as_a_whole() {
    let found = proposed("-- é\nQ = M::");
    let one = found.iter().find(|one| one.label == "M::r").unwrap();
    let Some(CompletionTextEdit::Edit(edit)) = &one.text_edit else {
        panic!("{one:?}");
    };
    assert_eq!(
        (edit.range.start.character, edit.range.end.character),
        (4, 7)
    );
}

#[test]
fn an_earlier_text_is_known_well_enough() {
    let known = analysis(SCRIPT);
    let text = format!("-- first\n{SCRIPT}Q(first) = c!fi");
    let now = version(&text);
    let found = completion(Some(&known), able(), &now, end(&text));
    assert!(found.is_incomplete);
    let labels: Vec<&str> = found.items.iter().map(|one| &*one.label).collect();
    assert_eq!(labels, ["A", "B", "C", "first"]);
    // Without an analysis, words and built-in names.
    let items = completion(None, able(), &now, end(&text)).items;
    for word in ["first", "within"] {
        assert!(items.iter().any(|one| one.label == word), "{items:?}");
    }
    let text = SCRIPT.replace("limit = 3", "-- first\nlimit = (3 +");
    let now = version(&text);
    for part in ["P(i, m)", "r = k"] {
        assert!(known.hover(&now, at(&text, part)).is_some(), "{part}");
    }
    let place = at(&text, "P(i, m)");
    let shown = known.hover(&now, place).unwrap();
    let HoverContents::Markup(contents) = shown.contents else {
        panic!("{shown:?}");
    };
    assert!(contents.value.contains("P :: (Id, Int) -> Proc"));
    assert_eq!(shown.range.unwrap().start.line, place.line);
    // A new name has no analysis yet.
    assert_eq!(known.hover(&now, at(&text, "first")), None);
}

const NAMES: &str = "datatype T = A | B
channel c : T
f(x) = let y = 1 within g(x) + y
g(x) = limit
limit = 3
P = c?v -> (c!v -> P [] c.A -> SKIP)
assert P :[deadlock free]
";

fn refused(text: &str, part: &str, name: &str) -> String {
    let known = analysis(text);
    match known.rename(at(text, part), name) {
        Err((REQUEST_FAILED, why)) => why,
        other => panic!("{part} as {name}: {other:?}"),
    }
}

#[test]
fn a_name_is_refused_with_the_reason_and_the_place() {
    for (part, name, why) in [
        ("limit\n", "g", "there is a `g` of line 4 already"),
        ("limit\n", "within", "`within` is a reserved word"),
        (
            "limit\n",
            "2x",
            "`2x` is no name: names begin with a letter, and go on with letters, digits and `_`",
        ),
        (
            "limit\n",
            "a b",
            "`a b` is no name: names begin with a letter, and go on with letters, digits and `_`",
        ),
        (
            "limit\n",
            "",
            "`` is no name: names begin with a letter, and go on with letters, digits and `_`",
        ),
        ("limit\n", "union", "`union` is built in"),
        // Captured by a `let`, and by a parameter.
        (
            "g(x) = ",
            "y",
            "in line 3, `g` would then mean the `y` of line 3",
        ),
        (
            "limit\n",
            "x",
            "in line 4, `limit` would then mean the `x` of line 4",
        ),
        // A local one would capture other names.
        (
            "y = 1",
            "g",
            "in line 3, `g` would then mean the `g` of line 3",
        ),
        // A variable in a pattern would become a constructor.
        (
            "v -> (c!v",
            "A",
            "in line 6, `v` would then mean the `A` of line 1",
        ),
    ] {
        assert_eq!(refused(NAMES, part, name), why, "{part} as {name}");
    }
    for (part, why) in [
        ("STOP", "`STOP` is built in"),
        ("let", "`let` is a reserved word"),
        ("+", "there is no name here"),
    ] {
        let text = format!("{NAMES}Q = let z = 1 +  2 within STOP\n");
        assert_eq!(refused(&text, part, "new"), why);
    }
    let broken = format!("{NAMES}Q = R\n");
    let why = "the script has errors, so that not everything is known; the first is in line 8: `R` is not defined";
    assert_eq!(refused(&broken, "limit\n", "new"), why);
}

#[test]
fn a_new_name_stands_at_every_place() {
    let known = analysis(NAMES);
    let edits = known.rename(at(NAMES, "limit\n"), "most").unwrap();
    assert_eq!(applied(NAMES, &edits), NAMES.replace("limit", "most"));
}
