//! The command line of `forkhestra plan`.

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use crate::cli::args::work::WorkArgs;

const EXAMPLES: &str = "\
On a terminal, `plan` asks for what the options do not say; with -p or --prompt-file it asks
nothing. It writes PLAN.md, sets the project up if `forkhestra init` has not done so, and runs the
chain `plan`, whose agent creates the tasks.

Examples:
  forkhestra plan                                  ask everything
  forkhestra plan \"A web shop for tea\"             ask the rest
  forkhestra plan -p \"A web shop for tea\" --done-when \"An order can be placed\" --test \"npm test\"
  forkhestra plan --prompt-file idea.md --backend codex --max-cost 5
  forkhestra plan \"Gift cards\" --append            add to a PLAN.md that is there";

/// Arguments of `plan`.
#[derive(Debug, Args)]
#[command(
    override_usage = "forkhestra plan [OPTIONS] [IDEA] [-- ARGS…]",
    after_help = EXAMPLES,
    mut_arg("text", |arg| arg.help("What to build; no questions are asked")),
    mut_arg("file", |arg| arg.help("A file that describes what to build; no questions are asked")),
    mut_arg("dry_run", |arg| arg.help("Show PLAN.md and the planner's run; write and run nothing")),
)]
pub(crate) struct PlanArgs {
    /// What to build, in a few words or sentences.
    #[arg(value_name = "IDEA", conflicts_with_all = ["text", "file"])]
    pub(crate) idea: Vec<String>,

    /// Only write PLAN.md; do not start the planner.
    #[arg(long)]
    pub(crate) no_run: bool,

    /// Replace a PLAN.md that has been edited.
    #[arg(long, conflicts_with = "append")]
    pub(crate) force: bool,

    /// Add to the end of a PLAN.md that has been edited.
    #[arg(long)]
    pub(crate) append: bool,

    #[command(flatten)]
    pub(crate) work: WorkArgs,
    #[command(flatten)]
    pub(crate) answers: PlanAnswerArgs,
}

/// Answers to the questions of `plan`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Answers (what is left out is asked for on a terminal)")]
pub(crate) struct PlanAnswerArgs {
    /// Who uses it, and what for.
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) users: Option<String>,

    /// Something that must be true when it is done; repeatable.
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) done_when: Vec<String>,

    /// The command that tests it.
    #[arg(long = "test", value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) test_command: Option<String>,

    /// Something that the work must respect; repeatable.
    #[arg(
        long = "constraint",
        value_name = "TEXT",
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub(crate) constraints: Vec<String>,

    /// Something not to build; repeatable.
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) out_of_scope: Vec<String>,
}
