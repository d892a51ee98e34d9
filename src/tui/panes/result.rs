//! The result of the order of the components: the order of the values, the permutation, the representative.

use super::Content;
use crate::animate::model::{ComponentView, Explanation, TypeOrdering, TypePermutation};
use crate::animate::sentences::{self, ComponentNames, compact, variable};
use crate::app::App;
use crate::symmetry::trace::{Step, TypeOrder};
use crate::text::{Row, fit, pad, width};
use crate::theme::Role;

/// A step after the components are in order.
pub fn rows(app: &App, explanation: &Explanation, content: &mut Content, columns: usize) {
    let step = explanation.trace.steps.get(app.orbit.frame);
    let say = |content: &mut Content, text: &str| {
        content.push_text(app.theme, Role::Plain, text, columns);
    };
    match step {
        Some(Step::Ordered) => {
            say(
                content,
                "Every block is a single state: that is the order of the components (Def. 36).",
            );
            order_rows(app, explanation, content, columns);
        }
        Some(Step::Types) => {
            say(content, appearance_sentence(explanation));
            let names = ComponentNames::new(&explanation.components);
            let types = explanation.trace.type_orders.iter();
            let lists = types.map(|order| type_lines(explanation, &names, order));
            side_by_side(app, lists.collect(), content, columns);
        }
        Some(Step::Generated) => {
            say(
                content,
                "The n-th value of the order goes to the n-th value of its type (Def. 40).",
            );
            let unique = &explanation.representative.uniqueness;
            say(content, &format!("Representative: {}", unique.claim()));
            let orders = &explanation.trace.type_orders;
            for order in orders {
                let text = sentences::type_order_text(order);
                say(content, &format!("{}  {text}", order.name));
            }
            let types = explanation.representative.permutation.iter();
            let lists = types.map(|pi| image_lines(pi, orders));
            side_by_side(app, lists.collect(), content, columns);
            result_rows(app, explanation, content, columns);
            let cycles = sentences::permutation_parts(&explanation.representative);
            say(content, &format!("renaming  {}", cycles.join("  ")));
            if !unique.is_certain() {
                say(content, &unique.why());
            }
        }
        _ => {
            for sentence in sentences::sentences(explanation, app.orbit.frame) {
                say(content, &sentence);
            }
            tied_rows(app, explanation, content, columns);
        }
    }
}

fn appearance_sentence(explanation: &Explanation) -> &'static str {
    match explanation.type_order {
        TypeOrdering::Appearance => {
            "Along the order of the components, each value takes the next place of its type where it \
             appears first (Def. 38)."
        }
        TypeOrdering::IdentitiesFirst => {
            "Along the order of the components, first the values that identify them, and then the \
             others, take the next place of their types where they appear first (a variant of Def. 38)."
        }
    }
}

/// The components in their order, numbered.
fn order_rows(app: &App, explanation: &Explanation, content: &mut Content, columns: usize) {
    for (at, component) in explanation.trace.order.iter().enumerate() {
        let text = explanation.components.get(*component).map(compact);
        let line = format!(" {:>3}  {}", at + 1, text.unwrap_or_default());
        let role = if *component == app.orbit.component {
            Role::Focus
        } else {
            Role::Plain
        };
        content.push_target(
            Row::new(app.theme).add(role, fit(&line, columns)),
            *component,
        );
    }
}

/// The component that holds tied values.
fn tied_rows(app: &App, explanation: &Explanation, content: &mut Content, columns: usize) {
    let Some(Step::Tie {
        values, component, ..
    }) = explanation.trace.steps.get(app.orbit.frame)
    else {
        return;
    };
    let names = ComponentNames::new(&explanation.components);
    if let Some(held) = explanation.components.get(*component) {
        content.push(Row::new(app.theme));
        let text = format!("{}  {}", names.of(*component), compact(held));
        content.push_text(app.theme, Role::Strong, &text, columns);
    }
    for (at, value) in values.iter().enumerate() {
        let line = format!(" {:>3}  {value}", at + 1);
        content.push(Row::new(app.theme).plain(fit(&line, columns)));
    }
}

/// The values of a type, each with its place, and its first occurrence.
fn type_lines(explanation: &Explanation, names: &ComponentNames, order: &TypeOrder) -> Vec<String> {
    let mut lines = vec![order.name.clone()];
    for (at, (value, (component, held))) in order.values.iter().zip(&order.places).enumerate() {
        let variable = variable(explanation, *component, *held);
        let name = variable.map_or("?", |v| v.name.as_str());
        let holder = names.of(*component);
        lines.push(format!("{:>2} {value}  {name} of {holder}", at + 1));
    }
    let rest = order.values.len().saturating_sub(order.places.len());
    // Values without a place do not occur; the order of these is arbitrary (Def. 38).
    for (at, value) in order.values.iter().enumerate().skip(order.places.len()) {
        let order = if rest > 1 { ": any order" } else { "" };
        lines.push(format!("{:>2} {value}  not seen{order}", at + 1));
    }
    lines
}

/// The values of a type in order, each with its image.
fn image_lines(pi: &TypePermutation, orders: &[TypeOrder]) -> Vec<String> {
    let mut lines = vec![pi.name.clone()];
    let image = |value: &str| pi.map.iter().find(|(from, _)| from == value);
    // In the order that was found: so the images go up from the first value of the type.
    let order = orders.iter().find(|order| order.name == pi.name);
    let values = order.map_or(&[][..], |order| &order.values);
    for (at, value) in values.iter().enumerate() {
        let to = image(value).map_or("?", |(_, to)| to.as_str());
        lines.push(format!("{:>2} {value} -> {to}", at + 1));
    }
    lines
}

/// Lists beside each other if there is room, otherwise one after the other.
fn side_by_side(app: &App, lists: Vec<Vec<String>>, content: &mut Content, columns: usize) {
    let wide = |list: &Vec<String>| list.iter().map(|l| width(l)).max().unwrap_or(0) + 3;
    let total: usize = lists.iter().map(wide).sum();
    // One group of lists beside each other, or a group for each.
    let lists = if total < columns {
        vec![lists]
    } else {
        lists.into_iter().map(|l| vec![l]).collect()
    };
    for group in lists {
        let deep = group.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..deep {
            let mut row = Row::new(app.theme).plain(" ");
            for list in &group {
                let text = list.get(at).map_or("", String::as_str);
                let role = if at == 0 { Role::Strong } else { Role::Plain };
                row = row.add(role, pad(text, wide(list).min(columns.saturating_sub(2))));
            }
            content.push(row);
        }
        content.push(Row::new(app.theme));
    }
}

/// The representative beside the components that became it.
fn result_rows(app: &App, explanation: &Explanation, content: &mut Content, columns: usize) {
    let rep = &explanation.representative;
    let permuted = Permuted {
        components: &explanation.components,
        representative: &rep.components,
        source: &rep.source,
    };
    component_rows(app, &permuted, content, columns);
}

/// The components of a state, and their images under a permutation.
pub struct Permuted<'a> {
    /// The components of the state.
    pub components: &'a [ComponentView],
    /// The components of the representative.
    pub representative: &'a [ComponentView],
    /// The preimage of each of these among the components of the state.
    pub source: &'a [usize],
}

/// The components of a state, each with its image.
pub fn component_rows(app: &App, permuted: &Permuted<'_>, content: &mut Content, columns: usize) {
    let Permuted {
        components,
        representative,
        source,
    } = *permuted;
    content.push(Row::new(app.theme).add(Role::Strong, " component   becomes"));
    let names = ComponentNames::new(components);
    let targets = ComponentNames::new(representative);
    let raw = components.iter().map(|c| width(&compact(c)));
    let first = raw.max().unwrap_or(0).min(columns / 3);
    let label = (0..components.len()).map(|c| width(names.of(c)));
    let label = label.max().unwrap_or(0).max(2);
    for (at, component) in components.iter().enumerate() {
        // Prop. 35 says where each component comes from; here it is read the other way round.
        let to = source.iter().position(|from| *from == at);
        let role = if at == app.orbit.component {
            Role::Focus
        } else {
            Role::Plain
        };
        let text = to.and_then(|to| Some((to, representative.get(to)?)));
        let text = text.map(|(to, c)| format!("{} {}", pad(targets.of(to), label), compact(c)));
        let line = format!(
            " {} {}  ->  {}",
            pad(names.of(at), label),
            pad(&compact(component), first),
            text.unwrap_or_default()
        );
        content.push_target(Row::new(app.theme).add(role, fit(&line, columns)), at);
    }
    content.push(Row::new(app.theme));
}
