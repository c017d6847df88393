//! A project with a stand-in for Claude Code. Dropping it checks for leftover processes.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal};
use serde_json::Value;
use testkit::{CommandOutput, LeftoverProcesses, TestEnv, TestProcess, eventually, kill};

use crate::FORKHESTRA;
use crate::scripted_stream::ScriptedStream;

/// A worker that is spawned directly, and a chain that runs it in a loop.
const CONFIG: &str = r#"{
    "agents": { "worker": { "systemPromptText": "You are a worker." } },
    "chains": {}
}"#;

/// The stand-in records how it was started and prints the stream of its iteration.
const FAKE_AGENT: &str = r#"
n=$FORKHESTRA_ITERATION
printf '%s\n' "$@" > "$PLACE/args.$n"
cat > "$PLACE/stdin.$n"
echo "$n" >> "$PLACE/started"
if [ -e "$PLACE/stream.$n" ]; then cat "$PLACE/stream.$n"; else cat "$PLACE/stream.last"; fi
if [ -e "$PLACE/hangs.$n" ]; then exec sleep 1000; fi
if [ -e "$PLACE/exit.$n" ]; then exit "$(cat "$PLACE/exit.$n")"; fi
"#;

/// A project, its stand-in and its runs.
pub(crate) struct AgentProject {
    pub(crate) env: TestEnv,
    leftovers: LeftoverProcesses,
}

impl AgentProject {
    /// A project whose stand-in prints one of these streams in each iteration, and the last one
    /// from then on.
    pub(crate) fn new(streams: &[ScriptedStream]) -> Self {
        Self::with_config(CONFIG, streams)
    }

    pub(crate) fn with_config(config: &str, streams: &[ScriptedStream]) -> Self {
        let env = TestEnv::new();
        env.write("forge/orch/chains.json", config);
        env.agent("claude", FAKE_AGENT);
        let leftovers = LeftoverProcesses::of(env.root().to_owned());
        let project = Self { env, leftovers };
        fs::create_dir(project.place("")).expect("the directory is ours");
        for (number, stream) in (1..).zip(streams) {
            project.put(&format!("stream.{number}"), &stream.text());
        }
        let last = streams.last().map(ScriptedStream::text).unwrap_or_default();
        project.put("stream.last", &last);
        project
    }

    /// A file that the stand-in and the test share.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.env.root().join("place").join(name)
    }

    pub(crate) fn put(&self, name: &str, text: &str) -> &Self {
        fs::write(self.place(name), text).expect("the directory is ours");
        self
    }

    /// The iteration does not exit after its last line.
    pub(crate) fn hangs(self, iteration: u32) -> Self {
        self.put(&format!("hangs.{iteration}"), "");
        self
    }

    /// The iteration exits with `code` instead of 0.
    pub(crate) fn exits(self, iteration: u32, code: u8) -> Self {
        self.put(&format!("exit.{iteration}"), &code.to_string());
        self
    }

    pub(crate) fn got(&self, name: &str) -> String {
        fs::read_to_string(self.place(name)).unwrap_or_default()
    }

    /// The iterations that were started, in order.
    pub(crate) fn started(&self) -> Vec<String> {
        self.got("started").lines().map(str::to_owned).collect()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.env.command(FORKHESTRA);
        command
            .args(args)
            .env("PLACE", self.place(""))
            .env(LeftoverProcesses::MARK, self.env.root());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> CommandOutput {
        self.env.output_of(&mut self.command(args))
    }

    /// Starts a run in the background of the test. Its output goes to a file.
    pub(crate) fn start(&self, args: &[&str]) -> ObservedRun<'_> {
        self.start_command(self.command(args))
    }

    /// The same with a prepared command.
    pub(crate) fn start_command(&self, mut command: Command) -> ObservedRun<'_> {
        let file = fs::File::create(self.place("said")).expect("the directory is ours");
        let again = file.try_clone().expect("it is open");
        command.stdout(Stdio::from(file)).stderr(Stdio::from(again));
        ObservedRun { world: self, child: command.spawn().expect("the program can be started") }
    }

    /// The events of the last run.
    pub(crate) fn events(&self) -> Vec<Value> {
        let run = self.leftovers.runs().pop().expect("there was a run");
        let text = fs::read_to_string(run.join("journal.jsonl")).expect("it has a journal");
        text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
    }

    /// All events of one kind.
    pub(crate) fn all(&self, event: &str) -> Vec<Value> {
        self.events().into_iter().filter(|line| line["event"] == event).collect()
    }
}

/// Asserts that no process is left.
impl Drop for AgentProject {
    fn drop(&mut self) {
        let left: Vec<String> =
            self.leftovers.processes().into_iter().map(TestProcess::describe).collect();
        self.leftovers.end_all();
        if !std::thread::panicking() {
            assert!(left.is_empty(), "processes are left: {left:#?}");
            let files = self.leftovers.files();
            assert!(files.is_empty(), "files are left: {files:?}");
        }
    }
}

/// A run that a test observes.
pub(crate) struct ObservedRun<'w> {
    world: &'w AgentProject,
    child: Child,
}

impl ObservedRun<'_> {
    /// Waits until it has printed `text`.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) {
        let what = format!("`{text}` is said");
        eventually(&what, || self.world.got("said").contains(text).then_some(()));
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(TestProcess(Pid::from_child(&self.child)), signal);
    }

    /// Kills both of its processes, like a power failure.
    pub(crate) fn kill(&mut self) {
        let guard = TestProcess(Pid::from_child(&self.child));
        let runner = guard.children();
        kill(guard, Signal::STOP);
        runner.into_iter().for_each(|runner| kill(runner, Signal::KILL));
        kill(guard, Signal::KILL);
        self.child.wait().expect("it is our child");
    }

    /// Waits for its end, and returns its output and exit code.
    #[track_caller]
    pub(crate) fn ended(mut self) -> (String, Option<i32>) {
        let process = TestProcess(Pid::from_child(&self.child));
        eventually("the program ends", || process.is_gone().then_some(()));
        let code = self.child.wait().expect("it is our child").code();
        (self.world.got("said"), code)
    }
}

impl Drop for ObservedRun<'_> {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
