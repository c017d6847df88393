//! A minimal runner: one agent, and all rules of guard and runner.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use forkhestra_core::event::AgentEnd;
use forkhestra_engine::process::{
    ChildProcesses, GuardLink, SignalNumber, SpawnCommand, SpawnStdin, SpawnedProcess,
    end_all_descendants, signal_all, signal_all_descendants,
};
use forkhestra_engine::signal::{ReceivedSignal, SignalReceiver, suspend_self};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::{TAG, exit_code, say, write_out};

const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn run(link: &GuardLink, tag: &OsStr, script: &OsStr) -> io::Result<ExitCode> {
    let mut signals = SignalReceiver::install_in_runner(link)?;
    let children = ChildProcesses::default();
    say(&format!("runner {} guard {}", rustix::process::getpid(), link.guard_pid()))?;
    let agent = start(&children, tag, script)?;
    say(&format!("agent {}", agent.pid))?;
    rustix::io::ioctl_fionbio(&agent.stdout.reader, true)?;
    loop {
        if poll_all(link, &signals, &agent.stdout.reader)? == ProbeWakeup::GuardLost {
            end_all_descendants(&children, &[], PATIENCE);
            return Ok(ExitCode::FAILURE);
        }
        for signal in signals.drain() {
            act(signal)?;
        }
        copy(&agent.stdout.reader)?;
        if let [(pid, end)] = children.reap().as_slice() {
            say(&format!("{pid} ended: {end}"))?;
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
    };
    children.start(&command).map_err(io::Error::other)
}

#[derive(PartialEq)]
enum ProbeWakeup {
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
        ReceivedSignal::Stop => {
            let paused = signal_all_descendants(SignalNumber::STOP);
            say("pausing")?;
            suspend_self();
            signal_all(&paused, SignalNumber::CONT);
            say("going on")
        }
        signal => say(&format!("got {signal:?}")),
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

fn finish(children: &ChildProcesses, end: &AgentEnd) -> io::Result<ExitCode> {
    let ended = end_all_descendants(children, &[], PATIENCE);
    let any = children.has_any_process();
    say(&format!("runner: left {:?}, any process {any}", ended.left))?;
    Ok(exit_code(end))
}
