//! What a lane is made with.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::config::PathGlob;
use crate::limit::{HumanDuration, Limit};

/// The settings of the lanes of a stage. A lane is a clone of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LaneSettings {
    /// The shell command that prepares a new lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<String>,
    /// Patterns of files that git ignores and that a lane gets a copy of, relative to the working
    /// directory; none if `.worktreeinclude` names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<Vec<String>>,
    /// Paths of caches that a lane takes over from the last lane of its number, relative to the
    /// working directory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<String>,
    /// The timeout of the set-up.
    pub timeout: Limit<HumanDuration>,
}

impl LaneSettings {
    /// Whether a lane gets an ignored path, by `copy` or `keep`. The path of a directory ends with
    /// `/`.
    pub fn provides(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let is_kept = |kept: &String| Path::new(path).starts_with(kept);
        let copied = self.copy.iter().flatten().filter_map(|glob| PathGlob::parse(glob).ok());
        self.keep.iter().any(is_kept) || copied.into_iter().any(|glob| glob.matches_below(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_and_kept_paths_are_provided() {
        let settings = LaneSettings {
            setup: None,
            copy: Some(vec![".env*".to_owned(), "config/local".to_owned(), "data/**".to_owned()]),
            keep: vec!["target".to_owned()],
            timeout: Limit::Off,
        };
        for path in [".env", ".env.test", "config/local/", "config/local/a", "data/", "target/"] {
            assert!(settings.provides(path), "{path}");
        }
        for path in ["a/.env", "config/", "node_modules/", "targets/"] {
            assert!(!settings.provides(path), "{path}");
        }
    }
}
