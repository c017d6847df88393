//! Checks that the work of lanes has landed: all of it, and once.

use std::path::Path;
use std::process::Command;

use devkit::command;

use super::journal::ProofJournal;

/// Compares the history and the files of a project with what agents committed, given by the subjects
/// of its commits, and with what the journal has as landed.
pub(crate) fn problems(project: &Path, journal: &ProofJournal, subjects: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    match git(project, &["log", "--format=%H %s"]) {
        Ok(history) => {
            for subject in subjects {
                let count = history.lines().filter(|line| subject_of(line) == *subject).count();
                if count != 1 {
                    found.push(format!("{count} commits {subject:?} are in the history"));
                }
            }
            found.extend(missing_landings(journal, &history));
        }
        Err(why) => found.push(why),
    }
    match git(project, &["status", "--porcelain"]) {
        Ok(status) if status.is_empty() => {}
        Ok(status) => found.push(format!("the work tree is not as committed:\n{status}")),
        Err(why) => found.push(why),
    }
    found.extend(git(project, &["fsck", "--connectivity-only", "--no-dangling"]).err());
    found
}

/// Commits that the journal has as landed, and that are not in the history.
pub(crate) fn missing_landings(journal: &ProofJournal, history: &str) -> Vec<String> {
    let landed = journal.all("landed").flat_map(|event| {
        let of_lanes = event["landed"].as_array().into_iter().flatten();
        of_lanes.map(|landed| &landed["commit"]).chain([&event["to"]])
    });
    let commits = landed.filter_map(|commit| commit.as_str());
    let missing = commits.filter(|commit| !history.lines().any(|line| line.starts_with(commit)));
    missing.map(|commit| format!("{commit} has landed and is not in the history")).collect()
}

fn subject_of(line: &str) -> &str {
    line.split_once(' ').map_or("", |(_, subject)| subject)
}

/// The output of git, or why it failed.
pub(crate) fn git(project: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut git = Command::new("git");
    command::stdout_of(git.arg("-C").arg(project).args(arguments))
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn landed_commits_that_are_not_in_the_history_are_found() {
        let text =
            r#"{"seq":0,"event":"landed","to":"cc","landed":[{"commit":"aa"},{"commit":"bb"}]}"#;
        let journal = ProofJournal::parse(format!("{text}\n").as_bytes()).expect("it is one");
        assert_eq!(missing_landings(&journal, "cc Merge\nbb B\naa A\n"), [""; 0]);
        assert_eq!(missing_landings(&journal, "cc Merge\naa A\n").len(), 1);
        assert_eq!(missing_landings(&journal, "").len(), 3);
    }
}
