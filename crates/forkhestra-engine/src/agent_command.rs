//! What an agent is started with.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{AgentEnd, Fingerprint};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::{AgentKind, Location, Prompt, Step};

use crate::hash::hash;
use crate::process::{Command, Stdin};

/// The variable by which everything that a run started can be found. An agent may start a run itself,
/// whose agents are those of both: it lists the ids of all runs, with colons between them, the
/// outermost first.
pub const RUN_TAG: &str = "FORKHESTRA_RUN_IDS";

/// A command line and its surroundings, ready to be started.
#[derive(Debug)]
pub(crate) struct AgentCommand {
    program: PathBuf,
    args: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    directory: PathBuf,
    /// Tells its prompt from others.
    pub(crate) prompt: Option<Fingerprint>,
}

impl AgentCommand {
    /// Puts together what an agent is started with, or says why that is impossible.
    pub(crate) fn new(
        unit: UnitId,
        state: &RunState,
        inherited: &[(OsString, OsString)],
    ) -> Result<Self, AgentEnd> {
        let step = &state.plan.steps[unit.step - 1];
        let directory = PathBuf::from(&state.plan.working_directory);
        let AgentKind::Program(program) = &step.agent.kind else {
            return Err(impossible("an agent made of a system prompt cannot be started yet"));
        };
        let Location::Found(path) = &program.location else {
            return Err(impossible(&format!("`{}` was not found", program.command)));
        };
        let prompt = read_prompt(&step.prompt.value, &directory)?;
        let mut args: Vec<OsString> =
            step.args.iter().map(|arg| arg.value.clone().into()).collect();
        args.extend(prompt.clone().map(OsString::from));
        let mut environment = inherited.to_vec();
        // Who asks the environment where it is must not be told where we are.
        set(&mut environment, "PWD", state.plan.working_directory.clone());
        for (name, value) in &program.env.0 {
            set(&mut environment, name, value.clone());
        }
        for (name, value) in own_variables(unit, step, state) {
            set(&mut environment, name, value);
        }
        set(&mut environment, RUN_TAG, run_ids(inherited, state.run.as_str()));
        let prompt = prompt.map(|text| Fingerprint(hash(text.as_bytes())));
        Ok(Self { program: path.into(), args, environment, directory, prompt })
    }

    pub(crate) fn command(&self) -> Command<'_> {
        Command {
            program: &self.program,
            args: &self.args,
            env: &self.environment,
            directory: &self.directory,
            stdin: Stdin::Null,
        }
    }
}

/// The environment of what is no agent, but must be found as well.
pub(crate) fn tagged(
    inherited: &[(OsString, OsString)],
    state: &RunState,
) -> Vec<(OsString, OsString)> {
    let mut environment = inherited.to_vec();
    set(&mut environment, RUN_TAG, run_ids(inherited, state.run.as_str()));
    environment
}

/// What every agent is told about its place in the run.
fn own_variables(unit: UnitId, step: &Step, state: &RunState) -> [(&'static str, String); 5] {
    let most = step.iterations.map_or(1, forkhestra_core::count::Count::get);
    [
        ("FORKHESTRA_RUN_ID", state.run.to_string()),
        ("FORKHESTRA_AGENT", step.agent.name.clone()),
        ("FORKHESTRA_STEP", unit.step.to_string()),
        ("FORKHESTRA_ITERATION", unit.iteration.to_string()),
        ("FORKHESTRA_MAX_ITERATIONS", most.to_string()),
    ]
}

/// The ids of the runs that we are in, and our own.
fn run_ids(inherited: &[(OsString, OsString)], own: &str) -> OsString {
    let outer = inherited.iter().find(|(name, _)| name == RUN_TAG).map(|(_, ids)| ids);
    match outer.filter(|ids| !ids.is_empty()) {
        Some(ids) => [ids, OsStr::new(own)].join(OsStr::new(":")),
        None => own.into(),
    }
}

fn set(environment: &mut Vec<(OsString, OsString)>, name: &str, value: impl Into<OsString>) {
    environment.retain(|(known, _)| known != name);
    environment.push((name.into(), value.into()));
}

/// The text of a prompt; none if there is nothing to ask.
fn read_prompt(prompt: &Prompt, directory: &Path) -> Result<Option<String>, AgentEnd> {
    let text = match prompt {
        Prompt::None => return Ok(None),
        Prompt::Text(text) => text.clone(),
        Prompt::File(path) => fs::read_to_string(directory.join(path)).map_err(|error| {
            impossible(&format!("prompt file `{path}` cannot be read: {error}"))
        })?,
    };
    // In a file as on the command line, blank means none.
    Ok((!text.trim().is_empty()).then_some(text))
}

fn impossible(reason: &str) -> AgentEnd {
    AgentEnd::NotStarted { reason: reason.to_owned(), transient: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ids_of_the_runs_around_us_come_before_our_own() {
        let table = [(None, "own"), (Some(""), "own"), (Some("a:b"), "a:b:own")];
        for (outer, expected) in table {
            let inherited: Vec<(OsString, OsString)> =
                outer.map(|ids| (RUN_TAG.into(), ids.into())).into_iter().collect();
            assert_eq!(run_ids(&inherited, "own"), expected, "{outer:?}");
        }
    }

    #[test]
    fn a_prompt_file_is_handed_over_as_it_is_unless_it_is_blank() {
        let directory = tempfile::tempdir().expect("there is room");
        let prompt = Prompt::File("prompt.md".to_owned());
        for (text, expected) in [("", None), (" \n\t\n", None), (" Fix it.\n", Some(" Fix it.\n"))]
        {
            fs::write(directory.path().join("prompt.md"), text).expect("the directory is ours");
            let read = read_prompt(&prompt, directory.path()).expect("the file is there");
            assert_eq!(read.as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_prompt_file_that_has_gone_keeps_the_agent_from_starting() {
        let prompt = Prompt::File("gone.md".to_owned());
        let end = read_prompt(&prompt, Path::new("/nowhere")).expect_err("it is not there");
        assert!(matches!(end, AgentEnd::NotStarted { transient: false, .. }), "{end}");
    }
}
