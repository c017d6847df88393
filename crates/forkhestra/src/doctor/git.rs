//! Git: whether it is installed, works here, and has a committer identity.

use std::path::Path;

use forkhestra_core::plan::{HostEnvironment, ProgramLocation};
use forkhestra_engine::FIRST_COMMIT;

use super::finding::{DoctorFinding, FindingSubject};
use super::version_query::{VersionQuery, VersionReply};
use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;

/// Facts about git.
#[derive(Debug, Clone)]
pub(super) struct GitFacts {
    /// The path of the program; `None` if it is not installed.
    pub(super) program: Option<String>,
    /// The reply to each of the [`questions`].
    pub(super) answers: Vec<VersionReply>,
    /// Whether there is a `.git` around the working directory, or `GIT_DIR` is set.
    pub(super) is_in_repository: bool,
    pub(super) work_tree: String,
}

/// The queries to git, if it is installed: its version, the work tree, and the committer.
pub(super) fn questions(git: &ProgramLocation, directory: &Path) -> Vec<VersionQuery> {
    let ProgramLocation::Found(program) = git else { return Vec::new() };
    let ask = |args| VersionQuery { args, ..VersionQuery::version(program, directory) };
    vec![
        VersionQuery::version(program, directory),
        ask(&["rev-parse", "--show-toplevel"]),
        ask(&["var", "GIT_COMMITTER_IDENT"]),
    ]
}

/// The findings about git.
pub(super) fn findings(git: &GitFacts, shown: &dyn Fn(&str) -> String) -> Vec<DoctorFinding> {
    let subject = FindingSubject::Git;
    let (Some(program), [version, top, identity]) = (&git.program, git.answers.as_slice()) else {
        return vec![
            subject
                .broken("git is not installed (not found on PATH)")
                .remedy("install git with the package manager of your system"),
        ];
    };
    if let Some(trouble) = version.trouble() {
        let what = format!("`{} --version` {trouble}", shown(program));
        return vec![subject.broken(what).remedy("install git again")];
    }
    let number = version.version().map(|number| format!(" {number}")).unwrap_or_default();
    let mut findings = vec![subject.ok(format!("git{number} ({})", shown(program)))];
    findings.push(work_tree(top, git, shown));
    findings.push(committer(identity));
    findings
}

/// The finding about the merging of tasks, if this clone lacks its set-up.
pub(super) fn merge_driver(project: &ProjectLocation) -> Option<DoctorFinding> {
    let database = LocalHost { project }.task_database()?;
    let command = forge_tasks::git::missing_driver(Path::new(&database))?;
    let what = "this clone does not merge tasks field by field, as .gitattributes asks";
    Some(FindingSubject::Git.warning(what).remedy(command))
}

fn work_tree(top: &VersionReply, git: &GitFacts, shown: &dyn Fn(&str) -> String) -> DoctorFinding {
    let subject = FindingSubject::Git;
    match top {
        VersionReply::Version(top) => subject.ok(format!("the work tree is {}", shown(top.trim()))),
        VersionReply::Failed { output, .. } if output.contains("dubious ownership") => {
            let tree = &git.work_tree;
            subject
                .warning(format!(
                    "git refuses to work here: {} belongs to another user",
                    shown(tree)
                ))
                .remedy(format!("git config --global --add safe.directory {tree}"))
        }
        _ if !git.is_in_repository => subject
            .note(
                "not in a git repository: no commits, no snapshots to undo an iteration, no clean \
                 room",
            )
            .remedy(FIRST_COMMIT),
        answer => {
            let trouble = answer.trouble().unwrap_or_default();
            subject.warning(format!("`git rev-parse --show-toplevel` {trouble}"))
        }
    }
}

fn committer(identity: &VersionReply) -> DoctorFinding {
    match identity {
        VersionReply::Version(output) => {
            // The reply consists of name, address, seconds and time zone.
            let name_and_address = output
                .rsplit_once('>')
                .map_or(output.trim(), |(name_and_address, _)| name_and_address.trim());
            let close = if name_and_address.contains('<') { ">" } else { "" };
            FindingSubject::Git.ok(format!("commits are by {name_and_address}{close}"))
        }
        _ => FindingSubject::Git
            .warning("git does not know who you are, so no agent can commit")
            .remedy("git config --global user.name NAME; git config --global user.email ADDRESS"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(output: &str) -> VersionReply {
        VersionReply::Failed { how: "exit status: 128".to_owned(), output: output.to_owned() }
    }

    fn version_reply(text: &str) -> VersionReply {
        VersionReply::Version(text.to_owned())
    }

    fn finding_lines(answers: [VersionReply; 3], is_in_repository: bool) -> Vec<String> {
        let git = GitFacts {
            program: Some("/bin/git".to_owned()),
            answers: answers.into(),
            is_in_repository,
            work_tree: "/work".to_owned(),
        };
        findings(&git, &str::to_owned).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_working_git_is_shown_with_its_work_tree_and_committer() {
        let identity = version_reply("Ada <ada@example.org> 1794733889 +0000\n");
        assert_eq!(
            finding_lines(
                [version_reply("git version 2.39.5"), version_reply("/work\n"), identity],
                true
            ),
            [
                "ok: git 2.39.5 (/bin/git)",
                "ok: the work tree is /work",
                "ok: commits are by Ada <ada@example.org>"
            ]
        );
    }

    #[test]
    fn without_git_something_is_broken() {
        let none = GitFacts {
            program: None,
            answers: Vec::new(),
            is_in_repository: false,
            work_tree: "/work".to_owned(),
        };
        let lines = findings(&none, &str::to_owned);
        assert!(lines[0].to_string().starts_with("broken: git is not installed"), "{lines:?}");
    }

    #[test]
    fn causes_of_an_unusable_git_are_distinguished() {
        let version = version_reply("git version 2.39.5");
        let strange = failed("fatal: detected dubious ownership in repository at '/work'");
        let [_, tree, committer] = &finding_lines([version.clone(), strange, failed("")], true)[..]
        else {
            panic!("three findings");
        };
        assert_eq!(
            tree,
            "warning: git refuses to work here: /work belongs to another user \
             [git config --global --add safe.directory /work]"
        );
        assert!(committer.starts_with("warning: git does not know who you are"), "{committer}");
        let none = failed("fatal: not a git repository");
        let without_repository = finding_lines([version.clone(), none.clone(), failed("")], false);
        // A run prints the same warning.
        let lost = "no commits, no snapshots to undo an iteration, no clean room";
        let note = format!("note: not in a git repository: {lost}");
        assert!(without_repository[1].starts_with(&note), "{without_repository:?}");
        assert!(!without_repository[1].contains("stagnation"), "{without_repository:?}");
        let broken_repository = finding_lines([version, none, failed("")], true);
        assert!(
            broken_repository[1].starts_with("warning: `git rev-parse"),
            "{broken_repository:?}"
        );
    }
}
