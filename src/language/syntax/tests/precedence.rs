//! Precedence, newlines and printing, without any outside files.

use std::path::Path;

use super::trees::bracketed;
use crate::syntax::{parse_expression, parse_text, print};

fn tree(text: &str) -> String {
    match parse_expression(text) {
        Ok(parsed) => bracketed(&parsed.expr),
        Err(e) => e.diagnostics[0].message.clone(),
    }
}

fn names(text: &str) -> usize {
    let parsed = parse_text(Path::new("t.csp"), text);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    parsed.file.decls.len()
}

#[test]
fn hiding_takes_all_to_its_left() {
    assert_eq!(tree("a -> P ; Q \\ H [] R"), "((((a -> P) ; Q) \\ H) [] R)");
    assert_eq!(tree("P \\ A \\ B"), "((P \\ A) \\ B)");
}

#[test]
fn data_operators() {
    assert_eq!(tree("a * -b + c"), "((a * (-b)) + c)");
    assert_eq!(tree("not a == b or c"), "((not (a == b)) or c)");
    assert_eq!(tree("#s ^ t < 2 + 3"), "((#(s ^ t)) < (2 + 3))");
    assert_eq!(tree("x < -1"), "(x < (-1))");
    assert_eq!(tree("a.b == c.d"), "(a . ((b == c) . d))");
}

#[test]
fn fields_belong_to_the_arrow() {
    assert_eq!(
        tree("x == y & c!1+2?z:A.B -> P"),
        "((x == y) & (c!{(1 + 2)}?{z}:{(A . B)} -> P))"
    );
    assert!(tree("c?x").starts_with("a communication must"));
}

#[test]
fn newlines_end_declarations_unless_absorbed() {
    assert_eq!(names("x = 1\n+ 2\ny = 3"), 2);
    assert_eq!(names("P = a ->\n\n  b -> -- comment\n STOP\n\n  [] Q"), 1);
    assert_eq!(names("x = f\n(y, z) = (1,\n2\n)"), 2);
    assert_eq!(names("x = y {- over\ntwo lines -} + 1"), 1);
    assert_eq!(names("datatype T\n = A\n | B.{0..1}\nchannel c\n : T"), 2);
}

#[test]
fn errors_do_not_hide_what_follows() {
    let text = "P = a STOP\nQ = STOP\nmodule M\nx = )\nexports\ny = 1\nendmodule\nR = STOP";
    let parsed = parse_text(Path::new("t.csp"), text);
    assert_eq!(parsed.diagnostics.len(), 2);
    let last = parsed.file.decls.last().map(print::decl);
    assert_eq!(last.as_deref(), Some("R = STOP"));
}

#[test]
fn printing_keeps_trees() {
    for text in [
        "(P \\ A) ||| Q",
        "P [] (if b then Q else R) ||| S",
        "<x | x <- s, (x > 3), y >= 2>",
        "{ -1, 2}",
        "a - -b",
        "- -b",
        "(-a) * b",
        "a -> (P [] Q)",
        "P [|{|a|}|] (Q [{a} || {b}] R)",
        "|| i:S @ [A(i)] (P ||| Q)",
        "(|| i:S @ [A(i)] P) \\ H",
        "(\\ x, (y @@ z) @ x + y)(1, 2)",
        "c?(x @@ y):{0..}!(a and b)$z -> STOP",
        "P[[a <- b, c <- d | x <- s]][[e <- f]]",
        "(| 1 => {||}, 2 => { | x <- s} |)",
        "< -1, 2>",
    ] {
        let first = parse_expression(text).expect("an expression");
        let printed = print::expr(&first.expr);
        assert_eq!(tree(&printed), tree(text), "{printed}");
    }
}
