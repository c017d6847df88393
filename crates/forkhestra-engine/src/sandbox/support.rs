//! What the machine supports.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use forkhestra_core::plan::{LevelObstacle, LevelSupport, SandboxMechanism, SandboxSupport};
use rustix::process::geteuid;

use super::strict::filters_calls;
use super::{bubblewrap, landlock_rules};

/// Where systems install bubblewrap. These come before `PATH`, in which an agent may have put
/// something.
const USUAL_PLACES: [&str; 4] =
    ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

const INSTALL: &str = "install bubblewrap (package `bubblewrap`)";

const ALLOW_NAMESPACES: &str = "allow user namespaces: as root `sysctl -w \
     kernel.apparmor_restrict_unprivileged_userns=0` or `sysctl -w \
     kernel.unprivileged_userns_clone=1`; in Docker `--security-opt seccomp=unconfined --cap-add \
     SYS_ADMIN`";

/// Finds bubblewrap.
pub fn find_bubblewrap(path: Option<&OsStr>) -> Option<PathBuf> {
    let on_path = path.into_iter().flat_map(std::env::split_paths);
    let on_path = on_path.filter(|place| place.is_absolute()).map(|place| place.join("bwrap"));
    let mut places = USUAL_PLACES.iter().map(PathBuf::from).chain(on_path);
    places.find(|place| place.is_file())
}

/// Finds out which levels this machine supports. It starts bubblewrap once where that works. A
/// network of its own takes longer, so it is tried only if `strict` matters.
pub fn examine(bubblewrap: Option<&Path>, is_strict_needed: bool) -> SandboxSupport {
    if cfg!(target_os = "macos") {
        return seatbelt_support();
    }
    let landlock = landlock_rules::version();
    let guard = LevelSupport {
        mechanism: SandboxMechanism::Landlock,
        obstacle: landlock.err().map(|why| LevelObstacle {
            why: why.to_owned(),
            remedy: "use Linux 5.13 or newer with `landlock` among its security modules".to_owned(),
        }),
        gaps: landlock.map_or_else(|_| Vec::new(), landlock_rules::gaps),
    };
    let level = |obstacle| LevelSupport {
        mechanism: SandboxMechanism::Bubblewrap,
        obstacle,
        gaps: Vec::new(),
    };
    let network: &[&str] = if is_strict_needed { &["--unshare-net"] } else { &[] };
    let with_network = bubblewrap_obstacle(bubblewrap, network);
    let without = with_network.as_ref().and_then(|_| bubblewrap_obstacle(bubblewrap, &[]));
    let strict = with_network.or_else(|| (!filters_calls()).then(no_filter));
    SandboxSupport { guard, workspace: level(without), strict: level(strict) }
}

fn no_filter() -> LevelObstacle {
    LevelObstacle {
        why: "system calls cannot be filtered on this machine".to_owned(),
        remedy: "use `workspace`".to_owned(),
    }
}

fn seatbelt_support() -> SandboxSupport {
    let level = || LevelSupport {
        mechanism: SandboxMechanism::Seatbelt,
        obstacle: None,
        gaps: vec!["processes and UNIX sockets elsewhere are visible".to_owned()],
    };
    let obstacle = LevelObstacle {
        why: "it needs bubblewrap, which exists only on Linux".to_owned(),
        remedy: "use `workspace`".to_owned(),
    };
    let strict = LevelSupport { obstacle: Some(obstacle), ..level() };
    SandboxSupport { guard: level(), workspace: level(), strict }
}

/// Why bubblewrap cannot be used with these options.
fn bubblewrap_obstacle(program: Option<&Path>, options: &[&str]) -> Option<LevelObstacle> {
    let obstacle = |why: String, remedy: &str| LevelObstacle { why, remedy: remedy.to_owned() };
    let Some(program) = program else {
        return Some(obstacle("bubblewrap is not installed".to_owned(), INSTALL));
    };
    let mut command = Command::new(program);
    command.args(bubblewrap::base_options(geteuid().is_root())).args(options);
    command
        .arg("--")
        .arg(program)
        .arg("--version")
        .env_clear()
        .stdin(Stdio::null())
        .current_dir("/");
    match command.output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            let line = text.lines().last().unwrap_or_default().trim().trim_start_matches("bwrap: ");
            let line = if line.is_empty() { "it fails without a message" } else { line };
            Some(obstacle(format!("bubblewrap does not work here ({line})"), ALLOW_NAMESPACES))
        }
        Err(error) => {
            let why = format!("`{}` cannot be started: {error}", program.display());
            Some(obstacle(why, INSTALL))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn script(directory: &Path, text: &str) -> PathBuf {
        let path = directory.join("bwrap");
        fs::write(&path, text).expect("the place is ours");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        path
    }

    #[test]
    fn a_missing_or_failing_bubblewrap_is_explained() {
        let why = |program: Option<&Path>| bubblewrap_obstacle(program, &[]).map(|found| found.why);
        assert_eq!(why(None).as_deref(), Some("bubblewrap is not installed"));
        let directory = tempfile::tempdir().expect("there is room");
        let failing =
            script(directory.path(), "#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n");
        assert_eq!(
            why(Some(&failing)).as_deref(),
            Some("bubblewrap does not work here (No permissions)")
        );
        let working = script(directory.path(), "#!/bin/sh\nexit 0\n");
        assert_eq!(why(Some(&working)), None);
        let gone = why(Some(Path::new("/nowhere/bwrap"))).expect("it cannot be started");
        assert!(gone.starts_with("`/nowhere/bwrap` cannot be started"), "{gone}");
    }

    #[test]
    fn bubblewrap_on_the_path_is_found_last() {
        let directory = tempfile::tempdir().expect("there is room");
        let found = find_bubblewrap(Some(directory.path().as_os_str()));
        script(directory.path(), "");
        let now = find_bubblewrap(Some(directory.path().as_os_str()));
        assert!(now.is_some());
        assert!(found.is_none() || now == found, "{now:?}");
    }
}
