//! The resolved checks of a step.

pub(crate) mod checks;
pub(crate) mod named_scripts;
pub(crate) mod plan_check;
pub(crate) mod scripts;
pub(crate) mod work_tree_rules;
