//! Circles in scripts, read as words: the counts that were found independently, and what is refused.

use std::fmt::Write as _;
use std::path::Path;

use orbitscope::lab::ring::{FirstRun, NoRing, RingReading, first_words, read};
use orbitscope::source::Budget;

use crate::support::{oracle, repository, script, sound};

/// A process of a script at a size.
fn of(text: &str, process: &str, cells: usize) -> Result<RingReading, NoRing> {
    let mut sized = String::new();
    for line in text.lines() {
        match line.starts_with("N = ") {
            true => writeln!(sized, "N = {cells}"),
            false => writeln!(sized, "{line}"),
        }
        .expect("a string");
    }
    let loaded = sound(&script(&format!("ring_{process}_{cells}.csp"), sized));
    let body = loaded.process(process).expect("the process");
    read(&loaded, body, cells, &Budget::default()).expect("evaluated")
}

/// A row: the script, the process, the sizes, letters, radius, windows, then distinct words and pairs at each size.
struct Row {
    script: &'static str,
    process: &'static str,
    from: usize,
    read: (usize, usize, usize),
    counts: &'static [(usize, usize)],
}

const ROWS: [Row; 3] = [
    Row {
        script: "israeli_jalfon.csp",
        process: "Ring",
        from: 4,
        read: (2, 1, 11),
        counts: &[(15, 56), (31, 140), (63, 336), (127, 784), (255, 1792)],
    },
    Row {
        script: "token_ring.csp",
        process: "Ring",
        from: 3,
        read: (3, 0, 3),
        counts: &[(6, 9), (8, 12), (10, 15), (12, 18), (14, 21), (16, 24)],
    },
    Row {
        script: "round_table.csp",
        process: "Table",
        from: 3,
        read: (9, 0, 12),
        counts: &[(169, 453), (942, 3372), (5224, 23375)],
    },
];

#[test]
fn words_and_pairs_are_those_counted_independently() {
    let Some(oracle) = oracle("rings read as words") else {
        return;
    };
    for row in ROWS {
        let path = oracle.join("families").join(row.script);
        let path = match path.is_file() {
            true => path,
            false => repository(&format!("models/{}", row.script)),
        };
        let text = read_text(&path);
        let mut readings: Vec<RingReading> = Vec::new();
        for (cells, counts) in (row.from..).zip(row.counts) {
            let reading = of(&text, row.process, cells);
            let reading = reading.unwrap_or_else(|why| panic!("{}: {why:?}", row.script));
            let found = (reading.letters.len(), reading.radius, reading.windows.len());
            assert_eq!(found, row.read, "{} {cells}", row.script);
            assert_eq!(
                (reading.words, reading.pairs),
                *counts,
                "{} {cells}",
                row.script
            );
            if let Some(first) = readings.first() {
                assert!(
                    first.letters_of(&reading).is_some(),
                    "{} {cells}",
                    row.script
                );
            }
            readings.push(reading);
        }
    }
}

fn read_text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a script")
}

#[test]
fn tables_with_a_place_of_its_own_are_refused() {
    let text = read_text(&repository("models/round_table.csp"));
    assert_eq!(of(&text, "Mixed", 3).err(), Some(NoRing::PlacesDiffer));
    let middle = |cells| match of(&text, "Guarded", cells) {
        Err(NoRing::Middle(name, states)) => (name, states),
        other => panic!("{other:?}"),
    };
    // What stands in the middle counts to N.
    let (three, four) = (middle(3), middle(4));
    assert!(
        three.0.contains("Door") && three.1 < four.1,
        "{three:?} {four:?}"
    );
}

/// A token that goes round; `twice` lets it skip a cell, which another size does not if the script says so.
const TOKEN: &str = "N = 3
channel hand : {0..N-1}.{0..N-1}
channel work : {0..N-1}
With(i) = hand.i.((i+1)%N) -> Without(i) [] work.i -> With(i) SKIPS
Without(i) = hand?j:{0..N-1}!i -> With(i)
Start(i) = if i == 0 then With(i) else Without(i)
Alpha(i) = {hand.i.j, hand.j.i, work.i | j <- {0..N-1}}
Ring = || i : {0..N-1} @ [Alpha(i)] Start(i)
assert Ring :[deadlock free]
";

#[test]
fn sizes_that_differ_are_told_apart() {
    let plain = TOKEN.replace("SKIPS", "");
    let skips = TOKEN.replace("SKIPS", "[] N > 4 & hand.i.((i+2)%N) -> Without(i)");
    let at = |text: &str, cells| of(text, "Ring", cells).expect("a ring");
    for cells in 4..7 {
        let base = at(&plain, 3);
        assert!(base.letters_of(&at(&plain, cells)).is_some(), "{cells}");
        let same = base.letters_of(&at(&skips, cells)).is_some();
        assert_eq!(same, cells <= 4, "{cells}");
    }
    let words: Vec<_> = (3..6)
        .map(|cells| {
            let reading = at(&plain, cells);
            let letters = at(&plain, 3).letters_of(&reading).expect("alike");
            let number = |letter: &u16| letters.iter().position(|l| l == letter).expect("a letter");
            reading
                .first
                .iter()
                .map(|letter| number(letter) as u16)
                .collect()
        })
        .collect();
    let runs = first_words(&words).expect("one form");
    let lengths: Vec<_> = runs.iter().map(|FirstRun { length, .. }| *length).collect();
    assert_eq!(lengths, [Some(1), None]);
}
