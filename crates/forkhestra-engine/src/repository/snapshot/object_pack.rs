//! Packs with objects of the agents' repository, for a repository of our own.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::repository::GitSession;
use crate::repository::git_program::GitError;
use crate::repository::own_index::quoted;

const ALTERNATES: &str = "GIT_ALTERNATE_OBJECT_DIRECTORIES";

/// The beginning of the names of git's temporary files.
const TEMPORARY: &[u8] = b"tmp_";

/// Writes a pack with the wanted objects into a directory of objects. Git keeps its temporary files
/// there as well: the agents' repository is only read, and may be on another file system.
pub(super) fn write_pack(
    session: &GitSession<'_>,
    objects: &Path,
    options: &[&str],
    wanted: &str,
) -> Result<(), GitError> {
    let packs = objects.join("pack");
    let place = packs.join("pack");
    let mut args: Vec<&OsStr> = options.iter().map(OsStr::new).collect();
    args.push(place.as_os_str());
    let repository = session.repository;
    let leading = repository.leading.iter().find(|(name, _)| *name == ALTERNATES);
    let mut sources = quoted(&repository.objects);
    if let Some((_, more)) = leading {
        sources.push(":");
        sources.push(more);
    }
    let variables: [(&'static str, OsString); 2] =
        [("GIT_OBJECT_DIRECTORY", objects.into()), (ALTERNATES, sources)];
    let written = session.send_input(&variables, &args, wanted.as_bytes()).map(drop);
    if written.is_err() {
        remove_temporary_files(&packs);
    }
    written
}

/// Removes what git left when it failed. The rest only takes space.
fn remove_temporary_files(packs: &Path) {
    let entries = fs::read_dir(packs).into_iter().flatten().flatten();
    let is_temporary = |entry: &fs::DirEntry| entry.file_name().as_bytes().starts_with(TEMPORARY);
    for entry in entries.filter(is_temporary) {
        let _ = fs::remove_file(entry.path());
    }
}
