//! Starts programs by `posix_spawn`.

use std::ffi::{CString, NulError, OsString};
use std::fmt;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::io::Errno;
use rustix::process::Pid;

use super::c_strings::CStrings;
use super::diagnose::diagnose;
use super::spawn_attributes::{SpawnAttributes, check};
use super::spawn_error::SpawnError;
use super::spawn_file_actions::SpawnFileActions;
use crate::process::keeper::{KEEPER_LINK, KeeperCommand, KeeperHandle, spawn_kept};
use crate::process::system;

/// A program with everything it is started with.
#[derive(Clone, Copy)]
pub struct SpawnCommand<'a> {
    /// The absolute path of the program.
    pub program: &'a Path,
    /// The arguments without the program's name.
    pub args: &'a [OsString],
    /// The whole environment; nothing is inherited.
    pub env: &'a [(OsString, OsString)],
    pub directory: &'a Path,
    pub stdin: SpawnStdin<'a>,
    /// The keeper of its processes, if it is started in a lane.
    pub keeper: Option<&'a KeeperCommand>,
}

/// Prints neither arguments nor values of variables, since they may contain prompts and secrets.
impl fmt::Debug for SpawnCommand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("SpawnCommand")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("env", &names)
            .field("directory", &self.directory)
            .field("stdin", &self.stdin)
            .field("keeper", &self.keeper.is_some())
            .finish()
    }
}

/// The standard input of a program.
#[derive(Debug, Clone, Copy)]
pub enum SpawnStdin<'a> {
    /// `/dev/null`.
    Null,
    /// A file, pipe or socket.
    Fd(BorrowedFd<'a>),
}

/// A started program and its output pipes.
#[derive(Debug)]
pub struct SpawnedProcess {
    /// The pid, which is also its session and its process group.
    pub pid: Pid,
    pub stdout: OutputPipe,
    pub stderr: OutputPipe,
    /// Its parent, if that is a keeper.
    pub keeper: Option<KeeperHandle>,
}

/// The pipe of an output stream.
#[derive(Debug)]
pub struct OutputPipe {
    /// The reading end, in blocking mode.
    pub reader: OwnedFd,
    /// The writing end. While this process holds it, the pipe does not end with the program.
    pub writer: OwnedFd,
}

impl OutputPipe {
    fn new() -> Result<Self, Errno> {
        let (reader, writer) = system::pipe()?;
        Ok(Self { reader, writer })
    }
}

/// Starts a program in a session of its own, with default signal actions and an empty signal mask.
///
/// Only signals that were ignored when this process was started stay ignored: handlers are reset by
/// `exec`, and the signals that this process ignores are reset as well.
pub(crate) fn spawn(command: &SpawnCommand<'_>) -> Result<SpawnedProcess, SpawnError> {
    match command.keeper {
        Some(keeper) => spawn_kept(command, keeper),
        None => spawn_linked(command, None),
    }
}

/// Starts a program directly. The file is its [`KEEPER_LINK`], if there is one.
pub(in crate::process) fn spawn_linked(
    command: &SpawnCommand<'_>,
    link: Option<BorrowedFd<'_>>,
) -> Result<SpawnedProcess, SpawnError> {
    let strings = SpawnStrings::of(command)?;
    spawn_with(command, &strings, link).map_err(|errno| diagnose(command, errno, strings.sizes()))
}

/// The cause of an error that a keeper met when it started the program.
pub(in crate::process) fn diagnose_kept(command: &SpawnCommand<'_>, errno: Errno) -> SpawnError {
    SpawnStrings::of(command)
        .map_or_else(|error| error, |strings| diagnose(command, errno, strings.sizes()))
}

/// The C strings of a command.
struct SpawnStrings {
    program: CString,
    directory: CString,
    args: CStrings,
    env: CStrings,
}

impl SpawnStrings {
    fn of(command: &SpawnCommand<'_>) -> Result<Self, SpawnError> {
        let zero_byte = |_: NulError| SpawnError::ZeroByte { program: command.program.to_owned() };
        Self::converted(command).map_err(zero_byte)
    }

    fn converted(command: &SpawnCommand<'_>) -> Result<Self, NulError> {
        let program = command.program.as_os_str();
        let args = std::iter::once(program).chain(command.args.iter().map(OsString::as_os_str));
        let variable = |(name, value): &(OsString, OsString)| {
            [name.as_bytes(), b"=", value.as_bytes()].concat()
        };
        Ok(Self {
            program: CString::new(program.as_bytes())?,
            directory: CString::new(command.directory.as_os_str().as_bytes())?,
            args: CStrings::new(args.map(|arg| arg.as_bytes().to_vec()))?,
            env: CStrings::new(command.env.iter().map(variable))?,
        })
    }

    fn sizes(&self) -> (usize, usize) {
        let size = self.args.size() + self.env.size();
        (size, self.args.longest().max(self.env.longest()))
    }
}

fn spawn_with(
    command: &SpawnCommand<'_>,
    strings: &SpawnStrings,
    link: Option<BorrowedFd<'_>>,
) -> Result<SpawnedProcess, Errno> {
    let (stdout, stderr) = (OutputPipe::new()?, OutputPipe::new()?);
    let mut actions = SpawnFileActions::new()?;
    actions.enter(&strings.directory)?;
    match command.stdin {
        SpawnStdin::Null => actions.read_nothing()?,
        SpawnStdin::Fd(fd) => actions.place(fd.as_raw_fd(), libc::STDIN_FILENO)?,
    }
    // Our own descriptors are above these three: the standard library opens missing ones.
    actions.place(stdout.writer.as_raw_fd(), libc::STDOUT_FILENO)?;
    actions.place(stderr.writer.as_raw_fd(), libc::STDERR_FILENO)?;
    // Last, since it may replace one of the files above.
    if let Some(link) = link {
        actions.place(link.as_raw_fd(), KEEPER_LINK)?;
    }
    let attributes = SpawnAttributes::new()?;

    let mut pid = 0;
    // SAFETY: all pointers are to initialised values and null-terminated lists, and all of them
    // outlive the call.
    check(unsafe {
        libc::posix_spawn(
            &raw mut pid,
            strings.program.as_ptr(),
            actions.as_ptr(),
            attributes.as_ptr(),
            strings.args.as_ptr(),
            strings.env.as_ptr(),
        )
    })?;
    let pid = Pid::from_raw(pid).expect("a process that was started has a number");
    Ok(SpawnedProcess { pid, stdout, stderr, keeper: None })
}
