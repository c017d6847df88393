//! Merging any file of a database.

use crate::database::{CONFIG, merge_config};
use crate::document::TaskDocument;
use crate::merge::merge_task;
use crate::merge::text::{TextMerge, merge_text};

/// Three versions of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileVersions<'a> {
    /// Where both sides began; empty if both added the file.
    pub base: &'a [u8],
    pub ours: &'a [u8],
    pub theirs: &'a [u8],
}

/// A merged file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMerge {
    pub content: Vec<u8>,
    /// What a person has to decide about, such as `status`; empty if everything is merged.
    pub conflicts: Vec<String>,
}

/// Merges a file by what it is: a task, the settings, any text, or something else.
///
/// A text that is no task is merged line by line, as git does it. Of a file that is no text, ours
/// stays.
pub fn merge_file(name: &str, versions: &FileVersions<'_>) -> FileMerge {
    let FileVersions { base, ours, theirs } = versions;
    let clear = |content: &[u8]| FileMerge { content: content.to_vec(), conflicts: Vec::new() };
    if ours == theirs || theirs == base {
        return clear(ours);
    }
    if ours == base {
        return clear(theirs);
    }
    let by_meaning =
        if name == CONFIG { merge_settings(versions) } else { merge_documents(versions) };
    by_meaning.unwrap_or_else(|| merge_any(versions))
}

fn merge_settings(versions: &FileVersions<'_>) -> Option<FileMerge> {
    let text = |bytes| str::from_utf8(bytes).ok();
    let FileVersions { base, ours, theirs } = versions;
    let base = if base.is_empty() { "{}" } else { text(base)? };
    let merged = merge_config(base, text(ours)?, text(theirs)?)?;
    Some(FileMerge { content: merged.text.into_bytes(), conflicts: merged.conflicts })
}

fn merge_documents(versions: &FileVersions<'_>) -> Option<FileMerge> {
    let document = |bytes: &[u8]| TaskDocument::from_bytes(bytes.to_vec()).ok();
    let FileVersions { base, ours, theirs } = versions;
    let base = if base.is_empty() { None } else { Some(document(base)?) };
    let merged = merge_task(base.as_ref(), &document(ours)?, &document(theirs)?)?;
    let content = merged.document.text().as_bytes().to_vec();
    Some(FileMerge { content, conflicts: merged.conflicts })
}

fn merge_any(versions: &FileVersions<'_>) -> FileMerge {
    let is_text = |bytes: &[u8]| !bytes.contains(&0) && str::from_utf8(bytes).is_ok();
    let FileVersions { base, ours, theirs } = versions;
    if ![base, ours, theirs].into_iter().all(|bytes| is_text(bytes)) {
        let conflicts = vec!["content, which is not text".to_owned()];
        return FileMerge { content: ours.to_vec(), conflicts };
    }
    let [base, ours, theirs] = [base, ours, theirs].map(|bytes| String::from_utf8_lossy(bytes));
    let TextMerge { text, has_conflict } = merge_text(&base, &ours, &theirs);
    let conflicts = if has_conflict { vec!["text".to_owned()] } else { Vec::new() };
    FileMerge { content: text.into_bytes(), conflicts }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(name: &str, [base, ours, theirs]: [&str; 3]) -> (String, Vec<String>) {
        let [base, ours, theirs] = [base, ours, theirs].map(str::as_bytes);
        let merged = merge_file(name, &FileVersions { base, ours, theirs });
        (String::from_utf8(merged.content).expect("it is text"), merged.conflicts)
    }

    #[test]
    fn a_file_that_is_no_task_is_merged_by_lines() {
        let texts = ["a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"];
        assert_eq!(merged("README.md", texts), ("A\nb\nC\n".to_owned(), Vec::new()));
        let broken = ["---\nid: 1\n", "---\nid: 2\n", "---\nid: 1\nx\n"];
        assert_eq!(merged("a.md", broken).1, ["text"]);
    }

    #[test]
    fn of_a_file_that_is_no_text_ours_stays() {
        for theirs in [&b"c\0"[..], b"\xff"] {
            let merge = merge_file("a.png", &FileVersions { base: b"a", ours: b"b", theirs });
            assert_eq!(merge.content, b"b");
            assert_eq!(merge.conflicts, ["content, which is not text"]);
        }
    }

    #[test]
    fn a_file_that_one_side_changed_is_taken_as_it_is() {
        assert_eq!(merged("a.md", ["a", "a", "\0"]), ("\0".to_owned(), Vec::new()));
        assert_eq!(merged("a.md", ["a", "\0", "a"]), ("\0".to_owned(), Vec::new()));
    }

    #[test]
    fn a_task_that_both_sides_added_is_merged_without_a_base() {
        let task = |labels: &str| format!("---\nid: TASK-1\ntitle: T\nlabels: [{labels}]\n---\n");
        let both = merged("a.md", ["", &task("a"), &task("b")]);
        assert_eq!(both, (task("a, b"), Vec::new()));
    }

    #[test]
    fn settings_are_merged_by_key() {
        let config = |prefix: &str, last: u64| {
            format!("{{\n  \"prefix\": \"{prefix}\",\n  \"lastIdNumber\": {last}\n}}\n")
        };
        let all = [config("TASK", 1), config("TASK", 7), config("BUG", 5)];
        let both = merged("config.json", [&all[0], &all[1], &all[2]]);
        assert_eq!(both, (config("BUG", 7), Vec::new()));
        assert_eq!(merged("config.json", ["{", "{ ", "{\n"]).1, ["text"]);
    }
}
