//! `--dry-run`.

pub(crate) mod details;
pub(crate) mod direct_spawn;
pub(crate) mod fallback;
pub(crate) mod flow;
pub(crate) mod json;
pub(crate) mod plan_text;
