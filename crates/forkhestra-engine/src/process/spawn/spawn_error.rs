//! Errors of starting a program.

use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// Why a program could not be started: one variant for each cause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpawnError {
    #[error("`{}` does not exist", program.display())]
    NotFound { program: PathBuf },
    #[error("`{}` is not executable", program.display())]
    NotExecutable { program: PathBuf },
    #[error("`{}` is a directory", program.display())]
    IsDirectory { program: PathBuf },
    /// The interpreter or loader of the file is missing or cannot be run.
    #[error("`{}` {fault}", program.display())]
    BadInterpreter { program: PathBuf, fault: InterpreterFault },
    /// The system does not recognise the format of the file.
    #[error(
        "`{}` is not a program: it is not a binary for this system and has no `#!` line",
        program.display()
    )]
    NotAProgram { program: PathBuf },
    /// The arguments and variables exceed a limit of the system.
    #[error(
        "the arguments and the environment of `{}` are too long: {size} bytes together, \
         {longest} bytes in the longest",
        program.display()
    )]
    ArgumentsTooLong {
        program: PathBuf,
        /// The total size as the system counts it.
        size: usize,
        /// The length of the longest one, which has a separate limit.
        longest: usize,
    },
    /// An argument, a path or a variable contains a zero byte.
    #[error("an argument, a path or a variable of `{}` contains a zero byte", program.display())]
    ZeroByte { program: PathBuf },
    #[error("the working directory `{}` does not exist", directory.display())]
    DirectoryMissing { directory: PathBuf },
    #[error("the working directory `{}` is not a directory", directory.display())]
    DirectoryIsFile { directory: PathBuf },
    /// There is no permission to enter the working directory.
    #[error("the working directory `{}` may not be entered", directory.display())]
    DirectoryClosed { directory: PathBuf },
    /// The sandbox cannot be applied.
    #[error("`{}` cannot be started in its sandbox: {why}", program.display())]
    Sandbox { program: PathBuf, why: String },
    /// The keeper of its lane ended before the program was started.
    #[error("the process that keeps `{}` together ended before it could start it", program.display())]
    NoKeeper { program: PathBuf },
    /// The system is temporarily short of a resource.
    #[error("`{}` cannot be started at the moment: {}", program.display(), io_error(*errno))]
    Transient { program: PathBuf, errno: Errno },
    #[error("`{}` cannot be started: {}", program.display(), io_error(*errno))]
    Other { program: PathBuf, errno: Errno },
}

/// Why the interpreter or loader of a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InterpreterFault {
    /// The interpreter of the `#!` line does not exist.
    #[error(
        "is a script whose interpreter `{}` does not exist{}",
        shown(interpreter),
        line_end_note(interpreter)
    )]
    Missing { interpreter: PathBuf },
    /// The interpreter of the `#!` line cannot be run.
    #[error("is a script whose interpreter `{}` cannot be run", shown(interpreter))]
    NotRunnable { interpreter: PathBuf },
    /// The loader of the binary does not exist: it was built for another system.
    #[error("is a binary whose loader `{}` does not exist", shown(loader))]
    LoaderMissing { loader: PathBuf },
    #[error("is a binary whose loader `{}` cannot be run", shown(loader))]
    LoaderNotRunnable { loader: PathBuf },
}

impl SpawnError {
    /// Whether a retry may succeed: the system was short of processes, memory or files, the program
    /// file was being written, or a keeper was killed.
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Transient { .. } | Self::NoKeeper { .. })
    }
}

/// The system's message for an error.
fn io_error(errno: Errno) -> std::io::Error {
    errno.into()
}

fn shown(path: &Path) -> String {
    path.display().to_string().escape_debug().to_string()
}

/// Names the usual reason why an interpreter that exists is not found: a carriage return.
fn line_end_note(interpreter: &Path) -> &'static str {
    let ends_in_return = interpreter.as_os_str().as_encoded_bytes().ends_with(b"\r");
    if ends_in_return { ": the line ends in a carriage return" } else { "" }
}
