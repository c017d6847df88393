//! One isolated run of one agent.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use forkhestra_core::config::Backend;
use forkhestra_core::plan::SANDBOX_VARIABLE;
use model_server::{AgentClient, HttpRequest, ModelServer, ModelTurn};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::project::host_facts;
use crate::project::project_location::ProgramEnvironment;

const PROJECT: &str = "project";

/// Time limit of the agent.
const TIME_LIMIT: &str = "60s";

/// How long to wait for the run before it is signalled, and then until it has ended.
const TIMEOUTS: [Duration; 2] = [Duration::from_secs(75), Duration::from_secs(20)];

/// The commands that the scripted model runs in the agent's shell, one in each call. The built-in
/// agents use the same kinds of commands.
const COMMANDS: [&str; 3] = [
    "forge-tasks create 'Try it' --plain",
    "forge-tasks edit TASK-001 --status done --plain",
    "git add -A && git commit -q -m 'Try it'",
];

/// The final message of the scripted model. Its last line is the completion marker.
const FINAL_MESSAGE: &str =
    "This is said by a model that is played on your own machine.\nFORKHESTRA_COMPLETE";

/// The variables that the agent inherits: those it needs to start and to print. None of them can
/// select another model.
const KEPT_VARIABLES: [&str; 8] =
    ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "USER", "LOGNAME", "SHELL"];

/// Proxy address without a listener, which blocks all requests to other machines.
const UNREACHABLE_PROXY: &str = "http://127.0.0.1:9";

/// The result of a trial.
#[derive(Debug, Default)]
pub(super) struct ProbeTrial {
    pub(super) events: Vec<Value>,
    /// The standard error of the run.
    pub(super) stderr: String,
    /// Number of requests to the model.
    pub(super) requests: usize,
    /// The work of the agent's shell.
    pub(super) shell: ShellWork,
}

/// The results of the commands in the agent's shell.
#[derive(Debug, Default)]
pub(super) struct ShellWork {
    /// The output of each command that was run.
    pub(super) results: Vec<String>,
    pub(super) has_task: bool,
    pub(super) is_task_done: bool,
    /// `None` if git is not installed.
    pub(super) has_commit: Option<bool>,
}

impl ShellWork {
    fn of(server: &ModelServer, project: &Path) -> Self {
        let requests = server.main_requests();
        let results = requests.iter().map(HttpRequest::tool_results);
        let task = fs::read_dir(project.join("forge/tasks")).ok();
        let task = task.into_iter().flatten().flatten().find_map(|entry| {
            let text = fs::read_to_string(entry.path()).ok()?;
            text.contains("Try it").then_some(text)
        });
        Self {
            results: results.max_by_key(Vec::len).unwrap_or_default(),
            has_task: task.is_some(),
            is_task_done: task.is_some_and(|text| text.contains("status: Done")),
            has_commit: git(project, &["rev-parse", "--verify", "-q", "HEAD"]),
        }
    }
}

impl ProbeTrial {
    /// Starts an agent by an ordinary run and waits for its end.
    pub(super) fn run(
        backend: Backend,
        path: &str,
        environment: &ProgramEnvironment,
    ) -> io::Result<Self> {
        let agent = agent(backend)?;
        let mut turns: Vec<ModelTurn> =
            COMMANDS.iter().map(|command| ModelTurn::new().shell(agent, command)).collect();
        turns.push(ModelTurn::text(FINAL_MESSAGE));
        let server = ModelServer::try_start(turns)?;
        let directory = tempfile::Builder::new().prefix("forkhestra-probe-").tempdir()?;
        let command = command(backend, path, environment, &server, &directory)?;
        let output = wait(command)?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        Ok(Self {
            events: stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            requests: server.main_requests().len(),
            shell: ShellWork::of(&server, &directory.path().join(PROJECT)),
        })
    }
}

/// The command that starts this program in an isolated environment.
fn command(
    backend: Backend,
    path: &str,
    environment: &ProgramEnvironment,
    server: &ModelServer,
    directory: &TempDir,
) -> io::Result<Command> {
    let [home, project, state] = ["home", PROJECT, "state"].map(|name| directory.path().join(name));
    fs::create_dir(&project)?;
    set_up_git(&project, &home, environment)?;
    let agent = agent(backend)?;
    let config = directory.path().join("chains.json");
    write_config(&config, backend, agent)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["run", "probe:1", "--output", "json", "--no-view", "--timeout", TIME_LIMIT]);
    // The provider is on this machine, so there is no reason to wait for it.
    command.args(["--max-wait", "1s"]);
    command.arg("--config").arg(&config).arg("--cwd").arg(&project);
    command.arg("--state-dir").arg(&state);
    let sandbox = backend.facts().root_refusal.map(|refusal| refusal.sandbox_variable);
    command.env_clear().envs(KEPT_VARIABLES.into_iter().chain(sandbox).filter_map(|name| {
        let value: &OsString = environment.variable(name)?;
        Some((name, value))
    }));
    // The model of the probe is no provider, so that `strict` would not let the agent reach it.
    let level = environment.variable(SANDBOX_VARIABLE).filter(|level| *level != "strict");
    command.envs(level.map(|level| (SANDBOX_VARIABLE, level)));
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"] {
        command.env(name, UNREACHABLE_PROXY);
    }
    for name in ["NO_PROXY", "no_proxy"] {
        command.env(name, "127.0.0.1,localhost");
    }
    command.envs(agent.point_at(&server.url(), &home)?);
    command.env(backend.facts().path_variable, path);
    Ok(command)
}

/// Creates an empty repository, and writes the user's identity to the global settings of the
/// isolated home.
fn set_up_git(project: &Path, home: &Path, environment: &ProgramEnvironment) -> io::Result<()> {
    git(project, &["init", "-q"]);
    let Some((name, email)) = host_facts::committer(&environment.current_directory) else {
        return Ok(());
    };
    fs::create_dir_all(home)?;
    let settings = home.join(".gitconfig");
    let Some(settings) = settings.to_str() else { return Ok(()) };
    for (key, value) in [("user.name", name), ("user.email", email)] {
        git(project, &["config", "--file", settings, key, &value]);
    }
    Ok(())
}

/// Whether git succeeds; `None` if it is not installed.
fn git(directory: &Path, args: &[&str]) -> Option<bool> {
    let mut git = Command::new("git");
    git.args(args).current_dir(directory);
    // The trial uses its own repository even if forkhestra was started by a hook of another one.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(name);
    }
    git.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Some(git.status().ok()?.success())
}

fn write_config(path: &Path, backend: Backend, agent: AgentClient) -> io::Result<()> {
    let probe = json!({
        "backend": backend.word(),
        "systemPromptText": "This is a trial. Run the commands.",
        "model": agent.model(),
        "defaultPrompt": "Create a task, close it and commit.",
    });
    let config = json!({ "agents": { "probe": probe }, "chains": {} });
    fs::write(path, config.to_string())
}

/// The client of the model server with the name of the program.
fn agent(backend: Backend) -> io::Result<AgentClient> {
    let mut clients = AgentClient::ALL.into_iter();
    let client = clients.find(|client| client.name() == backend.program());
    client.ok_or_else(|| io::Error::other("the model server does not know it"))
}

/// Waits for a run, which ends all its child processes in any case. A run that exceeds its own
/// limits is signalled.
fn wait(mut command: Command) -> io::Result<Output> {
    // The child stays in this process group, so that Ctrl-C reaches it.
    let child: Child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let pid = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    let waiting = thread::Builder::new().spawn(move || {
        // After a timeout there is no receiver any more.
        let _ = sender.send(child.wait_with_output());
    });
    if let Err(error) = waiting {
        // A failure means that the run has just ended.
        let _ = kill_process(pid, Signal::TERM);
        return Err(error);
    }
    let [first, second] = TIMEOUTS;
    match receiver.recv_timeout(first) {
        Ok(output) => return output,
        Err(RecvTimeoutError::Timeout) => {
            // A failure means that the run has just ended.
            let _ = kill_process(pid, Signal::TERM);
        }
        Err(RecvTimeoutError::Disconnected) => {}
    }
    let late = || io::Error::other("the run around it does not end");
    receiver.recv_timeout(second).map_err(|_| late())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_server_knows_every_backend() {
        for backend in Backend::ALL {
            assert!(agent(backend).is_ok(), "{backend:?}");
        }
    }
}
