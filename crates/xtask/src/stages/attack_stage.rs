//! Repeats the attacks of `crates/forkhestra/tests/attacks` as a user without privileges. The stage `tests` runs them as the
//! user who tests, which is often root.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use devkit::cargo::{self, cargo};
use devkit::command;
use devkit::error::{Error, Result};

use super::stage::StageContext;

/// The id of the user and group `nobody`, which own no files.
const UNPRIVILEGED: u32 = 65534;

pub(super) fn attacks_by_another_user(context: &StageContext<'_>) -> Result<()> {
    if !is_root() {
        println!(
            "The stage `tests` ran the attacks as this user. Only root can run them as another user."
        );
        return Ok(());
    }
    let arguments = ["test", "--workspace", "--locked", "--no-run", "--test", "attacks"];
    let programs = cargo::build(&mut cargo(context.workspace, arguments))?;
    let attacks = cargo::find(&programs, "attacks")?;
    let home = tempfile::Builder::new().prefix("forkhestra-attacks").tempdir();
    let home = home.map_err(|source| Error::Unmet(format!("no temporary directory: {source}")))?;
    chown(home.path(), Some(UNPRIVILEGED), Some(UNPRIVILEGED))
        .map_err(|source| Error::Unmet(format!("a directory cannot be given away: {source}")))?;
    if !command::answers(as_unprivileged(attacks, home.path()).arg("--list")) {
        let path = attacks.display();
        return Err(Error::Unmet(format!(
            "other users cannot run {path}: use a checkout that they can read"
        )));
    }
    command::run(as_unprivileged(attacks, home.path()).arg("--test-threads=8"))
}

/// A command of the user `nobody`, with a home of its own.
fn as_unprivileged(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.uid(UNPRIVILEGED).gid(UNPRIVILEGED).current_dir(home);
    command.env("HOME", home).env("TMPDIR", home).env("USER", "nobody");
    command
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}
