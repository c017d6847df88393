//! Why runs, steps and iterations end, in words. One table for each closed set:
//!
//! | set | table |
//! |---|---|
//! | [`StepEnd`](crate::event::StepEnd) | [`EndEntry`] |
//! | [`ClaimRefusal`](crate::event::ClaimRefusal) | [`refusal()`], and its remedies |
//! | [`StopReason`](crate::event::StopReason) | [`StopReasonEntry`] |
//! | [`OutcomeClass`](crate::event::OutcomeClass) | [`OutcomeEntry`] |
//! | [`CancelCause`](crate::event::CancelCause) | [`cancel`] |
//!
//! The screen, `forkhestra show`, the TUI, notifications and the summary use these texts. They
//! quote agents, checks and providers as recorded: the program that prints a text escapes its
//! control characters.

mod crossed_limit;
mod end_entry;
mod end_facts;
mod evidence;
mod iteration;
mod iteration_tree_change;
mod kept_work_tree;
mod outcome_entry;
mod provider;
mod raised_cost;
mod raised_limit;
mod refusal;
mod remedy;
mod stop_reason_entry;
#[cfg(test)]
mod tests;

pub use crossed_limit::{CrossedLimit, LimitReached};
pub use end_entry::{EndEntry, cancel, cancel_notice, end_text, hook_points, is_incomplete};
pub use end_facts::EndFacts;
pub use evidence::{Evidence, StagnationEvidence};
pub use iteration::{
    check_name, check_names, failed_checks, match_position, missing_marker, outcome, shortened,
    stopped,
};
pub use iteration_tree_change::IterationTreeChange;
pub use kept_work_tree::reference;
pub use outcome_entry::OutcomeEntry;
pub use provider::{provider_failure_text, wait_subject};
pub use raised_limit::{RaisedLimit, raising_option};
pub use refusal::refusal;
pub(crate) use refusal::{RESTORE_FILES, instruction};
pub use remedy::Remedy;
pub use stop_reason_entry::StopReasonEntry;
