//! The outcomes of a run, without what differs from run to run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::survival::journal::ProofJournal;

/// A step and an iteration.
type IterationKey = (u64, u64);

/// The outcomes of all iterations, and what was decided about the steps and the run.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct RunOutcomes {
    outcomes: BTreeMap<IterationKey, String>,
    ends: Vec<String>,
    /// Iterations that were interrupted at least once.
    cut_off: BTreeSet<IterationKey>,
}

impl RunOutcomes {
    /// The outcomes up to an iteration of each step, and all ends.
    pub(crate) fn of(journal: &ProofJournal, last_iteration: u64) -> Self {
        let outcomes = journal.outcomes().into_iter();
        let outcomes = outcomes.filter(|(unit, _)| unit.iteration <= last_iteration);
        let finished = journal.finished().into_iter();
        Self {
            outcomes: outcomes
                .map(|(unit, event)| (unit.step_and_iteration(), verdict(event)))
                .collect(),
            ends: journal.events.iter().filter_map(end).collect(),
            cut_off: finished
                .filter(|(_, event)| event["verdict"]["kind"] == "interrupted")
                .map(|(unit, _)| unit.step_and_iteration())
                .collect(),
        }
    }

    /// The differences from the expected outcomes.
    pub(crate) fn differences(&self, expected: &Self) -> Vec<String> {
        let places: BTreeSet<&IterationKey> =
            self.outcomes.keys().chain(expected.outcomes.keys()).collect();
        let mut found: Vec<String> = places
            .into_iter()
            .filter(|place| !self.agrees(expected, **place))
            .map(|place| {
                let (step, iteration) = place;
                let (was, should) = (self.outcome(*place), expected.outcome(*place));
                format!("step {step} iteration {iteration}: {was} instead of {should}")
            })
            .collect();
        if self.ends != expected.ends {
            found.push(format!("it ended {:?} instead of {:?}", self.ends, expected.ends));
        }
        found
    }

    fn agrees(&self, expected: &Self, place: IterationKey) -> bool {
        let (was, should) = (self.outcomes.get(&place), expected.outcomes.get(&place));
        // An agent that was interrupted after it had created the done file need not run again.
        let is_excused = was.is_none()
            && should.is_some_and(|should| should == "complete by file")
            && self.cut_off.contains(&place);
        was == should || is_excused
    }

    fn outcome(&self, place: IterationKey) -> &str {
        self.outcomes.get(&place).map_or("nothing", String::as_str)
    }
}

fn verdict(finished: &Value) -> String {
    let verdict = &finished["verdict"];
    let kind = verdict["kind"].as_str().unwrap_or("?");
    match verdict["by"]["kind"].as_str() {
        Some(by) => format!("{kind} by {by}"),
        None => kind.to_owned(),
    }
}

/// The end of a step or the run, unless it was an interruption, and what the flow decided between
/// steps. A question may be asked again after a kill, and its answer counts once.
fn end(event: &Value) -> Option<String> {
    if event["reason"] == "interrupted" || event["end"]["kind"] == "interrupted" {
        return None;
    }
    match event["event"].as_str()? {
        "step_finished" => Some(format!("step {} by {}", event["step"], event["reason"])),
        "run_finished" => Some(format!("run {}", event["end"]["kind"])),
        "round_started" => Some(format!("round {} begins", event["round"])),
        "round_refused" => Some(format!("round {} refused by {}", event["round"], event["step"])),
        "round_checked" => Some(format!("round checked by {}", event["step"])),
        "condition_checked" => Some(format!("condition of {}: {}", event["step"], event["holds"])),
        "answered" => Some(format!("question {}: {}", event["question"], event["approved"])),
        "message_queued" => Some(format!("message {}", event["text"])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(lines: &[&str]) -> RunOutcomes {
        let numbered = lines.iter().enumerate();
        let text: String =
            numbered.map(|(seq, line)| format!("{{\"seq\":{seq},{line}}}\n")).collect();
        let journal = ProofJournal::parse(text.as_bytes()).expect("it is a journal");
        RunOutcomes::of(&journal, 2)
    }

    fn finished(iteration: u64, verdict: &str) -> String {
        format!(
            r#""event":"iteration_finished","verdict":{verdict},
            "unit":{{"step":1,"iteration":{iteration},"attempt":1}}"#
        )
        .replace('\n', "")
    }

    const BY_FILE: &str = r#"{"kind":"complete","by":{"kind":"file"}}"#;
    const CUT_OFF: &str = r#"{"kind":"interrupted"}"#;
    const STEP: &str = r#""event":"step_finished","step":1,"reason":"file""#;

    #[test]
    fn a_missing_or_different_outcome_is_reported() {
        let expected = outcomes(&[&finished(1, r#"{"kind":"incomplete"}"#), STEP]);
        assert_eq!(expected.differences(&expected), [""; 0]);
        let none = outcomes(&[STEP]);
        assert_eq!(
            none.differences(&expected),
            ["step 1 iteration 1: nothing instead of incomplete"]
        );
        let other = outcomes(&[&finished(1, r#"{"kind":"crashed"}"#), STEP]);
        assert_eq!(other.differences(&expected).len(), 1);
        let endless = outcomes(&[&finished(1, r#"{"kind":"incomplete"}"#)]);
        assert_eq!(endless.differences(&expected).len(), 1);
    }

    #[test]
    fn uncertain_iterations_may_differ() {
        let certain = finished(2, r#"{"kind":"incomplete"}"#);
        let expected = outcomes(&[&certain, STEP]);
        let more = outcomes(&[&certain, &finished(3, r#"{"kind":"complete"}"#), STEP]);
        assert_eq!(more.differences(&expected), [""; 0]);
    }

    #[test]
    fn only_a_done_file_excuses_an_interrupted_iteration() {
        let expected = outcomes(&[&finished(1, BY_FILE), STEP]);
        assert_eq!(outcomes(&[&finished(1, CUT_OFF), STEP]).differences(&expected), [""; 0]);
        assert_eq!(outcomes(&[STEP]).differences(&expected).len(), 1);
        let expected = outcomes(&[&finished(1, r#"{"kind":"complete"}"#), STEP]);
        assert_eq!(outcomes(&[&finished(1, CUT_OFF), STEP]).differences(&expected).len(), 1);
    }
}
