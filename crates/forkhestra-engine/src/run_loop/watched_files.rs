//! Files whose changes are reported: a run does not read them again, or programs outside of its
//! sandbox do.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Device, inode, size and change time; none for a missing file.
type WatchedStamp = Option<(u64, u64, u64, i64, i64)>;

/// The stamp of a file, or those of the entries of a directory by their names. A missing file and an
/// empty directory have none.
type SettingsStamp = Vec<(OsString, WatchedStamp)>;

/// Entries that agent programs create in directories of settings by themselves: Claude Code in
/// `plugins`, Codex in `skills`.
const OWN_ENTRIES: [&str; 2] = ["store", ".system"];

/// Files with their state at the start of the run.
#[derive(Debug)]
pub(crate) struct WatchedFiles {
    /// The config files of the run.
    config: Vec<(PathBuf, WatchedStamp)>,
    /// Settings of other programs. Each is reported once.
    settings: Vec<(PathBuf, SettingsStamp)>,
}

impl WatchedFiles {
    pub(crate) fn new(config: &[PathBuf], settings: impl IntoIterator<Item = PathBuf>) -> Self {
        let with_stamp = |path: PathBuf| {
            let stamp = settings_stamp(&path);
            (path, stamp)
        };
        Self {
            config: config.iter().map(|path| (path.clone(), stamp(path))).collect(),
            settings: settings.into_iter().map(with_stamp).collect(),
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
        let changed = self.settings.extract_if(.., |(path, known)| settings_stamp(path) != *known);
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

fn settings_stamp(path: &Path) -> SettingsStamp {
    let Ok(entries) = fs::read_dir(path) else {
        return stamp(path).map(|stamp| (OsString::new(), Some(stamp))).into_iter().collect();
    };
    let is_own = |name: &OsStr| OWN_ENTRIES.iter().any(|own| name == *own);
    let names = entries.flatten().map(|entry| entry.file_name()).filter(|name| !is_own(name));
    let mut stamps: SettingsStamp = names
        .map(|name| {
            let stamp = stamp(&path.join(&name));
            (name, stamp)
        })
        .collect();
    stamps.sort();
    stamps
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

    #[test]
    fn what_agent_programs_create_by_themselves_is_not_reported() {
        let temporary = tempfile::tempdir().expect("there is room");
        let path = temporary.path().join("skills");
        let mut watched = WatchedFiles::new(&[], [path.clone()]);
        for created in ["", ".system", "store"] {
            fs::create_dir(path.join(created)).expect("the place is ours");
            assert_eq!(watched.changes().len(), 0, "{created}");
        }
        fs::create_dir(path.join("mine")).expect("the place is ours");
        assert_eq!(watched.changes().len(), 1);
    }

    #[test]
    fn a_changed_file_in_a_directory_of_settings_is_reported() {
        let temporary = tempfile::tempdir().expect("there is room");
        fs::write(temporary.path().join("hook"), "").expect("the place is ours");
        let mut watched = WatchedFiles::new(&[], [temporary.path().to_owned()]);
        fs::write(temporary.path().join("hook"), "other").expect("the place is ours");
        assert_eq!(watched.changes().len(), 1);
    }
}
