//! The files that a script was read from, so that a saved run names its script.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::source::SourceMap;

/// A file of a script as it was when it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The path as the user, or the file that includes it, names it.
    pub path: String,
    /// The hash of its text: equal texts have equal hashes.
    #[serde(default)]
    pub hash: String,
}

/// The files of a script as they were read.
#[must_use]
pub fn inputs(sources: &SourceMap) -> Vec<Input> {
    let input = |file: &crate::source::SourceFile| {
        // The text that was read, not that of the file, which may have changed.
        let digest = Sha256::digest(file.text.as_bytes());
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Input {
            path: file.path.display().to_string(),
            hash: format!("sha256:{hex}"),
        }
    };
    sources.files().iter().map(input).collect()
}
