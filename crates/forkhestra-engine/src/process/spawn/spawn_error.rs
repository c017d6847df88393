//! Why a program could not be started.

use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// Why a program could not be started: one kind for each cause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpawnError {
    /// There is no such file.
    #[error("`{}` does not exist", program.display())]
    NotFound {
        /// The file that was to be run.
        program: PathBuf,
    },
    /// The file may not be run by us.
    #[error("`{}` is not executable", program.display())]
    NotExecutable {
        /// The file that was to be run.
        program: PathBuf,
    },
    /// It is a directory.
    #[error("`{}` is a directory", program.display())]
    IsDirectory {
        /// What was to be run.
        program: PathBuf,
    },
    /// The file needs another one to be run, and that one is not there or cannot be run.
    #[error("`{}` {fault}", program.display())]
    BadInterpreter {
        /// The file that was to be run.
        program: PathBuf,
        /// What is wrong with what it needs.
        fault: InterpreterFault,
    },
    /// The system does not know how to run the file.
    #[error(
        "`{}` is not a program: it is not a binary for this system and has no `#!` line",
        program.display()
    )]
    NotAProgram {
        /// The file that was to be run.
        program: PathBuf,
    },
    /// There is more to hand over than the system takes.
    #[error(
        "the arguments and the environment of `{}` are too long: {size} bytes together, \
         {longest} bytes in the longest",
        program.display()
    )]
    ArgumentsTooLong {
        /// The file that was to be run.
        program: PathBuf,
        /// The size of all of them together, as the system counts.
        size: usize,
        /// The length of the longest one, which has a limit of its own.
        longest: usize,
    },
    /// An argument, a path or a variable has a zero byte in it, which the system cannot hand over.
    #[error("an argument, a path or a variable of `{}` contains a zero byte", program.display())]
    ZeroByte {
        /// The file that was to be run.
        program: PathBuf,
    },
    /// The working directory does not exist.
    #[error("the working directory `{}` does not exist", directory.display())]
    DirectoryMissing {
        /// The working directory.
        directory: PathBuf,
    },
    /// The working directory is a file.
    #[error("the working directory `{}` is not a directory", directory.display())]
    DirectoryIsFile {
        /// The working directory.
        directory: PathBuf,
    },
    /// We may not enter the working directory.
    #[error("the working directory `{}` may not be entered", directory.display())]
    DirectoryClosed {
        /// The working directory.
        directory: PathBuf,
    },
    /// The system is short of something at the moment.
    #[error("`{}` cannot be started at the moment: {}", program.display(), said(*errno))]
    Transient {
        /// The file that was to be run.
        program: PathBuf,
        /// What the system said.
        errno: Errno,
    },
    /// Something else.
    #[error("`{}` cannot be started: {}", program.display(), said(*errno))]
    Other {
        /// The file that was to be run.
        program: PathBuf,
        /// What the system said.
        errno: Errno,
    },
}

/// What is wrong with the file that another one needs to be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InterpreterFault {
    /// The `#!` line of a script names a file that does not exist.
    #[error(
        "is a script whose interpreter `{}` does not exist{}",
        shown(interpreter),
        line_end_note(interpreter)
    )]
    Missing {
        /// The file it names.
        interpreter: PathBuf,
    },
    /// The `#!` line of a script names a file that cannot be run.
    #[error("is a script whose interpreter `{}` cannot be run", shown(interpreter))]
    NotRunnable {
        /// The file it names.
        interpreter: PathBuf,
    },
    /// A binary was built for a system whose loader this one does not have.
    #[error("is a binary whose loader `{}` does not exist", shown(loader))]
    LoaderMissing {
        /// The loader.
        loader: PathBuf,
    },
    /// A binary names a loader that cannot be run.
    #[error("is a binary whose loader `{}` cannot be run", shown(loader))]
    LoaderNotRunnable {
        /// The loader.
        loader: PathBuf,
    },
}

impl SpawnError {
    /// Whether it is worth trying again: the system was short of processes, memory or files, or
    /// the program was just being written.
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Transient { .. })
    }
}

/// The system's own words for an error.
fn said(errno: Errno) -> std::io::Error {
    errno.into()
}

fn shown(path: &Path) -> String {
    path.display().to_string().escape_debug().to_string()
}

/// The usual reason why an interpreter is missing that everybody can see is there.
fn line_end_note(interpreter: &Path) -> &'static str {
    let ends_in_return = interpreter.as_os_str().as_encoded_bytes().ends_with(b"\r");
    if ends_in_return { ": the line ends in a carriage return" } else { "" }
}
