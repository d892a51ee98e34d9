//! Reading scripts: long ones, and brackets within brackets. Times have to grow with the size of the
//! text and no faster, whatever is in it: the table at the end shows the growth for twice the depth.

#[path = "support/long.rs"]
mod long;

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use orbitscope::script::load::load_text;
use orbitscope::syntax::parse_text;

fn parse(text: &str) -> usize {
    parse_text(Path::new("bench.csp"), text).diagnostics.len()
}

fn long_scripts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("frontend");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(5));
    for lines in [1_000, 5_000, 20_000] {
        for (name, text) in [
            ("parts", long::script(lines)),
            ("model", long::model(lines)),
        ] {
            assert!(!load_text(Path::new("bench.csp"), &text).has_errors());
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(format!("parse/{name}/{lines}"), |b| b.iter(|| parse(&text)));
            group.bench_function(format!("check/{name}/{lines}"), |b| {
                b.iter(|| load_text(Path::new("bench.csp"), &text).diagnostics.len());
            });
        }
    }
    group.finish();
}

/// What opens, what is inside, and what closes: finished and unfinished, sensible and not.
const NESTED: [(&str, &str, &str); 42] = [
    ("(", "x", ")"),
    ("{", "x", "}"),
    ("<", "x", ">"),
    ("{|", "x", "|}"),
    ("(| 1 => ", "x", " |)"),
    ("f(", "x", ")"),
    ("(1, ", "x", ")"),
    ("P[[a <- ", "x", "]]"),
    ("P [|", "x", "|] Q"),
    ("P [", "x", "||B] Q"),
    ("P [a <-> ", "x", "] Q"),
    ("P /+", "x", "+\\ Q"),
    ("if ", "x", " then x else y"),
    ("if x then ", "x", " else y"),
    ("let y = ", "x", "\nwithin y"),
    ("let y = 1 within (", "x", ")"),
    ("\\ x @ ", "x", ""),
    ("\\ x @ (", "x", ")"),
    ("{x | x <- ", "x", "}"),
    ("<x | x <- ", "x", ">"),
    ("{", "1", "..2}"),
    ("[] x : ", "x", " @ P"),
    ("[|", "x", "|] y : s @ P"),
    ("|| x : S @ [", "x", "] P"),
    ("a?x:(", "A", ") -> P"),
    ("({<", "x", ">})"),
    ("(", "x", ""),
    ("<", "x", ""),
    ("{", "x", ""),
    ("{|", "x", ""),
    ("[[", "x", ""),
    ("P [|", "x", ""),
    ("P [", "x", ""),
    ("let y = ", "x", ""),
    ("if ", "x", ""),
    ("{x | ", "x", ""),
    ("<x | x <- ", "x", ""),
    ("((((a<b", "", ""),
    ("{{{{x|", "x", ""),
    ("(<", "x", ""),
    ("a < ", "x", ""),
    ("{(x,", "y", ""),
];

fn nested(depth: usize, (open, inside, close): (&str, &str, &str)) -> String {
    format!(
        "P = {}{inside}{}\n",
        open.repeat(depth),
        close.repeat(depth)
    )
}

fn brackets(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("brackets");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(1));
    for depth in [100, 1_000, 10_000] {
        for kind in [NESTED[0], NESTED[2], NESTED[25], NESTED[27]] {
            let text = nested(depth, kind);
            let name = format!("{}{}{}/{depth}", kind.0, kind.1, kind.2);
            group.bench_function(name, |b| b.iter(|| parse(&text)));
        }
    }
    group.finish();
    let mut table = String::new();
    for kind in NESTED {
        let time = |depth: usize| {
            let text = nested(depth, kind);
            let once = || {
                let started = Instant::now();
                parse(&text);
                started.elapsed().as_secs_f64() * 1e3
            };
            (0..5).map(|_| once()).fold(f64::INFINITY, f64::min)
        };
        let (once, twice) = (time(1_000), time(2_000));
        let name = format!("{}…{}", kind.0, kind.2).replace('\n', " ");
        let _ = writeln!(
            table,
            "{name:30} {once:8.2} ms {twice:8.2} ms  ×{:.1}",
            twice / once
        );
    }
    let _ = writeln!(std::io::stdout(), "\nnested 1,000 and 2,000 deep:\n{table}");
}

criterion_group!(benches, long_scripts, brackets);
criterion_main!(benches);
