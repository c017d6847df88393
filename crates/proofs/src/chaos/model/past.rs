//! Follows the events of a run, and checks which may come next.

use serde_json::Value;

use crate::chaos::script::agent_script::FinalAction;
use crate::chaos::script::random_chain::{RandomChain, RandomLimits};
use crate::chaos::script::round_script::ResumeOptions;
use crate::chaos::session_facts;
use crate::survival::journal::JournalUnit;

use super::SessionCheck;
use super::step_past::{ModelStepStatus, StepPast};

/// The maximum delay of a request on a busy machine, in milliseconds.
const MAX_REQUEST_DELAY_MS: u64 = 1_500;

/// The state of a run after its events.
pub(super) struct RunPast<'a> {
    chain: &'a RandomChain,
    limits: RandomLimits,
    steps: Vec<StepPast>,
    /// The end of the run, if it has ended.
    pub(super) end: Option<Value>,
    /// The requests to end this session.
    cancelled: Vec<String>,
    /// The running unit.
    running: Option<JournalUnit>,
    pub(super) starts: usize,
}

impl<'a> RunPast<'a> {
    pub(super) fn new(chain: &'a RandomChain) -> Self {
        Self {
            chain,
            limits: chain.limits,
            steps: chain.steps.iter().map(|step| StepPast::new(step.max_iterations)).collect(),
            end: None,
            cancelled: Vec::new(),
            running: None,
            starts: 0,
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end["kind"] == "complete")
    }

    pub(super) fn finished(&self, step: u64) -> u64 {
        let number = usize::try_from(step).unwrap_or(usize::MAX).wrapping_sub(1);
        self.steps.get(number).map_or(0, |step| step.finished)
    }

    /// Applies the events of a session.
    pub(super) fn take(&mut self, look: &SessionCheck<'_>) -> Vec<String> {
        self.cancelled.clear();
        let mut problems = Vec::new();
        for event in look.new {
            if let Some(why) = self.step_by_step(event, look) {
                problems.push(format!("line {}, {}: {why}", event["seq"], event["event"]));
            }
        }
        problems.extend(self.lost_requests(look));
        problems
    }

    fn step_by_step(&mut self, event: &Value, look: &SessionCheck<'_>) -> Option<String> {
        match event["event"].as_str().unwrap_or_default() {
            "run_resumed" => self.resume(look.plan.changes),
            "step_started" => {
                if let Some(step) = self.step(&event["step"]) {
                    step.begin(&event["sight"]);
                }
            }
            "asked" => return self.ask(event),
            "answered" => return self.answer(event),
            "iteration_started" => return self.start(JournalUnit::of(event)?),
            "iteration_finished" => return self.finish(event, look),
            "completion_requested" => return self.requested(event),
            "step_finished" => return self.finish_step(event),
            "cancelled" => return self.cancel(event, look),
            "run_finished" => return self.finish_run(&event["end"]),
            "warning" => {
                let message = event["message"].as_str().unwrap_or_default();
                return message.contains("could not be ended").then(|| message.to_owned());
            }
            _ => {}
        }
        None
    }

    fn step(&mut self, number: &Value) -> Option<&mut StepPast> {
        let number = usize::try_from(number.as_u64()?).ok()?;
        self.steps.get_mut(number.checked_sub(1)?)
    }

    fn resume(&mut self, changes: ResumeOptions) {
        self.running = None;
        for step in self.steps.iter_mut().filter(|step| step.status != ModelStepStatus::Complete) {
            if let (Some(limit), true) = (changes.iterations, step.loops) {
                let begun = step.status != ModelStepStatus::Pending;
                step.max_iterations = if begun { limit } else { limit.max(step.max_iterations) };
            }
            let interrupted = step.status == ModelStepStatus::Over("interrupted".to_owned());
            // Otherwise only the end of the run is missing, which a resume records first.
            if self.end.is_some() || interrupted || !changes.is_nothing() {
                step.reopen();
            }
            step.forget_used_up_time();
        }
        if let Some(run_time) = changes.run_time {
            self.limits.run_time = run_time;
        }
        if let Some(stagnation) = changes.stagnation {
            self.limits.stagnation = stagnation;
        }
        self.end = None;
    }

    fn start(&mut self, unit: JournalUnit) -> Option<String> {
        self.starts += 1;
        self.running = Some(unit);
        let stagnation = self.limits.stagnation;
        let writes_done_file =
            self.chain.deed(unit.step, unit.iteration)?.finale == FinalAction::DoneFile;
        let earlier = usize::try_from(unit.step).unwrap_or(1).saturating_sub(1);
        let is_its_turn =
            self.steps[..earlier].iter().all(|step| step.status == ModelStepStatus::Complete);
        let cancelled = self.cancelled.clone();
        let step = self.step(&unit.step.into())?;
        step.may_be_done_by_file |= writes_done_file;
        let last = step.last.as_ref().map(|last| &last["verdict"]["kind"]);
        let why = if !is_its_turn {
            "an earlier step is not complete"
        } else if step.status != ModelStepStatus::Open {
            "the step is not open"
        } else if unit.iteration != step.finished + 1 || unit.iteration > step.max_iterations {
            "it is not the turn of this iteration"
        } else if last.is_some_and(|kind| *kind == "complete") {
            "its work was done"
        } else if !step.loops && step.finished > 0 {
            "it runs once"
        } else if stagnation.is_some_and(|limit| step.known_trees >= limit) {
            "it stagnates"
        } else if !cancelled.is_empty() {
            "the run was cancelled"
        } else {
            return None;
        };
        Some(format!("{unit}: {why}"))
    }

    fn finish(&mut self, event: &Value, look: &SessionCheck<'_>) -> Option<String> {
        let unit = JournalUnit::of(event)?;
        let was_running = self.running.take() == Some(unit);
        if event["verdict"]["kind"] == "interrupted" {
            let is_wanted = !self.cancelled.is_empty() || !was_running;
            return (!is_wanted).then(|| format!("{unit} was interrupted without a cause"));
        }
        let agent_script = self.chain.deed(unit.step, unit.iteration)?;
        let step = self.step(&unit.step.into())?;
        let is_new = step.finish(event);
        let is_seen = event["sight"]["tree"].is_string();
        let is_hit = look.hit.contains(&unit.step_and_iteration());
        let is_done = event["verdict"]["kind"] == "incomplete";
        (is_seen && !is_new && is_done && !is_hit && agent_script.makes_something_new())
            .then(|| format!("{unit} made something new that was not observed"))
    }

    fn requested(&mut self, event: &Value) -> Option<String> {
        let unit = JournalUnit::of(event)?;
        let agent_script = self.chain.deed(unit.step, unit.iteration)?;
        let loops = self.step(&unit.step.into())?.loops;
        let says_marker =
            matches!(agent_script.finale, FinalAction::Marker { .. } | FinalAction::MarkerThenHang);
        let is_true = match event["by"]["kind"].as_str()? {
            "marker" => says_marker,
            "file" => self.step(&unit.step.into())?.may_be_done_by_file,
            _ => false,
        };
        (!loops || !is_true).then(|| format!("{unit} did not say that it is done: {}", event["by"]))
    }

    fn finish_step(&mut self, event: &Value) -> Option<String> {
        let (limits, cancelled) = (self.limits, !self.cancelled.is_empty());
        let elapsed = event["elapsedMs"].as_u64().unwrap_or(0);
        let step = self.step(&event["step"])?;
        let reason = event["reason"].as_str().unwrap_or_default();
        let last = step.last.as_ref().map_or(&Value::Null, |last| &last["verdict"]);
        let is_true = match reason {
            "marker" | "exit_code" => last["kind"] == "complete" && last["by"]["kind"] == *reason,
            "file" => {
                (last["kind"] == "complete" && last["by"]["kind"] == "file")
                    || step.may_be_done_by_file
            }
            "max_iterations" => step.loops && step.finished >= step.max_iterations,
            "failed" => !step.loops && last["kind"] == "crashed",
            "stagnated" | "cycling" => {
                limits.stagnation.is_some_and(|limit| step.known_trees >= limit)
            }
            "run_time" => limits.run_time.is_some_and(|limit| elapsed >= limit * 1000),
            "timeout" | "idle" => !step.loops && last["why"] == *reason,
            "approved" => step.answer == Some(true),
            "denied" => step.answer == Some(false),
            "interrupted" => cancelled,
            _ => false,
        };
        let is_complete = event["end"]["kind"] == "complete";
        step.status = if is_complete {
            ModelStepStatus::Complete
        } else {
            ModelStepStatus::Over(reason.to_owned())
        };
        (!is_true).then(|| format!("it is not true that step {} is {reason}", event["step"]))
    }

    /// A question may be asked again until it is answered.
    fn ask(&mut self, event: &Value) -> Option<String> {
        let question = event["question"].as_u64()?;
        let step = self.step(&event["step"])?;
        let is_next = question == step.asked + 1;
        let why = if step.status != ModelStepStatus::Open {
            "the step is not open"
        } else if question == step.asked && step.answer.is_some() {
            "the question was answered"
        } else if question == step.asked || is_next {
            if is_next {
                (step.asked, step.answer) = (question, None);
            }
            return None;
        } else {
            "it is another question's turn"
        };
        Some(why.to_owned())
    }

    /// Each question is answered once, as the person did.
    fn answer(&mut self, event: &Value) -> Option<String> {
        let is_denied = event["question"] == 1 && self.chain.denies_first;
        let step = self.step(&event["step"])?;
        let was_answered = step.answer.is_some();
        step.answer = event["approved"].as_bool();
        let why = if was_answered {
            "the question was answered already"
        } else if event["question"].as_u64() != Some(step.asked) {
            "this question is not open"
        } else if event["by"] != "person" || step.answer == Some(is_denied) {
            "the person did not answer this"
        } else {
            return None;
        };
        Some(why.to_owned())
    }

    fn cancel(&mut self, event: &Value, look: &SessionCheck<'_>) -> Option<String> {
        let by = event["by"].as_str().unwrap_or_default();
        self.cancelled.push(by.to_owned());
        let is_true = look.life.facts.requests().iter().any(|(word, _)| *word == by);
        (!is_true).then(|| format!("it has no cause: {by}"))
    }

    fn finish_run(&mut self, end: &Value) -> Option<String> {
        self.end = Some(end.clone());
        let open = self.steps.iter().position(|step| step.status != ModelStepStatus::Complete);
        let is_true = match end["kind"].as_str().unwrap_or_default() {
            "complete" => open.is_none(),
            "incomplete" => open.is_some_and(|open| {
                let reason = end["reason"].as_str().unwrap_or_default();
                end["step"] == open as u64 + 1
                    && self.steps[open].status == ModelStepStatus::Over(reason.to_owned())
            }),
            "interrupted" => {
                let by = end["by"].as_str().unwrap_or_default();
                self.cancelled.iter().any(|word| word == by) && open.is_some()
            }
            _ => false,
        };
        (!is_true).then(|| format!("that is not how it ended: {end}"))
    }

    /// Requests to end the run that were lost.
    fn lost_requests(&self, look: &SessionCheck<'_>) -> Vec<String> {
        let facts = &look.life.facts;
        if facts.was_stopped() || facts.attacked || facts.left_unread {
            return Vec::new();
        }
        let was_noticed = |by: &str| self.cancelled.iter().any(|word| word == by);
        let mut lost = Vec::new();
        // A request through the socket may come before the run listens, and then fails.
        let asked = ["stop", "stop_now"];
        for (by, at) in facts.requests().into_iter().filter(|(by, _)| !asked.contains(by)) {
            let later = |event: &&Value| {
                let moment = event["at"].as_str().and_then(session_facts::time_of_day);
                moment
                    .and_then(|moment| session_facts::after(at, moment))
                    .is_some_and(|ms| ms > MAX_REQUEST_DELAY_MS)
            };
            let went_on = look.new.iter().find(later);
            if let Some(event) = went_on.filter(|_| !was_noticed(by)) {
                lost.push(format!("{by} was not noticed: line {} came much later", event["seq"]));
            }
        }
        lost
    }
}
