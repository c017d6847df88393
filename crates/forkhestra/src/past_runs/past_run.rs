//! Recorded runs: finding and reading them, and restoring what a journal does not hold.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use forkhestra_core::config::ConfigLayers;
use forkhestra_core::cost::ModelPrice;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::history::{ExecutionStatus, RunHistory};
use forkhestra_core::plan::{
    self, AgentKind, HostEnvironment, ModuleRunner, ModuleRunnerKind, Plan, PlanCheck, PlanStep,
    ProgramLocation,
};
use forkhestra_core::text;
use forkhestra_engine::regular_file;
use forkhestra_store::format;
use forkhestra_store::journal::journal_contents;
use forkhestra_store::journal::journal_contents::{TornEnd, WrongHash};
use forkhestra_store::journal::recorded_run::{self, HistoryError, RecordedRun};
use forkhestra_store::{RunDir, RunOverview};
use typeset::text::escaped_json;

use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::past_runs::run_binding::{self, foreign_run_hint};
use crate::past_runs::run_finder::RunFinder;
use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;
use crate::project::{config_files, moved_project};

/// A run as recorded in its journal.
pub(crate) struct PastRun {
    pub(crate) run_dir: RunDir,
    pub(crate) recorded: journal_contents::JournalContents,
    pub(crate) history: RunHistory,
}

impl PastRun {
    /// The journal line with the end of the run, unchanged.
    pub(crate) fn result(&self) -> Result<String, CommandError> {
        let path = self.run_dir.journal();
        let text = regular_file::read_text(&path).map_err(|error| {
            CommandError::wrong(Diagnostic::error(format!(
                "cannot read {}: {error}",
                path.display()
            )))
        })?;
        let line = text.lines().rfind(|line| is_result(line));
        Ok(line.map_or_else(String::new, |line| escaped_json(line).into_owned() + "\n"))
    }
}

/// Warnings about a journal.
pub(crate) fn journal_warnings(recorded: &journal_contents::JournalContents) -> Vec<Diagnostic> {
    let torn = recorded.torn.map(torn_end_warning);
    let unknown = (!recorded.unknown.is_empty()).then(|| {
        Diagnostic::warning("the journal holds events of a newer version, which are skipped")
    });
    torn.into_iter().chain(unknown).chain(broken_chain_warnings(recorded)).collect()
}

/// The warning for a journal that another program has changed, if one has.
pub(crate) fn broken_chain_warnings(
    recorded: &journal_contents::JournalContents,
) -> Vec<Diagnostic> {
    let warning =
        |broken: WrongHash| Diagnostic::warning(broken.to_string()).hint(BROKEN_CHAIN_HINT);
    // A newer version may have other rules.
    if !recorded.format.is_writable() {
        return Vec::new();
    }
    let removed = recorded.removed_end.map(|end| Diagnostic::warning(format!("the journal {end}")));
    recorded.wrong_hash.map(warning).into_iter().chain(removed).collect()
}

/// What a broken chain of hashes means.
pub(crate) const BROKEN_CHAIN_HINT: &str = "an agent or another program wrote to the journal; what it says from there on cannot be trusted";

/// The warning for an incomplete last line.
pub(crate) fn torn_end_warning(torn: TornEnd) -> Diagnostic {
    let bytes = torn.bytes;
    Diagnostic::warning(format!(
        "the journal was not written to its end, which is cut off ({bytes} bytes)"
    ))
}

fn is_result(line: &str) -> bool {
    let is_end = |event: &Event| matches!(event.kind, EventKind::RunFinished { .. });
    matches!(format::decode(line), Ok(Some(event)) if is_end(&event))
}

/// Finds the newest run of this work tree that is not known to be complete.
pub(crate) fn last_unfinished(finder: &RunFinder<'_>) -> Result<RunDir, CommandError> {
    let mut complete = None;
    let mut foreign = None;
    for run_dir in finder.work_tree_runs_by_start()? {
        let overview = RunOverview::read(&run_dir);
        let directory = overview.as_ref().map_or_else(
            |_| finder.project.working_directory.clone(),
            |known| PathBuf::from(&known.working_directory),
        );
        match overview {
            Ok(known) if known.status == ExecutionStatus::Complete => {
                complete = complete.or(Some(run_dir));
            }
            // The run was killed before anything was recorded, so it cannot be resumed.
            Err(error) if error.is_empty_run() => {}
            _ if run_binding::is_foreign(&run_dir, &directory, finder.project) => {
                foreign = foreign.or(Some(run_dir));
            }
            Ok(_) | Err(_) => return Ok(run_dir),
        }
    }
    let nothing = Diagnostic::error("there is nothing to resume here");
    let mut nothing = match complete {
        Some(run_dir) => nothing.hint(format!("the last run here, {}, is complete", run_dir.run())),
        None => nothing.hint("runs are found from the work tree that they ran in, or by their id"),
    };
    nothing.hints.extend(foreign.map(|run| foreign_run_hint(&run, finder.project)));
    nothing.hints.extend(moved_project::moved_project_hint(finder));
    Err(CommandError::wrong(nothing))
}

/// Reads a run from its journal. A journal that another program has changed is an error.
pub(crate) fn read(run_dir: &RunDir) -> Result<PastRun, HistoryError> {
    let RecordedRun { history, recorded } = recorded_run::read_unbroken(run_dir)?;
    Ok(PastRun { run_dir: run_dir.clone(), recorded, history })
}

/// Completes a plan with what its journal does not hold: values of environment variables, which may
/// be secrets, current paths of programs, and current prices of models.
pub(crate) fn restore_plan(
    plan: &mut Plan,
    project: &ProjectLocation,
    screen: &mut ConsoleOutput,
) -> Result<(), CommandError> {
    let host = LocalHost { project };
    let mut gone = Vec::new();
    for step in &mut plan.steps {
        for agent in step.agents_mut() {
            match agent.replay {
                // A recording is played by the program that resumes the run.
                Some(_) => set_player(&mut agent.kind, &host),
                None => find_program(&mut agent.kind, &host),
            }
        }
        let number = step.number;
        let checks = step.all_checks_mut().map(|check| &mut check.value);
        gone.extend(checks.filter_map(|check| find_runner(check, number, &host)));
    }
    if !gone.is_empty() {
        return Err(gone.into());
    }
    let takes_variables = {
        let mut agents = plan.steps.iter().flat_map(PlanStep::agents);
        agents.any(|agent| !agent.kind.env().0.is_empty())
    };
    let loaded = match config_files::load(project) {
        Ok(loaded) => loaded,
        // An unreadable config is ignored if the run takes no variables from it.
        Err(_) if !takes_variables => return Ok(()),
        Err(wrong) => return Err(wrong.into()),
    };
    if let Some(prices) = configured_prices(&loaded.layers) {
        plan.prices = prices;
    }
    if !takes_variables {
        return Ok(());
    }
    screen.report(&loaded.warnings);
    let problems: Vec<Diagnostic> = plan
        .steps
        .iter_mut()
        .flat_map(|step| fill_environment(step, &loaded.layers, &host))
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.into()) }
}

/// The current prices of the config, if there is a config file. Prices are not part of what a run
/// does, so they may change.
fn configured_prices(layers: &ConfigLayers) -> Option<BTreeMap<String, ModelPrice>> {
    layers.user_layers().next().is_some().then(|| layers.prices())
}

/// Locates the program of an agent again if it has moved. A program that the environment now names
/// for the back-end takes precedence.
fn find_program(kind: &mut AgentKind, host: &LocalHost<'_>) {
    if let AgentKind::Direct(direct) = kind {
        let command = host.agent_program(direct.backend);
        if command != direct.command {
            direct.location = host.locate(&command);
            direct.command = command;
        }
    }
    let (command, location) = match kind {
        AgentKind::Program(program) => (&program.command, &mut program.location),
        AgentKind::Direct(direct) => (&direct.command, &mut direct.location),
        AgentKind::Question(_) => return,
    };
    if !matches!(location, ProgramLocation::Found(path) if Path::new(path).exists()) {
        *location = host.locate(command);
    }
}

/// Sets the running executable as the player of a recording.
fn set_player(kind: &mut AgentKind, host: &impl HostEnvironment) {
    let (command, location) = match kind {
        AgentKind::Program(program) => (&mut program.command, &mut program.location),
        AgentKind::Direct(direct) => (&mut direct.command, &mut direct.location),
        AgentKind::Question(_) => return,
    };
    *command = host.player();
    *location = ProgramLocation::Found(command.clone());
}

/// Locates the runner of a check module again if it has moved: the same runner if possible, else
/// another.
fn find_runner(
    check: &mut PlanCheck,
    step: usize,
    host: &impl HostEnvironment,
) -> Option<Diagnostic> {
    let runner = check.runner.as_mut()?;
    if Path::new(&runner.path).exists() {
        return None;
    }
    let kinds = [runner.kind].into_iter().chain(ModuleRunnerKind::ALL);
    let found = kinds.into_iter().find_map(|kind| match host.locate(kind.program()) {
        ProgramLocation::Found(path) => Some(ModuleRunner { kind, path }),
        ProgramLocation::Missing(_) => None,
    });
    let Some(found) = found else {
        let programs = text::join_with_or(&ModuleRunnerKind::ALL.map(ModuleRunnerKind::program));
        let (script, path) = (&check.check, &runner.path);
        return Some(
            Diagnostic::error(format!(
                "step {step}: nothing is there to run the check `{script}` any more: `{path}` is gone"
            ))
            .hint(format!("install {programs}, then resume")),
        );
    };
    *runner = found;
    None
}

/// Reads the values of a step's variables from the config again.
fn fill_environment(
    step: &mut PlanStep,
    layers: &ConfigLayers,
    host: &LocalHost<'_>,
) -> Vec<Diagnostic> {
    let (number, name) = (step.number, step.agent.name.clone());
    if step.agents().all(|agent| agent.kind.env().0.is_empty()) {
        return Vec::new();
    }
    let configured = plan::resolve_agent(&name, layers, host);
    let variables = step.agents_mut().filter_map(|agent| agent.kind.env_mut());
    // The fallback has some of the variables.
    let missing: BTreeSet<String> =
        variables.flat_map(|variables| variables.fill(&configured.kind.env().0)).collect();
    let gone = |variable: String| {
        Diagnostic::error(format!(
            "step {number}: the variable `{variable}` of `{name}` is in no config file any more"
        ))
        .hint("values are not kept with a run, since they may be secrets")
    };
    missing.into_iter().map(gone).collect()
}

#[cfg(test)]
mod tests {
    use forkhestra_core::check::CheckSpec;
    use forkhestra_core::config::CheckWhen;
    use forkhestra_core::limit::Limit;
    use forkhestra_core::plan::{FileState, NotRunnableReason};

    use super::*;

    /// A host with these programs.
    struct ProgramsHost(&'static [&'static str]);

    impl HostEnvironment for ProgramsHost {
        fn locate(&self, program: &str) -> ProgramLocation {
            match self.0.contains(&program) {
                true => ProgramLocation::Found(format!("/new/{program}")),
                false => ProgramLocation::Missing(NotRunnableReason::NotOnPath),
            }
        }

        fn file(&self, _: &str) -> FileState {
            FileState::Missing
        }

        fn prompt_file(&self, _: &str) -> FileState {
            FileState::Missing
        }

        fn task_database(&self) -> Option<String> {
            None
        }
    }

    fn module(runner: &str) -> PlanCheck {
        PlanCheck {
            check: CheckSpec::Script("check.ts".to_owned()),
            name: None,
            when: CheckWhen::Completion,
            timeout: Limit::Off,
            must_fail_first: false,
            runner: Some(ModuleRunner { kind: ModuleRunnerKind::Deno, path: runner.to_owned() }),
        }
    }

    #[test]
    fn a_module_runner_is_searched_again_only_if_missing() {
        for (old, programs, expected) in [
            ("/bin/sh", &["deno"][..], Some("/bin/sh")),
            ("/nowhere/deno", &["bun", "deno", "node"], Some("/new/deno")),
            ("/nowhere/deno", &["bun", "node"], Some("/new/bun")),
            ("/nowhere/deno", &["node"], Some("/new/node")),
            ("/nowhere/deno", &[], None),
        ] {
            let mut check = module(old);
            let problem = find_runner(&mut check, 2, &ProgramsHost(programs));
            let found = check.runner.map(|runner| runner.path).filter(|_| problem.is_none());
            assert_eq!(found.as_deref(), expected, "{old} {programs:?}");
        }
    }

    #[test]
    fn a_check_that_is_no_module_needs_no_runner() {
        let mut check = PlanCheck { runner: None, ..module("") };
        assert_eq!(find_runner(&mut check, 1, &ProgramsHost(&[])), None);
    }
}
