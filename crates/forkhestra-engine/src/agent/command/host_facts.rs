//! Facts about the host that decide how an agent is started.

/// Facts about the host, determined once for a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostFacts {
    /// The variables for the author and committer of commits, with their values. Empty if git has
    /// no identity, or if no agent of the run needs them.
    pub git_identity: Vec<(String, String)>,
    /// Whether the user's settings of an agent decide about login shells.
    pub settings_decide_login_shell: bool,
}
