//! Long scripts: what people write, again and again under other names.

use std::fmt::Write;

/// A part of a large model. `_N` stands for its number and `_P` for that of the part before.
const PART: &str = r#"
-----------------------------------------------------------------------------
-- Part _N: a server with a bounded queue, its clients, and what they may do.
-----------------------------------------------------------------------------

datatype Client_N = Alice_N | Bob_N | Carol_N
datatype Request_N = Read_N.Address_N | Write_N.Address_N.Bit_N | Close_N
nametype Address_N = {0..3}
nametype Bit_N = {0, 1}

channel request_N : Client_N.Request_N
channel answer_N : Client_N.Bit_N
channel refuse_N, hello_N, bye_N : Client_N
channel mem_N : {0..7}.Address_N.Bit_N

{- Functions on sequences and sets.
   They are polymorphic, and the parts use each other's. -}
take_N(_, <>) = <>
take_N(0, _) = <>
take_N(n, <x>^xs) = <x>^take_N(n - 1, xs)

zip_N(<>, _) = <>
zip_N(_, <>) = <>
zip_N(<x>^xs, <y>^ys) = <(x, y)>^zip_N(xs, ys)

fold_N(f, e, <>) = e
fold_N(f, e, <x>^xs) = f(x, fold_N(f, e, xs))

sum_N(xs) = fold_N(\ x, y @ x + y, 0, xs)
pairs_N(S) = {(x, y) | x <- S, y <- S, x != y}
total_N(xs) = sum_N(take_P(3, xs)) + (if null(xs) then 0 else head(xs) * 2)
limits_N = <sum_N(<1..3>), total_N(<a | (a, _) <- zip_P(<1, 2>, <3, 4>), (a > 0)>)>

-- The memory.
Cell_N(i, a, b) =
     mem_N.i.a!b -> Cell_N(i, a, b)
  [] mem_N.i.a?b' : diff(Bit_N, {b}) -> Cell_N(i, a, b')

Memory_N = ||| i : {0..7}, a : Address_N @ Cell_N(i, a, 0)

-- The server keeps what it was asked for in a queue.
Server_N(queue) =
  let room = #queue < 4
      next = head(queue)
      serve(c, Read_N.a) = mem_N?_!a?b -> answer_N.c!b -> Server_N(tail(queue))
      serve(c, Write_N.a.b) = mem_N.0.a!b -> Server_N(tail(queue))
      serve(c, Close_N) = bye_N!c -> Server_N(<x | x <- tail(queue), (x != (c, Close_N))>)
  within
     room & request_N?c?r -> Server_N(queue^<(c, r)>)
  [] not room & refuse_N?c -> Server_N(queue)
  [] not null(queue) & (let (c, r) = next within serve(c, r))

User_N(c) = hello_N.c -> Session_N(c)
Session_N(c) =
     (|~| r : Request_N @ request_N.c!r -> (answer_N.c?b -> Session_N(c) [] bye_N.c -> User_N(c)))
  [> refuse_N.c -> User_N(c)

Shared_N = {| request_N, answer_N, refuse_N, bye_N |}
Users_N = ||| c : Client_N @ User_N(c)
System_N = (Users_N [| Shared_N |] Server_N(<>)) [| {| mem_N |} |] Memory_N
Quiet_N = System_N \ {| mem_N, answer_N |}
Renamed_N = Quiet_N [[ hello_N <- bye_N, refuse_N.c <- hello_N.c | c <- Client_N ]]

Spec_N(active) =
     (|~| c : diff(Client_N, active) @ hello_N.c -> Spec_N(union(active, {c})))
  |~| (if empty(active) then STOP else bye_N?c:active -> Spec_N(diff(active, {c})))

assert Spec_N({}) [T= Quiet_N \ {| request_N, refuse_N |}
assert not System_N :[deadlock free [FD]]
assert Renamed_N :[divergence free]
"#;

/// A script of at least so many lines.
pub fn script(lines: usize) -> String {
    let parts = lines.div_ceil(PART.lines().count());
    let mut text = String::new();
    for n in 0..parts {
        let _ = writeln!(text, "{}", part(n, (n + parts - 1) % parts));
    }
    text
}

fn part(n: usize, before: usize) -> String {
    let (n, before) = (format!("_{n}x"), format!("_{before}x"));
    PART.replace("_N", &n).replace("_P", &before)
}

/// A shipped model as often as it takes, its names made different.
pub fn model(lines: usize) -> String {
    let model = include_str!("../../models/list_stack.csp");
    let kept = [
        "card", "diff", "head", "tail", "union", "assert", "channel", "datatype", "if", "then",
        "else", "symmetry", "reduce", "T",
    ];
    let mut text = String::new();
    for n in 0..lines.div_ceil(model.lines().count()) {
        for line in model.lines() {
            if line.starts_with("--") {
                let _ = writeln!(text, "{line}");
                continue;
            }
            let mut word = String::new();
            for c in line.chars().chain(['\n']) {
                if c.is_ascii_alphanumeric() {
                    word.push(c);
                    continue;
                }
                text.push_str(&word);
                let name = word.starts_with(|c: char| c.is_ascii_alphabetic());
                if name && !kept.contains(&&*word) {
                    let _ = write!(text, "_{n}");
                }
                word.clear();
                text.push(c);
            }
        }
    }
    text
}
