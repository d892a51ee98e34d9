//! Long sequences that are walked and built item by item: the same values as short ones, and in a time
//! and memory that grow with the length alone.

use super::support::{explore, load};

/// Walks and constructions of a sequence of N pairs, each with what it has to give.
const WALKS: &str = "\
xs = seq({ (x, y) | x <- {1..N / 100}, y <- {1..100} })
len(<>, n) = n
len(<x>^s, n) = len(s, n + 1)
back(<>, n) = n
back(s^<x>, n) = back(s, n + 1)
drop(n, s) = if n == 0 or null(s) then s else drop(n - 1, tail(s))
rev(<>) = <>
rev(<x>^s) = rev(s)^<x>
onto(<>, t) = t
onto(<x>^s, t) = onto(s, <x>^t)
after(<>, t) = t
after(<x>^s, t) = after(s, t^<x>)
map(f, <>) = <>
map(f, <x>^s) = <f(x)>^map(f, s)
count(s, n) = if s == <> then n else if elem(head(s), <head(s)>) then count(tail(s), n + 1) else 0
first(n, s) = if n == 0 or null(s) then (<>, s) else
  let (a, b) = first(n - 1, tail(s)) within (<head(s)>^a, b)
chunks(s, n) = if null(s) then <> else let (c, rest) = first(n, s) within <c>^chunks(rest, n)
stream(n, s) = if n == 0 then s else stream(n - 1, <n>^s)
w1 = len(xs, 0) == N and back(xs, 0) == N and length(drop(N / 2, xs)) == N - N / 2
w2 = rev(rev(xs)) == xs and onto(onto(xs, <>), <>) == xs and after(xs, <>) == xs
w3 = map(\\ p @ p, xs) == xs and count(xs, 0) == N
w4 = concat(chunks(xs, 50)) == xs and length(chunks(xs, 50)) == N / 50
w5 = length(stream(N, <1..5000>)) == N + 5000
";

#[test]
fn walking_and_building_long_sequences_is_linear() {
    for name in ["w1", "w2", "w3", "w4", "w5"] {
        let mut bytes = Vec::new();
        for n in [3000, 12000] {
            let mut e = load(&WALKS.replace('N', &n.to_string()));
            let v = e
                .value_named(name)
                .unwrap_or_else(|d| panic!("{name} {n}: {d:?}"));
            assert_eq!(e.show(v), "true", "{name} {n}");
            bytes.push(e.store().bytes());
        }
        assert!(bytes[1] < 6 * bytes[0], "{name}: {bytes:?}");
    }
}

/// As scripts have them that list the whole state space of a component and cut it into pieces.
const PIECES: &str = "\
nth(xs, n) = if n == 0 then head(xs) else nth(tail(xs), n - 1)
takeDrop :: (Int, <a>) -> (<a>, <a>)
takeDrop(n, xs) =
  if n == 0 or null(xs) then (<>, xs)
  else let (ys, zs) = takeDrop(n - 1, tail(xs)) within (<head(xs)>^ys, zs)
makeChunks :: (<a>, Int) -> <<a>>
makeChunks(xs, size) =
  if null(xs) then <>
  else let (chunk, rest) = takeDrop(size, xs) within <chunk>^makeChunks(rest, size)
states = < (x, y) | x <- <1..N / 100>, y <- <1..100> >
p1 = nth(states, N - 1) == (N / 100, 100)
p2 = length(makeChunks(states, 50)) == N / 50
p3 = let (a, b) = takeDrop(N / 2, states) within a^b == states
p4 = length(makeChunks(<1..N>, 1)) == N
p5 = makeChunks(<1..N>, N) == <<1..N>>
";

#[test]
fn cutting_long_sequences_into_pieces_is_linear() {
    if !crate::tiers::has_time("inside eval walks::cutting_long_sequences_into_pieces_is_linear") {
        return;
    }
    for name in ["p1", "p2", "p3", "p4", "p5"] {
        let taken = |n: usize| {
            let mut e = load(&PIECES.replace('N', &n.to_string()));
            let v = e
                .value_named(name)
                .unwrap_or_else(|d| panic!("{name} {n}: {d:?}"));
            assert_eq!(e.show(v), "true", "{name} {n}");
            (e.store().bytes(), e.store().len())
        };
        let [a, b, c] = [10_000, 20_000, 40_000].map(taken);
        // Twice as many elements take twice as many values and bytes, or less.
        for (short, long) in [(a, b), (b, c)] {
            assert!(4 * long.0 < 9 * short.0, "{name}: {a:?} {b:?} {c:?}");
            assert!(4 * long.1 < 9 * short.1, "{name}: {a:?} {b:?} {c:?}");
        }
    }
}

/// However a sequence was made, it is one value: in sets, as keys, in states, in events and shown.
#[test]
fn what_was_walked_equals_what_was_written() {
    let text = "\
channel a : {0..3}
datatype T = A | B | C
next(A) = B
next(B) = C
next(C) = A
from(x, n) = if n == 0 then <> else <x>^from(next(x), n - 1)
grow(s, x, n) = if n == 0 then s else grow(s^<x>, next(x), n - 1)
long = from(A, 100)
rest = tail(tail(tail(from(A, 103))))
same = grow(<>, A, 100)
once = card({long, rest, same, tail(<C>^same)})
keys = mapToList(mapFromList(<(long, 1), (rest, 2), (same, 3)>))
deep = card({(1, <tail(<C>^s)>) | s <- {long, rest, same}})
shown = show(rest) == show(long)
less = tail(long) < long or long < long^<A>
fork = card({<x>^rest | x <- {A, B, C}}) + card({tail(<x>^rest)^<x> | x <- {A, B, C}})
text(s) = if s == \"\" then \"\" else <head(s)>^text(tail(s))
word(\"a word that is longer than what is copied\") = true
word(_) = false
words = word(text(\"a word that is longer than what is copied\"))
P(s) = a.1 -> P(tail(s)^<head(s)>)
Q(s, t) = a.2 -> (if s == t then Q(t, s) else STOP)
";
    let mut e = load(&format!("{text}R = P(rest)\nS = Q(rest, same)\n"));
    for (name, value) in [
        ("once", "1"),
        ("deep", "1"),
        ("shown", "true"),
        ("less", "true"),
        ("fork", "6"),
        ("words", "true"),
    ] {
        let v = e
            .value_named(name)
            .unwrap_or_else(|d| panic!("{name}: {d:?}"));
        assert_eq!(e.show(v), value, "{name}");
    }
    let keys = e.value_named("keys").expect("one pair");
    assert_eq!(e.store().as_seq(keys).map(<[_]>::len), Ok(1));
    let values = ["long", "rest", "same"].map(|name| e.value_named(name).expect("a sequence"));
    assert!(values.iter().all(|v| *v == values[0]));
    assert!(e.store().flags(values[0]).is_plain());
    // Round and round: after 100 steps `P` is where it began; 3 rotations of A, B, C are different.
    let r = e.process_named("R").expect("a process");
    assert_eq!(explore(&mut e, r, 500).expect("it runs"), (100, 100));
    let s = e.process_named("S").expect("a process");
    assert_eq!(explore(&mut e, s, 500).expect("it runs"), (1, 1));
}
