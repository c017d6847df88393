//! Checks the readers of files beside the journal and of `.agent-state`.

use std::fs;

use forkhestra_store::view::identify;
use forkhestra_store::{RunDir, RunOverview, pending_messages, run_notes};

/// The name of a run's directory.
const RUN: &str = "20261115T131107Z-d74189xa";

/// Files with any content are read or ignored.
pub fn state_files(data: &[u8]) {
    let directory = tempfile::tempdir().expect("there is room");
    let run = directory.path().join("project-72ce71af").join(RUN);
    fs::create_dir_all(&run).expect("there is room");
    for name in [
        "journal.jsonl",
        "overview.json",
        "stats.json",
        "messages.jsonl",
        "chain-d74189xa.json",
        "iterations.jsonl",
    ] {
        fs::write(run.join(name), data).expect("there is room");
    }
    for name in ["chain-d74189xa.json", "iterations.jsonl"] {
        identify(&run.join(name));
    }
    let run = RunDir::at(&run).expect("it has the name of a run");
    RunOverview::has_note(&run);
    run_notes::noted_statistics(&run);
    let messages = pending_messages(&run, 0).expect("the file can be read");
    assert!(messages.is_sorted_by(|one, next| one.number < next.number), "{messages:?}");
}
