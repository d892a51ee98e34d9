//! Representatives: how long each strategy takes for a state of the list stack.

mod support;

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use orbitscope::check::{Check, Options};
use orbitscope::machine::network::RuleScratch;
use orbitscope::machine::{FormatId, LocalId, Machine, Miss, Network};
use orbitscope::script::load::load_text;
use orbitscope::source::Cancel;
use orbitscope::symmetry::context::StateContext;
use orbitscope::symmetry::{Representative, StrategyKind};
use support::{Size, script};

/// Steps of the walk that collects states.
const STEPS: usize = 20_000;
/// One state of so many is kept.
const KEEP: usize = 20;
/// `segmented` tries permutations: it gets fewer states.
const SEGMENTED_STATES: usize = 50;

/// Runs something on the tables, filling in what it misses.
fn complete<R>(
    machine: &mut Machine,
    network: &mut Network,
    mut attempt: impl FnMut(&Machine, &Network) -> Result<R, Miss>,
) -> R {
    loop {
        match attempt(machine, network) {
            Ok(done) => return done,
            Err(miss) => machine
                .resolve(network, &miss)
                .expect("the model evaluates"),
        }
    }
}

/// States along a walk that chooses by a fixed sequence of numbers: the same for everybody.
fn walk(machine: &mut Machine, network: &mut Network) -> Vec<Vec<LocalId>> {
    let mut scratch = RuleScratch::default();
    let mut at = network.initial().to_vec();
    let mut number = 1u64;
    let mut states = Vec::new();
    for step in 0..STEPS {
        let next: Vec<Vec<LocalId>> = complete(machine, network, |machine, network| {
            let mut next = Vec::new();
            network.successors::<Miss>(machine.locals(), FormatId(0), &at, &mut scratch, |s| {
                next.push(s.locals.to_vec());
                Ok(())
            })?;
            Ok(next)
        });
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // Where every node is taken and every thread wants to push, the walk starts again.
        match next.len() {
            0 => at = network.initial().to_vec(),
            n => at.clone_from(&next[(number >> 33) as usize % n]),
        }
        if step % KEEP == 0 {
            states.push(at.clone());
        }
    }
    states
}

fn take(
    kind: StrategyKind,
    machine: &Machine,
    network: &Network,
    state: &[LocalId],
    out: &mut Representative,
) -> Result<(), Miss> {
    let context = StateContext {
        atoms: machine.atoms(),
        locals: machine.locals(),
        network,
        format: FormatId(0),
        state,
        node: 0,
        spec_atoms: &[],
        spec_atoms_ordered: true,
    };
    kind.strategy().representative(&context, out)
}

fn representatives(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("representatives");
    for size in [Size(6, 3, 4), Size(8, 4, 2), Size(12, 4, 2)] {
        let loaded = load_text(Path::new("list_stack.csp"), &script(size));
        let check = Check::prepare(&loaded, 0, &Options::default(), &Cancel::default());
        let Check {
            mut machine,
            mut network,
            ..
        } = check.expect("the model can be checked");
        let states = walk(&mut machine, &mut network);
        for kind in StrategyKind::ALL {
            let states = match kind {
                StrategyKind::Segmented => &states[..SEGMENTED_STATES],
                _ => &states[..],
            };
            let mut out = Representative::default();
            for state in states {
                complete(&mut machine, &mut network, |machine, network| {
                    take(kind, machine, network, state, &mut out)
                });
            }
            group.throughput(Throughput::Elements(states.len() as u64));
            let id = BenchmarkId::new(kind.strategy().name(), size);
            group.bench_function(id, |bencher| {
                bencher.iter(|| {
                    for state in states {
                        let done = take(kind, &machine, &network, state, &mut out);
                        debug_assert!(done.is_ok());
                        black_box(&out.locals);
                    }
                });
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = representatives
}
criterion_main!(benches);
