//! A run beside which something is measured.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use devkit::error::Result;
use devkit::files;

use super::resource_usage;

/// A run that continues until it is ended.
pub(crate) struct BackgroundRun {
    child: Child,
    command: Command,
}

impl BackgroundRun {
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        let child = resource_usage::start(command.stdin(Stdio::null()).stdout(Stdio::null()))?;
        Ok(Self { child, command })
    }

    /// The process id of its guard.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it with SIGTERM.
    pub(crate) fn end(mut self) -> Result<()> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)
            .map_err(|error| files::failing("end", &PathBuf::from("a run"))(error.into()))?;
        resource_usage::wait(&mut self.child, &self.command, 143).map(drop)
    }
}
