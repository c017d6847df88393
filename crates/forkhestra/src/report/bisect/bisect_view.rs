//! `forkhestra bisect --json`: the result of a search as JSON.

use forkhestra_core::bisect::{BisectionOutcome, TrialAnswer};
use forkhestra_core::cost::{Cost, Spend};
use forkhestra_core::history::IterationRecord;
use serde_json::{Value, json};
use typeset::text::escaped_json;

use super::BisectSubject;
use super::first_bad_snapshot::FirstBadSnapshot;
use crate::bisect::bisect_range::BisectSnapshot;
use crate::bisect::bisect_search::{BisectResult, TestedSnapshot};

/// The version of the JSON.
const VERSION: u32 = 1;

/// The result as one line.
pub(super) fn json(subject: &BisectSubject<'_>, result: &BisectResult) -> String {
    let snapshots = &subject.range.snapshots;
    let (word, candidates): (_, &[BisectSnapshot]) = match result.outcome {
        BisectionOutcome::Found { first_bad } => ("found", &snapshots[first_bad..=first_bad]),
        BisectionOutcome::OnlySkipped { last_good, bad } => {
            ("only_skipped", &snapshots[last_good + 1..=bad])
        }
        BisectionOutcome::BothGood => ("both_good", &[]),
        BisectionOutcome::BothBad => ("both_bad", &[]),
        BisectionOutcome::Inverted => ("inverted", &[]),
        BisectionOutcome::EndSkipped(_) => ("end_skipped", &[]),
    };
    let first_bad = match result.outcome {
        BisectionOutcome::Found { first_bad } => {
            Some(first_bad_view(&FirstBadSnapshot::of(subject, first_bad)))
        }
        _ => None,
    };
    let candidates: Vec<Value> = candidates.iter().map(|it| place(subject, it)).collect();
    let tests: Vec<Value> = result.tested.iter().map(|tested| test(subject, tested)).collect();
    let object = json!({
        "version": VERSION,
        "run": subject.run.run_dir.run().as_str(),
        "result": word,
        "test": subject.test,
        "good": place(subject, subject.range.good()),
        "bad": place(subject, subject.range.bad()),
        "firstBad": first_bad,
        "candidates": candidates,
        "tests": tests,
    });
    escaped_json(&object.to_string()).into_owned() + "\n"
}

fn place(subject: &BisectSubject<'_>, snapshot: &BisectSnapshot) -> Value {
    let moment = snapshot.point.moment;
    json!({
        "snapshot": snapshot.point.snapshot.number,
        "address": subject.run.address(&snapshot.point).to_string(),
        "step": moment.step(),
        "iteration": moment.iteration(),
    })
}

fn test(subject: &BisectSubject<'_>, tested: &TestedSnapshot) -> Value {
    let mut object = place(subject, &subject.range.snapshots[tested.index]);
    let skip_reason = match tested.answer {
        TrialAnswer::Skip(reason) => Some(reason.to_string()),
        TrialAnswer::Good | TrialAnswer::Bad => None,
    };
    object["outcome"] = tested.answer.word().into();
    object["skipReason"] = skip_reason.into();
    object["durationMs"] = u64::try_from(tested.duration.as_millis()).unwrap_or(u64::MAX).into();
    object
}

fn first_bad_view(snapshot: &FirstBadSnapshot<'_>) -> Value {
    let FirstBadSnapshot { bad, record, step, commits, changes, .. } = snapshot;
    let unit = record.map(|record| record.unit);
    let direct = step.and_then(|step| step.agent.kind.direct());
    let commits: Vec<Value> = commits
        .iter()
        .map(|commit| json!({ "id": commit.id, "subject": commit.subject }))
        .collect();
    json!({
        "snapshot": bad.point.snapshot.number,
        "step": bad.point.moment.step(),
        "iteration": bad.point.moment.iteration(),
        "attempt": unit.map(|unit| unit.attempt),
        "agent": step.map(|step| &step.agent.name),
        "model": direct.and_then(|direct| direct.model.as_ref()),
        "verdict": record.map(IterationRecord::verdict),
        "cost": record.and_then(|record| record.report.spend).and_then(dollars),
        "commits": commits,
        "changes": changes.map(|changes| json!({
            "files": changes.files,
            "added": changes.added,
            "removed": changes.removed,
        })),
    })
}

#[expect(clippy::cast_precision_loss, reason = "no run costs so much that it matters")]
fn dollars(spend: Spend) -> Option<f64> {
    let is_known = !spend.is_zero() && spend.cost() != Cost::Unknown;
    is_known.then(|| spend.dollars.nanos() as f64 / 1e9)
}
