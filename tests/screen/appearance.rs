//! What a screen looks like, on all views, with the real engine: arrows stand below one another, what is cut still tells
//! its rows apart, and each key of the footer does something.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use orbitscope::source::Limits;
use orbitscope::tui::app::{App, Msg, Pane, View};
use orbitscope::tui::footer::hints;
use orbitscope::tui::layout;
use orbitscope::tui::panes::{self, Content};

use super::random_keys::listed;
use super::session::Screen;
use super::support::{corpus, repository, script, tiers};

/// Scripts that are taken of the corpus where all are tried.
const CORPUS_MAX: usize = 30;

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (60, 20)];

/// Columns in which nothing is cut.
const ROOMY: usize = 2_000;

/// Keys that end the program or leave the screen to something else.
const LEAVING: [&str; 6] = [
    "quit",
    "suspend",
    "editor",
    "open-file",
    "page-leave",
    "card-leave",
];

/// Names that are cut in every list, and differ at their ends only.
const LONG_NAMES: &str = "datatype T = A_value_with_a_rather_long_name.{0..2}\n\
    channel a_channel_with_a_rather_long_name, another_channel : {0..2}.T\n\
    v(n) = A_value_with_a_rather_long_name.n\n\
    A_process_that_waits_for_ever(x) = another_channel.0.x -> A_process_that_waits_for_ever(x)\n\
    Q(n) = a_channel_with_a_rather_long_name.n.v(0) -> Q((n + 1) % 3)\n\
        [] a_channel_with_a_rather_long_name.n.v(1) -> Q(n) [] a_channel_with_a_rather_long_name.n.v(2) -> STOP\n\
    Waiting = (||| n : {0..2} @ A_process_that_waits_for_ever(v(n))) [| {|another_channel|} |] STOP\n\
    assert Waiting ||| Q(0) :[deadlock free]\n";

fn scripts() -> Vec<PathBuf> {
    let mut all = listed(repository("models"));
    all.push(script("long_names.csp", LONG_NAMES));
    let Some(folder) = corpus("screen appearance") else {
        return all;
    };
    let others = listed(folder);
    let count = if tiers::tries_all() { CORPUS_MAX } else { 4 };
    let step = (others.len() / count).max(1);
    // Other ones each day.
    let first = super::random_keys::seed() as usize % step;
    all.extend(others.into_iter().skip(first).step_by(step).take(count));
    all
}

/// The texts of the lines of a pane, each with the item that a click on it selects.
fn lines(content: &Content) -> Vec<(String, Option<usize>)> {
    let texts = content.lines.iter().map(|line| {
        let spans = line.spans.iter().map(|span| span.content.as_ref());
        spans.collect::<String>().trim_end().to_owned()
    });
    texts.zip(content.targets.iter().copied()).collect()
}

/// The columns in which arrows stand in one column of a list.
fn arrows(content: &Content, arrow: &str) -> BTreeMap<usize, Vec<String>> {
    let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (text, _) in lines(content) {
        // Two columns of a list are apart by a stroke.
        for (number, part) in text.split('|').enumerate() {
            if let Some(at) = part.rfind(arrow) {
                let column = 1_000 * number + part[..at].chars().count();
                found.entry(column).or_default().push(part.to_owned());
            }
        }
    }
    found
}

fn arrows_stand_below_one_another(app: &App, pane: Pane, content: &Content) -> Result<(), String> {
    let arrow = match pane {
        Pane::Representative => "<- ",
        Pane::State if content.title.contains("both") => "-> ",
        _ => return Ok(()),
    };
    let found = arrows(content, arrow);
    let parts = found.keys().map(|column| column / 1_000);
    let mut parts: Vec<usize> = parts.collect();
    parts.dedup();
    match parts.len() == found.len() {
        true => Ok(()),
        false => Err(format!(
            "ragged arrows in {pane:?} at {:?}: {found:#?}",
            app.size
        )),
    }
}

/// The entries of a list, by the item that a click selects.
fn entries(content: &Content) -> BTreeMap<usize, String> {
    let mut entries: BTreeMap<usize, String> = BTreeMap::new();
    for (text, target) in lines(content) {
        if let Some(target) = target {
            *entries.entry(target).or_default() += &format!("{text}\n");
        }
    }
    entries
}

/// Entries of a list look different if they do where there is room for everything.
fn cut_entries_differ(app: &App, pane: Pane, content: &Content) -> Result<(), String> {
    let rows = layout::height(app, pane);
    let full = entries(&panes::build(app, pane, ROOMY, rows));
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (target, text) in entries(content) {
        let before = *seen.entry(text.clone()).or_insert(target);
        if full.get(&before) != full.get(&target) {
            let size = app.size;
            return Err(format!(
                "{before} and {target} of {pane:?} are both\n{text}at {size:?}"
            ));
        }
    }
    Ok(())
}

fn looks_right(screen: &Screen) -> Result<(), String> {
    let app = &screen.app;
    for (pane, _) in layout::panes(app) {
        let (columns, rows) = layout::inner(app, pane);
        let content = panes::build(app, pane, columns.into(), rows.into());
        arrows_stand_below_one_another(app, pane, &content)?;
        cut_entries_differ(app, pane, &content)?;
    }
    Ok(())
}

/// Presses a key of the footer, another one each time, and on another day.
fn footer_key_works(screen: &mut Screen, number: usize) -> Result<(), String> {
    let shown = hints(&screen.app);
    let shown = shown.iter().map(|(_, command)| *command);
    let shown: Vec<_> = shown.filter(|c| !LEAVING.contains(&c.id)).collect();
    let number = number + super::random_keys::seed() as usize;
    let Some(command) = shown.get(number % shown.len().max(1)) else {
        return Ok(());
    };
    if let Err(reason) = command.usable(&screen.app) {
        return Err(format!("`{}` is shown, but {reason}", command.id));
    }
    let before = screen.frame();
    screen.asked.clear();
    let key = command.key().split(' ').next().unwrap_or_default();
    screen.key(key);
    screen.settle();
    let mut acts = screen.frame() != before || !screen.asked.is_empty();
    if !acts {
        // What plays begins within a few seconds.
        screen.pass(5_000);
        screen.settle();
        acts = screen.frame() != before;
    }
    let text = screen.text();
    screen.press("X esc esc");
    match acts {
        true => Ok(()),
        false => Err(format!("`{key}` ({}) does nothing\n{text}", command.id)),
    }
}

/// What is wrong with the views of a script.
fn wrong_in(path: &Path, number: usize) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut screen = Screen::hasty(path, Limits::default().with_memory(2 << 30));
    screen.settle();
    if screen.app.session.as_ref().and_then(|s| s.view()).is_none() {
        return wrong;
    }
    // A state in the middle, an explanation and two states to compare.
    screen.press("enter m a 3 0 r");
    for (at, view) in View::ALL.into_iter().enumerate() {
        for (turn, size) in SIZES.into_iter().enumerate() {
            screen.send(Msg::Resize(size.0, size.1));
            screen.press(&view.number().to_string());
            let found = looks_right(&screen).map_err(|error| error + "\n" + &screen.text());
            let works = footer_key_works(&mut screen, number + 3 * at + turn);
            let errors = [found, works].into_iter().filter_map(Result::err);
            wrong.extend(errors.map(|error| format!("{}: {view:?}: {error}", path.display())));
        }
    }
    wrong
}

#[test]
fn every_view_looks_right() {
    let mut wrong = Vec::new();
    for (number, path) in scripts().into_iter().enumerate() {
        wrong.extend(wrong_in(&path, number));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The text of a pane where it is.
fn pane(screen: &Screen, pane: Pane) -> String {
    let (columns, rows) = layout::inner(&screen.app, pane);
    let content = panes::build(&screen.app, pane, columns.into(), rows.into());
    let texts = lines(&content).into_iter().map(|(text, _)| text + "\n");
    texts.collect()
}

#[test]
fn components_at_rest_are_counted_where_the_list_is_long() {
    let source = "datatype T = t.{0..39}\nchannel a, b : {0..39}\nC(i) = a.i -> b.i -> C(i)\n\
                  P = ||| i : {0..39} @ C(i)\nassert P :[deadlock free]\n";
    let mut screen = Screen::open_at(&script("at_rest.csp", source), None);
    screen.press("s");
    let shown = pane(&screen, Pane::State);
    assert!(shown.contains("+40 at rest: 0, 1, 2"), "{shown}");
    screen.press("enter enter");
    let shown = pane(&screen, Pane::State);
    assert!(shown.contains("+38 at rest: 2, 3"), "{shown}");
    for moved in ["C.b(0)", "C.b(1)"] {
        assert!(shown.contains(moved), "{moved}: {shown}");
    }
    // Back at rest, it still is what the last step changed.
    screen.press("/ b . 0 enter enter");
    assert_eq!(screen.session().trace_text(), "<a.0, a.1, b.0>");
    let shown = pane(&screen, Pane::State);
    assert!(
        shown.contains("was C.b(0)") && shown.contains("+38"),
        "{shown}"
    );
    screen.press("d");
    let shown = pane(&screen, Pane::State);
    assert!(
        !shown.contains("at rest") && !shown.contains("C.b(1)"),
        "{shown}"
    );
    screen.press("d");
    let shown = pane(&screen, Pane::State);
    assert!(
        !shown.contains("at rest") && shown.contains("C(39)"),
        "{shown}"
    );
    // What has room is listed.
    screen.press("d");
    screen.send(Msg::Resize(120, 90));
    let shown = pane(&screen, Pane::State);
    assert!(
        !shown.contains("at rest") && shown.contains("C(39)"),
        "{shown}"
    );
}

/// A network that has taken another form has no list of initial local states.
#[test]
fn no_component_of_another_form_is_said_to_be_at_rest() {
    let source = "channel go\nchannel a, b : {0..39}\nC(i) = a.i -> b.i -> C(i)\n\
                  P = go -> ||| i : {0..39} @ C(i)\nassert P :[deadlock free]\n";
    let mut screen = Screen::open_at(&script("at_rest_later.csp", source), None);
    screen.press("s enter");
    let view = screen.session().view().expect("a state").clone();
    assert_eq!(view.components.len(), 40, "{}", screen.text());
    assert!(
        !pane(&screen, Pane::State).contains("at rest"),
        "{}",
        screen.text()
    );
}
