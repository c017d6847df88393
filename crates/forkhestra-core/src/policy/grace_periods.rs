//! Grace periods for processes that should exit.

use std::time::Duration;

/// The grace periods of a run. They are data, so that tests can use shorter ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GracePeriods {
    /// For an agent to exit by itself after its completion claim.
    pub after_marker: Duration,
    /// For an agent to exit by itself after its stream concluded.
    pub after_result: Duration,
    /// Between an agent's termination signal and SIGKILL.
    pub before_kill: Duration,
    /// For an agent's leftover processes to exit by themselves.
    pub for_leftovers: Duration,
    /// Between the termination signal for leftover processes and SIGKILL.
    pub before_leftover_kill: Duration,
    /// For killed processes to disappear, or for the remaining output of a cancelled run to be
    /// read.
    pub after_kill: Duration,
    /// The same for a run that must end at once.
    pub after_kill_at_once: Duration,
    /// For all hooks at the end of a cancelled run.
    pub for_final_hooks: Duration,
}

impl Default for GracePeriods {
    fn default() -> Self {
        Self {
            after_marker: Duration::from_secs(5 * 60),
            after_result: Duration::from_secs(30),
            before_kill: Duration::from_secs(10),
            for_leftovers: Duration::from_secs(1),
            before_leftover_kill: Duration::from_secs(5),
            after_kill: Duration::from_secs(10),
            after_kill_at_once: Duration::from_millis(200),
            for_final_hooks: Duration::from_secs(20),
        }
    }
}
