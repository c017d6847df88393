//! Process functions for Linux. `other.rs` has the same functions for other systems.

mod peers;
mod proc_files;
mod process_tags;

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use libc::c_short;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Resource, Rlimit, Signal, getpid, getrlimit,
    set_child_subreaper, set_dumpable_behavior, set_parent_process_death_signal, setrlimit,
};

pub(super) use self::peers::{
    KNOWS_PEERS, ancestry, is_hidden, is_numbered, is_shell, lock_holders, parent_of, socket_peer,
};
use self::proc_files::{ProcessStat, all_processes, children_of, parse_pids, parse_processor_wait};
use self::process_tags::has_entry;
pub(super) use self::process_tags::{has_tag, has_variable, have_tag, is_tagged, processes_tagged};
use super::socket_diagnostics;

/// The flag that gives a child a session of its own.
pub(super) const SETSID: c_short = libc::POSIX_SPAWN_SETSID;

/// Whether [`become_subreaper`] has an effect.
pub(super) const HAS_SUBREAPERS: bool = true;

/// Makes this process the parent of every descendant that loses its parent.
pub(super) fn become_subreaper() -> Result<(), Errno> {
    set_child_subreaper(Some(getpid()))
}

/// Requests SIGCONT at the death of the parent, so that a stopped process does not stay stopped
/// forever.
pub(super) fn wake_when_parent_dies() -> Result<(), Errno> {
    set_parent_process_death_signal(Some(Signal::CONT))
}

/// A close-on-exec pipe: its reading end, then its writing end.
pub(crate) fn pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    pipe_with(PipeFlags::CLOEXEC)
}

/// A connection between a runner and a keeper, which keeps messages apart. Both ends are
/// close-on-exec.
pub(super) fn keeper_link() -> Result<(OwnedFd, OwnedFd), Errno> {
    let flags = SocketFlags::CLOEXEC;
    rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)
}

/// A pidfd, which becomes readable when the process ends and never refers to another process.
pub(super) fn open_process(pid: Pid) -> Result<OwnedFd, Errno> {
    rustix::process::pidfd_open(pid, PidfdFlags::empty())
}

/// Sends a signal to the process of a pidfd.
pub(super) fn signal_process(process: &OwnedFd, signal: Signal) -> Result<(), Errno> {
    rustix::process::pidfd_send_signal(process, signal)
}

/// The numbers of all open files, possibly including some that are closed by now.
pub(super) fn open_files() -> io::Result<Vec<i32>> {
    let entries = fs::read_dir("/proc/self/fd")?.flatten();
    Ok(entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// Denies other processes of our user the memory and the open files of this process. Only processes
/// with the capability to trace any process, such as those of root, still have access. A process that
/// is traced already has nothing to protect, and its debugger keeps working.
pub(super) fn refuse_tracing() -> Result<(), Errno> {
    if is_traced() {
        return Ok(());
    }
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
}

/// Whether a debugger is attached to this process.
fn is_traced() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|pid| pid.trim() != "0")
}

/// Closes all files except the standard streams when a program is started.
pub(super) fn keep_files_private() -> io::Result<()> {
    for file in open_files()?.into_iter().filter(|file| *file > libc::STDERR_FILENO) {
        // SAFETY: the call changes only the flag. It fails if the file is closed by now, as the one
        // that listed the files.
        unsafe { libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
    Ok(())
}

/// The hard limit that has the mark of a run; `None` if there is no limit. The kernel has not used
/// this limit since version 2.4.25, so its value has no effect.
pub(super) fn marked_limit() -> Option<u64> {
    getrlimit(Resource::Locks).maximum
}

/// Sets the limit of [`marked_limit`] for this process and everything that it starts.
pub(super) fn set_marked_limit(value: u64) -> Result<(), Errno> {
    setrlimit(Resource::Locks, Rlimit { current: Some(value), maximum: Some(value) })
}

/// The number of our threads; `None` if unknown.
pub(super) fn thread_count() -> Option<usize> {
    Some(fs::read_dir("/proc/self/task").ok()?.count())
}

/// All descendants of the calling process, parents before their children.
pub fn descendants() -> Vec<Pid> {
    descendants_except(&[])
}

/// All descendants of the calling process except these and their descendants.
pub(super) fn descendants_except(spared: &[Pid]) -> Vec<Pid> {
    descendants_of(getpid(), spared)
}

/// All descendants of a process except these and their descendants, parents before their children.
pub(super) fn descendants_of(ancestor: Pid, spared: &[Pid]) -> Vec<Pid> {
    let family = ProcessFamily::known();
    let mut found = vec![ancestor];
    let mut next = 0;
    while let Some(parent) = found.get(next) {
        let children = family.children(*parent);
        found.extend(children.into_iter().filter(|child| !spared.contains(child)));
        next += 1;
    }
    found.remove(0);
    found
}

/// The children of the calling process.
pub(super) fn own_children() -> Vec<Pid> {
    ProcessFamily::known().children(getpid())
}

/// The children of processes: queried for each process, or taken from a list of all processes.
enum ProcessFamily {
    Asked,
    Listed(HashMap<Pid, Vec<Pid>>),
}

impl ProcessFamily {
    fn known() -> Self {
        if fs::exists("/proc/thread-self/children").unwrap_or(false) {
            Self::Asked
        } else {
            Self::listed()
        }
    }

    fn listed() -> Self {
        let mut families: HashMap<Pid, Vec<Pid>> = HashMap::new();
        for pid in all_processes() {
            if let Some(parent) = ProcessStat::of(pid).and_then(|stat| stat.parent) {
                families.entry(parent).or_default().push(pid);
            }
        }
        Self::Listed(families)
    }

    fn children(&self, parent: Pid) -> Vec<Pid> {
        match self {
            Self::Asked => children_of(parent),
            Self::Listed(families) => families.get(&parent).cloned().unwrap_or_default(),
        }
    }
}

/// The processor time of these processes and of the children they waited for.
pub fn cpu_time(pids: &[Pid]) -> Duration {
    let ticks: u64 =
        pids.iter().filter_map(|pid| ProcessStat::of(*pid)).map(|stat| stat.ticks).sum();
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_millis(ticks.saturating_mul(1000) / per_second)
}

/// The time in which the first threads of these processes were ready to run and had no processor.
pub fn processor_wait(pids: &[Pid]) -> Duration {
    let waits = pids.iter().filter_map(|pid| {
        parse_processor_wait(&fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?)
    });
    waits.fold(Duration::ZERO, Duration::saturating_add)
}

/// The received bytes of each TCP socket of these processes, by inode. Sockets of other network
/// namespaces are missing. `None` if the query fails.
pub(super) fn received_by_socket(pids: &[Pid]) -> Option<HashMap<u32, u64>> {
    let mut received = socket_diagnostics::received().ok()?;
    if received.is_empty() {
        return Some(received);
    }
    let inodes: HashSet<u32> = pids.iter().flat_map(|pid| sockets_of(*pid)).collect();
    received.retain(|inode, _| inodes.contains(inode));
    Some(received)
}

/// The inodes of the open sockets of a process.
fn sockets_of(pid: Pid) -> Vec<u32> {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let inode = |file: fs::DirEntry| {
        let target = fs::read_link(file.path()).ok()?;
        target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
    };
    files.filter_map(inode).collect()
}

/// Parses bytes as each file of `/proc` that is read here, for the fuzz targets.
pub(crate) fn parse_any_kernel_output(bytes: &[u8]) {
    ProcessStat::parse(bytes);
    parse_pids(&String::from_utf8_lossy(bytes));
    parse_processor_wait(&String::from_utf8_lossy(bytes));
    has_entry(bytes, OsStr::new("NAME"), OsStr::new("value"));
    socket_diagnostics::parse_any_reply(bytes);
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn received_bytes_of_our_sockets_are_counted() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it has one");
        let mut reader = TcpStream::connect(address).expect("it listens");
        let (mut writer, _) = listener.accept().expect("it was asked");
        let ours = || received_by_socket(&[getpid()]).unwrap_or_default().values().sum::<u64>();
        let before = ours();
        writer.write_all(&[7; 5000]).expect("it is connected");
        reader.read_exact(&mut [0; 5000]).expect("it was sent");
        // The test needs a system that answers the query.
        if socket_diagnostics::received().is_ok() {
            assert!(ours() >= before + 5000);
        }
    }

    #[test]
    fn both_ways_to_list_descendants_find_a_child() {
        let mut command = std::process::Command::new("cat");
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().expect("cat is there");
        let pid = Pid::from_child(&child);
        assert!(children_of(getpid()).contains(&pid));
        assert!(ProcessFamily::listed().children(getpid()).contains(&pid));
        drop(child.stdin.take());
        child.wait().expect("it is our child");
        assert!(!children_of(getpid()).contains(&pid));
    }

    #[test]
    fn time_at_work_is_counted() {
        let before = cpu_time(&[getpid()]);
        while cpu_time(&[getpid()]) <= before {
            std::hint::black_box(parse_pids("1 2 3"));
        }
    }
}
