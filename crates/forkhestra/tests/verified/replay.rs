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
        let scene = Self { fresh: clone_of(&recorded), recorded };
        let args = [CHAIN, "--check", "plain:command:grep -q 2 work.txt", "--record", "../rec"];
        let said = forkhestra(&scene.recorded, &args);
        assert_eq!(said.code, Some(0), "{said}");
        (scene, said)
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
fn timeless_output(said: &CommandOutput) -> Vec<String> {
    let lines = said.stdout.lines().take_while(|line| !line.ends_with("Summary"));
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
    let (scene, first) = ReplayProjects::record();
    let said = scene.replay(&[CHAIN, "--check", "plain:command:grep -q 2 work.txt"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert_eq!(timeless_output(&said), timeless_output(&first));
    assert!(said.stderr.contains("trouble 1"), "{said}");
    assert_eq!(state(&scene.fresh), state(&scene.recorded));
    assert_eq!(scene.fresh.read("draft 2"), "draft\n");
    assert_eq!(verdicts(&scene.fresh), verdicts(&scene.recorded));
    assert_eq!(check_outcomes(&scene.fresh), check_outcomes(&scene.recorded));
    let spent = |env: &TestEnv| {
        let last = events_of(env, "iteration_finished").pop().expect("there was one");
        (last["spend"].clone(), last["heard"].clone())
    };
    assert_eq!(spent(&scene.fresh), spent(&scene.recorded));
    assert_eq!(spent(&scene.fresh).0["nanodollars"], 34_200_000);
    assert!(said.stdout.contains("$0.0342 (replayed: nothing was paid)"), "{said}");
    assert!(!first.stdout.contains("replayed"), "{first}");
}

#[test]
fn another_work_tree_is_refused_before_anything_is_printed_or_written() {
    let (scene, _) = ReplayProjects::record();
    scene.fresh.write("README", "other\n");
    let before = state(&scene.fresh);
    let said = scene.replay(&[CHAIN]);
    assert_eq!(said.code, Some(1), "{said}");
    assert!(said.stdout.contains("the recording does not fit: the work tree is"), "{said}");
    assert!(said.stdout.contains("the difference is in 1 file: README"), "{said}");
    assert!(!said.stdout.contains("working on 1"), "{said}");
    assert_eq!(state(&scene.fresh), before);
    assert!(!scene.fresh.has("work.txt"));
    assert_eq!(events_of(&scene.fresh, "iteration_started").len(), 1, "it is not tried again");
}

#[test]
fn an_iteration_that_was_not_recorded_ends_the_step() {
    let (scene, _) = ReplayProjects::record();
    let said = scene.replay(&[CHAIN, "--marker", "never said"]);
    assert_eq!(said.code, Some(1), "{said}");
    let reason = "iteration 3 of step 1 (plain) was not recorded: ";
    assert!(said.stdout.contains(reason), "{said}");
    assert_eq!(scene.fresh.read("work.txt"), "1\n2\n");
}

#[test]
fn commits_are_applied_on_another_history_with_the_same_files() {
    let (scene, _) = ReplayProjects::record();
    git(&scene.fresh, "commit --quiet --allow-empty --message other");
    let said = scene.replay(&[CHAIN]);
    assert_eq!(said.code, Some(0), "{said}");
    let log = |env: &TestEnv| git(env, "log --format=%T%n%s -3");
    assert_eq!(log(&scene.fresh), log(&scene.recorded));
    assert_eq!(git(&scene.fresh, "log --format=%s --skip=3 -1"), "other\n");
}

#[test]
fn a_resumed_replay_does_not_apply_changes_twice() {
    let (scene, _) = ReplayProjects::record();
    // An agent that forkhestra ended does not exit by itself in a replay.
    let unit = scene.recorded.root().join("rec/1-1-1/unit.json");
    let recorded = fs::read_to_string(&unit).expect("it was recorded");
    let endless =
        recorded.replacen("  \"end\":", "  \"endedBecause\": \"timeout\",\n  \"end\":", 1);
    assert_ne!(endless, recorded);
    fs::write(&unit, endless).expect("the directory is ours");
    let (recording, said) = (scene.recording(), scene.fresh.root().join("said"));
    let mut command = scene.fresh.command(FORKHESTRA);
    command.args([CHAIN, "--replay", &recording, "--speed", "max"]);
    command.stdout(fs::File::create(&said).expect("the directory is ours"));
    let mut run = command.spawn().expect("the program can be started");
    eventually("the last line is printed", || {
        fs::read_to_string(&said).ok().filter(|said| said.contains("made 1\n"))
    });
    assert_eq!(scene.fresh.read("work.txt"), "1\n");
    kill(TestProcess(Pid::from_child(&run)), Signal::INT);
    assert_eq!(run.wait().expect("it is our child").code(), Some(130));

    fs::write(&unit, recorded).expect("the directory is ours");
    let said = forkhestra(&scene.fresh, &["resume"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert!(said.stdout.contains("made 1\n"), "it is tried again: {said}");
    assert_eq!(state(&scene.fresh), state(&scene.recorded));
}

#[test]
fn an_agent_of_the_config_may_be_a_recording_beside_others() {
    let (scene, _) = ReplayProjects::record();
    let user = json!({
        "chains": {},
        "agents": { "plain": { "backend": "replay", "recording": scene.recording(), "speed": "max" } },
    });
    scene.fresh.write_home(".config/forkhestra/chains.json", user.to_string());
    scene.fresh.agent("other", "cat work.txt; echo FORKHESTRA_COMPLETE");
    let said = forkhestra(&scene.fresh, &["plain:3 -> other:2"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert!(said.stdout.contains("working on 2\n"), "{said}");
    assert!(said.stdout.contains("\n1\n2\n"), "the real agent finds what was made: {said}");
}

#[test]
fn ralph_runner_plays_recordings_too() {
    let (scene, _) = ReplayProjects::record();
    let recording = scene.recording();
    let args = ["--chain", CHAIN, "--replay", &recording, "--speed", "max"];
    let said = ralph(&scene.fresh, &args);
    assert_eq!(said.code, Some(0), "{said}");
    assert_eq!(state(&scene.fresh), state(&scene.recorded));
}

#[test]
fn the_removed_fault_injection_is_refused_with_a_hint() {
    let said = forkhestra(&project(), &["plain", "--replay", "rec", "--fault=hang"]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.contains("unknown option `--fault`"), "{said}");
    assert!(said.stderr.contains("fault injection was removed"), "{said}");
}

#[test]
fn a_dry_run_shows_the_recording() {
    let (scene, _) = ReplayProjects::record();
    let said = scene.replay(&[CHAIN, "--dry-run"]).success();
    let recording = scene.recording();
    for expected in [
        format!("replay of {recording} (step 1) at speed max"),
        format!("replay of {recording} (step 2, claude) at speed max"),
    ] {
        assert!(said.contains(&expected), "{said}");
    }
}

#[test]
fn wrong_recordings_are_refused_before_anything_runs() {
    let (scene, _) = ReplayProjects::record();
    let recording = scene.recording();
    let replay = |directory: &str, chain: &str| {
        let said = forkhestra(&scene.fresh, &[chain, "--replay", directory]);
        assert_eq!(said.code, Some(2), "{said}");
        said.stderr
    };
    let said = replay("nowhere", "plain:3");
    assert!(said.contains("`--replay nowhere`: "), "{said}");
    assert!(said.contains("nowhere does not exist"), "{said}");
    let said = replay("forge", "plain:3");
    assert!(said.contains("is not a recording: there is no recording.json in it"), "{said}");
    let said = replay(&recording, "plain:3 -> reader");
    assert!(said.contains("has no step of `reader`"), "{said}");
    assert!(said.contains("its steps are: 1 plain, 2 writer (claude)"), "{said}");
}

#[test]
fn a_recorded_replay_equals_the_recording() {
    let (scene, _) = ReplayProjects::record();
    let said = scene.replay(&[CHAIN, "--record", "../again"]);
    assert_eq!(said.code, Some(0), "{said}");
    let read = |env: &TestEnv, directory: &str| {
        let unit = env.root().join(directory).join("2-1-1");
        let text = fs::read_to_string(unit.join("unit.json")).expect("it was recorded");
        let unit_json: Value = serde_json::from_str(&text).expect("it is JSON");
        let stdout = fs::read_to_string(unit.join("stdout")).expect("it printed something");
        (unit_json["effects"].clone(), stdout)
    };
    assert_eq!(read(&scene.fresh, "again"), read(&scene.recorded, "rec"));
}
