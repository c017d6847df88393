//! Tests of the order in which facts are reported.

use forkhestra_engine::agent::{StreamFact, StreamNotice, listener};

use crate::corpus::cases;
use crate::listener_result::{backend, in_a_loop};

/// The facts reported for each line.
fn facts(name: &str, stream: &[u8]) -> Vec<Vec<StreamFact>> {
    let mut listener = listener(backend(name), in_a_loop()).expect("the markers are right");
    let of_line = |line: &[u8]| {
        let mut facts = Vec::new();
        listener.feed(line, &mut |notice| match notice {
            StreamNotice::Fact(fact) => facts.push(fact),
            StreamNotice::AgentEvent(_) => {}
        });
        facts
    };
    stream.split_inclusive(|byte| *byte == b'\n').map(of_line).collect()
}

/// An agent that has finished must not be ended for its cost.
#[test]
fn the_conclusion_is_reported_before_the_spend() {
    let mut agents = Vec::new();
    for case in cases() {
        for facts in facts(&case.name, &case.stream()) {
            let concluded = facts.iter().position(|fact| matches!(fact, StreamFact::Concluded(_)));
            let spent = facts.iter().position(|fact| matches!(fact, StreamFact::Spent(_)));
            if let (Some(concluded), Some(spent)) = (concluded, spent) {
                assert!(concluded < spent, "{}: {facts:?}", case.name);
                agents.push(backend(&case.name));
            }
        }
    }
    agents.dedup();
    assert_eq!(agents.len(), 4, "there is such a line of each agent: {agents:?}");
}
