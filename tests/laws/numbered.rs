//! Random networks of processes that are numbered by integers, as symmetry in the structure of networks is
//! tried on: cells in a ring, alike or not, side by side or linked, renamed, hidden, doubled, with copies and
//! with a hub that talks to all. No datatype tells that they are alike.

use std::fmt::Write as _;

use crate::random_scripts::Dice;

/// Alternatives of cell `i`, whose neighbours are `j` and `h`, with `@` for what follows.
const OF_CELLS: [&str; 14] = [
    "a.i -> @",
    "a.i -> @",
    "b.i -> @",
    "b.i -> @",
    "c.i.j -> @",
    "c.h.i -> @",
    "c.i.j -> @",
    "a.j -> @",
    "d -> @",
    "e -> @",
    "d -> SKIP",
    "b.i -> STOP",
    "c.i.i -> @",
    "(if i == 0 then d -> @ else e -> @)",
];

/// The same for what stands in a line, each linked with the next one.
const OF_LINKS: [&str; 6] = [
    "left?x -> right!x -> @",
    "left?x -> @",
    "right!i -> @",
    "right!0 -> @",
    "a.i -> @",
    "d -> @",
];

const OF_COPIES: [&str; 5] = ["d -> @", "e -> @", "a?i -> @", "b.0 -> @", "e -> STOP"];

const OF_HUBS: [&str; 6] = [
    "a?i -> Hub",
    "a?i -> b.i -> Hub",
    "c?i?j -> Hub",
    "d -> Hub",
    "a.0 -> d -> Hub",
    "b?i -> e -> SKIP",
];

/// Levels of priority, the first before the others.
const OF_PRIORITIES: [&str; 7] = [
    "<{|a|}, {|b|}>",
    "<{|d|}, {|a, b|}>",
    "<{|b|}, {|c|}, {d}>",
    "<{a.0}, {a.1}>",
    "<{}, {|a, b|}>",
    "<{|a, e|}, {|b, d|}>",
    "<{a.0}, {a.1}, {|b, d, e|}>",
];

/// How the cells stand together.
const OF_CELLS_TOGETHER: [&str; 7] = [
    "||| i : R @ P0(i)",
    "[| {d} |] i : R @ P0(i)",
    "|| i : R @ [{a.i, b.i, c.i.next(i), c.before(i).i, d}] P0(i)",
    "|| i : R @ [{a.i, a.next(i), b.i, c.i.next(i), c.before(i).i}] P0(i)",
    "|| i : R @ [union({a.i, b.i}, {|c, d|})] P0(i)",
    "[| {|c, d|} |] i : R @ P0(i)",
    "||| i : R @ P0(if i == 0 then i else next(i))",
];

const SETS: [&str; 7] = [
    "{||}", "{d}", "{|a|}", "{|b|}", "{|c|}", "{a.0, d}", "{|b, e|}",
];

const RENAMINGS: [&str; 8] = [
    "@",
    "@",
    "@[[a.i <- a.i, a.i <- b.i | i <- R]]",
    "@[[d <- d, d <- e]]",
    "@[[b <- a]]",
    "@[[a.0 <- a.1]]",
    "@[[c.i.j <- a.i | i <- R, j <- R]]",
    "@[[a.i <- a.next(i) | i <- R]]",
];

/// What is checked against the system; the first is looked for in it without names.
pub(super) const SPECIFICATIONS: &str = "Run = [] x : Events @ x -> Run
Lax = STOP |~| Run
Last(k) = a?i -> Last(i) [] b?i -> Last(k) [] c?i?j -> Last(j) [] d -> Last(k) [] e -> Last(k)
Same = a?i -> Other(i) [] b?i -> Same [] c?i?j -> Same [] d -> Same [] e -> Same
Other(k) = b.k -> Same [] a?i : diff(R, {k}) -> Other(i) [] c?i?j -> Other(k) [] d -> Other(k) [] e -> STOP
Turn = a?i -> Turns(next(i)) [] b?i -> Turn [] c?i?j -> Turn [] d -> Turn [] e -> Turn
Turns(i) = a.i -> Turns(next(i)) [] b?j -> Turns(i) [] c?j?k -> Turns(i) [] d -> Turns(i) [] e -> Turns(i)
First = a.0 -> Run [] b?i -> First [] c?i?j -> First [] d -> First [] e -> First
Calm = (|~| i : R @ a.i -> Calm) |~| (b?i -> Calm [] c?i?j -> Calm [] d -> Calm [] e -> Calm)
";

/// What is asserted of every script: all kinds of questions, about names and not.
pub(super) const ASSERTIONS: [&str; 24] = [
    "Whole :[divergence free]",
    "System :[deadlock free [F]]",
    "System :[divergence free]",
    "Run [T= System",
    "Last(0) [T= System",
    "Same [T= System",
    "Turn [T= System",
    "First [T= System",
    "Lax [F= System",
    "Calm [F= System",
    "Run [F= Whole",
    "Lax [FD= System",
    "Same [FD= Whole",
    "System :[deterministic [F]]",
    "System :[deterministic [FD]]",
    "Whole :[deterministic [FD]]",
    "Whole [FD= System",
    "System :[deadlock free [FD]]",
    "Lax [V= System",
    "Calm [V= Whole",
    "Lax [R= System",
    "Calm [R= System",
    "Same [RD= Whole",
    "Whole [RD= System",
];

pub(super) fn of<'s>(dice: &mut Dice<'_>, menu: &[&'s str]) -> &'s str {
    menu[dice.below(menu.len())]
}

fn alternatives(dice: &mut Dice<'_>, nexts: [&str; 2], menu: &[&str]) -> String {
    let chosen: Vec<String> = (0..=dice.below(3))
        .map(|_| {
            let next = nexts[dice.below(2)];
            format!("({})", of(dice, menu).replace('@', next))
        })
        .collect();
    chosen.join(of(dice, &[" [] ", " [] ", " [] ", " |~| "]))
}

/// A script of at most seven components from decisions.
pub(super) fn generate(bytes: &[u8]) -> String {
    let dice = &mut Dice(bytes.iter());
    let mut text = "external prioritise\n".to_owned();
    let cells = of(dice, &["3", "3", "2", "4", "5"]);
    let _ = writeln!(
        text,
        "R = {{0..{cells}-1}}\nnext(i) = (i+1)%{cells}\nbefore(i) = (i+{cells}-1)%{cells}\n\
         channel a, b, left, right : R\nchannel c : R.R\nchannel d, e"
    );
    for n in 0..2 {
        let body = alternatives(dice, ["P0(i)", "P1(i)"], &OF_CELLS);
        let body = body.replace(".j", ".next(i)").replace(".h", ".before(i)");
        let _ = writeln!(text, "P{n}(i) = {body}");
    }
    let _ = writeln!(
        text,
        "L(i) = {}",
        alternatives(dice, ["L(i)", "L(i)"], &OF_LINKS)
    );
    for (n, nexts) in ["C0", "C1"].iter().zip([["C1", "C0"], ["C0", "C1"]]) {
        let _ = writeln!(text, "{n} = {}", alternatives(dice, nexts, &OF_COPIES));
    }
    let hubs: Vec<&str> = (0..=dice.below(3)).map(|_| of(dice, &OF_HUBS)).collect();
    let _ = writeln!(text, "Hub = {}", hubs.join(" [] "));
    let _ = writeln!(text, "Cells = {}", of(dice, &OF_CELLS_TOGETHER));
    // Two of three are five and a pair at most, so there are never more than seven components.
    let three = "(|| i : {0..1} @ [union({|a, b, c|}, {d, e})] P0(i))";
    let parts = [
        "Cells".to_owned(),
        "Cells".to_owned(),
        format!("(Cells [| {} |] Hub)", of(dice, &SETS)),
        format!("(Cells [| {} |] (C0 ||| C0))", of(dice, &SETS)),
        "([left <-> right] i : <0, 1, card(R) - 1> @ L(i))".to_owned(),
        format!(
            "(([right <-> left] i : <0, 1, card(R) - 1> @ L(i)) [| {} |] Hub)",
            of(dice, &SETS)
        ),
        format!("((C0 ||| C0 ||| C0) [| {} |] Hub)", of(dice, &SETS)),
        format!("({three} [| {} |] {three})", of(dice, &SETS)),
        format!(
            "(|| i : {{0..1}} @ [{{a.i, b.i, d, e}}] (P0(i) [| {} |] C0))",
            of(dice, &SETS)
        ),
        format!(
            "(Cells [| {} |] (if next(0) == 1 then C0 else C1))",
            of(dice, &SETS)
        ),
    ];
    let whole = &parts[dice.below(parts.len())];
    let whole = of(dice, &RENAMINGS).replace('@', whole);
    let system = match dice.below(3) {
        0 => "Whole".to_owned(),
        _ => format!("Whole \\ {}", of(dice, &SETS[1..])),
    };
    // Last, so that what is drawn before does not depend on it.
    let system = match dice.below(5) {
        0 => format!("prioritise({system}, {})", of(dice, &OF_PRIORITIES)),
        _ => system,
    };
    let _ = write!(text, "Whole = {whole}\nSystem = {system}\n{SPECIFICATIONS}");
    for assertion in ASSERTIONS {
        let _ = writeln!(text, "assert {assertion}");
    }
    text
}

/// Farms of clients with a server each: so many farms of so many clients.
pub(super) fn farms(farms: usize, clients: usize, server: &str) -> String {
    format!(
        "S = {{0..{farms}-1}}
C = {{0..{clients}-1}}
channel req, rep : S.C
channel all
Client(s,c) = req.s.c -> rep.s.c -> Client(s,c)
{server}
Farm(s) = Server(s) [| {{|req.s, rep.s|}} |] (||| c : C @ Client(s,c))
Whole = ||| s : S @ Farm(s)
Run = [] x : Events @ x -> Run
assert STOP [T= Whole
assert Whole :[deadlock free [F]]
assert Whole :[deadlock free [F]]
assert Run [T= Whole
"
    )
}
