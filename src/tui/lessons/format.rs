//! The reader of files of lessons: it finds every mistake of a file, with its place.

use super::lesson::{CardLine, Emphasis, Lesson, LessonAnswer, LessonCard, LessonQuestion};
use super::tree::{LessonFlaw, LessonPlace, RonField, RonNode, RonTree, read_tree};
use crate::language::{self, hint};
use crate::registry;
use crate::source::models;

/// The form of files that this program reads.
pub const LESSON_VERSION: i64 = 1;
/// Cards of one lesson.
const CARDS_MAX: usize = 200;
/// Lines of commands of one card.
const LINES_MAX: usize = 100;
/// Answers that one key can choose.
const OPTIONS_MAX: usize = 9;

/// Parses a lesson.
///
/// # Errors
/// Its flaws, in order of place.
pub fn read_lesson(text: &str) -> Result<Lesson, Vec<LessonFlaw>> {
    let root = read_tree(text).map_err(|flaw| vec![flaw])?;
    let mut reading = LessonReading::default();
    let lesson = reading.lesson(&root);
    let mut flaws = reading.flaws;
    flaws.sort_by_key(|flaw| flaw.at);
    match lesson.filter(|_| flaws.is_empty()) {
        Some(lesson) => Ok(lesson),
        None => Err(flaws),
    }
}

#[derive(Default)]
struct LessonReading {
    flaws: Vec<LessonFlaw>,
}

/// The fields of a record that are not read yet.
struct LessonFields<'a> {
    at: LessonPlace,
    fields: &'a [RonField],
}

impl<'a> LessonFields<'a> {
    fn get(&self, name: &str) -> Option<&'a RonNode> {
        let field = self.fields.iter().find(|field| field.name == name)?;
        // `None` for a missing field.
        let none = matches!(&field.value.tree, RonTree::Word(word) if word == "None");
        (!none).then_some(&field.value)
    }
}

impl LessonReading {
    fn flaw(&mut self, at: LessonPlace, message: impl Into<String>) {
        self.flaws.push(LessonFlaw::new(at, message));
    }

    /// Something else stands where this was expected.
    fn other<T>(&mut self, node: &RonNode, expected: &str) -> Option<T> {
        let kind = node.tree.kind();
        self.flaw(
            node.at,
            format!("here {expected} should stand, and not {kind}"),
        );
        None
    }

    /// A record with this name, whose fields are among those that it may have.
    fn record<'a>(
        &mut self,
        node: &'a RonNode,
        called: &str,
        known: &[&str],
    ) -> Option<LessonFields<'a>> {
        let RonTree::Record(name, fields) = &node.tree else {
            return self.other(node, &format!("{called}(..)"));
        };
        let at = node.at;
        if let Some(name) = name.as_ref().filter(|name| *name != called) {
            let message = format!("here {called}(..) should stand, and not {name}(..)");
            self.flaw(at, message);
        }
        for (n, RonField { at, name, .. }) in fields.iter().enumerate() {
            if name.is_empty() {
                self.flaw(*at, format!("a value in {called}(..) without a name"));
            } else if !known.contains(&name.as_str()) {
                let near = hint(name, known.iter().copied());
                self.flaw(*at, format!("{called} has no field `{name}`{near}"));
            } else if fields[..n].iter().any(|before| before.name == *name) {
                self.flaw(*at, format!("`{name}` stands here twice"));
            }
        }
        Some(LessonFields { at, fields })
    }

    fn text(&mut self, node: &RonNode) -> Option<String> {
        match &node.tree {
            RonTree::Text(text) => Some(folded(text)),
            _ => self.other(node, "a text"),
        }
    }

    fn number(&mut self, node: &RonNode) -> Option<i64> {
        match &node.tree {
            RonTree::Number(number) => Some(*number),
            _ => self.other(node, "a number"),
        }
    }

    fn optional(&mut self, fields: &LessonFields<'_>, name: &str) -> String {
        let node = fields.get(name);
        node.and_then(|node| self.text(node)).unwrap_or_default()
    }

    fn required(&mut self, fields: &LessonFields<'_>, name: &str) -> String {
        let Some(node) = fields.get(name) else {
            self.flaw(fields.at, format!("here `{name}` is missing"));
            return String::new();
        };
        let text = self.text(node);
        if text.as_deref() == Some("") {
            self.flaw(node.at, format!("`{name}` must not be empty"));
        }
        text.unwrap_or_default()
    }

    fn list<'a>(&mut self, fields: &LessonFields<'a>, name: &str, most: usize) -> &'a [RonNode] {
        let Some(node) = fields.get(name) else {
            return &[];
        };
        let RonTree::List(items) = &node.tree else {
            let kind = node.tree.kind();
            self.flaw(
                node.at,
                format!("`{name}` should be a list, and not {kind}"),
            );
            return &[];
        };
        let count = items.len();
        if count > most {
            let message = format!("`{name}` has {count} entries; {most} are the most");
            self.flaw(node.at, message);
        }
        &items[..count.min(most)]
    }

    fn lesson(&mut self, root: &RonNode) -> Option<Lesson> {
        let known = [
            "version", "id", "title", "model", "process", "minutes", "cards",
        ];
        let fields = self.record(root, "Lesson", &known)?;
        match fields.get("version") {
            None => self.flaw(fields.at, "here `version` is missing"),
            Some(node) => {
                let other = self.number(node).filter(|v| *v != LESSON_VERSION);
                if let Some(version) = other {
                    let message = format!(
                        "this program reads version {LESSON_VERSION} of lessons, and this is version {version}"
                    );
                    // The rest has an unknown form: parsing it would be a guess.
                    self.flaw(node.at, message);
                    return None;
                }
            }
        }
        let id = self.required(&fields, "id");
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if let Some(node) = fields.get("id")
            && (!id.chars().all(plain) || id.len() > 40)
        {
            self.flaw(node.at, "an id has at most 40 letters, digits, `-` and `_`");
        }
        let title = self.required(&fields, "title");
        let model = self.required(&fields, "model");
        if let Some((node, name)) = fields.get("model").zip(model.strip_prefix(models::PREFIX))
            && models::model(name).is_none()
        {
            let near = hint(name, models::MODELS.iter().map(|model| model.name));
            self.flaw(node.at, format!("there is no builtin model `{name}`{near}"));
        }
        let minutes = fields.get("minutes").and_then(|node| {
            let minutes = u64::try_from(self.number(node)?);
            let fits = minutes.ok().filter(|m| (1..=600).contains(m));
            if fits.is_none() {
                self.flaw(node.at, "`minutes` is a number from 1 to 600");
            }
            fits
        });
        let nodes = self.list(&fields, "cards", CARDS_MAX);
        let cards: Vec<_> = nodes.iter().filter_map(|node| self.card(node)).collect();
        if nodes.is_empty() {
            self.flaw(fields.at, "a lesson has at least one card");
        }
        let process = Some(self.optional(&fields, "process")).filter(|p| !p.is_empty());
        Some(Lesson {
            id,
            title,
            model,
            process,
            minutes: minutes.unwrap_or(7),
            cards,
        })
    }

    fn card(&mut self, node: &RonNode) -> Option<LessonCard> {
        let known = [
            "title", "say", "do", "focus", "hide", "ask", "then", "expect", "notes",
        ];
        let fields = self.record(node, "Card", &known)?;
        let ask = fields.get("ask").and_then(|node| self.question(node));
        for name in ["then", "hide"] {
            if let Some(node) = fields.get(name).filter(|_| fields.get("ask").is_none()) {
                let message = format!("`{name}` needs a question that is answered before: `ask`");
                self.flaw(node.at, message);
            }
        }
        Some(LessonCard {
            at: node.at,
            title: self.optional(&fields, "title"),
            say: self.required(&fields, "say"),
            act: self.lines(&fields, "do", ""),
            focus: self.emphases(&fields, "focus"),
            hide: self.emphases(&fields, "hide"),
            ask,
            then: self.lines(&fields, "then", ""),
            expect: self.lines(&fields, "expect", "expect "),
            notes: self.optional(&fields, "notes"),
        })
    }

    /// Parses lines of commands; `before` is the omitted beginning of each.
    fn lines(&mut self, fields: &LessonFields<'_>, name: &str, before: &str) -> Vec<CardLine> {
        let mut lines = Vec::new();
        for node in self.list(fields, name, LINES_MAX) {
            let RonTree::Text(text) = &node.tree else {
                self.text(node);
                continue;
            };
            match language::parse(&format!("{before}{text}")) {
                Ok(line) => lines.push(CardLine { at: node.at, line }),
                Err(mistake) => {
                    let column = mistake.columns.start.saturating_sub(before.len());
                    let at = LessonPlace {
                        column: node.at.column + column,
                        ..node.at
                    };
                    self.flaw(at, mistake.message);
                }
            }
        }
        lines
    }

    fn emphases(&mut self, fields: &LessonFields<'_>, name: &str) -> Vec<Emphasis> {
        let mut found = Vec::new();
        for node in self.list(fields, name, LINES_MAX) {
            let Some(text) = self.text(node) else {
                continue;
            };
            let Some(pane) = text.strip_prefix("pane:") else {
                if text.is_empty() {
                    self.flaw(node.at, "an empty text stands nowhere");
                } else {
                    found.push(Emphasis::OfText(text));
                }
                continue;
            };
            // Lines of commands have the same names for panes.
            match language::parse(&format!("focus {}", pane.trim())) {
                Ok(line) => match line.instruction {
                    language::Instruction::Focus(pane) => found.push(Emphasis::OfPane(pane)),
                    _ => self.flaw(node.at, format!("there is no pane `{pane}`")),
                },
                Err(mistake) => self.flaw(node.at, mistake.message),
            }
        }
        found
    }

    fn question(&mut self, node: &RonNode) -> Option<LessonQuestion> {
        let RonTree::Record(Some(kind), _) = &node.tree else {
            return self.other(node, "Choice(..), Number(..), Text(..) or Press(..)");
        };
        let known: &[&str] = match kind.as_str() {
            "Choice" => &["q", "options", "answer", "hint", "why"],
            "Number" | "Text" => &["q", "answer", "hint", "why"],
            "Press" => &["q", "command", "why"],
            other => {
                let near = hint(other, ["Choice", "Number", "Text", "Press"]);
                let message = format!(
                    "a question is Choice(..), Number(..), Text(..) or Press(..), and not {other}(..){near}"
                );
                self.flaw(node.at, message);
                return None;
            }
        };
        let fields = self.record(node, kind, known)?;
        let text = self.required(&fields, "q");
        let (hint, why) = (
            self.optional(&fields, "hint"),
            self.required(&fields, "why"),
        );
        let wanted = if kind == "Press" { "command" } else { "answer" };
        let Some(right) = fields.get(wanted) else {
            self.flaw(fields.at, format!("here `{wanted}` is missing"));
            return None;
        };
        let answer = match kind.as_str() {
            "Choice" => self.choice(&fields, right)?,
            "Number" => LessonAnswer::Number(self.number(right)?),
            "Press" => LessonAnswer::Press(self.command(right)?),
            _ => self.words(right)?,
        };
        Some(LessonQuestion {
            text,
            answer,
            hint,
            why,
        })
    }

    fn choice(&mut self, fields: &LessonFields<'_>, right: &RonNode) -> Option<LessonAnswer> {
        let nodes = self.list(fields, "options", OPTIONS_MAX);
        let options: Vec<_> = nodes.iter().filter_map(|node| self.text(node)).collect();
        if options.len() < 2 {
            self.flaw(fields.at, "a Choice has at least two options");
            return None;
        }
        for (at, option) in options.iter().enumerate() {
            if options[..at].contains(option) {
                let message = format!("the option `{option}` stands here twice");
                self.flaw(nodes[at].at, message);
            }
        }
        let number = self.number(right)?;
        let right_one = usize::try_from(number).ok().filter(|n| *n < options.len());
        if right_one.is_none() {
            let last = options.len() - 1;
            let message = format!(
                "the answer {number} is none of the options, which are counted from 0 to {last}"
            );
            self.flaw(right.at, message);
        }
        Some(LessonAnswer::Choice(options, right_one?))
    }

    /// The line that runs a command, by its id.
    fn command(&mut self, node: &RonNode) -> Option<CardLine> {
        let id = self.text(node)?;
        let known = registry::by_id(&id).filter(|command| command.in_views);
        let known = known.and_then(|_| language::parse(&id).ok());
        if known.is_none() {
            let with_key = registry::in_views().filter(|command| command.keys.contains(&&*id));
            let ids: Vec<String> = with_key
                .map(|command| format!("`{}`", command.id))
                .collect();
            let instead = match ids.as_slice() {
                [] => hint(&id, registry::in_views().map(|command| command.id)),
                ids => format!("; it is a key of {}", ids.join(" or ")),
            };
            self.flaw(node.at, format!("there is no command `{id}`{instead}"));
        }
        let at = node.at;
        known.map(|line| CardLine { at, line })
    }

    fn words(&mut self, right: &RonNode) -> Option<LessonAnswer> {
        let words = match &right.tree {
            RonTree::List(items) => items.iter().filter_map(|node| self.text(node)).collect(),
            _ => vec![self.text(right)?],
        };
        if words.iter().any(|word: &String| word.is_empty()) || words.is_empty() {
            self.flaw(right.at, "an answer must not be empty");
            return None;
        }
        Some(LessonAnswer::Words(words))
    }
}

/// A text of a file as it is shown: lines are joined, an empty line begins a paragraph.
fn folded(text: &str) -> String {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = text.lines().map(words).collect();
    let paragraphs = lines.split(String::is_empty).map(|lines| lines.join(" "));
    let paragraphs: Vec<String> = paragraphs.filter(|text| !text.is_empty()).collect();
    paragraphs.join("\n\n")
}
