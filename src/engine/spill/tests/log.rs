//! Logs, held to vectors of records.

use proptest::prelude::*;

use super::super::log::Log;
use super::*;

/// What is done to a log.
#[derive(Clone, Debug)]
enum Step {
    Stretch(usize),
    /// So many records, with bytes of this seed.
    Push(usize, u8),
    Commit,
    /// Closed without a commit, and opened at the last mark.
    Reopen,
    Clear,
    Sweep,
    /// Reads with the reader.
    Read(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => (0usize..40).prop_map(Step::Stretch),
        1 => (60_000usize..70_000).prop_map(Step::Stretch),
        6 => (0usize..4000, any::<u8>()).prop_map(|(n, seed)| Step::Push(n, seed)),
        2 => Just(Step::Commit),
        2 => Just(Step::Reopen),
        1 => Just(Step::Clear),
        1 => Just(Step::Sweep),
        3 => (0usize..3000).prop_map(Step::Read),
    ];
    proptest::collection::vec(step, 1..25)
}

/// A record of some bytes: of small numbers, so that blocks can be compressed, or of all.
fn record(bytes: usize, seed: u8, number: usize) -> Vec<u8> {
    let byte = |at: usize| match seed % 2 {
        0 => (number / 7 + at) as u8 % 5,
        _ => (number.wrapping_mul(2_654_435_761) >> (at % 24)) as u8 ^ seed,
    };
    (0..bytes).map(byte).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::tiers::cases(400)))]

    #[test]
    fn a_log_is_a_vector(steps in steps(), random in any::<prop::sample::Index>()) {
        let folder = Folder::new("log");
        let mut space = folder.open();
        let mut log = Log::create(&space, "log-00").expect("a log");
        let mut all: Vec<Vec<u8>> = Vec::new();
        let (mut bytes, mut next) = (0, 0);
        let mut mark = (log.commit().expect("a mark"), all.clone(), bytes);
        let mut reader = log.reader(0);
        for step in steps {
            match step {
                Step::Stretch(longer) => {
                    log.begin_stretch(longer).expect("room");
                    bytes = longer;
                }
                Step::Push(count, seed) => {
                    let count = if bytes > 100 { count % 5 } else { count };
                    for n in 0..count {
                        let record = record(bytes, seed, n);
                        log.push(&record).expect("room");
                        all.push(record);
                    }
                }
                Step::Commit => mark = (log.commit().expect("a mark"), all.clone(), bytes),
                Step::Reopen => {
                    drop((log, space));
                    space = folder.open();
                    log = Log::reopen(&space, "log-00", &mark.0).expect("the log");
                    (all, bytes) = (mark.1.clone(), mark.2);
                    (reader, next) = (log.reader(0), 0);
                    prop_assert_eq!(log.len(), all.len());
                }
                Step::Clear => {
                    log.clear().expect("room");
                    all.clear();
                    next = 0;
                    reader = log.reader(0);
                }
                Step::Sweep => log.sweep().expect("they go"),
                Step::Read(count) => {
                    for _ in 0..count {
                        let found = reader.next(&log).expect("a record");
                        prop_assert_eq!(found, all.get(next).map(Vec::as_slice));
                        next += usize::from(next < all.len());
                    }
                }
            }
            prop_assert_eq!(log.len(), all.len());
            prop_assert_eq!(log.is_empty(), all.is_empty());
            prop_assert_eq!(space.used(), folder.bytes());
            let mut found = Vec::new();
            if !all.is_empty() {
                let number = random.index(all.len());
                log.read(number, &mut found).expect("a record");
                prop_assert_eq!(&found, &all[number]);
            }
            prop_assert!(log.read(all.len(), &mut found).is_err());
        }
        let mut reader = log.reader(0);
        for record in &all {
            prop_assert_eq!(reader.next(&log).expect("a record"), Some(record.as_slice()));
        }
        prop_assert_eq!(reader.next(&log).expect("no error"), None);
    }
}

#[test]
fn a_reader_sees_what_comes_later() {
    let folder = Folder::new("log-later");
    let space = folder.open();
    let mut log = Log::create(&space, "log").expect("room");
    log.begin_stretch(8).expect("room");
    let mut reader = log.reader(2);
    for n in 0..40_000usize {
        log.push(&n.to_le_bytes()).expect("room");
        let expected = n.checked_sub(2).map(|_| n.to_le_bytes());
        let found = reader.next(&log).expect("a record");
        assert_eq!(found, expected.as_ref().map(<[u8; 8]>::as_slice));
    }
    // After it is cleared, numbers begin anew, and nothing old is read.
    log.clear().expect("room");
    assert_eq!(reader.next(&log).expect("no error"), None);
    let mut reader = log.reader(0);
    for n in 0..20_000usize {
        log.push(&(n + 7).to_le_bytes()).expect("room");
    }
    assert_eq!(
        reader.next(&log).expect("it"),
        Some(7usize.to_le_bytes().as_slice())
    );
    log.commit().expect("room");
    assert_eq!(
        reader.next(&log).expect("it"),
        Some(8usize.to_le_bytes().as_slice())
    );
    log.clear().expect("room");
    for n in 0..20_000usize {
        log.push(&(n + 9).to_le_bytes()).expect("room");
    }
    assert_eq!(
        reader.next(&log).expect("it"),
        Some(11usize.to_le_bytes().as_slice())
    );
}

#[test]
fn records_have_the_length_of_the_stretch() {
    let folder = Folder::new("log-length");
    let space = folder.open();
    let mut log = Log::create(&space, "log").expect("room");
    log.push(&[]).expect("no bytes at first");
    let told = log.push(&[1]).expect_err("too long");
    assert!(
        told.to_string().contains("1 bytes where all have 0"),
        "{told}"
    );
    log.begin_stretch(3).expect("room");
    log.push(&[1, 2]).expect_err("too short");
    log.push(&[1, 2, 3]).expect("room");
    assert_eq!(log.len(), 2);
    // More records without bytes than a block may have.
    log.begin_stretch(0).expect("room");
    (0..200_000).for_each(|_| log.push(&[]).expect("room"));
    let mark = log.commit().expect("room");
    assert_eq!(mark.records(), 200_002);
    drop((log, space));
    let space = folder.open();
    let log = Log::reopen(&space, "log", &mark).expect("it");
    let mut record = Vec::new();
    log.read(1, &mut record).expect("it");
    assert_eq!(record, [1, 2, 3]);
    log.read(200_001, &mut record).expect("it");
    assert!(record.is_empty());
    log.read(200_002, &mut record).expect_err("no record");
}

#[test]
fn memory_is_a_block_and_the_index() {
    let folder = Folder::new("log-memory");
    let space = folder.open();
    let mut log = Log::create(&space, "log").expect("room");
    log.begin_stretch(20).expect("room");
    (0..500_000).for_each(|n| log.push(&record(20, 1, n)).expect("room"));
    assert!(log.heap_bytes() < 90_000, "{}", log.heap_bytes());
    log.clear().expect("room");
    assert!(log.heap_bytes() < 70_000, "{}", log.heap_bytes());
}

/// The file has the right number, length and number of records, and other ones.
#[test]
fn another_continuation_is_no_log_of_a_mark() {
    let folder = Folder::new("log-other");
    let space = folder.open();
    let mut log = Log::create(&space, "log").expect("room");
    log.begin_stretch(1).expect("room");
    let first = log.commit().expect("room");
    log.push(&[1]).expect("room");
    let second = log.commit().expect("room");
    drop(log);
    let mut log = Log::reopen(&space, "log", &first).expect("it");
    log.push(&[2]).expect("room");
    let other = log.commit().expect("room");
    drop(log);
    assert!(assert_damaged(Log::reopen(&space, "log", &second)).contains("other blocks"));
    Log::reopen(&space, "log", &other).expect("it");
}

#[test]
fn files_that_no_mark_names_are_removed() {
    let folder = Folder::new("log-left");
    let space = folder.open();
    let mut log = Log::create(&space, "log").expect("room");
    log.begin_stretch(1).expect("room");
    let mut marks = Vec::new();
    for n in 0..3 {
        log.push(&[n]).expect("room");
        marks.push(log.commit().expect("room"));
        log.clear().expect("room");
    }
    drop(log);
    let names = || {
        folder
            .files()
            .into_iter()
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(), ["log", "log.1", "log.2", "log.3"]);
    let log = Log::reopen(&space, "log", &marks[1]).expect("it");
    assert_eq!(log.len(), 1);
    assert_eq!(names(), ["log.1"]);
    assert_eq!(space.used(), folder.bytes());
}

#[test]
fn a_log_that_is_shorter_does_not_open() {
    let folder = Folder::new("log-short");
    let space = folder.open();
    let mut log = Log::create(&space, "log").expect("room");
    let empty = log.commit().expect("room");
    log.begin_stretch(1).expect("room");
    log.push(&[1]).expect("room");
    let mark = log.commit().expect("room");
    drop(log);
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(folder.path().join("log"));
    let file = file.expect("a file");
    let length = file.metadata().expect("a length").len();
    // Only the content of the last block is shorter, which nobody reads yet.
    file.set_len(length - 1).expect("it is cut");
    assert!(assert_damaged(Log::reopen(&space, "log", &mark)).contains("shorter"));
    Log::reopen(&space, "log", &empty).expect("that is there");
}
