//! Any number of components and of data at once: scripts for which that must not be said come first, then random families
//! that pass data on, of which no pair of sizes may refute what was proved.

use std::path::Path;

use orbitscope::report::families::{FamilyOutcome, FamilyRequest};
use orbitscope::report::together::TogetherAnswer;
use orbitscope::script::load::load_text;
use orbitscope::script::sizes::SizedScript;
use orbitscope::source::{Bounds, Cancel};
use orbitscope::symmetry::StrategyKind;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::random_scripts::Dice;
use crate::support::sized::{list_stack, resized, values};
use crate::support::{bounded, check, options, oracle, say, tiers, verdict};

/// Searches that take more states are given up.
const STATES_MAX: usize = 20_000;

/// The first assertion of a script with so many components and data.
fn family(text: &str) -> FamilyOutcome {
    let bounds = Bounds::default();
    let script = SizedScript::of_text(Path::new("together.csp"), text, &bounds);
    let written = script.as_written(&bounds);
    assert!(!written.has_errors(), "{text}\n{:?}", written.diagnostics);
    let options = bounded(options(None, StrategyKind::Exact, 1), STATES_MAX);
    let request = FamilyRequest {
        script: &script,
        written: &written,
        of: &["ThreadID".to_owned(), "Data".to_owned()],
        sizes: 1..=3,
        options: &options,
        timeout: None,
        proves: true,
        cancel: &Cancel::default(),
    };
    request.run(1, &mut |_, _| {})
}

/// What is said of both; `None` if nothing is.
fn answer(text: &str) -> Option<TogetherAnswer> {
    let mut pairs = family(text).together.into_iter();
    let answer = pairs.next()?.answer;
    assert!(pairs.next().is_none(), "{text}");
    Some(answer)
}

fn at_size(text: &str, threads: usize, data: usize) -> String {
    let sizes = [
        ("ThreadID", values("T", threads)),
        ("Data", values("D", data)),
    ];
    resized(text, &sizes).replace(" :[symmetry reduce]", "")
}

/// Whether it holds with so many threads and data; `None` if the search is too large.
fn holds_at(text: &str, threads: usize, data: usize) -> Option<bool> {
    let text = at_size(text, threads, data);
    let loaded = load_text(Path::new("together.csp"), &text);
    assert!(!loaded.has_errors(), "{text}\n{:?}", loaded.diagnostics);
    let options = bounded(options(None, StrategyKind::Exact, 1), STATES_MAX);
    match verdict(&check(&loaded, 1, &options)).as_str() {
        "pass" => Some(true),
        "fail" => Some(false),
        other if other.starts_with("inconclusive") => None,
        other => panic!("{text}\n{other}"),
    }
}

/// The verdicts with so many threads, for 1 to 4 data.
fn verdicts(text: &str, threads: usize) -> String {
    let letter = |data| match holds_at(text, threads, data) {
        Some(true) => 'p',
        Some(false) => 'f',
        None => '?',
    };
    (1..=4).map(letter).collect()
}

#[test]
fn the_list_stack_is_proved_for_any_number_of_threads_and_of_data() {
    let Some(folder) = oracle("together") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("families/list_stack_2_2.csp"));
    let text = text.expect("a script");
    // As many data as are written, and two where only one is.
    for (data, decided_with) in [(1, 2), (2, 2), (3, 3)] {
        let text = list_stack(&text, [2, 3, data]);
        match answer(&text) {
            Some(TogetherAnswer::Proved { from, enough, at }) => {
                assert_eq!((from, enough.size, at.0), (1, 2, decided_with));
                // Its specification names no thread.
                assert_eq!(enough.components, 1);
            }
            other => panic!("{data}: {other:?}"),
        }
    }
    assert!((1..=3).all(|threads| verdicts(&text, threads) == "pppp"));
}

/// What the scripts here begin with: the threads of a family, which a controller follows.
const HEAD: &str = "datatype ThreadID = T0 | T1\ndatatype Data = D0 | D1\nchannel a, b, e : ThreadID.Data\n\
    channel o, p : Data\nchannel d\nThread(me) = a.me?x -> Thread(me) [] b.me?x -> Thread(me) [] e.me?x -> Thread(me)\n\
    Threads = ||| t : ThreadID @ Thread(t)\nSystem = Threads [|{|a, b, e|}|] Controller\n\
    Any = a?t?x -> Any [] b?t?x -> Any [] e?t?x -> Any [] o?x -> Any [] p?x -> Any [] d -> Any\n";

/// A controller that reads three data and writes two.
const CHOOSING: &str = "Controller = a?t?x -> b?u?y -> e?v?z -> o!x -> p!y -> d -> STOP\n\
    Choose(x, y, z) = o!x -> (p!y -> STOP [] p!z -> d -> STOP) [] o!y -> p?_ -> d -> STOP\n  \
    [] o!z -> p?_ -> d -> STOP\n";

#[track_caller]
fn undecided(text: &str, why: &str) {
    match answer(text) {
        Some(TogetherAnswer::Undecided(reason)) => {
            assert!(reason.why.contains(why), "{reason:?}\n{text}");
        }
        other => panic!("{other:?}\n{text}"),
    }
}

/// One thread alone leaves the specification no way to tell data apart.
#[test]
fn a_specification_that_tells_data_apart_with_two_threads_alone_is_found_out() {
    let spec = "Spec = a?t?x -> b?u?y -> e?v?z -> if t == u then Any else Choose(x, y, z)\n";
    let text = format!("{HEAD}{CHOOSING}{spec}assert Spec [T= System\n");
    assert_eq!(verdicts(&text, 1), "pppp");
    assert_eq!(verdicts(&text, 2), "ppff");
    for threads in 1..=2 {
        let text = at_size(&text, threads, 2);
        undecided(&text, "the specification");
    }
}

#[test]
fn data_that_are_compared_are_told() {
    let different = "Controller = a?t?x -> b?u?y -> e?v?z -> if x != y and y != z and x != z then o!x -> STOP else STOP\n\
        Spec = a?t?x -> Spec [] b?t?x -> Spec [] e?t?x -> Spec\n";
    let text = format!("{HEAD}{different}assert Spec [T= System\n");
    assert_eq!(verdicts(&text, 1), "ppff");
    assert_eq!(verdicts(&text, 3), "ppff");
    undecided(&text, "compared");
}

/// What holds with one value fails with two, which are enough.
#[test]
fn more_data_than_are_written_are_looked_at() {
    let second = "Controller = a?t?x -> b?u?y -> o!y -> Controller\n\
        Spec = a?t?x -> b?u?y -> o!x -> Spec\n";
    let text = format!("{HEAD}{second}assert Spec [T= System\n");
    assert_eq!(verdicts(&text, 2), "pfff");
    let one = at_size(&text, 2, 1);
    let found = answer(&one);
    assert!(matches!(found, Some(TogetherAnswer::Fails(2))), "{found:?}");
    // Where a failing size is written, nothing holds for any number of threads.
    assert!(answer(&text).is_none());
    let same = text.replace("o!y", "o!x");
    let one = at_size(&same, 2, 1);
    let Some(TogetherAnswer::Proved { from, at, .. }) = answer(&one) else {
        panic!("{same}");
    };
    assert_eq!((from, at.0), (1, 2));
}

#[test]
fn a_specification_about_the_number_of_threads_is_refused() {
    let counting = "Controller = a?t?x -> o!x -> Controller\n\
        Spec(n) = n > 0 & a?t?x -> o!x -> Spec(n-1)\nassert Spec(card(ThreadID)) [T= System\n";
    assert!(answer(&format!("{HEAD}{counting}")).is_none());
    // Components that it chooses are not in its traces.
    let choosing = "Controller = a?t?x -> o!x -> Controller\n\
        Spec = |~| u : ThreadID @ a?t?x -> o!x -> Spec\nassert Spec [T= System\n";
    undecided(
        &format!("{HEAD}{choosing}"),
        "`|~|` chooses a value of `ThreadID`",
    );
}

#[test]
fn a_family_that_fails_is_said_to_hold_nowhere() {
    let bounded = "Controller = a?t?x -> o!x -> Controller\nSpec(n) = n > 0 & a?t?x -> o!x -> Spec(n-1)\n\
        assert Spec(3) [T= System\n";
    assert!(answer(&format!("{HEAD}{bounded}")).is_none());
    let failures = "Controller = a?t?x -> o!x -> Controller\nSpec = a?t?x -> o!x -> Spec\nassert Spec [F= System\n";
    assert!(answer(&format!("{HEAD}{failures}")).is_none());
}

// -------------------------------------------------------------------------------------------------- random families

/// A random process: states that hold up to a thread and two data.
struct Shape {
    name: &'static str,
    /// Whether all states hold their own thread, and no other.
    member: bool,
    is_specification: bool,
}

/// A state: whether it holds a thread beside its own, and how many data.
type Held = (bool, usize);

impl Shape {
    fn text(&self, dice: &mut Dice<'_>) -> String {
        let mut states: Vec<Held> = vec![(false, 0)];
        for _ in 0..=dice.below(2) {
            states.push((!self.member && dice.below(2) == 0, dice.below(3)));
        }
        let each = (0..states.len()).map(|n| self.state(dice, &states, n));
        each.collect()
    }

    fn state(&self, dice: &mut Dice<'_>, states: &[Held], n: usize) -> String {
        let (thread, data) = states[n];
        let data = &["x", "y"][..data];
        let mut steps = Vec::new();
        for channel in ["a", "b", "c", "e"] {
            let offers = self.is_specification && dice.below(8) > 0 || dice.below(2) == 0;
            if offers {
                steps.extend(self.step(dice, channel, (thread, data), states));
            }
        }
        if steps.is_empty() {
            steps.push("STOP".to_owned());
        }
        let operator = match !self.is_specification && dice.below(4) == 0 {
            true => " |~| ",
            false => " [] ",
        };
        let mut body = steps.join(operator);
        if data.len() == 2 && dice.below(12) == 0 {
            let stays = self.call(dice, thread.then_some("t"), data, states);
            body = format!("if x == y then {stays} else ({body})");
        }
        let head = self.named(n, thread.then_some("t"), data);
        format!("{head} = {body}\n")
    }

    fn step(
        &self,
        dice: &mut Dice<'_>,
        channel: &str,
        (thread, data): (bool, &[&str]),
        states: &[Held],
    ) -> Option<String> {
        let mut known = data.to_vec();
        let (mut head, mut compares) = (channel.to_owned(), false);
        if channel != "c" {
            let names = self.member || thread && dice.below(2) == 0;
            head += match (self.member, names) {
                (true, _) => ".me",
                (false, true) => ".t",
                (false, false) => "?u",
            };
            compares = thread && !names && self.is_specification && dice.below(3) == 0;
        }
        if channel != "e" {
            let writes = !data.is_empty() && dice.below(2) == 0;
            match writes {
                true => head += &format!("!{}", data[dice.below(data.len())]),
                false => {
                    head += "?z";
                    known.push("z");
                }
            }
        }
        // The thread that is read, or the one that is held.
        let reads = head.contains("?u");
        let kept = match reads && (!thread || dice.below(2) == 0) {
            true => Some("u"),
            false => thread.then_some("t"),
        };
        let next = self.call(dice, kept, &known, states);
        let other = self.call(dice, thread.then_some("t"), data, states);
        Some(match compares {
            true => format!("({head} -> if t == u then {other} else {next})"),
            false => format!("({head} -> {next})"),
        })
    }

    /// A state for which enough is known.
    fn call(
        &self,
        dice: &mut Dice<'_>,
        thread: Option<&str>,
        known: &[&str],
        states: &[Held],
    ) -> String {
        let n = dice.below(states.len());
        let (needs, data) = states[n];
        if needs && thread.is_none() || data > 0 && known.is_empty() {
            return self.named(0, None, &[]);
        }
        let data: Vec<&str> = (0..data).map(|_| known[dice.below(known.len())]).collect();
        self.named(n, thread.filter(|_| needs), &data)
    }

    fn named(&self, n: usize, held: Option<&str>, data: &[&str]) -> String {
        let own = self.member.then_some("me");
        let arguments: Vec<&str> = own
            .into_iter()
            .chain(held)
            .chain(data.iter().copied())
            .collect();
        match &arguments[..] {
            [] => format!("{}{n}", self.name),
            all => format!("{}{n}({})", self.name, all.join(", ")),
        }
    }
}

/// Members, a rest and a specification.
fn generate(bytes: &[u8]) -> String {
    let dice = &mut Dice(bytes.iter());
    let (threads, data) = (1 + dice.below(3), 1 + dice.below(2));
    let mut text = format!(
        "datatype ThreadID = {}\ndatatype Data = {}\nchannel a, b : ThreadID.Data\nchannel c : Data\nchannel e : ThreadID\n",
        values("T", threads),
        values("D", data)
    );
    for (name, member, is_specification) in
        [("M", true, false), ("R", false, false), ("S", false, true)]
    {
        let shape = Shape {
            name,
            member,
            is_specification,
        };
        text += &shape.text(dice);
    }
    let synced = ["{|a|}", "{|a, b|}", "{|a, b, e|}", "{|b, c|}", "{}"][dice.below(5)];
    let hidden = ["{}", "{}", "{|a|}", "{|c|}", "{|b|}"][dice.below(5)];
    text + &format!(
        "System = ((||| x : ThreadID @ M0(x)) [|{synced}|] R0) \\ {hidden}\nassert S0 [T= System\n"
    )
}

/// What became of the random families.
#[derive(Debug, Default)]
struct Tally {
    proved: usize,
    /// Those where the specification was compared with several components.
    of_several: usize,
    failed: usize,
    undecided: usize,
    silent: usize,
    /// Sizes at which a search was too large.
    open: usize,
    /// Sizes that were compared.
    compared: usize,
}

/// The most components and data that are tried.
const TRIED: usize = 4;

fn tried(text: &str, tally: &mut Tally) -> Result<(), TestCaseError> {
    match answer(text) {
        Some(TogetherAnswer::Proved { from, enough, .. }) => {
            tally.proved += 1;
            tally.of_several += usize::from(enough.components > 1);
            for threads in from..=TRIED.max(from + 1) {
                for data in 1..=TRIED {
                    match holds_at(text, threads, data) {
                        Some(holds) => {
                            prop_assert!(
                                holds,
                                "{text}\nproved, but it fails with {threads} threads and {data} data"
                            );
                            tally.compared += 1;
                        }
                        None => tally.open += 1,
                    }
                }
            }
        }
        Some(TogetherAnswer::Fails(data)) => {
            tally.failed += 1;
            let fails = (1..=8).map(|threads| holds_at(text, threads, data));
            let found: Vec<Option<bool>> = fails.take_while(|f| *f != Some(false)).collect();
            prop_assert!(
                found.len() < 8 || found.contains(&None),
                "{text}\nno number of threads to 8 fails"
            );
        }
        Some(TogetherAnswer::Undecided(reason)) => {
            prop_assert!(!reason.why.is_empty());
            tally.undecided += 1;
        }
        Some(TogetherAnswer::Error(error)) => {
            prop_assert!(false, "{text}\n{} {}", error.code, error.message);
        }
        None => tally.silent += 1,
    }
    Ok(())
}

#[test]
fn what_is_proved_of_random_families_with_data_holds_at_all_sizes() {
    let tally = std::cell::RefCell::new(Tally::default());
    let cases = tiers::cases(320);
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let bytes = proptest::collection::vec(any::<u8>(), 192);
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let run = runner.run(&bytes, |bytes| {
        tried(&generate(&bytes), &mut tally.borrow_mut())
    });
    let tally = tally.into_inner();
    if let Err(error) = run {
        panic!("{error}");
    }
    if tiers::is_thorough() {
        say(&format!("{tally:?}"));
    }
    if cases >= 20 {
        assert!(tally.proved > 0, "{tally:?}");
    }
}
