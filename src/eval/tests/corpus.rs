//! Exploring a file by hand: `ORBITSCOPE_FILE=… ORBITSCOPE_STATES=… cargo test explore_file`.

use std::path::Path;

use super::support::{brief, explore, load_named};
use crate::script::core::GlobalKind;
use crate::value::Data;

#[test]
fn explore_file() {
    let Ok(path) = std::env::var("ORBITSCOPE_FILE") else {
        return;
    };
    let max = std::env::var("ORBITSCOPE_STATES").map_or(1000, |s| s.parse().unwrap_or(1000));
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let mut e = match load_named(Path::new(&path), &text) {
        Ok(e) => e,
        Err(wrong) => {
            for d in wrong {
                eprintln!("{path}: {} {}", d.code, d.message);
            }
            return;
        }
    };
    let script = std::rc::Rc::clone(e.script());
    for (i, global) in script.globals.iter().enumerate() {
        if matches!(global.kind, GlobalKind::Function(_)) {
            continue;
        }
        let v = match e.global(crate::script::core::GlobalId(i as u32), global.span) {
            Ok(v) => v,
            Err(d) => {
                eprintln!("{path}: {} ERROR {}", global.name, brief(&e, &d));
                continue;
            }
        };
        let Data::Process(p) = *e.store().data(v) else {
            let text = e.store().show_short(v, &script);
            eprintln!("{path}: {} = {text}", global.name);
            continue;
        };
        let start = std::time::Instant::now();
        match explore(&mut e, crate::process::term::Term(p), max) {
            Ok((states, transitions)) => eprintln!(
                "{path}: {}: {states} states, {transitions} transitions, {:?}",
                global.name,
                start.elapsed()
            ),
            Err(d) => eprintln!("{path}: {} STEP ERROR {}", global.name, brief(&e, &d)),
        }
    }
    for assertion in &script.assertions {
        use crate::script::core::AssertionKind as A;
        let all = match &assertion.kind {
            A::Refinement { spec, imp, .. } => vec![spec, imp],
            A::Property { process, .. } | A::Symmetric { process, .. } => vec![process],
            A::HasTrace { process, .. } => vec![process],
        };
        for expr in all {
            let result = e.process(expr).and_then(|t| explore(&mut e, t, max));
            match result {
                Ok((states, transitions)) => eprintln!(
                    "{path}: assert {}: {states} states, {transitions} transitions",
                    script.sources.text(expr.span)
                ),
                Err(d) => eprintln!("{path}: {} ASSERT ERROR {}", assertion.text, brief(&e, &d)),
            }
        }
    }
}
