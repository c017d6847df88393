//! `forkhestra init` sets up a project and changes no existing file.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::FORKHESTRA;

#[test]
fn an_empty_project_gets_all_files_and_next_steps() {
    let env = TestEnv::new();
    assert_snapshot!(env.run(FORKHESTRA, &["init"]), @r#"
    Setting up $TEST/project
      created  forge/orch/chains.json
      created  forge/orch/chains.schema.json
      created  forge/orch/specs/PLAN.md
      created  forge/orch/specs/SPECS.md
      created  forge/orch/specs/AGENTS.md
      created  .gitignore
      created  forge/tasks/config.json

    Next:
      0. git init && git add -A && git commit -m Begin    agents commit their work on top of it
      1. forkhestra plan "what you want"    asks a few questions, writes forge/orch/specs/PLAN.md,
                                            and Claude Code creates tasks for it
         (or write PLAN.md and SPECS.md yourself, and run: forkhestra --chain plan)
      2. forge-tasks list                   shows the tasks
      3. forkhestra --chain build           Claude Code builds them, one after another

    `forkhestra list` shows what else can be run, `forkhestra doctor` whether Claude Code is ready.
    "#);
    // The second time changes nothing.
    assert_snapshot!(env.run(FORKHESTRA, &["init"]), @r#"
    Setting up $TEST/project
      kept     forge/orch/chains.json
      kept     forge/orch/chains.schema.json
      kept     forge/orch/specs/PLAN.md
      kept     forge/orch/specs/SPECS.md
      kept     forge/orch/specs/AGENTS.md
      kept     .gitignore
      kept     forge/tasks/config.json

    Next:
      0. git init && git add -A && git commit -m Begin    agents commit their work on top of it
      1. forkhestra plan "what you want"    asks a few questions, writes forge/orch/specs/PLAN.md,
                                            and Claude Code creates tasks for it
         (or write PLAN.md and SPECS.md yourself, and run: forkhestra --chain plan)
      2. forge-tasks list                   shows the tasks
      3. forkhestra --chain build           Claude Code builds them, one after another

    `forkhestra list` shows what else can be run, `forkhestra doctor` whether Claude Code is ready.
    "#);
    let ignored = fs::read_to_string(env.project().join(".gitignore")).expect("it was written");
    assert_eq!(ignored, ".agent-state/\n");
}

#[test]
fn a_repository_without_a_commit_gets_a_hint_to_commit() {
    let env = TestEnv::new();
    env.link_system_program("git");
    let git = |args: &str| env.run("/bin/sh", &["-c", &format!("git {args}")]).success();
    git("init --quiet");
    let first =
        |output: String| output.lines().find(|line| line.starts_with("  0. ")).map(str::to_owned);
    let asked = first(env.run(FORKHESTRA, &["init"]).success());
    let expected =
        "  0. git add -A && git commit -m Begin    agents commit their work on top of it";
    assert_eq!(asked.as_deref(), Some(expected));
    git("add --all");
    git("-c user.name=Ada -c user.email=a@b commit --quiet --message Begin");
    assert_eq!(first(env.run(FORKHESTRA, &["init"]).success()), None);
}

#[test]
fn an_untouched_template_is_refused_before_anything_is_paid() {
    let env = TestEnv::new();
    env.agent("claude", crate::run::direct_spawn::RECORD_INVOCATION);
    env.run(FORKHESTRA, &["init"]).success();
    let refused = |args: &[&str]| {
        let message = env.run(FORKHESTRA, args).failure(2);
        assert!(!env.has("argv"), "nothing ran: {args:?}");
        message
    };
    assert_snapshot!(refused(&["--chain", "build-all"]), @r#"
    error: step 1: planner has nothing to plan: `forge/orch/specs/PLAN.md` is still the template of `forkhestra init`
    hint: write what you want into `forge/orch/specs/PLAN.md`, or let `forkhestra plan` ask and write it
    hint: or give the agent a prompt: -p "what to plan"
    "#);
    for args in [
        &["--chain", "plan"][..],
        &["--chain", "overnight"],
        &["planner:3 -> builder:9"],
        &["fk:planner"],
        &["task-manager:2"],
        &["--chain", "plan-and-build"],
    ] {
        assert!(refused(args).contains("has nothing to plan: `forge/orch/specs/PLAN.md` is still"));
    }
    // A dry run shows the plan.
    let shown = env.run(FORKHESTRA, &["--chain", "plan", "--dry-run"]);
    assert_eq!(shown.code, Some(0), "{shown}");
    assert!(shown.stderr.starts_with("warning: step 1: planner has nothing to plan"), "{shown}");
    // Blank, or missing.
    env.write("forge/orch/specs/PLAN.md", "\n");
    assert!(refused(&["planner:2"]).contains("`forge/orch/specs/PLAN.md` is empty"));
    fs::remove_dir_all(env.project().join("forge")).expect("it is ours");
    assert!(refused(&["planner:2"]).contains("`forge/orch/specs/PLAN.md` does not exist"));
}

#[test]
fn a_plan_that_cannot_be_read_is_refused_before_anything_is_paid() {
    let env = TestEnv::new();
    env.agent("claude", crate::run::direct_spawn::RECORD_INVOCATION);
    // A directory cannot be read as a file, not even by root.
    fs::create_dir_all(env.project().join("forge/orch/specs/PLAN.md")).expect("it is ours");
    let refused = env.run(FORKHESTRA, &["planner:2"]).failure(2);
    assert_snapshot!(refused, @"
    error: step 1: planner cannot read `forge/orch/specs/PLAN.md`: Is a directory (os error 21)
    hint: make it a file that you can read, or remove it
    ");
    assert!(!env.has("argv"), "nothing ran");
    let shown = env.run(FORKHESTRA, &["planner:2", "--dry-run"]);
    assert_eq!(shown.code, Some(0), "{shown}");
    assert!(shown.stderr.starts_with("warning: step 1: planner cannot read"), "{shown}");
    // The plan is not read if a prompt says what to plan.
    let output = env.run(FORKHESTRA, &["planner:1", "-p", "Plan a shop"]);
    assert!(env.has("argv"), "the planner was started: {output}");
}

#[test]
fn a_copy_of_the_built_in_prompt_reads_the_template_too() {
    let env = TestEnv::new();
    env.agent("claude", crate::run::direct_spawn::RECORD_INVOCATION);
    env.run(FORKHESTRA, &["init", "--with-prompts"]).success();
    let message = env.run(FORKHESTRA, &["--chain", "build-all"]).failure(2);
    assert!(message.contains("has nothing to plan"), "{message}");
    // A configured prompt may read anything.
    env.write("forge/orch/prompts/planner.md", "Plan in verse.\n");
    let message = env.run(FORKHESTRA, &["planner:2"]);
    assert_eq!(message.code, Some(0), "{message}");
}

#[test]
fn a_planner_with_a_prompt_runs_without_a_plan() {
    for (file, args) in [
        ("unrelated.md", &["planner:2", "-p", "Plan a shop"][..]),
        ("forge/orch/specs/SPECS.md", &["planner:2"]),
        ("forge/orch/specs/checkout.md", &["planner:2"]),
        ("ralph/PLAN.md", &["planner:2"]),
        ("unrelated.md", &["writer -> planner:2"]),
    ] {
        let env = TestEnv::new();
        let plans = format!(
            "forge-tasks create Shop > created\n{}",
            crate::run::direct_spawn::RECORD_INVOCATION
        );
        env.agent("claude", &plans).agent("writer", "true");
        env.write(file, "A shop.\n");
        let output = env.run(FORKHESTRA, args);
        assert_eq!((output.code, env.has("argv")), (Some(0), true), "{file} {args:?}: {output}");
    }
}

#[test]
fn the_files_of_init_run_on_every_backend() {
    for backend in ["claude", "codex", "gemini", "opencode"] {
        for options in
            [&["init", "--backend", backend][..], &["init", "--with-prompts", "--backend", backend]]
        {
            let env = TestEnv::new();
            env.install(backend);
            assert_eq!(env.run(FORKHESTRA, options).code, Some(0), "{options:?}");
            env.write("forge/orch/specs/PLAN.md", "A shop.\n");
            let shown = env.run(FORKHESTRA, &["--chain", "overnight", "--dry-run"]);
            assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""), "{options:?}: {shown}");
            assert!(shown.stdout.contains(&format!("direct spawn of {backend}")), "{shown}");
        }
    }
}

#[test]
fn prompts_can_be_written_out_and_are_then_used() {
    let env = TestEnv::new();
    env.install("claude");
    assert_eq!(env.run(FORKHESTRA, &["init", "--with-prompts"]).code, Some(0));
    env.write("forge/orch/prompts/planner.md", "Plan in verse.\n");
    let shown = env.run(FORKHESTRA, &["planner:2", "--dry-run"]);
    assert!(shown.stdout.contains("system prompt: file forge/orch/prompts/planner.md"), "{shown}");
    assert!(shown.stdout.contains("Plan in verse."), "{shown}");
    let printed = env.run(FORKHESTRA, &["show-agent", "planner", "--prompt-only"]);
    assert_eq!(printed.stdout, "Plan in verse.\n");
}

#[test]
fn existing_files_are_kept_and_missing_parts_are_named() {
    let env = TestEnv::new();
    env.write("forge/chains.json", r#"{"chains": {}}"#)
        .write("ralph/PLAN.md", "Ours.\n")
        .write(".gitignore", "target");
    assert_snapshot!(env.run(FORKHESTRA, &["init", "--backend", "codex", "--with-prompts"]), @r#"
    Setting up $TEST/project
      created  forge/orch/prompts/planner.md
      created  forge/orch/prompts/builder.md
      created  forge/orch/prompts/reviewer.md
      created  forge/orch/prompts/fixer.md
      created  forge/orch/prompts/task-manager.md
      created  forge/orch/prompts/task-coordinator.md
      created  forge/orch/prompts/task-worker.md
      kept     forge/chains.json
      kept     ralph/PLAN.md
      created  ralph/SPECS.md
      created  ralph/AGENTS.md
      extended .gitignore
      created  forge/tasks/config.json

    Next:
      0. git init && git add -A && git commit -m Begin    agents commit their work on top of it
      1. forkhestra plan "what you want"    asks a few questions, writes ralph/PLAN.md,
                                            and Codex creates tasks for it
         (or write PLAN.md and SPECS.md yourself, and run: forkhestra --chain plan)
      2. forge-tasks list                   shows the tasks
      3. forkhestra --chain build           Codex builds them, one after another

    `forkhestra list` shows what else can be run, `forkhestra doctor` whether Codex is ready.
    ------- stderr -------
    warning: forge/chains.json was there, so it does not say `codex`
    hint: add this to it: "backend": "codex"
    warning: forge/chains.json was there, so it does not name the prompts
    hint: for each agent whose prompt you change, add this to its `agents`:
    hint: "planner": { "systemPrompt": "forge/orch/prompts/planner.md" }
    "#);
    let read = |name: &str| fs::read_to_string(env.project().join(name)).expect("it is there");
    assert_eq!(read("forge/chains.json"), r#"{"chains": {}}"#);
    assert_eq!(read("ralph/PLAN.md"), "Ours.\n");
    assert_eq!(read(".gitignore"), "target\n.agent-state/\n");
    assert!(!env.project().join("forge/orch/chains.json").exists());
    // Templates must not hide specifications.
    assert!(!env.project().join("forge/orch/specs").exists());
}

#[test]
fn the_tests_of_a_known_project_become_a_check() {
    let env = TestEnv::new();
    env.install("claude").write("Cargo.toml", "[package]\n");
    assert_eq!(env.run(FORKHESTRA, &["init"]).code, Some(0));
    let shown = env.run(FORKHESTRA, &["--chain", "overnight", "--dry-run"]);
    assert!(shown.stdout.contains("check: command:\"cargo test\""), "{shown}");
    let conventions = fs::read_to_string(env.project().join("forge/orch/specs/AGENTS.md"));
    assert!(conventions.expect("it was written").contains("- Build and test: `cargo test`\n"));
}

#[test]
fn an_unwritable_path_is_named() {
    let env = TestEnv::new();
    env.write("forge", "a file in the way");
    assert_snapshot!(env.run(FORKHESTRA, &["init"]), @"
    Setting up $TEST/project
    ------- stderr -------
    error: cannot write $TEST/project/forge/orch/chains.json: Not a directory (os error 20)
    hint: what was written before stays; run `forkhestra init` again
    [exit status: 2]
    ");
    let nowhere = env.run(FORKHESTRA, &["init", "--cwd", "nowhere"]);
    assert_eq!(nowhere.code, Some(2), "{nowhere}");
}

#[test]
fn new_files_follow_the_umask() {
    let env = TestEnv::new();
    assert_eq!(env.run(FORKHESTRA, &["init"]).code, Some(0));
    env.write("reference", "");
    let mode = |name: &str| {
        let metadata = fs::metadata(env.project().join(name)).expect("it is there");
        metadata.permissions().mode()
    };
    assert_eq!(mode("forge/orch/chains.json"), mode("reference"));
}
