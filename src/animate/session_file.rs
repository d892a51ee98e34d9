//! Walks in files: a session with all branches, marks, the present entry and the settings of the view, in RON. They
//! are written whole or not at all, and believed only after they were replayed.
//!
//! Counterexamples have files of their own (`report::saved`): those are written by checks, without an animator, are
//! held to an assertion, and have every step of every component, so that a run is recognised and explained without
//! the network that a person had open. A walk belongs to no assertion, has branches, and is meant to be read and
//! changed by people.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ron::extensions::Extensions;
use serde::{Deserialize, Serialize};

use super::model::{EventKind, Input};
use super::recorded::{RecordedEntry, RecordedStep, RecordedWalk};
use crate::source::models;
use crate::source::read::{Source, Unread, bounded};
use crate::source::{Cancel, visible_line};

/// The version of the format.
const VERSION: u32 = 1;
/// Largest size of a session file.
const BYTES_MAX: u64 = 32 << 20;
/// Largest number of steps, more than a person takes.
const ENTRIES_MAX: usize = 100_000;

/// A file of a walk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Session", deny_unknown_fields)]
pub struct SessionFile {
    /// The format, [`VERSION`].
    version: u32,
    /// Version of the program that wrote it.
    #[serde(default)]
    tool: String,
    /// The script as it was.
    pub script: SessionScript,
    /// The process that the walk begins with.
    pub process: String,
    /// The main branch: its steps, each after the one before.
    #[serde(default)]
    trace: Vec<SessionStep>,
    /// The other branches, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    branches: Vec<SessionBranch>,
    /// The entry where the person was: 0 is the beginning, and every step and every process that was opened
    /// counts one more.
    #[serde(default)]
    here: usize,
    /// The marks: letters of entries.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    marks: BTreeMap<String, usize>,
    /// The targets of redo, where it does not lead to the step that was taken last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    redo: Vec<(usize, usize)>,
    /// The settings of the view.
    #[serde(default)]
    pub view: SessionView,
}

/// A script, by its name and its contents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Script", deny_unknown_fields)]
pub struct SessionScript {
    /// From the folder of the session, or from the root.
    pub path: String,
    /// The digest of its text.
    #[serde(default)]
    pub sha256: String,
    /// The files that it includes, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub includes: Vec<SessionInclude>,
}

/// A file that the script includes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Include", deny_unknown_fields)]
pub struct SessionInclude {
    /// The path, as the script gives it.
    pub path: String,
    /// The digest of its text.
    pub sha256: String,
}

/// A step in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Step", deny_unknown_fields)]
struct SessionStep {
    /// The event, or the one that was hidden.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    ev: String,
    /// Whether the step is silent.
    #[serde(default, skip_serializing_if = "is_false")]
    hidden: bool,
    /// The components that moved, where there is no event.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    moves: String,
    /// The number of the state among those that the event leads to, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    choice: Option<usize>,
    /// The fingerprint of the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// The permutation, if the entry is a renaming of values and no step.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    renamed: String,
    /// Whether the step is termination.
    #[serde(default, skip_serializing_if = "is_false")]
    tick: bool,
}

fn is_false(what: &bool) -> bool {
    !what
}

/// Steps that go on from an entry, or from the beginning of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Branch", deny_unknown_fields)]
struct SessionBranch {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    process: Option<String>,
    #[serde(default)]
    trace: Vec<SessionStep>,
}

/// The settings of the view; names are those that the screen gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "View", default, deny_unknown_fields)]
pub struct SessionView {
    /// The name of the view.
    pub view: String,
    /// The form of the state: both, raw, rep or counted.
    pub state: String,
    /// Whether transitions are grouped up to symmetry.
    pub grouped: bool,
    /// The filter of transitions.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub filter: String,
    /// Whether types are ordered with identities first.
    #[serde(skip_serializing_if = "is_false")]
    pub identities_first: bool,
}

impl Default for SessionView {
    fn default() -> Self {
        Self {
            view: "animate".to_owned(),
            state: "both".to_owned(),
            grouped: true,
            filter: String::new(),
            identities_first: false,
        }
    }
}

impl SessionStep {
    fn of(step: &RecordedStep) -> Self {
        Self {
            ev: step.event.clone(),
            hidden: step.kind == EventKind::Tau,
            moves: step.movers.clone(),
            choice: step.choice,
            state: step.state.clone(),
            tick: step.kind == EventKind::Tick,
            renamed: String::new(),
        }
    }

    fn recorded(self) -> RecordedStep {
        RecordedStep {
            kind: match (self.tick, self.hidden) {
                (true, _) => EventKind::Tick,
                (false, true) => EventKind::Tau,
                (false, false) => EventKind::Visible,
            },
            event: self.ev,
            movers: self.moves,
            choice: self.choice,
            state: self.state,
        }
    }
}

/// The part of a hash after its algorithm.
fn hex(hash: &str) -> String {
    hash.strip_prefix("sha256:").unwrap_or(hash).to_owned()
}

/// Adds steps, one after the other, from an entry.
fn add(entries: &mut Vec<RecordedEntry>, mut from: usize, trace: &[SessionStep]) {
    for step in trace {
        entries.push(if step.renamed.is_empty() {
            RecordedEntry::Step {
                from,
                step: step.clone().recorded(),
            }
        } else {
            RecordedEntry::Renamed {
                from,
                cycles: step.renamed.clone(),
            }
        });
        from = entries.len() - 1;
    }
}

impl SessionFile {
    /// Makes a file of a walk and the settings of the view, for a script with these files.
    #[must_use]
    pub fn new(inputs: &[Input], walk: &RecordedWalk, view: SessionView) -> Self {
        let include = |input: &Input| SessionInclude {
            path: input.path.clone(),
            sha256: hex(&input.hash),
        };
        let main = inputs.first();
        let mut branches: Vec<SessionBranch> = Vec::new();
        for (n, entry) in walk.entries.iter().enumerate() {
            match entry {
                RecordedEntry::Opened(process) => branches.push(SessionBranch {
                    process: Some(process.clone()),
                    ..SessionBranch::default()
                }),
                RecordedEntry::Step { from, .. } | RecordedEntry::Renamed { from, .. } => {
                    if *from + 1 != n || branches.is_empty() {
                        branches.push(SessionBranch {
                            from: Some(*from),
                            ..SessionBranch::default()
                        });
                    }
                    if let Some(branch) = branches.last_mut() {
                        branch.trace.push(match entry {
                            RecordedEntry::Step { step, .. } => SessionStep::of(step),
                            RecordedEntry::Renamed { cycles, .. } => SessionStep {
                                renamed: cycles.clone(),
                                ..SessionStep::default()
                            },
                            RecordedEntry::Opened(_) => SessionStep::default(),
                        });
                    }
                }
            }
        }
        let first = if branches.is_empty() {
            SessionBranch::default()
        } else {
            branches.remove(0)
        };
        let marks = walk.marks.iter();
        Self {
            version: VERSION,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            script: SessionScript {
                path: main.map(|m| m.path.clone()).unwrap_or_default(),
                sha256: main.map(|m| hex(&m.hash)).unwrap_or_default(),
                includes: inputs.iter().skip(1).map(include).collect(),
            },
            process: first.process.unwrap_or_default(),
            trace: first.trace,
            branches,
            here: walk.here,
            marks: marks.map(|(c, n)| (c.to_string(), *n)).collect(),
            redo: walk.redo.clone(),
            view,
        }
    }

    /// The walk in it.
    ///
    /// # Errors
    /// Parts of the file contradict each other.
    pub fn walk(&self) -> Result<RecordedWalk, String> {
        let mut entries = vec![RecordedEntry::Opened(self.process.clone())];
        add(&mut entries, 0, &self.trace);
        for (n, branch) in self.branches.iter().enumerate() {
            let n = n + 1;
            let from = match (branch.from, &branch.process) {
                (Some(from), None) if from < entries.len() => from,
                (Some(from), None) => {
                    return Err(format!(
                        "branch {n} goes on from entry {from}, but there are only {} before it",
                        entries.len()
                    ));
                }
                (None, Some(process)) => {
                    entries.push(RecordedEntry::Opened(process.clone()));
                    entries.len() - 1
                }
                _ => return Err(format!("branch {n} needs one of `from` and `process`")),
            };
            add(&mut entries, from, &branch.trace);
        }
        let count = entries.len();
        let there = |what: &str, n: usize| {
            if n < count {
                Ok(n)
            } else {
                Err(format!(
                    "{what} is entry {n}, but the last one is {}",
                    count - 1
                ))
            }
        };
        let mut marks = Vec::new();
        for (letter, n) in &self.marks {
            let mut chars = letter.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) if c.is_alphanumeric() => {
                    marks.push((c, there(&format!("mark {c}"), *n)?));
                }
                _ => return Err(format!("mark {letter:?} is no letter")),
            }
        }
        for (from, to) in &self.redo {
            there("the beginning of a redo", *from)?;
            there("the end of a redo", *to)?;
        }
        Ok(RecordedWalk {
            here: there("`here`", self.here)?,
            entries,
            marks,
            redo: self.redo.clone(),
        })
    }

    /// The text of the file.
    ///
    /// # Errors
    /// Why it cannot be written down.
    pub fn text(&self) -> Result<String, String> {
        let pretty = ron::ser::PrettyConfig::new()
            .struct_names(false)
            // A step is a line.
            .depth_limit(2)
            .new_line("\n")
            .indentor("  ");
        let text = options().to_string_pretty(self, pretty);
        let text = text.map_err(|error| error.to_string())?;
        Ok(format!("Session{text}\n"))
    }

    /// Reads and checks a session file.
    ///
    /// # Errors
    /// The error, with line and column where there are any.
    pub fn read(path: &Path, cancel: &Cancel) -> Result<Self, String> {
        let name = visible_line(&path.display().to_string()).into_owned();
        let cannot = |why: &str| Err(format!("{name} cannot be read: {why}"));
        let bytes = match bounded(Source::Regular(path), BYTES_MAX, cancel, None) {
            Ok(bytes) => bytes,
            Err(Unread::TooLong) => return cannot("it has more than 32 MiB"),
            Err(Unread::Irregular) => return cannot("it is no regular file"),
            Err(Unread::Failed(error)) => return cannot(&error.to_string()),
            Err(Unread::Stopped(_)) => return cannot("it was cancelled"),
        };
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let start = &error.as_bytes()[..valid];
                let line = 1 + start.iter().filter(|b| **b == b'\n').count();
                let column = 1 + start.iter().rev().take_while(|b| **b != b'\n').count();
                return Err(format!(
                    "{name}:{line}:{column}: not a session: it is no text"
                ));
            }
        };
        Self::parse(&name, &text)
    }

    /// Reads a text, which is called so.
    ///
    /// # Errors
    /// The errors of [`SessionFile::read`].
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        /// The part of the file that is read first: another version may have other fields.
        #[derive(Deserialize)]
        #[serde(rename = "Session")]
        struct Head {
            version: u32,
        }
        let wrong = |error: ron::error::SpannedError| {
            let at = error.span.start;
            let why = visible_line(&error.code.to_string()).into_owned();
            let (line, column) = (at.line, at.col);
            format!("{name}:{line}:{column}: not a session that can be read: {why}")
        };
        let head: Head = options().from_str(text).map_err(wrong)?;
        if head.version != VERSION {
            return Err(format!(
                "{name}: it is in version {} of the format, and this program reads version {VERSION}",
                head.version
            ));
        }
        let file: Self = options().from_str(text).map_err(wrong)?;
        let traces = file.branches.iter().map(|branch| 1 + branch.trace.len());
        let count = 1 + file.trace.len() + traces.sum::<usize>();
        if count > ENTRIES_MAX {
            return Err(format!(
                "{name}: the walk has {count} steps, and at most {ENTRIES_MAX} are followed"
            ));
        }
        let fits = file.walk();
        fits.map_err(|why| format!("{name}: not a session that can be read: {why}"))?;
        Ok(file)
    }

    /// Reads a file, and finds the script that it names.
    ///
    /// # Errors
    /// The file is invalid, or its script does not exist.
    pub fn with_script(path: &Path, cancel: &Cancel) -> Result<(Self, PathBuf), String> {
        let session = Self::read(path, cancel)?;
        let script = session.script_path(path);
        if models::readable(&script).is_err() {
            let name = visible_line(&path.display().to_string()).into_owned();
            let script = visible_line(&script.display().to_string()).into_owned();
            return Err(format!(
                "{name}: its script {script} is not there; `orbitscope FILE --session {name}` says where it is"
            ));
        }
        Ok((session, script))
    }

    /// The path of its script, for a session that was read from this file.
    #[must_use]
    pub fn script_path(&self, session: &Path) -> PathBuf {
        let path = Path::new(&self.script.path);
        let in_folder = session.parent().map(|folder| folder.join(path));
        in_folder
            .filter(|in_folder| in_folder.exists())
            .unwrap_or_else(|| path.to_path_buf())
    }

    /// The files of the script that have changed.
    #[must_use]
    pub fn changed(&self, now: &[Input]) -> Vec<String> {
        let mut changed = Vec::new();
        if let Some(main) = now.first()
            && hex(&main.hash) != self.script.sha256
        {
            changed.push(main.path.clone());
        }
        let then: Vec<&str> = self.script.includes.iter().map(|i| &*i.sha256).collect();
        let other = |input: &&Input| !then.contains(&&*hex(&input.hash));
        changed.extend(now.iter().skip(1).filter(other).map(|i| i.path.clone()));
        changed
    }
}

fn options() -> ron::Options {
    ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME)
}

/// Whether a file name is that of a session.
#[must_use]
pub fn is_session(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "ron")
}

/// A name for the session of a script in the present folder that no file has yet: `stack.session.ron`,
/// `stack-2.session.ron` and so on.
#[must_use]
pub fn unused_session(script: &str) -> PathBuf {
    let stem = Path::new(script).file_stem();
    let stem = stem.map_or_else(|| "script".into(), |s| s.to_string_lossy());
    let mut path = PathBuf::from(format!("{stem}.session.ron"));
    let mut number = 2u32;
    while path.symlink_metadata().is_ok() && number < u32::MAX {
        path = PathBuf::from(format!("{stem}-{number}.session.ron"));
        number += 1;
    }
    path
}

/// The name of a script in a session file: relative to its folder if the script is below that, else absolute.
#[must_use]
pub fn named_from(session: &Path, script: &Path) -> String {
    let folder = match session.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let (Ok(folder), Ok(whole)) = (folder.canonicalize(), script.canonicalize()) else {
        return script.display().to_string();
    };
    match whole.strip_prefix(&folder) {
        Ok(below) => below.display().to_string(),
        Err(_) => whole.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk() -> RecordedWalk {
        let step = |from: usize, event: &str| RecordedEntry::Step {
            from,
            step: RecordedStep {
                kind: match event {
                    "" => EventKind::Tau,
                    "✓" => EventKind::Tick,
                    _ => EventKind::Visible,
                },
                event: event.to_owned(),
                movers: if event.is_empty() {
                    "P -> Q\u{1b}[m"
                } else {
                    ""
                }
                .to_owned(),
                choice: (event == "b").then_some(2),
                state: Some("00ff".to_owned()),
            },
        };
        RecordedWalk {
            entries: vec![
                RecordedEntry::Opened("P \"x\"".to_owned()),
                step(0, "a"),
                step(1, ""),
                step(0, "b"),
                RecordedEntry::Opened("Q".to_owned()),
                step(4, "✓"),
                step(3, "c"),
            ],
            marks: vec![('a', 2), ('z', 6)],
            here: 5,
            redo: vec![(0, 1)],
        }
    }

    fn file() -> SessionFile {
        let input = |path: &str, hash: &str| Input {
            path: path.to_owned(),
            hash: format!("sha256:{hash}"),
        };
        let inputs = [input("x.csp", "12"), input("y.csp", "34")];
        SessionFile::new(&inputs, &walk(), SessionView::default())
    }

    #[test]
    fn what_is_written_is_read() {
        let text = file().text().unwrap();
        let read = SessionFile::parse("x", &text).unwrap();
        assert_eq!(read, file(), "{text}");
        assert_eq!(read.walk().unwrap(), walk());
        assert!(text.starts_with("Session("), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        assert!(read.changed(&[]).is_empty());
    }

    #[test]
    fn what_is_no_session_is_refused_with_its_place() {
        let whole = file().text().unwrap();
        let end = whole.find("moves").unwrap();
        for (text, said) in [
            ("", ":1:1:"),
            ("P = a -> P\n", ":1:"),
            ("Config(mouse: true)", ":1:"),
            (&whole[..end], ":1"),
            ("Session(version: 7, more: [1, (2)])", "version 7"),
            (&"(".repeat(1_000_000), ":1:"),
            (&"[".repeat(1_000_000), ":1:"),
            (
                &format!("Session(version: 1, x: {}", "[".repeat(100_000)),
                ":1:",
            ),
            (&whole.replace("here: 5", "here: 50"), "entry 50"),
            (&whole.replace("from: 3", "from: 300"), "entry 300"),
            (&whole.replace("\"a\": 2", "\"ab\": 2"), "no letter"),
            (&whole.replace("here: 5", "hear: 5"), "hear"),
        ] {
            let error = SessionFile::parse("f.ron", text).unwrap_err();
            assert!(error.starts_with("f.ron:"), "{error}");
            assert!(error.contains(said), "{error}");
            assert!(error.len() < 400, "{error}");
            assert!(!error.chars().any(char::is_control), "{error}");
        }
    }

    #[test]
    fn a_million_steps_are_too_many() {
        let steps = "(ev:\"a\"),".repeat(1_000_000);
        let text = format!("Session(version:1,script:(path:\"x\"),process:\"P\",trace:[{steps}])");
        let error = SessionFile::parse("f.ron", &text).unwrap_err();
        assert!(error.contains("1000001 steps"), "{error}");
    }
}
