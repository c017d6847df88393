//! The programs that run chains: they share everything but their command lines, their habits and
//! their words.

use clap::{Command, CommandFactory};
use forkhestra_core::plan::PlanDefaults;

use crate::cli::args::forkhestra_cli::ForkhestraCli;
use crate::cli::args::ralph::RalphCli;

/// Which program a person has started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum StartedProgram {
    /// `forkhestra`.
    #[default]
    Forkhestra,
    /// `ralph-runner`.
    RalphRunner,
}

impl StartedProgram {
    /// What it is called.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Forkhestra => "forkhestra",
            Self::RalphRunner => "ralph-runner",
        }
    }

    /// What its lines begin with.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Forkhestra => "[forkhestra]",
            Self::RalphRunner => "[ralph]",
        }
    }

    /// What goes on with a run, as far as the name of the run.
    pub(crate) const fn resume(self) -> &'static str {
        match self {
            Self::Forkhestra => "forkhestra resume",
            Self::RalphRunner => "ralph-runner --resume",
        }
    }

    /// A chain on its command line.
    pub(crate) fn with_chain(self, chain: &str) -> String {
        match self {
            Self::Forkhestra => format!("forkhestra \"{chain}\""),
            Self::RalphRunner => format!("ralph-runner --chain \"{chain}\""),
        }
    }

    /// What holds where nobody says anything else.
    pub(crate) const fn defaults(self) -> PlanDefaults {
        match self {
            Self::Forkhestra => PlanDefaults::FORKHESTRA,
            Self::RalphRunner => PlanDefaults::RALPH_RUNNER,
        }
    }

    /// Its whole command line.
    pub(crate) fn command(self) -> Command {
        match self {
            Self::Forkhestra => ForkhestraCli::command(),
            Self::RalphRunner => RalphCli::command(),
        }
    }
}
