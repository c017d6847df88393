//! Paths of forkhestra's own files, which are not work of agents.

use std::path::{Path, PathBuf};

/// The name of our state view in the working directory of agents.
pub(crate) const STATE_DIRECTORY: &str = ".agent-state";

/// The paths of our own files.
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnPaths(Vec<PathBuf>);

impl OwnPaths {
    /// The state view in the working directory of agents, and these paths. A path around that
    /// directory is left out: the work tree of a forked run may be inside the state directory.
    pub(crate) fn new(directory: &Path, places: &[&Path]) -> Self {
        let view = directory.join(STATE_DIRECTORY);
        let places = places.iter().map(|place| real_path(place));
        let places = places.filter(|place| !directory.starts_with(place));
        Self(std::iter::once(view).chain(places).collect())
    }

    /// Whether a path is one of ours.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| name == STATE_DIRECTORY)
            || self.0.iter().any(|place| path.starts_with(place))
    }

    /// Whether a path or one of its ancestors below a directory is one of ours.
    pub(crate) fn covers(&self, path: &Path, directory: &Path) -> bool {
        path.ancestors().take_while(|above| *above != directory).any(|above| self.contains(above))
    }

    /// Our paths below a directory, relative to it.
    pub(crate) fn below<'a>(&'a self, top: &'a Path) -> impl Iterator<Item = &'a Path> {
        let inside = self.0.iter().filter_map(move |place| place.strip_prefix(top).ok());
        // Git prints warnings for paths that do not exist.
        inside.filter(move |path| !path.as_os_str().is_empty() && top.join(path).exists())
    }
}

/// The real path, as git reports it and directory walks find it, even if the path does not exist
/// yet.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    for place in path.ancestors() {
        if let (Ok(found), Ok(rest)) = (place.canonicalize(), path.strip_prefix(place)) {
            // Joining an empty path would add a slash.
            return if rest.as_os_str().is_empty() { found } else { found.join(rest) };
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_missing_path_has_a_real_path() {
        let directory = tempfile::tempdir().expect("there is room");
        let work = real_path(directory.path()).join("work");
        let link = directory.path().join("link");
        fs::create_dir(&work).expect("it is ours");
        symlink(&work, &link).expect("it is ours");
        assert_eq!(real_path(&link.join("a/b")), work.join("a/b"));
        assert_eq!(real_path(&link), work);
        let own_paths = OwnPaths::new(&work, &[&link.join("state")]);
        assert!(
            own_paths.contains(&work.join("state/x"))
                && own_paths.contains(&work.join(".agent-state/x"))
        );
        assert!(!own_paths.contains(&work.join("states")));
        let inside_state = OwnPaths::new(&work, &[directory.path()]);
        assert!(!inside_state.contains(&work.join("a")) && !inside_state.contains(&work));
    }
}
