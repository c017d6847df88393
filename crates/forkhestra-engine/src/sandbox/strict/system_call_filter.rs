//! The filter of system calls.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter};

/// System calls that no agent needs: other processes' memory, keys of the kernel, mounts, modules,
/// and interfaces with a large attack surface.
const DENIED: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// On x86-64, a flag in the number of a call selects the x32 interface.
#[cfg(target_arch = "x86_64")]
const X32_FLAGS: &[libc::c_long] = &[0x4000_0000];
#[cfg(not(target_arch = "x86_64"))]
const X32_FLAGS: &[libc::c_long] = &[];

/// Calls with a number of their own in the x32 interface: `ptrace`, `kexec_load`, `process_vm_readv` and
/// `process_vm_writev`.
const X32_ONLY: [libc::c_long; 4] = [521, 528, 539, 540];

/// Installs the filter for the calling thread and what it executes.
pub(super) fn install() -> io::Result<()> {
    let filter = filter().map_err(io::Error::other)?;
    apply_filter(&filter).map_err(io::Error::other)
}

fn filter() -> Result<BpfProgram, seccompiler::Error> {
    let other = X32_FLAGS
        .iter()
        .flat_map(|flag| DENIED.iter().chain(&X32_ONLY).map(move |call| call | flag));
    let denied = DENIED.iter().copied().chain(other);
    let rules: BTreeMap<i64, Vec<_>> = denied.map(|call| (call, Vec::new())).collect();
    let denied = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, denied, target)?.try_into()?)
}

/// Whether a filter exists for this machine.
pub(super) fn is_supported() -> bool {
    filter().is_ok()
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn denied_calls_fail_and_others_work() {
        // The filter holds for one thread.
        let result = thread::spawn(|| {
            install().expect("the system has filters");
            // SAFETY: the call is denied before it does anything.
            let call = |number| match unsafe { libc::syscall(number, 0, 0, 0, 0, 0) } {
                -1 => io::Error::last_os_error().raw_os_error(),
                _ => None,
            };
            let numbers = X32_FLAGS.iter().copied().chain([0]);
            let numbers =
                numbers.flat_map(|flag| [libc::SYS_keyctl | flag, libc::SYS_ptrace | flag]);
            let other = X32_FLAGS.iter().flat_map(|flag| X32_ONLY.map(|number| number | flag));
            let denied: Vec<_> = numbers.chain(other).map(call).collect();
            (denied, std::fs::metadata("/").is_ok())
        });
        let (denied, works) = result.join().expect("it ends");
        assert!(denied.iter().all(|error| *error == Some(libc::EPERM)), "{denied:?}");
        assert!(works);
        assert!(is_supported());
    }
}
