//! One run of one agent, out of everybody's way.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use forkhestra_core::config::Backend;
use model_server::{Agent, ModelServer, Turn};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::project::Environment;

/// The longest that an agent may take.
const LIMIT: &str = "60s";

/// The longest that the run around it is waited for, until it is asked to end and until it has.
const PATIENCE: [Duration; 2] = [Duration::from_secs(75), Duration::from_secs(20)];

/// What the played model says. Its last line is what a run waits for.
const SAID: &str =
    "This is said by a model that is played on your own machine.\nFORKHESTRA_COMPLETE";

/// What an agent keeps of the environment: what it needs to start and to print, and nothing that
/// could lead it to another model.
const KEPT: [&str; 9] =
    ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "USER", "LOGNAME", "SHELL", "IS_SANDBOX"];

/// Whatever would leave this machine is sent to where nobody listens.
const NOWHERE: &str = "http://127.0.0.1:9";

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct Trial {
    /// The events of the run.
    pub(super) events: Vec<Value>,
    /// What was said on standard error.
    pub(super) complaint: String,
    /// How often the model was asked to work.
    pub(super) asked: usize,
}

impl Trial {
    /// Starts an agent by an ordinary run, and waits for its end.
    pub(super) fn run(backend: Backend, path: &str, environment: &Environment) -> io::Result<Self> {
        let server = ModelServer::try_start(vec![Turn::text(SAID)])?;
        let place = tempfile::Builder::new().prefix("forkhestra-probe-").tempdir()?;
        let command = command(backend, path, environment, &server, &place)?;
        let output = wait(command)?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        Ok(Self {
            events: stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
            complaint: String::from_utf8_lossy(&output.stderr).into_owned(),
            asked: server.main_requests().len(),
        })
    }
}

/// Our own program in surroundings of its own.
fn command(
    backend: Backend,
    path: &str,
    environment: &Environment,
    server: &ModelServer,
    place: &TempDir,
) -> io::Result<Command> {
    let [home, project, state] = ["home", "project", "state"].map(|name| place.path().join(name));
    fs::create_dir(&project)?;
    let agent = agent(backend);
    let config = place.path().join("chains.json");
    write_config(&config, backend, agent)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["run", "probe:1", "--output", "json", "--no-view", "--timeout", LIMIT]);
    // A provider that does not answer is not waited for: it is on this machine.
    command.args(["--max-wait", "1s"]);
    command.arg("--config").arg(&config).arg("--cwd").arg(&project);
    command.arg("--state-dir").arg(&state);
    command.env_clear().envs(KEPT.iter().filter_map(|name| {
        let value: &OsString = environment.variable(name)?;
        Some((*name, value))
    }));
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"] {
        command.env(name, NOWHERE);
    }
    for name in ["NO_PROXY", "no_proxy"] {
        command.env(name, "127.0.0.1,localhost");
    }
    command.envs(agent.point_at(&server.url(), &home)?);
    command.env(backend.path_variable(), path);
    Ok(command)
}

fn write_config(path: &Path, backend: Backend, agent: Agent) -> io::Result<()> {
    let probe = json!({
        "backend": backend.word(),
        "systemPromptText": "This is a trial. Use no tools.",
        "model": agent.model(),
        "defaultPrompt": "Say in one sentence that you can hear this.",
    });
    let config = json!({ "agents": { "probe": probe }, "chains": {} });
    fs::write(path, config.to_string())
}

const fn agent(backend: Backend) -> Agent {
    match backend {
        Backend::Claude => Agent::Claude,
        Backend::Codex => Agent::Codex,
        Backend::Gemini => Agent::Gemini,
        Backend::Opencode => Agent::Opencode,
    }
}

/// Waits for a run, which ends everything that it has started whatever becomes of it. One that does
/// not come to an end by its own limits is asked to.
fn wait(mut command: Command) -> io::Result<Output> {
    // It stays in our process group, so that Ctrl-C reaches it.
    let child: Child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let pid = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        // Who does not wait any more has given it up.
        let _ = sender.send(child.wait_with_output());
    });
    let [first, second] = PATIENCE;
    match receiver.recv_timeout(first) {
        Ok(output) => return output,
        Err(RecvTimeoutError::Timeout) => {
            // One that has ended just now is what we want.
            let _ = kill_process(pid, Signal::TERM);
        }
        Err(RecvTimeoutError::Disconnected) => {}
    }
    let late = || io::Error::other("the run around it does not end");
    receiver.recv_timeout(second).map_err(|_| late())?
}
