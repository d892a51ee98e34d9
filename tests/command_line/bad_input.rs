//! Whatever is given to the program, it ends by itself, with the right exit code, and with a message
//! that names the place where there is one.

use std::process::{Command, Stdio};

use crate::support::tiers;
use crate::support::{orbitscope, repository, script};
use orbitscope::animate::engine::ScriptEngine;

/// A script that is wrong somewhere.
struct Bad {
    name: &'static str,
    text: &'static str,
    /// `line:column` of the fault.
    place: &'static str,
    code: &'static str,
    /// Something that the message says.
    says: &'static str,
}

/// Faults that loading finds.
const UNSOUND: [Bad; 4] = [
    Bad {
        name: "open_comment",
        text: "P = STOP\n{- and so on\n",
        place: "2:1",
        code: "E0102",
        says: "never closed",
    },
    Bad {
        name: "type_error",
        text: "channel a\nP = a -> (1 + true)\nassert P :[deadlock free]\n",
        place: "2:15",
        code: "E0301",
        says: "expected Int, found Bool",
    },
    Bad {
        name: "undefined",
        text: "channel a\nP = a -> Q\nassert P :[deadlock free]\n",
        place: "2:10",
        code: "E0201",
        says: "`Q` is not defined",
    },
    Bad {
        name: "nul",
        text: "P = STOP\0\n",
        place: "1:9",
        code: "E0803",
        says: "NUL byte",
    },
];

/// Faults that show when the process is run.
const UNRUNNABLE: [Bad; 8] = [
    Bad {
        name: "infinite_set",
        text: "channel a : Int\nP = [] x : {0..} @ a.x -> P\nassert P :[deadlock free]\n",
        place: "2:12",
        code: "E0402",
        says: "infinite",
    },
    Bad {
        name: "infinite_channel",
        text: "channel a : Int\nP = a?x -> P\nassert P :[deadlock free]\n",
        place: "2:7",
        code: "E0402",
        says: "infinite",
    },
    Bad {
        name: "division",
        text: "channel a : {0..3}\nf(n) = 3 / n\nP = a!f(0) -> P\nassert P :[deadlock free]\n",
        place: "2:8",
        code: "E0405",
        says: "division by zero",
    },
    Bad {
        name: "itself",
        text: "P = P\nassert P :[deadlock free]\n",
        place: "1:5",
        code: "E0411",
        says: "does not end",
    },
    Bad {
        name: "deep_function",
        text: "channel a : {0..3}\nf(n) = 1 + f(n + 1)\nP = a!f(0) -> P\nassert P :[deadlock free]\n",
        place: "2:12",
        code: "E0421",
        says: "calls within calls",
    },
    Bad {
        name: "unguarded",
        text: "channel a\nP = P [] a -> STOP\nassert P :[deadlock free]\n",
        place: "2:5",
        code: "E0411",
        says: "does not end",
    },
    Bad {
        name: "no_clause",
        text: "channel a : {0..3}\nf(0) = 1\nP = a!f(1) -> P\nassert P :[deadlock free]\n",
        place: "3:7",
        code: "E0413",
        says: "no clause of `f`",
    },
    Bad {
        name: "huge_range",
        text: "channel a : {0..10000000000}\nP = a?x -> P\nassert P :[deadlock free]\n",
        place: "2:7",
        code: "E0403",
        says: "more than",
    },
];

#[test]
fn faulty_scripts_are_refused_with_the_place() {
    for bad in UNSOUND.iter().chain(&UNRUNNABLE) {
        let path = script(&format!("{}.csp", bad.name), bad.text);
        let path = path.display().to_string();
        let ran = orbitscope(&["check", &path], b"");
        let shown = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, Some(3), "{}: {shown}", bad.name);
        let place = format!("{path}:{}", bad.place);
        for part in [&*place, bad.code, bad.says] {
            assert!(shown.contains(part), "{}: no {part:?} in {shown}", bad.name);
        }
    }
}

#[test]
fn the_animator_shows_the_same_faults() {
    for bad in &UNSOUND {
        let path = script(&format!("{}_animated.csp", bad.name), bad.text);
        let place = format!("{}:{}", path.display(), bad.place);
        let failures = match ScriptEngine::load(path) {
            Ok(engine) => engine.info().diagnostics.clone(),
            Err(failure) => failure.errors,
        };
        let found = failures.iter().any(|f| {
            f.summary.contains(&place) && f.detail.contains(bad.code) && f.detail.contains(bad.says)
        });
        assert!(found, "{}: {failures:?}", bad.name);
    }
    for bad in &UNRUNNABLE {
        let path = script(&format!("{}_animated.csp", bad.name), bad.text);
        let place = format!("{}:{}", path.display(), bad.place);
        let mut engine = ScriptEngine::load(path).expect("it loads");
        let viewed = engine.open("P").and_then(|state| engine.view(state));
        let failure = viewed.expect_err(bad.name);
        assert!(failure.summary.contains(&place), "{}", failure.summary);
        assert!(failure.detail.contains(bad.says), "{}", failure.detail);
    }
}

#[test]
fn a_process_that_is_not_there_is_a_failure() {
    let path = script("absent.csp", "channel a\nP = a -> P\n");
    let mut engine = ScriptEngine::load(path).expect("it loads");
    for wrong in ["Q", "P [] Q", "1 + 1", "a", "P [", ")", "P \\ {a", "\0"] {
        let failure = engine.open(wrong).expect_err(wrong);
        assert!(!failure.summary.is_empty(), "{wrong}");
    }
    let state = engine.open("P [] STOP").expect("it still works");
    assert_eq!(engine.view(state).expect("a -> P").transitions.len(), 1);
}

#[test]
fn files_that_are_no_scripts() {
    let empty = script("empty.csp", "");
    let ran = orbitscope(&["check", &empty.display().to_string()], b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("no assertions"), "{}", ran.stdout);

    // Every byte, in an order without line ends in a row: what a program or a picture looks like.
    let bytes: Vec<u8> = (0..20_000u32)
        .map(|n| (n.wrapping_mul(167) >> 3) as u8)
        .collect();
    let binary = script("binary.csp", bytes).display().to_string();
    let ran = orbitscope(&["check", &binary], b"");
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("{binary}:")), "{}", ran.stderr);
    // What could not be read is not said to be without assertions.
    assert_eq!(ran.stdout, "");

    let missing = orbitscope(&["check", "there_is_no_such_file.csp"], b"");
    assert_eq!(missing.code, Some(2), "{}", missing.stderr);
    assert!(missing.stderr.contains("there_is_no_such_file.csp"));

    let folder = repository("models").display().to_string();
    let ran = orbitscope(&["check", &folder], b"");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("directory"), "{}", ran.stderr);
}

/// Runs a check that must find exactly one fault, of this code at this place of the file.
#[track_caller]
fn refused(name: &str, text: impl AsRef<[u8]>, code: &str, place: &str) {
    let path = script(name, text).display().to_string();
    let ran = orbitscope(&["check", "--format", "json", &path], b"");
    assert_eq!(ran.code, Some(3), "{name}: {}{}", ran.stdout, ran.stderr);
    let shown = orbitscope(&["check", &path], b"").stderr;
    let wanted = format!("{path}:{place}");
    for part in [&*wanted, code] {
        assert!(shown.contains(part), "{name}: no {part:?} in {shown:.2000}");
    }
    assert!(shown.len() < 20_000, "{name}: {} bytes", shown.len());
}

#[test]
fn lines_end_in_three_ways() {
    let lines = [
        "-- first",
        "channel a {- b",
        " -} : {0}",
        "",
        "Q = a.0 -> Q -- last",
        "P = é -> R",
    ];
    for (name, end) in [("lf", "\n"), ("crlf", "\r\n"), ("cr", "\r")] {
        let text = lines.join(end);
        refused(&format!("{name}_end.csp"), &text, "E0131", "6:5");
        // What comes after a character of several bytes is counted in characters.
        let text = text.replace("é -> R", "(let é = 1 within R)");
        refused(&format!("{name}_column.csp"), text, "E0131", "6:10");
        let text = format!("-- c{end}P = \"é\" -> Q{end}");
        refused(&format!("{name}_comment.csp"), text, "E0201", "2:12");
    }
}

#[test]
fn texts_that_end_too_early() {
    for (n, (end, code)) in [
        ("\"", "E0104"),
        ("{-", "E0102"),
        ("x = '", "E0101"),
        ("x = \\", "E0101"),
        ("x = (", "E0103"),
        ("x = (| ", "E0103"),
        ("x = <", "E0103"),
        ("assert P :[", "E0103"),
        ("include \"", "E0104"),
        ("f(", "E0103"),
        ("let", "E0101"),
    ]
    .into_iter()
    .enumerate()
    {
        refused(
            &format!("early_{n}.csp"),
            format!("P = STOP\n{end}"),
            code,
            "2:",
        );
    }
}

#[test]
fn very_long_tokens_and_lines() {
    if !tiers::has_time("command_line bad_input::very_long_tokens_and_lines") {
        return;
    }
    let many = 1_000_000;
    let digits = "7".repeat(many);
    refused(
        "digits.csp",
        format!("P = STOP\nx = {digits}\n"),
        "E0106",
        "2:5",
    );
    let name = "n".repeat(many);
    refused(
        "long_name.csp",
        format!("P = STOP\nx = {name}\n"),
        "E0201",
        "2:5",
    );
    let line = format!("S = {{{}oops}}\n", "1, ".repeat(many / 2));
    refused("long_line.csp", line, "E0201", "1:1500006");
    let string = format!("x = \"{name}\" + 1\n");
    refused("long_string.csp", string, "E03", "1:5");
}

#[test]
fn other_encodings() {
    let text = "channel ä\nP = STOP\nassert P :[deadlock free]\n".replace('ä', "a");
    let utf16 = |swap: bool| {
        let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
        let bytes = |u: u16| {
            if swap {
                u.to_be_bytes()
            } else {
                u.to_le_bytes()
            }
        };
        units.flat_map(bytes).collect::<Vec<u8>>()
    };
    for (name, bytes) in [("le", utf16(false)), ("be", utf16(true))] {
        let path = script(&format!("utf16_{name}.csp"), bytes)
            .display()
            .to_string();
        let ran = orbitscope(&["check", &path], b"");
        assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("E0808"), "{}", ran.stderr);
    }
    let bare: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    refused("utf16_bare.csp", bare, "E0803", "1:2");
    refused("rich.csp", "{\\rtf1\\ansi P = STOP}", "E0804", "1:1");
    refused("latin1.csp", b"-- caf\xE9\nP = Q\n", "E0201", "2:5");
    refused("marked.csp", "\u{feff}P = Q\n", "E0201", "1:6");
}

#[test]
fn files_of_any_size() {
    let path = script("huge.csp", "");
    let file = std::fs::OpenOptions::new().write(true).open(&path);
    let file = file.expect("it can be opened");
    file.set_len(50 * 1024 * 1024).expect("it can be made long");
    let huge = path.display().to_string();
    let ran = orbitscope(&["check", &huge], b"");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("too large"), "{}", ran.stderr);
    let main = format!("P = STOP\ninclude \"{huge}\"\n");
    refused("includes_huge.csp", main, "E0805", "2:");
    let blanks = vec![b' '; 17 * 1024 * 1024];
    let ran = orbitscope(&["check", "-"], &blanks);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    // All files together count.
    let half = format!("-- {}\n", "x".repeat(9 * 1024 * 1024));
    let half = script("half.csp", half).display().to_string();
    let main = format!("include \"{half}\"\ninclude \"{half}\"\n");
    refused("includes_halves.csp", main, "E0805", "2:");
}

#[cfg(unix)]
#[test]
fn includes_of_what_is_no_file() {
    let folder = repository("models").display().to_string();
    refused(
        "include_folder.csp",
        format!("include \"{folder}\"\n"),
        "E0802",
        "1:",
    );
    refused(
        "include_missing.csp",
        "P = STOP\ninclude \"nowhere.csp\"\n",
        "E0801",
        "2:",
    );
    refused("include_nothing.csp", "include \"\"\n", "E080", "1:");
    refused(
        "include_itself.csp",
        "include \"include_itself.csp\"\n",
        "E0806",
        "1:",
    );
    let folder = script("include_folder.csp", "");
    let beside = |name: &str| {
        let path = folder.with_file_name(name);
        // From the run before.
        let _ = std::fs::remove_file(&path);
        path
    };
    let pipe = beside("pipe").display().to_string();
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|s| s.success()), "mkfifo");
    for (n, device) in ["/dev/zero", "/dev/stdin", "/dev/tty", &pipe]
        .iter()
        .enumerate()
    {
        let main = format!("P = STOP\ninclude \"{device}\"\n");
        refused(&format!("include_device_{n}.csp"), main, "E0801", "2:");
    }
    let (here, there) = (beside("loop_a"), beside("loop_b"));
    for (link, target) in [(&here, &there), (&there, &here)] {
        std::os::unix::fs::symlink(target, link).expect("a link can be made");
    }
    refused(
        "include_loop.csp",
        "P = STOP\ninclude \"loop_a\"\n",
        "E0801",
        "2:",
    );
    let ran = orbitscope(&["check", "/dev/zero"], b"");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("too large"), "{}", ran.stderr);
}

#[test]
fn very_many_includes() {
    script("included.csp", "-- nothing\n");
    let many = "include \"included.csp\"\n".repeat(10_000);
    refused("includes_many.csp", many, "E0807", "1001:");
    for n in 0..40 {
        let next = format!(
            "include \"twice_{0}.csp\"\ninclude \"twice_{0}.csp\"\n",
            n + 1
        );
        script(&format!("twice_{n}.csp"), next);
    }
    script("twice_40.csp", "P = STOP\n");
    let path = script("includes_doubled.csp", "include \"twice_0.csp\"\n")
        .display()
        .to_string();
    let ran = orbitscope(&["check", &path], b"");
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("E0807"), "{}", ran.stderr);
    for n in 0..900 {
        script(
            &format!("chain_{n}.csp"),
            format!("include \"chain_{}.csp\"\n", n + 1),
        );
    }
    script("chain_900.csp", "P = Q\n");
    let path = script("includes_chain.csp", "include \"chain_0.csp\"\n")
        .display()
        .to_string();
    let ran = orbitscope(&["check", &path], b"");
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("chain_900.csp:1:5"), "{}", ran.stderr);
}

#[test]
fn files_with_nothing_to_say() {
    for (n, text) in [
        "",
        "\n",
        " \t",
        "-- only this",
        "{- and\n{- this -} -}",
        "\r",
        "\u{feff}",
        "\u{c}",
    ]
    .iter()
    .enumerate()
    {
        let path = script(&format!("nothing_{n}.csp"), text)
            .display()
            .to_string();
        let ran = orbitscope(&["check", &path], b"");
        assert_eq!(ran.code, Some(0), "{text:?}: {}", ran.stderr);
        assert!(ran.stderr.is_empty(), "{text:?}: {}", ran.stderr);
    }
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("P = {}STOP{}\n", "(".repeat(100_000), ")".repeat(100_000));
    let long = format!("channel a\nP = {}STOP\n", "a -> ".repeat(100_000));
    for (name, text, place) in [("deep", deep, "1:"), ("long", long, "2:5")] {
        let path = script(&format!("{name}.csp"), text).display().to_string();
        let ran = orbitscope(&["check", &path], b"");
        assert_eq!(ran.code, Some(3), "{}", ran.stderr);
        let place = format!("{path}:{place}");
        assert!(ran.stderr.contains(&place), "{}", ran.stderr);
        assert!(ran.stderr.contains("too deeply"), "{}", ran.stderr);
    }
}

#[test]
fn limits_end_a_search() {
    let text = "channel a\nP = a -> (P ||| P)\nassert P :[deadlock free]\n";
    let path = script("growing.csp", text).display().to_string();
    let ran = orbitscope(&["check", "--max-states", "20000", &path], b"");
    assert_eq!(ran.code, Some(4), "{}{}", ran.stdout, ran.stderr);
    let ran = orbitscope(&["check", "--timeout", "1s", &path], b"");
    assert_eq!(ran.code, Some(4), "{}{}", ran.stdout, ran.stderr);
    // Numbers have no bound, so this never ends by itself.
    let text = "channel a : {0..3}\nf(n) = f(n + 1)\nP = a!f(0) -> P\nassert P :[deadlock free]\n";
    let path = script("endless.csp", text).display().to_string();
    let ran = orbitscope(&["check", "--timeout", "1s", &path], b"");
    assert_eq!(ran.code, Some(4), "{}{}", ran.stdout, ran.stderr);
    let model = repository("models/list_stack.csp").display().to_string();
    let ran = orbitscope(&["check", "--no-symmetry", "--memory", "1M", &model], b"");
    assert_eq!(ran.code, Some(5), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn wrong_arguments_are_a_matter_of_usage() {
    let model = repository("models/two_buffers.csp").display().to_string();
    let wrong: [&[&str]; 10] = [
        &[],
        &["check"],
        &["check", &model, "-a", "4"],
        &["check", &model, "-a", "0"],
        &["check", &model, "-a", "no such text"],
        &["check", &model, "--no-such-option"],
        &["check", &model, "--rep", "random"],
        &["check", &model, "--workers", "0"],
        &["check", &model, "--max-states", "many"],
        &["check", &model, "--timeout", "soon"],
    ];
    for args in wrong {
        let ran = orbitscope(args, b"");
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.stderr);
        assert!(!ran.stderr.is_empty(), "{args:?}");
        assert!(ran.stdout.is_empty(), "{args:?}: {}", ran.stdout);
    }
    let ran = orbitscope(&["check", &model, "-a", "1", "--types", "U"], b"");
    assert_eq!(ran.code, Some(3), "{}", ran.stdout);
    assert!(ran.stdout.contains("`U`"), "{}", ran.stdout);
    // The animator needs a terminal, and says so.
    let ran = orbitscope(&["open", &model], b"");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("terminal"), "{}", ran.stderr);
}

#[test]
fn a_script_may_come_from_standard_input() {
    let holds = orbitscope(
        &["check", "-"],
        b"channel a\nP = a -> P\nassert P :[deadlock free]\n",
    );
    assert_eq!(holds.code, Some(0), "{}{}", holds.stdout, holds.stderr);
    let wrong = orbitscope(&["check", "-"], b"P = Q\n");
    assert_eq!(wrong.code, Some(3), "{}", wrong.stderr);
    assert!(wrong.stderr.contains(":1:5"), "{}", wrong.stderr);
    let nothing = orbitscope(&["check", "-"], b"");
    assert_eq!(nothing.code, Some(0), "{}", nothing.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let model = repository("models/database.csp");
    for format in ["text", "json"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
            .args(["check", "--format", format])
            .arg(&model)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let ended = child.wait_with_output().expect("the program ends");
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert!(!stderr.contains("panicked"), "{stderr}");
        assert_ne!(ended.status.code(), Some(101), "{stderr}");
    }
}

/// A single state may have more successors than fit anywhere: limits hold there too.
#[test]
fn limits_hold_within_one_state() {
    let text = "channel a\nTwo = a -> STOP [] a -> SKIP\nP = [| {a} |] i : {0..71} @ Two\n\
                assert P :[deadlock free]\n";
    let path = script("many_successors.csp", text);
    let ran = orbitscope(
        &["check", "--timeout", "1s", &path.display().to_string()],
        b"",
    );
    assert_eq!(ran.code, Some(4), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("time limit reached"), "{}", ran.stdout);
}
