//! Tests that marker matches are reported at once or at the end.

use std::io::{self, Write};
use std::sync::Arc;

use forkhestra_core::event::MarkerMatch;

use super::super::{OutputScan, PumpJob, PumpJobResult, PumpMessage, StreamReading};
use super::support::{MemorySink, PumpBench, output_owner};

/// Matches every `!`, and the end of a non-empty stream.
struct ExclamationScan {
    seen: u64,
}

impl ExclamationScan {
    fn marker_match(&self, marker: &str) -> MarkerMatch {
        MarkerMatch { marker: marker.to_owned(), offset: self.seen, line: 1, message: None }
    }
}

impl OutputScan for ExclamationScan {
    fn feed(&mut self, bytes: &[u8]) -> Option<MarkerMatch> {
        self.seen += bytes.len() as u64;
        bytes.contains(&b'!').then(|| self.marker_match("!"))
    }

    fn finish(self: Box<Self>) -> Option<MarkerMatch> {
        (self.seen > 0).then(|| self.marker_match("the end"))
    }
}

#[test]
fn marker_matches_are_reported_while_the_agent_runs_and_at_its_end() {
    let bench = PumpBench::new(Arc::new(MemorySink::default()));
    let (reader, mut agent) = io::pipe().expect("a pipe");
    let reading = StreamReading::Text(Box::new(ExclamationScan { seen: 0 }));
    let log = Box::new(MemorySink::default());
    bench.pump.run(PumpJob { owner: output_owner(1), fd: reader.into(), reading, log });
    agent.write_all(b"done!").expect("a reader");
    match bench.message() {
        PumpMessage::Marker { owner: by, marker_match } => {
            assert_eq!(
                (by, marker_match.marker.as_str(), marker_match.offset),
                (output_owner(1), "!", 5)
            );
        }
        other => panic!("no marker: {other:?}"),
    }
    agent.write_all(b" bye").expect("a reader");
    drop(agent);
    let PumpJobResult::Marker(marker_match) = bench.ended().result else { panic!("no marker") };
    assert_eq!((marker_match.marker.as_str(), marker_match.offset), ("the end", 9));
}
