//! The summary that `-h` prints: the most used forms, verbs and options. `--help` lists all of
//! them.

use std::ffi::OsString;

use clap::Command;
use typeset::style::{NAME, paint};

use crate::cli::started_program::StartedProgram;
use crate::cli::verbs;

const FORKHESTRA: &str = "\
Runs coding agents unattended, in loops and chains, until the work is verified as done

Usage: forkhestra [OPTIONS] <AGENT>[:N]
       forkhestra [OPTIONS] \"<AGENT>[:N] -> <AGENT>[:N] …\" [VAR=value…] [-- ARGS…]
       forkhestra [OPTIONS] --chain <NAME> [VAR=value…] [-- ARGS…]
       forkhestra <COMMAND> …

Start:
  demo        Show a recorded run, without an account
  init, plan  Set up a project; turn an idea into PLAN.md and tasks
  list        List the chains and agents that can be run here
  doctor      Check the installation and the set-up
Runs:
  watch       Watch and control runs in the terminal
  runs, show  List runs; show what one of them did and how to resume it
  logs        Show what the agents of a run printed
  resume      Resume a run that was stopped, interrupted or ended by a limit
Past runs:
  diff, rewind    Show what an iteration changed; restore the state after one, and undo it
  fork, bisect    Continue from an iteration in a new run; find the one that broke something
  stats, what-if  Show what runs cost, and what other limits would have done
Control a running run:
  stop, pause, continue, skip
  tell, set   Send a message to the next agent; change limits
  approve, deny  Answer the question that a run waits for (--yes approves all)
More: {more}

Options:
      --chain <NAME>        Run a chain of the config file, or a built-in one
      --dry-run             Show what would run, and run nothing
  -p, --prompt <TEXT>       The prompt for all agents
      --backend <NAME>      Agent program of built-in agents: claude, codex, gemini or opencode
      --model <NAME>        Model of the agents
      --check <SPEC>        What must hold before a step is complete, such as command:\"make test\"
      --max-time <TIME>     Time limit of the run, such as 8h
      --max-cost <USD>      Cost limit of the run
      --stagnation <N>      End a loop after N iterations without any change
      --detach              Run in the background
      --cwd <DIR>           Work in this directory
  -v, --verbose             Show everything
  -h, --help                Print this summary, or all options (--help)

Chains: `(a:20 -> b):3` repeats until b accepts, `?` asks you, `a else b` runs b if a is incomplete
Examples: forkhestra plan \"A web shop for tea\"      forkhestra --chain build
          forkhestra \"planner:3 -> builder:20\"      forkhestra builder:5 -p \"Fix the failing tests\"
";

const RALPH_RUNNER: &str = "\
Runs an agent in a loop, or several in a chain, until the work is verified as done

Usage: ralph-runner [OPTIONS] --agent <NAME> --max-iterations <N> [-- ARGS…]
       ralph-runner [OPTIONS] --chain \"<AGENT>[:N] -> <AGENT>[:N] …\" [-- ARGS…]
       ralph-runner [OPTIONS] --resume <FILE>

Options:
      --agent <NAME>          The agent to run in a loop
      --max-iterations <N>    The most iterations of the loop
      --chain <CHAIN>         Agents that run one after another
      --resume <FILE>         Resume a run
      --dry-run               Show what would run, and run nothing
  -p, --prompt <TEXT>         The prompt for all agents
      --check <SPEC>          What must hold before a step is complete, such as command:\"make test\"
      --hook <TYPE:COMMAND>   Run a command at a point of the run, such as on-complete:./notify.sh
      --stagnation <N>        End a loop after N iterations without any change [default: 3]
      --timeout <TIME>        Time limit of one iteration, such as 30m
      --max-cost <USD>        Cost limit of the run
      --detach                Run in the background
  -v, --verbose               Show everything
  -h, --help                  Print this summary, or all options (--help)

Examples: ralph-runner --agent fixer --max-iterations 15 --check command:\"cargo test\"
          ralph-runner --chain \"planner:10 -> builder:20\" --check builder:./done.ts
";

/// Whether the summary is requested: `-h` was typed, and not after a verb.
pub(crate) fn is_wanted(
    error: &clap::Error,
    program: StartedProgram,
    arguments: &[OsString],
) -> bool {
    let about = of(program).lines().next().unwrap_or_default();
    is_requested(arguments) && error.render().to_string().starts_with(about)
}

/// The summary with coloured headings.
pub(crate) fn painted(program: StartedProgram) -> String {
    let line = |line: &str| match line.split_once(':') {
        Some((heading, rest)) if !heading.starts_with(' ') => {
            format!("{}{rest}\n", paint(NAME, &format!("{heading}:")))
        }
        _ => format!("{line}\n"),
    };
    of(program).replace("{more}", &more()).lines().map(line).collect()
}

/// The verbs that the summary of `forkhestra` does not describe.
fn more() -> String {
    let entries = FORKHESTRA.lines().filter_map(|line| line.strip_prefix("  "));
    let described: Vec<&str> = entries
        .filter(|entry| !entry.starts_with([' ', '-']))
        .flat_map(|entry| entry.split("  ").next().unwrap_or_default().split(", "))
        .collect();
    let verbs = verbs::documented().map(Command::get_name);
    verbs.filter(|verb| !described.contains(verb)).collect::<Vec<_>>().join(", ")
}

/// The summary text of a program.
const fn of(program: StartedProgram) -> &'static str {
    match program {
        StartedProgram::Forkhestra => FORKHESTRA,
        StartedProgram::RalphRunner => RALPH_RUNNER,
    }
}

/// Whether `-h` comes before `--help`. The parser obeys the first of the two.
fn is_requested(arguments: &[OsString]) -> bool {
    let typed = arguments.iter().skip(1).filter_map(|word| word.to_str());
    let mut asked = typed.take_while(|word| *word != "--").filter_map(|word| match word {
        "--help" => Some(false),
        // Short options may be combined, as in `-vh`.
        _ => (is_short(word) && word.contains('h')).then_some(true),
    });
    asked.next().unwrap_or(false)
}

fn is_short(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    !letters.is_empty() && letters.chars().all(|letter| letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_short_flag_asks_for_the_summary() {
        for (line, is_asked) in [
            ("-h", true),
            ("a:3 -h", true),
            ("-vh", true),
            ("-h --help", true),
            ("--help", false),
            ("--help -h", false),
            ("help", false),
            ("--chain x", false),
            ("-- -h", false),
            ("-p -", false),
        ] {
            let arguments: Vec<OsString> =
                ["forkhestra"].into_iter().chain(line.split(' ')).map(OsString::from).collect();
            assert_eq!(is_requested(&arguments), is_asked, "{line}");
        }
    }

    #[test]
    fn verbs_that_are_described_are_not_listed_again() {
        assert_eq!(more(), "run, events, show-agent, schema, completions, man");
    }

    #[test]
    fn a_summary_fits_on_a_screen() {
        for program in [StartedProgram::Forkhestra, StartedProgram::RalphRunner] {
            assert!(of(program).lines().count() <= 45, "{program:?}");
            assert!(of(program).lines().all(|line| line.chars().count() <= 100), "{program:?}");
        }
    }
}
