//! Reductions that take more work than none are given up, by counts, and said to be.

use serde_json::Value;

use crate::support::{orbitscope, script};

/// The results of a check in JSON.
fn results(name: &str, source: &str, more: &[&str]) -> Vec<Value> {
    let path = script(name, source);
    let path = path.display().to_string();
    let ran = orbitscope(&[&["check", "--format", "json", &path], more].concat(), b"");
    let all: Value = serde_json::from_str(&ran.stdout).expect("a document");
    all["checks"].as_array().expect("results").clone()
}

/// Whatever is chosen, the operands of the composition are not mapped to each other, so reduced it stays together.
const CHOSEN: &str = "datatype T = A | B | C | D\nchannel x : T.{0..11}\nP(i, n) = x.i.n -> P(i, (n + 1) % 12)\n\
    Sys = |~| j : T @ ||| i : diff(T, {j}) @ P(i, 0)\nassert Sys :[deadlock free [F]]";

#[test]
fn compositions_that_permutations_keep_together_are_taken_apart_where_that_is_less_work() {
    let free = &results("worth_chosen.csp", CHOSEN, &["--no-merging"])[0];
    let plain = &results(
        "worth_plain.csp",
        CHOSEN,
        &["--no-merging", "--no-symmetry"],
    )[0];
    let insists = &results(
        "worth_types.csp",
        CHOSEN,
        &["--no-merging", "--symmetry", "types"],
    )[0];
    for found in [free, plain, insists] {
        assert_eq!(found["status"], "pass", "{found}");
    }
    assert!(free["symmetry"].is_null(), "{free}");
    let why = free["reduction"].to_string();
    assert!(why.contains("the reduction was given up after"), "{why}");
    assert_eq!(free["stats"]["states"], plain["stats"]["states"]);
    assert_eq!(insists["symmetry"]["types"]["T"], 4);
    let locals = |found: &Value| found["stats"]["local_states"].as_u64().expect("a number");
    assert!(10 * locals(free) < locals(insists), "{free}");
    let text = script("worth_text.csp", CHOSEN).display().to_string();
    let said = orbitscope(&["check", &text], b"").stdout;
    assert!(
        said.contains("not reduced: ") && said.contains("the reduction was given up"),
        "{said}"
    );
}

/// Under permutations compressed processes are named by their values, so there are more of them.
#[test]
fn compressed_compositions_have_no_more_states_than_without_reduction() {
    let source = "transparent normal\ndatatype S = A | B | C\nchannel b : S\nchannel c : S\nchannel d\n\
        P(v, m) = member(S, m) & STOP [] d -> Q(v, <v>)\nQ(v, q) = b?w -> P(v, {{}}) [] c?x -> STOP\n\
        Y = (||| v:S @ P(v, {})) \\ {| c.C |}\nassert normal(Y) [V= normal(Y)\nassert normal(Y) [F= Y";
    let free = results("worth_normal.csp", source, &[]);
    let plain = results("worth_normal_plain.csp", source, &["--no-symmetry"]);
    for (free, plain) in free.iter().zip(&plain) {
        assert_eq!(free["status"], plain["status"]);
        let states = |found: &Value| found["stats"]["states"].as_u64().expect("a number");
        assert!(states(free) <= states(plain), "{free}");
    }
}

/// Thousands of values to permute, each of which gets its place in each representative.
#[test]
fn types_of_very_many_values_reduce_what_is_not_soon_decided() {
    let source = |cells: &str| {
        let values: Vec<String> = (0..1_500).map(|n| format!("C{n}")).collect();
        let (values, cells) = (values.join(" | "), cells.to_owned());
        format!(
            "datatype T = {values}\nchannel a, b : T\nCell = a?x -> b.x -> Cell\nassert RUN({{|a, b|}}) [T= {cells}\n"
        )
    };
    let one = source("Cell");
    let free = &results("worth_many_values.csp", &one, &[])[0];
    assert_eq!(free["status"], "pass");
    assert!(free["symmetry"].is_null(), "{free}");
    assert!(
        free["reduction"].to_string().contains("1500 values"),
        "{free}"
    );
    let insists = &results("worth_many_types.csp", &one, &["--symmetry", "types"])[0];
    assert_eq!(insists["symmetry"]["types"]["T"], 1_500);
    assert_eq!(insists["stats"]["states"], 2);
    // Two cells hold more than two million pairs of values.
    let two = source("(Cell ||| Cell)");
    let reduced = &results("worth_more_values.csp", &two, &[])[0];
    assert_eq!(reduced["symmetry"]["types"]["T"], 1_500, "{reduced}");
}
