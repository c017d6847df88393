//! Moves a repository from one state to another, when everything that is needed is there.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::EffectsError;
use super::mark::Variables;
use crate::git::GitError;
use crate::repository::{Session, names};

/// From where to where.
pub(super) struct Move {
    /// The commit that is checked out.
    pub(super) old_head: Option<String>,
    /// Where the branch goes; none if it stays.
    pub(super) head: Option<String>,
    /// The tree of the user's index in the end; none if it stays as it is.
    pub(super) index: Option<String>,
    /// The work tree.
    pub(super) from: String,
    /// The work tree in the end.
    pub(super) to: String,
}

impl Move {
    /// Moves index, branch and work tree. If one of them cannot be moved, those before it go back.
    pub(super) fn carry_out(
        &self,
        session: &Session<'_>,
        variables: &Variables,
        scratch: &Path,
    ) -> Result<(), EffectsError> {
        self.check_room(session, variables)?;
        self.files(session, variables, true)?;
        let (index, kept) = (&session.repository.index, scratch.join("index-before"));
        let had_index = index.exists();
        if had_index {
            fs::copy(index, &kept)?;
        }
        let moved = self.index(session).and_then(|()| self.branch(session)).and_then(|()| {
            let moved = self.files(session, variables, false);
            let moved = moved.and_then(|()| self.must_be_gone(session, variables));
            if moved.is_err() {
                self.files_back(session, variables);
                self.branch_back(session);
            }
            moved
        });
        if let Err(error) = moved {
            // The first failure is the one to be told.
            let _ = if had_index { fs::rename(&kept, index) } else { fs::remove_file(index) };
            return Err(error.into());
        }
        // Only speed depends on it: what it does not know it reads.
        let refresh = ["update-index", "-q", "--refresh"].map(OsStr::new);
        let _ = session.attempt_with(&[], &refresh);
        Ok(())
    }

    /// The user's index keeps what it knows of files that stay.
    fn index(&self, session: &Session<'_>) -> Result<(), GitError> {
        let Some(tree) = &self.index else { return Ok(()) };
        session.demand(&["read-tree", "--reset", tree]).map(drop)
    }

    fn branch(&self, session: &Session<'_>) -> Result<(), GitError> {
        let Some(head) = &self.head else { return Ok(()) };
        let old = self.old_head.clone().unwrap_or_else(|| no_commit(head));
        session.demand(&["update-ref", "-m", "forkhestra: replay", "HEAD", head, &old]).map(drop)
    }

    fn branch_back(&self, session: &Session<'_>) {
        let Some(head) = &self.head else { return };
        // The first failure is the one to be told.
        let _ = match &self.old_head {
            Some(old) => session.demand(&["update-ref", "HEAD", old, head]),
            None => session.demand(&["update-ref", "-d", "HEAD", head]),
        };
    }

    /// Refuses to write over what git ignores, which git itself does not mind.
    fn check_room(&self, session: &Session<'_>, variables: &Variables) -> Result<(), EffectsError> {
        let added = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=AT"];
        let added: Vec<&str> = added.into_iter().chain([&*self.from, &*self.to]).collect();
        let added = session.demand_with(variables, &added)?;
        for name in names(&added) {
            let Some(name) = in_the_way(&session.repository.top, name) else { continue };
            // All that is here and that our own index does not know: below it, if it is a directory.
            let mut place = OsString::from(":(literal)");
            place.push(name);
            let others = ["ls-files", "--others", "-z", "--"].map(OsStr::new);
            let others: Vec<&OsStr> = others.into_iter().chain([place.as_os_str()]).collect();
            let others = session.demand_of_with(variables, &others)?;
            if let Some(other) = names(&others).next() {
                let other = String::from_utf8_lossy(other).into_owned();
                return Err(EffectsError::InTheWay(other));
            }
        }
        Ok(())
    }

    /// Our own index knows every file, so that git writes what differs and nothing else.
    fn files(
        &self,
        session: &Session<'_>,
        variables: &Variables,
        is_rehearsal: bool,
    ) -> Result<(), GitError> {
        // What was recorded is made whole, also where the user checks nothing out.
        let mut args = vec!["-c", "core.sparseCheckout=false", "read-tree", "-m", "-u"];
        if is_rehearsal {
            args.push("--dry-run");
        }
        args.extend([self.from.as_str(), self.to.as_str()]);
        session.demand_with(variables, &args).map(drop)
    }

    /// Git only warns of what it cannot remove.
    fn must_be_gone(&self, session: &Session<'_>, variables: &Variables) -> Result<(), GitError> {
        let gone = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=D"];
        let gone: Vec<&str> = gone.into_iter().chain([&*self.from, &*self.to]).collect();
        let gone = session.demand_with(variables, &gone)?;
        let top = &session.repository.top;
        let is_there = |name: &&[u8]| {
            let found = in_the_way(top, name).filter(|found| found.len() == name.len());
            found.is_some_and(|found| !top.join(found).is_dir())
        };
        match names(&gone).find(is_there) {
            None => Ok(()),
            Some(name) => {
                let name = String::from_utf8_lossy(name);
                Err(GitError::Failed(format!("cannot remove {name}")))
            }
        }
    }

    /// Git has failed halfway, and our own index is what it was: it is told of what may have been added, so
    /// that git takes that away again and brings back what is gone.
    fn files_back(&self, session: &Session<'_>, variables: &Variables) {
        let back = || -> Result<(), GitError> {
            let added = ["diff-tree", "-r", "-z", "--no-renames", "--diff-filter=A"];
            let added: Vec<&str> = added.into_iter().chain([&*self.from, &*self.to]).collect();
            let entries = index_info(&session.demand_with(variables, &added)?);
            if !entries.is_empty() {
                let tell = ["update-index", "--replace", "-z", "--index-info"];
                session.tell(variables, &tell, &entries)?;
            }
            let reset = ["-c", "core.sparseCheckout=false", "read-tree", "--reset", "-u"];
            let reset: Vec<&str> = reset.into_iter().chain([&*self.from]).collect();
            session.demand_with(variables, &reset).map(drop)
        };
        // The first failure is the one to be told.
        let _ = back();
    }
}

/// The part of a name at which something is already: all of it, or a directory in it that is none.
fn in_the_way<'a>(top: &Path, name: &'a [u8]) -> Option<&'a OsStr> {
    let ends = name.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    for end in ends.chain([name.len()]) {
        let part = OsStr::from_bytes(&name[..end]);
        let is_whole = end == name.len();
        match top.join(part).symlink_metadata() {
            Err(_) => return None,
            Ok(found) if is_whole || !found.is_dir() => return Some(part),
            Ok(_) => {}
        }
    }
    None
}

/// What `diff-tree` says was added, as an index is told of it.
fn index_info(raw: &[u8]) -> Vec<u8> {
    let parts: Vec<&[u8]> = names(raw).collect();
    let mut entries = Vec::new();
    for pair in parts.chunks_exact(2) {
        let fields: Vec<&[u8]> = pair[0].split(|byte| *byte == b' ').collect();
        if let [_, mode, _, object, _] = fields[..] {
            entries.extend([mode, b" ", object, b"\t", pair[1], b"\0"].concat());
        }
    }
    entries
}

/// What git takes for no commit, as long as a name is here.
fn no_commit(like: &str) -> String {
    "0".repeat(like.len())
}
