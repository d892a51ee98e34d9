//! The configuration file: where it is, what holds, and what is wrong with it.

use std::process::Command;

/// Runs the program with a configuration; gives what it printed, what it complained of, and its exit code.
fn configured(name: &str, text: &str, args: &[&str]) -> (String, String, Option<i32>) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("config.ron"), text).expect("a file");
    let ran = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
        .args(args)
        .env("ORBITSCOPE_CONFIG_DIR", &folder)
        .output()
        .expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&ran.stdout), text(&ran.stderr), ran.status.code())
}

#[test]
fn what_is_dumped_is_sound_and_dumped_again() {
    let text = "Config(theme: light, motion: none, grouping: none, keys: {\"take\": [\"t\", \"Enter\"], \"mark\": \"M\"})";
    let (dumped, complaints, code) = configured("dumped", text, &["config", "dump"]);
    assert_eq!((complaints.as_str(), code), ("", Some(0)));
    assert!(dumped.contains("\"take\": [\"t\", \"enter\"]"), "{dumped}");
    let again = configured("dumped-again", &dumped, &["config", "dump"]);
    assert_eq!(again, (dumped.clone(), String::new(), Some(0)));
    let (said, _, code) = configured("dumped-again", &dumped, &["config", "check"]);
    assert!(
        said.contains("sound") && said.contains("t is now `take`"),
        "{said}"
    );
    assert_eq!(code, Some(0));
}

#[test]
fn mistakes_are_told_by_place_and_never_prevent_a_start() {
    let text = "Config(\n  theme: lihgt,\n  keys: { \"tkae\": \"x\", \"undo\": \"r\", \"random\": \"r\" },\n)\n";
    let (_, complaints, code) = configured("wrong", text, &["config", "check"]);
    assert_eq!(code, Some(2));
    for part in [
        ":2:10: there is no `lihgt`; is `light` meant?",
        ":3:12: there is no command `tkae`; is `take` meant?",
        "`r` is given to `undo`, where both work",
    ] {
        assert!(complaints.contains(part), "{complaints}");
    }
    let (dumped, _, code) = configured("wrong", text, &["config", "dump"]);
    assert!(
        dumped.contains("theme: \"auto\"") && dumped.contains("\"undo\": [\"r\"]"),
        "{dumped}"
    );
    assert_eq!(code, Some(0));
}

#[test]
fn pages_are_found_by_several_words_and_by_what_is_near() {
    let help = |args: &[&str]| {
        let all: Vec<&str> = std::iter::once("help")
            .chain(args.iter().copied())
            .collect();
        configured("help", "()", &all)
    };
    for words in [&["normal", "form"][..], &["Normal Form"]] {
        let (page, complaints, code) = help(words);
        assert_eq!((complaints.as_str(), code), ("", Some(0)), "{words:?}");
        assert!(page.to_lowercase().contains("normal form"), "{page}");
    }
    // Several pages are several pages.
    let (both, _, code) = help(&["normal", "form", "config"]);
    assert!(both.contains("config.ron") && code == Some(0), "{both}");
    for (asked, meant) in [
        (&["exmaple"][..], "is `models` meant?"),
        (&["normla", "form"], "`normal form`"),
        (&["confg"], "is `config` meant?"),
    ] {
        let (_, complaints, code) = help(asked);
        assert!(complaints.contains(meant), "{asked:?}: {complaints}");
        assert_eq!(code, Some(2));
    }
}
