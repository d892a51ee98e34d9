//! `orbitscope graph`: files, exit codes, and what it refuses.

use std::path::{Path, PathBuf};

use crate::support::{Ran, orbitscope, repository, script};
use serde_json::Value;

fn buffers() -> String {
    repository("models/two_buffers.csp").display().to_string()
}

/// A folder of its own for files that are written.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("graph-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

fn drawn(args: &[&str]) -> Ran {
    orbitscope(&[&["graph"], args].concat(), b"")
}

#[test]
fn the_same_bytes_go_to_a_file_and_to_standard_output() {
    let (path, folder) = (buffers(), folder("bytes"));
    for format in ["dot", "svg", "graphml", "aut", "json"] {
        for kind in ["--quotient", "--full", "--map"] {
            let ran = drawn(&[&path, "Q", kind, "--format", format]);
            if (format, kind) == ("aut", "--map") {
                assert_eq!((ran.code, &*ran.stdout), (Some(2), ""));
                assert!(ran.stderr.contains("no place for a map"), "{}", ran.stderr);
                continue;
            }
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            // The name tells the format.
            let file = folder
                .join(format!("x{kind}.{format}"))
                .display()
                .to_string();
            let other = drawn(&[&path, "Q", kind, "-o", &file]);
            assert_eq!(
                (other.code, &*other.stdout),
                (Some(0), ""),
                "{}",
                other.stderr
            );
            let written = std::fs::read_to_string(&file).expect("it was written");
            assert_eq!(written, ran.stdout);
            assert_eq!(written, drawn(&[&path, "Q", kind, "-f", format]).stdout);
        }
    }
    // By default the quotient of the first process, for Graphviz.
    let ran = drawn(&[&path]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.contains("digraph \"Q\"") && ran.stdout.contains("o4 -> o1"));
    // Of a quotient as .aut the caveat is said where there is room for it.
    let ran = drawn(&[&path, "-f", "aut"]);
    assert!(ran.stderr.contains("not bisimilar"), "{}", ran.stderr);
    assert!(drawn(&[&path, "-f", "aut", "--full"]).stderr.is_empty());
}

#[test]
fn the_document_tells_the_map() {
    let ran = drawn(&[&buffers(), "Q", "--map", "-f", "json"]);
    let document: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(document["schema"], "orbitscope.graph/1");
    assert_eq!(document["complete"], true);
    assert_eq!(document["reduction"]["group_order"], "2");
    let length = |of: &Value| of.as_array().map(Vec::len);
    assert_eq!(length(&document["full"]["vertices"]), Some(9));
    assert_eq!(length(&document["full"]["edges"]), Some(14));
    assert_eq!(length(&document["quotient"]["vertices"]), Some(5));
    assert_eq!(length(&document["quotient"]["edges"]), Some(8));
    assert_eq!(length(&document["covering"]), Some(9));
    for fibre in document["fibres"].as_array().expect("a list") {
        let size = length(&fibre["states"]).map(|n| n.to_string());
        assert_eq!(fibre["orbit_size"].as_str().map(str::to_owned), size);
    }
    assert_eq!(document["covering"][2]["permutation"][0]["cycles"], "(A B)");
}

#[test]
fn what_cannot_be_drawn_is_refused_before_anything_is_explored() {
    let path = repository("models/list_stack.csp").display().to_string();
    let many = drawn(&[&path, "-f", "svg", "--max-states", "1M"]);
    assert_eq!((many.code, &*many.stdout), (Some(2), ""));
    let says = "an SVG of 1,000,000 states is not readable: at most 2,000 with --max-states";
    assert!(many.stderr.contains(says), "{}", many.stderr);
    let path = repository("models/peterson.csp").display().to_string();
    let none = drawn(&[&path, "--max-states", "0"]);
    assert_eq!(none.code, Some(2), "{}", none.stderr);
    let two = drawn(&[&path, "--full", "--map"]);
    assert_eq!(two.code, Some(2));
    // As soon as the bound is passed.
    let text =
        "channel a : {0..5000}\nP = a?x -> Q(x)\nQ(x) = a!x -> P\nassert P :[deadlock free]\n";
    let large = script("graph_large.csp", text).display().to_string();
    let folder = folder("refused");
    let file = folder.join("x.svg").display().to_string();
    let ran = drawn(&[&large, "--full", "-o", &file]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("more than 2,000 states"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("--max-states or --depth"),
        "{}",
        ran.stderr
    );
    assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 0);
    // One that was asked to be cut is.
    let ran = drawn(&[&large, "--full", "-o", &file, "--max-states", "100"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("cut by --max-states to 100"),
        "{}",
        ran.stderr
    );
    let svg = std::fs::read_to_string(&file).expect("it was written");
    assert!(svg.contains("cut by --max-states to 100"));
}

#[test]
fn a_default_bound_is_told_when_it_is_reached() {
    let text = "channel a : {0..20000}\nP = a?x -> Q(x)\nQ(x) = a!x -> P\n";
    let path = script("graph_bound.csp", text).display().to_string();
    let ran = drawn(&[&path, "P", "--full", "-f", "aut"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("des (0, 19998, 10000)\n"));
    let says = "cut by --max-states to 10,000 vertices: 1 vertex has";
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
}

#[test]
fn files_are_written_whole_or_not_at_all() {
    let text = "channel a\nP = a -> P\nassert P :[deadlock free]\n";
    let path = script("graph_itself.csp", text);
    let name = path.display().to_string();
    let folder = folder("whole");
    let missing = folder.join("no/such/x.dot").display().to_string();
    let odd = folder.join("x.png").display().to_string();
    let plain = folder.join("x").display().to_string();
    let inside = folder.display().to_string();
    for (output, says) in [
        (&*name, "is part of the script"),
        (&*missing, "there is no folder"),
        (&*odd, "does not tell the format"),
        (&*plain, "does not tell the format"),
    ] {
        let ran = drawn(&[&name, "-o", output]);
        let format = if says.contains("part") {
            &["-f", "dot"][..]
        } else {
            &[]
        };
        let ran = if format.is_empty() {
            ran
        } else {
            drawn(&[&[&*name, "-o", output], format].concat())
        };
        assert_eq!(ran.code, Some(2), "{output}: {}", ran.stderr);
        assert!(ran.stderr.contains(says), "{output}: {}", ran.stderr);
    }
    let ran = drawn(&[&name, "-f", "dot", "-o", &inside]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("is a folder"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), text);
    assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 0);
    // With a format any name will do, and what was there is replaced.
    std::fs::write(&plain, "old").expect("it can be written");
    assert_eq!(drawn(&[&name, "-f", "dot", "-o", &plain]).code, Some(0));
    let written = std::fs::read_to_string(&plain).expect("it is there");
    assert!(written.ends_with("}\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let ran = drawn(&[&buffers(), "-f", "dot", "-o", "/dev/full"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("nothing was written: /dev/full"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_limit_on_time_leaves_a_part_that_says_so() {
    // A million states, and few local ones.
    let text =
        "channel a : {0..31}\nC(n) = a.n -> C((n + 1) % 32)\nQ = ||| i : {0..3} @ C(i * 8)\n";
    let path = script("graph_endless.csp", text).display().to_string();
    let within = |time: &str| {
        let args = [&*path, "Q", "--max-states", "1G", "--timeout", time];
        drawn(&[&args[..], &["-f", "json"]].concat())
    };
    // On a busy machine a second may be over before there is a state.
    let late = |time: &&str| {
        let ran = within(time);
        assert_eq!(ran.code, Some(4), "{}", ran.stderr);
        let document: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        document["complete"].is_boolean().then_some((ran, document))
    };
    let ran = ["1s", "3s", "9s"].iter().find_map(late);
    let (ran, document) = ran.expect("there is a part");
    assert!(ran.stderr.contains("time limit reached"), "{}", ran.stderr);
    assert_eq!(document["complete"], false);
    assert_eq!(document["cut"]["stopped"], "time limit reached");
    // Before there is a state there is nothing to draw.
    let ran = within("0s");
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    let document: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(document["schema"], "orbitscope.failure/1", "{document:#}");
    assert_eq!(document["limit"], "time");
}

#[test]
fn what_is_no_process_is_told() {
    let ran = drawn(&[&buffers(), "Nothing"]);
    assert_eq!((ran.code, &*ran.stdout), (Some(3), ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("Nothing"), "{}", ran.stderr);
    let none = script("graph_none.csp", "channel a\n")
        .display()
        .to_string();
    for args in [&[&*none][..], &[&buffers(), ""]] {
        let ran = drawn(args);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains("name one"), "{}", ran.stderr);
    }
    let ran = drawn(&["no/such/file.csp"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let text = "channel a\nP = a -> STOP\n";
    let path = script("graph_no_symmetry.csp", text).display().to_string();
    let ran = drawn(&[&path, "P"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("Not reduced"), "{}", ran.stderr);
}
