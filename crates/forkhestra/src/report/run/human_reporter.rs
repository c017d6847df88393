//! A run for a person: each event becomes no text, or the lines that tell of it.

use std::time::Duration;

use forkhestra_core::cost::Spend;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::{CancelCause, CheckReport, Event, EventKind, HookReport, RunEnd};
use forkhestra_core::explain::{Remedy, StopReasonEntry, raising_option};
use forkhestra_core::history::RunHistory;
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::plan::{AgentKind, Plan};
use forkhestra_store::RunDir;
use typeset::style::{DIM, paint};
use typeset::text::visible;

use super::colors::tinted;
use super::current_activity::CurrentActivity;
use super::duration::spoken;
use super::run_tally::{RunTally, StepTally};
use super::{details, reason, sentence, steering, summary};
use crate::cli::started_program::StartedProgram;
use crate::report::agent::ToolRules;
use crate::report::diagnostic;
use crate::report::plan::dry_run::DryRunDetail;
use crate::report::run_report::{ReportLayout, ReportPlace, ReportSection, RunReport, SCREEN};
use crate::report::text::checks::{self, CheckDetail};
use crate::report::text::spend;

/// What the events of a run do not say.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReporterFacts {
    /// The command that goes on with the run; none if nothing can.
    pub(crate) resume_command: Option<String>,
    /// Where the run is kept.
    pub(crate) state_directory: Option<String>,
    /// The directory of the run, for the output of its agents.
    pub(crate) run_dir: Option<RunDir>,
    /// The program whose lines these are.
    pub(crate) program: StartedProgram,
}

/// Text, and where it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReporterText {
    /// On standard output.
    Out(String),
    /// On standard error.
    Err(String),
}

/// Tells a person of a run.
pub(crate) struct HumanReporter {
    plan: Plan,
    detail: DryRunDetail,
    facts: ReporterFacts,
    tally: RunTally,
    /// Everything that happened, for the report at the end; none if the events do not fit together.
    history: Option<RunHistory>,
    activity: CurrentActivity,
    /// Who wanted the run to end, until now.
    cancelled: Option<CancelCause>,
    /// Whether no agent was served since the last wait began.
    is_waiting: bool,
    /// Whether lines were said since the last empty one.
    inside_paragraph: bool,
}

impl HumanReporter {
    /// A reporter for a run of a plan.
    pub(crate) fn new(plan: &Plan, detail: DryRunDetail, facts: ReporterFacts) -> Self {
        Self {
            plan: plan.clone(),
            detail,
            facts,
            tally: RunTally::new(plan),
            history: None,
            activity: CurrentActivity::default(),
            cancelled: None,
            is_waiting: false,
            inside_paragraph: false,
        }
    }

    /// Takes in what happened in an earlier life of the run, without a word.
    pub(crate) fn absorb(&mut self, event: &Event) {
        self.tally.absorb(event);
        self.activity.absorb(event);
        self.history = match self.history.take() {
            None => RunHistory::begin(event).ok(),
            Some(mut history) => history.apply(event).is_ok().then_some(history),
        };
    }

    /// Takes in what happened, and says what there is to say about it. The text has colours; who
    /// prints it drops them where they are not wanted.
    pub(crate) fn event(&mut self, event: &Event) -> Option<ReporterText> {
        let was_waiting = self.is_waiting;
        self.is_waiting = self.waits_after(&event.kind);
        self.absorb(event);
        if let EventKind::Warning { message } = &event.kind {
            return Some(ReporterText::Err(diagnostic::render(&Diagnostic::warning(message))));
        }
        let text = match (&event.kind, self.detail) {
            (EventKind::RunFinished { end }, DryRunDetail::Quiet) => self.ending(end),
            // Whoever sees nothing for hours must know why, but once is enough.
            (kind @ EventKind::Waiting { .. }, DryRunDetail::Quiet) if !was_waiting => {
                self.progress(kind)
            }
            // Nobody else says that something of the user's own went wrong.
            (EventKind::HookFinished { report }, DryRunDetail::Quiet)
                if report.failure.is_some() =>
            {
                self.hook_finished(report)
            }
            (EventKind::CheckFinished { report, .. }, DryRunDetail::Quiet) if !report.passed() => {
                self.line(&sentence::check_finished(report))
            }
            (_, DryRunDetail::Quiet) => String::new(),
            (EventKind::RunFinished { end }, _) => self.run_finished(end),
            (kind, _) => self.progress(kind),
        };
        if let EventKind::Cancelled { by } = event.kind {
            self.cancelled = self.cancelled.max(Some(by));
        }
        if text.is_empty() {
            return None;
        }
        self.inside_paragraph = !text.ends_with("\n\n");
        Some(ReporterText::Out(text))
    }

    /// The live line for this moment of the run.
    pub(crate) fn status(&self, elapsed: Duration) -> Option<String> {
        let before = self.tally.wishes.before_status().map(str::to_owned);
        let activity = self.activity.describe(&self.tally, &self.plan, elapsed);
        let said: Vec<String> = before.into_iter().chain(activity).collect();
        (!said.is_empty()).then(|| said.join(" "))
    }

    /// Whether no agent was served since the last wait, after this.
    fn waits_after(&self, kind: &EventKind) -> bool {
        match kind {
            EventKind::Waiting { .. } => true,
            EventKind::IterationFinished { report, .. } if report.has_outcome() => false,
            _ => self.is_waiting,
        }
    }

    /// Which tools the agent of a step may use, if that is for us to say.
    pub(crate) fn tool_rules(&self, step: usize) -> Option<ToolRules> {
        match &self.plan.steps.get(step.checked_sub(1)?)?.agent.kind {
            AgentKind::Direct(direct) => Some(ToolRules::of(direct)),
            AgentKind::Program(_) => None,
        }
    }

    fn progress(&self, kind: &EventKind) -> String {
        match kind {
            EventKind::RunStarted { run, .. } => {
                let state_directory = self.facts.state_directory.as_deref();
                self.in_detail(&details::run(run.as_str(), &self.plan, state_directory))
            }
            EventKind::RunResumed { run, .. } => self.line(&self.resuming(run)),
            EventKind::StepStarted { step, .. } => {
                self.about(*step, |step| self.step_started(step))
            }
            EventKind::IterationStarted { unit } => {
                self.about(unit.step, |step| self.iteration_started(step, *unit))
            }
            EventKind::AgentStarted { pid, .. } => self.in_detail(&[format!("pid: {pid}")]),
            EventKind::CompletionRequested { by, .. } => self.in_detail(&[details::completion(by)]),
            EventKind::AgentEnding { why, .. } => self
                .in_detail(&[format!("ending the agent: {}", StopReasonEntry::of(*why).sentence)]),
            EventKind::IterationFinished { unit, report } => {
                // What was looked at or checked was told of before that.
                let is_told = self.tally.step(unit.step).is_some_and(|step| step.was_gone);
                let details = if is_told { Vec::new() } else { details::iteration(*unit, report) };
                self.in_detail(&details)
                    + &self.about(unit.step, |step| {
                        let said = sentence::iteration_finished(step, *unit, report);
                        let noted = sentence::protected_files(step, *unit);
                        noted.iter().chain(&said).map(|said| self.line(said)).collect()
                    })
            }
            EventKind::BackingOff { step, crashes, delay } => {
                self.about(*step, |step| self.line(&sentence::backing_off(step, *crashes, *delay)))
            }
            EventKind::Waiting { step, why, until } => self.about(*step, |step| {
                self.line(&sentence::waiting(step, *why, *until, self.tally.at))
            }),
            EventKind::AgentFinished { unit, report } => {
                self.in_detail(&details::iteration(*unit, report))
            }
            // The live line says it.
            EventKind::Spent { .. } | EventKind::ErrandStarted { .. } => String::new(),
            EventKind::TasksChanged { changes, .. } => self.in_detail(&details::tasks(changes)),
            EventKind::CheckFinished { report, .. } => self.check_finished(report),
            EventKind::HookFinished { report } => self.hook_finished(report),
            // The summary says it.
            EventKind::Surveyed { .. } => String::new(),
            EventKind::StepFinished { step, end } => {
                self.about(*step, |step| self.line(&sentence::step_finished(step, end)) + "\n")
            }
            EventKind::Cancelled { by } => {
                let again = by.is_urgent_after(self.cancelled);
                self.line(&sentence::cancelled(*by, self.activity.at_work(), again))
            }
            EventKind::StopRequested => {
                self.line(&steering::stop_requested(&self.activity, &self.tally))
            }
            EventKind::SkipRequested { step } => {
                let at_work = self.activity.at_work();
                self.line(&steering::skip_requested(*step, at_work, &self.tally))
            }
            EventKind::MessageQueued { message } => {
                self.line(&steering::queued(message.number, &message.text))
            }
            EventKind::MessagesGiven { messages, .. } => self.line(&steering::given(messages)),
            EventKind::LimitsChanged { changes } => self.line(&steering::limits_changed(changes)),
            EventKind::Paused => self.line("Paused"),
            EventKind::Continued => self.line("Continued"),
            EventKind::MachineSlept { duration } => self.line(&format!(
                "Note: the machine slept for {}; limits count time awake",
                spoken(*duration)
            )),
            // Told elsewhere.
            EventKind::Warning { .. } | EventKind::RunFinished { .. } => String::new(),
        }
    }

    fn about(&self, step: usize, say: impl Fn(&StepTally) -> String) -> String {
        self.tally.step(step).map_or_else(String::new, say)
    }

    fn resuming(&self, run: &RunId) -> String {
        let (complete, all) = (self.tally.complete(), self.tally.steps.len());
        let skipped = match self.tally.skipped() {
            0 => String::new(),
            skipped => format!(", {skipped} skipped"),
        };
        let next = match self.tally.next() {
            None => String::new(),
            Some(step) if step.skip => format!(", skipping {}", step.name),
            Some(step) if step.awaits_hooks(&self.plan) => {
                format!(", {} at the hooks after iteration {}", step.name, step.iterations)
            }
            Some(StepTally { name, most: None, .. }) => format!(", {name} next"),
            Some(step) => format!(", {} at iteration {}", step.name, step.iterations + 1),
        };
        format!("Resuming run {run}: {complete} of {all} steps complete{skipped}{next}")
    }

    /// An agent that runs once is announced when it is started, also when that is tried again.
    fn step_started(&self, step: &StepTally) -> String {
        let Some(most) = step.most else { return String::new() };
        let most = reason::count(most, "iteration");
        self.line(&format!("Starting: {} (max {most})", step.name)) + &self.step_details(step)
    }

    fn iteration_started(&self, step: &StepTally, unit: UnitId) -> String {
        match step.most {
            None => self.line(&format!("Running: {}", step.name)) + &self.step_details(step),
            Some(_) => self.line(&sentence::label(step, unit)),
        }
    }

    fn step_details(&self, step: &StepTally) -> String {
        let planned = self.plan.steps.iter().find(|planned| planned.number == step.number);
        planned.map_or_else(String::new, |planned| self.in_detail(&details::step(planned)))
    }

    fn in_detail(&self, lines: &[String]) -> String {
        match self.detail {
            DryRunDetail::Verbose => {
                lines.iter().map(|text| self.line(&paint(DIM, &format!("  {text}")))).collect()
            }
            DryRunDetail::Normal | DryRunDetail::Quiet => String::new(),
        }
    }

    /// The summary, which fits one screen: the steps, what was done by task, what to do, the verdict.
    fn run_finished(&self, end: &RunEnd) -> String {
        let mut head = String::new();
        if self.inside_paragraph {
            head.push('\n');
        }
        let report = self.history.as_ref().map(RunReport::of);
        let report = report.map(|report| match &self.facts.run_dir {
            Some(run) => report.with_output(run),
            None => report,
        });
        if !self.tally.steps.is_empty() {
            head.push_str(&self.line("Summary"));
            let names_commits = !report.as_ref().is_some_and(RunReport::names_commits);
            head.push_str(&summary::table(&self.tally, &self.plan, names_commits));
            head.push('\n');
        }
        let replayed = spend::replayed(&self.plan);
        let spend = self.spend();
        let spend = spend.map(|spend| format!("Spent: {}{replayed}", spend::in_full(spend)));
        let logs = self.facts.state_directory.as_ref().filter(|_| self.tally.has_begun());
        let logs = logs.map(|directory| format!("Logs: {}", visible(directory)));
        let lines = summary::in_all(&self.tally).into_iter().chain(spend).chain(logs);
        let foot: String = lines.map(|said| self.line(&said)).collect();
        let foot = foot + &self.ending(end);
        let room = SCREEN.saturating_sub(head.lines().count() + foot.lines().count());
        let layout = ReportLayout { room, place: ReportPlace::RunEnd, cuts_lines: true };
        let sections = report.map(|report| report.lines(&layout)).unwrap_or_default();
        let body: String = sections.iter().map(|section| self.section(section)).collect();
        head + &body + &foot
    }

    fn section(&self, section: &ReportSection) -> String {
        let lines = section.lines.iter().map(|line| format!("{line}\n"));
        self.line(&section.heading) + &lines.collect::<String>()
    }

    /// What all agents have spent. What was spent by an agent that was cut off may be unknown, which
    /// only the history says.
    fn spend(&self) -> Option<Spend> {
        match &self.history {
            Some(history) => spend::known(history.state.spend()),
            None => self.tally.spend(),
        }
    }

    /// What nobody may miss: how to go on, and the verdict.
    fn ending(&self, end: &RunEnd) -> String {
        let remedy = self.history.as_ref().and_then(|history| reason::remedy(&history.state));
        let command = self.resume_command(end);
        let ways = Remedy::ways_on(remedy.as_ref(), command.as_deref());
        let said = self.tally.wishes.left(end).into_iter().chain(ways);
        let text: String = said.map(|said| self.line(&said)).collect();
        text + &self.line(&summary::verdict(&self.tally, end, self.detail))
    }

    /// The command that goes on with a run that can go on, with more of the limit that ended it.
    fn resume_command(&self, end: &RunEnd) -> Option<String> {
        let command = self.facts.resume_command.as_ref().filter(|_| *end != RunEnd::Complete)?;
        let command = visible(command);
        let history = self.history.as_ref();
        let option = history.and_then(|history| raising_option(&history.state, history.updated));
        Some(match option {
            Some(option) => format!("{command} {option}"),
            None => command,
        })
    }

    fn check_finished(&self, report: &CheckReport) -> String {
        let extent = match self.detail {
            DryRunDetail::Verbose => CheckDetail::All,
            DryRunDetail::Normal | DryRunDetail::Quiet => CheckDetail::Last,
        };
        let tail = checks::tail(report, extent);
        // The bar keeps a line of somebody else from being taken for one of an agent.
        let tail = tail.iter().map(|text| self.line(&paint(DIM, &format!("  | {text}"))));
        self.line(&sentence::check_finished(report)) + &tail.collect::<String>()
    }

    fn hook_finished(&self, report: &HookReport) -> String {
        let hook = report.number.checked_sub(1).and_then(|index| self.plan.hooks.get(index));
        let command = hook.map_or_else(String::new, |hook| checks::short(&hook.value.run));
        match &report.failure {
            Some(why) => self.line(&sentence::hook_failed(report.moment.point, why, &command)),
            None => self.in_detail(&[details::hook(report, &command)]),
        }
    }

    /// A line of ours.
    fn line(&self, text: &str) -> String {
        format!("{} {}\n", paint(DIM, self.facts.program.prefix()), tinted(text))
    }
}
