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
    pub for_stragglers: Duration,
    /// Between the termination signal for leftover processes and SIGKILL.
    pub before_straggler_kill: Duration,
    /// For killed processes to disappear, or for the remaining output of a cancelled run to be
    /// read.
    pub for_the_dead: Duration,
    /// The same for a run that must end at once.
    pub when_hurried: Duration,
    /// For all hooks at the end of a cancelled run.
    pub for_last_hooks: Duration,
}

impl Default for GracePeriods {
    fn default() -> Self {
        Self {
            after_marker: Duration::from_secs(5 * 60),
            after_result: Duration::from_secs(30),
            before_kill: Duration::from_secs(10),
            for_stragglers: Duration::from_secs(1),
            before_straggler_kill: Duration::from_secs(5),
            for_the_dead: Duration::from_secs(10),
            when_hurried: Duration::from_millis(200),
            for_last_hooks: Duration::from_secs(20),
        }
    }
}
