//! `orbitscope explain`: what it claims of a state, held to brute force over all permutations that knows
//! nothing but the words of the document.

use std::collections::BTreeSet;

use crate::support::{orbitscope, repository, script};
use serde_json::Value;

/// A state in words: label and local state of each component, in an order that does not matter.
type Words = Vec<(String, String)>;

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'')
}

/// Names exchanged for others, wherever they stand as words.
pub fn renamed(text: &str, names: &[String], images: &[&String]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        match names.iter().position(|n| n == word) {
            Some(at) => out.push_str(images[at]),
            None => out.push_str(word),
        }
        rest = after;
    }
    sorted_sets(&out)
}

/// The elements of each `{…}` in one order: permutations of values do not keep it.
fn sorted_sets(text: &str) -> String {
    let mut levels: Vec<Vec<String>> = vec![vec![String::new()]];
    let mut round = vec![0_usize];
    for c in text.chars() {
        match c {
            '{' => {
                levels.push(vec![String::new()]);
                round.push(0);
            }
            '}' if levels.len() > 1 => {
                round.pop();
                let mut elements = levels.pop().unwrap_or_default();
                elements.sort();
                push(&mut levels, &format!("{{{}}}", elements.join(",")));
            }
            ',' if levels.len() > 1 && round.last() == Some(&0) => {
                if let Some(level) = levels.last_mut() {
                    level.push(String::new());
                }
            }
            ' ' => {}
            c => {
                match (c, round.last_mut()) {
                    ('(' | '<', Some(depth)) => *depth += 1,
                    (')' | '>', Some(depth)) => *depth = depth.saturating_sub(1),
                    _ => {}
                }
                push(&mut levels, c.encode_utf8(&mut [0; 4]));
            }
        }
    }
    levels.concat().concat()
}

fn push(levels: &mut [Vec<String>], text: &str) {
    if let Some(element) = levels.last_mut().and_then(|level| level.last_mut()) {
        element.push_str(text);
    }
}

fn orders<T>(items: &[T]) -> Vec<Vec<&T>> {
    let Some((first, rest)) = items.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for order in orders(rest) {
        for at in 0..=order.len() {
            let mut longer = order.clone();
            longer.insert(at, first);
            all.push(longer);
        }
    }
    all
}

/// Copies, whose labels are but numbers, exchanged in all ways.
fn exchanged(state: &Words) -> Vec<Words> {
    let copies: Vec<usize> = (0..state.len())
        .filter(|at| {
            ["[1st]", "[2nd]", "[3rd]"]
                .iter()
                .any(|n| state[*at].0.ends_with(n))
        })
        .collect();
    let exchange = |order: Vec<&usize>| {
        let mut after = state.clone();
        for (to, from) in copies.iter().zip(order) {
            after[*to].1.clone_from(&state[*from].1);
        }
        after
    };
    orders(&copies).into_iter().map(exchange).collect()
}

/// All states of the orbit, by all permutations of some types.
fn orbit(state: &Words, types: &[Vec<String>]) -> BTreeSet<Words> {
    let mut found: BTreeSet<Words> = BTreeSet::new();
    let mut todo = exchanged(state);
    for names in types {
        let images = orders(names);
        let mut next = Vec::new();
        for state in &todo {
            for image in &images {
                let both = |(label, local): &(String, String)| {
                    (renamed(label, names, image), renamed(local, names, image))
                };
                let mut words: Words = state.iter().map(both).collect();
                words.sort();
                next.push(words);
            }
        }
        next.sort();
        next.dedup();
        todo = next;
    }
    found.extend(todo);
    found
}

fn words(components: &Value) -> Words {
    let text = |c: &Value, key: &str| c[key].as_str().expect("a text").to_owned();
    let all = components.as_array().expect("a list").iter();
    all.map(|c| (text(c, "label"), text(c, "state"))).collect()
}

/// The state that a transition leads to.
fn target(state: &Words, transition: &Value) -> Words {
    let mut after = state.clone();
    for mover in transition["movers"].as_array().expect("a list") {
        let at = mover["component"].as_u64().expect("a number") as usize;
        after[at].1 = mover["after"].as_str().expect("a text").to_owned();
    }
    after
}

/// Explains a state and holds what is claimed to brute force.
#[track_caller]
fn held_to_brute_force(arguments: &[&str]) -> Value {
    let mut all = vec!["explain"];
    all.extend(arguments);
    all.extend(["--format", "json"]);
    let ran = orbitscope(&all, b"");
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
    let document: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(document["schema"], "orbitscope.explain/1");
    let names = |p: &Value| -> Vec<String> {
        let map = p["map"].as_array().expect("a list").iter();
        map.map(|pair| pair[0].as_str().expect("a name").to_owned())
            .collect()
    };
    let permutation = document["permutation"].as_array().expect("a list");
    let types: Vec<Vec<String>> = permutation.iter().map(names).collect();
    let state = words(&document["components"]);
    let states = orbit(&state, &types);
    assert_eq!(
        document["orbit_size"],
        states.len().to_string(),
        "{arguments:?}: {state:?}"
    );
    let mut representative = words(&document["representative"]);
    for (label, local) in &mut representative {
        *label = sorted_sets(label);
        *local = sorted_sets(local);
    }
    representative.sort();
    assert!(
        states.contains(&representative),
        "{arguments:?}: {representative:?}"
    );
    let transitions = document["transitions"].as_array().expect("a list");
    let of = |t: &Value| {
        let orbit = orbit(&target(&state, t), &types);
        let first = orbit.into_iter().next();
        (t["orbit"].as_u64().expect("a number"), first)
    };
    let orbits: BTreeSet<_> = transitions.iter().map(of).collect();
    let numbers: BTreeSet<_> = orbits.iter().map(|o| o.0).collect();
    let real: BTreeSet<_> = orbits.iter().map(|o| &o.1).collect();
    assert_eq!(
        (numbers.len(), real.len()),
        (orbits.len(), orbits.len()),
        "{arguments:?}"
    );
    document
}

const FORGET: &str = "datatype S = S0 | S1 | S2
datatype U = U0 | U1
channel a : S
channel b : S.U
channel c : U
P(s) = a.s -> b.s?u -> Q(u)
Q(u) = c.u -> STOP
System = ||| s : S @ P(s)
assert System :[deadlock free]
";

const SET: &str = "datatype S = S0 | S1 | S2 | S3
channel add, del : S
Lone(X) = add?x:diff(S, X) -> Lone(union(X, {x})) [] del?x:X -> Lone(diff(X, {x}))
System = Lone({})
assert System :[deadlock free]
";

const PAIRS: &str = "datatype S = S0 | S1 | S2 | S3
channel add : S.S
Lone(R) = add?x?y:diff(S, {x}) -> Lone(union(R, {(x, y)}))
System = Lone({})
assert System :[deadlock free]
";

const THREADS: &str = "datatype T = T1 | T2 | T3 | T4 | T5
datatype Data = A | B
channel set : T.Data.Data
Thread(me) = set.me?x?y -> Set(me, x, y)
Set(me, x, y) = set.me.x.y -> Set(me, x, y)
System = ||| t : T @ Thread(t)
assert System :[deadlock free]
";

const COPIES: &str = "datatype S = S0 | S1 | S2
channel a, b : S
channel go, halt
P = go -> (halt -> P)
Q(s) = a.s -> b.s -> Q(s)
System = (P ||| P ||| P) ||| (||| s : S @ (Q(s) ||| Q(s)))
assert RUN({|a,b,go,halt|}) [T= System
";

#[test]
fn an_identity_that_is_forgotten_counts() {
    let path = script("explain_forget.csp", FORGET);
    let path = path.to_str().expect("a path");
    let trace = "<a.S0, b.S0.U0, a.S1>";
    let document = held_to_brute_force(&[path, "--trace", trace]);
    assert_eq!(document["orbit_size"], "12");
}

#[test]
fn ties_in_a_set_count() {
    let path = script("explain_set.csp", SET);
    let path = path.to_str().expect("a path");
    let document = held_to_brute_force(&[path, "--trace", "<add.S0, add.S1>"]);
    assert_eq!(document["orbit_size"], "6");
}

#[test]
fn targets_are_told_apart_by_their_own_orbits() {
    let path = script("explain_threads.csp", THREADS);
    let path = path.to_str().expect("a path");
    for seed in 0..3 {
        let seed = format!("--seed={seed}");
        for steps in 1..6 {
            held_to_brute_force(&[path, &format!("--random={steps}"), &seed]);
        }
    }
}

#[test]
fn random_states_are_what_they_are_said_to_be() {
    for (name, text) in [
        ("explain_forget.csp", FORGET),
        ("explain_set.csp", SET),
        ("explain_pairs.csp", PAIRS),
        ("explain_copies.csp", COPIES),
    ] {
        let path = script(name, text);
        let path = path.to_str().expect("a path");
        for steps in 0..7 {
            let seed = format!("--seed={}", 3 * steps + 1);
            // By values and copies alone: the structure of two of them is more symmetric.
            let random = format!("--random={steps}");
            held_to_brute_force(&[path, &random, &seed, "--rep=ordering"]);
        }
    }
}

/// The text shows each component beside the component of the representative that it becomes.
#[test]
fn the_images_in_the_text_are_those_of_the_document() {
    let model = repository("models/list_stack.csp").display().to_string();
    let arguments = ["explain", &model, "System", "--random=12", "--seed=5"];
    let text = orbitscope(&arguments, b"").stdout;
    let json = orbitscope(&[&arguments[..], &["--format=json"]].concat(), b"").stdout;
    let document: Value = serde_json::from_str(&json).expect("JSON");
    let list = |name: &str| document[name].as_array().expect("a list").clone();
    let (components, images) = (list("components"), list("representative"));
    let sources = list("source");
    assert!(
        (0..).zip(&sources).any(|(at, from)| *from != at),
        "{document}"
    );
    for (at, from) in sources.iter().enumerate() {
        let own = &components[from.as_u64().expect("a number") as usize];
        let words = [own, &images[at]].map(|c| [c["label"].as_str(), c["state"].as_str()]);
        let [own, image] = words.map(|words| words.map(|word| word.expect("a text")).join(" "));
        let is_line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = format!("{own} -> {image}");
        assert!(text.lines().any(|l| is_line(l) == line), "{line}: {text}");
    }
}

#[test]
fn a_model_is_explained_in_words() {
    let model = repository("models/two_buffers.csp");
    let model = model.to_str().expect("a path");
    let document = held_to_brute_force(&[model, "--random=3"]);
    let steps = document["steps"].as_array().expect("a list");
    assert!(!steps.is_empty());
    let ran = orbitscope(&["explain", model, "--random=3"], b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for step in steps {
        let title = step["title"].as_str().expect("a text");
        assert!(ran.stdout.contains(title), "{title}: {}", ran.stdout);
    }
    let size = document["orbit_size"].as_str().expect("a text");
    assert!(
        ran.stdout.contains(&format!("= {size} state")),
        "{}",
        ran.stdout
    );
    let one = orbitscope(&["explain", model, "--random=3", "--step=1"], b"");
    assert!(one.stdout.contains("  1. step 1"), "{}", one.stdout);
    assert!(!one.stdout.contains("  2."), "{}", one.stdout);
}

#[test]
fn what_cannot_be_explained_is_refused() {
    let model = repository("models/two_buffers.csp");
    let model = model.to_str().expect("a path");
    let code = |args: &[&str]| orbitscope(&[&["explain", model][..], args].concat(), b"").code;
    assert_eq!(code(&["--trace", "<nothing.at.all>"]), Some(3));
    assert_eq!(code(&["Nobody"]), Some(3));
    assert_eq!(code(&["--step", "99"]), Some(2));
    assert_eq!(code(&["--random", "1", "--trace", "<>"]), Some(2));
    let ran = orbitscope(&["explain", "/nowhere/at/all.csp"], b"");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}

/// What is wrong with an expression is told like what is wrong with a script, at its place in what was
/// typed.
#[test]
fn mistakes_in_an_expression_are_shown_in_it() {
    let path = script(
        "mistakes.csp",
        "channel a : {0..3}\nP(x) = a!x -> P(x)\nQ = P(0)\n",
    );
    let path = path.to_str().expect("a path");
    for (expression, place, line) in [
        ("NOPE", "<expression>:1:1", "1 | NOPE\n"),
        ("Q ||| P(R)", "<expression>:1:9", "1 | Q ||| P(R)\n"),
        ("P(", "<expression>:1:2", "1 | P(\n"),
        ("P(true)", "<expression>:1:3", "1 | P(true)\n"),
        // Found when it is evaluated.
        ("P(9)", "mistakes.csp:2:", "2 | P(x)"),
    ] {
        let ran = orbitscope(&["explain", path, expression], b"");
        let told = ran.stderr;
        assert_eq!(ran.code, Some(3), "{told}");
        assert!(told.contains(place), "{expression}: {told}");
        assert!(told.contains(line), "{expression}: {told}");
    }
}

/// Every strategy for symmetric datatypes: what it claims of the orbit, and its own steps.
#[test]
fn strategies_are_asked_for_their_own_steps() {
    let model = repository("models/ring.csp").display().to_string();
    let ordering = held_to_brute_force(&[&model, "Ring", "--random=6", "--seed=3"]);
    let mut steps = Vec::new();
    for name in [
        "walk",
        "exact",
        "sorted",
        "segmented",
        "ordering-n1",
        "ordering-n2",
        "bubble",
    ] {
        let rep = format!("--rep={name}");
        let document = held_to_brute_force(&[&model, "Ring", "--random=6", "--seed=3", &rep]);
        assert_eq!(document["strategy"], name);
        assert_eq!(document["orbit_size"], ordering["orbit_size"]);
        assert_eq!(document["components"], ordering["components"]);
        let own = document["steps"].as_array().expect("a list").clone();
        assert!(own.iter().all(|step| step["state"].is_array()), "{name}");
        assert!(
            own.iter().all(|step| step.get("counts").is_none()),
            "{name}"
        );
        let title = own.last().expect("a step")["title"].clone();
        assert_eq!(title, "apply the permutation");
        steps.push(own);
        if document["unique"] == "states-disagree" {
            let gets = &document["witness"]["representative"];
            assert_ne!(*gets, document["representative"], "{name}");
        }
    }
    let usual = &ordering["steps"];
    assert!(
        steps
            .iter()
            .all(|own| own.as_slice() != usual.as_array().expect("a list"))
    );
    let rep = "--rep=sorted";
    let text = orbitscope(
        &["explain", &model, "Ring", "--random=6", "--seed=3", rep],
        b"",
    )
    .stdout;
    for words in [
        "strategy     sorted",
        "one of several",
        "the state: Node(",
        "gets: Node(",
        "2! leave ties",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let one = orbitscope(
        &["explain", &model, "Ring", "--random=6", rep, "--step=1"],
        b"",
    );
    assert!(
        one.stdout.contains("  1. sort the values"),
        "{}",
        one.stdout
    );
    assert!(!one.stdout.contains("  2"), "{}", one.stdout);
    let beyond = orbitscope(&["explain", &model, "Ring", rep, "--step=9"], b"");
    assert_eq!(beyond.code, Some(2), "{}", beyond.stderr);
    // Where nothing is permuted, no strategy is.
    let plain = script("explain_plain.csp", "channel a\nP = a -> P\n")
        .display()
        .to_string();
    let ran = orbitscope(&["explain", &plain, rep], b"");
    assert!(
        ran.stdout.contains("no representative: "),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

/// The numbers of the tables are those of Def. 36, counted once more from the states: how many components of a block
/// hold the value of a variable.
#[test]
fn n_values_are_counted_once_more() {
    let model = repository("models/ring.csp").display().to_string();
    let trace = "<init.N0.A.N1, init.N1.B.N2, init.N2.A.N3, init.N3.A.N3>";
    let args = ["explain", &model, "Ring", trace, "--format=json"];
    let document: Value = serde_json::from_str(&orbitscope(&args, b"").stdout).expect("JSON");
    let values = |at: usize| -> Vec<String> {
        let state = document["components"][at]["state"]
            .as_str()
            .expect("a text");
        let inside = state.trim_start_matches("Node(").trim_end_matches(')');
        inside.split(", ").map(str::to_owned).collect()
    };
    let variable = |name: &str| {
        ["me", "datum", "next"]
            .iter()
            .position(|v| *v == name)
            .expect(name)
    };
    let counts = &document["steps"][1]["counts"];
    assert_eq!(counts["partition"], serde_json::json!([[0, 1, 2, 3]]));
    let table = &counts["tables"][0];
    let columns = table["columns"].as_array().expect("a list");
    assert_eq!(columns.len(), 5);
    for row in table["rows"].as_array().expect("a list") {
        let own = values(row["component"].as_u64().expect("a number") as usize);
        for (column, number) in columns.iter().zip(row["n"].as_array().expect("a list")) {
            let (i, k) = column
                .as_str()
                .and_then(|c| c.split_once("->S1."))
                .expect("a name");
            let wanted = &own[variable(i)];
            let holders = (0..4).filter(|at| values(*at)[variable(k)] == *wanted);
            assert_eq!(*number, holders.count(), "{column} of {own:?}");
        }
    }
    let text = orbitscope(&args[..4], b"").stdout;
    assert!(text.contains("me->S1.next       0   1   1   2"), "{text}");
    assert!(
        text.contains("2 numbers equal for all members of S1"),
        "{text}"
    );
    let text = orbitscope(&[&args[..4], &["--step=2"]].concat(), b"").stdout;
    assert!(text.contains("next->S1.me       1   1   1   1"), "{text}");
}

/// A path that is printed leads to the same state again, silent steps and all.
#[test]
fn a_printed_path_can_be_given_back() {
    let path = script(
        "explain_paths.csp",
        "channel a, b, c\nP = (a -> b -> P [] a -> c -> P [] c -> P) \\ {a}\nQ = P ||| P\n",
    );
    let path = path.to_str().expect("a path");
    let stack = repository("models/list_stack.csp").display().to_string();
    let mut all = String::new();
    for (path, process) in [(path, "Q"), (&*stack, "System")] {
        for seed in 0..6 {
            let seed = format!("--seed={seed}");
            let args = [
                "explain",
                path,
                process,
                "--random=7",
                &seed,
                "--format=json",
            ];
            let found: Value = serde_json::from_str(&orbitscope(&args, b"").stdout).expect("JSON");
            let steps = found["path"].as_array().expect("a list").iter();
            let steps: Vec<&str> = steps.map(|e| e.as_str().expect("a text")).collect();
            let trace = format!("<{}>", steps.join(", "));
            for args in [
                vec!["explain", path, process, &trace, "--format=json"],
                vec!["explain", path, process, "--trace", &trace, "--format=json"],
            ] {
                let again = orbitscope(&args, b"");
                let again: Value = serde_json::from_str(&again.stdout).expect(&again.stderr);
                assert_eq!(found["components"], again["components"], "{trace}");
            }
            all += &trace;
        }
    }
    assert!(all.contains("tau (a)#") && all.contains("tau#"), "{all}");
    // So is the way that a search finds.
    let condition = "Thread[T1] = Pushing.getTop(T1, B)";
    let from = ["--from", "<tau#2>", "--format=json"];
    let ran = orbitscope(
        &[&["find", &stack, "System", condition][..], &from].concat(),
        b"",
    );
    let found: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let trace = found["trace"].as_array().expect("a list").iter();
    let trace: Vec<&str> = trace.map(|e| e.as_str().expect("a text")).collect();
    let trace = format!("<{}>", trace.join(", "));
    assert!(trace.starts_with("<tau#2, "), "{trace}");
    let text = orbitscope(&["explain", &stack, "System", &trace], b"").stdout;
    assert!(text.contains("Pushing.getTop(T1, B)"), "{trace}: {text}");
}

/// No event leads to a state that was renamed by hand: the path of a walk says so where it was.
#[test]
fn renamings_stand_in_the_path_of_a_walk() {
    let walk = "Run(version: 2, script: [], run: (entries: [Open(\"Ring\"), Step(event: \"init.N0.A.N1\"), \
                Rename(by: \"(N0 N2)\"), Step(event: \"free.N2\")], here: 3))";
    let walk = format!("{}@3", script("explain_renamed.run.ron", walk).display());
    let model = repository("models/ring.csp").display().to_string();
    let ran = orbitscope(&["explain", &model, "Ring", &walk], b"");
    let path = "Ring after <init.N0.A.N1, renamed by (N0 N2), free.N2>";
    assert!(ran.stdout.starts_with(path), "{}{}", ran.stdout, ran.stderr);
}
