//! The options for limits, built from the core's table of limits.

use clap::error::Error;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use forkhestra_core::limit::{LIMITS, LimitChanges, LimitOption, OFF};
use forkhestra_core::text::count::Count;

/// The option for the number of iterations of a loop. It is not in the table of limits.
const ITERATIONS: &str = "max-iterations";

/// The option for the number of rounds of a repeated group. It is not in the table of limits.
const ROUNDS: &str = "rounds";

/// The limits of a new run.
#[derive(Debug, Clone, Default)]
pub(crate) struct LimitArgs(pub(crate) LimitChanges);

/// The new limits of a run that is resumed or active.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewLimitArgs(pub(crate) LimitChanges);

/// The limits that are simulated on past runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct SimulatedLimitArgs(pub(crate) LimitChanges);

/// The limits that can only be set when a run is resumed.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResumeOnlyLimitArgs(pub(crate) LimitChanges);

impl Args for LimitArgs {
    fn augment_args(command: Command) -> Command {
        let command = command.next_help_heading("Limits (each may be `off`)");
        command.args(LIMITS.iter().filter_map(|limit| Some(arg(limit).help(limit.help?))))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl Args for NewLimitArgs {
    fn augment_args(command: Command) -> Command {
        let heading = "New limits (each may be `off`, except --max-iterations and --rounds)";
        let iterations =
            Arg::new(ITERATIONS).long(ITERATIONS).value_name("N").value_parser(Count::parse).help(
                "New iteration limit of the current loop, counting iterations already done, in a \
                 repeated group those of one round (later loops are never lowered)",
            );
        let limits = LIMITS.iter().map(|limit| arg(limit).help(limit.help_resume));
        command.next_help_heading(heading).arg(iterations).arg(rounds()).args(limits)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl Args for SimulatedLimitArgs {
    fn augment_args(command: Command) -> Command {
        let heading = "Limits (each may be `off`, except --max-iterations)";
        let iterations = Arg::new(ITERATIONS).long(ITERATIONS).value_name("N");
        let iterations = iterations.value_parser(Count::parse).help("Iteration limit of each loop");
        // A limit that cannot be simulated is refused with the reason.
        let limits = LIMITS.iter().map(|limit| {
            arg(limit).help(help_without_use(limit)).hide(limit.not_simulated.is_some())
        });
        command.next_help_heading(heading).arg(iterations).args(limits)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl Args for ResumeOnlyLimitArgs {
    fn augment_args(command: Command) -> Command {
        let limits = LIMITS.iter().filter(|limit| limit.help.is_none());
        let help = |limit: &LimitOption| format!("{}; may be `off`", limit.help_resume);
        command.arg(rounds()).args(limits.map(|limit| arg(limit).help(help(limit))))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The option for the number of rounds.
fn rounds() -> Arg {
    Arg::new(ROUNDS).long(ROUNDS).value_name("N").value_parser(Count::parse).help(
        "New limit of the rounds of the current group, counting rounds already done (later groups \
         are never lowered)",
    )
}

/// The help of `resume` without what counts as already used: a simulated run begins anew.
fn help_without_use(limit: &'static LimitOption) -> &'static str {
    limit.help_resume.split_once(", counting ").map_or(limit.help_resume, |(help, _)| help)
}

/// The clap argument of one limit.
fn arg(limit: &'static LimitOption) -> Arg {
    let read = |text: &str| limit.set(&mut LimitChanges::default(), text).map(|()| text.to_owned());
    Arg::new(limit.option)
        .long(limit.option)
        .value_name(limit.value_name)
        .value_parser(read)
        .add(ArgValueCandidates::new(|| vec![CompletionCandidate::new(OFF)]))
}

/// Reads the limits from the parsed arguments.
fn typed_limits(matches: &ArgMatches) -> LimitChanges {
    let mut changes = LimitChanges::default();
    if let Ok(Some(max_iterations)) = matches.try_get_one::<Count>(ITERATIONS) {
        changes.iterations = Some(*max_iterations);
    }
    if let Ok(Some(rounds)) = matches.try_get_one::<Count>(ROUNDS) {
        changes.rounds = Some(*rounds);
    }
    for limit in LIMITS {
        if let Ok(Some(text)) = matches.try_get_one::<String>(limit.option) {
            limit.set(&mut changes, text).expect("the parser has read it");
        }
    }
    changes
}

macro_rules! from_matches {
    ($($Name:ident),*) => {$(
        impl FromArgMatches for $Name {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
                Ok(Self(typed_limits(matches)))
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
                self.0 = typed_limits(matches).or(std::mem::take(&mut self.0));
                Ok(())
            }
        }
    )*};
}

from_matches!(LimitArgs, NewLimitArgs, SimulatedLimitArgs, ResumeOnlyLimitArgs);
