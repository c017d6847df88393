//! A fake agent that repeats lines, and a reader that records when each of them arrives.

use std::fs::File;
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use rustix::termios::{Winsize, tcsetwinsize};
use testkit::PseudoTerminal;

use devkit::error::{Error, Result};
use devkit::{command, files};

use super::fake_claude::{AGENT, FakeClaude, message};
use super::resource_usage;
use crate::work::streams::RESULT;

/// Much longer than a line ever takes.
const TIMEOUT: Duration = Duration::from_secs(20);

/// An agent, directly or through forkhestra.
pub(crate) struct WatchedRun {
    child: Child,
    command: Command,
    /// The agent prints what is written here.
    agent: File,
    shows: OutputKind,
    output: Receiver<(Instant, Vec<u8>)>,
    /// The output since the last line was found.
    seen: Vec<u8>,
    /// The latency of each line.
    times: Vec<Duration>,
    fake_agent: FakeClaude,
}

/// The kind of output.
#[derive(Clone, Copy, PartialEq)]
enum OutputKind {
    /// The agent's stream.
    Stream,
    /// The text parsed from it.
    Text,
}

impl WatchedRun {
    /// The agent alone, with a reader at the other end of its pipe.
    pub(crate) fn alone() -> Result<Self> {
        let (stand_in, agent) = FakeClaude::repeating()?;
        let command = stand_in.alone();
        Self::through_pipe(command, OutputKind::Stream, (stand_in, agent))
    }

    /// forkhestra between the agent and the reader.
    pub(crate) fn in_a_run(program: &Path) -> Result<Self> {
        let (stand_in, agent) = FakeClaude::repeating()?;
        let command = stand_in.run(program, &[AGENT]);
        Self::through_pipe(command, OutputKind::Text, (stand_in, agent))
    }

    /// forkhestra on a terminal, with a status line.
    pub(crate) fn on_a_terminal(program: &Path) -> Result<Self> {
        let (stand_in, agent) = FakeClaude::repeating()?;
        let mut command = stand_in.run(program, &[AGENT]);
        let mut terminal = PseudoTerminal::open();
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(terminal.screen(), size).expect("it is a terminal");
        command.env("TERM", "xterm").stdin(Stdio::null());
        command.stdout(terminal.stdio()).stderr(terminal.stdio());
        let child = spawn(&mut command)?;
        // The command has the programs' end open as well.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        terminal.hand_over();
        let output = noted(File::from(terminal.screen()));
        let (seen, times) = (Vec::new(), Vec::new());
        Ok(Self {
            child,
            command,
            agent,
            shows: OutputKind::Text,
            output,
            seen,
            times,
            fake_agent: stand_in,
        })
    }

    fn through_pipe(
        mut command: Command,
        shows: OutputKind,
        (stand_in, agent): (FakeClaude, File),
    ) -> Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = spawn(&mut command)?;
        let output = noted(child.stdout.take().expect("it has a pipe"));
        let (seen, times) = (Vec::new(), Vec::new());
        Ok(Self { child, command, agent, shows, output, seen, times, fake_agent: stand_in })
    }

    /// Makes the agent print a line, and waits until it arrives.
    pub(crate) fn time_line(&mut self, number: u32) -> Result<()> {
        let text = format!("This is line {number:06}.");
        let line = message(number, &format!("{text}\n"));
        let begin = Instant::now();
        self.write_line(&line)?;
        let time = self.arrival_of(&text)?.saturating_duration_since(begin);
        self.times.push(time);
        Ok(())
    }

    /// Ends the agent, and returns the latencies.
    pub(crate) fn finish(mut self) -> Result<Vec<Duration>> {
        self.write_line(RESULT)?;
        drop(self.agent);
        // Drains the output, so that no writer blocks.
        while self.output.recv_timeout(TIMEOUT).is_ok() {}
        resource_usage::wait(&mut self.child, &self.command, 0)?;
        Ok(self.times)
    }

    fn write_line(&mut self, line: &str) -> Result<()> {
        let written = self.agent.write_all(line.as_bytes());
        written.map_err(files::failing("write", &self.fake_agent.stream()))
    }

    fn arrival_of(&mut self, text: &str) -> Result<Instant> {
        while let Ok((arrived_at, bytes)) = self.output.recv_timeout(TIMEOUT) {
            self.seen.extend(bytes);
            if contains(&self.seen, text) {
                let is_json = contains(&self.seen, r#""text""#);
                self.seen.clear();
                let is_right = is_json == (self.shows == OutputKind::Stream);
                return if is_right { Ok(arrived_at) } else { self.fails("was not understood") };
            }
        }
        self.fails("was lost")
    }

    fn fails<T>(&self, how: &str) -> Result<T> {
        let shown = command::shown(&self.command);
        Err(Error::Unmet(format!("a line of an agent {how} by `{shown}`")))
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn spawn(command: &mut Command) -> Result<Child> {
    command.spawn().map_err(|source| Error::Start { command: command::shown(command), source })
}

/// Reads until the end, which a terminal reports as an error, and records when each piece arrived.
pub(crate) fn noted(mut output: impl Read + Send + 'static) -> Receiver<(Instant, Vec<u8>)> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = output.read(&mut buffer) {
            if sender.send((Instant::now(), buffer[..length].to_vec())).is_err() {
                return;
            }
        }
    });
    receiver
}
