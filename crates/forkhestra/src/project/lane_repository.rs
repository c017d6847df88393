//! What the git repository of a project has for lanes: what they begin with, and what they lack.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::project::project_location::ProjectLocation;

/// The file that names ignored files which are copied to a new work tree.
pub(crate) const WORKTREE_INCLUDE: &str = ".worktreeinclude";

/// The most files whose sizes are summed up for one directory.
const MAX_SUMMED: usize = 50_000;

/// The repository of a project, as lanes see it.
#[derive(Debug)]
pub(crate) struct LaneRepository {
    /// The root of the work tree.
    top: PathBuf,
}

/// An ignored file or directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IgnoredEntry {
    /// The path below the root of the work tree; that of a directory ends with `/`.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    /// Whether it has more files than were summed up.
    pub(crate) is_larger: bool,
}

impl LaneRepository {
    pub(crate) fn of(project: &ProjectLocation) -> Self {
        Self { top: project.work_tree() }
    }

    /// The version of git, as in `2.47.1`; none if git cannot run.
    pub(crate) fn git_version(&self) -> Option<String> {
        let text = self.output(&["--version"])?;
        text.split_whitespace().nth(2).map(str::to_owned)
    }

    pub(crate) fn is_bare(&self) -> bool {
        self.output(&["rev-parse", "--is-bare-repository"])
            .is_some_and(|bare| bare.trim() == "true")
    }

    /// The abbreviated id of the commit that lanes begin with.
    pub(crate) fn head(&self) -> Option<String> {
        let id = self.output(&["rev-parse", "--short", "HEAD"])?;
        Some(id.trim().to_owned())
    }

    /// The tracked files with changes that are not committed; none if git fails.
    pub(crate) fn uncommitted(&self) -> Option<Vec<String>> {
        let text = self.output(&["status", "--porcelain=v1", "-z", "--untracked-files=no"])?;
        let mut entries = text.split('\0').filter(|entry| !entry.is_empty());
        let mut paths = Vec::new();
        while let Some(entry) = entries.next() {
            let (status, path) = entry.split_at_checked(3)?;
            paths.push(path.to_owned());
            // The former path follows a rename or copy.
            if status.starts_with(['R', 'C']) {
                entries.next();
            }
        }
        Some(paths)
    }

    /// The size of all committed files.
    pub(crate) fn committed_bytes(&self) -> Option<u64> {
        let text = self.output(&["ls-tree", "-r", "-l", "-z", "HEAD"])?;
        let sizes = text.split('\0').filter_map(|line| {
            let (attributes, _) = line.split_once('\t')?;
            // A submodule has `-` instead of a size.
            attributes.split_whitespace().nth(3)?.parse::<u64>().ok()
        });
        Some(sizes.sum())
    }

    /// The paths that git ignores, without those below an ignored directory.
    pub(crate) fn ignored(&self) -> Option<Vec<String>> {
        self.listed(&["--exclude-standard"])
    }

    /// The paths that `.worktreeinclude` names.
    pub(crate) fn included(&self) -> Option<Vec<String>> {
        if !self.top.join(WORKTREE_INCLUDE).is_file() {
            return Some(Vec::new());
        }
        self.listed(&[&format!("--exclude-from={WORKTREE_INCLUDE}")])
    }

    fn listed(&self, patterns: &[&str]) -> Option<Vec<String>> {
        let fixed = ["ls-files", "--others", "--ignored", "--directory", "-z"];
        let text = self.output(&[&fixed, patterns].concat())?;
        Some(text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
    }

    /// An ignored path with its size. What cannot be read has no size.
    pub(crate) fn sized(&self, path: String) -> IgnoredEntry {
        let mut open = vec![self.top.join(&path)];
        let (mut bytes, mut files) = (0_u64, 0);
        while let Some(next) = open.pop() {
            if files > MAX_SUMMED {
                break;
            }
            let Ok(found) = fs::symlink_metadata(&next) else { continue };
            files += 1;
            if found.is_dir() {
                let below = fs::read_dir(&next).into_iter().flatten();
                open.extend(below.filter_map(|entry| Some(entry.ok()?.path())));
            } else {
                bytes = bytes.saturating_add(found.len());
            }
        }
        IgnoredEntry { path, bytes, is_larger: files > MAX_SUMMED }
    }

    /// A path of the project below the root of the work tree.
    pub(crate) fn below_top(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(&self.top).ok()?;
        Some(below.to_string_lossy().into_owned())
    }

    /// What git prints; none if it cannot run or fails.
    fn output(&self, args: &[&str]) -> Option<String> {
        let output = Command::new("git")
            // Settings that name commands run none.
            .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
            .args(args)
            .current_dir(&self.top)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
