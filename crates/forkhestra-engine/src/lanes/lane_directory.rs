//! Where the lanes of a run are.

use std::path::{Path, PathBuf};

use forkhestra_core::id::{LaneNumber, RunId};

/// The directories of the lanes of a run. Programs such as docker compose name things after their
/// directory, so each one has a name of its own.
#[derive(Debug, Clone)]
pub(super) struct LaneDirectories {
    /// Below the state of the run.
    root: PathBuf,
    project: String,
    run: RunId,
}

impl LaneDirectories {
    pub(super) fn new(root: PathBuf, working_directory: &Path, run: RunId) -> Self {
        let name = working_directory.file_name().unwrap_or_default().to_string_lossy();
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let project: String =
            name.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
        let project = project.trim_start_matches(['-', '.']).to_owned();
        let project = if project.is_empty() { "project".to_owned() } else { project };
        Self { root, project, run }
    }

    /// The top directory of a lane.
    pub(super) fn lane(&self, lane: LaneNumber) -> PathBuf {
        self.root.join(format!("{}-{}-{lane}", self.project, self.run))
    }

    /// The check-out of merged work.
    pub(super) fn room(&self) -> PathBuf {
        self.root.join("merged")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_named_after_its_project_its_run_and_its_number() {
        let run = RunId::parse("abcdefgh").expect("it is an id");
        let second = LaneNumber::from_index(1).expect("it is small");
        for (directory, expected) in [
            ("/home/me/shop", "/s/shop-abcdefgh-2"),
            ("/home/me/my shop", "/s/my-shop-abcdefgh-2"),
            ("/home/me/.hidden", "/s/hidden-abcdefgh-2"),
            ("/", "/s/project-abcdefgh-2"),
        ] {
            let directories =
                LaneDirectories::new(PathBuf::from("/s"), Path::new(directory), run.clone());
            assert_eq!(directories.lane(second), PathBuf::from(expected));
        }
    }
}
