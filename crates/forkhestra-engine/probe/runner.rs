//! The smallest runner there can be: one agent, and every rule of the two processes.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use forkhestra_core::event::AgentEnd;
use forkhestra_engine::process::{
    Children, Command, GuardLink, SignalNumber, Spawned, Stdin, end_all_descendants, signal_all,
    signal_all_descendants,
};
use forkhestra_engine::signal::{Signal, Signals, stop_ourselves};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::{TAG, exit_code, say, write_out};

const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn run(link: &GuardLink, tag: &OsStr, script: &OsStr) -> io::Result<ExitCode> {
    let mut signals = Signals::install_below(link)?;
    let children = Children::default();
    say(&format!("runner {} guard {}", rustix::process::getpid(), link.guard_pid()))?;
    let agent = start(&children, tag, script)?;
    say(&format!("agent {}", agent.pid))?;
    rustix::io::ioctl_fionbio(&agent.stdout.reader, true)?;
    loop {
        if poll_all(link, &signals, &agent.stdout.reader)? == Woken::GuardLost {
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

fn start(children: &Children, tag: &OsStr, script: &OsStr) -> io::Result<Spawned> {
    let mut env: Vec<(OsString, OsString)> = env::vars_os().collect();
    env.push((TAG.into(), tag.to_owned()));
    let command = Command {
        program: Path::new("/bin/sh"),
        args: &["-c".into(), script.to_owned()],
        env: &env,
        directory: &env::current_dir()?,
        stdin: Stdin::Null,
    };
    children.start(&command).map_err(io::Error::other)
}

#[derive(PartialEq)]
enum Woken {
    GuardLost,
    Otherwise,
}

fn poll_all(link: &GuardLink, signals: &Signals, output: &OwnedFd) -> io::Result<Woken> {
    let mut fds = [
        PollFd::new(link, PollFlags::IN),
        PollFd::new(signals, PollFlags::IN),
        PollFd::new(output, PollFlags::IN),
    ];
    match poll(&mut fds, None) {
        Ok(_) if !fds[0].revents().is_empty() => Ok(Woken::GuardLost),
        Ok(_) | Err(Errno::INTR) => Ok(Woken::Otherwise),
        Err(errno) => Err(errno.into()),
    }
}

fn act(signal: Signal) -> io::Result<()> {
    match signal {
        Signal::Child => Ok(()),
        Signal::Stop => {
            let paused = signal_all_descendants(SignalNumber::STOP);
            say("pausing")?;
            stop_ourselves();
            signal_all(&paused, SignalNumber::CONT);
            say("going on")
        }
        signal => say(&format!("got {signal:?}")),
    }
}

/// Hands on what there is to read.
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

fn finish(children: &Children, end: &AgentEnd) -> io::Result<ExitCode> {
    let ended = end_all_descendants(children, &[], PATIENCE);
    let any = children.has_any_process();
    say(&format!("runner: left {:?}, any process {any}", ended.left))?;
    Ok(exit_code(end))
}
