//! Checks the three-way merge of task files.

use forge_tasks::document::TaskDocument;
use forge_tasks::merge::{FileMerge, FileVersions, merge_file, merge_task};

use crate::pieces::split_by_line;

/// The line between two versions.
const SEPARATOR: &[u8] = b"%%";

/// Any three versions of a file are merged: a change of one side alone is taken as it is, texts stay
/// texts, and tasks stay tasks.
pub fn task_merge(data: &[u8]) {
    let versions = split_by_line(data, SEPARATOR);
    let version = |number: usize| versions.get(number).copied().unwrap_or_default();
    let [base, ours, theirs] = [version(0), version(1), version(2)];
    for name in ["task-1.md", "config.json"] {
        let merge = |base, ours, theirs| merge_file(name, &FileVersions { base, ours, theirs });
        let clear = |content: &[u8]| FileMerge { content: content.to_vec(), conflicts: Vec::new() };
        assert_eq!(merge(base, ours, base), clear(ours));
        assert_eq!(merge(base, base, theirs), clear(theirs));
        assert_eq!(merge(base, ours, ours), clear(ours));
        let merged = merge(base, ours, theirs);
        assert_eq!(merge(base, ours, theirs), merged, "the same merge has another result");
        let are_texts = [base, ours, theirs].iter().all(|version| str::from_utf8(version).is_ok());
        assert!(!are_texts || str::from_utf8(&merged.content).is_ok(), "it is no text any more");
    }
    check_tasks([base, ours, theirs]);
}

/// A merged task is one, with a front matter that can be read.
fn check_tasks(versions: [&[u8]; 3]) {
    let [base, ours, theirs] = versions.map(|bytes| TaskDocument::from_bytes(bytes.to_vec()));
    let (Ok(ours), Ok(theirs)) = (ours, theirs) else { return };
    let Some(merged) = merge_task(base.as_ref().ok(), &ours, &theirs) else { return };
    let text = merged.document.text().as_bytes().to_vec();
    assert_eq!(TaskDocument::from_bytes(text).as_ref(), Ok(&merged.document));
    let front = merged.document.front();
    assert!(front.is_ok(), "{front:?}\n{}", merged.document.text());
}
