//! Tests of the command lines of all agents, field by field.

mod claude;
mod codex;
mod gemini;
mod invocation_errors;
mod opencode;

use std::ffi::OsString;
use std::path::Path;

use forkhestra_core::config::{self, Backend, ConfigLayer, ConfigLayerKind, ConfigLayers};
use forkhestra_core::cost::Dollars;
use forkhestra_core::dsl::Dsl;
use forkhestra_core::plan::{
    self, AgentKind, DirectSpawn, FileState, HostEnvironment, PlanRequest, PlanStep,
    ProgramLocation, RunTarget,
};

use super::{
    AgentInstructions, HostFacts, Invocation, InvocationError, InvocationRequest, invocation,
};

/// A plan with an agent `a` of this configuration.
pub(crate) fn plan(agent: &str, chain: &str) -> (PlanStep, DirectSpawn) {
    let text = format!(r#"{{"agents": {{"a": {agent}}}, "chains": {{}}}}"#);
    let reading = config::read("chains.json", text.into());
    let config = reading.config.expect("the config is right");
    let layer = ConfigLayer { kind: ConfigLayerKind::Project, source: reading.source, config };
    let layers = ConfigLayers { files: vec![layer], looked_for: Vec::new() };
    let request =
        PlanRequest::new(RunTarget::Dsl(Dsl::parse(chain).expect("this is a chain")), "/work");
    let planned = plan::build(&request, &layers, &CommandHost).expect("nothing is missing");
    let step = planned.plan.steps.into_iter().next().expect("the chain has a step");
    let AgentKind::Direct(direct) = step.agent.kind.clone() else {
        panic!("the agent has no system prompt");
    };
    (step, direct)
}

/// A step of an agent with a system prompt.
pub(super) fn step(chain: &str) -> PlanStep {
    plan(r#"{"systemPromptText": ""}"#, chain).0
}

struct CommandHost;

impl HostEnvironment for CommandHost {
    fn locate(&self, program: &str) -> ProgramLocation {
        ProgramLocation::Found(format!("/bin/{program}"))
    }

    fn file(&self, _: &str) -> FileState {
        FileState::Readable
    }

    fn prompt_file(&self, _: &str) -> FileState {
        FileState::Readable
    }

    fn task_database(&self) -> Option<String> {
        None
    }
}

/// An invocation request for an agent with an empty configuration.
struct CommandCase {
    direct: DirectSpawn,
    instructions: AgentInstructions,
    args: Vec<String>,
    budget: Option<Dollars>,
    inherited: Vec<(&'static str, &'static str)>,
    host: HostFacts,
}

impl CommandCase {
    fn new(backend: Backend) -> Self {
        let (_, mut direct) = plan(r#"{"systemPromptText": ""}"#, "a");
        direct.backend = backend;
        Self {
            direct,
            instructions: AgentInstructions { system_prompt: "WHO".into(), prompt: "DO".into() },
            args: Vec::new(),
            budget: None,
            inherited: Vec::new(),
            host: HostFacts::default(),
        }
    }

    fn prompt(mut self, prompt: impl Into<String>) -> Self {
        self.instructions.prompt = prompt.into();
        self
    }

    fn system_prompt(mut self, text: impl Into<String>) -> Self {
        self.instructions.system_prompt = text.into();
        self
    }

    fn args(mut self, args: &[&str]) -> Self {
        self.args = strings(args);
        self
    }

    fn with(mut self, change: impl FnOnce(&mut DirectSpawn)) -> Self {
        change(&mut self.direct);
        self
    }

    fn try_build(&self) -> Result<Invocation, InvocationError> {
        let inherited = |name: &str| {
            let known = self.inherited.iter().find(|(known, _)| *known == name);
            known.map(|(_, value)| OsString::from(value))
        };
        invocation(&InvocationRequest {
            direct: &self.direct,
            instructions: &self.instructions,
            args: &self.args,
            budget: self.budget,
            directory: Path::new("/work"),
            scratch: Path::new("/scratch"),
            inherited: &inherited,
            host: &self.host,
        })
    }

    #[track_caller]
    fn build(&self) -> Invocation {
        self.try_build().expect("it can be started")
    }

    /// The arguments, joined by spaces.
    #[track_caller]
    fn line(&self) -> String {
        self.build().args.join(" ")
    }
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Prompts that have caused problems.
const UNUSUAL_TEXTS: [&str; 8] = [
    "-x",
    "--help",
    "/clear up",
    " /clear",
    "it's \"quoted\" $HOME `x` \\",
    "two\nlines\n",
    "@file and a@b.de",
    "-",
];

/// The longest possible argument, and one byte more.
fn longest() -> (String, String) {
    ("x".repeat(131_071), "x".repeat(131_072))
}
