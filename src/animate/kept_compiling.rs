//! What checks that wait one behind the other have in common: compiled once, as in a run of `orbitscope check`.

use std::path::{Path, PathBuf};

use crate::check::shared_systems::SharedSystems;
use crate::script::load::Loaded;
use crate::source::Limits;

/// What the thread of the checks keeps between two of them.
#[derive(Default)]
pub struct CheckRoom {
    /// The assertions (from 1) that are checked next, in order.
    later: Vec<usize>,
    kept: Option<KeptScript>,
}

/// A script as it was read, and what was compiled of it.
struct KeptScript {
    path: PathBuf,
    loaded: Loaded,
    shared: SharedSystems,
}

impl CheckRoom {
    /// Says what is checked behind the next check. If nothing is, nothing is kept beyond it.
    pub fn announce(&mut self, later: Vec<usize>) {
        self.later = later;
    }

    /// Gives up what nobody waits for.
    pub fn tidy(&mut self) {
        if self.later.is_empty() {
            self.kept = None;
        }
    }

    /// A script that was just read: if it is the one that is kept, that one, with what was compiled of it. Assertion
    /// `number` (from 1) is checked now.
    #[must_use]
    pub fn begun(
        &mut self,
        path: &Path,
        loaded: Loaded,
        number: usize,
        limits: &Limits,
    ) -> (&Loaded, &mut SharedSystems) {
        // Somebody may have edited it since.
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

/// Whether two readings of a script came to the same texts.
fn is_same(one: &Loaded, other: &Loaded) -> bool {
    let (one, other) = (&one.sources, &other.sources);
    let texts = one.files().iter().zip(other.files());
    one.files().len() == other.files().len()
        && one.missing() == other.missing()
        && texts
            .into_iter()
            .all(|(a, b)| a.path == b.path && a.text == b.text)
}
