//! The JSON of `check`: it parses, it has the fields that it promises, and the counterexamples in it
//! can be followed in the animator.

use crate::support::{orbitscope, replay, repository, script};
use orbitscope::animate::model::{Counterexample, CounterexampleStep, EventKind};
use serde_json::Value;

const MODELS: [&str; 5] = [
    "database",
    "peterson",
    "philosophers",
    "stack_aba",
    "two_buffers",
];

fn document(args: &[&str]) -> (Value, Option<i32>) {
    let ran = orbitscope(&[&["check", "--format", "json"], args].concat(), b"");
    let value = serde_json::from_str(&ran.stdout)
        .unwrap_or_else(|e| panic!("{args:?}: {e}: {}", ran.stdout));
    (value, ran.code)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// What the JSON says of a counterexample, as the animator takes it.
fn counterexample(found: &Value) -> Counterexample {
    let mut components: Vec<String> = Vec::new();
    let mut steps = Vec::new();
    for step in list(&found["steps"]) {
        let kind = match &*text(&step["kind"]) {
            "tau" => EventKind::Tau,
            "tick" => EventKind::Tick,
            "visible" => EventKind::Visible,
            other => panic!("{other}"),
        };
        for change in list(&step["components"]) {
            components.push(text(&change["component"]));
            text(&change["after"]);
        }
        assert!(step["specification"].is_null() || step["specification"].is_string());
        steps.push(CounterexampleStep {
            kind,
            event: text(&step["event"]).into(),
            ..CounterexampleStep::default()
        });
    }
    assert!(components.iter().all(|c| !c.is_empty()));
    Counterexample {
        process: text(&found["process"]),
        steps,
        reason: text(&found["reason"]),
        ..Counterexample::default()
    }
}

#[test]
fn results_have_the_promised_fields() {
    for model in MODELS {
        let path = repository("models").join(format!("{model}.csp"));
        let given = path.display().to_string();
        let (whole, code) = document(&[&given]);
        assert_eq!(whole["schema"], "orbitscope.check/1");
        assert_eq!(whole["tool"]["name"], "orbitscope");
        assert_eq!(whole["inputs"][0]["path"], given);
        assert_eq!(whole["exit_code"].as_i64(), code.map(i64::from));
        let checks = list(&whole["checks"]);
        let failing = checks.iter().any(|c| c["status"] == "fail");
        assert_eq!(code, Some(i32::from(failing)));
        for (at, check) in checks.iter().enumerate() {
            assert_eq!(check["index"], at + 1);
            assert!(!text(&check["assertion"]).is_empty());
            assert!(check["reason"].is_null());
            assert_eq!(check["symmetry"]["rep"], "exact");
            let sizes = check["symmetry"]["types"].as_object().expect("an object");
            assert!(sizes.values().all(|size| size.as_u64() > Some(1)));
            let order = text(&check["symmetry"]["group_order"]);
            assert!(order.parse::<u128>().expect("a number") > 1);
            for field in [
                "states",
                "transitions",
                "plies",
                "bytes",
                "local_states",
                "local_states_evaluated",
            ] {
                assert!(check["stats"][field].as_u64() > Some(0), "{model}: {field}");
            }
            assert!(check["stats"]["seconds"].is_f64());
            let found = &check["counterexample"];
            assert_eq!(found.is_object(), check["status"] == "fail");
            if found.is_object() {
                let visible = list(&found["steps"])
                    .iter()
                    .filter(|s| s["kind"] != "tau")
                    .map(|s| s["event"].clone())
                    .collect();
                assert_eq!(found["trace"], Value::Array(visible));
            }
        }
    }
}

/// The events alone determine the run here: the models that are used resolve no choice by τ.
#[test]
fn the_events_of_a_counterexample_can_be_followed() {
    let mut followed = 0;
    for model in ["database", "peterson", "two_buffers"] {
        let path = repository("models").join(format!("{model}.csp"));
        let given = path.display().to_string();
        for options in [&[][..], &["--no-symmetry"], &["--rep", "segmented"]] {
            let (whole, _) = document(&[&[&*given], options].concat());
            for check in list(&whole["checks"]) {
                if check["status"] == "fail" {
                    let found = counterexample(&check["counterexample"]);
                    replay(&path, &found).unwrap_or_else(|e| panic!("{model}: {e}"));
                    followed += 1;
                }
            }
        }
    }
    assert!(followed >= 9);
}

#[test]
fn errors_and_limits_are_in_the_document_too() {
    let path = script("json_unsound.csp", "P = Q\n").display().to_string();
    let (whole, code) = document(&[&path]);
    assert_eq!(code, Some(3));
    assert_eq!(whole["exit_code"], 3);
    assert!(list(&whole["checks"]).is_empty());
    assert_eq!(list(&whole["diagnostics"]).len(), 1);
    assert!(whole["diagnostics"].to_string().contains("E0201"));

    let unsupported = "channel a\nP = a -> P\nassert P :[deterministic [V]]\nassert P [T= P\n";
    let path = script("json_unsupported.csp", unsupported);
    let path = path.display().to_string();
    let (whole, code) = document(&[&path]);
    assert_eq!(code, Some(3));
    assert_eq!(whole["checks"][0]["status"], "error");
    assert!(text(&whole["checks"][0]["reason"]).contains(&format!("{path}:3:1")));
    assert_eq!(whole["checks"][1]["status"], "pass");

    let model = repository("models/list_stack.csp").display().to_string();
    let (whole, code) = document(&["--max-states", "1000", &model]);
    assert_eq!(code, Some(4));
    assert_eq!(whole["checks"][0]["status"], "inconclusive");
    assert!(text(&whole["checks"][0]["reason"]).contains("state limit"));
    assert!(whole["checks"][0]["counterexample"].is_null());

    let (whole, code) = document(&[
        &model,
        "-a",
        "1",
        "--types",
        "ThreadID",
        "--max-states",
        "9",
    ]);
    assert_eq!(code, Some(4));
    assert_eq!(whole["checks"][0]["symmetry"]["group_order"], "6");
}
