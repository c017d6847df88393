//! What an agent finds around it: a home with its settings, and variables.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Variables and files for one agent.
#[derive(Debug)]
pub(super) struct Surroundings {
    home: PathBuf,
    variables: Vec<(String, String)>,
}

impl Surroundings {
    /// A home in which everything stays that an agent writes, temporary files as well.
    pub(super) fn new(programs: &Path, home: &Path) -> Self {
        let temporary = home.join("tmp");
        fs::create_dir_all(&temporary).expect("the home is ours");
        let mut surroundings = Self { home: home.to_path_buf(), variables: Vec::new() };
        surroundings.set("PATH", &search_path(programs));
        surroundings.set("HOME", text(home));
        surroundings.set("TMPDIR", text(&temporary));
        surroundings
    }

    /// Sets a variable.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Writes a file below the home, and gives its directory.
    pub(super) fn write(&self, path: &str, contents: &str) -> String {
        let path = self.home.join(path);
        let directory = path.parent().expect("a file is in a directory");
        fs::create_dir_all(directory).expect("the home is ours");
        fs::write(&path, contents).expect("the home is ours");
        text(directory).to_owned()
    }

    /// Where temporary files go.
    pub(super) fn temporary(&self) -> String {
        text(&self.home.join("tmp")).to_owned()
    }

    pub(super) fn into_variables(self) -> Vec<(String, String)> {
        self.variables
    }
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

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary files have plain names")
}
