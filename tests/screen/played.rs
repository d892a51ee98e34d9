//! The Symmetry view with the real engine: what is drawn is what the generators make of the present state.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::{ProcessSymmetry, StateImage};
use orbitscope::report::structure::GeneratorView;
use orbitscope::source::{Cancel, Limits};
use orbitscope::tui::app::{Msg, View};

use super::net::Bounds;
use super::oracle::Oracle;
use super::random_keys::listed;
use super::session::Screen;
use super::support::{repository, script};

/// Philosophers around a table: the table can be turned, and nothing else.
const DINERS: &str = "\
N = 5
I = {0..N-1}
right(n) = (n + 1) % N
channel sit, eat : I
channel up, down : I.I
P(n) = sit.n -> up.n.n -> up.n.right(n) -> eat.n -> down.n.n -> down.n.right(n) -> P(n)
left(n) = (n + N - 1) % N
F(n) = up.n.n -> down.n.n -> F(n) [] up.left(n).n -> down.left(n).n -> F(n)
Table = (||| n : I @ P(n)) [| {| up, down |} |] (||| n : I @ F(n))
assert Table :[deadlock free]
";

fn found(screen: &Screen) -> &ProcessSymmetry {
    let state = screen.session().current();
    let found = screen.app.playing.found(state);
    found.unwrap_or_else(|| panic!("no symmetry: {}", screen.text()))
}

fn generator(screen: &Screen) -> &GeneratorView {
    let group = found(screen).told.found.as_ref().expect("a group");
    &group.generators[screen.app.playing.generator]
}

fn image(screen: &Screen) -> &StateImage {
    let playing = &screen.app.playing;
    let key = (screen.session().current(), playing.generator, playing.power);
    let told = playing.image(key).expect("an image");
    told.as_ref().expect("it can be applied")
}

fn texts(screen: &Screen) -> Vec<String> {
    let parts = image(screen).parts.iter();
    parts.map(|part| part.text.clone()).collect()
}

/// The texts of the present state.
fn present(screen: &Screen) -> Vec<String> {
    let view = screen.session().view().expect("the state is known");
    view.components.iter().map(|c| c.text.clone()).collect()
}

/// The component that each one becomes, by the cycles that are shown.
fn targets(generator: &GeneratorView, count: usize) -> Vec<usize> {
    let mut targets: Vec<usize> = (0..count).collect();
    for cycle in &generator.components {
        for (at, component) in cycle.iter().enumerate() {
            targets[*component] = cycle[(at + 1) % cycle.len()];
        }
    }
    targets
}

/// A text in which every number between parentheses is moved on by `by`, of `n`.
fn turned(text: &str, by: usize, n: usize) -> String {
    let moved = |part: &str| match part.parse::<usize>() {
        Ok(number) => ((number + by) % n).to_string(),
        Err(_) => part.to_owned(),
    };
    let Some((head, rest)) = text.split_once('(') else {
        return text.to_owned();
    };
    let inner = rest.trim_end_matches(')').split(", ").map(moved);
    format!("{head}({})", inner.collect::<Vec<_>>().join(", "))
}

/// All that is reached in exactly so many steps, in words.
fn reached_in(path: &Path, process: &str, steps: usize) -> BTreeSet<Vec<String>> {
    let mut oracle = Oracle::open(path, process, Bounds::default()).expect("it can be opened");
    let mut level = vec![oracle.raw.initial()];
    for _ in 0..steps {
        let mut next = BTreeSet::new();
        for state in &level {
            let steps = oracle.raw.steps(state).expect("it can be evaluated");
            next.extend(steps.into_iter().map(|(_, to)| to));
        }
        level = next.into_iter().collect();
    }
    level.iter().map(|state| oracle.raw.texts(state)).collect()
}

#[test]
fn a_table_is_turned_until_it_is_as_it_was() {
    let path = script("played_diners.csp", DINERS);
    let mut screen = Screen::open_at(&path, Some("Table"));
    screen.press("enter j enter enter S");
    assert_eq!(screen.app.view, View::Symmetry);
    let text = screen.text();
    for said in [
        "C5, of order 5",
        "applied 0 of 5 times",
        "looked at ",
        "no symmetric datatype",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let before = present(&screen);
    assert_eq!(texts(&screen), before);
    let to = targets(generator(&screen), before.len());
    let names = found(&screen).told.components.clone();
    // By how much it turns is told by the names of the philosophers.
    let first = by_name(&names, 0).expect("P(0) is a component");
    let by = (0..5).find(|by| by_name(&names, *by) == Some(to[first]));
    let by = by.expect("P(0) becomes a philosopher");
    let reached = reached_in(&path, "Table", 3);
    assert!(reached.contains(&before));
    screen.press("p");
    let mut expected = before.clone();
    for power in 0..=5 {
        assert_eq!(screen.app.playing.power, power);
        let shown = texts(&screen);
        assert_eq!(shown, expected, "after {power}");
        assert!(reached.contains(&shown), "after {power}: {shown:?}");
        let same = shown == before;
        assert_eq!(image(&screen).is_same, same);
        let text = screen.text();
        let said = match (same, power) {
            (true, 0) => "The present state as it is.",
            (true, _) => "The present state itself again.",
            (false, _) => "Another state, reached in as many steps.",
        };
        assert!(text.contains(said), "after {power}: {text}");
        assert!(
            text.contains(&format!("applied {power} of 5 times")),
            "{text}"
        );
        for local in &shown {
            assert!(
                text.contains(local.as_str()),
                "{local} after {power}: {text}"
            );
        }
        let mut next = expected.clone();
        for (component, local) in expected.iter().enumerate() {
            next[to[component]] = turned(local, by, 5);
        }
        expected = next;
        // The terminal changes its size meanwhile.
        let size = [(120, 36), (80, 24), (200, 60), (60, 16)][power as usize % 4];
        screen.send(Msg::Resize(size.0, size.1));
        screen.text();
        screen.send(Msg::Resize(120, 36));
        screen.pass(1_000);
        screen.settle();
    }
    assert!(!screen.app.playing.plays);
    screen.compare();
}

/// The number of `P(n)` among the components.
fn by_name(names: &[String], n: usize) -> Option<usize> {
    names.iter().position(|name| *name == format!("P({n})"))
}

/// Every generator of several scripts, some steps away from the beginning: all images are states that are reached in
/// as many steps, and after as many times as is told they are the state itself.
#[test]
fn images_are_states_of_the_process() {
    let mut exact = 0;
    for (file, process, keys) in [
        ("models/ring.csp", "Rings", "R enter j enter"),
        ("models/peterson.csp", "", "enter j enter j enter"),
        ("tests/data/structure/rings.csp", "System", "enter"),
        (
            "tests/data/structure/rings.csp",
            "DirectedSystem",
            "enter j enter",
        ),
        ("tests/data/structure/torus.csp", "", "enter j enter"),
        ("tests/data/structure/tree.csp", "", "enter j enter"),
        ("tests/data/structure/hypercube.csp", "", "enter"),
    ] {
        let path = repository(file);
        let named = Some(process).filter(|name| !name.is_empty());
        let mut screen = Screen::open_at(&path, named);
        screen.press(keys);
        let process = screen.session().history.process().to_owned();
        let steps = screen.session().history.depth();
        let reached = reached_in(&path, &process, steps);
        screen.press("S");
        let count = found(&screen)
            .told
            .found
            .as_ref()
            .expect("a group")
            .generators
            .len();
        assert!(count > 0, "{file}: {}", screen.text());
        for _ in 0..count {
            let order = found(&screen).orders[screen.app.playing.generator].clone();
            let to = targets(generator(&screen), present(&screen).len());
            let mut powers = 0_u64;
            loop {
                let shown = texts(&screen);
                exact += usize::from(!image(&screen).is_up_to_alike && !image(&screen).is_same);
                assert!(
                    image(&screen).is_up_to_alike || reached.contains(&shown),
                    "{file}, generator {}: {shown:?}",
                    screen.app.playing.generator + 1
                );
                assert_eq!(image(&screen).is_same, shown == present(&screen), "{file}");
                let mut at: Vec<usize> = (0..to.len()).collect();
                (0..powers).for_each(|_| at.iter_mut().for_each(|c| *c = to[*c]));
                for (component, image_of) in at.iter().enumerate() {
                    assert_eq!(image(&screen).parts[*image_of].from, component, "{file}");
                }
                if screen.app.playing.power == powers && order.to_string() == powers.to_string() {
                    break;
                }
                powers += 1;
                screen.press("l");
                assert_eq!(screen.app.playing.power, powers);
            }
            assert_eq!(texts(&screen), present(&screen), "{file}");
            screen.press("n");
        }
    }
    assert!(exact >= 20, "{exact} other states");
}

/// What the animator shows is a state of another machine, with other plans and other numbers. Applied no time, it is
/// the same in both; where it cannot be taken over, that is said.
#[test]
fn a_state_is_the_same_where_symmetry_is_looked_for() {
    let (mut same, mut elsewhere) = (0, Vec::new());
    for folder in ["models", "tests/data/structure", "tests/data/symmetry"] {
        for path in listed(repository(folder)) {
            // Who takes longer is left out.
            let limits = Limits::default().with_timeout(Duration::from_secs(3));
            let engine = ScriptEngine::load_within(path.clone(), limits, &Cancel::default());
            let Ok(mut engine) = engine else { continue };
            let processes = engine.info().processes.clone();
            for process in processes.iter().take(2) {
                let Ok(state) = engine.open(process) else {
                    continue;
                };
                let Ok(view) = engine.view(state) else {
                    continue;
                };
                let after = view.transitions.first().map(|t| t.target);
                let Ok(found) = engine.symmetry_of(state) else {
                    continue;
                };
                if !found
                    .told
                    .found
                    .is_ok_and(|group| !group.generators.is_empty())
                {
                    continue;
                }
                for state in std::iter::once(state).chain(after) {
                    let Ok(view) = engine.view(state) else {
                        continue;
                    };
                    let texts: Vec<&str> =
                        view.components.iter().map(|c| c.text.as_str()).collect();
                    let name = format!("{} {process}: {texts:?}", path.display());
                    match engine.image(state, 0, 0) {
                        Ok(image) => {
                            let shown = image.parts.iter().map(|part| part.text.as_str());
                            assert_eq!(shown.collect::<Vec<_>>(), texts, "{name}");
                            assert!(image.is_same, "{name}");
                            same += 1;
                        }
                        Err(why) => elsewhere.push(format!("{name}: {}", why.summary)),
                    }
                }
            }
        }
    }
    assert!(
        same >= 20 && elsewhere.is_empty(),
        "{same} are the same, {elsewhere:#?}"
    );
}

#[test]
fn without_symmetry_that_is_said_with_what_almost_holds() {
    let path = repository("tests/data/structure/left_handed.csp");
    let mut screen = Screen::open_at(&path, None);
    screen.press("enter S");
    let text = screen.text();
    assert!(
        text.contains("no symmetry") && text.contains("there are none"),
        "{text}"
    );
    screen.press("tab tab pgdn");
    let text = screen.text();
    assert!(
        text.contains("fails:") && text.contains("take.1.2 at first."),
        "{text}"
    );
    screen.press("p");
    assert!(
        screen.text().contains("there is no symmetry"),
        "{}",
        screen.text()
    );
    screen.press("n");
    screen.compare();
}

/// Chasing, and components that have no end.
#[test]
fn what_is_not_known_is_said_to_be_so() {
    let chased = "external chase\nchannel a, b : {0, 1}\nP(i) = a.i -> b.i -> P(i)\n\
                  Q = chase((P(0) ||| P(1)) \\ {a.0, a.1}) ||| P(0)\nassert Q :[deadlock free]\n";
    let endless = "channel a : {0, 1}\nP(i, n) = a.i -> P(i, n + 1)\nQ = P(0, 0) ||| P(1, 0)\n\
                   assert Q :[deadlock free]\n";
    for (name, text, why) in [
        (
            "played_chased.csp",
            chased,
            "some steps are taken before others",
        ),
        ("played_endless.csp", endless, "some component was not"),
    ] {
        let mut screen = Screen::open_at(&script(name, text), Some("Q"));
        screen.press("enter S");
        let shown: String = screen.text().replace('║', " ");
        let words: Vec<&str> = shown.split_whitespace().collect();
        assert!(words.join(" ").contains(why), "{name}: {shown}");
        assert!(!shown.contains("no symmetry"), "{name}: {shown}");
        screen.press("p");
        assert!(!screen.app.playing.plays);
        screen.compare();
    }
}

/// It is looked for once in a process, and once more after the script was loaded again.
#[test]
fn it_is_kept_until_the_script_is_another() {
    let path = script("played_kept.csp", DINERS);
    let mut screen = Screen::open_at(&path, Some("Table"));
    let asked = |screen: &Screen| {
        let looked = screen
            .asked
            .iter()
            .filter(|asked| asked.contains("Symmetry("));
        looked.count()
    };
    screen.press("S 1 enter S 1 8");
    assert_eq!(asked(&screen), 1, "{:?}", screen.asked);
    screen.open("P(0) ||| P(1)");
    screen.press("S");
    assert_eq!(asked(&screen), 2);
    assert!(
        screen.text().contains("the open process P(0) ||| P(1)"),
        "{}",
        screen.text()
    );
    // An assertion that is selected in Check is not meant.
    screen.press("4 S");
    assert!(
        screen.text().contains("the open process P(0) ||| P(1)"),
        "{}",
        screen.text()
    );
    std::fs::write(&path, DINERS.replace("N = 5", "N = 3")).expect("it can be written");
    screen.send(Msg::DiskChanged(vec![path.display().to_string()]));
    screen.press("R esc S");
    assert_eq!(asked(&screen), 3, "{:?}", screen.asked);
    screen.open("Table");
    screen.press("S");
    assert!(
        screen.text().contains("C3, of order 3"),
        "{}",
        screen.text()
    );
}

/// Who leaves while it is looked for does not wait for it, and who comes back looks again; a reload does not wait
/// either.
#[test]
fn looking_is_given_up_when_the_view_is_left() {
    // All ways to permute what nine cells of three values hold: it takes very long to tell what they are.
    let path = repository("models/example37.csp");
    let mut screen = Screen::open_at(&path, Some("Nodes"));
    screen.key("S");
    let text = screen.text();
    assert!(
        text.contains("looking for the symmetry of Nodes ... Esc cancels"),
        "{text}"
    );
    assert!(
        text.contains("looking for symmetry ... Esc cancels"),
        "{text}"
    );
    // What is asked after it is not cancelled with it.
    screen.key("5");
    screen.settle();
    let text = screen.text();
    assert!(
        text.contains("[5 Graph]") && !text.contains("+ and - ask"),
        "{text}"
    );
    assert!(text.contains("> q0 x1"), "{text}");
    screen.press("1 enter");
    assert!(screen.session().history.depth() > 0, "{}", screen.text());
    // Back again: it is looked for once more, and Esc gives it up.
    screen.key("8");
    screen.key("1");
    screen.key("8");
    screen.wait_for("looking", |app| {
        app.pending
            .iter()
            .any(|r| format!("{r:?}").starts_with("Symmetry"))
    });
    assert!(
        screen.text().contains("looking for the symmetry"),
        "{}",
        screen.text()
    );
    screen.key("esc");
    screen.settle();
    assert!(
        screen.text().contains("it was cancelled"),
        "{}",
        screen.text()
    );
    screen.key("1");
    screen.key("8");
    screen.send(Msg::DiskChanged(vec![path.display().to_string()]));
    screen.key("R");
    screen.wait_for("reloaded", |app| app.note.starts_with("reloaded"));
    assert!(screen.app.note.starts_with("reloaded"), "{}", screen.text());
    screen.key("1");
    screen.settle();
    screen.compare();
}
