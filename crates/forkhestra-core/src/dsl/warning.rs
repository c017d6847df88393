//! Warnings about valid chains that cannot be intended.

use super::{Dsl, DslChain, DslPart, DslPartKind, DslStage};
use crate::diagnostic::Diagnostic;

/// All warnings about a chain, in the order of the text.
pub(super) fn of_chain(dsl: &Dsl) -> Vec<Diagnostic> {
    let mut stages = Vec::new();
    collect(&dsl.chain, &mut stages);
    let only_rounds = stages.iter().filter_map(|stage| only_round(dsl, stage));
    let mut warnings: Vec<Diagnostic> = only_rounds.chain(of_alternatives(dsl)).collect();
    warnings.sort_by_key(|warning: &Diagnostic| warning.label.as_ref().map(|label| label.span));
    warnings
}

/// The warnings about alternatives.
pub(super) fn of_alternatives(dsl: &Dsl) -> Vec<Diagnostic> {
    let mut stages = Vec::new();
    collect(&dsl.chain, &mut stages);
    stages.iter().flat_map(|stage| repeated_alternatives(dsl, stage)).collect()
}

/// All stages, those inside of a group after it.
fn collect<'d>(chain: &'d DslChain, stages: &mut Vec<&'d DslStage>) {
    for stage in &chain.stages {
        stages.push(stage);
        for part in &stage.alternatives {
            match &part.kind {
                DslPartKind::Group(chain) => collect(chain, stages),
                DslPartKind::Parallel(branches) => {
                    branches.iter().for_each(|branch| collect(branch, stages));
                }
                DslPartKind::Agent(_) | DslPartKind::Question(_) => {}
            }
        }
    }
}

/// A group with one round cannot repeat a refused round. This is no mistake if an alternative
/// follows the refusal.
fn only_round(dsl: &Dsl, stage: &DslStage) -> Option<Diagnostic> {
    let last = stage.alternatives.last()?;
    let DslPartKind::Group(chain) = &last.kind else { return None };
    if last.count?.get() != 1 {
        return None;
    }
    Some(
        Diagnostic::warning("a group with one round cannot repeat a refused round")
            .at(&dsl.source, last.span, "one round")
            .hint(format!("allow more rounds: `({chain}):3`"))
            .hint("without the count no stage decides about a round"),
    )
}

fn repeated_alternatives(dsl: &Dsl, stage: &DslStage) -> Vec<Diagnostic> {
    let mut earlier: Vec<(String, &DslPart)> = Vec::new();
    let mut warnings = Vec::new();
    // A person who denied may answer the same question in another way.
    let repeatable = |part: &&DslPart| !matches!(part.kind, DslPartKind::Question(_));
    for part in stage.alternatives.iter().filter(repeatable) {
        let text = part.to_string();
        match earlier.iter().find(|(known, _)| *known == text) {
            Some((_, first)) => warnings.push(
                Diagnostic::warning(format!("the alternative `{text}` repeats an earlier one"))
                    .at(&dsl.source, part.span, "runs after the same has failed")
                    .related(first.span, "the same"),
            ),
            None => earlier.push((text, part)),
        }
    }
    warnings
}
