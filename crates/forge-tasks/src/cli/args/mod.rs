//! The definition of the command line: every verb and option, with its help.

mod change;
mod filters;
mod tasks_cli;
mod values;

#[cfg(test)]
mod tests;

pub(crate) use self::change::{CreateArgs, EditArgs};
pub(crate) use self::filters::{ListTasksArgs, SearchArgs, TaskFilter};
pub(crate) use self::tasks_cli::{
    ArchiveArgs, CheckArgs, ClaimArgs, DeleteArgs, GlobalArgs, GraphArgs, GraphFormat, IdArgs,
    InitTasksArgs, MERGE_FILE, MergeFileArgs, NAME, TasksCli, TasksOutputFormat, TasksVerb,
    UnarchiveArgs, command,
};
pub(crate) use self::values::{SetOrClear, one_line};
