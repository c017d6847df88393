//! Executes the commands of a page one after the other, in one project.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anstream::adapter::strip_str;
use rustix::process::{Pid, Signal, kill_process_group};
use testkit::{TIMEOUT, TestEnv, within};

use crate::PROGRAMS;
use crate::run_names::RunNames;

/// The home directory in pages.
const HOME: &str = "/home/me";

/// The directory for temporary files, `/tmp` in pages.
const TEMPORARY: &str = "tmp";

/// The project of the pages, below the home directory.
const PROJECT: &str = "shop";

/// Programs of the system that pages and their agents use.
const SYSTEM_PROGRAMS: &[&str] = &[
    "awk", "basename", "cat", "chmod", "cp", "cut", "date", "dirname", "env", "expr", "false",
    "git", "grep", "head", "kill", "ls", "mkdir", "mktemp", "mv", "printf", "rm", "sed", "seq",
    "sh", "sleep", "sort", "tail", "tee", "test", "touch", "tr", "true", "uname", "uniq", "wc",
];

/// Keeps the directory and the exit code from command to command; shell variables are not kept.
const STEP: &str = r#"cd "$1" || exit
place=$2
(exit "$3")
"#;

/// Records the directory of the shell after the command.
const EPILOGUE: &str = "\ncode=$?; pwd > \"$place\"; exit \"$code\"\n";

pub(crate) struct ShellSession {
    env: TestEnv,
    directory: PathBuf,
    code: i32,
    pub(crate) names: RunNames,
}

impl ShellSession {
    pub(crate) fn new() -> Self {
        let env = TestEnv::new();
        for name in SYSTEM_PROGRAMS {
            env.link_system_program(name);
        }
        for (name, path) in PROGRAMS {
            symlink(path, env.bin().join(name)).expect("the directory is ours");
        }
        let identity = "[user]\nname = Me\nemail = me@localhost\n[init]\ndefaultBranch = main\n";
        env.write_home(".gitconfig", identity);
        let directory = env.home().join(PROJECT);
        for directory in [&directory, &env.root().join(TEMPORARY)] {
            fs::create_dir(directory).expect("the directory is ours");
        }
        Self { env, directory, code: 0, names: RunNames::default() }
    }

    /// Links a program of the system into the session, if it is installed.
    pub(crate) fn borrow_program(&self, name: &str) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let there = std::env::split_paths(&path).any(|place| place.join(name).is_file());
        if there && !self.env.bin().join(name).exists() {
            self.env.link_system_program(name);
        }
        there
    }

    /// Runs a set-up script. An error is its output.
    pub(crate) fn set_up(&mut self, script: &str) -> Result<(), String> {
        let script = self.names.in_command(script);
        let lines = self.run(&format!("set -e\n{script}"));
        let code = std::mem::take(&mut self.code);
        if code == 0 { Ok(()) } else { Err(format!("exit {code}\n{}", lines.join("\n"))) }
    }

    /// Runs a command, and returns the lines it prints.
    pub(crate) fn run(&mut self, command: &str) -> Vec<String> {
        let [script, place, printed] =
            ["step.sh", "place", "printed"].map(|name| self.env.root().join(name));
        fs::write(&script, format!("{STEP}{command}{EPILOGUE}")).expect("the file is ours");
        let output = File::create(&printed).expect("the file is ours");
        let errors = output.try_clone().expect("there are few open files");
        let mut shell = self.env.command("/bin/sh");
        shell.args([&script, &self.directory, &place]).arg(self.code.to_string());
        // An agent can wait until a line is on the screen.
        shell.env("SCREEN", &printed);
        shell.env("TMPDIR", self.env.root().join(TEMPORARY));
        let mut shell = shell
            .stdout(Stdio::from(output))
            .stderr(Stdio::from(errors))
            .process_group(0)
            .spawn()
            .expect("there is a shell");
        let ended = within(TIMEOUT, || shell.try_wait().expect("the shell is our child"));
        let printed = fs::read(&printed).expect("the file is ours");
        let printed = String::from_utf8_lossy(&printed).into_owned();
        let Some(status) = ended else {
            let group = Pid::from_child(&shell);
            kill_process_group(group, Signal::TERM).expect("the shell is our child");
            panic!("no end comes of this command:\n{command}\n{printed}");
        };
        self.code = status.code().unwrap_or(1);
        if let Ok(directory) = fs::read_to_string(&place) {
            self.directory = PathBuf::from(directory.trim_end());
        }
        find_runs(self.env.root(), &mut self.names);
        let home = self.env.home();
        // Control sequences of the terminal are not part of the page.
        let temporary = self.env.root().join(TEMPORARY);
        let printed = strip_str(&printed)
            .to_string()
            .replace(&*home.to_string_lossy(), HOME)
            .replace(&*temporary.to_string_lossy(), "/tmp");
        printed.lines().map(|line| line.trim_end_matches('\r').to_owned()).collect()
    }
}

/// Adds the runs below a directory; their names are a timestamp and the id.
fn find_runs(directory: &Path, names: &mut RunNames) {
    let Ok(entries) = directory.read_dir() else { return };
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
    {
        let name = entry.file_name();
        let of_run = name.to_str().and_then(|name| name.split_once("Z-"));
        match of_run {
            Some((_, id)) if entry.path().join("journal.jsonl").exists() => names.add_run(id),
            _ => find_runs(&entry.path(), names),
        }
    }
}
