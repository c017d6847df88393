//! A minimal runner: one agent, and all rules of guard and runner.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use forkhestra_core::event::ProcessEnd;
use forkhestra_engine::process::{
    ChildProcesses, GuardLink, SignalNumber, SpawnCommand, SpawnStdin, SpawnedProcess,
    end_all_descendants, signal_all, signal_all_descendants,
};
use forkhestra_engine::signal::{ReceivedSignal, SignalReceiver, suspend_self};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::{TAG, exit_code, print_line, write_out};

const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) fn run(link: &GuardLink, tag: &OsStr, script: &OsStr) -> io::Result<ExitCode> {
    let mut signals = SignalReceiver::install_in_runner(link)?;
    let children = ChildProcesses::default();
    print_line(&format!("runner {} guard {}", rustix::process::getpid(), link.guard_pid()))?;
    let agent = start(&children, tag, script)?;
    print_line(&format!("agent {}", agent.pid))?;
    rustix::io::ioctl_fionbio(&agent.stdout.reader, true)?;
    loop {
        if poll_all(link, &signals, &agent.stdout.reader)? == ProbeWakeup::GuardLost {
            end_all_descendants(&children, &[], EXIT_TIMEOUT);
            return Ok(ExitCode::FAILURE);
        }
        for signal in signals.drain() {
            act(signal)?;
        }
        copy(&agent.stdout.reader)?;
        if let [(pid, end)] = children.reap().as_slice() {
            print_line(&format!("{pid} ended: {end}"))?;
            copy(&agent.stdout.reader)?;
            return finish(&children, end);
        }
    }
}

fn start(children: &ChildProcesses, tag: &OsStr, script: &OsStr) -> io::Result<SpawnedProcess> {
    let mut env: Vec<(OsString, OsString)> = env::vars_os().collect();
    env.push((TAG.into(), tag.to_owned()));
    let command = SpawnCommand {
        program: Path::new("/bin/sh"),
        args: &["-c".into(), script.to_owned()],
        env: &env,
        directory: &env::current_dir()?,
        stdin: SpawnStdin::Null,
        keeper: None,
    };
    children.start(&command).map_err(io::Error::other)
}

#[derive(PartialEq)]
pub(crate) enum ProbeWakeup {
    GuardLost,
    Otherwise,
}

fn poll_all(
    link: &GuardLink,
    signals: &SignalReceiver,
    output: &OwnedFd,
) -> io::Result<ProbeWakeup> {
    let mut fds = [
        PollFd::new(link, PollFlags::IN),
        PollFd::new(signals, PollFlags::IN),
        PollFd::new(output, PollFlags::IN),
    ];
    match poll(&mut fds, None) {
        Ok(_) if !fds[0].revents().is_empty() => Ok(ProbeWakeup::GuardLost),
        Ok(_) | Err(Errno::INTR) => Ok(ProbeWakeup::Otherwise),
        Err(errno) => Err(errno.into()),
    }
}

fn act(signal: ReceivedSignal) -> io::Result<()> {
    match signal {
        ReceivedSignal::Child => Ok(()),
        ReceivedSignal::Suspend => {
            let paused = signal_all_descendants(SignalNumber::STOP);
            print_line("pausing")?;
            suspend_self();
            signal_all(&paused, SignalNumber::CONT);
            print_line("going on")
        }
        signal => print_line(&format!("got {signal:?}")),
    }
}

/// Copies the available output.
fn copy(output: &OwnedFd) -> io::Result<()> {
    let mut bytes = [0; 4096];
    loop {
        match rustix::io::read(output, &mut bytes) {
            Ok(0) | Err(Errno::AGAIN) => return Ok(()),
            Ok(count) => write_out(&bytes[..count])?,
            Err(errno) => return Err(errno.into()),
        }
    }
}

fn finish(children: &ChildProcesses, end: &ProcessEnd) -> io::Result<ExitCode> {
    let ended = end_all_descendants(children, &[], EXIT_TIMEOUT);
    let any = children.has_any_process();
    print_line(&format!("runner: left {:?}, any process {any}", ended.remaining))?;
    Ok(exit_code(end))
}
