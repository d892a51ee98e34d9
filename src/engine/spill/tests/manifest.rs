//! Manifests that are damaged, or of other versions.

use serde::{Deserialize, Serialize};

use super::super::manifest::{read, write};
use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Told {
    text: String,
    numbers: Vec<u64>,
    maybe: Option<Box<Told>>,
}

fn told() -> Told {
    let text = "\u{00fc}\n\"\\".to_owned();
    let numbers = vec![0, 7, u64::MAX];
    let inner = Told {
        text: String::new(),
        numbers: Vec::new(),
        maybe: None,
    };
    Told {
        text,
        numbers,
        maybe: Some(Box::new(inner)),
    }
}

#[test]
fn what_was_written_is_read() {
    let folder = Folder::new("manifest");
    let space = folder.open();
    assert_eq!(read::<Told>(space.folder()).expect("no error"), None);
    write(&space, &told()).expect("room");
    assert_eq!(read(space.folder()).expect("a manifest"), Some(told()));
    write(&space, &7).expect("room");
    assert_eq!(read(space.folder()).expect("a manifest"), Some(7));
    // Right by its checksum, and something else.
    assert_damaged(read::<Told>(space.folder()));
    assert_eq!(space.used(), folder.bytes());
}

#[test]
fn each_bit_matters() {
    let folder = Folder::new("manifest-bits");
    let space = folder.open();
    write(&space, &told()).expect("room");
    let path = folder.path().join("manifest");
    let bytes = std::fs::read(&path).expect("a file");
    for place in 0..bytes.len() * 8 {
        let mut turned = bytes.clone();
        turned[place / 8] ^= 1 << (place % 8);
        std::fs::write(&path, turned).expect("room");
        assert_damaged(read::<Told>(space.folder()));
    }
    let texts = [
        "",
        "\n",
        "orbitscope-manifest",
        "orbitscope-manifest 1 \n",
        "()",
    ];
    for text in texts {
        std::fs::write(&path, text).expect("room");
        assert_damaged(read::<Told>(space.folder()));
    }
    let text = String::from_utf8(bytes).expect("text");
    let later = text.replacen("manifest 1 ", "manifest 2 ", 1);
    std::fs::write(&path, later).expect("room");
    assert!(assert_damaged(read::<Told>(space.folder())).contains("another version"));
}
