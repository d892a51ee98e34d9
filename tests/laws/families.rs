//! What is proved of all sizes is held to larger ones: no larger size may refute it. Scripts that a theorem must not be
//! applied to come first, then random ones that pass values on.

use std::path::Path;

use crate::support::{say, tiers};
use orbitscope::check::Options;
use orbitscope::report::families::{FamilyOutcome, FamilyRequest, NameRows, SizeRow};
use orbitscope::report::family_proofs::Proof;
use orbitscope::report::outcome::Verdict;
use orbitscope::script::sizes::SizedScript;
use orbitscope::source::{Bounds, Cancel};

/// All assertions of a script at these sizes.
fn families(
    text: &str,
    sizes: std::ops::RangeInclusive<usize>,
    proves: bool,
) -> Vec<FamilyOutcome> {
    let bounds = Bounds::default();
    let script = SizedScript::of_text(Path::new("family.csp"), text, &bounds);
    let written = script.as_written(&bounds);
    assert!(!written.has_errors(), "{:?}\n{text}", written.diagnostics);
    let options = Options {
        threads: 1,
        ..Options::default()
    };
    let request = FamilyRequest {
        script: &script,
        written: &written,
        of: &[],
        sizes,
        options: &options,
        timeout: None,
        proves,
        cancel: &Cancel::default(),
    };
    let count = written.script.assertions.len();
    (1..=count)
        .map(|n| request.run(n, &mut |_, _| {}))
        .collect()
}

fn letter(row: &SizeRow) -> char {
    match row.outcome.verdict {
        Verdict::Holds => 'p',
        Verdict::Fails => 'f',
        Verdict::Error(_) => 'e',
        Verdict::Approximate(_) | Verdict::Inconclusive(_) => '?',
    }
}

/// The verdicts at sizes from 1 on, and what was proved: the size and the theorem, or why not.
fn told(family: &FamilyOutcome) -> (String, String) {
    let [NameRows { rows, proof, .. }] = &family.names[..] else {
        panic!("{} has one name with a size", family.text);
    };
    let verdicts = rows.iter().map(letter).collect();
    let proof = match proof {
        Proof::Proved(proved) => format!("{} {}", proved.theorem.name(), proved.from),
        Proof::Unproved(reasons) => {
            let each = reasons.iter().map(|r| r.reason.why.clone());
            each.collect::<Vec<_>>().join("; ")
        }
        other => panic!("{}: {other:?}", family.text),
    };
    (verdicts, proof)
}

#[track_caller]
fn tell(text: &str, wanted: &[(&str, &str)]) {
    let found = families(text, 1..=5, true);
    assert_eq!(found.len(), wanted.len());
    for (family, (verdicts, proof)) in found.iter().zip(wanted) {
        let (found, proved) = told(family);
        assert!(
            found.starts_with(verdicts),
            "{}: {found}, {proved}",
            family.text
        );
        assert!(proved.contains(proof), "{}: {proved}", family.text);
    }
}

#[test]
fn values_that_are_compared_need_as_many_as_are_remembered() {
    let text = "datatype T = c0 | c1 | c2\nchannel in, out : T\n\
        Impl = in?x -> in?y -> in?z -> if x != y and y != z and x != z then out!x -> Impl else STOP\n\
        Spec = in?x -> Spec\nassert Spec [T= Impl\n";
    // The failure at 3 stays.
    tell(text, &[("ppfff", "a part of the whole 3")]);
    let holds = text.replace(
        "Spec = in?x -> Spec",
        "Spec = in?x -> Spec [] out?x -> Spec",
    );
    // Two are held when the third comes; what is compared then is decided in that step.
    tell(&holds, &[("ppppp", "remembered values 3")]);
}

#[test]
fn a_specification_that_tells_values_apart_by_its_path_is_not_followed() {
    let choosing = "datatype T = c0 | c1 | c2\nchannel a, b, e, o, p : T\nchannel d\n\
        Spec = a?x -> b?y -> e?z -> Choose(x, y, z)\n\
        Choose(x, y, z) = o!x -> (p!y -> STOP [] p!z -> d -> STOP) [] o!y -> p?_ -> d -> STOP\n  \
        [] o!z -> p?_ -> d -> STOP\n\
        Impl = a?x -> b?y -> e?z -> o!x -> p!y -> d -> STOP\nassert Spec [T= Impl\n";
    tell(choosing, &[("ppfff", "a part of the whole 3")]);
    let reading = choosing.replace("Choose(x, y, z) = o!x ->", "Choose(x, y, z) = o?v ->");
    tell(&reading, &[("ppfff", "a part of the whole 3")]);
    // Where it holds at two values it must not be said that this is enough.
    for text in [choosing, &reading] {
        let two = families(text, 1..=2, true);
        let (verdicts, proof) = told(&two[0]);
        assert!(!proof.starts_with("nobody compares"), "{verdicts}: {proof}");
    }
}

#[test]
fn two_writers_meet_only_where_values_are_equal() {
    let text = "datatype T = c0 | c1\nchannel a, b, h : T\nP = a?x -> h!x -> P\nQ = b?x -> h!x -> Q\n\
        Both = P [| {|h|} |] Q\nassert Both :[deadlock free [F]]\n\
        Show = a?x -> Show [] b?x -> Show [] h?x -> Show\nassert Show [T= Both\n";
    tell(
        text,
        &[
            ("pffff", "remembered values 3"),
            ("ppppp", "nobody compares 1"),
        ],
    );
}

#[test]
fn all_values_kept_in_a_parameter_are_refused() {
    let text = "datatype T = c0 | c1\nchannel in : T\nchannel done\n\
        Count(S) = if empty(S) then done -> STOP else in?x:S -> Count(diff(S,{x}))\n\
        Impl = Count(T)\nSpec(n) = n < 3 & in?x -> Spec(n+1) [] done -> STOP\nassert Spec(0) [T= Impl\n";
    tell(text, &[("pppff", "all of `T` stands here")]);
}

/// Values that a specification chooses silently are not in the trace: what it allows after a trace of a part may be more
/// in the whole. So neither a failure stays, nor is anything else proved.
#[test]
fn silent_choices_of_a_specification_are_refused() {
    let text = "datatype T = c0 | c1\nchannel e : T\nSpec = |~| u : T @ Rest(u)\n\
        Rest(u) = e?z:diff(T,{u}) -> Rest(u)\nImpl(n) = n < 3 & e?z -> Impl(n+1)\nassert Spec [T= Impl(0)\n";
    tell(text, &[("fffpp", "chooses a value")]);
}

/// Three values that are written where the specification insists on one of three: two of them are equal if there are
/// but two values.
#[test]
fn acceptances_of_one_value_among_many_that_are_allowed_are_refused() {
    let text = "datatype T = c0 | c1\nchannel i, j, k, c, d, e : T\n\
        Spec = i?x -> j?y -> k?z -> ((c!x -> STOP |~| d!y -> STOP |~| e!z -> STOP) |~|\n  \
        (c?_ -> STOP [] d?_ -> STOP [] e?_ -> STOP))\n\
        Impl = i?x -> j?y -> k?z -> (c!y -> STOP [] d!z -> STOP [] e!x -> STOP)\nassert Spec [F= Impl\n";
    let found = families(text, 1..=5, true);
    let (verdicts, proof) = told(&found[0]);
    assert!(verdicts.starts_with("ppfff"), "{verdicts}");
    assert!(!proof.starts_with("nobody compares"), "{proof}");
}

/// Sets of events that name a value compare it with others.
#[test]
fn sets_of_events_that_name_a_value_compare() {
    let hidden = "datatype T = c0 | c1\nchannel in, out : T\nchannel d\n\
        Impl = in?x -> ((out?y -> d -> STOP) \\ {|out.x|})\n\
        Spec = in?x -> (d -> STOP [] out?y -> STOP)\nassert Spec [T= Impl\n";
    let diagonal = "datatype T = c0 | c1\nchannel c : T.T\nchannel d\n\
        Impl = (c?x?y -> d -> STOP) [| {c.x.x | x <- T} |] STOP\nSpec = c?x?y -> STOP\nassert Spec [T= Impl\n";
    for text in [hidden, diagonal] {
        let found = families(text, 1..=4, true);
        let (verdicts, proof) = told(&found[0]);
        assert!(!proof.starts_with("nobody compares"), "{verdicts}: {proof}");
    }
}

/// Decisions of a generator.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// What a random process may do.
struct Shape<'a> {
    name: &'a str,
    /// Each channel with `i` for inputs, `o` for outputs.
    channels: &'a [(&'a str, &'a str)],
    compares: bool,
    is_specification: bool,
}

impl Shape<'_> {
    /// Definitions of a few states, each with up to two remembered values.
    fn text(&self, random: &mut Random) -> String {
        let states = 2 + random.below(3);
        let mut arities = vec![0];
        arities.extend((1..states).map(|_| random.below(3)));
        let lines = (0..states).map(|state| {
            let held: Vec<String> = (0..arities[state]).map(|n| format!("v{n}")).collect();
            let body = self.body(random, &arities, &held);
            let parameters = match held.is_empty() {
                true => String::new(),
                false => format!("({})", held.join(", ")),
            };
            format!("{}{state}{parameters} = {body}\n", self.name)
        });
        lines.collect()
    }

    fn body(&self, random: &mut Random, arities: &[usize], held: &[String]) -> String {
        let mut branches = Vec::new();
        for channel in self.channels {
            if self.is_specification || branches.is_empty() || random.one_in(2) {
                branches.extend(self.branch(random, *channel, arities, held));
            }
        }
        if branches.is_empty() {
            return "STOP".to_owned();
        }
        let operator = match !self.is_specification && random.one_in(4) {
            true => " |~| ",
            false => " [] ",
        };
        let body = branches.join(operator);
        if self.compares && held.len() == 2 && !random.one_in(4) {
            let relation = random.of(&["==", "!="]);
            let other = self.branch(random, self.channels[0], arities, held);
            let other = other.unwrap_or("STOP".to_owned());
            return format!("if v0 {relation} v1 then {other} else ({body})");
        }
        body
    }

    fn branch(
        &self,
        random: &mut Random,
        (channel, modes): (&str, &str),
        arities: &[usize],
        held: &[String],
    ) -> Option<String> {
        let reads =
            modes.contains('i') && (!modes.contains('o') || held.is_empty() || random.one_in(2));
        if reads {
            let mut known = held.to_vec();
            known.push("z".to_owned());
            return Some(format!(
                "({channel}?z -> {})",
                self.call(random, arities, &known)
            ));
        }
        if held.is_empty() {
            return None;
        }
        let value = &held[random.below(held.len())];
        let next = self.call(random, arities, held);
        Some(format!("({channel}!{value} -> {next})"))
    }

    fn call(&self, random: &mut Random, arities: &[usize], known: &[String]) -> String {
        let mut state = random.below(arities.len());
        if known.is_empty() {
            state = 0;
        }
        if arities[state] == 0 {
            return format!("{}{state}", self.name);
        }
        let arguments = (0..arities[state]).map(|_| known[random.below(known.len())].clone());
        let arguments: Vec<String> = arguments.collect();
        format!("{}{state}({})", self.name, arguments.join(", "))
    }
}

/// Two processes that pass values on, hidden in the middle, and a specification.
fn random_script(random: &mut Random) -> String {
    let compares = random.one_in(2);
    let (left, right) = match random.one_in(2) {
        true => ("o", "i"),
        false => ("io", "io"),
    };
    let both = ["i", "io"];
    let shapes = [
        ("P", [("a", random.of(&both)), ("h", left)], false),
        ("Q", [("b", "io"), ("h", right)], false),
        (
            "S",
            [("a", random.of(&both)), ("b", random.of(&["io", "i", "o"]))],
            true,
        ),
    ];
    let mut text = "datatype T = c0 | c1\nchannel a, b, h : T\n".to_owned();
    for (name, channels, is_specification) in shapes {
        let shape = Shape {
            name,
            channels: &channels,
            compares: compares && (!is_specification || random.one_in(4)),
            is_specification,
        };
        text += &shape.text(random);
    }
    text += "I = (P0 [| {|h|} |] Q0) \\ {|h|}\nassert S0 [T= I\nassert S0 [F= I\nassert S0 [FD= I\n\
        assert I :[deadlock free [F]]\nassert I :[divergence free]\n";
    text
}

/// How often each theorem applied, and nothing did.
fn held_to_larger_sizes(
    random: &mut Random,
    counts: &mut std::collections::BTreeMap<String, usize>,
) {
    let text = random_script(random);
    let proved = families(&text, 1..=3, true);
    let searched = families(&text, 1..=6, false);
    for (family, larger) in proved.iter().zip(&searched) {
        let key = match &family.names[0].proof {
            Proof::Proved(proved) => {
                for row in larger.names[0]
                    .rows
                    .iter()
                    .filter(|r| r.size >= proved.from)
                {
                    let expected = if proved.holds { 'p' } else { 'f' };
                    assert_eq!(
                        letter(row),
                        expected,
                        "{proved:?} at {}:\n{}\n{text}",
                        row.size,
                        family.text
                    );
                }
                format!("{} {}", proved.theorem.name(), proved.from)
            }
            Proof::Unproved(reasons) => {
                assert!(!reasons.is_empty() && reasons.iter().all(|r| !r.reason.why.is_empty()));
                "not proved".to_owned()
            }
            other => panic!("{other:?}: {}\n{text}", family.text),
        };
        *counts.entry(key).or_default() += 1;
    }
}

/// `PROPTEST_CASES=400 PROPTEST_RNG_SEED=7 cargo laws what_is_proved` tries 2,000 assertions.
#[test]
fn what_is_proved_of_random_scripts_holds_at_larger_sizes() {
    let seed = std::env::var("PROPTEST_RNG_SEED").ok();
    let seed: u64 = seed.and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = Random(seed);
    let mut counts = std::collections::BTreeMap::new();
    let cases = tiers::cases(160);
    for _ in 0..cases {
        held_to_larger_sizes(&mut random, &mut counts);
    }
    if tiers::is_thorough() {
        say(&format!("{counts:?}"));
    }
    assert!(
        counts.keys().any(|key| key.starts_with("nobody compares")),
        "{counts:?}"
    );
    // A short run may meet none.
    let is_long = cases >= 40;
    let mut keys = counts.keys();
    assert!(
        !is_long || keys.any(|key| key.starts_with("remembered values")),
        "{counts:?}"
    );
}
