//! Sample events about checks, hooks, clean rooms, snapshots and repository changes.

use std::time::Duration;

use forkhestra_core::check::CheckSpec;
use forkhestra_core::config::{CheckWhen, OnCycle, OnHookError, OnProtectedChange};
use forkhestra_core::event::{
    AuxJob, CheckOutcome, CheckReport, ClaimRefusal, CommitSummary, CompletionSignal, EventKind,
    FileStamp, Fingerprint, HookMoment, HookReport, IterationReport, Observation, PathList, RunEnd,
    StepEnd, Verdict, WorkSummary, WorkTreeFingerprints, WorkTreeSnapshot,
};
use forkhestra_core::hook::HookPoint;
use forkhestra_core::limit::{HumanDuration, Limit};
use forkhestra_core::plan::{
    CleanRoom, ModuleRunner, ModuleRunnerKind, Plan, PlanCheck, PlanHook, Protection, Sourced,
    ValueOrigin,
};

use super::{iteration_finished, plan, unit};

pub(crate) const REFUSALS: [ClaimRefusal; 4] = [
    ClaimRefusal::NoWork,
    ClaimRefusal::ChecksFailed,
    ClaimRefusal::ProtectedFiles,
    ClaimRefusal::UncommittedWork,
];

pub(crate) const CHECK_OUTCOMES: [CheckOutcome; 4] =
    [CheckOutcome::Passed, CheckOutcome::Failed, CheckOutcome::TimedOut, CheckOutcome::NotRun];

/// An iteration from the end of its agent to the end of the step, with all variants.
pub(super) fn kinds() -> Vec<EventKind> {
    let mut kinds =
        vec![EventKind::StepStarted { instead_of: None, step: 1, observation: full_observation() }];
    kinds.extend(aux_jobs().map(|aux_job| EventKind::AuxJobStarted { aux_job, pid: 4712 }));
    kinds.push(agent_finished(1, Verdict::Complete(CompletionSignal::ExitCode)));
    let checked = |report| EventKind::CheckFinished { unit: unit(1), report };
    kinds.extend(check_reports().into_iter().map(checked));
    let refused = REFUSALS.map(|why| iteration_checked(1, Verdict::Refused(why), check_reports()));
    kinds.extend(refused);
    kinds.push(iteration_checked(1, Verdict::Complete(CompletionSignal::File), vec![passed()]));
    kinds.extend(hook_reports().into_iter().map(|report| EventKind::HookFinished { report }));
    kinds
        .extend([work(), WorkSummary::default()].map(|work| EventKind::Surveyed { step: 1, work }));
    kinds.extend(step_ends().into_iter().map(|end| EventKind::StepFinished { step: 1, end }));
    let end = StepEnd::Refused(ClaimRefusal::ChecksFailed);
    kinds.push(EventKind::RunFinished { end: RunEnd::Incomplete { step: 1, end } });
    kinds
}

/// The event that an agent has ended and its work is about to be checked.
pub(crate) fn agent_finished(iteration: u32, verdict: Verdict) -> EventKind {
    let (unit, mut report) = finished(iteration, verdict);
    report.observation = full_observation();
    EventKind::AgentFinished { unit, report }
}

/// The event that an iteration with these checks has ended.
pub(crate) fn iteration_checked(
    iteration: u32,
    verdict: Verdict,
    checks: Vec<CheckReport>,
) -> EventKind {
    let (unit, report) = finished(iteration, verdict);
    let report = IterationReport { observation: full_observation(), checks, ..report };
    EventKind::IterationFinished { unit, report }
}

fn finished(iteration: u32, verdict: Verdict) -> (forkhestra_core::id::UnitId, IterationReport) {
    match iteration_finished(iteration, verdict) {
        EventKind::IterationFinished { unit, report } => (unit, report),
        _ => unreachable!("it is what it is called"),
    }
}

pub(crate) fn passed() -> CheckReport {
    CheckReport {
        name: "tests".to_owned(),
        outcome: CheckOutcome::Passed,
        message: None,
        tail: None,
        duration: Duration::from_millis(2100),
    }
}

/// A check of every outcome.
pub(crate) fn check_reports() -> Vec<CheckReport> {
    let others = CHECK_OUTCOMES[1..].iter().map(|outcome| CheckReport {
        name: "command:cargo test".to_owned(),
        outcome: *outcome,
        message: Some("2 tests failed".to_owned()),
        tail: Some("a line\nand \u{1b}[31mone more\u{1b}[0m".to_owned()),
        duration: Duration::from_mins(10),
    });
    [passed()].into_iter().chain(others).collect()
}

/// An aux job of every kind.
pub(crate) fn aux_jobs() -> [AuxJob; 4] {
    let hook = |point, unit| AuxJob::Hook { moment: HookMoment { point, unit }, number: 1 };
    [
        AuxJob::Setup { unit: unit(1) },
        AuxJob::Check { unit: unit(1), number: 2 },
        hook(HookPoint::PreIteration, Some(unit(2))),
        hook(HookPoint::OnInterrupt, None),
    ]
}

/// A hook at every point of 2.0.
fn hook_reports() -> Vec<HookReport> {
    let report = |point, failure: Option<&str>| HookReport {
        moment: HookMoment { point, unit: Some(unit(1)) },
        number: 1,
        failure: failure.map(str::to_owned),
        duration: Duration::from_millis(31),
    };
    let points = HookPoint::ALL.into_iter().filter(|point| *point != HookPoint::OnQuestion);
    let mut reports: Vec<HookReport> = points.map(|point| report(point, None)).collect();
    reports.push(report(HookPoint::OnComplete, Some("exit 1")));
    reports
}

/// A step whose observation lists open tasks. Since 2.1.
pub(crate) fn step_with_tasks() -> EventKind {
    let open_tasks = Some(vec!["TASK-001".to_owned(), "TASK-002".to_owned()]);
    EventKind::StepStarted {
        instead_of: None,
        step: 2,
        observation: Observation { open_tasks, ..Observation::default() },
    }
}

/// An observation with all members of 2.0.
pub(crate) fn full_observation() -> Observation {
    let id = |letter: &str| letter.repeat(40);
    Observation {
        done_file: Some(FileStamp("1731657552.123456789 40".to_owned())),
        tree: Some(Fingerprint("5f3a9c".to_owned())),
        signals: Some(WorkTreeFingerprints {
            branch: None,
            head: Some(id("a")),
            index: Fingerprint("17".to_owned()),
            files: Fingerprint(id("b")),
            tasks: Some(Fingerprint("18".to_owned())),
        }),
        protected: Some(PathList { listed: vec!["tests/it.rs".to_owned()], more: 0 }),
        uncommitted: Some(PathList { listed: vec!["a b".to_owned(), "ü\n".to_owned()], more: 7 }),
        snapshot: Some(WorkTreeSnapshot { number: 3, commit: id("c") }),
        open_tasks: None,
        open_criteria: std::collections::BTreeMap::new(),
        baselines: None,
    }
}

pub(crate) fn work() -> WorkSummary {
    let commit = |letter: &str, subject: &str| CommitSummary {
        id: letter.repeat(40),
        subject: subject.to_owned(),
    };
    WorkSummary {
        commits: vec![commit("d", "Add a parser"), commit("e", "Test it")],
        more_commits: 3,
        files: 4,
        insertions: 120,
        deletions: 8,
        uncommitted: PathList::default(),
    }
}

pub(crate) fn step_ends() -> Vec<StepEnd> {
    let mut ends = REFUSALS.map(StepEnd::Refused).to_vec();
    ends.push(StepEnd::CannotCheck("No space left on device".to_owned()));
    ends.push(StepEnd::HookFailed("./tell.sh \"it's over\"".to_owned()));
    ends
}

/// A plan with all kinds of checks, protected files and hooks.
pub(crate) fn checking_plan() -> Plan {
    let mut plan = plan();
    let flag = |name: &'static str| ValueOrigin::Flag(name.into());
    let time = |seconds| Limit::At(HumanDuration::from_secs(seconds));
    let check = |check, runner| PlanCheck {
        check,
        name: Some("tests".to_owned()),
        when: CheckWhen::Always,
        timeout: time(600),
        must_fail_first: false,
        runner,
    };
    let node = ModuleRunner { kind: ModuleRunnerKind::Node, path: "/usr/bin/node".to_owned() };
    let builder = &mut plan.steps[1];
    builder.checks = vec![
        Sourced::new(check(CheckSpec::Command("cargo test".to_owned()), None), flag("--check")),
        Sourced::new(check(CheckSpec::Script("./c.ts".to_owned()), Some(node)), flag("--check")),
    ];
    let room = CleanRoom {
        setup: Some("npm ci".to_owned()),
        timeout: time(300),
        keep: vec!["node_modules".to_owned()],
    };
    builder.clean_room = Some(Sourced::new(room, flag("--clean-room")));
    let patterns = vec!["tests/**".to_owned()];
    let protection = Protection { patterns, on_change: OnProtectedChange::Allow };
    builder.protect = Some(Sourced::new(protection, flag("--protect")));
    builder.on_cycle = Some(Sourced::new(OnCycle::Stop, flag("--on-cycle")));
    let hook = PlanHook {
        on: HookPoint::OnComplete,
        run: "./tell.sh".to_owned(),
        timeout: time(60),
        on_error: OnHookError::Abort,
    };
    plan.hooks = vec![Sourced::new(hook, flag("--hook"))];
    plan
}
