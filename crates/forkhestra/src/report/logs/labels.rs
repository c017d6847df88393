//! Labels that `logs` writes between the output of agents.

use forkhestra_core::id::UnitId;
use forkhestra_core::text;
use typeset::style::{DIM, paint};
use typeset::text::visible;

/// Identifies one attempt of an iteration in labels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttemptLabel<'a> {
    pub(crate) unit: UnitId,
    pub(crate) agent: &'a str,
    /// Maximum number of iterations; none for an agent that runs once.
    pub(crate) most: Option<u32>,
    /// Number of steps of the run.
    pub(crate) steps: usize,
}

/// Line above the output of an attempt.
pub(crate) fn title(label: AttemptLabel<'_>) -> String {
    line(&name(label))
}

/// Line in place of output that was dropped in the middle.
pub(crate) fn gap(bytes: u64) -> String {
    line(&format!("… {} …", are_not_kept(bytes)))
}

/// Line in place of output that was dropped entirely.
pub(crate) fn nothing_kept(bytes: u64) -> String {
    line(&format!("The output is not kept any more ({})", size(bytes)))
}

/// Line for a run that started no agent.
pub(crate) fn nothing_started() -> String {
    line("No agent was started")
}

impl AttemptLabel<'_> {
    /// States which output is missing, for raw output without labels.
    pub(crate) fn misses(self, bytes: u64, stream: &str) -> String {
        let what = format!("{} of its {stream}", size(bytes));
        format!("{}: {what} {} not kept", name(self), be(bytes))
    }
}

fn name(label: AttemptLabel<'_>) -> String {
    let AttemptLabel { unit, agent, most, steps } = label;
    let mut text = visible(agent);
    if steps > 1 {
        text = format!("Step {}, {text}", unit.step);
    }
    if let Some(most) = most {
        text.push_str(&format!(", iteration {}/{most}", unit.iteration));
    }
    if unit.attempt > 1 {
        text.push_str(&format!(" ({})", nth_try(unit.attempt)));
    }
    text
}

fn nth_try(number: u32) -> String {
    match number {
        2 => "second try".to_owned(),
        3 => "third try".to_owned(),
        4 => "fourth try".to_owned(),
        5 => "fifth try".to_owned(),
        _ => format!("try {number}"),
    }
}

fn size(bytes: u64) -> String {
    const KIB: u64 = 1024;
    let in_units = |unit: u64, name: &str| match bytes / unit {
        whole @ 0..10 => format!("{whole}.{} {name}", bytes % unit * 10 / unit),
        whole => format!("{whole} {name}"),
    };
    match bytes {
        0..KIB => text::count(usize::try_from(bytes).unwrap_or(usize::MAX), "byte"),
        _ if bytes < KIB * KIB => in_units(KIB, "KiB"),
        _ if bytes < KIB * KIB * KIB => in_units(KIB * KIB, "MiB"),
        _ => in_units(KIB * KIB * KIB, "GiB"),
    }
}

fn are_not_kept(bytes: u64) -> String {
    format!("{} {} not kept", size(bytes), be(bytes))
}

const fn be(bytes: u64) -> &'static str {
    if bytes == 1 { "is" } else { "are" }
}

fn line(text: &str) -> String {
    format!("{} {text}\n", paint(DIM, "[forkhestra]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_try_is_called_by_what_tells_it_from_others() {
        let unit = |step, iteration, attempt| UnitId { step, iteration, attempt };
        for (unit, most, steps, expected) in [
            (unit(1, 1, 1), None, 1, "builder"),
            (unit(1, 3, 1), Some(20), 1, "builder, iteration 3/20"),
            (unit(2, 3, 2), Some(20), 2, "Step 2, builder, iteration 3/20 (second try)"),
            (unit(1, 1, 5), None, 3, "Step 1, builder (fifth try)"),
            (unit(1, 1, 11), None, 1, "builder (try 11)"),
        ] {
            assert_eq!(name(AttemptLabel { unit, agent: "builder", most, steps }), expected);
        }
        let nasty = AttemptLabel { unit: unit(1, 1, 1), agent: "a\u{1b}[2J", most: None, steps: 1 };
        assert_eq!(name(nasty), "a\\u{1b}[2J");
    }

    #[test]
    fn sizes_have_no_more_digits_than_anybody_reads() {
        for (bytes, expected) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1024, "1.0 KiB"),
            (10 * 1024 - 1, "9.9 KiB"),
            (10 * 1024, "10 KiB"),
            (12 << 20, "12 MiB"),
            (3 << 29, "1.5 GiB"),
            (u64::MAX, "17179869183 GiB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
        assert_eq!(are_not_kept(1), "1 byte is not kept");
        assert_eq!(are_not_kept(12 << 20), "12 MiB are not kept");
    }
}
