//! The strategy `exact` against its definition: one representative an orbit, and the order of the
//! stabiliser; and twins against theirs. All of it by trying all permutations of values and all
//! exchanges of copies.

use crate::support::{check, options, script, sound, unmerged, verdict};
use num_bigint::BigUint;
use orbitscope::check::{Check, Options};
use orbitscope::machine::network::RuleScratch;
use orbitscope::machine::{FormatId, LocalId, Machine, Miss, Network};
use orbitscope::script::load::Loaded;
use orbitscope::source::Cancel;
use orbitscope::symmetry::context::StateContext;
use orbitscope::symmetry::twins::{NearState, Twins};
use orbitscope::symmetry::{Representative, StrategyKind};
use orbitscope::value::Atom;

/// All permutations of a list.
pub(super) fn orders<T: Copy>(items: &[T]) -> Vec<Vec<T>> {
    let Some((first, rest)) = items.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for order in orders(rest) {
        for at in 0..=order.len() {
            let mut longer = order.clone();
            longer.insert(at, *first);
            all.push(longer);
        }
    }
    all
}

/// One of each list, in all ways, one after the other.
fn products<T: Copy>(lists: &[Vec<Vec<T>>]) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    for list in lists {
        all = all
            .iter()
            .flat_map(|done: &Vec<T>| list.iter().map(move |more| [&done[..], more].concat()))
            .collect();
    }
    all
}

pub(super) struct Subject {
    pub(super) machine: Machine,
    pub(super) network: Network,
    /// All permutations of values.
    pub(super) images: Vec<Vec<Atom>>,
    /// All exchanges of copies: where each position of the sets gets its component from.
    exchanges: Vec<Vec<u16>>,
}

impl Subject {
    pub(super) fn new(name: &str, text: &str) -> Self {
        let mut subject = Self::without_group(&sound(&script(name, text)));
        let Self {
            machine, network, ..
        } = &subject;
        let kinds = 0..machine.atoms().kinds() as u8;
        let atoms = |kind| machine.atoms().atoms(kind).map(Atom).collect::<Vec<_>>();
        let images = products(&kinds.map(|k| orders(&atoms(k))).collect::<Vec<_>>());
        let sets = network.first().copies().sets();
        let exchanges = products(&sets.iter().map(|s| orders(s)).collect::<Vec<_>>());
        subject.images = images;
        subject.exchanges = exchanges;
        subject
    }

    /// The same where there are too many permutations to list them.
    pub(super) fn without_group(loaded: &Loaded) -> Self {
        // Bisimilar local states are told apart, as the definitions do.
        let how: Options = unmerged(options(Some(true), StrategyKind::Exact, 1));
        let check = Check::prepare(loaded, 0, &how, &Cancel::default()).expect("it compiles");
        let Check {
            machine, network, ..
        } = check;
        Self {
            machine,
            network,
            images: Vec::new(),
            exchanges: Vec::new(),
        }
    }

    pub(super) fn complete<R>(
        &mut self,
        mut f: impl FnMut(&Machine, &Network) -> Result<R, Miss>,
    ) -> R {
        loop {
            match f(&self.machine, &self.network) {
                Ok(done) => return done,
                Err(miss) => self
                    .machine
                    .resolve(&mut self.network, &miss)
                    .expect("it evaluates"),
            }
        }
    }

    /// The successors of a state, and of each whether twins make it superfluous, if these values have
    /// to stay.
    pub(super) fn successors(
        &mut self,
        state: &[LocalId],
        spec_atoms: &[Atom],
    ) -> Vec<(Vec<LocalId>, bool)> {
        self.complete(|machine, network| {
            let mut found = Vec::new();
            let mut scratch = RuleScratch::default();
            let mut twins = Twins::default();
            let mut near = NearState::default();
            let context = context(machine, network, state, spec_atoms);
            near.stand();
            near.look_at(&context);
            twins.find(&context, &near);
            network.successors::<Miss>(
                machine.locals(),
                FormatId(0),
                state,
                &mut scratch,
                |successor| {
                    let superfluous = twins.makes_superfluous(successor.movers());
                    found.push((successor.locals.to_vec(), superfluous));
                    Ok(())
                },
            )?;
            Ok(found)
        })
    }

    /// Whether all that twins make superfluous is the image of something else, by a permutation that
    /// leaves the state and these values alone. The number of superfluous successors.
    fn twins_are_right(&mut self, state: &[LocalId], spec_atoms: &[Atom]) -> usize {
        let here = self.images(state);
        let each = self.images.clone();
        let stays = |image: &Vec<Atom>| spec_atoms.iter().all(|a| image[a.0 as usize] == *a);
        let exchanges = self.exchanges.len();
        let fixing = (0..here.len()).filter(|n| here[*n] == state && stays(&each[n / exchanges]));
        let fixing: Vec<usize> = fixing.collect();
        let successors = self.successors(state, spec_atoms);
        let (superfluous, kept): (Vec<_>, Vec<_>) = successors.into_iter().partition(|s| s.1);
        for (left_out, _) in &superfluous {
            let images = self.images(left_out);
            let is_kept = |n: &usize| kept.iter().any(|(k, _)| *k == images[*n]);
            assert!(fixing.iter().any(is_kept), "{spec_atoms:?} {left_out:?}");
        }
        superfluous.len()
    }

    /// The images of a state, once for every element of the group.
    pub(super) fn images(&mut self, state: &[LocalId]) -> Vec<Vec<LocalId>> {
        let mut all = Vec::new();
        for image in self.images.clone() {
            let moved = self.complete(|machine, network| {
                let mut out = Vec::new();
                network.permute(machine.locals(), FormatId(0), state, &image, &mut out)?;
                Ok(out)
            });
            let places = self.network.first().copies().sets().concat();
            for exchange in &self.exchanges {
                let mut exchanged = moved.clone();
                for (to, from) in places.iter().zip(exchange) {
                    exchanged[*to as usize] = moved[*from as usize];
                }
                all.push(exchanged);
            }
        }
        all
    }

    pub(super) fn representative(&mut self, state: &[LocalId]) -> (Vec<LocalId>, Option<BigUint>) {
        self.complete(|machine, network| {
            let mut out = Representative::default();
            let context = context(machine, network, state, &[]);
            out.counting = true;
            StrategyKind::Exact
                .strategy()
                .representative(&context, &mut out)?;
            let order = out.stabiliser.map(|order| order.to_big());
            Ok((out.locals, order))
        })
    }
}

pub(super) fn context<'a>(
    machine: &'a Machine,
    network: &'a Network,
    state: &'a [LocalId],
    spec_atoms: &'a [Atom],
) -> StateContext<'a> {
    StateContext {
        atoms: machine.atoms(),
        locals: machine.locals(),
        network,
        format: FormatId(0),
        state,
        node: 0,
        spec_atoms,
        spec_atoms_ordered: true,
    }
}

/// Compares for the first states of a script's only assertion. The number of superfluous successors.
fn holds(name: &str, text: &str) -> usize {
    const STATES: usize = 400;
    let mut subject = Subject::new(name, text);
    let mut states = vec![subject.network.initial().to_vec()];
    let mut at = 0;
    while at < states.len() && states.len() < STATES {
        for (next, _) in subject.successors(&states[at].clone(), &[]) {
            if !states.contains(&next) {
                states.push(next);
            }
        }
        at += 1;
    }
    let mut superfluous = 0;
    for state in states {
        superfluous += subject.twins_are_right(&state, &[]);
        if !subject.machine.atoms().is_empty() {
            subject.twins_are_right(&state, &[Atom(0)]);
        }
        let images = subject.images(&state);
        let fixed = images.iter().filter(|image| **image == state).count();
        let (representative, stabiliser) = subject.representative(&state);
        let shown: Vec<String> = state
            .iter()
            .map(|l| subject.machine.show_local(*l))
            .collect();
        assert!(images.contains(&representative), "{shown:?}");
        assert_eq!(stabiliser, Some(fixed.into()), "{shown:?}");
        let other = &images[images.len() / 2];
        assert_eq!(subject.representative(other).0, representative, "{shown:?}");
    }
    superfluous
}

const TYPES: &str = "datatype S = S0 | S1 | S2\ndatatype U = U0 | U1 | U2 | U3\nchannel a : S\nchannel b : S.U\nchannel c, e : U\n";

#[test]
fn components_whose_values_are_not_their_own() {
    let text = "F0(me, u, xs) = (a?y:diff(S, {me}) -> F0(y, u, xs)) [] (b.me?v -> F1(me, u, union(xs, {me})))
F1(me, u, xs) = a.me -> F0(me, u, xs)
F(me) = |~| v : U @ F0(me, v, {me})
Whole = [| {|c|} |] s : S @ F(s)
assert Whole :[deadlock free [F]]";
    holds("exact_1.csp", &format!("{TYPES}{text}"));
}

#[test]
fn sets_of_values_of_others() {
    let text = "datatype S = S0 | S1
datatype U = U0 | U1
channel a : S
channel c : U
channel d : S.S
F0(me, u, xs) = (a?y:diff(S, {me}) -> F0(y, u, xs)) [] (d.me?y -> F1(me, u, union(xs, {y})))
F1(me, u, xs) = a.me -> F0(me, u, xs)
F(me) = |~| v : U @ F0(me, v, {me})
Whole = [| {|c|} |] s : S @ F(s)
assert Whole :[deadlock free [F]]";
    holds("exact_2.csp", text);
}

#[test]
fn copies_with_values_of_their_own() {
    let text = "P = c?x -> Q(x)
Q(x) = e.x -> P
assert (P ||| P ||| P) :[deadlock free]";
    holds("exact_3.csp", &format!("{TYPES}{text}"));
    let text = "P = c?x -> Q(x)
Q(x) = e.x -> P [] b?s!x -> R(s)
R(s) = a.s -> P
W(s) = b.s?u -> a.s -> W(s)
assert ((P ||| P) [|{|b|}|] (||| s : S @ W(s))) :[deadlock free]";
    holds("exact_4.csp", &format!("{TYPES}{text}"));
}

#[test]
fn copies_that_differ_in_what_they_synchronise_on() {
    let text = "P = c?x -> Q(x)
Q(x) = e.x -> P
assert ((P ||| P) [|{|c|}|] P ||| P) :[deadlock free]";
    holds("exact_5.csp", &format!("{TYPES}{text}"));
    let text = "P(s) = c?x -> Q(s, x)
Q(s, x) = b.s.x -> P(s)
assert ((||| s : S @ P(s)) ||| (||| s : S @ P(s))) :[deadlock free]";
    holds("exact_6.csp", &format!("{TYPES}{text}"));
}

#[test]
fn components_that_forget_who_they_are() {
    let text = "P(s) = a.s -> b.s?u -> Q(u)
Q(u) = c.u -> STOP
assert (||| s : S @ P(s)) :[deadlock free]";
    holds("exact_forget.csp", &format!("{TYPES}{text}"));
    let text = "P(s) = a.s -> b?t!U0 -> Q(t, s)
Q(t, s) = a.t -> (a.s -> STOP [] a.t -> R(t))
R(t) = a.t -> P(t)
channel f
assert (||| s : S @ P(s)) :[deadlock free]";
    holds("exact_exchange.csp", &format!("{TYPES}{text}"));
}

#[test]
fn sets_in_components_that_are_not_exchanged() {
    let text = "Copy = a?x -> Lone({x})
Lone(xs) = a?x:diff(S, xs) -> Lone(union(xs, {x}))
assert ((Copy ||| Copy) [|{|a|}|] Copy) :[deadlock free [F]]";
    holds("exact_sets.csp", &format!("{TYPES}{text}"));
}

#[test]
fn twins_on_both_sides_of_an_event() {
    let text = "Free(s) = b.s?u -> Used(s, u)
Used(s, u) = a.s -> Free(s)
T(u) = b?s!u -> e.u -> T(u)
assert ((||| s : S @ Free(s)) [|{|b|}|] (||| u : U @ T(u))) :[deadlock free]";
    let superfluous = holds("exact_twins.csp", &format!("{TYPES}{text}"));
    assert!(superfluous > 0);
}

#[test]
fn copies_without_values() {
    let text = "P = go -> in -> (out -> P [] STOP)
channel go, in, out
assert (P ||| P ||| P ||| P) :[deadlock free]";
    holds("exact_7.csp", text);
}

#[test]
fn pairs_that_refinement_leaves_alone() {
    let text = "datatype N = N0 | N1 | N2 | N3 | N4 | N5
channel link, unlink : N.N
Free(me) = link.me?o:diff(N, {me}) -> Linked(me, o) [] link?o:diff(N, {me})!me -> Target(me)
Linked(me, o) = unlink.me.o -> Free(me)
Target(me) = unlink?o:diff(N, {me})!me -> Free(me)
A(me) = union({ link.me.o, unlink.me.o | o <- N, o != me }, { link.o.me, unlink.o.me | o <- N, o != me })
assert (|| n : N @ [A(n)] Free(n)) :[deadlock free]";
    holds("exact_pairs.csp", text);
}

#[test]
fn relations_as_sets_of_pairs() {
    let text = "datatype S = S0 | S1 | S2 | S3
channel add : S.S
Lone(R) = add?x?y:diff(S, {x}) -> Lone(union(R, {(x, y)}))
assert Lone({}) :[deadlock free]";
    holds("exact_relations.csp", text);
}

#[test]
fn nested_sets_and_several_sets() {
    let text = "datatype S = S0 | S1 | S2 | S3
channel a, d : S.S
P(xs, ys) = a?x?y:diff(S, {x}) -> P(union(xs, {{x, y}}), ys) [] d?x?y -> P(xs, union(ys, {x, y}))
assert (P({}, {}) [| {| d |} |] P({}, {})) :[deadlock free]";
    holds("exact_nested.csp", text);
}

/// What a whole check of the script's first assertion stands for.
fn represented(name: &str, text: &str) -> Option<(BigUint, BigUint)> {
    let how = Options {
        count_full: true,
        merging: false,
        ..options(Some(true), StrategyKind::Exact, 1)
    };
    let outcome = check(&sound(&script(name, text)), 1, &how);
    outcome.represented
}

/// A set of three values out of 64, 65, 130 and 300: no number of values is special.
#[test]
fn many_values() {
    for n in [64u64, 65, 130, 300] {
        let names: Vec<String> = (0..n).map(|v| format!("V{v}")).collect();
        let text = format!(
            "datatype S = {}\nchannel a : S\nQ(s) = card(s) < 3 & a?x:diff(S, s) -> Q(union(s, {{x}}))
F(x) = a.x -> STOP\nassert CHAOS(Events) [T= Q({{}})",
            names.join(" | ")
        );
        // All sets of three values lead to `STOP`.
        let sets = 1 + n + n * (n - 1) / 2 + 1;
        let steps = n + n * (n - 1) + n * (n - 1) / 2 * (n - 2);
        let expected = Some((sets.into(), steps.into()));
        assert_eq!(represented(&format!("exact_{n}.csp"), &text), expected);
    }
}

/// All assignments of values to 40 components: `40!` is beyond 128 bits.
#[test]
fn orders_beyond_words_are_exact() {
    let names: Vec<String> = (0..40).map(|v| format!("V{v}")).collect();
    let text = format!(
        "datatype S = {}\nchannel a : S\nP(s) = a.s -> Q(s)\nQ(s) = a.s -> P(s)
assert CHAOS(Events) [T= ||| s : S @ P(s)",
        names.join(" | ")
    );
    let states = BigUint::from(1u64 << 40);
    let steps = &states * 40u32;
    assert_eq!(represented("exact_40.csp", &text), Some((states, steps)));
}

/// A word has room for 64 values. With more of them what twins do is left out as well: of all that may get something only
/// the first does, in three states, and there are as many things to get as there are values.
#[test]
fn twins_among_more_values_than_a_word_has_bits() {
    let representatives = |values: usize| {
        let names: Vec<String> = (0..values).map(|n| format!("I{n}")).collect();
        let text = format!(
            "datatype Id = {}\nchannel get, put : Id.Id\n\
             P(i) = get.i?j -> put.i.j -> P(i)\n\
             System = (||| i : Id @ P(i)) [| {{|get|}} |] Few(0)\n\
             Few(n) = n < 2 & get?i?j -> Few(n+1)\n\
             assert System :[deadlock free]\n",
            names.join(" | ")
        );
        let path = script(&format!("twins_of_{values}.csp"), text);
        // Which steps sleep depends on which representative is chosen.
        let options = Options {
            sleep_sets: false,
            ..options(None, StrategyKind::Exact, 1)
        };
        let outcome = check(&sound(&path), 1, &options);
        assert_eq!(verdict(&outcome), "fail", "{values}");
        let details = outcome.details.as_ref().expect("it was searched");
        (outcome.progress.states, details.representatives)
    };
    for values in [10, 64, 65, 130] {
        assert_eq!(representatives(values), (6, 3 * values as u64 + 4));
    }
}

/// All components look the same, but not to the specification: it knows who was first.
#[test]
fn twins_that_the_specification_tells_apart() {
    for values in [10, 64, 65, 130] {
        let names: Vec<String> = (0..values).map(|n| format!("I{n}")).collect();
        let text = format!(
            "datatype Id = {}\nchannel a : Id\nP(i) = a.i -> P(i)\n\
             Same = a?i -> Again(i)\nAgain(i) = a.i -> Again(i)\n\
             Other = a?i -> Another(i)\nAnother(i) = a?j:diff(Id,{{i}}) -> Another(i)\n\
             assert Same [T= ||| i : Id @ P(i)\nassert Other [T= ||| i : Id @ P(i)\n",
            names.join(" | ")
        );
        let path = script(&format!("twins_and_specification_of_{values}.csp"), text);
        for number in [1, 2] {
            for threads in [1, 2] {
                let how = options(None, StrategyKind::Exact, threads);
                let outcome = check(&sound(&path), number, &how);
                assert_eq!(verdict(&outcome), "fail", "{number} of {values}");
            }
        }
    }
}

/// Equal components hold one value together, which the specification mentions before those that are their own.
#[test]
fn a_value_in_common_that_the_specification_mentions_first() {
    let text = "datatype Id = I0 | I1 | I2\ndatatype D = A | B\nchannel in : D\nchannel take : Id.D\nchannel back : Id\n\
        P(i) = in?x -> Q(i, x)\nQ(i, x) = take.i!x -> Q(i, x)\n\
        Spec = in?x -> take?i!x -> Last(x, i)\nLast(x, i) = take?j!x -> Last(x, j) [] back.i -> STOP\n\
        assert Spec [T= [|{|in|}|] i : Id @ P(i)\n";
    // One before the input, one after each, and with each that was last.
    let expected = Some((9u64.into(), (2u64 + 2 * 3 + 6 * 3).into()));
    assert_eq!(represented("exact_in_common.csp", text), expected);
}
