//! Runs of the past: finding them, reading them, and giving them back what a journal does not hold.

use std::fs;
use std::path::Path;
use std::time::Duration;

use forkhestra_core::config::Layers;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::{Event, EventKind, RunEnd};
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::{self, AgentKind, Location, Plan, Step, Surroundings};
use forkhestra_store::format::{self, Decoded};
use forkhestra_store::{FindError, RunDir, replay};

use crate::error::{CliError, in_full};
use crate::project::Project;
use crate::screen::Screen;
use crate::surroundings::RealSurroundings;
use crate::{config_files, state_home};

/// A message that lists runs lists no more than this.
const MOST_LISTED: usize = 5;

/// A run as its journal left it.
pub(crate) struct PastRun {
    pub(crate) run_dir: RunDir,
    pub(crate) recorded: replay::Recorded,
    pub(crate) state: RunState,
}

impl PastRun {
    /// What a person should know about the journal.
    pub(crate) fn warnings(&self) -> Vec<Diagnostic> {
        let torn = self.recorded.torn.map(|torn| {
            let bytes = torn.bytes;
            Diagnostic::warning(format!(
                "the last line of the journal was cut off ({bytes} bytes); nothing was lost by it"
            ))
        });
        let unknown = (self.recorded.unknown > 0).then(|| {
            Diagnostic::warning("the journal holds events of a newer version, which are skipped")
        });
        torn.into_iter().chain(unknown).collect()
    }

    /// The line that says how the run ended, if it did, as it stands in the journal.
    pub(crate) fn result(&self) -> Result<String, CliError> {
        let path = self.run_dir.journal();
        let text = fs::read_to_string(&path).map_err(|error| {
            CliError::wrong(Diagnostic::error(format!("cannot read {}: {error}", path.display())))
        })?;
        let line = text.lines().rfind(|line| is_result(line));
        Ok(line.map_or_else(String::new, |line| format!("{line}\n")))
    }
}

fn is_result(line: &str) -> bool {
    let is_end = |event: &Event| matches!(event.kind, EventKind::RunFinished { .. });
    matches!(format::decode(line), Ok(Decoded::Known(event)) if is_end(&event))
}

/// Finds the run that somebody named: by the beginning of its id, or by a path.
pub(crate) fn named(
    name: &str,
    project: &Project,
    state_dir: Option<&str>,
) -> Result<PastRun, CliError> {
    let path = project.environment.current_directory.join(name);
    if name.contains('/') || path.is_file() {
        let run_dir = RunDir::at(&path)
            .map_err(|error| CliError::wrong(Diagnostic::error(in_full(&error))))?;
        return read(&run_dir);
    }
    let mut not_found = None;
    for root in state_home::to_look_in(project, state_dir) {
        match root.find(name) {
            Ok(run_dir) => return read(&run_dir),
            Err(error @ FindError::Unknown { .. }) => not_found = Some(error),
            Err(error) => return Err(cannot_find(&error)),
        }
    }
    let unknown = FindError::Unknown { prefix: name.to_owned(), known: Vec::new() };
    Err(cannot_find(&not_found.unwrap_or(unknown)))
}

/// Finds the newest run of this work tree that is not complete.
pub(crate) fn last_unfinished(
    project: &Project,
    state_dir: Option<&str>,
) -> Result<PastRun, CliError> {
    let mut complete = None;
    for root in state_home::to_look_in(project, state_dir) {
        for run_dir in root.work_tree(&project.work_tree()).runs()? {
            let past = match read(&run_dir) {
                Ok(past) => past,
                // It was killed before it had begun, so there is nothing to go on with.
                Err(_) if is_empty(&run_dir) => continue,
                Err(error) => return Err(error),
            };
            if past.state.end == Some(RunEnd::Complete) {
                complete = complete.or(Some(run_dir));
            } else {
                return Ok(past);
            }
        }
    }
    let nothing = Diagnostic::error("there is nothing to resume here");
    Err(CliError::wrong(match complete {
        Some(run_dir) => nothing.hint(format!("the last run here, {}, is complete", run_dir.run())),
        None => nothing.hint("runs are found from the work tree that they ran in, or by their id"),
    }))
}

fn is_empty(run: &RunDir) -> bool {
    match replay::read(&run.journal()) {
        Err(replay::ReadError::Empty { .. }) => true,
        Err(replay::ReadError::File(_)) => !run.journal().exists(),
        _ => false,
    }
}

/// Reads a run.
pub(crate) fn read(run_dir: &RunDir) -> Result<PastRun, CliError> {
    let wrong = |message: String| CliError::wrong(Diagnostic::error(message));
    let journal = run_dir.journal();
    let recorded = replay::read(&journal).map_err(|error| wrong(in_full(&error)))?;
    let misfit = |number: usize, why: &dyn std::fmt::Display| {
        wrong(format!("event {number} of {} {why}", journal.display()))
    };
    let Some((first, rest)) = recorded.events.split_first() else {
        return Err(wrong(format!("{} is empty", journal.display())));
    };
    let mut state = RunState::begin(first).map_err(|why| misfit(1, &why))?;
    for (number, event) in (2..).zip(rest) {
        state.apply(event).map_err(|why| misfit(number, &why))?;
    }
    if state.end.is_none() {
        state.lose_time(unrecorded_time(&recorded));
    }
    Ok(PastRun { run_dir: run_dir.clone(), recorded, state })
}

/// How long the run went on after the last thing it recorded, as far as anybody can tell.
fn unrecorded_time(recorded: &replay::Recorded) -> Duration {
    let last = recorded.events.last().map_or(0, |event| event.at.milliseconds());
    let passed = recorded.last_sign_of_life.milliseconds().saturating_sub(last);
    Duration::from_millis(u64::try_from(passed).unwrap_or(0))
}

/// Gives a plan what its journal does not hold: values of environment variables, which may be
/// secrets, and where programs are by now.
pub(crate) fn revive(
    plan: &mut Plan,
    project: &Project,
    screen: &mut Screen,
) -> Result<(), CliError> {
    let world = RealSurroundings { project };
    for step in &mut plan.steps {
        if let AgentKind::Program(program) = &mut step.agent.kind
            && !matches!(&program.location, Location::Found(path) if Path::new(path).exists())
        {
            program.location = world.locate(&program.command);
        }
    }
    // The config is of no interest to a run that took no variables from it.
    if plan.steps.iter().all(|step| step.agent.kind.env().0.is_empty()) {
        return Ok(());
    }
    let loaded = config_files::load(project)?;
    screen.tell(&loaded.warnings);
    let problems: Vec<Diagnostic> = plan
        .steps
        .iter_mut()
        .flat_map(|step| fill_environment(step, &loaded.layers, &world))
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.into()) }
}

/// Reads the values of a step's variables from the config again.
fn fill_environment(
    step: &mut Step,
    layers: &Layers,
    world: &RealSurroundings<'_>,
) -> Vec<Diagnostic> {
    let (number, name) = (step.number, step.agent.name.clone());
    let configured = plan::resolve_agent(&name, layers, world);
    let missing = step.agent.kind.env_mut().fill(&configured.kind.env().0);
    let gone = |variable: String| {
        Diagnostic::error(format!(
            "step {number}: the variable `{variable}` of `{name}` is in no config file any more"
        ))
        .hint("values are not kept with a run, since they may be secrets")
    };
    missing.into_iter().map(gone).collect()
}

fn cannot_find(error: &FindError) -> CliError {
    let diagnostic = Diagnostic::error(in_full(error));
    let runs = match error {
        FindError::Unknown { known, .. } => known,
        FindError::Ambiguous { matches, .. } => matches,
        FindError::File(_) => &Vec::new(),
    };
    let listed: Vec<String> = runs
        .iter()
        .take(MOST_LISTED)
        .map(|run| format!("{} (started {})", run.run(), run.started()))
        .collect();
    let hint = (!listed.is_empty()).then(|| match error {
        FindError::Ambiguous { .. } => format!("one of: {}", listed.join(", ")),
        _ => format!("the newest runs are: {}", listed.join(", ")),
    });
    CliError::wrong(diagnostic.maybe_hint(hint))
}
