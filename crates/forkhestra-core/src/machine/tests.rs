//! Tests of the machine with simulated runs, in which waiting takes no time.

mod calibration;
mod checks;
mod completion;
mod flow;
mod forks;
mod histories;
mod hooks;
mod interrupted_checks;
mod lanes;
mod observation;
pub(crate) mod operator;
mod properties;
mod recovery;
mod relocation;
mod statistics;
mod stream_facts;
pub(crate) mod support;
mod task_poll;
pub(crate) mod waits;
mod what_if;
mod work_survey;

use std::time::Duration;

use super::*;
use crate::dsl::Dsl;
use crate::event::{CompletionSignal, Event, EventKind, RunEnd, StopReason};
use crate::limit::{HumanDuration, Limit, LimitQuantity};
use crate::plan::{
    self, FileState, HostEnvironment, Plan, PlanRequest, ProgramLocation, RunTarget,
};
use support::run_simulation::RunSimulation;
use support::simulated_agent::SimulatedAgent;

struct AnyFileHost;

impl HostEnvironment for AnyFileHost {
    fn locate(&self, program: &str) -> ProgramLocation {
        ProgramLocation::Found(format!("/bin/{program}"))
    }

    fn file(&self, _: &str) -> FileState {
        FileState::Readable
    }

    fn prompt_file(&self, _: &str) -> FileState {
        FileState::Readable
    }

    fn task_database(&self) -> Option<String> {
        None
    }
}

fn request(chain: &str) -> PlanRequest {
    PlanRequest::new(RunTarget::Dsl(Dsl::parse(chain).expect("the test's chain is right")), "/work")
}

fn plan(chain: &str) -> Plan {
    plan_of(&request(chain))
}

fn plan_of(request: &PlanRequest) -> Plan {
    let layers = crate::config::ConfigLayers::default();
    plan::build(request, &layers, &AnyFileHost).expect("the test's plan is right").plan
}

/// A chain with a done file, and without an idle timeout.
fn with_done_file(chain: &str) -> Plan {
    let mut request = request(chain);
    request.done_file = Some("done".to_owned());
    request.limits.idle_timeout = limit("off");
    plan_of(&request)
}

/// A chain with limits from flags.
fn limited(chain: &str, change: impl FnOnce(&mut crate::limit::LimitChanges)) -> Plan {
    let mut request = request(chain);
    change(&mut request.limits);
    plan_of(&request)
}

fn limit<T: LimitQuantity>(text: &str) -> Option<Limit<T>> {
    Some(Limit::parse(text).expect("the test's limit is right"))
}

/// The events of a run up to and including the first one that matches.
fn up_to(run: &RunSimulation, last: impl Fn(&EventKind) -> bool) -> Vec<Event> {
    let index = run.kinds().position(last).expect("the run has such an event");
    run.events[..=index].to_vec()
}

/// The warnings of a run.
fn warnings(run: &RunSimulation) -> Vec<&str> {
    run.kinds()
        .filter_map(|kind| match kind {
            EventKind::Warning { message } => Some(message.as_str()),
            _ => None,
        })
        .collect()
}

/// The stop reasons of ended agents.
fn endings(run: &RunSimulation) -> Vec<StopReason> {
    run.kinds()
        .filter_map(|kind| match kind {
            EventKind::AgentEnding { why, .. } => Some(*why),
            _ => None,
        })
        .collect()
}

/// The verdict of each attempt, as one word.
fn verdicts(run: &RunSimulation) -> Vec<&'static str> {
    run.kinds()
        .filter_map(|kind| match kind {
            EventKind::IterationFinished { report, .. } => Some(report.verdict.as_str()),
            _ => None,
        })
        .collect()
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The ends of a run and of its steps, in short form.
fn ends(state: &RunState) -> String {
    let steps: Vec<&str> = state
        .steps
        .iter()
        .map(|step| match &step.status {
            StepStatus::Pending => "pending",
            StepStatus::Open => "open",
            StepStatus::Ended(end) => end.as_str(),
        })
        .collect();
    let run = match &state.end {
        None => "unfinished".to_owned(),
        Some(RunEnd::Complete) => "complete".to_owned(),
        Some(RunEnd::Incomplete { step, .. }) => format!("incomplete at {step}"),
        Some(RunEnd::Interrupted(by)) => by.as_str().to_owned(),
    };
    format!("{}: {run}", steps.join(" "))
}
