//! What the machine says that decides how an agent is started.

/// Facts about the user's machine, looked up once for a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostFacts {
    /// The variables that name the author and the committer of commits, with their values. Empty if git
    /// has no identity, or if no agent of the run needs them.
    pub git_identity: Vec<(String, String)>,
    /// Whether the user's own settings of Codex decide about login shells.
    pub codex_decides_login_shell: bool,
}
