//! Tests of a run at a terminal.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::support::{PROGRAM, ProbeRun, kill, new_tag, state, until};

/// A run with a terminal of its own, and the input of that terminal.
struct TerminalProbe {
    probe: ProbeRun,
    keyboard: File,
}

impl TerminalProbe {
    fn run(script: &str) -> Self {
        let keyboard =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are terminals");
        grantpt(&keyboard).expect("it is ours");
        unlockpt(&keyboard).expect("it is ours");
        let name = ptsname(&keyboard, Vec::new()).expect("it has a name");
        let name = name.to_str().expect("it is plain");
        let screen = File::options().read(true).write(true).open(name).expect("it is unlocked");
        forbid_background_output(&screen);

        let tag = new_tag();
        let stdio = || Stdio::from(screen.try_clone().expect("it is open"));
        let mut command = Command::new("setsid");
        command.args(["--ctty", PROGRAM, "run", &tag, script]);
        let child = command.stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn();
        let child = child.expect("setsid is there");
        drop(command);

        let output = File::from(keyboard.try_clone().expect("it is open"));
        let probe = ProbeRun::started(child, output, tag);
        Self { probe, keyboard: File::from(keyboard) }
    }

    fn press(&mut self, key: u8) {
        self.keyboard.write_all(&[key]).expect("the terminal is there");
    }
}

/// Like `stty tostop -echo`.
fn forbid_background_output(screen: &File) {
    let mut modes = tcgetattr(screen).expect("it is a terminal");
    modes.local_modes.insert(LocalModes::TOSTOP);
    modes.local_modes.remove(LocalModes::ECHO);
    tcsetattr(screen, OptionalActions::Now, &modes).expect("it is a terminal");
}

const CONTROL_C: u8 = 3;
const CONTROL_Z: u8 = 26;

#[test]
fn control_c_reaches_the_runner_once_and_the_agent_not_at_all() {
    let mut run = TerminalProbe::run("echo ready; exec sleep 100");
    run.probe.line_with("ready");
    run.press(CONTROL_C);
    assert_eq!(run.probe.line(), "got Interrupt");
    // Any other signal caused by Ctrl-C would precede this.
    kill(run.probe.guard, Signal::TERM);
    assert_eq!(run.probe.line(), "got Terminate");
    kill(run.probe.agent, Signal::TERM);
    assert_eq!(run.probe.wait().code(), Some(143));
}

#[test]
fn control_z_stops_the_whole_run() {
    let mut run = TerminalProbe::run("echo ready; exec sleep 100");
    run.probe.line_with("ready");
    run.press(CONTROL_Z);
    run.probe.line_with("pausing");
    for process in [run.probe.guard, run.probe.runner, run.probe.agent] {
        until("it has stopped", || state(process) == Some('T'));
    }
    kill(run.probe.guard, Signal::CONT);
    run.probe.line_with("going on");
    kill(run.probe.agent, Signal::TERM);
    assert_eq!(run.probe.wait().code(), Some(143));
}

#[test]
fn an_agent_has_no_terminal() {
    let run = TerminalProbe::run("(: < /dev/tty) 2> /dev/null || echo no terminal; sleep 100");
    run.probe.line_with("no terminal");
}
