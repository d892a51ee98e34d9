//! Reading a family within limits, and what all answers about one have in common.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::args::Colour;
use crate::report::document::{Document, Tone};
use crate::report::numbers::counted;
use crate::report::pattern_words::word_json;
use crate::report::words::stop_text;
use crate::signals::Signals;
use crate::source::read::{Source, Unread, bounded};
use crate::source::write::write_whole;
use crate::source::{Budget, Diagnostic, FileId, SourceMap, Span, Stop, models};
use crate::state_args::AnswerArgs;
use crate::{FULL, LATE, USAGE, asked, check, complain, messages, stderr_colour};
use orbitscope_pattern::alphabet::Letter;
use orbitscope_pattern::automaton::Nfa;
use orbitscope_pattern::builtin::{FAMILIES, family};
use orbitscope_pattern::format::{
    FamilyError, FamilyFile, PATTERN_BYTES_MAX, read_expression, read_family, read_pattern,
};
use orbitscope_pattern::limits::LimitWatch;
use orbitscope_pattern::model::FamilyModel;

/// A family that questions are asked about.
pub struct AskedFamily {
    /// What the file says.
    pub file: FamilyFile,
    /// The family.
    pub model: FamilyModel,
    /// The limits.
    pub budget: Budget,
    /// Looks at the limits.
    pub watch: LimitWatch,
    path: PathBuf,
    sources: SourceMap,
    signals: Signals,
}

impl AskedFamily {
    /// Reads a family. Says what is wrong with it, and returns the exit code for that.
    pub fn load(path: &Path, answer: &AnswerArgs) -> Result<Self, u8> {
        let budget = Budget {
            limits: asked::limits(answer.memory, answer.timeout),
            ..Budget::default()
        };
        let mut reading = FamilyReading {
            signals: Signals::cancelling(&budget.cancel),
            watch: LimitWatch::new(&budget),
            sources: SourceMap::default(),
            budget,
        };
        let id = reading.source(path)?;
        Self::read(path, id, reading)
    }

    fn read(path: &Path, id: FileId, reading: FamilyReading) -> Result<Self, u8> {
        let text = reading.sources.file(id).text.clone();
        let found =
            read_family(id, &text, &reading.watch).map_err(|error| reading.refused(error))?;
        let model = FamilyModel::new(
            found.alphabet.clone(),
            found.steps.clone(),
            found.configurations.clone(),
            &reading.watch,
        );
        let model = model.map_err(|stop| reading.stopped(stop))?;
        Ok(Self {
            file: found,
            model,
            budget: reading.budget,
            watch: reading.watch,
            path: path.to_owned(),
            sources: reading.sources,
            signals: reading.signals,
        })
    }

    fn reading(&mut self) -> FamilyReading {
        FamilyReading {
            signals: self.signals.clone(),
            watch: LimitWatch::new(&self.budget),
            sources: std::mem::take(&mut self.sources),
            budget: self.budget.clone(),
        }
    }

    /// The relation in another file.
    pub fn pattern_of(&mut self, path: &Path) -> Result<Nfa, u8> {
        let mut reading = self.reading();
        let id = reading.source(path)?;
        let text = reading.sources.file(id).text.clone();
        let found = read_pattern(id, &text, &self.model.alphabet, &self.watch);
        let found = found.map_err(|error| reading.refused(error));
        self.sources = reading.sources;
        found
    }

    /// The language of an expression, given by this option.
    pub fn language(&mut self, option: &str, expression: &str) -> Result<Nfa, u8> {
        let mut reading = self.reading();
        let id = reading.sources.add(Path::new(option), expression);
        let found = read_expression(id, expression, &self.model.alphabet, &self.watch);
        let found = found.map_err(|error| reading.refused(error));
        self.sources = reading.sources;
        found
    }

    /// Says that a limit ended the work. Returns the exit code.
    pub fn stopped(&self, stop: Stop) -> u8 {
        stopped(stop, &self.signals)
    }

    /// The exit code of a limit.
    pub fn code(&self, stop: Stop) -> u8 {
        code(stop, &self.signals)
    }

    /// Writes a file beside the answer, unless that would overwrite the family.
    pub fn write(&self, path: &Path, text: &str) -> Result<(), u8> {
        self.may_write(path)?;
        write_whole(path, text.as_bytes()).map_err(|error| {
            let name = path.display();
            complain(&format!(
                "nothing was written: {name} cannot be written: {error}"
            ));
            USAGE
        })
    }

    /// Whether a file may be written at a place; said before long work.
    pub fn may_write(&self, path: &Path) -> Result<(), u8> {
        if check::same_file(path, &self.path) {
            let name = path.display();
            complain(&format!(
                "{name} is the family itself: nothing is written over it"
            ));
            return Err(USAGE);
        }
        Ok(())
    }

    /// Begins a document with what is known of the family.
    pub fn document(&self, command: &str) -> Result<Document, u8> {
        let mut document = Document::default();
        document.section("family").say(Tone::Strong, self.heading());
        let out = self
            .remarks(&mut document)
            .map_err(|stop| self.stopped(stop))?;
        let (model, file) = (&self.model, self.path.display().to_string());
        let actions = model.actions.iter();
        let actions =
            actions.map(|action| json!({ "name": action.name, "states": action.steps.states() }));
        let set = (!model.all_words).then(|| model.configurations.states());
        document
            .fact("schema", "orbitscope.pattern/1")
            .fact("tool", crate::json::tool())
            .fact("command", command)
            .fact("file", file)
            .fact("letters", model.alphabet.names().to_vec())
            .fact("configurations", set)
            .fact("actions", actions.collect::<Vec<_>>())
            .fact("step_out", out);
        Ok(document)
    }

    /// The family in a line.
    fn heading(&self) -> String {
        let model = &self.model;
        let configurations = match model.all_words {
            true => "every word".to_owned(),
            false => counted(model.configurations.states() as u64, "state"),
        };
        let steps = model.actions.iter().map(|action| {
            let name = match &*action.name {
                "" => "all",
                name => name,
            };
            format!(
                "{name} ({})",
                counted(action.steps.states() as u64, "state")
            )
        });
        let steps: Vec<String> = steps.collect();
        format!(
            "{}: letters {}; configurations: {configurations}; steps: {}",
            self.path.display(),
            model.alphabet.names().join(" "),
            steps.join(", ")
        )
    }

    /// Says what is seldom meant: steps that do not count, and that there are none. Returns a step that does not.
    fn remarks(&self, document: &mut Document) -> Result<Value, Stop> {
        let model = &self.model;
        for action in &model.actions {
            if model.steps_inside(action, &self.watch)?.is_empty() {
                let of = match &*action.name {
                    "" => String::new(),
                    name => format!(" of {name}"),
                };
                let said = format!("no step{of} leads from a configuration to one");
                document.say(Tone::Open, said);
            }
        }
        let Some((from, to)) = model.step_out(&self.watch)? else {
            return Ok(Value::Null);
        };
        let word = |word: &[Letter]| model.alphabet.word(word);
        let said = format!(
            "the step {} → {} leaves the configurations: such steps do not count",
            word(&from),
            word(&to)
        );
        document.say(Tone::Open, said);
        let json = |word: &[Letter]| word_json(word, &model.alphabet);
        Ok(json!([json(&from), json(&to)]))
    }
}

/// What texts are read with.
struct FamilyReading {
    signals: Signals,
    watch: LimitWatch,
    sources: SourceMap,
    budget: Budget,
}

impl FamilyReading {
    /// Reads a file, standard input or a family that comes along.
    fn source(&mut self, path: &Path) -> Result<FileId, u8> {
        if let Some(name) = models::named(path) {
            return match family(name) {
                Some(known) => Ok(self.sources.add(path, known.text)),
                None => {
                    let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
                    complain(&format!(
                        "there is no family {name}: there are {}",
                        names.join(", ")
                    ));
                    Err(USAGE)
                }
            };
        }
        let from = match path == Path::new("-") {
            true => Source::Stdin,
            false => Source::File(path),
        };
        let deadline = self.budget.limits.deadline;
        let read = bounded(from, PATTERN_BYTES_MAX, &self.budget.cancel, deadline);
        let name = path.display();
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(Unread::Stopped(stop)) => return Err(self.stopped(stop)),
            Err(Unread::Failed(error)) => {
                complain(&format!("cannot read {name}: {error}"));
                return Err(USAGE);
            }
            Err(Unread::Irregular) => {
                complain(&format!("cannot read {name}: it is no file"));
                return Err(USAGE);
            }
            Err(Unread::TooLong) => {
                let most = PATTERN_BYTES_MAX >> 20;
                complain(&format!(
                    "{name} is too large: a family may have {most} MiB"
                ));
                return Err(USAGE);
            }
        };
        match String::from_utf8(bytes) {
            Ok(text) => Ok(self.sources.add(path, text)),
            Err(error) => {
                let at = error.utf8_error().valid_up_to() as u32;
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let file = self.sources.add(path, text);
                let place = Span {
                    file,
                    start: at,
                    end: at,
                };
                let diagnostic = Diagnostic::error("E0901", place, "this is no text in UTF-8");
                Err(self.refused(FamilyError::Wrong(vec![diagnostic])))
            }
        }
    }

    fn refused(&self, error: FamilyError) -> u8 {
        match error {
            FamilyError::Stopped(stop) => self.stopped(stop),
            FamilyError::Wrong(list) => {
                let colour = stderr_colour(Colour::Auto);
                messages::diagnostics(&list, &self.sources, colour);
                messages::hint(&list);
                messages::exit_code(&list)
            }
        }
    }

    fn stopped(&self, stop: Stop) -> u8 {
        stopped(stop, &self.signals)
    }
}

fn stopped(stop: Stop, signals: &Signals) -> u8 {
    complain(stop_text(stop));
    code(stop, signals)
}

fn code(stop: Stop, signals: &Signals) -> u8 {
    let of_limit = match stop {
        Stop::Memory => FULL,
        Stop::Time | Stop::States | Stop::Disk | Stop::Process(_) | Stop::Cancelled => LATE,
    };
    signals.code().unwrap_or(of_limit)
}
