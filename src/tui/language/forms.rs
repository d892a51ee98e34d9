//! The table of typed commands besides ids: completion, help and tests use it.

/// Something that can be typed, with arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its words, with arguments in capitals.
    pub usage: &'static str,
    /// The description, in a sentence.
    pub text: &'static str,
    /// An example.
    pub example: &'static str,
    /// Whether it works in scripts only.
    pub in_scripts: bool,
}

const fn form(usage: &'static str, example: &'static str, text: &'static str) -> Form {
    Form {
        usage,
        text,
        example,
        in_scripts: false,
    }
}

const fn scripted(usage: &'static str, example: &'static str, text: &'static str) -> Form {
    Form {
        usage,
        text,
        example,
        in_scripts: true,
    }
}

/// The forms of instructions.
#[rustfmt::skip]
pub const FORMS: [Form; 34] = [
    form("COMMAND [N]", "undo 5",
        "Run a command by its id, N times if it can be repeated."),
    form("view VIEW", "view orbit",
        "Show a view: by its name or by its number."),
    form("focus PANE", "focus history",
        "Focus a pane, in the view that has it."),
    form("take EVENT", "take push.T0.A",
        "Take the transition with this event; `tau` is a silent step without a name, `a#2` the second of those with event a, and the beginning of an event is enough if it is the beginning of one."),
    form("trace <a, b>", "trace <push.T0.A, pop.T0.A>",
        "Follow these events from the initial state of the open process; hidden events may be named, too."),
    form("goto N", "goto 0",
        "Go to step N of the history, 0 is the initial state."),
    form("open PROCESS", "open System",
        "Animate a process: a name or any process expression over the script."),
    form("write FILE", "write walk.run.ron",
        "Save the walk to a file."),
    form("yank WHAT", "yank state",
        "Copy to the clipboard: state, representative, permutation, trace, visible, assertion, table, pane or line."),
    form("check N", "check 2",
        "Check assertion N."),
    form("check all", "check all",
        "Check all assertions."),
    form("resume FOLDER", "resume states",
        "Go on with the check whose states are in a folder (`check --store`), where it was interrupted."),
    form("mark A", "mark a",
        "Mark the present state with a letter."),
    form("to-mark A", "to-mark a",
        "Go to the state with this letter."),
    form("compare A", "compare a",
        "Compare a marked state with the present one."),
    form("compare A B", "compare a b",
        "Compare two marked states."),
    form("filter TEXT", "filter push",
        "Show only transitions, or rows of the counterexample, that contain the text; \"\" shows all."),
    form("find CONDITION", "find deadlock",
        "Go the shortest way from here to a state where the condition holds; `orbitscope help find` tells of conditions."),
    form("state raw|rep|both|counted", "state raw",
        "Show the state as it is, its representative, both, or how many components are in which local state."),
    form("orbit goto STEP", "orbit goto step2.1.split",
        "Show a step of the algorithm: its number from 1, first, last, or a name as step1, step2.1.count, step2.1.split, step2.1.fixed, step3.1, order, types, permutation."),
    form("orbit play [to STEP] [speed=S]", "orbit play to step2.1 speed=2",
        "Let the steps advance by themselves, at 0.25, 0.5, 1, 2 or 4 steps a second."),
    form("orbit replay [to STEP] [speed=S]", "orbit replay speed=4",
        "The same from the first step on."),
    form("orbit strategy NAME", "orbit strategy walk",
        "Show how a strategy chooses the representative."),
    form("permute CYCLES", "permute (N0 N3)(A B)",
        "Show the present state with its values renamed. No step is taken, so it does not count as visited; undo goes back."),
    form("key NAME...", "key g g enter",
        "Press keys; each waits until what the one before asked for is there."),
    form("type TEXT", "type deadlock",
        "Press the keys of a text."),
    scripted("size COLUMNSxROWS", "size 80x24",
        "Give the screen this size."),
    scripted("wait", "wait",
        "Wait until nothing is under way, as after every line."),
    scripted("pause SECONDS", "pause 1.5",
        "Let time pass in a recording."),
    scripted("frame [NAME]", "frame first",
        "Print the screen as text, or save it as NAME.txt where --frames says: NAME.svg is a picture."),
    form("expect TEXT", "expect Transitions",
        "Fail unless the text is on the screen; runs of blanks count as one."),
    form("expect not TEXT", "expect not internal error",
        "Fail if the text is on the screen."),
    form("expect rep unchanged", "expect rep unchanged",
        "Fail unless the state before this one in the history has the same representative."),
    scripted("# TEXT", "# a remark",
        "A comment."),
];

/// The first words of the forms that are words themselves.
pub(super) fn verbs() -> impl Iterator<Item = &'static str> {
    let first = |form: &Form| form.usage.split(' ').next().unwrap_or_default();
    let verb = |word: &&'static str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    FORMS.iter().map(first).filter(verb)
}
