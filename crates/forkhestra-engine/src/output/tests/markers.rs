//! What a scanner finds is said at once, or at the end.

use std::io::{self, Write};
use std::sync::Arc;

use forkhestra_core::event::Sighting;

use super::super::{Found, Job, Message, Reading, Scan};
use super::parts::{Bench, Memory, who};

/// Sees something in every `!`, and in the end of anything that is not empty.
struct Alert {
    seen: u64,
}

impl Alert {
    fn sighting(&self, marker: &str) -> Sighting {
        Sighting { marker: marker.to_owned(), offset: self.seen, line: 1, message: None }
    }
}

impl Scan for Alert {
    fn feed(&mut self, bytes: &[u8]) -> Option<Sighting> {
        self.seen += bytes.len() as u64;
        bytes.contains(&b'!').then(|| self.sighting("!"))
    }

    fn finish(self: Box<Self>) -> Option<Sighting> {
        (self.seen > 0).then(|| self.sighting("the end"))
    }
}

#[test]
fn sightings_are_said_while_the_agent_still_runs_and_at_its_end() {
    let bench = Bench::new(Arc::new(Memory::default()));
    let (reader, mut agent) = io::pipe().expect("a pipe");
    let reading = Reading::Text(Box::new(Alert { seen: 0 }));
    let log = Box::new(Memory::default());
    bench.pump.run(Job { who: who(1), fd: reader.into(), reading, log });
    agent.write_all(b"done!").expect("a reader");
    match bench.message() {
        Message::Marker { who: by, sighting } => {
            assert_eq!((by, sighting.marker.as_str(), sighting.offset), (who(1), "!", 5));
        }
        other => panic!("no marker: {other:?}"),
    }
    agent.write_all(b" bye").expect("a reader");
    drop(agent);
    let Found::Marker(sighting) = bench.ended().found else { panic!("no marker") };
    assert_eq!((sighting.marker.as_str(), sighting.offset), ("the end", 9));
}
