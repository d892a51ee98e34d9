//! Prop. 24 of the paper: `π(eval ρ e) = eval (π∘ρ) e`, on the transitions of reachable states of a
//! script that keeps atoms in sets, sequences, maps, functions and processes.

use proptest::prelude::*;

use super::support::load;
use crate::eval::Evaluator;
use crate::process::term::{Label, Term};
use crate::source::hash::IndexSet;
use crate::value::{Atom, AtomTypes};

const TYPES: &str = "
datatype NodeOrNull = Null | N0 | N1 | N2
Node = diff(NodeOrNull, {Null})
datatype Datum = A | B
";

const DATA: &str = "
datatype Message = Ask.Node | Tell.NodeOrNull.Datum | Quiet
channel join, leave : Node
channel put : Node.Datum
channel get : NodeOrNull.Datum
channel send : Node.Message
channel pick : {0..1}.Node
channel done

Group(s) =
  join?x:diff(Node, s) -> Group(union(s, {x}))
  [] ([] x : s @ leave.x -> Group(diff(s, {x})))
  [] card(s) == 1 & join?x:s -> Later((x, mapLookup(emptyMap, x)), <x>^<x>^never(x))
  [] card(s) == 2 & pick$k:{0, 1}?x:s -> Chosen(x, s)

Later(p, s) =
  get!head(s)?d -> Later(p, s)
  [] put!first(p)?d -> Later(p, <first(p)>^tail(s))
first((x, _)) = x
never(x) = tail(<x | y <- <0..>, y < 0>)

Chosen(x, s) = send.x!Ask.x -> (send.x.Tell?y?d -> Group(s) |~| done -> Queue(<x>, s))

Queue(q, s) =
  #q < 2 & (put?x:s?d -> Queue(q^<x>, s))
  [] q != <> & get!head(q)?d -> Queue(tail(q), diff(s, {head(q)}))
  [] q == <> & get!Null?d -> Table(emptyMap, d)

Table(m, d) =
  put?x!d -> (if mapMember(m, x) then Table(mapDelete(m, x), d) else Table(mapUpdate(m, x, d), d))
  [] done -> Both({(x, mapLookup(m, x)) | x <- Node, mapMember(m, x)})

Both(ps) =
  let keep(f, x) = if f(x) then x else Null
      mine = \\ x @ member(x, {y | (y, _) <- ps})
  within
    (||| x : Node @ One(x, keep(mine, x)))
    [| {| leave |} |] (|| x : Node @ [{| leave.x, get |}] leave.x -> SKIP)

One(x, Null) = leave.x -> SKIP
One(x, y) = put.y?d -> SKIP ; (leave.x -> STOP)

ROOT = Group({}) \\ {| leave.x, pick | x <- Node |}
";

const SPECIAL: &str = "
external prioritise, prioritisepo, loop, trace_watchdog
channel join, leave : Node
channel put, get : Node.Datum
channel done

ROOT = Levels |~| Order |~| loop(Take(Node)) |~| Watch
       |~| BUFFER(2, {(put.x.d, get.x.d) | x <- Node, d <- Datum})

Levels = prioritise(RUN({| join |}) ||| Take(Node), <{}, {| leave, put |}, {| get |}>)

Order = join?x -> prioritisepo(
  (leave.x -> SKIP) ||| (put.x?d -> STOP \\ {| put |}) ||| RUN({| join |}),
  {| join, leave, put |},
  union({(join.y, leave.x) | y <- diff(Node, {x})}, {(leave.x, put.x.d) | d <- Datum}),
  {| join |})

Take(s) = put?x:s?d -> (get.x.d -> SKIP [> Take(diff(s, {x})))

Watch = trace_watchdog(
  join?x -> (leave.x -> SKIP |~| join?y:diff(Node, {x}) -> STOP), {| join, leave |}, done)
";

fn both() -> [String; 2] {
    [DATA, SPECIAL].map(|script| format!("{TYPES}{script}"))
}

fn types(e: &Evaluator) -> AtomTypes {
    let ctors = |names: &[&str]| {
        let ids = (0u32..).zip(&e.script().ctors);
        ids.filter(|(_, c)| names.contains(&&*c.name))
            .map(|(i, _)| crate::script::core::CtorId(i))
            .collect()
    };
    AtomTypes::new(&[
        ("Node".into(), ctors(&["N0", "N1", "N2"])),
        ("Datum".into(), ctors(&["A", "B"])),
    ])
}

fn reachable(e: &mut Evaluator, max: usize) -> Vec<Term> {
    let root = e.process_named("ROOT").expect("evaluates");
    let mut states: IndexSet<Term> = IndexSet::default();
    states.insert(root);
    let mut next = 0;
    while next < states.len() && states.len() < max {
        let steps = e.step(states[next]).expect("steps");
        states.extend(steps.into_iter().map(|s| s.1));
        next += 1;
    }
    states.into_iter().collect()
}

fn renamed_steps(
    e: &mut Evaluator,
    t: Term,
    map: &[Atom],
    types: &AtomTypes,
) -> IndexSet<(Label, Term)> {
    let steps = e.step(t).expect("steps");
    let renamed = steps.into_iter().map(|(label, next)| {
        let label = match label {
            Label::Event(v) => Label::Event(e.rename_value(v, map, types)),
            other => other,
        };
        (label, e.rename(next, map, types))
    });
    renamed.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::tiers::cases(12)))]
    #[test]
    fn transitions_commute_with_renaming(
        nodes in Just(vec![0u16, 1, 2]).prop_shuffle(),
        data in Just(vec![3u16, 4]).prop_shuffle(),
    ) {
        let map: Vec<Atom> = nodes.into_iter().chain(data).map(Atom).collect();
        for script in both() {
            let mut e = load(&script);
            let types = types(&e);
            for t in reachable(&mut e, 400) {
                let wanted = renamed_steps(&mut e, t, &map, &types);
                let image = e.rename(t, &map, &types);
                let found: IndexSet<(Label, Term)> =
                    e.step(image).expect("steps").into_iter().collect();
                prop_assert_eq!(wanted.len(), found.len());
                for step in &wanted {
                    prop_assert!(found.contains(step), "{} of {}", e.show_term(step.1), e.show_term(image));
                }
                let (shape, atoms) = e.split(t, &types);
                prop_assert_eq!(e.fill(shape, &atoms, &types), t);
                prop_assert_eq!(e.split(image, &types).0, shape);
                prop_assert_eq!(e.holes(shape).len(), atoms.len());
            }
        }
    }
}

#[test]
fn holes_are_named_and_grouped() {
    let mut e = load(&both()[0]);
    let types = types(&e);
    for t in reachable(&mut e, 400) {
        let (shape, atoms) = e.split(t, &types);
        let holes = e.holes(shape);
        for (hole, atom) in holes.iter().zip(atoms.iter()) {
            assert_eq!(hole.kind, types.kind(*atom));
        }
    }
    let root = e.process_named("ROOT").expect("evaluates");
    let (shape, atoms) = e.split(root, &types);
    // The hidden set is closed under permutation: it has no atoms to move.
    assert!(atoms.is_empty(), "{:?}", e.holes(shape));
}
