//! A project with agents. Dropping it checks for leftovers.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use serde_json::Value;
use testkit::{CommandOutput, LeftoverProcesses, TestEnv, TestProcess, eventually};

use super::guarded_run::GuardedRun;
use super::journal;
use super::leftover_check::LeftoverCheck;
use crate::FORKHESTRA;

/// The start of every agent: it records its start outside of the work tree.
const PREAMBLE: &str = r#"#!/bin/sh
n=$FORKHESTRA_STEP.$FORKHESTRA_ITERATION
echo "$n" >> "$PLACE/log"
"#;

/// A project, its agents and their runs. Dropping it checks for leftovers.
pub(crate) struct ProcessProject {
    // Dropped first, while all files still exist.
    aftermath: LeftoverCheck,
    env: TestEnv,
}

impl ProcessProject {
    pub(crate) fn new() -> Self {
        let env = TestEnv::new();
        let root = env.project().parent().expect("it is below the root").to_owned();
        for directory in ["place", "tmp"] {
            fs::create_dir(root.join(directory)).expect("the directory is ours");
        }
        Self { aftermath: LeftoverCheck::of(root), env }
    }

    /// A project with one agent, `./agent`.
    pub(crate) fn with_agent(script: &str) -> Self {
        let project = Self::new();
        project.agent("agent", script);
        project
    }

    /// Writes an agent of the project.
    pub(crate) fn agent(&self, name: &str, script: &str) {
        let path = self.env.project().join(name);
        testkit::write_executable(&path, &format!("{PREAMBLE}{script}"));
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.env.project()
    }

    /// A file that agents and tests share. Agents have the directory in `$PLACE`.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.aftermath.root().join("place").join(name)
    }

    /// A named pipe at which agents wait.
    pub(crate) fn gate(&self, name: &str) -> PathBuf {
        let path = self.place(name);
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("the name is free");
        path
    }

    /// Releases one agent that waits at a gate, now or later.
    #[track_caller]
    pub(crate) fn open_gate(&self, name: &str) {
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let gate = eventually("an agent waits at the gate", || {
            rustix::fs::open(self.place(name), flags, Mode::empty()).ok()
        });
        File::from(gate).write_all(b"\n").expect("the agent is there");
    }

    /// Waits for a file that an agent creates.
    #[track_caller]
    pub(crate) fn wait_for(&self, name: &str) {
        eventually(&format!("`{name}` is there"), || self.place(name).exists().then_some(()));
    }

    /// The iterations started so far, in order.
    pub(crate) fn started(&self) -> Vec<String> {
        let log = fs::read_to_string(self.place("log")).unwrap_or_default();
        log.lines().map(ToOwned::to_owned).collect()
    }

    /// The program with these arguments. Signals are as a shell in the foreground leaves them,
    /// regardless of the process that started the tests.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_with(&["--default-signal"], args)
    }

    /// The same, with other options for `env` about signals.
    pub(crate) fn command_with(&self, signals: &[&str], args: &[&str]) -> Command {
        let mut command = self.command_in_environment("/usr/bin/env");
        command.args(signals).arg(FORKHESTRA).args(args).process_group(0);
        command
    }

    /// Any program in the environment of this project.
    pub(crate) fn command_in_environment(&self, program: impl AsRef<Path>) -> Command {
        let mut command = self.env.command(program);
        command
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TMPDIR", self.aftermath.root().join("tmp"))
            .env("PLACE", self.aftermath.root().join("place"))
            .env(LeftoverProcesses::MARK, self.aftermath.root());
        command
    }

    /// Starts a run whose output is read.
    pub(crate) fn start(&self, args: &[&str]) -> GuardedRun<'_> {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        GuardedRun::start(self, command)
    }

    #[track_caller]
    pub(crate) fn run(&self, args: &[&str]) -> CommandOutput {
        self.start(args).ended()
    }

    /// Runs the resume command that a run printed, to the end.
    #[track_caller]
    pub(crate) fn resume_as_printed(&self, output: &CommandOutput) -> CommandOutput {
        let text = format!("{}{}", output.stdout, output.stderr).to_lowercase();
        let command = text.lines().find_map(|line| line.split_once("to resume: "));
        let (_, command) =
            command.unwrap_or_else(|| panic!("nothing says how to go on:\n{output}"));
        let words: Vec<&str> = command.split_whitespace().collect();
        assert_eq!(words[..2], ["forkhestra", "resume"]);
        assert_eq!(words[2], self.run_id());
        self.run(&words[1..])
    }

    #[track_caller]
    pub(crate) fn run_directory(&self) -> PathBuf {
        let runs = self.aftermath.runs();
        let [run] = runs.as_slice() else { panic!("not one run: {runs:?}") };
        run.clone()
    }

    #[track_caller]
    pub(crate) fn run_id(&self) -> String {
        let directory = self.run_directory();
        let name = directory.file_name().expect("it has a name").to_string_lossy().into_owned();
        name.split_once('-').expect("the id is behind the moment").1.to_owned()
    }

    /// The events of the only run.
    #[track_caller]
    pub(crate) fn events(&self) -> Vec<Value> {
        journal::events(&self.run_directory().join("journal.jsonl"))
    }

    /// Waits until the only run has asked a question of this number at least this often. A resume
    /// asks an open question again.
    #[track_caller]
    pub(crate) fn wait_until_asked(&self, question: u64, times: usize) -> Value {
        eventually(&format!("question {question} is asked"), || {
            let runs = self.aftermath.runs();
            let events = journal::events(&runs.first()?.join("journal.jsonl"));
            let is_it = |event: &Value| event["event"] == "asked" && event["question"] == question;
            events.into_iter().filter(is_it).nth(times - 1)
        })
    }

    /// The events of one kind of the only run.
    #[track_caller]
    pub(crate) fn events_of(&self, kind: &str) -> Vec<Value> {
        self.events().into_iter().filter(|event| event["event"] == kind).collect()
    }

    /// Writes the config file of the project.
    pub(crate) fn config(&self, text: &str) {
        self.env.write("forge/orch/chains.json", text);
    }

    /// The outcome of the only run.
    #[track_caller]
    pub(crate) fn outcome(&self) -> Vec<String> {
        journal::outcome(&self.events())
    }

    /// All live processes of this project.
    pub(crate) fn processes(&self) -> Vec<TestProcess> {
        self.aftermath.processes()
    }

    /// Waits until no process of this project is alive.
    #[track_caller]
    pub(crate) fn wait_until_empty(&self) {
        eventually("nothing is left", || self.processes().is_empty().then_some(()));
    }
}
