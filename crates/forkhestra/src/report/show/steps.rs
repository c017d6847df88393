//! Steps in the report of `show`.

use forkhestra_core::event::StepEnd;
use forkhestra_core::explain::EndFacts;
use forkhestra_core::history::{ExecutionStatus, IterationPosition, RunHistory};
use forkhestra_core::machine::StepStatus;
use typeset::style::{DIM, paint};
use typeset::table::{TableCell, indented};
use typeset::text::{shortened, visible};

use super::{MAX_SHOWN, ShownRunFacts};
use crate::report::run::{reason, short_duration};
use crate::report::text::flow::{alternatives, questions, rounds};
use crate::report::text::lanes::landings;
use crate::report::text::step_details::{self, StartedStep};
use crate::report::text::{fallback, spend, status};

/// How much is shown of each step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepDetail {
    /// What fits one line of 80 columns.
    Line,
    /// The whole reason and the commits.
    Full,
}

/// Maximum width of a line.
const WIDTH: usize = 80;

/// A longer reason gets its own line.
const MAX_REASON_WIDTH: usize = 12;

/// A line for each step: number, agent, result, iterations, reason, time, and spend if known. The
/// lines below a step hold a longer reason, its checks and its work.
pub(super) fn render(subject: &ShownRunFacts<'_>, detail: StepDetail) -> String {
    let numbers = 1..=subject.history().state.steps.len();
    let rows: Vec<Vec<TableCell>> = numbers.clone().map(|number| row(subject, number)).collect();
    if rows.is_empty() {
        return String::new();
    }
    let table = indented(&rows, "  ");
    let rows = table.split_inclusive('\n').zip(numbers);
    let rows = rows.map(|(row, number)| row.to_owned() + &below(subject, number, detail));
    format!("Steps:\n{}", rows.collect::<String>())
}

fn below(subject: &ShownRunFacts<'_>, number: usize, detail: StepDetail) -> String {
    let history = subject.history();
    let Some(state) = history.step_state(number) else { return String::new() };
    let plan = &history.state.plan.steps[number - 1];
    let (end, last, work) = (state.end(), state.last.as_ref(), state.work.as_ref());
    let past = StartedStep {
        plan,
        end,
        last,
        work,
        alternatives: alternatives::below_step(history, number),
        rounds: rounds::below_step(history, number),
        landings: landings::below_step(history, number),
        fallback: fallback::usage(plan, &history.steps[number - 1].iterations),
    };
    let most_commits = if detail == StepDetail::Full { MAX_SHOWN } else { 0 };
    let columns = match detail {
        StepDetail::Line if subject.columns.is_some() => WIDTH,
        StepDetail::Line | StepDetail::Full => usize::MAX,
    };
    let why =
        end.map(|end| why(end, &reason::facts(&history.state, number))).filter(|why| is_long(why));
    let why = why.map(|why| {
        let text = shortened(&why, columns.saturating_sub(step_details::INDENT.len()));
        format!("{}{}\n", step_details::INDENT, paint(DIM, &text))
    });
    why.unwrap_or_default() + &step_details::render(&past, most_commits, columns)
}

fn is_long(why: &str) -> bool {
    why.chars().count() > MAX_REASON_WIDTH
}

fn row(subject: &ShownRunFacts<'_>, number: usize) -> Vec<TableCell> {
    let history = subject.history();
    let (plan, state) = (&history.state.plan.steps[number - 1], &history.state.steps[number - 1]);
    let status = history.step_status(number, subject.liveness);
    let (word, style) = status::of_step(history, number, subject.liveness);
    let mut row = vec![
        TableCell::new(number.to_string()),
        TableCell::new(visible(&plan.agent.name)),
        TableCell::painted(word, style),
    ];
    let round = history.round_after_earlier_work(number);
    if round.is_none() && matches!(status, ExecutionStatus::Pending | ExecutionStatus::NotNeeded) {
        return row;
    }
    if let Some(origin) = history.state.origin.as_ref()
        && number <= history.state.inherited_steps
    {
        row.push(TableCell::new(format!("in run {}", origin.run)));
        return row;
    }
    if let Some(question) = &state.question
        && let Some(record) = history.flow.question(question.number)
    {
        row.extend(questions::answer_cells(record).map(TableCell::new));
        return row;
    }
    let (why, since) = match (&state.status, round) {
        (_, Some(round)) => (rounds::before_round(round), Default::default()),
        (StepStatus::Ended(end), None) => {
            let why = why(end, &reason::facts(&history.state, number));
            (if is_long(&why) { String::new() } else { why }, Default::default())
        }
        (StepStatus::Pending | StepStatus::Open, None) => (String::new(), subject.time_since()),
    };
    let iterations = iterations(history, number);
    row.extend([iterations, why, short_duration(state.elapsed + since)].map(TableCell::new));
    let spend = spend::known(history.state.spend_of(number));
    row.extend(spend.into_iter().flat_map(spend::cells).map(TableCell::new));
    row
}

/// The iterations of a step, with their maximum for a loop.
fn iterations(history: &RunHistory, number: usize) -> String {
    let iterations = history.step_iterations(number);
    let position = IterationPosition::numbered(&history.state, number, iterations);
    match position.filter(|_| history.awaited_round(number).is_none()) {
        Some(position) => position.iterations(),
        None => reason::count(iterations, "iteration"),
    }
}

fn why(end: &StepEnd, facts: &EndFacts<'_>) -> String {
    match end {
        StepEnd::Complete(by) => by.as_str().to_owned(),
        StepEnd::Skipped => "on request".to_owned(),
        StepEnd::NotNeeded => String::new(),
        end => reason::entry(end, facts).cause.unwrap_or_default(),
    }
}
