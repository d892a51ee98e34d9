//! Real scripts, where the collection stands beside the checkout.

use std::path::Path;

use super::support::{brief, explore, global_value, load_named};
use crate::eval::Evaluator;
use crate::process::term::Term;
use crate::script::core::{AssertionKind, GlobalId, GlobalKind};
use crate::tiers::shared;
use crate::value::Data;

fn open(path: &Path, text: &str) -> Evaluator {
    load_named(path, text).unwrap_or_else(|wrong| panic!("{}: {wrong:?}", path.display()))
}

/// Evaluates all definitions without parameters and all processes of assertions, and explores
/// those that are processes. What goes wrong comes back.
fn exercise(e: &mut Evaluator, states: usize) -> Vec<String> {
    let script = std::rc::Rc::clone(e.script());
    let mut wrong = Vec::new();
    for (i, global) in script.globals.iter().enumerate() {
        if matches!(global.kind, GlobalKind::Function(_)) {
            continue;
        }
        let result = global_value(e, GlobalId(i as u32), global.span).and_then(|v| {
            if let Data::Process(p) = *e.store().data(v) {
                explore(e, Term(p), states)?;
            }
            Ok(())
        });
        wrong.extend(result.err().map(|d| brief(e, &d)));
    }
    for assertion in &script.assertions {
        let all = match &assertion.kind {
            AssertionKind::Refinement { spec, imp, .. } => vec![spec, imp],
            AssertionKind::Property { process, .. }
            | AssertionKind::HasTrace { process, .. }
            | AssertionKind::Symmetric { process, .. } => vec![process],
        };
        for expr in all {
            let result = e.process(expr).and_then(|t| explore(e, t, states));
            wrong.extend(result.err().map(|d| brief(e, &d)));
        }
    }
    wrong
}

#[test]
fn book_scripts_run() {
    let root = "corpus/fdr-examples/fdr-examples";
    for name in [
        "intro.csp",
        "tpc/chapter02/section2-1.csp",
        "tpc/chapter02/section2-2.csp",
        "tpc/chapter02/section2-3.csp",
        "tpc/chapter02/section2-5.csp",
        "tpc/chapter03/section3-1.csp",
        "tpc/chapter03/section3-2.csp",
        "tpc/chapter03/section3-3.csp",
        "ucs/chapter04/dring.csp",
        "ucs/chapter04/general4.csp",
        "ucs/chapter04/general4a.csp",
        "ucs/chapter04/nonblock.csp",
        "ucs/chapter04/swp.csp",
        "ucs/chapter04/tokring.csp",
        "ucs/chapter04/tree1.csp",
        "ucs/chapter04/tree2.csp",
        "ucs/chapter04/tree3.csp",
    ] {
        let Some(path) = shared(&format!("{root}/{name}"), "book_scripts_run") else {
            return;
        };
        let text = std::fs::read_to_string(&path).expect("readable");
        let mut e = open(&path, &text);
        assert_eq!(exercise(&mut e, 60), Vec::<String>::new(), "{name}");
    }
}

/// The independent counts of the list stack, for two sizes.
#[test]
fn list_stack_has_its_exact_size() {
    let Some(path) = shared("oracle/list_stack.csp", "list_stack_has_its_exact_size") else {
        return;
    };
    let text = std::fs::read_to_string(&path).expect("readable");
    let small = text
        .replace(" | N2 | N3 | N4 | N5", "")
        .replace("T0 | T1 | T2", "T0 | T1")
        .replace("A | B | C | D", "A | B");
    let three = small.replace("N0 | N1", "N0 | N1 | N2");
    for (text, counts) in [(small, (1512, 2794)), (three, (9432, 17446))] {
        let mut e = open(&path, &text);
        let system = e.process_named("System").expect("evaluates");
        assert_eq!(explore(&mut e, system, usize::MAX).expect("steps"), counts);
    }
}

/// Looks at one file by hand: `ORBITSCOPE_FILE=… ORBITSCOPE_STATES=… cargo test explore_file`.
#[test]
#[expect(clippy::print_stderr, reason = "that is its purpose")]
fn explore_file() {
    let Ok(path) = std::env::var("ORBITSCOPE_FILE") else {
        return;
    };
    let states = std::env::var("ORBITSCOPE_STATES").map_or(1000, |s| s.parse().unwrap_or(1000));
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    match load_named(Path::new(&path), &text) {
        Ok(mut e) => {
            for line in exercise(&mut e, states) {
                eprintln!("WRONG {line}");
            }
        }
        Err(wrong) => eprintln!("NOT LOADED {:?}", wrong.first()),
    }
}
