//! Commands of the Source view.

use crate::actions::{general, search, source};
use crate::app::{Pane, View};
use crate::command::Command;
use crate::menu_group::MenuGroup::{Explain, Go};

const SOURCE: &[View] = &[View::Source];
const TEXT: &[Pane] = &[Pane::Source];

/// The table of these commands.
#[rustfmt::skip]
pub static IN_SOURCE: &[Command] = &[
    Command::new("definition", "go to the definition", &["enter", "g d"], source::definition,
        "Go to where the name under the cursor is defined; Ctrl-o comes back.")
        .views(SOURCE).panes(TEXT).hint("definition").when(source::has_text),
    Command::new("outline-go", "go to the text", &["enter"], source::go_to_selected,
        "Show the selected component, definition or place in the text.")
        .views(SOURCE).panes(&[Pane::Outline, Pane::Symmetry]).hint("show").when(source::has_text),
    Command::new("definition-back", "back from the definition", &["ctrl-o", "backspace"], source::back,
        "Go back to where the last definition or search was gone to from.")
        .views(SOURCE).hint("back").when(source::can_go_back),
    Command::new("mover-next", "next component that moves", &["J"], source::mover_next,
        "Show in the text the next component that the selected transition moves.")
        .views(&[View::Source, View::Animate]).counts().when(source::has_movers),
    Command::new("mover-previous", "component that moves before", &["K"], source::mover_previous,
        "Show in the text the component before that the selected transition moves.")
        .views(&[View::Source, View::Animate]).counts().when(source::has_movers),
    Command::new("follow", "show where the component is", &["."], source::refollow,
        "Take the cursor to where the followed component is, and to what it takes in the selected transition.")
        .views(SOURCE).hint("here").when(source::has_place).menu(Go),
    Command::new("search", "search the text", &["/"], general::filter,
        "Search a text in the script and what it includes; capitals count only if you type some. n and N go on.")
        .views(SOURCE).hint("search").when(source::has_text).menu(Go),
    Command::new("search-next", "next found", &["n"], search::search_next,
        "Go to the next place where the searched text stands.")
        .views(SOURCE).counts().when(search::has_search),
    Command::new("search-previous", "found before", &["N"], search::search_previous,
        "Go to the place before where the searched text stands.")
        .views(SOURCE).counts().when(search::has_search),
    Command::new("remark", "all that is said of this place", &["i"], source::remark,
        "Show in full the error, the warning or the symmetry of the place under the cursor, and the type there.")
        .views(SOURCE).hint("say more").when(source::has_remark).menu(Explain),
    Command::new("remark-next", "next remark", &["}"], source::remark_next,
        "Go to the next error, warning or place of which symmetry says something.")
        .views(SOURCE).panes(TEXT).counts().when(source::has_remarks),
    Command::new("remark-previous", "remark before", &["{"], source::remark_previous,
        "Go to the error, warning or place of symmetry before.")
        .views(SOURCE).panes(TEXT).counts().when(source::has_remarks),
    Command::new("file-next", "next file", &["]"], source::file_next,
        "Show the next file of the script: what it includes.")
        .views(SOURCE).when(source::has_files).menu(Go),
    Command::new("file-previous", "file before", &["["], source::file_previous,
        "Show the file before.")
        .views(SOURCE).when(source::has_files).menu(Go),
    Command::new("character-next", "right", &["l", "right"], source::right,
        "Go right by a character.").views(SOURCE).panes(TEXT).counts().when(source::has_text),
    Command::new("character-previous", "left", &["h", "left"], source::left,
        "Go left by a character.").views(SOURCE).panes(TEXT).counts().when(source::has_text),
    Command::new("word-next", "next name", &["w"], source::word_next,
        "Go to the next name or keyword.").views(SOURCE).panes(TEXT).counts().when(source::has_text),
    Command::new("word-previous", "name before", &["b"], source::word_previous,
        "Go to the name or keyword before.").views(SOURCE).panes(TEXT).counts().when(source::has_text),
    Command::new("line-end", "end or start of the line", &["$"], source::line_end,
        "Go to the end of the line; from there, to its start.")
        .views(SOURCE).panes(TEXT).when(source::has_text),
];
