//! `orbitscope` without a script, where there is no terminal.

use super::support::orbitscope;

#[test]
fn without_a_terminal_it_says_what_there_is_to_begin_with() {
    for args in [&[][..], &["welcome"], &["--plain"], &["--ascii"]] {
        let ran = orbitscope(args, b"");
        assert_eq!(ran.code, Some(2), "{args:?}");
        assert_eq!(ran.stdout, "", "{args:?}");
        for part in [
            "orbitscope FILE",
            "orbitscope lesson list",
            "timed_crossing",
        ] {
            assert!(ran.stderr.contains(part), "{args:?}: {}", ran.stderr);
        }
    }
}
