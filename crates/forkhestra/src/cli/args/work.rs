//! Options that `forkhestra` and `ralph-runner` share for a new run.

use clap::Args;
use clap::ValueHint;
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use clap_complete::engine::ArgValueCompleter;
use forkhestra_core::config::{Backend, FallbackChoice, OnCycle, SandboxChoice};
use forkhestra_core::hook::HookPoint;
use forkhestra_core::marker::Marker;

use crate::cli::args::forkhestra_cli::{OutputArgs, ProjectArgs, StateArgs};
use crate::cli::args::limits::LimitArgs;
use crate::cli::args::recording::RecordingArgs;
use crate::cli::args::steer::UnattendedArgs;
use crate::completion::candidates;

/// Options of a new run, independent of its chain.
#[derive(Debug, Args)]
pub(crate) struct WorkArgs {
    /// Arguments for all agents, after those of the config.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) agent_args: Vec<String>,

    /// Show what would run, fully resolved, and run nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Agent program of the built-in agents.
    #[arg(long, value_name = "NAME", value_parser = backend())]
    pub(crate) backend: Option<Backend>,

    /// Agent program to use while an agent's own program is at its usage limit or quota; prompts and
    /// tools stay the same, the model does not; off for none.
    #[arg(long, value_name = "NAME", value_parser = fallback())]
    pub(crate) fallback: Option<FallbackChoice>,

    /// The model of all agents with a system prompt and of built-in agents; overrides their own.
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) model: Option<String>,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) state: StateArgs,
    #[command(flatten)]
    pub(crate) prompt: PromptArgs,
    #[command(flatten)]
    pub(crate) completion: CompletionArgs,
    #[command(flatten)]
    pub(crate) work_tree: WorkTreeArgs,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) attend: UnattendedArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// The prompt of all agents.
#[derive(Debug, Args)]
#[command(next_help_heading = "Prompt")]
pub(crate) struct PromptArgs {
    /// The prompt for all agents; an empty text means no prompt.
    #[arg(short = 'p', long = "prompt", value_name = "TEXT", conflicts_with = "file")]
    pub(crate) text: Option<String>,

    /// A file with the prompt for all agents, read again for every iteration.
    #[arg(
        long = "prompt-file",
        value_name = "PATH",
        value_parser = NonEmptyStringValueParser::new(),
        value_hint = ValueHint::FilePath
    )]
    pub(crate) file: Option<String>,
}

/// Options that define when a step is complete.
#[derive(Debug, Args)]
#[command(next_help_heading = "Completion")]
pub(crate) struct CompletionArgs {
    /// A line that marks a step as complete, or a /regex/, instead of the default markers; repeatable.
    #[arg(long = "marker", value_name = "LINE", value_parser = Marker::parse)]
    pub(crate) markers: Vec<Marker>,

    /// A file that marks a step as complete when it appears or changes.
    #[arg(
        long,
        value_name = "PATH",
        value_parser = NonEmptyStringValueParser::new(),
        value_hint = ValueHint::FilePath
    )]
    pub(crate) done_file: Option<String>,

    /// What must hold before a step is complete: command:"…", file:PATH, marker:REGEX, exit-code,
    /// tasks, task:ID, planned or a script; AGENT:SPEC for one agent only; repeatable.
    #[arg(
        long = "check",
        value_name = "SPEC",
        add = ArgValueCompleter::new(candidates::checks)
    )]
    pub(crate) checks: Vec<String>,

    /// Run the checks before the first iteration too: one that passes there proves nothing, and is
    /// reported.
    #[arg(long)]
    pub(crate) calibrate: bool,

    /// Do not tell agents why checks failed, a round was refused, or the step that they replace was not complete.
    #[arg(long)]
    pub(crate) no_feedback: bool,

    /// Run a command at a point of the run: pre-iteration, post-iteration, on-complete,
    /// on-stagnation, on-failure, on-interrupt, on-limit or on-question; repeatable.
    #[arg(
        long = "hook",
        value_name = "TYPE:COMMAND",
        value_parser = HookPoint::parse_flag,
        add = ArgValueCompleter::new(candidates::hooks)
    )]
    pub(crate) hooks: Vec<(HookPoint, String)>,
}

/// Options for observing, protecting and snapshotting the work tree.
#[derive(Debug, Args)]
#[command(next_help_heading = "Work tree")]
pub(crate) struct WorkTreeArgs {
    /// Run the checks in a fresh clone of the last commit, so that uncommitted work cannot
    /// make them pass.
    #[arg(long)]
    pub(crate) clean_room: bool,

    /// Files that agents must not change, such as "tests/**"; work that changes them is refused;
    /// repeatable.
    #[arg(long, value_name = "GLOB", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) protect: Vec<String>,

    /// Allow agents to change the scripts that checks and hooks run. Without this option they are
    /// protected.
    #[arg(long)]
    pub(crate) no_protect_scripts: bool,

    /// What to do when the work tree returns to the state of an earlier iteration: report it, or end
    /// the step [default: report].
    #[arg(long, value_name = "HOW", value_parser = on_cycle())]
    pub(crate) on_cycle: Option<OnCycle>,

    /// Begin lanes with the last commit, although tracked files have changes that are not in it.
    #[arg(long)]
    pub(crate) from_head: bool,

    /// Do not keep a snapshot commit of each iteration under refs/forkhestra/.
    #[arg(long)]
    pub(crate) no_snapshots: bool,
}

/// Options for the sandbox of agents and checks.
#[derive(Debug, Args)]
#[command(next_help_heading = "Sandbox")]
pub(crate) struct SandboxArgs {
    /// The sandbox of agents and checks. guard: only the work tree, package caches and directories of
    /// the agent can be written. workspace: also, settings of git and of agents are read-only, and the
    /// state directory, /run, /tmp and other processes are hidden. strict: also, the home directory is
    /// hidden, and only listed hosts can be reached. auto: workspace if possible, otherwise guard
    /// [default: auto].
    #[arg(long = "sandbox", value_name = "LEVEL", value_parser = sandbox_level())]
    pub(crate) level: Option<SandboxChoice>,

    /// A file or directory outside the work tree that agents and checks may write; repeatable.
    #[arg(
        long = "writable",
        value_name = "PATH",
        value_parser = NonEmptyStringValueParser::new(),
        value_hint = ValueHint::AnyPath
    )]
    pub(crate) writable: Vec<String>,
}

/// A parser for the level of a sandbox.
fn sandbox_level() -> impl TypedValueParser<Value = SandboxChoice> {
    let words = SandboxChoice::ALL.map(SandboxChoice::word);
    PossibleValuesParser::new(words).map(|word| {
        let named = SandboxChoice::ALL.into_iter().find(|choice| choice.word() == word);
        named.expect("only these words are possible")
    })
}

/// A parser for the name of an agent program.
pub(crate) fn backend() -> impl TypedValueParser<Value = Backend> {
    let words = Backend::ALL.map(Backend::program);
    PossibleValuesParser::new(words).map(|word| {
        let named = Backend::ALL.into_iter().find(|backend| backend.program() == word);
        named.expect("only these words are possible")
    })
}

fn fallback() -> impl TypedValueParser<Value = FallbackChoice> {
    PossibleValuesParser::new(FallbackChoice::words())
        .map(|word| FallbackChoice::of_word(&word).expect("only these words are possible"))
}

fn on_cycle() -> impl TypedValueParser<Value = OnCycle> {
    PossibleValuesParser::new(["report", "stop"]).map(|word| match word.as_str() {
        "stop" => OnCycle::Stop,
        _ => OnCycle::Report,
    })
}
