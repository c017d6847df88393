//! The definition of the command line: every verb and option, with its help.

mod change;
mod cli;
mod filters;
mod lease;
mod output;
mod setting;
mod text;
mod verb;

#[cfg(test)]
mod tests;

pub(crate) use self::change::{CreateArgs, EditArgs};
pub(crate) use self::cli::{Cli, NAME, command};
pub(crate) use self::filters::{ListArgs, SearchArgs};
pub(crate) use self::output::{Format, GlobalArgs};
pub(crate) use self::setting::Setting;
pub(crate) use self::text::one_line;
pub(crate) use self::verb::{
    ArchiveArgs, CheckArgs, ClaimArgs, DeleteArgs, GraphArgs, GraphFormat, IdArgs, InitArgs,
    UnarchiveArgs, Verb,
};
