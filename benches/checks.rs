//! Small checks of the list stack, from the text of the script to the verdict (`whole.rs` has large ones).

mod support;

use std::path::Path;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use orbitscope::check::{Check, CheckVerdict, Options};
use orbitscope::script::load::load_text;
use orbitscope::search::breadth_first::SearchControl;
use orbitscope::source::Cancel;
use support::{Size, script};

fn options(threads: usize, symmetry: Option<bool>) -> Options {
    Options {
        symmetry,
        threads,
        ..Options::default()
    }
}

fn run(text: &str, options: &Options) {
    let loaded = load_text(Path::new("list_stack.csp"), text);
    let cancel = Cancel::default();
    let mut check = Check::prepare(&loaded, 0, options, &cancel).expect("it can be checked");
    let outcome = check
        .run(&mut SearchControl {
            threads: options.threads,
            collapse_after: options.collapse_after,
            limits: &options.limits,
            cancel: &cancel,
            progress: &mut |_| {},
        })
        .expect("the model evaluates");
    assert_eq!(outcome.verdict, CheckVerdict::Holds);
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
