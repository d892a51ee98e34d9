//! A fuzzer for everything that reads a script: grammar, names, types, symmetric types, evaluation,
//! exploration, checks.
//!
//! `cargo fuzz --minutes 10 --seed 1 --out crashes DIR…`
//!
//! A child process makes inputs out of the scripts in the folders (and out of nothing), writes each
//! to a file before it is tried, and reports what it finds. The parent watches: a child that dies, or
//! spends too much time or memory on one input, leaves that input behind, and another child goes on
//! with the next. So a native stack overflow or an endless loop is found like a panic. What is found
//! is made smaller, line by line and token by token, as long as it fails in the same way.
//!
//! Input `n` of a seed is always the same, whichever child makes it.

mod generate;
mod judge;
mod mutate;
mod parent;
mod random;
#[path = "../../tests/support/shape.rs"]
mod shape;
mod target;
mod tree;

use std::path::PathBuf;

use parent::Plan;

fn main() {
    let mut args = std::env::args().skip(1).peekable();
    let mode = args.next_if(|a| a == "child" || a == "once");
    let mut plan = Plan::default();
    while let Some(arg) = args.next() {
        let mut number = || {
            args.next()
                .and_then(|n| n.parse().ok())
                .expect("a number after the option")
        };
        match arg.as_str() {
            "--minutes" => plan.minutes = number(),
            "--seed" => plan.seed = number(),
            "--from" => plan.from = number(),
            "--out" => plan.out = args.next().map(PathBuf::from).expect("a folder"),
            _ => plan.folders.push(PathBuf::from(arg)),
        }
    }
    match mode.as_deref() {
        Some("child") => target::serve(&plan),
        Some(_) => target::once(&plan.folders[0], &plan.folders[plan.folders.len() - 1]),
        None => parent::run(&plan),
    }
}
