//! Protected files, which agents may not change: their baseline at the start of a step, and the
//! changes since.

pub(crate) mod baseline;
mod patterns;

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use forkhestra_core::event::PathList;
use forkhestra_core::plan::Protection;

use self::baseline::{ProtectedBaseline, from, name_of};
use crate::repository::git_program::{GitError, GitProgram};
use crate::work_tree::file_content::content;
use crate::work_tree::own_paths::OwnPaths;

use patterns::ProtectedPatterns;

/// Upper bound for reading all protected files.
const READ_TIMEOUT: Duration = Duration::from_secs(300);

/// A file that changed within this time may have changed again after it was read with the same
/// timestamp, so its content is not cached.
const RACY_WINDOW: Duration = Duration::from_secs(2);

/// The protected files of a run.
#[derive(Debug, Clone)]
pub(crate) struct ProtectedFiles {
    directory: PathBuf,
    persistent_directory: PathBuf,
    /// The baselines of steps.
    before: HashMap<usize, ProtectedBaseline>,
    /// Cached contents with the times of the files.
    read: HashMap<PathBuf, (FileTimes, String)>,
}

/// Inode, size and change time. A process cannot set the change time back.
type FileTimes = (u64, u64, i64, i64);

/// The result of comparing protected files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ProtectedVerdict {
    pub(crate) changed: PathList,
    pub(crate) notice: Option<String>,
}

impl ProtectedFiles {
    pub(crate) fn new(directory: &Path, kept: &Path) -> Self {
        let (before, read) = (HashMap::new(), HashMap::new());
        Self {
            directory: directory.to_owned(),
            persistent_directory: kept.to_owned(),
            before,
            read,
        }
    }

    /// Saves the baseline of protected files when a step begins.
    pub(crate) fn begin(
        &mut self,
        step: usize,
        protection: &Protection,
        own_paths: &OwnPaths,
        git: &GitProgram,
    ) -> ProtectedVerdict {
        let now = match self.read_baseline(protection, own_paths) {
            Ok(now) => now,
            Err(error) => return ProtectedVerdict::unreadable(protection, &error),
        };
        let path = self.path(step);
        let written = git.prepare(|| baseline::write(&path, &now));
        self.before.insert(step, now);
        let notice = match written {
            Ok(()) | Err(GitError::Over) => None,
            Err(error) => Some(format!(
                "the state of protected files cannot be written to {}, so all of them count as \
                 changed after a resume: {error}",
                path.display()
            )),
        };
        ProtectedVerdict { changed: PathList::default(), notice }
    }

    /// Finds the protected files that changed since a step began. If they cannot be compared, all
    /// are listed, so that the agent's claim is refused.
    pub(crate) fn verify(
        &mut self,
        step: usize,
        protection: &Protection,
        own_paths: &OwnPaths,
    ) -> ProtectedVerdict {
        let now = match self.read_baseline(protection, own_paths) {
            Ok(now) => now,
            Err(error) => return ProtectedVerdict::unreadable(protection, &error),
        };
        let path = self.path(step);
        let before = match self.before.get(&step) {
            Some(before) => Ok(before.clone()),
            None => baseline::read(&path),
        };
        match before {
            Ok(before) => {
                let changed = changed(&before, &now);
                self.before.insert(step, before);
                ProtectedVerdict { changed, notice: None }
            }
            Err(error) => ProtectedVerdict {
                changed: all(now, protection),
                notice: Some(format!(
                    "the state of protected files when step {step} began is lost, so all of them \
                     count as changed: {}: {error}",
                    path.display()
                )),
            },
        }
    }

    fn path(&self, step: usize) -> PathBuf {
        self.persistent_directory.join(format!("protected-{step}.json"))
    }

    fn read_baseline(
        &mut self,
        protection: &Protection,
        own_paths: &OwnPaths,
    ) -> Result<ProtectedBaseline, ProtectedError> {
        let patterns =
            ProtectedPatterns::new(&protection.patterns).map_err(ProtectedError::Pattern)?;
        let mut walk = ProtectedWalk {
            directory: &self.directory,
            patterns: &patterns,
            own_paths,
            deadline: Instant::now() + READ_TIMEOUT,
            found: Vec::new(),
        };
        for prefix in patterns.prefixes() {
            walk.begin(prefix)?;
        }
        let mut all = ProtectedBaseline::new();
        for path in walk.found {
            let Some(content) = self.content(&path) else { continue };
            // Two paths may have the same displayed name.
            let known = all.entry(name_of(&from(&self.directory, &path))).or_default();
            known.push_str(&content);
        }
        Ok(all)
    }

    /// The content of a file. For a link, the content of its target is included.
    fn content(&mut self, path: &Path) -> Option<String> {
        let metadata = fs::symlink_metadata(path).ok()?;
        if !metadata.is_symlink() {
            return self.content_of_file(path, &metadata);
        }
        let link = content(path)?;
        let target = path.canonicalize().ok().filter(|target| target.is_file());
        let metadata = target.as_ref().and_then(|target| fs::symlink_metadata(target).ok());
        let read = target.zip(metadata);
        let read = read.and_then(|(target, metadata)| self.content_of_file(&target, &metadata));
        Some(read.map_or_else(|| link.clone(), |read| format!("{link} to {read}")))
    }

    /// The content of a file that is not a link. It is read only if it may have changed.
    fn content_of_file(&mut self, path: &Path, metadata: &Metadata) -> Option<String> {
        let times = (metadata.ino(), metadata.size(), metadata.ctime(), metadata.ctime_nsec());
        if let Some((_, content)) = self.read.get(path).filter(|(known, _)| *known == times) {
            return Some(content.clone());
        }
        let began = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let content = content(path)?;
        let is_settled = u64::try_from(metadata.ctime())
            .is_ok_and(|changed| Duration::from_secs(changed) + RACY_WINDOW < began);
        if is_settled {
            self.read.insert(path.to_owned(), (times, content.clone()));
        }
        Some(content)
    }
}

impl ProtectedVerdict {
    /// The verdict if files cannot be compared: all count as changed.
    fn unreadable(protection: &Protection, error: &ProtectedError) -> Self {
        let notice =
            format!("protected files cannot be compared, so that all count as changed: {error}");
        Self { changed: PathList::of(protection.patterns.iter().cloned()), notice: Some(notice) }
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
