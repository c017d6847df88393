//! The command line as a whole.

use clap::{Arg, ArgAction, Command, CommandFactory, Parser};

use super::{GlobalArgs, TasksVerb};

/// The name of the program.
pub(crate) const NAME: &str = "forge-tasks";

const EXAMPLES: &str = "\
A task is a Markdown file in forge/tasks/, found from the current directory upwards. The first
`create` makes the directory. `1`, `task-1` and `TASK-001` are the same task.

Examples:
  forge-tasks create \"Write the parser\" -p high --ac \"Reads CRLF\" --depends-on 1

  List what can be started now, then claim the best of it:
  forge-tasks list --ready
  forge-tasks claim --as builder

  forge-tasks edit 2 --check-ac 1 --append-notes \"Done in parse.rs\" -s done
  forge-tasks view 2 --json
  forge-tasks search \"line ends\" --plain
  forge-tasks board

Exit codes: 0 done, 1 wrong use, or problems found by `check`, 3 nothing to claim, 141 output closed";

/// Keeps tasks in plain files that agents and people can share safely.
#[derive(Debug, Parser)]
#[command(name = NAME, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct TasksCli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) verb: TasksVerb,
}

/// The parser, which knows which version the program is.
pub(crate) fn command(version: &'static str) -> Command {
    let command = TasksCli::command().version(version).mut_args(lenient);
    command.mut_subcommands(|verb| verb.mut_args(lenient))
}

/// Accepts repeated flags, and negative numbers as values, so that the value's own parser reports
/// them.
fn lenient(arg: Arg) -> Arg {
    match arg.get_action() {
        ArgAction::SetTrue => {
            let id = arg.get_id().clone();
            arg.overrides_with(id)
        }
        action if action.takes_values() && !arg.is_allow_hyphen_values_set() => {
            arg.allow_negative_numbers(true)
        }
        _ => arg,
    }
}
