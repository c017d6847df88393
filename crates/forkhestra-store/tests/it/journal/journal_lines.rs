//! Tests of reading raw lines.

use std::fs::OpenOptions;
use std::io::Write as _;

use forkhestra_core::event::{EventKind, RunEnd};
use forkhestra_store::JournalLines;
use forkhestra_store::format::encode;
use forkhestra_store::journal::journal_contents::TornEnd;

use crate::samples::{event, started, warning};
use crate::temporary_dir::TemporaryDir;

/// The next line, as text.
fn next(lines: &mut JournalLines<'_>) -> Option<String> {
    let line = lines.next_line().expect("it can be read")?;
    Some(String::from_utf8(line.bytes.to_vec()).expect("it is text"))
}

#[test]
fn a_line_is_there_when_it_is_written_to_its_end() {
    let temporary = TemporaryDir::new();
    let first = encode(&event(0, started()), 0) + "\n";
    let path = temporary.run_with(&first).journal();
    let mut file = OpenOptions::new().append(true).open(&path).expect("it is ours");
    let mut lines = JournalLines::open(&path).expect("it is there");
    assert!(lines.is_empty());
    assert_eq!((next(&mut lines), next(&mut lines)), (Some(first.clone()), None));
    let second = encode(&event(1, warning("hm")), 1) + "\n";
    let (begin, rest) = second.split_at(20);
    file.write_all(begin.as_bytes()).expect("it is ours");
    assert_eq!((next(&mut lines), next(&mut lines)), (None, None));
    assert_eq!(lines.torn(), Some(TornEnd { line: 2, bytes: 20 }));
    file.write_all(rest.as_bytes()).expect("it is ours");
    assert_eq!(next(&mut lines), Some(second));
    assert_eq!((lines.torn(), lines.is_over()), (None, false));
    // A line that was withdrawn and rewritten is read in its new form.
    file.write_all(b"{\"seq\":2,\"half").expect("it is ours");
    assert_eq!(next(&mut lines), None);
    let length = std::fs::metadata(&path).expect("it is there").len() - 14;
    file.set_len(length).expect("it is ours");
    let third = encode(&event(2, EventKind::RunFinished { end: RunEnd::Complete }), 2) + "\n";
    file.write_all(third.as_bytes()).expect("it is ours");
    assert_eq!((next(&mut lines), next(&mut lines)), (Some(third), None));
    assert!(lines.is_over() && !lines.is_empty());
}
