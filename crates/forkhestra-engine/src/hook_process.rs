//! The hook that is running, for the thread that serves control requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::process::Pid;

/// The process of the hook that is running. Hooks are the user's commands, so they may steer their
/// run, and agents and checks may not.
#[derive(Debug, Clone, Default)]
pub struct HookProcess(Arc<Mutex<Option<Pid>>>);

impl HookProcess {
    /// The pid of the hook that is running.
    pub fn pid(&self) -> Option<Pid> {
        *self.lock()
    }

    /// Starts a hook. Until its pid is known, [`pid`](Self::pid) waits, so that a request of the new
    /// process is not refused.
    pub(crate) fn start<T, E>(
        &self,
        start: impl FnOnce() -> Result<T, E>,
        pid_of: impl FnOnce(&T) -> Pid,
    ) -> Result<T, E> {
        let mut running = self.lock();
        let started = start()?;
        *running = Some(pid_of(&started));
        Ok(started)
    }

    /// Notes that no hook is running.
    pub(crate) fn clear(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Pid>> {
        // A panic cannot leave the value inconsistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
