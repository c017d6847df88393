//! `forkhestra demo`: the first thing that people try.

use std::path::PathBuf;
use std::process::Command;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::FORKHESTRA;

/// The demo, with the programs of the system and a place of its own for temporary files.
fn demo(env: &TestEnv, args: &[&str]) -> Command {
    let mut command = env.command(FORKHESTRA);
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.arg("demo").args(args).env("PATH", path).env("TMPDIR", env.root().join("tmp"));
    std::fs::create_dir_all(env.root().join("tmp")).expect("the directory is ours");
    command
}

/// The projects of demos that are there.
fn projects(env: &TestEnv) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(env.root().join("tmp")).expect("the directory is ours");
    entries.map(|entry| entry.expect("it can be read").path()).collect()
}

/// What differs from demo to demo has names.
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
        let words = line.trim_start();
        let indent = line.len() - words.len();
        let is_commit = indent > 0
            && words.as_bytes().get(..7).is_some_and(|hash| hash.iter().all(u8::is_ascii_hexdigit));
        let line = match words.split_once(' ') {
            Some((_, subject)) if is_commit => format!("{:indent$}[commit] {subject}", ""),
            _ => line,
        };
        if let Some((all, _)) =
            line.split_once(" iterations, ").filter(|(all, _)| all.contains("In all"))
        {
            let commits = line.rsplit(", ").take(2).collect::<Vec<_>>();
            return format!("{all} iterations, [time], {}, {}\n", commits[1], commits[0]);
        }
        match line.rsplit_once(' ') {
            Some((before, time)) if time.ends_with('s') && time[..1].parse::<u8>().is_ok() => {
                format!("{before} [time]\n")
            }
            _ if line.contains("] Logs: ") => "[forkhestra] Logs: [directory]\n".to_owned(),
            _ => format!("{line}\n"),
        }
    };
    text.lines().map(line).collect()
}

#[test]
fn the_demo_shows_a_planner_and_a_builder_at_work_and_leaves_nothing_behind() {
    let env = TestEnv::new();
    let output = env.output_of(&mut demo(&env, &[]));
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), "This try fails on purpose\n"));
    assert_snapshot!(steady(&env, &output.stdout), @"
    This is a run of two agents, small shell scripts, in a project of their own:
      $TEST/tmp/forkhestra-demo-

    [forkhestra] Starting: planner (max 3 iterations)
    [forkhestra] Iteration 1/3
    Reading forge/orch/specs/PLAN.md
    Wrote 3 tasks to TASKS.txt
    FORKHESTRA_COMPLETE
    [forkhestra] Complete after 1 iteration

    [forkhestra] Starting: builder (max 10 iterations)
    [forkhestra] Iteration 1/10
    Iteration 1 of at most 10: a heading
    One task of several is not all, so this mention of FORKHESTRA_COMPLETE ends nothing.
    [forkhestra] Iteration 2/10
    Iteration 2 of at most 10: a list of three kinds of tea
    [forkhestra] Iteration 3/10
    Iteration 3 of at most 10: a line that says how long to wait
    [forkhestra] Iteration 3/10 failed (exit 1)
    [forkhestra] builder failed once (exit 1), waiting [time]
    [forkhestra] Iteration 4/10
    Iteration 4 of at most 10: a line that says how long to wait
    [forkhestra] Iteration 5/10
    Every task is done:
      TEA
      
      green
      black
      white
      
      Wait for three minutes.
    FORKHESTRA_COMPLETE
    [forkhestra] Complete after 5 iterations

    [forkhestra] Summary
      1  planner  done  1 iteration   marker  [time]
         1 commit; 1 file changed, +3 -0
           [commit] Plan the work
      2  builder  done  5 iterations  marker  [time]
         3 commits; 2 files changed, +10 -3
           [commit] Do: a heading
           [commit] Do: a list of three kinds of tea
           [commit] Do: a line that says how long to wait

    [forkhestra] In all: 6 iterations, [time], 4 commits, +13 -3 lines
    [forkhestra] Logs: [directory]
    [forkhestra] Chain complete (2/2 steps)

    What the agents committed:
      [commit] Begin
      [commit] Plan the work
      [commit] Do: a heading
      [commit] Do: a list of three kinds of tea
      [commit] Do: a line that says how long to wait
    ");
    assert_eq!(projects(&env), [] as [PathBuf; 0]);
    let home = std::fs::read_dir(env.home()).expect("the directory is ours");
    assert_eq!(home.count(), 0, "the demo is kept with itself");
}

#[test]
fn the_project_of_the_demo_can_be_kept() {
    let env = TestEnv::new();
    let output = env.output_of(&mut demo(&env, &["--keep", "--color", "never"]));
    assert_eq!(output.code, Some(0), "{output}");
    let [project] = &projects(&env)[..] else { panic!("{:?}", projects(&env)) };
    let shown = env.normalised(project.as_os_str().as_encoded_bytes());
    assert!(output.stdout.ends_with(&format!("\nThe project was kept: {shown}\n")), "{output}");
    assert!(project.join("tea.txt").exists());
}

#[test]
fn the_demo_says_what_it_needs() {
    let env = TestEnv::new();
    let output = env.output_of(demo(&env, &[]).env("PATH", env.bin()));
    assert_snapshot!(output, @"
    ------- stderr -------
    error: cannot set the demo's project up: git: No such file or directory (os error 2)
    hint: the demo needs git and a shell
    [exit status: 2]
    ");
    assert_eq!(projects(&env), [] as [PathBuf; 0]);
}

#[test]
fn the_demo_takes_no_chain() {
    let env = TestEnv::new();
    assert_eq!(env.output_of(&mut demo(&env, &["a:3"])).code, Some(2));
    assert_eq!(projects(&env), [] as [PathBuf; 0]);
}
