//! Results of earlier runs for `check --cached`: where they are, and what is said when they cannot be used.

use std::path::PathBuf;

use etcetera::{BaseStrategy, choose_base_strategy};

use super::args::CheckArgs;
use super::complain;
use crate::check::Options;
use crate::report::cached::{LookedUp, ResultCache, ResultKey};
use crate::report::outcome::CheckOutcome;
use crate::script::load::Loaded;
use crate::source::Cancel;

/// Results of earlier runs, if they are asked for and there is a place for them. Whatever goes wrong with them is a
/// note: then everything is checked.
pub struct KeptResults<'a> {
    cache: Option<ResultCache<'a>>,
    quiet: bool,
    /// Whether something was kept in this run.
    keeps: bool,
    /// Whether it was said that nothing can be.
    has_complained: bool,
}

impl<'a> KeptResults<'a> {
    /// Those that the arguments ask for.
    pub fn new(loaded: &'a Loaded, args: &CheckArgs) -> Self {
        let mut kept = Self {
            cache: None,
            quiet: args.quiet,
            keeps: false,
            has_complained: false,
        };
        if !args.many.cached {
            return kept;
        }
        let Some(folder) = args.many.cache_dir.clone().or_else(folder) else {
            kept.note("nothing is cached: there is no home folder (`--cache-dir` names one)");
            return kept;
        };
        match ResultCache::new(loaded, &folder) {
            Ok(cache) => kept.cache = Some(cache),
            Err(error) => kept.note(&format!(
                "nothing is cached: the file of the program cannot be read: {error}"
            )),
        }
        kept
    }

    /// What the result of an assertion is found by, if it is one that can be kept.
    pub fn key(&mut self, number: usize, options: &Options) -> Option<ResultKey> {
        self.cache.as_mut()?.key(number, options)
    }

    /// The result that an earlier run has come to.
    pub fn find(
        &self,
        key: &ResultKey,
        number: usize,
        options: &Options,
        cancel: &Cancel,
    ) -> Option<CheckOutcome> {
        let cache = self.cache.as_ref()?;
        match cache.find(key, number, &options.limits, cancel) {
            LookedUp::Found(outcome) => Some(*outcome),
            LookedUp::Missing => None,
            LookedUp::Unusable(why) => {
                self.note(&format!(
                    "the cached result of assertion {number} is not used: {why}"
                ));
                None
            }
        }
    }

    /// Keeps a result for later runs.
    pub fn keep(&mut self, key: &ResultKey, outcome: &CheckOutcome) {
        let Some(cache) = &self.cache else {
            return;
        };
        match cache.keep(key, outcome) {
            Ok(kept) => self.keeps |= kept,
            Err(error) => {
                // Where one cannot be written, others cannot be, either.
                if !std::mem::replace(&mut self.has_complained, true) {
                    let folder = cache.folder().display();
                    self.note(&format!(
                        "results are not cached: {folder} cannot be written to: {error}"
                    ));
                }
            }
        }
    }

    fn note(&self, message: &str) {
        if !self.quiet {
            complain(message);
        }
    }
}

impl Drop for KeptResults<'_> {
    fn drop(&mut self) {
        if self.keeps
            && let Some(cache) = &self.cache
        {
            cache.tidy();
        }
    }
}

/// The user's folder for what can be made again.
fn folder() -> Option<PathBuf> {
    let platform = choose_base_strategy().ok()?;
    Some(platform.cache_dir().join("orbitscope").join("results"))
}
