//! Signals that are sent to us, as something to poll for.
//!
//! A handler may do next to nothing, so it writes a note to a pipe of ours: what came, by which way
//! and when. The loop that owns [`SignalReceiver`] reads them there, one after another. Other threads wake
//! the loop through the same pipe ([`LoopWaker`]).
//!
//! Signals belong to a process as a whole, which is why there is a static pipe here and why
//! [`SignalReceiver`] can be installed only once in each process.

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

/// What somebody wants of us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReceivedSignal {
    /// SIGINT: a person pressed Ctrl-C.
    Interrupt,
    /// SIGTERM: somebody wants us to end.
    Terminate,
    /// SIGHUP: the terminal is gone.
    Hangup,
    /// SIGTSTP: a person pressed Ctrl-Z.
    Stop,
    /// SIGCONT: we go on after a stop.
    Continue,
    /// SIGCHLD: something became of a child.
    Child,
    /// SIGWINCH: the terminal has another size.
    WindowChanged,
}

const ALL: [(ReceivedSignal, c_int); 7] = [
    (ReceivedSignal::Interrupt, libc::SIGINT),
    (ReceivedSignal::Terminate, libc::SIGTERM),
    (ReceivedSignal::Hangup, libc::SIGHUP),
    (ReceivedSignal::Stop, libc::SIGTSTP),
    (ReceivedSignal::Continue, libc::SIGCONT),
    (ReceivedSignal::Child, libc::SIGCHLD),
    (ReceivedSignal::WindowChanged, libc::SIGWINCH),
];

/// The writing end of the pipe. It is never closed, so a handler cannot write anywhere else.
static PIPE: AtomicI32 = AtomicI32::new(-1);

/// The process that hands signals on to us; none if negative.
static GUARD: AtomicI32 = AtomicI32::new(-1);

/// The runner that we guard, or none.
static RUNNER: AtomicI32 = AtomicI32::new(-1);

/// Set while something waits of which any number is as good as one. The note in the pipe that goes
/// with it only wakes.
static CHILD_WAITS: AtomicBool = AtomicBool::new(false);
static WINDOW_WAITS: AtomicBool = AtomicBool::new(false);
static WAKER_WAITS: AtomicBool = AtomicBool::new(false);

/// What is written about a signal, always at once: its number and [`HANDED_ON`] in the lowest byte,
/// the milliseconds of the clock above.
type SignalNote = u64;

/// Set in the note of a signal that came from the guard. All numbers we handle are smaller.
const HANDED_ON: SignalNote = 0x80;

/// A note of no signal.
const WAKE: SignalNote = 0;

/// The signals that are sent to us from now on.
#[derive(Debug)]
pub struct SignalReceiver {
    reader: OwnedFd,
    echoes: SignalDedup,
}

impl SignalReceiver {
    /// Takes over all signals of [`ReceivedSignal`], but leaves ignored what was ignored when we were
    /// started. Signals that were held back are let through. Possible once in each process.
    ///
    /// Where a guard hands signals on, [`SignalReceiver::install_below`] knows what comes from it.
    pub fn install() -> io::Result<Self> {
        let (reader, writer) = pipe()?;
        fcntl_setfl(&reader, OFlags::NONBLOCK)?;
        fcntl_setfl(&writer, OFlags::NONBLOCK)?;
        if PIPE.load(Ordering::Acquire) != -1 {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        PIPE.store(writer.into_raw_fd(), Ordering::Release);
        for (signal, number) in ALL {
            // Where children are ignored they leave no status.
            if signal == ReceivedSignal::Child || !is_ignored(number)? {
                handle(number)?;
            }
        }
        unblock_signals()?;
        Ok(Self { reader, echoes: SignalDedup::default() })
    }

    /// The same in a runner. What reaches both it and its guard, which hands it on, is one signal.
    pub fn install_in_runner(guard: &GuardLink) -> io::Result<Self> {
        GUARD.store(guard.guard_pid().as_raw_nonzero().get(), Ordering::Release);
        Self::install()
    }

    /// Goes on to take signals when whoever took them before is gone, and was heard of by
    /// [`SignalReceiver::install`]: for what is left to do when a run is over. What came meanwhile is lost.
    pub fn reinstall() -> io::Result<Self> {
        let (reader, writer) = pipe()?;
        fcntl_setfl(&reader, OFlags::NONBLOCK)?;
        fcntl_setfl(&writer, OFlags::NONBLOCK)?;
        // The other pipe stays open, since a handler may be about to write to it.
        PIPE.swap(writer.into_raw_fd(), Ordering::AcqRel);
        // Whatever was announced there, nobody will read.
        for waits in [&CHILD_WAITS, &WINDOW_WAITS, &WAKER_WAITS] {
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
            // A time that is too long to be said is as good as none.
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let left = left.and_then(|left| Timespec::try_from(left).ok());
            match poll(&mut [PollFd::new(&self.reader, PollFlags::IN)], left.as_ref()) {
                Err(Errno::INTR) => {}
                done => return done.map(|_| ()).map_err(io::Error::from),
            }
        }
    }

    /// Leaves all signals to the system again, but for those that are ignored.
    pub(crate) fn uninstall(self) -> io::Result<()> {
        for (_, number) in ALL {
            if !is_ignored(number)? {
                set_action(number, libc::SIG_DFL, 0)?;
            }
        }
        Ok(())
    }

    /// The same for the guard of this runner.
    pub(crate) fn install_in_guard(runner: Pid) -> io::Result<Self> {
        RUNNER.store(runner.as_raw_nonzero().get(), Ordering::Release);
        Self::install()
    }

    /// Everything that came since the last call, in order. Several changes of children or of the
    /// window are one. Look at what wakers announce after this, not before.
    pub fn drain(&mut self) -> Vec<ReceivedSignal> {
        let mut signals = Vec::new();
        let mut bytes = [0; 64 * size_of::<SignalNote>()];
        loop {
            match rustix::io::read(&self.reader, &mut bytes) {
                Ok(count) if count > 0 => {
                    let (notes, _) = bytes[..count].as_chunks();
                    let arrivals =
                        notes.iter().filter_map(|note| said(SignalNote::from_ne_bytes(*note)));
                    let news = arrivals.filter(|arrival| !self.echoes.is_duplicate(*arrival));
                    signals.extend(news.map(|arrival| arrival.signal));
                }
                Err(Errno::INTR) => {}
                // The pipe is empty. It cannot end, as the other side is never closed.
                Ok(_) | Err(_) => break,
            }
        }
        // Only now: whatever is set after this has a note that is still to be read.
        WAKER_WAITS.swap(false, Ordering::AcqRel);
        for (waits, signal) in
            [(&CHILD_WAITS, ReceivedSignal::Child), (&WINDOW_WAITS, ReceivedSignal::WindowChanged)]
        {
            if waits.swap(false, Ordering::AcqRel) {
                signals.push(signal);
            }
        }
        signals
    }

    /// Something that other threads can wake us with.
    pub fn waker(&self) -> LoopWaker {
        LoopWaker { _installed: () }
    }
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
    /// Wakes it, at the cost of a system call only if it has not been woken since it last drained.
    /// To be called after what it shall find is there.
    pub fn wake(&self) {
        announce_once(&WAKER_WAITS);
    }
}

/// Stops this process, as somebody wished with [`ReceivedSignal::Stop`], until somebody continues it. A guard
/// stops too, and goes on when we do, whoever of the two is continued.
pub fn suspend_self() {
    let guard = GUARD.load(Ordering::Acquire);
    if guard < 0 {
        return stop_by(libc::SIGSTOP);
    }
    // By this signal the guard tells it from a stop that is no wish. Without a guard the system
    // may not stop us by it, which is just as well, since then we are to end.
    // None of this can fail with a signal that exists.
    let _ = set_action(libc::SIGTSTP, libc::SIG_DFL, 0);
    stop_by(libc::SIGTSTP);
    let _ = handle(libc::SIGTSTP);
    // SAFETY: the calls have no conditions. As long as it is our parent, the number means the guard.
    unsafe {
        if libc::getppid() == guard {
            libc::kill(guard, libc::SIGCONT);
        }
    }
}

/// Stops this process by a signal that nobody handles.
pub(crate) fn stop_by(number: c_int) {
    // SAFETY: the call has no conditions. It cannot fail with a signal that exists.
    unsafe { libc::raise(number) };
}

/// Holds back the signals of [`ReceivedSignal`] until [`release`] or [`SignalReceiver::install`].
pub(crate) fn block_signals() -> io::Result<()> {
    change_mask(libc::SIG_BLOCK)
}

/// Lets through what was held back.
pub(crate) fn unblock_signals() -> io::Result<()> {
    change_mask(libc::SIG_UNBLOCK)
}

/// Makes sure that children leave a status: whoever started us may have ignored theirs.
pub(crate) fn expect_children() -> io::Result<()> {
    if is_ignored(libc::SIGCHLD)? { set_action(libc::SIGCHLD, libc::SIG_DFL, 0) } else { Ok(()) }
}

/// Ignores a signal.
pub(crate) fn ignore(number: c_int) -> io::Result<()> {
    set_action(number, libc::SIG_IGN, 0)
}

/// Signals wait as long as this is there, for what must not be left half done by the calling thread.
#[derive(Debug)]
pub struct BlockedSignals(());

impl BlockedSignals {
    /// Holds off every signal that would end us.
    pub fn begin() -> io::Result<Self> {
        block_signals().map(|()| Self(()))
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // It cannot fail where the same could be held off before.
        let _ = unblock_signals();
    }
}

/// A set of signals.
pub(crate) fn set_of(numbers: &[c_int]) -> libc::sigset_t {
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
    let set = set_of(&ALL.map(|(_, number)| number));
    // SAFETY: the set is initialised, and the old mask is not asked for.
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
    action.sa_mask = set_of(&[]);
    // SAFETY: the action is initialised, and a handler does only what handlers may do.
    checked(unsafe { libc::sigaction(number, &raw const action, ptr::null_mut()) })
}

fn checked(result: c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Runs at any moment in any thread, so it uses nothing but atomics, `clock_gettime` and `write`.
extern "C" fn on_signal(number: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the place is that of the current thread, and it is valid all its life.
    let errno = unsafe { *errno_location() };
    match number {
        libc::SIGCHLD => announce_once(&CHILD_WAITS),
        libc::SIGWINCH => announce_once(&WINDOW_WAITS),
        number => {
            // SAFETY: the system gives every handler that was set with SA_SIGINFO what it knows of
            // the signal. Where that is no sender, the number is another than the guard's, too.
            let sender = unsafe { (*info).si_pid() };
            // Our runner wakes us when it goes on. To be awake is all it wants: handed back to it,
            // this could undo a stop that comes right behind.
            if number != libc::SIGCONT || sender != RUNNER.load(Ordering::Acquire) {
                write(note(number, sender));
            }
        }
    }
    // SAFETY: as above.
    unsafe { *errno_location() = errno };
}

/// Sets what waits, and wakes the loop if it was not set.
fn announce_once(waits: &AtomicBool) {
    if !waits.swap(true, Ordering::AcqRel) {
        write(WAKE);
    }
}

fn write(note: SignalNote) {
    let pipe = PIPE.load(Ordering::Acquire);
    // If the pipe is full, there is more than enough in it to wake us. A note is written as a whole
    // or not at all, being so small.
    // SAFETY: the note outlives the call, and the pipe is never closed.
    unsafe { libc::write(pipe, (&raw const note).cast(), size_of::<SignalNote>()) };
}

fn note(number: c_int, sender: libc::pid_t) -> SignalNote {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the place it is given. It cannot fail with this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let millis = (time.tv_sec as SignalNote) * 1000 + (time.tv_nsec as SignalNote) / 1_000_000;
    let way = if sender == GUARD.load(Ordering::Acquire) { HANDED_ON } else { 0 };
    millis << 8 | way | number as SignalNote
}

/// What a note says.
fn said(note: SignalNote) -> Option<SignalArrival> {
    let number = (note & 0x7f) as c_int;
    let (signal, _) = ALL.iter().find(|(_, known)| *known == number)?;
    let way = if note & HANDED_ON == 0 { SignalRoute::Direct } else { SignalRoute::ByGuard };
    Some(SignalArrival { signal: *signal, route: way, at: Duration::from_millis(note >> 8) })
}
