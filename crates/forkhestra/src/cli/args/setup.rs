//! The command lines of the verbs that set up or inspect a project or a machine.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use forkhestra_core::config::Backend;

use crate::cli::args::forkhestra_cli::{ColorArgs, ProjectArgs};
use crate::cli::args::work::backend;
use crate::completion::candidates;

/// Arguments of `init`.
#[derive(Debug, Args)]
pub(crate) struct InitProjectArgs {
    /// Set up this directory instead of the current one.
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Agent program of the built-in agents [default: claude].
    #[arg(long, value_name = "NAME", value_parser = backend())]
    pub(crate) backend: Option<Backend>,

    /// Write the prompts of the built-in agents to forge/orch/prompts/, where you can change them.
    #[arg(long)]
    pub(crate) with_prompts: bool,

    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

/// Arguments of `show-agent`.
#[derive(Debug, Args)]
pub(crate) struct ShowAgentArgs {
    /// The name of the agent.
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(candidates::agents))]
    pub(crate) name: String,

    /// Print only the agent's own system prompt, as it is, to be kept in a file.
    #[arg(long)]
    pub(crate) prompt_only: bool,

    /// Agent program of the built-in agents.
    #[arg(long, value_name = "NAME", value_parser = backend())]
    pub(crate) backend: Option<Backend>,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Start each agent once with a simulated model on this machine; this costs nothing.
    #[arg(long)]
    pub(crate) probe: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,

    /// Check this state directory instead of the user's.
    #[arg(long, value_name = "DIR")]
    pub(crate) state_dir: Option<String>,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

const COMPLETIONS: &str = "\
Chains, agents, runs and tasks are completed from their current state. The programs must be on
PATH.

  bash, in ~/.bashrc:                      source <(forkhestra completions bash)
  zsh, in ~/.zshrc, after compinit:        source <(forkhestra completions zsh)
  fish, in ~/.config/fish/config.fish:     forkhestra completions fish | source";

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS)]
pub(crate) struct CompletionsArgs {
    /// The shell. One script serves all three programs.
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: CompletionShell,

    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

/// A shell for which a completion script exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletionShell {
    Bash,
    Zsh,
    Fish,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The page to print, such as `forkhestra-resume` [default: forkhestra].
    #[arg(value_name = "PAGE", conflicts_with = "dir")]
    pub(crate) page: Option<String>,

    /// Write all pages of the three programs to this directory.
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) color: ColorArgs,
}
