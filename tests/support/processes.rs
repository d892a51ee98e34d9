//! Random small processes.

use proptest::prelude::*;

/// Ends of processes that may terminate.
pub const MAY_TERMINATE: &[&str] = &["P0", "Q0", "R0", "STOP", "SKIP"];
/// Ends of those that do not.
pub const FOR_EVER: &[&str] = &["P0", "Q0", "R0", "STOP"];

fn event() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "c"])
}

/// A sequential process; it may go on as one of `P0`, `Q0`, `R0` after an event.
fn sequential(ends: &'static [&'static str]) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        2 => (event(), prop::sample::select(ends.to_vec())).prop_map(|(e, p)| format!("{e} -> {p}")),
        1 => prop::sample::select(ends.to_vec())
            .prop_map(|p| if p.ends_with('0') { "STOP" } else { p }.to_owned()),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (event(), inner.clone()).prop_map(|(e, p)| format!("{e} -> ({p})")),
            (inner.clone(), inner.clone()).prop_map(|(p, q)| format!("({p}) [] ({q})")),
            (inner.clone(), inner.clone()).prop_map(|(p, q)| format!("({p}) |~| ({q})")),
            (inner.clone(), inner).prop_map(|(p, q)| format!("({p}) [> ({q})")),
        ]
    })
}

/// Definitions of `P`, `Q` and `R`, with or without termination.
pub fn processes(ends: &'static [&'static str]) -> impl Strategy<Value = String> {
    let three = (sequential(ends), sequential(ends), sequential(ends));
    let above = prop::sample::select(vec![
        "P0",
        "P0 \\ {a}",
        "P0 ||| Q0",
        "P0 [| {b} |] R0",
        "P0[[a <- b, a <- c]]",
        "P0 [|{a}|> Q0",
        "P0 /\\ R0",
    ]);
    (three, above).prop_map(|((p, q, r), above)| {
        format!("P0 = {p}\nQ0 = {q}\nR0 = {r}\nP = {above}\nQ = Q0\nR = R0\n")
    })
}
