//! Journals of released versions. They are never changed.

use forkhestra_store::format::encode;

use crate::samples::samples;
use crate::temporary::{Temporary, read};

const JOURNAL_1_0: &str = include_str!("../fixtures/journal-1.0.jsonl");

#[test]
fn a_journal_of_1_0_is_read_and_written_as_it_was() {
    let temporary = Temporary::new();
    let recorded = read(&temporary.run_with(JOURNAL_1_0)).expect("it can be read");
    assert_eq!((recorded.format.to_string().as_str(), recorded.unknown), ("1.0", 0));
    let lines = recorded.events.iter().enumerate();
    let again: String = lines.map(|(seq, event)| encode(event, seq as u64) + "\n").collect();
    assert_eq!(again, JOURNAL_1_0);
}

#[test]
fn the_journal_of_1_0_holds_every_event_and_every_end() {
    let temporary = Temporary::new();
    let recorded = read(&temporary.run_with(JOURNAL_1_0)).expect("it can be read");
    assert_eq!(recorded.events, samples());
}
