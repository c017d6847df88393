//! What became of each step.

use forkhestra_core::event::StepEnd;
use forkhestra_core::history::Status;
use forkhestra_core::machine::StepStatus;
use typeset::table::{Cell, indented};
use typeset::text::visible;

use super::{MOST_SHOWN, Subject};
use crate::report::below_step::{self, Past};
use crate::report::run::reason::{self, Known};
use crate::report::run::spoken;
use crate::report::{spent, status};

/// A line for each step: number, agent, what became of it, iterations, reason, time, and what it spent
/// if that is known.
pub(super) fn render(subject: &Subject<'_>) -> String {
    let numbers = 1..=subject.history().state.steps.len();
    let rows: Vec<Vec<Cell>> = numbers.clone().map(|number| row(subject, number)).collect();
    if rows.is_empty() {
        return String::new();
    }
    let table = indented(&rows, "  ");
    let rows = table.split_inclusive('\n').zip(numbers);
    let rows = rows.map(|(row, number)| row.to_owned() + &below(subject, number));
    format!("Steps:\n{}", rows.collect::<String>())
}

fn below(subject: &Subject<'_>, number: usize) -> String {
    let history = subject.history();
    let (plan, state) = (&history.state.plan.steps[number - 1], &history.state.steps[number - 1]);
    let (end, last, work) = (state.end(), state.last.as_ref(), state.work.as_ref());
    below_step::render(&Past { plan, end, last, work }, MOST_SHOWN)
}

fn row(subject: &Subject<'_>, number: usize) -> Vec<Cell> {
    let history = subject.history();
    let (plan, state) = (&history.state.plan.steps[number - 1], &history.state.steps[number - 1]);
    let status = history.step_status(number, subject.liveness);
    let mut row = vec![
        Cell::new(number.to_string()),
        Cell::new(visible(&plan.agent.name)),
        status::cell(status),
    ];
    if status == Status::Pending {
        return row;
    }
    let iterations = match plan.iterations {
        Some(most) => format!("{}/{most} iterations", state.finished),
        None => reason::count(state.finished, "iteration"),
    };
    let (why, since) = match &state.status {
        StepStatus::Ended(end) => (why(end, Known::of(history, number)), Default::default()),
        StepStatus::Pending | StepStatus::Open => (String::new(), subject.time_since()),
    };
    row.extend([iterations, why, spoken(state.elapsed + since)].map(Cell::new));
    let spend = spent::known(history.state.spend_of(number));
    row.extend(spend.into_iter().flat_map(spent::cells).map(Cell::new));
    row
}

fn why(end: &StepEnd, known: Known<'_>) -> String {
    match end {
        StepEnd::Complete(by) => by.word().to_owned(),
        StepEnd::Skipped => "on request".to_owned(),
        end => reason::cause(end, known).unwrap_or_default(),
    }
}
