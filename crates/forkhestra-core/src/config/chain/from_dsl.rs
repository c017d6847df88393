//! Conversion of a chain in one line into the entries that mean the same.

use super::alternative_entries::AlternativeEntries;
use super::group_entry::GroupEntry;
use super::lanes::parallel_entry::ParallelEntry;
use super::question_entry::QuestionEntry;
use super::stage_entries::StageEntries;
use super::stage_entry::StageEntry;
use super::step_entry::StepEntry;
use crate::config::decode::values::EntryName;
use crate::diagnostic::source::Spanned;
use crate::dsl::{DslChain, DslLanes, DslPart, DslPartKind, DslStage};

/// The entries of a chain.
pub(crate) fn entries(chain: DslChain) -> StageEntries {
    StageEntries(chain.stages.into_iter().filter_map(stage_entry).collect())
}

/// The first alternative, with the others in its `else`.
fn stage_entry(stage: DslStage) -> Option<Spanned<StageEntry>> {
    let mut next = None;
    for part in stage.alternatives.into_iter().rev() {
        next = Some(part_entry(part, next));
    }
    next
}

fn part_entry(part: DslPart, next: Option<Spanned<StageEntry>>) -> Spanned<StageEntry> {
    let DslPart { kind, count, lanes, span } = part;
    let count = count.map(|count| Spanned::new(count, span));
    let (shared, best) = match lanes {
        None => (None, None),
        Some(DslLanes::Shared(lanes)) => (Some(Spanned::new(lanes, span)), None),
        Some(DslLanes::Best(lanes)) => (None, Some(Spanned::new(lanes, span))),
    };
    let alternative = next.map(|entry| {
        let span = entry.span;
        Spanned::new(AlternativeEntries(vec![entry]), span)
    });
    let entry = match kind {
        DslPartKind::Agent(Spanned { value, span }) => {
            let agent = Spanned::new(EntryName(value), span);
            let written = StepEntry::of_agent(agent, count);
            let step = StepEntry { alternative, lanes: shared, best, ..written };
            StageEntry::Agent(Box::new(step))
        }
        DslPartKind::Question(_) => {
            let question = QuestionEntry { alternative, ..QuestionEntry::without_text() };
            StageEntry::Question(Box::new(question))
        }
        DslPartKind::Group(chain) => {
            let group = Spanned::new(entries(chain), span);
            let written = GroupEntry::of(group, count);
            StageEntry::Group(Box::new(GroupEntry { alternative, lanes: shared, ..written }))
        }
        DslPartKind::Parallel(branches) => {
            let branches = branches.into_iter().map(|branch| Spanned::new(entries(branch), span));
            let written = ParallelEntry::of(Spanned::new(branches.collect(), span));
            StageEntry::Parallel(Box::new(ParallelEntry { alternative, ..written }))
        }
    };
    Spanned::new(entry, span)
}
