//! Reporter for people: turns each event of a run into lines of text, or none.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::{CheckReport, Event, EventKind, HookReport, RunEnd, StepEnd};
use forkhestra_core::explain::{Remedy, StopReasonEntry};
use forkhestra_core::history::RunHistory;
use forkhestra_core::id::{LaneNumber, UnitId};
use forkhestra_core::policy::refuses_round;
use forkhestra_core::quota::QuotaReading;
use forkhestra_store::RunDir;
use typeset::style::{DIM, paint};
use typeset::text::visible;

use super::colors::tinted;
use super::duration::short_duration;
use super::live_line::CurrentWorker;
use super::reported_step::ReportedStep;
use super::{details, flow_sentences, lane_sentences, reason, sentence, steering, summary};
use crate::cli::started_program::StartedProgram;
use crate::past_runs::resume_command::raised;
use crate::report::diagnostic;
use crate::report::plan::dry_run::Verbosity;
use crate::report::run_report::{ReportLayout, ReportPlace, ReportSection, RunReport, SCREEN};
use crate::report::text::checks::{self, CheckDetail};
use crate::report::text::flow::{alternatives, questions, rounds};
use crate::report::text::run_commands::RunCommands;
use crate::report::text::{fallback, spend};

/// Facts about a run that its events do not contain.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReporterFacts {
    /// The commands that steer and resume the run.
    pub(crate) commands: Option<RunCommands>,
    pub(crate) state_directory: Option<String>,
    /// Directory of the run, from which the output of its agents is read.
    pub(crate) run_dir: Option<RunDir>,
    /// The program whose prefix the lines carry.
    pub(crate) program: StartedProgram,
}

/// Text and the stream it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReporterText {
    Out(String),
    Err(String),
}

/// Reports a run to a person.
pub(crate) struct HumanReporter {
    detail: Verbosity,
    facts: ReporterFacts,
    /// Whether no iteration had an outcome since the last wait began.
    is_waiting: bool,
    /// Whether lines were printed since the last empty one.
    inside_paragraph: bool,
    /// The lane that the current event belongs to, with the name of its agent.
    lane: Option<(LaneNumber, String)>,
}

impl HumanReporter {
    /// Creates a reporter.
    pub(crate) const fn new(detail: Verbosity, facts: ReporterFacts) -> Self {
        Self { detail, facts, is_waiting: false, inside_paragraph: false, lane: None }
    }

    /// The commands that steer and resume the run.
    pub(super) const fn commands(&self) -> Option<&RunCommands> {
        self.facts.commands.as_ref()
    }

    /// The text for an event. `run` includes the event. The text contains colours; the printer
    /// strips them where colours are off.
    pub(crate) fn event(&mut self, event: &Event, run: &RunHistory) -> Option<ReporterText> {
        self.lane = event.lane.map(|lane| {
            let step = event.scope.step().and_then(|step| ReportedStep::of(run, step));
            (lane, step.map_or_else(String::new, |step| step.name()))
        });
        let was_waiting = self.is_waiting;
        self.is_waiting = self.waits_after(&event.kind);
        if let EventKind::Warning { message } = &event.kind {
            return Some(ReporterText::Err(diagnostic::render(&Diagnostic::warning(message))));
        }
        let text = match (&event.kind, self.detail) {
            (EventKind::RunFinished { end }, Verbosity::Quiet) => self.ending(run, end),
            // A quiet run reports the first wait, because it may be silent for hours. Further waits
            // are not reported.
            (kind @ EventKind::Waiting { .. }, Verbosity::Quiet) if !was_waiting => {
                self.progress(run, event.lane, kind)
            }
            // No other output reports that a hook or a check of the user failed.
            (EventKind::HookFinished { report }, Verbosity::Quiet) if report.failure.is_some() => {
                self.hook_finished(run, report)
            }
            (EventKind::CheckFinished { report, .. }, Verbosity::Quiet) if !report.passed() => {
                self.line(&sentence::check_finished(report))
            }
            (EventKind::RoundChecked { checks, .. }, Verbosity::Quiet) => {
                let failed = checks.iter().filter(|report| !report.passed());
                failed.map(|report| self.line(&sentence::check_finished(report))).collect()
            }
            // The run waits until it is answered.
            (EventKind::Asked { question, .. }, Verbosity::Quiet)
                if !run.state.plan.approves_all =>
            {
                self.asked(run, *question)
            }
            // No agent goes on with it.
            (kind @ (EventKind::WorkParked { .. } | EventKind::Held { .. }), Verbosity::Quiet) => {
                self.lanes(run, event.lane, kind)
            }
            (_, Verbosity::Quiet) => String::new(),
            (EventKind::RunFinished { end }, _) => self.run_finished(run, end),
            (kind, _) => self.progress(run, event.lane, kind),
        };
        if text.is_empty() {
            return None;
        }
        self.inside_paragraph = !(text == "\n" || text.ends_with("\n\n"));
        Some(ReporterText::Out(text))
    }

    /// The value of `is_waiting` after an event.
    fn waits_after(&self, kind: &EventKind) -> bool {
        match kind {
            EventKind::Waiting { .. } => true,
            EventKind::IterationFinished { report, .. } if report.has_outcome() => false,
            _ => self.is_waiting,
        }
    }

    fn progress(&self, run: &RunHistory, lane: Option<LaneNumber>, kind: &EventKind) -> String {
        match kind {
            EventKind::RunStarted { run: id, .. } => {
                let state_directory = self.facts.state_directory.as_deref();
                self.sandbox_line(run)
                    + &self.verbose_lines(&details::run(
                        id.as_str(),
                        &run.state.plan,
                        state_directory,
                    ))
            }
            EventKind::RunResumed { .. } => self.line(&resuming(run)) + &self.sandbox_line(run),
            // The lanes share the step, whose beginning was reported.
            EventKind::StepStarted { step, .. }
                if lane.is_some_and(|lane| shares(run, lane, *step)) =>
            {
                String::new()
            }
            EventKind::StepStarted { step, instead_of, .. } => {
                let instead_of =
                    instead_of.map(|other| alternatives::start_sentence(run, *step, other));
                let instead_of = instead_of.iter().map(|text| self.line(text));
                instead_of.collect::<String>() + &about(run, *step, |step| self.step_started(step))
            }
            EventKind::IterationStarted { unit, fallback: other } => {
                let switch = fallback::switch_sentence(run, *unit, *other);
                let switch = switch.map_or_else(String::new, |text| self.line(&text));
                switch + &about(run, unit.step, |step| self.iteration_started(step, *unit))
            }
            EventKind::AgentStarted { pid, .. } => self.verbose_lines(&[format!("pid: {pid}")]),
            EventKind::CompletionRequested { by, .. } => {
                self.verbose_lines(&[details::completion(by)])
            }
            EventKind::AgentEnding { why, .. } => self.verbose_lines(&[format!(
                "ending the agent: {}",
                StopReasonEntry::of(*why).sentence
            )]),
            EventKind::IterationFinished { unit, report } => {
                // `AgentFinished` has already reported the details if the iteration was checked.
                let last = ReportedStep::of(run, unit.step).and_then(|step| step.last());
                let details = match last {
                    Some(last) if last.agent_end_recorded => Vec::new(),
                    _ => details::iteration(*unit, report),
                };
                self.verbose_lines(&details)
                    + &about(run, unit.step, |step| {
                        let sentences = sentence::iteration_finished(step, *unit, report);
                        let noted = sentence::protected_files(step, *unit);
                        noted.iter().chain(&sentences).map(|text| self.line(text)).collect()
                    })
            }
            EventKind::BackingOff { step, crashes, delay } => {
                about(run, *step, |step| self.line(&sentence::backing_off(step, *crashes, *delay)))
            }
            EventKind::Waiting { step, why, until } => {
                about(run, *step, |step| self.line(&sentence::waiting(step, *why, *until, run)))
            }
            EventKind::AgentFinished { unit, report } => {
                self.verbose_lines(&details::iteration(*unit, report))
            }
            // Shown by the live line.
            EventKind::Spent { .. } | EventKind::AuxJobStarted { .. } => String::new(),
            EventKind::Quota { backend, window, used, resets, .. } => {
                let reading = QuotaReading { window: *window, used: *used, resets: *resets };
                self.verbose_lines(&[details::quota(*backend, reading)])
            }
            EventKind::TasksChanged { changes, .. } => self.verbose_lines(&details::tasks(changes)),
            EventKind::CheckFinished { report, .. } => self.check_finished(report),
            EventKind::HookFinished { report } => self.hook_finished(run, report),
            // Shown by the summary.
            EventKind::Surveyed { .. } => String::new(),
            EventKind::StepFinished { step, end } => about(run, *step, |step| {
                // The answer has been reported.
                let is_known =
                    step.is_question() && matches!(end, StepEnd::Complete(_) | StepEnd::Denied);
                let text = (!is_known).then(|| self.line(&sentence::step_finished(step, end)));
                // The refusal of the round follows.
                let is_refusal = step.plan.decides_round && refuses_round(step.plan, end);
                // Other lanes go on.
                let is_end = !is_refusal && self.lane.is_none();
                text.unwrap_or_default() + if is_end { "\n" } else { "" }
            }),
            EventKind::Cancelled { by } => {
                let (at_work, again) = (CurrentWorker::of_run(run), run.steering.cancel_repeated);
                self.line(&sentence::cancelled(*by, at_work, again))
            }
            EventKind::StopRequested => self.line(&steering::stop_requested(run)),
            EventKind::SkipRequested { step, group } => {
                self.line(&steering::skip_requested(run, *step, *group))
            }
            EventKind::MessageQueued { message } => self.line(&steering::queued(message)),
            EventKind::MessagesGiven { messages, .. } => {
                self.line(&steering::messages_given(messages))
            }
            EventKind::LimitsChanged { changes } => self.line(&steering::limits_changed(changes)),
            EventKind::Paused => self.line("Paused"),
            EventKind::Continued => self.line("Continued"),
            EventKind::Calibrated { checks, .. } => self.line(&sentence::calibrated(checks)),
            // The resume has warned about changed programs.
            EventKind::ProgramsRecorded { .. } => String::new(),
            EventKind::MachineSlept { duration } => self.line(&format!(
                "Note: the machine slept for {}; limits count time awake",
                short_duration(*duration)
            )),
            EventKind::RoundStarted { group, round } => {
                self.line(&rounds::round_of_group(&run.state.plan, *group, *round))
            }
            EventKind::RoundChecked { checks, .. } => {
                checks.iter().map(|report| self.check_finished(report)).collect()
            }
            EventKind::RoundRefused { group, round, .. } => {
                self.line(&flow_sentences::round_refused(run, *group, *round)) + "\n"
            }
            EventKind::ConditionChecked { holds: false, check, .. } => {
                self.line(&flow_sentences::condition_failed(check))
            }
            EventKind::ConditionChecked { check, .. } => {
                self.verbose_lines(&[format!("condition holds: {}", checks::name(&check.name))])
            }
            EventKind::Asked { question, .. } => self.asked(run, *question),
            EventKind::Answered { answer, .. } => self.line(&questions::answer_sentence(answer)),
            // Reported elsewhere.
            EventKind::Warning { .. } | EventKind::RunFinished { .. } => String::new(),
            lanes => self.lanes(run, lane, lanes),
        }
    }

    /// The text for an event about lanes.
    fn lanes(&self, run: &RunHistory, lane: Option<LaneNumber>, kind: &EventKind) -> String {
        match (kind, lane) {
            (EventKind::IntegrationStarted { commit, .. }, _) => {
                let lanes = run.state.lanes.as_ref().map_or(0, |lanes| lanes.lanes.len());
                self.line(&lane_sentences::lanes_begin(lanes, commit))
            }
            (EventKind::LaneOpened { path, .. }, _) => {
                self.verbose_lines(&[format!("directory: {}", visible(path))])
            }
            // What fails without new work is known from now on; a refusal names its checks.
            (EventKind::LandingChecked { checks, units, .. }, _) if units.is_empty() => {
                let failed = checks.iter().filter(|check| !check.passed());
                failed.map(|check| self.check_finished(check)).collect()
            }
            (EventKind::Landed { .. }, _) => {
                let lines = run.lanes.landings.last().map(lane_sentences::landed);
                lines.iter().flatten().map(|text| self.line(text)).collect()
            }
            (EventKind::LandingRefused { unit, refusal }, Some(lane)) => {
                let text = lane_sentences::refused(run, lane, *unit, refusal);
                let tails = refusal.checks.iter().map(|check| self.check_tail(check));
                self.plain_line(&text) + &tails.collect::<String>()
            }
            (EventKind::WorkParked { .. }, _) => {
                let parked = run.lanes.parked.last();
                let text = parked.map(|parked| lane_sentences::parked(parked, &run.state.run));
                text.map_or_else(String::new, |text| self.plain_line(&text))
            }
            (EventKind::ClaimRefused { checks, .. }, _) => {
                let failed = checks.iter().filter(|check| !check.passed());
                let failed: String = failed.map(|check| self.check_finished(check)).collect();
                failed + &self.line("Completion claim refused: see the checks on all landed work")
            }
            (EventKind::Held { .. }, _) => {
                let held = run.lanes.held.as_ref().map(lane_sentences::held);
                held.map_or_else(String::new, |text| self.line(&text))
            }
            _ => String::new(),
        }
    }

    fn asked(&self, run: &RunHistory, number: u32) -> String {
        let Some(question) = run.flow.question(number) else { return String::new() };
        let commands = self.facts.commands.as_ref().filter(|_| !run.state.plan.approves_all);
        let lines = flow_sentences::asked(run, question, commands);
        lines.iter().map(|text| self.line(text)).collect()
    }

    /// The sandbox of the steps, if they have one.
    fn sandbox_line(&self, run: &RunHistory) -> String {
        let summary = run.state.plan.sandbox_summary();
        summary.map_or_else(String::new, |levels| self.line(&format!("Sandbox: {levels}")))
    }

    /// An agent that runs once is announced at each attempt instead.
    fn step_started(&self, step: ReportedStep<'_>) -> String {
        let Some(max_iterations) = step.max_iterations() else { return String::new() };
        let max_iterations = reason::count(max_iterations, "iteration");
        let at_once = match step.plan.agents_at_once() {
            1 => String::new(),
            lanes => format!(", {lanes} at a time"),
        };
        self.line(&format!("Starting: {} (max {max_iterations}{at_once})", step.name()))
            + &self.verbose_lines(&details::step(step.plan))
    }

    fn iteration_started(&self, step: ReportedStep<'_>, unit: UnitId) -> String {
        match step.max_iterations() {
            None => {
                self.line(&format!("Running: {}", step.name()))
                    + &self.verbose_lines(&details::step(step.plan))
            }
            Some(_) => self.line(&sentence::label(step, unit)),
        }
    }

    fn verbose_lines(&self, lines: &[String]) -> String {
        match self.detail {
            Verbosity::Verbose => {
                let lane = self.lane.as_ref().map(|(lane, _)| format!("lane {lane}: "));
                let lane = lane.unwrap_or_default();
                let lines = lines.iter().map(|text| paint(DIM, &format!("  {lane}{text}")));
                lines.map(|text| self.plain_line(&text)).collect()
            }
            Verbosity::Normal | Verbosity::Quiet => String::new(),
        }
    }

    /// The summary, limited to one screen: steps, work by task, remedies, verdict.
    fn run_finished(&self, run: &RunHistory, end: &RunEnd) -> String {
        let mut head = String::new();
        if self.inside_paragraph {
            head.push('\n');
        }
        let mut report = RunReport::of(run);
        if let Some(run_dir) = &self.facts.run_dir {
            report = report.with_output(run_dir);
        }
        if !run.steps.is_empty() {
            head.push_str(&self.line("Summary"));
            head.push_str(&summary::table(run, !report.names_commits()));
            head.push('\n');
        }
        let replayed = spend::replayed(&run.state.plan);
        let spend = spend::known(run.state.spend());
        let spend =
            spend.map(|spend| format!("Spent: {}{replayed}", spend::tokens_and_cost(spend)));
        let has_begun = run.steps.iter().any(|step| step.started.is_some());
        let logs = self.facts.state_directory.as_ref().filter(|_| has_begun);
        let logs = logs.map(|directory| format!("Logs: {}", visible(directory)));
        let lines = summary::totals(run).into_iter().chain(spend).chain(logs);
        let foot: String = lines.map(|text| self.line(&text)).collect();
        let foot = foot + &self.ending(run, end);
        let room = SCREEN.saturating_sub(head.lines().count() + foot.lines().count());
        let layout = ReportLayout { room, place: ReportPlace::RunEnd, cuts_lines: true };
        let sections = report.lines(&layout);
        let body: String = sections.iter().map(|section| self.section(section)).collect();
        head + &body + &foot
    }

    fn section(&self, section: &ReportSection) -> String {
        let lines = section.lines.iter().map(|line| format!("{line}\n"));
        self.line(&section.heading) + &lines.collect::<String>()
    }

    /// Remedies and verdict, which are printed even in quiet mode.
    fn ending(&self, run: &RunHistory, end: &RunEnd) -> String {
        let remedy = reason::remedy(&run.state);
        let command = self.resume_command(run, end);
        let ways = Remedy::ways_on(remedy.as_ref(), command.as_deref());
        let commands = self.facts.commands.as_ref();
        let answer = commands.and_then(|commands| questions::answer_command(&run.state, commands));
        let ways = answer.into_iter().chain(ways);
        let sentences = steering::undelivered(&run.state, end).into_iter().chain(ways);
        let text: String = sentences.map(|text| self.line(&text)).collect();
        text + &self.line(&summary::verdict(run, end, self.detail))
    }

    /// The command that resumes an unfinished run, with a higher value for the limit that ended it.
    fn resume_command(&self, run: &RunHistory, end: &RunEnd) -> Option<String> {
        let commands = self.facts.commands.as_ref().filter(|_| *end != RunEnd::Complete)?;
        Some(raised(commands.resume.clone(), &run.state, run.updated))
    }

    fn check_finished(&self, report: &CheckReport) -> String {
        self.line(&sentence::check_finished(report)) + &self.check_tail(report)
    }

    /// The end of the output of a check.
    fn check_tail(&self, report: &CheckReport) -> String {
        let detail = match self.detail {
            Verbosity::Verbose => CheckDetail::All,
            Verbosity::Normal | Verbosity::Quiet => CheckDetail::Last,
        };
        // The bar marks the output of a check, so that it is not mistaken for output of an agent.
        let tail = checks::tail(report, detail);
        tail.iter().map(|text| self.plain_line(&paint(DIM, &format!("  | {text}")))).collect()
    }

    fn hook_finished(&self, run: &RunHistory, report: &HookReport) -> String {
        let hook = run.state.plan.hook(report.number);
        let command = hook.map_or_else(String::new, |hook| checks::short(&hook.run));
        match &report.failure {
            Some(why) => self.line(&sentence::hook_failed(report.moment.point, why, &command)),
            None => self.verbose_lines(&[details::hook(report, &command)]),
        }
    }

    /// A report line with its prefix and colours, and with the lane of the event.
    fn line(&self, text: &str) -> String {
        match &self.lane {
            Some((lane, name)) => {
                let name = Some(name.as_str()).filter(|name| !name.is_empty());
                self.plain_line(&lane_sentences::in_lane(*lane, text, name))
            }
            None => self.plain_line(text),
        }
    }

    /// A report line that names its lane, or needs none.
    fn plain_line(&self, text: &str) -> String {
        format!("{} {}\n", paint(DIM, self.facts.program.prefix()), tinted(text))
    }
}

/// Whether a lane shares the iterations of a step with others.
fn shares(run: &RunHistory, lane: LaneNumber, step: usize) -> bool {
    let lanes = run.state.lanes.as_deref();
    lanes.and_then(|lanes| lanes.lane(lane)?.shared_step) == Some(step)
}

/// The text about a step; empty if the plan has no such step.
fn about(run: &RunHistory, step: usize, text: impl Fn(ReportedStep<'_>) -> String) -> String {
    ReportedStep::of(run, step).map_or_else(String::new, text)
}

fn resuming(run: &RunHistory) -> String {
    let (state, id) = (&run.state, &run.state.run);
    let (complete, all) = (state.complete_steps(), state.steps_on_path().len());
    let skipped = steering::left_out(state);
    let next = state.current_step().and_then(|step| ReportedStep::of(run, step));
    let next = next.map_or_else(String::new, |step| {
        let (name, finished) = (step.name_in_sentence(), step.iterations());
        match (state.awaits_hooks(step.number), step.max_iterations()) {
            _ if step.state.skip => format!(", skipping {name}"),
            // The run was cut off before the answer took effect.
            _ if step.is_answered() => format!(", {name} is answered"),
            (Some(unit), _) => format!(", {name} at the hooks after iteration {}", unit.iteration),
            (None, None) => format!(", {name} next"),
            (None, Some(_)) => format!(", {name} at iteration {}", finished + 1),
        }
    });
    format!("Resuming run {id}: {complete} of {all} steps complete{skipped}{next}")
}
