//! Protected files, which agents may not change: their baseline at the start of a step, and the
//! changes since.

pub(crate) mod baseline;
mod origin_baseline;
mod patterns;

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use forkhestra_core::event::PathList;
use forkhestra_core::machine::UnrestoredFiles;
use forkhestra_core::plan::Protection;

use self::baseline::{ProtectedBaseline, from, name_of};
use self::origin_baseline::path_of;
use crate::repository::PreparedCleanRoom;
use crate::repository::git_program::{GitError, GitProgram};
use crate::work_tree::file_content::{ContentHash, content_by};
use crate::work_tree::own_paths::OwnPaths;
use crate::work_tree::query::ProtectionQuery;

pub use origin_baseline::{OriginBaseline, OriginStep};
use patterns::ProtectedPatterns;

/// Upper bound for reading all protected files.
const READ_TIMEOUT: Duration = Duration::from_secs(300);

/// A file that changed within this time may have changed again after it was read with the same
/// timestamp, so its content is not cached.
const RACY_WINDOW: Duration = Duration::from_secs(2);

/// Directories in which checks keep caches, also beside protected tests.
const CACHE_DIRECTORIES: [&str; 2] = ["__pycache__", ".pytest_cache"];

/// The protected files of a run.
#[derive(Debug, Clone)]
pub(crate) struct ProtectedFiles {
    directory: PathBuf,
    persistent_directory: PathBuf,
    /// The baselines of steps.
    before: HashMap<usize, ProtectedBaseline>,
    /// The states of changed files when they were last compared, by step.
    refused: HashMap<usize, HashMap<String, Option<String>>>,
    /// The clean room in which checks run, and its protected files before the first of them.
    room: Option<(PathBuf, ProtectedBaseline)>,
    /// Cached contents with the times of the files.
    read: HashMap<(PathBuf, ContentHash), (FileTimes, String)>,
}

/// Inode, size and change time. A process cannot set the change time back.
type FileTimes = (u64, u64, i64, i64);

/// The result of comparing protected files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ProtectedVerdict {
    pub(crate) changed: PathList,
    pub(crate) notice: Option<String>,
    /// The digest of the baseline, if it was written.
    pub(crate) digest: Option<String>,
}

impl ProtectedFiles {
    pub(crate) fn new(directory: &Path, kept: &Path) -> Self {
        let (before, read) = (HashMap::new(), HashMap::new());
        Self {
            directory: directory.to_owned(),
            persistent_directory: kept.to_owned(),
            before,
            refused: HashMap::new(),
            room: None,
            read,
        }
    }

    /// Saves the baseline of protected files when a step begins. Files that were changed before, and
    /// are not restored, have their state before the change.
    pub(crate) fn begin(
        &mut self,
        step: usize,
        protection: &Protection,
        own_paths: &OwnPaths,
        git: &GitProgram,
        unrestored: &[UnrestoredFiles],
    ) -> ProtectedVerdict {
        let read = self.read_baseline(protection, own_paths, ContentHash::Sha256);
        let patterns = ProtectedPatterns::new(&protection.patterns);
        match read.and_then(|now| Ok((now, patterns.map_err(ProtectedError::Pattern)?))) {
            Ok((mut now, patterns)) => {
                for files in unrestored {
                    self.put_back(&mut now, files, &patterns);
                }
                self.keep(step, now, git)
            }
            Err(error) => ProtectedVerdict::unreadable(protection, &error),
        }
    }

    /// Gives changed files in a baseline the state before their change.
    fn put_back(
        &mut self,
        baseline: &mut ProtectedBaseline,
        files: &UnrestoredFiles,
        patterns: &ProtectedPatterns,
    ) {
        let before = self.baseline(files.step, files.digest.as_deref()).ok();
        let names = match &before {
            // Only the first names are listed.
            Some(before) if files.paths.more > 0 || files.may_be_more => {
                changed_names(before, baseline, true)
            }
            None if files.may_be_more => baseline.keys().cloned().collect(),
            _ => files.paths.listed.clone(),
        };
        let refused = self.refused.get(&files.step);
        for name in names.into_iter().filter(|name| patterns.match_name(Path::new(name))) {
            let known = refused.and_then(|states| states.get(&name));
            if known.is_some_and(|state| state.as_ref() != baseline.get(&name)) {
                // Another agent, which may do so, has changed it since.
                continue;
            }
            let state = match &before {
                Some(before) => before.get(&name).cloned(),
                None => Some("unknown".to_owned()),
            };
            match state {
                Some(state) => drop(baseline.insert(name, state)),
                None => drop(baseline.remove(&name)),
            }
        }
    }

    /// The same for the first step of a forked run: files are compared with their state when that step
    /// began in the other run.
    pub(crate) fn begin_fork(
        &mut self,
        step: usize,
        protection: &Protection,
        own_paths: &OwnPaths,
        git: &GitProgram,
    ) -> ProtectedVerdict {
        let origin = match OriginBaseline::given(&self.persistent_directory, step) {
            Ok(Some(origin)) => origin,
            Ok(None) => return self.begin(step, protection, own_paths, git, &[]),
            // Without a baseline, all files count as changed.
            Err(_) => return ProtectedVerdict::default(),
        };
        let completed = self.read_baseline(protection, own_paths, origin.hash());
        let completed =
            completed.and_then(|now| origin.complete(now).map_err(ProtectedError::Pattern));
        match completed {
            Ok(completed) => self.keep(step, completed, git),
            Err(error) => ProtectedVerdict::unreadable(protection, &error),
        }
    }

    fn keep(&mut self, step: usize, now: ProtectedBaseline, git: &GitProgram) -> ProtectedVerdict {
        let path = self.path(step);
        let written = git.prepare(|| baseline::write(&path, &now));
        self.before.insert(step, now);
        let (digest, notice) = match written {
            Ok(digest) => (Some(digest), None),
            Err(GitError::Over) => (None, None),
            Err(error) => (
                None,
                Some(format!(
                    "the state of protected files cannot be written to {}, so all of them count as \
                 changed after a resume: {error}",
                    path.display()
                )),
            ),
        };
        ProtectedVerdict { changed: PathList::default(), notice, digest }
    }

    /// Finds the protected files that changed since a step began. If they cannot be compared, all
    /// are listed, so that the agent's claim is refused. The digest is that of the baseline when it
    /// was written, if it is known.
    pub(crate) fn verify(
        &mut self,
        step: usize,
        protection: &Protection,
        own_paths: &OwnPaths,
        digest: Option<&str>,
    ) -> ProtectedVerdict {
        let before = self.baseline(step, digest);
        let hash = before.as_ref().map_or(ContentHash::Sha256, baseline::hash_of);
        let now = match self.read_baseline(protection, own_paths, hash) {
            Ok(now) => now,
            Err(error) => return ProtectedVerdict::unreadable(protection, &error),
        };
        match before {
            Ok(before) => {
                let names = changed_names(&before, &now, true).into_iter();
                let states = names.map(|name| (name.clone(), now.get(&name).cloned()));
                self.refused.insert(step, states.collect());
                ProtectedVerdict { changed: changed(&before, &now), ..ProtectedVerdict::default() }
            }
            Err(error) => ProtectedVerdict {
                changed: all(now, protection),
                notice: Some(format!(
                    "the state of protected files when step {step} began is lost, so all of them \
                     count as changed: {}: {error}",
                    self.path(step).display()
                )),
                digest: None,
            },
        }
    }

    /// Finds the protected files in a clean room that differ from when the step began. Only files are
    /// compared that were committed since then, if those are known: a commit may lack files of the
    /// work tree.
    pub(crate) fn verify_committed(
        &mut self,
        step: usize,
        protection: &Protection,
        room: &PreparedCleanRoom,
        digest: Option<&str>,
    ) -> PathList {
        let lost = || PathList::of(protection.patterns.iter().cloned());
        let Ok(patterns) = ProtectedPatterns::new(&protection.patterns) else { return lost() };
        let Ok(before) = self.baseline(step, digest) else { return lost() };
        let hash = baseline::hash_of(&before);
        let names = match &room.changes {
            Some(changes) => changes.clone(),
            None => {
                let Ok(found) = walk(&room.work, &patterns, &OwnPaths::default()) else {
                    return lost();
                };
                let name = |path: &PathBuf| path.strip_prefix(&room.work).ok().map(Path::to_owned);
                found.iter().filter_map(name).collect()
            }
        };
        let names = names.into_iter().filter(|name| patterns.match_name(name));
        let changed = names.filter_map(|name| {
            let committed = self.content(&room.work.join(&name), hash);
            let name = name_of(&name);
            (committed.as_ref() != before.get(&name)).then_some(name)
        });
        PathList::of(changed)
    }

    /// Remembers the protected files of a clean room, before anything runs in it.
    pub(crate) fn enter_room(
        &mut self,
        protection: &Protection,
        work: &Path,
    ) -> Result<(), String> {
        let files = self.read_below(work, protection, &OwnPaths::default(), ContentHash::Sha256);
        let files = files.map_err(|error| format!("protected files cannot be read: {error}"))?;
        self.room = Some((work.to_owned(), files));
        Ok(())
    }

    pub(crate) fn leave_room(&mut self) {
        self.room = None;
    }

    /// Finds the protected files that a check or a set-up changed, in the work tree and in the clean
    /// room. If they cannot be compared, all are listed.
    pub(crate) fn changed_by_job(
        &mut self,
        query: &ProtectionQuery,
        own_paths: &OwnPaths,
    ) -> PathList {
        let ProtectionQuery { step, protection, digest, counts_new } = query;
        let lost = || PathList::of(protection.patterns.iter().cloned());
        let Ok(before) = self.baseline(*step, digest.as_deref()) else { return lost() };
        let hash = baseline::hash_of(&before);
        let Ok(now) = self.read_baseline(protection, own_paths, hash) else { return lost() };
        let mut names = changed_names(&before, &now, *counts_new);
        if let Some((work, before)) = self.room.clone() {
            let (own, hash) = (OwnPaths::default(), ContentHash::Sha256);
            let Ok(now) = self.read_below(&work, protection, &own, hash) else { return lost() };
            names.extend(changed_names(&before, &now, *counts_new));
        }
        PathList::of(names)
    }

    /// The baseline of a step.
    fn baseline(&mut self, step: usize, digest: Option<&str>) -> io::Result<ProtectedBaseline> {
        if let Some(before) = self.before.get(&step) {
            return Ok(before.clone());
        }
        let before = baseline::read(&self.path(step), digest)?;
        self.before.insert(step, before.clone());
        Ok(before)
    }

    fn path(&self, step: usize) -> PathBuf {
        path_of(&self.persistent_directory, step)
    }

    fn read_baseline(
        &mut self,
        protection: &Protection,
        own_paths: &OwnPaths,
        hash: ContentHash,
    ) -> Result<ProtectedBaseline, ProtectedError> {
        let directory = self.directory.clone();
        self.read_below(&directory, protection, own_paths, hash)
    }

    fn read_below(
        &mut self,
        directory: &Path,
        protection: &Protection,
        own_paths: &OwnPaths,
        hash: ContentHash,
    ) -> Result<ProtectedBaseline, ProtectedError> {
        let patterns =
            ProtectedPatterns::new(&protection.patterns).map_err(ProtectedError::Pattern)?;
        let found = walk(directory, &patterns, own_paths)?;
        let mut all = ProtectedBaseline::new();
        for path in found {
            let Some(content) = self.content(&path, hash) else { continue };
            // Two paths may have the same displayed name.
            let known = all.entry(name_of(&from(directory, &path))).or_default();
            known.push_str(&content);
        }
        Ok(all)
    }

    /// The content of a file. For a link, the content of its target is included.
    fn content(&mut self, path: &Path, hash: ContentHash) -> Option<String> {
        let metadata = fs::symlink_metadata(path).ok()?;
        if !metadata.is_symlink() {
            return self.content_of_file(path, &metadata, hash);
        }
        let link = content_by(path, hash)?;
        let target = path.canonicalize().ok().filter(|target| target.is_file());
        let metadata = target.as_ref().and_then(|target| fs::symlink_metadata(target).ok());
        let read = target.zip(metadata);
        let read =
            read.and_then(|(target, metadata)| self.content_of_file(&target, &metadata, hash));
        Some(read.map_or_else(|| link.clone(), |read| format!("{link} to {read}")))
    }

    /// The content of a file that is not a link. It is read only if it may have changed.
    fn content_of_file(
        &mut self,
        path: &Path,
        metadata: &Metadata,
        hash: ContentHash,
    ) -> Option<String> {
        let times = (metadata.ino(), metadata.size(), metadata.ctime(), metadata.ctime_nsec());
        let key = (path.to_owned(), hash);
        if let Some((_, content)) = self.read.get(&key).filter(|(known, _)| *known == times) {
            return Some(content.clone());
        }
        let began = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let content = content_by(path, hash)?;
        let is_settled = u64::try_from(metadata.ctime())
            .is_ok_and(|changed| Duration::from_secs(changed) + RACY_WINDOW < began);
        if is_settled {
            self.read.insert(key, (times, content.clone()));
        }
        Some(content)
    }
}

impl ProtectedVerdict {
    /// The verdict if files cannot be compared: all count as changed.
    fn unreadable(protection: &Protection, error: &ProtectedError) -> Self {
        let notice =
            format!("protected files cannot be compared, so that all count as changed: {error}");
        let changed = PathList::of(protection.patterns.iter().cloned());
        Self { changed, notice: Some(notice), digest: None }
    }
}

/// Why protected files cannot be compared.
#[derive(Debug, thiserror::Error)]
enum ProtectedError {
    #[error("{0}")]
    Pattern(String),
    #[error("there are too many files")]
    TooMany,
}

/// All protected files, or the patterns if there are none.
fn all(now: ProtectedBaseline, protection: &Protection) -> PathList {
    if now.is_empty() {
        return PathList::of(protection.patterns.iter().cloned());
    }
    PathList::of(now.into_keys())
}

/// The names with different states.
fn changed(before: &ProtectedBaseline, now: &ProtectedBaseline) -> PathList {
    let gone = before.iter().filter(|(name, state)| now.get(*name) != Some(*state));
    let new = now.iter().filter(|(name, _)| !before.contains_key(*name));
    PathList::of(gone.chain(new).map(|(name, _)| name.clone()))
}

/// The names with different states after a check. Caches of interpreters are no change.
fn changed_names(
    before: &ProtectedBaseline,
    now: &ProtectedBaseline,
    counts_new: bool,
) -> Vec<String> {
    let is_cache = |name: &str| name.split('/').any(|part| CACHE_DIRECTORIES.contains(&part));
    let is_change = |name: &&String| match before.get(*name) {
        Some(state) => now.get(*name) != Some(state),
        None => counts_new,
    };
    let names = before.keys().chain(now.keys().filter(|name| !before.contains_key(*name)));
    names.filter(is_change).filter(|name| !is_cache(name)).cloned().collect()
}

/// Finds all files below a directory that match.
fn walk(
    directory: &Path,
    patterns: &ProtectedPatterns,
    own_paths: &OwnPaths,
) -> Result<Vec<PathBuf>, ProtectedError> {
    let deadline = Instant::now() + READ_TIMEOUT;
    let mut walk = ProtectedWalk { directory, patterns, own_paths, deadline, found: Vec::new() };
    for prefix in patterns.prefixes() {
        walk.begin(prefix)?;
    }
    Ok(walk.found)
}

/// Walks the directories in which files can match.
struct ProtectedWalk<'a> {
    directory: &'a Path,
    patterns: &'a ProtectedPatterns,
    own_paths: &'a OwnPaths,
    deadline: Instant,
    found: Vec<PathBuf>,
}

impl ProtectedWalk<'_> {
    /// Starts at a literal prefix. A link in the prefix is not followed, but counts as a file, so
    /// that creating one is a change.
    fn begin(&mut self, prefix: &Path) -> Result<(), ProtectedError> {
        let mut path = self.directory.to_owned();
        for part in prefix {
            path.push(part);
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_symlink() => {
                    self.found.push(path);
                    return Ok(());
                }
                _ => {}
            }
        }
        self.entry(&path)
    }

    fn entry(&mut self, path: &Path) -> Result<(), ProtectedError> {
        if Instant::now() >= self.deadline {
            return Err(ProtectedError::TooMany);
        }
        let is_gits = path.file_name().is_some_and(|name| name == ".git");
        if is_gits || (path != self.directory && self.own_paths.contains(path)) {
            return Ok(());
        }
        let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
        if !metadata.is_dir() {
            let name = path.strip_prefix(self.directory).unwrap_or(path);
            if self.patterns.match_name(name) {
                self.found.push(path.to_owned());
            }
            return Ok(());
        }
        // An unreadable directory is recorded as such.
        let Ok(entries) = fs::read_dir(path) else {
            self.found.push(path.to_owned());
            return Ok(());
        };
        entries.flatten().try_for_each(|entry| self.entry(&entry.path()))
    }
}

#[cfg(test)]
mod tests;
