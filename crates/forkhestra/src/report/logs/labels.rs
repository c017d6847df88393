//! Labels that `logs` writes between the output of agents.

use forkhestra_core::history::IterationPosition;
use forkhestra_core::id::{LaneNumber, UnitId};
use typeset::style::{DIM, paint};
use typeset::text::visible;

use crate::cli::byte_size::ByteSize;

/// Identifies one attempt of an iteration in labels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttemptLabel<'a> {
    pub(crate) unit: UnitId,
    pub(crate) agent: &'a str,
    /// The lane that it ran in; none for the work tree.
    pub(crate) lane: Option<LaneNumber>,
    /// Which iteration of the loop it is; none for an agent that runs once.
    pub(crate) position: Option<IterationPosition>,
    /// Number of steps of the run.
    pub(crate) steps: usize,
}

/// Line above the output of an attempt.
pub(crate) fn title(label: AttemptLabel<'_>) -> String {
    line(&name(label))
}

/// Line in place of output that was dropped in the middle.
pub(crate) fn gap(bytes: u64) -> String {
    line(&format!("… {} are not kept …", ByteSize(bytes)))
}

/// Line in place of output that was dropped entirely.
pub(crate) fn dropped_output(bytes: u64) -> String {
    line(&format!("The output is not kept any more ({})", ByteSize(bytes)))
}

/// Line for a run that started no agent.
pub(crate) fn no_agent_started() -> String {
    line("No agent was started")
}

impl AttemptLabel<'_> {
    /// States which output is missing, for raw output without labels.
    pub(crate) fn missing_output(self, bytes: u64, stream: &str) -> String {
        format!("{}: {} of its {stream} are not kept", name(self), ByteSize(bytes))
    }
}

fn name(label: AttemptLabel<'_>) -> String {
    let AttemptLabel { unit, agent, lane, position, steps } = label;
    let mut text = visible(agent);
    if steps > 1 {
        text = format!("Step {}, {text}", unit.step);
    }
    if let Some(position) = position {
        text.push_str(&format!(", iteration {position}"));
    }
    if let Some(lane) = lane {
        text.push_str(&format!(", lane {lane}"));
    }
    if unit.attempt > 1 {
        text.push_str(&format!(" (attempt {})", unit.attempt));
    }
    text
}

fn line(text: &str) -> String {
    format!("{} {text}\n", paint(DIM, "[forkhestra]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_is_labelled_by_its_distinguishing_parts() {
        let unit = |step, iteration, attempt| UnitId { step, iteration, attempt };
        for (unit, round, steps, expected) in [
            (unit(1, 1, 1), None, 1, "builder"),
            (unit(1, 3, 1), Some((1, 0)), 1, "builder, iteration 3/20"),
            (unit(2, 3, 2), Some((1, 0)), 2, "Step 2, builder, iteration 3/20 (attempt 2)"),
            (unit(1, 3, 1), Some((2, 1)), 1, "builder, iteration 3 (2 of 20 in round 2)"),
            (unit(1, 1, 5), None, 3, "Step 1, builder (attempt 5)"),
            (unit(1, 1, 11), None, 1, "builder (attempt 11)"),
        ] {
            let position = round
                .map(|(round, earlier)| IterationPosition::new(unit.iteration, 20, round, earlier));
            assert_eq!(
                name(AttemptLabel { unit, agent: "builder", position, lane: None, steps }),
                expected
            );
        }
        let nasty = AttemptLabel {
            unit: unit(1, 1, 1),
            agent: "a\u{1b}[2J",
            position: None,
            lane: None,
            steps: 1,
        };
        assert_eq!(name(nasty), "a\\u{1b}[2J");
    }
}
