//! The child: makes inputs, tries them, and says what comes of each.

use std::io::Write;
use std::path::Path;

use crate::judge::{caught, judge, on_small_stack};
use crate::mutate;
use crate::parent::Plan;

/// Says what is happening: one line on standard output.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        // The parent has gone.
        std::process::exit(1);
    }
}

/// Tries inputs for ever, from number `plan.from`.
pub fn serve(plan: &Plan) {
    on_small_stack(|| {
        let seeds = mutate::seeds(&plan.folders);
        for n in plan.from.. {
            let made = caught(|| Ok(mutate::input(&seeds, plan.seed, n)));
            let (name, bytes) = match made {
                Ok(made) => made,
                Err(signature) => {
                    say(&format!("input {n} -\nfound making an input: {signature}"));
                    continue;
                }
            };
            say(&format!("input {n} {}", name.display()));
            if std::fs::write(plan.current(), &bytes).is_err() {
                return;
            }
            let include = mutate::is_text(&bytes, &name).then_some(&*name);
            match judge(&plan.current(), include, &stage) {
                Ok(sound) => say(if sound { "sound" } else { "faulty" }),
                Err(signature) => {
                    // The parent may look at it much later.
                    let _ = std::fs::write(plan.found(n), &bytes);
                    say(&format!("found {signature}"));
                }
            }
        }
    });
}

/// Tries one file, whose includes are relative to `name`.
pub fn once(path: &Path, name: &Path) {
    on_small_stack(|| match judge(path, Some(name), &stage) {
        Ok(sound) => say(if sound { "sound" } else { "faulty" }),
        Err(signature) => say(&format!("found {signature}")),
    });
}

fn stage(name: &str) {
    say(&format!("stage {name}"));
}
