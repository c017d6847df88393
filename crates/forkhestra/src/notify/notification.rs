//! The content of a notification.

use std::path::Path;
use std::time::Duration;

use forkhestra_core::config::NotifyTrigger;
use forkhestra_core::cost::Cost;
use forkhestra_core::event::{Event, EventKind, RunEnd, StepEnd, WaitCause};
use forkhestra_core::explain::wait_subject;
use forkhestra_core::history::RunHistory;
use forkhestra_core::machine::RunState;
use forkhestra_core::text::cut;
use forkhestra_core::time::Timestamp;
use forkhestra_store::format;
use serde_json::{Value, json};
use typeset::text::visible;

use crate::past_runs::resume_command;
use crate::report::run::{reason, short_duration};
use crate::report::run_report::RunReport;
use crate::report::text::flow::questions;
use crate::report::text::lanes::landings;
use crate::report::text::local_time::minute_in_zone;
use crate::report::text::run_commands::RunCommands;
use crate::report::text::spend;

/// Upper bound for the characters of a name.
const MAX_NAME_CHARS: usize = 60;

/// Upper bound for the characters of the outcome, which may quote agents and checks.
const MAX_OUTCOME_CHARS: usize = 800;

/// Upper bound for the characters of the report. With the other parts it fits the limit of each
/// service, so that the command at the end is never cut.
const MAX_REPORT_CHARS: usize = 900;

/// A notification about a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Notification {
    pub(super) kind: NotifyTrigger,
    pub(super) run: String,
    pub(super) chain: Option<String>,
    pub(super) definition: String,
    pub(super) directory: String,
    pub(super) title: String,
    /// The outcome of the run, then a line with its id, duration and cost.
    pub(super) text: String,
    /// The end of the run as in its last event; `None` if the run is not over.
    pub(super) end: Option<Value>,
    pub(super) waits_until: Option<Timestamp>,
    /// The question that waits for an answer, if there is one.
    pub(super) question: Option<Value>,
    pub(super) iterations: u32,
    pub(super) elapsed: Duration,
    /// In US dollars; `None` if unknown.
    pub(super) cost: Option<f64>,
}

impl Notification {
    /// The notification for an event of this kind.
    pub(super) fn of_event(
        kind: NotifyTrigger,
        event: &Event,
        history: &RunHistory,
        report: &RunReport,
        commands: Option<&RunCommands>,
    ) -> Option<Self> {
        let (state, iterations) = (&history.state, history.iterations());
        match &event.kind {
            EventKind::RunFinished { end } => {
                let mut notice =
                    Self::new(kind, heading(kind), &verdict(end, state), state, iterations);
                for line in fitting(report.brief(), MAX_REPORT_CHARS) {
                    notice.text.push_str(&format!("\n{line}"));
                }
                if let Some(commands) = commands.filter(|_| *end != RunEnd::Complete) {
                    let command = resume_command::raised(commands.resume.clone(), state, event.at);
                    notice.text.push_str(&format!("\nTo resume: {command}"));
                }
                Some(Self { end: end_of(event), elapsed: event.elapsed, ..notice })
            }
            EventKind::Waiting { step, why, until } => {
                let until = *until;
                let text = waiting(*step, *why, until, state);
                let heading = match why {
                    WaitCause::Quota => "waits for its account's quota",
                    WaitCause::UsageLimit | WaitCause::Overloaded => "waits for a usage limit",
                };
                let notice = Self::new(kind, heading, &text, state, iterations);
                Some(Self { waits_until: Some(until), elapsed: event.elapsed, ..notice })
            }
            EventKind::Asked { step, question: number, text, until } => {
                let asked =
                    questions::question_sentence(*step, text.as_deref().map(visible).as_deref());
                let mut notice = Self::new(kind, "waits for an answer", &asked, state, iterations);
                let made = questions::changes_before_question(history);
                notice.text.extend(made.map(|made| format!("\n{}", cut(&made, MAX_REPORT_CHARS))));
                let commands =
                    commands.map(|commands| questions::answer_commands(commands, *number));
                let commands = commands.into_iter().flatten();
                notice.text.extend(commands.map(|command| format!("\n{command}")));
                let deadline = until.map(|until| {
                    questions::timeout_text(&state.plan, *step, &minute_in_zone(until))
                });
                notice.text.extend(deadline.map(|deadline| format!("\n{deadline}")));
                let question = json!({ "step": step, "number": number, "text": text });
                let (question, waits_until) = (Some(question), *until);
                Some(Self { question, waits_until, elapsed: event.elapsed, ..notice })
            }
            EventKind::WorkParked { .. } => {
                let parked = history.lanes.parked.last()?;
                let text = landings::parked_line(parked, &state.run);
                let notice =
                    Self::new(kind, "has work that does not land", &text, state, iterations);
                Some(Self { elapsed: event.elapsed, ..notice })
            }
            EventKind::Held { .. } => {
                let why = landings::held_reason(history.lanes.held.as_ref()?);
                let heading = "cannot bring landed work into the work tree";
                let notice = Self::new(kind, heading, &why, state, iterations);
                Some(Self { elapsed: event.elapsed, ..notice })
            }
            _ => None,
        }
    }

    /// The notification for a run that died without recording its end.
    pub(crate) fn run_died(why: &str, state: &RunState) -> Self {
        let kind = NotifyTrigger::Attention;
        Self::new(kind, heading(kind), &visible(why), state, state.iterations())
    }

    fn new(
        kind: NotifyTrigger,
        heading: &str,
        text: &str,
        state: &RunState,
        iterations: u32,
    ) -> Self {
        let plan = &state.plan;
        let name = visible(plan.chain.as_deref().unwrap_or(&plan.definition));
        let place = Path::new(&plan.working_directory).file_name();
        let place = place.map(|place| visible(&place.to_string_lossy()));
        let place =
            place.map(|place| format!(" in {}", cut(&place, MAX_NAME_CHARS))).unwrap_or_default();
        let spend = spend::known(state.spend());
        let mut figures = vec![
            format!("Run {}", state.run),
            reason::count(iterations, "iteration"),
            short_duration(state.elapsed),
        ];
        figures.extend(spend.map(|spend| spend::cost(spend) + spend::replayed(plan)));
        let is_known = spend.filter(|spend| spend.cost() != Cost::Unknown);
        Self {
            kind,
            run: state.run.to_string(),
            chain: plan.chain.clone(),
            definition: plan.definition.clone(),
            directory: plan.working_directory.clone(),
            title: format!("{}{place}: {heading}", cut(&name, MAX_NAME_CHARS)),
            text: format!("{}\n{}", cut(text, MAX_OUTCOME_CHARS), figures.join(", ")),
            end: None,
            waits_until: None,
            question: None,
            iterations,
            elapsed: state.elapsed,
            cost: is_known.map(|spend| dollars(spend.dollars.nanos())),
        }
    }
}

#[cfg(test)]
impl Notification {
    /// A sample for tests.
    pub(super) fn example() -> Self {
        Self {
            kind: NotifyTrigger::Failure,
            run: "abcdefgh".to_owned(),
            chain: Some("build".to_owned()),
            definition: "builder:3".to_owned(),
            directory: "/p".to_owned(),
            title: "title".to_owned(),
            text: "text".to_owned(),
            end: Some(json!({ "kind": "complete" })),
            waits_until: None,
            question: None,
            iterations: 3,
            elapsed: Duration::from_millis(1500),
            cost: Some(0.25),
        }
    }
}

const fn heading(kind: NotifyTrigger) -> &'static str {
    match kind {
        NotifyTrigger::Complete => "complete",
        NotifyTrigger::Failure => "incomplete",
        NotifyTrigger::Limit => "stopped at a limit",
        NotifyTrigger::Attention => "needs attention",
    }
}

/// The outcome of the run in one line, with the whole reason.
fn verdict(end: &RunEnd, state: &RunState) -> String {
    let steps = format!("({}/{} steps)", state.complete_steps(), state.steps_on_path().len());
    match end {
        RunEnd::Complete => format!("Chain complete {steps}"),
        RunEnd::Incomplete { step, end } => {
            let (name, why) = (agent(*step, state), why(*step, end, state));
            format!("Chain incomplete {steps}: step {step}, {name}, {why}")
        }
        RunEnd::Interrupted(by) if by.is_stop_request() => {
            format!("Chain stopped {steps}: {}", reason::cancel(*by))
        }
        RunEnd::Interrupted(by) => format!("Chain interrupted {steps}: {}", reason::cancel(*by)),
    }
}

fn why(step: usize, end: &StepEnd, state: &RunState) -> String {
    reason::entry(end, &reason::facts(state, step)).sentence
}

fn waiting(step: usize, why: WaitCause, until: Timestamp, state: &RunState) -> String {
    let (name, what) = (agent(step, state), wait_subject(why));
    format!("Step {step}, {name}, waits for {what} until {}", minute_in_zone(until))
}

fn agent(step: usize, state: &RunState) -> String {
    questions::step_name(&state.plan, step)
}

/// The first lines, up to `limit` characters together. An ellipsis marks omitted lines.
fn fitting(lines: Vec<String>, limit: usize) -> Vec<String> {
    let mut left = limit;
    let mut shown = Vec::new();
    for line in lines {
        let length = line.chars().count() + 1;
        if length > left {
            shown.push("…".to_owned());
            break;
        }
        left -= length;
        shown.push(line);
    }
    shown
}

/// The `end` field of the run's last event.
fn end_of(event: &Event) -> Option<Value> {
    let line: Value = serde_json::from_str(&format::encode(event, 0)).ok()?;
    line.get("end").cloned()
}

#[expect(clippy::cast_precision_loss, reason = "no run costs so much that it matters")]
fn dollars(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_is_too_long_loses_its_last_lines() {
        let lines = || ["one", "two", "three"].map(str::to_owned).to_vec();
        assert_eq!(fitting(lines(), 14), ["one", "two", "three"]);
        assert_eq!(fitting(lines(), 13), ["one", "two", "…"]);
        assert_eq!(fitting(lines(), 0), ["…"]);
        assert_eq!(fitting(Vec::new(), 0), [""; 0]);
    }
}
