//! Replaying recorded runs without installed agents.

use std::fs;

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};
use testkit::{CommandOutput, TestEnv, TestProcess, eventually, kill};

use crate::FORKHESTRA;
use crate::support::{
    check_outcomes, config, events_of, forkhestra, git, project, ralph, repository, verdicts,
};

const CHAIN: &str = "plain:3 -> writer:2";

const CONFIG: &str =
    r#"{ "agents": { "writer": { "systemPromptText": "Write." } }, "chains": {} }"#;

/// A program that works in two iterations, and leaves a file uncommitted.
const PLAIN: &str = r#"
n=$FORKHESTRA_ITERATION
echo "working on $n"
echo "trouble $n" >&2
echo "$n" >> work.txt
git add work.txt
git commit --quiet --message "work $n"
echo draft > "draft $n"
echo "made $n"
if [ "$n" = 2 ]; then echo FORKHESTRA_COMPLETE; fi
"#;

/// Two projects: one with a recorded run, and a clone of its state before the run.
struct ReplayProjects {
    recorded: TestEnv,
    fresh: TestEnv,
}

impl ReplayProjects {
    /// Records a chain of a program and a stand-in for Claude Code.
    fn record() -> (Self, CommandOutput) {
        let recorded = repository();
        config(&recorded, CONFIG);
        git(&recorded, "add --all");
        git(&recorded, "commit --quiet --message config");
        recorded.agent("plain", PLAIN);
        let stream = recorded.root().join("stream");
        fs::write(&stream, stream_of_claude()).expect("the directory is ours");
        let stream = stream.display();
        recorded.agent(
            "claude",
            &format!(
                "cat > ../stdin\necho text > text.txt\ngit add text.txt\n\
                 git commit --quiet --message text\ncat '{stream}'"
            ),
        );
        let projects = Self { fresh: clone_of(&recorded), recorded };
        let args = [CHAIN, "--check", "plain:command:grep -q 2 work.txt", "--record", "../rec"];
        let output = forkhestra(&projects.recorded, &args);
        assert_eq!(output.code, Some(0), "{output}");
        (projects, output)
    }

    fn recording(&self) -> String {
        self.recorded.root().join("rec").display().to_string()
    }

    /// Replays the recording in the clone, where nothing is installed.
    fn replay(&self, args: &[&str]) -> CommandOutput {
        let recording = self.recording();
        let fixed = ["--replay", &recording, "--speed", "max"];
        forkhestra(&self.fresh, &[args, &fixed].concat())
    }
}

/// A clone of a project before any run.
fn clone_of(env: &TestEnv) -> TestEnv {
    let clone = project();
    clone.write_home(".gitconfig", "[user]\nname = Bob\nemail = bob@localhost\n");
    git(&clone, &format!("clone --quiet '{}' .", env.project().display()));
    clone
}

fn stream_of_claude() -> String {
    let message = |id: u32, block: Value| {
        json!({
            "type": "assistant", "parent_tool_use_id": null,
            "message": {
                "id": format!("msg_{id}"), "role": "assistant", "model": "claude-sonnet-5-5",
                "content": [block], "usage": { "input_tokens": 1000, "output_tokens": 50 },
            },
        })
    };
    let tool =
        json!({ "type": "tool_use", "id": "t", "name": "Bash", "input": { "command": "make" } });
    let lines = [
        json!({ "type": "system", "subtype": "init", "model": "claude-sonnet-5-5", "apiKeySource": "none" }),
        message(1, tool),
        json!({ "type": "user", "message": { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "t", "content": "ok", "is_error": false },
        ] } }),
        message(2, json!({ "type": "text", "text": "It is written.\nFORKHESTRA_COMPLETE" })),
        json!({
            "type": "result", "subtype": "success", "is_error": false,
            "terminal_reason": "completed", "total_cost_usd": 0.0342, "result": "",
        }),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The output of a run up to the summary, without durations.
fn timeless_output(output: &CommandOutput) -> Vec<String> {
    let lines = output.stdout.lines().take_while(|line| !line.ends_with("Summary"));
    // The duration of a check is in parentheses.
    let timeless = |line: &str| match line.split_once("Check passed: ") {
        Some(_) => line.rsplit_once(" (").map_or(line, |(before, _)| before).to_owned(),
        None => line.to_owned(),
    };
    lines.map(timeless).collect()
}

/// The state of a work tree in git.
fn state(env: &TestEnv) -> [String; 3] {
    ["rev-parse HEAD", "log --format=%H%n%an%n%ad%n%B", "status --porcelain"]
        .map(|args| git(env, args))
}

#[test]
fn a_replay_has_the_same_output_files_and_outcome() {
    let (projects, first) = ReplayProjects::record();
    let output = projects.replay(&[CHAIN, "--check", "plain:command:grep -q 2 work.txt"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(timeless_output(&output), timeless_output(&first));
    assert!(output.stderr.contains("trouble 1"), "{output}");
    assert_eq!(state(&projects.fresh), state(&projects.recorded));
    assert_eq!(projects.fresh.read("draft 2"), "draft\n");
    assert_eq!(verdicts(&projects.fresh), verdicts(&projects.recorded));
    assert_eq!(check_outcomes(&projects.fresh), check_outcomes(&projects.recorded));
    let spent = |env: &TestEnv| {
        let last = events_of(env, "iteration_finished").pop().expect("there was one");
        (last["spend"].clone(), last["heard"].clone())
    };
    assert_eq!(spent(&projects.fresh), spent(&projects.recorded));
    assert_eq!(spent(&projects.fresh).0["nanodollars"], 34_200_000);
    assert!(output.stdout.contains("$0.0342 (replayed: nothing was paid)"), "{output}");
    assert!(!first.stdout.contains("replayed"), "{first}");
}

#[test]
fn another_work_tree_is_refused_before_anything_is_printed_or_written() {
    let (projects, _) = ReplayProjects::record();
    projects.fresh.write("README", "other\n");
    let before = state(&projects.fresh);
    let output = projects.replay(&[CHAIN]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("the recording does not fit: the work tree is"), "{output}");
    assert!(output.stdout.contains("the difference is in 1 file: README"), "{output}");
    assert!(!output.stdout.contains("working on 1"), "{output}");
    assert_eq!(state(&projects.fresh), before);
    assert!(!projects.fresh.has("work.txt"));
    assert_eq!(events_of(&projects.fresh, "iteration_started").len(), 1, "it is not tried again");
}

#[test]
fn an_iteration_that_was_not_recorded_ends_the_step() {
    let (projects, _) = ReplayProjects::record();
    let output = projects.replay(&[CHAIN, "--marker", "never said"]);
    assert_eq!(output.code, Some(1), "{output}");
    let reason = "iteration 3 of step 1 (plain) was not recorded: ";
    assert!(output.stdout.contains(reason), "{output}");
    assert_eq!(projects.fresh.read("work.txt"), "1\n2\n");
}

#[test]
fn commits_are_applied_on_another_history_with_the_same_files() {
    let (projects, _) = ReplayProjects::record();
    git(&projects.fresh, "commit --quiet --allow-empty --message other");
    let output = projects.replay(&[CHAIN]);
    assert_eq!(output.code, Some(0), "{output}");
    let log = |env: &TestEnv| git(env, "log --format=%T%n%s -3");
    assert_eq!(log(&projects.fresh), log(&projects.recorded));
    assert_eq!(git(&projects.fresh, "log --format=%s --skip=3 -1"), "other\n");
}

#[test]
fn a_resumed_replay_does_not_apply_changes_twice() {
    let (projects, _) = ReplayProjects::record();
    // An agent that forkhestra ended does not exit by itself in a replay.
    let unit = projects.recorded.root().join("rec/1-1-1/unit.json");
    let recorded = fs::read_to_string(&unit).expect("it was recorded");
    let endless =
        recorded.replacen("  \"end\":", "  \"endedBecause\": \"timeout\",\n  \"end\":", 1);
    assert_ne!(endless, recorded);
    fs::write(&unit, endless).expect("the directory is ours");
    let (recording, output) = (projects.recording(), projects.fresh.root().join("said"));
    let mut command = projects.fresh.command(FORKHESTRA);
    command.args([CHAIN, "--replay", &recording, "--speed", "max"]);
    command.stdout(fs::File::create(&output).expect("the directory is ours"));
    let mut run = command.spawn().expect("the program can be started");
    eventually("the last line is printed", || {
        fs::read_to_string(&output).ok().filter(|output| output.contains("made 1\n"))
    });
    assert_eq!(projects.fresh.read("work.txt"), "1\n");
    kill(TestProcess(Pid::from_child(&run)), Signal::INT);
    assert_eq!(run.wait().expect("it is our child").code(), Some(130));

    fs::write(&unit, recorded).expect("the directory is ours");
    let output = forkhestra(&projects.fresh, &["resume"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("made 1\n"), "it is tried again: {output}");
    assert_eq!(state(&projects.fresh), state(&projects.recorded));
}

#[test]
fn an_agent_of_the_config_may_be_a_recording_beside_others() {
    let (projects, _) = ReplayProjects::record();
    let user = json!({
        "chains": {},
        "agents": { "plain": { "backend": "replay", "recording": projects.recording(), "speed": "max" } },
    });
    projects.fresh.write_home(".config/forkhestra/chains.json", user.to_string());
    projects.fresh.agent("other", "cat work.txt; echo FORKHESTRA_COMPLETE");
    let output = forkhestra(&projects.fresh, &["plain:3 -> other:2"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("working on 2\n"), "{output}");
    assert!(output.stdout.contains("\n1\n2\n"), "the real agent finds what was made: {output}");
}

#[test]
fn ralph_runner_plays_recordings_too() {
    let (projects, _) = ReplayProjects::record();
    let recording = projects.recording();
    let args = ["--chain", CHAIN, "--replay", &recording, "--speed", "max"];
    let output = ralph(&projects.fresh, &args);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(state(&projects.fresh), state(&projects.recorded));
}

#[test]
fn the_removed_fault_injection_is_refused_with_a_hint() {
    let output = forkhestra(&project(), &["plain", "--replay", "rec", "--fault=hang"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.contains("unknown option `--fault`"), "{output}");
    assert!(output.stderr.contains("fault injection was removed"), "{output}");
}

#[test]
fn a_dry_run_shows_the_recording() {
    let (projects, _) = ReplayProjects::record();
    let message = projects.replay(&[CHAIN, "--dry-run"]).success();
    let recording = projects.recording();
    for expected in [
        format!("replay of {recording} (step 1) at speed max"),
        format!("replay of {recording} (step 2, claude) at speed max"),
    ] {
        assert!(message.contains(&expected), "{message}");
    }
}

#[test]
fn wrong_recordings_are_refused_before_anything_runs() {
    let (projects, _) = ReplayProjects::record();
    let recording = projects.recording();
    let replay = |directory: &str, chain: &str| {
        let output = forkhestra(&projects.fresh, &[chain, "--replay", directory]);
        assert_eq!(output.code, Some(2), "{output}");
        output.stderr
    };
    let output = replay("nowhere", "plain:3");
    assert!(output.contains("`--replay nowhere`: "), "{output}");
    assert!(output.contains("nowhere does not exist"), "{output}");
    let output = replay("forge", "plain:3");
    assert!(output.contains("is not a recording: there is no recording.json in it"), "{output}");
    let output = replay(&recording, "plain:3 -> reader");
    assert!(output.contains("has no step of `reader`"), "{output}");
    assert!(output.contains("its steps are: 1 plain, 2 writer (claude)"), "{output}");
}

#[test]
fn a_recorded_replay_equals_the_recording() {
    let (projects, _) = ReplayProjects::record();
    let output = projects.replay(&[CHAIN, "--record", "../again"]);
    assert_eq!(output.code, Some(0), "{output}");
    let read = |env: &TestEnv, directory: &str| {
        let unit = env.root().join(directory).join("2-1-1");
        let text = fs::read_to_string(unit.join("unit.json")).expect("it was recorded");
        let unit_json: Value = serde_json::from_str(&text).expect("it is JSON");
        let stdout = fs::read_to_string(unit.join("stdout")).expect("it printed something");
        (unit_json["effects"].clone(), stdout)
    };
    assert_eq!(read(&projects.fresh, "again"), read(&projects.recorded, "rec"));
}
