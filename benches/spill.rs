//! Files of searches that outgrow memory: how fast they are written and read, and what a key takes.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use orbitscope::source::cpu;
use orbitscope::spill::filter::Filter;
use orbitscope::spill::log::Log;
use orbitscope::spill::runs::Runs;
use orbitscope::spill::{Space, SpillError};

/// Shards of a search.
const SHARDS: usize = 64;
/// Bytes of a key.
const KEY: usize = 16;
/// Bytes of a record: a key and a parent.
const RECORD: usize = KEY + 4;

/// Random numbers that are the same in each run (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// A key of random bytes.
fn random_key(n: u64) -> [u8; KEY] {
    let mut random = Random(n);
    let mut key = [0; KEY];
    key[..8].copy_from_slice(&random.next().to_le_bytes());
    key[8..].copy_from_slice(&random.next().to_le_bytes());
    key
}

/// The permutation of ten things with a number, a byte each: neighbours share long prefixes.
fn permutation_key(n: u64) -> [u8; KEY] {
    let mut left: Vec<u8> = (0..10).collect();
    let mut key = [0; KEY];
    let mut rest = n % 3_628_800;
    for byte in key.iter_mut().take(10) {
        let choices = left.len() as u64;
        *byte = left.remove((rest % choices) as usize);
        rest /= choices;
    }
    key
}

/// The shard of a key.
fn shard_of(key: &[u8; KEY]) -> usize {
    let (words, _) = key.as_chunks();
    let sum = words.iter().fold(1, |sum: u64, word| {
        (sum ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    (sum >> 58) as usize
}

/// A hash of a key.
fn hash_of(key: &[u8]) -> u64 {
    let (words, _) = key.as_chunks();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    words.fold(0, |sum, word| Random(sum ^ word).next())
}

/// Keys by shard, sorted by their hashes and joined.
fn by_shard(keys: impl Iterator<Item = [u8; KEY]>) -> Vec<Vec<u8>> {
    let mut shards = vec![Vec::new(); SHARDS];
    for key in keys {
        shards[shard_of(&key)].push(key);
    }
    let joined = |mut keys: Vec<[u8; KEY]>| {
        keys.sort_unstable_by_key(|key| (hash_of(key), *key));
        keys.dedup();
        keys.concat()
    };
    shards.into_iter().map(joined).collect()
}

fn tell(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Nanoseconds of processor time for each of some things.
fn each(took: Duration, count: usize) -> f64 {
    took.as_secs_f64() * 1e9 / count.max(1) as f64
}

/// Processor time: machines are shared.
struct Work(f64);

impl Work {
    fn begin() -> Self {
        Self(cpu::used().unwrap_or_default())
    }

    fn took(&self) -> Duration {
        Duration::from_secs_f64((cpu::used().unwrap_or_default() - self.0).max(0.0))
    }
}

fn measure_log(
    space: &Arc<Space>,
    name: &str,
    key: fn(u64) -> [u8; KEY],
) -> Result<(), SpillError> {
    const RECORDS: usize = 4_000_000;
    let records: Vec<[u8; RECORD]> = (0..RECORDS)
        .map(|n| {
            let mut record = [0; RECORD];
            record[..KEY].copy_from_slice(&key(n as u64));
            record[KEY..].copy_from_slice(&(n as u32 / 4).to_le_bytes());
            record
        })
        .collect();
    let mut log = Log::create(space, "log")?;
    log.begin_stretch(RECORD)?;
    let start = Work::begin();
    for record in &records {
        log.push(record)?;
    }
    let pushed = start.took();
    let before = space.used();
    let start = Instant::now();
    let mark = log.commit()?;
    let committed = start.elapsed();
    let bytes = space.used() as f64 / RECORDS as f64;
    let start = Work::begin();
    let mut reader = log.reader(0);
    let mut count = 0;
    while let Some(record) = reader.next(&log)? {
        assert_eq!(record, records[count]);
        count += 1;
    }
    let read = start.took();
    let start = Work::begin();
    const READS: usize = 20_000;
    let (mut random, mut record) = (Random(1), Vec::new());
    for _ in 0..READS {
        let number = random.next() as usize % RECORDS;
        log.read(number, &mut record)?;
        assert_eq!(record, records[number]);
    }
    let anywhere = start.took();
    drop(log);
    let start = Instant::now();
    let log = Log::reopen(space, "log", &mark)?;
    let reopened = start.elapsed();
    tell(&format!(
        "log, {name} keys: {bytes:.1} B/record; push {:.0} ns, next {:.0} ns, read {:.0} ns; commit {committed:.1?} after {} MB; reopen {reopened:.1?}; {} KB held",
        each(pushed, RECORDS),
        each(read, RECORDS),
        each(anywhere, READS),
        before >> 20,
        log.heap_bytes() >> 10,
    ));
    Ok(())
}

fn measure_runs(
    space: &Arc<Space>,
    name: &str,
    key: fn(u64) -> [u8; KEY],
    total: u64,
) -> Result<(), SpillError> {
    const RUNS: u64 = 16;
    let mut runs = Runs::create(space, SHARDS, hash_of);
    let (mut added, mut merged) = (Duration::ZERO, Duration::ZERO);
    // Even numbers are there, odd ones are not.
    let per_run = total / 2 / RUNS;
    for run in 0..RUNS {
        let mut keys = by_shard((run * per_run..(run + 1) * per_run).map(|n| key(2 * n)));
        let start = Work::begin();
        runs.add_by(KEY, &mut |_| std::mem::take(&mut keys))?;
        added += start.took();
        let start = Work::begin();
        runs.merge()?;
        merged += start.took();
    }
    let keys = (per_run * RUNS) as usize;
    let start = Instant::now();
    let mark = runs.commit()?;
    let committed = start.elapsed();
    tell(&format!(
        "runs, {name} keys: {:.2} B/key; add {:.0} ns/key, merge {:.0} ns/key in all; commit {committed:.1?}; {:.2} B/key held; {} left",
        runs.disk_bytes() as f64 / keys as f64,
        each(added, keys),
        each(merged, keys),
        runs.heap_bytes() as f64 / keys as f64,
        runs.count(),
    ));
    for (density, step) in [("all", 1), ("one in 100", 100), ("one in 10,000", 10_000)] {
        for (kind, odd) in [("present", 0), ("absent", 1)] {
            let numbers = (0..total / 2).step_by(step);
            let wanted = by_shard(numbers.map(|n| key(2 * n + odd)));
            let mut found = 0;
            let start = Work::begin();
            for (shard, keys) in wanted.iter().enumerate() {
                runs.find(shard, KEY, keys, &mut |_| found += 1)?;
            }
            let took = start.took();
            let count = wanted.iter().map(|keys| keys.len() / KEY).sum();
            tell(&format!(
                "  find, {density} {kind}: {:.0} ns",
                each(took, count)
            ));
            assert_eq!(found, if odd == 0 { count } else { 0 });
        }
    }
    let start = Work::begin();
    let mut count = 0;
    for shard in 0..SHARDS {
        runs.each(shard, &mut |_| count += 1)?;
    }
    assert_eq!(count, keys);
    let read = start.took();
    drop(runs);
    let start = Instant::now();
    Runs::reopen(space, (SHARDS, hash_of), &mark)?;
    let reopened = start.elapsed();
    tell(&format!(
        "  each: {:.0} ns; reopen: {reopened:.1?}",
        each(read, keys)
    ));
    Ok(())
}

fn measure_filter() {
    for bits in [4, 8, 10, 16] {
        const KEYS: usize = 4_000_000;
        let mut filter = Filter::new(KEYS * bits / 8);
        let hash = |n: usize| Random(n as u64).next();
        let start = Work::begin();
        (0..KEYS).for_each(|n| filter.add(hash(n)));
        let added = start.took();
        let start = Work::begin();
        let wrong = (KEYS..2 * KEYS)
            .filter(|n| filter.may_hold(hash(*n)))
            .count();
        let asked = start.took();
        tell(&format!(
            "filter, {bits} bits a key: {:.2} % held by mistake; add {:.0} ns, ask {:.0} ns",
            100.0 * wrong as f64 / KEYS as f64,
            each(added, KEYS),
            each(asked, KEYS)
        ));
    }
}

fn measure_many_files(space: &Arc<Space>) -> Result<(), SpillError> {
    let mut logs = Vec::new();
    for shard in 0..SHARDS {
        let mut log = Log::create(space, &format!("log-{shard:02}"))?;
        log.begin_stretch(RECORD)?;
        for n in 0..100_000 {
            let mut record = [0; RECORD];
            record[..KEY].copy_from_slice(&random_key(n));
            log.push(&record)?;
        }
        logs.push(log);
    }
    let start = Instant::now();
    for log in &mut logs {
        log.commit()?;
    }
    let took = start.elapsed();
    tell(&format!(
        "commit of {SHARDS} logs of {} MB together: {took:.1?}",
        space.used() >> 20
    ));
    Ok(())
}

fn measure(folder: &std::path::Path) -> Result<(), SpillError> {
    let in_new = |name: &str| Space::open(&folder.join(name), None);
    measure_filter();
    measure_log(&in_new("1")?, "random", random_key)?;
    measure_log(&in_new("2")?, "permutation", permutation_key)?;
    measure_runs(&in_new("3")?, "random", random_key, 4_000_000)?;
    measure_runs(&in_new("4")?, "permutation", permutation_key, 3_628_800)?;
    measure_many_files(&in_new("5")?)
}

fn main() {
    let folder: PathBuf =
        std::env::temp_dir().join(format!("orbitscope-spill-{}", std::process::id()));
    let measured = measure(&folder);
    let _ = std::fs::remove_dir_all(&folder);
    if let Err(error) = measured {
        tell(&format!("{error}"));
    }
}
