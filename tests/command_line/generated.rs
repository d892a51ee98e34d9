//! Pages for `man`, completions and the version: made from the definitions of the commands, so they name all of them.

use super::support::orbitscope;
use clap::CommandFactory;
use orbitscope::cli::Cli;

/// The long options of a command, and of those below it.
fn options(command: &clap::Command, found: &mut Vec<(String, String)>) {
    for argument in command.get_arguments().filter(|a| !a.is_hide_set()) {
        if let Some(long) = argument.get_long() {
            let name = command.get_bin_name().unwrap_or("orbitscope");
            found.push((name.replace(' ', "-"), long.to_owned()));
        }
    }
    for below in command.get_subcommands() {
        options(below, found);
    }
}

#[test]
fn pages_and_completions_name_every_option() {
    let mut all = Vec::new();
    let mut command = Cli::command();
    command.build();
    options(&command, &mut all);
    assert!(all.len() > 60, "{}", all.len());
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("man");
    let named = folder.to_str().expect("a path is text");
    assert_eq!(orbitscope(&["man", named], b"").code, Some(0));
    let page = |command: &str| {
        let path = folder.join(format!("{command}.1"));
        let text = std::fs::read_to_string(path).expect("a page");
        text.replace("\\-", "-")
    };
    for (command, option) in &all {
        let option = format!("--{option}");
        assert!(page(command).contains(&option), "{command} {option}");
    }
    let main = orbitscope(&["man"], b"");
    assert_eq!(main.stdout.replace("\\-", "-"), page("orbitscope"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = orbitscope(&["completions", shell], b"");
        assert_eq!(ran.code, Some(0), "{shell}");
        for (command, option) in &all {
            assert!(ran.stdout.contains(option), "{shell}: {command} --{option}");
        }
    }
    assert_eq!(orbitscope(&["completions", "csh"], b"").code, Some(2));
}

#[test]
fn the_version_is_told_shortly_and_in_full() {
    let expected = format!("orbitscope {}\n", env!("CARGO_PKG_VERSION"));
    let short = orbitscope(&["--version"], b"");
    assert_eq!((short.stdout.as_str(), short.code), (&*expected, Some(0)));
    let long = orbitscope(&["-V"], b"").stdout;
    assert!(long.starts_with(&expected), "{long}");
    for part in ["commit:", "target:", "profile:", "licences: MIT"] {
        assert!(long.contains(part), "{long}");
    }
}

/// Terms are explained, and what is given as an example of one runs.
#[test]
fn terms_are_explained() {
    use orbitscope::source::glossary::terms;
    for term in terms() {
        let page = orbitscope(&["help", term.name], b"");
        assert_eq!(page.code, Some(0), "{}: {}", term.name, page.stderr);
        let words = term.example.replace('\'', "");
        let args: Vec<&str> = words.split(' ').collect();
        let ran = orbitscope(&args, b"");
        assert!(ran.code < Some(2), "{}: {}", term.example, ran.stderr);
    }
    let list = orbitscope(&["help", "terms"], b"").stdout;
    assert_eq!(list.lines().count(), terms().len());
}

/// Words of the screen and of reports that a newcomer cannot know have an entry: the paper's numbers, names of
/// strategies, and what panes are about.
#[test]
fn words_that_panes_print_are_terms() {
    use orbitscope::search::keeping::KeepingKind;
    use orbitscope::source::glossary::find;
    for kind in KeepingKind::all().chain(KeepingKind::structural()) {
        assert!(find(kind.name()).is_some(), "{} is no term", kind.name());
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tui/tests/snapshots");
    let mut numbers = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(folder)
        .expect("there are screens")
        .flatten()
    {
        let text = std::fs::read_to_string(entry.path()).expect("a screen is text");
        for kind in ["Prop", "Def", "Sec", "Lemma"] {
            for (at, _) in text.match_indices(kind) {
                let rest = text[at + kind.len()..].trim_start_matches('.');
                let Some(number) = rest.strip_prefix(' ') else {
                    continue;
                };
                let digits = |c: char| c.is_ascii_digit() || c == '.';
                let end = number.find(|c| !digits(c)).unwrap_or(number.len());
                let number = number[..end].trim_end_matches('.');
                if !number.is_empty() {
                    numbers.insert(format!("{kind}. {number}"));
                }
            }
        }
    }
    assert!(!numbers.is_empty());
    let all = orbitscope::source::glossary::terms();
    for number in numbers {
        let plain = number.replace("Lemma.", "Lemma");
        let known = all.iter().any(|term| {
            let also = term.also.iter().any(|name| *name == plain);
            term.paper == plain || also || term.text.contains(&plain)
        });
        assert!(known, "{plain} is on a screen and in no term");
    }
    for word in [
        "representative",
        "orbit",
        "n-values",
        "block",
        "partition",
        "split",
        "tie",
        "pi",
        "step 1",
        "step 2",
        "step 3",
        "twin",
        "unique",
        "divergence",
        "refusal",
        "stable",
        "quotient",
        "fully symmetric",
        "keeping",
        "strategy",
        "counters",
        "permutation",
        "counterexample",
        "ply",
        "group order",
        "generator",
        "symmetric type",
        "alpha",
    ] {
        assert!(find(word).is_some(), "{word} is no term");
    }
}

/// The models are part of the program, wherever a script can be named.
#[test]
fn models_are_built_in() {
    use orbitscope::source::models::MODELS;
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let files = std::fs::read_dir(&root).expect("there are models").count();
    assert_eq!(MODELS.len(), files);
    for model in MODELS {
        let path = root.join(format!("{}.csp", model.name));
        let text = std::fs::read_to_string(path).expect("a model is text");
        assert_eq!(text, model.text);
        let name = format!("builtin:{}", model.name);
        let ran = orbitscope(&["typecheck", &name], b"");
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
    }
    let explained = orbitscope(&["explain", "builtin:two_buffers", "Q"], b"");
    assert!(explained.stdout.starts_with("Q after no event"));
    let wrong = orbitscope(&["check", "builtin:list_stak"], b"");
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.contains("is `list_stack` meant?"),
        "{}",
        wrong.stderr
    );
}
