//! Random checks, hooks, clean rooms and work-tree rules, and the properties of all of them.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::aux_job_scripts::{AuxJobScript, SimulatedRoom};
use crate::config::{CheckWhen, OnCycle, OnHookError, OnProtectedChange};
use crate::event::{
    AuxJob, CheckReport, CompletionSignal, DurabilityTracker, IterationReport, StepEnd, Verdict,
};
use crate::hook::HookPoint;
use crate::machine::CleanRoomFailure;
use crate::machine::tests::checks::{checked, decided_by_checks, protecting, with_clean_room};
use crate::machine::tests::hooks::hooked;
use crate::machine::tests::task_poll::{task_work, working_through_tasks};
use crate::machine::tests::*;
use crate::plan::Sourced;
use crate::policy::{TaskWork, inspection, may_be_done_by_tasks};

/// What a plan may have beside agents, and how the simulation handles it.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlanExtras {
    checks: Vec<CheckWhen>,
    checks_decide: bool,
    /// Whether checks are calibrated, and whether they must fail first.
    calibrate: (bool, bool),
    room: Option<bool>,
    protect: Option<OnProtectedChange>,
    hooks: Vec<(HookPoint, OnHookError)>,
    on_cycle: Option<OnCycle>,
    /// The scripts of aux jobs, selected by job.
    aux_jobs: Vec<AuxJobScript>,
    rooms: Vec<SimulatedRoom>,
    repository: bool,
    survey_after: Option<u64>,
    /// The reported states of the tasks, selected by the run's progress; none if no step works
    /// through them.
    tasks: Option<Vec<(TaskWork, u64)>>,
}

fn chore() -> impl Strategy<Value = AuxJobScript> {
    let any_signal = || {
        prop::sample::select(vec![
            ProcessSignal::Continue,
            ProcessSignal::Hangup,
            ProcessSignal::Terminate,
        ])
    };
    let usual = (prop::option::weighted(0.9, 0..20_000_u64), 0..3_i32, any_signal(), any_signal())
        .prop_map(|(exits_at, code, obeys, stragglers)| AuxJobScript {
            exits_at,
            obeys: Some(obeys),
            stragglers_obey: Some(stragglers),
            ..AuxJobScript::exiting(code / 2)
        });
    let unusual = prop::sample::select(vec![
        AuxJobScript::deaf(),
        AuxJobScript { obeys: None, ..AuxJobScript::hanging() },
        AuxJobScript { stragglers_obey: None, ..AuxJobScript::exiting(0) },
        AuxJobScript { read_at: 100_000, ..AuxJobScript::exiting(0) },
        AuxJobScript::impossible(),
        AuxJobScript::known(true),
        AuxJobScript::known(false),
        AuxJobScript::saying(false, "no", 0),
        AuxJobScript::saying(true, "yes", 1),
    ]);
    prop_oneof![4 => usual, 1 => unusual]
}

fn room() -> impl Strategy<Value = SimulatedRoom> {
    prop_oneof![
        6 => (0..10_000_u64).prop_map(SimulatedRoom::After),
        1 => Just(SimulatedRoom::Failing(CleanRoomFailure::Work("no".to_owned()))),
        1 => Just(SimulatedRoom::Failing(CleanRoomFailure::Machine("no".to_owned()))),
        1 => Just(SimulatedRoom::Never),
    ]
}

prop_compose! {
    pub(crate) fn extras()(
        checks in prop::collection::vec(
            prop::sample::select(vec![CheckWhen::Completion, CheckWhen::Always]), 0..4),
        checks_decide in any::<bool>(),
        calibrate in (prop::bool::weighted(0.3), prop::bool::weighted(0.1)),
        room in prop::option::weighted(0.4, any::<bool>()),
        protect in prop::option::weighted(0.4, prop::sample::select(vec![
            OnProtectedChange::Refuse, OnProtectedChange::Allow])),
        hooks in prop::collection::vec((
            prop::sample::select(HookPoint::ALL.to_vec()),
            prop::sample::select(vec![OnHookError::Continue, OnHookError::Continue, OnHookError::Abort]),
        ), 0..5),
        on_cycle in prop::option::weighted(0.3, prop::sample::select(vec![
            OnCycle::Report, OnCycle::Stop])),
        aux_jobs in prop::collection::vec(chore(), 1..9),
        rooms in prop::collection::vec(room(), 1..4),
        repository in any::<bool>(),
        survey_after in prop::option::weighted(0.8, 0..20_000_u64),
        tasks in prop::option::weighted(0.4, prop::collection::vec((task_work(), 0..5000_u64), 1..5)),
    ) -> PlanExtras {
        let checks_decide = checks_decide && !checks.is_empty();
        PlanExtras {
            checks, checks_decide, calibrate, room, protect, hooks, on_cycle, aux_jobs, rooms, repository,
            survey_after, tasks,
        }
    }
}

impl PlanExtras {
    /// Lets no hook for a limit end the run. The clock of a simulation that is resumed begins anew,
    /// so that it may wait where the first one did not.
    pub(crate) fn let_limit_hooks_fail(&mut self) {
        for (point, on_error) in &mut self.hooks {
            if *point == HookPoint::OnLimit {
                *on_error = OnHookError::Continue;
            }
        }
    }

    /// Adds the extras to a plan.
    pub(crate) fn plan(&self, mut plan: Plan) -> Plan {
        let checks = checked("a", &self.checks).steps[0].checks.clone();
        for step in &mut plan.steps {
            step.checks.clone_from(&checks);
            step.calibrate = self.calibrate.0;
            for check in &mut step.checks {
                check.value.must_fail_first = self.calibrate.1;
            }
            step.on_cycle = self.on_cycle.map(Sourced::default);
        }
        if self.checks_decide {
            plan = decided_by_checks(plan);
        }
        if let Some(has_setup) = self.room {
            plan = with_clean_room(plan, has_setup.then_some("npm ci"));
        }
        if let Some(on_change) = self.protect {
            plan = protecting(plan, on_change);
        }
        if self.tasks.is_some() {
            plan = working_through_tasks(plan);
        }
        hooked(plan, &self.hooks)
    }

    /// Adds the extras to a simulation. The same aux job always behaves the same.
    pub(crate) fn simulation(&self, run: RunSimulation) -> RunSimulation {
        let Self { aux_jobs: chores, rooms, tasks, .. } = self.clone();
        let mut run = run;
        if let Some(tasks) = tasks {
            run = run.with_tasks(move |step, finished| {
                tasks[(step * 7 + finished as usize * 3) % tasks.len()].clone()
            });
        }
        if !chores.is_empty() {
            run = run
                .with_chores(move |aux_job| chores[number_of(aux_job) % chores.len()].clone())
                .with_rooms(move |unit| rooms[unit.iteration as usize % rooms.len()].clone());
        }
        if self.repository { run.in_repository(self.survey_after) } else { run }
    }
}

/// A number for an aux job that does not depend on the attempt.
fn number_of(aux_job: AuxJob) -> usize {
    let (unit, number) = match aux_job {
        AuxJob::Setup { unit } => (Some(unit), 0),
        AuxJob::Check { unit, number } => (Some(unit), number),
        AuxJob::Hook { moment, number } => (moment.unit, 5 + number),
    };
    unit.map_or(0, |unit| unit.step * 7 + unit.iteration as usize * 3) + number
}

/// Every complete step was checked, and every finished iteration is recorded in time.
#[track_caller]
pub(crate) fn assert_what_is_complete_was_checked(run: &RunSimulation) {
    let plan = &run.machine.state().plan;
    let mut durable: BTreeMap<String, usize> = BTreeMap::new();
    let (mut complete, mut safety) = (None, DurabilityTracker::default());
    for kind in run.kinds() {
        if let EventKind::IterationStarted { unit, .. }
        | EventKind::AgentFinished { unit, .. }
        | EventKind::IterationFinished { unit, .. } = kind
        {
            let is_durable = safety.must_be_durable(kind);
            *durable.entry(unit.to_string()).or_default() += usize::from(is_durable);
        }
        match kind {
            EventKind::IterationFinished { unit, report } => {
                let step = &plan.steps[unit.step - 1];
                let is_complete = matches!(report.verdict, Verdict::Complete(_));
                complete = is_complete.then_some(unit.step);
                if is_complete {
                    assert_eq!(report.checks.len(), step.checks.len(), "every check is due");
                    assert!(report.checks.iter().all(CheckReport::passed));
                    assert_eq!(inspection::objection(step, &report.observation), None);
                }
                if report.has_outcome() {
                    assert_eq!(durable[&unit.to_string()], 2, "{unit}");
                }
            }
            EventKind::StepFinished { step, end: StepEnd::Complete(CompletionSignal::Tasks) } => {
                assert!(
                    may_be_done_by_tasks(&plan.steps[step - 1]),
                    "tasks alone do not complete it"
                );
            }
            EventKind::StepFinished { step, end } if end.is_complete() => {
                assert_eq!(complete, Some(*step), "the last iteration completed it");
            }
            _ => {}
        }
    }
    assert_eq!(run.aux_jobs.open_room, None, "a room is left");
    assert_hooks_run_once(&run.events);
    assert_refusals_have_a_reason(run);
}

/// No hook runs twice for a moment, except one that failed and must not.
#[track_caller]
pub(crate) fn assert_hooks_run_once(events: &[Event]) {
    let EventKind::RunStarted { plan, .. } = &events[0].kind else { return };
    let mut starts: BTreeMap<String, usize> = BTreeMap::new();
    for event in events {
        // The limit that delayed an agent is another moment than the one that ended the run after
        // it.
        if let EventKind::IterationStarted { .. } = event.kind {
            starts.retain(|what, _| !what.contains("OnLimit"));
        }
        if let EventKind::HookFinished { report } = &event.kind {
            let what = format!("{:?} {}", report.moment, report.number);
            let before = starts.entry(what.clone()).or_default();
            assert_eq!(*before, 0, "{what}");
            let must_not_fail = plan.hooks[report.number - 1].value.on_error == OnHookError::Abort;
            *before += usize::from(report.failure.is_none() || !must_not_fail);
        }
    }
}

#[track_caller]
fn assert_refusals_have_a_reason(run: &RunSimulation) {
    let reports = run.kinds().filter_map(|kind| match kind {
        EventKind::IterationFinished { report, .. } => Some(report),
        _ => None,
    });
    let refused = |report: &&IterationReport| matches!(report.verdict, Verdict::Refused(_));
    for report in reports.filter(refused) {
        assert!(crate::policy::Feedback::of(report).text().is_some(), "{report:?}");
    }
}
