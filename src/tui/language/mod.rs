//! Commands as text: typed after `:`, written in scripts, and run by lessons.
//!
//! [`parse()`] reads a line and says where it is wrong; [`run()`] does it on the data of the screen. Every
//! command of the registry can be written by its id, with a number if it can be repeated. The others are:
//!
//! | form | example |
//! | --- | --- |
//! | `COMMAND [N]` | `undo 5` |
//! | `view VIEW` | `view orbit` |
//! | `focus PANE` | `focus history` |
//! | `take EVENT` | `take push.T0.A` |
//! | `trace <a, b>` | `trace <push.T0.A, pop.T0.A>` |
//! | `goto N` | `goto 0` |
//! | `open PROCESS` | `open System` |
//! | `write FILE` | `write walk.run.ron` |
//! | `yank WHAT` | `yank state` |
//! | `check N` | `check 2` |
//! | `check all` | `check all` |
//! | `resume FOLDER` | `resume states` |
//! | `mark A` | `mark a` |
//! | `to-mark A` | `to-mark a` |
//! | `compare A` | `compare a` |
//! | `compare A B` | `compare a b` |
//! | `filter TEXT` | `filter push` |
//! | `find CONDITION` | `find deadlock` |
//! | `state raw\|rep\|both\|counted` | `state raw` |
//! | `orbit goto STEP` | `orbit goto step2.1.split` |
//! | `orbit play [to STEP] [speed=S]` | `orbit play to step2.1 speed=2` |
//! | `orbit replay [to STEP] [speed=S]` | `orbit replay speed=4` |
//! | `orbit strategy NAME` | `orbit strategy walk` |
//! | `permute CYCLES` | `permute (N0 N3)(A B)` |
//! | `key NAME...` | `key g g enter` |
//! | `type TEXT` | `type deadlock` |
//! | `size COLUMNSxROWS` | `size 80x24` |
//! | `wait` | `wait` |
//! | `pause SECONDS` | `pause 1.5` |
//! | `frame [NAME]` | `frame first` |
//! | `expect TEXT` | `expect Transitions` |
//! | `expect not TEXT` | `expect not internal error` |
//! | `expect rep unchanged` | `expect rep unchanged` |
//! | `# TEXT` | `# a remark` |
//!
//! The same table with a sentence for each is [`FORMS`], which completion and `orbitscope help commands` use.
//!
//! Parsing needs no screen, so all lines of a file can be checked before anything is run. Running may be refused by
//! a sentence, as that a mark is not set. The engine's part comes later, as after a key: the effects of [`run()`]
//! request it, and the caller waits until no request is outstanding before the next line. The error of a failed
//! request is then in [`crate::app::App::failed`].

mod act;
mod drawn;
mod forms;
mod help;
mod line;
mod offers;
mod parse;
mod run;
mod steps;
mod taking;
mod words;

pub use act::act;
pub use drawn::{buffer, cells, is_shown, screen_text};
pub use forms::{FORMS, Form};
pub use help::commands_page;
pub use line::{CommandLine, Instruction, Mistake, StepName};
pub use offers::{common_start, completions, form_of, preview_line};
pub use parse::{PICTURE, parse, parse_size};
pub use run::run;
pub use steps::step_names;
pub use words::hint;
