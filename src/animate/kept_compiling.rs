//! Compiled systems that waiting checks share, as in a run of `orbitscope check`.

use std::path::{Path, PathBuf};

use crate::check::shared_systems::SharedSystems;
use crate::script::load::Loaded;
use crate::source::Limits;

/// The systems that the thread of the checks keeps from one check to the next.
#[derive(Default)]
pub struct CheckRoom {
    /// The assertions (from 1) that are checked next, in order.
    later: Vec<usize>,
    kept: Option<KeptScript>,
}

/// A script, and the systems that were compiled of it.
struct KeptScript {
    path: PathBuf,
    loaded: Loaded,
    shared: SharedSystems,
}

impl CheckRoom {
    /// Announces the assertions that are checked after the next check. If there are none, nothing is kept beyond it.
    pub fn announce(&mut self, later: Vec<usize>) {
        self.later = later;
    }

    /// Drops the systems that no waiting check needs.
    pub fn tidy(&mut self) {
        if self.later.is_empty() {
            self.kept = None;
        }
    }

    /// Begins a check of assertion `number` (from 1) of a script that was just read. Returns the kept script
    /// instead, with its systems, if it is the same.
    #[must_use]
    pub fn begun(
        &mut self,
        path: &Path,
        loaded: Loaded,
        number: usize,
        limits: &Limits,
    ) -> (&Loaded, &mut SharedSystems) {
        // The file may have been edited since.
        let is_same = |kept: &KeptScript| kept.path == path && is_same(&kept.loaded, &loaded);
        let kept = self.kept.take().filter(is_same);
        let kept = self.kept.insert(kept.unwrap_or_else(|| KeptScript {
            path: path.to_path_buf(),
            loaded,
            shared: SharedSystems::default(),
        }));
        let next = std::iter::once(&number).chain(&self.later);
        let next = next.filter_map(|number| number.checked_sub(1));
        kept.shared.announce(&kept.loaded.script, next);
        if let Some(index) = number.checked_sub(1) {
            kept.shared.begin(index, limits);
        }
        (&kept.loaded, &mut kept.shared)
    }
}

/// Whether two readings of a script have the same texts.
fn is_same(one: &Loaded, other: &Loaded) -> bool {
    let (one, other) = (&one.sources, &other.sources);
    let texts = one.files().iter().zip(other.files());
    one.files().len() == other.files().len()
        && one.missing() == other.missing()
        && texts
            .into_iter()
            .all(|(a, b)| a.path == b.path && a.text == b.text)
}
