//! Inputs out of other inputs: bytes, tokens, lines and subtrees.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::generate;
use crate::random::Random;
use crate::tree;

/// A script that inputs are made of.
pub struct Seed {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

/// Longer scripts are used in part.
const LENGTH_MAX: usize = 6_000;
/// Inputs longer than this take too long.
const INPUT_MAX: usize = 40_000;

/// All scripts below some folders, in a fixed order.
pub fn seeds(folders: &[PathBuf]) -> Vec<Seed> {
    let mut open = folders.to_vec();
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let inside = std::fs::read_dir(&path).into_iter().flatten().flatten();
            open.extend(inside.map(|e| e.path()));
        } else if path.extension().is_some_and(|e| e == "csp" || e == "cspm") {
            found.push(path);
        }
    }
    found.sort();
    let read = |path: PathBuf| Seed {
        bytes: std::fs::read(&path).unwrap_or_default(),
        path,
    };
    found.into_iter().map(read).collect()
}

/// Input `n`, and the name under which its includes are found. The first inputs are the scripts.
pub fn input(seeds: &[Seed], seed: u64, n: u64) -> (PathBuf, Vec<u8>) {
    if let Some(seed) = seeds.get(n as usize) {
        return (seed.path.clone(), seed.bytes.clone());
    }
    let random = &mut Random::new(seed, n);
    if seeds.is_empty() || random.once_in(6) {
        let mut bytes = generate::script(random).into_bytes();
        if random.once_in(3) {
            token(&mut bytes, &[], random);
        }
        return (PathBuf::from("generated.csp"), bytes);
    }
    let from = &seeds[random.below(seeds.len())];
    let mut bytes = excerpt(&from.bytes, random);
    for _ in 0..=random.below(5) {
        let other = &seeds[random.below(seeds.len())];
        match random.below(10) {
            0 => byte(&mut bytes, random),
            1 | 2 => line(&mut bytes, &other.bytes, random),
            3..=5 => tree::exchange(&mut bytes, &from.path, other, random),
            _ => token(&mut bytes, &other.bytes, random),
        }
        bytes.truncate(INPUT_MAX);
    }
    (from.path.clone(), bytes)
}

/// A script, or some consecutive lines of a long one.
fn excerpt(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    if bytes.len() <= LENGTH_MAX {
        return bytes.to_vec();
    }
    let from = random.below(bytes.len() - LENGTH_MAX);
    let start = bytes[..from].iter().rposition(|b| *b == b'\n');
    bytes[start.map_or(0, |n| n + 1)..from + LENGTH_MAX].to_vec()
}

fn byte(bytes: &mut Vec<u8>, random: &mut Random) {
    const ODD: [&[u8]; 12] = [
        b"\0",
        b"\xFF",
        b"\r",
        b"\r\n",
        b"\n",
        "\u{feff}".as_bytes(),
        "é".as_bytes(),
        b"\x0C",
        "\u{2028}".as_bytes(),
        b"\xC3",
        b"\t",
        "𝔸".as_bytes(),
    ];
    let at = random.below(bytes.len() + 1);
    let end = (at + random.below(40)).min(bytes.len());
    match random.below(6) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 => drop(bytes.drain(at..end)),
        2 => bytes.extend_from_within(at..end),
        3 => insert(bytes, at, &[random.below(256) as u8]),
        4 => bytes.truncate(at),
        _ => insert(bytes, at, random.pick(&ODD)),
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, what: &[u8]) {
    bytes.splice(at..at, what.iter().copied());
}

fn line(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
    let others: Vec<&[u8]> = other.split(|b| *b == b'\n').collect();
    let at = random.below(lines.len());
    let mut between: &[u8] = b"\n";
    match random.below(8) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at]),
        2 => {
            let with = random.below(lines.len());
            lines.swap(at, with);
        }
        3 => between = random.pick(&[b"\r" as &[u8], b"\r\n", b"\n\n", b" "]),
        4 => lines.truncate(at + 1),
        _ => {
            let from = random.below(others.len());
            let to = (from + 1 + random.below(8)).min(others.len());
            lines.splice(at..at, others[from..to].iter().copied());
        }
    }
    *bytes = lines.join(between);
}

/// Tokens that matter.
const TOKENS: [&str; 133] = [
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    "[",
    "]",
    "{|",
    "|}",
    "(| ",
    " |)",
    "[[",
    "]]",
    "[|",
    "|]",
    "|>",
    "[+",
    "+]",
    "/+",
    "+\\",
    "[]",
    "|||",
    "|~|",
    "||",
    "[>",
    "/\\",
    ";",
    "->",
    "<-",
    "<->",
    "&",
    "\\",
    "|\\",
    "?",
    "!",
    "$",
    ".",
    "..",
    ":",
    "::",
    " :: ",
    ",",
    "|",
    "@",
    "@@",
    "=",
    "==",
    "!=",
    "<=",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "#",
    "=>",
    "=>*",
    "_",
    "'",
    "\"",
    "{-",
    "-}",
    "--",
    "\n",
    "\r",
    "if",
    "then",
    "else",
    "let",
    "within",
    "not",
    "and",
    "or",
    "true",
    "false",
    "channel",
    "datatype",
    "subtype",
    "nametype",
    "assert",
    "external",
    "transparent",
    "module",
    "exports",
    "endmodule",
    "instance",
    "Timed",
    "include",
    "print",
    "STOP",
    "SKIP",
    "DIV",
    "CHAOS",
    "RUN",
    "Events",
    "Proc",
    "Int",
    "Bool",
    "Char",
    "union",
    "Union",
    "inter",
    "Inter",
    "diff",
    "member",
    "card",
    "empty",
    "set",
    "seq",
    "Set",
    "Seq",
    "head",
    "tail",
    "concat",
    "null",
    "length",
    "elem",
    "extensions",
    "productions",
    "error",
    "show",
    "mapFromList",
    "prioritise",
    "chase",
    "WAIT",
    "[T=",
    "[FD=",
    ":[deadlock free]",
    ":[symmetry reduce]",
    ":[has trace]:",
];

const NUMBERS: [&str; 9] = [
    "0",
    "1",
    "2",
    "-1",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "100000000000000000000000000000",
    "65536",
];

fn token(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let tokens = tokens(bytes);
    let others = self::tokens(other);
    let any = |random: &mut Random, tokens: &[Range<usize>], end: usize| {
        if tokens.is_empty() {
            end..end
        } else {
            tokens[random.below(tokens.len())].clone()
        }
    };
    let at = any(random, &tokens, bytes.len());
    let then = any(random, &tokens, bytes.len());
    match random.below(12) {
        0 => drop(bytes.drain(at)),
        1 => {
            let again = bytes[at].to_vec();
            insert(bytes, then.start, &again);
        }
        2 => drop(bytes.splice(at, random.pick(&TOKENS).bytes())),
        3 => insert(bytes, at.start, random.pick(&TOKENS).as_bytes()),
        4 | 5 if !others.is_empty() => {
            let from = others[random.below(others.len())].start;
            let until = random.below(12);
            let n = others.partition_point(|t| t.start < from);
            let to = others[(n + until).min(others.len() - 1)].end;
            let target = if random.once_in(2) {
                at
            } else {
                at.end..at.end
            };
            bytes.splice(target, other[from..to].iter().copied());
        }
        6 => {
            let is_number = |t: &Range<usize>| bytes[t.start].is_ascii_digit();
            let numbers: Vec<_> = tokens.into_iter().filter(is_number).collect();
            let at = any(random, &numbers, bytes.len());
            bytes.splice(at, random.pick(&NUMBERS).bytes());
        }
        7 => repeat(bytes, &at, random),
        8 if !others.is_empty() => {
            let from = others[random.below(others.len())].clone();
            bytes.splice(at, other[from].iter().copied());
        }
        9 if at.start < then.start => {
            let (a, b) = (bytes[at.clone()].to_vec(), bytes[then.clone()].to_vec());
            bytes.splice(then, a);
            bytes.splice(at, b);
        }
        _ => surround(
            bytes,
            at.start.min(then.start),
            at.end.max(then.end),
            random,
        ),
    }
}

/// The same token very often.
fn repeat(bytes: &mut Vec<u8>, at: &Range<usize>, random: &mut Random) {
    let times = random.pick(&[2, 3, 10, 50, 300, 2_000]);
    let mut what = if random.once_in(2) {
        bytes[at.clone()].to_vec()
    } else {
        random.pick(&TOKENS).as_bytes().to_vec()
    };
    if random.once_in(2) {
        what.extend_from_slice(random.pick(&TOKENS).as_bytes());
    }
    what.push(b' ');
    insert(bytes, at.start, &what.repeat(times));
}

/// Brackets around some tokens, possibly many.
fn surround(bytes: &mut Vec<u8>, from: usize, to: usize, random: &mut Random) {
    const PAIRS: [(&str, &str); 12] = [
        ("(", ")"),
        ("{", "}"),
        ("<", ">"),
        ("{|", "|}"),
        ("[[", "]]"),
        ("[|", "|]"),
        ("[", "]"),
        ("(| 1 => ", " |)"),
        ("let x = 1 within (", ")"),
        ("if true then ", " else STOP"),
        ("\\ x @ ", ""),
        ("Timed {\n", "\n}"),
    ];
    let (open, close) = random.pick(&PAIRS);
    let times = random.pick(&[1, 1, 1, 1, 1, 2, 5, 40, 400]);
    insert(bytes, to, close.repeat(times).as_bytes());
    insert(bytes, from, open.repeat(times).as_bytes());
}

/// Words, numbers, and every other character but blanks by itself.
pub fn tokens(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let from = at;
        let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        at += bytes[at..].iter().take_while(|b| word(b)).count().max(1);
        if !matches!(bytes[from], b' ' | b'\t' | b'\n' | b'\r') {
            found.push(from..at);
        }
    }
    found
}

/// Whether includes of a script of this name can be found.
pub fn is_text(bytes: &[u8], name: &Path) -> bool {
    std::str::from_utf8(bytes).is_ok() && name.parent().is_some()
}
