//! The files of a commit in a clean room: links that leave it, and files that it has in another form.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::room_repository::{room_variables, run_isolated};
use crate::protected::baseline::name_of;
use crate::repository::git_program::GitError;
use crate::repository::{GitSession, names};

/// The mode of a link in git.
const LINK_MODE: &[u8] = b"120000";

/// The mode of another repository in git.
const REPOSITORY_MODE: &[u8] = b"160000";

/// The maximum of links that are followed in one path, as in the kernel.
const MAX_LINKS: usize = 40;

/// The maximum of links that a message names.
const MAX_NAMED: usize = 5;

/// The maximum of bytes that are read of a `.gitattributes` file. Git reads no larger ones.
const MAX_ATTRIBUTE_BYTES: u64 = 100 * 1024 * 1024;

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CommittedFile {
    path: PathBuf,
    object: Vec<u8>,
}

/// The files of a clean room that need attention.
#[derive(Debug)]
pub(super) struct CommittedFiles<'a> {
    room: &'a Path,
    links: Vec<CommittedFile>,
    attributes: Vec<PathBuf>,
    has_submodules: bool,
}

/// Links that lead out of a clean room.
#[derive(Debug)]
pub(super) struct OutsideLinks<'a> {
    found: Vec<OutsideLink<'a>>,
    /// All links of the commit.
    all: &'a [CommittedFile],
}

#[derive(Debug)]
struct OutsideLink<'a> {
    path: &'a Path,
    target: PathBuf,
    /// All links on the way, this one included.
    passed: Vec<PathBuf>,
}

impl<'a> CommittedFiles<'a> {
    /// Lists the files that are checked out.
    pub(super) fn list(session: &GitSession<'_>, room: &'a Path) -> Result<Self, GitError> {
        let args = ["ls-files", "--stage", "-z"].map(OsStr::new);
        let listed = run_isolated(session, room, &room_variables(room), &args)?;
        let entries = || names(&listed).filter_map(entry);
        let is_attributes = |path: &&Path| path.file_name() == Some(OsStr::new(".gitattributes"));
        Ok(Self {
            room,
            links: committed_links(&listed),
            attributes: entries()
                .map(|(_, _, path)| path)
                .filter(is_attributes)
                .map(Path::to_owned)
                .collect(),
            has_submodules: entries().any(|(mode, _, _)| mode == REPOSITORY_MODE),
        })
    }

    /// The links that lead out of the room or into git's directory.
    pub(super) fn outside_links(&self) -> OutsideLinks<'_> {
        let outside = self.links.iter().filter_map(|link| {
            let passed = way_out(self.room, &link.path)?;
            let target = fs::read_link(self.room.join(&link.path)).unwrap_or_default();
            Some(OutsideLink { path: &link.path, target, passed })
        });
        OutsideLinks { found: outside.collect(), all: &self.links }
    }

    /// Notices about files that the room lacks or has in another form.
    pub(super) fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if self.has_submodules {
            notices.push(
                "submodules are not checked out in clean rooms; a `setup` command can do that"
                    .to_owned(),
            );
        }
        let with_filter = self.attributes.iter().find(|path| has_filter(&self.room.join(path)));
        if let Some(path) = with_filter {
            notices.push(format!(
                "`{}` names a filter, such as that of Git LFS; clean rooms run no filter and have \
                 these files as they are committed; a `setup` command can change that",
                name_of(path)
            ));
        }
        notices
    }
}

impl OutsideLinks<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// A notice if all of them were in the commit with which the work began, with all links on their
    /// way; otherwise the new ones.
    pub(super) fn judge(&self, before: &[CommittedFile]) -> Result<String, String> {
        let before: BTreeSet<&CommittedFile> = before.iter().collect();
        let new_links = self.all.iter().filter(|link| !before.contains(link));
        let new_links: BTreeSet<&Path> = new_links.map(|link| link.path.as_path()).collect();
        let is_new = |outside: &&OutsideLink<'_>| {
            outside.passed.iter().any(|link| new_links.contains(link.as_path()))
        };
        let new: Vec<&OutsideLink<'_>> = self.found.iter().filter(is_new).collect();
        if new.is_empty() {
            let all: Vec<&OutsideLink<'_>> = self.found.iter().collect();
            return Ok(format!(
                "the clean room has links that leave it, as the commit had when the work began: {}",
                named(&all)
            ));
        }
        Err(named(&new))
    }
}

fn named(links: &[&OutsideLink<'_>]) -> String {
    let name = |link: &&OutsideLink<'_>| {
        format!("`{}` to `{}`", name_of(link.path), name_of(&link.target))
    };
    let mut names: Vec<String> = links.iter().take(MAX_NAMED).map(name).collect();
    let more = links.len().saturating_sub(MAX_NAMED);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

/// The links in a list of `git ls-files --stage -z` or `git ls-tree -z`.
pub(super) fn committed_links(listed: &[u8]) -> Vec<CommittedFile> {
    let links = names(listed).filter_map(entry).filter(|(mode, ..)| *mode == LINK_MODE);
    let file = |(_, object, path): (&[u8], &[u8], &Path)| CommittedFile {
        path: path.to_owned(),
        object: object.to_vec(),
    };
    links.map(file).collect()
}

/// Mode, object and path of `100644 ID 0<TAB>PATH` or `100644 blob ID<TAB>PATH`.
fn entry(line: &[u8]) -> Option<(&[u8], &[u8], &Path)> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mut words = line[..tab].split(|byte| *byte == b' ');
    let mode = words.next()?;
    let object = words.max_by_key(|word| word.len())?;
    Some((mode, object, Path::new(OsStr::from_bytes(&line[tab + 1..]))))
}

/// Follows a link inside a directory, without leaving it. Returns all links on the way, if it leads
/// out of the directory or into git's directory.
fn way_out(room: &Path, link: &Path) -> Option<Vec<PathBuf>> {
    let mut passed = Vec::new();
    let mut place: Vec<OsString> = Vec::new();
    let mut rest = parts_reversed(link);
    while let Some(name) = rest.pop() {
        match Path::new(&name).components().next() {
            Some(Component::Normal(_)) => place.push(name),
            Some(Component::ParentDir) => {
                if place.pop().is_none() {
                    return Some(passed);
                }
                continue;
            }
            Some(Component::RootDir | Component::Prefix(_)) => return Some(passed),
            Some(Component::CurDir) | None => continue,
        }
        if place[0].eq_ignore_ascii_case(".git") {
            return Some(passed);
        }
        let path: PathBuf = place.iter().collect();
        let Ok(target) = fs::read_link(room.join(&path)) else { continue };
        passed.push(path);
        if passed.len() > MAX_LINKS {
            // A loop, through which nothing can be read.
            return None;
        }
        place.pop();
        if target.is_absolute() {
            return Some(passed);
        }
        rest.extend(parts_reversed(&target));
    }
    None
}

fn parts_reversed(path: &Path) -> Vec<OsString> {
    let mut parts: Vec<OsString> = path.iter().map(OsStr::to_owned).collect();
    parts.reverse();
    parts
}

/// Whether a `.gitattributes` file names a filter.
fn has_filter(path: &Path) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
    let text = File::open(path).ok().filter(|_| is_file).and_then(|file| {
        let mut text = Vec::new();
        file.take(MAX_ATTRIBUTE_BYTES).read_to_end(&mut text).ok()?;
        Some(text)
    });
    let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.any(|line| line.split_whitespace().skip(1).any(|word| word.starts_with("filter=")))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_inside_the_room_only() {
        let directory = tempfile::tempdir().expect("there is room");
        let room = directory.path().canonicalize().expect("it is there").join("room");
        fs::create_dir_all(room.join("a/b")).expect("it is ours");
        let table = [
            ("inside", "a/b", false),
            ("a/up", "..", false),
            ("a/b/file", "../../x/y", false),
            ("missing", "nothing/here", false),
            ("loop", "loop", false),
            ("absolute", "/etc/passwd", true),
            ("a/above", "../../other", true),
            ("git", ".git/config", true),
            ("a/case", "../.GIT/config", true),
            // The directory is a link to the top, so that its parent is outside.
            ("through", "a/up/../secret", true),
            ("by-another", "absolute/x", true),
        ];
        for (link, target, _) in table {
            symlink(target, room.join(link)).expect("it is ours");
        }
        for (link, target, is_outside) in table {
            let found = way_out(&room, Path::new(link));
            assert_eq!(found.is_some(), is_outside, "{link} to {target}");
        }
        let passed = way_out(&room, Path::new("through")).expect("it is outside");
        assert_eq!(passed, [Path::new("through"), Path::new("a/up")]);
    }

    #[test]
    fn lists_of_git_have_two_forms() {
        let id = "0123456789012345678901234567890123456789";
        for line in [format!("120000 {id} 0\ta b"), format!("120000 blob {id}\ta b")] {
            let found = committed_links(format!("{line}\0").as_bytes());
            let expected = CommittedFile { path: "a b".into(), object: id.as_bytes().to_vec() };
            assert_eq!(found, [expected]);
        }
    }
}
