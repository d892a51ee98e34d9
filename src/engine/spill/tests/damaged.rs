//! Files that are cut, changed, exchanged, or of other searches.

use super::super::file::HEADER;
use super::super::log::Log;
use super::super::run::{DIRECTORY, INDEX, KeyRun, block_keys, sum_of};
use super::super::run_writer::RunWriter;
use super::super::runs::Runs;
use super::search::Search;
use super::*;

const STEPS: usize = 6;

/// The files of a search after each of its steps.
fn searched(folder: &Folder) -> Vec<Vec<(String, Vec<u8>)>> {
    let space = folder.open();
    let mut search = Search::open(&space).expect("room");
    let mut after = Vec::new();
    for _ in 0..STEPS {
        search.go_on().expect("room");
        after.push(folder.files());
    }
    after
}

/// What becomes of a search over some files: it is damaged, or all is as it was at this step.
#[track_caller]
fn assert_safe(folder: &Folder, files: &[(String, Vec<u8>)], step: usize) -> bool {
    folder.restore(files);
    let space = folder.open();
    let looked = Search::open(&space).and_then(|search| {
        search.look()?;
        Ok(search.step)
    });
    match looked {
        Ok(found) => assert_eq!(found, step),
        Err(SpillError::Damaged { path, why }) => {
            assert!(path.starts_with(folder.path()) && !why.is_empty());
            return false;
        }
        Err(error) => panic!("{error:?}"),
    }
    true
}

/// The files, and one of them changed.
fn with(
    files: &[(String, Vec<u8>)],
    at: usize,
    change: impl FnOnce(&mut Vec<u8>),
) -> Vec<(String, Vec<u8>)> {
    let mut files = files.to_vec();
    change(&mut files[at].1);
    files
}

#[test]
fn what_is_not_damaged_opens() {
    let folder = Folder::new("sound");
    let after = searched(&folder);
    for (step, files) in after.iter().enumerate() {
        assert!(assert_safe(&folder, files, step + 1));
    }
    let names: Vec<&str> = after[STEPS - 1].iter().map(|(name, _)| &**name).collect();
    assert_eq!(
        names,
        [
            "log",
            "manifest",
            "pending.3",
            "run-000012",
            "run-000013",
            "run-000014"
        ]
    );
}

#[test]
fn a_bit_is_turned() {
    let folder = Folder::new("turned");
    let files = searched(&folder).pop().expect("a step");
    for at in 0..files.len() {
        for place in 0..files[at].1.len() {
            let turned = with(&files, at, |bytes| bytes[place] ^= 1 << (place % 8));
            let is_sound = assert_safe(&folder, &turned, STEPS);
            assert!(!is_sound, "{} at {place}", files[at].0);
        }
    }
}

#[test]
fn a_file_is_cut_or_longer() {
    let folder = Folder::new("cut");
    let files = searched(&folder).pop().expect("a step");
    for at in 0..files.len() {
        let length = files[at].1.len();
        for length in 0..length {
            let cut = with(&files, at, |bytes| bytes.truncate(length));
            let is_sound = assert_safe(&folder, &cut, STEPS);
            // The last byte of the manifest ends a line.
            let is_line = files[at].0 == "manifest" && length + 1 == files[at].1.len();
            assert_eq!(is_sound, is_line, "{} at {length}", files[at].0);
        }
        let longer = with(&files, at, |bytes| bytes.extend_from_slice(&[1; 100]));
        let is_sound = assert_safe(&folder, &longer, STEPS);
        assert_eq!(is_sound, files[at].0 != "manifest");
        let mut fewer = files.clone();
        let (name, _) = fewer.remove(at);
        if name != "manifest" {
            assert!(!assert_safe(&folder, &fewer, STEPS), "without {name}");
        }
    }
}

#[test]
fn files_are_exchanged() {
    let (folder, other) = (Folder::new("exchanged"), Folder::new("exchanged-other"));
    let files = searched(&folder).pop().expect("a step");
    let others = searched(&other).pop().expect("a step");
    for at in 0..files.len() {
        for with_other in 0..files.len() {
            if with_other != at {
                let mut exchanged = files.clone();
                exchanged[at].1 = files[with_other].1.clone();
                assert!(!assert_safe(&folder, &exchanged, STEPS));
                exchanged[with_other].1 = files[at].1.clone();
                assert!(!assert_safe(&folder, &exchanged, STEPS));
            }
        }
        // The same file of another search that did the same.
        assert_eq!(files[at].0, others[at].0);
        let of_other = with(&files, at, |bytes| bytes.clone_from(&others[at].1));
        assert!(!assert_safe(&folder, &of_other, STEPS));
        // Its content only.
        let of_other = with(&files, at, |bytes| {
            bytes.truncate(32);
            bytes.extend_from_slice(&others[at].1[32..]);
        });
        assert!(!assert_safe(&folder, &of_other, STEPS));
    }
}

#[test]
fn files_are_of_another_step() {
    let folder = Folder::new("other-step");
    let after = searched(&folder);
    let now = after.last().expect("a step");
    for (step, before) in after[..STEPS - 1].iter().enumerate() {
        for (name, bytes) in before {
            let Some(at) = now.iter().position(|(other, _)| other == name) else {
                continue;
            };
            if now[at].1 != *bytes {
                let mixed = with(now, at, |present| present.clone_from(bytes));
                // An old manifest may find all that it names: then it is right.
                let is_manifest = name == "manifest";
                let step = if is_manifest { step + 1 } else { STEPS };
                let is_sound = assert_safe(&folder, &mixed, step);
                assert!(!is_sound || is_manifest, "{name}");
            }
        }
    }
}

/// Bytes without pattern.
fn noise(from: usize, bytes: usize) -> Vec<u8> {
    let byte = |n: usize| mixed(n as u64) as u8;
    (0..bytes).map(|at| byte(from * bytes + at + 1)).collect()
}

/// A damaged file may open. Then each thing that is read of it is right, or damaged.
#[test]
fn what_can_be_read_is_right() {
    let folder = Folder::new("readable");
    let space = folder.open();
    let mut log = Log::create(&space, "log").expect("room");
    let mut mark = log.commit().expect("room");
    for n in 0..20u8 {
        log.begin_stretch(1 + n as usize / 8).expect("room");
        log.push(&vec![n; 1 + n as usize / 8]).expect("room");
        if n % 4 == 3 {
            mark = log.commit().expect("room");
        }
    }
    let mut runs = Runs::create(&space, 2, first_bytes);
    runs.add(1, &[vec![1, 3, 5], vec![2, 4]]).expect("room");
    let runs_mark = runs.commit().expect("room");
    drop((log, runs, space));
    let files = folder.files();
    let assert_right = |files: &[(String, Vec<u8>)]| {
        folder.restore(files);
        let space = folder.open();
        if let Ok(log) = Log::reopen(&space, "log", &mark) {
            for n in 0..20 {
                let mut record = Vec::new();
                match log.read(n, &mut record) {
                    Ok(()) => assert_eq!(record, vec![n as u8; 1 + n / 8]),
                    error => drop(assert_damaged(error)),
                }
            }
        }
        if let Ok(runs) = Runs::reopen(&space, (2, first_bytes), &runs_mark) {
            for (shard, key) in (0..2).flat_map(|shard| (0..7).map(move |key| (shard, key))) {
                let mut found = false;
                match runs.find(shard, 1, &[key], &mut |_| found = true) {
                    Ok(()) => assert_eq!(found, [[1, 3, 5], [2, 4, 4]][shard].contains(&key)),
                    error => drop(assert_damaged(error)),
                }
            }
        }
    };
    for at in 0..files.len() {
        for bit in 0..files[at].1.len() * 8 {
            let turned = with(&files, at, |bytes| bytes[bit / 8] ^= 1 << (bit % 8));
            assert_right(&turned);
        }
        // Headers that are damaged in two places.
        for place in 0..files[at].1.len().saturating_sub(1) {
            for other in place + 1..files[at].1.len() {
                if place % 7 == other % 7 {
                    let turned = with(&files, at, |bytes| {
                        bytes[place] ^= 1;
                        bytes[other] ^= 1;
                    });
                    assert_right(&turned);
                }
            }
        }
    }
}

#[test]
fn blocks_of_a_log_are_exchanged() {
    const RECORD: usize = 48;
    const BLOCKS: usize = 4;
    let folder = Folder::new("blocks");
    let space = folder.open();
    let mut log = Log::create(&space, "log").expect("room");
    log.begin_stretch(RECORD).expect("room");
    let mut mark = log.commit().expect("room");
    for n in 0..BLOCKS {
        log.push(&noise(n, RECORD)).expect("room");
        mark = log.commit().expect("room");
    }
    drop((log, space));
    let files = folder.files();
    let length = files[0].1.len();
    // All blocks have one length, since none is compressed.
    let block = 28 + RECORD;
    assert_eq!(length, 32 + BLOCKS * block);
    for one in 0..BLOCKS {
        for other in 0..one {
            let exchanged = with(&files, 0, |bytes| {
                for at in 0..block {
                    bytes.swap(32 + one * block + at, 32 + other * block + at);
                }
            });
            folder.restore(&exchanged);
            let space = folder.open();
            let read = Log::reopen(&space, "log", &mark).and_then(|log| {
                let mut record = Vec::new();
                (0..BLOCKS).try_for_each(|n| {
                    log.read(n, &mut record)?;
                    assert_eq!(record, noise(n, RECORD));
                    Ok(())
                })
            });
            let told = assert_damaged(read);
            assert!(told.contains("/log "), "{told}");
        }
    }
}

/// A run of two shards with two blocks each.
fn run_of_like_blocks(space: &Arc<Space>) -> KeyRun {
    let mut writer = RunWriter::new(space, 0, 8).expect("room");
    let keys = block_keys(8);
    for shard in 0..2 {
        for n in 0..2 * keys {
            // The first two bytes ascend.
            let mut key = noise(shard * 2 * keys + n, 8);
            key[..2].copy_from_slice(&(n as u16).to_be_bytes());
            writer.push(first_bytes(&key), &key).expect("room");
        }
        writer.end_shard().expect("room");
    }
    writer.finish().expect("room")
}

#[test]
fn blocks_of_a_run_are_exchanged() {
    let folder = Folder::new("run-blocks");
    let space = folder.open();
    let mut run = run_of_like_blocks(&space);
    let mark = run.commit().expect("room");
    assert!(run.shards.iter().all(|shard| shard.blocks.len() == 2));
    drop((run, space));
    let files = folder.files();
    for (one, other) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)] {
        let exchanged = with(&files, 0, |bytes| {
            let length = block_keys(8) * 8;
            let at = |block: usize| HEADER as usize + block * length;
            (0..length).for_each(|n| bytes.swap(at(one) + n, at(other) + n));
        });
        folder.restore(&exchanged);
        let space = folder.open();
        let run = KeyRun::reopen(&space, 2, &mark).expect("the index is whole");
        let is_damaged = |block: usize| {
            let place = (block / 2, block % 2);
            run.read_block(place, &mut Vec::new()).is_err()
        };
        let damaged: Vec<usize> = (0..4).filter(|block| is_damaged(*block)).collect();
        assert_eq!(damaged, [one, other]);
    }
}

/// The number of a shard, of a block and of a file, and what kind of piece it is, are part of the checksum.
#[test]
fn checksums_cover_the_place() {
    let sums = [
        (1, (0, 0)),
        (2, (0, 0)),
        (1, (1, 0)),
        (1, (0, 1)),
        (1, (0, INDEX)),
        (1, (DIRECTORY, INDEX)),
    ]
    .map(|(id, place)| {
        [b"".as_slice(), b"\0", b"\0\0", b"12345678", b"12345678\0"]
            .map(|bytes| sum_of(id, place, bytes))
    });
    let all: Vec<u64> = sums.concat();
    let distinct: std::collections::BTreeSet<u64> = all.iter().copied().collect();
    assert_eq!(distinct.len(), all.len());
}

#[test]
fn files_are_damaged_while_they_are_open() {
    let folder = Folder::new("while-open");
    let space = folder.open();
    let mut log = Log::create(&space, "log").expect("room");
    log.begin_stretch(100).expect("room");
    (0..3000).for_each(|n| log.push(&noise(n, 100)).expect("room"));
    let mut runs = Runs::create(&space, 1, first_bytes);
    let keys: Vec<Vec<u8>> = (0..3000usize).map(|n| n.to_be_bytes().to_vec()).collect();
    runs.add(8, &[keys.concat()]).expect("room");
    let cut = |name: &str, length| {
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(folder.path().join(name));
        file.and_then(|file| file.set_len(length)).expect("a file");
    };
    cut("log", 1000);
    cut("run-000000", 100);
    assert_damaged(log.read(0, &mut Vec::new()));
    assert_damaged(log.reader(10).next(&log));
    // What is not yet in a block is not.
    log.read(2999, &mut Vec::new()).expect("the last one");
    assert_damaged(runs.find(0, 8, &keys.concat(), &mut |_| {}));
    assert_damaged(runs.each(0, &mut |_| {}));
    assert_damaged({
        (0..3).for_each(|_| runs.add(8, &[keys.concat()]).expect("room"));
        runs.merge()
    });
    assert_eq!(runs.count(), 4);
}
