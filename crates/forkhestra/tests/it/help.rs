//! Help and version: data that was asked for, on standard output.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::forkhestra;

#[test]
fn help_shows_every_option_and_how_chains_are_written() {
    assert_snapshot!(forkhestra(&TestEnv::new(), &["--help"]).success(), @r#"
    Runs coding agents unattended, in loops and chains, until the work is verified as done

    Usage: forkhestra [OPTIONS] <AGENT>[:N]
           forkhestra [OPTIONS] "<AGENT>[:N] -> <AGENT>[:N] …" [VAR=value…] [-- ARGS…]
           forkhestra [OPTIONS] --chain <NAME> [VAR=value…] [-- ARGS…]
           forkhestra run|resume|stop|pause|continue|tell|skip|set|watch …
           forkhestra runs|show|logs|events|list|init|plan|show-agent|doctor|schema|completions|man|demo …

    Commands:
      run          Run a chain, also one whose agent is called like a verb
      resume       Go on with a run that was cut off, interrupted or ended by a limit
      stop         End a run after the iteration at work, or at once
      pause        Have a run stand still: its agents, and its clocks
      continue     Have a paused run go on
      tell         Tell the next agent of a run something
      skip         End the step at work, and begin the next one
      set          Change the limits of a run that is going on
      runs         List the runs of this work tree, remove some, or make their views again
      show         Show a run: its steps, its iterations, and how to go on with it
      logs         Show what the agents of a run printed
      events       Print what happened in a run, one JSON object a line
      watch        Watch runs in the terminal, and steer them
      list         List the chains and agents that can be run here
      init         Set a project up: a config file, places for your specifications, and the task
                   database
      plan         Write PLAN.md for an idea, asking a few questions, and have the planner create the
                   tasks
      show-agent   Print the prompt of an agent
      doctor       Look at what is installed and set up here, and say what is missing
      schema       Print the JSON Schema of the config file, or of a file in .agent-state/
      completions  Print what makes a shell complete our command lines
      man          Print a manual page, or write them all
      demo         Watch two agents plan and build something, without any account
      help         Print this message or the help of the given subcommand(s)

    Arguments:
      [CHAIN|VAR=value]...  The chain to run, and values for its variables
      [ARGS]...             Arguments for all agents, after those of the config

    Options:
          --chain [<NAME>]    Run a chain of the config file, or a built-in one
          --dry-run           Show what would run, fully resolved, and run nothing
          --backend <NAME>    The agent program that built-in agents are for [possible values: claude,
                              codex, gemini, opencode]
          --model <NAME>      The model of all agents that are not programs, instead of their own
          --cwd <DIR>         The working directory of everything
          --config <PATH>     Use this file instead of the project's forge/orch/chains.json
          --state-dir <DIR>   Keep the state of runs here instead of in the user's state directory
          --durability <HOW>  What the record of a run survives: a power failure, or only the end of
                              this program [default: fsync] [possible values: fsync, os]
          --no-lock           Run even if another run is at work in this work tree
          --no-view           Do not keep a view of the run in .agent-state/ in the working directory
      -h, --help              Print help
      -V, --version           Print version

    Prompt:
      -p, --prompt <TEXT>       The prompt for all agents; an empty one means none
          --prompt-file <PATH>  A file with the prompt for all agents, read anew for every iteration

    Completion:
          --marker <LINE>        A line that says a step is done, or a /regex/, instead of the usual
                                 ones; repeatable
          --done-file <PATH>     A file whose appearance or change says that a step is done
          --check <SPEC>         What must hold before a step is done: command:"…", file:PATH,
                                 marker:REGEX, exit-code, tasks or a script; AGENT:SPEC for one agent
                                 only; repeatable
          --no-feedback          Do not tell the next iteration why a check failed
          --hook <TYPE:COMMAND>  A command to run at a moment of the run: pre-iteration, post-iteration,
                                 on-complete, on-stagnation, on-failure, on-interrupt or on-limit;
                                 repeatable

    Work tree:
          --clean-room      Run the checks on what is committed, in a git work tree of their own: what
                            is not committed cannot make them pass
          --protect <GLOB>  Files that agents may not change, as in "tests/**": if one did, its work is
                            not accepted; repeatable
          --on-cycle <HOW>  What to do about a step whose work tree is again what it was after an
                            earlier iteration: tell of it, or end the step [default: report] [possible
                            values: report, stop]
          --no-snapshots    Do not keep the work tree of each iteration as a commit under
                            refs/forkhestra/

    Record and replay:
          --record <DIR>   Record everything that agents do into this directory: what they print, when,
                           and what becomes of the work tree
          --replay <DIR>   Play a recording back instead of starting any agent
          --speed <N>      How fast to play it: 1 is as it was recorded, `max` without any wait
                           [default: 1]
          --fault <FAULT>  Something to go wrong: [AGENT:][ITERATION:] and limit@LINE, truncate@LINE,
                           crash@LINE or hang; repeatable

    Limits (each may be `off`):
          --timeout <TIME>       Wall time of one iteration
          --idle-timeout <TIME>  Time an agent may be silent and idle [default: 30m]
          --max-time <TIME>      Wall time of the whole run
          --max-cost <USD>       US dollars for the whole run
          --stagnation <N>       Iterations in a row without any change of the work tree
          --max-wait <TIME>      The longest wait for a provider's usage limit to be reset [default: 6h]

    Attendance:
          --detach          Run in the background, and print the id of the run
          --notify <WHERE>  Whom to tell when the run is over, hits a limit or needs somebody, instead
                            of whom the config names: terminal, desktop, ntfy, slack, discord, webhook
                            or none; repeatable

    Output:
      -v, --verbose          Show everything: full output, and where each value comes from
          --quiet            Show only what matters
          --output <FORMAT>  Print for a person or for a program [default: human] [possible values:
                             human, json]
          --color <WHEN>     Use colours [default: auto] [possible values: auto, always, never]

    A chain is an agent, or several with arrows between them. An agent is a configured name, a program
    on PATH or a path. A count makes it loop until it says that its work is done, at most so many times;
    without a count it runs once. Chains with names, prompts and checks are kept in
    forge/orch/chains.json; `forkhestra list` shows them.

    Examples:
      forkhestra task-manager                   one agent, once
      forkhestra task-coordinator:10            in a loop, up to 10 times
      forkhestra "planner:3 -> builder:20" --dry-run
      forkhestra --chain single-task TASK_ID=TASK-001
      forkhestra builder:5 -p "Fix the failing tests"
      forkhestra resume                         go on with the last run here
      forkhestra runs                           what became of the runs here
      forkhestra watch                          see what a run does, and steer it

    Exit codes: 0 complete, 1 not complete, 2 wrong use or configuration, 129 130 143 interrupted
    (HUP, INT, TERM), 137 one of our own processes was killed, 141 output closed
    "#);
}

#[test]
fn the_short_flag_shows_the_same_help() {
    let env = TestEnv::new();
    assert_eq!(forkhestra(&env, &["-h"]).success(), forkhestra(&env, &["--help"]).success());
}

#[test]
fn help_wins_over_everything_else_on_the_command_line() {
    let env = TestEnv::new();
    let help = forkhestra(&env, &["--help"]).success();
    assert_eq!(forkhestra(&env, &["a:3", "--help"]).success(), help);
    assert_eq!(forkhestra(&env, &["--chain", "x", "--help"]).success(), help);
}

#[test]
fn help_of_run_shows_the_options_of_a_run() {
    assert_snapshot!(forkhestra(&TestEnv::new(), &["run", "--help"]).success(), @r#"
    Run a chain, also one whose agent is called like a verb

    Usage: forkhestra run [OPTIONS] <CHAIN> [VAR=value…] [-- ARGS…]

    Arguments:
      [CHAIN|VAR=value]...  The chain to run, and values for its variables
      [ARGS]...             Arguments for all agents, after those of the config

    Options:
          --chain [<NAME>]    Run a chain of the config file, or a built-in one
          --dry-run           Show what would run, fully resolved, and run nothing
          --backend <NAME>    The agent program that built-in agents are for [possible values: claude,
                              codex, gemini, opencode]
          --model <NAME>      The model of all agents that are not programs, instead of their own
          --cwd <DIR>         The working directory of everything
          --config <PATH>     Use this file instead of the project's forge/orch/chains.json
          --state-dir <DIR>   Keep the state of runs here instead of in the user's state directory
          --durability <HOW>  What the record of a run survives: a power failure, or only the end of
                              this program [default: fsync] [possible values: fsync, os]
          --no-lock           Run even if another run is at work in this work tree
          --no-view           Do not keep a view of the run in .agent-state/ in the working directory
      -h, --help              Print help

    Prompt:
      -p, --prompt <TEXT>       The prompt for all agents; an empty one means none
          --prompt-file <PATH>  A file with the prompt for all agents, read anew for every iteration

    Completion:
          --marker <LINE>        A line that says a step is done, or a /regex/, instead of the usual
                                 ones; repeatable
          --done-file <PATH>     A file whose appearance or change says that a step is done
          --check <SPEC>         What must hold before a step is done: command:"…", file:PATH,
                                 marker:REGEX, exit-code, tasks or a script; AGENT:SPEC for one agent
                                 only; repeatable
          --no-feedback          Do not tell the next iteration why a check failed
          --hook <TYPE:COMMAND>  A command to run at a moment of the run: pre-iteration, post-iteration,
                                 on-complete, on-stagnation, on-failure, on-interrupt or on-limit;
                                 repeatable

    Work tree:
          --clean-room      Run the checks on what is committed, in a git work tree of their own: what
                            is not committed cannot make them pass
          --protect <GLOB>  Files that agents may not change, as in "tests/**": if one did, its work is
                            not accepted; repeatable
          --on-cycle <HOW>  What to do about a step whose work tree is again what it was after an
                            earlier iteration: tell of it, or end the step [default: report] [possible
                            values: report, stop]
          --no-snapshots    Do not keep the work tree of each iteration as a commit under
                            refs/forkhestra/

    Record and replay:
          --record <DIR>   Record everything that agents do into this directory: what they print, when,
                           and what becomes of the work tree
          --replay <DIR>   Play a recording back instead of starting any agent
          --speed <N>      How fast to play it: 1 is as it was recorded, `max` without any wait
                           [default: 1]
          --fault <FAULT>  Something to go wrong: [AGENT:][ITERATION:] and limit@LINE, truncate@LINE,
                           crash@LINE or hang; repeatable

    Limits (each may be `off`):
          --timeout <TIME>       Wall time of one iteration
          --idle-timeout <TIME>  Time an agent may be silent and idle [default: 30m]
          --max-time <TIME>      Wall time of the whole run
          --max-cost <USD>       US dollars for the whole run
          --stagnation <N>       Iterations in a row without any change of the work tree
          --max-wait <TIME>      The longest wait for a provider's usage limit to be reset [default: 6h]

    Attendance:
          --detach          Run in the background, and print the id of the run
          --notify <WHERE>  Whom to tell when the run is over, hits a limit or needs somebody, instead
                            of whom the config names: terminal, desktop, ntfy, slack, discord, webhook
                            or none; repeatable

    Output:
      -v, --verbose          Show everything: full output, and where each value comes from
          --quiet            Show only what matters
          --output <FORMAT>  Print for a person or for a program [default: human] [possible values:
                             human, json]
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
          --cwd <DIR>      The working directory of everything
          --config <PATH>  Use this file instead of the project's forge/orch/chains.json
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
      [RUN]  The run: the beginning of its id, or the path of its journal, its directory or a file of
             its view. Without it, the last run of this work tree

    Options:
          --step <N>         Only what the agent of this step printed
          --iteration <N>    Only what was printed in this iteration, in all tries of it
      -f, --follow           Go on with what is printed from now on, until the run is over
      -n, --lines <N>        Only so many lines from the end, of standard output and of standard error
      -v, --verbose          Everything that agents said: thoughts, results of tools, unknown events
          --raw              Every byte as it is kept, and nothing between them
          --cwd <DIR>        Look from here instead of from the current directory
          --state-dir <DIR>  Look for runs here instead of in the user's state directory
          --color <WHEN>     Use colours [default: auto] [possible values: auto, always, never]
      -h, --help             Print help
    ");
}

#[test]
fn help_of_schema_shows_its_options() {
    assert_snapshot!(forkhestra(&TestEnv::new(), &["schema", "--help"]).success(), @"
    Print the JSON Schema of the config file, or of a file in .agent-state/

    Usage: forkhestra schema [OPTIONS] [OF]

    Arguments:
      [OF]  Of the config file; of a file in .agent-state/: of a run, of a step, of an iteration; or of
            a line of events [default: config] [possible values: config, chain-state, run-state,
            iteration, events]

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

/// Every example of the help is a command line that is understood.
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
    assert_eq!(examples.len(), 8, "{help}");
    for example in examples {
        let command = example.split("   ").next().unwrap_or(example);
        let words = words(command);
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            // There is nothing to go on with.
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
