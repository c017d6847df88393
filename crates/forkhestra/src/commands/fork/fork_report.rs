//! What is printed about a fork before it runs.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::ForkPoint;
use forkhestra_core::plan::Plan;
use forkhestra_core::text;
use forkhestra_engine::{MissingFiles, SnapshotClone};
use typeset::text::visible;

use super::fork_place::ForkPlace;
use crate::cli::args::forkhestra_cli::{OutputArgs, OutputFormat};
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::project::project_location::ProjectLocation;
use crate::report::plan::dry_run::{self, Verbosity};
use crate::report::text::forked_run::forked_from;

/// Maximum number of files that a warning names.
const MAX_NAMED: usize = 5;

/// Prints the plan of a dry run, after a sentence about its origin.
pub(super) fn print_plan(
    plan: &Plan,
    point: &ForkPoint,
    output: &OutputArgs,
    project: &ProjectLocation,
    screen: &mut ConsoleOutput,
) -> Result<(), CommandError> {
    if output.output == OutputFormat::Json {
        return Ok(screen.print_data(&dry_run::json(plan))?);
    }
    let detail = Verbosity::of(output);
    let from = forked_from(&point.origin, plan.steps.len());
    let inherited = match point.inherited.len() {
        0 => String::new(),
        1 => "; step 1 is complete already".to_owned(),
        steps => format!("; steps 1 to {steps} are complete already"),
    };
    let directory = project.environment.shortened(&plan.working_directory);
    let prefix = project.program.prefix();
    if detail != Verbosity::Quiet {
        screen.print(&format!("{prefix} {from}, in {}{inherited}\n", visible(&directory)))?;
    }
    Ok(screen.print(&dry_run::render(plan, project, project.program, detail))?)
}

/// A warning about a fork from within a stage of several steps, which begins again.
pub(super) fn restarted_stage(plan: &Plan, point: &ForkPoint) -> Option<Diagnostic> {
    let (from, next) = (point.origin.step, point.next_step());
    let stage = plan.enclosing_stage(from);
    let begins_inside = (from, point.origin.iteration) != (*stage.start(), 0);
    let restarts = stage.start() != stage.end() && next == *stage.start() && begins_inside;
    restarts.then(|| {
        let message = format!(
            "the fork begins with step {next}: steps {next} to {} are one stage of the chain, and no \
             run begins within it",
            stage.end()
        );
        let hint = "to continue after them, name the iteration that completed the stage";
        Diagnostic::warning(message).hint(hint)
    })
}

/// Warnings about files that the work tree of a fork lacks, or has in another form.
pub(super) fn lacking_files(clone: &SnapshotClone, place: &ForkPlace) -> Vec<Diagnostic> {
    let MissingFiles { ignored, withheld, outdated, repositories, .. } = &clone.missing;
    let MissingFiles { submodules, filtered, lost_filters, .. } = &clone.missing;
    let directory = place.text();
    let table = [
        (
            ignored,
            "the fork lacks files that git ignores",
            format!("copy what its agents need to {directory}, or let them make it"),
        ),
        (
            withheld,
            "the fork lacks files that snapshots leave out, as secrets or as too large",
            format!("copy what its agents need to {directory}"),
        ),
        (
            outdated,
            "the fork has an older content of files that are too large for snapshots",
            format!("copy them to {directory} if its agents need them"),
        ),
        (
            repositories,
            "the fork lacks other repositories in the work tree",
            format!("copy what its agents need to {directory}"),
        ),
        (
            submodules,
            "submodules are empty in the fork",
            "to fill them: git submodule update --init".to_owned(),
        ),
        (
            filtered,
            "files that a filter changes are in the fork as git stores them",
            "for git-lfs: git lfs pull".to_owned(),
        ),
    ];
    let warning = |(files, what, hint): (&Vec<String>, &str, String)| {
        let named = (!files.is_empty()).then(|| names(files))?;
        Some(Diagnostic::warning(format!("{what}: {named}")).hint(hint))
    };
    let refs = clone.without_refs.as_ref().map(|why| {
        Diagnostic::warning(format!(
            "the branches and tags of the repository were not copied to the fork: {why}"
        ))
    });
    let unfiltered = (!lost_filters.is_empty()).then(|| {
        let filters: Vec<String> =
            lost_filters.iter().map(|name| format!("`{}`", visible(name))).collect();
        let filters = text::join_with_and(&filters);
        let word = if lost_filters.len() == 1 { "filter" } else { "filters" };
        let message = format!(
            "commits in the fork do not pass the {word} {filters}, which only the settings of the repository name"
        );
        Diagnostic::warning(message).hint(format!("set it up in {directory} as well"))
    });
    table.into_iter().filter_map(warning).chain(unfiltered).chain(refs).collect()
}

fn names(files: &[String]) -> String {
    let named: Vec<String> = files.iter().take(MAX_NAMED).map(|file| visible(file)).collect();
    match files.len().saturating_sub(MAX_NAMED) {
        0 => text::join_with_and(&named),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
