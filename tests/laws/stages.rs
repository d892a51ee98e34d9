//! Runs of equal stages, of which each makes another form of the network: the same local states come again, and what may
//! come afterwards differs.

use std::fmt::Write as _;

use orbitscope::search::keeping::KeepingKind;
use proptest::prelude::*;

use crate::changing_forms::{CASES, agree, alternatives, of, ways};
use crate::random_scripts::Dice;
use crate::support::{check, options, refused, script, sound, tiers, verdict};

/// What stages do once they have a value `v`; `#` is one of them.
const STAGES: [&str; 9] = [
    "j!v -> SKIP",
    "j!v -> #(v)",
    "j?w:diff(S, {v}) -> #(w)",
    "j?w:diff(S, {v}) -> #(w)",
    "j?w -> #(w)",
    "k.v?u -> SKIP",
    "f -> #(v)",
    "e -> SKIP",
    "k?w:diff(S, {v})?u -> SKIP",
];

/// How stages begin.
const BEGINNINGS: [&str; 10] = [
    "f -> #",
    "j?x -> (Q(x) [| {|j.x, k.x|} |] R(x))",
    "k?x?u -> (Q(x) ||| Others(x))",
    "All",
    "f -> ((Q0 ||| SKIP) [] (j?x -> R(x) ||| SKIP))",
    "j?x -> Q(x)",
    "j?x -> R(x)",
    "k?x?u -> Q(x)",
    "k?x?u -> (# /\\ R(x))",
    "e -> SKIP",
];

/// What comes last.
const ENDS: [&str; 4] = ["e -> STOP", "STOP", "f -> Q0", "j?x -> R(x)"];

/// A script about runs of equal stages, of which each makes another form of the network: what it may do is the same, and
/// what comes afterwards is not.
fn stages(dice: &mut Dice<'_>) -> String {
    let mut text =
        "datatype S = A | B | C\ndatatype U = U0 | U1\nchannel e, f\nchannel j : S\nchannel k : S.U\n"
            .to_owned();
    for name in ["Q", "R"] {
        let body = alternatives(dice, 3, &STAGES, ["Q", "R"]);
        let _ = writeln!(text, "{name}(v) = {body}");
    }
    for name in ["Q0", "R0"] {
        let body = alternatives(dice, 3, &BEGINNINGS, ["Q0", "R0"]);
        let _ = writeln!(text, "{name} = {body}");
    }
    for name in ["Y", "Z"] {
        let mut run = of(dice, &["(SKIP ||| SKIP)", "(SKIP ||| SKIP)", "SKIP"]).to_owned();
        for _ in 0..=dice.below(3) {
            let _ = write!(run, " ; {}", of(dice, &["Q0", "Q0", "Q0", "R0"]));
        }
        let _ = writeln!(text, "{name} = {run} ; ({})", of(dice, &ENDS));
    }
    text += "All = ||| x : S @ R(x)\nOthers(x) = ||| y : diff(S, {x}) @ R(y)\n";
    for _ in 0..2 {
        let (model, sides) = (
            of(dice, &["T", "F", "FD"]),
            of(dice, &["YZ", "ZY"]).split_at(1),
        );
        let _ = writeln!(text, "assert {} [{model}= {}", sides.0, sides.1);
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: tiers::cases(CASES / 2),
        max_shrink_iters: 150,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn stages_that_look_alike_are_told_apart(bytes in prop::collection::vec(any::<u8>(), 160)) {
        let dice = &mut Dice(bytes.iter());
        let ways = ways(dice);
        let text = stages(dice);
        let compared = agree("stages.csp", &text, &ways);
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }
}

/// What a node of a specification becomes under a permutation has the form that the node has: the same local state in a
/// later form allows something else.
#[test]
fn nodes_of_a_specification_keep_their_form() {
    let text = "datatype S = A | B | C
channel c, d, g : S
channel e, f
Q(x) = d.x -> SKIP
Start = f -> Start [] g?x -> Start [] c?x -> Q(x)
Spec = (SKIP ||| SKIP) ; Start ; (c?x -> Q(x)) ; e -> STOP
Once(x) = c?y:diff(S, {x}) -> d.y -> e -> STOP
Twice = c?x -> d.x -> c?y -> d.y -> e -> STOP
Impl = Twice [] g?x -> f -> f -> f -> f -> f -> f -> Once(x)
assert Spec [T= Impl
";
    let path = script("forms_of_nodes.csp", text);
    let loaded = sound(&path);
    for keeping in KeepingKind::all() {
        let found = check(&loaded, 1, &options(None, keeping, 1));
        if !refused(keeping, &found) && keeping != KeepingKind::Markers {
            assert_eq!(verdict(&found), "fail", "{keeping:?}");
        }
    }
}
