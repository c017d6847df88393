//! The plan of a `ralph-runner` command line, as a dry run shows it.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{planned, ralph};

fn tools() -> TestEnv {
    let env = TestEnv::new();
    env.install("a").install("b");
    env
}

#[track_caller]
fn plan(env: &TestEnv, args: &[&str]) -> serde_json::Value {
    let message = ralph(env, &[&["--dry-run", "--output", "json"], args].concat()).success();
    serde_json::from_str(&message).expect("the plan is JSON")
}

#[test]
fn a_dry_run_shows_the_loop_under_the_name_of_the_program() {
    let shown = ralph(&tools(), &["--agent", "a", "--max-iterations", "20", "--dry-run"]).success();
    assert!(shown.starts_with("[ralph] Dry run - would execute the following chain:\n"), "{shown}");
    assert!(shown.contains("  1. a - loop up to 20 iterations\n"), "{shown}");
    assert!(shown.ends_with("[ralph] Dry run complete. No agents were executed.\n"), "{shown}");
}

#[test]
fn a_step_of_a_chain_without_a_count_runs_once() {
    let shown = planned(&tools(), &["--chain", "a:10 -> b"]);
    let steps: Vec<&str> = shown.lines().filter(|line| !line.starts_with("    ")).collect();
    assert_snapshot!(steps.join("\n"), @"
      1. a - loop up to 10 iterations
      2. b - run once
    ");
}

#[test]
fn the_stagnation_limit_is_three_by_default() {
    let env = tools();
    for (options, expected) in [
        (&[][..], serde_json::json!(3)),
        (&["--stagnation", "5"], serde_json::json!(5)),
        (&["--stagnation", "off"], serde_json::Value::Null),
    ] {
        let plan = plan(&env, &[&["--agent", "a", "--max-iterations", "9"], options].concat());
        assert_eq!(plan["steps"][0]["limits"]["stagnation"]["value"], expected, "{options:?}");
    }
}

#[test]
fn checks_run_after_every_iteration_and_decide() {
    let plan = plan(&tools(), &["--agent", "a", "--max-iterations", "9", "--check", "file:done"]);
    let step = &plan["steps"][0];
    assert_eq!(step["checks"][0]["value"]["when"], "always");
    assert_eq!(step["completion"]["value"], "checks");
}

#[test]
fn without_checks_the_marker_is_needed() {
    let plan = plan(&tools(), &["--agent", "a", "--max-iterations", "9"]);
    assert_eq!(plan["steps"][0]["completion"]["value"], "marker");
}

#[test]
fn claude_with_a_prompt_among_its_arguments_is_recognised() {
    let env = tools();
    env.install("claude");
    let typed = ["--agent", "claude", "--max-iterations", "2", "--dry-run", "--"];
    let typed = [&typed[..], &["-p", "hello", "--dangerously-skip-permissions"]].concat();
    let shown = ralph(&env, &typed).success();
    assert!(shown.contains("direct spawn of claude"), "{shown}");
    assert!(shown.contains("prompt: \"hello\""), "{shown}");
}

#[test]
fn agents_are_searched_in_bin_first() {
    let env = tools();
    env.write_script("bin/a");
    let plan = plan(&env, &["--chain", "a:2 -> b"]);
    let program = |step: usize| plan["steps"][step]["agent"]["location"]["found"].clone();
    assert_eq!(program(0), "$TEST/project/bin/a");
    assert_eq!(program(1), "$TEST/bin/b");
}

#[test]
fn permission_options_are_passed_before_other_agent_arguments() {
    let args = ["--agent", "a", "--max-iterations", "2", "--dangerously-skip-permissions"];
    let plan = plan(&tools(), &[&args[..], &["--", "--fast"]].concat());
    let args: Vec<&str> = plan["steps"][0]["args"]
        .as_array()
        .expect("arguments are a list")
        .iter()
        .filter_map(|arg| arg["value"].as_str())
        .collect();
    assert_eq!(args, ["--dangerously-skip-permissions", "--fast"]);
}

#[test]
fn work_tree_options_reach_the_plan() {
    let env = crate::repository();
    env.install("a");
    let options = [
        "--clean-room",
        "--protect",
        "tests/**",
        "--protect",
        ".ci/**",
        "--on-cycle",
        "stop",
        "--no-snapshots",
        "--check",
        "exit-code",
    ];
    let plan = plan(&env, &[&["--agent", "a", "--max-iterations", "2"], &options[..]].concat());
    let step = &plan["steps"][0];
    assert!(step["cleanRoom"]["value"].is_object(), "{step}");
    assert_eq!(step["protect"]["value"]["patterns"], serde_json::json!(["tests/**", ".ci/**"]));
    assert_eq!(step["onCycle"]["value"], "stop");
    assert_eq!(plan["snapshots"], false);
}

#[test]
fn a_built_in_agent_is_found_after_bin_and_path() {
    let env = TestEnv::new();
    env.install("claude");
    let args = ["--agent", "builder", "--max-iterations", "5"];
    let found = |env: &TestEnv| plan(env, &args)["steps"][0]["agent"]["source"].clone();
    assert_eq!(found(&env), "built-in");
    env.install("builder");
    let output = ralph(&env, &[&args[..], &["--dry-run"]].concat());
    assert!(output.stdout.contains("agent: program $TEST/bin/builder (PATH)"), "{output}");
    assert!(output.stderr.contains("; the built-in agent is `fk:builder`\n"), "{output}");
    env.write_script("bin/builder");
    assert_eq!(found(&env), "bin");
}

#[test]
fn a_chain_of_the_config_is_named_with_the_program_that_runs_it() {
    let env = TestEnv::new();
    env.install("claude");
    let output = ralph(&env, &["--chain", "build-all", "--dry-run"]);
    let hint = "warning: no agent is called `build-all`, but a chain is\n\
                hint: to run the chain: forkhestra --chain build-all\n";
    assert!(output.stderr.starts_with(hint), "{output}");
}

#[test]
fn the_config_of_the_project_is_found_from_a_subdirectory() {
    let env = TestEnv::new();
    env.write("forge/chains.json", r#"{ "agents": { "a": { "command": "x" } }, "chains": {} }"#);
    env.write(".git/HEAD", "").write("src/file", "").install("x");
    let mut command = env.command(env!("CARGO_BIN_EXE_ralph-runner"));
    command.current_dir(env.project().join("src"));
    command.args(["--agent", "a", "--max-iterations", "2", "--dry-run"]);
    let output = env.output_of(&mut command);
    let agent = "agent: program $TEST/bin/x (../forge/chains.json:1:15)";
    assert!(output.stdout.contains(agent), "{output}");
    let line = "[ralph] Config file: ../forge/chains.json; working directory: $TEST/project\n";
    assert_eq!(output.stderr, line, "{output}");
}
