//! Scripts out of nothing: most of what is in them has the right type.

use std::fmt::Write;

use crate::random::Random;

/// What an expression stands for.
#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Int,
    Bool,
    Ints,
    Sequence,
    Map,
    Pair,
    Data,
    Event,
    Events,
    Process,
}

const SORTS: [Sort; 10] = [
    Sort::Int,
    Sort::Bool,
    Sort::Ints,
    Sort::Sequence,
    Sort::Map,
    Sort::Pair,
    Sort::Data,
    Sort::Event,
    Sort::Events,
    Sort::Process,
];

const DECLARATIONS: &str = "
datatype D = A | B | C.{0..1} | E.D.Bool
subtype S = A | C.{0}
nametype N = {0..2}
channel a, b, tock
channel c : N
channel d : D.N
channel e : Bool.Bool
external chase, prioritise
transparent normal, diamond
";

/// A script.
pub fn script(random: &mut Random) -> String {
    let mut out = String::from(DECLARATIONS);
    let definitions = 2 + random.below(8);
    let mut maker = Maker {
        random,
        names: Vec::new(),
        variables: Vec::new(),
    };
    for n in 0..definitions {
        let sort = if maker.random.once_in(2) {
            Sort::Process
        } else {
            maker.random.pick(&SORTS)
        };
        maker.names.push((format!("x{n}"), sort));
    }
    let timed = maker.random.once_in(8);
    if timed {
        out.push_str("Timed {\n");
    }
    for n in 0..definitions {
        let (name, sort) = maker.names[n].clone();
        let body = maker.expr(sort, 4);
        let _ = writeln!(out, "{name} = {body}");
    }
    if maker.random.once_in(4) {
        let (int, process) = (maker.expr(Sort::Int, 2), maker.expr(Sort::Process, 3));
        let _ = writeln!(
            out,
            "module M(k)\nh(n) = n + k\nexports\nz = h({int})\nR = {process}\nendmodule"
        );
        let _ = writeln!(out, "instance I = M({int})\ny0 = I::z\ny1 = I::R");
        maker.names.push(("I::z".to_owned(), Sort::Int));
        maker.names.push(("y1".to_owned(), Sort::Process));
    }
    for f in 0..2 {
        maker.variables.push(("n".to_owned(), Sort::Int));
        let base = maker.expr(Sort::Int, 2);
        let body = maker.expr(Sort::Process, 3);
        maker.variables.pop();
        let _ = writeln!(
            out,
            "f{f}(0) = {base}\nf{f}(n) = if n < 0 then n else f{f}(n - 1) + {base}"
        );
        let _ = writeln!(out, "P{f}(n) = {body}");
    }
    if timed {
        out.push_str("}\n");
    }
    for (name, sort) in maker.names.clone() {
        if sort == Sort::Process {
            const FORMS: [&str; 6] = [
                ":[deadlock free]",
                ":[divergence free]",
                "[T= STOP",
                ":[deterministic]",
                "[F= SKIP",
                ":[has trace]: <a, b>",
            ];
            let form = maker.random.pick(&FORMS);
            let _ = writeln!(out, "assert {name} {form}");
        }
    }
    out
}

struct Maker<'a> {
    random: &'a mut Random,
    names: Vec<(String, Sort)>,
    variables: Vec<(String, Sort)>,
}

impl Maker<'_> {
    fn expr(&mut self, sort: Sort, depth: usize) -> String {
        // Now and then something of another type.
        let sort = if self.random.once_in(60) {
            self.random.pick(&SORTS)
        } else {
            sort
        };
        let known = self
            .names
            .iter()
            .chain(&self.variables)
            .filter(|n| n.1 == sort);
        let mut known: Vec<String> = known.map(|n| n.0.clone()).collect();
        if !known.is_empty() && (depth == 0 || self.random.once_in(4)) {
            return known.swap_remove(self.random.below(known.len()));
        }
        let forms = forms(sort);
        let simple = forms.len() / 3;
        let form = if depth == 0 {
            forms[self.random.below(simple)]
        } else {
            self.random.pick(forms)
        };
        self.fill(form, depth.saturating_sub(1))
    }

    /// Replaces `@i` by an integer, `@b` by a boolean, and so on; `v` is bound where a form binds it.
    fn fill(&mut self, form: &str, depth: usize) -> String {
        let binds = form.contains(" v") || form.contains("?v");
        if binds {
            self.variables.push(("v".to_owned(), Sort::Int));
        }
        let mut out = String::new();
        let mut rest = form;
        while let Some((before, after)) = rest.split_once('\'') {
            out.push_str(before);
            let sort = match after.as_bytes()[0] {
                b'i' => Sort::Int,
                b'b' => Sort::Bool,
                b's' => Sort::Ints,
                b'q' => Sort::Sequence,
                b'm' => Sort::Map,
                b't' => Sort::Pair,
                b'd' => Sort::Data,
                b'e' => Sort::Event,
                b'E' => Sort::Events,
                _ => Sort::Process,
            };
            out.push_str(&self.expr(sort, depth));
            rest = &after[1..];
        }
        out.push_str(rest);
        if binds {
            self.variables.pop();
        }
        out
    }
}

/// How an expression of a sort can be made; the first third does not recurse (or hardly).
fn forms(sort: Sort) -> &'static [&'static str] {
    match sort {
        Sort::Int => &[
            "0",
            "1",
            "2",
            "3",
            "-1",
            "('i + 'i)",
            "('i - 'i)",
            "('i * 'i)",
            "('i / 'i)",
            "('i % 'i)",
            "(#'q)",
            "card('s)",
            "(if 'b then 'i else 'i)",
            "head('q)",
            "length('q)",
            "(let v = 'i within 'i)",
            "((\\ v @ 'i)('i))",
            "f0('i)",
            "mapLookup('m, 'i)",
            "(let (v, w) = 't within 'i)",
            "(let <v>^w = 'q within 'i)",
            "error(show('d))",
        ],
        Sort::Bool => &[
            "true",
            "false",
            "True",
            "('i < 'i)",
            "('i == 'i)",
            "('s <= 's)",
            "('q == 'q)",
            "('d != 'd)",
            "('b and 'b)",
            "('b or not 'b)",
            "member('i, 's)",
            "null('q)",
            "empty('s)",
            "elem('i, 'q)",
            "('t == 't)",
            "('e == 'e)",
            "mapMember('m, 'i)",
            "('q <= 'q)",
        ],
        Sort::Ints => &[
            "{}",
            "{0..2}",
            "N",
            "{1}",
            "{0..}",
            "{'i..'i}",
            "{'i, 'i}",
            "{'i | v <- 's}",
            "{'i | v <- 's, 'b}",
            "union('s, 's)",
            "inter('s, 's)",
            "diff('s, 's)",
            "set('q)",
            "Int",
            "Union({'s, 's})",
            "{'i | v : 's, <w> <- {'q}}",
        ],
        Sort::Sequence => &[
            "<>",
            "<0>",
            "<0..2>",
            "<0..>",
            "<'i>",
            "<'i, 'i>",
            "<'i..'i>",
            "('q^'q)",
            "tail('q)",
            "<'i | v <- 'q>",
            "<'i | v <- 'q, 'b>",
            "seq('s)",
            "concat(<'q, 'q>)",
            "<'i.. | v <- 'q>",
        ],
        Sort::Map => &[
            "(| |)",
            "emptyMap",
            "(| 0 => 1 |)",
            "(| 'i => 'i |)",
            "mapUpdate('m, 'i, 'i)",
            "mapDelete('m, 'i)",
            "mapFromList(<'t, 't>)",
        ],
        Sort::Pair => &[
            "(0, 0)",
            "(1, 2)",
            "('i, 'i)",
            "(if 'b then 't else 't)",
            "head(mapToList('m))",
        ],
        Sort::Data => &[
            "A",
            "B",
            "C.0",
            "C.'i",
            "E.'d.'b",
            "E.A.true",
            "(if 'b then 'd else 'd)",
            "(let C.v = 'd within 'd)",
        ],
        Sort::Event => &[
            "a", "b", "tock", "c.1", "c.'i", "d.'d.'i", "e.'b.'b", "d.A.0", "d.B.'i",
        ],
        Sort::Events => &[
            "{}",
            "{a}",
            "{|c|}",
            "Events",
            "{|a, b|}",
            "{'e, 'e}",
            "{|'e, 'e|}",
            "union('E, 'E)",
            "diff('E, 'E)",
            "{c.v | v <- 's}",
            "{|d.'d|}",
            "productions(c)",
            "extensions(d.'d)",
            "inter('E, Events)",
            "{|c.v | v <- 's|}",
        ],
        Sort::Process => &[
            "STOP",
            "SKIP",
            "(a -> STOP)",
            "DIV",
            "CHAOS({a})",
            "RUN({b})",
            "(a -> b -> SKIP)",
            "('e -> 'P)",
            "('e -> 'P)",
            "(c?v -> 'P)",
            "(c?v:'s -> 'P)",
            "(d?_?v -> 'P)",
            "(d.'d$v -> 'P)",
            "(d!'d!'i -> 'P)",
            "('b & 'P)",
            "('P ; 'P)",
            "('P [] 'P)",
            "('P |~| 'P)",
            "('P /\\ 'P)",
            "('P [> 'P)",
            "('P ||| 'P)",
            "('P [|'E|] 'P)",
            "('P ['E||'E] 'P)",
            "('P [|'E|> 'P)",
            "('P [+'E+] 'P)",
            "('P /+'E+\\ 'P)",
            "('P \\ 'E)",
            "('P |\\ 'E)",
            "('P[[a <- b]])",
            "('P[['e <- 'e]])",
            "('P[[c <- c, a <- c.v | v <- 's]])",
            "('P [c <-> c] 'P)",
            "('P ['e <-> 'e] 'P)",
            "([] v : 's @ 'P)",
            "(|~| v : 's @ 'P)",
            "(||| v : {0..1} @ 'P)",
            "(|| v : {0..1} @ ['E] 'P)",
            "([|'E|] v : {0..1} @ 'P)",
            "(; v : 'q @ 'P)",
            "([a <-> b] v : <0, 1> @ 'P)",
            "(if 'b then 'P else 'P)",
            "(let v = 'i within 'P)",
            "P0('i)",
            "P1('i)",
            "normal('P)",
            "chase('P)",
            "prioritise('P, <{a}, {b}>)",
            "BUFFER(2, {(c, c)})",
        ],
    }
}
