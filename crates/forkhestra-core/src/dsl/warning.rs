//! Warnings about valid chains that cannot be intended.

use super::{Dsl, DslChain, DslPart, DslPartKind, DslStage};
use crate::diagnostic::Diagnostic;

/// All warnings about a chain, in the order of the text.
pub(super) fn of_chain(dsl: &Dsl) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    collect(dsl, &dsl.chain, &mut warnings);
    warnings.sort_by_key(|warning: &Diagnostic| warning.label.as_ref().map(|label| label.span));
    warnings
}

fn collect(dsl: &Dsl, chain: &DslChain, warnings: &mut Vec<Diagnostic>) {
    for stage in &chain.stages {
        warnings.extend(only_round(dsl, stage));
        warnings.extend(repeated_alternatives(dsl, stage));
        for part in &stage.alternatives {
            if let DslPartKind::Group(chain) = &part.kind {
                collect(dsl, chain, warnings);
            }
        }
    }
}

/// A group with one round has no use for its count, unless an alternative follows a refusal.
fn only_round(dsl: &Dsl, stage: &DslStage) -> Option<Diagnostic> {
    let last = stage.alternatives.last()?;
    let DslPartKind::Group(chain) = &last.kind else { return None };
    if last.count?.get() != 1 {
        return None;
    }
    Some(
        Diagnostic::warning("a refusal in the only round of this group ends the chain")
            .at(&dsl.source, last.span, "one round")
            .hint(format!("allow more rounds: `({chain}):3`")),
    )
}

fn repeated_alternatives(dsl: &Dsl, stage: &DslStage) -> Vec<Diagnostic> {
    let mut earlier: Vec<(String, &DslPart)> = Vec::new();
    let mut warnings = Vec::new();
    for part in &stage.alternatives {
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
