//! Reports of a plan: `--dry-run`, `list`, prompts.

pub(crate) mod dry_run;
pub(crate) mod fallback;
mod flow_tree;
pub(crate) mod invocation;
mod lanes;
pub(crate) mod list;
pub(crate) mod list_built_in;
pub(crate) mod prompt;
pub(crate) mod step;
