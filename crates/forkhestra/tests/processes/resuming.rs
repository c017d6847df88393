//! A run that is killed at any time has the same outcome as an undisturbed one.

use std::fs::{self, File};
use std::os::unix::net::UnixListener;

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::killing::kill_both;
use crate::support::{GuardedRun, ProcessProject, eventually, kill};

/// Waits in the iteration that `$PLACE/wait-in` names, the first time it gets there. It crashes
/// once, so that there is a wait between two iterations.
const AGENT: &str = r#"
    if [ "$(cat "$PLACE/wait-in")" = "$n" ] && [ ! -e "$PLACE/up" ]; then
        : > "$PLACE/up"
        while :; do sleep 1000; done
    fi
    echo "output of $n"
    [ "$n" = 1.2 ] && exit 5
    [ "$n" = 1.4 ] && echo FORKHESTRA_COMPLETE
    exit 0
"#;

const OUTCOME: [&str; 8] = [
    r#"1.1 "incomplete""#,
    r#"1.2 "crashed""#,
    r#"1.3 "incomplete""#,
    r#"1.4 "complete""#,
    r#"step 1 "marker""#,
    r#"2.1 "complete""#,
    r#"step 2 "exit_code""#,
    r#"run "complete""#,
];

const CHAIN: &str = "./agent:6 -> ./agent";

fn project_waiting_in(wait_in: &str) -> ProcessProject {
    let project = ProcessProject::with_agent(AGENT);
    fs::write(project.place("wait-in"), wait_in).expect("the file is ours");
    project
}

/// Ways to kill a run.
const DEATHS: [fn(&GuardedRun<'_>); 3] =
    [|run| kill(run.runner(), Signal::KILL), |run| kill(run.guard(), Signal::KILL), kill_both];

/// Kills a run in one of these ways. A runner whose guard was killed still has to end its agent,
/// and until then the run is active.
#[track_caller]
fn kill_in(way: fn(&GuardedRun<'_>), mut run: GuardedRun<'_>) {
    let runner = run.runner();
    way(&run);
    run.wait();
    eventually("the runner is gone", || runner.is_gone().then_some(()));
}

/// Kills a run in every way when `when` returns, and resumes it.
#[track_caller]
fn killed_and_resumed(
    wait_in: &str,
    is_there: impl Fn(&ProcessProject, &GuardedRun<'_>),
    started: &[&str],
) {
    for way in DEATHS {
        let project = project_waiting_in(wait_in);
        let run = project.start(&[CHAIN]);
        is_there(&project, &run);
        kill_in(way, run);
        let resumed = project.run(&["resume"]);
        assert_eq!(resumed.code, Some(0), "{resumed}");
        assert_eq!(project.outcome(), OUTCOME);
        assert_eq!(project.started(), started);
    }
}

#[test]
fn an_undisturbed_run_completes() {
    let project = project_waiting_in("never");
    let output = project.run(&[CHAIN]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(project.outcome(), OUTCOME);
    assert_eq!(project.started(), ["1.1", "1.2", "1.3", "1.4", "2.1"]);
}

fn wait_until_up(project: &ProcessProject, _: &GuardedRun<'_>) {
    project.wait_for("up");
}

#[test]
fn a_run_killed_in_its_first_iteration_has_the_same_outcome() {
    killed_and_resumed("1.1", wait_until_up, &["1.1", "1.1", "1.2", "1.3", "1.4", "2.1"]);
}

#[test]
fn a_run_killed_in_a_later_iteration_has_the_same_outcome() {
    killed_and_resumed("1.3", wait_until_up, &["1.1", "1.2", "1.3", "1.3", "1.4", "2.1"]);
}

#[test]
fn a_run_killed_between_two_iterations_has_the_same_outcome() {
    let until_it_rests =
        |_: &ProcessProject, run: &GuardedRun<'_>| run.output().wait_for("waiting 1s");
    killed_and_resumed("never", until_it_rests, &["1.1", "1.2", "1.3", "1.4", "2.1"]);
}

#[test]
fn a_run_killed_in_its_second_step_has_the_same_outcome() {
    killed_and_resumed("2.1", wait_until_up, &["1.1", "1.2", "1.3", "1.4", "2.1", "2.1"]);
}

#[test]
fn a_run_killed_repeatedly_at_random_times_completes() {
    let project = ProcessProject::with_agent(
        r#"echo "output of $n"; [ "$n" = 1.40 ] && echo FORKHESTRA_COMPLETE; exit 0"#,
    );
    let mut args = ["./agent:60"].map(ToOwned::to_owned).to_vec();
    let mut kills = 0;
    loop {
        let before = project.started().len();
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = project.start(&[&words[..], &["--durability", "os"]].concat());
        // At whatever point it is when three more iterations have started.
        eventually("three more iterations start", || {
            (project.started().len() >= before + 3 || run.guard().is_gone()).then_some(())
        });
        let victim = if kills % 2 == 0 { run.guard() } else { run.runner_or_guard() };
        // The process may have ended already.
        let _ = kill_process(victim.0, Signal::KILL);
        kills += 1;
        let output = run.ended();
        project.wait_until_empty();
        match output.code {
            Some(0) => break,
            None | Some(137) => args = vec!["resume".to_owned(), project.run_id()],
            Some(_) => panic!("{output}"),
        }
    }
    assert!(kills > 3, "only {kills} times");
    let finished = project.outcome();
    let mut expected: Vec<String> = (1..40).map(|n| format!("1.{n} \"incomplete\"")).collect();
    expected.extend(["1.40 \"complete\"", "step 1 \"marker\"", "run \"complete\""].map(Into::into));
    assert_eq!(finished, expected);
}

#[test]
fn a_done_file_that_was_written_before_the_run_was_killed_counts() {
    for way in DEATHS {
        let project = ProcessProject::with_agent(
            r#": > done; echo "agent $$"; : > "$PLACE/up"; while :; do sleep 1000; done"#,
        );
        let run = project.start(&["./agent:3", "--done-file", "done"]);
        project.wait_for("up");
        kill_in(way, run);
        let resumed = project.run(&["resume"]);
        assert_eq!(resumed.code, Some(0), "{resumed}");
        assert_eq!(project.outcome(), [r#"step 1 "file""#, r#"run "complete""#]);
        assert_eq!(project.started(), ["1.1"], "nothing is run again");
    }
}

#[test]
fn leftovers_of_a_run_killed_while_ending_are_removed_by_the_resume() {
    let project = project_waiting_in("never");
    let output = project.run(&[CHAIN]);
    assert_eq!(output.code, Some(0), "{output}");
    // A run does this after all events are recorded; this one was killed before.
    let (directory, id) = (project.run_directory(), project.run_id());
    let view = project.project().join(format!(".agent-state/chain-{id}.json"));
    fs::remove_file(directory.join("overview.json")).expect("it was noted");
    fs::write(&view, r#"{"status":"running"}"#).expect("the file is ours");
    let owner = format!(r#"{{"pid":1,"run":"{id}","since":"2026-11-15T09:00:00.000Z"}}"#);
    let lock = directory.parent().expect("the directory of the work tree").join("lock");
    let scratch = directory.join("scratch/objects");
    fs::create_dir_all(&scratch).expect("the directory is ours");
    let halves = ["owner", ".overview.json.new"].map(|name| directory.join(name));
    for path in [scratch.join("object"), lock].into_iter().chain(halves) {
        fs::write(path, &owner).expect("the file is ours");
    }
    drop(UnixListener::bind(directory.join("control")).expect("the directory is ours"));
    let resumed = project.run(&["resume", &id]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert!(resumed.stdout.contains("is complete; nothing is left to do"), "{resumed}");
    assert_eq!(resumed.stderr, "", "{resumed}");
    let view = fs::read_to_string(view).expect("it is still there");
    assert!(view.contains(r#""status": "complete""#), "{view}");
    assert!(directory.join("overview.json").exists());
    // The project checks for leftovers when it is dropped.
}

/// The recorded task changes of each unit.
fn task_changes(project: &ProcessProject) -> Vec<(Value, Vec<String>)> {
    let recorded = project.events().into_iter().filter(|event| event["event"] == "tasks_changed");
    let word = |change: &Value| {
        let text = |key: &str| change[key].as_str().unwrap_or_default().to_owned();
        format!("{} {}", text("id"), text("kind"))
    };
    let event = |event: Value| {
        let changes = event["changes"].as_array().expect("there are changes").iter();
        (event["unit"].clone(), changes.map(word).collect())
    };
    recorded.map(event).collect()
}

/// The run waits for the lock of the task database, to release a task, when both processes are
/// killed.
#[test]
fn the_resume_records_task_changes_that_a_killed_run_did_not() {
    let project = ProcessProject::with_agent(
        r#"
        if [ "$n" = 1.2 ]; then forge-tasks edit 3 -s done --plain; exit 0; fi
        forge-tasks create One --plain; forge-tasks create Two --plain; forge-tasks create Three --plain
        forge-tasks claim 1 --plain; forge-tasks edit 1 -s done --plain; forge-tasks claim 2 --plain
        echo "agent $$"
        read -r _ < "$PLACE/gate"
        "#,
    );
    project.gate("gate");
    let tasks = project.project().join("forge/tasks");
    fs::create_dir_all(&tasks).expect("the project is ours");
    let run = project.start(&["./agent:2"]);
    run.agent();
    let lock = File::open(&tasks).expect("it is there");
    lock.lock().expect("no process has it");
    project.open_gate("gate");
    let is_end = |event: &Value| event["event"] == "agent_finished";
    eventually("the end of the agent is recorded", || {
        project.events().iter().any(is_end).then_some(())
    });
    kill_both(&run);
    drop(run);
    assert_eq!(task_changes(&project), []);
    drop(lock);
    let resumed = project.run(&["resume"]);
    let unit = |iteration| json!({ "step": 1, "iteration": iteration, "attempt": 1 });
    let changes = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let first = [
        "TASK-001 created",
        "TASK-001 finished",
        "TASK-002 created",
        "TASK-002 claimed",
        "TASK-002 released",
        "TASK-003 created",
    ];
    let expected = [(unit(1), changes(&first)), (unit(2), changes(&["TASK-003 finished"]))];
    assert_eq!(task_changes(&project), expected, "{resumed}");
}

/// The agent is running when the run is killed, and the next one finishes another task.
#[test]
fn task_changes_are_recorded_for_a_run_killed_during_the_agent() {
    for way in DEATHS {
        let project = ProcessProject::with_agent(
            r#"
            if [ -e "$PLACE/up" ]; then forge-tasks edit 2 -s done --plain; exit 0; fi
            forge-tasks edit 1 -s done --plain
            echo "agent $$"; : > "$PLACE/up"; while :; do sleep 1000; done
            "#,
        );
        let tasks = project.project().join("forge/tasks");
        fs::create_dir_all(&tasks).expect("the project is ours");
        for number in 1..4 {
            let text = format!("---\nid: TASK-00{number}\ntitle: Task\nstatus: To Do\n---\n");
            let file = tasks.join(format!("TASK-00{number} - Task.md"));
            fs::write(file, text).expect("the project is ours");
        }
        let run = project.start(&["./agent:1"]);
        project.wait_for("up");
        kill_in(way, run);
        let resumed = project.run(&["resume"]);
        let unit = |attempt| json!({ "step": 1, "iteration": 1, "attempt": attempt });
        let expected = [
            (unit(1), vec!["TASK-001 finished".to_owned()]),
            (unit(2), vec!["TASK-002 finished".to_owned()]),
        ];
        assert_eq!(task_changes(&project), expected, "{resumed}");
        let shown = project.run(&["show"]);
        for words in ["2 of 3 done", "TASK-001", "TASK-002"] {
            assert!(shown.stdout.contains(words), "{words}: {shown}");
        }
    }
}

/// The run is killed in a check, after the changes were recorded: they are not recorded again.
#[test]
fn task_changes_are_recorded_once() {
    let project =
        ProcessProject::with_agent("forge-tasks create One --plain; echo FORKHESTRA_COMPLETE");
    project.gate("gate");
    let check = r#"command:"if [ -e $PLACE/checking ]; then exit 0; fi; : > $PLACE/checking; read -r _ < $PLACE/gate""#;
    let run = project.start(&["./agent:2", "--check", check]);
    project.wait_for("checking");
    kill_both(&run);
    drop(run);
    assert_eq!(task_changes(&project).len(), 1);
    let resumed = project.run(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert_eq!(task_changes(&project).len(), 1, "{resumed}");
}
