//! Random systems of workers that share locks, variables and a queue: partial order reduction passes many of their states
//! one after the other, and finds most of what it needs there where it found it before.

use std::fmt::Write as _;

use crate::random_scripts::Dice;

/// What worker `i` does with lock or variable `v`: `@` is what comes after it, and `%` another way to go on.
const ACTIONS: [&str; 8] = [
    "take.i.v -> give.i.v -> @",
    "take.i.v -> get.i.v?x -> set.i.v.(1 - x) -> give.i.v -> @",
    "get.i.v?x -> (if x == 0 then @ else %)",
    "(get.i.v.0 -> @ [] get.i.v.1 -> %)",
    "set.i.v.0 -> @",
    "put.i -> @",
    "pull?x -> @",
    "done.i -> @",
];

pub(super) const ASSERTIONS: [&str; 5] = [
    "System :[deadlock free [F]]",
    "System :[divergence free]",
    "Spec [T= System",
    "Spec [F= System",
    "Spec [FD= System",
];

/// What a worker does in so many steps, and with all ways to go on in a few times as many.
fn steps(dice: &mut Dice<'_>, length: usize) -> String {
    if length == 0 {
        return ["done.i -> W(i)", "W(i)"][dice.below(2)].to_owned();
    }
    let variable = ["0", "1"][dice.below(2)];
    let action = ACTIONS[dice.below(ACTIONS.len())].replace(".v", &format!(".{variable}"));
    let action = action.replace('@', &steps(dice, length - 1));
    match action.contains('%') {
        true => action.replace('%', &steps(dice, length / 2)),
        false => action,
    }
}

pub(super) fn generate(bytes: &[u8]) -> String {
    let dice = &mut Dice(bytes.iter());
    let workers = ["{0, 1}", "{0, 1}", "{0..2}"][dice.below(3)];
    let length = 3 + dice.below(4);
    let worker = steps(dice, length);
    let mut text = format!(
        "I = {workers}\nC = {{0, 1}}\nchannel take, give : I.C\nchannel get, set : I.C.C\n\
         channel done, put, pull : I\n\
         Lock(c) = take?i!c -> give.i.c -> Lock(c)\n\
         Variable(c, x) = get?i!c!x -> Variable(c, x) [] set?i!c?y -> Variable(c, y)\n\
         Queue(s) = #s < 2 & put?i -> Queue(s^<i>) [] #s > 0 & pull.head(s) -> Queue(tail(s))\n\
         W(i) = {worker}\n\
         Shared = (||| c : C @ (Lock(c) ||| Variable(c, 0))) ||| Queue(<>)\n\
         Used = {{|take, give, get, set, put, pull|}}\n\
         System = ((||| i : I @ W(i)) [| Used |] Shared) \\ Used\n\
         Spec = done?i -> Spec |~| STOP\n"
    );
    for assertion in ASSERTIONS {
        let _ = writeln!(text, "assert {assertion}");
    }
    text
}
