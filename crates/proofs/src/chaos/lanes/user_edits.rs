//! A user who works in the project while agents work in lanes.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::chaos::script::random::Random;
use crate::survival::world::ProofWorld;

/// One thing that a user does.
#[derive(Debug, Clone)]
pub(super) enum UserEdit {
    /// Writes a file and does not commit it.
    Untracked,
    /// Changes a committed file that no agent touches.
    Changed,
    /// Changes the file that agents change as well.
    InTheWay,
    /// Commits one file.
    Commit,
}

/// What a user does, each after a time.
#[derive(Debug, Clone)]
pub(super) struct UserEdits(pub(super) Vec<(Duration, UserEdit)>);

/// What a user has made, which must stay.
#[derive(Debug, Default)]
pub(super) struct UserWork {
    /// Files that are not committed, with their content.
    files: Vec<(PathBuf, String)>,
    pub(super) commits: Vec<String>,
    edits: usize,
}

impl UserEdits {
    pub(super) fn random(random: &mut Random) -> Self {
        let count = random.between(0, 3);
        let kinds = [
            (4, UserEdit::Untracked),
            (3, UserEdit::Changed),
            (1, UserEdit::InTheWay),
            (4, UserEdit::Commit),
        ];
        let edit = |random: &mut Random| {
            (Duration::from_millis(random.between(0, 2500)), random.weighted(&kinds))
        };
        Self((0..count).map(|_| edit(random)).collect())
    }
}

impl UserWork {
    /// Does one thing. A commit may fail while git is in use, as it would for a user.
    pub(super) fn perform(&mut self, world: &ProofWorld, edit: &UserEdit) {
        self.edits += 1;
        let number = self.edits;
        let (name, text) = match edit {
            UserEdit::Untracked => (format!("draft-{number}"), format!("draft {number}\n")),
            UserEdit::Changed => ("README".to_owned(), format!("A project, edit {number}.\n")),
            UserEdit::InTheWay => ("shared".to_owned(), format!("begin\nuser {number}\n")),
            UserEdit::Commit => (format!("user-{number}"), format!("user {number}\n")),
        };
        let path = world.project().join(&name);
        if fs::write(&path, &text).is_err() {
            return;
        }
        if !matches!(edit, UserEdit::Commit) {
            self.files.retain(|(other, _)| *other != path);
            self.files.push((path, text));
            return;
        }
        let subject = format!("User {number}");
        let git = |arguments: &[&str]| {
            let output = world.surrounded("git").args(arguments).output();
            output.is_ok_and(|output| output.status.success())
        };
        let is_committed =
            git(&["add", &name]) && git(&["commit", "--quiet", "--message", &subject, "--", &name]);
        if is_committed {
            self.commits.push(subject);
        } else {
            self.files.push((path, text));
        }
    }

    /// Commits everything that is not committed, so that nothing is in the way.
    pub(super) fn tidy_up(&mut self, world: &ProofWorld) -> Result<(), String> {
        // A killed process may have left it.
        let _ = fs::remove_file(world.project().join(".git/index.lock"));
        if self.files.is_empty() {
            return Ok(());
        }
        self.edits += 1;
        let subject = format!("User {}", self.edits);
        world.commit_all(&subject).map_err(|error| error.to_string())?;
        self.files.clear();
        self.commits.push(subject);
        Ok(())
    }

    /// Files of the user that have another content, and commits that are not in the history.
    pub(super) fn problems(&self, history: &str) -> Vec<String> {
        let files = self
            .files
            .iter()
            .filter(|(path, text)| fs::read_to_string(path).ok().as_ref() != Some(text));
        let files = files
            .map(|(path, text)| format!("{} is not what the user wrote: {text:?}", path.display()));
        let is_there = |subject: &String| history.lines().any(|line| line == subject);
        let lost = self.commits.iter().filter(|subject| !is_there(subject));
        files.chain(lost.map(|subject| format!("the commit {subject:?} is lost"))).collect()
    }
}
