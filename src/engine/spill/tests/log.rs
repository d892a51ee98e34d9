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
            prop_assert_eq!(space.used(), bytes_in(folder.path()));
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
