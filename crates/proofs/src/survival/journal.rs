//! Reads a journal with a JSON parser, independently of the production code.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde_json::Value;

use super::lane_rules::LaneRules;

/// One attempt of one iteration of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct JournalUnit {
    pub(crate) step: u64,
    pub(crate) iteration: u64,
    pub(crate) attempt: u64,
}

impl JournalUnit {
    /// The step and the iteration.
    pub(crate) const fn step_and_iteration(self) -> (u64, u64) {
        (self.step, self.iteration)
    }

    /// The unit of an event.
    pub(crate) fn of(event: &Value) -> Option<Self> {
        let unit = &event["unit"];
        Some(Self {
            step: unit["step"].as_u64()?,
            iteration: unit["iteration"].as_u64()?,
            attempt: unit["attempt"].as_u64()?,
        })
    }
}

impl fmt::Display for JournalUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.step, self.iteration, self.attempt)
    }
}

/// The events of a journal, in order, numbered without gaps.
#[derive(Debug, Default)]
pub(crate) struct ProofJournal {
    pub(crate) events: Vec<Value>,
    /// An incomplete last line.
    pub(crate) torn: Option<Vec<u8>>,
}

impl ProofJournal {
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&bytes).map_err(|why| format!("{}: {why}", path.display()))
    }

    /// Reads all lines. Only the last one may be incomplete.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut journal = Self::default();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let number = journal.events.len();
            if !line.ends_with(b"\n") {
                journal.torn = Some(line.to_owned());
                break;
            }
            let event: Value = serde_json::from_slice(line)
                .map_err(|error| format!("line {} is no JSON: {error}", number + 1))?;
            if event["seq"].as_u64() != Some(number as u64) {
                return Err(format!("line {} has the number {}", number + 1, event["seq"]));
            }
            journal.events.push(event);
        }
        Ok(journal)
    }

    /// The run's id, once its start is recorded.
    pub(crate) fn run(&self) -> Option<&str> {
        self.events.first()?["run"].as_str()
    }

    /// All events of one kind.
    pub(crate) fn all<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.events.iter().filter(move |event| event["event"] == kind)
    }

    /// All attempts that were started, in order.
    pub(crate) fn started(&self) -> Vec<JournalUnit> {
        self.all("iteration_started").filter_map(JournalUnit::of).collect()
    }

    /// The number of the question that waits for an answer.
    pub(crate) fn open_question(&self) -> Option<u64> {
        let last = self.all("asked").last()?["question"].as_u64();
        let is_answered = self.all("answered").any(|event| event["question"].as_u64() == last);
        last.filter(|_| !is_answered)
    }

    /// All finished attempts, each with its event.
    pub(crate) fn finished(&self) -> Vec<(JournalUnit, &Value)> {
        let all = self.all("iteration_finished");
        all.filter_map(|event| Some((JournalUnit::of(event)?, event))).collect()
    }

    /// All attempts with an outcome, which must not be repeated.
    pub(crate) fn outcomes(&self) -> Vec<(JournalUnit, &Value)> {
        self.finished().into_iter().filter(|(_, event)| is_outcome(event)).collect()
    }

    /// All units whose agent is known to have ended, so that it must not run again: those with an
    /// outcome, and those whose observations or checks were about to start.
    pub(crate) fn paid_for(&self) -> Vec<JournalUnit> {
        let outcomes = self.outcomes().into_iter().map(|(unit, _)| unit);
        let gone = self.all("agent_finished").filter(|event| is_outcome(event));
        outcomes.chain(gone.filter_map(JournalUnit::of)).collect()
    }

    /// The process ids of agents.
    pub(crate) fn agents(&self) -> Vec<(JournalUnit, u64)> {
        let all = self.all("agent_started");
        all.filter_map(|event| Some((JournalUnit::of(event)?, event["pid"].as_u64()?))).collect()
    }

    /// The end of the run, unless it is running or was interrupted.
    pub(crate) fn end(&self) -> Option<&Value> {
        let last = self.events.last()?;
        (last["event"] == "run_finished").then(|| &last["end"])
    }

    /// For each step of the plan, whether it loops.
    pub(crate) fn loops(&self) -> Vec<bool> {
        let steps = self.events.first().map(|event| &event["plan"]["steps"]);
        let steps = steps.and_then(Value::as_array).into_iter().flatten();
        steps.map(|step| step["iterations"].is_u64()).collect()
    }

    /// Violations of the rules that hold for every journal.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut rules = JournalRules { loops: self.loops(), ..JournalRules::default() };
        self.events.iter().for_each(|event| rules.apply(event));
        rules.problems
    }
}

/// Whether an attempt has an outcome: it was neither interrupted nor failed to start.
pub(crate) fn is_outcome(finished: &Value) -> bool {
    finished["verdict"]["kind"] != "interrupted" && finished["end"]["kind"] != "not_started"
}

/// The state of the rules.
#[derive(Default)]
struct JournalRules {
    /// For each step, whether it loops.
    loops: Vec<bool>,
    begun: bool,
    over: bool,
    /// The running attempt.
    open: Option<JournalUnit>,
    /// The attempt whose agent has ended but whose work has not been checked. This survives a kill
    /// or an interruption.
    unchecked: Option<JournalUnit>,
    /// An attempt that was interrupted with the run. This may be recorded when the run is resumed.
    cut_off: Option<JournalUnit>,
    /// The last attempt of each step that ended, and whether its iteration is over.
    last: BTreeMap<u64, (JournalUnit, bool)>,
    /// The step whose attempt ended last.
    latest: Option<u64>,
    lanes: LaneRules,
    problems: Vec<String>,
}

impl JournalRules {
    fn apply(&mut self, event: &Value) {
        let kind = event["event"].as_str().unwrap_or_default();
        if !self.begun && kind != "run_started" || self.begun && kind == "run_started" {
            self.complain(event, "a run starts with its first line, and only there");
        }
        self.begun = true;
        if self.over && kind != "run_resumed" {
            self.complain(event, "the run was over");
        }
        self.over = kind == "run_finished";
        if let Some(why) = self.lanes.apply(event) {
            self.complain(event, &why);
        }
        if event["lane"].is_u64() {
            return;
        }
        if kind == "run_finished" && event["end"]["kind"] == "complete" && self.lanes.has_queued() {
            self.complain(event, "work waits for its landing");
        }
        match (kind, JournalUnit::of(event)) {
            ("iteration_started", Some(unit)) => self.start(event, unit),
            ("iteration_finished", Some(unit)) if self.cut_off == Some(unit) => {
                self.finish_cut_off(event);
            }
            ("iteration_finished", Some(unit)) => self.finish(event, unit),
            ("agent_finished", Some(unit)) if self.open == Some(unit) => {
                self.unchecked = self.open.take();
            }
            ("check_finished", unit) if self.unchecked.is_some() && self.unchecked == unit => {}
            ("check_finished", _) => self.complain(event, "its agent is not known to be gone"),
            // Also after the end of an attempt, and of an interrupted one.
            ("tasks_changed", Some(unit)) if self.is_latest(unit) => {}
            ("tasks_changed", unit) if self.unchecked.is_some() && self.unchecked == unit => {}
            ("run_resumed", _) => self.resume(),
            ("round_started", _) => self.begin_round(),
            (_, Some(unit)) if self.open != Some(unit) => {
                self.complain(event, "this try is not going on");
            }
            ("run_finished" | "step_finished" | "step_started", _) if self.open.is_some() => {
                self.complain(event, "an agent is at work");
            }
            _ => {}
        }
    }

    fn start(&mut self, event: &Value, unit: JournalUnit) {
        if self.open.is_some() {
            self.complain(event, "another attempt is running");
        }
        if let Some(unit) = self.unchecked.take() {
            self.complain(event, &format!("the work of {unit} has not been checked"));
        }
        self.cut_off = None;
        let expected = match self.last.get(&unit.step).copied() {
            Some((last, true)) => JournalUnit { iteration: last.iteration + 1, attempt: 1, ..last },
            Some((last, false)) => JournalUnit { attempt: last.attempt + 1, ..last },
            None => JournalUnit { iteration: 1, attempt: 1, ..unit },
        };
        if unit != expected {
            self.complain(event, &format!("{expected} would be next"));
        }
        self.open = Some(unit);
    }

    /// A running attempt is repeated. So is an agent that runs once and did not complete.
    fn resume(&mut self) {
        self.cut_off = self.open.take();
        if let Some(unit) = self.cut_off {
            self.note_last(unit, false);
        }
        if let Some((unit, is_over)) = self.latest.and_then(|step| self.last.get_mut(&step)) {
            let number = usize::try_from(unit.step).unwrap_or(usize::MAX);
            *is_over &= self.loops.get(number.wrapping_sub(1)).is_none_or(|loops| *loops);
        }
    }

    /// The steps of a round begin again, and their iteration numbers continue. A resume repeats no attempt
    /// of an earlier round.
    fn begin_round(&mut self) {
        self.last.values_mut().for_each(|(_, is_over)| *is_over = true);
        self.latest = None;
    }

    fn finish_cut_off(&mut self, event: &Value) {
        if event["verdict"]["kind"] != "interrupted" {
            self.complain(event, "this try was cut off");
        }
        self.cut_off = None;
    }

    fn finish(&mut self, event: &Value, unit: JournalUnit) {
        if self.open != Some(unit) && self.unchecked != Some(unit) {
            self.complain(event, "this try is not going on");
        }
        (self.open, self.unchecked) = (None, None);
        self.note_last(unit, is_outcome(event));
    }

    fn note_last(&mut self, unit: JournalUnit, is_over: bool) {
        self.last.insert(unit.step, (unit, is_over));
        self.latest = Some(unit.step);
    }

    fn is_latest(&self, unit: JournalUnit) -> bool {
        let latest = self.latest.and_then(|step| self.last.get(&step));
        latest.is_some_and(|(last, _)| *last == unit)
    }

    fn complain(&mut self, event: &Value, why: &str) {
        let unit = JournalUnit::of(event).map(|unit| format!(" of {unit}")).unwrap_or_default();
        let (seq, kind) = (&event["seq"], &event["event"]);
        self.problems.push(format!("line {seq}, {kind}{unit}: {why}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A journal from short forms of events: `started 1 2 1`, `finished 1 2 1 crashed`, or just a
    /// kind.
    fn journal(events: &[&str]) -> ProofJournal {
        let mut text = String::new();
        for (seq, event) in events.iter().enumerate() {
            let words: Vec<&str> = event.split(' ').collect();
            let line = match words[..] {
                [kind, step, iteration, attempt, ref rest @ ..] => {
                    let verdict = rest.first().unwrap_or(&"");
                    format!(
                        r#"{{"seq":{seq},"event":"iteration_{kind}","verdict":{{"kind":"{verdict}"}},
                        "unit":{{"step":{step},"iteration":{iteration},"attempt":{attempt}}}}}"#
                    )
                }
                _ => format!(r#"{{"seq":{seq},"event":"{event}","run":"abc"}}"#),
            };
            text.push_str(&line.replace('\n', ""));
            text.push('\n');
        }
        ProofJournal::parse(text.as_bytes()).expect("it can be read")
    }

    fn problems(events: &[&str]) -> usize {
        journal(events).problems().len()
    }

    #[test]
    fn a_run_with_tries_and_a_resume_is_in_order() {
        let good = journal(&[
            "run_started",
            "step_started",
            "started 1 1 1",
            "run_resumed",
            "finished 1 1 1 interrupted",
            "started 1 1 2",
            "finished 1 1 2 incomplete",
            "started 1 2 1",
            "finished 1 2 1 complete",
            "step_finished",
            "started 2 1 1",
            "finished 2 1 1 complete",
            "run_finished",
        ]);
        assert_eq!(good.problems(), [""; 0]);
        assert_eq!(good.outcomes().len(), 3);
        assert_eq!(good.run(), Some("abc"));
        assert!(good.end().is_some());
    }

    #[test]
    fn an_agent_whose_work_is_to_be_checked_is_not_started_again() {
        let agent = |kind: &str| {
            format!(r#"{{"seq":2,"event":"{kind}","unit":{{"step":1,"iteration":1,"attempt":1}}}}"#)
        };
        let with = |kind: &str, rest: &[&str]| {
            let mut journal = journal(&[&["run_started", "started 1 1 1", "x"], rest].concat());
            journal.events[2] = serde_json::from_str(&agent(kind)).expect("it is JSON");
            journal
        };
        let checked = with("agent_finished", &["run_resumed", "finished 1 1 1 complete"]);
        assert_eq!(checked.problems(), [""; 0]);
        assert_eq!(checked.paid_for().len(), 2);
        let interrupted = with("agent_finished", &["step_finished", "run_finished"]);
        assert_eq!(interrupted.problems(), [""; 0]);
        assert_eq!(with("agent_finished", &["run_resumed", "started 1 1 2"]).problems().len(), 2);
        assert_eq!(with("check_finished", &[]).problems().len(), 1);
    }

    #[test]
    fn an_iteration_with_an_outcome_is_not_retried() {
        let once = ["run_started", "started 1 1 1", "finished 1 1 1 crashed"];
        assert_eq!(problems(&once), 0);
        assert_eq!(problems(&[&once[..], &["started 1 1 2"]].concat()), 1);
        assert_eq!(problems(&[&once[..], &["started 1 3 1"]].concat()), 1);
        assert_eq!(problems(&[&once[..], &["finished 1 1 1 crashed"]].concat()), 1);
    }

    #[test]
    fn a_try_that_was_cut_off_has_no_other_outcome_and_may_have_none() {
        let killed = ["run_started", "started 1 1 1", "run_resumed"];
        let next = ["run_resumed", "started 1 1 2"];
        assert_eq!(problems(&[&killed[..], &next].concat()), 0, "killed again at once");
        assert_eq!(problems(&[&killed[..], &["finished 1 1 1 complete"]].concat()), 1);
        assert_eq!(problems(&[&killed[..], &["started 1 1 1"]].concat()), 1);
        assert_eq!(problems(&[&killed[..], &["started 1 2 1"]].concat()), 1);
    }

    #[test]
    fn an_agent_that_runs_once_and_failed_is_tried_again_after_a_resume_only() {
        let failed = ["run_started", "started 1 1 1", "finished 1 1 1 crashed"];
        let mut once = journal(&[&failed[..], &["run_resumed", "started 1 1 2"]].concat());
        assert_eq!(once.problems().len(), 1, "as a loop");
        once.events[0]["plan"] = serde_json::json!({"steps": [{"iterations": null}]});
        assert_eq!(once.problems(), [""; 0]);
        once.events.remove(3);
        assert_eq!(once.problems().len(), 1, "it was not resumed");
    }

    #[test]
    fn a_round_numbers_the_iterations_of_its_steps_on() {
        let round =
            ["started 1 1 1", "finished 1 1 1 complete", "started 2 1 1", "finished 2 1 1 crashed"];
        let first = [&["run_started", "round_started"][..], &round].concat();
        assert_eq!(problems(&first), 0);
        let second = [&first[..], &["round_started", "started 1 2 1"]].concat();
        assert_eq!(problems(&second), 0);
        for resumed in [["run_resumed", "round_started"], ["round_started", "run_resumed"]] {
            let resumed = [
                &first[..],
                &resumed,
                &["started 1 2 1", "finished 1 2 1 complete", "started 2 2 1"],
            ];
            assert_eq!(problems(&resumed.concat()), 0);
        }
        assert_eq!(problems(&[&first[..], &["round_started", "started 1 1 1"]].concat()), 1);
        assert_eq!(problems(&[&first[..], &["round_started", "started 1 1 2"]].concat()), 1);
    }

    #[test]
    fn a_question_is_open_until_it_is_answered() {
        let with = |lines: &[&str]| {
            let numbered = lines.iter().enumerate();
            let text = numbered.map(|(seq, line)| format!("{{\"seq\":{seq},{line}}}\n"));
            let text: String = text.collect();
            ProofJournal::parse(text.as_bytes()).expect("it can be read").open_question()
        };
        let (asked, answered) =
            (r#""event":"asked","question":1"#, r#""event":"answered","question":1"#);
        assert_eq!(with(&[r#""event":"run_started""#]), None);
        assert_eq!(with(&[asked, asked]), Some(1));
        assert_eq!(with(&[asked, answered]), None);
        assert_eq!(with(&[asked, answered, r#""event":"asked","question":2"#]), Some(2));
    }

    #[test]
    fn two_at_once_and_anything_behind_the_end_are_found() {
        assert_eq!(problems(&["run_started", "started 1 1 1", "started 1 2 1"]), 2);
        assert_eq!(problems(&["run_started", "run_finished", "warning"]), 1);
        assert_eq!(problems(&["run_started", "run_finished", "run_resumed"]), 0);
        assert_eq!(problems(&["warning"]), 1);
        assert_eq!(problems(&["run_started", "started 1 1 1", "run_finished"]), 1);
    }

    #[test]
    fn a_line_that_is_missing_is_an_error_and_half_a_last_line_is_not() {
        let gap = b"{\"seq\":0,\"event\":\"run_started\"}\n{\"seq\":2}\n";
        assert!(ProofJournal::parse(gap).is_err());
        let damaged = b"{\"seq\":0,\"event\":\"run_started\"}\nx\n{\"seq\":2}\n";
        assert!(ProofJournal::parse(damaged).is_err());
        let torn =
            ProofJournal::parse(b"{\"seq\":0,\"event\":\"run_started\"}\n{\"se").expect("read");
        assert_eq!((torn.events.len(), torn.torn), (1, Some(b"{\"se".to_vec())));
    }
}
