//! A hermetic project, home and `PATH` for one test.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::command_output::CommandOutput;
use crate::executable::write_executable;

/// The replacement of the root directory in outputs.
const ROOT_NAME: &str = "$TEST";

/// A hermetic environment for running programs. Dropping it removes all files.
#[derive(Debug)]
pub struct TestEnv {
    root: TempDir,
}

impl TestEnv {
    /// Creates an empty project.
    pub fn new() -> Self {
        // The canonical path, which programs print where the temporary directory is a link.
        let place = std::env::temp_dir().canonicalize().expect("temporary files have a place");
        Self::new_in(&place).expect("the system gives us a temporary directory")
    }

    /// Creates an empty project below a directory.
    pub fn new_in(place: &Path) -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("forkhestra-test").tempdir_in(place)?;
        let env = Self { root };
        for directory in [env.project(), env.home(), env.bin()] {
            fs::create_dir(directory)?;
        }
        Ok(env)
    }

    /// The root directory, which holds everything.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Keeps the files, and returns their directory.
    pub fn keep(self) -> PathBuf {
        self.root.keep()
    }

    /// The working directory of the programs.
    pub fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// The user's home.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The only directory on PATH.
    pub fn bin(&self) -> PathBuf {
        self.root.path().join("bin")
    }

    /// Writes a file of the project, and creates its parent directories.
    pub fn write(&self, path: &str, contents: impl AsRef<[u8]>) -> &Self {
        write(&self.project().join(path), contents.as_ref());
        self
    }

    /// Writes a file in the user's home, and creates its parent directories.
    pub fn write_home(&self, path: &str, contents: impl AsRef<[u8]>) -> &Self {
        write(&self.home().join(path), contents.as_ref());
        self
    }

    /// Installs a program that does nothing.
    pub fn install(&self, name: &str) -> &Self {
        self.write_program(&self.bin().join(name))
    }

    /// Writes an executable file of the project that does nothing.
    pub fn write_script(&self, path: &str) -> &Self {
        self.write_program(&self.project().join(path))
    }

    fn write_program(&self, path: &Path) -> &Self {
        create_directory_of(path);
        write_executable(path, "#!/bin/sh\n");
        self
    }

    /// Installs an agent: a shell script with access to the programs of the system.
    pub fn agent(&self, name: &str, script: &str) -> &Self {
        self.write_agent(&self.bin().join(name), script)
    }

    /// Writes an agent to a file of the project.
    pub fn agent_file(&self, path: &str, script: &str) -> &Self {
        self.write_agent(&self.project().join(path), script)
    }

    fn write_agent(&self, path: &Path, script: &str) -> &Self {
        create_directory_of(path);
        let text = format!("#!/bin/sh\nPATH=$PATH:/usr/bin:/bin\n{script}\n");
        write_executable(path, &text);
        self
    }

    /// Makes a program of the system available on `PATH`.
    pub fn link_system_program(&self, name: &str) -> &Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found =
            std::env::split_paths(&path).map(|place| place.join(name)).find(|p| p.is_file());
        let found = found.expect("the system has the program");
        symlink(found, self.bin().join(name)).expect("the directory is ours");
        self
    }

    /// Reads a file of the project.
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        match fs::read_to_string(self.project().join(path)) {
            Ok(text) => self.normalised(text.as_bytes()),
            Err(error) => panic!("{path}: {error}"),
        }
    }

    /// Whether the project has a file.
    pub fn has(&self, path: &str) -> bool {
        self.project().join(path).exists()
    }

    /// A command in the project, with a hermetic environment.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .current_dir(self.project())
            .env_clear()
            .env("PATH", self.bin())
            .env("HOME", self.home())
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .env("COLUMNS", "100")
            // Tests may run as root, for whom Claude Code refuses to skip permissions.
            .env("IS_SANDBOX", "1")
            // Tests of the sandbox turn it on.
            .env("FORKHESTRA_SANDBOX", "off")
            .stdin(Stdio::null());
        command
    }

    /// Runs a program in the project to its end.
    pub fn run(&self, program: impl AsRef<Path>, args: &[&str]) -> CommandOutput {
        self.output_of(self.command(program).args(args))
    }

    /// Runs a command to its end, and returns its normalised output.
    pub fn output_of(&self, command: &mut Command) -> CommandOutput {
        let Output { status, stdout, stderr } =
            command.output().expect("the program can be started");
        CommandOutput {
            stdout: self.normalised(&stdout),
            stderr: self.normalised(&stderr),
            code: status.code(),
        }
    }

    /// Converts bytes to text, with a placeholder for the root directory.
    pub fn normalised(&self, bytes: &[u8]) -> String {
        let root = self.root.path().to_string_lossy();
        String::from_utf8_lossy(bytes).replace(root.as_ref(), ROOT_NAME)
    }
}

impl Default for TestEnv {
    fn default() -> Self {
        Self::new()
    }
}

fn write(path: &Path, contents: &[u8]) {
    create_directory_of(path);
    fs::write(path, contents).expect("the file is ours");
}

fn create_directory_of(path: &Path) {
    let directory = path.parent().expect("a file is in a directory");
    fs::create_dir_all(directory).expect("the directory is ours");
}
