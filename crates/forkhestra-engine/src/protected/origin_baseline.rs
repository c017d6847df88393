//! The state of protected files when a step of another run began. A forked run continues within that step,
//! so that it must not accept what the other run refused.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use forkhestra_core::event::WorkTreeSnapshot;
use forkhestra_core::plan::Protection;
use serde::{Deserialize, Serialize};

use super::baseline::{self, ProtectedBaseline, from, name_of};
use super::patterns::ProtectedPatterns;
use crate::repository::{SnapshotReadError, SnapshotReader, names};
use crate::work_tree::file_content::{ContentHash, is_missing, open_regular};
use crate::work_tree::own_paths::real_path;

/// A step of another run.
#[derive(Debug, Clone, Copy)]
pub struct OriginStep<'a> {
    /// One-based.
    pub number: usize,
    pub protection: &'a Protection,
    /// The digest of its baseline, if that was recorded.
    pub digest: Option<&'a str>,
    /// The directory of that run for files that outlive its process.
    pub persistent_directory: &'a Path,
}

/// The baseline of a step of another run, for the first step of a run that is forked from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginBaseline {
    step: usize,
    /// What was protected.
    patterns: Vec<String>,
    /// The states of files then.
    before: ProtectedBaseline,
    /// Files of which the current state counts: they are as they were, or no snapshot has them.
    unchanged: BTreeSet<String>,
}

impl OriginBaseline {
    /// Reads the baseline of a step. A run in the same work tree has all files of it.
    pub fn read(step: OriginStep<'_>) -> io::Result<Self> {
        let before = baseline::read(&path_of(step.persistent_directory, step.number), step.digest)?;
        let patterns = step.protection.patterns.clone();
        Ok(Self { step: step.number, patterns, before, unchanged: BTreeSet::new() })
    }

    /// The same for a clone with the work tree of a snapshot. A clone lacks files that no snapshot has,
    /// and has others as git stores them. `first` is the snapshot when the step began.
    pub fn in_clone(
        mut self,
        reader: &SnapshotReader,
        directory: &Path,
        (first, cloned): (&WorkTreeSnapshot, &WorkTreeSnapshot),
    ) -> Result<Self, SnapshotReadError> {
        let (directory, top) = (real_path(directory), real_path(reader.top()));
        let list = |snapshot| reader.files(&reader.tree(snapshot)?);
        let (first, cloned) = (list(first)?, list(cloned)?);
        let first = entries(&first, &directory, &top);
        let cloned = entries(&cloned, &directory, &top);
        let is_changed =
            |name: &String| first.get(name).is_some_and(|it| cloned.get(name) != Some(it));
        let unchanged = self.before.keys().filter(|name| !is_changed(name));
        self.unchanged = unchanged.cloned().collect();
        self.before.retain(|name, _| is_changed(name));
        Ok(self)
    }

    /// Gives the baseline to a forked run that has not begun yet.
    pub fn write(&self, persistent_directory: &Path) -> io::Result<()> {
        fs::create_dir_all(persistent_directory)?;
        fs::write(origin_path(persistent_directory, self.step), serde_json::to_vec(self)?)
    }

    /// Reads the baseline that a forked run was given; `None` if nothing was protected.
    pub(super) fn given(persistent_directory: &Path, step: usize) -> io::Result<Option<Self>> {
        let file = match open_regular(&origin_path(persistent_directory, step)) {
            Err(error) if is_missing(&error) => return Ok(None),
            file => file?,
        };
        Ok(Some(serde_json::from_reader(io::BufReader::new(file))?))
    }

    /// The hash of the states.
    pub(super) fn hash(&self) -> ContentHash {
        baseline::hash_of(&self.before)
    }

    /// The baseline of the forked run. Files that only this run protects are as they are now.
    pub(super) fn complete(self, mut now: ProtectedBaseline) -> Result<ProtectedBaseline, String> {
        let patterns = ProtectedPatterns::new(&self.patterns)?;
        let is_current =
            |name: &str| self.unchanged.contains(name) || !patterns.match_name(Path::new(name));
        now.retain(|name, _| is_current(name));
        now.extend(self.before);
        Ok(now)
    }
}

/// The file with the baseline of a step.
pub(super) fn path_of(persistent_directory: &Path, step: usize) -> PathBuf {
    persistent_directory.join(format!("protected-{step}.json"))
}

fn origin_path(persistent_directory: &Path, step: usize) -> PathBuf {
    persistent_directory.join(format!("protected-{step}-origin.json"))
}

/// The files of a tree by their names in a baseline, each with its mode and object.
fn entries<'a>(listed: &'a [u8], directory: &Path, top: &Path) -> BTreeMap<String, &'a [u8]> {
    let entry = |line: &'a [u8]| {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let path = top.join(OsStr::from_bytes(&line[tab + 1..]));
        Some((name_of(&from(directory, &path)), &line[..tab]))
    };
    names(listed).filter_map(entry).collect()
}
