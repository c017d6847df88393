//! Constructed streams: genuine and false completions, with the expected verdicts.

use std::fs;

use forkhestra_core::event::MarkerMatch;
use forkhestra_engine::agent::conclude;

use crate::listener_result::{backend, end, listen_in_a_loop, reset_context};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/streams/corpus");

/// A stream and its verdict, as in the table.
pub(crate) struct StreamCase {
    pub(crate) name: String,
    end: String,
    marker: String,
    outcome: String,
}

impl StreamCase {
    fn read(line: &str) -> Self {
        let mut fields = line.split("  ").map(str::trim).filter(|field| !field.is_empty());
        let mut field = || fields.next().expect("a table with four columns").to_owned();
        Self { name: field(), end: field(), marker: field(), outcome: field() }
    }

    pub(crate) fn stream(&self) -> Vec<u8> {
        fs::read(format!("{FOLDER}/{}.jsonl", self.name)).expect("the stream is there")
    }
}

/// All streams.
pub(crate) fn cases() -> Vec<StreamCase> {
    let table = fs::read_to_string(format!("{FOLDER}/verdicts.txt")).expect("the table is there");
    table.lines().filter(|line| !line.starts_with('#')).map(StreamCase::read).collect()
}

#[test]
fn every_stream_gets_its_expected_verdict() {
    let mut wrong = Vec::new();
    for case in cases() {
        let backend = backend(&case.name);
        let result = listen_in_a_loop(backend, &case.stream());
        let stream_summary =
            conclude(backend, &result.findings, &end(&case.end), "", reset_context());
        let outcome = stream_summary
            .map_or("program", |stream_summary| stream_summary.outcome.class.as_str());
        let marker = result.findings.marker_match.as_ref().map_or_else(|| "-".to_owned(), place);
        if (&*marker, outcome) != (&*case.marker, &*case.outcome) {
            let notices = result.notices.join("\n");
            wrong.push(format!("{}: marker {marker}, {outcome}\n{notices}\n", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_line_of_a_marker_match_holds_the_start_of_the_marker() {
    let mut seen = 0;
    for case in cases() {
        let stream = case.stream();
        let result = listen_in_a_loop(backend(&case.name), &stream);
        let Some(marker_match) = result.findings.marker_match else { continue };
        let at = usize::try_from(marker_match.offset).expect("streams are short");
        assert!(at == 0 || stream[at - 1] == b'\n', "{}: a line begins there", case.name);
        let line = stream[at..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let held = marker_match.marker.get(..4).expect("markers are longer");
        assert!(line.contains(held), "{}: {line}", case.name);
        seen += 1;
    }
    assert!(seen >= 20, "{seen} sightings");
}

#[test]
fn there_are_enough_streams_of_each_agent_and_all_are_in_the_table() {
    let cases = cases();
    for agent in ["claude", "codex", "gemini", "opencode"] {
        let of_agent = |case: &&StreamCase| case.name.starts_with(agent);
        let count = cases.iter().filter(of_agent).count();
        assert!(count >= 10, "{agent} has {count}");
    }
    let files = fs::read_dir(FOLDER).expect("there is a corpus").count();
    assert_eq!(files, cases.len() + 1, "each stream is in the table, and nothing else is there");
}

fn place(marker_match: &MarkerMatch) -> String {
    match marker_match.message {
        Some(message) => format!("{message}:{}", marker_match.line),
        None => format!("plain:{}", marker_match.line),
    }
}
