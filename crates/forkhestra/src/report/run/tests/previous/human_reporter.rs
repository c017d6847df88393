//! Reporter for people: turns each event of a run into lines of text, or none.

use std::time::Duration;

use forkhestra_core::cost::Spend;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::{CancelCause, CheckReport, Event, EventKind, HookReport, RunEnd};
use forkhestra_core::explain::{Remedy, StopReasonEntry, raising_option};
use forkhestra_core::history::RunHistory;
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::plan::Plan;
use typeset::style::{DIM, paint};
use typeset::text::visible;

use super::colors::tinted;
use super::current_activity::PreviousActivity;
use super::duration::spoken;
use super::run_tally::{PreviousStepTally, PreviousTally};
use super::{details, reason, sentence, steering, summary};
use crate::report::diagnostic;
use crate::report::plan::dry_run::DryRunDetail;
use crate::report::run::human_reporter::{ReporterFacts, ReporterText};
use crate::report::run_report::{ReportLayout, ReportPlace, ReportSection, RunReport, SCREEN};
use crate::report::text::checks::{self, CheckDetail};
use crate::report::text::spend;

/// Reports a run to a person.
pub(crate) struct PreviousReporter {
    plan: Plan,
    detail: DryRunDetail,
    facts: ReporterFacts,
    tally: PreviousTally,
    /// All events so far, for the report at the end; none if the events are inconsistent.
    history: Option<RunHistory>,
    activity: PreviousActivity,
    /// The most urgent cancel cause so far.
    cancelled: Option<CancelCause>,
    /// Whether no iteration had an outcome since the last wait began.
    is_waiting: bool,
    /// Whether lines were printed since the last empty one.
    inside_paragraph: bool,
}

impl PreviousReporter {
    /// Creates a reporter for a run of a plan.
    pub(crate) fn new(plan: &Plan, detail: DryRunDetail, facts: ReporterFacts) -> Self {
        Self {
            plan: plan.clone(),
            detail,
            facts,
            tally: PreviousTally::new(plan),
            history: None,
            activity: PreviousActivity::default(),
            cancelled: None,
            is_waiting: false,
            inside_paragraph: false,
        }
    }

    /// Applies an event from before the run was resumed, without output.
    pub(crate) fn absorb(&mut self, event: &Event) {
        self.tally.absorb(event);
        self.activity.absorb(event);
        self.history = match self.history.take() {
            None => RunHistory::begin(event).ok(),
            Some(mut history) => history.apply(event).is_ok().then_some(history),
        };
    }

    /// Applies an event and returns the text for it. The text contains colours; the printer strips
    /// them where colours are off.
    pub(crate) fn event(&mut self, event: &Event) -> Option<ReporterText> {
        let was_waiting = self.is_waiting;
        self.is_waiting = self.waits_after(&event.kind);
        self.absorb(event);
        if let EventKind::Warning { message } = &event.kind {
            return Some(ReporterText::Err(diagnostic::render(&Diagnostic::warning(message))));
        }
        let text = match (&event.kind, self.detail) {
            (EventKind::RunFinished { end }, DryRunDetail::Quiet) => self.ending(end),
            // A quiet run reports the first wait, because it may be silent for hours. Further waits
            // are not reported.
            (kind @ EventKind::Waiting { .. }, DryRunDetail::Quiet) if !was_waiting => {
                self.progress(kind)
            }
            // No other output reports that a hook or a check of the user failed.
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

    /// Text of the live line at this time of the run.
    pub(crate) fn status(&self, elapsed: Duration) -> Option<String> {
        let before = self.tally.wishes.before_status().map(str::to_owned);
        let activity = self.activity.describe(&self.tally, &self.plan, elapsed);
        let said: Vec<String> = before.into_iter().chain(activity).collect();
        (!said.is_empty()).then(|| said.join(" "))
    }

    /// The value of `is_waiting` after an event.
    fn waits_after(&self, kind: &EventKind) -> bool {
        match kind {
            EventKind::Waiting { .. } => true,
            EventKind::IterationFinished { report, .. } if report.has_outcome() => false,
            _ => self.is_waiting,
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
                // `AgentFinished` has already reported the details if the iteration was checked.
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
            // Shown by the live line.
            EventKind::Spent { .. } | EventKind::ErrandStarted { .. } => String::new(),
            EventKind::TasksChanged { changes, .. } => self.in_detail(&details::tasks(changes)),
            EventKind::CheckFinished { report, .. } => self.check_finished(report),
            EventKind::HookFinished { report } => self.hook_finished(report),
            // Shown by the summary.
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
            // Reported elsewhere.
            EventKind::Warning { .. } | EventKind::RunFinished { .. } => String::new(),
        }
    }

    fn about(&self, step: usize, say: impl Fn(&PreviousStepTally) -> String) -> String {
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
            Some(PreviousStepTally { name, most: None, .. }) => format!(", {name} next"),
            Some(step) => format!(", {} at iteration {}", step.name, step.iterations + 1),
        };
        format!("Resuming run {run}: {complete} of {all} steps complete{skipped}{next}")
    }

    /// An agent that runs once is announced at each attempt instead.
    fn step_started(&self, step: &PreviousStepTally) -> String {
        let Some(most) = step.most else { return String::new() };
        let most = reason::count(most, "iteration");
        self.line(&format!("Starting: {} (max {most})", step.name)) + &self.step_details(step)
    }

    fn iteration_started(&self, step: &PreviousStepTally, unit: UnitId) -> String {
        match step.most {
            None => self.line(&format!("Running: {}", step.name)) + &self.step_details(step),
            Some(_) => self.line(&sentence::label(step, unit)),
        }
    }

    fn step_details(&self, step: &PreviousStepTally) -> String {
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

    /// The summary, limited to one screen: steps, work by task, remedies, verdict.
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

    /// Spend of all agents. Only the history records that the spend of a cut-off agent is unknown.
    fn spend(&self) -> Option<Spend> {
        match &self.history {
            Some(history) => spend::known(history.state.spend()),
            None => self.tally.spend(),
        }
    }

    /// Remedies and verdict, which are printed even in quiet mode.
    fn ending(&self, end: &RunEnd) -> String {
        let remedy = self.history.as_ref().and_then(|history| reason::remedy(&history.state));
        let command = self.resume_command(end);
        let ways = Remedy::ways_on(remedy.as_ref(), command.as_deref());
        let said = self.tally.wishes.left(end).into_iter().chain(ways);
        let text: String = said.map(|said| self.line(&said)).collect();
        text + &self.line(&summary::verdict(&self.tally, end, self.detail))
    }

    /// The command that resumes an unfinished run, with a higher value for the limit that ended it.
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
        // The bar marks the output of a check, so that it is not mistaken for output of an agent.
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

    /// A report line with its prefix and colours.
    fn line(&self, text: &str) -> String {
        format!("{} {}\n", paint(DIM, self.facts.program.prefix()), tinted(text))
    }
}
