//! `cargo xtask agents`: the real agents that tests run, installed from npm at fixed versions.
//!
//! `crates/testkit/agents` holds the versions and npm's lock file. Each installation is below the
//! target folder, in a folder named after these two files, so that versions never mix.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use devkit::command;
use devkit::error::{Error, Result};
use devkit::files;
use devkit::packages;
use devkit::workspace::Workspace;

/// The variable by which tests find the agents.
const VARIABLE: &str = "FORKHESTRA_REAL_AGENTS";

/// Whether the agents are installed for the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AgentInstallation {
    Wanted,
    Declined,
}

const MANIFEST: &str = "package.json";
const LOCK: &str = "package-lock.json";

/// Written last: without it an installation was not finished.
const COMPLETE: &str = "complete";

/// Installs the agents and prints where they are.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    println!("{}", install(workspace)?.display());
    Ok(())
}

/// The variable by which tests find the agents, and its value: empty if they are not wanted.
pub(crate) fn for_tests(
    workspace: &Workspace,
    installation: AgentInstallation,
) -> Result<(&'static str, OsString)> {
    if installation == AgentInstallation::Declined {
        println!("WARNING: the tests of the real agents are SKIPPED, as you said.");
        return Ok((VARIABLE, OsString::new()));
    }
    let folder = install(workspace).inspect_err(|_| {
        println!("WARNING: the real agents cannot be installed, so they cannot be tested.");
        println!("WARNING: `cargo xtask test --without-real-agents` leaves these tests out.");
    })?;
    Ok((VARIABLE, folder.into_os_string()))
}

/// Installs the agents unless they are installed, and returns their folder.
fn install(workspace: &Workspace) -> Result<PathBuf> {
    let source = workspace.root.join("crates/testkit/agents");
    let manifest = files::read(&source.join(MANIFEST))?;
    let lock = files::read(&source.join(LOCK))?;
    let all = workspace.target.join("agents");
    let name = folder_name(&[&manifest, &lock]);
    let folder = all.join(&name);
    if !folder.join(COMPLETE).is_file() {
        let versions = versions(&manifest, &lock)?;
        make_empty(&folder)?;
        files::copy(&source.join(MANIFEST), &folder.join(MANIFEST))?;
        files::copy(&source.join(LOCK), &folder.join(LOCK))?;
        fetch(&folder)?;
        verify(&folder, &versions)?;
        files::write(&folder.join(COMPLETE), "")?;
    }
    point_to(&all, &name)?;
    Ok(folder)
}

/// Makes npm install exactly the versions of the lock file.
fn fetch(folder: &Path) -> Result<()> {
    let mut npm = Command::new("npm");
    if !command::answers(npm.arg("--version")) {
        packages::try_to_install("nodejs", "for the real agents");
        packages::try_to_install("npm", "for the real agents");
    }
    // Standard output is reserved for the result of `cargo xtask agents`.
    eprintln!("installing the real agents into {}", folder.display());
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder);
    command::run(npm.stdout(io::stderr()))
}

/// Checks that each program starts and has the expected version.
fn verify(folder: &Path, versions: &[(String, String)]) -> Result<()> {
    // Some write into the user's home as soon as they are started.
    let home = tempfile::tempdir().map_err(files::failing("create a home in", folder))?;
    for (program, version) in versions {
        let mut command = Command::new(folder.join("node_modules/.bin").join(program));
        let output = command::stdout_of(command.arg("--version").env("HOME", home.path()))?;
        if !has_version_word(&output, version) {
            let output = output.trim();
            return Err(Error::Unmet(format!("{program} is not {version}, but says: {output}")));
        }
        eprintln!("{program} {version}");
    }
    Ok(())
}

/// Whether the version is one of the words.
fn has_version_word(text: &str, version: &str) -> bool {
    text.split_whitespace().any(|word| word == version)
}

/// Each program of a package in the manifest, with the version of the package. The lock names the
/// programs.
fn versions(manifest: &[u8], lock: &[u8]) -> Result<Vec<(String, String)>> {
    let [manifest, lock] =
        [manifest, lock].map(|text| serde_json::from_slice::<Value>(text).unwrap_or_default());
    let packages = manifest["dependencies"].as_object().into_iter().flatten();
    let versions = packages.map(|(package, version)| {
        let locked = &lock["packages"][format!("node_modules/{package}")];
        let program = locked["bin"].as_object().and_then(|programs| programs.keys().next());
        match program.filter(|_| locked["version"] == *version) {
            Some(program) => Ok((program.clone(), version.as_str().unwrap_or_default().to_owned())),
            None => Err(Error::Unmet(format!("{LOCK} of the agents has no {package} {version}"))),
        }
    });
    versions.collect()
}

/// A hash of the files (FNV-1a, so that it is the same with every compiler).
fn folder_name(files: &[&[u8]]) -> String {
    let bytes = files.iter().flat_map(|file| file.iter());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Removes an unfinished installation.
fn make_empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(files::failing("remove", folder))?;
    }
    files::make_folder(folder)
}

/// Points `current` to the folder of this name, for tests that are run by hand.
fn point_to(all: &Path, name: &str) -> Result<()> {
    let current = all.join("current");
    if fs::read_link(&current).is_ok_and(|target| target == Path::new(name)) {
        return Ok(());
    }
    let new = all.join(format!("current.{}", std::process::id()));
    symlink(name, &new).map_err(files::failing("create", &new))?;
    fs::rename(&new, &current).map_err(files::failing("replace", &current))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(root: &Path) -> Workspace {
        let target = root.join("target");
        Workspace { root: root.to_path_buf(), target }
    }

    #[test]
    fn the_folder_has_another_name_when_a_file_changes() {
        let names = [folder_name(&[b"a", b"b"]), folder_name(&[b"a", b"c"]), folder_name(&[])];
        assert_eq!(names[2], "cbf29ce484222325");
        assert_ne!(names[0], names[1]);
        assert!(names.iter().all(|name| name.len() == 16));
    }

    #[test]
    fn the_manifest_and_the_lock_name_one_version_of_every_program() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/agents");
        let [manifest, lock] =
            [MANIFEST, LOCK].map(|name| fs::read(folder.join(name)).expect("it is there"));
        let versions = versions(&manifest, &lock).expect("the lock has all of them");
        assert!(!versions.is_empty());
        for (program, version) in versions {
            let is_exact = version.chars().all(|c| c.is_ascii_digit() || c == '.');
            assert!(is_exact, "{program} {version} is not one version");
        }
    }

    #[test]
    fn a_lock_without_an_agent_or_with_another_version_is_refused() {
        let manifest = br#"{"dependencies":{"acme":"1.0"}}"#;
        for lock in
            ["{}", r#"{"packages":{"node_modules/acme":{"version":"2.0","bin":{"acme":"a"}}}}"#]
        {
            let error = versions(manifest, lock.as_bytes()).expect_err("it is not locked");
            assert_eq!(
                error.to_string(),
                "package-lock.json of the agents has no acme \"1.0\"",
                "{lock}"
            );
        }
    }

    #[test]
    fn a_version_is_a_word_of_its_own() {
        assert!(has_version_word("2.1.325 (Claude Code)\n", "2.1.325"));
        assert!(has_version_word("codex-cli 0.166.0", "0.166.0"));
        assert!(!has_version_word("2.1.3251", "2.1.325"));
        assert!(!has_version_word("", "2.1.325"));
    }

    #[test]
    fn an_installation_that_is_complete_is_used_as_it_is() {
        let root = tempfile::tempdir().expect("the system gives us a temporary directory");
        let workspace = workspace(root.path());
        let source = root.path().join("crates/testkit/agents");
        files::write(&source.join(MANIFEST), "manifest").expect("it is ours");
        files::write(&source.join(LOCK), "lock").expect("it is ours");
        let name = folder_name(&[b"manifest", b"lock"]);
        let folder = workspace.target.join("agents").join(&name);
        files::write(&folder.join(COMPLETE), "").expect("it is ours");

        assert_eq!(install(&workspace).expect("nothing is to be done"), folder);
        let current = workspace.target.join("agents/current");
        assert_eq!(fs::read_link(&current).expect("it is a link"), Path::new(&name));
        let (variable, value) =
            for_tests(&workspace, AgentInstallation::Wanted).expect("nothing is to be done");
        assert_eq!(
            (variable, value),
            (testkit::InstalledAgents::VARIABLE, folder.into_os_string())
        );
    }

    #[test]
    fn the_link_moves_to_another_installation() {
        let all = tempfile::tempdir().expect("the system gives us a temporary directory");
        for name in ["one", "two", "two"] {
            point_to(all.path(), name).expect("the folder is ours");
            let target = fs::read_link(all.path().join("current")).expect("it is a link");
            assert_eq!(target, Path::new(name));
        }
        assert_eq!(fs::read_dir(all.path()).expect("it is ours").count(), 1);
    }

    #[test]
    fn declined_agents_are_not_installed() {
        let nowhere = Path::new("/nonexistent");
        let (_, value) = for_tests(&workspace(nowhere), AgentInstallation::Declined)
            .expect("nothing is to be done");
        assert!(value.is_empty());
    }
}
