//! Parsing of a configuration file: every error with its line and column, and the valid rest.

use super::args::Colour;
use super::config_values::Config;
use crate::source::{alternatives, nearest, visible_line};
use crate::tui::bindings::Bindings;
use crate::tui::command::Command;
use crate::tui::keys;
use crate::tui::lessons::tree::{LessonFlaw, LessonPlace, RonField, RonNode, RonTree, read_tree};
use crate::tui::registry;
use crate::tui::settings::Motion;
use crate::tui::theme::ThemeChoice;
use crate::tui::views::KeyPlace;

/// The result of parsing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadConfig {
    /// The valid part of the file, with defaults for the rest.
    pub config: Config,
    /// The errors, a line each.
    pub wrong: Vec<String>,
    /// Remarks on valid fields that may surprise.
    pub remarks: Vec<String>,
}

/// The names of the fields.
const FIELDS: [&str; 8] = [
    "theme", "mouse", "hints", "motion", "grouping", "ascii", "color", "keys",
];
/// Largest number of keys in a sequence: longer ones cannot be remembered.
const KEYS_MAX: usize = 8;

/// Reads a file with a name.
pub fn read(name: &str, text: &str) -> ReadConfig {
    let mut reading = ConfigReading::default();
    match read_tree(text) {
        Ok(root) => reading.all(&root),
        Err(flaw) => reading.flaws.push(flaw),
    }
    let ConfigReading {
        config,
        mut flaws,
        remarks,
        ..
    } = reading;
    flaws.sort_by_key(|flaw| flaw.at);
    let line = |flaw: &LessonFlaw| {
        let LessonPlace { line, column } = flaw.at;
        format!(
            "{name}:{line}:{column}: {}; using the default",
            flaw.message
        )
    };
    ReadConfig {
        config,
        wrong: flaws.iter().map(line).collect(),
        remarks,
    }
}

#[derive(Default)]
struct ConfigReading {
    config: Config,
    flaws: Vec<LessonFlaw>,
    remarks: Vec<String>,
    /// Each bound key sequence, with its command.
    given: Vec<(String, &'static Command)>,
}

/// The error on an unknown name, with the one that may be meant.
fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let near = nearest(name, known.iter().copied());
    let name = visible_line(name);
    match (near.is_empty(), known.len() > 10) {
        (false, _) => format!(
            "there is no {what}`{name}`; is {} meant?",
            alternatives(&near)
        ),
        (true, true) => format!("there is no {what}`{name}`"),
        (true, false) => {
            let all = alternatives(known).replace(" or ", " and ");
            format!("there is no {what}`{name}`; there are {all}")
        }
    }
}

impl ConfigReading {
    fn flaw(&mut self, at: LessonPlace, message: impl Into<String>) {
        self.flaws.push(LessonFlaw::new(at, message));
    }

    fn all(&mut self, root: &RonNode) {
        let RonTree::Record(called, fields) = &root.tree else {
            let kind = root.tree.kind();
            self.flaw(
                root.at,
                format!("here Config(..) should stand, and not {kind}"),
            );
            return;
        };
        if let Some(called) = called.as_ref().filter(|called| *called != "Config") {
            self.flaw(
                root.at,
                format!("here Config(..) should stand, and not {called}(..)"),
            );
        }
        let mut seen: Vec<&str> = Vec::new();
        for field in fields {
            let name = field.name.as_str();
            if name.is_empty() {
                self.flaw(field.at, "here a name and `:` are missing");
            } else if seen.contains(&name) {
                self.flaw(field.at, format!("`{name}` stands here twice"));
            } else {
                self.field(field);
            }
            seen.push(name);
        }
    }

    fn field(&mut self, field: &RonField) {
        let node = &field.value;
        match field.name.as_str() {
            "theme" => {
                let names = ThemeChoice::ALL.map(ThemeChoice::name);
                if let Some(name) = self.name(node)
                    && let Some(theme) =
                        self.known(node, ThemeChoice::by_name(&name), &name, &names)
                {
                    self.config.theme = theme;
                }
            }
            "mouse" => self.config.mouse = self.truth(node).unwrap_or(self.config.mouse),
            "hints" => self.config.hints = self.truth(node).unwrap_or(self.config.hints),
            "ascii" => self.config.ascii = self.truth(node).unwrap_or(self.config.ascii),
            "motion" => {
                let all = Motion::ALL.map(|(motion, name)| (name, motion));
                self.config.motion = self.choice(node, &all).unwrap_or(self.config.motion);
            }
            "grouping" => {
                let all = [("orbit", true), ("none", false)];
                self.config.grouped = self.choice(node, &all).unwrap_or(self.config.grouped);
            }
            "color" => {
                let all = [
                    ("auto", Colour::Auto),
                    ("always", Colour::Always),
                    ("never", Colour::Never),
                ];
                self.config.color = self.choice(node, &all).unwrap_or(self.config.color);
            }
            "keys" => self.keys(node),
            name => {
                let message = unknown("", name, &FIELDS);
                self.flaw(field.at, message);
            }
        }
    }

    /// A name, with or without quotes.
    fn name(&mut self, node: &RonNode) -> Option<String> {
        match &node.tree {
            RonTree::Text(name) | RonTree::Word(name) => Some(name.clone()),
            other => {
                let kind = other.kind();
                self.flaw(node.at, format!("here a name should stand, and not {kind}"));
                None
            }
        }
    }

    fn known<T>(
        &mut self,
        node: &RonNode,
        found: Option<T>,
        name: &str,
        names: &[&str],
    ) -> Option<T> {
        if found.is_none() {
            self.flaw(node.at, unknown("", name, names));
        }
        found
    }

    fn choice<T: Copy>(&mut self, node: &RonNode, all: &[(&str, T)]) -> Option<T> {
        let name = self.name(node)?;
        let found = all.iter().find(|(known, _)| *known == name);
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        self.known(node, found.map(|(_, value)| *value), &name, &names)
    }

    fn truth(&mut self, node: &RonNode) -> Option<bool> {
        self.choice(node, &[("true", true), ("false", false)])
    }

    fn keys(&mut self, node: &RonNode) {
        let entries = match &node.tree {
            RonTree::Map(entries) => entries,
            // `()` is a map without entries, too.
            RonTree::Record(None, fields) if fields.is_empty() => return,
            other => {
                let kind = other.kind();
                let message =
                    format!("`keys` is a map such as {{ \"undo\": [\"x\"] }}, and not {kind}");
                self.flaw(node.at, message);
                return;
            }
        };
        let mut bindings = Bindings::default();
        for entry in entries {
            let Some(command) = registry::by_id(&entry.name) else {
                let ids: Vec<&str> = registry::all().map(|command| command.id).collect();
                self.flaw(entry.at, unknown("command ", &entry.name, &ids));
                continue;
            };
            if bindings.of(command.id).is_some() {
                self.flaw(entry.at, format!("`{}` stands here twice", command.id));
                continue;
            }
            let keys = self.of_command(command, &entry.value);
            if !keys.is_empty() {
                bindings.bind(command.id, keys);
            }
        }
        self.remark(&bindings);
        self.config.keys = bindings;
    }

    /// The keys of one command that can be given to it.
    fn of_command(&mut self, command: &'static Command, node: &RonNode) -> Vec<String> {
        let nodes = match &node.tree {
            RonTree::List(nodes) => nodes.as_slice(),
            // A single key needs no brackets.
            _ => std::slice::from_ref(node),
        };
        if nodes.is_empty() || nodes.len() > KEYS_MAX {
            let message = format!("`{}` needs one key, and at most {KEYS_MAX}", command.id);
            self.flaw(node.at, message);
        }
        let mut keys: Vec<String> = Vec::new();
        for node in nodes.iter().take(KEYS_MAX) {
            let Some(key) = self.key(node) else { continue };
            let meets = |other: &&'static Command| both_work(command, other);
            let mut given = self.given.iter();
            let other = given.find(|(k, other)| *k == key && meets(other));
            if let Some((_, other)) = other {
                let message = if other.id == command.id {
                    format!("`{key}` stands here twice")
                } else {
                    format!("`{key}` is given to `{}`, where both work", other.id)
                };
                self.flaw(node.at, message);
                continue;
            }
            self.given.push((key.clone(), command));
            // A letter comes after it, as after the usual key.
            keys.push(if command.key().ends_with(keys::LETTER) {
                format!("{key} {}", keys::LETTER)
            } else {
                key
            });
        }
        keys
    }

    /// A key that can be given to a command, by its name.
    fn key(&mut self, node: &RonNode) -> Option<String> {
        let written = match &node.tree {
            // A digit without quotes.
            RonTree::Number(number) => number.to_string(),
            _ => self.name(node)?,
        };
        // `Enter` and `Ctrl-x` are written like that on the screen.
        let key = match written.chars().count() {
            1 => written.clone(),
            _ => written.to_lowercase(),
        };
        let message = match key.as_str() {
            "ctrl-c" => "Ctrl-c always ends the program".to_owned(),
            "esc" => "Esc always goes back".to_owned(),
            key if keys::digit(key).is_some() => {
                "digits are numbers of views, and count".to_owned()
            }
            key if keys::press(key).is_none() => unknown("key ", &written, &keys::NAMED),
            _ => return Some(key),
        };
        self.flaw(node.at, message);
        None
    }

    /// Adds a remark on default keys that have another command now.
    fn remark(&mut self, bindings: &Bindings) {
        for (key, command) in &self.given {
            let lost = |other: &&'static Command| {
                let mut usual = other.keys.iter();
                bindings.of(other.id).is_none()
                    && both_work(command, other)
                    && usual.any(|usual| usual.split(' ').next() == Some(key.as_str()))
            };
            for other in registry::all().filter(lost) {
                let (key, new, old) = (keys::shown(key), command.id, other.id);
                self.remarks.push(format!(
                    "{key} is now `{new}`, and `{old}` no more where both work"
                ));
            }
        }
    }
}

/// Whether there is a place where both commands work.
fn both_work(one: &Command, other: &Command) -> bool {
    KeyPlace::all().any(|place| one.applies(place) && other.applies(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_is_told_with_its_place_and_the_rest_holds() {
        let text = "Config(
  mouze: true, theme: lihgt, hints: maybe,
  motion: [1], color: alwayz, ascii: true, ascii: false,
  keys: {
    \"tkae\": [\"x\"], \"undo\": [\"entr\", \"z\", \"ctrl-c\", 7],
    \"redo\": [\"z\"], \"random\": [],
  },
)";
        let read = read("c", text);
        let expected = [
            "c:2:3: there is no `mouze`; is `mouse` meant?",
            "c:2:23: there is no `lihgt`; is `light` meant?",
            "c:2:37: there is no `maybe`; there are `true` and `false`",
            "c:3:11: here a name should stand, and not a list",
            "c:3:23: there is no `alwayz`; is `always` meant?",
            "c:3:44: `ascii` stands here twice",
            "c:5:6: there is no command `tkae`; is `take` meant?",
            "c:5:30: there is no key `entr`; is `enter` or `end` meant?",
            "c:5:43: Ctrl-c always ends the program",
            "c:5:52: digits are numbers of views, and count",
            "c:6:15: `z` is given to `undo`, where both work",
            "c:6:30: `random` needs one key, and at most 8",
        ];
        for (found, expected) in read.wrong.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found} instead of {expected}");
        }
        assert_eq!(read.wrong.len(), expected.len(), "{:#?}", read.wrong);
        assert!(read.config.ascii && read.config.mouse);
        assert_eq!(read.config.keys.of("undo"), Some(&["z".to_owned()][..]));
        assert_eq!(read.config.keys.of("redo"), None);
    }

    #[test]
    fn what_is_cut_off_or_foreign_has_a_message() {
        let text = "Config(keys: { \"take\": [\"x\", \"y\"] }, theme: \"mono\")";
        assert!(read("c", text).wrong.is_empty());
        for end in 0..text.len() {
            assert!(!read("c", &text[..end]).wrong.is_empty(), "{end}");
        }
        for text in ["[1]", "Session(version: 1)", "\u{1b}[2J", "Config(keys: 3)"] {
            assert!(!read("c", text).wrong.is_empty(), "{text:?}");
        }
    }

    #[test]
    fn keys_that_were_given_mean_their_commands_and_nothing_else() {
        use crate::tui::views::{Pane, View};
        let read = read(
            "c",
            "(keys: { \"take\": [\"Enter\", \"l\"], \"mark\": \"M\", \"zoom\": \"Ctrl-w\" })",
        );
        assert_eq!(read.wrong, [""; 0]);
        let keys = &read.config.keys;
        let here = KeyPlace::In(View::Animate, Pane::Transitions);
        let means = |key: &str| registry::lookup_in(keys, here, key).map(|c| c.id);
        assert_eq!((means("enter"), means("l")), (Some("take"), Some("take")));
        // `l` went to the next member of a group, which the arrow still does.
        assert!(means("right").is_some_and(|id| id != "take"));
        assert_eq!((means("M letter"), means("m letter")), (Some("mark"), None));
        assert_eq!((means("ctrl-w"), means("z")), (Some("zoom"), None));
        assert!(means("M").is_none(), "the mouse has lost its key to a mark");
        // Elsewhere `l` is unchanged.
        let orbit = registry::lookup_in(keys, KeyPlace::In(View::Orbit, Pane::Steps), "l");
        assert_eq!(orbit.map(|c| c.id), Some("step-forward"));
        assert!(
            read.remarks
                .iter()
                .any(|r| r.starts_with("M is now `mark`")),
            "{:?}",
            read.remarks
        );
    }
}
