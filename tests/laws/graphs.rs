//! Pictures: what they show is what the animator comes to, the quotient is what the full graph becomes when
//! orbits are put together, and every permutation in them does what it says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::{EventKind, StateId};
use orbitscope::lab::explore::{GraphBounds, GraphKind};
use orbitscope::lts::{Builder, Partition, TAU, TICK, bisimulation};
use orbitscope::report::graph::{self, GraphPart, GraphView, ImageView, VertexView};

use crate::support::{findings, repository, script};

pub(super) const ALL: GraphBounds = GraphBounds {
    depth: usize::MAX,
    states: 50_000,
};

#[track_caller]
pub(super) fn picture(
    path: &Path,
    process: &str,
    kind: GraphKind,
    bounds: GraphBounds,
) -> GraphView {
    let engine = ScriptEngine::load(path.to_path_buf()).expect("the script is sound");
    let view = engine.graph(process, kind, bounds);
    view.unwrap_or_else(|failure| panic!("{}", failure.detail))
}

/// The list stack with fewer values.
fn small_stack() -> std::path::PathBuf {
    let text = std::fs::read_to_string(repository("models/list_stack.csp")).expect("the model");
    let text = text
        .replace("Null | N0 | N1 | N2 | N3 | N4 | N5", "Null | N0 | N1")
        .replace("T0 | T1 | T2", "T0 | T1")
        .replace("A | B | C | D", "A | B");
    script("graph_list_stack.csp", text)
}

/// A transition system with labels in words.
#[derive(Default)]
struct Labelled(Vec<Vec<(String, usize)>>);

impl Labelled {
    /// What an Aldebaran file says.
    fn read(aut: &str) -> Self {
        let mut lines = aut.lines();
        let first = lines.next().expect("there is a first line");
        let numbers = first
            .strip_prefix("des (")
            .and_then(|l| l.strip_suffix(')'));
        let numbers: Vec<usize> = numbers
            .expect("it describes the system")
            .split(", ")
            .map(|n| n.parse().expect("a number"))
            .collect();
        let [0, transitions, states] = numbers[..] else {
            panic!("{first}");
        };
        let mut found = Self(vec![Vec::new(); states]);
        for line in lines {
            let inner = line.strip_prefix('(').and_then(|l| l.strip_suffix(')'));
            let (from, rest) = inner.and_then(|l| l.split_once(", \"")).expect(line);
            let (label, to) = rest.rsplit_once("\", ").expect(line);
            let to = to.parse().expect(line);
            found.0[from.parse::<usize>().expect(line)].push((label.to_owned(), to));
        }
        assert_eq!(found.0.iter().map(Vec::len).sum::<usize>(), transitions);
        found
    }

    /// What the animator comes to.
    fn walked(path: &Path, process: &str) -> Self {
        let mut engine = ScriptEngine::load(path.to_path_buf()).expect("the script is sound");
        let first = engine.open(process).expect("it can be opened");
        let (mut number, mut states) = (BTreeMap::from([(first.number, 0)]), vec![first.number]);
        let mut found = Self::default();
        while let Some(state) = states.get(found.0.len()) {
            let id = StateId::new(first.network, *state);
            let view = engine.view(id).expect("the state can be shown");
            assert_eq!(view.omitted, 0);
            let mut steps = Vec::new();
            for step in view.transitions {
                let label = match step.kind {
                    EventKind::Tau => "tau".to_owned(),
                    EventKind::Tick => "tick".to_owned(),
                    // An event of the script, and not τ.
                    EventKind::Visible if step.event == "tau" => "'tau".to_owned(),
                    EventKind::Visible => step.event.into(),
                };
                let next = number.len();
                let to = *number.entry(step.target.number).or_insert_with(|| {
                    states.push(step.target.number);
                    next
                });
                steps.push((label, to));
            }
            found.0.push(steps);
        }
        found
    }

    /// Whether the first states of both are strongly bisimilar.
    fn is_bisimilar(&self, other: &Self) -> bool {
        let mut labels: BTreeMap<&str, u32> = BTreeMap::from([("tau", TAU), ("tick", TICK)]);
        let mut both = Builder::default();
        for (system, offset) in [(self, 0), (other, self.0.len())] {
            for steps in &system.0 {
                let mut numbered = Vec::new();
                for (label, to) in steps {
                    let next = labels.len() as u32;
                    let label = *labels.entry(label).or_insert(next);
                    numbered.push((label, (offset + to) as u32));
                }
                both.push(numbered);
            }
        }
        let both = both.finish();
        let coarse = Partition::coarse(both.len());
        let classes = bisimulation(&both, &coarse, &|_| Ok(())).expect("nothing is in its way");
        let members = classes.members();
        let class = |state: usize| members.iter().position(|m| m.contains(&(state as u32)));
        class(0) == class(self.0.len())
    }
}

#[test]
fn an_aldebaran_file_is_bisimilar_to_what_the_animator_walks() {
    let ends = "channel a, b : {0..2}\nchannel tau\n\
                P = a?x -> (b!x -> SKIP ; P [] tau -> SKIP) |~| STOP\n\
                Q = ((P [| {|a|} |] a?x -> SKIP) \\ {|b|}) ; b!0 -> Q\n";
    for (path, process) in [
        (repository("models/two_buffers.csp"), "Q"),
        (repository("models/two_buffers.csp"), "P"),
        (repository("models/peterson.csp"), "System"),
        (small_stack(), "System"),
        (script("graph_ends.csp", ends), "P"),
        (script("graph_ends.csp", ends), "Q"),
    ] {
        let view = picture(&path, process, GraphKind::Full, ALL);
        assert!(view.is_complete());
        let aut = graph::aut(&view).expect("it is no map");
        assert_eq!(aut.contains("'tau"), !graph::aut_remarks(&view).is_empty());
        let walked = Labelled::walked(&path, process);
        let read = Labelled::read(&aut);
        let states = view.full.expect("it is there").vertices.len();
        assert_eq!(read.0.len(), states);
        assert!(
            read.is_bisimilar(&walked),
            "{process} of {}",
            path.display()
        );
        // And the test can tell: without the last transition of the first state it is another system.
        let mut less = read;
        less.0[0].pop();
        assert!(
            !less.is_bisimilar(&walked),
            "{process} of {}",
            path.display()
        );
    }
}

/// The words of a text, each mapped.
fn renamed(text: &str, map: &BTreeMap<String, String>) -> String {
    let (mut out, mut word) = (String::new(), String::new());
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        out.push_str(map.get(&word).unwrap_or(&word));
        word.clear();
        out.push(c);
    }
    out.pop();
    out
}

/// `(A B C)(D E)` as a map. Of components, `(Cell[0] Cell[1])`, what they are numbered by.
fn as_map(image: &ImageView) -> BTreeMap<String, String> {
    let mut map = BTreeMap::new();
    let mut all: Vec<String> = image.cycles.iter().map(|(_, c)| c.clone()).collect();
    all.extend(image.components.iter().map(|moved| {
        let label = moved.cycles.replace("Cell[", "");
        label.replace(']', "")
    }));
    for cycles in &all {
        for cycle in cycles.split(['(', ')']).filter(|c| c.contains(' ')) {
            let values: Vec<&str> = cycle.split(' ').collect();
            for (at, value) in values.iter().enumerate() {
                let next = values[(at + 1) % values.len()];
                map.insert((*value).to_owned(), next.to_owned());
            }
        }
    }
    map
}

/// The local states with their components, in any order.
fn texts(vertex: &VertexView, map: &BTreeMap<String, String>) -> Vec<String> {
    let mut all: Vec<String> = vertex
        .components()
        .map(|text| renamed(&text, map))
        .collect();
    all.sort();
    all
}

pub(super) fn both(view: &GraphView) -> (&GraphPart, &GraphPart) {
    let (full, quotient) = (view.full.as_ref(), view.quotient.as_ref());
    (full.expect("it is there"), quotient.expect("it is there"))
}

/// States, their transitions, orbits, edges between them.
pub(super) type Sizes = (usize, usize, usize, usize);

/// A whole map: that fibres are orbits, that the quotient is what the full graph becomes, and that
/// permutations do as they say. Where components are exchanged or values are sets the last cannot be seen in
/// words.
pub(super) fn assert_covering(path: &Path, process: &str, in_words: bool) -> Sizes {
    let view = picture(path, process, GraphKind::Map, ALL);
    assert!(view.is_complete() && view.used.is_some() && view.fault().is_none());
    let (full, quotient) = both(&view);
    let fibres = view.fibres();
    let mut sum = 0;
    for (vertex, fibre) in quotient.vertices.iter().zip(&fibres) {
        let size = vertex
            .orbit
            .as_ref()
            .expect("its size is known")
            .to_string();
        assert_eq!(size, fibre.states.len().to_string());
        sum += fibre.states.len();
        for state in &fibre.states {
            assert_eq!(full.vertices[*state].depth, vertex.depth);
            assert_eq!(full.vertices[*state].transitions, vertex.transitions);
            assert_eq!(full.vertices[*state].deadlocked, vertex.deadlocked);
            if in_words {
                let map = as_map(&view.covering[*state].image);
                let image = texts(&full.vertices[*state], &map);
                assert_eq!(image, texts(vertex, &BTreeMap::new()), "s{state}");
            }
        }
    }
    assert_eq!(sum, full.vertices.len());
    let (states, transitions) = view.represented().expect("all sizes are known");
    assert_eq!(states.to_string(), full.vertices.len().to_string());
    assert_eq!(transitions.to_string(), full.edges.len().to_string());
    // Every edge of either graph is below or above one of the other.
    let orbit = |state: usize| view.covering[state].orbit;
    let below = full
        .edges
        .iter()
        .map(|e| (orbit(e.from), e.kind, orbit(e.to)));
    let there = quotient.edges.iter().map(|e| (e.from, e.kind, e.to));
    assert_eq!(
        below.collect::<BTreeSet<_>>(),
        there.collect::<BTreeSet<_>>()
    );
    assert_edges(&view, in_words);
    // The quotient by itself is the same.
    let alone = picture(path, process, GraphKind::Quotient, ALL);
    let alone = alone.quotient.expect("it is there");
    assert_eq!(
        format!("{:?}", alone.vertices),
        format!("{:?}", quotient.vertices)
    );
    assert_eq!(
        format!("{:?}", alone.edges),
        format!("{:?}", quotient.edges)
    );
    let (vertices, edges) = (quotient.vertices.len(), quotient.edges.len());
    (full.vertices.len(), full.edges.len(), vertices, edges)
}

/// The edges of the quotient are those of representatives, as often as they say.
fn assert_edges(view: &GraphView, in_words: bool) {
    let (full, quotient) = both(view);
    let fibres = view.fibres();
    let nothing = BTreeMap::new();
    for edge in &quotient.edges {
        let (from, to) = (&quotient.vertices[edge.from], &quotient.vertices[edge.to]);
        let is_it = |n: &&usize| texts(&full.vertices[**n], &nothing) == texts(from, &nothing);
        let representative = fibres[edge.from].states.iter().find(is_it);
        let representative = *representative.expect("a representative is a reachable state");
        let same = full.edges.iter().filter(|e| {
            let orbit = view.covering[e.to].orbit;
            (e.from, e.kind, &e.event, orbit) == (representative, edge.kind, &edge.event, edge.to)
        });
        let same: Vec<_> = same.collect();
        assert_eq!(same.len(), edge.multiplicity, "{}", edge.label());
        let map = as_map(edge.image.as_ref().expect("it is reduced"));
        let arrives =
            |e: &&graph::EdgeView| texts(&full.vertices[e.to], &map) == texts(to, &nothing);
        let arrives = same.iter().filter(|e| arrives(e)).count();
        assert!(!in_words || arrives > 0, "{}", edge.label());
    }
}

#[test]
fn fibres_are_orbits_and_permutations_do_what_they_say() {
    let path = repository("models/two_buffers.csp");
    assert_eq!(assert_covering(&path, "Q", true), (9, 14, 5, 8));
    let path = repository("models/peterson.csp");
    let (states, _, orbits, _) = assert_covering(&path, "System", true);
    assert_eq!((states, orbits), (620, 121));
    let (states, _, orbits, _) = assert_covering(&small_stack(), "System", true);
    assert_eq!((states, orbits), (1_512, 210));
}

#[test]
fn sets_of_pairs_and_copies_have_fibres_too() {
    let Some(folder) = findings("graphs::sets_of_pairs_and_copies_have_fibres_too") else {
        return;
    };
    // Digraphs on three nodes, and classes of them.
    let found = assert_covering(&folder.join("digraphs_3.csp"), "System", false);
    assert_eq!((found.0, found.2), (64, 16));
    // Three identical components beside values.
    let copies = folder.join("copies.csp");
    let text = std::fs::read_to_string(&copies).expect("a script");
    let once = text.replace("(Q(s) ||| Q(s))", "Q(s)");
    assert_ne!(once, text);
    let path = script("copies_beside_values.csp", &once);
    let view = picture(&path, "System", GraphKind::Map, ALL);
    let exchanged = view.covering.iter().filter(|c| c.image.exchanges).count();
    assert!(exchanged > 0);
    assert_covering(&path, "System", false);
    // Those that values name are exchanged by the structure alone.
    let view = picture(&copies, "System", GraphKind::Map, ALL);
    assert!(
        view.used
            .as_ref()
            .is_some_and(|used| used.structure.is_some())
    );
    assert_covering(&copies, "System", false);
}

/// Figs. 4 and 5 of the paper, whose product automaton has one node of the specification for each state of
/// the implementation: 9 states and 14 transitions, and 5 and 8 of the reduced one.
#[test]
fn two_buffers_are_those_of_the_paper() {
    let path = repository("models/two_buffers.csp");
    let view = picture(&path, "Q", GraphKind::Map, ALL);
    let (full, quotient) = both(&view);
    let told = |part: &GraphPart| -> Vec<String> {
        let name = |n: usize| {
            let mut texts = part.vertices[n].texts.iter();
            let held = |text: &str| match text.find('(') {
                Some(at) => text[at + 1..at + 2].to_owned(),
                None => "-".to_owned(),
            };
            let left = texts.next().map(|text| held(text)).expect("Left");
            left + &texts.next().map(|text| held(text)).expect("Right")
        };
        let edge = |e: &graph::EdgeView| {
            let by = e
                .image
                .as_ref()
                .map_or(String::new(), |i| format!(" by {}", i.text()));
            format!(
                "{} {} {}{by}",
                name(e.from),
                e.label_and_count(),
                name(e.to)
            )
        };
        let mut all: Vec<String> = part.edges.iter().map(edge).collect();
        all.sort();
        all
    };
    // What Left and Right hold before and after; the representatives are those with A first.
    assert_eq!(
        told(full),
        [
            "-- l.A A-",
            "-- l.B B-",
            "-A l.A AA",
            "-A l.B BA",
            "-A r.A --",
            "-B l.A AB",
            "-B l.B BB",
            "-B r.B --",
            "A- tau (m.A) -A",
            "AA r.A A-",
            "AB r.B A-",
            "B- tau (m.B) -B",
            "BA r.A B-",
            "BB r.B B-",
        ]
    );
    assert_eq!(
        told(quotient),
        [
            "-- l.A A- by id",
            "-- l.B A- by T (A B)",
            "-A l.A AA by id",
            "-A l.B AB by T (A B)",
            "-A r.A -- by id",
            "A- tau (m.A) -A by id",
            "AA r.A A- by id",
            "AB r.B A- by id",
        ]
    );
    let sizes = quotient
        .vertices
        .iter()
        .map(|v| v.orbit.as_ref().map(ToString::to_string));
    let sizes: Vec<String> = sizes.map(|size| size.expect("it is known")).collect();
    assert_eq!(sizes, ["1", "2", "2", "2", "2"]);
}

/// Transitions with one event to several states of one orbit are counted, not drawn twice.
#[test]
fn multiplicities_count() {
    let text = "datatype T = A | B | C\nchannel c : T\nchannel go\n\
                P = go -> (|~| x : T @ c.x -> P)\n";
    let path = script("graph_multiplicity.csp", text);
    let found = assert_covering(&path, "P", true);
    assert_eq!(found, (5, 7, 3, 3));
    let view = picture(&path, "P", GraphKind::Quotient, ALL);
    let edges = view.quotient.expect("it is there").edges;
    let counts: Vec<usize> = edges.iter().map(|e| e.multiplicity).collect();
    assert_eq!(counts, [1, 3, 1]);
}

/// What is left after a cut is the graph that its vertices induce.
#[test]
fn a_cut_picture_is_an_induced_graph() {
    let path = small_stack();
    let whole = picture(&path, "System", GraphKind::Full, ALL)
        .full
        .expect("it is there");
    for bounds in [
        GraphBounds { depth: 6, ..ALL },
        GraphBounds { states: 100, ..ALL },
        GraphBounds { depth: 0, ..ALL },
        GraphBounds {
            depth: 9,
            states: 333,
        },
    ] {
        let view = picture(&path, "System", GraphKind::Map, bounds);
        assert!(!view.is_complete() && view.cut().is_cut() && view.represented().is_none());
        assert!(view.remarks()[0].contains("cut by"), "{:?}", view.remarks());
        let (full, quotient) = both(&view);
        let count = full.vertices.len();
        assert!(count <= bounds.states && quotient.vertices.len() <= count);
        assert!(full.vertices.iter().all(|v| v.depth <= bounds.depth));
        // Breadth-first, so it is the beginning of the whole.
        let texts = |part: &GraphPart| -> Vec<Vec<std::sync::Arc<str>>> {
            part.vertices[..count]
                .iter()
                .map(|v| v.texts.clone())
                .collect()
        };
        assert_eq!(texts(full), texts(&whole));
        let kept = whole
            .edges
            .iter()
            .filter(|e| e.from < count && e.to < count);
        let kept: Vec<String> = kept.map(|e| format!("{e:?}")).collect();
        let there: Vec<String> = full.edges.iter().map(|e| format!("{e:?}")).collect();
        assert_eq!(kept, there);
        for (number, vertex) in full.vertices.iter().enumerate() {
            let outside = whole
                .edges
                .iter()
                .filter(|e| e.from == number && e.to >= count);
            assert_eq!(outside.count(), vertex.outside);
        }
        // Every state has its place, and none of the orbits is empty.
        assert!(view.fibres().iter().all(|fibre| !fibre.states.is_empty()));
        assert_eq!(view.covering.len(), count);
    }
}

#[test]
fn without_symmetry_every_orbit_is_one_state_and_it_says_why() {
    let text = "channel a : {0..2}\nP(n) = a!n -> P((n + 1) % 3)\nQ = P(0)\n";
    let path = script("graph_plain.csp", text);
    let view = picture(&path, "Q", GraphKind::Map, ALL);
    let (full, quotient) = both(&view);
    assert_eq!((full.vertices.len(), quotient.vertices.len()), (3, 3));
    assert!(view.why_not_reduced()[0].starts_with("Not reduced"));
}

/// Documents that a parser of XML accepts, with what they should hold.
#[test]
fn xml_is_valid_and_holds_the_whole_picture() {
    let nasty = "channel c : Char\nchannel d : {<1,2>,<>}\n\
                 P(s, f) = c!'&' -> P(s ^ \"<\", not f) [] d?x -> (if f then STOP else P(\"]]>\", f))\n\
                 Q = P(\"\\\"'&\", true)\n";
    for (path, process, bounds) in [
        (repository("models/two_buffers.csp"), "Q", ALL),
        (repository("models/peterson.csp"), "System", ALL),
        (
            script("graph_nasty.csp", nasty),
            "Q",
            GraphBounds { depth: 5, ..ALL },
        ),
    ] {
        for kind in [GraphKind::Quotient, GraphKind::Full, GraphKind::Map] {
            let view = picture(&path, process, kind, bounds);
            let count =
                |of: fn(&GraphPart) -> usize| view.parts().map(|(_, p)| of(p)).sum::<usize>();
            let vertices = count(|part| part.vertices.len());
            let edges = count(|part| part.edges.len());
            let text = graph::graphml(&view);
            let document = roxmltree::Document::parse(&text).expect(&text);
            let all = |name: &str| {
                let nodes = document.descendants();
                nodes.filter(|n| n.has_tag_name(name)).collect::<Vec<_>>()
            };
            assert_eq!(all("node").len(), vertices);
            assert_eq!(all("edge").len(), edges + view.covering.len());
            let ids: BTreeSet<_> = all("node").iter().map(|n| n.attribute("id")).collect();
            assert_eq!(ids.len(), vertices);
            for edge in all("edge") {
                let ends = [edge.attribute("source"), edge.attribute("target")];
                assert!(ends.iter().all(|end| ids.contains(end)), "{ends:?}");
            }
            let keys: BTreeSet<_> = all("key").iter().map(|n| n.attribute("id")).collect();
            assert!(
                all("data")
                    .iter()
                    .all(|data| keys.contains(&data.attribute("key")))
            );
            let text = graph::svg(&view).expect("it is small enough");
            assert!(!text.contains("NaN") && !text.contains("inf"));
            let document = roxmltree::Document::parse(&text).expect(&text);
            let classes = document.descendants().filter_map(|n| n.attribute("class"));
            let classes: Vec<&str> = classes.collect();
            let shown = |class: &str| classes.iter().filter(|c| **c == class).count();
            assert_eq!(shown("vertex"), vertices);
            let orbits = view.quotient.as_ref().map_or(0, |part| part.vertices.len());
            assert_eq!(
                shown("frame"),
                if kind == GraphKind::Map { orbits } else { 0 }
            );
        }
    }
}

#[test]
fn a_drawing_that_nobody_could_read_is_refused() {
    let path = small_stack();
    let view = picture(&path, "System", GraphKind::Full, ALL);
    assert!(graph::svg(&view).is_ok());
    let text = "channel a : {0..3000}\nP = a?x -> Q(x)\nQ(x) = a!x -> P\n";
    let view = picture(&script("graph_many.csp", text), "P", GraphKind::Full, ALL);
    let refused = graph::svg(&view).expect_err("3,002 boxes");
    assert!(refused.contains("--depth or --max-states"), "{refused}");
}
