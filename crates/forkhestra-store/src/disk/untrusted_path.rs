//! Files and directories of other users, links and special files in the places of ours.
//!
//! A state directory may be in a place that other users can write to, and a view is in a directory that an agent can
//! write to. What stands there is used only if this user made it: it has the right type, belongs to the effective user,
//! and cannot be changed by others.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::{getegid, geteuid};

use super::file_error::FileError;

const GROUP_MAY_WRITE: u32 = 0o020;
const ALL_MAY_WRITE: u32 = 0o002;
const EVERYTHING: u32 = 0o777;
/// In a directory with this bit, only the owner of an entry can rename or remove it.
const STICKY: u32 = 0o1000;
const ROOT: u32 = 0;

/// Why a file or directory is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UntrustedPath {
    #[error("`{}` is a symbolic link, which is not followed", .0.display())]
    Link(PathBuf),
    #[error("it is {0}, not a regular file")]
    SpecialFile(&'static str),
    #[error("it is not a directory")]
    NotADirectory,
    #[error("it belongs to user {owner}, and this program runs as user {}", geteuid().as_raw())]
    ForeignOwner { owner: u32 },
    #[error("other users can write to it (mode {mode:o})")]
    WritableByOthers { mode: u32 },
    #[error("it has {0} names (hard links)")]
    HardLinks(u64),
}

impl UntrustedPath {
    /// What can be done about it for the file or directory at this path.
    pub fn remedy(&self, path: &Path) -> String {
        let path = path.display();
        match self {
            // File systems without permissions show this mode for everything.
            Self::WritableByOthers { mode } if mode & EVERYTHING == EVERYTHING => format!(
                "take the permission away: chmod go-w {path}; a mounted drive of Windows or a network share \
                 may have no permissions: choose a directory on a local disk with `--state-dir`"
            ),
            Self::WritableByOthers { .. } => format!(
                "take the permission away: chmod go-w {path}; or choose another directory with `--state-dir`"
            ),
            Self::ForeignOwner { owner } => {
                format!("run as user {owner}, or choose a directory of your own with `--state-dir`")
            }
            _ => format!(
                "remove {path} if you do not know it, or choose another directory with `--state-dir`"
            ),
        }
    }
}

impl From<UntrustedPath> for io::Error {
    fn from(error: UntrustedPath) -> Self {
        Self::other(error)
    }
}

impl FileError {
    /// Why the file or directory is not used, if that is the error.
    pub fn untrusted(&self) -> Option<&UntrustedPath> {
        self.source.get_ref()?.downcast_ref()
    }
}

/// Whether a file may have a second name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HardLinkRule {
    /// A repair gives the journal a second name for a moment.
    Allowed,
    Refused,
}

/// Requires an open file to be regular, of this user, and without another name.
pub(crate) fn require_own_file(file: &Metadata, links: HardLinkRule) -> Result<(), UntrustedPath> {
    require_regular(file)?;
    require_own(file)?;
    match file.nlink() {
        names @ 2.. if links == HardLinkRule::Refused => Err(UntrustedPath::HardLinks(names)),
        _ => Ok(()),
    }
}

/// Requires a regular file: reading another one may block, or never end.
pub(crate) fn require_regular(file: &Metadata) -> Result<(), UntrustedPath> {
    let kind = file.file_type();
    let what = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_dir() => "a directory",
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () if kind.is_char_device() || kind.is_block_device() => "a device",
        () => "something else",
    };
    Err(UntrustedPath::SpecialFile(what))
}

/// The error of an open call that met a link or a special file.
pub(crate) fn open_error(path: &Path, error: io::Error) -> io::Error {
    let is = |errno: Errno| error.raw_os_error() == Some(errno.raw_os_error());
    let is_link = || fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    if (is(Errno::LOOP) || is(Errno::MLINK)) && is_link() {
        return UntrustedPath::Link(path.to_owned()).into();
    }
    // A pipe without a reader, or a socket.
    if is(Errno::NXIO) {
        return match fs::symlink_metadata(path).map(|found| require_regular(&found)) {
            Ok(Err(untrusted)) => untrusted.into(),
            _ => error,
        };
    }
    error
}

/// Requires a directory inside the state directory to be one of this user, which no other user can change.
pub(crate) fn require_own_directory(path: &Path) -> Result<(), FileError> {
    let found = fs::symlink_metadata(path).map_err(FileError::of("use", path))?;
    let checked = if found.is_symlink() {
        Err(UntrustedPath::Link(path.to_owned()))
    } else {
        require_directory(&found)
            .and_then(|()| require_own(&found))
            .and_then(|()| require_unwritable_by_others(&found))
    };
    checked.map_err(|untrusted| FileError::of("use", path)(untrusted.into()))
}

/// Requires that no other user can replace the entries of this directory: it belongs to this user and no other can
/// write to it, or it is one like `/tmp`. A link to it must be of this user or of root.
pub(crate) fn require_safe_root(path: &Path) -> Result<(), FileError> {
    let unusable = || FileError::of("use", path);
    let link = fs::symlink_metadata(path).map_err(unusable())?;
    let found = fs::metadata(path).map_err(unusable())?;
    let is_shared = found.mode() & STICKY != 0 && found.uid() == ROOT;
    let checked = match link.is_symlink() && link.uid() != ROOT {
        true => require_own(&link).map_err(|_| UntrustedPath::Link(path.to_owned())),
        false => Ok(()),
    };
    let checked = checked
        .and_then(|()| require_directory(&found))
        .and_then(|()| if is_shared { Ok(()) } else { require_own(&found) });
    let checked = checked.and_then(|()| match found.mode() & STICKY {
        0 => require_unwritable_by_others(&found),
        _ => Ok(()),
    });
    checked.map_err(|untrusted| unusable()(untrusted.into()))
}

fn require_directory(found: &Metadata) -> Result<(), UntrustedPath> {
    if found.is_dir() { Ok(()) } else { Err(UntrustedPath::NotADirectory) }
}

fn require_own(found: &Metadata) -> Result<(), UntrustedPath> {
    let owner = found.uid();
    if owner == geteuid().as_raw() { Ok(()) } else { Err(UntrustedPath::ForeignOwner { owner }) }
}

fn require_unwritable_by_others(found: &Metadata) -> Result<(), UntrustedPath> {
    let mode = found.mode() & 0o7777;
    let is_private = is_private_group(found.gid(), getegid().as_raw(), geteuid().as_raw());
    let bits = ALL_MAY_WRITE | if is_private { 0 } else { GROUP_MAY_WRITE };
    if mode & bits == 0 { Ok(()) } else { Err(UntrustedPath::WritableByOthers { mode }) }
}

/// Whether a group is that of this user alone. Systems on which each user has a group of the same number let it write by
/// default (umask 002). The group of root may have other members.
const fn is_private_group(group: u32, own_group: u32, user: u32) -> bool {
    group == own_group && group == user && user != ROOT
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn problem(checked: Result<(), FileError>) -> Option<UntrustedPath> {
        checked.err().map(|error| error.untrusted().expect("that is the only error").clone())
    }

    #[test]
    fn directories_that_others_can_write_to_are_refused() {
        let directory = tempfile::tempdir().expect("there is room");
        let group = fs::metadata(directory.path()).expect("it is ours").gid();
        let private = is_private_group(group, getegid().as_raw(), geteuid().as_raw());
        for (mode, inner, root) in [
            (0o700, true, true),
            (0o755, true, true),
            (0o775, private, private),
            (0o757, false, false),
            (0o777, false, false),
            (0o1777, false, true),
        ] {
            fs::set_permissions(directory.path(), Permissions::from_mode(mode))
                .expect("it is ours");
            assert_eq!(
                problem(require_own_directory(directory.path())).is_none(),
                inner,
                "{mode:o}"
            );
            assert_eq!(problem(require_safe_root(directory.path())).is_none(), root, "{mode:o}");
        }
    }

    #[test]
    fn only_the_group_of_one_user_may_write() {
        for (group, own_group, user, expected) in [
            (1000, 1000, 1000, true),
            (100, 100, 1000, false),
            (1000, 100, 1000, false),
            (1001, 1001, 1000, false),
            (0, 0, 0, false),
        ] {
            let found = is_private_group(group, own_group, user);
            assert_eq!(found, expected, "{group} {own_group} {user}");
        }
    }

    #[test]
    fn remedies_name_the_path_and_the_option() {
        let remedy = |problem: UntrustedPath| problem.remedy(Path::new("/s"));
        let writable = |mode| remedy(UntrustedPath::WritableByOthers { mode });
        assert!(writable(0o775).starts_with("take the permission away: chmod go-w /s; or choose"));
        assert!(writable(0o777).contains("on a local disk with `--state-dir`"));
        let foreign = remedy(UntrustedPath::ForeignOwner { owner: 1000 });
        assert!(foreign.contains("run as user 1000") && foreign.contains("--state-dir"));
    }

    #[test]
    fn a_link_is_refused_inside_and_followed_at_the_root() {
        let directory = tempfile::tempdir().expect("there is room");
        let link = directory.path().join("link");
        fs::create_dir(directory.path().join("real")).expect("it is ours");
        symlink("real", &link).expect("it is ours");
        assert_eq!(problem(require_own_directory(&link)), Some(UntrustedPath::Link(link.clone())));
        assert_eq!(problem(require_safe_root(&link)), None);
        let file = directory.path().join("file");
        fs::write(&file, "").expect("it is ours");
        assert_eq!(problem(require_safe_root(&file)), Some(UntrustedPath::NotADirectory));
    }
}
