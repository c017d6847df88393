//! Writes the events of a run by hand.

use std::time::Duration;

use crate::config::ConfigLayers;
use crate::cost::{Dollars, Spend, TokenCounts};
use crate::dsl::Dsl;
use crate::event::{
    AuxJob, CheckOutcome, CheckReport, Event, EventKind, Fingerprint, IterationReport,
    LimitChanges, Observation, OpenTask, OpenTaskStatus, OutputSummary, ProcessEnd, RunEnd,
    StepEnd, TaskChange, TaskChangeKind, TaskChanges, TaskCounts, Verdict,
};
use crate::history::RunHistory;
use crate::id::{RunId, UnitId};
use crate::plan::{
    self, FileState, HostEnvironment, Plan, PlanRequest, ProgramLocation, RunTarget,
};
use crate::time::Timestamp;

struct ScriptHost;

impl HostEnvironment for ScriptHost {
    fn locate(&self, program: &str) -> ProgramLocation {
        ProgramLocation::Found(format!("/bin/{program}"))
    }

    fn file(&self, _: &str) -> FileState {
        FileState::Missing
    }

    fn prompt_file(&self, _: &str) -> FileState {
        FileState::Missing
    }

    fn task_database(&self) -> Option<String> {
        None
    }
}

/// One attempt of one iteration, of the first step unless another is named.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub(super) step: usize,
    pub(super) iteration: u32,
    pub(super) attempt: u32,
    pub(super) verdict: Verdict,
    pub(super) cents: Option<u64>,
    pub(super) unpriced: bool,
    /// The work tree after it.
    pub(super) tree: Option<&'static str>,
    /// The checks: name, whether it passed, seconds.
    pub(super) checks: Vec<(&'static str, bool, u64)>,
    pub(super) tasks: Vec<(&'static str, TaskChangeKind)>,
    /// The tasks that are In Progress after it.
    pub(super) in_progress: Vec<&'static str>,
}

impl Attempt {
    pub(super) fn of(iteration: u32, verdict: Verdict, cents: u64) -> Self {
        Self {
            step: 1,
            iteration,
            attempt: 1,
            verdict,
            cents: Some(cents),
            unpriced: false,
            tree: None,
            checks: Vec::new(),
            tasks: Vec::new(),
            in_progress: Vec::new(),
        }
    }

    pub(super) fn tree(self, tree: &'static str) -> Self {
        Self { tree: Some(tree), ..self }
    }

    pub(super) fn check(mut self, passed: bool, seconds: u64) -> Self {
        self.checks.push(("test", passed, seconds));
        self
    }

    pub(super) fn task(mut self, id: &'static str, kind: TaskChangeKind) -> Self {
        self.tasks.push((id, kind));
        self
    }
}

/// The events of a run so far.
#[derive(Debug, Clone)]
pub(super) struct JournalScript {
    pub(super) events: Vec<Event>,
    now: Timestamp,
    elapsed: Duration,
}

impl JournalScript {
    /// How long an agent runs.
    pub(super) const AGENT_SECONDS: u64 = 60;

    /// Begins a run of this chain, whose agent has this model.
    pub(super) fn begin(number: u64, started: &str, chain: &str, model: Option<&str>) -> Self {
        Self::begin_in("/work", number, started, chain, model)
    }

    pub(super) fn begin_in(
        directory: &str,
        number: u64,
        started: &str,
        chain: &str,
        model: Option<&str>,
    ) -> Self {
        let dsl = Dsl::parse(chain).expect("the test's chain is right");
        let request = PlanRequest::new(RunTarget::Dsl(dsl), directory);
        let planned = plan::build(&request, &ConfigLayers::default(), &ScriptHost);
        let mut plan: Plan = planned.expect("the test's plan is right").plan;
        plan.steps[0].priced_model = model.map(str::to_owned);
        let now = Timestamp::parse(started).expect("a time");
        let mut script = Self { events: Vec::new(), now, elapsed: Duration::ZERO };
        let (run, program) = (RunId::from_random(number), "0.0.0".to_owned());
        let (origin, inherited) = (None, Vec::new());
        script.push(EventKind::RunStarted {
            run,
            program,
            plan: Box::new(plan),
            origin,
            inherited,
        });
        let tree = Some(Fingerprint("begin".to_owned()));
        let observation = Observation { tree, ..Observation::default() };
        script.push(EventKind::StepStarted { instead_of: None, step: 1, observation });
        script
    }

    pub(super) fn push(&mut self, kind: EventKind) {
        self.events.push(Event::new(self.now, self.elapsed, kind));
    }

    /// Passes time on the run's clock.
    pub(super) fn pass(&mut self, seconds: u64) {
        self.elapsed += Duration::from_secs(seconds);
        self.sleep(seconds);
    }

    /// Passes time that is not on the run's clock.
    pub(super) fn sleep(&mut self, seconds: u64) {
        self.now = self.now.saturating_add(Duration::from_secs(seconds));
    }

    /// Adds a whole attempt.
    pub(super) fn attempt(mut self, attempt: &Attempt) -> Self {
        let Attempt { step, iteration, attempt: number, .. } = *attempt;
        let unit = UnitId { step, iteration, attempt: number };
        self.push(EventKind::IterationStarted { unit, fallback: None });
        self.pass(Self::AGENT_SECONDS);
        let mut report = report_of(attempt);
        if !attempt.checks.is_empty() {
            self.push(EventKind::AgentFinished { unit, report: report.clone() });
        }
        if !attempt.tasks.is_empty() {
            self.push(EventKind::TasksChanged { unit, changes: changes_of(attempt) });
        }
        for (number, (name, passed, seconds)) in (1..).zip(&attempt.checks) {
            self.push(EventKind::AuxJobStarted { aux_job: AuxJob::Check { unit, number }, pid: 7 });
            self.pass(*seconds);
            let check = CheckReport {
                name: (*name).to_owned(),
                outcome: if *passed { CheckOutcome::Passed } else { CheckOutcome::Failed },
                message: None,
                tail: None,
                duration: Duration::from_secs(*seconds),
            };
            report.checks.push(check.clone());
            self.push(EventKind::CheckFinished { unit, report: check });
        }
        self.push(EventKind::IterationFinished { unit, report });
        self
    }

    /// Resumes the run after some time, with the same limits.
    pub(super) fn resume(mut self, seconds: u64) -> Self {
        self.sleep(seconds);
        let run = self.run();
        self.push(EventKind::RunResumed {
            run,
            program: "0.0.0".to_owned(),
            changes: LimitChanges::default(),
            moved_to: None,
            sandboxes: None,
        });
        self
    }

    fn run(&self) -> RunId {
        JournalScript::history(&self.events).state.run
    }

    /// Ends the step and the run.
    pub(super) fn end(mut self, end: StepEnd) -> Vec<Event> {
        let run_end = match end.clone() {
            end if end.is_complete() => RunEnd::Complete,
            end => RunEnd::Incomplete { step: 1, end },
        };
        self.push(EventKind::StepFinished { step: 1, end });
        self.push(EventKind::RunFinished { end: run_end });
        self.events
    }

    pub(super) fn history(events: &[Event]) -> RunHistory {
        RunHistory::of(events).expect("the events fit")
    }
}

/// A spend of this many cents.
pub(super) fn cents(cents: u64, unpriced: bool) -> Spend {
    let tokens = TokenCounts { input: 100 * cents, ..TokenCounts::default() };
    Spend { tokens, dollars: Dollars::from_nanos(cents * 10_000_000), unpriced }
}

fn report_of(attempt: &Attempt) -> IterationReport {
    let tree = attempt.tree.map(|tree| Fingerprint(tree.to_owned()));
    IterationReport {
        closing_text: None,
        verdict: attempt.verdict.clone(),
        end: Some(ProcessEnd::Exited(0)),
        duration: Duration::from_secs(JournalScript::AGENT_SECONDS),
        observation: Observation { tree, ..Observation::default() },
        output: OutputSummary::default(),
        stream_summary: None,
        spend: attempt.cents.map(|number| cents(number, attempt.unpriced)),
        checks: Vec::new(),
    }
}

fn changes_of(attempt: &Attempt) -> TaskChanges {
    let change = |(id, kind): &(&str, TaskChangeKind)| TaskChange {
        id: (*id).to_owned(),
        title: format!("Title of {id}"),
        kind: *kind,
        reason: None,
    };
    let open = |id: &&str| OpenTask {
        id: (*id).to_owned(),
        title: format!("Title of {id}"),
        status: OpenTaskStatus::InProgress,
        reason: None,
    };
    let in_progress = u32::try_from(attempt.in_progress.len()).expect("there are few");
    TaskChanges {
        changes: attempt.tasks.iter().map(change).collect(),
        counts: TaskCounts { in_progress, ..TaskCounts::default() },
        open: attempt.in_progress.iter().map(open).collect(),
    }
}
