//! Where a forked run comes from, in words.

use forkhestra_core::event::ForkOrigin;
use forkhestra_core::history::SnapshotAddress;

/// The origin of a run with this many steps, as a sentence without an end.
pub(crate) fn forked_from(origin: &ForkOrigin, steps: usize) -> String {
    format!("Forked from run {}", place(origin, steps))
}

/// The run and the moment of it: `k3v after iteration 6`.
pub(crate) fn place(origin: &ForkOrigin, steps: usize) -> String {
    format!("{} {}", origin.run, moment(origin, steps))
}

/// The moment of the run: `after iteration 6`.
pub(crate) fn moment(origin: &ForkOrigin, steps: usize) -> String {
    match (origin.step, origin.iteration) {
        (1, 0) => "before its first iteration".to_owned(),
        (step, 0) => format!("before step {step}"),
        (1, iteration) if steps <= 1 => format!("after iteration {iteration}"),
        (step, iteration) => {
            let address = SnapshotAddress::StepIteration { step, iteration };
            format!("after iteration {address}")
        }
    }
}

#[cfg(test)]
mod tests {
    use forkhestra_core::event::WorkTreeSnapshot;
    use forkhestra_core::id::RunId;

    use super::*;

    #[test]
    fn the_step_is_named_if_there_are_several() {
        for (steps, step, iteration, expected) in [
            (1, 1, 6, "a1j6gbxs after iteration 6"),
            (1, 1, 0, "a1j6gbxs before its first iteration"),
            (2, 1, 6, "a1j6gbxs after iteration 1.6"),
            (2, 2, 0, "a1j6gbxs before step 2"),
        ] {
            let run = RunId::parse("a1j6gbxs").expect("it is an id");
            let snapshot = WorkTreeSnapshot { number: 1, commit: String::new() };
            let origin = ForkOrigin { run, step, iteration, snapshot };
            assert_eq!(place(&origin, steps), expected);
        }
    }
}
