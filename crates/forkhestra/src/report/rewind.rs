//! Texts of `rewind`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::CommitSummary;
use forkhestra_core::history::SnapshotAddress;
use forkhestra_core::id::RunId;
use forkhestra_core::text;
use forkhestra_engine::{
    FileEffect, HeadRelation, HeadState, RewindRecord, RewindSurvey, RewindTarget, UndoSurvey,
};
use typeset::text::visible;

/// Most files or commits that a message names.
const MAX_NAMED: usize = 5;

/// Digits of a commit's id.
const SHORT_ID: usize = 7;

/// A rewind that is done.
pub(crate) fn done(run: &RunId, survey: &RewindSurvey, record: &RewindRecord) -> String {
    let number = record.number;
    let address = &record.target.address;
    let branch = branch_move(survey, record.target.head.as_deref());
    let files = text::count(survey.file_count(), "file");
    format!(
        "Rewound to {} of run {run}: {files} changed{branch}\n\
         The state before is kept as refs/forkhestra/{run}/before-rewind/{number}; to restore it: \
         forkhestra rewind {run} --undo\n",
        moment(address)
    )
}

/// What a rewind would change.
pub(crate) fn dry_run(
    run: &RunId,
    address: SnapshotAddress,
    survey: &RewindSurvey,
    target: &RewindTarget,
) -> String {
    if survey.is_nothing() {
        return nothing_to_do(run, address);
    }
    let branch = branch_move(survey, target.head.as_deref());
    let files = text::count(survey.file_count(), "file");
    let heading = format!(
        "A rewind to {} of run {run} would change {files}{branch}:\n",
        moment(&address.to_string())
    );
    heading + &survey.files().map(file_line).collect::<String>()
}

/// The message for a work tree that is as requested already.
pub(crate) fn nothing_to_do(run: &RunId, address: SnapshotAddress) -> String {
    let moment = moment(&address.to_string());
    format!("The work tree is as it was at {moment} of run {run}; nothing is changed\n")
}

/// An undo that is done.
pub(crate) fn undone(
    run: &RunId,
    record: &RewindRecord,
    files: usize,
    saved: Option<&str>,
) -> String {
    let files = text::count(files, "file");
    let moment = moment(&record.target.address);
    let done = format!("Undid the rewind to {moment} of run {run}: {files} restored\n");
    match saved {
        Some(saved) => format!("{done}What was changed since is kept as {saved}\n"),
        None => done,
    }
}

/// What an undo would change.
pub(crate) fn undo_dry_run(run: &RunId, survey: &UndoSurvey) -> String {
    let files = text::count(survey.file_count(), "file");
    let moment = moment(&survey.record().target.address);
    let heading =
        format!("The undo of the rewind to {moment} of run {run} would restore {files}:\n");
    heading + &survey.files().map(file_line).collect::<String>()
}

fn file_line((path, effect): (&Path, FileEffect)) -> String {
    let sign = match effect {
        FileEffect::Created => '+',
        FileEffect::Changed => '~',
        FileEffect::Removed => '-',
    };
    format!("  {sign} {}\n", shown(path))
}

/// The warning about paths that the rewind does not change.
pub(crate) fn unchanged_paths(unchanged: &[PathBuf]) -> Vec<Diagnostic> {
    if unchanged.is_empty() {
        return Vec::new();
    }
    let message = format!("these stay as they are: {}", named(unchanged.iter()));
    let hint = "a rewind changes no submodules, no files over 50 MiB, no files with secrets or a filter such as Git LFS, \
                and removes no files that git ignored then";
    vec![Diagnostic::warning(message).hint(hint)]
}

/// The refusal while git is busy.
pub(crate) fn busy_repository(operation: &str) -> Diagnostic {
    Diagnostic::error(format!("the repository cannot be rewound: {operation}"))
        .hint("finish or abort it first")
}

/// Commits that a rewind would take off the branch.
pub(crate) struct LaterCommits<'a> {
    pub(crate) commits: &'a [CommitSummary],
    pub(crate) more: u32,
    /// Whether they may be of an iteration that was cut off.
    pub(crate) can_force: bool,
}

/// The refusal because of commits that are not of the run.
pub(crate) fn later_commits(
    run: &RunId,
    address: SnapshotAddress,
    head: &HeadState,
    later: &LaterCommits<'_>,
) -> Diagnostic {
    let listed: Vec<String> = later
        .commits
        .iter()
        .take(MAX_NAMED)
        .map(|commit| format!("{} {}", commit.short_id(), visible(&commit.subject)))
        .collect();
    let count = later.commits.len() + usize::try_from(later.more).unwrap_or(usize::MAX);
    let commits = text::count(count, "commit");
    let names = text::join_with_more(&listed, count - listed.len());
    let message =
        format!("`{}` has {commits} since the last snapshot of the run: {names}", head.name());
    let diagnostic = Diagnostic::error(message);
    let diagnostic = match later.can_force {
        true => diagnostic.hint(
            "they may be of the iteration that was cut off; `--force` takes them off the branch, and keeps them \
             with the saved state",
        ),
        false => diagnostic,
    };
    diagnostic.hint("`--files-only` changes the files and leaves the branch alone").hint(format!(
        "`forkhestra fork {run} --at {address}` continues from there on another branch"
    ))
}

/// The refusal because the branch cannot be moved.
pub(crate) fn other_head(
    run: &RunId,
    address: SnapshotAddress,
    head: &HeadState,
    relation: &HeadRelation,
) -> Diagnostic {
    let name = head.name();
    let message = match relation {
        HeadRelation::OtherBranch(branch) => {
            format!("`{name}` is checked out, and the state is of branch `{branch}`")
        }
        HeadRelation::DetachedHead => {
            "there was no commit yet, and without a branch there has to be one".to_owned()
        }
        HeadRelation::CommitGone(commit) => {
            format!("commit {} of that state does not exist any more", short(commit))
        }
        _ => format!("`{name}` is checked out, which does not follow the last snapshot of the run"),
    };
    Diagnostic::error(message)
        .hint("check out the branch of the run; or `--files-only` changes the files here")
        .hint(format!(
            "`forkhestra fork {run} --at {address}` continues from there on another branch"
        ))
}

/// The refusal because of changed files.
pub(crate) fn changed_files(changed: &[PathBuf]) -> Diagnostic {
    let (files, were) = counted(changed.len());
    let message = format!(
        "{files} {were} changed since the last snapshot of the run: {}",
        named(changed.iter())
    );
    Diagnostic::error(message)
        .hint("`--force` rewinds anyway: the current state is saved, and `--undo` restores it")
}

/// The refusal because of ignored files.
pub(crate) fn obstacles(obstacles: &BTreeSet<PathBuf>) -> Diagnostic {
    let message =
        format!("files that git does not track are in the way: {}", named(obstacles.iter()));
    Diagnostic::error(message)
        .hint("move them away: a rewind overwrites nothing that is not in the saved state")
}

/// The refusal of an undo because the branch was moved.
pub(crate) fn moved_since_rewind(survey: &UndoSurvey) -> Diagnostic {
    let record = survey.record();
    let name = survey.head.name();
    let message = match &survey.head_relation {
        HeadRelation::OtherBranch(branch) => {
            format!("`{name}` is checked out, and the rewind was made on branch `{branch}`")
        }
        _ => {
            let commit = record.target.head.as_deref().map_or("no commit", short);
            format!("`{name}` is not at {commit} any more, where the rewind left it")
        }
    };
    let saved = short(&record.saved);
    Diagnostic::error(message).hint(format!(
        "go back there first; or restore files by name: git restore --source={saved} -- PATH"
    ))
}

/// The refusal of an undo because of changed files.
pub(crate) fn changed_since_rewind(changed: &[PathBuf]) -> Diagnostic {
    let (files, were) = counted(changed.len());
    let message = format!("{files} {were} changed since the rewind: {}", named(changed.iter()));
    Diagnostic::error(message)
        .hint("`--force` undoes it anyway; the current state is kept under a ref")
}

/// The refusal of an undo because something was staged.
pub(crate) fn staged_since_rewind() -> Diagnostic {
    Diagnostic::error("changes were staged since the rewind")
        .hint("`--force` undoes it anyway; what is staged is kept under a ref")
}

/// The move of the branch, behind the number of files.
fn branch_move(survey: &RewindSurvey, to: Option<&str>) -> String {
    if !survey.moves_branch() {
        return String::new();
    }
    let commit = |commit: Option<&str>| commit.map_or("no commit", short).to_owned();
    let (from, to) = (commit(survey.head.commit.as_deref()), commit(to));
    match survey.head.branch {
        Some(_) => format!(", `{}` moved from {from} to {to}", survey.head.name()),
        None => format!(", HEAD moved from {from} to {to}"),
    }
}

/// An address in a sentence.
fn moment(address: &str) -> String {
    match address {
        "0" => "the start".to_owned(),
        address => match address.strip_suffix(".0") {
            Some(step) => format!("the start of step {step}"),
            None => format!("iteration {address}"),
        },
    }
}

fn counted(number: usize) -> (String, &'static str) {
    (text::count(number, "file"), if number == 1 { "was" } else { "were" })
}

fn named<'a>(paths: impl ExactSizeIterator<Item = &'a PathBuf>) -> String {
    let count = paths.len();
    let listed: Vec<String> = paths.take(MAX_NAMED).map(|path| shown(path)).collect();
    text::join_with_more(&listed, count - listed.len())
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

fn short(commit: &str) -> &str {
    commit.get(..SHORT_ID).unwrap_or(commit)
}
