//! Scripts that once crashed the program, hung it, or were printed as something else. What the fuzzer
//! finds is kept in `tests/regressions`, as small as it gets, and tried here as the fuzzer tries it.

use crate::judge;
use std::path::Path;

#[test]
fn what_was_found_stays_mended() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let mut failures = Vec::new();
    judge::on_small_stack(|| {
        for path in &paths {
            if let Err(what) = judge::judge(path, None, &|_| {}) {
                failures.push(format!("{}: {what}", path.display()));
            }
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
