//! Symmetric types of real scripts, as an independent analyser found them, and the assertions about
//! them.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::{check, corpus, options, say, script, sound, verdict};
use orbitscope::animate::model::{CheckOutcome, Verdict};
use orbitscope::script::core::{AssertionKind, Expr};
use orbitscope::script::load::Loaded;
use orbitscope::script::symmetric::{self, Trust};
use orbitscope::symmetry::StrategyKind;

/// The rows of a table, without those that start with `#`.
pub fn rows(corpus: &Path, table: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(corpus.join(table)).expect("the table is there");
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|l| l.split('\t').map(str::to_owned).collect())
        .collect()
}

/// `T`, or `diff(T, {|A, B|})` with the constructors in alphabetical order.
fn normal(shown: &str) -> String {
    let Some(inside) = shown
        .strip_prefix("diff(")
        .and_then(|s| s.strip_suffix("|})"))
    else {
        return shown.to_owned();
    };
    let (name, out) = inside.split_once(", {|").expect("`diff(T, {|…|})`");
    let mut out: Vec<&str> = out.split(", ").collect();
    out.sort_unstable();
    format!("diff({name}, {{|{}|}})", out.join(", "))
}

/// The symmetric types of one side of an assertion, without those of which nothing is left.
fn found(loaded: &Loaded, side: &Expr, trust: Trust) -> BTreeSet<String> {
    let script = &loaded.script;
    let all = symmetric::symmetric_types(script, &loaded.types, &[side], trust);
    let left = all.iter().filter(|t| !t.members.is_empty());
    left.map(|t| normal(&t.show(script))).collect()
}

/// The same by the table, without datatypes that have not two values without fields: nothing of them
/// can be permuted, whatever is said of them.
fn listed(loaded: &Loaded, names: &[String]) -> BTreeSet<String> {
    let script = &loaded.script;
    let permutable = |shown: &String| {
        let name = shown.strip_prefix("diff(").unwrap_or(shown);
        let name = name.split(',').next().unwrap_or(name);
        let of = script.types.iter().find(|t| &*t.name == name);
        let clauses = &of.expect("the datatype is declared").clauses;
        clauses
            .iter()
            .filter(|(_, fields)| fields.is_none())
            .count()
            >= 2
    };
    let names = names.iter().filter(|n| permutable(n));
    names.map(|n| normal(n)).collect()
}

fn sides(assertion: &AssertionKind) -> Vec<&Expr> {
    match assertion {
        AssertionKind::Refinement { spec, imp, .. } => vec![spec, imp],
        AssertionKind::Property { process, .. }
        | AssertionKind::HasTrace { process, .. }
        | AssertionKind::Symmetric { process, .. } => vec![process],
    }
}

#[test]
fn symmetric_types_are_those_of_the_table() {
    let Some(corpus) = corpus("symmetric_types_are_those_of_the_table") else {
        return;
    };
    let (mut compared, mut strict, mut apart) = (0, 0, Vec::new());
    for row in rows(&corpus, "SYMMETRY.tsv") {
        let [name, number, _, expected] = &row[..] else {
            panic!("{row:?}");
        };
        let loaded = sound(&corpus.join(name));
        let number: usize = number.parse().expect("assertions are numbered");
        let expected: Vec<Vec<String>> = serde_json::from_str(expected).expect("lists of names");
        let sides = sides(&loaded.script.assertions[number - 1].kind);
        assert_eq!(sides.len(), expected.len(), "{name} #{number}");
        for (side, (expr, expected)) in sides.iter().zip(expected).enumerate() {
            let expected = listed(&loaded, &expected);
            let trusting = found(&loaded, expr, Trust::Events);
            compared += 1;
            strict += usize::from(found(&loaded, expr, Trust::Nothing) == expected);
            if trusting != expected {
                apart.push(format!(
                    "{name} #{number} side {side}: {trusting:?}, not {expected:?}"
                ));
            }
        }
    }
    say(&format!(
        "symmetric types of {compared} sides compared; {strict} agree without trust in `seq`"
    ));
    assert!(apart.is_empty(), "{apart:#?}");
    assert!(compared >= 112, "{compared}");
}

/// The assertions `:[symmetric]` of the table.
#[test]
fn assertions_about_symmetry_agree_with_the_table() {
    let Some(corpus) = corpus("assertions_about_symmetry_agree_with_the_table") else {
        return;
    };
    let (mut compared, mut apart) = (0, Vec::new());
    for row in rows(&corpus, "ASSERTIONS.tsv") {
        let [name, number, expected, _, text] = &row[..] else {
            continue;
        };
        if !text.contains(":[symmetric") {
            continue;
        }
        let loaded = sound(&corpus.join(name));
        let number: usize = number.parse().expect("assertions are numbered");
        let outcome = check(&loaded, number, &options(None, StrategyKind::default(), 1));
        compared += 1;
        if verdict(&outcome) != *expected {
            let found = verdict(&outcome);
            apart.push(format!("{name} #{number} {text}: {found}, not {expected}"));
        }
        let negated = loaded.script.assertions[number - 1].negated;
        assert_eq!(outcome.counterexample, None, "{name} #{number}");
        if expected == "fail" && !negated {
            let found = outcome.diagnostic.expect("there is a reason");
            assert_eq!(found.code, "E0501", "{name} #{number}");
            let explained = outcome.explanation.expect("it is put into words");
            let place = loaded.sources.place(found.span.expect("it has a place"));
            assert!(explained.summary.starts_with(&place), "{explained:?}");
        }
    }
    assert!(apart.is_empty(), "{apart:#?}");
    assert!(compared >= 44, "{compared}");
}

/// Outcomes of assertions in a script with two datatypes.
fn decided(name: &str, text: &str) -> Vec<CheckOutcome> {
    let types = "datatype T = A | B | C\ndatatype Box = Empty | Full.T\nchannel c : T\n";
    let loaded = sound(&script(name, format!("{types}{text}")));
    let all = 1..=loaded.script.assertions.len();
    let options = options(None, StrategyKind::default(), 1);
    all.map(|number| check(&loaded, number, &options)).collect()
}

#[test]
fn assertions_about_symmetry_are_decided_by_the_text() {
    let text = "id(x) = x\nnext(A) = B\nnext(x) = A\nP = c?x -> P\nQ = c?x -> c!next(x) -> Q
assert P :[symmetric]: T, Box
assert id :[symmetric]: T
assert next :[symmetric]: T
assert not next :[symmetric]: T
assert next :[symmetric]: diff(T, {|A, B|})
assert Q :[symmetric]: diff(T, {|A|})
assert not P :[symmetric]: T
assert Full :[symmetric]: Box
assert Full :[symmetric]: diff(Box, {|Full|})
assert show(next) :[symmetric]: Box
assert show(next) :[symmetric]: T";
    let outcomes = decided("symmetric.csp", text);
    let verdicts: Vec<String> = outcomes.iter().map(verdict).collect();
    let expected = [
        "pass", "pass", "fail", "pass", "pass", "fail", "fail", "fail", "pass", "pass", "fail",
    ];
    assert_eq!(verdicts, expected);
    let places: Vec<usize> = outcomes
        .iter()
        .filter_map(|o| o.explanation.as_ref())
        .map(|e| {
            e.summary
                .split(':')
                .nth(1)
                .map_or(0, |l| l.parse().unwrap_or(0))
        })
        .collect();
    assert_eq!(places, [5, 5, 16, 5], "the lines of the first constants");
}

#[test]
fn a_subtype_in_an_assertion_about_symmetry_is_refused() {
    let text = "subtype S = A | B\nassert c :[symmetric]: S";
    let outcomes = decided("subtype.csp", text);
    assert!(matches!(&outcomes[0].verdict, Verdict::Error(e) if e.detail.contains("E0502")));
}
