//! `forkhestra demo`.

use std::path::PathBuf;
use std::process::Command;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::FORKHESTRA;

/// The demo, with the programs of the system and its own directory for temporary files.
fn demo(env: &TestEnv, args: &[&str]) -> Command {
    let mut command = env.command(FORKHESTRA);
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.arg("demo").args(args).env("PATH", path).env("TMPDIR", env.root().join("tmp"));
    std::fs::create_dir_all(env.root().join("tmp")).expect("the directory is ours");
    command
}

/// The existing projects of demos.
fn projects(env: &TestEnv) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(env.root().join("tmp")).expect("the directory is ours");
    entries.map(|entry| entry.expect("it can be read").path()).collect()
}

/// Replaces what differs from demo to demo. Commits are the same everywhere.
fn steady(env: &TestEnv, text: &str) -> String {
    let root =
        env.normalised(env.root().join("tmp/forkhestra-demo-").as_os_str().as_encoded_bytes());
    let line = |line: &str| {
        let line = match line.split_once(&root) {
            Some((before, random)) => {
                format!("{before}{root}{}", random.get(6..).unwrap_or_default())
            }
            None => line.to_owned(),
        };
        if line.contains("] Logs: ") {
            return "[forkhestra] Logs: [directory]\n".to_owned();
        }
        let words: Vec<String> = line.split(' ').map(without_time).collect();
        let mut words = words.join(" ");
        // The widest duration of a column determines the padding.
        while words.contains("[time]   ") {
            words = words.replace("[time]   ", "[time]  ");
        }
        words + "\n"
    };
    text.lines().map(line).collect()
}

/// A word, or its replacement if it is a duration.
fn without_time(word: &str) -> String {
    let inner = word.trim_matches(['(', ')', ',']);
    let number = inner.strip_suffix("ms").or_else(|| inner.strip_suffix('s'));
    let is_number = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    if number.is_some_and(is_number) { word.replace(inner, "[time]") } else { word.to_owned() }
}

#[test]
fn the_demo_runs_a_planner_and_a_builder_and_leaves_no_files() {
    let env = TestEnv::new();
    let output = env.output_of(&mut demo(&env, &["--speed", "max"]));
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    assert_snapshot!(steady(&env, &output.stdout), @r#"
    Two agents build a small program: a planner turns its specification into tasks,
    and a builder works through them. What they say and do is played back from
    a recording, so nothing is paid. Everything else is real: git, the journal,
    the checks and the tests.

      project  $TEST/tmp/forkhestra-demo-/tea-timer
      command  forkhestra --chain build-all --check 'builder:command:"sh tests/run.sh"' \
                 --hook 'on-complete:git tag -a v0.1.0 -m '\''Built, and verified'\'''

    [forkhestra] Starting: planner (max 3 iterations)
    [forkhestra] Iteration 1/3
    I read what is wanted, and make tasks of what is missing.
    ● Read  forge/orch/specs/PLAN.md
    ● Read  forge/orch/specs/SPECS.md
    ● Bash  forge-tasks list --plain
    ● Bash  forge-tasks create 'List the teas' -p high --ac './tea list prints all teas'
    ● Bash  forge-tasks create 'Tell how long a tea takes' --depends-on 1 --ac 'green: 3 minutes'
    ● Bash  forge-tasks create 'Refuse what is no tea' --depends-on 2 --ac 'mud exits with 2'
    ● Bash  git add forge && git commit -q -m 'Plan the tea timer'
    Three tasks cover everything in the specifications.

    FORKHESTRA_COMPLETE
    [forkhestra] Check passed: planned ([time])
    [forkhestra] Complete after 1 iteration

    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Iteration 1/20
    Reading the conventions and taking one task.
    ● Read  forge/orch/specs/AGENTS.md
    ● Bash  forge-tasks claim --plain | head -3
    ● Write  tea
    ● Bash  chmod +x tea && sh tests/run.sh
    ● Bash  forge-tasks edit TASK-001 --check-ac 1 --status done --plain
    ● Bash  git add -A && git commit -q -m 'TASK-001: List the teas'
    The teas are listed, and that test passes. I am done.

    FORKHESTRA_COMPLETE
    [forkhestra] Check failed: tasks: 2 tasks are not done: TASK-002, TASK-003
    [forkhestra] Check failed: sh tests/run.sh: exit 1
    [forkhestra]   | ok 1 - the teas are listed
    [forkhestra]   | not ok 2 - green tea takes 3 minutes: the exit status is 2, not 0
    [forkhestra]   | not ok 3 - white tea takes 5 minutes: the exit status is 2, not 0
    [forkhestra]   | not ok 4 - mud is no tea: it prints "usage: tea list | tea time NAME"
    [forkhestra]   | ok 5 - nothing to do is wrong use
    [forkhestra]   | 2 of 5 tests passed
    [forkhestra] Iteration 1/20 claimed completion; refused: 2 checks failed (tasks, sh tests/run.sh)
    [forkhestra] Iteration 2/20
    The check says: two tasks are left. Taking the next one.
    ● Bash  forge-tasks claim --plain | head -3
    ● Write  tea
    ● Bash  sh tests/run.sh
    ● Bash  forge-tasks edit TASK-002 --check-ac 1 --status done --plain
    ● Bash  git add -A && git commit -q -m 'TASK-002: Tell how long a tea takes'
    TASK-002 is done. One task is left, so I leave it to the next iteration.
    [forkhestra] Iteration 3/20
    One task is left.
    ● Bash  forge-tasks claim --plain | head -3
    ● Edit  tea
    ● Bash  ./tea time mud
    ● Bash  forge-tasks edit TASK-003 --check-ac 1 --status done --plain
    ● Bash  git add -A && git commit -q -m 'TASK-003: Refuse what is no tea'
    Every task is done.

    FORKHESTRA_COMPLETE
    [forkhestra] Check passed: tasks ([time])
    [forkhestra] Check failed: sh tests/run.sh: exit 1
    [forkhestra]   | ok 1 - the teas are listed
    [forkhestra]   | ok 2 - green tea takes 3 minutes
    [forkhestra]   | ok 3 - white tea takes 5 minutes
    [forkhestra]   | not ok 4 - mud is no tea: the exit status is 0, not 2
    [forkhestra]   | ok 5 - nothing to do is wrong use
    [forkhestra]   | 4 of 5 tests passed
    [forkhestra] Iteration 3/20 claimed completion; refused: 1 check failed (sh tests/run.sh)
    [forkhestra] Iteration 4/20
    The check says that a test fails: mud is refused, but with the wrong exit status.
    ● Edit  tea
    ● Bash  sh tests/run.sh
    ● Bash  git add -A && git commit -q -m 'TASK-003: Exit with 2 for what is no tea'
    Now all tests pass, and no task is left.

    FORKHESTRA_COMPLETE
    [forkhestra] Check passed: tasks ([time])
    [forkhestra] Check passed: sh tests/run.sh ([time])
    [forkhestra] Complete after 4 iterations

    [forkhestra] Summary
      1  planner  complete  1 iteration   marker  [time]  33.7k tokens  $0.1119
         marker; checks passed: planned
         1 commit; 4 files changed, +54 -0
      2  builder  complete  4 iterations  marker  [time]  91.3k tokens  $0.3048
         marker; checks passed: tasks, sh tests/run.sh
         4 commits; 4 files changed, +29 -9

    [forkhestra] Tasks: 3 of 3 done
      done     TASK-001  List the teas          $0.0951  30c2bcd List the teas
      done     TASK-002  Tell how long a tea…   $0.0794  f6fd82f Tell how long a te…
      done     TASK-003  Refuse what is no t…   $0.1304  +1 44e33c8 Exit with 2 for…
      other    1 iteration, 1 commit, $0.1119
    [forkhestra] In all: 5 iterations, [time], 5 commits, +83 -9 lines
    [forkhestra] Spent: 125.0k tokens, $0.4167 (replayed: nothing was paid)
    [forkhestra] Chain complete (2/2 steps)

    What was committed (5 of 5 tests passed), and tagged by the hook:
      af840c1 Say what is wanted
      7966017 Plan the tea timer
      30c2bcd TASK-001: List the teas
      f6fd82f TASK-002: Tell how long a tea takes
      cc25cd5 TASK-003: Refuse what is no tea
      44e33c8 TASK-003: Exit with 2 for what is no tea (tag: v0.1.0)

    The project and its logs are removed now. To try next:
      forkhestra demo --keep          keep them, and look at the run with `forkhestra watch`
      forkhestra demo --speed 0.3     play it more slowly, or without pauses with `max`
      forkhestra plan "your idea"     start a project of your own
    "#);
    assert_eq!(projects(&env), [] as [PathBuf; 0]);
    let home = std::fs::read_dir(env.home()).expect("the directory is ours");
    assert_eq!(home.count(), 0, "nothing is written to the home directory");
}

#[test]
fn the_project_of_the_demo_can_be_kept_and_inspected() {
    let env = TestEnv::new();
    let output = env.output_of(&mut demo(&env, &["--keep", "--speed", "max", "--color", "never"]));
    assert_eq!(output.code, Some(0), "{output}");
    let [whole] = &projects(&env)[..] else { panic!("{:?}", projects(&env)) };
    let shown = env.normalised(whole.as_os_str().as_encoded_bytes());
    assert!(output.stdout.contains(&format!("Everything is kept in {shown}.")), "{output}");
    // The suggested commands are run as they are printed.
    let project = whole.join("tea-timer");
    let mut show = env.command(FORKHESTRA);
    show.args(["show", "-v", "--state-dir", "../state"]).current_dir(&project);
    let show = env.output_of(&mut show);
    assert!(show.stdout.contains("build-all") && show.code == Some(0), "{show}");
    let mut tea = Command::new("./tea");
    let tea = tea.args(["time", "green"]).current_dir(&project).output().expect("it was built");
    assert_eq!(String::from_utf8_lossy(&tea.stdout), "green: 3 minutes\n");
    let mut git = Command::new("git");
    let status = git.args(["status", "--porcelain"]).current_dir(&project).output();
    assert_eq!(String::from_utf8_lossy(&status.expect("git is there").stdout), "");
    let mut tags = Command::new("git");
    let tags = tags.args(["tag", "--list"]).current_dir(&project).output();
    assert_eq!(String::from_utf8_lossy(&tags.expect("git is there").stdout), "v0.1.0\n");
}

#[test]
fn user_settings_do_not_affect_the_demo() {
    let env = TestEnv::new();
    env.write_home(
        ".gitconfig",
        "[user]\n\tname = Someone\n\temail = someone@localhost\n[commit]\n\tgpgsign = true\n[tag]\n\tgpgsign = true\n\
         [core]\n\tautocrlf = true\n\texcludesFile = ~/ignored\n\thooksPath = ~/hooks\n[init]\n\tdefaultBranch = trunk\n",
    );
    env.write_home("ignored", "*.md\ntea\n");
    env.write_home("hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    let output = env.output_of(&mut demo(&env, &["--speed", "max"]));
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    assert!(output.stdout.contains("5 of 5 tests passed"), "{output}");
}

#[test]
fn the_demo_ignores_git_dir() {
    let env = TestEnv::new();
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        let done = git.arg("-C").arg(env.project()).args(args).output().expect("git is there");
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    git(&["init", "--quiet"]);
    let mut command = demo(&env, &["--speed", "max"]);
    let output = env.output_of(command.env("GIT_DIR", env.project().join(".git")));
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    assert_eq!(git(&["for-each-ref"]), "");
}

#[test]
fn the_demo_names_its_missing_requirements() {
    let env = TestEnv::new();
    let output = env.output_of(demo(&env, &[]).env("PATH", env.bin()));
    assert_snapshot!(output, @"
    ------- stderr -------
    error: cannot set the demo's project up: git: No such file or directory (os error 2)
    hint: the demo needs git, a shell, and a place for temporary files (`TMPDIR`)
    [exit status: 2]
    ");
    assert_eq!(projects(&env), [] as [PathBuf; 0]);
}

#[test]
fn the_demo_refuses_a_chain_and_an_invalid_speed() {
    let env = TestEnv::new();
    assert_eq!(env.output_of(&mut demo(&env, &["a:3"])).code, Some(2));
    assert_eq!(env.output_of(&mut demo(&env, &["--speed", "fast"])).code, Some(2));
    assert_eq!(projects(&env), [] as [PathBuf; 0]);
}
