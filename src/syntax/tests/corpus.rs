//! Real scripts and exact trees, where the collection stands beside the checkout.

use std::path::{Path, PathBuf};

use super::trees::bracketed;
use crate::source::Severity;
use crate::syntax::ast::File;
use crate::syntax::{parse_expression, parse_file, parse_text, print};

/// A file of the collection, or nothing (said aloud) if there is none.
fn shared(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../shared")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "{name} must be beside the checkout where CI is set"
    );
    #[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
    {
        eprintln!("skipped: {name} is not beside this checkout");
    }
    None
}

#[test]
fn list_stack() {
    let Some(path) = shared("oracle/list_stack.csp") else {
        return;
    };
    let parsed = parse_file(&path);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    assert_eq!(parsed.file.decls.len(), 29);
}

/// Scripts that the reference rejects when parsing and we accept, with the reason.
const LIBERAL: [(&str, &str); 2] = [
    (
        "lowe-viewabs/",
        "options for symmetry, which the released front end does not know",
    ),
    ("prioProb.csp", "`out!-e -> SKIP`: what it means is clear"),
];

#[test]
fn scripts_parse_as_the_reference_says() {
    let Some(table) = shared("corpus/FRONTEND.tsv") else {
        return;
    };
    let root = table.parent().expect("a directory").to_path_buf();
    let text = std::fs::read_to_string(&table).expect("readable");
    let mut wrong = Vec::new();
    for line in text.lines().skip(1) {
        let mut columns = line.split('\t');
        let (Some(name), Some(status)) = (columns.next(), columns.next()) else {
            continue;
        };
        let parsed = parse_file(&root.join(name));
        let error = parsed
            .diagnostics
            .iter()
            .find(|d| d.severity == Severity::Error);
        match (status, error) {
            ("OK" | "FAIL:type", Some(e)) => wrong.push(format!("{name}: {}", e.message)),
            ("FAIL:parse", None) if !LIBERAL.iter().any(|(part, _)| name.contains(part)) => {
                wrong.push(format!("accepted: {name}"));
            }
            _ => {}
        }
        if error.is_none() {
            wrong.extend(printed_differently(name, &parsed.file));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Prints a tree, reads it back and compares.
fn printed_differently(name: &str, file: &File) -> Option<String> {
    let text = print::file(file);
    let again = parse_text(Path::new("printed.csp"), &text);
    if let Some(e) = again.diagnostics.first() {
        let line = e.span.map(|s| again.sources.line_col(s).line as usize);
        let line = line
            .and_then(|n| text.lines().nth(n - 1))
            .unwrap_or_default();
        return Some(format!("printed {name}: {}: {line}", e.message));
    }
    let twice = print::file(&again.file);
    let (a, b) = (shape(file), shape(&again.file));
    (a != b || text.replace(['(', ')'], "") != twice.replace(['(', ')'], ""))
        .then(|| format!("{name} changes when printed"))
}

/// A tree without places and parentheses.
fn shape(file: &File) -> String {
    let text = format!("{:?}", file.decls);
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("Span {") {
        out.push_str(&rest[..at]);
        let end = rest[at..].find("end: ").map_or(rest.len(), |n| at + n);
        let end = rest[end..].find('}').map_or(rest.len(), |n| end + n + 1);
        rest = &rest[end..];
    }
    out.push_str(rest);
    strip_parens(&out)
}

/// Removes `Expr { kind: Paren(X), span:  }` around `X`.
fn strip_parens(text: &str) -> String {
    // What a parenthesis adds is always the same text before and after its content; the content
    // itself is balanced, so removing both ends everywhere keeps different trees different.
    let mut out = String::with_capacity(text.len());
    let mut closers: Vec<usize> = Vec::new();
    let mut depth = 0usize;
    let mut i = 0;
    let bytes = text.as_bytes();
    while i < bytes.len() {
        let opening = ["Expr { kind: Paren(", "Pattern { kind: Paren("]
            .into_iter()
            .find(|o| text[i..].starts_with(o));
        if let Some(o) = opening {
            closers.push(depth);
            depth += 2;
            i += o.len();
            continue;
        }
        match bytes[i] {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if bytes[i] == b')' && closers.last() == Some(&depth.saturating_sub(1)) {
                    // The end of a parenthesis: skip `), span:  }`.
                    closers.pop();
                    depth -= 1;
                    i += text[i..].find('}').map_or(1, |n| n + 1);
                    continue;
                }
            }
            _ => {}
        }
        let c = text[i..].chars().next().map_or(1, char::len_utf8);
        out.push_str(&text[i..i + c]);
        i += c;
    }
    out
}

/// Accepted although the reference rejects them: its scanner has a quirk that serves nobody.
const ACCEPTED: [&str; 2] = ["<(x > y)>", "<{x > y}>"];

#[test]
fn exact_trees() {
    let Some(path) = shared("corpus/PARSE_TREES.txt") else {
        return;
    };
    let text = std::fs::read_to_string(path).expect("readable");
    let mut wrong = Vec::new();
    for line in text.lines() {
        let Some((source, tree)) = line.split_once("   ==>  ") else {
            continue;
        };
        let found = match parse_expression(source) {
            Ok(parsed) => bracketed(&parsed.expr),
            Err(_) => String::from("REJECT"),
        };
        let agrees = found == tree || found == "REJECT" && tree.starts_with("REJECT");
        if agrees == ACCEPTED.contains(&source) {
            wrong.push(format!("{source}   ==>  {found}   expected   {tree}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
