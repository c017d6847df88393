//! Signals of this process, received through a pipe that can be polled.
//!
//! A signal handler may do very little, so it writes a note to a pipe: the signal, its route and
//! its time. The loop that owns the [`SignalReceiver`] reads the notes in order. Other threads wake
//! the loop through the same pipe ([`LoopWaker`]).
//!
//! Signals belong to a process as a whole. The pipe is therefore static, and a [`SignalReceiver`]
//! can be installed only once in each process.

pub(crate) mod dedup;

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

use libc::{c_int, c_void, siginfo_t};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::Pid;

use crate::process::{GuardLink, pipe};
use crate::signal::dedup::{SignalArrival, SignalDedup, SignalRoute};

#[cfg(not(target_vendor = "apple"))]
use libc::__errno_location as errno_location;
#[cfg(target_vendor = "apple")]
use libc::__error as errno_location;

/// A signal that the engine handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReceivedSignal {
    /// SIGINT: Ctrl-C.
    Interrupt,
    /// SIGTERM: a request to end.
    Terminate,
    /// SIGHUP: the terminal is gone.
    Hangup,
    /// SIGTSTP: Ctrl-Z.
    Suspend,
    /// SIGCONT: the process was continued after a stop.
    Continue,
    /// SIGCHLD: a child changed its state.
    Child,
    /// SIGWINCH: the terminal was resized.
    WindowChanged,
}

const ALL: [(ReceivedSignal, c_int); 7] = [
    (ReceivedSignal::Interrupt, libc::SIGINT),
    (ReceivedSignal::Terminate, libc::SIGTERM),
    (ReceivedSignal::Hangup, libc::SIGHUP),
    (ReceivedSignal::Suspend, libc::SIGTSTP),
    (ReceivedSignal::Continue, libc::SIGCONT),
    (ReceivedSignal::Child, libc::SIGCHLD),
    (ReceivedSignal::WindowChanged, libc::SIGWINCH),
];

/// The writing end of the pipe. It is never closed, so a handler cannot write to a reused
/// descriptor.
static PIPE: AtomicI32 = AtomicI32::new(-1);

/// The guard, which forwards signals to this process; negative if there is none.
static GUARD: AtomicI32 = AtomicI32::new(-1);

/// The runner that this process guards; negative if there is none.
static RUNNER: AtomicI32 = AtomicI32::new(-1);

/// Set while a coalesced signal or a wake-up is pending. The note in the pipe that goes with it
/// only wakes the loop.
static CHILD_PENDING: AtomicBool = AtomicBool::new(false);
static WINDOW_PENDING: AtomicBool = AtomicBool::new(false);
static WAKER_PENDING: AtomicBool = AtomicBool::new(false);

/// The note for one signal, written with a single `write`: its number and [`RELAYED`] in the
/// lowest byte, the milliseconds of the monotonic clock above.
type SignalNote = u64;

/// Set in the note of a signal that the guard forwarded. All handled signal numbers are smaller.
const RELAYED: SignalNote = 0x80;

/// A note without a signal.
const WAKE: SignalNote = 0;

/// Receives the signals of this process from the time of its installation.
#[derive(Debug)]
pub struct SignalReceiver {
    reader: OwnedFd,
    echoes: SignalDedup,
}

impl SignalReceiver {
    /// Installs handlers for all signals of [`ReceivedSignal`], except for those that were ignored
    /// when the process was started. Unblocks them. Possible once in each process.
    ///
    /// A runner uses [`SignalReceiver::install_in_runner`], which recognises signals that the guard
    /// forwards.
    pub fn install() -> io::Result<Self> {
        let (reader, writer) = non_blocking_pipe()?;
        if PIPE.load(Ordering::Acquire) != -1 {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        PIPE.store(writer.into_raw_fd(), Ordering::Release);
        for (signal, number) in ALL {
            // If SIGCHLD is ignored, children leave no exit status.
            if signal == ReceivedSignal::Child || !is_ignored(number)? {
                handle(number)?;
            }
        }
        unblock_signals()?;
        Ok(Self { reader, echoes: SignalDedup::default() })
    }

    /// Installs the handlers in a runner. A signal that reaches both the runner and its guard,
    /// which forwards it, counts as one.
    pub fn install_in_runner(guard: &GuardLink) -> io::Result<Self> {
        GUARD.store(guard.guard_pid().as_raw_nonzero().get(), Ordering::Release);
        Self::install()
    }

    /// Receives signals again after the receiver of [`SignalReceiver::install`] was dropped: for
    /// the work that remains when a run is over. Signals in between are lost.
    pub fn reinstall() -> io::Result<Self> {
        let (reader, writer) = non_blocking_pipe()?;
        // The old pipe stays open, since a handler may be about to write to it.
        PIPE.swap(writer.into_raw_fd(), Ordering::AcqRel);
        // Announcements in the old pipe will not be read.
        for waits in [&CHILD_PENDING, &WINDOW_PENDING, &WAKER_PENDING] {
            waits.store(false, Ordering::Release);
        }
        Ok(Self { reader, echoes: SignalDedup::default() })
    }

    /// Waits until there is something to drain.
    pub fn wait(&self) -> io::Result<()> {
        self.wait_until(None)
    }

    /// Waits until there is something to drain, but not beyond the deadline.
    pub fn wait_until(&self, deadline: Option<Instant>) -> io::Result<()> {
        loop {
            // A timeout that does not fit into a `Timespec` means no timeout.
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let left = left.and_then(|left| Timespec::try_from(left).ok());
            match poll(&mut [PollFd::new(&self.reader, PollFlags::IN)], left.as_ref()) {
                Err(Errno::INTR) => {}
                done => return done.map(|_| ()).map_err(io::Error::from),
            }
        }
    }

    /// Restores the default action of all signals that are not ignored.
    pub(crate) fn uninstall(self) -> io::Result<()> {
        for (_, number) in ALL {
            if !is_ignored(number)? {
                set_action(number, libc::SIG_DFL, 0)?;
            }
        }
        Ok(())
    }

    /// Installs the handlers in the guard of this runner.
    pub(crate) fn install_in_guard(runner: Pid) -> io::Result<Self> {
        RUNNER.store(runner.as_raw_nonzero().get(), Ordering::Release);
        Self::install()
    }

    /// All signals since the last call, in order. Several changes of children or of the window are
    /// reported as one. State that wakers announce must be read after this call, not before.
    pub fn drain(&mut self) -> Vec<ReceivedSignal> {
        let mut signals = Vec::new();
        let mut bytes = [0; 64 * size_of::<SignalNote>()];
        loop {
            match rustix::io::read(&self.reader, &mut bytes) {
                Ok(count) if count > 0 => {
                    let (notes, _) = bytes[..count].as_chunks();
                    let arrivals = notes
                        .iter()
                        .filter_map(|note| decode_note(SignalNote::from_ne_bytes(*note)));
                    let news = arrivals.filter(|arrival| !self.echoes.is_duplicate(*arrival));
                    signals.extend(news.map(|arrival| arrival.signal));
                }
                Err(Errno::INTR) => {}
                // The pipe is empty. It cannot be at its end, as the writing end is never closed.
                Ok(_) | Err(_) => break,
            }
        }
        // Cleared after the pipe is empty: a flag that is set later has a note that is still to be
        // read.
        WAKER_PENDING.swap(false, Ordering::AcqRel);
        for (waits, signal) in [
            (&CHILD_PENDING, ReceivedSignal::Child),
            (&WINDOW_PENDING, ReceivedSignal::WindowChanged),
        ] {
            if waits.swap(false, Ordering::AcqRel) {
                signals.push(signal);
            }
        }
        signals
    }

    /// A handle by which other threads wake the loop.
    pub fn waker(&self) -> LoopWaker {
        LoopWaker { _installed: () }
    }
}

fn non_blocking_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = pipe()?;
    fcntl_setfl(&reader, OFlags::NONBLOCK)?;
    fcntl_setfl(&writer, OFlags::NONBLOCK)?;
    Ok((reader, writer))
}

impl AsFd for SignalReceiver {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }
}

/// Wakes the thread that polls [`SignalReceiver`].
#[derive(Debug, Clone)]
pub struct LoopWaker {
    _installed: (),
}

impl LoopWaker {
    /// Wakes the loop. It costs a system call only if the loop has drained since the last wake-up.
    /// Call it after the data for the loop is in place.
    pub fn wake(&self) {
        announce_once(&WAKER_PENDING);
    }
}

/// Stops this process, as requested by [`ReceivedSignal::Suspend`], until it is continued. A guard
/// stops too; both continue when either of them is continued.
pub fn suspend_self() {
    let guard = GUARD.load(Ordering::Acquire);
    if guard < 0 {
        return stop_self_by(libc::SIGSTOP);
    }
    // The guard recognises a requested stop by SIGTSTP. If the guard is gone, the process group may
    // be orphaned and the system may refuse to stop it by this signal. That is harmless, since the
    // run ends then. None of these calls can fail with a valid signal.
    let _ = set_action(libc::SIGTSTP, libc::SIG_DFL, 0);
    stop_self_by(libc::SIGTSTP);
    let _ = handle(libc::SIGTSTP);
    // SAFETY: the calls have no preconditions. As long as it is our parent, the pid is that of the
    // guard.
    unsafe {
        if libc::getppid() == guard {
            libc::kill(guard, libc::SIGCONT);
        }
    }
}

/// Stops this process by a signal that has no handler.
pub(crate) fn stop_self_by(number: c_int) {
    // SAFETY: the call has no preconditions. It cannot fail with a valid signal.
    unsafe { libc::raise(number) };
}

/// Blocks the signals of [`ReceivedSignal`] until [`unblock_signals`] or
/// [`SignalReceiver::install`].
pub(crate) fn block_signals() -> io::Result<()> {
    change_mask(libc::SIG_BLOCK)
}

/// Unblocks the signals of [`ReceivedSignal`].
pub(crate) fn unblock_signals() -> io::Result<()> {
    change_mask(libc::SIG_UNBLOCK)
}

/// Resets SIGCHLD if it was inherited as ignored, since children would then leave no exit status.
pub(crate) fn expect_children() -> io::Result<()> {
    if is_ignored(libc::SIGCHLD)? { set_action(libc::SIGCHLD, libc::SIG_DFL, 0) } else { Ok(()) }
}

pub(crate) fn ignore(number: c_int) -> io::Result<()> {
    set_action(number, libc::SIG_IGN, 0)
}

/// Blocks signals in the calling thread while it exists, for work that must not be interrupted
/// halfway.
#[derive(Debug)]
pub struct BlockedSignals(());

impl BlockedSignals {
    /// Blocks every signal that would end the process.
    pub fn begin() -> io::Result<Self> {
        block_signals().map(|()| Self(()))
    }

    /// Whether a signal waits that ends the process when it is unblocked.
    pub fn is_ending_pending(&self) -> bool {
        let mut pending = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the call initialises the set, unless it fails. The set is then not read.
        unsafe {
            libc::sigpending(pending.as_mut_ptr()) == 0
                && [libc::SIGINT, libc::SIGTERM, libc::SIGHUP]
                    .iter()
                    .any(|number| libc::sigismember(pending.as_ptr(), *number) == 1)
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // Unblocking cannot fail where blocking succeeded.
        let _ = unblock_signals();
    }
}

/// Builds a signal set.
pub(crate) fn signal_set(numbers: &[c_int]) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the first call initialises the set, which the others need.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for number in numbers {
            libc::sigaddset(set.as_mut_ptr(), *number);
        }
        set.assume_init()
    }
}

fn change_mask(how: c_int) -> io::Result<()> {
    let set = signal_set(&ALL.map(|(_, number)| number));
    // SAFETY: the set is initialised, and the old mask is not requested.
    match unsafe { libc::pthread_sigmask(how, &raw const set, ptr::null_mut()) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

fn is_ignored(number: c_int) -> io::Result<bool> {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: the call changes nothing and writes the action, unless it fails.
    let action = unsafe {
        checked(libc::sigaction(number, ptr::null(), action.as_mut_ptr()))?;
        action.assume_init()
    };
    Ok(action.sa_sigaction == libc::SIG_IGN)
}

fn handle(number: c_int) -> io::Result<()> {
    let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = on_signal;
    set_action(number, handler as libc::sighandler_t, libc::SA_RESTART | libc::SA_SIGINFO)
}

fn set_action(number: c_int, handler: libc::sighandler_t, flags: c_int) -> io::Result<()> {
    // SAFETY: zeroes are a valid value of this plain structure.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler;
    action.sa_flags = flags;
    action.sa_mask = signal_set(&[]);
    // SAFETY: the action is initialised, and the handler is async-signal-safe.
    checked(unsafe { libc::sigaction(number, &raw const action, ptr::null_mut()) })
}

fn checked(result: c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Runs at any time in any thread, so it uses only atomics, `clock_gettime` and `write`.
extern "C" fn on_signal(number: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the pointer is that of the current thread and valid for the thread's lifetime.
    let errno = unsafe { *errno_location() };
    match number {
        libc::SIGCHLD => announce_once(&CHILD_PENDING),
        libc::SIGWINCH => announce_once(&WINDOW_PENDING),
        number => {
            // SAFETY: the system passes a valid `siginfo_t` to every handler set with SA_SIGINFO.
            // For a signal without a sender the field differs from the guard's pid as well.
            let sender = unsafe { (*info).si_pid() };
            // The runner wakes its guard by SIGCONT when it continues. The signal must not be
            // forwarded back to the runner, where it could undo a stop that follows immediately.
            if number != libc::SIGCONT || sender != RUNNER.load(Ordering::Acquire) {
                write(note(number, sender));
            }
        }
    }
    // SAFETY: as above.
    unsafe { *errno_location() = errno };
}

/// Sets the flag, and wakes the loop if it was not set.
fn announce_once(waits: &AtomicBool) {
    if !waits.swap(true, Ordering::AcqRel) {
        write(WAKE);
    }
}

fn write(note: SignalNote) {
    let pipe = PIPE.load(Ordering::Acquire);
    // A full pipe is enough to wake the loop. A note is small enough to be written atomically.
    // SAFETY: the note outlives the call, and the pipe is never closed.
    unsafe { libc::write(pipe, (&raw const note).cast(), size_of::<SignalNote>()) };
}

fn note(number: c_int, sender: libc::pid_t) -> SignalNote {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the given timespec. It cannot fail with this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let millis = (time.tv_sec as SignalNote) * 1000 + (time.tv_nsec as SignalNote) / 1_000_000;
    let way = if sender == GUARD.load(Ordering::Acquire) { RELAYED } else { 0 };
    millis << 8 | way | number as SignalNote
}

/// Decodes a note; `None` for a wake-up.
fn decode_note(note: SignalNote) -> Option<SignalArrival> {
    let number = (note & 0x7f) as c_int;
    let (signal, _) = ALL.iter().find(|(_, known)| *known == number)?;
    let way = if note & RELAYED == 0 { SignalRoute::Direct } else { SignalRoute::ByGuard };
    Some(SignalArrival { signal: *signal, route: way, at: Duration::from_millis(note >> 8) })
}
