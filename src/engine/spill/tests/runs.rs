//! Runs, held to sets of keys.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::run::block_keys;
use super::super::runs::{KeyHash, Runs};
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

/// A hash that many keys have.
fn few_hashes(key: &[u8]) -> u64 {
    let sum: u64 = key.iter().map(|byte| u64::from(*byte)).sum();
    ((sum % 5) << 61) | (sum % 2)
}

fn sorted(bytes: usize, numbers: &[u32], hash_of: KeyHash) -> Vec<Vec<u8>> {
    let keys: BTreeSet<Vec<u8>> = numbers.iter().map(|n| key(bytes, *n)).collect();
    let mut keys: Vec<_> = keys.into_iter().collect();
    keys.sort_by_key(|key| hash_of(key));
    keys
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
    fn runs_are_sets(steps in steps(), collides: bool) {
        let hash_of = if collides { few_hashes } else { first_bytes };
        let folder = Folder::new("runs");
        let mut space = folder.open();
        let mut runs = Runs::create(&space, SHARDS, hash_of);
        let mut sets = vec![BTreeSet::new(); SHARDS];
        let mut mark = (runs.commit().expect("a mark"), sets.clone());
        for step in steps {
            match step {
                Step::Add(bytes, numbers) => {
                    let keys = numbers.iter().map(|n| sorted(bytes, n, hash_of));
                    let keys: Vec<_> = keys.collect();
                    let joined: Vec<_> = keys.iter().map(|keys| keys.concat()).collect();
                    runs.add(bytes, &joined).expect("room");
                    for (set, keys) in sets.iter_mut().zip(&keys) {
                        set.extend(keys.iter().map(|key| stem(key)));
                    }
                }
                Step::Find(bytes, numbers) => {
                    let keys = sorted(bytes, &numbers, hash_of);
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
                    runs = Runs::reopen(&space, (SHARDS, hash_of), &mark.0).expect("the runs");
                    sets = mark.1.clone();
                }
                Step::Sweep => runs.sweep().expect("they go"),
            }
            prop_assert_eq!(space.used(), folder.bytes());
            prop_assert!(runs.disk_bytes() <= space.used());
        }
        for (shard, set) in sets.iter().enumerate() {
            prop_assert_eq!(&all(&runs, shard), set);
        }
    }
}

/// Sorted keys of a shard: numbers from some on, in steps.
fn ascending(from: usize, step: usize, count: usize) -> Vec<u8> {
    let keys = (0..count).map(|n| (from + n * step).to_be_bytes());
    keys.collect::<Vec<_>>().concat()
}

#[test]
fn each_block_is_read_at_most_once() {
    let folder = Folder::new("runs-once");
    let space = folder.open();
    let mut runs = Runs::create(&space, 1, first_bytes);
    runs.add(8, &[ascending(10, 2, 50_000)]).expect("room");
    let blocks = 50_000usize.div_ceil(block_keys(8)) as u64;
    // All numbers, so half of them is found; some of them; none of them, before and behind; few.
    for (from, step, count, found) in [
        (0, 1, 100_020, 50_000),
        (10, 200, 500, 500),
        (11, 200, 500, 0),
        (0, 1, 10, 0),
        (200_000, 1, 10, 0),
        (60_000, 1, 4, 2),
    ] {
        let before = space.reads();
        let mut told = 0;
        let keys = ascending(from, step, count);
        runs.find(0, 8, &keys, &mut |_| told += 1).expect("it");
        assert_eq!(told, found);
        let read = space.reads() - before;
        assert!(read <= blocks.min(count as u64), "{read} for {count}");
    }
    let before = space.reads();
    runs.find(0, 8, &[], &mut |_| panic!("nothing is looked for"))
        .expect("it");
    runs.find(0, 0, &[], &mut |_| panic!("nothing is looked for"))
        .expect("it");
    assert_eq!(space.reads(), before);
}

#[test]
fn threads_look_at_once() {
    const EACH: usize = 20_000;
    let folder = Folder::new("runs-threads");
    let space = folder.open();
    let mut runs = Runs::create(&space, 4, first_bytes);
    for run in 0..3 {
        let keys = (0..4).map(|shard| ascending(run * 8 + shard, 24, EACH));
        runs.add(8, &keys.collect::<Vec<_>>()).expect("room");
    }
    let runs = &runs;
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                let shard = thread % 4;
                let wanted = ascending(0, 1, 24 * EACH);
                let mut found = Vec::new();
                let each = &mut |place| found.push(place);
                runs.find(shard, 8, &wanted, each).expect("it");
                found.sort_unstable();
                let is_there = |n: &usize| n % 8 == shard;
                let present: Vec<usize> = (0..24 * EACH).filter(is_there).collect();
                assert_eq!(found, present);
            });
        }
    });
}

#[test]
fn what_cannot_be_is_told() {
    let folder = Folder::new("runs-misuse");
    let space = folder.open();
    let mut runs = Runs::create(&space, 2, first_bytes);
    let empty = Vec::new;
    let cases = [
        (8, vec![empty()]),
        (8, vec![vec![0; 9], empty()]),
        (0, vec![vec![0; 9], empty()]),
        // Not sorted, and not distinct.
        (1, vec![empty(), vec![2, 1]]),
        (1, vec![empty(), vec![1, 1]]),
    ];
    for (bytes, keys) in cases {
        let told = runs.add(bytes, &keys).expect_err("it cannot be");
        assert!(matches!(told, SpillError::Io { .. }), "{told:?}");
        assert_eq!((runs.count(), space.used()), (0, 0));
    }
    runs.add(8, &[empty(), empty()]).expect("nothing");
    assert_eq!(runs.count(), 0);
    runs.add(1, &[vec![1, 2], vec![0]]).expect("room");
    runs.find(2, 1, &[0], &mut |_| {}).expect_err("no shard");
    runs.each(2, &mut |_| {}).expect_err("no shard");
    let mark = runs.commit().expect("room");
    drop((runs, space));
    assert_damaged(Runs::reopen(&folder.open(), (3, first_bytes), &mark));
}

/// Many runs of all sizes stay few.
#[test]
fn runs_stay_few() {
    let folder = Folder::new("runs-few");
    let space = folder.open();
    let mut runs = Runs::create(&space, 1, first_bytes);
    let (mut all, mut most) = (0, 0);
    for n in 0..150usize {
        let count = 1 + n * n % 3000;
        runs.add(8, &[ascending(n, 1000, count)]).expect("room");
        runs.merge().expect("room");
        all += count;
        most = most.max(runs.count());
    }
    let mut found = 0;
    runs.each(0, &mut |_| found += 1).expect("it");
    assert_eq!(found, all);
    // Three of each size: up to 4,096 keys, to 16,384, to 65,536 and to 262,144.
    assert!(most <= 12, "{most}");
    assert_eq!(space.used(), folder.bytes());
    assert_eq!(space.used(), runs.disk_bytes());
}

#[test]
fn files_that_no_mark_names_are_removed() {
    let folder = Folder::new("runs-left");
    let space = folder.open();
    let mut runs = Runs::create(&space, 1, first_bytes);
    for n in 0..4 {
        runs.add(1, &[vec![n]]).expect("room");
    }
    let mark = runs.commit().expect("room");
    runs.merge().expect("room");
    runs.add(1, &[vec![7]]).expect("room");
    drop(runs);
    assert_eq!(folder.files().len(), 6);
    let mut runs = Runs::reopen(&space, (1, first_bytes), &mark).expect("it");
    assert_eq!((runs.count(), folder.files().len()), (4, 4));
    assert_eq!(space.used(), folder.bytes());
    // A run of the same number is another one now.
    runs.merge().expect("room");
    assert_eq!(found(&runs, 0, 1, &[vec![3], vec![7]]), [0]);
    drop(runs);
    Runs::reopen(&space, (1, first_bytes), &mark).expect("the old ones are there");
}
