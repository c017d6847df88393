//! Files whose changes are reported: a run does not read them again, or programs outside of its
//! sandbox do.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Device, inode, size and change time; none for a missing file.
type WatchedStamp = Option<(u64, u64, u64, i64, i64)>;

/// Files with their state at the start of the run.
#[derive(Debug)]
pub(crate) struct WatchedFiles {
    /// The config files of the run.
    config: Vec<(PathBuf, WatchedStamp)>,
    /// Settings of other programs. Each is reported once.
    settings: Vec<(PathBuf, WatchedStamp)>,
}

impl WatchedFiles {
    pub(crate) fn new(config: &[PathBuf], settings: impl IntoIterator<Item = PathBuf>) -> Self {
        let stamped = |path: PathBuf| {
            let stamp = stamp(&path);
            (path, stamp)
        };
        Self {
            config: config.iter().cloned().map(stamped).collect(),
            settings: settings.into_iter().map(stamped).collect(),
        }
    }

    /// A notice for each file that changed since the last call.
    pub(crate) fn changes(&mut self) -> Vec<String> {
        let mut notices = Vec::new();
        for (path, known) in &mut self.config {
            let now = stamp(path);
            if std::mem::replace(known, now) != now {
                notices.push(format!(
                    "the config file {} changed during the run, which goes on with the plan that it had; \
                     look at it before the next run",
                    path.display()
                ));
            }
        }
        let changed = self.settings.extract_if(.., |(path, known)| stamp(path) != *known);
        notices.extend(changed.map(|(path, _)| {
            format!(
                "{} changed during the run; programs outside of the sandbox follow it, so look at it before \
                 you start them",
                path.display()
            )
        }));
        notices
    }
}

fn stamp(path: &Path) -> WatchedStamp {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino(), metadata.size(), metadata.ctime(), metadata.ctime_nsec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_is_reported_once() {
        let temporary = tempfile::tempdir().expect("there is room");
        let path = temporary.path().join("chains.json");
        let mut watched = WatchedFiles::new(std::slice::from_ref(&path), []);
        assert_eq!(watched.changes().len(), 0);
        fs::write(&path, "{}").expect("the place is ours");
        assert_eq!(watched.changes().len(), 1);
        assert_eq!(watched.changes().len(), 0);
        fs::remove_file(&path).expect("the place is ours");
        assert_eq!(watched.changes().len(), 1);
    }

    #[test]
    fn settings_are_reported_once() {
        let temporary = tempfile::tempdir().expect("there is room");
        let path = temporary.path().join("settings.json");
        let mut watched = WatchedFiles::new(&[], [path.clone()]);
        assert_eq!(watched.changes().len(), 0);
        fs::write(&path, "{}").expect("the place is ours");
        assert_eq!(watched.changes().len(), 1);
        fs::write(&path, "other").expect("the place is ours");
        assert_eq!(watched.changes().len(), 0);
    }
}
