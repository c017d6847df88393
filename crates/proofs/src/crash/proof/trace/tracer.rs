//! The tracing loop: waits until a thread stops, inspects its system call, and continues it.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use nix::libc;
use nix::sys::ptrace::{self, Event};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::TraceResult;
use super::registers::call_of;
use super::task::{CallMade, TaskOrigin, TracedTask};
use crate::crash::proof::point::{CallMoment, CallSite, Point, Victim};
use crate::crash::proof::watchdog::Watchdog;

/// Traces the started process, which is the guard, and the runner that it forks.
pub(super) struct Tracer {
    guard: Pid,
    runner: Option<Pid>,
    point: Option<Point>,
    tasks: HashMap<Pid, TracedTask>,
    /// The number of threads of guard and runner so far.
    threads: usize,
    /// New threads that stay stopped until the event of their parent identifies them.
    held: Vec<Pid>,
    /// Whether the guard has executed the program. Calls of its shell before that are ignored.
    begun: bool,
    counts: BTreeMap<CallSite, usize>,
    is_killed: bool,
    end: Option<ExitStatus>,
    watchdog: Watchdog,
}

impl Tracer {
    pub(super) fn new(guard: Pid, point: Option<Point>) -> Self {
        let watchdog = Watchdog::start();
        watchdog.watch(guard);
        let task = TracedTask::new(TaskOrigin::Ours { process: guard, number: 0 });
        Self {
            guard,
            runner: None,
            point,
            tasks: HashMap::from([(guard, task)]),
            threads: 1,
            held: Vec::new(),
            begun: false,
            counts: BTreeMap::new(),
            is_killed: false,
            end: None,
            watchdog,
        }
    }

    /// Traces until no traced thread is left.
    pub(super) fn run(mut self) -> io::Result<TraceResult> {
        // Only threads traced by this thread: others may trace runs of their own.
        let flags = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
        loop {
            match waitpid(None, Some(flags)) {
                Ok(status) => forgiving(self.take(status))?,
                Err(nix::Error::ECHILD) => break,
                Err(nix::Error::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(TraceResult {
            counts: self.counts,
            is_killed: self.is_killed,
            end: self.end.ok_or(nix::Error::ECHILD)?,
            hung: self.watchdog.stop(),
            said: Vec::new(),
        })
    }

    fn take(&mut self, status: WaitStatus) -> nix::Result<()> {
        match status {
            WaitStatus::PtraceSyscall(thread) => self.at_call(thread),
            WaitStatus::PtraceEvent(thread, _, event) => self.at_event(thread, event),
            WaitStatus::Stopped(thread, signal) => self.resume_thread(thread, Some(signal)),
            WaitStatus::Exited(thread, code) => {
                self.forget(thread, ExitStatus::from_raw(code << 8));
                Ok(())
            }
            WaitStatus::Signaled(thread, signal, _) => {
                self.forget(thread, ExitStatus::from_raw(signal as i32));
                Ok(())
            }
            WaitStatus::Continued(_) | WaitStatus::StillAlive => Ok(()),
        }
    }

    fn at_call(&mut self, thread: Pid) -> nix::Result<()> {
        let is_entry = ptrace::syscall_info(thread)?.op == libc::PTRACE_SYSCALL_INFO_ENTRY;
        let is_counted = self.is_counted();
        let Some(task) = self.tasks.get_mut(&thread) else {
            return self.resume_thread(thread, None);
        };
        if !is_entry {
            let made = task.inside.take();
            return self.pass(thread, made, CallMoment::After);
        }
        let call = call_of(thread)?.filter(|_| is_counted);
        let made = call.and_then(|call| task.count(call));
        task.inside = made;
        if let Some(made) = made {
            *self.counts.entry(made.place).or_default() += 1;
        }
        self.pass(thread, made, CallMoment::Before)
    }

    fn at_event(&mut self, thread: Pid, event: i32) -> nix::Result<()> {
        if event == Event::PTRACE_EVENT_EXEC as i32 {
            return self.at_exec(thread);
        }
        if event == Event::PTRACE_EVENT_STOP as i32 {
            return self.at_stop(thread);
        }
        let child = Pid::from_raw(i32::try_from(ptrace::getevent(thread)?).unwrap_or_default());
        self.register(child, thread, event);
        let made = self.tasks.get(&thread).and_then(|task| task.inside);
        self.pass(thread, made, CallMoment::During)?;
        match self.held.iter().position(|held| *held == child) {
            Some(at) => {
                self.held.swap_remove(at);
                self.resume_thread(child, None)
            }
            // The thread has not stopped yet.
            None => Ok(()),
        }
    }

    /// A process that executes another program is an agent or a helper.
    fn at_exec(&mut self, thread: Pid) -> nix::Result<()> {
        if thread == self.guard {
            self.begun = true;
            return self.resume_thread(thread, None);
        }
        self.tasks.remove(&thread);
        ptrace::detach(thread, None)
    }

    /// A thread is new, or was stopped with its process.
    fn at_stop(&mut self, thread: Pid) -> nix::Result<()> {
        // A killed parent sends no event.
        if !self.tasks.contains_key(&thread) && !self.is_killed {
            self.held.push(thread);
            return Ok(());
        }
        self.resume_thread(thread, None)
    }

    /// Registers a new thread, classified by the event that created it.
    fn register(&mut self, child: Pid, parent: Pid, event: i32) {
        let above = self.tasks.get(&parent).and_then(TracedTask::process);
        let process = if event == Event::PTRACE_EVENT_CLONE as i32 {
            above
        } else if event == Event::PTRACE_EVENT_FORK as i32 && above == Some(self.guard) {
            self.runner = Some(child);
            self.watchdog.watch(child);
            Some(child)
        } else {
            None
        };
        let kin = match process {
            Some(process) => TaskOrigin::Ours { process, number: self.threads },
            None => TaskOrigin::Stranger,
        };
        self.threads += usize::from(process.is_some());
        self.tasks.insert(child, TracedTask::new(kin));
    }

    /// Whether calls count. For a point with another victim they count once there are two
    /// processes.
    fn is_counted(&self) -> bool {
        let is_one_enough = self.point.is_none_or(|point| point.victim == Victim::Maker);
        self.begun && !self.is_killed && (is_one_enough || self.runner.is_some())
    }

    /// Continues a thread, or kills the victims of the point.
    fn pass(&mut self, thread: Pid, made: Option<CallMade>, moment: CallMoment) -> nix::Result<()> {
        let point = self.point.filter(|_| !self.is_killed);
        match (point, made) {
            (Some(point), Some(made)) if made.is_at(point, moment) => {
                self.kill_victims(point, made)?;
            }
            _ => {}
        }
        // Also a killed thread: continuing it is harmless.
        self.resume_thread(thread, None)
    }

    fn kill_victims(&mut self, point: Point, made: CallMade) -> nix::Result<()> {
        self.is_killed = true;
        for process in [Some(self.guard), self.runner].into_iter().flatten() {
            let is_victim = match point.victim {
                Victim::Maker => process == made.process,
                Victim::Other => process != made.process,
                Victim::Both => true,
            };
            if is_victim {
                forgiving(kill(process, Signal::SIGKILL))?;
            }
        }
        // The parents that could identify them may be gone.
        std::mem::take(&mut self.held)
            .into_iter()
            .try_for_each(|child| self.resume_thread(child, None))
    }

    fn resume_thread(&mut self, thread: Pid, signal: Option<Signal>) -> nix::Result<()> {
        let is_ours = self.tasks.get(&thread).is_some_and(|task| task.process().is_some());
        forgiving(if is_ours && !self.is_killed {
            ptrace::syscall(thread, signal)
        } else {
            ptrace::cont(thread, signal)
        })
    }

    fn forget(&mut self, thread: Pid, status: ExitStatus) {
        self.tasks.remove(&thread);
        if thread == self.guard {
            self.end = Some(status);
        }
        if Some(thread) == self.runner {
            self.runner = None;
        }
    }
}

/// Ignores that a thread is gone, which is expected after a kill.
fn forgiving(done: nix::Result<()>) -> nix::Result<()> {
    match done {
        Err(nix::Error::ESRCH) => Ok(()),
        done => done,
    }
}
