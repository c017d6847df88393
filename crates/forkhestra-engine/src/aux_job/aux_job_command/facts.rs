//! What an errand is told of the run.

use std::path::PathBuf;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{AgentEnd, AuxJob, IterationReport};
use forkhestra_core::history::ExecutionStatus;
use forkhestra_core::hook::HookPoint;
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RunState;
use forkhestra_core::text::count::Count;

use super::context::AuxJobContext;

/// What an errand is told of the run.
pub(crate) struct AuxJobFacts<'a> {
    /// The iteration that it is about, if there is one.
    pub(crate) unit: Option<UnitId>,
    /// The step, from one; none in an empty chain.
    pub(crate) step: Option<usize>,
    pub(crate) agent: &'a str,
    /// The most iterations of the step.
    pub(crate) most: u32,
    /// The moment, if it is a hook.
    pub(crate) hook: Option<HookPoint>,
    pub(crate) status: ExecutionStatus,
    /// Why the run ends or waits, in one word.
    pub(crate) reason: Option<&'static str>,
    /// What came of the iteration, if that is known.
    pub(crate) report: Option<&'a IterationReport>,
    /// Whether everything that was to be checked has been.
    pub(crate) is_checked: bool,
    /// Where what the agent printed is kept.
    pub(crate) log: Option<PathBuf>,
}

impl<'a> AuxJobFacts<'a> {
    pub(crate) fn of(errand: AuxJob, place: &AuxJobContext<'a>) -> Self {
        let (unit, hook) = match errand {
            AuxJob::Setup { unit } | AuxJob::Check { unit, .. } => (Some(unit), None),
            AuxJob::Hook { moment, .. } => (moment.unit, Some(moment.point)),
        };
        let state = place.state;
        let number = unit.map(|unit| unit.step).or_else(|| state.current_step());
        let step = number.map(|number| place.step(number));
        // What comes before an iteration is told nothing of the one before that.
        let over = unit.filter(|_| hook != Some(HookPoint::PreIteration));
        let (report, is_checked) = over.map_or((None, false), |unit| report(state, unit));
        let (status, reason) = standing(state, hook, report);
        Self {
            unit,
            step: number,
            agent: step.map_or("", |step| &step.agent.name),
            most: step.and_then(|step| step.iterations).map_or(1, Count::get),
            hook,
            status,
            reason,
            report,
            is_checked,
            log: over.and_then(|unit| place.logs.path_of(unit, OutputStream::Stdout)),
        }
    }

    /// The code with which the agent exited, if it did.
    pub(crate) fn exit_code(&self) -> Option<i32> {
        match self.report?.end {
            Some(AgentEnd::Exited(code)) => Some(code),
            _ => None,
        }
    }
}

/// What came of an iteration, and whether that has been checked.
fn report(state: &RunState, unit: UnitId) -> (Option<&IterationReport>, bool) {
    let step = &state.steps[unit.step - 1];
    match step.unchecked.as_deref() {
        Some((of, report)) if *of == unit => (Some(report), false),
        _ => (step.last.as_ref(), true),
    }
}

/// How it stands with the run, and why. Hooks of an end are called before the end is recorded, but
/// after that of the step which brought it about.
fn standing(
    state: &RunState,
    hook: Option<HookPoint>,
    report: Option<&IterationReport>,
) -> (ExecutionStatus, Option<&'static str>) {
    match hook {
        None | Some(HookPoint::PreIteration | HookPoint::PostIteration) => {
            (ExecutionStatus::Running, None)
        }
        Some(HookPoint::OnComplete) => {
            (ExecutionStatus::Complete, Some(ExecutionStatus::Complete.as_str()))
        }
        Some(HookPoint::OnInterrupt) => {
            (ExecutionStatus::Interrupted, Some(ExecutionStatus::Interrupted.as_str()))
        }
        Some(HookPoint::OnStagnation | HookPoint::OnFailure | HookPoint::OnLimit) => {
            let end = state.current_step().and_then(|step| state.steps[step - 1].end());
            let heard = report.and_then(|report| report.heard.as_ref());
            match end {
                Some(end) => (ExecutionStatus::of(end), Some(end.as_str())),
                // It only waits.
                None => (ExecutionStatus::Running, heard.map(|heard| heard.outcome.class.as_str())),
            }
        }
    }
}
