//! What people read when they make the classic slips.

use std::path::Path;

use crate::source::render::render_all;
use crate::syntax::parse_text;

fn show(text: &str) -> String {
    let parsed = parse_text(Path::new("t.csp"), text);
    render_all(&parsed.diagnostics, &parsed.sources, false)
}

#[test]
fn dump() {
    println!("@@negative_set\n{}", show("S = {-1, 2}\nP = STOP"));
    println!("@@map_without_blank\n{}", show("m = (|1 => 2|)"));
    println!("@@equals_for_comparison\n{}", show("f(x) = if x = 1 then STOP else SKIP"));
    println!("@@parallel_without_alphabet\n{}", show("P = Q || R"));
    println!("@@comparison_in_sequence\n{}", show("s = <x | x <- t, x > 3>"));
    println!("@@missing_within\n{}", show("f(x) = let y = 1\nQ = STOP"));
    println!("@@missing_else\n{}", show("P = if b then STOP\nQ = STOP"));
    println!("@@missing_then\n{}", show("P = if b STOP else SKIP"));
    println!("@@double_ampersand\n{}", show("P = a && b & STOP"));
    println!("@@exclamation_mark\n{}", show("P = !b & STOP"));
    println!("@@option_typo\n{}", show("assert P :[deadlok free [F]]"));
    println!("@@unclosed\n{}", show("P = (a -> STOP\nQ = STOP"));
    println!("@@missing_body\n{}", show("P = a ->\nQ = STOP"));
    println!("@@two_errors\n{}", show("P = a STOP\nQ = b ->-> STOP\nR = STOP"));
    println!("@@chain\n{}", show("P = Q [|A|] R [|B|] S\nb = x < y < z"));
    println!("@@field_without_arrow\n{}", show("P = c?x & STOP"));
    println!("@@long_arrow\n{}", show("P = a --> STOP"));
    println!("@@reserved_word\n{}", show("f(print) = 1"));
    println!("@@comparison_for_definition\n{}", show("x == 3"));
    println!("@@underscore\n{}", show("f(x) = _ + 1"));
    println!("@@glued_annotation\n{}", show("f::(Int)->Int\nf(x) = x"));
    println!("@@stray_bracket\n{}", show("P = f(x))"));
    println!("@@hide_twice\n{}", show("P = Q \\\\ {a}"));
    println!("@@misplaced\n{}", show("P = let channel c\nwithin STOP"));
}
