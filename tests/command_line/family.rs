//! `orbitscope family`: what has a size, the table, the three words, and exit codes.

use crate::support::sized::list_stack;
use crate::support::{orbitscope, repository, script};
use serde_json::Value;

const BUFFER: &str = "DATA = {0, 1}\nN = 2\nchannel in, out : DATA\nchannel mid : {0..N-1}.DATA\n\
    Buf = in?x -> out!x -> Buf\nCopy = in?x -> mid.0!x -> Copy\nPaste = mid.0?x -> out!x -> Paste\n\
    Impl = (Copy [| {|mid|} |] Paste) \\ {|mid|}\n\
    Two = in?x -> Full(x)\nFull(x) = out!x -> Two [] in?y -> out!x -> Full(y)\n\
    assert Two [T= Impl\nassert Buf [T= Impl\n";

#[track_caller]
fn family(args: &[&str], code: i32) -> Value {
    let all = [&["family", "--format", "json"], args].concat();
    let ran = orbitscope(&all, b"");
    assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
    let document: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    assert_eq!(document["schema"], "orbitscope.family/1");
    assert_eq!(document["exit_code"].as_i64(), Some(i64::from(code)));
    document
}

fn statuses(name: &Value) -> Vec<&str> {
    let sizes = name["sizes"].as_array().expect("sizes").iter();
    sizes
        .map(|row| row["status"].as_str().expect("a status"))
        .collect()
}

#[test]
fn sets_of_literals_and_numbers_have_sizes() {
    let path = script("family_buffer.csp", BUFFER).display().to_string();
    let document = family(&[&path, "-a", "1", "--sizes", "1..3"], 0);
    let names = document["assertions"][0]["names"]
        .as_array()
        .expect("names");
    let told: Vec<(&str, &str, Vec<&str>)> = names
        .iter()
        .map(|n| {
            (
                n["name"].as_str().unwrap(),
                n["kind"].as_str().unwrap(),
                statuses(n),
            )
        })
        .collect();
    let pass = vec!["pass"; 3];
    assert_eq!(told, [("DATA", "set", pass.clone()), ("N", "number", pass)]);
    assert_eq!(names[0]["proof"]["proved"]["theorem"], "nobody compares");
    assert_eq!(names[0]["proof"]["proved"]["from"], 2);
    let why = names[1]["proof"]["unproved"][0]["reason"].as_str().unwrap();
    assert!(why.contains("a number can be computed with"), "{why}");
    // With a size the datatype is symmetric.
    assert_eq!(names[0]["sizes"][2]["symmetry"]["types"]["DATA"], 3);
}

#[test]
fn a_failure_at_any_size_is_told_by_the_exit_code() {
    let path = script("family_fails.csp", BUFFER).display().to_string();
    let document = family(&[&path, "-a", "2", "--of", "DATA", "--sizes", "2"], 1);
    let name = &document["assertions"][0]["names"][0];
    assert_eq!(statuses(name), ["fail"]);
    assert_eq!(name["proof"]["proved"]["theorem"], "a part of the whole");
    let document = family(&[&path, "-a", "2", "--of", "DATA", "--no-proof"], 1);
    assert_eq!(document["assertions"][0]["names"][0]["proof"], Value::Null);
}

#[test]
fn the_text_says_what_is_proved_and_what_was_checked() {
    let path = script("family_text.csp", BUFFER).display().to_string();
    let ran = orbitscope(
        &[
            "family", &path, "-a", "1", "--of", "DATA", "--sizes", "1..2",
        ],
        b"",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "1  Two [T= Impl");
    let ends = |n: usize, end: &str| assert!(lines[n].ends_with(end), "{}", ran.stdout);
    ends(2, "checked");
    ends(3, "checked");
    ends(4, "PROVED: nobody compares");
    assert!(lines[4].contains("3 and more  holds"), "{}", ran.stdout);
}

#[test]
fn any_number_of_components_with_any_number_of_data_has_a_line() {
    let model = std::fs::read_to_string(repository("models/list_stack.csp"));
    let text = list_stack(&model.expect("a model"), [2, 3, 4]);
    let path = script("family_together.csp", text).display().to_string();
    let document = family(&[&path], 0);
    let together = document["assertions"][0]["together"].as_array();
    let [pair] = &together.expect("a list")[..] else {
        panic!("{together:?}");
    };
    assert_eq!(
        (&pair["components"], &pair["data"]),
        (&"ThreadID".into(), &"Data".into())
    );
    assert_eq!(pair["status"], "holds");
    assert_eq!((&pair["from"], &pair["data_size"]), (&1.into(), &4.into()));
    let ran = orbitscope(&["family", &path, "--of", "ThreadID,Data"], b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let told = "PROVED: any number of ThreadID and of Data, with NodeIDType 2, by coverability with Data 4, and as nobody compares Data";
    let mut lines = ran.stdout.lines();
    let line = lines.find(|line| line.trim_start().starts_with("together"));
    assert!(
        line.is_some_and(|line| line.contains("holds") && line.ends_with(told)),
        "{}",
        ran.stdout
    );
    // Nothing is said where nothing was asked of one of them, or no proof.
    for asked in [["--of", "ThreadID"], ["--sizes", "1..2"]] {
        let more = if asked[0] == "--sizes" {
            &["--no-proof"][..]
        } else {
            &[]
        };
        let document = family(&[&[&path[..]][..], &asked, more].concat(), 0);
        assert_eq!(
            document["assertions"][0]["together"],
            Value::Array(Vec::new())
        );
    }
}

/// With as many data as are written it holds; with more it fails, which the exit code tells.
#[test]
fn more_data_that_make_components_fail_are_told() {
    let text = "datatype ThreadID = T0 | T1\ndatatype Data = D0\nchannel a, b : ThreadID.Data\nchannel o : Data\n\
        Thread(me) = a.me?x -> b.me?y -> Thread(me)\nSecond = a?t?x -> b?u?y -> o!y -> Second\n\
        Spec = a?t?x -> b?u?y -> o!x -> Spec\n\
        assert Spec [T= (||| t : ThreadID @ Thread(t)) [|{|a, b|}|] Second\n";
    let path = script("family_more_data.csp", text).display().to_string();
    let document = family(&[&path, "--sizes", "1"], 1);
    let pair = &document["assertions"][0]["together"][0];
    assert_eq!(
        (&pair["status"], &pair["data_size"]),
        (&"fails".into(), &2.into())
    );
}

#[test]
fn a_set_that_cannot_become_a_datatype_is_refused_with_its_place() {
    let text = "DATA = {0, 1}\nNull = 99\nchannel put : union(DATA, {Null})\nP = put?x -> P\nassert P :[deadlock free]\n";
    let path = script("family_null.csp", text).display().to_string();
    let document = family(&[&path], 0);
    let asked = &document["assertions"][0];
    let names = asked["names"].as_array().expect("names");
    assert!(names.iter().all(|n| n["name"] != "DATA"));
    assert_eq!(asked["without_size"][0]["name"], "DATA");
    assert_eq!(asked["without_size"][0]["diagnostic"]["place"]["line"], 3);
}

#[test]
fn what_is_asked_wrongly_is_said() {
    let path = script("family_wrong.csp", BUFFER).display().to_string();
    for (args, message) in [
        (
            ["--of", "Nothing"],
            "nothing that is asked about has the name and a size: `Nothing`",
        ),
        (["-a", "3"], "there is no assertion 3; the script has 2"),
        (["--sizes", "0..2"], "write sizes from 1 to 1000"),
    ] {
        let ran = orbitscope(&[&["family", &path], &args[..]].concat(), b"");
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
}

#[test]
fn a_limit_ends_a_size_and_larger_ones_are_not_tried() {
    let text = "datatype T = A | B | C\nchannel c : T.T.T.T.T.T.T.T\n\
        Hold(n, s) = n < 8 & c?a?b?d?e?f?g?h?i -> Hold(n+1, <a,b,d,e,f,g,h,i>^s)\nassert STOP [T= Hold(0, <>) \\ {|c|}\n";
    let path = script("family_limit.csp", text).display().to_string();
    let document = family(
        &[&path, "--sizes", "6..9", "--timeout", "300ms", "--no-proof"],
        4,
    );
    let name = &document["assertions"][0]["names"][0];
    assert_eq!(statuses(name), ["inconclusive"]);
}

const TOKEN: &str = "N = 3\nchannel hand, enter, leave : {0..N-1}\nWithout(i) = hand.((i+N-1)%N) -> With(i)\n\
    With(i) = hand.i -> Without(i) [] enter.i -> leave.i -> With(i)\n\
    Start(i) = if i == 0 then With(i) else Without(i)\n\
    Ring = || i : {0..N-1} @ [{hand.((i+N-1)%N), hand.i, enter.i, leave.i}] Start(i)\n\
    Odd = if N == 5 then STOP else Ring\nassert Ring :[deadlock free]\n";

#[test]
fn a_circle_is_read_as_automata() {
    let path = script("family_token.csp", TOKEN).display().to_string();
    let output = script("family_token.pat", "").display().to_string();
    let ring = |process: &str, rest: &[&str], code| {
        let args = [&path, "-p", process, "--ring", "N", "--sizes", "3..6"];
        family(&[&args, rest].concat(), code)
    };
    let document = ring("Ring", &["-o", &output], 0);
    let sizes = document["ring"]["sizes"].as_array().expect("sizes");
    let counts: Vec<_> = sizes
        .iter()
        .map(|s| (s["words"].as_u64(), s["pairs"].as_u64()))
        .collect();
    let expected = [(6, 9), (8, 12), (10, 15), (12, 18)].map(|(w, p)| (Some(w), Some(p)));
    assert_eq!(counts, expected);
    let automata = &document["automata"];
    assert_eq!(automata["never_stuck"], "proved");
    assert_eq!(automata["states"], 6);
    let proved: Vec<_> = automata["patterns"]
        .as_array()
        .expect("patterns")
        .iter()
        .collect();
    let proved: Vec<_> = proved.iter().map(|p| p["proved"].as_bool()).collect();
    assert_eq!(proved, [Some(true), Some(false), Some(false)]);
    // What was written is what the other command reads: never are there two tokens.
    let letters = document["ring"]["letters"].as_array().expect("letters");
    let holding = letters.iter().filter(|letter| {
        let states = letter["states"].as_str().unwrap_or_default();
        states.starts_with("With(") || states.starts_with("With.")
    });
    let holding: Vec<&str> = holding
        .filter_map(|letter| letter["name"].as_str())
        .collect();
    assert_eq!(holding.len(), 2, "{letters:?}");
    let holding = format!("[{}]", holding.join(" "));
    let bad = format!(".* {holding} .* {holding} .*");
    let args = ["pattern", "invariant", &output, "--bad", &bad];
    let ran = orbitscope(&args, b"");
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("PROVED for every n"), "{}", ran.stdout);
    // A size that is no circle is told, and said to be none.
    let odd = ring("Odd", &[], 0);
    let outcomes = odd["ring"]["sizes"].as_array().expect("sizes").iter();
    let outcomes: Vec<_> = outcomes
        .map(|s| s["outcome"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(outcomes, ["agrees", "agrees", "not read", "agrees"]);
}

#[test]
fn a_circle_needs_a_number_and_a_process() {
    let path = script("family_no_ring.csp", TOKEN).display().to_string();
    let refused = |args: &[&str]| {
        let ran = orbitscope(&[&["family", &path], args].concat(), b"");
        assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
        ran.stderr
    };
    assert!(refused(&["--ring", "M", "-p", "Ring"]).contains("`M = NUMBER`"));
    assert!(refused(&["--ring", "N", "-p", "Start"]).contains("no process `Start`"));
    assert!(refused(&["--ring", "N", "-p", "Ring", "-o", &path]).contains("is the script"));
    refused(&["--ring", "N"]);
}
