//! Process functions for Linux. `other.rs` has the same functions for other systems.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::thread;
use std::time::Duration;

use libc::c_short;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Resource, Rlimit, Signal, geteuid, getpid, getrlimit,
    set_child_subreaper, set_dumpable_behavior, set_parent_process_death_signal, setrlimit,
    test_kill_process,
};

use super::run_mark::RunMark;
use super::run_member::{Ancestry, SocketPeer};
use super::socket_diagnostics;

/// The flag that gives a child a session of its own.
pub(super) const SETSID: c_short = libc::POSIX_SPAWN_SETSID;

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
    let family = ProcessFamily::known();
    let mut found = vec![getpid()];
    let mut next = 0;
    while let Some(parent) = found.get(next) {
        let children = family.children(*parent);
        found.extend(children.into_iter().filter(|child| !spared.contains(child)));
        next += 1;
    }
    found.remove(0);
    found
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

/// The children of all threads of a process; none if it is gone.
fn children_of(parent: Pid) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else {
        return Vec::new();
    };
    let lists = threads.flatten().map(|thread| fs::read_to_string(thread.path().join("children")));
    lists.flatten().flat_map(|list| parse_pids(&list)).collect()
}

fn parse_pids(list: &str) -> Vec<Pid> {
    list.split_ascii_whitespace().filter_map(pid_from).collect()
}

fn pid_from(text: &str) -> Option<Pid> {
    text.parse().ok().filter(|pid| *pid > 0).and_then(Pid::from_raw)
}

fn all_processes() -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| pid_from(entry.file_name().to_str()?)).collect()
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

/// The second field of `/proc/<pid>/schedstat`, in nanoseconds.
fn parse_processor_wait(line: &str) -> Option<Duration> {
    line.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
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

/// Processes of our user that [carry the tag](has_tag). Excludes this process and its ancestors.
pub(super) fn processes_tagged(name: &OsStr, value: &OsStr) -> Vec<Pid> {
    let above = own_and_ancestor_pids();
    let candidates = all_processes().into_iter().filter(|pid| !above.contains(pid));
    candidates.filter(|pid| is_tagged(*pid, name, value)).collect()
}

/// Whether a process of our user carries the tag.
pub(super) fn is_tagged(pid: Pid, name: &OsStr, value: &OsStr) -> bool {
    owner_of(pid) == Some(geteuid().as_raw()) && has_tag(pid, name, value)
}

/// Whether a process was started with this value in a variable of its environment, which may list
/// several (`NAME=value:value`), or has the mark of the run with this id.
pub(super) fn has_tag(pid: Pid, name: &OsStr, value: &OsStr) -> bool {
    let pid = pid.to_string();
    has_mark(&pid, RunMark::of(value)) || has_variable(&pid, name, value)
}

/// Whether the calling process carries the tag. `/proc` may be that of another PID namespace, where
/// our own pid is the one of another process.
pub(super) fn have_tag(name: &OsStr, value: &OsStr) -> bool {
    let has_mark = marked_limit().is_some_and(|limit| RunMark::of(value).is_in(limit));
    has_mark || has_variable("self", name, value)
}

/// The effective user of a process. `/proc` shows another owner for a process that refuses tracing.
fn owner_of(pid: Pid) -> Option<u32> {
    status_fields(pid, "Uid")?.get(1).copied()
}

/// The numbers in a line of `/proc/<pid>/status`.
fn status_fields(pid: Pid, name: &str) -> Option<Vec<u32>> {
    let status = fs::read(format!("/proc/{pid}/status")).ok()?;
    let status = String::from_utf8_lossy(&status);
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_ascii_whitespace().map(|number| number.parse().ok()).collect()
}

/// Whether the limit of a process has the mark.
fn has_mark(pid: &str, mark: RunMark) -> bool {
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max file locks"));
    let hard = line.and_then(|line| line.split_ascii_whitespace().nth(1)?.parse().ok());
    // Zombies have limits, too.
    let is_alive = || ProcessStat::named(pid).is_some_and(|stat| stat.is_alive);
    hard.is_some_and(|limit| mark.is_in(limit)) && is_alive()
}

/// Whether a process was started with this value in a variable of its environment.
fn has_variable(pid: &str, name: &OsStr, value: &OsStr) -> bool {
    for _ in 0..MAX_EXEC_READS {
        let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else {
            return false;
        };
        if environment.split(|byte| *byte == 0).any(|entry| has_entry(entry, name, value)) {
            return true;
        }
        if !environment.is_empty()
            || !ProcessStat::named(pid).is_some_and(|stat| stat.shows_nothing_yet)
        {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    false
}

/// Whether an entry is that of the variable and has this value in its list.
fn has_entry(entry: &[u8], name: &OsStr, value: &OsStr) -> bool {
    let list = entry.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
    list.is_some_and(|list| list.split(|byte| *byte == b':').any(|one| one == value.as_bytes()))
}

/// How often a process is read again during `exec`, while it has no environment.
const MAX_EXEC_READS: u32 = 50;

fn own_and_ancestor_pids() -> Vec<Pid> {
    let mut above = Vec::new();
    let mut next = Some(getpid());
    while let Some(pid) = next {
        above.push(pid);
        next = ProcessStat::of(pid).and_then(|stat| stat.parent);
    }
    above
}

/// The parent of a process. `None` if the process is gone, or if its parent has no pid in our PID
/// namespace.
pub(super) fn parent_of(pid: Pid) -> Option<Pid> {
    ProcessStat::of(pid)?.parent
}

/// Whether this process has the pid `number` in its own PID namespace or in one above that.
pub(super) fn is_numbered(pid: Pid, number: u32) -> bool {
    status_fields(pid, "NSpid").is_some_and(|pids| pids.contains(&number))
}

/// Processes that hold the lock of a file with this inode, as [`flock`](rustix::fs::flock) sets it.
pub(super) fn lock_holders(inode: u64) -> Vec<Pid> {
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    locks.lines().filter_map(|line| lock_holder(line, inode)).collect()
}

/// Parses `1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF`. A lock that is waited for has `->` in
/// front of its type.
fn lock_holder(line: &str, inode: u64) -> Option<Pid> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let [_, "FLOCK", _, _, pid, file, ..] = fields.as_slice() else { return None };
    let (_, held) = file.rsplit_once(':')?;
    (held.parse() == Ok(inode)).then(|| pid_from(pid)).flatten()
}

/// Where a process is, seen from the calling one. A process that is gone is undetermined.
pub(super) fn ancestry(pid: Pid) -> Ancestry {
    let known = (0..MAX_ANCESTRY_READS).find_map(|_| find_among_ancestors(pid, getpid()));
    known.unwrap_or(Ancestry::Undetermined)
}

/// The names of shells.
const SHELLS: [&str; 7] = ["sh", "dash", "bash", "ash", "busybox", "ksh", "zsh"];

/// Whether a process is a shell.
pub(super) fn is_shell(pid: Pid) -> bool {
    let program = fs::read_link(format!("/proc/{pid}/exe"));
    program.is_ok_and(|path| SHELLS.iter().any(|shell| path.file_name() == Some(OsStr::new(shell))))
}

/// Whether a process exists, and `/proc` does not show it to us (`hidepid`).
pub(super) fn is_hidden(pid: Pid) -> bool {
    ProcessStat::of(pid).is_none()
        && matches!(test_kill_process(pid), Ok(()) | Err(Errno::PERM))
        // It may have begun between the two.
        && ProcessStat::of(pid).is_none()
}

/// How often the ancestors of a process are read again after one of them has ended meanwhile.
const MAX_ANCESTRY_READS: u32 = 10;

/// The most ancestors of a process that are read.
const MAX_ANCESTORS: usize = 512;

/// Looks for `sought` among the ancestors of a process. `None` if they changed meanwhile or are
/// too many.
fn find_among_ancestors(pid: Pid, sought: Pid) -> Option<Ancestry> {
    let mut next = pid;
    let mut born = u64::MAX;
    for _ in 0..MAX_ANCESTORS {
        if next == sought {
            return Some(Ancestry::Below);
        }
        let Some(stat) = ProcessStat::of(next) else {
            let hidden = if next == pid { Ancestry::Hidden } else { Ancestry::HiddenAncestor };
            return is_hidden(next).then_some(hidden);
        };
        // A younger parent has the reused pid of one that ended after its child was read.
        if stat.start > born {
            return None;
        }
        born = stat.start;
        match stat.parent {
            Some(parent) => next = parent,
            None => return Some(Ancestry::Elsewhere),
        }
    }
    None
}

/// Whether [`socket_peer`] is supported.
pub(super) const KNOWS_PEERS: bool = true;

/// The process that connected a Unix socket, or that listens at it.
pub(super) fn socket_peer(socket: BorrowedFd<'_>) -> io::Result<SocketPeer> {
    let credentials: libc::ucred = socket_option(socket, libc::SO_PEERCRED)?;
    let Some(pid) = Pid::from_raw(credentials.pid) else {
        return Ok(SocketPeer { pid: None, user: credentials.uid, process: None });
    };
    let process = match socket_option::<libc::c_int>(socket, libc::SO_PEERPIDFD) {
        // SAFETY: the system has just opened this descriptor for us.
        Ok(process) => Some(unsafe { OwnedFd::from_raw_fd(process) }),
        // Systems before Linux 6.5 have no such option.
        Err(error) if error.raw_os_error() == Some(libc::ENOPROTOOPT) => open_process(pid).ok(),
        Err(_) => None,
    };
    Ok(SocketPeer { pid: Some(pid), user: credentials.uid, process })
}

/// Reads an option of a socket whose value is plain data.
fn socket_option<T: Copy>(socket: BorrowedFd<'_>, option: libc::c_int) -> io::Result<T> {
    let mut value = MaybeUninit::<T>::zeroed();
    let size = size_of::<T>();
    let mut length = libc::socklen_t::try_from(size).expect("the values are small");
    // SAFETY: the system writes at most `length` bytes to the value.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            option,
            value.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: zeroes are a valid value of the plain types that are read here, and so is what the
    // system writes.
    Ok(unsafe { value.assume_init() })
}

/// The fields of `/proc/<pid>/stat` that are used here.
#[derive(Debug, PartialEq)]
struct ProcessStat {
    parent: Option<Pid>,
    ticks: u64,
    /// The time of its start, in ticks since the start of the system.
    start: u64,
    /// Whether it is no zombie. A process whose first thread has ended lives as long as the others.
    is_alive: bool,
    /// Whether it is alive but has no memory for its environment yet.
    shows_nothing_yet: bool,
}

/// The flag of kernel threads, which never have an environment.
const KERNEL_THREAD: u64 = 0x0020_0000;

impl ProcessStat {
    fn of(pid: Pid) -> Option<Self> {
        Self::named(&pid.to_string())
    }

    /// The same for a name in `/proc`: a pid or `self`.
    fn named(name: &str) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{name}/stat")).ok()?)
    }

    /// Parses the line. The program's name is in parentheses and may itself contain parentheses.
    fn parse(line: &[u8]) -> Option<Self> {
        let name_end = line.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(&line[name_end + 1..]).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        let parent: i32 = fields.get(1)?.parse().ok()?;
        // User and system time, of the process and of the children it waited for.
        let ticks = (11..15).try_fold(0_u64, |sum, at| sum.checked_add(number(at)?))?;
        let start = number(19)?;
        let lives = !matches!(fields.first()?, &"Z" | &"X");
        let is_alive = lives || number(17)? > 1;
        let is_of_the_kernel = number(6)? & KERNEL_THREAD != 0;
        let shows_nothing_yet = lives && !is_of_the_kernel && number(48) == Some(0);
        let parent = Pid::from_raw(parent.max(0));
        Some(Self { parent, ticks, start, is_alive, shows_nothing_yet })
    }
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
    fn the_name_of_a_program_may_contain_anything() {
        let rest = "S 17 1 1 0 -1 4194304 102 0 0 0 1 20 300 4000 20 0 1 0 835836";
        for name in ["cat", "a b", "a) R 1 (x", ")"] {
            let stat = ProcessStat::parse(format!("42 ({name}) {rest}\n").as_bytes());
            let stat = stat.map(|stat| (stat.parent, stat.ticks));
            assert_eq!(stat, Some((Pid::from_raw(17), 4321)), "{name}");
        }
        assert_eq!(ProcessStat::parse(b"42 (cat) S"), None);
        assert_eq!(ProcessStat::parse(b""), None);
    }

    #[test]
    fn only_a_process_during_exec_has_no_environment() {
        let line = |state: &str, flags: u64, environment: u64| {
            let zeroes = |count| " 0".repeat(count);
            format!("1 (x) {state} 1{}", zeroes(4))
                + &format!(" {flags}{}", zeroes(41))
                + &format!(" {environment} 0")
        };
        let table = [
            ("S", 0, 0, true),
            ("S", 0, 4096, false),
            ("Z", 0, 0, false),
            ("I", KERNEL_THREAD, 0, false),
        ];
        for (state, flags, environment, expected) in table {
            let stat = ProcessStat::parse(line(state, flags, environment).as_bytes());
            assert_eq!(stat.map(|stat| stat.shows_nothing_yet), Some(expected), "{state} {flags}");
        }
        assert_eq!(ProcessStat::of(getpid()).map(|stat| stat.shows_nothing_yet), Some(false));
    }

    #[test]
    fn a_value_is_found_in_a_list_only_as_a_whole() {
        let table = [
            ("IDS=b", true),
            ("IDS=a:b", true),
            ("IDS=b:c", true),
            ("IDS=a:b:c", true),
            ("IDS=", false),
            ("IDS=bb:ab:ba", false),
            ("IDSb=b", false),
            ("MY_IDS=b", false),
            ("b", false),
        ];
        for (entry, expected) in table {
            let found = has_entry(entry.as_bytes(), "IDS".as_ref(), "b".as_ref());
            assert_eq!(found, expected, "{entry}");
        }
    }

    #[test]
    fn only_the_holder_of_the_lock_of_a_file_is_found() {
        let line = "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF";
        assert_eq!(lock_holder(line, 5678), Pid::from_raw(1234));
        assert_eq!(lock_holder(line, 678), None);
        for other in [
            "1: -> FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF",
            "1: POSIX  ADVISORY  WRITE 1234 08:01:5678 0 EOF",
            "1: FLOCK  ADVISORY  WRITE -1 08:01:5678 0 EOF",
            "1: FLOCK  ADVISORY  WRITE",
            "",
        ] {
            assert_eq!(lock_holder(other, 5678), None, "{other}");
        }
    }

    #[test]
    fn a_child_is_below_us_and_our_parent_is_not() {
        let mut command = std::process::Command::new("cat");
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().expect("cat is there");
        let pid = Pid::from_child(&child);
        assert_eq!((ancestry(pid), ancestry(getpid())), (Ancestry::Below, Ancestry::Below));
        assert!(!is_hidden(pid));
        assert_eq!(parent_of(pid), Some(getpid()));
        assert!(is_numbered(pid, child.id()) && !is_numbered(pid, child.id() + 1));
        let parent = parent_of(getpid()).expect("the test was started");
        assert_eq!(ancestry(parent), Ancestry::Elsewhere);
        drop(child.stdin.take());
        child.wait().expect("it is our child");
        assert_eq!(ancestry(pid), Ancestry::Undetermined);
        assert!(!is_hidden(pid), "it is gone");
    }

    #[test]
    fn the_peer_of_a_socket_is_known() {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().expect("there are sockets");
        let peer = socket_peer(std::os::fd::AsFd::as_fd(&ours)).expect("it is a Unix socket");
        assert_eq!(peer.pid, Some(getpid()));
        assert!(peer.process.is_some());
        drop(theirs);
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
    fn the_wait_for_a_processor_is_the_second_field() {
        let wait = Some(Duration::from_nanos(571_093_027));
        assert_eq!(parse_processor_wait("305139534 571093027 78\n"), wait);
        assert_eq!(parse_processor_wait("305139534"), None);
        assert_eq!(parse_processor_wait("1 -2 3"), None);
    }

    #[test]
    fn time_at_work_is_counted() {
        let before = cpu_time(&[getpid()]);
        while cpu_time(&[getpid()]) <= before {
            std::hint::black_box(parse_pids("1 2 3"));
        }
    }
}
