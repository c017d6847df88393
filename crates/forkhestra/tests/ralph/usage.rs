//! Wrong usage: one clear message, exit code 3, and nothing is started.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::ralph;

/// The error message for a wrong command line, in a project whose agent leaves a trace.
#[track_caller]
fn wrong(args: &[&str]) -> String {
    let env = TestEnv::new();
    env.agent("agent", "touch started");
    let message = ralph(&env, args).failure(3);
    assert!(!env.has("started"), "{args:?} started the agent");
    message
}

#[test]
fn help_shows_every_option_of_the_command_line() {
    let env = TestEnv::new();
    let help = ralph(&env, &["--help"]).success();
    for option in [
        "--agent <NAME>",
        "--max-iterations <N>",
        "--chain <CHAIN>",
        "--resume <FILE>",
        "--check <SPEC>",
        "--hook <TYPE:COMMAND>",
        "--cwd <DIR>",
        "-v, --verbose",
        "-h, --help",
        "-V, --version",
        "--prompt <TEXT>",
        "--prompt-file <PATH>",
        "--stagnation <N>",
        "--max-cost <USD>",
        "--max-time <TIME>",
        "--max-wait <TIME>",
        "--timeout <TIME>",
        "--idle-timeout <TIME>",
        "--marker <LINE>",
        "--done-file <PATH>",
        "--no-feedback",
        "--config <PATH>",
        "--state-dir <DIR>",
        "--output <FORMAT>",
        "--quiet",
        "--color <WHEN>",
        "--dangerously-skip-permissions",
        "--clean-room",
        "--protect <GLOB>",
        "--on-cycle <HOW>",
        "--no-snapshots",
        "--sandbox <LEVEL>",
        "--writable <PATH>",
        "--no-lock",
        "--no-view",
        "--durability <HOW>",
        "--dry-run",
    ] {
        assert!(help.contains(option), "{option}");
    }
    assert!(help.contains("without a new state of the work tree [default: 3]"), "{help}");
    let summary = ralph(&env, &["-h"]).success();
    assert!(summary.lines().count() < 30 && summary.contains("all options (--help)"), "{summary}");
}

#[test]
fn the_version_is_that_of_the_package() {
    let message = ralph(&TestEnv::new(), &["--version"]).success();
    assert_eq!(message, format!("ralph-runner {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn without_arguments_there_is_nothing_to_run() {
    assert_snapshot!(wrong(&[]), @r#"
    error: there is nothing to run
    hint: name an agent: ralph-runner --agent builder --max-iterations 20
    hint: or a chain: ralph-runner --chain "planner:10 -> builder:20"
    hint: or a run to resume: ralph-runner --resume FILE
    "#);
}

#[test]
fn an_unlimited_loop_is_refused_with_the_reason() {
    assert_snapshot!(wrong(&["--agent", "agent"]), @"
    error: `--agent` needs `--max-iterations`: an agent that never says that its work is done would run, and cost, for ever
    hint: write --agent agent --max-iterations 20, or as many as it may take
    ");
}

#[test]
fn an_agent_with_a_count_is_refused_with_the_option_for_counts() {
    assert_snapshot!(wrong(&["--agent", "agent:5"]), @"
    error: `--agent` takes a name without a count
      |
    1 | agent:5
      |      ^^ counts are for chains
    hint: write --agent agent --max-iterations 5
    hint: or --chain agent:5
    ");
    let message = wrong(&["--agent", "fk:builder:5", "--max-iterations", "9"]);
    assert!(message.contains("hint: write --agent fk:builder --max-iterations 9\n"), "{message}");
}

#[test]
fn an_agent_that_is_a_chain_is_refused_with_the_option_for_chains() {
    assert_snapshot!(wrong(&["--agent", "agent:5 -> b", "--max-iterations", "3"]), @"
    error: `--agent` takes one agent, and this is a chain
      |
    1 | agent:5 -> b
      |            ^ expected nothing after the first agent
    hint: write --chain 'agent:5 -> b'
    ");
}

#[test]
fn an_agent_and_a_chain_conflict() {
    assert_snapshot!(wrong(&["--agent", "agent", "--chain", "agent:2 -> b"]), @"
    error: `--agent` cannot be used with `--chain`
    hint: for one agent write --agent agent --max-iterations N
    hint: for several write --chain 'agent:2 -> b'
    ");
}

#[test]
fn max_iterations_conflicts_with_a_chain() {
    assert_snapshot!(wrong(&["--chain", "agent -> b:3", "--max-iterations", "7"]), @r#"
    error: `--max-iterations` cannot be used with `--chain`: counts stand in the chain
    hint: write --chain "agent:7 -> b:3"
    hint: an agent without a count runs once
    "#);
}

#[test]
fn a_wrong_chain_is_shown_with_a_caret() {
    assert_snapshot!(wrong(&["--chain", "agent:3 -> agent:0"]), @"
    error: step 2: the count `0` must be at least 1
      |
    1 | agent:3 -> agent:0
      |                  ^ expected a positive whole number
    hint: leave the count out to run the agent once
    ");
}

#[test]
fn a_resumed_run_keeps_its_plan() {
    let typed = ["--resume", "x", "--agent", "agent", "--check", "exit-code", "--", "more"];
    assert_snapshot!(wrong(&typed), @"
    error: `--agent`, `--check` and `-- ARGS` cannot be used with `--resume`
    hint: a resumed run keeps its plan; only its limits, `--max-iterations` among them, and its sandbox can be changed
    ");
    for option in [
        &["--chain", "agent"][..],
        &["--dangerously-skip-permissions"],
        &["--dry-run"],
        &["-p", "x"],
        &["--prompt-file", "x"],
        &["--marker", "x"],
        &["--done-file", "x"],
        &["--no-feedback"],
        &["--hook", "on-complete:true"],
        &["--clean-room"],
        &["--protect", "x"],
        &["--on-cycle", "stop"],
        &["--no-snapshots"],
    ] {
        let message = wrong(&[&["--resume", "x"], option].concat());
        assert!(message.contains(" cannot be used with `--resume`\n"), "{option:?}: {message}");
    }
}

#[test]
fn resume_options_are_refused_for_new_runs() {
    let typed = ["--agent", "agent", "--max-iterations", "2", "--repair", "--step-cost", "3"];
    assert_snapshot!(wrong(&typed), @"
    error: `--repair` is for `--resume`
    hint: name the run whose journal is damaged: --resume FILE --repair
    error: `--step-cost` is for `--resume`
    hint: for a new run, give the step `limits.cost` in the config
    ");
    let typed = ["--chain", "(agent -> agent):2", "--rounds", "3", "--approve"];
    assert_snapshot!(wrong(&typed), @"
    error: `--rounds` is for `--resume`
    hint: a repeated group has its rounds in the chain
    error: `--approve` is for `--resume`
    hint: to answer an active run: forkhestra approve
    ");
}

#[test]
fn positional_words_get_suggested_options() {
    assert_snapshot!(wrong(&["agent:3"]), @"
    error: unexpected argument `agent:3`
    hint: write --agent agent --max-iterations 3
    hint: arguments for the agents go after `--`
    hint: for the options and their values see `ralph-runner --help`
    ");
    assert_snapshot!(wrong(&["agent:3 -> b"]), @"
    error: unexpected argument `agent:3 -> b`
    hint: write --chain 'agent:3 -> b'
    hint: arguments for the agents go after `--`
    hint: for the options and their values see `ralph-runner --help`
    ");
    assert_snapshot!(wrong(&["--chain", "agent", "X=1"]), @"
    error: unexpected argument `X=1`
    hint: variables are for chains of the config: forkhestra --chain NAME X=1
    hint: for the options and their values see `ralph-runner --help`
    ");
}

#[test]
fn a_chain_that_was_not_quoted_is_explained() {
    assert_snapshot!(wrong(&["--chain", "agent:3", "-"]), @r#"
    error: unexpected argument `-`
    hint: the shell took `>` for a redirection; quote the chain: --chain "agent:3 -> …"
    hint: for the options and their values see `ralph-runner --help`
    "#);
    assert_snapshot!(wrong(&["--chain", "agent:3", "->", "b"]), @r#"
    error: unexpected argument `->`
    hint: a chain is one argument; quote it: ralph-runner --chain "a:3 -> b"
    "#);
}

#[test]
fn unknown_options_and_wrong_values_start_nothing() {
    assert_snapshot!(wrong(&["--agent", "agent", "--max-iteratons", "3"]), @"
    error: unknown option `--max-iteratons`
    hint: did you mean `--max-iterations`?
    hint: arguments for the agents go after `--`
    hint: for the options and their values see `ralph-runner --help`
    ");
    let run = ["--agent", "agent", "--max-iterations", "3"];
    for (wrong_use, expected) in [
        (&["--dryrun"][..], "did you mean `--dry-run`?"),
        (&["--max-iterations", "4"], "cannot be used multiple times"),
        (&["--on-cycle", "panic"], "[possible values: report, stop]"),
        (&["--prompt", "--dry-run"], "`--prompt` needs a value"),
        (&["--prompt", "x", "--prompt-file", "y"], "cannot be used with"),
        (&["--cwd", "missing"], "the working directory `missing` does not exist"),
        (&["--config", "missing.json"], "missing.json"),
    ] {
        let message = wrong(&[&run[..], wrong_use].concat());
        assert!(message.contains(expected), "{wrong_use:?}: {message}");
    }
    let message = wrong(&["--agent", "agent", "--max-iterations", "0"]);
    assert!(message.contains("must be at least 1"), "{message}");
}

#[test]
fn an_unknown_type_of_a_hook_lists_the_types() {
    let message = wrong(&["--agent", "agent", "--max-iterations", "1", "--hook", "on-success:./x"]);
    for name in [
        "pre-iteration",
        "post-iteration",
        "on-complete",
        "on-stagnation",
        "on-failure",
        "on-interrupt",
        "on-limit",
    ] {
        assert!(message.contains(name), "{message}");
    }
}
