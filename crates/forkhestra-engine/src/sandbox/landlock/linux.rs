//! Landlock: the paths that a thread and its later children can write.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope, path_beneath_rules,
};

use super::sandbox_paths::SandboxPaths;

/// Devices that every program may write.
const DEVICES: [&str; 9] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

/// Shared directories for temporary files. Each can be written unless it holds something that must
/// be protected.
const SHARED_TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// The first version of the Landlock interface that restricts signals; Linux 6.12 introduced it.
const SCOPED: i32 = 6;

/// Restricts the calling thread. The error is why that is impossible.
pub(super) fn restrict_thread(paths: &SandboxPaths) -> Result<(), String> {
    let enforced = restrict(paths).map_err(|error| error.to_string())?;
    match enforced {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err("this kernel does not enforce Landlock".to_owned()),
    }
}

fn restrict(paths: &SandboxPaths) -> Result<RulesetStatus, RulesetError> {
    // Ioctls stay allowed: terminals need them.
    let access = AccessFs::from_write(ABI::V3);
    let status = Ruleset::default()
        .handle_access(access)?
        .scope(Scope::from_all(ABI::V6))?
        .create()?
        .add_rules(path_beneath_rules(writable(paths), access))?
        .restrict_self()?;
    Ok(status.ruleset)
}

fn writable(paths: &SandboxPaths) -> Vec<PathBuf> {
    let mut writable: Vec<PathBuf> = DEVICES.iter().map(PathBuf::from).collect();
    writable.push(paths.temporary.clone());
    let protected = || paths.hidden.iter().chain(&paths.protected);
    for shared in SHARED_TEMPORARY.map(Path::new) {
        // The home directory or the programs of the user may be inside.
        if !protected().any(|path| path != shared && path.starts_with(shared)) {
            writable.push(shared.to_owned());
        }
    }
    writable.extend(paths.writable.iter().cloned());
    writable
}

/// The version of Landlock in this kernel, or why there is none.
pub(super) fn version() -> Result<i32, &'static str> {
    const QUERY_VERSION: u32 = 1;
    // SAFETY: with this flag the call reads no memory and only returns a number.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<libc::c_void>(),
            0usize,
            QUERY_VERSION,
        )
    };
    match i32::try_from(version) {
        Ok(version) if version > 0 => Ok(version),
        _ => match std::io::Error::last_os_error().raw_os_error() {
            Some(libc::EOPNOTSUPP) => Err("Landlock is turned off in this kernel"),
            _ => Err("this kernel has no Landlock"),
        },
    }
}

/// What a version of Landlock does not cover.
pub(super) fn gaps(version: i32) -> Vec<String> {
    let mut gaps = Vec::new();
    if version < 3 {
        gaps.push(
            "files outside of the writable paths can be truncated (Linux 6.2 prevents that)"
                .to_owned(),
        );
    }
    if version < SCOPED {
        gaps.push("processes outside can be signalled (Linux 6.12 prevents that)".to_owned());
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_temporary_files_can_be_written_unless_something_valuable_is_there() {
        let shared = |protected: &[&str]| {
            let paths = SandboxPaths {
                hidden: ["/tmp".into(), "/h/state".into()].into(),
                visible: ["/tmp/ssh/agent".into()].into(),
                protected: protected.iter().map(PathBuf::from).collect(),
                ..SandboxPaths::default()
            };
            writable(&paths).contains(&PathBuf::from("/tmp"))
        };
        assert!(shared(&["/h", "/usr/bin"]));
        assert!(!shared(&["/h", "/tmp/programs"]));
    }
}
