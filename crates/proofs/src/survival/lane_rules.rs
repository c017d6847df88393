//! The rules that hold for the events of lanes in every journal.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::journal::{JournalUnit, is_outcome};

/// A step and an iteration.
type IterationKey = (u64, u64);

/// The state of the rules: what each lane does, and what has landed.
#[derive(Debug, Default)]
pub(crate) struct LaneRules {
    /// The running attempt of each lane.
    open: BTreeMap<u64, JournalUnit>,
    /// The attempt of each lane whose agent has ended and whose work has not been checked.
    unchecked: BTreeMap<u64, JournalUnit>,
    /// Attempts that were interrupted with the run.
    cut_off: BTreeSet<JournalUnit>,
    /// The last attempt of each iteration.
    attempts: BTreeMap<IterationKey, u64>,
    /// Iterations whose agent was paid for and must not start again.
    paid: BTreeSet<IterationKey>,
    /// Work that waits for its landing, with its lane.
    queued: BTreeSet<(u64, JournalUnit)>,
    landed: BTreeSet<(u64, JournalUnit)>,
    /// The commit of the integration ref.
    integration: Option<Value>,
}

impl LaneRules {
    /// Applies an event in a lane, or an event about what lands. The result is what is wrong with it.
    pub(crate) fn apply(&mut self, event: &Value) -> Option<String> {
        let kind = event["event"].as_str().unwrap_or_default();
        let Some(lane) = event["lane"].as_u64() else { return self.apply_to_run(kind, event) };
        let unit = JournalUnit::of(event)?;
        match kind {
            "iteration_started" => self.start(lane, unit),
            "agent_finished" => {
                let was = self.open.remove(&lane);
                self.unchecked.insert(lane, unit);
                if is_outcome(event) {
                    self.paid.insert(unit.step_and_iteration());
                }
                (was != Some(unit)).then(|| "this attempt is not running".to_owned())
            }
            "iteration_finished" => self.finish(lane, unit, event),
            "work_queued" => {
                let is_new = !self.landed.contains(&(lane, unit));
                self.queued.insert((lane, unit));
                let is_paid = self.paid.contains(&unit.step_and_iteration());
                (!is_new || !is_paid).then(|| "it has landed, or its agent was not seen".to_owned())
            }
            "landing_refused" => {
                let was = self.queued.remove(&(lane, unit));
                (!was).then(|| "it was not queued".to_owned())
            }
            _ => None,
        }
    }

    /// Whether work waits that neither landed nor was refused.
    pub(crate) fn has_queued(&self) -> bool {
        !self.queued.is_empty()
    }

    fn apply_to_run(&mut self, kind: &str, event: &Value) -> Option<String> {
        match kind {
            "integration_started" => self.integration = Some(event["commit"].clone()),
            "landed" => return self.land(event),
            "run_resumed" => {
                self.cut_off.extend(std::mem::take(&mut self.open).into_values());
            }
            _ => {}
        }
        None
    }

    fn start(&mut self, lane: u64, unit: JournalUnit) -> Option<String> {
        let key = unit.step_and_iteration();
        let last = self.attempts.insert(key, unit.attempt).unwrap_or_default();
        let is_free = !self.unchecked.contains_key(&lane);
        if self.open.insert(lane, unit).is_some() || !is_free {
            return Some("another attempt runs in the lane".to_owned());
        }
        if self
            .open
            .iter()
            .any(|(other, running)| *other != lane && running.step_and_iteration() == key)
        {
            return Some("it runs in another lane".to_owned());
        }
        if self.paid.contains(&key) {
            return Some("its agent has done it before".to_owned());
        }
        (unit.attempt != last + 1).then(|| format!("attempt {} would be next", last + 1))
    }

    fn finish(&mut self, lane: u64, unit: JournalUnit, event: &Value) -> Option<String> {
        if self.cut_off.remove(&unit) {
            let is_interrupted = event["verdict"]["kind"] == "interrupted";
            return (!is_interrupted).then(|| "this attempt was cut off".to_owned());
        }
        let known = [self.open.remove(&lane), self.unchecked.remove(&lane)];
        if is_outcome(event) {
            self.paid.insert(unit.step_and_iteration());
        }
        (!known.contains(&Some(unit))).then(|| "this attempt is not running".to_owned())
    }

    fn land(&mut self, event: &Value) -> Option<String> {
        let before = self.integration.replace(event["to"].clone());
        if before.as_ref() != Some(&event["from"]) {
            return Some("the integration ref was somewhere else".to_owned());
        }
        for landed in event["landed"].as_array().into_iter().flatten() {
            let work = landed["lane"].as_u64().zip(JournalUnit::of(landed));
            let Some((lane, unit)) = work else { return Some("it names no work".to_owned()) };
            if !self.queued.remove(&(lane, unit)) {
                return Some(format!("{unit} was not queued"));
            }
            if !self.landed.insert((lane, unit)) {
                return Some(format!("{unit} has landed before"));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies short forms of events: a kind, and for most a lane and an iteration.
    fn problems(events: &[&str]) -> Vec<String> {
        let mut rules = LaneRules::default();
        let mut found = Vec::new();
        for event in events {
            let words: Vec<&str> = event.split(' ').collect();
            let text = match words[..] {
                ["landed", lane, iteration, from, to] => format!(
                    r#"{{"event":"landed","from":"{from}","to":"{to}","landed":[{{"lane":{lane},
                    "unit":{{"step":1,"iteration":{iteration},"attempt":1}}}}]}}"#
                ),
                [kind, lane, iteration] => format!(
                    r#"{{"event":"{kind}","lane":{lane},"verdict":{{"kind":"incomplete"}},
                    "unit":{{"step":1,"iteration":{iteration},"attempt":1}}}}"#
                ),
                [kind, commit] => format!(r#"{{"event":"{kind}","commit":"{commit}"}}"#),
                _ => format!(r#"{{"event":"{event}"}}"#),
            };
            found.extend(rules.apply(&serde_json::from_str(&text).expect("it is JSON")));
        }
        found
    }

    const FINISHED: [&str; 4] = [
        "integration_started a",
        "iteration_started 1 1",
        "agent_finished 1 1",
        "iteration_finished 1 1",
    ];

    #[test]
    fn lanes_work_at_the_same_time_and_land_once() {
        let both = ["iteration_started 2 2", "work_queued 1 1", "landed 1 1 a b"];
        assert_eq!(problems(&[&FINISHED[..], &both].concat()), [""; 0]);
        let twice = [&both[..], &["work_queued 1 1", "landed 1 1 b c"]].concat();
        assert_eq!(problems(&[&FINISHED[..], &twice].concat()).len(), 2);
        let unqueued = ["landed 1 1 a b"];
        assert_eq!(problems(&[&FINISHED[..], &unqueued].concat()).len(), 1);
        let elsewhere = ["work_queued 1 1", "landed 1 1 x b"];
        assert_eq!(problems(&[&FINISHED[..], &elsewhere].concat()).len(), 1);
    }

    #[test]
    fn an_iteration_is_paid_for_once_in_whatever_lane() {
        assert_eq!(problems(&[&FINISHED[..], &["iteration_started 2 1"]].concat()).len(), 1);
        let cut_off = ["iteration_started 1 1", "run_resumed", "iteration_finished 1 1"];
        assert_eq!(problems(&cut_off), ["this attempt was cut off"]);
        let two = ["iteration_started 1 1", "iteration_started 2 1"];
        assert_eq!(problems(&two).len(), 1);
    }
}
