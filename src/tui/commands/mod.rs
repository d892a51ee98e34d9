//! The tables of the registry, one file for each view. The first command that applies wins: special ones stand
//! before general ones, here and in the tables.

mod animate;
mod check;
mod compare;
mod everywhere;
mod graph;
mod orbit;
mod pages;
mod source;
mod structure;
mod symmetry;

use std::sync::LazyLock;

use super::actions::showing;
use super::app::{App, Effect};
use super::command::Command;
use super::menu_group::MenuGroup;
use super::views::View;

/// Every command, in order of precedence.
pub fn all() -> impl Iterator<Item = &'static Command> {
    let of_views = TABLES.iter().copied().flatten();
    of_views.chain(&*OPENING).chain(everywhere::EVERYWHERE)
}

/// The commands that open the views, from what the table of views says.
static OPENING: LazyLock<[Command; View::COUNT]> = LazyLock::new(|| {
    View::ALL.map(|view| {
        let (id, name, keys, question) = view.command();
        Command::new(id, name, keys, SHOWING[view as usize], question).menu(MenuGroup::Views)
    })
});

/// A function of a command holds no data, so each view has its own: as many as there are digits.
const SHOWING: [fn(&mut App, usize) -> Vec<Effect>; 9] = [
    show::<0>, show::<1>, show::<2>, show::<3>, show::<4>, show::<5>, show::<6>, show::<7>,
    show::<8>,
];

fn show<const N: usize>(app: &mut App, _: usize) -> Vec<Effect> {
    showing::show(app, View::ALL[N.min(View::COUNT - 1)])
}

/// The tables of commands that do not work everywhere, in order of precedence.
static TABLES: &[&[Command]] = &[
    pages::ON_A_CARD,
    pages::ON_THE_WELCOME_PAGE,
    animate::IN_ANIMATE,
    orbit::IN_ORBIT,
    compare::IN_COMPARE,
    check::IN_CHECK,
    graph::IN_GRAPH,
    source::IN_SOURCE,
    structure::IN_STRUCTURE,
    symmetry::IN_SYMMETRY,
    everywhere::AT_STATES,
];
