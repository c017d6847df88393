//! Saved states: commits with the exact bytes of files.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::RewindError;
use super::tree_change::{TreeChange, TreeEntryKind};
use super::work_tree_file::metadata_below;
use crate::repository::snapshot::{REF_NAMESPACE, identity};
use crate::repository::work_survey::empty_tree;
use crate::repository::{GitSession, text};

/// The namespace of saved states below that of the run.
const SAVED_STATES: &str = "before-rewind";

/// The ref of a saved state.
pub(super) fn saved_reference(run: &str, name: &str) -> String {
    format!("{REF_NAMESPACE}/{run}/{SAVED_STATES}/{name}")
}

/// Saves a tree as a commit with a ref. What is staged is saved with it.
pub(super) fn save_state(
    session: &GitSession<'_>,
    run: &str,
    name: &str,
    tree: &str,
    message: &str,
) -> Result<String, RewindError> {
    let message = format!("forkhestra run {run}: {message}");
    let commit = |tree: &str, parents: &[&str]| {
        let mut args = vec!["commit-tree", "-m", &message];
        args.extend(parents.iter().flat_map(|parent| ["-p", parent]));
        args.push(tree);
        session.require_with(&identity(), &args).map(|output| text(&output))
    };
    let head = session.head()?;
    let staged = staged_tree(session, &head)?;
    let staged = staged.map(|tree| commit(&tree, &[])).transpose()?;
    let parents: Vec<&str> = head.iter().chain(&staged).map(String::as_str).collect();
    let saved = commit(tree, &parents)?;
    session.require(&["update-ref", &saved_reference(run, name), &saved])?;
    Ok(saved)
}

/// The files that changes replace or remove, each with the object of its bytes.
pub(super) fn exact_entries<'a>(
    session: &GitSession<'_>,
    changes: &'a [TreeChange],
) -> Result<Vec<(&'a TreeChange, String)>, RewindError> {
    let kind = |change: &TreeChange| change.before.as_ref().map(|entry| entry.kind);
    let top = &session.repository.top;
    // A sparse checkout leaves files out.
    let is_there = |change: &TreeChange| matches!(metadata_below(top, &change.path), Ok(Some(metadata)) if metadata.is_file());
    let is_file = |change: &&TreeChange| {
        let kind = kind(change);
        matches!(kind, Some(TreeEntryKind::File | TreeEntryKind::Executable)) && is_there(change)
    };
    let is_link = |change: &&TreeChange| kind(change) == Some(TreeEntryKind::Link);
    let files: Vec<&TreeChange> = changes.iter().filter(is_file).collect();
    let links = changes.iter().filter(is_link);
    let links = links.filter_map(|link| Some((link, link.object()?.clone())));
    if files.is_empty() {
        return Ok(links.collect());
    }
    let paths: Vec<u8> = files.iter().flat_map(|change| quoted_line(&change.path)).collect();
    let args = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
    let objects = text(&session.send_input(&[], &args, &paths)?);
    let objects = objects.lines().map(str::to_owned);
    Ok(files.into_iter().zip(objects).chain(links).collect())
}

/// A tree with other objects for some of its entries.
pub(super) fn replace_entries(
    session: &GitSession<'_>,
    scratch: &Path,
    tree: &str,
    entries: &[(&TreeChange, String)],
) -> Result<String, RewindError> {
    if entries.is_empty() {
        return Ok(tree.to_owned());
    }
    let mut input = Vec::new();
    for (change, object) in entries {
        let mode = match change.before.as_ref().map(|entry| entry.kind) {
            Some(TreeEntryKind::Executable) => "100755",
            Some(TreeEntryKind::Link) => "120000",
            _ => "100644",
        };
        input.extend(format!("{mode} {object} 0\t").bytes());
        input.extend(change.path.as_os_str().as_bytes().iter().chain([&0]));
    }
    let index = scratch.join("exact-index");
    let variables: [(&'static str, OsString); 1] = [("GIT_INDEX_FILE", index.into())];
    session.require_with(&variables, &["read-tree", "--no-sparse-checkout", tree])?;
    session.send_input(&variables, &["update-index", "-z", "--index-info"], &input)?;
    Ok(text(&session.require_with(&variables, &["write-tree"])?))
}

/// A path in a list of lines, quoted if it could be mistaken.
pub(in crate::repository) fn quoted_line(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_bytes();
    // A carriage return at the end of a line would be taken as a part of the line break.
    if !bytes.starts_with(b"\"") && !bytes.iter().any(u8::is_ascii_control) {
        return [bytes, b"\n"].concat();
    }
    let mut line = vec![b'"'];
    for byte in bytes {
        match byte {
            b'"' | b'\\' => line.extend([b'\\', *byte]),
            _ if byte.is_ascii_control() => line.extend(format!("\\{byte:03o}").bytes()),
            _ => line.push(*byte),
        }
    }
    line.extend(b"\"\n");
    line
}

/// The tree of what is staged, if it differs from that of the commit.
pub(super) fn staged_tree(
    session: &GitSession<'_>,
    head: &Option<String>,
) -> Result<Option<String>, RewindError> {
    let staged = text(&session.require(&["write-tree"])?);
    let committed = match head {
        Some(head) => text(&session.require(&["rev-parse", &format!("{head}^{{tree}}")])?),
        None => empty_tree(session)?,
    };
    Ok((staged != committed).then_some(staged))
}

/// Waits until all objects are on the disk: the files that they are copies of are replaced next.
pub(super) fn sync_objects(objects: &Path) -> Result<(), RewindError> {
    let sync = || {
        let directory = File::open(objects)?;
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(&directory)?;
        directory.sync_all()
    };
    sync().map_err(RewindError::file(objects))
}
