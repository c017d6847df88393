//! Operator requests in the report of `show`.

use forkhestra_core::history::Liveness;
use typeset::style::DIM;
use typeset::table::{TableCell, indented};

use super::{ShowDetail, ShownRunFacts, ending};
use crate::report::text::local_time::{second_in_zone, to_the_second};
use crate::report::text::operator_message;

/// Whether the run is paused or was asked to stop.
pub(super) fn facts(subject: &ShownRunFacts<'_>) -> Vec<(&'static str, String)> {
    let history = subject.history();
    let steering = &history.steering;
    let paused = steering.paused.filter(|_| subject.liveness == Liveness::Alive);
    let paused = paused.map(|since| ("paused", format!("since {}", second_in_zone(since))));
    let stop = steering.stop_requested.map(|at| {
        let ends = match (subject.liveness, &history.state.end) {
            (Liveness::Alive, None) => "; the run ends after this iteration",
            _ => "",
        };
        ("stop requested", format!("{}{ends}", second_in_zone(at)))
    });
    paused.into_iter().chain(stop).collect()
}

/// Messages to agents, their time and recipient.
pub(super) fn messages(subject: &ShownRunFacts<'_>, detail: ShowDetail) -> String {
    let messages = &subject.history().steering.messages;
    if messages.is_empty() {
        return String::new();
    }
    let left_out = detail.left_out(messages.len());
    let rows = messages[left_out..].iter().map(|record| {
        vec![
            TableCell::new(record.number.to_string()),
            TableCell::painted(to_the_second(record.at), DIM),
            TableCell::new(operator_message::recipient(record, subject.history())),
            TableCell::new(operator_message::first_line(&record.text)),
        ]
    });
    let rows: Vec<Vec<TableCell>> = rows.collect();
    format!("Messages:\n{}{}", ending::earlier(left_out), indented(&rows, "  "))
}
