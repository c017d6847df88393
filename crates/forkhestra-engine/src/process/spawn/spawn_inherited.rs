//! Starts a program with the files, the environment and the directory of this process.

use std::ffi::{NulError, OsString, c_char};
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use rustix::io::Errno;
use rustix::process::Pid;

use super::c_strings::CStrings;
use super::spawn_attributes::{SpawnAttributes, check};

unsafe extern "C" {
    /// The environment of this process, as it was given to it.
    static environ: *const *mut c_char;
}

/// Starts a program in a session of its own, with everything else that this process has: files that
/// are not closed by `exec`, environment and directory. The first word is the path of the program.
///
/// Must be called with a single thread.
pub(in crate::process) fn spawn_inherited(words: &[OsString]) -> Result<Pid, Errno> {
    let no_text = |_: NulError| Errno::INVAL;
    let args = CStrings::new(words.iter().map(|word| word.as_bytes().to_vec())).map_err(no_text)?;
    let attributes = SpawnAttributes::new()?;
    let mut pid = 0;
    // SAFETY: the list ends with a null pointer even if it is empty, so its first entry can be read.
    let program = unsafe { *args.as_ptr() };
    if program.is_null() {
        return Err(Errno::INVAL);
    }
    // SAFETY: all pointers are to initialised values and null-terminated lists that outlive the call.
    // No other thread can change the environment.
    check(unsafe {
        libc::posix_spawn(
            &raw mut pid,
            program,
            ptr::null(),
            attributes.as_ptr(),
            args.as_ptr(),
            environ,
        )
    })?;
    Ok(Pid::from_raw(pid).expect("a process that was started has a number"))
}
