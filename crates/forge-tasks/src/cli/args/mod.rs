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
pub(crate) use self::cli::{NAME, TasksCli, command};
pub(crate) use self::filters::{ListTasksArgs, SearchArgs};
pub(crate) use self::output::{GlobalArgs, TasksOutputFormat};
pub(crate) use self::setting::SetOrClear;
pub(crate) use self::text::one_line;
pub(crate) use self::verb::{
    ArchiveArgs, CheckArgs, ClaimArgs, DeleteArgs, GraphArgs, GraphFormat, IdArgs, InitTasksArgs,
    TasksVerb, UnarchiveArgs,
};
