//! Facts about the run that an aux job receives.

use std::path::PathBuf;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{AuxJob, IterationReport, ProcessEnd, WaitCause};
use forkhestra_core::history::ExecutionStatus;
use forkhestra_core::hook::HookPoint;
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RunState;
use forkhestra_core::time::Timestamp;

use super::context::AuxJobContext;
use crate::launch::agent_command::last_iteration;
use crate::now;

/// Facts about the run that an aux job receives.
pub(crate) struct AuxJobFacts<'a> {
    /// The iteration that the job is about, if there is one.
    pub(crate) unit: Option<UnitId>,
    /// The step, counted from one; `None` in an empty chain.
    pub(crate) step: Option<usize>,
    pub(crate) agent: &'a str,
    /// The repeated group whose round it belongs to.
    pub(crate) round_of: Option<usize>,
    /// The maximum of iterations of the step.
    pub(crate) max_iterations: u32,
    /// The hook point, if it is a hook.
    pub(crate) hook: Option<HookPoint>,
    pub(crate) status: ExecutionStatus,
    /// The code of the reason why the run ends or waits.
    pub(crate) reason: Option<&'static str>,
    /// The end of the wait that the hook is called before.
    pub(crate) waiting_until: Option<Timestamp>,
    /// The text of the question that the hook is called for; empty if it has none.
    pub(crate) question: Option<&'a str>,
    /// The number of that question in the run.
    pub(crate) question_number: Option<u32>,
    /// The report of the iteration, if it is known.
    pub(crate) report: Option<&'a IterationReport>,
    /// Whether all checks have finished.
    pub(crate) is_checked: bool,
    /// The path of the agent's log.
    pub(crate) log: Option<PathBuf>,
}

impl<'a> AuxJobFacts<'a> {
    pub(crate) fn of(aux_job: AuxJob, context: &AuxJobContext<'a>) -> Self {
        let (unit, hook, check) = match aux_job {
            AuxJob::Setup { unit } => (Some(unit), None, None),
            AuxJob::Check { unit, number } => (Some(unit), None, Some(number)),
            AuxJob::Hook { moment, .. } => (moment.unit, Some(moment.point), None),
        };
        let planned = unit.map(|unit| unit.step);
        // A calibration is about no iteration.
        let unit = unit.filter(|unit| !unit.is_before_first());
        let state = context.state;
        let number = planned.or_else(|| state.current_step());
        let step = number.map(|number| context.step(number));
        // A hook before an iteration receives nothing about the iteration before that.
        let over = unit.filter(|_| hook != Some(HookPoint::PreIteration));
        let (report, is_checked) = over.map_or((None, false), |unit| report(state, unit));
        let is_over = number.is_some_and(|number| state.steps[number - 1].end().is_some());
        let wait = number.filter(|_| hook == Some(HookPoint::OnLimit) && !is_over);
        let wait = wait.and_then(|number| state.next_wait(number, now().wall));
        let asking = number.filter(|_| hook == Some(HookPoint::OnQuestion));
        let open = asking.and_then(|number| state.steps[number - 1].question.as_ref());
        let question = asking.and_then(|number| context.step(number).question());
        let rounds = number.map(|step| match check {
            Some(check) => state.plan.repeated_groups_of_check(step, check),
            None => state.plan.enclosing_repeated_groups(step),
        });
        let round_of = rounds.iter().flatten().next().map(|group| group.number);
        let (status, reason) = run_status(state, hook, wait.map(|(why, _)| why));
        Self {
            unit,
            step: number,
            agent: step.map_or("", |step| &step.agent.name),
            round_of,
            max_iterations: number.map_or(1, |number| last_iteration(state, number)),
            hook,
            status,
            reason,
            waiting_until: wait.map(|(_, until)| until).or(open.and_then(|open| open.until)),
            question: question.map(|question| question.text.as_deref().unwrap_or_default()),
            question_number: open.map(|open| open.number),
            report,
            is_checked,
            log: over.and_then(|unit| context.logs.path_of(unit, OutputStream::Stdout)),
        }
    }

    /// The exit code of the agent, if it exited.
    pub(crate) fn exit_code(&self) -> Option<i32> {
        match self.report?.end {
            Some(ProcessEnd::Exited(code)) => Some(code),
            _ => None,
        }
    }
}

/// The report of an iteration, and whether its checks have finished.
fn report(state: &RunState, unit: UnitId) -> (Option<&IterationReport>, bool) {
    let step = &state.steps[unit.step - 1];
    match step.unchecked.as_deref() {
        Some((of, report)) if *of == unit => (Some(report), false),
        _ => (step.last.as_ref(), true),
    }
}

/// The status of the run and its reason. Final hooks run before the end of the run is recorded, but
/// after the end of the step that caused it.
fn run_status(
    state: &RunState,
    hook: Option<HookPoint>,
    wait: Option<WaitCause>,
) -> (ExecutionStatus, Option<&'static str>) {
    match hook {
        None | Some(HookPoint::PreIteration | HookPoint::PostIteration | HookPoint::OnQuestion) => {
            (ExecutionStatus::Running, None)
        }
        Some(HookPoint::OnComplete) => {
            (ExecutionStatus::Complete, Some(ExecutionStatus::Complete.as_str()))
        }
        Some(HookPoint::OnInterrupt) => {
            (ExecutionStatus::Interrupted, Some(ExecutionStatus::Interrupted.as_str()))
        }
        Some(HookPoint::OnStagnation | HookPoint::OnFailure | HookPoint::OnLimit) => {
            match state.incomplete_end() {
                Some(end) => (ExecutionStatus::of(&end), Some(end.as_str())),
                // The run only waits.
                None => (ExecutionStatus::Running, wait.map(WaitCause::as_str)),
            }
        }
    }
}
