//! `forkhestra runs`: the list of runs.

use std::cmp::Reverse;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::text;
use forkhestra_engine::now;
use forkhestra_store::{ListRowView, ListedRun};
use typeset::text::escaped_json;

use crate::cli::args::runs::RunsListArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::past_runs::repair;
use crate::past_runs::run_finder::RunFinder;
use crate::project::project_location::ProjectLocation;
use crate::report::runs::{RunsLayout, render};

/// Prints runs, newest first.
pub(super) fn execute(args: &RunsListArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&args.place.project())?;
    let finder = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let found = if args.all { finder.all_runs()? } else { finder.work_tree_runs()? };
    let looked_at = found.len();
    let mut runs: Vec<ListedRun> = found.into_iter().filter_map(ListedRun::read).collect();
    // Directory names have a resolution of one second only.
    runs.sort_by_key(|run| Reverse(run.started()));
    screen.report(&runs.iter().filter_map(|run| damage(run, &project)).collect::<Vec<_>>());
    if args.json {
        screen.print_data(&json(&runs))?;
    } else if runs.is_empty() {
        let others = finder.all_runs()?.len().saturating_sub(looked_at);
        screen.remark(&empty_list_text(args.all, others));
    } else {
        let directories = args.all.then_some(&project.environment);
        let layout = RunsLayout { columns: screen.columns(), directories, now: now().wall };
        screen.print(&render(&runs, &layout))?;
    }
    Ok(exit_code::COMPLETE)
}

fn json(runs: &[ListedRun]) -> String {
    let views: Vec<ListRowView<'_>> = runs.iter().map(ListedRun::view).collect();
    let text = serde_json::to_string_pretty(&views).expect("texts and numbers are JSON");
    escaped_json(&text).into_owned() + "\n"
}

/// Warning for a run that cannot be read.
fn damage(run: &ListedRun, project: &ProjectLocation) -> Option<Diagnostic> {
    let error = run.overview.as_ref().err()?;
    Some(repair::unreadable_warning(error, &run.run, project))
}

/// The text for an empty list. It mentions runs of other work trees, so that they do not seem lost.
fn empty_list_text(is_all: bool, others: usize) -> String {
    match (is_all, others) {
        (true, _) => "There are no runs.\n".to_owned(),
        (false, 0) => "There are no runs here.\n".to_owned(),
        (false, others) => format!(
            "There are no runs of this work tree; `forkhestra runs --all` lists {} of others.\n",
            text::count(others, "run")
        ),
    }
}
