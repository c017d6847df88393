//! What decided the end of a step: the signal and the checks.

use forkhestra_core::config::OnProtectedChange;
use forkhestra_core::event::{ClaimRefusal, IterationReport, StepEnd, Verdict};
use forkhestra_core::plan::{PlanStep, ValueOrigin};
use typeset::text::visible;

use super::checks;
use crate::report::run::reason;

/// The decision, if there is more to it than the reason's one word: `marker; checks passed: cargo
/// test`.
pub(crate) fn of(step: &PlanStep, end: &StepEnd, last: Option<&IterationReport>) -> Option<String> {
    let last = last?;
    let [passed, failed] = checks::names(&last.checks);
    let mut parts = Vec::new();
    match &last.verdict {
        Verdict::Refused(why) if *why != ClaimRefusal::ChecksFailed => {
            parts.push(format!("refused: {}", reason::refusal(*why, Some(last))));
        }
        _ => {}
    }
    if !failed.is_empty() {
        parts.push(format!("checks failed: {}", failed.join(", ")));
    }
    if !passed.is_empty() {
        let place = if step.clean_room.is_some() { " in a clean room" } else { "" };
        parts.push(format!("checks passed{place}: {}", passed.join(", ")));
    }
    parts.extend(untouched_patterns(step, last).filter(|_| end.is_complete()));
    if parts.is_empty() {
        return None;
    }
    match end {
        // The word adds nothing to the refusal that follows.
        StepEnd::Refused(_) => {}
        end => parts.insert(0, end.as_str().to_owned()),
    }
    Some(parts.join("; "))
}

/// The protected patterns, if they were checked and no file changed.
fn untouched_patterns(step: &PlanStep, last: &IterationReport) -> Option<String> {
    // Scripts that are protected without being asked are not named.
    let is_implied = |source: &ValueOrigin| matches!(source, ValueOrigin::Implied(_));
    let protect = &step.protect.as_ref().filter(|protect| !is_implied(&protect.source))?.value;
    let is_untouched = last.observation.protected.as_ref()?.is_empty();
    let is_asked = protect.on_change == OnProtectedChange::Refuse;
    (is_asked && is_untouched)
        .then(|| format!("unchanged in the end: {}", visible(&protect.patterns.join(", "))))
}
