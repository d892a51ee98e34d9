//! What reports claim of a reduction: by what, exact for what, and why not.

use serde_json::Value;

use crate::support::{orbitscope, script};

/// The text of a check, and its exit code.
fn text(name: &str, source: &str, more: &[&str]) -> (String, Option<i32>) {
    let path = script(name, source);
    let path = path.display().to_string();
    let ran = orbitscope(&[&["check", &path], more].concat(), b"");
    (ran.stdout + &ran.stderr, ran.code)
}

/// The first result of a check in JSON.
fn json(name: &str, source: &str, more: &[&str]) -> Value {
    let path = script(name, source);
    let path = path.display().to_string();
    let ran = orbitscope(&[&["check", "--format", "json", &path], more].concat(), b"");
    let all: Value = serde_json::from_str(&ran.stdout).expect("a document");
    all["checks"][0].clone()
}

/// Values of `T` are told apart by `show`.
const SHOWN: &str = "datatype T = a | b | c\nchannel x, y : T\n\
    Q = x?i -> (if show(i) == \"a\" then STOP else if show(i) == \"b\" then x.i -> STOP else y.i -> STOP)\n\
    assert (x?i -> y.i -> STOP) [F= Q";

/// A reduction that is asked for and is not there ends with its reason, whichever way it is asked for.
#[test]
fn a_reduction_that_is_not_there_is_said_with_its_reason() {
    let asked = format!("{SHOWN} :[symmetry reduce]");
    let named = format!("{SHOWN} :[symmetry reduce]: T");
    let ways: [(&str, &str, &[&str]); 5] = [
        ("types", SHOWN, &["--symmetry", "types"]),
        ("asked", &asked, &[]),
        ("named", &named, &[]),
        ("option", SHOWN, &["--types", "T"]),
        ("structure", SHOWN, &["--structure"]),
    ];
    for (name, source, more) in ways {
        let (said, code) = text(&format!("silent_{name}.csp"), source, more);
        // Types that are named, and the structure, have to be there; else the report says why they are not.
        let has_to = ["named", "option", "structure"].contains(&name);
        assert_eq!(code, Some(if has_to { 3 } else { 1 }), "{name}: {said}");
        let reason = match name {
            "structure" => "maps the network to itself",
            _ => "`show`",
        };
        assert!(said.contains(reason), "{name}: {said}");
        assert!(
            has_to || said.contains("not reduced: no values"),
            "{name}: {said}"
        );
    }
    let asked = json("silent_json.csp", &asked, &[]);
    let reduction = asked["reduction"].to_string();
    assert!(reduction.contains("no two values of `T`"), "{reduction}");
    // By default it goes on, and says why when asked.
    let free = json("silent_free.csp", SHOWN, &[]);
    let reduction = free["reduction"].to_string();
    assert!(reduction.contains("no values that it meets"), "{reduction}");
}

/// Copies are a reduction, too, and so is what is found in the structure where that may be looked at.
#[test]
fn copies_satisfy_who_asks_for_a_reduction() {
    let copies = "channel a, b\nP = a -> b -> P\nassert P ||| P ||| P :[deadlock free]";
    let (said, code) = text("asked_copies.csp", copies, &["--symmetry", "types"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("copies of P(3)"), "{said}");
    let ring = "channel a : {0..2}\nP(i) = a.i -> a.(i + 1) % 3 -> P(i)\n\
        R = || i : {0..2} @ [{a.i, a.(i + 1) % 3}] P(i)\nassert R :[deadlock free [F]] :[symmetry reduce]";
    let found = json("asked_ring.csp", ring, &[]);
    assert!(found["symmetry"]["structure"].is_object(), "{found}");
}

/// A type of one value that is asked for by name is said to reduce nothing, and so is one that is not met.
#[test]
fn named_types_that_reduce_nothing_are_said_to() {
    let one = "datatype T = a\ndatatype U = u | v\nchannel x : T\nP = x?i -> P\nassert P :[deadlock free]";
    let (said, code) = text(
        "one_value.csp",
        &format!("{one} :[symmetry reduce]: T"),
        &[],
    );
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("`T` has a single value to permute"), "{said}");
    assert!(!said.contains("reduced by T"), "{said}");
    let (said, code) = text("not_met.csp", one, &["--types", "U"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("not reduced: `U` is never met here"),
        "{said}"
    );
}

const CLOCK: &str = "datatype Drink = Tea | Coffee | Water\nchannel tick : {0..4}\nchannel c : Drink\nchannel d : {0..1}.Drink\n\
    Clock(n) = tick.n -> Clock((n + 1) % 5)\n";

/// A type that no state and no event has is none to reduce by; one that only the specification, a hidden event, a set
/// or a tuple has, is.
#[test]
fn a_type_that_is_never_met_is_not_reduced_by() {
    let cases = [
        ("unused", "assert Clock(0) :[deadlock free]", false),
        (
            "unreachable",
            "P(n) = if n < 5 then tick.n -> P((n + 1) % 5) else c?x -> STOP\nassert P(0) :[deadlock free]",
            false,
        ),
        (
            "alphabet",
            "assert Clock(0) [|{|c|}|] STOP :[deadlock free]",
            false,
        ),
        (
            "specification",
            "S = tick?n -> S |~| c?x -> S |~| STOP\nassert S [F= Clock(0)",
            true,
        ),
        (
            "hidden",
            "P = c?x -> P\nassert P \\ {|c|} :[deadlock free]",
            true,
        ),
        (
            "set",
            "P(s) = tick.card(s) -> P({})\nassert P(Drink) :[deadlock free]",
            false,
        ),
        (
            "elements",
            "P(s) = card(s) < 2 & c?x -> P(union(s, {x})) [] tick.card(s) -> P(s)\nassert P({}) :[deadlock free]",
            true,
        ),
        (
            "tuple",
            "P(p) = tick.0 -> (let (x, y) = p within c.x -> Q(p))\nQ(p) = tick.1 -> Q(p)\nassert c?x -> c?y -> P((x, y)) :[deadlock free]",
            true,
        ),
        (
            "subfield",
            "P = d.0?x -> P\nassert P :[deadlock free]",
            true,
        ),
    ];
    for (name, assertion, is_met) in cases {
        let found = json(
            &format!("met_{name}.csp"),
            &format!("{CLOCK}{assertion}"),
            &[],
        );
        assert_ne!(found["status"], "error", "{name}: {found}");
        let is_listed = found["symmetry"]["types"]["Drink"] == 3;
        assert_eq!(is_listed, is_met, "{name}: {found}");
        if !is_met && found["symmetry"].is_object() {
            assert_eq!(found["symmetry"]["group_order"], "1", "{name}: {found}");
        }
    }
    // One of two types: the other one alone counts.
    let both =
        "datatype Size = S | L\nchannel e : Size\nP = e?x -> e.x -> P\nassert P :[deadlock free]";
    let found = json("met_other.csp", &format!("{CLOCK}{both}"), &[]);
    assert_eq!(found["symmetry"]["types"], serde_json::json!({ "Size": 2 }));
    assert_eq!(found["symmetry"]["group_order"], "2");
}

/// States that are counted after merging are said to be, wherever they are counted.
#[test]
fn merged_states_are_counted_as_such() {
    let cells = "N = 4\nchannel a, b : {0..N-1}\nCell(i) = a.i -> Full(i)\nFull(i) = b.i -> Cell(i)\n\
        assert ||| i : {0..N-1} @ Cell(i) :[deadlock free]\nassert ||| i : {0..N-1} @ Cell(i) :[divergence free]";
    let (said, _) = text("merged.csp", cells, &["--no-symmetry"]);
    assert!(
        said.contains("holds   16 states, 1 after merging equal local states"),
        "{said}"
    );
    assert!(said.contains("1 merged"), "{said}");
    let (said, _) = text("merged_default.csp", cells, &[]);
    assert!(said.contains("after merging equal local states"), "{said}");
    let (said, _) = text("unmerged.csp", cells, &["--no-symmetry", "--no-merging"]);
    assert!(
        said.contains("16 states, ") && !said.contains("merg"),
        "{said}"
    );
    let found = json("merged_json.csp", cells, &[]);
    assert_eq!(found["stats"]["states_after_merging"], true);
    assert_eq!(found["stats"]["states_before_merging"], 5);
    let ten = cells.replace("N = 4", "N = 10");
    let (said, _) = text("merged_more.csp", &ten, &["--no-symmetry"]);
    assert!(
        said.contains("holds   more than 1,000 states, 1 after merging equal local states"),
        "{said}"
    );
    let found = json("unmerged_json.csp", cells, &["--no-merging"]);
    assert_eq!(found["stats"]["states_after_merging"], false);
}

/// Beside nodes of a specification that are several states, a strategy that is exact for states may keep two pairs.
#[test]
fn exact_is_not_said_of_pairs_beside_sets() {
    let source = "datatype S = A | B\nchannel j : S\nchannel e\nR(v) = e -> (R(v) |~| Q(v))\nQ(v) = j.v -> R(v)\n\
        Y = ||| v:S @ R(v)\nassert Y [F= Y\nassert RUN({|j, e|}) [T= Y";
    let found = json("exact_sets.csp", source, &[]);
    let exact_for = found["symmetry"]["exact_for"].as_str().expect("a phrase");
    assert!(
        exact_for.contains("two pairs of one orbit may be kept"),
        "{exact_for}"
    );
    assert!(
        exact_for.contains("said of states: nodes of this specification are several states"),
        "{exact_for}"
    );
    assert_eq!(found["stats"]["specification_holds_sets"], true);
    let (said, _) = text("exact_sets_text.csp", source, &["--stats"]);
    assert_eq!(said.matches("two pairs of one orbit").count(), 1, "{said}");
}

/// How many steps state symmetry left out is counted.
#[test]
fn state_symmetry_says_what_it_saved() {
    let source = "datatype T = A | B | C | D\nchannel l, m : T\nP = l?x -> m!x -> P\n\
        assert P :[deadlock free [F]]";
    let more = ["--no-merging", "--state-symmetry"];
    let found = json("state_symmetry.csp", source, &more);
    // Of the four values one is read, and all lead to one orbit.
    assert_eq!(found["stats"]["transitions"], 5);
    assert_eq!(found["stats"]["state_symmetry"]["left_out"], 3);
    let (said, _) = text("state_symmetry_text.csp", source, &more);
    assert!(
        said.contains("state symmetry left out 3 steps of 5 transitions"),
        "{said}"
    );
    let found = json("no_state_symmetry.csp", source, &["--no-merging"]);
    assert!(found["stats"]["state_symmetry"].is_null());
}
