//! Names, types and symmetric types of small scripts.

use std::path::Path;
use std::time::Duration;

use crate::support::front::{checked, errors};
use crate::support::thread_time;
use orbitscope::script::core::{ExprKind, GlobalId, GlobalKind};
use orbitscope::script::load::{load_sent, load_text};
use orbitscope::script::report;
use orbitscope::script::symmetric::{self, SymmetricType, Trust};
use orbitscope::script::{Checked, check_within};
use orbitscope::source::{Bounds, Cancel, Diagnostic, Limits, WorkStage};
use orbitscope::syntax::parse_text_within;

/// The text that a diagnostic points at.
fn place<'a>(checked: &'a Checked, d: &Diagnostic) -> &'a str {
    d.span.map_or("", |s| checked.script.sources.text(s))
}

#[track_caller]
fn one_error(text: &str, code: &str, at: &str) -> Diagnostic {
    let checked = checked(text);
    let found: Vec<(&str, &str)> = errors(&checked)
        .into_iter()
        .map(|d| (d.code, place(&checked, d)))
        .collect();
    assert_eq!(found, [(code, at)]);
    errors(&checked)[0].clone()
}

#[track_caller]
fn fine(text: &str) -> Checked {
    let checked = checked(text);
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    checked
}

#[track_caller]
fn has_type(text: &str, name: &str, ty: &str) {
    let checked = fine(text);
    let at = checked.script.globals.iter().position(|g| &*g.name == name);
    let id = GlobalId(at.expect("the name is defined") as u32);
    assert_eq!(checked.types.show(id), ty);
}

// ---------------------------------------------------------------------------------------- names

#[test]
fn unbound_name_suggests_the_nearest() {
    let d = one_error("channel push : {0..3}\nP = puhs?x -> P", "E0201", "puhs");
    assert_eq!(d.notes, ["did you mean `push`?"]);
}

#[test]
fn broken_part_leaves_the_rest_usable() {
    let checked = checked("channel a\nP = a -> Q(1)\nR = a -> R");
    assert_eq!(checked.script.globals.len(), 2);
    let GlobalKind::Value(p) = &checked.script.globals[0].kind else {
        panic!("P is a value");
    };
    assert!(matches!(p.kind, ExprKind::Prefix { .. }));
}

#[test]
fn clauses_with_different_parameters_show_both_places() {
    let d = one_error("f(x) = x\nf(x, y) = y", "E0204", "f(x, y) = y");
    assert_eq!(d.labels[0].text, "1 parameter here");
}

#[test]
fn clauses_apart_are_reported() {
    one_error("f(0) = 1\ng = 2\nf(1) = 0", "E0203", "f");
}

#[test]
fn duplicates_are_reported_once() {
    let d = one_error("x = 1\nx = 2", "E0202", "x");
    assert_eq!(d.labels[0].text, "first defined here");
    one_error("datatype T = A | A", "E0202", "A");
    one_error("P = let Q = 1\n Q = 2 within Q", "E0202", "Q");
}

#[test]
fn variables_bind_once_in_a_clause() {
    one_error("f(x, x) = x", "E0205", "x");
    one_error("f(x)(x) = x", "E0205", "x");
    one_error("X = {x | x <- {1}, x <- {2}}", "E0205", "x");
    fine("f(x) = \\ x @ x");
}

#[test]
fn constructors_and_channels_are_constants_in_patterns() {
    let checked = fine("datatype T = A | B\nf(A) = 1\nf(other) = 2");
    assert_eq!(checked.script.locals.len(), 1);
}

#[test]
fn sequence_patterns_have_one_open_part() {
    fine("f(<x>^s^<y>) = (x, s, y)");
    one_error("f(s^t) = 1", "E0206", "t");
}

#[test]
fn builtins_can_be_redefined_and_must_be_declared() {
    fine("RUN(A) = [] x : A @ x -> RUN(A)\nP = RUN({})");
    one_error("P = normal(STOP)", "E0212", "normal");
    fine("transparent normal\nP = normal(STOP)");
    one_error("external nonsense", "E0213", "nonsense");
}

#[test]
fn later_fields_see_earlier_variables() {
    fine("channel c : {0..3}.{0..3}\nP = c?x?y:{x..3} -> c!x!y -> P");
    let text = "channel c : {0..3}.{0..3}\nP = c?x:{y}?y -> P";
    one_error(text, "E0201", "y");
}

#[test]
fn only_the_alphabet_of_alphabetised_parallel_sees_the_variables() {
    fine("channel c : {0..3}\nP = || i : {0..3} @ [{c.i}] c.i -> STOP");
    let text = "channel c : {0..3}\nP = [|{c.i}|] i : {0..3} @ c.i -> STOP";
    one_error(text, "E0201", "i");
}

#[test]
fn top_level_patterns_define_all_their_variables() {
    let checked = fine("(a, <b>) = (1, <true>)\nc = if b then a else 0");
    let names: Vec<&str> = checked.script.globals.iter().map(|g| &*g.name).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn assertion_text_is_folded() {
    let checked = fine("P = STOP\nassert   P\n  [T= STOP -- why\n");
    assert_eq!(&*checked.script.assertions[0].text, "P [T= STOP");
}

// ---------------------------------------------------------------------------------------- types

#[test]
fn inferred_types_are_shown() {
    has_type("f(x, y) = x + y", "f", "(Int, Int) -> Int");
    has_type("id(x) = x", "id", "(a) -> a");
    let curried = "Eq a => (a) -> (a) -> Bool";
    has_type("f(x)(y) = x == y", "f", curried);
    let c = "channel c : {0..3}.Bool\n";
    has_type(&format!("{c}f = c"), "f", "Int=>Bool=>Event");
    has_type(&format!("{c}f = c.0"), "f", "Bool=>Event");
    let p = "channel c : {0..3}\nP(x) = c!x -> P(x)";
    has_type(p, "P", "(Int) -> Proc");
    let f = "datatype T = A | B.Bool\nf(A) = {}\nf(B.x) = {x}";
    has_type(f, "f", "(T) -> {Bool}");
    let m = "m = mapUpdate(emptyMap, 1, true)";
    has_type(m, "m", "(| Int => Bool |)");
}

#[test]
fn a_last_variable_takes_the_remaining_fields() {
    let text = "channel c, d : {0..3}.Bool\nP(x) = d!x -> P(x)\nQ = c?x -> P(x)";
    has_type(text, "P", "(Int.Bool) -> Proc");
}

#[test]
fn lets_are_polymorphic() {
    fine("f = let id(x) = x within (id(1), id(true))");
    let text = "even(n) = if n == 0 then true else odd(n-1)\nodd(n) = not even(n)";
    has_type(text, "odd", "(Int) -> Bool");
}

#[test]
fn channels_as_parameters_are_accepted() {
    let declared = "channel c : {0..3}\nchannel d : Bool\n";
    let copy = "Copy(l, r) = l?x -> r!x -> Copy(l, r)\nP = Copy(c, c) ||| Copy(d, d)";
    fine(&format!("{declared}{copy}"));
    let rename = "P = STOP [[ c <- c ]]\nQ(x) = STOP [[ x <- c.0 ]]";
    fine(&format!("{declared}{rename}"));
}

#[test]
fn a_number_is_not_a_process() {
    let d = one_error("channel a\nP = a -> 3", "E0301", "3");
    assert_eq!(d.message, "expected Proc, found Int");
    one_error("channel a\nP = (a -> STOP) [] 4", "E0301", "4");
}

#[test]
fn plain_slips_are_found() {
    one_error("x = true + 1", "E0301", "true");
    one_error("f(x) = x\ny = f(1, 2)", "E0305", "f(1, 2)");
    one_error("x = head({1})", "E0301", "{1}");
    one_error("x = {y | y <- <1, 2>}", "E0301", "<1, 2>");
    one_error("P = ; x : {1} @ STOP", "E0301", "{1}");
    one_error("x = 3(4)", "E0304", "3");
    one_error("x = <1, true>", "E0301", "true");
    one_error("x = if 1 then 2 else 3", "E0301", "1");
    one_error("x = if true then 2 else false", "E0301", "false");
    one_error("x = STOP == SKIP", "E0303", "STOP");
    one_error("f(x) = f", "E0302", "f");
}

#[test]
fn fields_are_checked() {
    let c = "channel c : {0..3}.Bool\n";
    one_error(&format!("{c}P = c.true -> STOP"), "E0301", "true");
    one_error(&format!("{c}P = c.1 -> STOP"), "E0306", "c.1");
    let long = format!("{c}P = c.1.true.2 -> STOP");
    one_error(&long, "E0307", "c.1.true.2");
    one_error(&format!("{c}P = c?x:Bool!true -> STOP"), "E0301", "x");
    one_error("datatype T = A.{0..3}\nx = A.true", "E0301", "true");
    one_error("datatype T = A.{0..3}\nf(A.x) = not x", "E0301", "x");
}

#[test]
fn annotations_are_checked() {
    fine("f :: (Int) -> Int\nf(x) = x");
    fine("f :: Eq a => (a, {a}) -> Bool\nf(x, s) = member(x, s)");
    one_error("x :: Bool\nx = 3", "E0301", "3");
    let d = one_error("f :: (a) -> a\nf(x) = x + 1", "E0310", "x");
    assert!(d.labels.iter().any(|l| l.text == "the annotation"));
    one_error("g :: Int\nf = 1", "E0210", "g");
    one_error("f :: Nonsense\nf = 1", "E0308", "Nonsense");
}

#[test]
fn all_errors_are_reported() {
    let text = "x = 1 + true\ny = unknown\nz = head(1)\nf(a) = 1\nf(a, b) = 2";
    let checked = checked(text);
    let codes: Vec<&str> = errors(&checked).iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E0301", "E0201", "E0301", "E0204"]);
}

#[test]
fn deep_nesting_is_no_problem() {
    let sum = vec!["1"; 3_000].join(" + ");
    fine(&format!("x = {sum}"));
}

// ------------------------------------------------------------------------------------- symmetry

/// A stack of linked cells, much smaller than the one of the paper.
const STACK: &str = "
datatype Cell = Nil | C1 | C2 | C3
RealCell = diff(Cell, {Nil})
datatype Worker = W1 | W2
datatype Item = X | Y
channel init : Worker.RealCell.Item.Cell
channel read : Worker.RealCell.Item.Cell
channel top, swing : Worker.Cell
channel empty : Worker
channel debug : Cell
Free(me) = init?w!me?item?next -> Used(me, item, next)
Used(me, item, next) = read?w!me!item!next -> Free(me)
Top(c) = top?w!c -> Top(c) [] swing?w?d -> Top(d)
Work(w) = top.w?c -> if c == Nil then empty.w -> Work(w)
          else read.w.c?item?next -> swing.w!next -> Work(w)
Cells = ||| c : RealCell @ Free(c)
System = (||| w : Worker @ Work(w)) [| {| init, read, top, swing |} |] (Cells ||| Top(Nil))
Unrelated = debug.C2 -> STOP
Spec = CHAOS({| empty |})
assert Spec [T= System
";

fn shown(checked: &Checked, found: &[SymmetricType]) -> Vec<String> {
    found.iter().map(|t| t.show(&checked.script)).collect()
}

#[test]
fn largest_symmetric_types_of_an_assertion() {
    let checked = fine(STACK);
    let (script, types) = (&checked.script, &checked.types);
    let found = symmetric::of_assertion(script, types, &script.assertions[0], Trust::Nothing);
    let expected = ["diff(Cell, {|Nil|})", "Worker", "Item"];
    assert_eq!(shown(&checked, &found), expected);
    assert!(found.iter().all(SymmetricType::is_usable));
    let whys: Vec<&str> = found[0].named().map(|(_, place)| &*place.why).collect();
    assert_eq!(whys, ["named here"; 3]);
}

#[test]
fn the_whole_script_names_more() {
    let checked = fine(STACK);
    let found = symmetric::whole_script(&checked.script, &checked.types, Trust::Nothing);
    let expected = ["diff(Cell, {|Nil, C2|})", "Worker", "Item"];
    assert_eq!(shown(&checked, &found), expected);
}

/// What comes of a request in the only assertion.
fn requested(checked: &Checked) -> Result<Vec<SymmetricType>, Vec<Diagnostic>> {
    let script = &checked.script;
    let specs = script.assertions[0].symmetry.clone().unwrap_or_default();
    let roots = script.assertions[0].roots();
    symmetric::explicit(script, &checked.types, &specs, &roots, Trust::Nothing)
}

#[test]
fn an_explicit_request_that_fails_shows_the_constant() {
    let request = "[T= System :[symmetry reduce]: Cell, Worker";
    let checked = fine(&STACK.replace("[T= System", request));
    let bad = requested(&checked).expect_err("Nil is named");
    assert_eq!(bad.len(), 1);
    assert_eq!(bad[0].code, "E0501");
    assert_eq!(place(&checked, &bad[0]), "Nil");
    assert_eq!(bad[0].label, "`Nil` is named here");
    assert_eq!(bad[0].notes, ["it is symmetric in diff(Cell, {|Nil|})"]);
}

#[test]
fn an_explicit_request_may_fix_constructors() {
    let request = "[T= System :[symmetry reduce]: diff(Cell, {|Nil, C1|})";
    let checked = fine(&STACK.replace("[T= System", request));
    let good = requested(&checked).expect("it is constant-free");
    assert_eq!(good[0].members.len(), 2);
}

#[test]
fn a_symmetric_datatype_of_one_value_deserves_a_word() {
    let text = "datatype One = A\ndatatype Two = B | C\ndatatype Other = D\nchannel c : One.Two\nchannel d : Other\n\
        P = c?x?y -> P\nassert P :[deadlock free]";
    let warned = |options: &str| -> Vec<(String, String)> {
        let loaded = load_text(Path::new("one.csp"), &format!("{text} {options}"));
        let all = loaded.diagnostics.iter().filter(|d| d.code == "W0107");
        let place = |d: &Diagnostic| d.span.map(|span| loaded.sources.text(span).to_owned());
        all.map(|d| (place(d).unwrap_or_default(), d.message.clone()))
            .collect()
    };
    let expected = |place: &str, message: &str| vec![(place.to_owned(), message.to_owned())];
    let one = "`One` is to be symmetric and has only one value to permute";
    assert_eq!(warned(":[symmetry reduce]: One, Two"), expected("One", one));
    // Of the types that are found symmetric, those that the process meets.
    assert_eq!(warned(":[symmetry reduce]"), expected("One", one));
    assert_eq!(
        warned(":[symmetry reduce]: diff(Two, {|B|})"),
        expected(
            "diff(Two, {|B|})",
            "of `Two` only `C` is left to be permuted"
        )
    );
    // Nobody has asked for symmetry.
    assert_eq!(warned(""), []);
    assert_eq!(warned(":[symmetry reduce]: Two"), []);
}

/// The symmetric types of `P`.
fn of_p(text: &str, trust: Trust) -> Vec<String> {
    let types = "datatype T = A | B\ndatatype U = C | D";
    let checked = fine(&format!("{types}\n{text}\nassert P :[deadlock free]"));
    let assertion = &checked.script.assertions[0];
    let found = symmetric::of_assertion(&checked.script, &checked.types, assertion, trust);
    shown(&checked, &found)
}

const NO_T: &str = "diff(T, {|A, B|})";
const NO_U: &str = "diff(U, {|C, D|})";

#[test]
fn builtins_that_see_an_order_exclude_the_types_they_see() {
    let text = "channel c : T\nP = c!head(seq(T)) -> STOP";
    assert_eq!(of_p(text, Trust::Nothing), [NO_T, "U"]);
    // Through a polymorphic function.
    let text = "first(s) = head(seq(s))\nchannel c : T.U\nP = c!first(T)?u -> STOP";
    assert_eq!(of_p(text, Trust::Nothing), [NO_T, "U"]);
    let text = "external chase\nchannel c : T\nP = chase(c?x -> STOP)";
    assert_eq!(of_p(text, Trust::Events), [NO_T, NO_U]);
}

#[test]
fn events_are_trusted_only_on_request() {
    let text = "channel c : T\nP = ; e : seq({|c|}) @ e -> SKIP";
    assert_eq!(of_p(text, Trust::Nothing), [NO_T, NO_U]);
    assert_eq!(of_p(text, Trust::Events), ["T", "U"]);
}

#[test]
fn patterns_subtypes_channels_and_errors() {
    let text = "f(A) = STOP\nf(x) = SKIP\nP = f(head(<>))";
    assert_eq!(of_p(text, Trust::Nothing), ["diff(T, {|A|})", "U"]);
    let text = "subtype S = C\nchannel c : S\nP = c?x -> STOP";
    assert_eq!(of_p(text, Trust::Nothing), ["T", "diff(U, {|C|})"]);
    let text = "channel c : diff(T, {B})\nP = c?x -> STOP";
    assert_eq!(of_p(text, Trust::Nothing), ["diff(T, {|B|})", "U"]);
    let text = "channel c : T\nP = c?x -> error(show(x))";
    assert_eq!(of_p(text, Trust::Nothing), ["T", "U"]);
}

/// How much there is to say about the symmetry of a script with `n` values, each of which is named,
/// and seen by `seq`, in a definition that only the one before mentions.
fn said_of_symmetry(n: usize) -> usize {
    let values: Vec<String> = (0..n).map(|i| format!("C{i}")).collect();
    let mut text = format!("datatype T = {}\nchannel c : T\n", values.join(" | "));
    for i in 0..n {
        let next = (i + 1) % n;
        text += &format!("P{i} = c.head(seq({{C{i}}})) -> P{next}\n");
    }
    text += "assert P0 :[deadlock free]\n";
    let checked = fine(&text);
    let whole = report::whole(&checked.script, &checked.types);
    assert!(whole[0].members.is_empty());
    let breaks = whole[0].breaks.iter();
    breaks.map(|b| 1 + b.values.len() + b.via.len()).sum()
}

#[test]
fn what_is_said_of_symmetry_grows_with_the_script_and_not_with_its_square() {
    let (small, large) = (said_of_symmetry(300), said_of_symmetry(600));
    assert!(small > 600, "two places a value: {small}");
    assert!(large < small * 5 / 2, "{small} and {large}");
}

#[test]
fn long_ways_are_shown_at_both_ends() {
    let steps: String = (0..99).map(|i| format!("P{i} = P{}\n", i + 1)).collect();
    let text = format!("datatype T = A | B\n{steps}P99 = head(<A>)\nassert P0 :[symmetric]: T");
    let checked = fine(&text);
    let whole = report::whole(&checked.script, &checked.types);
    let names: Vec<&str> = whole[0].breaks[0].via.iter().map(|(n, _)| &**n).collect();
    assert_eq!(names.len(), 41);
    assert_eq!((names[0], names[19]), ("P0", "P19"));
    assert_eq!(names[20], "… 60 more …");
    assert_eq!((names[21], names[40]), ("P80", "P99"));
    // It stands for those that are left out: the one before it mentions the first of them.
    let text_at = |at: usize| checked.script.sources.text(whole[0].breaks[0].via[at].1);
    assert_eq!(text_at(20), "P20");
    assert_eq!(text_at(21), "P80");
}

#[test]
fn internal_choices_come_first() {
    let c = "channel c : {0..3}.{0..3}\n";
    fine(&format!("{c}P = c$x?y -> P"));
    one_error(&format!("{c}P = c?x$y -> P"), "E0218", "y");
}

#[test]
fn frequent_slips_get_a_hint() {
    let d = one_error("channel c : Bool\nP = STOP \\ {c}", "E0301", "{c}");
    assert!(d.notes[0].starts_with("`{| c |}`"), "{:?}", d.notes);
    let d = one_error("channel a\nP = a -> a", "E0301", "a");
    assert!(d.notes[0].contains("`e -> P`"), "{:?}", d.notes);
}

/// What is said of a script that is read and checked within bounds.
fn within(text: &str, bounds: &Bounds) -> Vec<Diagnostic> {
    let parsed = parse_text_within(Path::new("test.csp"), text, bounds);
    let mut all = parsed.diagnostics;
    all.extend(check_within(parsed.file, parsed.sources, bounds).diagnostics);
    all
}

/// `d0(x) = (x, x)`, and each next function is the one before, applied twice: the type of the twentieth
/// has 2^(2^20) parts.
fn exponential() -> String {
    let mut text = String::from("d0 = \\x @ (x, x)\n");
    for i in 1..=20 {
        let before = i - 1;
        text += &format!("d{i} = \\x @ d{before}(d{before}(x))\n");
    }
    text + "k = d20(\\z @ z)\n"
}

/// The time that deep nests take is about that of as many definitions side by side.
#[test]
fn deep_nests_do_not_take_long() {
    for text in [
        format!("f = {}x\n", "\\x @ ".repeat(4_000)),
        format!("s = {}{}\n", "{".repeat(9_900), "}".repeat(9_900)),
    ] {
        let begin = thread_time();
        let all = within(&text, &Bounds::default());
        assert!(all.is_empty(), "{:?}", all.first());
        let took = thread_time() - begin;
        assert!(took < Duration::from_secs(8), "{took:?}");
    }
}

#[test]
fn large_scripts_end_at_the_time_limit() {
    let undefined: String = (0..200_000).map(|i| format!("p{i} = q{i}\n")).collect();
    let long: String = (0..400_000).map(|i| format!("p{i} = {i} + 1\n")).collect();
    for (text, phase) in [
        (exponential(), "types were inferred"),
        (undefined, ""),
        (long, ""),
    ] {
        let limit = Duration::from_millis(100);
        let begin = thread_time();
        let bounds = Bounds::new(&Limits::default().with_timeout(limit), &Cancel::default());
        let all = within(&text, &bounds);
        let took = thread_time() - begin;
        assert!(took < Duration::from_secs(8), "{took:?}");
        let last = all.last().expect("it is said why");
        assert_eq!(last.code, "E0702", "{last:?}");
        assert!(last.message.starts_with("the time allowed is over while "));
        assert!(
            last.message.ends_with(phase) && last.span.is_some(),
            "{last:?}"
        );
        assert_eq!(all.iter().filter(|d| d.code == "E0702").count(), 1);
    }
}

#[test]
fn a_request_and_the_memory_end_the_front_end() {
    let cancel = Cancel::default();
    cancel.cancel();
    let all = within(&exponential(), &Bounds::new(&Limits::default(), &cancel));
    let said: Vec<(&str, &str)> = all.iter().map(|d| (d.code, &*d.message)).collect();
    assert_eq!(said, [("E0701", "cancelled while the script was read")]);
    let little = Limits::default().with_memory(1);
    let all = within("P = Q", &Bounds::new(&little, &Cancel::default()));
    assert_eq!(all.len(), 1, "what is unfinished is not wrong: {all:?}");
    assert_eq!(all[0].code, "E0707");
}

/// Those who wait are told how far reading is: lines, and then declarations with types.
#[test]
fn reading_notes_how_far_it_is() {
    let many: String = (0..300).map(|n| format!("f{n}(x) = x\n")).collect();
    let read = Cancel::default();
    let bounds = Bounds::new(&Limits::default(), &read);
    let parsed = parse_text_within(Path::new("test.csp"), &many, &bounds);
    assert!(parsed.diagnostics.is_empty());
    let reached = read.reached();
    assert!(
        matches!(reached, Some((WorkStage::Reading, lines)) if lines >= 299),
        "{reached:?}"
    );
    let types = Cancel::default();
    assert_eq!(within(&many, &Bounds::new(&Limits::default(), &types)), []);
    assert_eq!(types.reached(), Some((WorkStage::Typing, 299)));
}

#[test]
fn deep_scripts_are_checked_without_squaring_their_depth() {
    let bounds = Bounds::new(
        &Limits::default().with_timeout(Duration::from_secs(60)),
        &Cancel::default(),
    );
    let lambdas = format!("f = {}x\n", "\\x @ ".repeat(4_000));
    let sets = format!("s = {}{}\n", "{".repeat(9_900), "}".repeat(9_900));
    assert_eq!(within(&lambdas, &bounds), []);
    assert_eq!(within(&sets, &bounds), []);
}

#[test]
fn pieces_of_a_long_script_are_those_of_the_whole() {
    // Declarations of many lines cross every boundary between pieces.
    let one = |i: usize| {
        let inner: String = (0..i % 40).map(|j| format!("x{j} = {j}\n")).collect();
        format!("f{i}(x) =\n  let\n{inner}y = x\n  within\n  y +\n{i}\n")
    };
    let text: String = (0..1_500).map(one).collect();
    assert!(text.len() > 200_000);
    let parsed = parse_text_within(Path::new("test.csp"), &text, &Bounds::default());
    assert_eq!(parsed.diagnostics, []);
    assert_eq!(parsed.file.decls.len(), 1_500);
    let long = format!("s = <{}0>\nP = STOP\n", "0,\n".repeat(100_000));
    let parsed = parse_text_within(Path::new("test.csp"), &long, &Bounds::default());
    assert_eq!((parsed.diagnostics.len(), parsed.file.decls.len()), (0, 2));
}

/// Neither the file that an include names, which is there, nor any other.
#[test]
fn a_script_that_was_sent_reads_nothing_on_disk() {
    let there = crate::support::script("sent_part.csp", "channel a\n");
    let main = "include \"sent_part.csp\"\nP = a -> P\n".to_owned();
    let path = there.with_file_name("sent_main.csp");
    let alone = load_sent(vec![(path.clone(), main.clone())], &Bounds::default());
    let [error] = &alone.diagnostics[..] else {
        panic!("{:?}", alone.diagnostics);
    };
    assert!(
        error.message.ends_with("was not sent with the script"),
        "{}",
        error.message
    );
    let both = vec![(path, main), (there, "channel a\n".to_owned())];
    let both = load_sent(both, &Bounds::default());
    assert!(both.diagnostics.is_empty(), "{:?}", both.diagnostics);
    assert!(load_sent(Vec::new(), &Bounds::default()).has_errors());
}
