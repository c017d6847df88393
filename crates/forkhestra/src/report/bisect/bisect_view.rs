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

/// The result as one line.
pub(super) fn json(subject: &BisectSubject<'_>, result: &BisectResult) -> String {
    let (word, first_bad, candidates) = match result.outcome {
        BisectionOutcome::Found { first_bad } => (
            "found",
            Some(first_bad_view(&FirstBadSnapshot::of(subject, first_bad))),
            first_bad..=first_bad,
        ),
        BisectionOutcome::OnlySkipped { last_good, bad } => {
            ("only_skipped", None, last_good + 1..=bad)
        }
        BisectionOutcome::BothGood => ("both_good", None, none()),
        BisectionOutcome::BothBad => ("both_bad", None, none()),
        BisectionOutcome::Inverted => ("inverted", None, none()),
        BisectionOutcome::EndSkipped(_) => ("end_skipped", None, none()),
    };
    let snapshots = &subject.range.snapshots;
    let candidates: Vec<Value> =
        candidates.filter_map(|index| snapshots.get(index)).map(|it| place(subject, it)).collect();
    let tests: Vec<Value> = result.tested.iter().map(|tested| test(subject, tested)).collect();
    let object = json!({
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

/// No index.
#[expect(clippy::reversed_empty_ranges, reason = "it has to be empty")]
const fn none() -> std::ops::RangeInclusive<usize> {
    1..=0
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
    let why = match tested.answer {
        TrialAnswer::Skip(why) => Some(why.to_string()),
        TrialAnswer::Good | TrialAnswer::Bad => None,
    };
    object["answer"] = tested.answer.word().into();
    object["why"] = why.into();
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
