//! Arguments of a verb whose options are built only when the verb is used.

use std::ops::Deref;

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// The options of a verb, built on demand: a command line uses at most one verb, and building the
/// options of all of them costs time.
#[derive(Debug)]
pub(crate) struct DeferredArgs<T>(Box<T>);

impl<T> Deref for DeferredArgs<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FromArgMatches> FromArgMatches for DeferredArgs<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(|args| Self(Box::new(args)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for DeferredArgs<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| keep_about(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| keep_about(command, T::augment_args_for_update))
    }
}

/// Keeps the verb's own help text. The doc comment of the arguments struct, which clap would take
/// instead, is for readers of the code.
fn keep_about(command: Command, augment: fn(Command) -> Command) -> Command {
    let about = command.get_about().cloned();
    let augmented = augment(command);
    match about {
        Some(about) => augmented.about(about),
        None => augmented,
    }
}
