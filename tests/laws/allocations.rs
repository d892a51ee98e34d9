//! The hot loop of a search allocates nothing per state: what the states of a model need is allocated when
//! they are met first, and a second time round nothing is.

use allocation_counter::measure;
use orbitscope::check::{Check, Options};
use orbitscope::machine::network::RuleScratch;
use orbitscope::machine::{FormatId, LocalId, Machine, Miss, Network};
use orbitscope::script::load::load;
use orbitscope::source::Cancel;
use orbitscope::symmetry::context::StateContext;
use orbitscope::symmetry::{Representative, StrategyKind, StructuralKind};

use crate::numbered::farms;
use crate::support::{repository, script};

/// Models with sequences, sets and a network that changes its form.
const MODELS: [&str; 8] = [
    "models/list_stack.csp",
    "models/database.csp",
    "models/peterson.csp",
    "models/philosophers.csp",
    "models/stack_aba.csp",
    "models/tree_broadcast.csp",
    "models/lock_free_queue.csp",
    "models/fine_list_set.csp",
];
const STATES: usize = 400;

fn prepared(model: &str) -> (Machine, Network) {
    let loaded = load(&repository(model), None).expect("no expression was given");
    let check = Check::prepare(&loaded, 0, &Options::default(), &Cancel::default());
    let Check {
        machine, network, ..
    } = check.expect("the model can be checked");
    (machine, network)
}

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

/// The states met first, breadth first.
fn states(machine: &mut Machine, network: &mut Network) -> Vec<(FormatId, Vec<LocalId>)> {
    let mut scratch = RuleScratch::default();
    let mut found = vec![(FormatId(0), network.initial().to_vec())];
    let mut at = 0;
    while at < found.len() && found.len() < STATES {
        let (format, state) = found[at].clone();
        let next = complete(machine, network, |machine, network| {
            let mut next = Vec::new();
            network.successors::<Miss>(machine.locals(), format, &state, &mut scratch, |s| {
                next.push((s.format, s.locals.to_vec()));
                Ok(())
            })?;
            Ok(next)
        });
        for successor in next {
            if !found.contains(&successor) {
                found.push(successor);
            }
        }
        at += 1;
    }
    found.truncate(at.max(1));
    found
}

#[test]
fn successors_allocate_nothing() {
    for model in MODELS {
        let (mut machine, mut network) = prepared(model);
        let states = states(&mut machine, &mut network);
        let mut scratch = RuleScratch::default();
        let mut seen = 0u64;
        let mut all = || {
            for (format, state) in &states {
                let done = network.successors::<Miss>(
                    machine.locals(),
                    *format,
                    state,
                    &mut scratch,
                    |s| {
                        seen += u64::from(!s.locals.is_empty());
                        Ok(())
                    },
                );
                assert!(done.is_ok(), "{model}");
            }
        };
        all();
        let again = measure(all);
        assert!(seen > 0, "{model}");
        assert_eq!(again.count_total, 0, "{model}");
    }
}

#[test]
fn representatives_allocate_nothing() {
    for model in MODELS {
        let (mut machine, mut network) = prepared(model);
        let states = states(&mut machine, &mut network);
        for kind in StrategyKind::ALL {
            let mut out = Representative::default();
            let mut take = |machine: &Machine, network: &Network, at: usize| {
                let (format, state) = &states[at];
                let context = StateContext {
                    atoms: machine.atoms(),
                    locals: machine.locals(),
                    network,
                    format: *format,
                    state,
                    node: 0,
                    spec_atoms: &[],
                    spec_atoms_ordered: true,
                };
                kind.strategy().representative(&context, &mut out)
            };
            // Twice, since some buffers are exchanged: each of them grows.
            for at in (0..states.len()).chain(0..states.len()) {
                complete(&mut machine, &mut network, |machine, network| {
                    take(machine, network, at)
                });
            }
            let again = measure(|| {
                for at in 0..states.len() {
                    assert!(take(&machine, &network, at).is_ok(), "{model}");
                }
            });
            let name = kind.strategy().name();
            assert_eq!(again.count_total, 0, "{model}: {name}");
        }
    }
}

/// The same under groups that are found in the structure: a ring, of which a chain is gone down, and farms, whose
/// blocks are sorted.
#[test]
fn representatives_of_a_structure_allocate_nothing() {
    let server = "Server(s) = req.s?c -> Server(s) [] rep.s?c -> Server(s)";
    let farms = script("allocated_farms.csp", farms(2, 3, server));
    let ring = repository("tests/data/symmetry/cells.csp");
    for (path, assertion) in [(&farms, 1), (&ring, 0)] {
        for kind in StructuralKind::ALL {
            let loaded = load(path, None).expect("no expression was given");
            let how = Options {
                keeping: kind.into(),
                ..Options::default()
            };
            let check = Check::prepare(&loaded, assertion, &how, &Cancel::default());
            let mut check = check.expect("it can be checked");
            let states = states(&mut check.machine, &mut check.network);
            let lazy = check.lazy_product();
            let strategy = lazy.strategy.expect("it is reduced");
            assert_eq!(strategy.name(), kind.name());
            let mut out = Representative::default();
            let mut all = || {
                for (format, state) in &states {
                    let mut merged = state.clone();
                    lazy.network.format(*format).merged().apply(&mut merged);
                    let context = StateContext {
                        atoms: lazy.machine.atoms(),
                        locals: lazy.machine.locals(),
                        network: lazy.network,
                        format: *format,
                        state: &merged,
                        node: 0,
                        spec_atoms: &[],
                        spec_atoms_ordered: true,
                    };
                    assert!(strategy.representative(&context, &mut out).is_ok());
                }
            };
            // Twice, since some buffers are exchanged: each of them grows.
            all();
            all();
            let again = measure(all);
            let clones = states.len() as u64;
            assert_eq!(
                again.count_total,
                clones,
                "{}: {}",
                path.display(),
                kind.name()
            );
        }
    }
}
