//! `forkhestra runs`: a list.

use std::cmp::Reverse;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::words;
use forkhestra_engine::now;
use forkhestra_store::{Listed, ListedView};

use crate::args_runs::RunsListArgs;
use crate::error::{CliError, in_full};
use crate::find_run::Places;
use crate::project::Project;
use crate::report::runs::{Layout, render};
use crate::screen::Screen;
use crate::{exit_code, repair};

/// Lists runs, the newest first.
pub(super) fn execute(args: &RunsListArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let project = Project::find(&args.place.project())?;
    let places = Places { project: &project, state_dir: args.place.state_dir.as_deref() };
    let found = if args.all { places.everywhere()? } else { places.here()? };
    let looked_at = found.len();
    let mut runs: Vec<Listed> = found.into_iter().filter_map(Listed::read).collect();
    // The names of directories know only seconds.
    runs.sort_by_key(|run| Reverse(run.started()));
    screen.tell(&runs.iter().filter_map(|run| damage(run, &project)).collect::<Vec<_>>());
    if args.json {
        screen.print_data(&json(&runs))?;
    } else if runs.is_empty() {
        let others = places.everywhere()?.len().saturating_sub(looked_at);
        screen.remark(&nothing(args.all, others));
    } else {
        let directories = args.all.then_some(&project.environment);
        let layout = Layout { columns: screen.columns(), directories, now: now().wall };
        screen.print(&render(&runs, &layout))?;
    }
    Ok(exit_code::COMPLETE)
}

fn json(runs: &[Listed]) -> String {
    let views: Vec<ListedView<'_>> = runs.iter().map(Listed::view).collect();
    serde_json::to_string_pretty(&views).expect("texts and numbers are JSON") + "\n"
}

/// What is wrong with a run that cannot be read.
fn damage(run: &Listed, project: &Project) -> Option<Diagnostic> {
    let error = run.known.as_ref().err()?;
    let id = run.run.run();
    let told = Diagnostic::warning(format!("run {id} cannot be read: {}", in_full(error)));
    Some(repair::advised(told, error, &run.run, project))
}

/// Nobody should think that their runs are lost.
fn nothing(is_all: bool, others: usize) -> String {
    match (is_all, others) {
        (true, _) => "There are no runs.\n".to_owned(),
        (false, 0) => "There are no runs here.\n".to_owned(),
        (false, others) => format!(
            "There are no runs of this work tree; `forkhestra runs --all` lists {} of others.\n",
            words::count(others, "run")
        ),
    }
}
