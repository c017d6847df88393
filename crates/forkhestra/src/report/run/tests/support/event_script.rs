//! Simulated runs, event by event.

use std::time::Duration;

use anstream::adapter::strip_str;
use forkhestra_core::config::{Backend, ConfigLayers};
use forkhestra_core::cost::Spend;
use forkhestra_core::dsl::Dsl;
use forkhestra_core::event::{
    CompletionSignal, Event, EventKind, IterationReport, LimitChanges, MarkerMatch, Observation,
    OutputSummary, ProcessEnd, RunEnd, StepEnd, StopReason, StreamSummary, Verdict,
};
use forkhestra_core::history::RunHistory;
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::plan::{
    self, AgentKind, BuiltPlan, DirectSpawn, FileState, HostEnvironment, NotRunnableReason, Plan,
    PlanRequest, ProgramLocation, RequestedPrompt, RunTarget,
};
use forkhestra_core::time::Timestamp;

use crate::cli::started_program::StartedProgram;
use crate::report::plan::dry_run::Verbosity;
use crate::report::run::human_reporter::ReporterText;
use crate::report::run::live_line::live_line;
use crate::report::run::{HumanReporter, ReporterFacts};
use crate::report::text::run_commands::RunCommands;

/// A host on which every program exists except `missing`.
struct ReportHost;

impl HostEnvironment for ReportHost {
    fn locate(&self, program: &str) -> ProgramLocation {
        match program {
            "missing" => ProgramLocation::Missing(NotRunnableReason::NotOnPath),
            program => ProgramLocation::Found(format!("/bin/{program}")),
        }
    }

    fn file(&self, _path: &str) -> FileState {
        FileState::Readable
    }

    fn prompt_file(&self, _path: &str) -> FileState {
        FileState::Readable
    }

    fn task_database(&self) -> Option<String> {
        None
    }
}

/// The plan for this chain.
pub(crate) fn plan_of(chain: &str, prompt: Option<RequestedPrompt>, args: &[&str]) -> Plan {
    let dsl = Dsl::parse(chain).expect("the chain is a chain");
    let mut request = PlanRequest::new(RunTarget::Dsl(dsl), "/work");
    request.prompt = prompt;
    request.agent_args = args.iter().map(|&arg| arg.to_owned()).collect();
    let BuiltPlan { plan, .. } =
        plan::build(&request, &ConfigLayers::default(), &ReportHost).expect("everything is there");
    plan
}

/// A simulated run: its plan and events.
#[derive(Clone)]
pub(crate) struct EventScript {
    pub(crate) plan: Plan,
    pub(crate) events: Vec<Event>,
    elapsed: Duration,
    attempt: u32,
    /// Number of events before the run was resumed.
    earlier: usize,
    /// The program whose prefix the report carries.
    pub(crate) program: StartedProgram,
}

impl EventScript {
    /// A run of this chain that has just started.
    pub(crate) fn of(chain: &str) -> Self {
        Self::of_plan(plan_of(chain, None, &[]))
    }

    pub(crate) fn of_plan(plan: Plan) -> Self {
        let started = EventKind::RunStarted {
            run: run_id(),
            plan: Box::new(plan.clone()),
            program: "0.1.0".to_owned(),
            origin: None,
            inherited: Vec::new(),
        };
        let elapsed = Duration::ZERO;
        let program = StartedProgram::Forkhestra;
        Self { plan, events: Vec::new(), elapsed, attempt: 1, earlier: 0, program }.then(started)
    }

    pub(crate) fn then(mut self, kind: EventKind) -> Self {
        let at = Timestamp::from_milliseconds(1_790_000_000_000).saturating_add(self.elapsed);
        self.events.push(Event::new(at, self.elapsed, kind));
        self
    }

    pub(crate) fn after(mut self, milliseconds: u64) -> Self {
        self.elapsed += Duration::from_millis(milliseconds);
        self
    }

    pub(crate) fn step(self, step: usize) -> Self {
        self.then(EventKind::StepStarted {
            instead_of: None,
            step,
            observation: Observation::default(),
        })
    }

    pub(crate) fn iteration(self, step: usize, iteration: u32) -> Self {
        let unit = self.unit(step, iteration);
        self.then(EventKind::IterationStarted { unit, fallback: None })
            .then(EventKind::AgentStarted { unit, pid: 4711, prompt: None })
    }

    pub(crate) fn iteration_finished(
        self,
        unit: (usize, u32),
        verdict: Verdict,
        end: ProcessEnd,
    ) -> Self {
        self.finished_with(unit, verdict, end, (None, None))
    }

    /// An iteration finishes with a stream summary or spend.
    pub(crate) fn finished_with(
        self,
        unit: (usize, u32),
        verdict: Verdict,
        end: ProcessEnd,
        (stream_summary, spend): (Option<StreamSummary>, Option<Spend>),
    ) -> Self {
        let unit = self.unit(unit.0, unit.1);
        let report = IterationReport {
            closing_text: None,
            checks: Vec::new(),
            verdict,
            end: Some(end),
            duration: Duration::from_millis(1_500),
            observation: Observation::default(),
            output: OutputSummary { stdout: 1234, stderr: 0 },
            stream_summary,
            spend,
        };
        self.after(1_500).then(EventKind::IterationFinished { unit, report })
    }

    /// The running agent reports its spend.
    pub(crate) fn spent(self, unit: (usize, u32), spend: Spend) -> Self {
        let unit = self.unit(unit.0, unit.1);
        self.then(EventKind::Spent { unit, spend })
    }

    /// The agent of a step is a known agent program.
    pub(crate) fn of_backend(mut self, step: usize, backend: Backend) -> Self {
        let agent = &mut self.plan.steps[step - 1].agent;
        let location = agent.kind.location().expect("it is a program").clone();
        let direct = DirectSpawn::new(backend, backend.program().to_owned(), location);
        agent.kind = AgentKind::Direct(direct);
        self
    }

    pub(crate) fn step_over(self, step: usize, end: StepEnd) -> Self {
        self.then(EventKind::StepFinished { step, end })
    }

    /// An agent that runs once starts and finishes.
    pub(crate) fn once(self, step: usize, code: i32) -> Self {
        let (verdict, end) = match code {
            0 => (
                Verdict::Complete(CompletionSignal::ExitCode),
                StepEnd::Complete(CompletionSignal::ExitCode),
            ),
            _ => (Verdict::Crashed, StepEnd::Failed(ProcessEnd::Exited(code))),
        };
        self.step(step)
            .iteration(step, 1)
            .iteration_finished((step, 1), verdict, ProcessEnd::Exited(code))
            .step_over(step, end)
    }

    /// An iteration that ends without a completion claim.
    pub(crate) fn silent(self, step: usize, iteration: u32) -> Self {
        self.iteration(step, iteration).iteration_finished(
            (step, iteration),
            Verdict::Incomplete,
            ProcessEnd::Exited(0),
        )
    }

    /// An iteration that a signal interrupts.
    pub(crate) fn interrupted(self, step: usize, iteration: u32) -> Self {
        self.iteration(step, iteration).iteration_finished(
            (step, iteration),
            Verdict::Interrupted,
            ProcessEnd::Signaled(1),
        )
    }

    /// An iteration that completes its step.
    pub(crate) fn last(self, step: usize, iteration: u32) -> Self {
        self.iteration(step, iteration)
            .iteration_finished(
                (step, iteration),
                Verdict::Complete(marker()),
                ProcessEnd::Exited(0),
            )
            .step_over(step, StepEnd::Complete(marker()))
    }

    /// An iteration that fails.
    pub(crate) fn crash(self, step: usize, iteration: u32) -> Self {
        self.iteration(step, iteration).iteration_finished(
            (step, iteration),
            Verdict::Crashed,
            ProcessEnd::Exited(1),
        )
    }

    /// An iteration that forkhestra stops.
    pub(crate) fn ended(self, unit: (usize, u32), why: StopReason) -> Self {
        let id = self.unit(unit.0, unit.1);
        self.iteration(unit.0, unit.1)
            .after(500)
            .then(EventKind::AgentEnding { unit: id, why })
            .iteration_finished(unit, Verdict::AgentStopped(why), ProcessEnd::Signaled(15))
    }

    pub(crate) fn end(self, end: RunEnd) -> Self {
        self.then(EventKind::RunFinished { end })
    }

    /// The run is resumed; all events so far precede that.
    pub(crate) fn resumed(mut self, changes: LimitChanges) -> Self {
        self.earlier = self.events.len();
        self.attempt += 1;
        let (run, program) = (run_id(), "0.1.0".to_owned());
        self.then(EventKind::RunResumed { run, program, changes, moved_to: None, sandboxes: None })
    }

    pub(crate) fn unit(&self, step: usize, iteration: u32) -> UnitId {
        UnitId { step, iteration, attempt: self.attempt }
    }

    /// The events as recorded in the journal.
    pub(crate) fn recorded(&self) -> Vec<Event> {
        let mut events = self.events.clone();
        for event in &mut events {
            if let EventKind::RunStarted { plan, .. } = &mut event.kind {
                plan.clone_from(&Box::new(self.plan.clone()));
            }
        }
        events
    }

    /// The report text without colours.
    pub(crate) fn report(&self) -> String {
        self.report_in(Verbosity::Normal)
    }

    pub(crate) fn report_in(&self, detail: Verbosity) -> String {
        let mut text = String::new();
        let mut reporter = self.reporter(detail);
        let mut history = None;
        for (index, event) in self.recorded().iter().enumerate() {
            let run = RunHistory::advance(&mut history, event).expect("it can have happened");
            if index < self.earlier {
                continue;
            }
            match reporter.event(event, run) {
                None => {}
                Some(ReporterText::Out(shown)) => text.push_str(&shown),
                Some(ReporterText::Err(shown)) => text.push_str(&format!("stderr: {shown}")),
            }
        }
        strip_str(&text).to_string()
    }

    /// The live line, this many milliseconds after the last event.
    pub(crate) fn status_after(&self, milliseconds: u64) -> Option<String> {
        let history = RunHistory::of(&self.recorded()).expect("it can have happened");
        live_line(
            &history,
            Some(&RunCommands::example("")),
            self.elapsed + Duration::from_millis(milliseconds),
        )
    }

    pub(crate) fn reporter(&self, detail: Verbosity) -> HumanReporter {
        let facts = ReporterFacts {
            run_dir: None,
            commands: Some(RunCommands::example("")),
            state_directory: Some("/state/q7w3k9zt".to_owned()),
            program: self.program,
        };
        HumanReporter::new(detail, facts)
    }
}

fn run_id() -> RunId {
    RunId::parse("q7w3k9zt").expect("it is an id")
}

/// The default marker.
pub(crate) fn marker() -> CompletionSignal {
    let marker = "FORKHESTRA_COMPLETE".to_owned();
    CompletionSignal::Marker(MarkerMatch { marker, offset: 1200, line: 42, message: None })
}
