//! Which of two tasks with the same id somebody meant.
//!
//! After a merge, a reference to an id that both sides gave to a task of their own means the task of
//! its own side. Git knows the sides: whoever wrote the reference had the commit that added the task.
//! Where git cannot tell, the times can: nobody refers to what is not there yet.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::database::Stored;
use crate::document::Front;

/// How it was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Because {
    /// The commit of the reference comes after that of the task, and after no other's.
    History,
    /// It was the last one created before the task that refers to it.
    Time,
}

/// Finds out which task is meant by another.
pub(super) fn meant<'a>(
    directory: &Path,
    referrer: &Stored<Front>,
    candidates: &'a [Stored<Front>],
) -> Option<(&'a Stored<Front>, Because)> {
    let history = by_history(directory, referrer, candidates);
    history
        .map(|task| (task, Because::History))
        .or_else(|| Some((by_time(referrer, candidates)?, Because::Time)))
}

/// The last one that was created before the task that refers to it.
fn by_time<'a>(
    referrer: &Stored<Front>,
    candidates: &'a [Stored<Front>],
) -> Option<&'a Stored<Front>> {
    // Times are written the same way everywhere, so they sort as texts.
    let then = referrer.content.created_at.as_ref()?;
    let before = candidates
        .iter()
        .filter(|task| task.content.created_at.as_ref().is_some_and(|created| created <= then));
    before.max_by_key(|task| task.content.created_at.clone())
}

/// The only one that whoever wrote the reference had.
fn by_history<'a>(
    directory: &Path,
    referrer: &Stored<Front>,
    candidates: &'a [Stored<Front>],
) -> Option<&'a Stored<Front>> {
    let path = |task: &Stored<Front>| task.shelf.path_of(&task.file);
    let own = path(referrer);
    // When it was created first: later changes may have seen both sides.
    for referring in [added(directory, &own), changed(directory, &own)] {
        let Some(referring) = referring else { continue };
        let mut known = candidates.iter().filter(|task| {
            added(directory, &path(task)).is_some_and(|added| is_in(directory, &added, &referring))
        });
        if let (Some(only), None) = (known.next(), known.next()) {
            return Some(only);
        }
    }
    None
}

/// The commit that added a file.
fn added(directory: &Path, file: &str) -> Option<String> {
    let log = ["log", "--no-merges", "--diff-filter=A", "--format=%H", "--", file];
    answer(directory, &log)?.lines().last().map(str::to_owned)
}

/// The last commit that changed a file.
fn changed(directory: &Path, file: &str) -> Option<String> {
    let log = ["log", "-1", "--no-merges", "--format=%H", "--", file];
    answer(directory, &log)?.lines().next().map(str::to_owned)
}

/// Whether a commit is another one or before it.
fn is_in(directory: &Path, commit: &str, later: &str) -> bool {
    answer(directory, &["merge-base", "--is-ancestor", commit, later]).is_some()
}

/// What git says; nothing if it fails, or if there is no git.
fn answer(directory: &Path, arguments: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(directory).args(["--no-pager", "--literal-pathspecs"]).args(arguments);
    // Whoever started us may be a hook of git itself.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        git.env_remove(name);
    }
    let output = git.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::testing::{With, task};

    #[test]
    fn without_history_the_last_one_before_it_is_meant() {
        let candidates = [
            task("TASK-5").created("2026-11-15T10:00:00.000Z"),
            task("TASK-5").created("2026-11-15T11:00:00.000Z"),
            task("TASK-5"),
        ];
        for (created, expected) in [
            ("2026-11-15T09:59:59.999Z", None),
            ("2026-11-15T10:00:00.000Z", Some(0)),
            ("2026-11-15T10:59:59.999Z", Some(0)),
            ("2026-11-15T11:00:00.001Z", Some(1)),
        ] {
            let referrer = task("TASK-6 TASK-5").created(created);
            let found = by_time(&referrer, &candidates);
            let place = found.and_then(|found| candidates.iter().position(|one| one == found));
            assert_eq!(place, expected, "{created}");
        }
        assert_eq!(by_time(&task("TASK-6 TASK-5"), &candidates), None);
    }
}
