//! Finds the cause of a failed start. The system has one error for several causes: `ENOENT` may
//! mean the program, its interpreter or the working directory.

use std::fs;
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;

use super::interpreter::{self, Runnable, is_missing, runnable};
use super::spawn_command::SpawnCommand;
use super::spawn_error::SpawnError;

/// Finds errors that would prevent a program from starting, as far as its file shows them.
pub fn preflight(program: &Path) -> Result<(), SpawnError> {
    program_fault(program, None).map_or(Ok(()), Err)
}

/// The cause behind a system error. The total size of the arguments and variables, and the length
/// of the longest one, are for the error that they are too long.
pub(crate) fn diagnose(
    command: &SpawnCommand<'_>,
    errno: Errno,
    (size, longest): (usize, usize),
) -> SpawnError {
    let program = command.program.to_owned();
    match errno {
        Errno::TOOBIG => SpawnError::ArgumentsTooLong { program, size, longest },
        Errno::NOEXEC => SpawnError::NotAProgram { program },
        Errno::AGAIN | Errno::NOMEM | Errno::TXTBSY | Errno::MFILE | Errno::NFILE => {
            SpawnError::Transient { program, errno }
        }
        Errno::NOENT | Errno::ACCESS | Errno::NOTDIR => directory_fault(command.directory)
            .or_else(|| program_fault(command.program, Some(command.directory)))
            .unwrap_or(SpawnError::Other { program, errno }),
        errno => SpawnError::Other { program, errno },
    }
}

fn directory_fault(directory: &Path) -> Option<SpawnError> {
    let owned = directory.to_owned();
    match fs::metadata(directory) {
        Err(error) if is_missing(&error) => Some(SpawnError::DirectoryMissing { directory: owned }),
        Err(_) => Some(SpawnError::DirectoryClosed { directory: owned }),
        Ok(metadata) if !metadata.is_dir() => {
            Some(SpawnError::DirectoryIsFile { directory: owned })
        }
        Ok(_) => accessat(CWD, directory, Access::EXEC_OK, AtFlags::EACCESS)
            .is_err()
            .then_some(SpawnError::DirectoryClosed { directory: owned }),
    }
}

fn program_fault(program: &Path, directory: Option<&Path>) -> Option<SpawnError> {
    let owned = program.to_owned();
    match runnable(program) {
        Runnable::Missing => Some(SpawnError::NotFound { program: owned }),
        Runnable::No if program.is_dir() => Some(SpawnError::IsDirectory { program: owned }),
        Runnable::No => Some(SpawnError::NotExecutable { program: owned }),
        Runnable::Yes => interpreter::fault(program, directory)
            .map(|fault| SpawnError::BadInterpreter { program: owned, fault }),
    }
}
