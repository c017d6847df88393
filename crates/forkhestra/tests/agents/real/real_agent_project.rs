//! A project with a real agent and a scripted model.

use std::process::Command;

use serde_json::{Value, json};
use testkit::{AgentClient, CommandOutput, InstalledAgents, ModelServer, ModelTurn};

use crate::support::{AgentProject, ObservedRun};

/// A project, an agent called `worker`, and its model.
pub(crate) struct RealAgentProject {
    pub(crate) world: AgentProject,
    pub(crate) server: ModelServer,
    environment: Vec<(String, String)>,
}

impl RealAgentProject {
    /// Returns none, with a message, if the real agents are not installed.
    pub(crate) fn new(agent: AgentClient, turns: Vec<ModelTurn>) -> Option<Self> {
        Self::with(agent, &json!({}), turns)
    }

    /// The same with additional fields in the definition of the agent.
    pub(crate) fn with(agent: AgentClient, fields: &Value, turns: Vec<ModelTurn>) -> Option<Self> {
        Self::with_server(agent, fields, ModelServer::start(turns))
    }

    /// The same with a model server of the caller.
    pub(crate) fn with_server(
        agent: AgentClient,
        fields: &Value,
        server: ModelServer,
    ) -> Option<Self> {
        let agents = InstalledAgents::find()?;
        let mut worker = json!({
            "backend": agent.name(), "model": agent.model(), "systemPromptText": "You are a worker.",
        });
        for (key, value) in fields.as_object().expect("an object was given") {
            worker[key] = value.clone();
        }
        let config = json!({ "agents": { "worker": worker }, "chains": {} });
        let project = AgentProject::with_config(&config.to_string(), &[]);
        let mut environment = agents.environment(agent, &server, &project.env.home());
        let variable = format!("{}_PATH", agent.name().to_uppercase());
        let program = agents.program(agent).to_str().expect("a plain path").to_owned();
        environment.push((variable, program));
        Some(Self { world: project, server, environment })
    }

    /// Points another agent at the same model server.
    pub(crate) fn with_other_agent(mut self, agent: AgentClient) -> Self {
        let agents = InstalledAgents::find().expect("the first agent was found");
        let known: Vec<String> = self.environment.iter().map(|(name, _)| name.clone()).collect();
        let environment = agents.environment(agent, &self.server, &self.world.env.home());
        self.environment.extend(environment.into_iter().filter(|(name, _)| !known.contains(name)));
        let program = agents.program(agent).to_str().expect("a plain path").to_owned();
        self.set(&format!("{}_PATH", agent.name().to_uppercase()), &program)
    }

    /// Adds a variable to the environment of the agent.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.environment.retain(|(known, _)| known != name);
        if !value.is_empty() {
            self.environment.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.world.command(args);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> CommandOutput {
        self.world.env.output_of(&mut self.command(args))
    }

    pub(crate) fn start(&self, args: &[&str]) -> ObservedRun<'_> {
        self.world.start_command(self.command(args))
    }

    /// The outcome class of each finished iteration.
    pub(crate) fn outcomes(&self) -> Vec<String> {
        let finished = self.world.all("iteration_finished");
        let class = |event: &Value| event["heard"]["outcome"]["class"].as_str().map(str::to_owned);
        finished.iter().map(|event| class(event).unwrap_or_default()).collect()
    }

    /// The reason why the step ended.
    pub(crate) fn reason(&self) -> String {
        let finished = self.world.all("step_finished");
        let reason = finished.last().and_then(|event| event["reason"].as_str());
        reason.unwrap_or_default().to_owned()
    }
}
