//! What an agent is started with.

mod prompt_prefix;

use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{AgentEnd, Fingerprint};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::{
    AgentKind, AgentProgram, DirectSpawn, PlanAgent, PlanStep, ProgramLocation, Replay,
};

use crate::agent::command::{
    AgentInstructions, HostFacts, Invocation, InvocationError, InvocationRequest, invocation,
    read_text,
};
use crate::fnv_hasher::hash;
use crate::launch::agent_files::AgentFiles;
use crate::launch::tools::put_first;
use crate::ports::{EnginePorts, Recordings, ReplayedUnit};
use crate::process::{SpawnCommand, SpawnStdin};

use self::prompt_prefix::{LONGEST_ARGUMENT, PrefixedPrompt, PromptPrefix, undelivered_warning};

/// The variable by which everything that a run started can be found. An agent may start a run itself,
/// whose agents are those of both: it lists the ids of all runs, with colons between them, the
/// outermost first.
pub const RUN_TAG: &str = "FORKHESTRA_RUN_IDS";

/// The variable that tells an agent what came of the last iteration.
pub(crate) const FEEDBACK: &str = "FORKHESTRA_FEEDBACK";

/// The variable that tells an agent what the person has to say who supervises its work.
pub(crate) const MESSAGE: &str = "FORKHESTRA_MESSAGE";

/// The verb of ours that plays one try of an iteration back.
const PLAY: &str = "play-recording";

/// A command line and its surroundings, ready to be started.
#[derive(Debug)]
pub(crate) struct AgentCommand {
    program: PathBuf,
    args: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    directory: PathBuf,
    /// What it reads, and what else it needs on disk while it runs.
    pub(crate) files: AgentFiles,
    /// Tells its prompt from others.
    pub(crate) prompt: Option<Fingerprint>,
    /// What a person should know about how it is told what it is told.
    pub(crate) doubt: Option<String>,
}

impl AgentCommand {
    /// Puts together what an agent is started with, or says why that is impossible.
    pub(crate) fn new(
        unit: UnitId,
        state: &RunState,
        setting: &EnginePorts,
    ) -> Result<Self, AgentEnd> {
        let EnginePorts { environment, scratch, tools, recordings, host, .. } = setting;
        let (tools, recordings) = (tools.as_deref(), &**recordings);
        Self::at(&AgentCommandContext {
            unit,
            state,
            inherited: environment,
            scratch,
            tools,
            recordings,
            host,
        })
    }

    fn at(place: &AgentCommandContext<'_>) -> Result<Self, AgentEnd> {
        let AgentCommandContext { unit, state, inherited, .. } = *place;
        let PlanAgent { kind, replay, .. } = &state.plan.steps[unit.step - 1].agent;
        let ProgramLocation::Found(path) = kind.location() else {
            return Err(impossible(format!("`{}` was not found", kind.command())));
        };
        let directory = PathBuf::from(&state.plan.working_directory);
        let agent = Self {
            program: path.into(),
            args: Vec::new(),
            environment: environment(kind, state, place),
            directory,
            files: AgentFiles::none(),
            prompt: None,
            doubt: None,
        };
        let mut agent = match (replay, kind) {
            (Some(replay), _) => agent.of_recording(replay, place)?,
            (None, AgentKind::Program(program)) => agent.of_program(program, place)?,
            (None, AgentKind::Direct(direct)) => agent.of_direct(direct, place)?,
        };
        for (name, value) in own_variables(unit, place.step(), state) {
            set(&mut agent.environment, name, value);
        }
        // What an outer run has told us is not for our agents.
        agent.environment.retain(|(name, _)| name != FEEDBACK && name != MESSAGE);
        let PromptPrefix { message, feedback } = place.told();
        let told = [(MESSAGE, message), (FEEDBACK, feedback)];
        let told = told.into_iter().filter_map(|(name, text)| Some((name.into(), text?.into())));
        agent.environment.extend(told);
        let tag = run_ids(inherited, state.run.as_str());
        set(&mut agent.environment, RUN_TAG, tag);
        Ok(agent)
    }

    /// What plays a recording back gets the place of what was recorded, and nothing to think about.
    fn of_recording(
        mut self,
        replay: &Replay,
        place: &AgentCommandContext<'_>,
    ) -> Result<Self, AgentEnd> {
        let unit = place.unit;
        let ReplayedUnit { recorded, own_paths: ours } =
            place.recordings.replayed_unit(replay, unit, &self.directory).map_err(impossible)?;
        let speed = replay.speed.to_string();
        self.args = vec![PLAY.into(), recorded.into(), "--speed".into(), speed.into()];
        if unit.attempt > 1 {
            self.args.push("--again".into());
        }
        // What is played has been said already.
        self.doubt_unless(place.told().message.is_none(), place);
        self.args.extend(ours.into_iter().flat_map(|place| ["--ours".into(), place.into()]));
        Ok(self)
    }

    /// A program gets its arguments and the prompt.
    fn of_program(
        mut self,
        _: &AgentProgram,
        place: &AgentCommandContext<'_>,
    ) -> Result<Self, AgentEnd> {
        let step = place.step();
        let prompt =
            read_text(&step.prompt.value, &self.directory, "prompt").map_err(|why| not_so(&why))?;
        self.args = step.args.iter().map(|arg| arg.value.clone().into()).collect();
        self.prompt = prompt.as_ref().map(|text| Fingerprint(hash(text.as_bytes())));
        if let Some(prompt) = prompt {
            let mut ways = place.told().prefixed_prompts(&prompt, &step.markers.value).into_iter();
            let opened = ways.find(|way| way.prompt.len() <= LONGEST_ARGUMENT);
            // What is too long by itself is for the system to refuse.
            let opened = opened.unwrap_or(PrefixedPrompt { prompt, has_message: true });
            self.doubt_unless(opened.has_message, place);
            self.args.push(opened.prompt.into());
        }
        Ok(self)
    }

    /// An agent program that we know gets what it understands.
    fn of_direct(
        mut self,
        direct: &DirectSpawn,
        place: &AgentCommandContext<'_>,
    ) -> Result<Self, AgentEnd> {
        let step = place.step();
        let instructions =
            AgentInstructions::read(step, direct, &self.directory).map_err(|why| not_so(&why))?;
        let scratch = AgentFiles::directory(place.scratch, place.unit);
        let (built, has_message) = self.open_with_most(direct, &instructions, place);
        self.doubt_unless(has_message, place);
        let Invocation { args, env, stdin, files } = built.map_err(|why| not_so(&why))?;
        self.args = args.into_iter().map(OsString::from).collect();
        for (name, value) in env {
            set(&mut self.environment, &name, value);
        }
        self.files = AgentFiles::write(&scratch, &files, stdin.as_deref()).map_err(|error| {
            let reason = format!("a file for the agent cannot be written: {error}");
            AgentEnd::NotStarted { reason, transient: true }
        })?;
        let AgentInstructions { system_prompt, prompt } = &instructions;
        self.prompt = Some(Fingerprint(hash(format!("{system_prompt}\0{prompt}").as_bytes())));
        Ok(self)
    }

    /// Tells the agent as much in front of its prompt as there is room for, and whether a person's
    /// message is in it.
    fn open_with_most(
        &self,
        direct: &DirectSpawn,
        instructions: &AgentInstructions,
        place: &AgentCommandContext<'_>,
    ) -> (Result<Invocation, InvocationError>, bool) {
        let ways = place.told().prefixed_prompts(&instructions.prompt, &place.step().markers.value);
        let mut built = ways.into_iter().map(|PrefixedPrompt { prompt, has_message }| {
            let opened = AgentInstructions { prompt, ..instructions.clone() };
            (self.invoke(direct, &opened, place), has_message)
        });
        let is_short = |built: &Result<Invocation, InvocationError>| {
            !matches!(built, Err(InvocationError::PromptTooLong { .. }))
        };
        let fitting = built.find(|(built, _)| is_short(built));
        fitting.unwrap_or_else(|| (self.invoke(direct, instructions, place), true))
    }

    /// Notes that a person's messages are not where they should be.
    fn doubt_unless(&mut self, has_message: bool, place: &AgentCommandContext<'_>) {
        let given = &place.state.steps[place.unit.step - 1].given;
        self.doubt = (!has_message).then(|| undelivered_warning(given, MESSAGE));
    }

    fn invoke(
        &self,
        direct: &DirectSpawn,
        instructions: &AgentInstructions,
        place: &AgentCommandContext<'_>,
    ) -> Result<Invocation, InvocationError> {
        let args: Vec<String> = place.step().args.iter().map(|arg| arg.value.clone()).collect();
        let inherited = |name: &str| {
            let known = self.environment.iter().find(|(known, _)| known == name);
            known.map(|(_, value)| value.clone())
        };
        invocation(&InvocationRequest {
            direct,
            instructions,
            args: &args,
            budget: place.state.budget_left(place.unit.step),
            directory: &self.directory,
            scratch: &AgentFiles::directory(place.scratch, place.unit),
            inherited: &inherited,
            host: place.host,
        })
    }

    pub(crate) fn command(&self) -> SpawnCommand<'_> {
        SpawnCommand {
            program: &self.program,
            args: &self.args,
            env: &self.environment,
            directory: &self.directory,
            stdin: self.files.stdin().map_or(SpawnStdin::Null, |file| SpawnStdin::Fd(file.as_fd())),
        }
    }
}

/// Where in a run an agent is started.
struct AgentCommandContext<'a> {
    unit: UnitId,
    state: &'a RunState,
    inherited: &'a [(OsString, OsString)],
    /// A directory for files of ours.
    scratch: &'a Path,
    /// Programs of ours, which what is inherited has in front of its PATH already.
    tools: Option<&'a Path>,
    recordings: &'a dyn Recordings,
    host: &'a HostFacts,
}

impl AgentCommandContext<'_> {
    fn step(&self) -> &PlanStep {
        &self.state.plan.steps[self.unit.step - 1]
    }

    /// What the agent is told before its prompt.
    fn told(&self) -> PromptPrefix {
        PromptPrefix::for_step(self.state, self.unit.step)
    }
}

/// What an agent inherits, with the variables that the user gives it.
fn environment(
    kind: &AgentKind,
    state: &RunState,
    place: &AgentCommandContext<'_>,
) -> Vec<(OsString, OsString)> {
    let mut environment = place.inherited.to_vec();
    // Who asks the environment where it is must not be told where we are.
    set(&mut environment, "PWD", state.plan.working_directory.clone());
    for (name, value) in &kind.env().0 {
        set(&mut environment, name, value.clone());
    }
    // Whoever gives an agent a PATH does not mean to hide our programs from it.
    if let Some(tools) = place.tools.filter(|_| kind.env().0.contains_key("PATH")) {
        put_first(&mut environment, tools);
    }
    environment
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

/// The variables that say to every agent where it is in the run.
pub const AGENT_VARIABLES: [&str; 5] = [
    "FORKHESTRA_RUN_ID",
    "FORKHESTRA_AGENT",
    "FORKHESTRA_STEP",
    "FORKHESTRA_ITERATION",
    "FORKHESTRA_MAX_ITERATIONS",
];

/// What every agent is told about its place in the run.
fn own_variables(
    unit: UnitId,
    step: &PlanStep,
    state: &RunState,
) -> impl Iterator<Item = (&'static str, String)> {
    let most = step.iterations.map_or(1, forkhestra_core::text::count::Count::get);
    AGENT_VARIABLES.into_iter().zip([
        state.run.to_string(),
        step.agent.name.clone(),
        unit.step.to_string(),
        unit.iteration.to_string(),
        most.to_string(),
    ])
}

/// The ids of the runs that we are in, and our own.
fn run_ids(inherited: &[(OsString, OsString)], own: &str) -> OsString {
    let outer = inherited.iter().find(|(name, _)| name == RUN_TAG).map(|(_, ids)| ids);
    match outer.filter(|ids| !ids.is_empty()) {
        Some(ids) => [ids, OsStr::new(own)].join(OsStr::new(":")),
        None => own.into(),
    }
}

pub(crate) fn set(
    environment: &mut Vec<(OsString, OsString)>,
    name: &str,
    value: impl Into<OsString>,
) {
    environment.retain(|(known, _)| known != name);
    environment.push((name.into(), value.into()));
}

fn not_so(why: &InvocationError) -> AgentEnd {
    impossible(why.to_string())
}

fn impossible(reason: String) -> AgentEnd {
    AgentEnd::NotStarted { reason, transient: false }
}

#[cfg(test)]
mod tests;
