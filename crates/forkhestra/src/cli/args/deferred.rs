//! Options that are put together only when somebody types their verb.

use std::ops::Deref;

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// The options of a verb. Most command lines have one verb or none, and there are many.
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
        command.defer(|command| under_its_name(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| under_its_name(command, T::augment_args_for_update))
    }
}

/// What is said of the verb stays: that of its options is for those who read the code.
fn under_its_name(command: Command, augment: fn(Command) -> Command) -> Command {
    let about = command.get_about().cloned();
    let augmented = augment(command);
    match about {
        Some(about) => augmented.about(about),
        None => augmented,
    }
}
