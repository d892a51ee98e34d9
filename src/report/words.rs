//! Local states, components and events as people read them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::numbers::natural;
use super::parted::PartedText;
use super::runs::fingerprint;
pub use crate::machine::{EventId, Format, FormatId, LocalId, Machine, Network};
use crate::source::hash::{IndexSet, Map};
use crate::source::{Diagnostic, SourceMap, Stop, ordinal, render};

/// Said of a state without transitions that has not terminated.
pub const DEADLOCKED: &str = "DEADLOCK: no transition is possible";
/// Said of a state that has terminated.
pub const TERMINATED: &str = "TERMINATED";

/// An error, ready to show: one line, and the full rendering with source lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorText {
    /// The line, with `file:line:column` where there is one.
    pub summary: String,
    /// Several lines, no colour.
    pub detail: String,
    /// The parts of the line, if it describes a diagnostic.
    pub parts: Option<Box<DiagnosticParts>>,
}

/// The parts of a diagnostic that its line has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosticParts {
    /// The code, as `E0401`.
    pub code: &'static str,
    /// The message without code and place.
    pub message: String,
    /// File, line and column, if there is a place.
    pub place: Option<(String, u32, u32)>,
}

impl ErrorText {
    /// Makes an error of a single line.
    #[must_use]
    pub fn line(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::new(text.clone(), text)
    }

    /// Makes an error of a line and its full rendering.
    #[must_use]
    pub fn new(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            summary: summary.into(),
            detail: detail.into(),
            parts: None,
        }
    }

    /// Whether the full rendering has more than the line.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.detail.trim() != self.summary.trim()
    }
}

/// A component of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentView {
    /// The family it belongs to, as `Node`; components of one symmetric set share it.
    pub family: String,
    /// Its identity within the family, as `N0`; empty for a lone component.
    pub index: String,
    /// Its local state, as `Node(N1, B, Null)`.
    pub text: String,
    /// Name part of `text`.
    pub name: String,
    /// Variables and values, in order.
    pub args: Vec<(String, String)>,
    /// Whether it is in its initial local state. In a network that has taken another form, it is not known what that
    /// was, so no component is.
    pub is_at_rest: bool,
}

impl ComponentView {
    /// `Node[N0]`, or `Top` for a lone component.
    #[must_use]
    pub fn label(&self) -> String {
        PartedText::label(&self.family, &self.index).into()
    }
}

/// The order in which components are listed: families together, numbers in their order.
#[must_use]
pub fn in_order(components: &[ComponentView]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(components.len());
    let mut from = 0;
    while let Some(first) = components.get(from) {
        let same = |c: &&ComponentView| !c.index.is_empty() && c.family == first.family;
        let rest = components.get(from..).unwrap_or(&[]);
        let long = rest.iter().take_while(same).count().max(1);
        let mut family: Vec<usize> = (from..from + long).collect();
        family.sort_by(|a, b| natural(&components[*a].index, &components[*b].index));
        order.extend(family);
        from += long;
    }
    order
}

/// Components as an array of JSON.
#[must_use]
pub fn components_json(list: &[ComponentView]) -> Value {
    let one = |c: &ComponentView| json!({ "label": c.label(), "state": c.text });
    list.iter().map(one).collect()
}

/// The kind of a transition's label.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// A τ: hidden or internal.
    Tau,
    /// A ✓: termination.
    Tick,
    /// A visible event.
    #[default]
    Visible,
}

/// The text of the state after ✓.
pub const OMEGA: &str = "Ω";

/// A local state in words.
#[derive(Clone, Debug)]
struct LocalWords {
    text: PartedText,
    name: String,
    args: Vec<(String, String)>,
}

/// The label of a component.
#[derive(Clone, Debug)]
pub struct ComponentLabel {
    /// Its family and its index: `Node[N0]`, or `Top`.
    pub text: PartedText,
    /// Whether a permutation of values takes it to the label of the component's image: neither cut nor numbered.
    pub is_whole: bool,
}

/// A cache of texts.
#[derive(Debug, Default)]
pub struct WordCache {
    locals: Map<LocalId, LocalWords>,
    /// The labels of the components of each format.
    components: Map<FormatId, Arc<[ComponentLabel]>>,
}

impl WordCache {
    fn local(&mut self, machine: &mut Machine, local: LocalId) -> &LocalWords {
        self.locals.entry(local).or_insert_with(|| {
            let (name, args) = machine.describe_local(local);
            let values: Vec<&String> = args.iter().map(|arg| &arg.1).collect();
            let text = PartedText::local(&name, &values);
            LocalWords { text, name, args }
        })
    }

    /// The text of a local state, as `Node(N1, B, Null)`.
    pub fn text(&mut self, machine: &mut Machine, local: LocalId) -> PartedText {
        self.local(machine, local).text.clone()
    }

    /// Name, and variables with their values.
    pub fn named_local(
        &mut self,
        machine: &mut Machine,
        local: LocalId,
    ) -> (&str, &[(String, String)]) {
        let words = self.local(machine, local);
        (&words.name, &words.args)
    }

    /// The components of a state.
    pub fn components(
        &mut self,
        machine: &mut Machine,
        network: &Network,
        format: FormatId,
        state: &[LocalId],
    ) -> Vec<ComponentView> {
        let labels = self.component_labels(machine, network, format);
        let labels = labels.iter().map(|label| &label.text);
        let entries = network.format(format).components().iter();
        let is_first = format == FormatId(0);
        labels
            .zip(state.iter().zip(entries))
            .map(|(label, (local, entry))| {
                let words = self.local(machine, *local).clone();
                ComponentView {
                    family: label.head().to_owned(),
                    index: label.all_items().to_owned(),
                    text: words.text.into(),
                    name: words.name,
                    args: words.args,
                    is_at_rest: is_first && *local == entry.initial,
                }
            })
            .collect()
    }

    /// The components that perform a step of a state in a format, with their local states after it. Left out where
    /// there is an event to show.
    pub fn movers(
        &mut self,
        machine: &mut Machine,
        network: &Network,
        shown: &PartedText,
        format: FormatId,
        parts: &[(u16, EventId)],
        after: &[LocalId],
    ) -> Vec<(String, PartedText)> {
        if !shown.is_empty() {
            return Vec::new();
        }
        let labels = self.component_labels(machine, network, format);
        let movers = parts.iter().map(|(component, _)| {
            let at = usize::from(*component);
            let label = labels.get(at).map(|label| label.text.to_string());
            let after = after.get(at).map(|local| self.text(machine, *local));
            (label.unwrap_or_default(), after.unwrap_or_default())
        });
        movers.collect()
    }

    /// The fingerprint of a state, equal in different runs of the program.
    pub fn fingerprint(&mut self, machine: &mut Machine, state: &[LocalId]) -> String {
        let texts: Vec<_> = state.iter().map(|l| self.text(machine, *l)).collect();
        fingerprint(texts.iter().map(PartedText::as_str))
    }

    /// `Node[N0]`, `Top`, … for every component of a format.
    pub fn labels(
        &mut self,
        machine: &mut Machine,
        network: &Network,
        format: FormatId,
    ) -> Vec<PartedText> {
        let labels = self.component_labels(machine, network, format);
        labels.iter().map(|label| label.text.clone()).collect()
    }

    /// The labels of the components, with their parts.
    pub fn component_labels(
        &mut self,
        machine: &mut Machine,
        network: &Network,
        format: FormatId,
    ) -> Arc<[ComponentLabel]> {
        // Names are asked for at every state, and formats are few.
        if let Some(known) = self.components.get(&format) {
            return Arc::clone(known);
        }
        let labels: Arc<[_]> = self.new_labels(machine, network.format(format)).into();
        self.components.insert(format, Arc::clone(&labels));
        labels
    }

    fn new_labels(&mut self, machine: &mut Machine, entry: &Format) -> Vec<ComponentLabel> {
        let families: Vec<String> = (0..entry.components().len())
            .map(|n| self.family(machine, entry, n))
            .collect();
        let mut labels = Vec::with_capacity(families.len());
        // By family and index: the components that have both.
        let mut same_label: Map<(String, String), Vec<usize>> = Map::default();
        for (n, family) in families.iter().enumerate() {
            let alone = families.iter().filter(|f| *f == family).count() == 1;
            let (index, is_whole) = if alone {
                (String::new(), true)
            } else {
                self.index(machine, entry, n)
            };
            // The earlier components with the same label: the second `N0` is called `N0 2nd`. Where there is no
            // index at all, the first is `1st`.
            let same = same_label
                .entry((family.clone(), index.clone()))
                .or_default();
            same.push(n);
            let index = match (alone, same.len()) {
                (false, n) if index.is_empty() => ordinal(n),
                (false, n) if n > 1 => format!("{index} {}", ordinal(n)),
                _ => index,
            };
            let text = PartedText::label(family, &index);
            labels.push(ComponentLabel { text, is_whole });
        }
        for n in same_label
            .into_values()
            .filter(|same| same.len() > 1)
            .flatten()
        {
            labels[n].is_whole = false;
        }
        labels
    }

    /// The family of a component: the name of the definition that it starts in, or the shortest one that it passes
    /// through whose name is part of that: `FreeNode` and `Node` make the family `Node`.
    fn family(&mut self, machine: &mut Machine, format: &Format, component: usize) -> String {
        const LOOK_AHEAD: usize = 200;
        let first = self
            .local(machine, format.components()[component].initial)
            .name
            .clone();
        let first = leading_name(&first).to_owned();
        // The first ones are enough for a name: a component may have very many local states.
        let reached: IndexSet<LocalId> = format.reach()[component]
            .locals
            .iter()
            .take(LOOK_AHEAD)
            .copied()
            .collect();
        let mut best = first.clone();
        for local in reached {
            let name = &self.local(machine, local).name;
            // Very short names are part of longer ones by chance.
            if name.len() >= 3
                && name.len() < best.len()
                && first.contains(name.as_str())
                && !name.contains('.')
            {
                best.clone_from(name);
            }
        }
        best
    }

    /// The index of a component, and whether it is not cut.
    fn index(
        &mut self,
        machine: &mut Machine,
        format: &Format,
        component: usize,
    ) -> (String, bool) {
        if let Some(atom) = format.identity()[component] {
            return (machine.atom_name(atom), true);
        }
        // It has no value of a symmetric type of its own: its initial arguments have to distinguish it.
        let args = &self
            .local(machine, format.components()[component].initial)
            .args;
        let is_whole = args.iter().all(|(_, value)| is_short(value));
        let args = args.iter().map(|(_, value)| shortened(value));
        (args.collect::<Vec<_>>().join(","), is_whole)
    }
}

/// Characters of a value in the label of a component: the omitted part shows in its state. Labels that become equal
/// are numbered.
const IN_LABEL_MAX: usize = 24;

fn is_short(value: &str) -> bool {
    value.chars().count() <= IN_LABEL_MAX
}

/// `{a.0, a.1, …}` for a set of many.
fn shortened(value: &str) -> String {
    if is_short(value) {
        return value.to_owned();
    }
    let start: String = value.chars().take(IN_LABEL_MAX - 4).collect();
    let items = start.rfind(", ").map_or(&*start, |end| &start[..end]);
    // A cut value still ends as its kind: a set, a sequence, or one with arguments.
    let close = match value.chars().next_back() {
        Some(c @ ('}' | '>' | ')')) => c.to_string(),
        _ => String::new(),
    };
    format!("{items}, …{close}")
}

/// The name that a description begins with: `Node` of `Node.next`, `GATE` of `(GATE.lower ; GATE)`.
fn leading_name(text: &str) -> &str {
    let inner = text.trim_start_matches('(');
    let other = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'' | ':'));
    let end = inner.find(other).unwrap_or(inner.len());
    if end == 0 { text } else { &inner[..end] }
}

/// The kind of an event's label.
#[must_use]
pub fn kind(event: EventId) -> EventKind {
    match event {
        EventId::TAU => EventKind::Tau,
        EventId::TICK => EventKind::Tick,
        _ => EventKind::Visible,
    }
}

/// The event to show for a rule: for τ the event that was hidden, or nothing.
#[must_use]
pub fn shown(machine: &Machine, shown: EventId) -> PartedText {
    let store = machine.eval.store();
    match machine.events().value(shown) {
        Some(value) => {
            let parts = store.dotted().leaves(value).into_iter();
            let texts: Vec<String> = parts
                .map(|v| store.show(v, machine.eval.script()))
                .collect();
            PartedText::event(&texts[0], &texts[1..])
        }
        None if shown == EventId::TAU => PartedText::default(),
        None => machine.show_event(shown).into(),
    }
}

/// A diagnostic as the screen shows it.
#[must_use]
pub fn error_text(diagnostic: &Diagnostic, sources: &SourceMap) -> ErrorText {
    let place = diagnostic.span.map(|span| {
        let at = sources.line_col(span);
        let file = sources.file(span.file).path.display().to_string();
        (file, at.line, at.column)
    });
    let before = match &place {
        Some((file, line, column)) => format!("{file}:{line}:{column}: "),
        None => String::new(),
    };
    ErrorText {
        summary: format!("{before}{} [{}]", diagnostic.message, diagnostic.code),
        detail: render::render(diagnostic, sources, false),
        parts: Some(Box::new(DiagnosticParts {
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            place,
        })),
    }
}

/// Why a search stopped early.
#[must_use]
pub fn stop_text(stop: Stop) -> &'static str {
    match stop {
        Stop::Cancelled => "cancelled",
        Stop::Time => "time limit reached",
        Stop::States => "state limit reached",
        Stop::Memory => "memory limit reached",
        Stop::Disk => "no room left on disk",
        Stop::Process(_) => "another process of the search is lost",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_diagnostic_are_those_that_it_has() {
        let message = "a.csp:3:14: no such name: x [a]";
        let diagnostic = Diagnostic::nowhere("E0510", message);
        let text = error_text(&diagnostic, &SourceMap::default());
        assert_eq!(text.summary, format!("{message} [E0510]"));
        let parts = text.parts.expect("it tells a diagnostic");
        assert_eq!((parts.code, &*parts.message), ("E0510", message));
        assert_eq!(parts.place, None);
    }
}
