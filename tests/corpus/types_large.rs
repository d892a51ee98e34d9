//! The type checker on scripts that are large, deep or repetitive, and on its own answers: inferred
//! types are accepted as annotations.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::front::{checked, errors};
use crate::support::tiers;
use crate::support::{corpus, say};
use orbitscope::script::check;
use orbitscope::script::core::{GlobalId, GlobalKind};
use orbitscope::source::Diagnostic;
use orbitscope::syntax::{parse_file, parse_text};

// ------------------------------------------------------------------------------------ large scripts

/// Checks a script that must be sound, in time that leaves room for slow machines only if it grows
/// with the size of the script.
#[track_caller]
fn large(text: &str) {
    let started = Instant::now();
    let checked = checked(text);
    assert_eq!(errors(&checked), Vec::<&Diagnostic>::new());
    let taken = started.elapsed();
    assert!(taken < Duration::from_secs(60), "{taken:?}");
}

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn twenty_thousand_lines() {
    if !tiers::has_time("corpus types_large::twenty_thousand_lines") {
        return;
    }
    large(&lines(2_000, |i| {
        let before = i.saturating_sub(1);
        format!(
            "datatype D{i} = A{i} | B{i}.{{0..3}} | C{i}.D{before}
channel c{i} : {{0..3}}.D{i}
f{i}(A{i}) = 0
f{i}(B{i}.n) = n + 1
f{i}(C{i}.d) = f{before}(d)
P{i}(x, s) = c{i}?n!A{i} -> P{i}(x + n, s^<n>)
  [] x < 3 & c{i}.x?d:{{A{i}, B{i}.0}} -> (if f{i}(d) == x then Q{i}(x) else STOP)
Q{i}(n) = let h(z) = z * n within P{i}(h(n), <n..3>) \\ {{| c{i}.0 |}}
map{i}(g, xs) = if null(xs) then <> else <g(head(xs))>^map{i}(g, tail(xs))
S{i} = P{i}(0, map{i}(f{i}, <A{i}, B{i}.2>)) ||| Q{i}(0)"
        )
    }));
}

#[test]
fn five_thousand_definitions_that_refer_to_each_other() {
    let group = lines(5_000, |i| {
        let (next, far) = ((i + 1) % 5_000, (7 * i + 1) % 5_000);
        format!("P{i}(x) = c!x -> P{far}(x) [] c?y -> P{next}(y)")
    });
    large(&format!("channel c : {{0..3}}\n{group}"));
}

#[test]
fn five_thousand_constructors() {
    let ctors: Vec<String> = (0..5_000).map(|i| format!("A{i}.{{0..3}}")).collect();
    let uses = lines(5_000, |i| format!("g{i} = d.A{i}.0 -> d!(A{i}.1) -> STOP"));
    let ctors = ctors.join(" | ");
    large(&format!(
        "datatype D = {ctors}\nchannel d : D\n{uses}\nf(x) = x == (A0.0)"
    ));
}

#[test]
fn deep_nesting() {
    const DEPTH: usize = 9_000;
    let nested = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(DEPTH), close.repeat(DEPTH))
    };
    large(&format!("x = {}", nested("(", "1", ")")));
    large(&format!("x = {}\ny = x == x", nested("<", "1", ">")));
    large(&format!(
        "f(x) = {}\ny = f(1) == f(2)",
        nested("(", "x", ", 1)")
    ));
    large(&format!("x = {}1\ny = (x) == (x)", "1.".repeat(DEPTH)));
    let lets = lines(3_000, |i| format!("let y{i} = {i} within "));
    large(&format!("x = {}y0", lets.replace('\n', "")));
}

#[test]
fn types_that_grow_exponentially_when_written_out() {
    let pairs = |inner: &str| format!("{}{inner}{}", "p(".repeat(200), ")".repeat(200));
    let (one, x) = (pairs("1"), pairs("x"));
    let text = format!("p(x) = (x, x)\ny = {one}\nz(x) = {x}\nw = z(1) == z(2)");
    let checked = checked(&text);
    assert_eq!(errors(&checked), Vec::<&Diagnostic>::new());
    let z = checked.types.show(GlobalId(2));
    assert!(z.len() < 10_000 && z.contains('…'), "{}", z.len());
    // A type error between such types is reported all the same.
    let wrong = format!("{text}\nv = z(1) == z(true)");
    assert_eq!(errors(&self::checked(&wrong)).len(), 1);
}

// --------------------------------------------------------------------------------------- property

/// The inferred types of a sound script as annotations, and whether the script with them is sound
/// and has the same types.
fn annotated_again(path: &Path) -> Result<usize, String> {
    let parsed = parse_file(path);
    if parsed.has_errors() {
        return Ok(0);
    }
    let files = parsed.sources.files();
    let text = files[0].text.to_string();
    // What stands in a Timed section can be annotated there only.
    if files.iter().any(|f| f.text.contains("Timed")) {
        return Ok(0);
    }
    let parsed_text: String = files.iter().map(|f| format!("{}\n", f.text)).collect();
    let checked = check(parsed.file, parsed.sources);
    if !errors(&checked).is_empty() {
        return Ok(0);
    }
    // Names before `::` somewhere.
    let lines = parsed_text.lines().filter_map(|line| line.split_once("::"));
    let words = lines.flat_map(|(names, _)| names.split([',', ' ']));
    let annotated: BTreeSet<&str> = words.collect();
    let mut added = String::new();
    let mut expected = Vec::new();
    for (i, global) in checked.script.globals.iter().enumerate() {
        let id = GlobalId(i as u32);
        let has_one = annotated.contains(&*global.name);
        let shown = checked.types.show(id);
        let plain = matches!(global.kind, GlobalKind::Value(_) | GlobalKind::Function(_));
        if has_one || !plain || global.name.contains("::") || shown.contains('…') {
            continue;
        }
        added.push_str(&format!("\n{} :: {shown}", global.name));
        expected.push((global.name.clone(), shown));
    }
    let again = parse_text(path, &format!("{text}\n{added}\n"));
    if again.has_errors() {
        return Err(format!("{:?}", again.diagnostics));
    }
    let again = check(again.file, again.sources);
    if let Some(first) = errors(&again).first() {
        return Err(format!("{first:?}"));
    }
    for (name, shown) in &expected {
        let globals = &again.script.globals;
        let at = globals.iter().position(|g| g.name == *name);
        let found = again.types.show(GlobalId(at.unwrap_or_default() as u32));
        if found != *shown {
            return Err(format!("{name} :: {shown} became {found}"));
        }
    }
    Ok(expected.len())
}

#[test]
fn inferred_types_are_accepted_as_annotations() {
    if !tiers::has_time("corpus types_large::inferred_types_are_accepted_as_annotations") {
        return;
    }
    let Some(corpus) = corpus("inferred_types_are_accepted_as_annotations") else {
        return;
    };
    let table = std::fs::read_to_string(corpus.join("FRONTEND.tsv")).expect("the table is there");
    let (mut scripts, mut names) = (0, 0);
    let mut wrong = Vec::new();
    for line in table.lines().filter(|l| l.contains("\tOK")) {
        let script = line.split('\t').next().unwrap_or_default();
        match annotated_again(&corpus.join(script)) {
            Ok(0) => {}
            Ok(more) => {
                scripts += 1;
                names += more;
            }
            Err(why) => wrong.push(format!("{script}: {why}")),
        }
    }
    say(&format!(
        "{names} definitions of {scripts} scripts annotated"
    ));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(names > 5_000, "{names}");
}
