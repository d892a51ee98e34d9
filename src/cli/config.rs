//! The configuration file: `orbitscope/config.ron` in the user's configuration folder.
//!
//! ```ron
//! Config(mouse: false, ascii: true, color: never)
//! ```
//!
//! What is not written keeps its default, and the command line wins over both. A file that cannot be
//! read never prevents a start: it is reported and left aside.

use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy, choose_base_strategy};
use serde::Deserialize;

use super::args::Colour;
use super::output::Output;
use super::setup_args::{ConfigAction, ConfigArgs};
use super::{USAGE, complain};
use crate::source::read::{Source, Unread, bounded};
use crate::source::{Cancel, alternatives, nearest};

/// More is no configuration.
const BYTES_MAX: u64 = 64 * 1024;

/// What can be configured.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Whether the mouse is used.
    pub mouse: bool,
    /// Whether boxes are drawn with `+ - |` only.
    pub ascii: bool,
    /// When to use colours.
    pub color: Colour,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            mouse: true,
            ascii: false,
            color: Colour::Auto,
        }
    }
}

impl Config {
    /// As it would stand in the file.
    fn written(&self) -> String {
        let Self {
            mouse,
            ascii,
            color,
        } = self;
        let color = format!("{color:?}").to_lowercase();
        format!(
            "Config(\n    mouse: {mouse},\n    ascii: {ascii},\n    color: {color}, // auto, always or never\n)\n"
        )
    }
}

/// `orbitscope config path|dump|check`; gives the exit code.
pub fn run(args: &ConfigArgs) -> u8 {
    let Some(path) = folder().map(|f| f.join("config.ron")) else {
        complain(
            "there is no folder for configuration: neither HOME nor ORBITSCOPE_CONFIG_DIR is set",
        );
        return USAGE;
    };
    let text = match args.what {
        ConfigAction::Path => format!("{}\n", path.display()),
        ConfigAction::Dump => load().written(),
        ConfigAction::Check => match read(&path) {
            Ok(_) if !path.exists() => {
                format!("{}: not there; the defaults hold\n", path.display())
            }
            Ok(_) => format!("{}: sound\n", path.display()),
            Err(message) => {
                complain(&message);
                return USAGE;
            }
        },
    };
    let mut output = Output::default();
    output.write(&text);
    output.code(0)
}

/// `ORBITSCOPE_CONFIG_DIR`, else the platform's folder for configuration.
fn folder() -> Option<PathBuf> {
    // Set to nothing counts as not set.
    let own = std::env::var_os("ORBITSCOPE_CONFIG_DIR").filter(|value| !value.is_empty());
    own.map(PathBuf::from).or_else(|| {
        let platform = choose_base_strategy().ok()?;
        Some(platform.config_dir().join("orbitscope"))
    })
}

/// The user's configuration, or the default one.
pub fn load() -> Config {
    let Some(path) = folder().map(|f| f.join("config.ron")) else {
        return Config::default();
    };
    match read(&path) {
        Ok(config) => config,
        Err(message) => {
            complain(&message);
            Config::default()
        }
    }
}

fn read(path: &Path) -> Result<Config, String> {
    let why = match bounded(Source::Regular(path), BYTES_MAX, &Cancel::default(), None) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => return parsed(path, &text),
            Err(_) => "it is no text".to_owned(),
        },
        Err(Unread::Failed(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            // To have no configuration is no error.
            return Ok(Config::default());
        }
        Err(Unread::Failed(error)) => error.to_string(),
        Err(Unread::TooLong) => format!("it has more than {BYTES_MAX} bytes"),
        Err(Unread::Irregular | Unread::Stopped(_)) => "it is no regular file".to_owned(),
    };
    Err(format!("{}: {why}; using the defaults", path.display()))
}

fn parsed(path: &Path, text: &str) -> Result<Config, String> {
    let options =
        ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    options.from_str(text).map_err(|error| {
        let at = error.span.start;
        format!(
            "{}:{}:{}: {}; using the defaults",
            path.display(),
            at.line,
            at.col,
            wrong(&error.code)
        )
    })
}

/// What is wrong, and for a name that does not exist, what may be meant.
fn wrong(error: &ron::Error) -> String {
    let (found, expected) = match error {
        ron::Error::NoSuchStructField {
            found, expected, ..
        } => (found, expected),
        ron::Error::NoSuchEnumVariant {
            found, expected, ..
        } => (found, expected),
        other => return other.to_string(),
    };
    let near = nearest(found, expected.iter().copied());
    match near.is_empty() {
        true => format!(
            "there is no `{found}`; there are {}",
            alternatives(expected).replace(" or ", " and ")
        ),
        false => format!("there is no `{found}`; is {} meant?", alternatives(&near)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Result<Config, String> {
        // Tests run side by side.
        let (process, length) = (std::process::id(), text.len());
        let folder = std::env::temp_dir().join(format!("orbitscope-config-{process}-{length}"));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("config.ron");
        std::fs::write(&path, text).unwrap();
        let result = read(&path);
        std::fs::remove_dir_all(&folder).unwrap();
        result
    }

    #[test]
    fn what_is_written_is_read_and_the_rest_is_default() {
        let expected = Config {
            ascii: true,
            color: Colour::Never,
            ..Config::default()
        };
        assert_eq!(written("Config(ascii: true, color: never)"), Ok(expected));
        assert_eq!(written("()"), Ok(Config::default()));
        assert_eq!(read(Path::new("no/such/file.ron")), Ok(Config::default()));
        let error = written("Config(\n  mouze: true)").unwrap_err();
        assert!(
            error.contains(":2:") && error.contains("is `mouse` meant?"),
            "{error}"
        );
        let error = written("Config(color: alwayz)").unwrap_err();
        assert!(
            error.contains(":1:") && error.contains("is `always` meant?"),
            "{error}"
        );
        // What is dumped is read back as it was.
        let other = Config {
            mouse: false,
            ..Config::default()
        };
        assert_eq!(written(&other.written()), Ok(other));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_file_is_left_aside() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert!(error.contains("no regular file"), "{error}");
        let long = written(&format!("(){}", " ".repeat(100_000))).unwrap_err();
        assert!(long.contains("more than"), "{long}");
    }
}
