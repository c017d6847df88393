//! A run on one screen: state, run report, next command.

use std::time::Duration;

use forkhestra_core::history::{Liveness, RunHistory};
use forkhestra_core::text;
use typeset::style::{NAME, paint};
use typeset::text::{shortened, visible};

use super::steps::StepDetail;
use super::{ShownRunFacts, ending, facts_table, head, lanes, steps};
use crate::report::run::{reason, short_duration};
use crate::report::run_report::{ReportLayout, ReportPlace, RunReport, SCREEN};
use crate::report::text::local_time::{minute_in_zone, span};
use crate::report::text::{spend, work_summary};

/// Maximum width of a line.
const WIDTH: usize = 80;

/// The shortest wait for answers that is shown.
const MIN_WAIT: Duration = Duration::from_secs(1);

/// Renders the page.
pub(super) fn render(subject: &ShownRunFacts<'_>) -> String {
    let history = subject.history();
    let top = format!("{}{}", facts(subject), steps::render(subject, StepDetail::Line));
    let id = subject.run.run();
    let details = format!("Details: forkhestra show {id} -v\n");
    let bottom = ending::next_steps(subject) + &details;
    let room = SCREEN.saturating_sub(top.lines().count() + bottom.lines().count());
    let cuts_lines = subject.columns.is_some();
    let layout = ReportLayout { room, place: ReportPlace::Page, cuts_lines };
    let sections = RunReport::of(history).with_output(subject.run).lines(&layout);
    let section = sections.iter().map(|section| {
        let lines: String = section.lines.iter().map(|line| format!("{line}\n")).collect();
        format!("{}\n{lines}", section.heading)
    });
    top + &section.collect::<String>() + &bottom
}

fn facts(subject: &ShownRunFacts<'_>) -> String {
    let history = subject.history();
    let plan = &history.state.plan;
    let id = paint(NAME, subject.run.run().as_str());
    let name = visible(plan.chain.as_deref().unwrap_or(&plan.definition));
    // Nothing is cut in a file or a pipe.
    let room = subject.columns.map_or(usize::MAX, |_| WIDTH - 9);
    let keys = std::iter::once("state").chain(std::iter::repeat(""));
    let mut rows: Vec<(&str, String)> = keys.zip(head::state(subject, room)).collect();
    rows.extend(head::wait(subject).map(|wait| ("waits", wait)));
    rows.extend(head::question(subject).map(|asked| ("question", shortened(&asked, room))));
    rows.extend([("time", time(subject)), ("work", shortened(&totals(history), room))]);
    rows.extend(lanes::rows(subject));
    rows.extend(head::relatives(subject));
    rows.extend(head::quota(subject).map(|quota| ("quota", quota)));
    let name = shortened(&name, room.saturating_sub(6));
    format!("Run {id}: {name}\n{}", facts_table(rows))
}

/// Start, end and duration.
fn time(subject: &ShownRunFacts<'_>) -> String {
    let history = subject.history();
    let duration = short_duration(history.state.elapsed + subject.time_since());
    let when = match (history.ended, subject.liveness) {
        (Some(ended), _) => span(history.started, ended),
        (None, Liveness::Alive) => format!("since {}", minute_in_zone(history.started)),
        (None, Liveness::Gone) => span(history.started, history.updated),
    };
    let resumed = match history.resumed {
        0 => String::new(),
        times => format!(", resumed {}", text::times(times)),
    };
    let waited = waited(subject).map(|time| format!(", waited {time} for an answer"));
    format!("{when} ({duration}{}{resumed})", waited.unwrap_or_default())
}

/// How long questions were open, if that is worth a word. The duration does not contain it.
pub(super) fn waited(subject: &ShownRunFacts<'_>) -> Option<String> {
    let history = subject.history();
    let is_asking =
        history.asked_now(subject.liveness).is_some() && history.steering.paused.is_none();
    let since = if is_asking { history.updated } else { subject.now };
    let waited = history.times().asking + subject.now.saturating_since(since);
    (waited >= MIN_WAIT).then(|| short_duration(waited))
}

/// Iterations, commits and spend.
pub(super) fn totals(history: &RunHistory) -> String {
    let state = &history.state;
    let mut parts = vec![reason::count(history.iterations(), "iteration")];
    parts
        .extend(work_summary::total_work(state.steps.iter().filter_map(|step| step.work.as_ref())));
    let spend = spend::known(state.spend());
    parts.extend(spend.map(|spend| spend::tokens_and_cost(spend) + spend::replayed(&state.plan)));
    parts.join(", ")
}
