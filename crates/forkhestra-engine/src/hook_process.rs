//! The hooks that are running, for the thread that serves control requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::process::Pid;

/// The processes of the hooks that are running. Hooks are the user's commands, so they may steer their
/// run, and agents and checks may not.
#[derive(Debug, Clone, Default)]
pub struct HookProcess(Arc<Mutex<Vec<Pid>>>);

impl HookProcess {
    /// The pids of the hooks that are running: at most one in each place of work.
    pub fn pids(&self) -> Vec<Pid> {
        self.lock().clone()
    }

    /// Starts a hook. Until its pid is known, [`pids`](Self::pids) waits, so that a request of the new
    /// process is not refused.
    pub(crate) fn start<T, E>(
        &self,
        start: impl FnOnce() -> Result<T, E>,
        pid_of: impl FnOnce(&T) -> Pid,
    ) -> Result<T, E> {
        let mut running = self.lock();
        let started = start()?;
        running.push(pid_of(&started));
        Ok(started)
    }

    /// Notes that a process has ended. It may be no hook.
    pub(crate) fn ended(&self, pid: Pid) {
        self.lock().retain(|running| *running != pid);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Pid>> {
        // A panic cannot leave the value inconsistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
