//! The verbs of `forkhestra`: one list, with the command that each of them runs.
//!
//! A new verb is a variant of [`Verb`] and its arm in [`Verb::run`], a struct with its arguments in
//! `cli/args/`, and its `execute` in a file of `commands/` with a `mod` line in `commands/mod.rs`.

use std::ffi::OsStr;
use std::sync::LazyLock;

use clap::{Command, Subcommand};
use forkhestra_core::text;

use crate::cli::args::analysis::stats::StatsArgs;
use crate::cli::args::analysis::what_if::WhatIfArgs;
use crate::cli::args::bisect::BisectArgs;
use crate::cli::args::deferred::DeferredArgs;
use crate::cli::args::fork::ForkArgs;
use crate::cli::args::forkhestra_cli::{DemoArgs, ListChainsArgs, ResumeArgs, RunArgs, SchemaArgs};
use crate::cli::args::logs::LogsArgs;
use crate::cli::args::plan::PlanArgs;
use crate::cli::args::recording::PlayRecordingArgs;
use crate::cli::args::runs::{RunsArgs, ShowArgs};
use crate::cli::args::setup::{
    CompletionsArgs, DoctorArgs, InitProjectArgs, ManArgs, ShowAgentArgs,
};
use crate::cli::args::steer::{
    AnswerArgs, EventsArgs, SetArgs, SkipArgs, SteerArgs, StopArgs, TellArgs, WatchArgs,
};
use crate::cli::args::time_travel::{DiffArgs, RewindArgs};
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::run_request::RunForm;
use crate::cli::started_program::StartedProgram;
use crate::commands;

/// A verb with its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run a chain (needed only if an agent has the same name as a command).
    #[command(override_usage = "forkhestra run [OPTIONS] <CHAIN> [VAR=value…] [-- ARGS…]")]
    Run(DeferredArgs<RunArgs>),
    /// Resume a run that was stopped, interrupted or ended by a limit.
    Resume(DeferredArgs<ResumeArgs>),
    /// Start a new run that continues from an earlier state of another run.
    Fork(DeferredArgs<ForkArgs>),
    /// Stop a run after the current iteration, or at once.
    Stop(DeferredArgs<StopArgs>),
    /// Pause a run (agents and time limits).
    Pause(DeferredArgs<SteerArgs>),
    /// Continue a paused run.
    Continue(DeferredArgs<SteerArgs>),
    /// Send a message to the next agent of a run.
    Tell(DeferredArgs<TellArgs>),
    /// Approve the step that waits for an answer, with an optional comment.
    Approve(DeferredArgs<AnswerArgs>),
    /// Deny the step that waits for an answer, with an optional comment.
    Deny(DeferredArgs<AnswerArgs>),
    /// End the current step, or with --group its repeated group, and start the next one.
    Skip(DeferredArgs<SkipArgs>),
    /// Change the limits of an active run.
    Set(DeferredArgs<SetArgs>),
    /// List the runs of this work tree, remove runs, or rebuild their views.
    #[command(visible_alias = "ps")]
    Runs(DeferredArgs<RunsArgs>),
    /// Show a run: its steps, its iterations, and how to resume it.
    #[command(visible_alias = "status")]
    Show(DeferredArgs<ShowArgs>),
    /// Show what the agents of a run printed.
    #[command(visible_alias = "log")]
    Logs(DeferredArgs<LogsArgs>),
    /// Show what changed between two iterations of a run, by `git diff`.
    Diff(DeferredArgs<DiffArgs>),
    /// Bring the work tree back to the state after an iteration, and undo that.
    Rewind(DeferredArgs<RewindArgs>),
    /// Find the iteration of a run that broke something.
    Bisect(DeferredArgs<BisectArgs>),
    /// Show statistics of runs: what tasks cost, where time and money went.
    Stats(DeferredArgs<StatsArgs>),
    /// Simulate other limits on past runs, or suggest limits.
    WhatIf(DeferredArgs<WhatIfArgs>),
    /// Print the events of a run, one JSON object per line.
    Events(DeferredArgs<EventsArgs>),
    /// Watch and control runs in the terminal.
    #[command(visible_alias = "attach")]
    Watch(DeferredArgs<WatchArgs>),
    /// List the chains and agents that can be run here.
    #[command(visible_alias = "ls")]
    List(DeferredArgs<ListChainsArgs>),
    /// Set up a project: config file, templates for specifications, task database.
    Init(DeferredArgs<InitProjectArgs>),
    /// Turn an idea into PLAN.md, and have the planner create the tasks.
    Plan(DeferredArgs<PlanArgs>),
    /// Show everything an agent is given: prompts, model, tools, command line.
    ShowAgent(DeferredArgs<ShowAgentArgs>),
    /// Check the installation and the set-up of the project.
    Doctor(DeferredArgs<DoctorArgs>),
    /// Print the JSON Schema of the config file, .agent-state/ files, events or statistics.
    Schema(DeferredArgs<SchemaArgs>),
    /// Print a shell completion script.
    Completions(DeferredArgs<CompletionsArgs>),
    /// Print a manual page, or write all of them.
    Man(DeferredArgs<ManArgs>),
    /// Play back what an agent did.
    #[command(hide = true)]
    PlayRecording(DeferredArgs<PlayRecordingArgs>),
    /// Show a recorded run: two agents plan and build something. No account is needed.
    Demo(DeferredArgs<DemoArgs>),
}

impl Verb {
    /// Runs the verb and returns the exit code.
    pub(crate) fn run(&self, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
        match self {
            Self::Run(args) => commands::run::execute(args, RunForm::Run, screen),
            Self::Resume(args) => {
                commands::resume::execute(args, StartedProgram::Forkhestra, screen)
            }
            Self::Fork(args) => commands::fork::execute(args, screen),
            Self::Stop(args) => commands::steer::stop(args, screen),
            Self::Pause(args) => commands::steer::pause(args, screen),
            Self::Continue(args) => commands::steer::continue_run(args, screen),
            Self::Tell(args) => commands::steer::send_message(args, screen),
            Self::Approve(args) => commands::steer::answer(args, true, screen),
            Self::Deny(args) => commands::steer::answer(args, false, screen),
            Self::Skip(args) => commands::steer::skip(args, screen),
            Self::Set(args) => commands::steer::set(args, screen),
            Self::Runs(args) => commands::runs::execute(args, screen),
            Self::Show(args) => commands::show::execute(args, screen),
            Self::Logs(args) => commands::logs::execute(args),
            Self::Diff(args) => commands::time_travel::diff::execute(args),
            Self::Rewind(args) => commands::time_travel::rewind::execute(args, screen),
            Self::Bisect(args) => commands::bisect::execute(args, screen),
            Self::Stats(args) => commands::analysis::stats::execute(args, screen),
            Self::WhatIf(args) => commands::analysis::what_if::execute(args, screen),
            Self::Events(args) => commands::events::execute(args, screen),
            Self::Watch(args) => commands::watch::execute(args, screen),
            Self::List(args) => commands::list::execute(args, screen),
            Self::Init(args) => commands::init::execute(args, screen),
            Self::Plan(args) => commands::plan::execute(args, screen),
            Self::ShowAgent(args) => commands::show::show_agent::execute(args, screen),
            Self::Doctor(args) => commands::doctor::execute(args, screen),
            Self::Schema(args) => commands::generate::schema::execute(args, screen),
            Self::Completions(args) => commands::generate::completions::execute(args, screen),
            Self::Man(args) => commands::generate::man::execute(args, screen),
            Self::PlayRecording(args) => commands::play_recording::execute(args, screen),
            Self::Demo(args) => commands::demo::execute(args, screen),
        }
    }
}

/// The verbs as commands, without their options, which take time to build.
static COMMANDS: LazyLock<Command> =
    LazyLock::new(|| Verb::augment_subcommands(Command::new("forkhestra")));

/// The verb that clap adds.
const HELP: &str = "help";

/// Verbs of other programs, each with its equivalent here.
const SYNONYMS: [(&str, &str); 16] = [
    ("abort", "stop"),
    ("accept", "approve"),
    ("cancel", "stop"),
    ("exec", "run"),
    ("follow", "watch"),
    ("history", "runs"),
    ("jobs", "runs"),
    ("kill", "stop"),
    ("new", "init"),
    ("reject", "deny"),
    ("restart", "resume"),
    ("start", "run"),
    ("tail", "logs"),
    ("top", "watch"),
    ("unpause", "continue"),
    ("version", "--version"),
];

/// Whether a word is a verb or an alias of one.
pub(crate) fn is_verb(word: &OsStr) -> bool {
    // The commands take time to build. Most chains and option values cannot be verbs.
    let has_letters_of_a_verb =
        word.as_encoded_bytes().iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-');
    word == HELP || has_letters_of_a_verb && COMMANDS.find_subcommand(word).is_some()
}

/// The equivalent of another program's verb.
pub(crate) fn verb_of_other_program(word: &str) -> Option<&'static str> {
    SYNONYMS.into_iter().find(|(other, _)| *other == word).map(|(_, verb)| verb)
}

/// The names and aliases of all verbs that are not hidden.
pub(crate) fn typed_verbs() -> impl Iterator<Item = &'static str> {
    documented()
        .flat_map(|verb| [verb.get_name()].into_iter().chain(verb.get_all_aliases()))
        .chain([HELP])
}

/// The aliases of a verb.
pub(crate) fn aliases(verb: &str) -> impl Iterator<Item = &'static str> + use<> {
    COMMANDS.find_subcommand(verb).into_iter().flat_map(Command::get_all_aliases)
}

/// The verbs that are not hidden.
pub(crate) fn documented() -> impl Iterator<Item = &'static Command> {
    COMMANDS.get_subcommands().filter(|verb| !verb.is_hide_set())
}

/// The verb to suggest for a mistyped word.
pub(crate) fn similar_verb(word: &str) -> Option<&'static str> {
    verb_of_other_program(word).or_else(|| text::nearest(word, typed_verbs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verbs_are_those_of_the_command_line() {
        let command = StartedProgram::Forkhestra.command();
        let names = |command: &Command| -> Vec<String> {
            command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect()
        };
        assert_eq!(names(&command), names(&COMMANDS));
        assert!(["ps", "help", "play-recording"].map(OsStr::new).into_iter().all(is_verb));
        assert!(typed_verbs().all(|verb| is_verb(OsStr::new(verb))));
    }

    #[test]
    fn synonyms_are_no_verbs_and_name_existing_ones() {
        for (word, verb) in SYNONYMS {
            assert!(!is_verb(OsStr::new(word)), "{word}");
            assert!(is_verb(OsStr::new(verb)) || verb.starts_with("--"), "{verb}");
        }
    }

    #[test]
    fn a_verb_is_suggested_for_a_misspelling_or_a_synonym() {
        for (word, expected) in [
            ("kill", Some("stop")),
            ("start", Some("run")),
            ("stat", Some("stats")),
            ("shwo", Some("show")),
            ("resum", Some("resume")),
            ("my-agent", None),
            ("play-recordin", None),
            ("completion", Some("completions")),
        ] {
            assert_eq!(similar_verb(word), expected, "{word}");
        }
    }
}
