//! Commands of the Symmetry view.

use crate::actions::symmetry;
use crate::app::View;
use crate::command::Command;
use crate::menu_group::MenuGroup::Steps;

const SYMMETRY: &[View] = &[View::Symmetry];

/// The table of these commands.
#[rustfmt::skip]
pub static IN_SYMMETRY: &[Command] = &[
    Command::new("play-generator", "play the generator or pause", &["p", "enter"], symmetry::play,
        "Apply the generator to the present state again and again, until every state is as it was; or stop that.")
        .views(SYMMETRY).hint("play").when(symmetry::has_generators).menu(Steps),
    Command::new("apply-back", "one application less", &["h", "left"], symmetry::back,
        "Show the image of the present state under one power less of the generator.")
        .views(SYMMETRY).hint("back").counts().when(symmetry::is_applied).menu(Steps),
    Command::new("apply", "apply once more", &["l", "right"], symmetry::forward,
        "Show the image of the present state under the next power of the generator. No step is taken.")
        .views(SYMMETRY).hint("apply").counts().when(symmetry::has_next_power).menu(Steps),
    Command::new("generator-next", "next generator", &["n"], symmetry::next,
        "Show the next generator, round and round.")
        .views(SYMMETRY).hint("next").when(symmetry::has_others).menu(Steps),
    Command::new("generator-previous", "previous generator", &["N"], symmetry::previous,
        "Show the generator before this one, round and round.")
        .views(SYMMETRY).hint("previous").when(symmetry::has_others).menu(Steps),
    Command::new("not-applied", "the present state itself", &["0"], symmetry::first,
        "Show the present state as it is.")
        .views(SYMMETRY).hint("start").when(symmetry::is_applied).menu(Steps),
    Command::new("play-faster", "play faster", &["+", "="], symmetry::faster,
        "Apply the generator at shorter intervals.")
        .views(SYMMETRY).hint("faster").when(symmetry::has_generators),
    Command::new("play-slower", "play more slowly", &["-"], symmetry::slower,
        "Apply the generator at longer intervals.")
        .views(SYMMETRY).when(symmetry::has_generators),
];
