//! Digests of states, by which states are found again in another run of the program: different operators have different
//! ones, in every part of theirs.

use std::collections::BTreeMap;

use orbitscope::check::{Check, Options};
use orbitscope::machine::FormatId;
use orbitscope::machine::digests::MachineDigests;
use orbitscope::source::Cancel;

use crate::support::{script, sound};

/// Processes with the same components under different operators.
const PROCESSES: [&str; 26] = [
    "P ||| Q",
    "P [|{a}|] Q",
    "P [|{a, b}|] Q",
    "P [{a} || {a, b}] Q",
    "P [{a, b} || {a, b}] Q",
    "P [{a, b} || {a}] Q",
    "P [a <-> b] Q",
    "P [b <-> a] Q",
    "(P ||| Q) \\ {a}",
    "(P ||| Q) \\ {b}",
    "(P ||| Q) |\\ {a}",
    "(P ||| Q)[[a <- b]]",
    "(P ||| Q)[[b <- a]]",
    "prioritise(P ||| Q, <{a}, {b}>)",
    "prioritise(P ||| Q, <{b}, {a}>)",
    "prioritisepo(P ||| Q, Events, {(a, b)}, {})",
    "prioritisepo(P ||| Q, Events, {(b, a)}, {})",
    "prioritisepo(P ||| Q, Events, {(a, b)}, {a})",
    "chase(P ||| Q)",
    "(P ||| Q) ; P",
    "(P ||| Q) ; Q",
    "(P ||| Q) /\\ P",
    "(P ||| Q) /\\ Q",
    "(P ||| Q) [|{a}|> P",
    "(P ||| Q) [|{b}|> P",
    "(P ||| Q) [|{a}|> Q",
];

#[test]
fn every_part_of_an_operator_is_in_its_digest() {
    let mut text = "external chase, prioritise, prioritisepo\nchannel a, b\n\
        P = a -> P [] b -> SKIP\nQ = b -> Q [] a -> SKIP\n"
        .to_owned();
    for process in PROCESSES {
        text += &format!("assert {process} :[deadlock free [F]]\n");
    }
    let loaded = sound(&script("digests.csp", &text));
    let mut known = BTreeMap::new();
    for (number, process) in PROCESSES.iter().enumerate() {
        let check = Check::prepare(&loaded, number, &Options::default(), &Cancel::default());
        let mut check = check.expect("it compiles");
        let network = &check.network;
        let digests = &mut MachineDigests::default();
        let initial = network.initial();
        let digest = check
            .machine
            .digest_state((network, FormatId(0)), initial, digests);
        let before = known.insert(format!("{digest:?}"), process);
        assert_eq!(before, None, "{process}");
    }
}
