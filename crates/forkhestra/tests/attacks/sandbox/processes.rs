//! Processes inside and outside of a sandbox: they are out of reach from inside, and under control
//! from outside.

use std::fs;
use std::process::Stdio;

use rustix::process::Signal;
use testkit::{TestEnv, TestProcess, eventually, kill};

use super::sandboxed_run::{Attack, TestedLevel, for_each_runner, hold, hold_at, run_at, victim};
use crate::FORKHESTRA;
use crate::support::{events_of, project};

#[test]
fn the_runner_cannot_be_killed() {
    let attack = [Attack {
        name: "the runner is killed",
        script: for_each_runner!("kill -9 $p"),
        succeeded: |_, output| output.code != Some(0),
    }];
    hold(TestedLevel::Workspace, &attack);
    hold(TestedLevel::Guard, &attack);
}

#[test]
fn processes_outside_are_invisible() {
    hold(
        TestedLevel::Workspace,
        &[Attack {
            name: "a process outside is seen",
            script: "for p in /proc/[0-9]*; do cat $p/comm; done > seen",
            succeeded: |env, _| env.read("seen").lines().any(|name| name == "forkhestra"),
        }],
    );
}

#[test]
fn the_output_of_the_runner_cannot_be_written() {
    let attack = || Attack {
        name: "the standard output of the runner is written through /proc",
        script: for_each_runner!("echo '[forkhestra] forged' > /proc/$p/fd/1"),
        succeeded: |_, output| output.stdout.contains("[forkhestra] forged"),
    };
    hold_at(TestedLevel::Workspace, &[attack()]);
    hold_at(TestedLevel::Guard, &[attack()]);
}

#[test]
fn exit_codes_and_signals_pass_through() {
    for level in [TestedLevel::Workspace, TestedLevel::Guard] {
        if !level.works() {
            continue;
        }
        for (script, expected) in [
            ("exit 0", r#"{"code":0,"kind":"exited"}"#),
            ("exit 7", r#"{"code":7,"kind":"exited"}"#),
            ("kill -9 $$", r#"{"kind":"signaled","signal":9}"#),
            ("kill -TERM $$", r#"{"kind":"signaled","signal":15}"#),
        ] {
            let env = project();
            env.agent("worker", script);
            let output = run_at(&env, level.word(), &["worker"]);
            let finished = events_of(&env, "iteration_finished");
            let end = finished.first().map(|event| event["end"].to_string());
            assert_eq!(end.as_deref(), Some(expected), "{level:?} {script}: {output}");
        }
    }
}

#[test]
fn a_program_that_cannot_be_started_is_explained() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = project();
    testkit::write_executable(&env.bin().join("worker"), "#!/nowhere/interpreter\n");
    let output = run_at(&env, "workspace", &["worker"]);
    assert!(output.to_string().contains("whose interpreter `/nowhere/interpreter`"), "{output}");
}

/// A run of an agent that waits, with the process id of the runner's guard.
struct WaitingRun {
    env: TestEnv,
    run: std::process::Child,
}

impl WaitingRun {
    fn start(level: TestedLevel, script: &str) -> Self {
        let env = project();
        env.agent("worker", script);
        let run = env
            .command(FORKHESTRA)
            .env("FORKHESTRA_SANDBOX", level.word())
            .arg("worker")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it can be started");
        eventually("the agent runs", || env.has("running").then_some(()));
        Self { env, run }
    }

    fn signal(&self, signal: Signal) {
        let pid = TestProcess::from_text(&self.run.id().to_string()).expect("it is a number");
        kill(pid, signal);
    }

    /// The child of the guard.
    fn runner(&self) -> TestProcess {
        let parent = format!("PPid:\t{}", self.run.id());
        let is_child = |process: &TestProcess| {
            let status = fs::read_to_string(format!("/proc/{}/status", process.0));
            status.is_ok_and(|status| status.lines().any(|line| line == parent))
        };
        TestProcess::all().into_iter().find(is_child).expect("the guard has a child")
    }

    fn finish(mut self) -> (TestEnv, Option<i32>) {
        let status = self.run.wait().expect("it is our child");
        (self.env, status.code())
    }
}

#[test]
fn an_agent_may_end_by_itself_after_an_interrupt() {
    for level in [TestedLevel::Workspace, TestedLevel::Guard] {
        if !level.works() {
            continue;
        }
        for signal in [Signal::INT, Signal::TERM] {
            let script = "trap 'sleep 0.3; echo saved > saved; exit 5' INT TERM; touch running; \
                          while :; do sleep 0.05; done";
            let run = WaitingRun::start(level, script);
            run.signal(signal);
            let (env, _) = run.finish();
            assert!(env.has("saved"), "{level:?} {signal:?}");
            let finished = events_of(&env, "iteration_finished");
            assert_eq!(finished[0]["end"]["code"], 5, "{level:?} {finished:?}");
        }
    }
}

#[test]
fn nothing_is_left_when_the_runner_is_killed() {
    for level in [TestedLevel::Workspace, TestedLevel::Guard] {
        if !level.works() {
            continue;
        }
        for killed in [KilledProcess::Guard, KilledProcess::Runner] {
            nothing_is_left(level, killed);
        }
    }
}

/// Which of the two processes of a run is killed. The other one ends what the run had started.
#[derive(Debug, Clone, Copy)]
enum KilledProcess {
    /// The one that the user started.
    Guard,
    /// Its child.
    Runner,
}

#[track_caller]
fn nothing_is_left(level: TestedLevel, killed: KilledProcess) {
    let script = "touch running; exec sleep 54321";
    let run = WaitingRun::start(level, script);
    let sleepers = || -> Vec<TestProcess> {
        let arguments = |process: &TestProcess| {
            let path = format!("/proc/{}/cmdline", process.0);
            let environ = format!("/proc/{}/environ", process.0);
            let home = run.env.home();
            let is_ours = fs::read(environ).is_ok_and(|text| {
                String::from_utf8_lossy(&text).contains(home.to_string_lossy().as_ref())
            });
            is_ours && fs::read(path).is_ok_and(|text| text == b"sleep\x0054321\0")
        };
        TestProcess::all().into_iter().filter(arguments).collect()
    };
    eventually("the agent sleeps", || (sleepers().len() == 1).then_some(()));
    let started = eventually("the start of the agent is recorded", || {
        events_of(&run.env, "agent_started").pop()
    });
    assert!(started["pid"].as_u64().is_some(), "{started}");
    match killed {
        KilledProcess::Guard => run.signal(Signal::KILL),
        KilledProcess::Runner => kill(run.runner(), Signal::KILL),
    }
    eventually(&format!("the agent is gone: {level:?} {killed:?}"), || {
        sleepers().is_empty().then_some(())
    });
    run.finish();
}

#[test]
fn a_pause_stops_the_agent_inside() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    // The loop starts no process: a shell that waits for the start of one does not stop before it.
    let script = "touch running; while :; do test -e enough && exit 0; done";
    let run = WaitingRun::start(TestedLevel::Workspace, script);
    let forkhestra = |verb: &str| run.env.run(FORKHESTRA, &[verb]);
    assert_eq!(forkhestra("pause").code, Some(0));
    let worker = run.env.bin().join("worker");
    let worker = worker.to_string_lossy();
    // The shell of the agent, seen from outside.
    let state = || {
        TestProcess::all().into_iter().find_map(|process| {
            let line = fs::read(format!("/proc/{}/cmdline", process.0)).ok()?;
            let line = String::from_utf8_lossy(&line).into_owned();
            let is_shell = line.starts_with("/bin/sh") && line.contains(worker.as_ref());
            let stat = fs::read_to_string(format!("/proc/{}/stat", process.0)).ok()?;
            let state = stat.rsplit_once(") ")?.1.chars().next()?;
            is_shell.then_some(state)
        })
    };
    eventually("the agent is stopped", || (state() == Some('T')).then_some(()));
    assert_eq!(forkhestra("continue").code, Some(0));
    eventually("the agent works again", || (state().is_some_and(|s| s != 'T')).then_some(()));
    run.env.write("enough", "");
    let (_, code) = run.finish();
    assert_eq!(code, Some(0));
}

#[test]
fn what_an_agent_left_running_can_end_by_itself() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = project();
    env.agent("worker", "(sleep 0.3; echo late > late) & exit 0");
    let output = run_at(&env, "workspace", &["worker"]);
    assert_eq!(output.code, Some(0), "{output}");
    let free = project();
    free.agent("worker", "(sleep 0.3; echo late > late) & exit 0");
    assert_eq!(run_at(&free, "off", &["worker"]).code, Some(0));
    assert_eq!(env.has("late"), free.has("late"), "a sandbox changes nothing about it");
}

#[test]
fn sandboxes_of_agents_work_inside() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    env.agent(
        "attacker",
        "bwrap --unshare-user --ro-bind / / --dev /dev sh -c 'echo inner' > inner",
    );
    let output = run_at(&env, "workspace", &["--chain", "c"]);
    assert_eq!(env.read("inner"), "inner\n", "{output}");
}
