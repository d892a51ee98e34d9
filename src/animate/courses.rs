//! The steps of `walk` and `exact`, in words.

use super::strategy::{ChoiceMark, StepView};
use crate::source::ordinal;
use crate::symmetry::Permutation;
use crate::symmetry::trace::Variable;
use crate::symmetry::watch::{LeafKind, Start, StrategyEvent, cells};
use crate::value::{Atom, AtomTypes};

/// Names of values and components.
pub(super) struct Namer<'a> {
    pub(super) atoms: &'a AtomTypes,
    /// The name of each value, by number.
    pub(super) values: Vec<String>,
    /// The name of each component, by index.
    pub(super) components: Vec<String>,
    /// The variables of each component.
    pub(super) variables: &'a [Vec<Variable>],
}

impl Namer<'_> {
    pub(super) fn value(&self, value: u16) -> &str {
        self.values.get(value as usize).map_or("?", String::as_str)
    }

    pub(super) fn component(&self, component: u16) -> &str {
        let name = self.components.get(component as usize);
        name.map_or("?", String::as_str)
    }

    /// A set of values, as `{N0 N1}`.
    pub(super) fn set(&self, values: &[Atom]) -> String {
        let names: Vec<_> = values.iter().map(|v| self.value(v.0)).collect();
        format!("{{{}}}", names.join(" "))
    }

    fn raw_set(&self, values: &[u16]) -> String {
        let values: Vec<Atom> = values.iter().map(|v| Atom(*v)).collect();
        self.set(&values)
    }

    pub(super) fn component_set(&self, components: &[u16]) -> String {
        let names: Vec<_> = components.iter().map(|c| self.component(*c)).collect();
        format!("{{{}}}", names.join(" "))
    }

    /// The variable of a component that holds a value, or its label.
    fn holder(&self, component: u16, value: u16) -> String {
        let name = self.value(value);
        let variables = self.variables.get(component as usize);
        let found = variables.and_then(|all| all.iter().find(|v| v.value == name));
        found.map_or("label".to_string(), |v| v.name.clone())
    }

    /// A permutation in cycles, as `(A B)(N0 N1)`.
    fn cycles(&self, map: &[u16]) -> String {
        let image: Vec<Atom> = map.iter().map(|v| Atom(*v)).collect();
        let pi = Permutation::from_image(&image);
        let kinds = 0..self.atoms.kinds();
        let name = |a: Atom| self.value(a.0).to_owned();
        let cycles = kinds.map(|kind| pi.cycles(self.atoms, kind, &name));
        let moved: Vec<String> = cycles.filter(|c| c != "id").collect();
        if moved.is_empty() {
            "id".to_string()
        } else {
            moved.join(" ")
        }
    }

    /// The cells of each type.
    fn cell_lines(&self, colours: &[u16]) -> Vec<(String, String)> {
        let all = cells(colours);
        let line = |kind: usize| {
            let of_kind = all
                .iter()
                .filter(|c| self.atoms.kind(c[0]) as usize == kind);
            let sets: Vec<String> = of_kind.map(|cell| self.set(cell)).collect();
            (self.atoms.name(kind as u8).to_owned(), sets.join(" "))
        };
        (0..self.atoms.kinds()).map(line).collect()
    }
}

/// Turns events into steps.
pub(super) struct StepWriter<'a> {
    names: &'a Namer<'a>,
    steps: Vec<StepView>,
    /// The name of each value that has one.
    image: Vec<Option<u16>>,
    /// The value that was named last, and the component that holds it.
    last: Option<(u16, u16)>,
    /// The reference by which the walk reached each component.
    via: Vec<Option<(u16, u16)>>,
    /// Whether the walk is at its first component.
    begun: bool,
    /// Whether the last step names values: without any it is not worth a line.
    is_naming: bool,
    /// The colours shown last, with their level.
    colours: Option<(usize, Vec<u16>)>,
    round: usize,
    leaves: usize,
}

/// The steps of a computation, without its result.
pub(super) fn step_views(names: &Namer<'_>, events: &[StrategyEvent]) -> Vec<StepView> {
    let mut writer = StepWriter {
        names,
        steps: Vec::new(),
        image: vec![None; names.values.len()],
        last: None,
        via: vec![None; names.components.len()],
        begun: false,
        is_naming: false,
        colours: None,
        round: 0,
        leaves: 0,
    };
    for event in events {
        writer.event(event);
    }
    // Components without new values have no line, except the end of the walk.
    writer.steps.retain(|step| !step.title.is_empty());
    writer.steps
}

impl StepWriter<'_> {
    fn event(&mut self, event: &StrategyEvent) {
        match event {
            StrategyEvent::Start(..) | StrategyEvent::At(_) | StrategyEvent::Named(..) | StrategyEvent::LeadsTo(_) => {
                self.walk(event);
            }
            StrategyEvent::Sorted(classes) => self.sorted(classes),
            StrategyEvent::NotEnough(run) => self.not_enough(run),
            StrategyEvent::Interchangeable => self.begin_naming(
                "name what is left",
                "What is left differs only in values that occur nowhere else (Def. 49): every order \
                 gives the same state.",
                ChoiceMark::Harmless,
            ),
            StrategyEvent::Unseen => self.unseen(),
            event => self.search(event),
        }
    }

    fn begin(&mut self, title: impl Into<String>, sentence: impl Into<String>, mark: ChoiceMark) {
        self.drop_empty();
        self.steps.push(StepView {
            title: title.into(),
            detail: String::new(),
            mark,
            sentences: vec![sentence.into()],
            state: Vec::new(),
        });
    }

    fn begin_naming(
        &mut self,
        title: impl Into<String>,
        sentence: impl Into<String>,
        mark: ChoiceMark,
    ) {
        self.begin(title, sentence, mark);
        self.is_naming = true;
    }

    fn drop_empty(&mut self) {
        let is_naming = std::mem::take(&mut self.is_naming);
        self.steps
            .pop_if(|step| is_naming && step.detail.is_empty());
    }

    fn walk(&mut self, event: &StrategyEvent) {
        let names = self.names;
        match event {
            StrategyEvent::Start(component, why) => {
                let name = names.component(*component);
                let sentence = match why {
                    Start::Lone => format!("{name} stays where it is, so it is walked from."),
                    Start::Single => format!(
                        "Nothing else that is left looks like {name} (control state, and names given \
                         so far), so it is walked from next."
                    ),
                };
                self.begin_naming(format!("walk from {name}"), sentence, ChoiceMark::Forced);
                // The walk will say that it is at this component, too, which would be a repetition.
                self.begun = true;
            }
            StrategyEvent::At(component) => {
                if std::mem::take(&mut self.begun) {
                    return;
                }
                let name = names.component(*component);
                let via = self.via.get(*component as usize).copied().flatten();
                let sentence = match via {
                    Some((value, holder)) => format!(
                        "{}, which {} holds, identifies {name}: it is come to next.",
                        names.value(value),
                        names.component(holder)
                    ),
                    None => format!("{name} is come to next."),
                };
                self.begin_naming(format!("at {name}"), sentence, ChoiceMark::Forced);
            }
            StrategyEvent::Named(component, value, name) => self.named(*component, *value, *name),
            StrategyEvent::LeadsTo(component) => {
                if let Some(slot) = self.via.get_mut(*component as usize) {
                    // The value named last identifies it. It may be reached much later, so this is kept until then.
                    *slot = self.last;
                }
            }
            _ => {}
        }
    }

    fn named(&mut self, component: u16, value: u16, name: u16) {
        let names = self.names;
        let kind = names.atoms.kind(Atom(value));
        let first = names.atoms.atoms(kind).start;
        if let Some(slot) = self.image.get_mut(value as usize) {
            *slot = Some(name);
        }
        self.last = Some((value, component));
        // After the name was noted: the step shows where it leaves the values.
        let state = self.named_lines();
        let Some(step) = self.steps.last_mut() else {
            return;
        };
        step.sentences.push(format!(
            "{}: its {} is {}, the {} {} that is met, so it is called {}.",
            names.component(component),
            names.holder(component, value),
            names.value(value),
            // The n-th value found gets the n-th name of its type (Def. 40).
            ordinal((name - first) as usize + 1),
            names.atoms.name(kind),
            names.value(name)
        ));
        let arrow = format!("{}->{}", names.value(value), names.value(name));
        if !step.detail.is_empty() {
            step.detail.push(' ');
        }
        step.detail += &arrow;
        step.state = state;
    }

    /// `NodeID  N4->N0 N1->N1   open N2 N3`
    fn named_lines(&self) -> Vec<(String, String)> {
        let names = self.names;
        let line = |kind: usize| {
            let range = names.atoms.atoms(kind as u8);
            let mut done: Vec<(u16, u16)> = Vec::new();
            let mut open = Vec::new();
            for value in range {
                match self.image[value as usize] {
                    Some(name) => done.push((name, value)),
                    None => open.push(names.value(value)),
                }
            }
            // By new name, which is the order in which they were named.
            done.sort_unstable();
            let done = done.iter();
            let done = done.map(|(n, v)| format!("{}->{}", names.value(*v), names.value(*n)));
            let mut text = done.collect::<Vec<_>>().join(" ");
            if !open.is_empty() {
                text += &format!("   open {}", open.join(" "));
            }
            (
                names.atoms.name(kind as u8).to_owned(),
                text.trim_start().to_owned(),
            )
        };
        (0..names.atoms.kinds()).map(line).collect()
    }

    fn sorted(&mut self, classes: &[Vec<u16>]) {
        // Classes of several are those that the next walk cannot begin from.
        let several = classes.iter().filter(|class| class.len() > 1).count();
        self.begin(
            "sort what is left",
            "What no walk has come to is sorted by control state and by the names given so far.",
            ChoiceMark::Forced,
        );
        let state: Vec<_> = classes
            .iter()
            .enumerate()
            .map(|(at, class)| (format!("S{}", at + 1), self.names.component_set(class)))
            .collect();
        if let Some(step) = self.steps.last_mut() {
            let plural = if classes.len() == 1 { "" } else { "es" };
            step.detail = match several {
                0 => format!("{} class{plural}, each of one", classes.len()),
                _ => format!("{} class{plural}, {several} of several", classes.len()),
            };
            step.state = state;
        }
    }

    fn not_enough(&mut self, run: &[u16]) {
        let set = self.names.component_set(run);
        self.begin(
            "the walk ends",
            format!(
                "{set} look alike, and hold values that others hold, too: following references does \
                 not tell them apart."
            ),
            ChoiceMark::Forced,
        );
        if let Some(step) = self.steps.last_mut() {
            step.detail = format!("not enough for {set}");
        }
    }

    /// Adds a step for the values that no component holds, if there are any.
    fn unseen(&mut self) {
        let names = self.names;
        let mut lines = Vec::new();
        let mut mark = ChoiceMark::Forced;
        for kind in 0..names.atoms.kinds() as u8 {
            let open = |v: &u16| self.image[*v as usize].is_none();
            let open: Vec<u16> = names.atoms.atoms(kind).filter(open).collect();
            // A single remaining value leaves no choice.
            if open.len() > 1 {
                mark = ChoiceMark::Harmless;
            }
            if !open.is_empty() {
                lines.push((names.atoms.name(kind).to_owned(), names.raw_set(&open)));
            }
        }
        self.drop_empty();
        if lines.is_empty() {
            return;
        }
        let sentence = "No component holds these values: they get the names that are left.";
        self.begin("values that do not occur", sentence, mark);
        if let Some(step) = self.steps.last_mut() {
            let sets = lines.iter().map(|(_, set)| set.as_str());
            step.detail = sets.collect::<Vec<_>>().join(" ");
            step.state = lines;
        }
    }

    fn search(&mut self, event: &StrategyEvent) {
        let names = self.names;
        match event {
            StrategyEvent::Refined(level, colours) => self.refined(*level, colours),
            StrategyEvent::Free(_, cell) => {
                let set = names.raw_set(cell);
                self.begin(
                    format!("{set} are free"),
                    "Any permutation of these values extends to one that leaves the state alone: \
                     every order gives the same.",
                    ChoiceMark::Harmless,
                );
            }
            StrategyEvent::Branch(_, cell) => self.begin(
                format!("branch on {}", names.raw_set(cell)),
                "Refinement does not tell these values apart: each is tried as the first, and the \
                 least state that comes out is the representative. Nothing is left to chance.",
                ChoiceMark::Forced,
            ),
            StrategyEvent::Chosen(..) | StrategyEvent::Skipped(..) => self.tried(event),
            StrategyEvent::Leaf(_, leaf) => self.leaf(*leaf),
            StrategyEvent::Automorphism(map, part) => {
                let cycles = names.cycles(map);
                self.begin(
                    "automorphism",
                    format!(
                        "{cycles} leaves the state as it is. What was tried since the two ways parted, \
                         at the {} choice, is an image of what was tried before.",
                        ordinal(part + 1)
                    ),
                    ChoiceMark::Forced,
                );
                if let Some(step) = self.steps.last_mut() {
                    step.detail = cycles;
                }
            }
            StrategyEvent::Orbit(level, value, length) => {
                let name = names.value(*value);
                self.begin(
                    format!("orbit of {name}: {length}"),
                    format!(
                        "At the {} choice, automorphisms take {name} to {length} values of its cell, \
                         itself among them: a factor of {length} of the stabiliser's order.",
                        ordinal(level + 1)
                    ),
                    ChoiceMark::Forced,
                );
            }
            StrategyEvent::GaveUp => self.begin(
                "given up",
                "There were too many ways to go on: the best so far is taken, and others may be less.",
                ChoiceMark::Harmful,
            ),
            _ => {}
        }
    }

    /// A value of a cell that is branched on.
    fn tried(&mut self, event: &StrategyEvent) {
        let names = self.names;
        match event {
            StrategyEvent::Chosen(level, value) => {
                let name = names.value(*value);
                self.begin(
                    format!("{} choice: {name}", ordinal(level + 1)),
                    format!("{name} gets a colour of its own, before the others of its cell."),
                    ChoiceMark::Forced,
                );
                self.round = 0;
            }
            StrategyEvent::Skipped(_, value) => {
                let name = names.value(*value);
                self.begin(
                    format!("{name} is not tried"),
                    format!(
                        "An automorphism that leaves the choices before alone takes {name} to a value \
                         that was tried: what comes out would be the same."
                    ),
                    ChoiceMark::Forced,
                );
            }
            _ => {}
        }
    }

    fn refined(&mut self, level: usize, colours: &[u16]) {
        let count = cells(colours).len();
        let before = match &self.colours {
            // The colours are unchanged: this is not worth a step.
            Some((at, before)) if *at == level && before == colours => return,
            Some((at, before)) if *at == level => Some(cells(before).len()),
            _ => None,
        };
        let lines = self.names.cell_lines(colours);
        match (before, level) {
            (None, 0) => {
                self.begin(
                    "colour the values",
                    "Values of one type get one colour, those that occur nowhere the last.",
                    ChoiceMark::Forced,
                );
                self.round = 0;
            }
            // The step that chose a value says so.
            (None, _) => {}
            (Some(_), _) => {
                self.round += 1;
                self.begin(
                    format!("refine, round {}", self.round),
                    "Components differ by control state and by the colours of their values, values by \
                     the components that they occur in: what differs gets different colours.",
                    ChoiceMark::Forced,
                );
            }
        }
        if let Some(step) = self.steps.last_mut() {
            step.detail = match before {
                Some(before) => format!("{before} -> {count} cells"),
                None => format!("{count} cell{}", if count == 1 { "" } else { "s" }),
            };
            step.state = lines;
        }
        self.colours = Some((level, colours.to_vec()));
    }

    fn leaf(&mut self, leaf: LeafKind) {
        self.leaves += 1;
        let (detail, sentence) = match leaf {
            LeafKind::First => (
                "the first",
                "Every value has a name. It is the best so far.",
            ),
            LeafKind::Better => (
                "less than before",
                "Every value has a name, and the state is less than the best so far: it is the best \
                 now.",
            ),
            LeafKind::Worse => (
                "not less",
                "Every value has a name, but the state is not less than the best so far.",
            ),
            LeafKind::Equal => (
                "equal to an earlier one",
                "Every value has a name, and the state is one that came out before: the two ways to \
                 it differ by an automorphism.",
            ),
        };
        self.begin(
            format!("leaf {}", self.leaves),
            sentence,
            ChoiceMark::Forced,
        );
        if let Some(step) = self.steps.last_mut() {
            step.detail = detail.to_owned();
        }
        // The next colours belong to another path: comparing them with these would count a round
        // that was none.
        self.colours = None;
    }
}
