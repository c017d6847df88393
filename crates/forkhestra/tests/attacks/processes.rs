//! Attacks through processes: on the guard and the runner, and by processes that outlive their run.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use rustix::process::{Signal, geteuid};
use testkit::{CommandOutput, TestEnv, TestProcess, kill, report_skipped};

use crate::FORKHESTRA;
use crate::support::{forkhestra, project, repository, run_id};

/// The user that has the project if the tests run as root: nobody, who may trace no other process.
const ORDINARY_USER: u32 = 65534;

/// Runs forkhestra as an ordinary user.
fn as_ordinary_user(env: &TestEnv, command: &mut Command) -> CommandOutput {
    if geteuid().is_root() {
        let owner = format!("{ORDINARY_USER}:{ORDINARY_USER}");
        let given = Command::new("chown").args(["-R", &owner]).arg(env.root()).status();
        assert!(given.expect("there is chown").success());
        command.uid(ORDINARY_USER).gid(ORDINARY_USER);
    }
    env.output_of(command)
}

/// p11, p14, p28. For root and other users with the capability to trace any process, this is not
/// promised.
#[test]
fn an_agent_cannot_use_memory_or_files_of_guard_and_runner() {
    let env = project();
    env.agent(
        "agent",
        r#"runner=$PPID
        guard=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$runner/status")
        for process in $runner $guard; do
            for file in mem environ maps auxv; do
                ( head -c 1 < "/proc/$process/$file" ) > /dev/null 2>&1 && echo "$file of $process" >> reached
                ( echo forged > "/proc/$process/$file" ) 2> /dev/null && echo "write $file of $process" >> reached
            done
            for number in 0 1 2 3 4 5 6 7 8 9; do
                ( echo forged > "/proc/$process/fd/$number" ) 2> /dev/null && echo "$number" >> reached
            done
            ls "/proc/$process/fd" > /dev/null 2>&1 && echo "files of $process" >> reached
            readlink "/proc/$process/exe" && echo "program of $process" >> reached
        done
        : > tried
        echo FORKHESTRA_COMPLETE"#,
    );
    let mut command = env.command(FORKHESTRA);
    let output = as_ordinary_user(&env, command.arg("agent:1"));
    assert_eq!(output.code, Some(0), "{output}");
    assert!(env.has("tried"));
    assert!(!env.has("reached"), "{}", env.read("reached"));
    assert!(!output.stdout.contains("forged"), "{output}");
}

/// An agent is an ordinary process again: its own tools can trace it and its children.
#[test]
fn agents_can_trace_their_own_processes() {
    let env = project();
    env.agent(
        "agent",
        r#"head -c 1 < /proc/self/environ > /dev/null && readlink /proc/$$/exe > /dev/null &&
        echo FORKHESTRA_COMPLETE"#,
    );
    let mut command = env.command(FORKHESTRA);
    let output = as_ordinary_user(&env, command.arg("agent:1"));
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn an_agent_inherits_only_the_standard_streams() {
    let env = project();
    env.agent("agent", "ls /proc/self/fd > files");
    let script = format!("exec 5< /dev/null 9> /dev/null; exec '{FORKHESTRA}' agent");
    let output = env.run("/bin/sh", &["-c", &script]);
    assert_eq!(output.code, Some(0), "{output}");
    // The last one is the directory itself.
    assert_eq!(env.read("files"), "0\n1\n2\n3\n");
}

/// p04.
#[test]
fn a_child_with_an_empty_environment_does_not_survive_a_resume() {
    let env = project();
    env.agent(
        "agent",
        r#"if [ -e child ]; then echo FORKHESTRA_COMPLETE; exit; fi
        guard=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$PPID/status")
        env -i setsid sh -c 'echo $$ > child.new; mv child.new child; exec sleep 1000' &
        until [ -e child ]; do sleep 0.01; done
        kill -STOP "$guard" "$PPID"
        kill -KILL "$PPID" "$guard""#,
    );
    let output = forkhestra(&env, &["agent:2"]);
    assert_eq!(output.code, None, "the guard was killed: {output}");
    let child = TestProcess::from_text(&env.read("child")).expect("the agent wrote its number");
    assert!(!child.is_gone(), "the child outlives its run");
    if is_unmarked(child) {
        kill(child, Signal::KILL);
        report_skipped("the limit that marks processes is in use here, as in a run inside of runs");
        return;
    }
    let output = forkhestra(&env, &["resume", &run_id(&env)]);
    let is_gone = child.is_gone();
    if !is_gone {
        kill(child, Signal::KILL);
    }
    assert!(is_gone, "the child outlives the resume: {output}");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr.contains("had left behind when it was killed, ended now"), "{output}");
}

/// Whether the tests themselves run below two runs, which have marked all their processes.
fn is_unmarked(child: TestProcess) -> bool {
    let hard_limit = |pid: &str| {
        let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default();
        let line = limits.lines().find_map(|line| line.strip_prefix("Max file locks"));
        line.and_then(|line| line.split_whitespace().nth(1).map(str::to_owned))
    };
    let ours = hard_limit("self");
    ours.as_deref() != Some("unlimited") && hard_limit(&child.0.to_string()) == ours
}

/// A user without processes, if the tests run as root, so that the limit of processes of a user has
/// the same effect on every machine.
fn unused_user() -> u32 {
    1_000_000 + std::process::id()
}

/// The number of threads of our user.
fn own_threads() -> usize {
    let is_ours = |process: &TestProcess| {
        fs::metadata(format!("/proc/{}", process.0))
            .is_ok_and(|directory| directory.uid() == geteuid().as_raw())
    };
    let threads = |process: TestProcess| {
        fs::read_dir(format!("/proc/{}/task", process.0)).map_or(0, Iterator::count)
    };
    TestProcess::all().into_iter().filter(is_ours).map(threads).sum()
}

/// Runs forkhestra with a resource limit, from one that is too low for anything to one that
/// suffices. It never panics, and says what is wrong.
fn run_with_limits(limit: &str, values: impl Iterator<Item = usize>, args: &[&str]) {
    let env = repository();
    env.agent("agent", "echo x > work; echo FORKHESTRA_COMPLETE");
    env.agent("passes", "exit 0");
    let user = unused_user();
    if geteuid().is_root() {
        let owner = format!("{user}:{user}");
        let given = Command::new("chown").args(["-R", &owner]).arg(env.root()).status();
        assert!(given.expect("there is chown").success());
    }
    let mut codes = Vec::new();
    for value in values {
        let mut command = env.command("/usr/bin/prlimit");
        command.arg(format!("--{limit}={value}:{value}")).arg(FORKHESTRA).args(args);
        if geteuid().is_root() {
            command.uid(user).gid(user);
        }
        let output = env.output_of(&mut command);
        let text = format!("{}{}", output.stdout, output.stderr);
        assert!(!text.contains("panicked"), "{limit} {value}: {output}");
        let code = output.code.unwrap_or_else(|| panic!("{limit} {value}: {output}"));
        assert!(code < 128, "{limit} {value}: {output}");
        assert!(code == 0 || !text.is_empty(), "{limit} {value}: no message");
        codes.push(code);
        if code == 0 {
            break;
        }
    }
    assert_eq!(codes.last(), Some(&0), "{limit}: {codes:?}");
    assert!(codes.iter().any(|code| *code != 0), "{limit} was never too low");
}

/// e06.
#[test]
fn no_limit_of_processes_makes_it_panic() {
    if !Path::new("/usr/bin/prlimit").exists() {
        return report_skipped("`prlimit` is not installed");
    }
    let first = if geteuid().is_root() { 1 } else { own_threads() };
    // An agent that cannot be started at the moment is tried again until then.
    let args = ["agent:1", "--check", "command:passes", "--max-time", "2s"];
    run_with_limits("nproc", first..first + 200, &args);
}

#[test]
fn no_limit_of_open_files_makes_it_panic() {
    if !Path::new("/usr/bin/prlimit").exists() {
        return report_skipped("`prlimit` is not installed");
    }
    // With fewer, the program itself cannot be loaded.
    let args = ["agent:1", "--check", "command:passes", "--max-time", "2s"];
    run_with_limits("nofile", 5..100, &args);
}
