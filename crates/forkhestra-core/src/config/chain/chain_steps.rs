//! The steps of a chain in the order of their numbers.

use std::slice;

use super::chain_entry::ChainEntry;
use super::question_entry::QuestionEntry;
use super::stage_entry::StageEntry;
use super::step_entry::StepEntry;
use crate::diagnostic::source::Spanned;

/// A step of a chain: an entry that is not a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ChainStep<'a> {
    Agent(&'a StepEntry),
    Question(&'a QuestionEntry),
}

/// Iterates over the steps of a chain in the order of their numbers: depth first, in the order of
/// the text, alternatives after what they replace.
#[derive(Debug, Clone)]
pub struct ChainSteps<'a> {
    /// The entries that are left, the innermost last.
    open: Vec<slice::Iter<'a, Spanned<StageEntry>>>,
}

impl ChainEntry {
    /// All steps, each with the position of its entry.
    pub fn walk(&self) -> ChainSteps<'_> {
        ChainSteps { open: vec![self.steps.value.0.iter()] }
    }

    /// All steps that are agents.
    pub fn agent_steps(&self) -> impl Iterator<Item = &StepEntry> {
        self.walk().filter_map(|step| match step.value {
            ChainStep::Agent(step) => Some(step),
            ChainStep::Question(_) => None,
        })
    }
}

impl<'a> Iterator for ChainSteps<'a> {
    type Item = Spanned<ChainStep<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(entry) = self.open.last_mut()?.next() else {
                self.open.pop();
                continue;
            };
            self.open.extend(entry.value.alternative().map(|other| other.value.0.iter()));
            let step = match &entry.value {
                StageEntry::Agent(step) => ChainStep::Agent(step),
                StageEntry::Question(question) => ChainStep::Question(question),
                StageEntry::Parallel(parallel) => {
                    let branches = parallel.parallel.value.iter().rev();
                    self.open.extend(branches.map(|branch| branch.value.0.iter()));
                    continue;
                }
                StageEntry::Group(group) => {
                    self.open.push(group.group.value.0.iter());
                    continue;
                }
            };
            return Some(Spanned::new(step, entry.span));
        }
    }
}
