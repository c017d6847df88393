//! Reports changes of the config files of a run, which it does not read again, and of settings that
//! agents can write and that programs outside of the sandbox read.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Device, inode, size and change time; none for a missing file.
type WatchedStamp = Option<(u64, u64, u64, i64, i64)>;

/// The stamps of a file, or of all files below a directory. A missing file and a directory without
/// files have none.
type SettingsStamp = Vec<(PathBuf, WatchedStamp)>;

/// Entries that agent programs create in directories of settings by themselves: Claude Code and Codex.
const AGENT_CREATED_ENTRIES: [&str; 2] = [".claude/plugins/store", ".codex/skills/.system"];

/// The most entries of a directory of settings that are compared.
const MAX_ENTRIES: usize = 1000;

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
                    "the config file {} changed during the run, which continues with its original plan; \
                     review the file before the next run",
                    path.display()
                ));
            }
        }
        let changed = self.settings.extract_if(.., |(path, known)| settings_stamp(path) != *known);
        notices.extend(changed.map(|(path, _)| {
            format!(
                "{} changed during the run; programs outside of the sandbox read it: review it before \
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
    let mut stamps = SettingsStamp::new();
    let mut pending = vec![path.to_owned()];
    let mut seen = 0;
    while let Some(path) = pending.pop() {
        seen += 1;
        if seen > MAX_ENTRIES || AGENT_CREATED_ENTRIES.iter().any(|entry| path.ends_with(entry)) {
            continue;
        }
        let is_directory = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
        match fs::read_dir(&path) {
            Ok(entries) if is_directory => {
                pending.extend(entries.flatten().map(|entry| entry.path()));
            }
            _ => {
                let stamp = stamp(&path);
                stamps.extend(stamp.map(|stamp| (path, Some(stamp))));
            }
        }
    }
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
        let skills = temporary.path().join(".codex/skills");
        let mut watched = WatchedFiles::new(&[], [skills.clone()]);
        let create = |path: &str| {
            fs::create_dir_all(skills.join(path)).expect("the place is ours");
            fs::write(skills.join(path).join("SKILL.md"), "").expect("the place is ours");
        };
        create(".system/review");
        assert_eq!(watched.changes().len(), 0);
        create("store");
        assert_eq!(watched.changes().len(), 1, "the store of another program");
    }

    #[test]
    fn a_changed_file_in_a_directory_of_settings_is_reported() {
        let temporary = tempfile::tempdir().expect("there is room");
        let skill = temporary.path().join("skill");
        fs::create_dir(&skill).expect("the place is ours");
        fs::write(skill.join("SKILL.md"), "").expect("the place is ours");
        let mut watched = WatchedFiles::new(&[], [temporary.path().to_owned()]);
        assert_eq!(watched.changes().len(), 0);
        fs::write(skill.join("SKILL.md"), "other").expect("the place is ours");
        assert_eq!(watched.changes().len(), 1);
    }
}
