//! `forkhestra bisect`: the iteration that broke something.

use std::fs;

use insta::assert_snapshot;
use serde_json::Value;
use testkit::{CommandOutput, TestEnv};

use crate::run::stagnation::{git, repository};
use crate::support::agents_at_work::{id, is_time, only_run, steady};
use crate::support::past_runs::past;
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};
use crate::{CONFIG, FORKHESTRA, forkhestra};

/// Counts its iterations in an untracked file, breaks `value` in the fourth, and commits in the
/// sixth.
const BREAKING: &str = "
    n=$(cat count 2>/dev/null || echo 0); n=$((n + 1)); echo $n > count
    [ $n = 4 ] && echo broken > value
    [ $n = 6 ] && git -c user.name=Ada -c user.email=ada@localhost commit -qam six
    exit 0";

/// A run of eight iterations that breaks `value` in the fourth.
pub(super) fn broken_in_fourth() -> TestEnv {
    let env = project();
    env.agent("a", BREAKING);
    past(&env, &["a:8"]);
    env
}

fn project() -> TestEnv {
    let env = repository();
    env.write("value", "good\n").write(".gitignore", "*.built\n");
    git(&env, "add --all");
    git(&env, "commit --quiet --message value");
    env
}

/// Tests snapshots by a shell command.
fn bisect(env: &TestEnv, args: &[&str], script: &str) -> CommandOutput {
    let script = format!("PATH=/usr/bin:/bin; {script}");
    let command = ["--", "/bin/sh", "-c", &script];
    normalised(env, &[&["bisect"], args, &command].concat())
}

/// Runs a verb, with placeholders for durations and ids.
pub(super) fn normalised(env: &TestEnv, args: &[&str]) -> CommandOutput {
    let output = steady(env, &forkhestra(env, args));
    let word = |word: &str| {
        let end = word.trim_end_matches([',', ')', '\n']).len();
        let (bare, rest) = word.split_at(end);
        let (open, bare) = bare.split_at(usize::from(bare.starts_with('(')));
        if is_time(bare) { format!("{open}[time]{rest}") } else { word.to_owned() }
    };
    let text = |text: &str| text.split(' ').map(word).collect::<Vec<_>>().join(" ");
    CommandOutput { stdout: text(&output.stdout), stderr: text(&output.stderr), ..output }
}

/// The snapshots and answers in the order of the tests.
fn tests(output: &CommandOutput) -> Vec<String> {
    let lines = output.stderr.lines().filter_map(|line| line.strip_prefix("[forkhestra] @"));
    lines.map(|line| line.split(" ([time])").next().unwrap_or(line).to_owned()).collect()
}

#[test]
fn the_iteration_that_broke_something_is_found() {
    let env = broken_in_fourth();
    let before = (git(&env, "status --porcelain"), git(&env, "for-each-ref"), env.read("value"));
    assert_snapshot!(bisect(&env, &[], "grep -q good value"), @r#"
    Iteration 4 is the first bad one: @4 is bad, and @3 (iteration 3) is good
      agent    a
      verdict  continued
      time     [time]
      commits  none
      changes  2 files, +2 -2

    What the agent printed:      forkhestra logs [id] --iteration 4
    What it changed:             forkhestra diff [id] --iteration 4
    To try it again from there:  forkhestra fork [id] --at 3 -p "…"
    To go back:                  forkhestra rewind [id] --to 3
    ------- stderr -------
    [forkhestra] Bisecting run [id]: 9 snapshots from @0 (before the run) to @8 (iteration 8), tested by `/bin/sh -c 'PATH=/usr/bin:/bin; grep -q good value'` without a sandbox
    [forkhestra] @0 (before the run): good ([time]), 7 left
    [forkhestra] @8 (iteration 8): bad ([time]), 7 left
    [forkhestra] @4 (iteration 4): bad ([time]), 3 left
    [forkhestra] @2 (iteration 2): good ([time]), 1 left
    [forkhestra] @3 (iteration 3): good ([time])
    "#);
    let after = (git(&env, "status --porcelain"), git(&env, "for-each-ref"), env.read("value"));
    assert_eq!(before, after, "the work tree is not touched");
    assert!(!only_run(&env).join("bisect").exists(), "nothing is left");
}

#[test]
fn each_test_has_exactly_the_files_of_its_snapshot() {
    let env = broken_in_fourth();
    // The count is not committed. What one test leaves is not there in the next one, except for
    // ignored files. A resume of the run would end processes that have its tag.
    let script = "case $FORKHESTRA_RUN_IDS in bisect-*) ;; *) exit 128 ;; esac
        [ -z \"$(git status --porcelain)\" ] && ! [ -e left ] || exit 128
        echo $(cat count 2>/dev/null || echo 0) $(ls *.built 2>/dev/null) >> $FORKHESTRA_PROJECT_DIR/seen
        touch left x.built; echo edited >> value; git rm -q --cached .gitignore
        [ $(cat count 2>/dev/null || echo 0) -lt 7 ]";
    let output = bisect(&env, &[], script);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.starts_with("Iteration 7 is the first bad one"), "{output}");
    assert_eq!(env.read("seen"), "0\n8 x.built\n4 x.built\n6 x.built\n7 x.built\n");
    fs::remove_file(env.project().join("seen")).expect("it is ours");
    let output = bisect(&env, &["--fresh"], script);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("seen"), "0\n8\n4\n6\n7\n");
}

#[test]
fn the_ends_can_be_named() {
    let env = broken_in_fourth();
    let output = bisect(&env, &["--good", "2", "--bad", "@5"], "grep -q good value");
    assert_eq!(output.code, Some(0), "{output}");
    let expected = [
        "2 (iteration 2): good",
        "5 (iteration 5): bad",
        "4 (iteration 4): bad",
        "3 (iteration 3): good",
    ];
    assert_eq!(tests(&output), expected);
}

#[test]
fn a_flaky_snapshot_is_skipped() {
    let env = broken_in_fourth();
    let script = "n=$(cat count 2>/dev/null || echo 0)
        [ $n = 4 ] || [ $n = 2 ] || exec grep -q good value
        mkdir $FORKHESTRA_PROJECT_DIR/flaky-$n 2>/dev/null";
    assert_snapshot!(bisect(&env, &["--times", "3"], script), @r#"
    Not found: every snapshot between @3 (iteration 3), which is good, and @5 (iteration 5), which is bad, was skipped; the first bad one is iteration 4 or iteration 5
    hint: what changed in between: forkhestra diff [id] 3..5
    ------- stderr -------
    [forkhestra] Bisecting run [id]: 9 snapshots from @0 (before the run) to @8 (iteration 8), tested by `/bin/sh -c 'PATH=/usr/bin:/bin; n=$(cat count 2>/dev/null || echo 0)\n        [ $n = 4 ] || [ $n = …` without a sandbox
    [forkhestra] @0 (before the run): good ([time]), 7 left
    [forkhestra] @8 (iteration 8): bad ([time]), 7 left
    [forkhestra] @4 (iteration 4): skip, flaky: it passed and failed ([time]), 6 left
    [forkhestra] @5 (iteration 5): bad ([time]), 3 left
    [forkhestra] @2 (iteration 2): skip, flaky: it passed and failed ([time]), 2 left
    [forkhestra] @3 (iteration 3): good ([time])
    [exit status: 1]
    "#);
}

#[test]
fn exit_125_and_timeouts_skip_a_snapshot() {
    let env = broken_in_fourth();
    let script = "n=$(cat count 2>/dev/null || echo 0)
        [ $n = 4 ] && exit 125; [ $n = 3 ] && exec sleep 60; grep -q good value";
    let output = bisect(&env, &["--timeout", "2s"], script);
    assert_eq!(output.code, Some(1), "{output}");
    let tested = tests(&output);
    assert!(tested.contains(&"4 (iteration 4): skip, exit 125".to_owned()), "{output}");
    assert!(tested.contains(&"3 (iteration 3): skip, timed out".to_owned()), "{output}");
    let between = "every snapshot between @2 (iteration 2), which is good, and @5 (iteration 5), which is \
                   bad, was skipped; the first bad one is iteration 3, iteration 4 or iteration 5\n";
    assert!(output.stdout.contains(between), "{output}");
}

#[test]
fn ends_that_do_not_differ_are_reported() {
    let env = broken_in_fourth();
    assert_snapshot!(bisect(&env, &[], "true"), @"
    Not found: `/bin/sh -c 'PATH=/usr/bin:/bin; true'` passes at both ends, @0 (before the run) and @8 (iteration 8)
    hint: if it fails only now and then, test each snapshot more often: `--times 5`
    ------- stderr -------
    [forkhestra] Bisecting run [id]: 9 snapshots from @0 (before the run) to @8 (iteration 8), tested by `/bin/sh -c 'PATH=/usr/bin:/bin; true'` without a sandbox
    [forkhestra] @0 (before the run): good ([time]), 7 left
    [forkhestra] @8 (iteration 8): good ([time])
    [exit status: 1]
    ");
    assert_snapshot!(bisect(&env, &[], "false"), @"
    Not found: `/bin/sh -c 'PATH=/usr/bin:/bin; false'` fails at both ends, @0 (before the run) and @8 (iteration 8)
    hint: `-v` shows what it prints: the directory of a test has no ignored files, such as installed packages, and an empty home directory
    hint: if all was well at an earlier or later iteration, name it: `--good N`
    ------- stderr -------
    [forkhestra] Bisecting run [id]: 9 snapshots from @0 (before the run) to @8 (iteration 8), tested by `/bin/sh -c 'PATH=/usr/bin:/bin; false'` without a sandbox
    [forkhestra] @0 (before the run): bad ([time]), 7 left
    [forkhestra] @8 (iteration 8): bad ([time])
    [exit status: 1]
    ");
    assert_snapshot!(bisect(&env, &[], "grep -q broken value"), @r#"
    Not found: `/bin/sh -c 'PATH=/usr/bin:/bin; grep -q broken value'` fails at @0 (before the run) and passes at @8 (iteration 8): the run fixed it
    hint: to find the iteration that fixed it, invert the command: `forkhestra bisect [id] -- sh -c '! /bin/sh -c '\''PATH=/usr/bin:/bin; grep -q broken value'\'''`
    ------- stderr -------
    [forkhestra] Bisecting run [id]: 9 snapshots from @0 (before the run) to @8 (iteration 8), tested by `/bin/sh -c 'PATH=/usr/bin:/bin; grep -q broken value'` without a sandbox
    [forkhestra] @0 (before the run): bad ([time]), 7 left
    [forkhestra] @8 (iteration 8): good ([time])
    [exit status: 1]
    "#);
    assert_snapshot!(bisect(&env, &[], "[ -e count ] || exit 125"), @"
    Not found: @0 (before the run) is neither good nor bad: exit 125
    hint: name another iteration: `--good N`
    ------- stderr -------
    [forkhestra] Bisecting run [id]: 9 snapshots from @0 (before the run) to @8 (iteration 8), tested by `/bin/sh -c 'PATH=/usr/bin:/bin; [ -e count ] || exit 125'` without a sandbox
    [forkhestra] @0 (before the run): skip, exit 125 ([time]), 7 left
    [forkhestra] @8 (iteration 8): good ([time])
    [exit status: 1]
    ");
}

#[test]
fn a_command_that_decides_nothing_ends_the_search() {
    let env = broken_in_fourth();
    assert_snapshot!(normalised(&env, &["bisect", "--", "no-such-program"]), @"
    ------- stderr -------
    [forkhestra] Bisecting run [id]: 9 snapshots from @0 (before the run) to @8 (iteration 8), tested by `no-such-program` without a sandbox
        /bin/sh: 1: no-such-program: not found
    error: @0 (before the run): the command was not found (exit 127)
    hint: a command that exits with 125 skips the snapshot
    [exit status: 2]
    ");
    let output = bisect(&env, &[], "[ -e count ] || exit 0; echo about to die; kill -9 $$");
    assert_snapshot!(output, @"
    ------- stderr -------
    [forkhestra] Bisecting run [id]: 9 snapshots from @0 (before the run) to @8 (iteration 8), tested by `/bin/sh -c 'PATH=/usr/bin:/bin; [ -e count ] || exit 0; echo about to die; kill -9 $$'` without a sandbox
    [forkhestra] @0 (before the run): good ([time]), 7 left
        about to die
        Killed
    error: @8 (iteration 8): signal 9 ended the command
    hint: a command that exits with 125 skips the snapshot
    [exit status: 2]
    ");
    assert!(!only_run(&env).join("bisect").exists(), "nothing is left");
}

#[test]
fn checks_test_a_snapshot_as_in_a_run() {
    let env = broken_in_fourth();
    let found = |output: &CommandOutput, iteration: u32| {
        assert_eq!(output.code, Some(0), "{output}");
        let expected = format!("Iteration {iteration} is the first bad one");
        assert!(output.stdout.starts_with(&expected), "{output}");
    };
    let command = "command:\"PATH=/usr/bin:/bin; grep -q good value\"";
    found(&normalised(&env, &["bisect", "--check", command]), 4);
    env.agent_file(
        "verify.sh",
        "grep -q good value && r=true || r=false; echo '{\"passed\": '$r'}'",
    );
    found(&normalised(&env, &["bisect", "--check", "./verify.sh"]), 4);
    // Iteration 6 commits; nothing removes a file, so that the check is inverted by a command.
    let output = normalised(&env, &["bisect", "--check", "file:value", "--check", "file:README"]);
    assert!(output.stdout.starts_with("Not found: `file:value, file:README` passes"), "{output}");
}

/// A run of six iterations that breaks `value` in the fourth, with a check that finds it.
pub(super) fn checked_run() -> TestEnv {
    let env = project();
    env.agent("a", BREAKING);
    env.write(
        CONFIG,
        r#"{"chains": {"c": {"steps": [{"agent": "a", "iterations": 6}], "checks": ["exit-code",
            {"check": "command:PATH=/usr/bin:/bin; grep -q good value", "name": "value"}]}}}"#,
    );
    past(&env, &["--chain", "c"]);
    env
}

#[test]
fn the_checks_of_the_step_are_the_default() {
    let env = checked_run();
    let output = normalised(&env, &["bisect"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr.contains("tested by `value` without a sandbox\n"), "{output}");
    assert!(output.stdout.starts_with("Iteration 4 is the first bad one"), "{output}");
}

#[test]
fn the_setup_of_the_clean_room_comes_before_checks() {
    let env = project();
    env.agent("a", BREAKING);
    env.write(
        CONFIG,
        r#"{"chains": {"c": {"steps": [{"agent": "a", "iterations": 6}],
            "cleanRoom": {"setup": "[ \"$(cat count)\" = 3 ] && exit 1; echo x > x.built"},
            "checks": ["command:[ -e x.built ] && grep -q good value"]}}}"#,
    );
    env.link_system_program("cat").link_system_program("grep");
    past(&env, &["--chain", "c"]);
    let output = normalised(&env, &["bisect"]);
    assert_eq!(output.code, Some(1), "{output}");
    let skipped = "3 (iteration 3): skip, the set-up of the clean room failed".to_owned();
    assert!(tests(&output).contains(&skipped), "{output}");
    assert!(output.stdout.contains("is iteration 3 or iteration 4\n"), "{output}");
}

#[test]
fn a_snapshot_that_is_gone_is_read_from_its_backup_or_skipped() {
    let env = broken_in_fourth();
    let run = only_run(&env);
    git(&env, &format!("update-ref -d refs/forkhestra/{}/4", id(&run)));
    git(&env, "prune --expire=now");
    let output = bisect(&env, &[], "git diff --quiet HEAD && grep -q good value");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.starts_with("Iteration 4 is the first bad one"), "{output}");
    fs::remove_dir_all(run.join("kept/snapshots.git")).expect("it is ours");
    let output = bisect(&env, &[], "grep -q good value");
    assert_eq!(output.code, Some(1), "{output}");
    let warning = "warning: snapshots that are gone are skipped: @4 (iteration 4)\n";
    assert!(output.stderr.starts_with(warning), "{output}");
    assert!(output.stdout.contains("is iteration 4 or iteration 5\n"), "{output}");
    let output = bisect(&env, &["--bad", "4"], "true");
    assert_eq!(output.code, Some(2), "{output}");
}

#[test]
fn an_active_run_can_be_searched() {
    let env = project();
    let waiting = format!("[ $n = 6 ] && {{ echo waiting; {WAIT_FOR_GO}; }}; exit 0");
    env.agent("a", &BREAKING.replace("exit 0", &waiting));
    let run = RunInProgress::start(&env, &["a:6"], "waiting\n");
    let output = bisect(&env, &[], "grep -q good value");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.starts_with("Iteration 4 is the first bad one"), "{output}");
    let (printed, code) = run.release();
    assert_eq!(code, Some(1), "{printed}");
}

#[test]
fn steps_are_named_in_a_chain() {
    let env = project();
    let breaking = BREAKING.replace("exit 0", "[ $n = 2 ] && echo FORKHESTRA_COMPLETE; exit 0");
    env.agent("a", &breaking).agent("b", "echo b > by-b; exit 0");
    past(&env, &["a:9 -> b -> a:3"]);
    assert_snapshot!(bisect(&env, &["--good", "1.2"], "grep -q good value"), @r#"
    Step 3, iteration 2 is the first bad one: @5 is bad, and @4 (step 3, iteration 1) is good
      agent    a
      verdict  continued
      time     [time]
      commits  none
      changes  2 files, +2 -2

    What the agent printed:      forkhestra logs [id] --step 3 --iteration 2
    What it changed:             forkhestra diff [id] --iteration 3.2
    To try it again from there:  forkhestra fork [id] --at 3.1 -p "…"
    To go back:                  forkhestra rewind [id] --to 3.1
    ------- stderr -------
    [forkhestra] Bisecting run [id]: 5 snapshots from @2 (step 1, iteration 2) to @6 (step 3, iteration 3), tested by `/bin/sh -c 'PATH=/usr/bin:/bin; grep -q good value'` without a sandbox
    [forkhestra] @2 (step 1, iteration 2): good ([time]), 3 left
    [forkhestra] @6 (step 3, iteration 3): bad ([time]), 3 left
    [forkhestra] @4 (step 3, iteration 1): good ([time]), 1 left
    [forkhestra] @5 (step 3, iteration 2): bad ([time])
    "#);
}

#[test]
fn the_result_is_json_for_programs() {
    let env = broken_in_fourth();
    let output = bisect(&env, &["--json"], "grep -q good value");
    let json: Value = serde_json::from_str(&output.stdout).expect("it is JSON");
    assert_eq!(json["result"], "found");
    let first_bad = &json["firstBad"];
    assert_eq!((&first_bad["iteration"], &first_bad["agent"]), (&4.into(), &"a".into()));
    assert_eq!(first_bad["changes"], serde_json::json!({"files": 2, "added": 2, "removed": 2}));
    let answers: Vec<&Value> = json["tests"].as_array().into_iter().flatten().collect();
    assert_eq!(answers.len(), 5, "{json}");
    assert_eq!(answers[0]["answer"], "good");
    let output = bisect(&env, &["--json"], "true");
    assert_eq!(output.code, Some(1), "{output}");
    let json: Value = serde_json::from_str(&output.stdout).expect("it is JSON");
    assert_eq!((&json["result"], &json["firstBad"]), (&"both_good".into(), &Value::Null));
}

#[test]
fn tests_run_below_the_top_of_the_repository_like_the_agent() {
    let env = repository();
    env.agent("a", "mkdir -p made; echo x >> made/file; n=$(wc -l < made/file); [ $n = 2 ] && rm ../README; exit 0");
    fs::create_dir(env.project().join("sub")).expect("it is ours");
    env.write("sub/there", "x");
    git(&env, "add --all");
    git(&env, "commit --quiet --message sub");
    let sub = env.project().join("sub");
    let mut run = env.command(FORKHESTRA);
    let output = env.output_of(run.current_dir(&sub).args(["a:3"]));
    assert_eq!(output.code, Some(1), "{output}");
    let output = bisect(&env, &[], "[ -e there ] || exit 128; [ -e ../README ]");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.starts_with("Iteration 2 is the first bad one"), "{output}");
}
