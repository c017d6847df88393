//! Views of all released versions can still be read.

use std::path::{Path, PathBuf};

use forkhestra_core::history::ExecutionStatus;
use forkhestra_store::view::{ChainView, IterationView, RunView, identify};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/view-1.0").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(fixture(name)).expect("the fixture is there")
}

#[test]
fn every_file_of_version_1_0_identifies_its_run() {
    for name in ["chain-vaxmxbyv.json", "run-vaxmxbyv-1.json", "run-vaxmxbyv-2.json"]
        .into_iter()
        .chain(["summary-vaxmxbyv.md", "iterations.jsonl"])
    {
        let found = identify(&fixture(name)).expect("it is a view");
        assert_eq!(found.run.as_str(), "vaxmxbyv", "{name}");
        let journal = found.journal.expect("it says where the journal is");
        assert!(journal.ends_with("20261115T111739Z-vaxmxbyv/journal.jsonl"), "{name}");
    }
}

#[test]
fn every_file_of_version_1_0_reads_as_what_it_is() {
    let chain: ChainView = serde_json::from_str(&text("chain-vaxmxbyv.json")).expect("a chain");
    assert_eq!((chain.status, chain.current_step), (ExecutionStatus::Failed, 2));
    let step: RunView = serde_json::from_str(&text("run-vaxmxbyv-1.json")).expect("a step");
    assert_eq!((step.status, step.iterations.len()), (ExecutionStatus::Complete, 3));
    let lines: Vec<IterationView> = text("iterations.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("an iteration"))
        .collect();
    assert_eq!(lines[..3], step.iterations);
}

#[test]
fn members_of_newer_versions_are_skipped() {
    let newer = text("chain-vaxmxbyv.json").replacen('{', r#"{ "weather": "fine","#, 1);
    let chain: ChainView = serde_json::from_str(&newer).expect("a chain all the same");
    assert_eq!(chain.id, "vaxmxbyv");
}
