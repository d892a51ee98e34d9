//! The Orbit view shows how each strategy chooses a representative, and which one checks use; what it says
//! of a state is of one computation, wherever on the screen it stands.

use std::collections::BTreeMap;

use orbitscope::animate::model::{ChoiceMark, ComponentView, StrategyKind, TypePermutation};
use orbitscope::symmetry::trace::Step;
use orbitscope::tui::app::{App, Msg, Pane};
use orbitscope::tui::{layout, panes};

use super::session::Screen;
use super::support::{repository, script};

const SIZES: [(u16, u16); 5] = [(80, 24), (40, 10), (20, 5), (120, 36), (200, 60)];

/// Nodes that point at each other in pairs: following references tells none of them apart.
const PAIRS: &str = "\
datatype NodeID = N0 | N1 | N2 | N3
channel link : NodeID.NodeID
Node(me, o) = link.me.o -> Node(me, o)
mate(N0) = N1
Pairs = ||| n : NodeID @ Start(n)
Start(me) = link.me?o -> Node(me, o)
-- orbitscope: trace <link.N0.N1, link.N1.N0, link.N2.N3, link.N3.N2>
";

fn pairs() -> Screen {
    let text = PAIRS.replace("mate(N0) = N1\n", "");
    let mut screen = Screen::open_at(&script("pairs.csp", text), None);
    screen.press("w");
    screen
}

fn pane_lines(app: &App, pane: Pane) -> Vec<String> {
    let (columns, rows) = layout::inner(app, pane);
    let (columns, rows) = (usize::from(columns), usize::from(rows));
    let content = panes::build(app, pane, columns, rows);
    let first = panes::first_line(app, pane, &content, rows);
    let (head, rest) = content
        .lines
        .split_at(content.frozen.min(content.lines.len()));
    let lines = head.iter().chain(rest.iter().skip(first)).take(rows);
    let text = |line: &ratatui::text::Line<'_>| -> String {
        line.spans.iter().map(|s| s.content.as_ref()).collect()
    };
    lines.map(text).collect()
}

/// A local state with its values renamed.
fn renamed(text: &str, permutation: &[TypePermutation]) -> String {
    let images: BTreeMap<&str, &str> = permutation
        .iter()
        .flat_map(|p| p.map.iter().map(|(a, b)| (a.as_str(), b.as_str())))
        .collect();
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        out += images.get(word.as_str()).copied().unwrap_or(&word);
        word.clear();
        out.push(c);
    }
    out.trim_end().to_owned()
}

#[track_caller]
fn leads_to(
    components: &[ComponentView],
    representative: &[ComponentView],
    source: &[usize],
    permutation: &[TypePermutation],
) {
    for (to, from) in source.iter().enumerate() {
        let image = renamed(&components[*from].text, permutation);
        assert_eq!(image, representative[to].text, "{permutation:?}");
    }
}

/// Goes through all strategies, at the state where the screen is; gives how many names the steps of the
/// walk give.
fn go_round(screen: &mut Screen) -> usize {
    let mut seen = Vec::new();
    let mut named = 0;
    for _ in 0..StrategyKind::ALL.len() {
        let kind = screen.app.orbit.strategy;
        let name = kind.strategy().name();
        seen.push(kind);
        // What was said of the strategy gives way to where the steps are.
        screen.app.note.clear();
        let text = screen.text();
        if kind == StrategyKind::Counters && text.contains("counters do not apply") {
            screen.press("A");
            continue;
        }
        let said = match kind == StrategyKind::default() {
            true => format!("strategy {name}, as in checks"),
            false => format!("strategy {name}, checks: "),
        };
        assert!(text.contains(&said), "{text}");
        let session = screen.session();
        let rep = session.view().expect("told").representative.clone();
        let rep = rep.expect("reduced");
        if let Some(told) = screen.app.other_strategy().cloned() {
            leads_to(
                &told.components,
                &told.representative.components,
                &told.representative.source,
                &told.representative.permutation,
            );
            let own = &told.representative;
            assert_eq!(told.same, own.components == rep.components, "{name}");
            assert_eq!(told.same_permutation, own.permutation == rep.permutation);
            assert_eq!(told.steps.len(), screen.app.frames());
            if kind == StrategyKind::Walk && told.fell_back.is_none() {
                named += walk_names(&told.steps, &own.permutation);
            }
            if told.fell_back == Some("ordering".to_owned()) {
                assert!(told.same && told.same_permutation);
            }
        } else {
            assert_eq!(kind, StrategyKind::Ordering);
        }
        let steps = screen.app.frames();
        for at in 1..=steps {
            let text = screen.text();
            assert!(text.contains(&format!("step {at}/{steps}")), "{text}");
            screen.press("l");
        }
        let text = screen.text();
        assert!(text.contains("becomes"), "{name}: {text}");
        screen.press("A");
    }
    assert_eq!(seen[0], StrategyKind::Ordering, "the paper's comes first");
    seen.sort_by_key(|kind| kind.strategy().name());
    seen.dedup();
    assert_eq!(seen.len(), StrategyKind::ALL.len());
    assert_eq!(screen.app.orbit.strategy, StrategyKind::Ordering);
    named
}

/// The names that the steps of a walk give are those of the permutation, and all that the walk gives.
fn walk_names(
    steps: &[orbitscope::animate::model::StepView],
    permutation: &[TypePermutation],
) -> usize {
    let images: BTreeMap<&str, &str> = permutation
        .iter()
        .flat_map(|p| p.map.iter().map(|(a, b)| (a.as_str(), b.as_str())))
        .collect();
    let mut named = BTreeMap::new();
    for step in steps {
        for word in step.detail.split(' ') {
            if let Some((value, name)) = word.split_once("->") {
                assert_eq!(images.get(value), Some(&name), "{steps:?}");
                assert_eq!(named.insert(value, name), None, "named twice");
            }
        }
    }
    named.len()
}

#[test]
fn every_strategy_says_what_it_did() {
    let mut named = 0;
    for (model, process) in [
        ("models/example37.csp", None),
        ("models/ring.csp", None),
        ("models/list_stack.csp", None),
        ("models/two_buffers.csp", Some("Q")),
        ("models/philosophers.csp", None),
    ] {
        let mut screen = Screen::open_at(&repository(model), process);
        for _ in 0..3 {
            screen.press("w");
            if screen.app.explanation().is_some() {
                named += go_round(&mut screen);
            }
            screen.press("1 7 r");
        }
    }
    assert!(named > 40, "{named}");
}

#[test]
fn a_search_shows_what_it_tries_and_finds() {
    let mut screen = pairs();
    go_round(&mut screen);
    screen.press("A");
    let told = screen.app.other_strategy().cloned().expect("walk");
    assert_eq!(told.fell_back.as_deref(), Some("ordering"));
    let text = screen.text();
    assert!(text.contains("the walk ends"), "{text}");
    assert!(text.contains("strategy ordering"), "{text}");
    assert!(text.contains("It fell back on ordering."), "{text}");
    screen.press("A");
    let told = screen.app.other_strategy().cloned().expect("exact");
    assert!(told.searched && told.fell_back.is_none());
    let titles: Vec<&str> = told.steps.iter().map(|s| s.title.as_str()).collect();
    for wanted in [
        "colour the values",
        "branch on",
        "1st choice",
        "leaf 1",
        "automorphism",
    ] {
        assert!(
            titles.iter().any(|t| t.starts_with(wanted)),
            "{wanted}: {titles:?}"
        );
    }
    // The factors of the stabiliser that are told are its order: 24 / 3 = 8.
    let orbits = titles.iter().filter(|t| t.starts_with("orbit of"));
    let factor = |t: &&&str| t.rsplit(' ').next().and_then(|n| n.parse::<u32>().ok());
    let product: u32 = orbits.filter_map(|t| factor(&t)).product();
    assert_eq!(product, 8, "{titles:?}");
    let rep = screen.app.representative().expect("told");
    assert_eq!(rep.orbit, Some(3u32.into()));
}

/// Harmless choices, and those that may matter, differ in sign and in words.
#[test]
fn choices_that_matter_are_marked_differently() {
    let mut screen = Screen::open_at(&repository("models/example37.csp"), None);
    screen.press("w");
    let text = screen.text();
    assert!(text.contains("= step 3  pick in block 1"), "{text}");
    assert!(!text.contains("! step 3"), "{text}");
    assert!(text.contains(". forced = any ! matters"), "{text}");
    let mut screen = Screen::open_at(&repository("models/ring.csp"), None);
    screen.press("w");
    let text = screen.text();
    assert!(text.contains("! step 3  pick in block 1"), "{text}");
    screen.press("]");
    let text = screen.text();
    assert!(text.contains("and one does"), "{text}");
    screen.press("$");
    let text = screen.text();
    assert!(
        text.contains("Representative: one of several (two picks disagree)"),
        "{text}"
    );
    // In pairs no count tells the nodes apart, but any pick gives the same.
    let mut screen = pairs();
    let explanation = screen.app.explanation().expect("explained");
    let doubtful = |s: &Step| {
        matches!(
            s,
            Step::Choice {
                fully_symmetric: false,
                ..
            }
        )
    };
    assert!(explanation.trace.steps.iter().any(doubtful));
    assert!(explanation.representative.uniqueness.is_certain());
    let headings = orbitscope::animate::sentences::headings(explanation);
    assert!(headings.iter().all(|h| h.mark != ChoiceMark::Harmful));
    screen.press("]");
    let text = screen.text();
    assert!(text.contains("all the same"), "{text}");
    screen.press("1");
    let text = screen.text();
    assert!(!text.contains("may matter"), "{text}");
}

/// With either order of types, the representative and its explanation are those of one computation.
#[test]
fn the_order_of_types_holds_for_the_whole_screen() {
    let mut screen = Screen::open_at(&repository("models/example37.csp"), None);
    let usual = screen.app.representative().expect("told").clone();
    screen.press("2 Y");
    let other = screen.app.representative().expect("told").clone();
    assert_ne!(
        usual.permutation, other.permutation,
        "the example tells them apart"
    );
    for size in SIZES {
        screen.send(Msg::Resize(size.0, size.1));
        for keys in ["1", "s", "s", "s", "s", "2", "$", "0", "1 j enter", "u"] {
            screen.press(keys);
            let rep = screen.app.representative().expect("told").clone();
            let explanation = screen.app.explanation().expect("explained");
            assert_eq!(*rep.permutation, *explanation.representative.permutation);
            let view = screen.session().view().expect("told");
            leads_to(
                &view.components,
                &rep.components,
                &rep.source,
                &rep.permutation,
            );
        }
        let text = screen.text();
        let cycles = format!("NodeID {}", usual.permutation[0].cycles);
        assert!(!text.contains(&cycles), "{size:?}: {text}");
        if size.0 >= 110 {
            assert!(text.contains("identities first (Y)"), "{text}");
        }
    }
    screen.press("2 Y");
    assert_eq!(screen.app.representative(), Some(&usual));
}

/// Every row of n-values stands under the header of its own table: the names above it are those of the
/// variables that its numbers count.
#[test]
fn rows_of_n_values_stand_under_their_own_header() {
    let mut seen = 0;
    for model in ["models/example37.csp", "models/list_stack.csp"] {
        let mut screen = Screen::open_at(&repository(model), None);
        screen.press("9 r w");
        for size in SIZES.into_iter().chain([(60, 16), (80, 40), (110, 24)]) {
            screen.send(Msg::Resize(size.0, size.1));
            screen.press("0");
            for _ in 0..screen.app.frames() {
                for component in 0..screen.session().view().expect("told").components.len() {
                    screen.app.orbit.component = component;
                    for column in [0, 5, 11] {
                        screen.app.orbit.column = column;
                        seen += headers_fit(&screen.app);
                    }
                }
                screen.press("l");
            }
        }
    }
    assert!(seen > 1_000, "{seen}");
}

/// Holds each visible row to the record of the computation; gives how many there were.
fn headers_fit(app: &App) -> usize {
    let Some(explanation) = app.explanation() else {
        return 0;
    };
    let until = &explanation.trace.steps[..=app.orbit.frame];
    let Some((before, tables)) = until.iter().rev().find_map(|s| match s {
        Step::Count { before, tables, .. } => Some((before, tables)),
        _ => None,
    }) else {
        return 0;
    };
    let text = |c: usize| explanation.components[c].text.replace(", ", ",");
    let mut header: Vec<String> = Vec::new();
    let mut rows = 0;
    let lines = pane_lines(app, Pane::NValues);
    for (at, line) in lines.iter().enumerate() {
        if line.contains("i = ") {
            let below = lines.get(at + 2).cloned().unwrap_or_default();
            header = below.split_whitespace().map(str::to_owned).collect();
            continue;
        }
        let found = tables
            .iter()
            .flat_map(|(_, t)| t.rows.iter().map(move |r| (t, r)))
            .find(|(_, (member, _))| line.contains(&format!(" {} ", text(*member))));
        let Some((table, (member, counts))) = found else {
            continue;
        };
        let rest = line.split_once(&text(*member)).expect("found").1;
        let rest = rest.split("->").next().unwrap_or("");
        let numbers: Vec<u32> = rest
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|n| n.parse().ok())
            .collect();
        let names: Vec<String> = table
            .columns
            .iter()
            .map(|c| {
                explanation.trace.variables[before[c.j][0]][c.k]
                    .name
                    .clone()
            })
            .collect();
        assert!(!header.is_empty(), "no header above: {lines:#?}");
        assert_eq!(header.len(), numbers.len(), "{lines:#?}");
        let fits = |from: usize| {
            let part = names.iter().skip(from).zip(counts.iter().skip(from));
            part.zip(header.iter().zip(&numbers))
                .all(|((name, count), (shown, number))| {
                    name.starts_with(shown.as_str()) && count == number
                })
        };
        let places = 0..=names.len() - numbers.len();
        assert!(places.clone().any(fits), "{names:?} {counts:?}\n{lines:#?}");
        rows += 1;
    }
    rows
}
