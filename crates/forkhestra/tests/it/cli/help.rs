//! Help and version, on standard output.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{FORKHESTRA, forkhestra};

#[test]
fn help_shows_every_option_and_how_chains_are_written() {
    assert_snapshot!(forkhestra(&TestEnv::new(), &["--help"]).success(), @r#"
    Runs coding agents unattended, in loops and chains, until the work is verified as done

    Usage: forkhestra [OPTIONS] <AGENT>[:N]
           forkhestra [OPTIONS] "<AGENT>[:N] -> <AGENT>[:N] …" [VAR=value…] [-- ARGS…]
           forkhestra [OPTIONS] --chain <NAME> [VAR=value…] [-- ARGS…]
           forkhestra <COMMAND> …

    Commands:
      run          Run a chain (needed only if an agent has the same name as a command)
      resume       Resume a run that was stopped, interrupted or ended by a limit
      fork         Start a new run that continues from an earlier state of another run
      stop         Stop a run after the current iteration, or at once
      pause        Pause a run (agents and time limits)
      continue     Continue a paused run
      tell         Send a message to the next agent of a run
      approve      Approve the step that waits for an answer, with an optional comment
      deny         Deny the step that waits for an answer, with an optional comment
      skip         End the current step, or with --group its repeated group, and start the next one
      set          Change the limits of an active run
      runs         List the runs of this work tree, remove runs, or rebuild their views [alias: ps]
      show         Show a run: its steps, its iterations, and how to resume it [alias: status]
      logs         Show what the agents of a run printed [alias: log]
      diff         Show what changed between two iterations of a run, by `git diff`
      rewind       Bring the work tree back to the state after an iteration, and undo that
      bisect       Find the iteration of a run that broke something
      stats        Show statistics of runs: what tasks cost, where time and money went
      what-if      Simulate other limits on past runs, or suggest limits
      events       Print the events of a run, one JSON object per line
      watch        Watch and control runs in the terminal [alias: attach]
      list         List the chains and agents that can be run here [alias: ls]
      init         Set up a project: config file, templates for specifications, task database
      plan         Turn an idea into PLAN.md, and have the planner create the tasks
      show-agent   Show everything an agent is given: prompts, model, tools, command line
      doctor       Check the installation and the set-up of the project
      schema       Print the JSON Schema of the config file, .agent-state/ files, events or statistics
      completions  Print a shell completion script
      man          Print a manual page, or write all of them
      demo         Show a recorded run: two agents plan and build something. No account is needed
      help         Print this message or the help of the given subcommand(s)

    Arguments:
      [CHAIN|VAR=value]...  The chain to run, and values for its variables
      [ARGS]...             Arguments for all agents, after those of the config

    Options:
          --chain [<NAME>]   Run a chain of the config file, or a built-in one
          --yes              Approve every question of the chain without asking
          --dry-run          Show what would run, fully resolved, and run nothing
          --backend <NAME>   Agent program of the built-in agents [possible values: claude, codex,
                             gemini, opencode]
          --fallback <NAME>  Agent program to use while an agent's own program is at its usage limit or
                             quota; prompts and tools stay the same, the model does not; off for none
                             [possible values: claude, codex, gemini, opencode, off]
          --model <NAME>     The model of all agents with a system prompt and of built-in agents;
                             overrides their own
          --cwd <DIR>        Work in this directory
          --config <PATH>    Use this config file instead of the project's forge/orch/chains.json
      -h, --help             Print help
      -V, --version          Print version

    State of runs:
          --state-dir <DIR>   Keep runs in this directory instead of the user's state directory
          --durability <HOW>  Crash safety of the journal: `fsync` survives a power failure, `os` only a
                              crash of this program [default: fsync] [possible values: fsync, os]
          --no-lock           Run even if another run is active in this work tree
          --no-view           Do not write a view of the run to .agent-state/ in the working directory

    Prompt:
      -p, --prompt <TEXT>       The prompt for all agents; an empty text means no prompt
          --prompt-file <PATH>  A file with the prompt for all agents, read again for every iteration

    Completion:
          --marker <LINE>        A line that marks a step as complete, or a /regex/, instead of the
                                 default markers; repeatable
          --done-file <PATH>     A file that marks a step as complete when it appears or changes
          --check <SPEC>         What must hold before a step is complete: command:"…", file:PATH,
                                 marker:REGEX, exit-code, tasks, task:ID, planned or a script;
                                 AGENT:SPEC for one agent only; repeatable
          --calibrate            Run the checks before the first iteration too: one that passes there
                                 proves nothing, and is reported
          --no-feedback          Do not tell agents why checks failed, a round was refused, or the step
                                 that they replace was not complete
          --hook <TYPE:COMMAND>  Run a command at a point of the run: pre-iteration, post-iteration,
                                 on-complete, on-stagnation, on-failure, on-interrupt, on-limit or
                                 on-question; repeatable

    Work tree:
          --clean-room          Run the checks in a fresh clone of the last commit, so that uncommitted
                                work cannot make them pass
          --protect <GLOB>      Files that agents must not change, such as "tests/**"; work that changes
                                them is refused; repeatable
          --no-protect-scripts  Allow agents to change the scripts that checks and hooks run. Without
                                this option they are protected
          --on-cycle <HOW>      What to do when the work tree returns to the state of an earlier
                                iteration: report it, or end the step [default: report] [possible
                                values: report, stop]
          --from-head           Begin lanes with the last commit, although tracked files have changes
                                that are not in it
          --no-snapshots        Do not keep a snapshot commit of each iteration under refs/forkhestra/

    Sandbox:
          --sandbox <LEVEL>  The sandbox of agents and checks. guard: only the work tree, package caches
                             and directories of the agent can be written. workspace: also, settings of
                             git and of agents are read-only, and the state directory, /run, /tmp and
                             other processes are hidden. strict: also, the home directory is hidden, and
                             only listed hosts can be reached. auto: workspace if possible, otherwise
                             guard [default: auto] [possible values: auto, off, guard, workspace,
                             strict]
          --writable <PATH>  A file or directory outside the work tree that agents and checks may write;
                             repeatable

    Record and replay:
          --record <DIR>  Record the run to this directory: what agents print and when, and how they
                          change the work tree
          --replay <DIR>  Play back a recording instead of starting agents
          --speed <N>     Playback speed: 1 is as recorded, `max` does not wait [default: 1]

    Limits (each may be `off`):
          --timeout <TIME>       Time limit of one iteration
          --idle-timeout <TIME>  Time an agent may make no progress [default: 30m]
          --stagnation <N>       Iterations in a row without a new state of the work tree [default: 3
                                 for loops with the name of a built-in agent, 2 for planner and
                                 task-manager]
          --max-time <TIME>      Time limit of the whole run
          --max-cost <USD>       Cost limit of the whole run, in US dollars
          --max-wait <TIME>      Longest wait for a provider's usage limit to reset [default: 6h]
          --quota <QUOTA>        Start no agent while more than this share of the account's 5h or 7d
                                 window is used, such as 5h=90%; `even` allows 1/7 more each day (1/5
                                 each hour)

    Background:
          --detach          Run in the background, and print the run id
          --notify <WHERE>  Where to send notifications (overrides the config): terminal, desktop, ntfy,
                            slack, discord, webhook or none; repeatable

    Output:
      -v, --verbose          Show everything: full output, and where each value comes from
          --quiet            Show only warnings, errors and the result
          --output <FORMAT>  Print for people or for programs [default: human] [possible values: human,
                             json]
          --color <WHEN>     Use colours [default: auto] [possible values: auto, always, never]

    A chain is one agent, or several separated by `->`. An agent is a configured name, a built-in
    agent, a program on PATH or a path. With a count (`builder:20`) it loops until its work is done, at
    most so many times; without a count it runs once. `(a:20 -> b):3` repeats both until b accepts, `?`
    asks you, and `a else b` runs b if a is not complete. `a:20 x4` runs 4 of the 20 iterations at a
    time, and `(a | b)` runs both at the same time. Named chains, prompts and checks are in
    forge/orch/chains.json; `forkhestra list` shows them. `forkhestra -h` is a summary of this page.

    Examples:
      forkhestra task-manager                   one agent, once
      forkhestra task-coordinator:10            in a loop, up to 10 times
      forkhestra "planner:3 -> builder:20" --dry-run
      forkhestra "(builder:20 -> reviewer):3"   build and review, in up to 3 rounds
      forkhestra --chain single-task TASK_ID=TASK-001
      forkhestra builder:5 -p "Fix the failing tests"
      forkhestra resume                         resume the last run here
      forkhestra runs                           list the runs here, with their results
      forkhestra watch                          watch and control a run

    Exit codes: 0 complete, 1 not complete, 2 usage or configuration error, 129 130 143 interrupted
    (HUP, INT, TERM), 137 a process of forkhestra was killed, 141 output closed
    "#);
}

#[test]
fn the_short_flag_shows_a_summary() {
    let env = TestEnv::new();
    let summary = forkhestra(&env, &["-h"]).success();
    let usage = "\n\nUsage: forkhestra [OPTIONS] <AGENT>[:N]\n";
    assert!(summary.contains(usage) && summary.contains("\nOptions:\n"), "{summary}");
    assert!(summary.lines().count() <= 45);
    for args in [&["a:3", "-h"][..], &["-vh"], &["--chain", "x", "-h"]] {
        assert_eq!(forkhestra(&env, args).success(), summary, "{args:?}");
    }
    // The help of a verb has no shorter form.
    for verb in ["runs", "resume", "plan"] {
        let help = forkhestra(&env, &[verb, "--help"]).success();
        assert_eq!(forkhestra(&env, &[verb, "-h"]).success(), help, "{verb}");
    }
}

#[test]
fn the_summary_names_only_what_the_help_explains() {
    let env = TestEnv::new();
    for program in [FORKHESTRA, env!("CARGO_BIN_EXE_ralph-runner")] {
        let summary = env.run(program, &["-h"]).success();
        let help = env.run(program, &["--help"]).success();
        assert_ne!(summary, help, "{program}");
        for line in summary.lines() {
            for option in line
                .split([' ', ',', '(', ')'])
                .filter(|word| word.starts_with("--") && *word != "--")
            {
                let is_there = help.split([' ', ',', '\n', '[']).any(|word| word == option);
                assert!(is_there, "{program} has no {option}");
            }
        }
    }
    let summary = forkhestra(&env, &["-h"]).success();
    let help = forkhestra(&env, &["--help"]).success();
    let (_, commands) = help.split_once("Commands:\n").expect("there are some");
    let (commands, _) = commands.split_once("\n\n").expect("they end");
    let verbs = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with(' '));
    for verb in
        verbs.filter_map(|line| line.split_whitespace().next()).filter(|verb| *verb != "help")
    {
        let is_there = summary.split([' ', ',', '\n']).any(|word| word == verb);
        assert!(is_there, "the summary does not name {verb}");
    }
}

#[test]
fn help_takes_precedence_over_all_other_arguments() {
    let env = TestEnv::new();
    let help = forkhestra(&env, &["--help"]).success();
    assert_eq!(forkhestra(&env, &["a:3", "--help"]).success(), help);
    assert_eq!(forkhestra(&env, &["--chain", "x", "--help"]).success(), help);
}

#[test]
fn help_of_run_shows_the_options_of_a_run() {
    assert_snapshot!(forkhestra(&TestEnv::new(), &["run", "--help"]).success(), @r#"
    Run a chain (needed only if an agent has the same name as a command)

    Usage: forkhestra run [OPTIONS] <CHAIN> [VAR=value…] [-- ARGS…]

    Arguments:
      [CHAIN|VAR=value]...  The chain to run, and values for its variables
      [ARGS]...             Arguments for all agents, after those of the config

    Options:
          --chain [<NAME>]   Run a chain of the config file, or a built-in one
          --yes              Approve every question of the chain without asking
          --dry-run          Show what would run, fully resolved, and run nothing
          --backend <NAME>   Agent program of the built-in agents [possible values: claude, codex,
                             gemini, opencode]
          --fallback <NAME>  Agent program to use while an agent's own program is at its usage limit or
                             quota; prompts and tools stay the same, the model does not; off for none
                             [possible values: claude, codex, gemini, opencode, off]
          --model <NAME>     The model of all agents with a system prompt and of built-in agents;
                             overrides their own
          --cwd <DIR>        Work in this directory
          --config <PATH>    Use this config file instead of the project's forge/orch/chains.json
      -h, --help             Print help

    State of runs:
          --state-dir <DIR>   Keep runs in this directory instead of the user's state directory
          --durability <HOW>  Crash safety of the journal: `fsync` survives a power failure, `os` only a
                              crash of this program [default: fsync] [possible values: fsync, os]
          --no-lock           Run even if another run is active in this work tree
          --no-view           Do not write a view of the run to .agent-state/ in the working directory

    Prompt:
      -p, --prompt <TEXT>       The prompt for all agents; an empty text means no prompt
          --prompt-file <PATH>  A file with the prompt for all agents, read again for every iteration

    Completion:
          --marker <LINE>        A line that marks a step as complete, or a /regex/, instead of the
                                 default markers; repeatable
          --done-file <PATH>     A file that marks a step as complete when it appears or changes
          --check <SPEC>         What must hold before a step is complete: command:"…", file:PATH,
                                 marker:REGEX, exit-code, tasks, task:ID, planned or a script;
                                 AGENT:SPEC for one agent only; repeatable
          --calibrate            Run the checks before the first iteration too: one that passes there
                                 proves nothing, and is reported
          --no-feedback          Do not tell agents why checks failed, a round was refused, or the step
                                 that they replace was not complete
          --hook <TYPE:COMMAND>  Run a command at a point of the run: pre-iteration, post-iteration,
                                 on-complete, on-stagnation, on-failure, on-interrupt, on-limit or
                                 on-question; repeatable

    Work tree:
          --clean-room          Run the checks in a fresh clone of the last commit, so that uncommitted
                                work cannot make them pass
          --protect <GLOB>      Files that agents must not change, such as "tests/**"; work that changes
                                them is refused; repeatable
          --no-protect-scripts  Allow agents to change the scripts that checks and hooks run. Without
                                this option they are protected
          --on-cycle <HOW>      What to do when the work tree returns to the state of an earlier
                                iteration: report it, or end the step [default: report] [possible
                                values: report, stop]
          --from-head           Begin lanes with the last commit, although tracked files have changes
                                that are not in it
          --no-snapshots        Do not keep a snapshot commit of each iteration under refs/forkhestra/

    Sandbox:
          --sandbox <LEVEL>  The sandbox of agents and checks. guard: only the work tree, package caches
                             and directories of the agent can be written. workspace: also, settings of
                             git and of agents are read-only, and the state directory, /run, /tmp and
                             other processes are hidden. strict: also, the home directory is hidden, and
                             only listed hosts can be reached. auto: workspace if possible, otherwise
                             guard [default: auto] [possible values: auto, off, guard, workspace,
                             strict]
          --writable <PATH>  A file or directory outside the work tree that agents and checks may write;
                             repeatable

    Record and replay:
          --record <DIR>  Record the run to this directory: what agents print and when, and how they
                          change the work tree
          --replay <DIR>  Play back a recording instead of starting agents
          --speed <N>     Playback speed: 1 is as recorded, `max` does not wait [default: 1]

    Limits (each may be `off`):
          --timeout <TIME>       Time limit of one iteration
          --idle-timeout <TIME>  Time an agent may make no progress [default: 30m]
          --stagnation <N>       Iterations in a row without a new state of the work tree [default: 3
                                 for loops with the name of a built-in agent, 2 for planner and
                                 task-manager]
          --max-time <TIME>      Time limit of the whole run
          --max-cost <USD>       Cost limit of the whole run, in US dollars
          --max-wait <TIME>      Longest wait for a provider's usage limit to reset [default: 6h]
          --quota <QUOTA>        Start no agent while more than this share of the account's 5h or 7d
                                 window is used, such as 5h=90%; `even` allows 1/7 more each day (1/5
                                 each hour)

    Background:
          --detach          Run in the background, and print the run id
          --notify <WHERE>  Where to send notifications (overrides the config): terminal, desktop, ntfy,
                            slack, discord, webhook or none; repeatable

    Output:
      -v, --verbose          Show everything: full output, and where each value comes from
          --quiet            Show only warnings, errors and the result
          --output <FORMAT>  Print for people or for programs [default: human] [possible values: human,
                             json]
          --color <WHEN>     Use colours [default: auto] [possible values: auto, always, never]
    "#);
}

#[test]
fn help_of_list_shows_its_options() {
    assert_snapshot!(forkhestra(&TestEnv::new(), &["list", "--help"]).success(), @"
    List the chains and agents that can be run here

    Usage: forkhestra list [OPTIONS]

    Options:
          --json           Print JSON
          --cwd <DIR>      Work in this directory
          --config <PATH>  Use this config file instead of the project's forge/orch/chains.json
          --color <WHEN>   Use colours [default: auto] [possible values: auto, always, never]
      -h, --help           Print help
    ");
}

#[test]
fn help_of_logs_shows_its_options() {
    assert_snapshot!(forkhestra(&TestEnv::new(), &["logs", "--help"]).success(), @"
    Show what the agents of a run printed

    Usage: forkhestra logs [OPTIONS] [RUN]

    Arguments:
      [RUN]  The run: the start of its id, or the path of its journal, directory or view file [default:
             the last run of this work tree]

    Options:
          --step <N>         Only what the agent of this step printed
          --iteration <N>    Only what was printed in this iteration, in all its attempts
          --lane <K>         Only what agents in this lane printed
      -f, --follow           Keep printing new output until the run is over
      -n, --lines <N>        Only the last N lines of standard output and of standard error
      -v, --verbose          Everything: thoughts, tool results, unknown events
          --raw              The raw bytes that agents printed, without headings
          --cwd <DIR>        Search for runs from this directory instead of the current one
          --state-dir <DIR>  Search for runs in this directory instead of the user's state directory
          --color <WHEN>     Use colours [default: auto] [possible values: auto, always, never]
      -h, --help             Print help
    ");
}

#[test]
fn help_of_bisect_shows_its_options() {
    assert_snapshot!(forkhestra(&TestEnv::new(), &["bisect", "--help"]).success(), @"
    Find the iteration of a run that broke something

    Usage: forkhestra bisect [OPTIONS] [RUN] [--check <SPEC>… | -- <CMD>…]

    Arguments:
      [RUN]     The run: the start of its id, or the path of its journal, directory or view file
                [default: the last run of this work tree]
      [CMD]...  The command that tests a snapshot

    Options:
          --good <N>         An iteration after which the test passes [default: 0, the state before the
                             run]
          --bad <N>          An iteration after which the test fails [default: the last one]
          --times <K>        Test each snapshot K times; one that passes and fails is flaky, and skipped
                             [default: 1]
          --check <SPEC>     Test by this check: `command:…`, `file:PATH` or a script; repeatable
                             [default: the checks of the step]
          --timeout <TIME>   End a test that takes longer than this, such as `90s`, and skip the
                             snapshot, or `off` [default: that of the check, off for a command]
          --fresh            Remove ignored files, such as build output, before each test
      -v, --verbose          Show the last lines that each test printed
          --json             Print the result as JSON
          --cwd <DIR>        Search for runs from this directory instead of the current one
          --state-dir <DIR>  Search for runs in this directory instead of the user's state directory
          --color <WHEN>     Use colours [default: auto] [possible values: auto, always, never]
      -h, --help             Print help

    Sandbox:
          --sandbox <LEVEL>  The sandbox of the command or the checks [default: that of the run's
                             checks] [possible values: auto, off, guard, workspace, strict]
          --writable <PATH>  A further file or directory that the command or the checks may write;
                             repeatable

    The command decides by its exit code: 0 is good, 125 skips the snapshot, 1 to 124 are bad, and 126
    and above, or a signal, end the search. It runs in a directory that has the files of the snapshot,
    with an empty home directory, in the sandbox of the run's checks. The work tree, its index and its
    branches are not changed.

    An iteration is named `7`, or `2.7` in step 2, or by its snapshot, `@12`. `0` is the state before
    the run.

    Exit codes: 0 found, 1 not found, 2 usage error, or the test command failed to run.

    Example: forkhestra bisect 1f0c -- cargo test
    ");
}

#[test]
fn help_of_schema_shows_its_options() {
    assert_snapshot!(forkhestra(&TestEnv::new(), &["schema", "--help"]).success(), @"
    Print the JSON Schema of the config file, .agent-state/ files, events or statistics

    Usage: forkhestra schema [OPTIONS] [OF]

    Arguments:
      [OF]  What to describe: the config file, a file in .agent-state/, a line of events, or statistics
            [default: config] [possible values: config, chain-state, run-state, iteration, events,
            stats]

    Options:
          --color <WHEN>  Use colours [default: auto] [possible values: auto, always, never]
      -h, --help          Print help
    ");
}

#[test]
fn the_version_is_that_of_the_package() {
    let env = TestEnv::new();
    let expected = concat!("forkhestra ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(forkhestra(&env, &["--version"]).success(), expected);
    assert_eq!(forkhestra(&env, &["-V"]).success(), expected);
}

/// Every example of the help is a valid command line.
#[test]
fn the_examples_of_the_help_can_be_planned() {
    let env = TestEnv::new();
    env.write("forge/orch/specs/PLAN.md", "A shop.\n").write(
        crate::CONFIG,
        r#"{ "chains": { "single-task": { "steps": [
            { "agent": "forge-task-worker", "args": ["--task", "${TASK_ID}"] }
        ] } } }"#,
    );
    let help = forkhestra(&env, &["--help"]).success();
    let examples: Vec<&str> =
        help.lines().filter_map(|line| line.strip_prefix("  forkhestra ")).collect();
    assert_eq!(examples.len(), 9, "{help}");
    for example in examples {
        let command = example.split("   ").next().unwrap_or(example);
        let words = words(command);
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            // There is no run to resume.
            ["resume"] => {
                assert!(forkhestra(&env, &words).failure(2).contains("nothing to resume"));
            }
            ["watch"] => {
                assert!(forkhestra(&env, &words).failure(2).contains("terminal"));
            }
            ["runs"] => {
                assert!(forkhestra(&env, &words).stderr.contains("There are no runs here"));
            }
            _ => {
                words.push("--dry-run");
                words.dedup();
                forkhestra(&env, &words).success();
            }
        }
    }
}

/// Splits a command line at white space, except inside double quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in command.trim().chars() {
        match character {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            character => words.last_mut().expect("there is a word").push(character),
        }
    }
    words
}

#[test]
fn help_of_stats_shows_its_options() {
    assert_snapshot!(forkhestra(&TestEnv::new(), &["stats", "--help"]).success(), @"
    Show statistics of runs: what tasks cost, where time and money went

    Usage: forkhestra stats [OPTIONS] [RUN]

    Arguments:
      [RUN]  Only this run: the start of its id, or the path of its journal, directory or view file
             [default: all runs of this work tree]

    Options:
          --since <WHEN>     Only runs that began since then: an age such as `30d` or `12h`, or a date
                             such as `2026-11-01`
          --by <WHAT>        Group the statistics by agent, model, chain, check, task or day
          --all              Include the runs of all work trees
          --json             Print JSON
          --cwd <DIR>        Search for runs from this directory instead of the current one
          --state-dir <DIR>  Search for runs in this directory instead of the user's state directory
          --color <WHEN>     Use colours [default: auto] [possible values: auto, always, never]
      -h, --help             Print help
    ");
}

/// Nothing is used up before a simulated run, and its limits have no default: those of the run stay.
#[test]
fn help_of_what_if_shows_the_limits_of_past_runs() {
    assert_snapshot!(forkhestra(&TestEnv::new(), &["what-if", "--help"]).success(), @"
    Simulate other limits on past runs, or suggest limits

    Usage: forkhestra what-if [OPTIONS] [RUN]...

    Arguments:
      [RUN]...  The runs: the starts of their ids, or the paths of their journals, directories or view
                files [default: all ended runs of this work tree]

    Options:
          --since <WHEN>     Only runs that began since then: an age such as `30d` or `12h`, or a date
                             such as `2026-11-01`
          --all              Include the runs of all work trees
          --suggest          Print the tightest value of each limit that would have harmed no completed
                             run
          --json             Print JSON
          --cwd <DIR>        Search for runs from this directory instead of the current one
          --state-dir <DIR>  Search for runs in this directory instead of the user's state directory
          --color <WHEN>     Use colours [default: auto] [possible values: auto, always, never]
      -h, --help             Print help

    Limits (each may be `off`, except --max-iterations):
          --max-iterations <N>  Iteration limit of each loop
          --timeout <TIME>      Time limit of one iteration
          --stagnation <N>      Iterations in a row without a new state of the work tree
          --max-time <TIME>     Time limit of the whole run
          --step-time <TIME>    Time limit of each step
          --group-time <TIME>   Time limit of each group for all its rounds
          --max-cost <USD>      Cost limit of the whole run in US dollars
          --step-cost <USD>     Cost limit of each step in US dollars
          --group-cost <USD>    Cost limit of each group for all its rounds in US dollars
          --max-wait <TIME>     Longest wait for a provider's usage limit to reset

    Only limits are simulated, from the journals of past runs. What an agent would have done after an
    earlier end is unknown. A harmed run is one that completed, and that the limit would have ended
    before.
    ");
}
