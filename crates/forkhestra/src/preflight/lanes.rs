//! Checks that lanes are possible: they are clones of a git repository that has a commit.

use std::path::Path;

use forkhestra_core::diagnostic::{Diagnostic, Severity};
use forkhestra_core::plan::{BestPick, Flow, LanedStage, Plan, PlanStep};
use forkhestra_core::text;
use typeset::text::visible;

use crate::project::lane_repository::LaneRepository;
use crate::project::project_location::ProjectLocation;
use crate::project::repository_state::RepositoryState;

/// The first version of git with `git merge-tree --write-tree`.
const GIT_VERSION: (u32, u32) = (2, 38);

/// The most paths that a message names.
const MAX_NAMED: usize = 5;

const WITHOUT_LANES: &str = "or leave the lanes and parallel stages out";

/// What lanes begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LaneBase {
    /// The last commit, which must have all changes of tracked files.
    CompleteHead,
    /// The last commit, whatever is not in it.
    Head,
}

/// All problems with the lanes of a plan. A dry run reports files that are not committed as a
/// warning.
pub(crate) fn check_lanes(
    plan: &Plan,
    project: &ProjectLocation,
    base: LaneBase,
    is_dry_run: bool,
) -> Vec<Diagnostic> {
    if !plan.has_lanes() {
        let flag = (base == LaneBase::Head).then(|| {
            Diagnostic::warning("`--from-head` has no effect: the chain has no lanes")
                .hint("only lanes begin with the last commit")
        });
        return flag.into_iter().collect();
    }
    let repository = LaneRepository::of(project);
    if let Some(problem) = repository_problem(&repository, project) {
        return vec![problem];
    }
    let mut problems = Vec::new();
    if base == LaneBase::CompleteHead {
        let problem = uncommitted_files(plan, &repository);
        problems.extend(problem.map(|problem| match is_dry_run {
            true => Diagnostic { severity: Severity::Warning, ..problem },
            false => problem,
        }));
    }
    if !is_dry_run && problems.is_empty() {
        problems.extend(not_supported_yet(plan));
    }
    problems
}

/// The error for lanes that cannot be executed yet.
fn not_supported_yet(plan: &Plan) -> Option<Diagnostic> {
    let stages = plan.laned_stages();
    let what = stages.iter().find_map(|stage| match stage {
        LanedStage::Step(step) => match step.best.as_ref().map(|best| &best.pick) {
            Some(BestPick::Script(_)) => Some("a script that picks the best of N is"),
            _ => None,
        },
        LanedStage::Group(_) => Some("lanes of a group are"),
        LanedStage::Parallel(_) => {
            let mut steps = stage.steps().into_iter().filter_map(|step| plan.step(step));
            let groups = plan.flow.iter().flat_map(Flow::groups);
            let mut groups = groups.filter(|group| {
                group.lanes.is_some() && stage.steps().iter().any(|step| group.contains(*step))
            });
            let has_lanes = steps.any(PlanStep::has_lanes) || groups.next().is_some();
            has_lanes.then_some("lanes inside of a parallel stage are")
        }
    })?;
    Some(
        Diagnostic::error(format!("{what} not supported yet"))
            .hint("`--dry-run` shows the chain; leave them out to run it"),
    )
}

fn repository_problem(
    repository: &LaneRepository,
    project: &ProjectLocation,
) -> Option<Diagnostic> {
    let Some(version) = repository.git_version() else {
        let error =
            Diagnostic::error("lanes need git, and it is not installed (not found on PATH)");
        return Some(error.hint(format!("install git, {WITHOUT_LANES}")));
    };
    if is_older(&version) {
        let (major, minor) = GIT_VERSION;
        let message = format!("lanes need git {major}.{minor}, and this is {}", visible(&version));
        let hint = format!("install a newer git, {WITHOUT_LANES}");
        return Some(Diagnostic::error(message).hint(hint));
    }
    if repository.is_bare() {
        let message = "lanes need a work tree, and this git repository is bare";
        return Some(Diagnostic::error(message).hint("run forkhestra in a clone of it"));
    }
    let place = project.working_directory.display();
    let state = RepositoryState::of(project);
    let message = match state {
        RepositoryState::Absent => {
            format!("lanes need a git repository, and `{place}` is not in one")
        }
        RepositoryState::Unborn => {
            "lanes begin with a commit, and this git repository has none".to_owned()
        }
        RepositoryState::Committed => return None,
    };
    let remedy = state.first_commit().unwrap_or_default();
    Some(Diagnostic::error(message).hint(format!("to make one: {remedy}; {WITHOUT_LANES}")))
}

/// Whether a version is known to be too old.
fn is_older(version: &str) -> bool {
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().ok());
    let (Some(Some(major)), Some(Some(minor))) = (numbers.next(), numbers.next()) else {
        return false;
    };
    (major, minor) < GIT_VERSION
}

/// The tracked files that lanes would not have. Lanes use the one task database of the work tree.
fn uncommitted_files(plan: &Plan, repository: &LaneRepository) -> Option<Diagnostic> {
    let Some(mut paths) = repository.uncommitted() else {
        let error = Diagnostic::error("git cannot tell which files are not committed");
        return Some(error.hint("`git status` shows why; `--from-head` does not ask"));
    };
    let working_directory = Path::new(&plan.working_directory);
    let tasks = plan.task_database.as_ref();
    let tasks = tasks.and_then(|tasks| repository.below_top(&working_directory.join(tasks)));
    paths.retain(|path| !tasks.as_ref().is_some_and(|tasks| Path::new(path).starts_with(tasks)));
    if paths.is_empty() {
        return None;
    }
    let are = if paths.len() == 1 { "is" } else { "are" };
    let mut named: Vec<String> = paths.iter().take(MAX_NAMED).map(|path| visible(path)).collect();
    if paths.len() > MAX_NAMED {
        named.push("…".to_owned());
    }
    let files = text::count(paths.len(), "file");
    let message =
        format!("lanes begin with what is committed, and {files} {are} not: {}", named.join(", "));
    Some(
        Diagnostic::error(message)
            .hint("commit them, so that lanes have them")
            .hint("`--from-head` begins without them; they stay as they are"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        let table = [
            ("2.34.1", true),
            ("2.37.7", true),
            ("1.99.0", true),
            ("2.38.0", false),
            ("2.47.1", false),
            ("2.100.0", false),
            ("3.0", false),
            ("unknown", false),
        ];
        for (version, expected) in table {
            assert_eq!(is_older(version), expected, "{version}");
        }
    }
}
