//! The home and the variables of an agent.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Variables and files for one agent.
#[derive(Debug)]
pub(super) struct AgentEnvironment {
    home: PathBuf,
    temporary: String,
    variables: Vec<(String, String)>,
}

impl AgentEnvironment {
    /// Creates a home that contains everything the agent writes, including temporary files.
    pub(super) fn new(home: &Path) -> io::Result<Self> {
        let temporary = home.join("tmp");
        fs::create_dir_all(&temporary)?;
        let temporary = text(&temporary)?;
        let variables = Vec::new();
        let mut surroundings = Self { home: home.to_path_buf(), temporary, variables };
        surroundings.set("HOME", &text(home)?);
        surroundings.set("TMPDIR", &surroundings.temporary());
        Ok(surroundings)
    }

    /// Sets a variable.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Writes a file below the home, and returns its directory.
    pub(super) fn write(&self, directory: &str, file: &str, contents: &str) -> io::Result<String> {
        let directory = self.home.join(directory);
        fs::create_dir_all(&directory)?;
        fs::write(directory.join(file), contents)?;
        text(&directory)
    }

    /// The directory for temporary files.
    pub(super) fn temporary(&self) -> String {
        self.temporary.clone()
    }

    pub(super) fn into_variables(self) -> Vec<(String, String)> {
        self.variables
    }
}

fn text(path: &Path) -> io::Result<String> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| io::Error::other(format!("the path `{}` is not UTF-8", path.display())))
}
