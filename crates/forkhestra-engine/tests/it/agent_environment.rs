//! Tests of the environment, signals and files of a started agent.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::Path;
use std::process;

use forkhestra_core::event::ProcessEnd;
use forkhestra_engine::process::{ChildProcesses, SpawnCommand, SpawnStdin};

use crate::support::ProbeRun;

/// The output of a script that the probe runs.
fn said_by(script: &str) -> Vec<String> {
    let mut probe = ProbeRun::run(script);
    assert_eq!(probe.wait().code(), Some(0));
    let is_ours = |line: &String| !line.starts_with("runner") && !line.starts_with("guard");
    probe.rest().into_iter().filter(is_ours).filter(|line| !line.contains("ended:")).collect()
}

/// A signal mask of the kernel's process status.
fn mask(lines: &[String], name: &str) -> u64 {
    let line = lines.iter().find_map(|line| line.strip_prefix(name)).expect("the kernel shows it");
    u64::from_str_radix(line.trim_start_matches(':').trim(), 16).expect("it is a mask")
}

#[test]
fn signals_have_their_defaults_and_none_is_blocked() {
    let lines = said_by("exec cat /proc/self/status");
    assert_eq!(mask(&lines, "SigBlk"), 0);
    for signal in [13, 17, 20, 21, 22] {
        assert_eq!(mask(&lines, "SigIgn") >> (signal - 1) & 1, 0, "{signal} is ignored");
    }
}

#[test]
fn only_initially_ignored_signals_are_ignored() {
    let mut probe = ProbeRun::run_after("trap '' HUP", "exec cat /proc/self/status");
    assert_eq!(probe.wait().code(), Some(0));
    let lines = probe.rest();
    assert_eq!(mask(&lines, "SigIgn") & 1, 1);
    for signal in [13, 15, 17, 20, 21, 22] {
        assert_eq!(mask(&lines, "SigIgn") >> (signal - 1) & 1, 0, "{signal} is ignored");
    }
}

#[test]
fn it_leads_a_session_of_its_own() {
    let lines = said_by("cut -d' ' -f1,5,6 /proc/$$/stat");
    let numbers: Vec<&str> = lines[0].split(' ').collect();
    assert_eq!(numbers, [numbers[0]; 3]);
}

#[test]
fn an_agent_inherits_only_our_open_files() {
    let script = "ls /proc/$$/fd";
    let output = process::Command::new("sh").args(["-c", script]).output();
    let ours = output.expect("there is a shell").stdout;
    let ours: Vec<String> = String::from_utf8_lossy(&ours).lines().map(str::to_owned).collect();
    assert_eq!(said_by(script), ours);
}

#[test]
fn it_reads_nothing_unless_it_is_given_something() {
    assert_eq!(said_by("readlink /proc/$$/fd/0"), ["/dev/null"]);
    let directory = tempfile::tempdir().expect("there is room");
    let path = directory.path().join("prompt");
    std::fs::write(&path, "the prompt").expect("there is room");
    let prompt = File::open(&path).expect("it was just written");
    assert_eq!(output_of("cat", directory.path(), SpawnStdin::Fd(prompt.as_fd())), "the prompt");
}

#[test]
fn an_agent_has_the_expected_directory_and_environment() {
    let temporary = tempfile::tempdir().expect("there is room");
    let directory = temporary.path().canonicalize().expect("it is there");
    let output = output_of("/bin/pwd -P; env", &directory, SpawnStdin::Null);
    let mut lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.remove(0), directory.to_str().expect("it is plain"));
    // The shell adds variables of its own.
    lines.retain(|line| {
        !["PWD", "OLDPWD", "SHLVL", "_"].contains(&line.split('=').next().unwrap_or(""))
    });
    assert_eq!(lines, ["ONE=1", "TWO=a b=c"]);
}

/// Runs a script and returns its output.
fn output_of(script: &str, directory: &Path, stdin: SpawnStdin<'_>) -> String {
    let children = ChildProcesses::default();
    let command = SpawnCommand {
        program: Path::new("/bin/sh"),
        args: &["-c".into(), script.into()],
        env: &[("ONE".into(), "1".into()), ("TWO".into(), "a b=c".into())],
        directory,
        stdin,
        keeper: None,
    };
    let helper = children.start_helper(&command).expect("there is a shell");
    let mut output = String::new();
    let stdout = helper.stdout.try_clone().expect("it is open");
    File::from(stdout).read_to_string(&mut output).expect("it is text");
    assert_eq!(children.wait(&helper).ok(), Some(ProcessEnd::Exited(0)));
    output
}
