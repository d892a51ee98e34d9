//! Whole checks of the list stack, from the text of the script to the verdict.

mod support;

use std::io::Write;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use orbitscope::check::search::{Control, Figures};
use orbitscope::check::{Check, Options, Verdict};
use orbitscope::source::Cancel;
use support::{Size, load, script};

fn options(threads: usize, symmetry: Option<bool>) -> Options {
    Options {
        symmetry,
        threads,
        ..Options::default()
    }
}

fn run(text: &str, options: &Options) -> Figures {
    let loaded = load(text);
    let cancel = Cancel::default();
    let mut check = Check::prepare(&loaded, 0, options, &cancel).expect("it can be checked");
    let outcome = check
        .run(&mut Control {
            threads: options.threads,
            limits: &options.limits,
            cancel: &cancel,
            progress: &mut |_| {},
        })
        .expect("the model evaluates");
    assert_eq!(outcome.verdict, Verdict::Holds);
    outcome.statistics.figures
}

/// What criterion does not say.
fn report(name: &str, text: &str, options: &Options) {
    let started = Instant::now();
    let figures = run(text, options);
    let nanoseconds = started.elapsed().as_nanos();
    let _ = writeln!(
        std::io::stdout(),
        "\n{name}: {} states, {} transitions, {} ns a transition, {:.1} bytes a state",
        figures.states,
        figures.transitions,
        nanoseconds / u128::from(figures.transitions.max(1)),
        figures.bytes as f64 / figures.states as f64,
    );
}

fn checks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("checks");
    for (size, threads, symmetry) in [
        (Size(6, 3, 4), 1, None),
        (Size(8, 4, 2), 1, None),
        (Size(8, 4, 2), 2, None),
        (Size(4, 3, 2), 1, Some(false)),
    ] {
        let text = script(size);
        let options = options(threads, symmetry);
        let reduced = if symmetry.is_none() {
            "reduced"
        } else {
            "unreduced"
        };
        let plural = if threads == 1 { "" } else { "s" };
        let name = format!("{size} {reduced}, {threads} thread{plural}");
        report(&name, &text, &options);
        group.bench_function(&name, |bencher| {
            bencher.iter_batched(|| (), |()| run(&text, &options), BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(4));
    targets = checks
}
criterion_main!(benches);
