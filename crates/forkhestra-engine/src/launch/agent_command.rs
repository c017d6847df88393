//! The command line and environment of an agent.

mod prompt_prefix;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{Fingerprint, ProcessEnd};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::{
    AgentKind, AgentProgram, DirectSpawn, Plan, PlanAgent, PlanStep, ProgramLocation, Prompt,
    Replay,
};

use crate::agent::command::{
    AgentInstructions, HostFacts, Invocation, InvocationError, InvocationRequest, invocation,
    read_text,
};
use crate::fnv_hasher::hash;
use crate::launch::agent_files::AgentFiles;
use crate::launch::tools_directory::ToolsDirectory;
use crate::launch::workplace_settings::WorkplaceSettings;
use crate::ports::{EnginePorts, OwnProgram, Recordings, ReplayedUnit};
use crate::process::{
    ChildProcesses, KeeperCommand, SpawnCommand, SpawnError, SpawnStdin, SpawnedProcess,
};
use crate::sandbox::{AgentSandboxRequest, ProcessSandbox, agent_sandbox};

use self::prompt_prefix::{MAX_ARGUMENT_BYTES, PrefixedPrompt, PromptPrefix, undelivered_warning};

/// The variable that tags all processes of a run. It lists the ids of all enclosing runs, outermost
/// first, separated by colons, since an agent may start a run itself.
pub const RUN_TAG: &str = "FORKHESTRA_RUN_IDS";

/// The variable with the feedback on the last iteration.
pub(crate) const FEEDBACK: &str = "FORKHESTRA_FEEDBACK";

/// The variable with the operator's messages.
pub(crate) const MESSAGE: &str = "FORKHESTRA_MESSAGE";

/// The subcommand that replays one attempt of an iteration.
const PLAY_VERB: &str = "play-recording";

/// The complete command of an agent.
#[derive(Debug)]
pub(crate) struct AgentCommand {
    program: PathBuf,
    args: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    directory: PathBuf,
    /// Its standard input, and other files that it needs while it runs.
    pub(crate) files: AgentFiles,
    /// The fingerprint of its prompt.
    pub(crate) prompt: Option<Fingerprint>,
    /// The sandbox, if it runs in one.
    pub(crate) sandbox: Option<ProcessSandbox>,
    /// The keeper of its processes, if it is started in a lane.
    keeper: Option<KeeperCommand>,
    /// Notices for the operator.
    pub(crate) warnings: Vec<String>,
}

impl AgentCommand {
    /// Builds the command of an agent. The error gives the reason why that is impossible.
    pub(crate) fn new(
        unit: UnitId,
        state: &RunState,
        ports: &EnginePorts,
        place: &WorkplaceSettings,
    ) -> Result<Self, ProcessEnd> {
        let EnginePorts { own_program, recordings, host, .. } = ports;
        let (own_program, recordings) = (own_program.as_ref(), &**recordings);
        let mut agent =
            Self::at(&AgentCommandContext { unit, state, place, own_program, recordings, host })?;
        agent.prepare_sandbox(unit, state, ports, place)?;
        Ok(agent)
    }

    /// Prepares the sandbox of the step, if it has one.
    fn prepare_sandbox(
        &mut self,
        unit: UnitId,
        state: &RunState,
        ports: &EnginePorts,
        place: &WorkplaceSettings,
    ) -> Result<(), ProcessEnd> {
        let step = &state.plan.steps[unit.step - 1];
        let Some(sandbox) = step.active_sandbox() else { return Ok(()) };
        let sandbox = agent_sandbox(&AgentSandboxRequest {
            plan: &state.plan,
            directory: &place.directory,
            step,
            sandbox,
            host: &place.sandbox,
            environment: &self.environment,
            user_environment: &ports.environment,
            scratch: &place.scratch,
            files: &AgentFiles::directory(&place.scratch, unit),
            tools: self.files.tools.as_ref().map(ToolsDirectory::path),
            state: &ports.state,
        })
        .map_err(|error| ProcessEnd::NotStarted {
            reason: format!("its sandbox cannot be prepared: {error}"),
            transient: true,
        })?;
        sandbox.adjust(&mut self.environment);
        self.sandbox = Some(sandbox);
        Ok(())
    }

    /// Starts the agent, in its sandbox if it has one.
    pub(crate) fn start(&self, children: &ChildProcesses) -> Result<SpawnedProcess, SpawnError> {
        match &self.sandbox {
            Some(sandbox) => sandbox.start(children, &self.command()),
            None => children.start(&self.command()),
        }
    }

    fn at(context: &AgentCommandContext<'_>) -> Result<Self, ProcessEnd> {
        let AgentCommandContext { unit, state, place, .. } = *context;
        let PlanAgent { kind, replay, .. } = &state.plan.steps[unit.step - 1].agent;
        let Some(ProgramLocation::Found(path)) = kind.location() else {
            return Err(impossible(format!("`{}` was not found", kind.command())));
        };
        let directory = place.directory.clone();
        let agent = Self {
            program: path.into(),
            args: Vec::new(),
            environment: environment(kind, place),
            directory,
            files: AgentFiles::none(),
            prompt: None,
            sandbox: None,
            keeper: place.keeper.clone(),
            warnings: Vec::new(),
        };
        let mut agent = match (replay, kind) {
            (Some(replay), _) => agent.replay_command(replay, context)?,
            (None, AgentKind::Program(program)) => agent.program_command(program, context)?,
            (None, AgentKind::Direct(direct)) => agent.direct_command(direct, context)?,
            (None, AgentKind::Question(_)) => {
                return Err(impossible("a person is no program".to_owned()));
            }
        };
        let group =
            state.plan.enclosing_repeated_groups(unit.step).first().map(|group| group.number);
        let of_round = group.and_then(|group| round_variables(group, state)).into_iter().flatten();
        for (name, value) in own_variables(unit, context.step(), state).chain(of_round) {
            set(&mut agent.environment, name, value);
        }
        // Variables of an enclosing run are not passed to agents.
        agent.environment.retain(|(name, _)| name != FEEDBACK && name != MESSAGE);
        let PromptPrefix { message, feedback } = context.prompt_prefix();
        let variables = [(MESSAGE, message), (FEEDBACK, feedback)];
        let variables =
            variables.into_iter().filter_map(|(name, text)| Some((name.into(), text?.into())));
        agent.environment.extend(variables);
        let tag = run_ids(&place.environment, state.run.as_str());
        set(&mut agent.environment, RUN_TAG, tag);
        agent.add_own_program(context);
        Ok(agent)
    }

    /// Puts forkhestra's own program first on `PATH`.
    fn add_own_program(&mut self, context: &AgentCommandContext<'_>) {
        let Some(own) = context.own_program else { return };
        match ToolsDirectory::prepare(&context.place.scratch, own) {
            Ok(tools) => {
                tools.prepend_to_path(&mut self.environment);
                self.files.tools = Some(tools);
            }
            Err(error) => self.warnings.push(format!(
                "agents have to find `{}` by themselves: no directory can be made for it: {error}",
                own.name
            )),
        }
    }

    /// The command that replays a recording. It receives no prompt.
    fn replay_command(
        mut self,
        replay: &Replay,
        context: &AgentCommandContext<'_>,
    ) -> Result<Self, ProcessEnd> {
        let unit = context.unit;
        let ReplayedUnit { recorded, own_paths } =
            context.recordings.replayed_unit(replay, unit, &self.directory).map_err(impossible)?;
        let speed = replay.speed.to_string();
        self.args = vec![PLAY_VERB.into(), recorded.into(), "--speed".into(), speed.into()];
        if unit.attempt > 1 {
            self.args.push("--again".into());
        }
        // A replay cannot react to messages.
        self.warn_unless(context.prompt_prefix().message.is_none(), context);
        self.args
            .extend(own_paths.into_iter().flat_map(|context| ["--ours".into(), context.into()]));
        Ok(self)
    }

    /// The command of a program: its arguments and the prompt.
    fn program_command(
        mut self,
        _: &AgentProgram,
        context: &AgentCommandContext<'_>,
    ) -> Result<Self, ProcessEnd> {
        let step = context.step();
        let prompt = read_text(&step.prompt.value, context.user_directory(), "prompt")
            .map_err(|why| invocation_failure(&why))?;
        self.args = step.args.iter().map(|arg| arg.value.clone().into()).collect();
        self.prompt = prompt.as_ref().map(of_prompt);
        if let Some(prompt) = prompt {
            let mut ways =
                context.prompt_prefix().prefixed_prompts(&prompt, &step.markers.value).into_iter();
            let opened = ways.find(|way| way.prompt.len() <= MAX_ARGUMENT_BYTES);
            // The system rejects an argument that is too long by itself.
            let opened = opened.unwrap_or(PrefixedPrompt { prompt, has_message: true });
            self.warn_unless(opened.has_message, context);
            self.args.push(opened.prompt.into());
        }
        Ok(self)
    }

    /// The command of a supported agent, in its own syntax.
    fn direct_command(
        mut self,
        direct: &DirectSpawn,
        context: &AgentCommandContext<'_>,
    ) -> Result<Self, ProcessEnd> {
        let step = context.step();
        let instructions = AgentInstructions::read(step, direct, context.user_directory())
            .map_err(|why| invocation_failure(&why))?;
        let scratch = AgentFiles::directory(&context.place.scratch, context.unit);
        let (built, has_message) = self.open_with_most(direct, &instructions, context);
        self.warn_unless(has_message, context);
        let Invocation { args, env, stdin, files } =
            built.map_err(|why| invocation_failure(&why))?;
        self.args = args.into_iter().map(OsString::from).collect();
        for (name, value) in env {
            set(&mut self.environment, &name, value);
        }
        self.files = AgentFiles::write(&scratch, &files, stdin.as_deref()).map_err(|error| {
            let reason = format!("a file for the agent cannot be written: {error}");
            ProcessEnd::NotStarted { reason, transient: true }
        })?;
        self.prompt = Some(of_instructions(&instructions));
        Ok(self)
    }

    /// Puts as much in front of the prompt as fits. Also returns whether the operator's messages
    /// are included.
    fn open_with_most(
        &self,
        direct: &DirectSpawn,
        instructions: &AgentInstructions,
        context: &AgentCommandContext<'_>,
    ) -> (Result<Invocation, InvocationError>, bool) {
        let ways = context
            .prompt_prefix()
            .prefixed_prompts(&instructions.prompt, &context.step().markers.value);
        let mut built = ways.into_iter().map(|PrefixedPrompt { prompt, has_message }| {
            let opened = AgentInstructions { prompt, ..instructions.clone() };
            (self.invoke(direct, &opened, context), has_message)
        });
        let is_short = |built: &Result<Invocation, InvocationError>| {
            !matches!(built, Err(InvocationError::PromptTooLong { .. }))
        };
        let fitting = built.find(|(built, _)| is_short(built));
        fitting.unwrap_or_else(|| (self.invoke(direct, instructions, context), true))
    }

    /// Notes that the operator's messages could not be put into the prompt.
    fn warn_unless(&mut self, has_message: bool, context: &AgentCommandContext<'_>) {
        let given = &context.state.steps[context.unit.step - 1].given;
        self.warnings.extend((!has_message).then(|| undelivered_warning(given, MESSAGE)));
    }

    fn invoke(
        &self,
        direct: &DirectSpawn,
        instructions: &AgentInstructions,
        context: &AgentCommandContext<'_>,
    ) -> Result<Invocation, InvocationError> {
        let args: Vec<String> = context.step().args.iter().map(|arg| arg.value.clone()).collect();
        let inherited = |name: &str| {
            let known = self.environment.iter().find(|(known, _)| known == name);
            known.map(|(_, value)| value.clone())
        };
        invocation(&InvocationRequest {
            direct,
            instructions,
            args: &args,
            budget: context.state.budget_left(context.unit.step),
            directory: &self.directory,
            scratch: &AgentFiles::directory(&context.place.scratch, context.unit),
            inherited: &inherited,
            host: context.host,
        })
    }

    pub(crate) fn command(&self) -> SpawnCommand<'_> {
        SpawnCommand {
            program: &self.program,
            args: &self.args,
            env: &self.environment,
            directory: &self.directory,
            stdin: self.files.stdin().map_or(SpawnStdin::Null, |file| SpawnStdin::Fd(file.as_fd())),
            keeper: self.keeper.as_ref(),
        }
    }
}

/// The fingerprints of prompts that are in files, by the number of the step. A file that cannot be read has none.
pub fn prompt_fingerprints(plan: &Plan) -> BTreeMap<usize, Fingerprint> {
    let directory = Path::new(&plan.working_directory);
    let is_file = |prompt: &Prompt| matches!(prompt, Prompt::File(_));
    let mut found = BTreeMap::new();
    for step in plan.steps.iter().filter(|step| step.agent.replay.is_none()) {
        let fingerprint = match &step.agent.kind {
            AgentKind::Program(_) if is_file(&step.prompt.value) => {
                read_text(&step.prompt.value, directory, "prompt").ok().flatten().map(of_prompt)
            }
            AgentKind::Direct(direct)
                if is_file(&step.prompt.value) || is_file(&direct.system_prompt.value) =>
            {
                AgentInstructions::read(step, direct, directory).ok().as_ref().map(of_instructions)
            }
            AgentKind::Program(_) | AgentKind::Direct(_) | AgentKind::Question(_) => None,
        };
        found.extend(fingerprint.map(|fingerprint| (step.number, fingerprint)));
    }
    found
}

fn of_prompt(text: impl AsRef<str>) -> Fingerprint {
    Fingerprint(hash(text.as_ref().as_bytes()))
}

fn of_instructions(AgentInstructions { system_prompt, prompt }: &AgentInstructions) -> Fingerprint {
    of_prompt(format!("{system_prompt}\0{prompt}"))
}

/// The position in the run for which a command is built.
struct AgentCommandContext<'a> {
    unit: UnitId,
    state: &'a RunState,
    /// Where the agent works.
    place: &'a WorkplaceSettings,
    own_program: Option<&'a OwnProgram>,
    recordings: &'a dyn Recordings,
    host: &'a HostFacts,
}

impl AgentCommandContext<'_> {
    fn step(&self) -> &PlanStep {
        &self.state.plan.steps[self.unit.step - 1]
    }

    /// The user's own working directory, from which prompts are read.
    fn user_directory(&self) -> &Path {
        Path::new(&self.state.plan.working_directory)
    }

    /// The text in front of the prompt.
    fn prompt_prefix(&self) -> PromptPrefix {
        PromptPrefix::for_step(self.state, self.unit.step)
    }
}

/// The inherited environment with the variables that the user configured for the agent.
fn environment(kind: &AgentKind, place: &WorkplaceSettings) -> Vec<(OsString, OsString)> {
    let mut environment = place.environment.clone();
    environment.retain(|(name, _)| ROUND_VARIABLES.iter().all(|known| name != known));
    // `PWD` must name the agent's working directory and not that of the runner.
    set(&mut environment, "PWD", &place.directory);
    for (name, value) in &kind.env().0 {
        set(&mut environment, name, value.clone());
    }
    environment
}

/// The environment of a process that is not an agent but must be tagged as well.
pub(crate) fn tagged(
    inherited: &[(OsString, OsString)],
    state: &RunState,
) -> Vec<(OsString, OsString)> {
    let mut environment = inherited.to_vec();
    set(&mut environment, RUN_TAG, run_ids(inherited, state.run.as_str()));
    environment
}

/// The variables that describe an agent's position in the run.
pub const AGENT_VARIABLES: [&str; 5] = [
    "FORKHESTRA_RUN_ID",
    "FORKHESTRA_AGENT",
    "FORKHESTRA_STEP",
    "FORKHESTRA_ITERATION",
    "FORKHESTRA_MAX_ITERATIONS",
];

/// The variables of an agent in a repeated group: the round, and the most rounds.
pub(crate) const ROUND_VARIABLES: [&str; 2] = ["FORKHESTRA_ROUND", "FORKHESTRA_MAX_ROUNDS"];

/// The values of [`ROUND_VARIABLES`] in a repeated group.
pub(crate) fn round_variables(
    group: usize,
    state: &RunState,
) -> Option<[(&'static str, String); 2]> {
    let group = state.plan.group(group)?;
    let (round, max) = (state.groups.get(group.number - 1)?.round, group.rounds?);
    let [round_name, max_name] = ROUND_VARIABLES;
    Some([(round_name, round.to_string()), (max_name, max.to_string())])
}

/// The number of the last iteration that a step (one-based) may have in this round. Iteration
/// numbers continue in each round.
pub(crate) fn last_iteration(state: &RunState, step: usize) -> u32 {
    let earlier = state.step(step).map_or(0, |step| step.finished_before_round);
    state.last_iteration_number(step).unwrap_or_else(|| earlier.saturating_add(1))
}

/// The values of [`AGENT_VARIABLES`] for an agent.
fn own_variables(
    unit: UnitId,
    step: &PlanStep,
    state: &RunState,
) -> impl Iterator<Item = (&'static str, String)> {
    let limit = last_iteration(state, unit.step);
    AGENT_VARIABLES.into_iter().zip([
        state.run.to_string(),
        step.agent.name.clone(),
        unit.step.to_string(),
        unit.iteration.to_string(),
        limit.to_string(),
    ])
}

/// The ids of the enclosing runs and of this run.
pub(crate) fn run_ids(inherited: &[(OsString, OsString)], own: &str) -> OsString {
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

fn invocation_failure(why: &InvocationError) -> ProcessEnd {
    impossible(why.to_string())
}

fn impossible(reason: String) -> ProcessEnd {
    ProcessEnd::NotStarted { reason, transient: false }
}

#[cfg(test)]
mod tests;
