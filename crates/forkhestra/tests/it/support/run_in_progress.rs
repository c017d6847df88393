//! A run whose agent waits until the test releases it.

use std::io::Read;
use std::process::{Child, ChildStdout, Stdio};

use testkit::TestEnv;

use crate::FORKHESTRA;

/// Makes an agent wait for the file `go`; part of its script. The iteration timeout bounds the
/// wait.
pub(crate) const WAIT_FOR_GO: &str = "until [ -e go ]; do sleep 0.01; done";

pub(crate) struct RunInProgress<'a> {
    env: &'a TestEnv,
    runner: Child,
    stdout: ChildStdout,
    seen: Vec<u8>,
    go: &'static str,
}

impl<'a> RunInProgress<'a> {
    /// Starts a run, and waits until it prints `text`.
    #[track_caller]
    pub(crate) fn start(env: &'a TestEnv, args: &[&str], shown: &str) -> Self {
        let mut command = env.command(FORKHESTRA);
        command.args(args).args(["--timeout", "30s"]).stdout(Stdio::piped());
        let mut runner = command.spawn().expect("the program can be started");
        let mut stdout = runner.stdout.take().expect("it is a pipe");
        let mut seen = Vec::new();
        while !seen.ends_with(shown.as_bytes()) {
            let mut byte = [0];
            if let Err(error) = stdout.read_exact(&mut byte) {
                panic!("{error} after {}", env.normalised(&seen));
            }
            seen.push(byte[0]);
        }
        Self { env, runner, stdout, seen, go: "go" }
    }

    /// The id of the started process.
    pub(crate) fn pid(&self) -> u32 {
        self.runner.id()
    }

    /// The file that an agent in a directory below the project waits for.
    pub(crate) fn go_file(&mut self, path: &'static str) {
        self.go = path;
    }

    /// Releases the agent, and returns the whole output and the exit code.
    pub(crate) fn release(mut self) -> (String, Option<i32>) {
        self.env.write(self.go, "");
        self.stdout.read_to_end(&mut self.seen).expect("the output can be read");
        let status = self.runner.wait().expect("it ends");
        (self.env.normalised(&self.seen), status.code())
    }
}
