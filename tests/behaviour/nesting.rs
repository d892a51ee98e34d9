//! Nesting, length, and files that are no scripts.

use std::path::Path;
use std::time::{Duration, Instant};

use orbitscope::syntax::{Parsed, parse_expression, parse_text};

use crate::support::tiers;

fn parse(text: &str) -> Parsed {
    parse_text(Path::new("t.csp"), text)
}

fn codes(text: &str) -> Vec<&'static str> {
    parse(text).diagnostics.iter().map(|d| d.code).collect()
}

#[test]
fn every_bracket_nests_deeply_and_quickly() {
    let kinds = [
        ("(", ")"),
        ("{", "}"),
        ("<", ">"),
        ("{|", "|}"),
        ("f(", ")"),
        ("(| 1 => ", " |)"),
        ("(1, ", ")"),
        ("P[[a <- ", "]]"),
        ("P [|", "|] Q"),
        ("P [", "||B] Q"),
        ("if ", " then x else y"),
        ("if x then ", " else y"),
        ("let y = ", "\nwithin y"),
        ("{x | x <- ", "}"),
        ("<x | x <- ", ">"),
        ("<1, ", ">"),
        ("{(", ")}"),
        ("[] x : ", " @ P"),
        ("P \\ (", ")"),
    ];
    let depth = match tiers::is_thorough() {
        true => 2_000,
        false => 400,
    };
    for (open, close) in kinds {
        let start = Instant::now();
        let text = format!("{}x{}", open.repeat(depth), close.repeat(depth));
        let parsed = parse_expression(&text);
        assert!(
            parsed.is_ok(),
            "{open}: {:?}",
            parsed.err().map(|e| e.diagnostics)
        );
        // Broken ones must fail as quickly.
        let broken = format!("P = {}x )", open.repeat(depth));
        assert!(!codes(&broken).is_empty(), "{open}");
        // Only what grows without bound takes this long.
        assert!(start.elapsed() < Duration::from_secs(60), "{open} is slow");
    }
}

#[test]
fn hopeless_nesting_is_refused() {
    if !tiers::has_time("behaviour nesting::hopeless_nesting_is_refused") {
        return;
    }
    for open in [
        "(", "{", "<", "{|", "f(", "if ", "let y = ", "{-", "[|", "- ", "#", "not ", "\\ x @ ",
    ] {
        let text = format!("P = {}x", open.repeat(200_000));
        assert!(!codes(&text).is_empty(), "{open}");
    }
    let patterns = format!("f({}x{}) = 1", "(".repeat(200_000), ")".repeat(200_000));
    assert_eq!(codes(&patterns), ["E0111"]);
}

#[test]
fn long_chains_are_no_danger() {
    if !tiers::has_time("behaviour nesting::long_chains_are_no_danger") {
        return;
    }
    let chain = |part: &str, n: usize| format!("P = {}x", part.repeat(n));
    for part in [
        "a -> ",
        "x ^ ",
        "b & ",
        "a.",
        "P [] ",
        "if b then c else ",
        "1 + ",
        "a?x!y -> ",
    ] {
        assert!(codes(&chain(part, 2_000)).is_empty(), "{part}");
        // The deepest trees that are accepted can be released on the small stack of a thread.
        assert!(!codes(&chain(part, 5_000)).contains(&"E0101"), "{part}");
        let _ = codes(&chain(part, 9_900));
        assert_eq!(codes(&chain(part, 100_000)), ["E0111"], "{part}");
    }
    assert!(codes(&format!("S = {{{}x}}", "x, ".repeat(100_000))).is_empty());
    assert!(codes(&"P = STOP\n".repeat(50_000)).is_empty());
}

/// As many operators as there are in them, these rows make trees that are far less deep.
#[test]
fn long_rows_of_choices_are_read() {
    for (branch, times) in [
        ("a.1.2 -> STOP", 9_000),
        ("a?x!y.1 -> b -> P(x, y)", 4_000),
        ("(a -> (b -> (c -> STOP)))", 9_000),
        ("(x == 1 and y == 2 or z != 3) & a.x + 1 -> STOP", 4_000),
    ] {
        for operator in [" [] ", " |~| ", " ||| ", "; "] {
            let row = format!("P = {}", vec![branch; times].join(operator));
            assert!(codes(&row).is_empty(), "{branch} {operator}");
            let longer = format!("P = {}", vec![branch; 10_002].join(operator));
            assert_eq!(codes(&longer), ["E0111"], "{branch} {operator}");
        }
    }
}

#[test]
fn strange_files() {
    assert_eq!(codes("P = STOP\0"), ["E0803"]);
    assert_eq!(codes("{\\rtf1\\ansi P = STOP}"), ["E0804"]);
    assert_eq!(codes("{- {- -} P = STOP"), ["E0102"]);
    assert_eq!(codes("x = \"abc\nP = STOP"), ["E0104"]);
    let cr_only = parse("P = STOP\rQ = P\r-- c\rR = Q");
    assert_eq!(
        (cr_only.file.decls.len(), cr_only.diagnostics.len()),
        (3, 0)
    );
    assert!(parse("").file.decls.is_empty());
    assert!(
        parse("\u{feff}P = STOP\r\n\r\nQ = P\r\n")
            .diagnostics
            .is_empty()
    );
}

#[test]
fn files_that_cannot_be_read() {
    let directory = std::env::temp_dir();
    let code = |path: &Path| orbitscope::syntax::parse_file(path).diagnostics[0].code;
    assert_eq!(code(&directory), "E0802");
    assert_eq!(code(&directory.join("no such file.csp")), "E0801");
    let missing = parse("include \"no such file.csp\"\nP = STOP");
    assert_eq!(missing.diagnostics[0].code, "E0801");
    assert!(missing.diagnostics[0].span.is_some());
    assert_eq!(missing.file.decls.len(), 1);
}

#[test]
fn too_many_brackets_are_shown_where_they_are() {
    let text = format!("a = 1\nb = {}1{}\n", "(".repeat(10_001), ")".repeat(10_001));
    let parsed = parse(&text);
    let diagnostic = &parsed.diagnostics[0];
    assert_eq!(diagnostic.code, "E0111");
    assert_eq!(diagnostic.span.map(|s| s.start), Some(10));
    assert_eq!(diagnostic.labels[0].span.start, 10_010);
}
