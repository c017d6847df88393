//! How long we wait for processes that should go.

use std::time::Duration;

/// The waits of a run. They are data, so that tests need not wait as long as people do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GracePeriods {
    /// For an agent to exit by itself after it said that its work is done.
    pub after_marker: Duration,
    /// For an agent to exit by itself after its stream said that it is through.
    pub after_result: Duration,
    /// Between asking an agent to end and killing it.
    pub before_kill: Duration,
    /// For what an agent left behind to end by itself.
    pub for_stragglers: Duration,
    /// Between asking what an agent left behind to end and killing it.
    pub before_straggler_kill: Duration,
    /// For what was killed to be gone, or for a reader of a cancelled run to take the rest.
    pub for_the_dead: Duration,
    /// The same where somebody does not want to wait for anything any more.
    pub when_hurried: Duration,
    /// For all hooks at the end of a run that somebody cancelled.
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
