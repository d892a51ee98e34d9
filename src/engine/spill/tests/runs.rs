//! Runs, held to sets of keys.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::runs::Runs;
use super::*;

const SHARDS: usize = 3;

/// What is done to runs.
#[derive(Clone, Debug)]
enum Step {
    /// Keys of so many bytes, by shard.
    Add(usize, Vec<Vec<u32>>),
    /// Keys of so many bytes that are looked for.
    Find(usize, Vec<u32>),
    Merge,
    Commit,
    /// Closed without a commit, and opened at the last mark.
    Reopen,
    Sweep,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let numbers = |count| proptest::collection::vec(0u32..9000, 0..count);
    let few = (1usize..20, proptest::collection::vec(numbers(40), SHARDS));
    let many = (3usize..20, proptest::collection::vec(numbers(3000), SHARDS));
    let step = prop_oneof![
        6 => few.prop_map(|(bytes, keys)| Step::Add(bytes, keys)),
        2 => many.prop_map(|(bytes, keys)| Step::Add(bytes, keys)),
        4 => (1usize..22, numbers(600)).prop_map(|(bytes, keys)| Step::Find(bytes, keys)),
        3 => Just(Step::Merge),
        2 => Just(Step::Commit),
        2 => Just(Step::Reopen),
        2 => Just(Step::Sweep),
    ];
    proptest::collection::vec(step, 1..30)
}

/// The key of a number. Some differ in the middle, some at the end, and many end with zeros.
fn key(bytes: usize, number: u32) -> Vec<u8> {
    let mut key = vec![0; bytes];
    key[0] = (number % 3) as u8;
    key[bytes / 2] = (number / 3 % 50) as u8;
    key[bytes / 3] ^= (number / 150) as u8;
    if number.is_multiple_of(7) {
        key[bytes - 1] = 1;
    }
    key
}

/// A key without the zeros at its end.
fn stem(key: &[u8]) -> Vec<u8> {
    let end = key.iter().rposition(|byte| *byte != 0);
    key[..end.map_or(0, |end| end + 1)].to_vec()
}

fn sorted(bytes: usize, numbers: &[u32]) -> Vec<Vec<u8>> {
    let keys: BTreeSet<Vec<u8>> = numbers.iter().map(|n| key(bytes, *n)).collect();
    keys.into_iter().collect()
}

/// Those of some keys that are found in a shard.
fn found(runs: &Runs, shard: usize, bytes: usize, keys: &[Vec<u8>]) -> Vec<usize> {
    let mut places = Vec::new();
    let each = &mut |place| places.push(place);
    let joined = keys.concat();
    runs.find(shard, bytes, &joined, each)
        .expect("runs are read");
    places.sort_unstable();
    places
}

fn all(runs: &Runs, shard: usize) -> BTreeSet<Vec<u8>> {
    let mut keys = BTreeSet::new();
    let each = &mut |key: &[u8]| {
        keys.insert(stem(key));
    };
    runs.each(shard, each).expect("runs are read");
    keys
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::tiers::cases(400)))]

    #[test]
    fn runs_are_sets(steps in steps()) {
        let folder = Folder::new("runs");
        let mut space = folder.open();
        let mut runs = Runs::create(&space, SHARDS);
        let mut sets = vec![BTreeSet::new(); SHARDS];
        let mut mark = (runs.commit().expect("a mark"), sets.clone());
        for step in steps {
            match step {
                Step::Add(bytes, numbers) => {
                    let keys: Vec<_> = numbers.iter().map(|n| sorted(bytes, n)).collect();
                    let joined: Vec<_> = keys.iter().map(|keys| keys.concat()).collect();
                    runs.add(bytes, &joined).expect("room");
                    for (set, keys) in sets.iter_mut().zip(&keys) {
                        set.extend(keys.iter().map(|key| stem(key)));
                    }
                }
                Step::Find(bytes, numbers) => {
                    let keys = sorted(bytes, &numbers);
                    for (shard, set) in sets.iter().enumerate() {
                        let present = keys.iter().enumerate();
                        let present = present.filter(|(_, key)| set.contains(&stem(key)));
                        let present: Vec<usize> = present.map(|(place, _)| place).collect();
                        prop_assert_eq!(found(&runs, shard, bytes, &keys), present);
                    }
                }
                Step::Merge => {
                    runs.merge().expect("room");
                    prop_assert!(runs.count() <= 6);
                }
                Step::Commit => mark = (runs.commit().expect("a mark"), sets.clone()),
                Step::Reopen => {
                    drop((runs, space));
                    space = folder.open();
                    runs = Runs::reopen(&space, SHARDS, &mark.0).expect("the runs");
                    sets = mark.1.clone();
                }
                Step::Sweep => runs.sweep().expect("they go"),
            }
            prop_assert_eq!(space.used(), bytes_in(folder.path()));
            prop_assert!(runs.disk_bytes() <= space.used());
        }
        for (shard, set) in sets.iter().enumerate() {
            prop_assert_eq!(&all(&runs, shard), set);
        }
    }
}
