//! What is printed reads back as the same tree: all of the syntax, and every script beside the
//! checkout that can be read.

use std::path::{Path, PathBuf};

use crate::support::shape::shape;
use crate::support::tiers;
use crate::support::{corpus, say};
use orbitscope::source::Severity;
use orbitscope::syntax::ast::File;
use orbitscope::syntax::{parse_file, parse_text, print};

/// Every declaration, operator, literal, pattern, type and option, and the places where parentheses
/// matter.
const ALL: &str = r#"
channel a, b, tock
channel c : {0..3}.Bool
channel d : (Int, {A, B})
datatype T = A | B.{0, 1}.T | C.(Int, Bool) | D.{x | x <- {0..3}}
subtype S = A | B.{0}.T
nametype N = {0..}
nametype M = ({0..3}).T
external chase, prioritise
transparent normal
f, g :: (Int, <a>) -> {b}
h :: (Eq a, Ord b) => (a => b =>* c.d) -> () -> (| k => <v> |)
k :: Set a => ((a, a) -> Proc) -> Event
f(0, <>) = {}
f(n, <x>^xs) = {(x, n)}
f(-1, _) = {}
g()(x)(y, z) = x
g(a.b.c, B.(x).y) = g((a.b).c)
p(x @@ (y, _), 'q', "s\"\\", true, {}, {x}) = x
(u, <v>) = (1, <2>)
<w>^_ = <1..>
x = -1 + -(-2) - -3 * (4 + 5) / 6 % 7 - (8 - 9)
x' = (1 - 2) - (3 - (4 - 5)) * (6 / (7 * 8))
y = #s^t == 3 and not (p or q and r) or (not p) == q
z = (a < b) == (c >= d) and <1, 2> <= <(3 > 2)> and {1} < {2, 3}
m = (| 1 => (| |), 2 => (| (3) => 4 |) |)
s = <x + 1, -y | x <- <1..2>, (x > y), y : {0}> ^ <> ^ <a.. | true> ^ <1..n | b>
t = {x, y} == {} or {1..2 | a} != {a.. | x <- s} or {|a, c.0 | x <- s|} == {||} or { -1} == {| a|}
l = (\ x, (y, z) @ x + y)(1)(if a then \ q @ q else \ q @ \ r @ r) . (let i = 1
  j(0) = 2
  j(n) = j(n - 1)
  transparent normal
  i :: Int
  within i)
e = 'x' == '\'' or '\\' == '\n' or "\t\r\n" == "" or "é" == "'"
P = c?x!y?z:{0..3}$w:T.x!(a.b)!-1 -> b & x > 0 & (P [] Q) |~| R
Q = (a -> P ||| Q) \ {a} ||| R |\ {b} \ {c}
R = P \ A [| {a} |] (Q [| B |] R) [] (P [A || B] Q) /\ R [> S ; T
U = (P [| A |> Q) [+ A +] R /+ B +\ S [a <-> b, c <-> d | x <- s] T
V = (P[[a <- b, c.x <- d.x | x <- s, x > 1]])[[b <- a]]
W = [] x : S @ P |~| (|~| y : T, y > 1 @ Q) ||| (||| i : {0..1} @ R(i)) \ A
X = (|| i : S @ [A(i)] P(i) ; Q) \ H [| A |] ([| B |] j : T @ P)
Y = ; x : <1, 2> @ (; y <- s @ P(x, y)) ; Q
Z = ([+ A +] i : S @ P) [+ B +] ([a <-> b | x <- s] i : <1..2> @ Q(i))
I = if a then P [] Q else if b then Q else R [] S
J = (if a then P else Q) [] R
K = <if (a > b) then c else (d > e), (\ x @ (x > 1))(2)>
L = let Timed(\ _ @ 1) {
  q = a -> q
  }
  within M::x(1) [] M::N::P
print x + 1
print <x | x <- s>
module M
  x = 1
exports
  y = x
  datatype In = A | B
  module N(p, q)
    z = p
  exports
    channel e : Int
    P = e!q -> STOP
  endmodule
  instance O = N(1, 2)
endmodule
instance M2 = M
instance M3 = M::N(1 + 2, <>)
Timed {
  TP = a -> TP
}
Timed(\ x @ if x == a then 1 else 2) {
  TQ = WAIT(1) ; TP
  TQ :: Proc
}
assert P [T= Q
assert not P \ A [FD= Q [] R :[tau priority]: {tock} :[partial order reduce [precise]]
assert (not b) [F= Q :[symmetry reduce]: T, diff(S, {| A, B |})
assert P [V= Q
assert P [R= Q :[symmetry reduce] :[tau priority]: {}
assert P :[deadlock free]
assert P :[deadlock free [F]] :[partial order reduce]
assert not P :[divergence free [FD]]
assert P :[deterministic]
assert P :[has trace [T]]: <a, b>
assert P :[has trace]: tr :[tau priority]: {a}
assert P :[symmetric]: T, diff(T, {| A |})
"#;

/// What is different after printing and reading, if anything is.
fn changed(name: &str, file: &File) -> Option<String> {
    let text = print::file(file);
    let again = parse_text(Path::new("printed.csp"), &text);
    if let Some(e) = again.diagnostics.first() {
        let place = e.span.map(|s| again.sources.line_col(s));
        let line = place.and_then(|p| text.lines().nth(p.line as usize - 1));
        return Some(format!(
            "{name}: {}: {}",
            e.message,
            line.unwrap_or_default()
        ));
    }
    let (a, b) = (shape(file), shape(&again.file));
    if a != b {
        let at = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
        return Some(format!(
            "{name}: {:.200}\n  became {:.200}",
            &a[at..],
            &b[at..]
        ));
    }
    (print::file(&again.file) != text).then(|| format!("{name}: printed otherwise the second time"))
}

#[test]
fn all_of_the_syntax() {
    let parsed = parse_text(Path::new("all.csp"), ALL);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    assert_eq!(changed("all", &parsed.file), None);
    // The comparison sees a difference where there is one.
    let other = |text: &str| shape(&parse_text(Path::new("x.csp"), text).file);
    assert_ne!(other("x = 1 - (2 - 3)"), other("x = 1 - 2 - 3"));
    assert_ne!(other("x = \"(\""), other("x = \")\""));
    assert_eq!(other("x = ((1) - (2)) - 3"), other("x = 1 - 2 - 3"));
}

#[test]
fn every_script() {
    if !tiers::has_time("corpus syntax_printing::every_script") {
        return;
    }
    let Some(corpus) = corpus("printing") else {
        return;
    };
    let mut scripts = Vec::new();
    collect(&corpus, &mut scripts);
    scripts.sort();
    let mut wrong = Vec::new();
    let mut printed = 0;
    for path in &scripts {
        let parsed = parse_file(path);
        if parsed
            .diagnostics
            .iter()
            .all(|d| d.severity != Severity::Error)
        {
            printed += 1;
            wrong.extend(changed(&path.display().to_string(), &parsed.file));
        }
    }
    say(&format!(
        "{printed} of {} scripts can be read and are printed",
        scripts.len()
    ));
    assert!(printed > 600, "{printed}");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn collect(folder: &Path, scripts: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, scripts);
        } else if path.extension().is_some_and(|e| e == "csp") {
            scripts.push(path);
        }
    }
}
