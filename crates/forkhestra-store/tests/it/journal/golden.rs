//! Journals of released versions. They are never changed.

use forkhestra_core::event::Event;
use forkhestra_store::format::encode;

use crate::samples::{samples, samples_of_1_0, samples_of_1_1, samples_of_2_0};
use crate::temporary_dir::{TemporaryDir, read};

const JOURNAL_1_0: &str = include_str!("../../fixtures/journal-1.0.jsonl");
const JOURNAL_1_1: &str = include_str!("../../fixtures/journal-1.1.jsonl");
const JOURNAL_2_0: &str = include_str!("../../fixtures/journal-2.0.jsonl");
const JOURNAL_2_1: &str = include_str!("../../fixtures/journal-2.1.jsonl");

/// Each version with all its events and ends.
fn journals() -> [(&'static str, &'static str, Vec<Event>); 4] {
    [
        ("1.0", JOURNAL_1_0, samples_of_1_0()),
        ("1.1", JOURNAL_1_1, samples_of_1_1()),
        ("2.0", JOURNAL_2_0, samples_of_2_0()),
        ("2.1", JOURNAL_2_1, samples()),
    ]
}

#[test]
fn a_journal_of_every_version_is_read() {
    for (version, journal, events) in journals() {
        let temporary = TemporaryDir::new();
        let recorded = read(&temporary.run_with(journal)).expect("it can be read");
        assert_eq!(recorded.format.to_string(), version);
        assert!(recorded.unknown.is_empty(), "{version}");
        assert_eq!(recorded.events, events);
    }
}

#[test]
fn every_version_is_rewritten_unchanged() {
    for (version, journal, events) in journals() {
        let lines = events.iter().enumerate();
        let again: String = lines.map(|(seq, event)| encode(event, seq as u64) + "\n").collect();
        let newest = "\"format\":\"2.1\"";
        let again = again.replace(newest, &format!("\"format\":\"{version}\""));
        assert_eq!(without_new_members(&again, version), journal);
    }
}

/// Removes the members of a plan that a version did not have.
fn without_new_members(journal: &str, version: &str) -> String {
    match version {
        "1.0" | "1.1" => {
            let journal = journal.replace("\"requireWork\":false,", "");
            journal.replace(",\"snapshots\":false", "")
        }
        _ => journal.to_owned(),
    }
}
