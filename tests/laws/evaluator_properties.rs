//! Values of random expressions against plain Rust: sets, sequences, maps, intervals, orders; and
//! reading back what is shown.

use crate::support::tiers;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use orbitscope::eval::Evaluator;
use orbitscope::script::load::load_text;
use orbitscope::source::{Cancel, Limits};
use proptest::prelude::*;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

/// Declarations that the expressions may use.
const PRELUDE: &str = "
datatype T = A | B | C.{ -2..2} | D.T.Bool
channel c : {0..99}.{0..99}
channel d : Int
";

/// The values of expressions, as text; an error as its code.
fn values(expressions: &[String]) -> Vec<String> {
    let mut text = PRELUDE.to_owned();
    for (i, e) in expressions.iter().enumerate() {
        text.push_str(&format!("x{i} = {e}\n"));
    }
    let loaded = load_text(Path::new("property.csp"), &text);
    assert!(!loaded.has_errors(), "{text}\n{:?}", loaded.diagnostics);
    let limits = Limits {
        elements_max: 50_000,
        depth_max: 20_000,
        ..Limits::default()
    };
    let mut e = Evaluator::new(loaded.script, &limits, Cancel::default());
    (0..expressions.len())
        .map(|i| match e.value_named(&format!("x{i}")) {
            Ok(v) => e.show(v),
            Err(d) => d.code.to_owned(),
        })
        .collect()
}

/// All of these must be true.
fn all_true(expressions: &[String]) -> Result<(), TestCaseError> {
    for (e, v) in expressions.iter().zip(values(expressions)) {
        prop_assert_eq!(&v, "true", "{}", e);
    }
    Ok(())
}

fn list(items: impl IntoIterator<Item = impl ToString>, open: &str, close: &str) -> String {
    let items: Vec<String> = items.into_iter().map(|i| i.to_string()).collect();
    format!("{open} {}{close}", items.join(", "))
}

fn set(items: &BTreeSet<i64>) -> String {
    list(items, "{", "}")
}

fn seq(items: &[i64]) -> String {
    list(items, "<", ">")
}

fn map(items: &BTreeMap<i64, i64>) -> String {
    list(
        items.iter().map(|(k, v)| format!("{k} => {v}")),
        "(|",
        " |)",
    )
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "callers make both on the spot"
)]
fn is(e: String, v: impl ToString) -> String {
    format!("({e}) == ({})", v.to_string())
}

fn small_set() -> impl Strategy<Value = BTreeSet<i64>> {
    prop::collection::btree_set(-4..9i64, 0..8)
}

fn small_seq() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(-3..5i64, 0..7)
}

fn small_map() -> impl Strategy<Value = BTreeMap<i64, i64>> {
    prop::collection::btree_map(0..6i64, 0..3i64, 0..6)
}

proptest! {
    #![proptest_config(config(tiers::cases(64)))]

    #[test]
    fn sets_are_sets(x in small_set(), y in small_set(), n in -5..10i64) {
        let (a, b) = (set(&x), set(&y));
        let union: BTreeSet<i64> = x.union(&y).copied().collect();
        let inter: BTreeSet<i64> = x.intersection(&y).copied().collect();
        let diff: BTreeSet<i64> = x.difference(&y).copied().collect();
        all_true(&[
            is(format!("union({a}, {b})"), set(&union)),
            is(format!("inter({a}, {b})"), set(&inter)),
            is(format!("diff({a}, {b})"), set(&diff)),
            is(format!("Union({{{a}, {b}}})"), set(&union)),
            is(format!("Inter({{{a}, {b}}})"), set(&inter)),
            is(format!("card({a})"), x.len()),
            is(format!("empty({a})"), x.is_empty()),
            is(format!("member({n}, {a})"), x.contains(&n)),
            is(format!("{a} <= {b}"), x.is_subset(&y)),
            is(format!("{a} < {b}"), x.is_subset(&y) && x != y),
            is(format!("{a} == {b}"), x == y),
            is(format!("card(Set({a}))"), 1u64 << x.len()),
            is(format!("member({b}, Set({a}))"), y.is_subset(&x)),
            is(format!("{{ {a}, {b} }} == {{ {a} }}"), x == y),
            is(format!("seq({a})"), list(&x, "<", ">")),
            is(format!("{{v * v | v <- {a}, v > {n}}}"),
                set(&x.iter().filter(|v| **v > n).map(|v| v * v).collect())),
        ])?;
    }

    #[test]
    fn sequences_are_sequences(x in small_seq(), y in small_seq(), n in -3..5i64) {
        let (a, b) = (seq(&x), seq(&y));
        let mut both = x.clone();
        both.extend(&y);
        let mut claims = vec![
            is(format!("{a}^{b}"), seq(&both)),
            is(format!("#{a}"), x.len()),
            is(format!("concat(<{a}, {b}>)"), seq(&both)),
            is(format!("null({a})"), x.is_empty()),
            is(format!("elem({n}, {a})"), x.contains(&n)),
            is(format!("{a} <= {b}"), y.starts_with(&x)),
            is(format!("{a} < {b}"), y.starts_with(&x) && x != y),
            is(format!("{a} == {b}"), x == y),
            is(format!("set({a})"), set(&x.iter().copied().collect())),
            is(format!("<v + w | v <- {a}, w <- {b}, v != w>"),
                seq(&x.iter().flat_map(|v| y.iter().filter(move |w| *w != v).map(move |w| v + w)).collect::<Vec<_>>())),
            // Infinite sequences begin with what they begin with.
            is(format!("{a} <= {a}^< {n}..>"), true),
            is(format!("let take(0, s) = <>\n take(k, <v>^s) = <v>^take(k - 1, s)\n within take({}, {a}^< {n}..>)", x.len() + 3),
                seq(&x.iter().copied().chain(n..n + 3).collect::<Vec<_>>())),
            is(format!("head(<v | v <- {a}^<7..>, (v > 5)>)"), 7),
        ];
        if let Some((first, rest)) = x.split_first() {
            claims.push(is(format!("head({a})"), first));
            claims.push(is(format!("tail({a})"), seq(rest)));
            claims.push(is(format!("let <v>^s = {a} within s^<v>"),
                seq(&rest.iter().copied().chain([*first]).collect::<Vec<_>>())));
            claims.push(is(format!("let s^<v> = {a} within v"), x[x.len() - 1]));
        }
        all_true(&claims)?;
    }

    #[test]
    fn maps_are_maps(x in small_map(), y in small_map(), k in 0..6i64, v in 0..3i64) {
        let (a, b) = (map(&x), map(&y));
        let (mut updated, mut without, mut both) = (x.clone(), x.clone(), x.clone());
        updated.insert(k, v);
        without.remove(&k);
        both.extend(&y);
        let pairs = list(y.iter().map(|(k, v)| format!("({k}, {v})")), "<", ">");
        let below = x.iter().all(|(k, v)| y.get(k).is_some_and(|w| v <= w));
        let mut claims = vec![
            is(format!("mapUpdate({a}, {k}, {v})"), map(&updated)),
            is(format!("mapDelete({a}, {k})"), map(&without)),
            is(format!("mapMember({a}, {k})"), x.contains_key(&k)),
            is(format!("mapToList({b})"), &pairs),
            is(format!("mapFromList({pairs})"), &b),
            is(format!("mapUpdateMultiple({a}, {pairs})"), map(&both)),
            is(format!("{a} <= {b}"), below),
            is(format!("{a} == {b}"), x == y),
            is(format!("member({a}, Map({{0..5}}, {{0..2}}))"), true),
            is(format!("member({a}, Map({{0..3}}, {{0..2}}))"), x.keys().all(|k| *k < 4)),
        ];
        if let Some(w) = x.get(&k) {
            claims.push(is(format!("mapLookup({a}, {k})"), w));
        }
        all_true(&claims)?;
    }
}

/// A set of integers as an expression, with what belongs to it.
#[derive(Clone, Debug)]
enum Ints {
    All,
    From(i64),
    Range(i64, i64),
    Listed(BTreeSet<i64>),
    Union(Box<Ints>, Box<Ints>),
    Inter(Box<Ints>, Box<Ints>),
    Diff(Box<Ints>, Box<Ints>),
}

/// Bounds are below this, so membership between here and twice as far decides equality.
const EDGE: i64 = 12;

impl Ints {
    fn text(&self, scale: i64) -> String {
        match self {
            Self::All => "Int".to_owned(),
            Self::From(n) => format!("{{ {}..}}", n * scale),
            Self::Range(a, b) => format!("{{ {}..{}}}", a * scale, b * scale),
            Self::Listed(s) => list(s.iter().map(|n| n * scale), "{", "}"),
            Self::Union(a, b) => format!("union({}, {})", a.text(scale), b.text(scale)),
            Self::Inter(a, b) => format!("inter({}, {})", a.text(scale), b.text(scale)),
            Self::Diff(a, b) => format!("diff({}, {})", a.text(scale), b.text(scale)),
        }
    }

    fn has(&self, n: i64, scale: i64) -> bool {
        match self {
            Self::All => true,
            Self::From(a) => n >= a * scale,
            Self::Range(a, b) => (a * scale..=b * scale).contains(&n),
            Self::Listed(s) => s.iter().any(|v| v * scale == n),
            Self::Union(a, b) => a.has(n, scale) || b.has(n, scale),
            Self::Inter(a, b) => a.has(n, scale) && b.has(n, scale),
            Self::Diff(a, b) => a.has(n, scale) && !b.has(n, scale),
        }
    }
}

fn ints() -> impl Strategy<Value = Ints> {
    let leaf = prop_oneof![
        Just(Ints::All),
        (-EDGE..EDGE).prop_map(Ints::From),
        (-EDGE..EDGE, -EDGE..EDGE).prop_map(|(a, b)| Ints::Range(a, b)),
        prop::collection::btree_set(-EDGE..EDGE, 0..5).prop_map(Ints::Listed),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let two = (inner.clone(), inner);
        (0..3, two).prop_map(|(op, (a, b))| {
            let (a, b) = (Box::new(a), Box::new(b));
            match op {
                0 => Ints::Union(a, b),
                1 => Ints::Inter(a, b),
                _ => Ints::Diff(a, b),
            }
        })
    })
}

proptest! {
    #![proptest_config(config(tiers::cases(96)))]

    /// Small sets are listed, large and infinite ones are intervals: both must be the same sets.
    #[test]
    fn sets_of_integers_have_one_form(
        x in ints(), y in ints(), scale in prop::sample::select(vec![1i64, 3000, 1_000_000_000_000]),
    ) {
        // Around every bound, and far out.
        let probes: Vec<i64> = (-2 * EDGE..=2 * EDGE)
            .flat_map(|n| [n * scale - 1, n * scale, n * scale + 1])
            .collect();
        let (a, b) = (x.text(scale), y.text(scale));
        let equal = probes.iter().all(|n| x.has(*n, scale) == y.has(*n, scale));
        let below = probes.iter().all(|n| !x.has(*n, scale) || y.has(*n, scale));
        let mut claims = vec![
            is(format!("{a} == {b}"), equal),
            is(format!("{a} <= {b}"), below),
            is(format!("card({{ {a}, {b} }})"), if equal { 1 } else { 2 }),
            is(format!("{a} == union(diff({a}, {b}), inter({a}, {b}))"), true),
            is(format!("empty({a})"), probes.iter().all(|n| !x.has(*n, scale))),
        ];
        for n in &probes {
            claims.push(is(format!("member({n}, {a})"), x.has(*n, scale)));
        }
        let infinite = x.has(-2 * EDGE * scale, scale) || x.has(2 * EDGE * scale, scale);
        if !infinite && scale == 1 {
            let members = probes.iter().filter(|n| x.has(**n, 1)).copied();
            let members: BTreeSet<i64> = members.collect();
            claims.push(is(format!("card({a})"), members.len()));
            claims.push(is(a.clone(), set(&members)));
        }
        all_true(&claims)?;
        // What is shown is the set again.
        let shown = values(std::slice::from_ref(&a)).remove(0);
        all_true(&[is(shown, a)])?;
    }
}

/// A first-order value as text, by type: 0 is `Int`, and so on.
fn shown(ty: u8) -> BoxedStrategy<String> {
    let t = prop_oneof![
        Just("A".to_owned()),
        Just("B".to_owned()),
        (-2..3i64).prop_map(|n| format!("C.({n})")),
        (-2..3i64, any::<bool>()).prop_map(|(n, b)| format!("D.(C.({n})).{b}")),
        any::<bool>().prop_map(|b| format!("D.(D.A.true).{b}")),
    ];
    let many = |ty: u8| prop::collection::vec(shown(ty), 0..4);
    match ty {
        0 => any::<i32>().prop_map(|n| format!("({n})")).boxed(),
        1 => any::<bool>().prop_map(|b| b.to_string()).boxed(),
        2 => t.boxed(),
        3 => prop::sample::select(vec!["'a'", "'\\''", "'\\\\'", "'\\n'", "'\"'", "'>'"])
            .prop_map(str::to_owned)
            .boxed(),
        4 => many(3).prop_map(|cs| list(cs, "<", ">")).boxed(),
        5 => many(0).prop_map(|ns| list(ns, "{", "}")).boxed(),
        6 => (shown(0), shown(2), shown(4))
            .prop_map(|(a, b, c)| format!("({a}, {b}, {c})"))
            .boxed(),
        7 => many(6).prop_map(|ts| list(ts, "<", ">")).boxed(),
        8 => prop::collection::vec((shown(0), shown(5)), 0..3)
            .prop_map(|ps| list(ps.iter().map(|(k, v)| format!("{k} => {v}")), "(|", " |)"))
            .boxed(),
        9 => many(2).prop_map(|ts| list(ts, "{", "}")).boxed(),
        10 => many(5).prop_map(|ts| list(ts, "<", ">")).boxed(),
        _ => (0..100u8, 0..100u8)
            .prop_map(|(a, b)| format!("c.{a}.{b}"))
            .boxed(),
    }
}

fn two_of_a_type() -> impl Strategy<Value = (u8, Vec<String>)> {
    (0..12u8).prop_flat_map(|ty| (Just(ty), prop::collection::vec(shown(ty), 3)))
}

proptest! {
    #![proptest_config(config(tiers::cases(200)))]

    #[test]
    fn what_is_shown_reads_back((_, all) in two_of_a_type()) {
        let found = values(&all);
        let again = values(&found);
        prop_assert_eq!(&found, &again);
        all_true(&all.iter().zip(&found).map(|(a, b)| is(a.clone(), b)).collect::<Vec<_>>())?;
    }

    /// `<=` is a partial order wherever it is defined, and `<`, `>`, `>=` go with it.
    #[test]
    fn comparisons_are_orders((ty, all) in two_of_a_type()) {
        // Truth values, constructed values, events, and tuples with one in them have no order.
        if matches!(ty, 1 | 2 | 6 | 11) {
            return Ok(());
        }
        let (a, b, c) = (&all[0], &all[1], &all[2]);
        all_true(&[
            format!("({a}) <= ({a})"),
            format!("not (({a}) < ({a}))"),
            format!("not (({a}) <= ({b}) and ({b}) <= ({a})) or ({a}) == ({b})"),
            format!("not (({a}) <= ({b}) and ({b}) <= ({c})) or ({a}) <= ({c})"),
            format!("(({a}) < ({b})) == (({b}) > ({a}))"),
            format!("(({a}) <= ({b})) == (({b}) >= ({a}))"),
            format!("(({a}) < ({b})) == ((({a}) <= ({b})) and (({a}) != ({b})))"),
        ])?;
    }
}

/// Sets that are not listed against the same sets written out.
#[test]
fn lazy_sets_are_the_sets_they_stand_for() {
    let claims = [
        "card({| c |}) == 10000",
        "{| c |} == {c.x.y | x <- {0..99}, y <- {0..99}}",
        "{c.x.y | x <- {0..99}, y <- {0..99}} <= {| c |}",
        "union({| c.0 |}, {| c |}) == {| c |}",
        "diff({| c |}, {| c.x | x <- {1..99} |}) == {c.0.y | y <- {0..99}}",
        "inter({| c |}, {c.1.2}) == {c.1.2}",
        "card(Set({1..20})) == 1048576",
        "card(Set({1..60})) == 1152921504606846976",
        "member({3, 59}, Set({1..60}))",
        "not member({3, 61}, Set({1..60}))",
        "Set({1..60}) <= Set({0..60})",
        "not Set({0..60}) <= Set({1..60})",
        "Set({1..5}) == {s | s <- Set({1..6}), not member(6, s)}",
        "card(Map({1..10}, {1..4})) == 9765625",
        "member((| 1 => 5 |), Map(Int, Int))",
        "Map({1..10}, {1..4}) <= Map({1..11}, {1..5})",
        "Map({}, {1}) == {emptyMap}",
        "member(<1, 2, 3>, Seq({1..3}))",
        "not member(<1, 4>, Seq({1..3}))",
        "Seq({1..3}) <= Seq({1..4})",
        "not (Seq({1..4}) <= Seq({1..3}))",
        "Seq({1, 2}) == Seq({2, 1})",
        "union(Seq({1}), {<1, 1>}) == Seq({1})",
        "member(<2>, union(Seq({1}), {<2>}))",
        "diff(Seq({1}), {<2>}) == Seq({1})",
        "not member(<>, diff(Seq({1}), {<>}))",
        "union(diff(Seq({1}), {<>, <1>}), {<1>}) == diff(Seq({1}), {<>})",
        "member(<0..>, Seq({0..}))",
        "{diff({1..}, {1})} == {{2..}}",
        "extensions(d) == Int",
        "card(extensions(c)) == 10000",
        "member(c.1.2, Events) and member(d.12345678, Events)",
        "card(Char) > 1000000",
        "Inter({}) == {}",
        "{0..} != Int and diff(Int, {0..}) == diff(Int, {1 - 1..})",
    ];
    let claims: Vec<String> = claims.iter().map(|c| (*c).to_owned()).collect();
    let found = values(&claims);
    let wrong: Vec<_> = claims
        .iter()
        .zip(&found)
        .filter(|(_, v)| *v != "true")
        .collect();
    assert_eq!(wrong, []);
}

/// Call by need, and what bounds a recursion.
#[test]
fn nothing_is_evaluated_that_is_not_needed() {
    let prelude = "let const(x, y) = x\n loop = loop\n grow(n) = 1 + grow(n + 1)\n \
        run(n) = run(n + 1)\n ones = <1>^ones\n nat(n) = <n>^nat(n + 1)\n \
        take(0, s) = <>\n take(n, <x>^xs) = <x>^take(n - 1, xs)\n \
        down(n) = if n == 0 then 0 else 1 + down(n - 1)\n \
        count(n, m) = if n == 0 then m else count(n - 1, m + 1)\n \
        lazy(n, x) = if n == 0 then x else lazy(n - 1, x + 1)\n \
        even(0) = true\n even(n) = odd(n - 1)\n odd(0) = false\n odd(n) = even(n - 1)\n \
        sieve(<p>^xs) = <p>^sieve(<x | x <- xs, x % p != 0>)\n \
        zip(<x>^xs, <y>^ys) = <(x, y)>^zip(xs, ys)\n \
        ping = <0>^<x + 1 | x <- pong>\n pong = <x * 2 | x <- ping>\n within";
    let cases = [
        ("const(1, loop)", "1"),
        ("const(1, grow(0))", "1"),
        ("const(1, run(0))", "1"),
        ("const(1, 1 / 0)", "1"),
        ("const(1, error(\"no\"))", "1"),
        ("let (x, y) = (1, loop) within x", "1"),
        ("let y = 1 / 0 within 5", "5"),
        ("head(<1, run(0)>)", "1"),
        ("head(tail(<run(0), 2>))", "2"),
        ("#<1 / 0, 2>", "2"),
        ("head(<1>^run(0))", "1"),
        ("mapLookup((| 1 => 1 / 0, 2 => 7 |), 2)", "7"),
        ("mapMember(mapUpdate(emptyMap, 1, run(0)), 1)", "true"),
        ("(1, run(0)) == (2, run(0))", "false"),
        ("<1, 1 / 0> == <2>", "false"),
        ("take(4, ones)", "<1, 1, 1, 1>"),
        ("take(3, tail(nat(5)))", "<6, 7, 8>"),
        ("take(8, sieve(<2..>))", "<2, 3, 5, 7, 11, 13, 17, 19>"),
        ("take(3, zip(<0..>, ones))", "<(0, 1), (1, 1), (2, 1)>"),
        ("take(6, ping)", "<0, 1, 3, 7, 15, 31>"),
        (
            "take(3, <(x, y) | x <- <5..>, y <- <0..>>)",
            "<(5, 0), (5, 1), (5, 2)>",
        ),
        ("take(3, concat(<nat(n) | n <- <4..>>))", "<4, 5, 6>"),
        ("take(2, <7.. | x <- <1..>>)", "<7, 8>"),
        ("elem(500, nat(0))", "true"),
        ("head(<x | x <- <5, 0>, 10 / x == 2>)", "5"),
        ("head(<1..1000000000000>)", "1"),
        ("null(nat(0))", "false"),
        ("<0, 1, 2> < nat(0)", "true"),
        ("tail(<0..>) == <1..>", "true"),
        ("down(9000)", "9000"),
        ("count(200000, 0)", "200000"),
        ("lazy(200000, 0)", "200000"),
        ("even(100001)", "false"),
        ("card({0..1000000000000})", "1000000000001"),
        // What has no end, is wrong, or too much.
        ("loop", "E0410"),
        ("#nat(0)", "E0403"),
        ("#<0..>", "E0402"),
        ("card({x | x <- {0..1000000000000}})", "E0403"),
        ("grow(0)", "E0421"),
        ("let f(x) = g(x)\n g(x) = f(x) within f(1)", "E0411"),
        ("let f(x) = 1 + g(x)\n g(x) = 1 + f(x) within f(1)", "E0411"),
        ("let f(x) = f((x + 1) % 1000) within f(1)", "E0411"),
        ("9223372036854775807 + 1", "E0404"),
        ("-9223372036854775807 - 2", "E0404"),
        ("4611686018427387904 * 2", "E0404"),
        ("card(Set({0..63}))", "E0404"),
        ("error(\"why\")", "E0419"),
        ("mapLookup((| 1 => 1 |), 2)", "E0406"),
        ("1 % 0", "E0405"),
        ("C.3", "E0418"),
    ];
    let expressions: Vec<String> = cases
        .iter()
        .map(|(e, _)| format!("{prelude} {e}"))
        .collect();
    let found = values(&expressions);
    let wrong: Vec<_> = cases
        .iter()
        .zip(&found)
        .filter(|((_, v), f)| v != f)
        .collect();
    assert_eq!(wrong, []);
}
