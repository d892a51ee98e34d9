//! Walks that are saved and opened again: with the same script they are the same, and with another one what still
//! holds is replayed.

use std::path::{Path, PathBuf};

use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::history::{History, HistoryId};
use orbitscope::animate::partings;
use orbitscope::animate::session::Session;
use orbitscope::report::follow::ReplayMode;
use orbitscope::report::run_file::{RunFile, RunView};
use orbitscope::report::runs::RecordedRun;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// An engine and somebody who walks.
struct Walker {
    engine: ScriptEngine,
    session: Session,
}

impl Walker {
    fn new(path: &Path) -> Self {
        let mut engine = ScriptEngine::load(path.to_path_buf()).unwrap();
        let process = engine.info().processes[0].clone();
        let state = engine.open(&process).unwrap();
        Self {
            engine,
            session: Session::new(&process, state, 0),
        }
    }

    fn look(&mut self) {
        let state = self.session.current();
        if !self.session.knows(state) {
            let view = self.engine.view(state);
            self.session.learn(state, view);
        }
    }

    /// Does what a number says: steps mostly.
    fn act(&mut self, what: u32) {
        self.look();
        let pick = (what / 16) as usize;
        match what % 16 {
            0 | 1 => {
                self.session.undo(1 + pick % 5);
            }
            2 => {
                self.session.redo(1 + pick % 3);
            }
            3 => {
                let all: Vec<HistoryId> = self.session.history.ids().collect();
                self.session.jump(all[pick % all.len()]);
            }
            4 => {
                let letter = char::from(b'a' + (pick % 26) as u8);
                self.session.history.mark(letter);
            }
            5 => self.session.next_branch(),
            6 => {
                let processes = self.engine.info().processes.clone();
                let process = &processes[pick % processes.len()];
                if let Ok(state) = self.engine.open(process) {
                    self.session.open(process, state);
                }
            }
            _ => {
                let steps = self.session.view().map(|view| view.transitions.clone());
                if let Some(step) = steps.filter(|s| !s.is_empty()) {
                    self.session.take(&step[pick % step.len()]);
                }
            }
        }
    }

    /// The walk with all that a record of it says.
    fn record(&mut self) -> RecordedRun {
        let (ids, asked) = self.session.without_details();
        let told = self.engine.step_details(&asked).unwrap();
        self.session.learn_steps(&ids, told);
        self.session.record()
    }

    fn follow(&mut self, walk: &RecordedRun) -> (Option<History>, Vec<String>) {
        let found = self.engine.rewalk(walk, ReplayMode::Steps).unwrap();
        let told = partings::sentences(walk, &found);
        (History::rebuilt(walk, &found), told)
    }
}

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let names = [
        "list_stack.csp",
        "philosophers.csp",
        "ring.csp",
        "stack_aba.csp",
    ];
    let all = names.map(|name| folder.join(name));
    let there: Vec<PathBuf> = all.into_iter().filter(|path| path.exists()).collect();
    assert!(there.len() >= 2, "the models are there");
    there
}

#[test]
fn a_walk_that_is_saved_and_opened_is_the_same() {
    let cases = Config {
        cases: 12,
        ..Config::default()
    };
    let mut runner = TestRunner::new(cases);
    let models = models();
    let acts = prop::collection::vec(0u32..16_000, 1..60);
    let result = runner.run(&(0..models.len(), acts), |(model, acts)| {
        let path = &models[model];
        let mut walker = Walker::new(path);
        for act in acts {
            walker.act(act);
        }
        let early = walker.session.record();
        let walk = walker.record();
        let view = RunView {
            filter: "T0".to_owned(),
            grouped: false,
            ..RunView::default()
        };
        let file = RunFile::new(&walker.engine.info().inputs, walk.clone(), view);
        let text = file.text().unwrap();
        let read = RunFile::parse("walk.run.ron", &text).unwrap();
        prop_assert_eq!(&read, &file);
        prop_assert!(read.changed(&walker.engine.info().inputs).is_empty());
        prop_assert_eq!(&read.run, &walk);
        // Another engine numbers its states in another order.
        let mut other = Walker::new(path);
        let (history, told) = other.follow(&walk);
        prop_assert!(told.is_empty(), "{:?}", told);
        let history = history.unwrap();
        let before = &walker.session.history;
        prop_assert_eq!(history.ids().count(), before.ids().count());
        prop_assert_eq!(history.current(), before.current());
        prop_assert_eq!(history.line(), before.line());
        prop_assert_eq!(history.leaves(), before.leaves());
        prop_assert!(history.marks().eq(before.marks()));
        for id in history.ids() {
            prop_assert_eq!(&history.node(id).origin, &before.node(id).origin);
            prop_assert_eq!(history.node(id).parent, before.node(id).parent);
            prop_assert_eq!(&history.node(id).children, &before.node(id).children);
            let (now, then) = (history.node(id).state, before.node(id).state);
            let now = other.engine.view(now).map(|view| view.components);
            let then = walker.engine.view(then).map(|view| view.components);
            prop_assert_eq!(now, then);
        }
        other.session = Session::resumed(history, 0);
        prop_assert_eq!(other.record(), walk);
        // What is kept when the program ends at once knows less, and is followed all the same.
        let (history, told) = other.follow(&early);
        prop_assert_eq!(history.unwrap().ids().count(), before.ids().count());
        prop_assert!(told.is_empty(), "{:?}", told);
        Ok(())
    });
    result.unwrap();
}

/// Three branches and a mark, on a script that is edited afterwards.
fn edited(edit: impl Fn(&str) -> String) -> (RecordedRun, Option<History>, String) {
    let before = "channel coin, tea, coffee, out\n\
        Machine = coin -> (tea -> out -> Machine [] coffee -> out -> Machine)\n\
        User = coin -> (tea -> User [] coffee -> User)\n\
        System = Machine [| {coin, tea, coffee} |] User\n\
        assert System :[deadlock free]\n";
    let name = format!(
        "orbitscope-walks-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    );
    let folder = std::env::temp_dir().join(name.replace(['(', ')'], ""));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("machine.csp");
    std::fs::write(&path, before).unwrap();
    let mut walker = Walker::new(&path);
    let mut take = |events: &[&str]| {
        for event in events {
            walker.look();
            let view = walker.session.view().unwrap();
            let step = view.transitions.iter().find(|t| t.event == *event);
            let step = step.unwrap().clone();
            walker.session.take(&step);
        }
        let done = walker.session.history.current();
        walker.look();
        walker.session.undo(events.len());
        done
    };
    take(&["coin", "tea", "out", "coin"]);
    let second = take(&["coin", "coffee", "out"]);
    walker.session.jump(second);
    walker.session.history.mark('m');
    let walk = walker.record();
    std::fs::write(&path, edit(before)).unwrap();
    let mut other = Walker::new(&path);
    let (history, told) = other.follow(&walk);
    std::fs::remove_dir_all(&folder).unwrap();
    (walk, history, told.join("\n"))
}

#[test]
fn an_event_that_was_renamed_parts_the_branches_that_need_it() {
    let (_, history, told) = edited(|text| text.replace("tea", "teapot"));
    let history = history.unwrap();
    // The first branch ends after the coin, which is on the second one, too.
    assert_eq!(history.ids().count(), 4, "{told}");
    assert!(history.marked('m').is_some());
    let expected = "Branch 1: step 2, tea: it is not possible there; nearest is teapot; possible are \
                    coffee, teapot. With it 2 steps after it are gone.";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn a_branch_that_is_gone_takes_its_marks_along() {
    let gone = " [] coffee -> out -> Machine)";
    let (_, history, told) = edited(|text| text.replace(gone, ")"));
    let history = history.unwrap();
    assert_eq!(history.ids().count(), 5, "{told}");
    assert_eq!(history.marked('m'), None);
    assert!(told.contains("Branch 2: step 2, coffee"), "{told}");
    assert!(told.contains("are gone: 'm."), "{told}");
    // The person stands where the branch ended.
    assert_eq!(history.depth(), 1);
}

#[test]
fn another_component_leaves_the_steps_and_is_told() {
    let edit = |text: &str| {
        text.replace(
            "|] User\n",
            "|] User ||| Clock\nchannel tick\nClock = tick -> Clock\n",
        )
    };
    let (walk, history, told) = edited(edit);
    assert_eq!(history.unwrap().ids().count(), walk.entries.len(), "{told}");
    assert!(
        told.contains("reads otherwise than it did: step 1 (coin)"),
        "{told}"
    );
}

#[test]
fn a_process_that_is_gone_leaves_nothing() {
    let (_, history, told) = edited(|text| text.replace("System", "Other"));
    assert!(history.is_none(), "{told}");
    assert!(told.contains("System: it cannot be opened"), "{told}");
}
