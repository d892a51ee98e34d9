//! No more room: on the disk, for one file, or as the search was told.

use super::super::log::Log;
use super::super::manifest;
use super::super::runs::Runs;
use super::search::Search;
use super::*;

const STEPS: usize = 6;

/// Makes steps until there is no room or the search ends, over a folder in which the search may have begun.
#[track_caller]
fn search_until_full(space: &Arc<Space>) -> bool {
    let begun = Search::open(space);
    let Ok(mut search) = begun else {
        assert_full(begun);
        return true;
    };
    while search.step < STEPS {
        let before = search.step;
        if let Err(error) = search.go_on() {
            assert!(matches!(error, SpillError::Full { .. }), "{error:?}");
            assert_eq!(search.step, before);
            return true;
        }
    }
    false
}

/// Opens the folder with room, and holds it to what was committed. Then the search comes to its end.
#[track_caller]
fn assert_resumes(folder: &Folder) {
    let space = folder.open();
    assert_eq!(space.used(), folder.bytes());
    let mut search = Search::open(&space).expect("the last commit");
    search.look().expect("the last commit");
    while search.step < STEPS {
        search.go_on().expect("room");
    }
    search.look().expect("all of it");
}

/// Amounts of room to be tried: all of them, if there is time.
fn amounts(most: usize) -> impl Iterator<Item = u64> {
    let step = if crate::tiers::is_thorough() { 3 } else { 61 };
    (0..most as u64).step_by(step)
}

#[test]
fn the_disk_is_full() {
    let folder = Folder::new("disk");
    for (was_full, room) in amounts(100_000).enumerate() {
        folder.remove();
        let space = folder.open();
        space.leave_room(room);
        if !search_until_full(&space) {
            assert!(was_full > 100, "{was_full}");
            return;
        }
        assert_eq!(space.used(), folder.bytes(), "with room for {room}");
        drop(space);
        assert_resumes(&folder);
    }
    panic!("it writes more");
}

#[test]
fn the_search_may_take_no_more() {
    let folder = Folder::new("most");
    for (was_full, most) in amounts(100_000).enumerate() {
        folder.remove();
        let space = Space::open(folder.path(), Some(most)).expect("it opens");
        let is_full = search_until_full(&space);
        assert!(space.used() <= most && space.used() == folder.bytes());
        if !is_full {
            assert!(was_full > 50, "{was_full}");
            return;
        }
        drop(space);
        assert_resumes(&folder);
    }
    panic!("it takes more");
}

#[test]
fn a_log_goes_on_once_there_is_room() {
    let folder = Folder::new("log-goes-on");
    let space = folder.open();
    let mut log = Log::create(&space, "log").expect("room");
    log.begin_stretch(1000).expect("room");
    let record = |n: usize| -> Vec<u8> {
        let byte = |at: usize| (n.wrapping_mul(2_654_435_761 + at) >> (at % 16)) as u8;
        (0..1000).map(byte).collect()
    };
    let (mut pushed, mut refused) = (Vec::new(), 0);
    for n in 0..500 {
        space.leave_room(if n % 3 == 0 { 100 } else { u64::MAX });
        match log.push(&record(n)) {
            Ok(()) => pushed.push(n),
            error => {
                assert_full(error);
                refused += 1;
            }
        }
        assert_eq!(log.len(), pushed.len());
        assert_eq!(space.used(), folder.bytes());
    }
    assert!(refused > 1);
    space.leave_room(10);
    assert_full(log.commit());
    assert_full(log.begin_stretch(7));
    space.leave_room(u64::MAX);
    let mark = log.commit().expect("room");
    space.leave_room(10);
    assert_full(log.clear());
    assert_eq!(log.len(), pushed.len());
    drop((log, space));
    let space = folder.open();
    let log = Log::reopen(&space, "log", &mark).expect("it");
    let mut reader = log.reader(0);
    for n in pushed {
        let expected = record(n);
        assert_eq!(reader.next(&log).expect("it"), Some(expected.as_slice()));
    }
    assert_eq!(reader.next(&log).expect("it"), None);
}

#[test]
fn runs_are_as_before_once_there_is_room() {
    let folder = Folder::new("runs-go-on");
    let space = folder.open();
    let mut runs = Runs::create(&space, 1, first_bytes);
    let keys = |run: usize| -> Vec<u8> {
        let keys = (0..5000usize).map(|n| (n * 4 + run).to_be_bytes());
        keys.collect::<Vec<_>>().concat()
    };
    let all = |runs: &Runs| {
        let mut count = 0;
        runs.each(0, &mut |_| count += 1).expect("it");
        count
    };
    for run in 0..4 {
        space.leave_room(500);
        assert_full(runs.add(8, &[keys(run)]));
        assert_eq!((runs.count(), all(&runs)), (run, run * 5000));
        assert_eq!(space.used(), folder.bytes());
        space.leave_room(u64::MAX);
        runs.add(8, &[keys(run)]).expect("room");
    }
    space.leave_room(500);
    assert_full(runs.merge());
    assert_eq!((runs.count(), all(&runs)), (4, 20_000));
    assert_eq!(space.used(), folder.bytes());
    space.leave_room(u64::MAX);
    runs.merge().expect("room");
    assert_eq!((runs.count(), all(&runs)), (1, 20_000));
    assert_eq!(space.used(), folder.bytes());
}

#[test]
fn the_old_manifest_stands_if_there_is_no_room() {
    let folder = Folder::new("manifest-full");
    let space = folder.open();
    manifest::write(&space, &"old").expect("room");
    let used = space.used();
    for room in 0..used {
        space.leave_room(room);
        assert_full(manifest::write(&space, &"new"));
        let standing: Option<String> = manifest::read(space.folder()).expect("a manifest");
        assert_eq!(standing.as_deref(), Some("old"));
        assert_eq!((space.used(), folder.bytes()), (used, used));
        assert_eq!(folder.files().len(), 1);
    }
    space.leave_room(used);
    manifest::write(&space, &"new").expect("room");
    let standing: Option<String> = manifest::read(space.folder()).expect("a manifest");
    assert_eq!(standing.as_deref(), Some("new"));
    assert_eq!((space.used(), folder.bytes()), (used, used));
}

/// What could not be synced may be gone, also if syncing succeeds later.
#[test]
fn a_full_disk_may_show_only_in_the_end() {
    let folder = Folder::new("sync-full");
    let space = folder.open();
    manifest::write(&space, &"old").expect("room");
    let mut log = Log::create(&space, "log").expect("room");
    let mut runs = Runs::create(&space, 1, first_bytes);
    runs.add(1, &[vec![1]]).expect("room");
    space.refuse_syncs(true);
    assert_full(log.commit());
    assert_full(runs.commit());
    assert_full(manifest::write(&space, &"new"));
    space.refuse_syncs(false);
    for told in [log.commit().map(drop), runs.commit().map(drop)] {
        let told = told.expect_err("it may be lost").to_string();
        assert!(told.contains("may be lost"), "{told}");
    }
    let standing: Option<String> = manifest::read(space.folder()).expect("a manifest");
    assert_eq!(standing.as_deref(), Some("old"));
    assert_eq!(space.used(), folder.bytes());
    // Another manifest is another file.
    manifest::write(&space, &"new").expect("room");
    let standing: Option<String> = manifest::read(space.folder()).expect("a manifest");
    assert_eq!(standing.as_deref(), Some("new"));
}

/// Not a test but a search whose files may not be as large as it needs.
#[test]
fn search_with_small_files() {
    if let Some(folder) = folder_of_copy() {
        let space = Space::open(&folder, None).expect("it opens");
        let mut log = Log::create(&space, "log").expect("room");
        log.begin_stretch(1).expect("room");
        let mut noise = 1u64;
        let pushed = (0..1_000_000).try_for_each(|_| {
            noise = noise
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            log.push(&[(noise >> 41) as u8])
        });
        assert_full(pushed);
    }
}

/// The system's own refusal, by its limit on the length of files.
#[test]
#[cfg(unix)]
fn a_file_is_too_large() {
    let folder = Folder::new("too-large");
    let copy = copy_of_this("full::search_with_small_files", &folder);
    let arguments: Vec<_> = copy.get_args().collect();
    // The signal that comes with the refusal is ignored, as a program has to that wants to hear of it.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 200; exec \"$0\" \"$@\""])
        .arg(copy.get_program())
        .args(arguments)
        .env(FOLDER, folder.path())
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
    assert!(folder.bytes() > 50_000, "{}", folder.bytes());
}
