//! Checks the search for streams of agents in the output of programs.

use forkhestra_engine::agent::{ListenerConfig, ProgramReader, StreamFact, StreamResult};

use crate::pieces::pieces;

/// The result does not depend on how the output is cut, except for the order of facts from different
/// parts of a piece. The first two bytes are the lengths of the pieces.
pub fn program_output(data: &[u8]) {
    let [first, second, output @ ..] = data else {
        return;
    };
    let lengths = [first, second].map(|length| 1 + usize::from(*length));
    assert_eq!(read(output, lengths), read(output, [output.len().max(1); 2]));
}

fn read(output: &[u8], lengths: [usize; 2]) -> (Vec<String>, StreamResult) {
    let rules = ListenerConfig { looks_for_markers: true, ..ListenerConfig::default() };
    let mut reader = ProgramReader::new(rules).expect("the markers are right");
    let mut facts = Vec::new();
    for piece in pieces(output, lengths) {
        reader.feed(piece, &mut |fact| facts.push(fact));
    }
    let result = reader.finish(&mut |fact| facts.push(fact));
    let mut facts: Vec<String> =
        facts.iter().map(|fact: &StreamFact| format!("{fact:?}")).collect();
    facts.sort();
    (facts, result)
}
