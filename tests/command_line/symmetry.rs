//! `orbitscope symmetry`: groups of small networks, what almost holds, and in which words.

use crate::support::{orbitscope, repository, script};
use serde_json::Value;

fn data(name: &str) -> String {
    let path = repository("tests/data/symmetry").join(name);
    path.display().to_string()
}

fn text(name: &str, args: &[&str]) -> String {
    let path = data(name);
    let args = [&["symmetry", path.as_str()], args].concat();
    let shown = orbitscope(&args, b"");
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    shown.stdout
}

/// The only result of a document.
fn result(path: &str, args: &[&str]) -> Value {
    let args = [&["symmetry", "--format", "json", path], args].concat();
    let shown = orbitscope(&args, b"");
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let document: Value = serde_json::from_str(&shown.stdout).expect("it is JSON");
    assert_eq!(document["schema"], "orbitscope.symmetry/1");
    let results = document["results"].as_array().expect("results");
    assert_eq!(results.len(), 1);
    results[0].clone()
}

#[test]
fn a_ring_of_cells_turns_by_one() {
    let shown = text("cells.csp", &["-a", "1"]);
    for part in [
        "C4, of order 4\n",
        "Cell(0) -> Cell(1) -> Cell(2) -> Cell(3) -> Cell(0)",
        "pass.0 -> pass.1 -> pass.2 -> pass.3 -> pass.0",
        "no symmetric datatype",
        "The text alone tells of none of it.",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("almost"), "{shown}");
}

#[test]
fn a_specification_is_kept() {
    let tied = text("cells.csp", &["-a", "2"]);
    assert!(tied.contains("takes the specification to itself") && tied.contains("of order 4\n"));
    let uneven = text("cells.csp", &["-a", "Zero"]);
    assert!(uneven.contains("of order 1\n"), "{uneven}");
    let why = "the specification allows take.0 after <take.0>, and take.3 not after <take.3>";
    assert!(uneven.contains(why), "{uneven}");
}

#[test]
fn philosophers_turn_with_their_forks() {
    let found = result(&data("philosophers.csp"), &["-a", "1"]);
    let group = &found["group"];
    assert_eq!(
        (&group["order"], &group["complete"]),
        (&"5".into(), &true.into())
    );
    assert_eq!(group["name"], "C5");
    assert_eq!(group["orbits"].as_array().map(Vec::len), Some(2));
    assert_eq!(group["fixed"], Value::Array(Vec::new()));
    assert_eq!(found["components"][5], "Fork(0)");
    assert_eq!(found["text"]["order"], "1");
    // Two cycles of five, and all events in cycles of five.
    let generator = &group["generators"][0];
    assert_eq!(generator["components"][1].as_array().map(Vec::len), Some(5));
    assert_eq!(generator["event_cycles"], 7);
}

#[test]
fn one_left_handed_philosopher_is_named() {
    let shown = text("one_left_handed.csp", &["-p", "Table"]);
    assert!(shown.contains("of order 1\n"), "{shown}");
    let why = "fails: Left(0) can perform takes.0.1 after <sits.0>, and Right(1) cannot perform \
               takes.1.2 after <sits.1>.";
    assert!(shown.contains(why), "{shown}");
}

/// Near misses are found by the values that a dotted value is made of.
#[test]
fn one_left_handed_philosopher_with_a_dotted_name_is_named() {
    let shown = text("dotted.csp", &["-p", "Table"]);
    let why = "fails: Left(Seat.0) can perform takes.Seat.0.Seat.1 after <sits.Seat.0>, and Right(Seat.1) cannot \
               perform takes.Seat.1.Seat.2 after <sits.Seat.1>.";
    assert!(shown.contains(why), "{shown}");
}

#[test]
fn a_token_stands_in_the_way_where_it_begins() {
    let shown = text("token.csp", &[]);
    let why = "almost: Full(0) -> Empty(1) -> Empty(2) -> Empty(3) -> Full(0) fails: Full(0) begins otherwise \
               than Empty(1); Empty(3) begins otherwise than Full(0). All else is respected.";
    assert!(shown.contains(why), "{shown}");
    let found = result(&data("token.csp"), &["-p", "Ring"]);
    assert_eq!(found["group"]["almost"][0]["all_else_holds"], true);
    assert_eq!(found["group"]["fixed"].as_array().map(Vec::len), Some(4));
}

/// A check that is reduced by it tells what it cost and what it bought.
#[test]
fn the_price_and_the_gain_are_told() {
    let path = data("cells.csp");
    let check = |more: &[&str]| {
        let args = [&["check", path.as_str(), "-a", "1", "--stats"], more].concat();
        let shown = orbitscope(&args, b"");
        assert_eq!(shown.code, Some(0), "{}", shown.stderr);
        shown.stdout
    };
    assert!(check(&[]).contains("structure looked at for 0."));
    assert!(!check(&["--symmetry", "types"]).contains("structure looked at"));
    let document: Value =
        serde_json::from_str(&check(&["--format", "json", "--count-full"])).expect("it is JSON");
    let stats = &document["checks"][0]["stats"];
    assert_eq!(stats["structure_looked"]["found"], true);
    assert_eq!(stats["structure_looked"]["states_before"], 0);
    let whole = check(&["--format", "json", "--symmetry", "none"]);
    let whole: Value = serde_json::from_str(&whole).expect("it is JSON");
    let all = whole["checks"][0]["stats"]["states"].to_string();
    assert_eq!(stats["represented_states"], all);
}

/// Looking where nobody asked for it takes nothing from who gave a limit: all permutations of hundreds of components are
/// found in little room, and used.
#[test]
fn looking_takes_little_room() {
    let source = "channel a : {0..299}\nchannel d\nQ(i) = a.i -> a.i -> Q(i) [] d -> STOP\n\
                  S = [| {d} |] i : {0..299} @ Q(i)\nassert S :[deadlock free]\n";
    let path = script("symmetry_in_little_room.csp", source)
        .display()
        .to_string();
    let little = ["--memory", "50M"];
    for more in [&[][..], &["--structure"]] {
        let args = [&["check", path.as_str()], &little[..], more].concat();
        let checked = orbitscope(&args, b"");
        let said = (&checked.stdout, &checked.stderr);
        assert_eq!(checked.code, Some(1), "{said:?}");
    }
    let args = [&["explain", path.as_str(), "S", "<>"], &little[..]].concat();
    let explained = orbitscope(&args, b"");
    assert_eq!(explained.code, Some(0), "{}", explained.stderr);
    assert!(explained.stdout.contains("strategy     structure"));
}

/// Levels of priority are not taken for one another, although each of them holds others back.
#[test]
fn levels_of_priority_are_told_apart() {
    let cells = |levels: &str| {
        let source = format!(
            "external prioritise\nchannel a, b : {{0..1}}\nP(i) = a.i -> b.i -> P(i)\n\
             S = prioritise(||| i : {{0..1}} @ P(i), <{levels}>)\n"
        );
        let path = script("symmetry_and_levels.csp", &source);
        let found = result(&path.display().to_string(), &["-p", "S"]);
        found["group"]["order"].clone()
    };
    assert_eq!(cells("{a.0}, {a.1}, {|b|}"), "1");
    assert_eq!(cells("{|a|}, {|b|}"), "2");
}

/// Processes that do nothing are alike, too.
#[test]
fn what_does_nothing_has_a_symmetry() {
    let source = "channel a\nQ = STOP\nOne = a -> STOP\nassert Q ||| Q :[deadlock free]\n";
    let path = script("symmetry_of_nothing.csp", source)
        .display()
        .to_string();
    for (process, order) in [
        ("Q ||| Q", "2"),
        ("Q ||| One", "1"),
        ("SKIP ||| Q ||| Q", "2"),
    ] {
        let found = result(&path, &["-p", process]);
        assert_eq!(found["group"]["order"], order, "{process}: {found}");
    }
}

/// States are compared and explained by the least of their images.
#[test]
fn states_of_a_ring_are_compared() {
    let path = data("cells.csp");
    let told = |args: &[&str]| {
        let shown = orbitscope(
            &[&[args[0], path.as_str(), "Ring"], &args[1..]].concat(),
            b"",
        );
        (shown.code, shown.stdout)
    };
    let (code, same) = told(&["compare", "<take.0>", "<take.1>"]);
    assert_eq!(code, Some(0), "{same}");
    for part in [
        "components (Cell(0) Cell(1) Cell(2) Cell(3)) takes state A to state B.",
        "none that takes state A to state B moves fewer",
        "It is the only way from state A to state B.",
    ] {
        assert!(same.contains(part), "{part}: {same}");
    }
    // Neighbours hold something, or cells that are not.
    let (code, other) = told(&["compare", "<take.0, take.1>", "<take.0, take.2>"]);
    assert_eq!(code, Some(1), "{other}");
    let why = "begin 1 pair like Cell[0] in Cell.pass(0) with Cell[1] in Cell.pass(1) of state A: 1 of state A (Cell[0]), \
               none of state B.";
    assert!(other.contains(why), "{other}");
    let (code, explained) = told(&["explain", "<take.0>"]);
    assert_eq!(code, Some(0));
    for part in [
        "4 permutations / 1 fixing it = 4 states",
        "strategy     structure",
    ] {
        assert!(explained.contains(part), "{part}: {explained}");
    }
}

/// Types are switched off, and what they tell is found again.
#[test]
fn types_are_found_in_the_structure() {
    let path = repository("models/philosophers.csp").display().to_string();
    let found = result(&path, &["-p", "Table"]);
    let order: u64 = found["group"]["order"]
        .as_str()
        .and_then(|o| o.parse().ok())
        .expect("an order");
    let known: u64 = found["text"]["order"]
        .as_str()
        .and_then(|o| o.parse().ok())
        .expect("an order");
    assert!(known > 1 && order.is_multiple_of(known), "{order} {known}");
}

#[test]
fn a_picture_has_a_colour_for_each_orbit() {
    let dot = text("philosophers.csp", &["-a", "1", "--graph", "dot"]);
    assert!(
        dot.contains("graph \"assertion 1: Table :[deadlock free]\" {"),
        "{dot}"
    );
    let colours: std::collections::BTreeSet<&str> = dot
        .lines()
        .filter_map(|line| line.split("fillcolor=").nth(1))
        .collect();
    assert_eq!(colours.len(), 2, "{dot}");
    assert_eq!(dot.matches(" -- ").count(), 10);
    assert!(dot.contains("  c0 -- c5 [label=\"takes, puts\"];"), "{dot}");
    assert!(dot.ends_with("}\n"));
}

/// Names that a terminal or Graphviz would obey do nothing.
#[test]
fn hostile_names_are_escaped() {
    let source = "datatype C = A' | B'\nchannel a\nP(s) = a -> P(s)\n\
                  Q = P(\"x\\\"];\\u001b[31m\") ||| P(\"&lt;\")\nassert Q :[deadlock free]\n";
    let hostile = script("hostile_symmetry", source);
    let path = hostile.display().to_string();
    for args in [&["--graph", "dot"][..], &["--format", "json"], &[]] {
        let args = [&["symmetry", path.as_str(), "-p", "Q"], args].concat();
        let shown = orbitscope(&args, b"");
        assert!(!shown.stdout.contains('\u{1b}'), "{}", shown.stdout);
    }
}

#[test]
fn exit_codes_say_what_went_wrong() {
    let path = data("cells.csp");
    let code = |args: &[&str]| {
        let args = [&["symmetry", path.as_str()], args].concat();
        orbitscope(&args, b"").code
    };
    assert_eq!(code(&["-a", "7"]), Some(2));
    assert_eq!(code(&["-a", "nothing like that"]), Some(2));
    assert_eq!(code(&["-p", "Cell"]), Some(3));
    assert_eq!(code(&["-p", "Nobody"]), Some(3));
    // Of three assertions there is no picture.
    assert_eq!(code(&["--graph", "dot"]), Some(2));
    assert_eq!(code(&["-a", "1", "-p", "Ring"]), Some(2));
    assert_eq!(orbitscope(&["symmetry", "nowhere.csp"], b"").code, Some(2));
}

/// A priority that treats components alike leaves their symmetry as it is, and one that does not, does not.
#[test]
fn priorities_are_kept() {
    let source = "external prioritise\nchannel a, b : {0..2}\nP(i) = a.i -> P(i) [] b.i -> P(i)\n\
                  S = ||| i : {0..2} @ P(i)\n\
                  Fair = prioritise(S, <{|a|}, {|b|}>)\nUnfair = prioritise(S, <{a.0}, {a.1, b.1}>)\n\
                  assert Fair :[deadlock free]\n";
    let path = script("priorities_symmetry.csp", source)
        .display()
        .to_string();
    for (process, order) in [("S", "6"), ("Fair", "6"), ("Unfair", "1")] {
        let found = result(&path, &["-p", process]);
        assert_eq!(found["group"]["order"], order, "{process}: {found}");
    }
}

#[test]
fn it_says_why_it_does_not_look() {
    let endless = "channel a : Int\nP(n) = a.n -> P(n+1)\nassert P(0) :[deadlock free]\n";
    let path = script("endless_symmetry", endless).display().to_string();
    let shown = orbitscope(&["symmetry", &path, "--timeout", "20s"], b"");
    assert!(
        shown.stdout.contains("was not looked for: some component") || shown.code == Some(4),
        "{} {}",
        shown.stdout,
        shown.stderr
    );
    let chased = "external chase\nchannel a, b\nP = a -> b -> P\n\
                  assert chase((P ||| P) \\ {a}) ||| P :[deadlock free]\n";
    let path = script("chased_symmetry", chased).display().to_string();
    let shown = orbitscope(&["symmetry", &path], b"");
    assert!(
        shown.stdout.contains("some steps are taken before others"),
        "{}",
        shown.stdout
    );
}

/// Types that an assertion names are what it is reduced by, and nothing else.
#[test]
fn named_types_leave_out_the_structure() {
    let text = std::fs::read_to_string(data("ring_of_data.csp")).expect("it is there");
    let checked = |annotation: &str| {
        let text = format!("{}{annotation}\n", text.trim_end());
        let path = script("ring_of_named_data.csp", &text);
        let path = path.display().to_string();
        let shown = orbitscope(&["check", "--format", "json", &path], b"");
        let document: Value = serde_json::from_str(&shown.stdout).expect("it is JSON");
        document["checks"][0].clone()
    };
    let [all, named] = [" :[symmetry reduce]", " :[symmetry reduce]: D"].map(checked);
    assert_eq!(all["symmetry"]["group_order"], "18", "{all}");
    assert_eq!(named["symmetry"]["group_order"], "6", "{named}");
    assert!(named["symmetry"]["structure"].is_null(), "{named}");
    let states = [&all, &named].map(|check| check["stats"]["states"].as_u64());
    assert_eq!(states, [Some(7), Some(15)]);
}
