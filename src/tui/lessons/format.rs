//! The reader of files of lessons: it finds every mistake of a file, with its place.

use super::lesson::{CardLine, Emphasis, Lesson, LessonAnswer, LessonCard, LessonQuestion};
use super::tree::{LessonFlaw, LessonPlace, RonField, RonNode, RonTree, read_tree};
use crate::language;
use crate::registry;
use crate::source::models;
use crate::views::Pane;

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

/// `; did you mean ..?`, if one of the names is near.
pub(super) fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let distance = |other: &str| {
        let (a, b): (Vec<char>, Vec<char>) = (name.chars().collect(), other.chars().collect());
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut corner = std::mem::replace(&mut row[0], i + 1);
            for (j, y) in b.iter().enumerate() {
                let changed = corner + usize::from(x != y);
                corner = row[j + 1];
                row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
            }
        }
        row[b.len()]
    };
    // Long words would take long, and are near to nothing.
    let close = name.chars().count().div_ceil(3).clamp(1, 3);
    let names = names.into_iter().filter(|_| name.len() < 100);
    let scored = names.map(|other| (distance(other), other));
    match scored.filter(|(far, _)| *far <= close).min() {
        Some((_, other)) => format!("; did you mean `{other}`?"),
        None => String::new(),
    }
}

/// The panes by the names that lines of commands have for them.
fn pane_by_name(name: &str) -> Option<Pane> {
    match language::parse(&format!("focus {name}")).ok()?.instruction {
        language::Instruction::Focus(pane) => Some(pane),
        _ => None,
    }
}

#[derive(Default)]
struct LessonReading {
    flaws: Vec<LessonFlaw>,
}

/// The fields of a record that are not read yet.
struct LessonFields<'a> {
    at: LessonPlace,
    fields: Vec<&'a RonField>,
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

    /// A record with one of these names, whose fields are among those that it may have.
    fn record<'a>(
        &mut self,
        node: &'a RonNode,
        called: &str,
        known: &[&str],
    ) -> Option<LessonFields<'a>> {
        let RonTree::Record(name, fields) = &node.tree else {
            let kind = node.tree.kind();
            self.flaw(
                node.at,
                format!("here {called}(..) should stand, and not {kind}"),
            );
            return None;
        };
        if let Some(name) = name.as_ref().filter(|name| *name != called) {
            self.flaw(
                node.at,
                format!("here {called}(..) should stand, and not {name}(..)"),
            );
        }
        let mut seen: Vec<&str> = Vec::new();
        for field in fields {
            if field.name.is_empty() {
                self.flaw(field.at, format!("a value in {called}(..) without a name"));
            } else if !known.contains(&field.name.as_str()) {
                let near = nearest(&field.name, known.iter().copied());
                let name = &field.name;
                self.flaw(field.at, format!("{called} has no field `{name}`{near}"));
            } else if seen.contains(&field.name.as_str()) {
                self.flaw(field.at, format!("`{}` stands here twice", field.name));
            }
            seen.push(&field.name);
        }
        Some(LessonFields {
            at: node.at,
            fields: fields.iter().collect(),
        })
    }

    fn text(&mut self, node: &RonNode) -> Option<String> {
        match &node.tree {
            RonTree::Text(text) => Some(folded(text)),
            other => {
                self.flaw(
                    node.at,
                    format!("here a text should stand, and not {}", other.kind()),
                );
                None
            }
        }
    }

    fn optional(&mut self, fields: &LessonFields<'_>, name: &str) -> String {
        let node = fields.get(name);
        node.and_then(|node| self.text(node)).unwrap_or_default()
    }

    fn required(&mut self, fields: &LessonFields<'_>, name: &str) -> String {
        match fields.get(name) {
            Some(node) => {
                let text = self.text(node).unwrap_or_default();
                if matches!(&node.tree, RonTree::Text(_)) && text.is_empty() {
                    self.flaw(node.at, format!("`{name}` must not be empty"));
                }
                text
            }
            None => {
                self.flaw(fields.at, format!("here `{name}` is missing"));
                String::new()
            }
        }
    }

    fn number(&mut self, node: &RonNode) -> Option<i64> {
        match &node.tree {
            RonTree::Number(number) => Some(*number),
            other => {
                let kind = other.kind();
                self.flaw(
                    node.at,
                    format!("here a number should stand, and not {kind}"),
                );
                None
            }
        }
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
        if items.len() > most {
            let count = items.len();
            self.flaw(
                node.at,
                format!("`{name}` has {count} entries; {most} are the most"),
            );
            return &items[..most];
        }
        items
    }

    fn lesson(&mut self, root: &RonNode) -> Option<Lesson> {
        let known = [
            "version", "id", "title", "model", "process", "minutes", "cards",
        ];
        let fields = self.record(root, "Lesson", &known)?;
        match fields.get("version") {
            None => self.flaw(fields.at, "here `version` is missing"),
            Some(node) => {
                let version = self.number(node);
                if version.is_some_and(|v| v != LESSON_VERSION) {
                    let message = format!(
                        "this program reads version {LESSON_VERSION} of lessons, and this is version {}",
                        version.unwrap_or_default()
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
            let near = nearest(name, models::MODELS.iter().map(|model| model.name));
            self.flaw(node.at, format!("there is no builtin model `{name}`{near}"));
        }
        let minutes = fields.get("minutes").and_then(|node| {
            let minutes = self.number(node)?;
            let fits = u64::try_from(minutes)
                .ok()
                .filter(|m| (1..=600).contains(m));
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
                self.flaw(
                    node.at,
                    format!("`{name}` needs a question that is answered before: `ask`"),
                );
            }
        }
        Some(LessonCard {
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
            match text.strip_prefix("pane:") {
                None if text.is_empty() => self.flaw(node.at, "an empty text stands nowhere"),
                None => found.push(Emphasis::OfText(text)),
                Some(pane) => match pane_by_name(pane.trim()) {
                    Some(pane) => found.push(Emphasis::OfPane(pane)),
                    None => {
                        let mistake = language::parse(&format!("focus {pane}")).err();
                        let message = mistake.map(|m| m.message);
                        let unknown = format!("there is no pane `{pane}`");
                        self.flaw(node.at, message.unwrap_or(unknown));
                    }
                },
            }
        }
        found
    }

    fn question(&mut self, node: &RonNode) -> Option<LessonQuestion> {
        let RonTree::Record(Some(kind), _) = &node.tree else {
            let kind = node.tree.kind();
            let message = format!(
                "here Choice(..), Number(..), Text(..) or Press(..) should stand, and not {kind}"
            );
            self.flaw(node.at, message);
            return None;
        };
        let known: &[&str] = match kind.as_str() {
            "Choice" => &["q", "options", "answer", "hint", "why"],
            "Number" | "Text" => &["q", "answer", "hint", "why"],
            "Press" => &["q", "command", "why"],
            other => {
                let near = nearest(other, ["Choice", "Number", "Text", "Press"]);
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
                self.flaw(
                    nodes[at].at,
                    format!("the option `{option}` stands here twice"),
                );
            }
        }
        let number = self.number(right)?;
        let right_one = usize::try_from(number).ok().filter(|n| *n < options.len());
        if right_one.is_none() {
            let last = options.len() - 1;
            self.flaw(
                right.at,
                format!(
                    "the answer {number} is none of the options, which are counted from 0 to {last}"
                ),
            );
        }
        Some(LessonAnswer::Choice(options, right_one?))
    }

    /// The line that runs a command, by its id.
    fn command(&mut self, node: &RonNode) -> Option<CardLine> {
        let id = self.text(node)?;
        let known = registry::by_id(&id).and_then(|_| language::parse(&id).ok());
        if known.is_none() {
            let near = nearest(&id, registry::all().map(|command| command.id));
            self.flaw(node.at, format!("there is no command `{id}`{near}"));
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
    let mut paragraphs: Vec<String> = vec![String::new()];
    for line in text.lines() {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.is_empty() {
            paragraphs.push(String::new());
        } else if let Some(last) = paragraphs.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(&line);
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.join("\n\n")
}
