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

/// That a check is reduced by no type, for a reason that contains some words, and has no more states than without reduction.
fn is_given_up(name: &str, source: &str, words: &str) {
    let run = |how: &[&str]| results(&format!("{name}.csp"), source, how).swap_remove(0);
    let (free, plain) = (run(&[]), run(&["--no-symmetry"]));
    // The structure may pay where values alone do not.
    if free["symmetry"]["structure"].is_null() {
        let types = free["symmetry"]["types"].as_object();
        assert!(types.is_none_or(|types| types.is_empty()), "{free}");
        let why = free["reduction"].to_string();
        assert!(why.contains(words), "{why}");
    }
    let states = |found: &Value| found["stats"]["states"].as_u64().expect("a number");
    assert!(states(&free) <= states(&plain), "{free}");
    let insists = run(&["--symmetry", "types"]);
    assert!(!insists["symmetry"].is_null(), "{insists}");
    for found in [&free, &insists] {
        assert_eq!(found["status"], plain["status"], "{found}");
    }
}

/// Where the property does not see values, states that differ in them are equal; a permutation tells them apart.
#[test]
fn reductions_that_keep_equal_local_states_apart_are_given_up() {
    let source = "datatype T = A0 | A1 | A2 | A3\ndatatype U = B0 | B1 | B2 | B3\n\
        channel a, b : T\nchannel c : T.U\nchannel f\n\
        P0(x) = b!x -> P3(x)\n\
        P1(x, n) = a!x -> (c?y?z -> P3(y) |~| P1(x, n))\n\
        P2(x) = (f -> SKIP [] a!x -> P3(x)) |~| a!x -> P0(x)\n\
        P3(x) = c?y?z -> (P3(y) [] P1(x, z))\n\
        N = ||| t : T @ P2(t)\nassert N :[deadlock free]";
    is_given_up("worth_unmerged", source, "more local states are equal");
}

/// Names of compressed states are images of each other, so nothing is merged while they are explored.
#[test]
fn reductions_that_keep_states_of_compressed_processes_apart_are_given_up() {
    let source = "transparent diamond\ndatatype T = A0 | A1 | A2 | A3\nchannel d : T.{0..3}\nchannel f\n\
        P(x) = f -> (P(x) [] Q(x))\n\
        Q(x) = d!x?n -> P(x)\n\
        N = diamond((||| t : T @ Q(t)) ||| (||| t : T @ Q(t)) ||| (||| t : T @ P(t)) ||| (||| t : T @ P(t)))\n\
        assert N :[deadlock free]";
    let words = "states of a process that is compressed";
    is_given_up("worth_compressed", source, words);
}

/// Every cell permutes its own values, so the structure has a far larger group than the types. That neither takes over
/// the short attempt without types nor the search.
#[test]
fn types_are_not_left_for_a_larger_group_that_costs_more() {
    let values: Vec<String> = (0..12).map(|n| format!("T{n}")).collect();
    let source = format!(
        "datatype T = {}\ndatatype N = N0 | N1\nchannel a : T.N\nchannel b : T.N.N\n\
         C(t, x, y) = a.t?z -> C(t, z, x) [] b.t.x.y -> C(t, y, x)\n\
         assert RUN({{|a, b|}}) [T= ||| t : T @ [] x : N @ a.t.x -> C(t, x, x)",
        values.join(" | ")
    );
    let found = &results("worth_larger.csp", &source, &[])[0];
    assert_eq!(found["status"], "pass", "{found}");
    assert_eq!(found["symmetry"]["types"]["T"], 12, "{found}");
    assert_eq!(found["stats"]["states"], 924, "{found}");
}

/// The exchange of `a.0` and `b.0` with `a.1` and `b.1` moves few states. With that group all equal local states are
/// merged, and when it is given up for the types alone, again only those that permutations of values keep together.
#[test]
fn local_states_are_merged_as_before_where_a_group_is_given_up() {
    let source = "datatype T = A | B | C | D\nchannel p, q : T\nchannel done, step\nchannel a, b : {0, 1}\n\
        P = q?x -> q?y -> H(x, y)\nH(x, y) = done -> (if x == y then P else P)\n\
        Q = p?x -> p?y -> q.x -> q.y -> Q\n\
        K(n) = if n < 900 then step -> K(n + 1) else a?i -> b.i -> K(0)\n\
        Sys = (P [|{|q|}|] Q) ||| K(0)\nassert RUN({|p, q, done, step, a, b|}) [T= Sys";
    let free = &results("merged_before.csp", source, &[])[0];
    let types = &results("merged_types.csp", source, &["--symmetry", "types"])[0];
    let looked = &free["stats"]["structure_looked"];
    assert_eq!(looked["found"], true, "{free}");
    assert_eq!(looked["used"], false, "{free}");
    for key in ["states", "transitions", "local_states_merged"] {
        assert_eq!(free["stats"][key], types["stats"][key], "{key}");
    }
    let plain = &results("merged_plain.csp", source, &["--no-symmetry"])[0];
    assert_ne!(plain["stats"]["local_states_merged"], 0, "{plain}");
}

/// Two permutations cannot make up for a representative at nearly every step.
#[test]
fn reductions_by_few_permutations_are_given_up() {
    let source = "datatype T = A | B\nchannel a, b : T.{0..3}\n\
        P(x, n, y) = b!y!n -> a?z?m -> (if z == x then P(x, m, y) else P(x, (n + m) % 4, z))\n\
        N = ||| x : T @ ||| i : {0..1} @ P(x, i, x)\nassert RUN({|a, b|}) [T= N";
    is_given_up("worth_few", source, "representatives took more work");
}

/// Twelve do not either where most of them move nothing.
#[test]
fn reductions_by_permutations_that_move_little_are_given_up() {
    let source = "datatype T = A0 | A1\ndatatype U = B0 | B1 | B2\nchannel a, b : T\nchannel d : T.{0..3}\nchannel c : U\n\
        P0(x) = d!x!0 -> b!x -> P0(x) [] b!x -> P0(x)\n\
        P1(x, u) = d?y?n -> (P3(x, (n + 1) % 4) [] P2(x, (n + 1) % 4)) [] c?v -> P1(x, v)\n\
        P2(x, n) = SKIP |~| (d!x!(n + 1) % 4 -> P0(x) [> a?y -> STOP)\n\
        P3(x, n) = d!x!(n + 1) % 4 -> P0(x)\n\
        N = ||| i : {0..1} @ ||| t : T @ ([] u : U @ c!u -> P1(t, u))\nassert RUN({|a, b, c, d|}) [T= N";
    is_given_up(
        "worth_small_orbits",
        source,
        "representatives took more work",
    );
}

/// Reduced there are 218 states, and 4,096 without: a limit between these ends no check that the reduction decides.
#[test]
fn a_limit_of_states_that_a_reduction_keeps_to_is_none() {
    let source = "datatype S = S0 | S1 | S2 | S3\nchannel add : S.S\n\
        Lone(R) = add?x?y:diff(S, {x}) -> Lone(union(R, {(x, y)}))\nassert RUN({|add|}) [T= Lone({})";
    let run = |states: &str| {
        let how = ["--no-merging", "--max-states", states];
        results("worth_limit.csp", source, &how).swap_remove(0)
    };
    let (wide, tight) = (run("10000"), run("1000"));
    assert_eq!(wide["stats"]["states"], 4_096, "{wide}");
    assert_eq!(tight["status"], "pass", "{tight}");
    assert_eq!(tight["stats"]["states"], 218, "{tight}");
}
