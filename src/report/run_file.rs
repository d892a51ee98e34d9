//! Runs in files: a walk with all branches, marks, the present entry and the settings of the view, or counterexamples
//! with their assertions, in RON. They are written whole or not at all, and believed only after they were replayed.

use std::io;
use std::path::{Path, PathBuf};

use ron::extensions::Extensions;
use serde::{Deserialize, Serialize};

use super::inputs::Input;
use super::outcome::CheckOutcome;
use super::runs::RecordedRun;
use super::words::stop_text;
use crate::source::diagnostic::Result as Checked;
use crate::source::read::{Source, Unread, bounded};
use crate::source::{Cancel, Diagnostic, models, visible_line};

/// The version of the format.
const VERSION: u32 = 2;
/// Largest size of a file.
const BYTES_MAX: u64 = 256 << 20;
/// Largest number of steps, more than a person takes.
const ENTRIES_MAX: usize = 1_000_000;

/// The beginnings of files of earlier formats, without white space, and the names of these formats.
const EARLIER: [(&str, &str); 2] = [
    ("Session(", "`Session` of saved walks"),
    (
        "{\"schema\":\"orbitscope.counterexamples/",
        "`orbitscope.counterexamples` of saved counterexamples",
    ),
];

/// A file of runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Run", deny_unknown_fields)]
pub struct RunFile {
    /// The format, [`VERSION`].
    version: u32,
    /// Version of the program that wrote it.
    #[serde(default)]
    tool: String,
    /// The script as it was, and the files that it includes. Its path is from the folder of the file, or from the
    /// root.
    pub script: Vec<Input>,
    /// The runs.
    pub run: RecordedRun,
    /// The settings of the view.
    #[serde(default, skip_serializing_if = "RunView::is_default")]
    pub view: RunView,
}

/// The settings of the view; names are those that the screen gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "View", default, deny_unknown_fields)]
pub struct RunView {
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
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub identities_first: bool,
}

impl Default for RunView {
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

impl RunView {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl RunFile {
    /// Makes a file of runs of a script with these files, and of the settings of the view.
    #[must_use]
    pub fn new(inputs: &[Input], run: RecordedRun, view: RunView) -> Self {
        Self {
            version: VERSION,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            script: inputs.to_vec(),
            run,
            view,
        }
    }

    /// Makes a file of the counterexamples of some outcomes of one script.
    #[must_use]
    pub fn of<'a>(outcomes: impl IntoIterator<Item = &'a CheckOutcome>) -> Self {
        let (mut inputs, mut run) = (&[][..], RecordedRun::default());
        for outcome in outcomes {
            inputs = &outcome.inputs;
            run.add(outcome);
        }
        Self::new(inputs, run, RunView::default())
    }

    /// The text of the file.
    ///
    /// # Errors
    /// Why it cannot be written down.
    pub fn text(&self) -> Result<String, String> {
        let pretty = ron::ser::PrettyConfig::new()
            .struct_names(false)
            // A step is a line.
            .depth_limit(3)
            .new_line("\n")
            .indentor("  ");
        let text = options().to_string_pretty(self, pretty);
        let text = text.map_err(|error| error.to_string())?;
        Ok(format!("Run{text}\n"))
    }

    /// Reads and checks a file of runs.
    ///
    /// # Errors
    /// The error, with line and column where there are any.
    pub fn read(path: &Path, cancel: &Cancel) -> Checked<Self> {
        let name = visible_line(&path.display().to_string()).into_owned();
        let cannot = |why: &str| refused("E0810", format!("{name} cannot be read: {why}"));
        match bounded(Source::File(path), BYTES_MAX, cancel, None) {
            Ok(bytes) => Self::parse(&name, &bytes),
            Err(Unread::TooLong) => cannot("it has more than 256 MiB"),
            Err(Unread::Irregular) => cannot("it is no regular file"),
            Err(Unread::Failed(error)) => cannot(&error.to_string()),
            Err(Unread::Stopped(stop)) => cannot(stop_text(stop)),
        }
    }

    /// Reads a text, which is called so.
    ///
    /// # Errors
    /// The errors of [`RunFile::read`].
    pub fn parse(name: &str, text: impl AsRef<[u8]>) -> Checked<Self> {
        /// The part of the file that is read first: another version may have other fields.
        #[derive(Deserialize)]
        #[serde(rename = "Run")]
        struct Head {
            version: u32,
        }
        let other = |of: &str| {
            let message = format!(
                "{name} is of another version of the program: it is in the format {of}, and this program reads \
                 version {VERSION} of the format `Run`"
            );
            refused("E0811", message)
        };
        let text = text.as_ref();
        let start = text.iter().copied().filter(|b| !b.is_ascii_whitespace());
        let begins = |with: &str| start.clone().take(with.len()).eq(with.bytes());
        if let Some((_, of)) = EARLIER.iter().find(|(with, _)| begins(with)) {
            return other(of);
        }
        let wrong = |cause: ron::error::SpannedError| {
            let at = match cause.code {
                // What is no text is found before anything is read.
                ron::Error::Utf8Error(_) => cause.span.end,
                _ => cause.span.start,
            };
            let why = visible_line(&cause.code.to_string()).into_owned();
            let message = format!(
                "{name}:{}:{}: not a run that can be read: {why}",
                at.line, at.col
            );
            Box::new(Diagnostic::nowhere("E0810", message))
        };
        let head: Head = options().from_bytes(text).map_err(wrong)?;
        if head.version != VERSION {
            return other(&format!("`Run` in version {}", head.version));
        }
        let file: Self = options().from_bytes(text).map_err(wrong)?;
        let count = file.run.entries.len();
        if count > ENTRIES_MAX {
            let message = format!(
                "{name}: the run has {count} steps, and at most {ENTRIES_MAX} are followed"
            );
            return refused("E0810", message);
        }
        match file.run.assert_whole() {
            Ok(()) => Ok(file),
            Err(why) => refused(
                "E0810",
                format!("{name}: not a run that can be read: {why}"),
            ),
        }
    }

    /// Reads a file, and finds the script that it names.
    ///
    /// # Errors
    /// The file is invalid, or its script does not exist.
    pub fn with_script(path: &Path, cancel: &Cancel) -> Checked<(Self, PathBuf)> {
        let file = Self::read(path, cancel)?;
        let script = file.script_path(path);
        if models::readable(&script).is_err() {
            let name = visible_line(&path.display().to_string()).into_owned();
            let script = visible_line(&script.display().to_string()).into_owned();
            let message = format!(
                "{name}: its script {script} is not there; `orbitscope FILE --session {name}` says where it is"
            );
            return refused("E0810", message);
        }
        Ok((file, script))
    }

    /// The path of its script, for a file of runs that was read from this path.
    #[must_use]
    pub fn script_path(&self, file: &Path) -> PathBuf {
        let path = Path::new(self.script.first().map_or("", |main| &main.path));
        let in_folder = file.parent().map(|folder| folder.join(path));
        in_folder
            .filter(|in_folder| in_folder.exists())
            .unwrap_or_else(|| path.to_path_buf())
    }

    /// The path of the script, to be changed.
    pub fn script_name(&mut self) -> &mut String {
        // A script that could not be loaded has no text.
        if self.script.is_empty() {
            self.script.push(Input::default());
        }
        &mut self.script[0].path
    }

    /// Files of the script that are not as they were. The script itself may be elsewhere now.
    #[must_use]
    pub fn changed(&self, now: &[Input]) -> Vec<String> {
        // The script itself comes first, under any path. Of included files only the contents are compared: they may
        // have other names now.
        let main = self.script.first().zip(now.first());
        let mut changed: Vec<String> = main
            .filter(|(then, now)| !then.hash.is_empty() && then.hash != now.hash)
            .map(|(_, now)| now.path.clone())
            .into_iter()
            .collect();
        let [then, present] = [&self.script[..], now].map(|all| all.get(1..).unwrap_or_default());
        for (of, others) in [(present, then), (then, present)] {
            for input in of {
                let same = others.iter().any(|other| other.hash == input.hash);
                if !same && !changed.contains(&input.path) {
                    changed.push(input.path.clone());
                }
            }
        }
        changed
    }
}

/// Writes the counterexamples of some outcomes, by [`crate::source::write::write_whole`] or
/// [`crate::source::write::write_own`]. Returns their number. Without any, nothing is written.
///
/// # Errors
/// Errors of the operating system; then there is no new file, and an old one is unchanged.
pub fn save<'a>(
    path: &Path,
    outcomes: impl IntoIterator<Item = &'a CheckOutcome>,
    write: fn(&Path, &[u8]) -> io::Result<()>,
) -> io::Result<usize> {
    let mut file = RunFile::of(outcomes);
    let count = file.run.counterexamples.len();
    if count > 0 {
        let script = file.script_name();
        *script = named_from(path, Path::new(script.as_str()));
        write(path, file.text().map_err(io::Error::other)?.as_bytes())?;
    }
    Ok(count)
}

/// Whether a file may be replaced by counterexamples: one that does not exist, is empty, holds counterexamples
/// already, or is no regular file and so is not replaced but written to.
///
/// # Errors
/// A sentence that says why not.
pub fn may_replace(path: &Path, cancel: &Cancel) -> Result<(), String> {
    let name = path.display();
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(format!("{name} cannot be read: {error}")),
        Ok(about) if !about.is_file() || about.len() == 0 => return Ok(()),
        Ok(_) => {}
    }
    match RunFile::read(path, cancel) {
        Ok(file) if !file.run.counterexamples.is_empty() => Ok(()),
        _ => Err(format!(
            "{name} exists and is no file of counterexamples: it is not replaced (--force does it all the same)"
        )),
    }
}

fn refused<T>(code: &'static str, message: String) -> Checked<T> {
    Err(Box::new(Diagnostic::nowhere(code, message)))
}

fn options() -> ron::Options {
    let extensions = Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES;
    ron::Options::default().with_default_extension(extensions)
}

/// The end of the names of files of runs.
pub const ENDING: &str = ".run.ron";

/// Whether a file name is that of a file of runs.
#[must_use]
pub fn is_run(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "ron")
}

/// A name for a file about a script, in the present folder, that no file has yet: `stack.run.ron`, `stack-2.run.ron`
/// and so on; or with `-3` after the name of the script.
#[must_use]
pub fn unused_name(script: &str, after: &str, ending: &str) -> PathBuf {
    let stem = Path::new(script).file_stem();
    let stem = stem.map_or_else(|| "script".into(), |s| s.to_string_lossy());
    let mut path = PathBuf::from(format!("{stem}{after}{ending}"));
    let mut number = 2u32;
    while path.symlink_metadata().is_ok() && number < u32::MAX {
        path = PathBuf::from(format!("{stem}{after}-{number}{ending}"));
        number += 1;
    }
    path
}

/// The name of a script in a file of runs: relative to its folder if the script is below that, else absolute.
#[must_use]
pub fn named_from(file: &Path, script: &Path) -> String {
    let folder = match file.parent() {
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
    use crate::runs::{
        RecordedCounterexample, RecordedEnding, RecordedEntry, RecordedRenaming, RecordedStep,
        TakenStep,
    };
    use crate::words::EventKind;

    fn run() -> RecordedRun {
        let step = |from: Option<usize>, event: &str| {
            let kind = match event {
                "" => EventKind::Tau,
                "✓" => EventKind::Tick,
                _ => EventKind::Visible,
            };
            let movers = [("P".to_owned(), "Q\u{1b}[m")];
            let taken = TakenStep::new(kind, event, movers.into_iter());
            RecordedEntry::Step(RecordedStep {
                from,
                choice: (event == "b").then_some(2),
                ..RecordedStep::new(taken, Some("00ff".to_owned()))
            })
        };
        let counterexample = |end, ending| RecordedCounterexample {
            assertion: 1,
            text: "P :[deadlock free]".to_owned(),
            ending,
            end,
        };
        RecordedRun {
            entries: vec![
                RecordedEntry::Opened("P \"x\"".to_owned()),
                step(None, "a"),
                step(None, ""),
                step(Some(0), "b"),
                RecordedEntry::Opened("Q".to_owned()),
                step(None, "✓"),
                step(Some(3), "c"),
                RecordedEntry::Renamed(RecordedRenaming {
                    from: Some(3),
                    by: "(A B)".to_owned(),
                }),
            ],
            counterexamples: vec![
                counterexample(2, RecordedEnding::Deadlock),
                counterexample(6, RecordedEnding::Divergence { lap: 1, laps: 2 }),
            ],
            marks: vec![('a', 2), ('z', 6)],
            here: 5,
            redo: vec![(0, 1)],
        }
    }

    fn file() -> RunFile {
        let input = |path: &str, hash: &str| Input {
            path: path.to_owned(),
            hash: format!("sha256:{hash}"),
        };
        let inputs = [input("x.csp", "12"), input("y.csp", "34")];
        RunFile::new(&inputs, run(), RunView::default())
    }

    #[test]
    fn what_is_written_is_read() {
        let text = file().text().unwrap();
        let read = RunFile::parse("x", &text).unwrap();
        assert_eq!(read, file(), "{text}");
        assert!(text.starts_with("Run("), "{text}");
        // A step is a line.
        assert!(
            text.contains("\n      Step(event: \"a\", state: \"00ff\"),\n"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text}");
        assert!(read.changed(&file().script).is_empty());
        assert_eq!(read.changed(&[]), ["y.csp"]);
        assert_eq!(read.run.path_to(6), [0, 3, 6]);
    }

    #[test]
    fn what_is_no_run_is_refused_with_its_place() {
        let whole = file().text().unwrap();
        let end = whole.find("movers").unwrap();
        for (text, said) in [
            ("", ":1:1:"),
            ("P = a -> P\n", ":1:"),
            ("Config(mouse: true)", ":1:"),
            (&whole[..end], ":22:"),
            ("Run(version: 7, more: [1, (2)])", "version 7"),
            (" Session(version: 1, more: [1, (2)])", "`Session`"),
            (
                "{ \"schema\": \"orbitscope.counterexamples/2\" }",
                "`orbitscope.counterexamples`",
            ),
            (&"(".repeat(1_000_000), ":1:"),
            (&"[".repeat(1_000_000), ":1:"),
            (
                &format!("Run(version: 2, x: {}", "[".repeat(100_000)),
                ":1:",
            ),
            (&whole.replace("here: 5", "here: 50"), "entry 50"),
            (&whole.replace("end: 6", "end: 60"), "entry 60"),
            (&whole.replace("from: 3", "from: 300"), "entry 300"),
            (&whole.replace("Open(\"P", "Shut(\"P"), ":20:"),
            (&whole.replace("'a'", "'?'"), "no letter"),
            (&whole.replace("here: 5", "hear: 5"), "hear"),
        ] {
            let error = RunFile::parse("f.ron", text).unwrap_err().message;
            assert!(error.starts_with("f.ron"), "{error}");
            assert!(error.contains(said), "{said}: {error}");
            assert!(error.len() < 400, "{error}");
            assert!(!error.chars().any(char::is_control), "{error}");
        }
    }

    #[test]
    fn a_million_steps_are_too_many() {
        let steps = "Step(event:\"a\"),".repeat(1_000_000);
        let text = format!("Run(version:2,script:[],run:(entries:[Open(\"P\"),{steps}]))");
        let error = RunFile::parse("f.ron", &text).unwrap_err();
        assert!(error.message.contains("1000001 steps"), "{error:?}");
    }
}
