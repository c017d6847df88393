//! Starts programs by `posix_spawn`.

use std::ffi::{CString, NulError, OsString};
use std::fmt;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use libc::{c_int, c_short};
use rustix::io::Errno;
use rustix::process::Pid;

use super::c_strings::CStrings;
use super::diagnose::diagnose;
use super::spawn_error::SpawnError;
use crate::process::system::{self, SETSID};
use crate::signal::signal_set;

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
/// `exec`, and [`RESET`] lists the signals that this process ignores.
pub(crate) fn spawn(command: &SpawnCommand<'_>) -> Result<SpawnedProcess, SpawnError> {
    let zero_byte = |_: NulError| SpawnError::ZeroByte { program: command.program.to_owned() };
    let strings = SpawnStrings::of(command).map_err(zero_byte)?;
    spawn_with(command, &strings).map_err(|errno| diagnose(command, errno, strings.sizes()))
}

/// Signals that this process or the Rust runtime ignores, and that agents must not inherit as
/// ignored.
const RESET: [c_int; 3] = [libc::SIGPIPE, libc::SIGTTIN, libc::SIGTTOU];

/// The C strings of a command.
struct SpawnStrings {
    program: CString,
    directory: CString,
    args: CStrings,
    env: CStrings,
}

impl SpawnStrings {
    fn of(command: &SpawnCommand<'_>) -> Result<Self, NulError> {
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

fn spawn_with(command: &SpawnCommand<'_>, strings: &SpawnStrings) -> Result<SpawnedProcess, Errno> {
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
    let attributes = SpawnAttributes::new()?;

    let mut pid = 0;
    // SAFETY: all pointers are to initialised values and null-terminated lists, and all of them
    // outlive the call.
    check(unsafe {
        libc::posix_spawn(
            &raw mut pid,
            strings.program.as_ptr(),
            actions.0.as_ptr(),
            attributes.0.as_ptr(),
            strings.args.as_ptr(),
            strings.env.as_ptr(),
        )
    })?;
    let pid = Pid::from_raw(pid).expect("a process that was started has a number");
    Ok(SpawnedProcess { pid, stdout, stderr })
}

/// The file actions of the child before `exec`.
struct SpawnFileActions(MaybeUninit<libc::posix_spawn_file_actions_t>);

impl SpawnFileActions {
    fn new() -> Result<Self, Errno> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: the call initialises its argument.
        check(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        Ok(Self(actions))
    }

    fn enter(&mut self, directory: &CString) -> Result<(), Errno> {
        let actions = self.0.as_mut_ptr();
        // SAFETY: the actions are initialised, and the call copies the path.
        check(unsafe { libc::posix_spawn_file_actions_addchdir_np(actions, directory.as_ptr()) })
    }

    fn read_nothing(&mut self) -> Result<(), Errno> {
        let (actions, path) = (self.0.as_mut_ptr(), c"/dev/null".as_ptr());
        // SAFETY: the actions are initialised, and the call copies the path.
        check(unsafe {
            libc::posix_spawn_file_actions_addopen(
                actions,
                libc::STDIN_FILENO,
                path,
                libc::O_RDONLY,
                0,
            )
        })
    }

    fn place(&mut self, ours: RawFd, theirs: RawFd) -> Result<(), Errno> {
        let actions = self.0.as_mut_ptr();
        // SAFETY: the actions are initialised; the descriptors are only used in the child.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(actions, ours, theirs) })
    }
}

impl Drop for SpawnFileActions {
    fn drop(&mut self) {
        // SAFETY: the actions are initialised and not used again.
        unsafe { libc::posix_spawn_file_actions_destroy(self.0.as_mut_ptr()) };
    }
}

/// The attributes of the child: session, signal mask and signal actions.
struct SpawnAttributes(MaybeUninit<libc::posix_spawnattr_t>);

impl SpawnAttributes {
    fn new() -> Result<Self, Errno> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: the call initialises its argument.
        check(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        let mut attributes = Self(attributes);
        let raw = attributes.0.as_mut_ptr();
        let flags = SETSID
            | libc::POSIX_SPAWN_SETSIGMASK as c_short
            | libc::POSIX_SPAWN_SETSIGDEF as c_short;
        let (none, reset) = (signal_set(&[]), signal_set(&RESET));
        // SAFETY: the attributes and both sets are initialised, and the calls copy the sets.
        unsafe {
            check(libc::posix_spawnattr_setflags(raw, flags))?;
            check(libc::posix_spawnattr_setsigmask(raw, &raw const none))?;
            check(libc::posix_spawnattr_setsigdefault(raw, &raw const reset))?;
        }
        Ok(attributes)
    }
}

impl Drop for SpawnAttributes {
    fn drop(&mut self) {
        // SAFETY: the attributes are initialised and not used again.
        unsafe { libc::posix_spawnattr_destroy(self.0.as_mut_ptr()) };
    }
}

/// `posix_spawn` functions return the error number itself.
fn check(result: c_int) -> Result<(), Errno> {
    if result == 0 { Ok(()) } else { Err(Errno::from_raw_os_error(result)) }
}
