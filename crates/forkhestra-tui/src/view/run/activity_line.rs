//! The current activity of a run, in one line.

use forkhestra_core::event::{AuxJob, RunEnd};
use forkhestra_core::explain::wait_subject;
use forkhestra_core::history::{
    IterationPosition, Liveness, PendingWait, RunActivity, RunHistory, UnfinishedAgent, WaitReason,
};
use forkhestra_core::text::count;
use forkhestra_core::time::Timestamp;
use ratatui::style::Style;
use typeset::text::shortened;

use crate::app::local_clock::LocalClock;
use crate::app::open_question::OpenQuestion;
use crate::app::run_screen_state::RunScreenState;
use crate::app::time_estimate::{EstimateBasis, estimate};
use crate::theme::{ACCENT, GOOD, NAME, PLAIN, WARNING};
use crate::view::labels::{self, clock};
use crate::view::screen_row::{ScreenRow, clean};

/// The current activity of a run.
pub(crate) fn row(run: &RunScreenState, clock: LocalClock<'_>) -> ScreenRow {
    let Some(history) = &run.history else {
        return ScreenRow::new()
            .add(PLAIN, if run.problem_text().is_some() { "" } else { "reading…" });
    };
    if !run.is_caught_up {
        return ScreenRow::new().add(PLAIN, "reading…");
    }
    if let Some(end) = &history.state.end {
        return finished_row(run, history, end, clock);
    }
    if run.liveness == Liveness::Gone {
        let what = "cut off: no process works on it";
        return sign("■", WARNING).add(PLAIN, what).join(resume(run));
    }
    let mut row = activity_row(run, history, clock);
    if history.steering.stop_requested.is_some() && history.steering.cancelled.is_none() {
        row = row.add(NAME, " · stops after this iteration");
    }
    match run.waiting_messages() {
        0 => row,
        number => {
            let waits = if number == 1 { "waits" } else { "wait" };
            row.add(PLAIN, format!(" · {} {waits}", count(number, "message")))
        }
    }
}

/// The estimated remaining time, if there is an estimate.
pub(crate) fn time_left(run: &RunScreenState, now: Timestamp) -> ScreenRow {
    let Some(estimate) = estimate(run, now) else { return ScreenRow::new() };
    let what = if estimate.is_of_step { "step: " } else { "" };
    let left = labels::rough_duration_text(estimate.left);
    let text = match estimate.basis {
        EstimateBasis::Tasks(number) => {
            format!("  {what}~{left} left for {}", count(number, "task"))
        }
        EstimateBasis::Limits => format!("  {what}at most ~{left} left"),
    };
    ScreenRow::new().add(PLAIN, text)
}

fn sign(sign: &'static str, style: Style) -> ScreenRow {
    ScreenRow::new().add(style, format!("{sign} "))
}

fn finished_row(
    run: &RunScreenState,
    history: &RunHistory,
    end: &RunEnd,
    clock: LocalClock<'_>,
) -> ScreenRow {
    let ended = history.ended.unwrap_or(history.updated);
    let when = format!(" · ended {}", clock.time(ended));
    let row = match end {
        RunEnd::Complete => {
            return sign("✓", GOOD).add(PLAIN, "complete").add(PLAIN, when);
        }
        RunEnd::Incomplete { step, end } => {
            let (mark, style) = labels::status(history.status(run.liveness));
            let name = agent(history, *step);
            let why = labels::step_end(&history.state, *step, end, clock);
            sign(mark, style).add(PLAIN, format!("{name}: {why}"))
        }
        RunEnd::Interrupted(by) if by.is_stop_request() => {
            sign("■", WARNING).add(PLAIN, "stopped on request")
        }
        RunEnd::Interrupted(by) => {
            let by = labels::plain_word(by.as_str());
            sign("■", WARNING).add(PLAIN, format!("interrupted ({by})"))
        }
    };
    // The resume command comes before the end time, because the row may be cut.
    row.join(resume(run)).add(PLAIN, when)
}

fn resume(run: &RunScreenState) -> ScreenRow {
    match (run.answering_resume(), &run.resume) {
        (Some(command), _) => ScreenRow::new()
            .add(PLAIN, " · question open: ")
            .add(NAME, clean(command))
            .add(NAME, " --approve")
            .add(PLAIN, " or ")
            .add(NAME, "--deny"),
        (None, Some(command)) => {
            ScreenRow::new().add(PLAIN, " · resume: ").add(NAME, clean(command))
        }
        (None, None) => ScreenRow::new(),
    }
}

fn activity_row(run: &RunScreenState, history: &RunHistory, local: LocalClock<'_>) -> ScreenRow {
    let now = local.now;
    if let Some(by) = history.steering.cancelled {
        let by = labels::plain_word(by.as_str());
        return sign("■", WARNING).add(PLAIN, format!("ending ({by})"));
    }
    if let Some(since) = history.steering.paused {
        let (at, long) = (local.time(since), clock(now.saturating_since(since)));
        return sign("‖", WARNING).add(PLAIN, format!("paused since {at} ({long})"));
    }
    if history.is_skipping() {
        return sign("»", WARNING).add(PLAIN, "leaving this step");
    }
    if let RunActivity::AuxJobRunning { job, since } = history.activity {
        let long = clock(run.elapsed(now).saturating_sub(since));
        return sign("◐", ACCENT).add(PLAIN, format!("{} for {long}", aux_job_text(history, job)));
    }
    if let Some(question) = run.question() {
        return sign("?", WARNING).add(PLAIN, asking(&question, local));
    }
    if let Some(wait) = history.pending_wait() {
        return sign("◐", WARNING).add(PLAIN, waiting(wait, local));
    }
    if history.lanes.is_open {
        let (busy, all) = (history.lanes.running_agents(), history.lanes.lanes.len());
        let agents = count(busy, "agent");
        return sign("●", ACCENT).add(PLAIN, format!("{agents} at work in {}", count(all, "lane")));
    }
    match history.unfinished_agent() {
        Some((_, work)) => working(run, history, work, now),
        None if run.entries() == 0 => sign("●", ACCENT).add(PLAIN, "about to begin"),
        None => sign("●", ACCENT).add(PLAIN, "between iterations"),
    }
}

fn asking(question: &OpenQuestion<'_>, local: LocalClock<'_>) -> String {
    let long = clock(local.now.saturating_since(question.asked));
    let end = question.until.map_or_else(String::new, |until| {
        let answer = if question.approves_on_timeout { "approved" } else { "denied" };
        format!(", {answer} at {}", local.time(until))
    });
    format!("waits for an answer since {} ({long}){end}", local.time(question.asked))
}

fn waiting(wait: PendingWait, local: LocalClock<'_>) -> String {
    let left = clock(wait.until.saturating_since(local.now));
    let at = local.time(wait.until);
    match wait.reason {
        WaitReason::Backoff { crashes } => {
            let crashes =
                if crashes == 1 { "a crash".to_owned() } else { format!("{crashes} crashes") };
            format!("backing off after {crashes}, next try in {left}")
        }
        WaitReason::Provider(why) => {
            format!("waiting for {} until {at} (in {left})", wait_subject(why))
        }
    }
}

fn working(
    run: &RunScreenState,
    history: &RunHistory,
    work: &UnfinishedAgent,
    now: Timestamp,
) -> ScreenRow {
    let name = agent(history, work.unit.step);
    if let Some(gone) = work.gone {
        let long = clock(now.saturating_since(gone));
        return sign("◐", ACCENT).add(PLAIN, format!("checking what {name} made for {long}"));
    }
    let position = IterationPosition::of(&history.state, work.unit);
    let iteration = position
        .map_or_else(String::new, |position| format!(" on iteration {}", position.sentence()));
    let long = clock(run.agent_elapsed(work, now));
    let row = sign("●", ACCENT).add(PLAIN, format!("{name} works{iteration} for {long}"));
    match work.ending {
        Some(why) => {
            row.add(NAME, format!(" · being ended ({})", labels::plain_word(why.as_str())))
        }
        None => row,
    }
}

fn aux_job_text(history: &RunHistory, aux_job: AuxJob) -> String {
    let plan = &history.state.plan;
    match aux_job {
        AuxJob::Setup { .. } => "preparing the clean room".to_owned(),
        AuxJob::Check { unit, number } => {
            let step = plan.step(unit.step);
            let place = number.checked_sub(1);
            let check = place.and_then(|place| step?.checks.get(place));
            let name = check.map_or_else(|| number.to_string(), |check| check.value.display_name());
            format!("checking {}", clean(&name))
        }
        AuxJob::Hook { moment, .. } => format!("running a hook ({})", moment.point),
    }
}

/// Maximum width of a name; a longer one would hide the text behind it.
const MAX_NAME_WIDTH: usize = 32;

/// The name of a step's agent; steps are counted from one.
pub(crate) fn agent(history: &RunHistory, step: usize) -> String {
    let step = history.state.plan.step(step);
    step.map(|step| shortened(&clean(&step.agent.name), MAX_NAME_WIDTH)).unwrap_or_default()
}
