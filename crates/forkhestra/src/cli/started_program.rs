//! The programs that run chains. They differ in command line, defaults and messages only.

use clap::{Command, CommandFactory};
use forkhestra_core::plan::PlanDefaults;

use crate::cli::args::forkhestra_cli::ForkhestraCli;
use crate::cli::args::ralph::RalphCli;

/// The program that the user started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum StartedProgram {
    #[default]
    Forkhestra,
    RalphRunner,
}

impl StartedProgram {
    /// The program's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Forkhestra => "forkhestra",
            Self::RalphRunner => "ralph-runner",
        }
    }

    /// The prefix of its messages.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Forkhestra => "[forkhestra]",
            Self::RalphRunner => "[ralph]",
        }
    }

    /// The command that resumes a run, up to the run's id.
    pub(crate) const fn resume(self) -> &'static str {
        match self {
            Self::Forkhestra => "forkhestra resume",
            Self::RalphRunner => "ralph-runner --resume",
        }
    }

    /// The command line that runs a chain.
    pub(crate) fn with_chain(self, chain: &str) -> String {
        match self {
            Self::Forkhestra => format!("forkhestra \"{chain}\""),
            Self::RalphRunner => format!("ralph-runner --chain \"{chain}\""),
        }
    }

    /// The defaults of its plans.
    pub(crate) const fn defaults(self) -> PlanDefaults {
        match self {
            Self::Forkhestra => PlanDefaults::FORKHESTRA,
            Self::RalphRunner => PlanDefaults::RALPH_RUNNER,
        }
    }

    /// The clap definition of its command line.
    pub(crate) fn command(self) -> Command {
        match self {
            Self::Forkhestra => ForkhestraCli::command(),
            Self::RalphRunner => RalphCli::command(),
        }
    }
}
