//! Results of checks in files, for the next run: what nothing has changed of is not checked again.
//!
//! A result is found by a strong hash of all that it depends on ([`ResultCache::key`]). What is left out there would
//! let an old verdict stand for a new script, so whatever may matter is in it, and rather too much: then a check is
//! done again, and no more is lost than time. Only what is decided is kept. Counterexamples are followed on the
//! unreduced system before they are believed.

use std::fmt::Write;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::inputs::{Input, inputs};
use super::outcome::{CheckOutcome, Counterexample, Details, Progress, Verdict};
use super::reduction::{PlanView, StructureSummary, SymmetrySummary};
use super::saved;
use crate::check::keeping::KeepingKind;
use crate::check::outcome::StructureUse;
use crate::check::plan::{self, PlanKey};
use crate::check::{Options, whole_script};
use crate::script::core::AssertionKind;
use crate::script::fingerprint::{Fingerprints, StrongHash};
use crate::script::load::Loaded;
use crate::source::read::{Source, Unread, bounded};
use crate::source::write::write_whole;
use crate::source::{Cancel, Kind, Limits};

/// What the files say that they are; the number is that of the format.
const SCHEMA: &str = "orbitscope.result/1";
/// What follows the key in the name of a file.
const ENDING: &str = ".json";
/// A longer result is not kept, and a longer file is none.
const BYTES_MAX: u64 = 32 << 20;
/// Results that a folder has at most; the oldest ones go.
const RESULTS_MAX: usize = 5_000;
/// How many are left then, so that this is not done each time.
const RESULTS_LEFT: usize = 4_000;
/// A file that was begun as long ago belongs to a program that did not come to its end.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// Results of earlier runs, for one script.
pub struct ResultCache<'a> {
    loaded: &'a Loaded,
    folder: PathBuf,
    /// Of the program that runs.
    build: StrongHash,
    hashes: Fingerprints<'a>,
    /// What of the script as a whole has a part in every check.
    whole: String,
}

/// What a result is found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultKey(String);

/// What a look for a result has come to.
#[derive(Debug)]
pub enum LookedUp {
    /// There is none.
    Missing,
    /// This one.
    Found(Box<CheckOutcome>),
    /// There is something that cannot be used: the sentence says why.
    Unusable(String),
}

/// A result as it is kept.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct Result")]
struct KeptResult {
    key: String,
    /// When it was checked: seconds since 1970.
    checked: u64,
    holds: bool,
    progress: Progress,
    details: Option<Details>,
    symmetry: Option<KeptReduction>,
    plan: Option<PlanView>,
    /// The plan says why there was no better one, with places: it is for these files alone.
    only_for: Option<Vec<Input>>,
    counterexamples: Vec<Counterexample>,
    represented: Option<[String; 2]>,
}

/// What a check was reduced by.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct Reduction")]
struct KeptReduction {
    types: Vec<(String, usize)>,
    copies: Vec<(String, usize)>,
    generators: Option<Vec<String>>,
    group_order: String,
    strategy: String,
}

impl<'a> ResultCache<'a> {
    /// The results in a folder, which need not be there yet.
    ///
    /// # Errors
    /// That the file of the program, whose results they have to be, cannot be read.
    pub fn new(loaded: &'a Loaded, folder: &Path) -> io::Result<Self> {
        Ok(Self {
            loaded,
            folder: folder.to_path_buf(),
            build: hash_of_program()?,
            hashes: Fingerprints::new(&loaded.script),
            whole: whole_script::facts(&loaded.script),
        })
    }

    /// What the result of assertion `number` (from 1) is found by; none if it cannot be kept: the text alone decides
    /// it, or it cannot be checked.
    pub fn key(&mut self, number: usize, options: &Options) -> Option<ResultKey> {
        let at = number.checked_sub(1)?;
        let assertion = self.loaded.script.assertions.get(at)?;
        if matches!(assertion.kind, AssertionKind::Symmetric { .. })
            || options.adaptive
            || self.loaded.in_the_way(assertion).is_some()
        {
            return None;
        }
        let script = &*self.loaded.script;
        let plans = plan::plans(self.loaded, at, options).ok()?;
        let mut planned = String::new();
        for plan in &plans {
            let sizes: Vec<_> = plan.sizes(script).collect();
            let structure = plan.looks_at_structure();
            let key = PlanKey::new(script, plan);
            let _ = writeln!(planned, "{key:?} {sizes:?} {structure} {}", plan.is_off());
        }
        let mut hasher = Sha256::new();
        let hash = self.hashes.of_assertion(at)?;
        let chosen = of_options(options);
        let version = env!("CARGO_PKG_VERSION");
        let parts: [&[u8]; 7] = [
            SCHEMA.as_bytes(),
            version.as_bytes(),
            &self.build,
            &hash,
            self.whole.as_bytes(),
            chosen.as_bytes(),
            planned.as_bytes(),
        ];
        for part in parts {
            // With its length, so that nothing can move from one part to the next.
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Some(ResultKey(hex(&hasher.finalize())))
    }

    /// Looks for the result of assertion `number` (from 1).
    #[must_use]
    pub fn find(
        &self,
        key: &ResultKey,
        number: usize,
        limits: &Limits,
        cancel: &Cancel,
    ) -> LookedUp {
        let bytes = match bounded(Source::Regular(&self.file(key)), BYTES_MAX, cancel, None) {
            Ok(bytes) => bytes,
            // What is wrong with the folder shows when something is to be kept there.
            Err(Unread::Failed(error))
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return LookedUp::Missing;
            }
            Err(Unread::Failed(error)) => return LookedUp::Unusable(error.to_string()),
            Err(Unread::TooLong) => return LookedUp::Unusable("it is too long".to_owned()),
            Err(Unread::Irregular) => {
                return LookedUp::Unusable("it is no regular file".to_owned());
            }
            Err(Unread::Stopped(_)) => return LookedUp::Missing,
        };
        let kept = match read(&bytes) {
            Ok(kept) if kept.key == key.0 => kept,
            Ok(_) => return LookedUp::Unusable("it is that of another check".to_owned()),
            Err(why) => return LookedUp::Unusable(why),
        };
        let now = || inputs(&self.loaded.sources);
        if kept.only_for.as_ref().is_some_and(|then| *then != now()) {
            return LookedUp::Missing;
        }
        for found in &kept.counterexamples {
            match saved::replays(found, number, self.loaded, limits, cancel) {
                Ok(()) => {}
                // A limit or a signal: the check says so.
                Err(error) if error.kind != Kind::Differs => return LookedUp::Missing,
                Err(_) => {
                    let why = "its counterexample does not come about in this script";
                    return LookedUp::Unusable(why.to_owned());
                }
            }
        }
        let text = &self.loaded.script.assertions[number - 1].text;
        let none = "what is in it makes no sense".to_owned();
        match kept.outcome(number, text.to_string(), now()) {
            Some(outcome) => LookedUp::Found(Box::new(outcome)),
            None => LookedUp::Unusable(none),
        }
    }

    /// Keeps a result, if it is decided; says whether it did.
    ///
    /// # Errors
    /// Those of the operating system; then what was kept before is as it was.
    pub fn keep(&self, key: &ResultKey, outcome: &CheckOutcome) -> io::Result<bool> {
        let Some(kept) = KeptResult::of(key, outcome) else {
            return Ok(false);
        };
        let text = serde_json::to_string(&kept)?;
        if text.len() as u64 >= BYTES_MAX {
            return Ok(false);
        }
        fs::create_dir_all(&self.folder)?;
        let hash = hex(&Sha256::digest(text.as_bytes()));
        let file = format!("{SCHEMA} {hash}\n{text}");
        write_whole(&self.file(key), file.as_bytes())?;
        Ok(true)
    }

    /// Takes away the oldest results where there are very many, and what programs have left behind that were ended
    /// while they wrote. Nobody is told if that cannot be done: it is tried again.
    pub fn tidy(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        let now = SystemTime::now();
        let mut results = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let written = entry.metadata().and_then(|about| about.modified());
            let Ok(written) = written else { continue };
            if is_result(name) {
                results.push((written, entry.path()));
            } else if is_unfinished(name)
                && now.duration_since(written).is_ok_and(|age| age > ABANDONED)
            {
                let _ = fs::remove_file(entry.path());
            }
        }
        if results.len() > RESULTS_MAX {
            results.sort();
            let surplus = results.len() - RESULTS_LEFT;
            for (_, path) in results.drain(..surplus) {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Where the results are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn file(&self, key: &ResultKey) -> PathBuf {
        self.folder.join(format!("{}{ENDING}", key.0))
    }
}

/// Whether a file is named by a key.
fn is_result(name: &str) -> bool {
    let key = name.strip_suffix(ENDING);
    key.is_some_and(|key| key.len() == 64 && key.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether a file is to become one that is ([`write_whole`]).
fn is_unfinished(name: &str) -> bool {
    let inner = name.strip_prefix('.').filter(|n| n.ends_with(".new"));
    let length = 64 + ENDING.len();
    inner.is_some_and(|inner| inner.get(..length).is_some_and(is_result))
}

/// A file, if it is whole.
fn read(bytes: &[u8]) -> Result<KeptResult, String> {
    let damaged = || "it is damaged".to_owned();
    let text = std::str::from_utf8(bytes).map_err(|_| damaged())?;
    let (head, text) = text.split_once('\n').ok_or_else(damaged)?;
    let hash = head
        .strip_prefix(SCHEMA)
        .ok_or_else(|| "it is no result of this version".to_owned())?;
    if hash.trim() != hex(&Sha256::digest(text.as_bytes())) {
        return Err(damaged());
    }
    serde_json::from_str(text).map_err(|_| damaged())
}

impl KeptResult {
    /// That of an outcome which is decided, and of which nothing is missing.
    fn of(key: &ResultKey, outcome: &CheckOutcome) -> Option<Self> {
        let holds = match outcome.verdict {
            Verdict::Holds => true,
            Verdict::Fails => false,
            Verdict::Approximate(_) | Verdict::Inconclusive(_) | Verdict::Error(_) => return None,
        };
        let looked = outcome.details.as_ref().and_then(|d| d.structure_looked);
        // With more time it might have been reduced, and have found another counterexample.
        let given_up = looked.is_some_and(|looked| looked.came == StructureUse::Limited);
        let unusual = outcome.adaptive.is_some() || outcome.diagnostic.is_some();
        if outcome.stopped.is_some() || !outcome.missing.is_empty() || given_up || unusual {
            return None;
        }
        let symmetry = match &outcome.symmetry {
            Some(symmetry) => Some(KeptReduction::of(symmetry)?),
            None => None,
        };
        let instead = outcome.plan.as_ref().and_then(|p| p.instead.as_ref());
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let represented = outcome.represented.as_ref();
        Some(Self {
            key: key.0.clone(),
            checked: since.map_or(0, |since| since.as_secs()),
            holds,
            progress: outcome.progress.clone(),
            details: outcome.details.clone(),
            symmetry,
            plan: outcome.plan.clone(),
            only_for: instead.map(|_| outcome.inputs.clone()),
            counterexamples: outcome.counterexamples().cloned().collect(),
            represented: represented.map(|(s, t)| [s.to_string(), t.to_string()]),
        })
    }

    fn outcome(self, number: usize, text: String, inputs: Vec<Input>) -> Option<CheckOutcome> {
        let verdict = match self.holds {
            true => Verdict::Holds,
            false => Verdict::Fails,
        };
        let symmetry = match self.symmetry {
            Some(kept) => Some(kept.summary()?),
            None => None,
        };
        let represented = match self.represented {
            Some([states, transitions]) => Some((states.parse().ok()?, transitions.parse().ok()?)),
            None => None,
        };
        let mut details = self.details;
        if let Some(details) = &mut details {
            let strategy = symmetry.as_ref().map(|s| s.strategy.as_str());
            let kind = strategy.and_then(KeepingKind::named).unwrap_or_default();
            details.fallbacks.1 = kind.instead();
        }
        let mut found = self.counterexamples.into_iter();
        Some(CheckOutcome {
            progress: self.progress,
            symmetry,
            plan: self.plan,
            counterexample: found.next(),
            others: found.collect(),
            details,
            represented,
            inputs,
            cached: Some(self.checked),
            ..CheckOutcome::new(number, text, verdict)
        })
    }
}

impl KeptReduction {
    /// None if the strategy does not tell by its name what is said of it.
    fn of(symmetry: &SymmetrySummary) -> Option<Self> {
        let kind = KeepingKind::named(&symmetry.strategy)?;
        (kind.exact_for() == symmetry.exact_for).then(|| Self {
            types: symmetry.types.clone(),
            copies: symmetry.copies.clone(),
            generators: symmetry.structure.as_ref().map(|s| s.generators.clone()),
            group_order: symmetry.group_order.to_string(),
            strategy: symmetry.strategy.clone(),
        })
    }

    fn summary(self) -> Option<SymmetrySummary> {
        let kind = KeepingKind::named(&self.strategy)?;
        let generators = self.generators;
        Some(SymmetrySummary {
            types: self.types,
            copies: self.copies,
            structure: generators.map(|generators| StructureSummary { generators }),
            group_order: self.group_order.parse::<BigUint>().ok()?,
            strategy: self.strategy,
            exact_for: kind.exact_for(),
        })
    }
}

/// What is chosen, as far as a result may depend on it. Limits end checks, but what is decided is decided, so of
/// these only those that count are here.
fn of_options(options: &Options) -> String {
    // Field by field, so that one that is added is not forgotten here.
    let Options {
        symmetry,
        structure,
        adaptive,
        types,
        keeping,
        state_symmetry,
        sleep_sets,
        partial_order,
        shortest,
        dive_after,
        compress_after,
        look_after,
        collapse_after,
        count_full,
        merging,
        threads,
        limits,
    } = options;
    let Limits {
        states_max: _,
        violations_max,
        memory_max: _,
        resident_max: _,
        deadline: _,
        elements_max,
        calls_max,
        depth_max,
        values_max: _,
        local_states_max,
    } = limits;
    let keeping = keeping.name();
    let counted = (
        violations_max,
        elements_max,
        calls_max,
        depth_max,
        local_states_max,
    );
    let how = (symmetry, structure, adaptive, types, keeping);
    let steps = (
        partial_order,
        shortest,
        dive_after,
        compress_after,
        look_after,
    );
    let more = (
        state_symmetry,
        sleep_sets,
        steps,
        collapse_after,
        count_full,
        merging,
        threads,
    );
    format!("{how:?} {more:?} {counted:?}")
}

/// The program that runs: another build may come to another result.
fn hash_of_program() -> io::Result<StrongHash> {
    // The file that was started, even if there is another one in its place by now.
    let started = Path::new("/proc/self/exe");
    let mut file = match File::open(started) {
        Ok(file) => file,
        Err(_) => File::open(std::env::current_exe()?)?,
    };
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; 1 << 20];
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(hasher.finalize().into()),
            n => hasher.update(&chunk[..n]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
