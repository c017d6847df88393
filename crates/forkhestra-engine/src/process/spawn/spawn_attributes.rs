//! The attributes of a new process: session, signal mask and signal actions.

use std::mem::MaybeUninit;

use libc::{c_int, c_short};
use rustix::io::Errno;

use crate::process::system::SETSID;
use crate::signal::signal_set;

/// Signals that this process or the Rust runtime ignores, and that agents must not inherit as
/// ignored.
const RESET: [c_int; 3] = [libc::SIGPIPE, libc::SIGTTIN, libc::SIGTTOU];

/// The attributes of the child: session, signal mask and signal actions.
pub(super) struct SpawnAttributes(MaybeUninit<libc::posix_spawnattr_t>);

impl SpawnAttributes {
    pub(super) fn new() -> Result<Self, Errno> {
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

    pub(super) fn as_ptr(&self) -> *const libc::posix_spawnattr_t {
        self.0.as_ptr()
    }
}

impl Drop for SpawnAttributes {
    fn drop(&mut self) {
        // SAFETY: the attributes are initialised and not used again.
        unsafe { libc::posix_spawnattr_destroy(self.0.as_mut_ptr()) };
    }
}

/// `posix_spawn` functions return the error number itself.
pub(super) fn check(result: c_int) -> Result<(), Errno> {
    if result == 0 { Ok(()) } else { Err(Errno::from_raw_os_error(result)) }
}
