//! Counterexamples in files: written whole or not at all, and believed only after they were followed on
//! the unreduced system again.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::counterexamples::describe;
use super::follow::{does_not_replay, follow};
use super::inputs::{Input, inputs};
use super::outcome::{CheckOutcome, Counterexample};
use super::words::stop_text;
use crate::check::{Check, Options};
use crate::script::load::Loaded;
use crate::source::diagnostic::Result;
use crate::source::hash::IndexSet;
use crate::source::read::{Source, Unread, bounded, open};
use crate::source::{Cancel, Diagnostic, Kind};

/// The schema of the files; the number is that of the format.
pub const SCHEMA: &str = "orbitscope.counterexamples/2";
/// The schema of older files, in which every text stands in its place.
const SCHEMA_OF_OLD: &str = "orbitscope.counterexamples/1";

/// A file of counterexamples.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct File")]
pub struct SavedFile {
    /// The schema, [`SCHEMA`].
    pub schema: String,
    /// Version of the program that wrote it.
    pub version: String,
    /// The script, and the files that it includes.
    pub script: Vec<Input>,
    /// The counterexamples of the file.
    pub counterexamples: Vec<SavedCounterexample>,
}

/// A counterexample of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct Entry")]
pub struct SavedCounterexample {
    /// Number of the assertion, from 1.
    pub assertion: usize,
    /// The assertion as written.
    pub text: String,
    /// The counterexample itself.
    pub counterexample: Counterexample,
}

/// A counterexample that was followed to its end.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Number of the assertion in the script as it is now.
    pub assertion: usize,
    /// In words of the script as it is now.
    pub counterexample: Counterexample,
    /// Files of the script that have changed since it was saved; it fails all the same.
    pub changed: Vec<String>,
}

/// Writes the counterexamples of some outcomes, by [`crate::source::write::write_whole`] or
/// [`crate::source::write::write_own`]. Returns their number. Without any, nothing is written.
///
/// # Errors
/// Errors of the operating system; then there is no new file, and an old one is unchanged.
pub fn save<'a>(
    path: &Path,
    outcomes: impl IntoIterator<Item = &'a CheckOutcome>,
    write: fn(&Path, &[u8]) -> std::io::Result<()>,
) -> std::io::Result<usize> {
    let file = SavedFile::of(outcomes);
    let count = file.counterexamples.len();
    if count > 0 {
        let mut text = serde_json::to_vec_pretty(&Written::of(&file)?)?;
        text.push(b'\n');
        write(path, &text)?;
    }
    Ok(count)
}

/// Whether a file may be replaced by counterexamples: one that does not exist, is empty, holds counterexamples
/// already, or is no regular file and so is not replaced but written to.
///
/// # Errors
/// A sentence that says why not.
pub fn may_replace(path: &Path) -> std::result::Result<(), String> {
    let name = path.display();
    let cannot = |error: std::io::Error| format!("{name} cannot be read: {error}");
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(cannot(error)),
        Ok(about) if !about.is_file() || about.len() == 0 => return Ok(()),
        Ok(_) => {}
    }
    let mut start = Vec::new();
    open(path)
        .and_then(|file| file.take(HEAD).read_to_end(&mut start))
        .map_err(cannot)?;
    // However the file is indented: blanks between its first tokens do not matter.
    start.retain(|byte| !byte.is_ascii_whitespace());
    if start.starts_with(b"{\"schema\":\"orbitscope.counterexamples/") {
        return Ok(());
    }
    Err(format!(
        "{name} exists and is no file of counterexamples: it is not replaced (--force does it all the same)"
    ))
}

/// Bytes from which on a text stands among the texts of the file.
const LONG: usize = 48;
/// The field of the object that replaces such a text: its number.
const TEXT: &str = "text";

/// The contents of a file in order: first the schema, which [`may_replace`] searches for.
#[derive(Serialize)]
struct Written<'a> {
    schema: &'a str,
    version: &'a str,
    script: &'a [Input],
    /// The long texts, each once: otherwise a component that knows its alphabet would be written out at every step.
    texts: Vec<String>,
    /// The counterexamples, with the number of a text in its place.
    counterexamples: Value,
}

impl<'a> Written<'a> {
    fn of(file: &'a SavedFile) -> serde_json::Result<Self> {
        let mut texts = IndexSet::default();
        let mut counterexamples = serde_json::to_value(&file.counterexamples)?;
        take_texts(&mut counterexamples, &mut texts);
        Ok(Self {
            schema: &file.schema,
            version: &file.version,
            script: &file.script,
            texts: texts.into_iter().collect(),
            counterexamples,
        })
    }
}

fn take_texts(value: &mut Value, texts: &mut IndexSet<String>) {
    match value {
        Value::String(text) if text.len() >= LONG => {
            let (number, _) = texts.insert_full(std::mem::take(text));
            *value = json!({ TEXT: number });
        }
        Value::Array(all) => all.iter_mut().for_each(|v| take_texts(v, texts)),
        Value::Object(all) => all.values_mut().for_each(|v| take_texts(v, texts)),
        _ => {}
    }
}

/// The texts of a file that is read.
struct TextTable {
    all: Vec<Value>,
    /// The bytes put back so far: a short file can expand to a very long one.
    bytes: usize,
}

impl TextTable {
    /// Takes them out of the file.
    fn of(file: &mut Value) -> Self {
        let texts = file.as_object_mut().and_then(|file| file.remove("texts"));
        let all = match texts {
            Some(Value::Array(all)) => all,
            _ => Vec::new(),
        };
        Self { all, bytes: 0 }
    }

    /// Puts the texts back in their places. A value without a text stays as it is, and is rejected later.
    fn put_back(&mut self, value: &mut Value) {
        match value {
            Value::Array(all) => all.iter_mut().for_each(|v| self.put_back(v)),
            Value::Object(all) => {
                // With other fields besides, it is a text of that object itself, such as that of an entry.
                let number = all.get(TEXT).filter(|_| all.len() == 1);
                let number = number.and_then(Value::as_u64).map(|n| n as usize);
                match number.and_then(|n| self.all.get(n)) {
                    // The one that goes beyond the limit is still put back: no text is longer than
                    // the file. All others stay out, and `read` refuses the file by the count.
                    Some(Value::String(text)) if self.bytes <= BYTES_MAX as usize => {
                        self.bytes += text.len();
                        *value = Value::String(text.clone());
                    }
                    Some(_) => {}
                    None => all.values_mut().for_each(|v| self.put_back(v)),
                }
            }
            _ => {}
        }
    }
}

/// A file of counterexamples may be long, but it ends.
const BYTES_MAX: u64 = 256 << 20;
/// Bytes at the beginning that identify a file.
const HEAD: u64 = 200;

/// A name in this folder for the graph of a process of a script, which no file has.
#[must_use]
pub fn unused_picture(script: &str, process: &str, full: bool, ending: &str) -> PathBuf {
    let stem = Path::new(script).file_stem();
    let stem = stem.map_or_else(|| "script".into(), |s| s.to_string_lossy());
    // Any expression can be opened; only the part that is valid in file names is used.
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let process: String = process.chars().map(word).take(40).collect();
    let kind = if full { "states" } else { "orbits" };
    let mut path = PathBuf::from(format!("{stem}-{process}-{kind}.{ending}"));
    let mut number = 2u32;
    while path.symlink_metadata().is_ok() && number < u32::MAX {
        path = PathBuf::from(format!("{stem}-{process}-{kind}-{number}.{ending}"));
        number += 1;
    }
    path
}

/// A name for the counterexample of an assertion, in the present folder, that no file has yet:
/// `stack-3.cex.json`, `stack-3-2.cex.json` and so on.
#[must_use]
pub fn unused_name(script: &str, assertion: usize) -> PathBuf {
    let stem = Path::new(script).file_stem();
    let stem = stem.map_or_else(|| "script".into(), |s| s.to_string_lossy());
    let mut path = PathBuf::from(format!("{stem}-{assertion}.cex.json"));
    let mut number = 2u32;
    while path.symlink_metadata().is_ok() && number < u32::MAX {
        path = PathBuf::from(format!("{stem}-{assertion}-{number}.cex.json"));
        number += 1;
    }
    path
}

/// Reads a file of counterexamples.
///
/// # Errors
/// The file cannot be read, is none of these, or has another version.
pub fn read(path: &Path, cancel: &Cancel) -> Result<SavedFile> {
    let name = path.display();
    let unread = |why: String| {
        let message = format!("{name} cannot be read: {why}");
        Box::new(Diagnostic::nowhere("E0810", message))
    };
    let text = match bounded(Source::File(path), BYTES_MAX, cancel, None) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| unread("it is no text".to_owned()))?,
        Err(Unread::TooLong) => {
            let megabytes = BYTES_MAX / 1024 / 1024;
            return Err(unread(format!("it has more than {megabytes} MiB")));
        }
        Err(Unread::Failed(error)) => return Err(unread(error.to_string())),
        Err(Unread::Irregular) => return Err(unread("it is no regular file".to_owned())),
        Err(Unread::Stopped(stop)) => return Err(unread(stop_text(stop).to_owned())),
    };
    let no_file = |why: String| {
        let message = format!("{name} is not a file of counterexamples");
        Box::new(Diagnostic::nowhere("E0810", message).note(why))
    };
    let mut value: Value =
        serde_json::from_str(&text).map_err(|error| no_file(error.to_string()))?;
    // Checked before the rest of the file: another version may have other fields.
    match value["schema"].as_str() {
        Some(SCHEMA) => {
            let mut texts = TextTable::of(&mut value);
            texts.put_back(&mut value["counterexamples"]);
            if texts.bytes > BYTES_MAX as usize {
                return Err(no_file("its texts would fill the memory".to_owned()));
            }
        }
        Some(SCHEMA_OF_OLD) => {}
        Some(other) if other.starts_with("orbitscope.counterexamples/") => {
            let message = format!("{name} was written by another version of the program");
            let note = format!("it is in the format `{other}`, this version reads `{SCHEMA}`");
            return Err(Box::new(
                Diagnostic::nowhere("E0811", message)
                    .note(note)
                    .note("check the assertion again and save anew"),
            ));
        }
        _ => return Err(no_file("it does not say that it is one".to_owned())),
    }
    serde_json::from_value(value).map_err(|error| no_file(error.to_string()))
}

impl SavedFile {
    /// The counterexamples of some outcomes of one script.
    #[must_use]
    pub fn of<'a>(outcomes: impl IntoIterator<Item = &'a CheckOutcome>) -> Self {
        let (mut script, mut counterexamples) = (Vec::new(), Vec::new());
        for outcome in outcomes {
            for counterexample in outcome.counterexamples() {
                script.clone_from(&outcome.inputs);
                counterexamples.push(SavedCounterexample {
                    assertion: outcome.number,
                    text: outcome.text.clone(),
                    counterexample: counterexample.clone(),
                });
            }
        }
        Self {
            schema: SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            script,
            counterexamples,
        }
    }

    /// Follows counterexample `number` (from 1) on the unreduced system.
    ///
    /// # Errors
    /// The run does not exist, or cannot be followed (any more); limits and evaluation errors.
    pub fn verify(
        &self,
        number: usize,
        loaded: &Loaded,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Verified> {
        let changed = self.changed(loaded);
        let entry = number
            .checked_sub(1)
            .and_then(|n| self.counterexamples.get(n));
        let Some(entry) = entry else {
            let count = self.counterexamples.len();
            let message = format!("there is no counterexample {number}: the file has {count}");
            return Err(Box::new(Diagnostic::nowhere("E0810", message)));
        };
        let verified = assertion_of(entry, loaded)
            .and_then(|at| Ok((at, entry.follow(at, loaded, options, cancel)?)));
        match verified {
            Ok((assertion, counterexample)) => Ok(Verified {
                assertion,
                counterexample,
                changed,
            }),
            Err(mut error) => {
                if error.kind == Kind::Differs {
                    error.notes.push(if changed.is_empty() {
                        "the script is as it was then: the file has been changed".to_owned()
                    } else {
                        format!("since it was saved, {} changed", changed.join(" and "))
                    });
                }
                Err(error)
            }
        }
    }

    /// Files of the script that are not as they were. The script itself may be elsewhere now.
    fn changed(&self, loaded: &Loaded) -> Vec<String> {
        let now = inputs(&loaded.sources);
        // The script itself comes first, under any path. Of included files only the contents are compared: they may
        // have other names now.
        let main = self.script.first().zip(now.first());
        let mut changed: Vec<String> = main
            .filter(|(then, now)| then.hash != now.hash)
            .map(|(_, now)| now.path.clone())
            .into_iter()
            .collect();
        let included =
            |all: &[Input]| -> Vec<String> { all.iter().skip(1).map(|i| i.hash.clone()).collect() };
        let (then, present) = (included(&self.script), included(&now));
        let other = |input: &&Input| !then.contains(&input.hash);
        changed.extend(now.iter().skip(1).filter(other).map(|i| i.path.clone()));
        let gone = |input: &&Input| !present.contains(&input.hash);
        for input in self.script.iter().skip(1).filter(gone) {
            if !changed.contains(&input.path) {
                changed.push(input.path.clone());
            }
        }
        changed
    }
}

/// The number of the assertion that a counterexample belongs to: assertions may have been added.
fn assertion_of(entry: &SavedCounterexample, loaded: &Loaded) -> Result<usize> {
    let assertions = &loaded.script.assertions;
    let same = |n: usize| assertions.get(n).is_some_and(|a| *a.text == *entry.text);
    // The number goes first, since several assertions may have the same text.
    let there = entry.assertion.checked_sub(1).filter(|n| same(*n));
    let found = there.or_else(|| (0..assertions.len()).find(|n| same(*n)));
    let at =
        found.ok_or_else(|| does_not_replay(format!("there is no assertion `{}`", entry.text)))?;
    match loaded.in_the_way(&assertions[at]) {
        Some(error) => Err(Box::new(error)),
        None => Ok(at + 1),
    }
}

impl SavedCounterexample {
    fn follow(
        &self,
        number: usize,
        loaded: &Loaded,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Counterexample> {
        let unreduced = Options {
            symmetry: Some(false),
            types: Vec::new(),
            ..options.clone()
        };
        let failed = match self.follow_in(number, loaded, &unreduced, cancel) {
            Err(failed) if failed.kind == Kind::Differs => failed,
            done => return done,
        };
        // A network that changes may have other components where values are permuted, although the run
        // is one of the real system.
        let reduced = Options {
            symmetry: None,
            ..options.clone()
        };
        let again = self.follow_in(number, loaded, &reduced, cancel);
        // The reason why it cannot be followed on the unreduced system is reported, since that was the question.
        again.map_err(|_| failed)
    }

    fn follow_in(
        &self,
        number: usize,
        loaded: &Loaded,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Counterexample> {
        let mut check = Check::prepare(loaded, number - 1, options, cancel)?;
        let raw = follow(&mut check, &self.counterexample)?;
        describe(&mut check, loaded, number, &raw)
    }
}
