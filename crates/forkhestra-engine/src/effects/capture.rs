//! Captures the changes between two states of a repository.

use std::time::Instant;

use forkhestra_core::recording::{RecordedCommit, RecordedEffects, RecordedState};

use super::EffectsError;
use super::commit_object::CommitObject;
use super::patch::{diff, tree_of};
use super::state::{GitVariables, TIMEOUT};
use crate::repository::{GitSession, text};
use crate::work_tree::WorkTree;

/// An agent that has more new commits in one iteration did not make them but fetched them.
const MAX_COMMITS: usize = 500;

/// The patches and commit objects that [`RecordedEffects`] names, each with its content.
pub type EffectsFiles = Vec<(String, Vec<u8>)>;

/// The changes of a work tree between two states, the second of which is the current one.
pub(crate) fn capture(
    tree: &mut WorkTree,
    start: RecordedState,
    end: RecordedState,
) -> Result<(RecordedEffects, EffectsFiles), EffectsError> {
    let deadline = Instant::now() + TIMEOUT;
    let Some(repository) = tree.repository(deadline)? else {
        return Err(EffectsError::NoRepository(tree.places().directory.clone()));
    };
    let variables = tree.variables(&repository, deadline);
    let session = GitSession { git: tree.git(), repository: &repository, deadline };
    let mut capture = EffectCapture { session, variables, files: EffectsFiles::new() };
    Ok((capture.between(start, end)?, capture.files))
}

struct EffectCapture<'a> {
    session: GitSession<'a>,
    variables: GitVariables,
    files: EffectsFiles,
}

impl EffectCapture<'_> {
    fn between(
        &mut self,
        start: RecordedState,
        end: RecordedState,
    ) -> Result<RecordedEffects, EffectsError> {
        let mut reasons = Vec::new();
        let commits = match branch_change(&start, &end) {
            Some(reason) => Err(reason),
            None => self.commits(&start, &end)?,
        };
        let moves_head = commits.is_ok();
        let commits = commits.unwrap_or_else(|reason| {
            reasons.push(format!("{reason}, so that only what became of the files is recorded"));
            Vec::new()
        });
        if end.index.is_none() {
            reasons.push("the index has conflicts, which are not recorded".to_owned());
        }
        if !end.left_out.is_empty() {
            reasons.push(format!(
                "what is too large, cannot be read or is another repository is not recorded: {}",
                end.left_out.join(", ")
            ));
        }
        let (mut staged, mut base) = (None, start.tree.clone());
        if moves_head {
            base = tree_of(&self.session, end.head.as_deref())?;
            let index = end.index.as_ref().unwrap_or(&base);
            staged = self.patch("staged.patch", &base, index)?;
        }
        let rest = self.patch("rest.patch", &base, &end.tree)?;
        let inexact_because = (!reasons.is_empty()).then(|| reasons.join("; "));
        Ok(RecordedEffects { start, end, commits, moves_head, staged, rest, inexact_because })
    }

    /// The new commits, or why they are not recorded.
    fn commits(
        &mut self,
        start: &RecordedState,
        end: &RecordedState,
    ) -> Result<Result<Vec<RecordedCommit>, String>, EffectsError> {
        let Some(head) = &end.head else { return Ok(Ok(Vec::new())) };
        let before = start.head.as_ref().map(|before| format!("^{before}"));
        let list = ["rev-list", "--topo-order", "--reverse", head.as_str()];
        let list: Vec<&str> = list.into_iter().chain(before.as_deref()).chain(["--"]).collect();
        let listed = text(&self.session.require(&list)?);
        let count = listed.lines().count();
        if count > MAX_COMMITS {
            return Ok(Err(format!("{count} commits are more than an agent makes")));
        }
        let commits = listed.lines().zip(1..).map(|(id, number)| self.commit(id, number));
        commits.collect::<Result<_, _>>().map(Ok)
    }

    fn commit(&mut self, id: &str, number: usize) -> Result<RecordedCommit, EffectsError> {
        let object = self.session.require(&["cat-file", "commit", id])?;
        let unknown = || EffectsError::Git(format!("commit {id} cannot be parsed"));
        let commit = CommitObject::parse(&object).ok_or_else(unknown)?;
        let (subject, tree, parents) = (commit.subject(), commit.tree, commit.parents);
        let base = tree_of(&self.session, parents.first().map(String::as_str))?;
        let file = format!("commit-{number}.txt");
        self.files.push((file.clone(), object));
        let patch = self.patch(&format!("commit-{number}.patch"), &base, &tree)?;
        Ok(RecordedCommit { id: id.to_owned(), parents, tree, subject, object: file, patch })
    }

    /// Stores the patch from one tree to another, and returns its file name, or `None` if they are
    /// equal.
    fn patch(&mut self, file: &str, from: &str, to: &str) -> Result<Option<String>, EffectsError> {
        let patch = diff(&self.session, &self.variables, from, to)?;
        let file = patch.is_some().then(|| file.to_owned());
        self.files.extend(file.clone().zip(patch));
        Ok(file)
    }
}

/// Why the commits of a branch cannot be recorded: another branch is checked out, or it is gone.
fn branch_change(start: &RecordedState, end: &RecordedState) -> Option<String> {
    let name = |state: &RecordedState| {
        let branch = state.branch.as_deref().unwrap_or("a commit without a branch");
        branch.strip_prefix("refs/heads/").unwrap_or(branch).to_owned()
    };
    if start.branch != end.branch {
        return Some(format!("the branch was changed from {} to {}", name(start), name(end)));
    }
    let is_removed = start.head.is_some() && end.head.is_none();
    is_removed.then(|| format!("branch {} was removed", name(start)))
}
