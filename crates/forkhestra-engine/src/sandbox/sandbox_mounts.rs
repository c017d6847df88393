//! The mounts of a sandbox, in the order in which they are made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::sandbox_paths::SandboxPaths;

/// The directories that the sandbox's own temporary directory replaces.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// What is mounted at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SandboxMount {
    /// An empty directory in memory.
    Empty,
    /// The sandbox's temporary directory.
    Temporary(PathBuf),
    /// Another directory, read-only.
    Other(PathBuf),
    /// The path itself, read-only.
    ReadOnly,
    /// The path itself.
    Writable,
}

/// The mounts by path. A directory comes before what is inside it.
pub(super) fn mounts(paths: &SandboxPaths) -> BTreeMap<PathBuf, SandboxMount> {
    let mut mounts = BTreeMap::new();
    for path in &paths.hidden {
        let is_temporary = TEMPORARY.iter().any(|place| path == Path::new(place));
        let mount = match is_temporary {
            true => SandboxMount::Temporary(paths.temporary.clone()),
            false => SandboxMount::Empty,
        };
        mounts.insert(path.clone(), mount);
    }
    for (path, other) in &paths.replaced {
        mounts.insert(path.clone(), SandboxMount::Other(other.clone()));
    }
    // What is in a writable directory needs no mount: it would become read-only.
    let is_hidden = |path: &Path| {
        let innermost = paths.hidden.iter().filter(|hidden| path.starts_with(hidden)).max();
        let is_shown = |hidden: &PathBuf| {
            let mut roots = paths.writable.iter().filter(|root| path.starts_with(root));
            roots.any(|root| root.starts_with(hidden))
        };
        innermost.is_some_and(|hidden| !is_shown(hidden))
    };
    for path in paths.visible.iter().filter(|path| is_hidden(path)) {
        // A directory that holds a hidden one stays hidden itself.
        mounts.entry(path.clone()).or_insert(SandboxMount::ReadOnly);
    }
    for path in &paths.writable {
        mounts.insert(path.clone(), SandboxMount::Writable);
    }
    for path in &paths.read_only {
        let Some(root) = paths.writable.iter().filter(|root| path.starts_with(root)).min() else {
            continue;
        };
        // A mount point cannot be renamed. Each directory above a read-only path becomes one, so
        // that it cannot be moved away and replaced.
        let above = path.ancestors().skip(1).take_while(|above| above.starts_with(root));
        for directory in above {
            mounts.entry(directory.to_owned()).or_insert(SandboxMount::Writable);
        }
        mounts.insert(path.clone(), SandboxMount::ReadOnly);
    }
    mounts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(paths: &SandboxPaths) -> Vec<String> {
        let word = |mount: &SandboxMount| match mount {
            SandboxMount::Empty => "empty".to_owned(),
            SandboxMount::Temporary(path) => format!("temporary {}", path.display()),
            SandboxMount::Other(path) => format!("other {}", path.display()),
            SandboxMount::ReadOnly => "ro".to_owned(),
            SandboxMount::Writable => "rw".to_owned(),
        };
        mounts(paths).iter().map(|(path, m)| format!("{} {}", path.display(), word(m))).collect()
    }

    fn set(paths: &[&str]) -> std::collections::BTreeSet<PathBuf> {
        paths.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn parents_come_first_and_cannot_be_moved_away() {
        let paths = SandboxPaths {
            writable: set(&["/p", "/h/.codex"]),
            read_only: set(&["/p/forge/orch/chains.json", "/p/.git/config", "/etc/x"]),
            hidden: set(&["/h/state", "/tmp"]),
            visible: set(&["/h", "/h/state/run/bin", "/tmp/home"]),
            replaced: [("/etc/y".into(), "/h/state/run/y".into())].into(),
            temporary: "/h/state/run/tmp".into(),
            ..SandboxPaths::default()
        };
        assert_eq!(
            shown(&paths),
            [
                "/etc/y other /h/state/run/y",
                "/h/.codex rw",
                "/h/state empty",
                "/h/state/run/bin ro",
                "/p rw",
                "/p/.git rw",
                "/p/.git/config ro",
                "/p/forge rw",
                "/p/forge/orch rw",
                "/p/forge/orch/chains.json ro",
                "/tmp temporary /h/state/run/tmp",
                "/tmp/home ro",
            ]
        );
    }

    #[test]
    fn a_hidden_directory_inside_the_work_tree_stays_hidden() {
        let paths = SandboxPaths {
            writable: set(&["/p"]),
            hidden: set(&["/p/state"]),
            visible: set(&["/p/state"]),
            ..SandboxPaths::default()
        };
        assert_eq!(shown(&paths), ["/p rw", "/p/state empty"]);
    }

    #[test]
    fn programs_of_a_work_tree_inside_a_hidden_directory_stay_writable() {
        let paths = SandboxPaths {
            writable: set(&["/tmp/p"]),
            hidden: set(&["/tmp", "/tmp/p/state"]),
            visible: set(&["/tmp/p/.venv/bin", "/tmp/p/state/bin"]),
            temporary: "/s/tmp".into(),
            ..SandboxPaths::default()
        };
        assert_eq!(
            shown(&paths),
            ["/tmp temporary /s/tmp", "/tmp/p rw", "/tmp/p/state empty", "/tmp/p/state/bin ro",]
        );
    }

    #[test]
    fn a_work_tree_inside_a_hidden_directory_is_there() {
        let paths = SandboxPaths {
            writable: set(&["/tmp/x/project"]),
            hidden: set(&["/tmp"]),
            temporary: "/s/tmp".into(),
            ..SandboxPaths::default()
        };
        assert_eq!(shown(&paths), ["/tmp temporary /s/tmp", "/tmp/x/project rw"]);
    }
}
