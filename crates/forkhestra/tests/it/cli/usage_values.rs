//! Values of options: each has a type, and a wrong value is explained.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{forkhestra, planned, project};

/// The error message for a value of an option.
#[track_caller]
fn wrong(option: &str, value: &str) -> String {
    forkhestra(&TestEnv::new(), &["a", &format!("{option}={value}"), "--dry-run"]).failure(2)
}

#[test]
fn a_time_needs_a_unit() {
    assert_snapshot!(wrong("--timeout", "5"), @"
    error: invalid value '5' for '--timeout <TIME>': needs a unit, as in `90s`, `30m` or `1h 30m`
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn a_time_must_be_valid() {
    assert_snapshot!(wrong("--idle-timeout", "soon"), @"
    error: invalid value 'soon' for '--idle-timeout <TIME>': is not a duration in hours, minutes and seconds such as `90s` or `1h 30m`, or `off`
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn a_time_must_be_positive() {
    assert_snapshot!(wrong("--max-time", "0s"), @"
    error: invalid value '0s' for '--max-time <TIME>': must be more than zero; `off` turns the limit off
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn every_limit_of_time_is_read_the_same_way() {
    for option in ["--timeout", "--idle-timeout", "--max-time", "--max-wait"] {
        for (value, reason) in [
            ("5", "needs a unit"),
            ("", "is not a duration"),
            ("1h30", "is not a duration"),
            ("-5m", "must be more than zero"),
        ] {
            let message = wrong(option, value);
            assert!(
                message.contains(option) && message.contains(reason),
                "{option}={value}: {message}"
            );
        }
    }
}

#[test]
fn a_cost_must_be_positive() {
    assert_snapshot!(wrong("--max-cost", "-1"), @"
    error: invalid value '-1' for '--max-cost <USD>': must be more than zero; `off` turns the limit off
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn a_cost_must_be_an_amount_of_money() {
    assert_snapshot!(wrong("--max-cost", "lots"), @"
    error: invalid value 'lots' for '--max-cost <USD>': is not an amount in US dollars; write it as `5` or `2.50`, or `off`
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn a_number_of_times_must_be_at_least_one() {
    assert_snapshot!(wrong("--stagnation", "0"), @"
    error: invalid value '0' for '--stagnation <N>': must be more than zero; `off` turns the limit off
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn a_number_of_times_must_be_whole() {
    assert_snapshot!(wrong("--stagnation", "1.5"), @"
    error: invalid value '1.5' for '--stagnation <N>': is not a positive whole number, or `off`
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn a_hook_needs_a_type_and_a_command() {
    assert_snapshot!(wrong("--hook", "./notify.sh"), @"
    error: invalid value './notify.sh' for '--hook <TYPE:COMMAND>': is not of the form TYPE:COMMAND
    hint: for the options and their values see `forkhestra --help`
    ");
    assert_snapshot!(wrong("--hook", "on-complete:"), @"
    error: invalid value 'on-complete:' for '--hook <TYPE:COMMAND>': has no command after the colon
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn the_type_of_a_hook_must_exist() {
    assert_snapshot!(wrong("--hook", "on-success:./notify.sh"), @"
    error: invalid value 'on-success:./notify.sh' for '--hook <TYPE:COMMAND>': has an unknown type `on-success`; valid are pre-iteration, post-iteration, on-complete, on-stagnation, on-failure, on-interrupt, on-limit and on-question
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn a_marker_must_be_a_line_or_a_regular_expression() {
    assert_snapshot!(wrong("--marker", "/(/"), @"
    error: invalid value '/(/' for '--marker <LINE>': is not a regular expression: unclosed group
    hint: for the options and their values see `forkhestra --help`
    ");
    assert_snapshot!(wrong("--marker", "two\nlines"), @"
    error: invalid value 'two lines' for '--marker <LINE>': spans more than one line, but markers are looked for line by line
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn a_marker_that_everything_matches_is_refused() {
    assert_snapshot!(wrong("--marker", "/x*/"), @"
    error: invalid value '/x*/' for '--marker <LINE>': matches an empty line, so any output would complete the step
    hint: for the options and their values see `forkhestra --help`
    ");
    assert_snapshot!(wrong("--marker", " "), @"
    error: invalid value ' ' for '--marker <LINE>': is empty; a marker is a line of text or a /regex/
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn colours_and_formats_have_fixed_values() {
    assert_snapshot!(wrong("--color", "sometimes"), @"
    error: invalid value 'sometimes' for '--color <WHEN>' [possible values: auto, always, never]
    hint: for the options and their values see `forkhestra --help`
    ");
    assert_snapshot!(wrong("--output", "xml"), @"
    error: invalid value 'xml' for '--output <FORMAT>' [possible values: human, json]
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn loop_options_without_a_loop_are_a_warning() {
    let env = TestEnv::new();
    env.install("a");
    let args = ["a", "--marker", "DONE", "--done-file", "done", "--dry-run", "--quiet"];
    assert_snapshot!(forkhestra(&env, &args), @"
      1. a - run once
           agent: program $TEST/bin/a (PATH)
    ------- stderr -------
    warning: `--marker` has no effect: no step of the chain loops
    hint: give an agent a count to make it loop, as in `agent:10`
    warning: `--done-file` has no effect: no step of the chain loops
    hint: give an agent a count to make it loop, as in `agent:10`
    ");
}

#[test]
fn every_option_that_takes_a_value_needs_one() {
    let options = "--cwd --config --state-dir --prompt -p --prompt-file --marker --done-file \
                   --check --hook --timeout --idle-timeout --max-time --max-cost --stagnation \
                   --max-wait --quota --output --color";
    for option in options.split_whitespace() {
        let message = forkhestra(&TestEnv::new(), &["a", "--dry-run", option]).failure(2);
        assert!(message.contains("a value is required for "), "{option}: {message}");
    }
}

#[test]
fn a_limit_can_be_turned_off_and_is_printed_normalised() {
    // The cost of this agent is known, so a cost limit causes no warning.
    let env = project(r#"{ "agents": { "a": { "systemPromptText": "" } }, "chains": {} }"#);
    env.install("claude");
    let shown = |option: &str, value: &str| {
        let shown = planned(&env, &["a:2", option, value]);
        let line =
            shown.lines().find(|line| line.contains("at most ") || line.contains("no limit"));
        line.map(|line| line.trim().to_owned()).unwrap_or_default()
    };
    let table = [
        ("--timeout", "90s", "iteration time: at most 1m 30s"),
        ("--timeout", "1h 30m", "iteration time: at most 1h 30m"),
        ("--timeout", "off", "iteration time: no limit"),
        ("--idle-timeout", "off", "idle time: no limit"),
        ("--max-time", "8h", "run time: at most 8h"),
        ("--max-cost", "5", "run cost: at most $5.00"),
        ("--max-cost", "2.50", "run cost: at most $2.50"),
        ("--max-cost", "$0.125", "run cost: at most $0.125"),
        ("--max-cost", "off", "run cost: no limit"),
        ("--stagnation", "3", "stagnation: at most 3"),
        ("--stagnation", "off", "stagnation: no limit"),
        ("--max-wait", "20m", "wait for usage limits: at most 20m"),
        ("--quota", "7d=even, 5h=090%", "account quota: at most 5h=90%,7d=even"),
        ("--quota", "off", "account quota: no limit"),
    ];
    for (option, value, expected) in table {
        assert_eq!(shown(option, value), expected, "{option} {value}");
    }
}

#[test]
fn a_wrong_quota_has_its_position_and_a_suggestion() {
    assert_snapshot!(wrong("--quota", "5h=190%"), @"
    error: invalid value '5h=190%' for '--quota <QUOTA>': `190%` at character 4 is more than the whole window; write `1%` to `100%`, or `even`
    hint: for the options and their values see `forkhestra --help`
    ");
    assert_snapshot!(wrong("--quota", "5h=90%,6h=50%"), @"
    error: invalid value '5h=90%,6h=50%' for '--quota <QUOTA>': `6h` at character 8 is not a window; write `5h` or `7d`, as in `5h=90%,7d=even`
    hint: for the options and their values see `forkhestra --help`
    ");
    assert_snapshot!(wrong("--quota", "5h"), @"
    error: invalid value '5h' for '--quota <QUOTA>': `5h` at character 1 has no share; write `5h=90%` or `5h=even`
    hint: for the options and their values see `forkhestra --help`
    ");
    assert_snapshot!(wrong("--quota", "5h=0%"), @"
    error: invalid value '5h=0%' for '--quota <QUOTA>': `0%` at character 4 would never start an agent; write `1%` to `100%`, or `even`
    hint: for the options and their values see `forkhestra --help`
    ");
    assert_snapshot!(wrong("--quota", "5h=90%,5h=80%"), @"
    error: invalid value '5h=90%,5h=80%' for '--quota <QUOTA>': `5h` at character 8 is named twice; keep one of them
    hint: for the options and their values see `forkhestra --help`
    ");
    let env = TestEnv::new();
    for verb in ["resume", "set"] {
        let message = forkhestra(&env, &[verb, "--quota", "7d=5"]).failure(2);
        assert!(message.contains("`5` at character 4 needs a percent sign"), "{message}");
    }
    let message = forkhestra(&env, &["a", "--quota", "5h=9%", "--quota", "7d=9%"]).failure(2);
    assert!(message.contains("--quota"), "{message}");
}

#[test]
fn agents_that_do_not_tell_their_quota_are_named() {
    let env = project(
        r#"{
          "agents": {
            "a": { "systemPromptText": "" },
            "b": { "systemPromptText": "", "backend": "codex" },
            "c": { "systemPromptText": "", "billing": "api-key" }
          },
          "chains": {}
        }"#,
    );
    for program in ["claude", "codex", "d"] {
        env.install(program);
    }
    let args = ["a -> b -> c -> d -> b", "--quota", "5h=90%", "--dry-run", "--quiet"];
    let output = forkhestra(&env, &args);
    assert_eq!(output.code, Some(0), "{output}");
    assert_snapshot!(output.stderr, @"
    warning: quota cannot be enforced for steps 2 and 5: Codex does not report the usage of its account
    hint: its agents are started at any time; `--max-cost` and `--max-time` hold for every agent
    warning: quota cannot be enforced for step 3: an account with an API key has no windows
    hint: only a subscription has them; `--max-cost` limits what agents with an API key spend
    warning: quota may not be enforced for step 4: its agent is a program
    hint: a program is delayed if it prints Claude Code's stream of a subscription
    ");
    let quiet = forkhestra(&env, &["a:2", "--quota", "5h=90%", "--dry-run", "--quiet"]);
    assert_eq!(quiet.stderr, "", "{quiet}");
}

#[test]
fn flags_behind_a_regular_expression_are_not_taken_for_a_line() {
    assert_snapshot!(wrong("--marker", "/DONE/i"), @"
    error: invalid value '/DONE/i' for '--marker <LINE>': has flags behind its slash; write them in front of the expression, as in `/(?i)…/`
    hint: for the options and their values see `forkhestra --help`
    ");
}
