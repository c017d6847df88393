//! The files of a project that `init` writes.

use std::path::Path;

use forkhestra_core::config::{self, Backend};

use super::init_directory::{FileOutcome, FileWriteError, InitDirectory};
use super::known_project;
use super::prompts;
use crate::project::specs_directory::{SpecsDirectory, TEMPLATES};

/// The path of the config file, and the one that older projects use.
pub(crate) const CONFIG: &str = "forge/orch/chains.json";
const OLDER_CONFIG: &str = "forge/chains.json";

/// The schema of the config file, for editors.
const SCHEMA: &str = "forge/orch/chains.schema.json";

const CHAINS: &str = include_str!("templates/chains.json");

/// Paths that git should ignore: the views of runs, which can be rebuilt.
const IGNORED: [&str; 1] = [".agent-state/"];

/// The files that a project should have.
#[derive(Debug)]
pub(crate) struct ProjectFiles<'a> {
    pub(crate) directory: &'a Path,
    /// The agent program of the built-in agents.
    pub(crate) backend: Backend,
    /// Whether to write the prompts of the built-in agents.
    pub(crate) with_prompts: bool,
    /// The test command; `None` to derive it from the project's files.
    pub(crate) test_command: Option<String>,
}

/// A file name with its outcome.
pub(crate) type WrittenFile = (String, FileOutcome);

impl ProjectFiles<'_> {
    /// The config file that the project has or will have.
    pub(crate) fn config(&self) -> &'static str {
        let has = |name: &str| self.directory.join(name).symlink_metadata().is_ok();
        if !has(CONFIG) && has(OLDER_CONFIG) { OLDER_CONFIG } else { CONFIG }
    }

    /// The directory of specifications that the project has or will have.
    pub(crate) fn specs(&self) -> SpecsDirectory {
        SpecsDirectory::find(self.directory)
    }

    /// Writes all missing files and reports each file when it is done.
    pub(crate) fn write(&self, report: &mut dyn FnMut(WrittenFile)) -> Result<(), FileWriteError> {
        let target = InitDirectory::new(self.directory);
        let config = self.config();
        let mut create = |name: &str, text: &str| -> Result<(), FileWriteError> {
            report((name.to_owned(), target.create(name, text)?));
            Ok(())
        };
        if self.with_prompts {
            for (name, text) in prompts::files() {
                create(&name, text)?;
            }
        }
        create(config, &self.chains())?;
        if config == CONFIG {
            create(SCHEMA, &format!("{:#}\n", config::schema()))?;
        }
        let test =
            self.test_command().map_or("(say how)".to_owned(), |command| format!("`{command}`"));
        let specs = self.specs();
        for (name, text) in TEMPLATES {
            create(&specs.file(name), &text.replace("{test}", &test))?;
        }
        report((".gitignore".to_owned(), target.add_lines(".gitignore", &IGNORED)?));
        Ok(())
    }

    fn test_command(&self) -> Option<String> {
        let known = || known_project::test_command(self.directory).map(str::to_owned);
        self.test_command.clone().or_else(known)
    }

    fn chains(&self) -> String {
        // A command with quotes is not inserted, because it would need escaping.
        let plain = |command: &String| !command.contains(['"', '\\', '\'']);
        let check = match self.test_command().filter(plain) {
            Some(command) => format!(r#"            "command:\"{command}\"","#),
            None => {
                let example = r#"            // "command:\"make test\"","#;
                format!(
                    "            // Whatever tests this project; remove the slashes.\n{example}"
                )
            }
        };
        let agents = if self.with_prompts { prompts::agents(self.backend) } else { String::new() };
        let text = CHAINS.replace("{backend}", self.backend.program());
        let text = text.replace("{specs}", self.specs().name()).replace("{check}", &check);
        // If the program does not report its model and its settings name none, a cost limit would
        // make forkhestra refuse the run.
        let cost = if self.backend.facts().cost.lacks_model() { "" } else { "\"cost\": 20, " };
        text.replace("{agents}\n", &agents).replace("{cost}", cost)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_config_is_read_without_a_warning() {
        let directory = tempfile::tempdir().expect("there is room");
        for test in [false, true] {
            for with_prompts in [false, true] {
                for backend in Backend::ALL {
                    let wanted = ProjectFiles {
                        directory: directory.path(),
                        backend,
                        with_prompts,
                        test_command: None,
                    };
                    let parsed = config::read(CONFIG, wanted.chains().into_bytes());
                    assert_eq!(parsed.diagnostics, [], "{test} {with_prompts} {backend:?}");
                }
            }
            fs::write(directory.path().join("Cargo.toml"), "").expect("the place is ours");
        }
    }

    #[test]
    fn a_config_file_in_the_older_place_is_used() {
        let directory = tempfile::tempdir().expect("there is room");
        let write = |name: &str| {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().expect("it has one")).expect("the place is ours");
            fs::write(path, "").expect("the place is ours");
        };
        let backend = Backend::Claude;
        let wanted = || ProjectFiles {
            directory: directory.path(),
            backend,
            with_prompts: false,
            test_command: None,
        };
        assert_eq!(wanted().config(), CONFIG);
        write("forge/chains.json");
        assert_eq!(wanted().config(), OLDER_CONFIG);
        write("forge/orch/chains.json");
        assert_eq!(wanted().config(), CONFIG);
    }
}
