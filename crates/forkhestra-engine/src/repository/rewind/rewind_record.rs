//! Records of rewinds: what was there before, and where it is kept.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use forkhestra_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::RewindError;
use super::rewind_survey::ExpectedState;
use crate::regular_file;
use crate::repository::names;

/// The directory of records, in the persistent directory of a run.
const RECORDS: &str = "rewinds";

/// The directory in the directory of git that exists while a rewind is in progress, and after one
/// that was interrupted.
pub(super) const PENDING_DIRECTORY: &str = "forkhestra-rewind";

/// The file in it that names the run.
const PENDING_RUN: &str = "run";

/// The format of records. A record of a newer one is refused.
const VERSION: u32 = 1;

/// A rewind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RewindRecord {
    version: u32,
    /// Its number among the rewinds of the run, from 1.
    pub number: u32,
    pub at: String,
    pub progress: RewindProgress,
    /// Whether the branch and the index were left alone.
    pub files_only: bool,
    pub target: RecordedTarget,
    /// The commit with the state before, under `refs/forkhestra/RUN/before-rewind/NUMBER`. Its tree
    /// has the exact bytes of the files that were touched.
    pub saved: String,
    /// The tree of the state before, as git would commit it.
    pub before_tree: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_head: Option<String>,
    /// The branch that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The tree of the state after it, once it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_tree: Option<String>,
    /// Its undo. Records of older versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<UndoRecord>,
}

/// The undo of a rewind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UndoRecord {
    /// Its number among the undos of the run, from 1.
    pub number: u32,
    pub at: String,
}

/// The snapshot to which a rewind leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedTarget {
    /// How users name it.
    pub address: String,
    pub snapshot: u32,
    pub tree: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
}

/// How far a rewind got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RewindProgress {
    /// It is in progress, or was interrupted.
    Started,
    Done,
    Undone,
}

/// The facts with which a record begins.
pub(super) struct NewRecord {
    pub(super) at: Timestamp,
    pub(super) files_only: bool,
    pub(super) target: RecordedTarget,
    pub(super) saved: String,
    pub(super) before_tree: String,
    pub(super) before_head: Option<String>,
    pub(super) branch: Option<String>,
}

/// The records of a run.
#[derive(Debug, Clone)]
pub struct RewindRecords {
    directory: PathBuf,
}

impl RewindRecords {
    /// The records in the persistent directory of a run.
    pub fn of(persistent_directory: &Path) -> Self {
        Self { directory: persistent_directory.join(RECORDS) }
    }

    /// All rewinds, the oldest first.
    pub fn list(&self) -> Result<Vec<RewindRecord>, RewindError> {
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(RewindError::file(&self.directory))?,
        };
        let mut records = Vec::new();
        for entry in entries {
            let path = entry.map_err(RewindError::file(&self.directory))?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                records.push(read(&path)?);
            }
        }
        records.sort_by_key(|record| record.number);
        Ok(records)
    }

    /// The last rewind that was not undone.
    pub fn last_in_effect(&self) -> Result<Option<RewindRecord>, RewindError> {
        let is_in_effect = |record: &RewindRecord| record.progress != RewindProgress::Undone;
        Ok(self.list()?.into_iter().rfind(is_in_effect))
    }

    /// The state that the last rewind or undo left, if it was made after a moment. Records of older
    /// versions do not have the order of undos, so there can be several states.
    pub fn left_since(&self, since: Timestamp) -> Result<Vec<ExpectedState>, RewindError> {
        let records = self.list()?;
        let is_undone = |record: &&RewindRecord| record.progress == RewindProgress::Undone;
        let undone: Vec<&RewindRecord> = records.iter().rev().take_while(is_undone).collect();
        let last_undone = undone.iter().filter_map(|record| Some((record.undo_number()?, *record)));
        let left = match last_undone.max_by_key(|(number, _)| *number) {
            _ if undone.is_empty() => records.iter().next_back().into_iter().collect(),
            Some((_, record)) => vec![record],
            None => undone,
        };
        let left = left.into_iter().filter(|record| record.was_used_since(since));
        Ok(left.map(RewindRecord::left_state).collect())
    }

    /// The number of the next undo.
    pub(super) fn next_undo_number(&self) -> Result<u32, RewindError> {
        let last = self.list()?.iter().filter_map(RewindRecord::undo_number).max();
        Ok(last.unwrap_or_default().saturating_add(1))
    }

    /// The number of the next rewind.
    pub(super) fn next_number(&self) -> Result<u32, RewindError> {
        Ok(self.list()?.last().map_or(1, |record| record.number.saturating_add(1)))
    }

    pub(super) fn begin(&self, number: u32, new: NewRecord) -> Result<RewindRecord, RewindError> {
        let NewRecord { at, files_only, target, saved, before_tree, before_head, branch } = new;
        let record = RewindRecord {
            version: VERSION,
            number,
            at: at.to_string(),
            progress: RewindProgress::Started,
            files_only,
            target,
            saved,
            before_tree,
            before_head,
            branch,
            after_tree: None,
            undo: None,
        };
        self.write(&record)?;
        Ok(record)
    }

    /// Writes a record atomically and durably.
    pub(crate) fn write(&self, record: &RewindRecord) -> Result<(), RewindError> {
        let path = self.file(record.number, "json");
        let content = serde_json::to_vec_pretty(record).map_err(io::Error::from);
        let content = content.map_err(RewindError::file(&path))?;
        self.write_file(&path, &content)
    }

    /// Removes the record of a rewind that changed nothing.
    pub(super) fn remove(&self, number: u32) -> Result<(), RewindError> {
        // The first one makes it a record.
        for path in
            ["json", "index", "modes", "paths"].map(|extension| self.file(number, extension))
        {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(RewindError::file(&path)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The copy of the index before a rewind.
    pub(super) fn index(&self, number: u32) -> PathBuf {
        self.file(number, "index")
    }

    /// The permissions of the files that a rewind replaces or removes.
    pub(super) fn modes(&self, number: u32) -> PathBuf {
        self.file(number, "modes")
    }

    /// The list of the paths that a rewind changes, each followed by a zero byte.
    pub(super) fn paths(&self, number: u32) -> PathBuf {
        self.file(number, "paths")
    }

    /// The paths that a rewind changes; `None` if the record is of an older version, which did not
    /// list them.
    pub(super) fn changed_paths(
        &self,
        number: u32,
    ) -> Result<Option<HashSet<PathBuf>>, RewindError> {
        let path = self.paths(number);
        match fs::read(&path) {
            Ok(listed) => {
                let paths = names(&listed).map(|name| PathBuf::from(OsStr::from_bytes(name)));
                Ok(Some(paths.collect()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(RewindError::file(&path)(error)),
        }
    }

    /// Writes a file of a record atomically and durably.
    pub(super) fn write_file(&self, path: &Path, content: &[u8]) -> Result<(), RewindError> {
        let write = || {
            fs::create_dir_all(&self.directory)?;
            let new = path.with_extension("new");
            let mut file = File::create(&new)?;
            file.write_all(content)?;
            file.sync_all()?;
            fs::rename(&new, path)?;
            File::open(&self.directory)?.sync_all()
        };
        write().map_err(RewindError::file(path))
    }

    fn file(&self, number: u32, extension: &str) -> PathBuf {
        self.directory.join(format!("{number}.{extension}"))
    }
}

impl RewindRecord {
    fn undo_number(&self) -> Option<u32> {
        self.undo.as_ref().map(|undo| undo.number)
    }

    /// Whether it was made or undone after a moment.
    fn was_used_since(&self, since: Timestamp) -> bool {
        let at = self.undo.as_ref().map_or(&self.at, |undo| &undo.at);
        Timestamp::parse(at).is_ok_and(|at| at >= since)
    }

    /// The state that it left, or its undo.
    fn left_state(&self) -> ExpectedState {
        let Self { target, after_tree, before_tree, before_head, .. } = self;
        let is_undone = self.progress == RewindProgress::Undone;
        let tree = match after_tree {
            _ if is_undone => before_tree,
            Some(tree) => tree,
            None => &target.tree,
        };
        let head = if is_undone || self.files_only { before_head } else { &target.head };
        ExpectedState { tree: tree.clone(), head: head.clone(), branch: self.branch.clone() }
    }
}

fn read(path: &Path) -> Result<RewindRecord, RewindError> {
    let content = regular_file::read(path).map_err(RewindError::file(path))?;
    let record: RewindRecord =
        serde_json::from_slice(&content).map_err(|error| RewindError::file(path)(error.into()))?;
    if record.version > VERSION {
        let newer = io::Error::other("a newer version of forkhestra wrote it");
        return Err(RewindError::file(path)(newer));
    }
    Ok(record)
}

/// Creates the directory that exists while a rewind is in progress. It is complete with the file that
/// names the run.
pub(super) fn begin_pending(git_dir: &Path, run: &str) -> Result<PathBuf, RewindError> {
    let directory = git_dir.join(PENDING_DIRECTORY);
    let path = directory.join(PENDING_RUN);
    let begin = || {
        if fs::read(&path).is_ok_and(|named| named == run.as_bytes()) {
            return Ok(());
        }
        fs::create_dir_all(&directory)?;
        let new = directory.join("run.new");
        let mut file = File::create(&new)?;
        file.write_all(run.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &path)
    };
    begin().map_err(RewindError::file(&directory))?;
    Ok(directory)
}

/// The run whose rewind of a work tree is in progress or was interrupted. Does not run git, so this
/// is cheap.
pub fn pending_rewind(work_tree: &Path) -> Option<String> {
    let entry = work_tree.join(".git");
    let git_dir = match fs::symlink_metadata(&entry).ok()?.is_file() {
        true => {
            let text = regular_file::read_text(&entry).ok()?;
            work_tree.join(text.trim_end().strip_prefix("gitdir: ")?)
        }
        false => entry,
    };
    let path = git_dir.join(PENDING_DIRECTORY).join(PENDING_RUN);
    regular_file::read_text(&path).ok().filter(|run| !run.is_empty())
}
