//! How much work of lanes landed, and what became of the rest.

use forkhestra_core::history::{HeldWorkTree, LandingCounts, ParkedWork, RunHistory};
use forkhestra_core::id::RunId;
use forkhestra_core::text;
use typeset::text::visible;

/// The counts in one line: `15 landings in 9 batches; 3 sent back (2 conflicts, 1 check); nothing parked`.
pub(crate) fn counts_sentence(counts: LandingCounts) -> String {
    let landed = match (counts.landed, counts.batches) {
        (0, _) => "nothing landed".to_owned(),
        (landed, 1) => format!("{} in 1 batch", text::count(landed, "landing")),
        (landed, batches) => format!("{} in {batches} batches", text::count(landed, "landing")),
    };
    let parked = match counts.parked {
        0 => "nothing parked".to_owned(),
        parked => format!("{parked} parked"),
    };
    format!("{landed}; {}; {parked}", sent_back(counts))
}

fn sent_back(counts: LandingCounts) -> String {
    if counts.sent_back() == 0 {
        return "nothing sent back".to_owned();
    }
    let causes = [
        (counts.conflicts, text::count(counts.conflicts, "conflict")),
        (counts.failed_checks, text::count(counts.failed_checks, "check")),
        (counts.unrelated, format!("{} unrelated", counts.unrelated)),
    ];
    let causes = causes.into_iter().filter(|(number, _)| *number > 0).map(|(_, cause)| cause);
    format!("{} sent back ({})", counts.sent_back(), causes.collect::<Vec<_>>().join(", "))
}

/// The lines below a step: the counts of its work, and its parked work with the command that gets it.
pub(crate) fn below_step(run: &RunHistory, step: usize) -> Vec<String> {
    let counts = run.lanes.counts_of_step(step);
    let sentence = (!counts.is_empty()).then(|| counts_sentence(counts));
    let parked = run.lanes.parked.iter().filter(|parked| parked.unit.step == step);
    let parked = parked.map(|parked| parked_line(parked, &run.state.run));
    sentence.into_iter().chain(parked).collect()
}

/// Parked work with the command that gets it.
pub(crate) fn parked_line(parked: &ParkedWork, run: &RunId) -> String {
    let (lane, iteration) = (parked.lane, parked.unit.iteration);
    let tasks: String = parked.tasks.iter().map(|task| format!(", {}", visible(task))).collect();
    let command = merge_command(parked, run);
    format!("parked: iteration {iteration} of lane {lane}{tasks}; to have it back: {command}")
}

/// The command that merges parked work.
pub(crate) fn merge_command(parked: &ParkedWork, run: &RunId) -> String {
    format!("git merge {}", parked.ref_name(run))
}

/// Why the work tree lacks landed work.
pub(crate) fn held_reason(held: &HeldWorkTree) -> String {
    let why = visible(&held.why);
    match held.paths.is_empty() {
        true => why,
        false => format!("{why}: {}", visible(&held.paths.names_text())),
    }
}
