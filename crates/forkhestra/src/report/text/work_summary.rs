//! Text about the work of agents in a repository.

use forkhestra_core::event::{CommitSummary, WorkSummary};
use forkhestra_core::text;
use typeset::text::visible;

/// Maximum number of uncommitted files listed.
const MAX_NAMED: usize = 3;

/// Commits and changed files: `3 commits; 4 files changed, +120 -8`.
pub(crate) fn work_text(work: &WorkSummary) -> String {
    let commits = match commits(work) {
        0 => "no commit".to_owned(),
        number => text::count(number, "commit"),
    };
    format!("{commits}; {}", changes(work))
}

/// Uncommitted files with the first names; none if everything is committed.
pub(crate) fn uncommitted(work: &WorkSummary) -> Option<String> {
    let paths = &work.uncommitted;
    let files = text::count(paths.count(), "file");
    let first = paths.first_names_text(MAX_NAMED);
    (!paths.is_empty()).then(|| format!("{files} not committed: {}", visible(&first)))
}

/// The work of several steps. Files are left out of the total, because two steps may have changed
/// the same file.
pub(crate) fn total_work<'a>(works: impl Iterator<Item = &'a WorkSummary>) -> Option<String> {
    let all: Vec<&WorkSummary> = works.collect();
    let commits = text::count(all.iter().map(|work| commits(work)).sum::<usize>(), "commit");
    let sum =
        |lines: fn(&WorkSummary) -> u32| -> u64 { all.iter().map(|w| u64::from(lines(w))).sum() };
    let (added, removed) = (sum(|work| work.insertions), sum(|work| work.deletions));
    (!all.is_empty()).then(|| format!("{commits}, +{added} -{removed} lines"))
}

/// The first commits and the number of the others.
pub(crate) fn subjects(work: &WorkSummary, limit: usize) -> (Vec<(String, String)>, usize) {
    let shown = work.commits.iter().take(limit);
    let line = |commit: &CommitSummary| (visible(commit.short_id()), visible(&commit.subject));
    let lines: Vec<(String, String)> = shown.map(line).collect();
    let more = commits(work) - lines.len();
    (lines, more)
}

/// Total number of commits.
fn commits(work: &WorkSummary) -> usize {
    work.commits.len() + usize::try_from(work.more_commits).unwrap_or(usize::MAX)
}

fn changes(work: &WorkSummary) -> String {
    let WorkSummary { files, insertions, deletions, .. } = work;
    match *files {
        0 => "no file changed".to_owned(),
        files => format!("{} changed, +{insertions} -{deletions}", text::count(files, "file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(
        commits: usize,
        more_commits: u32,
        [files, insertions, deletions]: [u32; 3],
    ) -> WorkSummary {
        let commit = |number| CommitSummary {
            id: format!("{number}123456789abcdef"),
            subject: format!("Do {number}"),
        };
        let commits = (0..commits).map(commit).collect();
        WorkSummary {
            commits,
            more_commits,
            files,
            insertions,
            deletions,
            ..WorkSummary::default()
        }
    }

    #[test]
    fn commits_and_changes_are_counted() {
        for (work, expected) in [
            (work(0, 0, [0, 0, 0]), "no commit; no file changed"),
            (work(1, 0, [1, 3, 0]), "1 commit; 1 file changed, +3 -0"),
            (work(50, 2, [4, 120, 8]), "52 commits; 4 files changed, +120 -8"),
        ] {
            assert_eq!(work_text(&work), expected);
        }
        let (one, two) = (work(1, 0, [1, 3, 0]), work(2, 0, [4, 10, 5]));
        assert_eq!(
            total_work([&one, &two].into_iter()).as_deref(),
            Some("3 commits, +13 -5 lines")
        );
        assert_eq!(total_work(std::iter::empty()), None);
    }

    #[test]
    fn the_first_commits_are_named() {
        let (lines, more) = subjects(&work(3, 4, [0, 0, 0]), 2);
        assert_eq!(more, 5);
        let expected = [("0123456", "Do 0"), ("1123456", "Do 1")];
        assert_eq!(lines, expected.map(|(id, subject)| (id.to_owned(), subject.to_owned())));
    }
}
