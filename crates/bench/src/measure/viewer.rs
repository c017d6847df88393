//! A `watch` process on a terminal.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use rustix::termios::{Winsize, tcsetwinsize};
use testkit::PseudoTerminal;

use devkit::command;
use devkit::error::{Error, Result};
use devkit::files;

use super::watched_run::noted;
use super::{cpu_time, resource_usage};

/// Much longer than anything takes.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The timeout for something that may not exist yet.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// A program on a terminal.
pub(crate) struct Viewer {
    child: Child,
    command: Command,
    terminal: PseudoTerminal,
    begin: Instant,
    output: Receiver<(Instant, Vec<u8>)>,
    seen: Vec<u8>,
}

impl Viewer {
    /// Starts a program on a terminal of its own.
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        let mut terminal = PseudoTerminal::open();
        let size = Winsize { ws_row: 50, ws_col: 160, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(terminal.screen(), size).expect("it is a terminal");
        command.env("TERM", "xterm-256color").env("LC_ALL", "C.UTF-8");
        command.stdin(terminal.stdio()).stdout(terminal.stdio());
        let begin = Instant::now();
        let child = resource_usage::start(&mut command)?;
        // The command has the programs' end open as well.
        command.stdin(Stdio::null()).stdout(Stdio::null());
        terminal.hand_over();
        let output = noted(File::from(terminal.screen()));
        Ok(Self { child, command, terminal, begin, output, seen: Vec::new() })
    }

    /// Starts a program repeatedly until it shows a word: the run may only be starting.
    pub(crate) fn start_until(command: impl Fn() -> Command, word: &str) -> Result<Self> {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let mut viewer = Self::start(command())?;
            if viewer.arrival_of(word, EXIT_TIMEOUT).is_some() {
                return Ok(viewer);
            }
            if Instant::now() > deadline {
                return viewer.fails(word);
            }
            viewer.leave()?;
        }
    }

    /// The time until this word was shown.
    pub(crate) fn wait_for(&mut self, word: &str) -> Result<Duration> {
        match self.arrival_of(word, TIMEOUT) {
            Some(arrived_at) => Ok(arrived_at.saturating_duration_since(self.begin)),
            None => self.fails(word),
        }
    }

    /// The CPU time used so far by all its threads.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        cpu_time::of_process(self.child.id())
    }

    /// The current memory in bytes.
    pub(crate) fn memory(&self) -> Result<u64> {
        let path = PathBuf::from(format!("/proc/{}/status", self.child.id()));
        let text = fs::read_to_string(&path).map_err(files::failing("read", &path))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes: Option<u64> =
            line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        let unknown = || Error::Unmet(format!("{} does not tell memory", path.display()));
        kibibytes.map(|kibibytes| kibibytes * 1024).ok_or_else(unknown)
    }

    /// Leaves with Ctrl-C.
    pub(crate) fn leave(mut self) -> Result<()> {
        self.terminal.press(PseudoTerminal::CONTROL_C);
        // Drains the output, so that no writer blocks.
        while self.output.recv_timeout(TIMEOUT).is_ok() {}
        resource_usage::wait(&mut self.child, &self.command, 0).map(drop)
    }

    fn arrival_of(&mut self, word: &str, timeout: Duration) -> Option<Instant> {
        let deadline = Instant::now() + timeout;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let (arrived_at, bytes) = self.output.recv_timeout(left).ok()?;
            self.seen.extend(bytes);
            if self.seen.windows(word.len()).any(|window| window == word.as_bytes()) {
                return Some(arrived_at);
            }
            let excess = self.seen.len().saturating_sub(word.len());
            self.seen.drain(..excess);
        }
    }

    fn fails<T>(&self, word: &str) -> Result<T> {
        let shown = command::shown(&self.command);
        Err(Error::Unmet(format!("`{word}` was never shown by `{shown}`")))
    }
}
