//! The configuration file: `orbitscope/config.ron` in the user's configuration folder.
//!
//! ```ron
//! Config(theme: light, mouse: false, keys: { "take": ["enter", "l"] })
//! ```
//!
//! Missing fields keep their defaults, and the command line overrides both. Errors never prevent a start: they are
//! reported and ignored, and the rest is valid.

use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy, choose_base_strategy};

use super::config_reading::{self, ReadConfig};
use super::config_values::Config;
use super::output::Output;
use super::setup_args::{ConfigAction, ConfigArgs};
use super::{USAGE, complain};
use crate::source::Cancel;
use crate::source::read::{Source, Unread, bounded};
use crate::tui::settings::Settings;

/// Largest size of a configuration.
const BYTES_MAX: u64 = 64 * 1024;

/// The valid configuration, and the errors in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadedConfig {
    /// The valid part.
    pub config: Config,
    /// The errors, a line each.
    pub wrong: Vec<String>,
}

impl LoadedConfig {
    /// The settings for the screen.
    #[must_use]
    pub fn settings(&self) -> Settings {
        // There is little room, and there is only one such file.
        let short = |line: &String| match line.find("config.ron:") {
            Some(at) => line[at..].to_owned(),
            None => line.clone(),
        };
        let wrong: Vec<String> = self.wrong.iter().map(short).collect();
        let notice = match wrong.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            [first, rest @ ..] => {
                format!("{first} (and {} more: orbitscope config check)", rest.len())
            }
        };
        Settings {
            hints: self.config.hints,
            motion: self.config.motion,
            grouped: self.config.grouped,
            notice,
            ..Settings::default()
        }
    }
}

/// `orbitscope config path|dump|check`. Returns the exit code.
pub fn run(args: &ConfigArgs) -> u8 {
    let Some(path) = folder().map(|f| f.join("config.ron")) else {
        complain(
            "there is no folder for configuration: neither HOME nor ORBITSCOPE_CONFIG_DIR is set",
        );
        return USAGE;
    };
    let text = match args.what {
        ConfigAction::Path => format!("{}\n", path.display()),
        ConfigAction::Dump => load().config.written(),
        ConfigAction::Check => match read(&path) {
            read if !read.wrong.is_empty() => {
                read.wrong.iter().for_each(|line| complain(line));
                return USAGE;
            }
            _ if !path.exists() => format!("{}: not there; the defaults hold\n", path.display()),
            read => {
                let remarks = read.remarks.iter().map(|remark| format!("  {remark}\n"));
                format!("{}: sound\n{}", path.display(), remarks.collect::<String>())
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

/// The user's configuration, or the default one; its errors are reported.
pub fn load() -> LoadedConfig {
    let Some(path) = folder().map(|f| f.join("config.ron")) else {
        return LoadedConfig::default();
    };
    let ReadConfig { config, wrong, .. } = read(&path);
    wrong.iter().for_each(|line| complain(line));
    LoadedConfig { config, wrong }
}

fn read(path: &Path) -> ReadConfig {
    let why = match bounded(Source::Regular(path), BYTES_MAX, &Cancel::default(), None) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => return config_reading::read(&path.display().to_string(), &text),
            Err(_) => "it is no text".to_owned(),
        },
        Err(Unread::Failed(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            // To have no configuration is no error.
            return ReadConfig::default();
        }
        Err(Unread::Failed(error)) => error.to_string(),
        Err(Unread::TooLong) => format!("it has more than {BYTES_MAX} bytes"),
        Err(Unread::Irregular | Unread::Stopped(_)) => "it is no regular file".to_owned(),
    };
    ReadConfig {
        wrong: vec![format!("{}: {why}; using the defaults", path.display())],
        ..ReadConfig::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Colour;
    use crate::tui::bindings::Bindings;
    use crate::tui::settings::Motion;
    use crate::tui::theme::ThemeChoice;

    fn written(text: &str) -> ReadConfig {
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
            theme: ThemeChoice::by_name("light").unwrap(),
            motion: Motion::Reduced,
            grouped: false,
            hints: false,
            ..Config::default()
        };
        let text = "Config(ascii: true, color: never, theme: \"light\", motion: reduced, grouping: none, hints: false)";
        assert_eq!(written(text).config, expected);
        assert_eq!(written("()"), ReadConfig::default());
        assert_eq!(read(Path::new("no/such/file.ron")), ReadConfig::default());
        // A dumped configuration is read back unchanged.
        let mut keys = Bindings::default();
        keys.bind("take", vec!["enter".to_owned(), "l".to_owned()]);
        keys.bind("mark", vec!["M letter".to_owned()]);
        let other = Config {
            mouse: false,
            keys,
            ..expected
        };
        let again = written(&other.written());
        assert_eq!((again.config, again.wrong), (other, Vec::new()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_file_is_left_aside() {
        let wrong = |read: ReadConfig| read.wrong.join("\n");
        let error = wrong(read(Path::new("/dev/zero")));
        assert!(error.contains("no regular file"), "{error}");
        let long = wrong(written(&format!("(){}", " ".repeat(100_000))));
        assert!(long.contains("more than"), "{long}");
    }
}
