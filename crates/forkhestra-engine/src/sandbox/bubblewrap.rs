//! The command line of bubblewrap.

use std::ffi::OsString;
use std::path::Path;

use rustix::process::geteuid;

use super::sandbox_mounts::{SandboxMount, mounts};
use super::sandbox_paths::SandboxPaths;

/// Capabilities that root keeps, as in usual containers: those for files and users, none for the
/// system. `CAP_SETFCAP` lets sandboxes of agents work inside.
const KEPT_CAPABILITIES: [&str; 9] = [
    "CAP_CHOWN",
    "CAP_DAC_OVERRIDE",
    "CAP_FOWNER",
    "CAP_FSETID",
    "CAP_KILL",
    "CAP_NET_BIND_SERVICE",
    "CAP_SETFCAP",
    "CAP_SETGID",
    "CAP_SETUID",
];

/// The options of every sandbox: namespaces, and a read-only file system.
///
/// `--die-with-parent` is left out: it would kill what an agent left running before it can end by
/// itself. The guard process of the run ends everything if the runner dies.
pub(super) fn base_options(is_root: bool) -> Vec<OsString> {
    let mut options: Vec<OsString> =
        ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--new-session", "--cap-drop", "ALL"]
            .map(OsString::from)
            .into();
    if is_root {
        options.extend(
            KEPT_CAPABILITIES.iter().flat_map(|name| ["--cap-add", name]).map(OsString::from),
        );
    }
    let base = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
    options.extend(base.map(OsString::from));
    if is_root {
        // Root could change settings of the kernel.
        options.extend(["--ro-bind", "/proc/sys", "/proc/sys"].map(OsString::from));
    }
    options
}

/// The arguments of bubblewrap before the program.
pub(super) fn arguments(paths: &SandboxPaths, directory: &Path) -> Vec<OsString> {
    let mut arguments = base_options(geteuid().is_root());
    for (path, mount) in mounts(paths) {
        match mount {
            SandboxMount::Empty => arguments.extend(["--tmpfs".into(), path.into()]),
            SandboxMount::Temporary(source) => {
                arguments.extend(["--bind".into(), source.into(), path.into()]);
            }
            SandboxMount::Other(source) => {
                arguments.extend(["--ro-bind".into(), source.into(), path.into()]);
            }
            SandboxMount::ReadOnly => {
                arguments.extend(["--ro-bind".into(), path.clone().into(), path.into()]);
            }
            SandboxMount::Writable => {
                arguments.extend(["--bind".into(), path.clone().into(), path.into()]);
            }
        }
    }
    for (path, target) in &paths.links {
        arguments.extend(["--symlink".into(), target.into(), path.into()]);
    }
    arguments.extend(["--chdir".into(), directory.into(), "--".into()]);
    arguments
}
