//! `build-all` from `init` to the last task, on a machine with only a global git identity:
//! the built-in agents on each of the real programs.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use testkit::{
    AgentClient, CommandOutput, InstalledAgents, LeftoverProcesses, ModelServer, TestEnv,
    report_skipped, task_model,
};

use super::for_each_agent;
use crate::FORKHESTRA;

for_each_agent!(
    build_all_plans_builds_and_commits,
    build_all_finishes_in_a_sandbox,
    plan_finishes_under_guard,
    plan_finishes_in_a_strict_sandbox
);

/// A project of a new user.
pub(super) struct NewProject {
    pub(super) env: TestEnv,
    server: ModelServer,
    environment: Vec<(String, String)>,
    _leftovers: LeftoverProcesses,
}

impl NewProject {
    /// The user's git identity is in `~/.gitconfig`, and our programs are in a directory that is
    /// only on the PATH of the environment. Returns none, with a message, if the real agents are
    /// not installed.
    pub(super) fn new(agent: AgentClient, server: ModelServer) -> Option<Self> {
        let agents = InstalledAgents::find()?;
        let env = TestEnv::new();
        env.write_home(".gitconfig", "[user]\n\tname = New User\n\temail = new@example.org\n");
        let ours = Path::new(FORKHESTRA).parent().expect("it is in a directory");
        for program in ["forkhestra", "forge-tasks"] {
            symlink(ours.join(program), env.bin().join(program)).expect("the directory is ours");
        }
        let mut environment = agents.environment(agent, &server, &env.home());
        for (name, value) in &mut environment {
            if name == "PATH" {
                *value = format!("{}:{value}", env.bin().display());
            }
        }
        let leftovers = LeftoverProcesses::of(env.root().to_owned());
        let project = Self { env, server, environment, _leftovers: leftovers };
        project.done("git", &["init", "-q", "-b", "main"]);
        project.done("forkhestra", &["init", "--backend", agent.name()]);
        project.env.write("forge/orch/specs/PLAN.md", "# Plan\n\nSay hello, then bye.\n");
        project.done("git", &["add", "-A"]);
        project.done("git", &["commit", "-q", "-m", "Begin"]);
        Some(project)
    }

    /// A command in the project with the PATH of the user.
    pub(super) fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = match program {
            "forkhestra" => self.env.command(FORKHESTRA),
            "forge-tasks" => self.env.command(self.env.bin().join("forge-tasks")),
            system => self.env.command(Path::new("/usr/bin").join(system)),
        };
        command.args(args).env(LeftoverProcesses::MARK, self.env.root());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(super) fn run(&self, program: &str, args: &[&str]) -> CommandOutput {
        self.env.output_of(&mut self.command(program, args))
    }

    /// Reads the events of the run as they are written, until a line contains the text.
    pub(super) fn followed_until(&self, text: &str) -> String {
        let mut command = self.command("forkhestra", &["events", "-f"]);
        let mut reader = command.stdout(Stdio::piped()).spawn().expect("it can be started");
        let mut lines = String::new();
        for line in BufReader::new(reader.stdout.take().expect("it is a pipe")).lines() {
            let line = line.expect("it can be read");
            lines += &format!("{line}\n");
            if line.contains(text) {
                break;
            }
        }
        reader.kill().expect("it follows the run, or has ended");
        reader.wait().expect("it can be awaited");
        assert!(lines.contains(text), "{lines}");
        lines
    }

    /// What agents have sent to the model.
    pub(super) fn requests(&self) -> Vec<String> {
        self.server.main_requests().iter().map(|request| request.body.to_string()).collect()
    }

    /// Runs a program that must succeed, and returns its standard output.
    #[track_caller]
    pub(super) fn done(&self, program: &str, args: &[&str]) -> String {
        let output = self.run(program, args);
        assert_eq!(output.code, Some(0), "{program} {args:?}: {output}");
        output.stdout
    }
}

#[test]
fn the_cost_of_codex_is_that_of_the_model_in_its_settings() {
    let server = ModelServer::start_with_responder(task_model);
    let Some(project) = NewProject::new(AgentClient::Codex, server) else { return };
    let output = project.run("forkhestra", &["--chain", "plan", "--max-cost", "20"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!output.to_string().contains("cost unknown"), "{output}");
    project.env.write_home(".codex/config.toml", "# no model\n");
    let output = project.run("forkhestra", &["--chain", "plan", "--max-cost", "20"]);
    assert_eq!(output.code, Some(2), "{output}");
    let refusal = "the cost of step 1 is limited, but cannot be known: its model is not known";
    assert!(output.stderr.contains(refusal), "{output}");
}

fn build_all_plans_builds_and_commits(agent: AgentClient) {
    build_all(agent, "off");
}

fn build_all_finishes_in_a_sandbox(agent: AgentClient) {
    let tried = Command::new("bwrap").args(["--ro-bind", "/", "/", "true"]).output();
    if !tried.is_ok_and(|output| output.status.success()) {
        report_skipped("bubblewrap does not work here");
        return;
    }
    build_all(agent, "workspace");
}

fn plan_finishes_under_guard(agent: AgentClient) {
    plan_in(agent, "guard");
}

fn plan_finishes_in_a_strict_sandbox(agent: AgentClient) {
    plan_in(agent, "strict");
}

/// Runs the planner in a sandbox of this level, if it is possible here.
fn plan_in(agent: AgentClient, level: &str) {
    let Some(project) = NewProject::new(agent, ModelServer::start_with_responder(task_model))
    else {
        return;
    };
    let mut doctor = project.env.command(FORKHESTRA);
    doctor.env_remove("FORKHESTRA_SANDBOX").args(["doctor", "--json"]);
    if !project.env.output_of(&mut doctor).stdout.contains(&format!("`{level}` is possible")) {
        report_skipped(&format!("the sandbox `{level}` is not possible here"));
        return;
    }
    // The model server is on this machine.
    let address = project.server.url().replace("http://", "");
    let config =
        format!(r#"{{"sandbox": {{"hosts": ["{address}"], "env": ["SCRIPTED_MODEL_KEY"]}}}}"#);
    project.env.write_home(".config/forkhestra/chains.json", config);
    let mut command = project.command("forkhestra", &["--chain", "plan"]);
    let output = project.env.output_of(command.env("FORKHESTRA_SANDBOX", level));
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains(&format!("[forkhestra] Sandbox: {level}")), "{output}");
    let tasks = project.done("forge-tasks", &["list", "--all", "--plain"]);
    assert_eq!(tasks.lines().count(), 2, "{tasks}: {output}");
}

/// Runs `build-all` in a sandbox of this level.
fn build_all(agent: AgentClient, level: &str) {
    let Some(project) = NewProject::new(agent, ModelServer::start_with_responder(task_model))
    else {
        return;
    };
    let mut command = project.command("forkhestra", &["--chain", "build-all"]);
    let output = project.env.output_of(command.env("FORKHESTRA_SANDBOX", level));
    assert_eq!(output.code, Some(0), "{output}");
    let named = output.stdout.contains(&format!("[forkhestra] Sandbox: {level}"));
    assert_eq!(named, level != "off", "{output}");
    // What agent programs create by themselves is no reason for a warning.
    assert!(!output.stderr.contains("changed during the run"), "{output}");
    let request = project.server.main_requests()[0].body.to_string();
    assert!(request.contains("You never write code, and you never change the specs."), "{request}");
    assert!(request.contains("You run unattended under forkhestra."), "{request}");
    let tasks = project.done("forge-tasks", &["list", "--all", "--plain"]);
    let tasks: Vec<&str> = tasks.lines().collect();
    assert_eq!(tasks.len(), 2, "{tasks:?}: {output}");
    assert!(tasks.iter().all(|task| task.contains("| Done |")), "{tasks:?}: {output}");
    let subjects = project.done("git", &["log", "--reverse", "--format=%s by %an <%ae>"]);
    let expected = ["Begin", "Plan two tasks", "TASK-001: build it", "TASK-002: build it"]
        .map(|subject| format!("{subject} by New User <new@example.org>\n"));
    assert_eq!(subjects, expected.concat(), "{output}");
    assert_eq!(project.done("git", &["status", "--porcelain"]), "", "{output}");
    assert!(output.stdout.contains("3 commits"), "{output}");
    assert!(!output.stdout.contains("cost unknown"), "{output}");
    let is_built = |task: &str| fs::exists(project.env.project().join(task)).unwrap_or_default();
    assert!(is_built("TASK-001.txt") && is_built("TASK-002.txt"), "{output}");
}
