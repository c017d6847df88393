//! What a new process does with its files before `exec`.

use std::ffi::CString;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;

use rustix::io::Errno;

use super::spawn_attributes::check;

/// The file actions of the child before `exec`.
pub(super) struct SpawnFileActions(MaybeUninit<libc::posix_spawn_file_actions_t>);

impl SpawnFileActions {
    pub(super) fn new() -> Result<Self, Errno> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: the call initialises its argument.
        check(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        Ok(Self(actions))
    }

    pub(super) fn as_ptr(&self) -> *const libc::posix_spawn_file_actions_t {
        self.0.as_ptr()
    }

    pub(super) fn enter(&mut self, directory: &CString) -> Result<(), Errno> {
        let actions = self.0.as_mut_ptr();
        // SAFETY: the actions are initialised, and the call copies the path.
        check(unsafe { libc::posix_spawn_file_actions_addchdir_np(actions, directory.as_ptr()) })
    }

    pub(super) fn read_nothing(&mut self) -> Result<(), Errno> {
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

    pub(super) fn place(&mut self, ours: RawFd, theirs: RawFd) -> Result<(), Errno> {
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
