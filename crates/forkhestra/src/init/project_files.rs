//! The files of a project that is set up.

use std::path::Path;

use forkhestra_core::config::{self, Backend};

use super::init_directory::{FileOutcome, FileWriteError, InitDirectory};
use super::known_project;
use super::prompts;
use crate::project::specs_directory::{SpecsDirectory, TEMPLATES};

/// The config file, and the older place for it.
pub(crate) const CONFIG: &str = "forge/orch/chains.json";
const OLDER_CONFIG: &str = "forge/chains.json";

/// Describes the config file to editors.
const SCHEMA: &str = "forge/orch/chains.schema.json";

const CHAINS: &str = include_str!("templates/chains.json");

/// What git should not look at: a view of each run, which can be made again at any time.
const IGNORED: [&str; 1] = [".agent-state/"];

/// What a project should have.
#[derive(Debug)]
pub(crate) struct ProjectFiles<'a> {
    /// Where it is.
    pub(crate) directory: &'a Path,
    /// The agent program that built-in agents are for.
    pub(crate) backend: Backend,
    /// Whether the prompts of the built-in agents are to be changed.
    pub(crate) with_prompts: bool,
    /// The command that tests the project; none if its files have to tell.
    pub(crate) test_command: Option<String>,
}

/// A file, and what became of it.
pub(crate) type WrittenFile = (String, FileOutcome);

impl ProjectFiles<'_> {
    /// The config file that the project has, or that it will have.
    pub(crate) fn config(&self) -> &'static str {
        let has = |name: &str| self.directory.join(name).symlink_metadata().is_ok();
        if !has(CONFIG) && has(OLDER_CONFIG) { OLDER_CONFIG } else { CONFIG }
    }

    /// Where the specifications are, or will be.
    pub(crate) fn specs(&self) -> SpecsDirectory {
        SpecsDirectory::find(self.directory)
    }

    /// Writes everything that is not there yet, and tells of each file as soon as it is done.
    pub(crate) fn write(&self, tell: &mut dyn FnMut(WrittenFile)) -> Result<(), FileWriteError> {
        let place = InitDirectory::new(self.directory);
        let config = self.config();
        let mut create = |name: &str, text: &str| -> Result<(), FileWriteError> {
            tell((name.to_owned(), place.create(name, text)?));
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
        tell((".gitignore".to_owned(), place.add_lines(".gitignore", &IGNORED)?));
        Ok(())
    }

    fn test_command(&self) -> Option<String> {
        let known = || known_project::test_command(self.directory).map(str::to_owned);
        self.test_command.clone().or_else(known)
    }

    fn chains(&self) -> String {
        // A command with quotes of its own is for a person to write down.
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
        // Codex does not say which model it uses. Where its settings name none, a limit of cost would
        // refuse the run.
        let cost = if self.backend == Backend::Codex { "" } else { "\"cost\": 20, " };
        text.replace("{agents}\n", &agents).replace("{cost}", cost)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_config_is_one_that_forkhestra_reads_without_a_word() {
        let place = tempfile::tempdir().expect("there is room");
        for test in [false, true] {
            for with_prompts in [false, true] {
                for backend in Backend::ALL {
                    let wanted = ProjectFiles {
                        directory: place.path(),
                        backend,
                        with_prompts,
                        test_command: None,
                    };
                    let reading = config::read(CONFIG, wanted.chains().into_bytes());
                    assert_eq!(reading.diagnostics, [], "{test} {with_prompts} {backend:?}");
                }
            }
            fs::write(place.path().join("Cargo.toml"), "").expect("the place is ours");
        }
    }

    #[test]
    fn a_config_file_in_the_older_place_is_used() {
        let place = tempfile::tempdir().expect("there is room");
        let write = |name: &str| {
            let path = place.path().join(name);
            fs::create_dir_all(path.parent().expect("it has one")).expect("the place is ours");
            fs::write(path, "").expect("the place is ours");
        };
        let backend = Backend::Claude;
        let wanted = || ProjectFiles {
            directory: place.path(),
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
