//! `forkhestra demo`: a planner and a builder at work on a small project, without any account.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use clap::Parser;
use forkhestra_core::diagnostic::Diagnostic;

use crate::args::{Cli, DemoArgs};
use crate::commands::run;
use crate::error::CliError;
use crate::exit_code;
use crate::request::Form;
use crate::screen::Screen;

/// Everything that the demo's project begins with.
const FILES: [(&str, &str, u32); 4] = [
    ("forge/orch/chains.json", include_str!("../demo/chains.json"), 0o644),
    ("forge/orch/specs/PLAN.md", include_str!("../demo/PLAN.md"), 0o644),
    ("agents/planner.sh", include_str!("../demo/planner.sh"), 0o755),
    ("agents/builder.sh", include_str!("../demo/builder.sh"), 0o755),
];

/// Makes a project, runs its chain, shows what came of it, and removes it, unless there is something
/// left to do in it.
pub(crate) fn execute(args: &DemoArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let mut project = tempfile::Builder::new()
        .prefix("forkhestra-demo-")
        .disable_cleanup(args.keep)
        .tempdir()
        .map_err(|error| cannot("make a directory for the demo", &error))?;
    let path = &project.path().to_owned();
    set_up(path).map_err(|error| cannot("set the demo's project up", &error))?;
    screen.print(&format!(
        "This is a run of two agents, small shell scripts, in a project of their own:\n  {}\n\n",
        path.display()
    ))?;
    let directory = path.to_string_lossy().into_owned();
    let arguments = ["forkhestra", "--chain", "demo", "--cwd", &directory, "--state-dir", ".state"];
    let mut cli = Cli::try_parse_from(arguments).expect("the demo's own command line is right");
    cli.run.work.output.color.color = args.color.color;
    let code = run::execute(&cli.run, Form::Plain, screen)?;
    let is_kept = args.keep || code != exit_code::COMPLETE;
    project.disable_cleanup(is_kept);
    let log = git(path, &["log", "--oneline", "--reverse"])
        .map_err(|error| cannot("read the demo's history", &error))?;
    screen.print(&format!("\nWhat the agents committed:\n{}", indented(&log)))?;
    if is_kept {
        screen.print(&format!("\nThe project was kept: {}\n", path.display()))?;
    }
    Ok(code)
}

fn set_up(project: &Path) -> io::Result<()> {
    for (name, contents, mode) in FILES {
        let file = project.join(name);
        fs::create_dir_all(file.parent().unwrap_or(project))?;
        fs::write(&file, contents)?;
        fs::set_permissions(&file, fs::Permissions::from_mode(mode))?;
    }
    fs::write(project.join(".gitignore"), ".state/\n")?;
    git(project, &["init", "--quiet"])?;
    git(project, &["config", "user.name", "forkhestra demo"])?;
    git(project, &["config", "user.email", "demo@localhost"])?;
    git(project, &["config", "commit.gpgsign", "false"])?;
    git(project, &["add", "--all"])?;
    git(project, &["commit", "--quiet", "--no-verify", "-m", "Begin"])?;
    Ok(())
}

fn git(project: &Path, args: &[&str]) -> io::Result<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(project)
        .args(args)
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .map_err(|error| io::Error::new(error.kind(), format!("git: {error}")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("git {}: {}", args[0], said.trim())))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn cannot(what: &str, error: &io::Error) -> CliError {
    CliError::wrong(
        Diagnostic::error(format!("cannot {what}: {error}")).hint("the demo needs git and a shell"),
    )
}
