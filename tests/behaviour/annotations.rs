//! Types that are written, and types that are not known: annotations say what is promised, and what is
//! undefined causes no errors of types.

use super::types::{error, fine, found, wrong};

#[test]
fn type_variables_of_an_annotation_are_known_inside() {
    fine(&[
        "f :: Set b => (b) -> {b}\nf(x) = let y :: {b}\n           y = {x}\n       within y",
        "f :: Set b => (<b>) -> {b}\nf(s) = let g :: (<b>) -> {b}\n           g(<>) = {}\n           \
         g(<x>^xs) = union({x}, g(xs))\n       within g(s)",
        // Constrained anew, it is a variable of its own.
        "f :: (b) -> (Bool, Bool)\nf(x) = let same :: Eq b => (b, b) -> Bool\n           \
         same(y, z) = y == z\n       within (same(1, 2), same(true, false))",
        // Another name is one in any case.
        "f :: (b) -> (b, Int)\nf(x) = let id :: (c) -> c\n           id(y) = y\n       within (id(x), id(1))",
    ]);
    wrong(&[(
        "f :: (b) -> Int\nf(x) = let y :: b\n           y = 1\n       within 0",
        "E0310",
        "1",
    )]);
}

#[test]
fn variables_of_an_annotation_fit_as_fields_what_they_are() {
    fine(&[
        "f :: (c=>b, d=>c, d) -> b\nf(x, y, z) = x.y.z",
        "f :: (c=>b, d=>c) -> d=>b\nf(x, y) = x.y",
        "f :: (c=>d=>b, c) -> d=>b\nf(x, y) = x.y",
        "f :: (c=>d=>b, c) -> d=>b\nf(x, y) = let z = x.y within z",
        "f :: (c=>d=>b, c, d) -> b\nf(x, y, z) = (x.y).z",
        "f :: (Int=>c, c=>b) -> b\nf(x, y) = y.x.1",
        "f :: Set b => (c=>b, {c}) -> {b}\nf(x, s) = {x.y | y <- s}",
        "f :: (c=>Event, c) -> Proc\nf(x, y) = x!y -> STOP",
        "f :: (c=>b, c) -> b\nf(x, y) = x.y\nQ = f(n, 1) -> f(nn.1, 2) -> f(t, f(B, 1)) -> STOP",
    ]);
    wrong(&[
        ("f :: (c=>b, d) -> b\nf(x, y) = x.y", "E0310", "y"),
        (
            "f :: (c=>b, d=>c, e) -> b\nf(x, y, z) = x.y.z",
            "E0310",
            "z",
        ),
        (
            "f :: (c=>b, d=>e, d) -> b\nf(x, y, z) = x.y.z",
            "E0310",
            "y",
        ),
        (
            "f :: (c=>b, d=>c, d) -> c\nf(x, y, z) = x.y.z",
            "E0310",
            "x.y.z",
        ),
        (
            "f :: (c=>d=>b, c, d) -> b\nf(x, y, z) = x.z.y",
            "E0310",
            "z",
        ),
        ("f :: (c=>d=>b, c) -> b\nf(x, y) = x.y", "E0310", "x.y"),
        ("f :: (c=>b) -> b\nf(x) = x.1", "E0310", "1"),
        ("f :: (Int=>b, c) -> b\nf(x, y) = x.y", "E0310", "x.y"),
        // Nothing asks what comes of these products.
        (
            "f :: (Eq b, Eq c, Eq d) => (c=>b, d) -> Bool\nf(x, y) = (x.y) == (x.y)",
            "E0310",
            "y",
        ),
        (
            "f :: (Set b, Set c, Set d) => (c=>b, d) -> Int\nf(x, y) = card({x.y})",
            "E0310",
            "y",
        ),
    ]);
}

#[test]
fn annotations_of_channels_and_constructors_say_what_the_declaration_says() {
    fine(&[
        "c :: Int=>Event\nchannel c : {0..1}",
        "c :: Int=>Bool=>Event\nchannel c : {0..1}.Bool",
        "K :: Int=>U\ndatatype U = K.{0..1} | L",
        "c, d :: Event\nchannel c, d",
        "c :: Int=>Event\nchannel c : {}",
    ]);
    wrong(&[
        ("c :: Bool=>Event\nchannel c : {0..1}", "E0301", "c"),
        ("c :: Event\nchannel c : {0..1}", "E0301", "c"),
        ("c :: Int\nchannel c", "E0301", "c"),
        ("K :: Bool=>U\ndatatype U = K.{0..1} | L", "E0301", "K"),
        ("K :: U\ndatatype U = K.{0..1} | L", "E0301", "K"),
    ]);
}

#[test]
fn constraints_are_about_variables_that_occur() {
    wrong(&[
        ("f :: Eq b => (c) -> c\nf(x) = x", "E0309", "b"),
        ("f :: (Eq c, Set b) => (c) -> c\nf(x) = x", "E0309", "b"),
    ]);
}

#[test]
fn what_is_undefined_causes_no_errors_of_types() {
    let codes = |text: &str| -> Vec<&str> { found(text).into_iter().map(|(c, _)| c).collect() };
    assert_eq!(codes("channel q : Missing"), ["E0201"]);
    assert_eq!(codes("f(x) = missing(x, f)"), ["E0201"]);
    assert_eq!(
        codes("datatype V = W.Missing\nQ = missing(W) -> STOP"),
        ["E0201", "E0201"]
    );
    // What is not known may take all fields that follow, and leaves nothing to be determined.
    assert_eq!(
        codes("f(p) = {missing.p, missing.p.1, n.1}"),
        ["E0201", "E0201"]
    );
    assert_eq!(codes("f(e) = <(1, e), (2, missing.e)>"), ["E0201"]);
    assert_eq!(
        codes("channel q : Missing.Bool.Lost\nf(c) = c.true\nQ(x) = f(q.x) -> q.1.x -> STOP"),
        ["E0201", "E0201"]
    );
    assert_eq!(codes("datatype V = W.Set(Missing)"), ["E0201"]);
    assert_eq!(codes("channel q : {x | x <- missing}"), ["E0201"]);
    // What is wrong besides is told as well.
    assert_eq!(codes("f(x) = missing\ng = 1 + true"), ["E0201", "E0301"]);
}

#[test]
fn who_takes_the_name_of_a_channel_for_a_variable_is_told() {
    let note = |text: &str| {
        let d = error(text);
        assert!(d.code.starts_with("E03"), "{d:?}");
        let told = d
            .notes
            .iter()
            .any(|n| n.starts_with("`n` in a pattern is the channel"));
        assert!(told, "{text}: {:?}", d.notes);
    };
    note("f(n, x) = n + x");
    note("f(n, x) = x\ng = f(1, 2)");
    note("f = \\ n @ n + 1");
    note("f = {n | n <- {0..2}}");
    note("f = nb?n?b -> STOP");
    note("f = [] n : {0..2} @ a -> STOP");
    // Events of the channel are meant here.
    for text in ["f(n.true) = 1", "f(n.x) = x\ng = f(1)"] {
        let d = error(text);
        assert!(!d.notes.iter().any(|n| n.contains("in a pattern")), "{d:?}");
    }
}
