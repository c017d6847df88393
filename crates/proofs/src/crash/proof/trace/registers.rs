//! Reads the system call that a stopped thread is about to make.
//!
//! The kernel has a portable description of it, but that is a union, which only unsafe code can
//! read. So this module reads the registers, which have different names on each architecture.

use std::fs;
use std::io::ErrorKind;

use nix::libc::{self, c_long};
use nix::sys::ptrace;
use nix::unistd::Pid;

use crate::crash::proof::system_call::SystemCall;

/// A system call: its number and its first arguments.
struct Registers {
    number: c_long,
    arguments: [u64; 3],
}

/// The traced kind of the call that a thread is about to make.
pub(super) fn call_of(thread: Pid) -> nix::Result<Option<SystemCall>> {
    let registers = Registers::of(thread)?;
    Ok(match registers.written_to() {
        Some(file) if is_file(thread, file)? => Some(SystemCall::Write),
        Some(_) => Some(SystemCall::Send),
        None => registers.other_call(),
    })
}

/// Whether a descriptor of a thread is a file: others have no path. Guard and runner show their
/// descriptors only to root, also in a user namespace.
fn is_file(thread: Pid, number: u64) -> nix::Result<bool> {
    match fs::read_link(format!("/proc/{thread}/fd/{number}")) {
        Ok(path) => Ok(path.is_absolute() && !path.starts_with("/dev")),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(nix::Error::EACCES),
        Err(_) => Ok(false),
    }
}

impl Registers {
    #[cfg(target_arch = "x86_64")]
    fn of(thread: Pid) -> nix::Result<Self> {
        let registers = ptrace::getregs(thread)?;
        Ok(Self {
            number: registers.orig_rax.cast_signed(),
            arguments: [registers.rdi, registers.rsi, registers.rdx],
        })
    }

    #[cfg(target_arch = "aarch64")]
    fn of(thread: Pid) -> nix::Result<Self> {
        let registers = ptrace::getregs(thread)?.regs;
        Ok(Self {
            number: registers[8].cast_signed(),
            arguments: [registers[0], registers[1], registers[2]],
        })
    }

    /// The descriptor that is written to, if the call is a write.
    fn written_to(&self) -> Option<u64> {
        let [first, second, third] = self.arguments;
        match self.number {
            libc::SYS_write
            | libc::SYS_pwrite64
            | libc::SYS_writev
            | libc::SYS_pwritev
            | libc::SYS_pwritev2
            | libc::SYS_sendfile
            | libc::SYS_vmsplice => Some(first),
            libc::SYS_tee => Some(second),
            libc::SYS_splice | libc::SYS_copy_file_range => Some(third),
            _ => None,
        }
    }

    fn other_call(&self) -> Option<SystemCall> {
        Some(match self.number {
            libc::SYS_openat if may_create(self.arguments[2]) => SystemCall::Create,
            libc::SYS_mkdirat | libc::SYS_mknodat | libc::SYS_linkat | libc::SYS_symlinkat => {
                SystemCall::Create
            }
            libc::SYS_renameat | libc::SYS_renameat2 => SystemCall::Rename,
            libc::SYS_unlinkat => SystemCall::Remove,
            libc::SYS_ftruncate | libc::SYS_truncate | libc::SYS_fallocate => SystemCall::Resize,
            libc::SYS_fsync
            | libc::SYS_fdatasync
            | libc::SYS_syncfs
            | libc::SYS_sync_file_range => SystemCall::Sync,
            libc::SYS_flock => SystemCall::Lock,
            libc::SYS_clone | libc::SYS_clone3 => SystemCall::Spawn,
            _ => return self.older_call(),
        })
    }

    /// Calls that newer architectures do not have.
    #[cfg(target_arch = "x86_64")]
    fn older_call(&self) -> Option<SystemCall> {
        Some(match self.number {
            libc::SYS_open if may_create(self.arguments[1]) => SystemCall::Create,
            libc::SYS_creat
            | libc::SYS_mkdir
            | libc::SYS_mknod
            | libc::SYS_link
            | libc::SYS_symlink => SystemCall::Create,
            libc::SYS_rename => SystemCall::Rename,
            libc::SYS_unlink | libc::SYS_rmdir => SystemCall::Remove,
            libc::SYS_fork | libc::SYS_vfork => SystemCall::Spawn,
            _ => return None,
        })
    }

    #[cfg(target_arch = "aarch64")]
    fn older_call(&self) -> Option<SystemCall> {
        None
    }
}

fn may_create(flags: u64) -> bool {
    flags & u64::from((libc::O_CREAT | libc::O_TRUNC).cast_unsigned()) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_a_file_counts_only_if_that_may_change_something() {
        let open = |flags: libc::c_int| {
            let arguments = [0, 0, u64::from(flags.cast_unsigned())];
            Registers { number: libc::SYS_openat, arguments }.other_call()
        };
        assert_eq!(open(libc::O_RDONLY | libc::O_CLOEXEC), None);
        assert_eq!(open(libc::O_RDWR), None);
        assert_eq!(open(libc::O_RDWR | libc::O_CREAT), Some(SystemCall::Create));
        assert_eq!(open(libc::O_WRONLY | libc::O_TRUNC), Some(SystemCall::Create));
    }

    #[test]
    fn looking_and_waiting_change_nothing() {
        for number in [libc::SYS_read, libc::SYS_ppoll, libc::SYS_fstat, libc::SYS_futex] {
            let registers = Registers { number, arguments: [0; 3] };
            assert_eq!(registers.written_to(), None, "{number}");
            assert_eq!(registers.other_call(), None, "{number}");
        }
    }
}
