//! Simulated runs, event by event.

use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::config::{self, Backend, ConfigLayer, ConfigLayerKind, ConfigLayers};
use forkhestra_core::cost::{Dollars, Spend, TokenCounts};
use forkhestra_core::event::{
    AuxJob, CancelCause, CheckOutcome, CheckReport, ClaimRefusal, CommitSummary, CompletionSignal,
    Event, EventKind, Fingerprint, IterationReport, Observation, OperatorMessage, OutputSummary,
    ProcessEnd, RunEnd, StepEnd, StopReason, TaskChange, TaskChangeKind, TaskChanges, TaskCounts,
    Verdict, WaitCause, WorkTreeSnapshot,
};
use forkhestra_core::history::{ExecutionStatus, Liveness};
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::limit::Limit;
use forkhestra_core::plan::{
    self, FileState, HostEnvironment, Plan, PlanRequest, ProgramLocation, RunTarget,
};
use forkhestra_core::quota::QuotaWindow;
use forkhestra_core::time::Timestamp;

use crate::msg::RunNews;
use crate::output::{OutputLine, diff_lines};
use crate::run_source::{
    ChangedFile, IterationChanges, IterationDiff, RunListItem, TaskBoard, TaskCard, TaskDetails,
};

/// A host on which every program and no file exists.
struct NoFilesHost;

impl HostEnvironment for NoFilesHost {
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

const CONFIG: &str = r#"{
    "agents": {
        "planner": {"systemPromptText": "You plan.", "model": "opus"},
        "builder": {"systemPromptText": "You build.", "model": "sonnet"},
        "reviewer": {"systemPromptText": "You review."}
    },
    "chains": {
        "ship-it": {
            "steps": [
                {"agent": "planner", "prompt": "Plan the work."},
                {"agent": "builder", "iterations": 10, "prompt": "Do the next thing of the plan.",
                 "checks": ["command:cargo test", "file:DONE.md"]},
                {"agent": "reviewer", "iterations": 3}
            ]
        },
        "ask-first": {
            "steps": [
                {"agent": "planner", "prompt": "Plan the work."},
                {"ask": "Is the plan right, and is it what the customer wants? See forge-tasks list.\nThe builder works all night, and the next question comes tomorrow.",
                 "timeout": "12h"},
                {"agent": "builder", "iterations": 10},
                {"ask": "Shall it be deployed?"}
            ]
        }
    }
}"#;

pub(crate) fn plan() -> Plan {
    planned(RunTarget::Chain("ship-it".to_owned()))
}

fn planned(what: RunTarget) -> Plan {
    let parsed = config::read("chains.json", CONFIG.as_bytes().to_vec());
    let config = parsed.config.expect("the config is right");
    let layer =
        ConfigLayer { kind: ConfigLayerKind::Project, source: Arc::clone(&parsed.source), config };
    let layers = ConfigLayers { files: vec![layer], looked_for: Vec::new() };
    let mut request = PlanRequest::new(what, "/home/ada/shop");
    request.limits.run_cost = Some(Limit::parse("5").expect("a limit"));
    request.limits.run_time = Some(Limit::parse("8h").expect("a limit"));
    plan::build(&request, &layers, &NoFilesHost).expect("nothing is missing").plan
}

pub(crate) fn run() -> RunId {
    RunId::parse("k3v9x2ab").expect("an id")
}

pub(crate) fn timestamp(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("a moment")
}

pub(crate) const fn unit(step: usize, iteration: u32) -> UnitId {
    UnitId { step, iteration, attempt: 1 }
}

/// A simulated run.
pub(crate) struct RunScript {
    pub(crate) events: Vec<Event>,
    pub(crate) now: Timestamp,
    pub(crate) liveness: Liveness,
    elapsed: Duration,
    trees: u32,
}

impl RunScript {
    pub(crate) fn begin() -> Self {
        Self::of(plan())
    }

    /// One agent in a loop of 20,000 iterations.
    pub(crate) fn with_many_iterations() -> Self {
        Self::of_chain("builder:20000")
    }

    pub(crate) fn of_chain(chain: &str) -> Self {
        let chain = forkhestra_core::dsl::Dsl::parse(chain).expect("a chain");
        Self::of(planned(RunTarget::Dsl(chain)))
    }

    pub(crate) fn of(plan: Plan) -> Self {
        let now = timestamp("2026-11-15T05:10:00Z");
        let mut script = Self {
            events: Vec::new(),
            now,
            liveness: Liveness::Alive,
            elapsed: Duration::ZERO,
            trees: 0,
        };
        let started = EventKind::RunStarted {
            run: run(),
            plan: Box::new(plan),
            program: "test".to_owned(),
            origin: None,
            inherited: Vec::new(),
        };
        script.event(started);
        script
    }

    /// The plan of the run.
    pub(crate) fn plan(&self) -> Plan {
        match &self.events[0].kind {
            EventKind::RunStarted { plan, .. } => Plan::clone(plan),
            kind => panic!("a run begins with its plan, not with {kind:?}"),
        }
    }

    /// Appends an event.
    pub(crate) fn event(&mut self, kind: EventKind) -> &mut Self {
        self.events.push(Event::new(self.now, self.elapsed, kind));
        self
    }

    /// Advances the time.
    pub(crate) fn pass(&mut self, seconds: u64) -> &mut Self {
        let passed = Duration::from_secs(seconds);
        self.now = self.now.saturating_add(passed);
        self.elapsed += passed;
        self
    }

    pub(crate) fn step(&mut self, step: usize) -> &mut Self {
        let observation = self.observation();
        self.event(EventKind::StepStarted { instead_of: None, step, observation })
    }

    pub(crate) fn step_over(&mut self, step: usize, end: StepEnd) -> &mut Self {
        self.event(EventKind::StepFinished { step, end })
    }

    pub(crate) fn start(&mut self, unit: UnitId) -> &mut Self {
        self.event(EventKind::IterationStarted { unit, fallback: None });
        self.event(EventKind::AgentStarted { unit, pid: 4711, prompt: None })
    }

    fn observation(&self) -> Observation {
        let tree = Some(Fingerprint(self.trees.to_string()));
        let commit = format!("c{}", self.trees);
        let snapshot = Some(WorkTreeSnapshot { number: self.trees, commit });
        Observation { tree, snapshot, ..Observation::default() }
    }

    /// A whole iteration of this duration.
    pub(crate) fn iteration(&mut self, unit: UnitId, seconds: u64, verdict: Verdict) -> &mut Self {
        self.start(unit).pass(seconds);
        self.trees += u32::from(!unit.iteration.is_multiple_of(3));
        let report = self.report(verdict, seconds);
        self.event(EventKind::IterationFinished { unit, report })
    }

    /// An iteration of this duration that finishes these tasks.
    pub(crate) fn working_iteration(
        &mut self,
        unit: UnitId,
        seconds: u64,
        finished: &[&str],
    ) -> &mut Self {
        self.start(unit).pass(seconds);
        self.trees += 1;
        let report = self.report(Verdict::Incomplete, seconds);
        self.event(EventKind::AgentFinished { unit, report: report.clone() });
        let change = |id: &str, kind| TaskChange {
            id: id.to_owned(),
            title: format!("The title of {id}"),
            kind,
            reason: None,
        };
        let kinds = [TaskChangeKind::Claimed, TaskChangeKind::Finished];
        let changes = finished.iter().flat_map(|id| kinds.map(|kind| change(id, kind))).collect();
        let counts = TaskCounts::default();
        let changes = TaskChanges { changes, counts, open: Vec::new() };
        if !finished.is_empty() {
            self.event(EventKind::TasksChanged { unit, changes });
        }
        self.event(EventKind::IterationFinished { unit, report })
    }

    pub(crate) fn report(&self, verdict: Verdict, seconds: u64) -> IterationReport {
        let code = i32::from(verdict == Verdict::Crashed);
        let is_refused = verdict == Verdict::Refused(ClaimRefusal::ChecksFailed);
        IterationReport {
            closing_text: None,
            verdict,
            end: Some(ProcessEnd::Exited(code)),
            duration: Duration::from_secs(seconds),
            observation: self.observation(),
            output: OutputSummary::default(),
            stream_summary: None,
            spend: Some(spend(seconds)),
            checks: if is_refused { checks() } else { Vec::new() },
        }
    }

    /// Asks the question of a step.
    pub(crate) fn ask(&mut self, step: usize, question: u32) -> &mut Self {
        let until = Some(self.now.saturating_add(Duration::from_secs(12 * 3600)));
        self.event(EventKind::Asked { step, question, text: None, until })
    }

    pub(crate) fn finish_run(&mut self, end: RunEnd) -> &mut Self {
        self.liveness = Liveness::Gone;
        self.event(EventKind::RunFinished { end })
    }

    pub(crate) fn news(&self) -> RunNews {
        let is_over = self.liveness == Liveness::Gone;
        RunNews {
            run: run(),
            events: self.events.clone(),
            liveness: self.liveness,
            is_caught_up: true,
            trouble: None,
            resume: is_over.then(|| "forkhestra resume k3v9x2ab".to_owned()),
        }
    }
}

pub(crate) fn spend(seconds: u64) -> Spend {
    let tokens =
        TokenCounts { input: seconds * 700, output: seconds * 40, ..TokenCounts::default() };
    Spend { tokens, dollars: Dollars::from_nanos(seconds * 1_130_000), unpriced: false }
}

fn checks() -> Vec<CheckReport> {
    let passed = CheckReport {
        name: "file:DONE.md".to_owned(),
        outcome: CheckOutcome::Passed,
        message: None,
        tail: None,
        duration: Duration::from_millis(3),
    };
    let failed = CheckReport {
        name: "cargo test".to_owned(),
        outcome: CheckOutcome::Failed,
        message: Some("exit 101: 2 of 48 tests failed".to_owned()),
        tail: Some(
            "test cart::totals ... FAILED\ntest cart::rounding ... FAILED\n\n\
             thread 'cart::totals' panicked at src/cart.rs:41:9"
                .to_owned(),
        ),
        duration: Duration::from_secs(12),
    };
    vec![failed, passed]
}

/// The usual case: the planner is done, and the builder is at its fourth iteration.
pub(crate) fn at_work() -> RunScript {
    let mut script = RunScript::begin();
    script.step(1).iteration(unit(1, 1), 131, Verdict::Complete(CompletionSignal::ExitCode));
    script.step_over(1, StepEnd::Complete(CompletionSignal::ExitCode)).step(2);
    script.working_iteration(unit(2, 1), 402, &["task-1"]);
    script.iteration(unit(2, 2), 377, Verdict::Refused(ClaimRefusal::ChecksFailed));
    script.iteration(unit(2, 3), 98, Verdict::Crashed);
    script.start(unit(2, 4)).pass(74);
    script.event(EventKind::Spent { unit: unit(2, 4), spend: spend(74) }).pass(56);
    script
}

pub(crate) fn paused() -> RunScript {
    let mut script = at_work();
    script.event(EventKind::Paused);
    // The clock of the run is paused.
    script.now = script.now.saturating_add(Duration::from_secs(780));
    script
}

pub(crate) fn waiting() -> RunScript {
    let mut script = at_work();
    let report = script.report(Verdict::Postponed, 130);
    script.event(EventKind::IterationFinished { unit: unit(2, 4), report });
    let until = timestamp("2026-11-15T07:42:00Z");
    script.event(EventKind::Waiting { step: 2, why: WaitCause::UsageLimit, until }).pass(10);
    script
}

/// An agent reported that its account is too full for the next one.
pub(crate) fn waiting_for_quota() -> RunScript {
    let mut script = at_work();
    for (window, used, resets) in [
        (QuotaWindow::FiveHours, 62, "2026-11-15T07:42:00Z"),
        (QuotaWindow::SevenDays, 41, "2026-11-18T00:00:00Z"),
    ] {
        let (unit, backend, resets) = (unit(2, 4), Backend::Claude, timestamp(resets));
        script.event(EventKind::Quota { unit, backend, window, used, resets });
    }
    let report = script.report(Verdict::Incomplete, 130);
    script.event(EventKind::IterationFinished { unit: unit(2, 4), report });
    let until = timestamp("2026-11-15T07:42:00Z");
    script.event(EventKind::Waiting { step: 2, why: WaitCause::Quota, until }).pass(10);
    script
}

pub(crate) fn backing_off() -> RunScript {
    let mut script = at_work();
    let report = script.report(Verdict::Crashed, 130);
    script.event(EventKind::IterationFinished { unit: unit(2, 4), report });
    let delay = Duration::from_secs(40);
    script.event(EventKind::BackingOff { step: 2, crashes: 2, delay }).pass(10);
    script
}

pub(crate) fn checking() -> RunScript {
    let mut script = at_work();
    let report = script.report(Verdict::Complete(CompletionSignal::File), 130);
    script.event(EventKind::AgentFinished { unit: unit(2, 4), report });
    let aux_job = AuxJob::Check { unit: unit(2, 4), number: 1 };
    script.event(EventKind::AuxJobStarted { aux_job, pid: 4712 }).pass(8);
    script
}

pub(crate) fn ending() -> RunScript {
    let mut script = at_work();
    script.event(EventKind::Cancelled { by: CancelCause::StopNow });
    script.event(EventKind::AgentEnding { unit: unit(2, 4), why: StopReason::Cancelled }).pass(2);
    script
}

/// The planner is done, and a person is asked about its plan.
pub(crate) fn asking() -> RunScript {
    let mut script = RunScript::of(planned(RunTarget::Chain("ask-first".to_owned())));
    script.step(1).iteration(unit(1, 1), 131, Verdict::Complete(CompletionSignal::ExitCode));
    script.step_over(1, StepEnd::Complete(CompletionSignal::ExitCode)).step(2);
    script.ask(2, 1);
    // The clock of the run is paused.
    script.now = script.now.saturating_add(Duration::from_secs(754));
    script
}

pub(crate) fn skipping() -> RunScript {
    let mut script = at_work();
    script.event(EventKind::SkipRequested { group: None, step: 2 });
    script.event(EventKind::AgentEnding { unit: unit(2, 4), why: StopReason::Skipped }).pass(2);
    script
}

pub(crate) fn stopping() -> RunScript {
    let mut script = at_work();
    script.event(EventKind::StopRequested);
    let text = "Mind the rounding of totals:\nuse banker's rounding.".to_owned();
    script.event(EventKind::MessageQueued {
        message: OperatorMessage { number: 1, text, lane: None },
    });
    let message = "no price is known for the model `sonnet`".to_owned();
    script.event(EventKind::Warning { message }).pass(5);
    script
}

pub(crate) fn finished() -> RunScript {
    let mut script = at_work();
    let report = script.report(Verdict::Complete(CompletionSignal::File), 140);
    script.event(EventKind::IterationFinished { unit: unit(2, 4), report });
    script.step_over(2, StepEnd::Complete(CompletionSignal::File)).step(3);
    script.iteration(unit(3, 1), 63, Verdict::Complete(CompletionSignal::File));
    script
        .step_over(3, StepEnd::Complete(CompletionSignal::File))
        .finish_run(RunEnd::Complete)
        .pass(3600);
    script
}

pub(crate) fn failed() -> RunScript {
    let mut script = at_work();
    let report = script.report(Verdict::Incomplete, 140);
    script.event(EventKind::IterationFinished { unit: unit(2, 4), report });
    for iteration in 5..=10 {
        script.iteration(unit(2, iteration), 100 + u64::from(iteration), Verdict::Incomplete);
    }
    script.step_over(2, StepEnd::MaxIterations);
    script.finish_run(RunEnd::Incomplete { step: 2, end: StepEnd::MaxIterations }).pass(600);
    script
}

pub(crate) fn interrupted() -> RunScript {
    let mut script = at_work();
    script.event(EventKind::Cancelled { by: CancelCause::StopNow });
    let report = script.report(Verdict::Interrupted, 130);
    script.event(EventKind::IterationFinished { unit: unit(2, 4), report });
    script.finish_run(RunEnd::Interrupted(CancelCause::StopNow)).pass(60);
    script
}

/// The end was not recorded.
pub(crate) fn cut_off() -> RunScript {
    let mut script = at_work();
    script.liveness = Liveness::Gone;
    script
}

pub(crate) fn ten_thousand() -> RunScript {
    let mut script = RunScript::with_many_iterations();
    script.step(1);
    for iteration in 1..=10_000 {
        let verdict = match iteration % 10 {
            3 => Verdict::Crashed,
            7 => Verdict::Refused(ClaimRefusal::NoWork),
            _ => Verdict::Incomplete,
        };
        script.iteration(unit(1, iteration), 1 + u64::from(iteration % 37), verdict);
    }
    script.start(unit(1, 10_001)).pass(9);
    script
}

pub(crate) fn board() -> TaskBoard {
    let task = |id: &str, title: &str, status: &str| TaskCard {
        id: id.to_owned(),
        title: title.to_owned(),
        status: status.to_owned(),
        assignee: (status == "In Progress").then(|| "builder".to_owned()),
        is_of_run: status == "In Progress",
        waits_for: Vec::new(),
    };
    let tasks = vec![
        task("task-1", "Set up the workspace", "Done"),
        task("task-2", "Sum the cart with discounts", "In Progress"),
        task("task-3", "Round totals", "To Do"),
        task("task-4", "Pay by invoice", "Blocked"),
        task("task-5", "Write the manual for people who sell things", "To Do"),
    ];
    TaskBoard { tasks }
}

pub(crate) fn task_details() -> TaskDetails {
    let known = |status: &str, title: &str| Some((status.to_owned(), title.to_owned()));
    TaskDetails {
        id: "task-3".to_owned(),
        title: "Round totals".to_owned(),
        status: "To Do".to_owned(),
        priority: Some("high".to_owned()),
        assignee: None,
        labels: vec!["cart".to_owned(), "money".to_owned()],
        parent: None,
        dependencies: vec![
            ("task-2".to_owned(), known("Done", "Sum the cart with discounts")),
            ("task-4".to_owned(), known("Blocked", "Pay by invoice")),
            ("task-9".to_owned(), None),
        ],
        description: Some("Round once, at the end, and never twice.".to_owned()),
        plan: None,
        notes: Some("Tried banker's rounding.\nThe customer wants half up.".to_owned()),
        criteria: vec![
            ("The sum of lines is not rounded".to_owned(), true),
            ("Totals are exact to the cent".to_owned(), false),
        ],
        file: "tasks/task-3 - round-totals.md".to_owned(),
    }
}

pub(crate) fn changes() -> IterationChanges {
    let commit =
        |id: &str, subject: &str| CommitSummary { id: id.to_owned(), subject: subject.to_owned() };
    let file = |path: &str, lines| ChangedFile { path: path.to_owned(), lines };
    IterationChanges {
        commits: vec![
            commit("4f2b7c1d9e0a", "Sum lines before rounding"),
            commit("9a8b7c6d5e4f", "Round totals once, at the end"),
        ],
        more_commits: 0,
        files: vec![
            file("src/cart.rs", Some((41, 7))),
            file("tests/cart.rs", Some((120, 0))),
            file("docs/receipt.png", None),
        ],
        more_files: 2,
    }
}

/// The lines of a diff with control characters in a file.
pub(crate) fn diff() -> Vec<OutputLine> {
    let text = "diff --git a/src/cart.rs b/src/cart.rs\nindex 4f2b7c1..9a8b7c6 100644\n\
                --- a/src/cart.rs\n+++ b/src/cart.rs\n@@ -38,7 +38,7 @@ impl Cart {\n     \
                pub fn total(&self) -> Cents {\n-\tself.lines.iter().map(Line::rounded).sum()\n\
                +\tround_half_up(self.lines.iter().map(Line::exact).sum()) // once, at the end, and \
                never twice\n     }\ndiff --git a/evil b/evil\nnew file mode 100644\n--- /dev/null\n\
                +++ b/evil\n@@ -0,0 +1 @@\n+\u{1b}[2J\u{7}gone\n\\ No newline at end of file\n";
    let command = "forkhestra diff k3v9x2ab --iteration 2.2".to_owned();
    diff_lines(&IterationDiff { text: text.into(), is_cut: true, command })
}

pub(crate) fn listed() -> Vec<RunListItem> {
    let listed = |id: &str, chain: &str, status, started: &str, dollars: Option<u64>| RunListItem {
        run: RunId::parse(id).expect("an id"),
        chain: chain.to_owned(),
        directory: "/home/ada/shop".to_owned(),
        status,
        status_override: None,
        started: timestamp(started),
        updated: timestamp(started).saturating_add(Duration::from_secs(1800)),
        iterations: 14,
        step: (2, 3),
        spend: dollars.map(|dollars| Spend {
            dollars: Dollars::from_nanos(dollars * 10_000_000),
            ..Spend::default()
        }),
    };
    vec![
        listed("k3v9x2ab", "ship-it", ExecutionStatus::Running, "2026-11-15T05:10:00Z", Some(184)),
        listed(
            "m0n1t3rs",
            "planner:3 -> builder:20 -> reviewer",
            ExecutionStatus::MaxIterations,
            "2026-11-14T22:00:00Z",
            Some(1250),
        ),
        listed("abcd1234", "ship-it", ExecutionStatus::Complete, "2026-11-13T08:00:00Z", None),
        listed("wxyz9876", "tidy-up", ExecutionStatus::Failed, "2026-11-01T08:00:00Z", Some(3)),
    ]
}
