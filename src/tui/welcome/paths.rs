//! Paths as people type them: `~`, completions, and errors.
//!
//! Folders may be on disks that do not answer: these functions are called on another thread than the screen's.

use std::path::{Path, PathBuf};

use etcetera::home_dir;

use crate::kept;
use crate::report::run_file::{ENDING, RunFile, is_run};
use crate::source::{Cancel, alternatives, models, nearest, visible_line};

/// Largest number of names read in a folder.
const LOOKED_AT_MAX: usize = 10_000;
/// Ways to go on that are offered.
const OFFERED_MAX: usize = 200;

/// A way to go on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OfferedPath {
    /// The text as it would be typed, with a `/` after a folder.
    pub text: String,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// The ways in which a path can go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathOffers {
    /// The typed text.
    pub typed: String,
    /// The ways, by name.
    pub ways: Vec<OfferedPath>,
    /// Why there are none, if the folder cannot be read.
    pub wrong: String,
}

/// A script that can be opened, with the facts to show before.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadyScript {
    /// The requested path.
    pub asked: String,
    /// The path of the script.
    pub path: String,
    /// A walk to open with it, and its file.
    pub session: Option<(RunFile, PathBuf)>,
    /// The file that keeps the walk while the program runs.
    pub keeper: Option<PathBuf>,
    /// A walk that a program has left behind, and its file.
    pub left: Option<(RunFile, PathBuf)>,
}

/// The path that a text means.
fn meant(text: &str) -> Result<PathBuf, String> {
    match text.strip_prefix('~') {
        None => Ok(PathBuf::from(text)),
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            let home = home_dir().map_err(|_| "where ~ is, is not known".to_owned())?;
            Ok(home.join(rest.trim_start_matches('/')))
        }
        Some(_) => Err("only your own ~ is known: write the path of others in full".to_owned()),
    }
}

/// The text of a path for users: with `~` where that is shorter.
#[must_use]
pub fn shown(path: &str) -> String {
    let home = home_dir().ok();
    let below = home.and_then(|home| {
        let rest = Path::new(path).strip_prefix(home).ok()?;
        Some(format!("~/{}", rest.display()))
    });
    below.unwrap_or_else(|| path.to_owned())
}

/// The ways in which a path can go on: folders, scripts, and walks that were saved.
#[must_use]
pub fn offers(typed: &str) -> PathOffers {
    let mut found = PathOffers {
        typed: typed.to_owned(),
        ..PathOffers::default()
    };
    if typed == "~" {
        found.ways.push(OfferedPath {
            text: "~/".to_owned(),
            is_folder: true,
        });
        return found;
    }
    let (folder, begun) = match typed.rfind('/') {
        Some(at) => typed.split_at(at + 1),
        None => ("", typed),
    };
    let place = match folder {
        "" => Ok(PathBuf::from(".")),
        folder => meant(folder),
    };
    let read = place.and_then(|place| {
        std::fs::read_dir(&place).map_err(|error| format!("{}: {error}", visible_line(folder)))
    });
    match read {
        Err(why) => found.wrong = why,
        Ok(entries) => {
            let ways = entries.flatten().take(LOOKED_AT_MAX);
            found.ways = ways.filter_map(|e| offered(&e, folder, begun)).collect();
            found.ways.sort();
            found.ways.truncate(OFFERED_MAX);
        }
    }
    found
}

fn offered(entry: &std::fs::DirEntry, folder: &str, begun: &str) -> Option<OfferedPath> {
    // A name that is no text cannot be typed.
    let name = entry.file_name().into_string().ok()?;
    let hidden = name.starts_with('.') && !begun.starts_with('.');
    if hidden || !name.starts_with(begun) {
        return None;
    }
    let kind = entry.file_type().ok()?;
    let is_folder = if kind.is_symlink() {
        entry.path().is_dir()
    } else {
        kind.is_dir()
    };
    let end = if is_folder { "/" } else { "" };
    let fits = is_folder || name.ends_with(".csp") || name.ends_with(ENDING);
    fits.then(|| OfferedPath {
        text: format!("{folder}{name}{end}"),
        is_folder,
    })
}

/// The common beginning of all paths.
#[must_use]
pub fn common(ways: &[OfferedPath]) -> String {
    let mut ways = ways.iter().map(|way| way.text.as_str());
    let Some(first) = ways.next() else {
        return String::new();
    };
    let same = ways.fold(first.len(), |same, other| {
        let pairs = first.char_indices().zip(other.chars());
        let mut parts = pairs.skip_while(|((at, a), b)| *at < same && a == b);
        let end = parts.next().map_or(other.len(), |((at, _), _)| at);
        same.min(end)
    });
    first[..same].to_owned()
}

/// The script that a text names, or the error.
///
/// # Errors
/// A sentence for the user who has typed it.
pub fn ready(asked: &str) -> Result<ReadyScript, String> {
    let text = asked.trim();
    if let Some(name) = models::named(Path::new(text)) {
        if models::model(name).is_none() {
            let near = nearest(name, models::MODELS.iter().map(|model| model.name));
            let name = visible_line(name);
            return Err(if near.is_empty() {
                format!("there is no model `{name}`")
            } else {
                format!(
                    "there is no model `{name}`; is {} meant?",
                    alternatives(&near)
                )
            });
        }
        return Ok(of_script(asked, Path::new(text), None));
    }
    let path = meant(text)?;
    let name = visible_line(text);
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(not_there(text)),
        Err(error) => return Err(format!("{name}: {error}")),
        Ok(about) if about.is_dir() => {
            return Err(format!("{name} is a folder: Tab shows what is in it"));
        }
        Ok(about) if !about.is_file() => return Err(format!("{name} is no regular file")),
        Ok(_) => {}
    }
    if is_run(&path) {
        let opened = RunFile::with_script(&path, &Cancel::default());
        let (session, script) = opened.map_err(|error| error.message)?;
        return Ok(of_script(asked, &script, Some((session, path))));
    }
    // Now rather than on a screen of its own.
    std::fs::File::open(&path).map_err(|error| format!("{name}: {error}"))?;
    Ok(of_script(asked, &path, None))
}

fn of_script(asked: &str, script: &Path, session: Option<(RunFile, PathBuf)>) -> ReadyScript {
    let left = match session {
        // A request for one walk suppresses the question about another.
        Some(_) => None,
        None => kept::left_behind(script),
    };
    ReadyScript {
        asked: asked.to_owned(),
        keeper: kept::own(script),
        path: script.display().to_string(),
        session,
        left,
    }
}

/// The error on a missing file, with the one that may be meant.
fn not_there(text: &str) -> String {
    let (folder, name) = match text.rfind('/') {
        Some(at) => text.split_at(at + 1),
        None => ("", text),
    };
    let siblings = offers(folder);
    let shown = visible_line(text);
    if !siblings.wrong.is_empty() {
        return format!("there is no file {shown}, nor its folder");
    }
    let names = siblings.ways.iter().map(|way| &way.text[folder.len()..]);
    let near = nearest(name, names);
    if near.is_empty() {
        format!("there is no file {shown}")
    } else {
        format!(
            "there is no file {shown}; is {} meant?",
            visible_line(&alternatives(&near))
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(offers: &PathOffers) -> Vec<&str> {
        offers.ways.iter().map(|way| way.text.as_str()).collect()
    }

    #[test]
    fn paths_go_on_and_mistakes_in_them_are_told() {
        let own = format!("orbitscope-paths-{}", std::process::id());
        let folder = std::env::temp_dir().join(own);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("models")).unwrap();
        for name in ["alpha.csp", "alphabet.csp", "notes.txt", ".hidden.csp"] {
            std::fs::write(folder.join(name), "P = STOP\n").unwrap();
        }
        let base = format!("{}/", folder.display());
        let all = offers(&base);
        let names = ["alpha.csp", "alphabet.csp", "models/"].map(|n| format!("{base}{n}"));
        assert_eq!(texts(&all), names);
        let begun = offers(&format!("{base}al"));
        assert_eq!(common(&begun.ways), format!("{base}alpha"));
        assert_eq!(texts(&offers(&format!("{base}.h"))).len(), 1);
        assert_eq!(texts(&offers("~")), ["~/"]);
        assert!(!offers("/no/such/folder/").wrong.is_empty());
        let wrong = |text: &str| ready(text).unwrap_err();
        assert!(wrong(&format!("{base}alpah.csp")).contains("is `alpha.csp` meant?"));
        assert!(wrong(&format!("{base}models")).contains("is a folder"));
        assert!(wrong("/no/such/folder/x.csp").contains("nor its folder"));
        assert!(wrong("~somebody/x.csp").contains("your own ~"));
        assert!(wrong("builtin:rign").contains("is `ring` meant?"));
        assert_eq!(ready("builtin:ring").unwrap().path, "builtin:ring");
        assert!(ready(&format!("{base}alpha.csp")).is_ok());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
