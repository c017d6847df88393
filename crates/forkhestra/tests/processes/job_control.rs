//! Stopping and continuing a run.

use rustix::process::{Signal, WaitId, WaitIdOptions, waitid};

use crate::support::{GuardedRun, ProcessProject, PseudoTerminal, TestProcess, eventually, kill};

/// Waits at a gate, with a child process.
const WAITING_AGENT: &str = r#"
    sleep 1000 & echo "child $!"
    echo "agent $$"
    read go < "$PLACE/gate"
    kill $!
    echo FORKHESTRA_COMPLETE
"#;

fn all_processes(run: &GuardedRun<'_>) -> [TestProcess; 4] {
    [run.guard(), run.runner(), run.agent(), run.process("child")]
}

/// Waits for the guard to stop, as a shell does.
fn wait_for_stop(guard: TestProcess) {
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
    eventually("the guard has stopped", || waitid(WaitId::Pid(guard.0), options).ok().flatten());
}

#[test]
fn a_stop_reaches_all_processes_and_pauses_timers() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    project.gate("gate");
    let run = project.start(&["./agent:2", "--timeout", "10m"]);
    let processes = all_processes(&run);
    for _ in 0..3 {
        run.signal(Signal::TSTP);
        wait_for_stop(run.guard());
        for process in processes {
            eventually("it is stopped", || process.is_stopped().then_some(()));
        }
        run.signal(Signal::CONT);
        for process in processes {
            eventually("it continues", || (!process.is_stopped()).then_some(()));
        }
    }
    project.open_gate("gate");
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    let events = project.events();
    let clocks = |name: &str| -> Vec<_> {
        let named = events.iter().filter(|event| event["event"] == name);
        named.map(|event| event["elapsedMs"].clone()).collect()
    };
    assert_eq!(clocks("paused").len(), 3);
    assert_eq!(clocks("paused"), clocks("continued"));
}

#[test]
fn observers_show_a_stopped_run_as_paused() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    project.gate("gate");
    let run = project.start(&["./agent:2"]);
    let processes = all_processes(&run);
    run.signal(Signal::TSTP);
    for process in processes {
        eventually("it is stopped", || process.is_stopped().then_some(()));
    }
    let (list, shown) = (project.run(&["runs"]), project.run(&["show", "-v"]));
    assert!(list.stdout.contains("  paused  "), "{list}");
    assert!(shown.stdout.contains("\n  paused     since "), "{shown}");
    let known = project.run(&["show", "-v", "--json"]);
    assert!(known.stdout.contains("\"pausedSince\": \"2"), "{known}");
    run.signal(Signal::CONT);
    eventually("it continues", || {
        let list = project.run(&["runs"]);
        (!list.stdout.contains("paused")).then_some(())
    });
    project.open_gate("gate");
    assert_eq!(run.ended().code, Some(0));
}

/// Like tools that throttle programs.
#[test]
fn a_runner_stopped_by_sigstop_continues_with_its_guard() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    project.gate("gate");
    let run = project.start(&["./agent:2"]);
    run.agent();
    let runner = run.runner();
    for _ in 0..20 {
        kill(runner, Signal::STOP);
        eventually("it is stopped", || runner.is_stopped().then_some(()));
        kill(runner, Signal::CONT);
        eventually("it continues", || (!runner.is_stopped()).then_some(()));
    }
    project.open_gate("gate");
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn continuing_the_runner_continues_the_whole_run() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    project.gate("gate");
    let run = project.start(&["./agent:2"]);
    let processes = all_processes(&run);
    run.signal(Signal::TSTP);
    wait_for_stop(run.guard());
    kill(run.runner(), Signal::CONT);
    for process in processes {
        eventually("it continues", || (!process.is_stopped()).then_some(()));
    }
    project.open_gate("gate");
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn a_stopped_run_ends_on_request_when_it_continues() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    project.gate("gate");
    let run = project.start(&["./agent:2"]);
    let processes = all_processes(&run);
    run.signal(Signal::TSTP);
    wait_for_stop(run.guard());
    run.signal(Signal::TERM);
    run.signal(Signal::CONT);
    let output = run.ended();
    assert_eq!(output.code, Some(143), "{output}");
    assert!(processes.iter().all(|process| process.is_gone()));
}

/// An interactive shell at a terminal.
fn shell_at<'w>(project: &'w ProcessProject, terminal: &mut PseudoTerminal) -> GuardedRun<'w> {
    let mut command = project.command_in_environment("/usr/bin/env");
    command
        .args(["--default-signal", "setsid", "--ctty", "bash"])
        .args(["--norc", "--noprofile", "--noediting", "-i"])
        .env("HISTFILE", "/dev/null")
        .env("FORKHESTRA", crate::FORKHESTRA)
        .stdin(terminal.stdio())
        .stdout(terminal.stdio())
        .stderr(terminal.stdio());
    let shell = GuardedRun::start_watched(project, command, terminal.screen());
    terminal.hand_over();
    shell
}

#[test]
fn a_shell_can_stop_and_continue_a_run() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    project.gate("gate");
    let mut terminal = PseudoTerminal::open();
    let mut shell = shell_at(&project, &mut terminal);
    terminal.type_in(b"\"$FORKHESTRA\" ./agent:2\n");
    let agent = shell.agent();
    for how in ["fg", "bg; fg", "kill -CONT %1; fg"] {
        terminal.press(PseudoTerminal::CONTROL_Z);
        eventually("it is stopped", || agent.is_stopped().then_some(()));
        // The shell answers only when it has the terminal back.
        terminal.type_in(b"jobs; echo is$((1))\n");
        shell.output().wait_for("Stopped");
        shell.output().wait_for("is1");
        terminal.type_in(format!("{how}\n").as_bytes());
        eventually("it continues", || (!agent.is_stopped()).then_some(()));
    }
    project.open_gate("gate");
    shell.output().wait_for("Chain complete (1/1 steps)");
    terminal.type_in(b"echo code=$?; exit\n");
    shell.wait();
    shell.output().wait_for("code=0");
}

/// The runner then has another parent, whose process group may have no number here: the first
/// process of a container or of a virtual machine.
#[test]
fn a_run_whose_guard_is_killed_still_prints_its_end_on_the_terminal() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    project.gate("gate");
    let mut terminal = PseudoTerminal::open();
    let mut shell = shell_at(&project, &mut terminal);
    terminal.type_in(b"\"$FORKHESTRA\" ./agent:2\n");
    shell.agent();
    let guard = shell.guard().children();
    kill(guard[0], Signal::KILL);
    shell.output().wait_for("watches over the run was killed");
    shell.output().wait_for("Summary");
    shell.output().wait_for("Chain interrupted");
    terminal.type_in(b"exit\n");
    shell.wait();
    project.wait_until_empty();
    assert!(!shell.output().text().contains("panicked"), "{}", shell.output().text());
}

#[test]
fn a_run_in_the_background_does_not_stop_when_it_writes_to_its_terminal() {
    let project = ProcessProject::with_agent("echo one; echo two >&2; echo FORKHESTRA_COMPLETE");
    let mut terminal = PseudoTerminal::open();
    let mut command = project.command_in_environment("/usr/bin/env");
    command
        .args(["--default-signal", "setsid", "--ctty", "sh", "-c"])
        .arg(r#"set -m; "$FORKHESTRA" ./agent:2 < /dev/null & wait $!"#)
        .env("FORKHESTRA", crate::FORKHESTRA)
        .stdin(terminal.stdio())
        .stdout(terminal.stdio())
        .stderr(terminal.stdio());
    let mut shell = GuardedRun::start_watched(&project, command, terminal.screen());
    terminal.hand_over();
    assert_eq!(shell.wait(), Some(0), "{}", shell.output().text());
    shell.output().wait_for("Chain complete (1/1 steps)");
}
