//! A minimal runner of several agents at the same time, each below a keeper.
//!
//! It reads commands from standard input: `kill N`, `stop N`, `continue N` and `count N` signal or count
//! the processes of a lane; `end` closes the connections to all keepers and ends.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use forkhestra_engine::process::{
    ChildProcesses, GuardLink, GuardRole, KEEPER_VERB, KeeperCommand, KeeperHandle, KeeperProgram,
    LaneTag, SignalNumber, SpawnCommand, SpawnStdin, end_all_descendants, signal_processes_of,
    split,
};
use forkhestra_engine::signal::SignalReceiver;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::runner::ProbeWakeup;
use crate::{TAG, exit_code, print_line, write_out};

/// The variable that names a lane.
const LANES: &str = "FORKHESTRA_PROBE_LANES";

const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// The agent of a lane.
struct ProbeLane {
    number: usize,
    keeper: KeeperHandle,
    output: OwnedFd,
    is_gone: bool,
}

/// Runs each script in a lane of its own, in a runner with a guard.
pub(crate) fn run(tag: &OsStr, scripts: &[OsString]) -> io::Result<ExitCode> {
    match split()? {
        GuardRole::Runner(link) => run_below(&link, tag, scripts),
        GuardRole::Guard(report) => {
            let any = ChildProcesses::default().has_any_process();
            let (runner, left) = (&report.runner, &report.left);
            print_line(&format!("guard: {runner}, left {left:?}, any process {any}"))?;
            Ok(exit_code(&report.runner))
        }
    }
}

fn run_below(guard: &GuardLink, tag: &OsStr, scripts: &[OsString]) -> io::Result<ExitCode> {
    let mut signals = SignalReceiver::install_in_runner(guard)?;
    let children = ChildProcesses::default();
    print_line(&format!("runner {} guard {}", rustix::process::getpid(), guard.guard_pid()))?;
    let mut lanes = Vec::new();
    for (index, script) in scripts.iter().enumerate() {
        lanes.push(start(&children, tag, index + 1, script)?);
    }
    let mut commands = Vec::new();
    while lanes.iter().any(|lane| !lane.is_gone) {
        if wait(guard, &signals, &lanes)? == ProbeWakeup::GuardLost {
            end_all_descendants(&children, &[], EXIT_TIMEOUT);
            return Ok(ExitCode::FAILURE);
        }
        signals.drain();
        for lane in &lanes {
            copy(&lane.output)?;
        }
        if !read_commands(&children, &lanes, &mut commands)? {
            // Closes the links. The guard ends what the keepers do not end.
            return Ok(ExitCode::SUCCESS);
        }
        report_ends(&children, &mut lanes)?;
    }
    let ended = end_all_descendants(&children, &[], EXIT_TIMEOUT);
    let any = children.has_any_process();
    print_line(&format!("runner: left {:?}, any process {any}", ended.remaining))?;
    Ok(ExitCode::SUCCESS)
}

fn start(
    children: &ChildProcesses,
    tag: &OsStr,
    number: usize,
    script: &OsString,
) -> io::Result<ProbeLane> {
    let value = format!("{}/{number}", tag.display());
    let mut env: Vec<(OsString, OsString)> = env::vars_os().collect();
    env.push((TAG.into(), tag.to_owned()));
    env.push((LANES.into(), value.clone().into()));
    let program = KeeperProgram { path: env::current_exe()?, args: vec![KEEPER_VERB.into()] };
    let tag = LaneTag { name: LANES.into(), value: value.into() };
    let words = script.to_str().unwrap_or_default();
    // A script that is a path is a program.
    let is_path = words.starts_with('/') && !words.contains(' ');
    let shell_args: [OsString; 2] = ["-c".into(), script.to_owned()];
    let command = SpawnCommand {
        program: Path::new(if is_path { words } else { "/bin/sh" }),
        args: if is_path { &[] } else { &shell_args },
        env: &env,
        directory: &env::current_dir()?,
        stdin: SpawnStdin::Null,
        keeper: Some(&KeeperCommand { program, tag }),
    };
    let spawned = children.start(&command).map_err(|error| {
        // The test reads it from standard output.
        print_line(&format!("lane {number}: {error}")).err().unwrap_or(io::Error::other(error))
    })?;
    let keeper = spawned.keeper.expect("this is Linux");
    rustix::io::ioctl_fionbio(&spawned.stdout.reader, true)?;
    if number == 1 {
        print_line(&format!("agent {}", spawned.pid))?;
    }
    print_line(&format!("lane {number} agent {} keeper {}", spawned.pid, keeper.pid()))?;
    Ok(ProbeLane { number, keeper, output: spawned.stdout.reader, is_gone: false })
}

fn wait(
    guard: &GuardLink,
    signals: &SignalReceiver,
    lanes: &[ProbeLane],
) -> io::Result<ProbeWakeup> {
    let stdin = io::stdin();
    let mut files = vec![
        PollFd::new(guard, PollFlags::IN),
        PollFd::new(signals, PollFlags::IN),
        PollFd::new(&stdin, PollFlags::IN),
    ];
    let links = lanes.iter().filter_map(|lane| lane.keeper.link());
    files.extend(links.map(|link| PollFd::from_borrowed_fd(link, PollFlags::IN)));
    let running = lanes.iter().filter(|lane| !lane.is_gone);
    files.extend(running.map(|lane| PollFd::new(&lane.output, PollFlags::IN)));
    match poll(&mut files, None) {
        Ok(_) if !files[0].revents().is_empty() => Ok(ProbeWakeup::GuardLost),
        Ok(_) | Err(Errno::INTR) => Ok(ProbeWakeup::Otherwise),
        Err(errno) => Err(errno.into()),
    }
}

/// Reads and performs commands. `false` if the end was requested.
fn read_commands(
    children: &ChildProcesses,
    lanes: &[ProbeLane],
    read: &mut Vec<u8>,
) -> io::Result<bool> {
    let stdin = io::stdin();
    let mut now = [PollFd::new(&stdin, PollFlags::IN)];
    let at_once = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    if poll(&mut now, Some(&at_once))? == 0 {
        return Ok(true);
    }
    let mut bytes = [0; 256];
    let count = rustix::io::read(&stdin, &mut bytes)?;
    read.extend_from_slice(&bytes[..count]);
    while let Some(end) = read.iter().position(|byte| *byte == b'\n') {
        let line: Vec<u8> = read.drain(..=end).collect();
        let line = String::from_utf8_lossy(&line);
        let mut words = line.split_whitespace();
        let verb = words.next();
        let number = words.next().and_then(|word| word.parse::<usize>().ok());
        let lane = number.and_then(|number| lanes.get(number.checked_sub(1)?));
        let signal = match verb {
            Some("kill") => SignalNumber::KILL,
            Some("stop") => SignalNumber::STOP,
            Some("continue") => SignalNumber::CONT,
            Some("end") => return Ok(false),
            _ => {
                let keeper = lane.map(|lane| &lane.keeper);
                let count = children.processes_of(keeper).len();
                print_line(&format!("counted {count}"))?;
                continue;
            }
        };
        let found = signal_processes_of(children, lane.map(|lane| &lane.keeper), None, signal);
        print_line(&format!("signalled {}", found.len()))?;
    }
    Ok(true)
}

/// Prints the ends of programs, of killed keepers, and of whole lanes.
fn report_ends(children: &ChildProcesses, lanes: &mut [ProbeLane]) -> io::Result<()> {
    let ended = children.reap();
    for lane in lanes.iter_mut().filter(|lane| !lane.is_gone) {
        let number = lane.number;
        if let Some(end) = lane.keeper.take_end() {
            copy(&lane.output)?;
            print_line(&format!("lane {number}: {end}"))?;
        }
        let keeper = lane.keeper.pid();
        for (_, end) in ended.iter().filter(|(pid, _)| *pid == keeper) {
            children.keeper_ended(&mut lane.keeper, end);
            if lane.keeper.is_lost() {
                print_line(&format!("lane {number} lost its keeper: {end}"))?;
                signal_processes_of(children, Some(&lane.keeper), None, SignalNumber::KILL);
            }
        }
        if !children.has_any_of(Some(&lane.keeper)) {
            lane.is_gone = true;
            print_line(&format!("lane {number} is gone"))?;
        }
    }
    Ok(())
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
