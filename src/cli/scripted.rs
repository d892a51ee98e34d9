//! `orbitscope open FILE --script S`: lines of commands instead of a terminal.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use super::args::OpenArgs;
use super::output::Output;
use super::signals::Signals;
use super::{LATE, SCRIPT, USAGE, complain, complain_in_lines};
use crate::source::read::{Source, Unread, bounded};
use crate::source::write::write_whole;
use crate::source::{Cancel, visible_line};
use crate::tui::app::{App, Load};
use crate::tui::headless::{Halt, Headless};
use crate::tui::language::{
    CommandLine, Instruction, PICTURE, cells, parse, parse_size, screen_text,
};
use crate::tui::pictures::{Recording, svg};
use crate::tui::{ScreenOptions, ScriptOptions};

/// Exit code where something is not as a line expects it.
const DIFFERS: u8 = 1;
/// Default time limit of a line.
const PATIENCE: Duration = Duration::from_secs(300);
/// The longest script, in bytes.
const LENGTH_MAX: u64 = 1 << 20;

/// A script that was read.
struct Lines {
    /// The name that the user gave.
    name: String,
    /// The lines that are not empty: number, text, and parsed command.
    lines: Vec<(usize, String, CommandLine)>,
}

/// Runs a script. Returns the exit code.
pub fn run(args: &OpenArgs, script: &Path, opened: ScriptOptions, options: &ScreenOptions) -> u8 {
    let size = match args.size.as_deref().map_or(Ok((120, 36)), parse_size) {
        Ok(size) => size,
        Err(why) => {
            complain(&why);
            return USAGE;
        }
    };
    let interrupt = Cancel::default();
    let signals = Signals::cancelling(&interrupt);
    let lines = match read(script, &interrupt) {
        Ok(lines) => lines,
        Err(why) => {
            complain_in_lines(&why);
            return signals.code().unwrap_or(USAGE);
        }
    };
    let patience = args.timeout.unwrap_or(PATIENCE);
    let screen = match Headless::start(opened, options, size, patience, &interrupt) {
        Ok(screen) => screen.writing(args.allow_writes),
        Err(error) => {
            complain(&format!("the script cannot be run: {error}"));
            return USAGE;
        }
    };
    let mut play = Play {
        screen,
        lines: &lines,
        frames: args.frames.as_deref(),
        output: Output::default(),
        recording: args.record.as_ref().map(|_| Recording::default()),
    };
    let code = play.all();
    let code = signals.code().unwrap_or(code);
    // Also after a failure: it shows how far the script came.
    let code = play
        .save(args)
        .map_or_else(|failed| code.max(failed), |()| code);
    play.output.code(code)
}

/// Parses a script: every error of it is reported before anything is run.
fn read(script: &Path, cancel: &Cancel) -> Result<Lines, String> {
    let name = if script == Path::new("-") {
        "standard input".to_owned()
    } else {
        visible_line(&script.display().to_string()).into_owned()
    };
    let text = text_of(script, cancel).map_err(|why| format!("{name} cannot be read: {why}"))?;
    let (mut lines, mut wrong) = (Vec::new(), Vec::new());
    for (n, line) in text.lines().enumerate() {
        match parse(line) {
            Ok(read) if read.instruction == Instruction::Nothing => {}
            Ok(read) => lines.push((n + 1, line.to_owned(), read)),
            Err(mistake) => {
                let columns = mistake.columns;
                let place = format!("{name}:{}:{}", n + 1, columns.start + 1);
                wrong.push(marked(&place, &mistake.message, line, columns));
            }
        }
    }
    if wrong.is_empty() {
        Ok(Lines { name, lines })
    } else {
        Err(wrong.join("\n"))
    }
}

fn text_of(script: &Path, cancel: &Cancel) -> Result<String, String> {
    let source = if script == Path::new("-") {
        Source::Stdin
    } else {
        Source::File(script)
    };
    let bytes = bounded(source, LENGTH_MAX, cancel, None).map_err(|why| match why {
        Unread::Failed(error) => error.to_string(),
        Unread::TooLong => format!("it has more than {LENGTH_MAX} bytes"),
        Unread::Irregular | Unread::Stopped(_) => "it was not read to its end".to_owned(),
    })?;
    String::from_utf8(bytes).map_err(|_| "it is no text".to_owned())
}

/// A message with the line that it is about, and a mark below the columns.
fn marked(place: &str, message: &str, line: &str, columns: std::ops::Range<usize>) -> String {
    let line = visible_line(line);
    let marks = "^".repeat(columns.len().max(1));
    format!(
        "{place}: {message}\n  {line}\n  {}{marks}",
        " ".repeat(columns.start)
    )
}

/// A script that runs.
struct Play<'a> {
    screen: Headless,
    lines: &'a Lines,
    frames: Option<&'a Path>,
    output: Output,
    recording: Option<Recording>,
}

impl Play<'_> {
    /// Runs all lines. Returns the exit code.
    fn all(&mut self) -> u8 {
        let loaded = self.screen.settle(&mut seen(&mut self.recording));
        if let Load::Failed(failures) = &self.screen.app.load {
            let details: Vec<_> = failures.iter().map(|f| f.detail.trim_end()).collect();
            complain_in_lines(&details.join("\n\n"));
            return SCRIPT;
        }
        if let Err(halt) = loaded {
            return self.stopped(&halt, "", None);
        }
        for (number, text, line) in &self.lines.lines {
            let place = format!("{}:{number}", self.lines.name);
            let done = self.screen.line(line, &mut seen(&mut self.recording));
            if let Err(halt) = done {
                return self.stopped(&halt, &place, Some((text, line)));
            }
            if let Instruction::Frame(name) = &line.instruction
                && let Err(code) = self.frame(name.as_deref())
            {
                return code;
            }
            if self.output.is_broken() {
                break;
            }
        }
        0
    }

    /// Reports why a line did not end. Returns the exit code.
    fn stopped(&mut self, halt: &Halt, place: &str, line: Option<(&String, &CommandLine)>) -> u8 {
        let expects = |(_, line): (&String, &CommandLine)| {
            let expects = |i: &Instruction| {
                matches!(
                    i,
                    Instruction::Expect { .. } | Instruction::ExpectSameRepresentative
                )
            };
            expects(&line.instruction)
        };
        let (why, code) = match halt {
            Halt::Refused(why) if line.is_some_and(expects) => (why.clone(), DIFFERS),
            Halt::Refused(why) => (why.clone(), USAGE),
            Halt::Late => ("this took longer than --timeout allows".to_owned(), LATE),
            // The exit code is that of the signal, which says it all.
            Halt::Interrupted => return USAGE,
        };
        let message = match line {
            Some((text, _)) => {
                let start = text.chars().take_while(|c| c.is_whitespace()).count();
                let end = text.trim_end().chars().count();
                marked(&format!("{place}:{}", start + 1), &why, text, start..end)
            }
            None => why,
        };
        complain_in_lines(&message);
        if code == DIFFERS {
            let mut shown = String::from("The screen is:\n");
            shown += &screen_text(&self.screen.app);
            self.output.write(&shown);
        }
        code
    }

    /// Shows a frame, or saves it.
    fn frame(&mut self, name: Option<&str>) -> Result<(), u8> {
        let text = screen_text(&self.screen.app);
        match (name, self.frames) {
            (Some(name), Some(folder)) => {
                if name.ends_with(PICTURE) {
                    let title = format!("Orbitscope: {}", self.screen.app.view.name());
                    let picture = svg(&cells(&self.screen.app), &title);
                    return write(&folder.join(name), picture.as_bytes());
                }
                let path = folder.join(format!("{name}.txt"));
                write(&path, text.as_bytes())
            }
            (name, _) => {
                let mut shown = String::new();
                if let Some(name) = name {
                    let _ = writeln!(shown, "--- {name}");
                }
                shown += &text;
                self.output.write(&shown);
                Ok(())
            }
        }
    }

    /// Writes the other requested files.
    fn save(&mut self, args: &OpenArgs) -> Result<(), u8> {
        if args.dump {
            let text = screen_text(&self.screen.app);
            self.output.write(&text);
        }
        let title = args.title.clone().unwrap_or_else(|| {
            let name = args.file.as_ref().and_then(|file| file.file_name());
            let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            format!("Orbitscope animating {name}")
        });
        if let Some(path) = &args.svg {
            let picture = svg(&cells(&self.screen.app), &title);
            write(path, picture.as_bytes())?;
        }
        if let (Some(path), Some(recording)) = (&args.record, &self.recording) {
            write(path, recording.text(&title).as_bytes())?;
        }
        Ok(())
    }
}

/// Adds frames to the recording, if there is one.
fn seen(recording: &mut Option<Recording>) -> impl FnMut(&App, u64) {
    move |app, milliseconds| {
        if let Some(recording) = recording {
            recording.frame(cells(app), milliseconds);
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), u8> {
    write_whole(path, bytes).map_err(|error| {
        let name = path.display().to_string();
        complain(&format!(
            "{} cannot be written: {error}",
            visible_line(&name)
        ));
        USAGE
    })
}
