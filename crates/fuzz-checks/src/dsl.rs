//! Checks the parser of the chain language.

use std::slice;
use std::sync::Arc;

use forkhestra_core::diagnostic::source::{SourceText, Span};
use forkhestra_core::dsl::{Dsl, DslChain, DslPart, DslPartKind, MAX_GROUP_DEPTH};

use crate::place;

/// Any text is either a chain that survives a round trip, or errors that point into it. A file
/// that holds it as a JSON string gives the same result.
pub fn dsl(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    let parsed = Dsl::parse(text);
    match &parsed {
        Ok(dsl) => {
            let printed = dsl.to_string();
            let again = Dsl::parse(&printed).expect("a printed chain is a chain");
            assert_eq!(again.to_string(), printed);
            assert_eq!(shape(&again.chain), shape(&dsl.chain));
            check_positions(&dsl.chain, text);
            dsl.warnings().iter().for_each(place::check);
        }
        Err(mistakes) => {
            assert!(!mistakes.is_empty(), "a chain is refused without a reason");
            mistakes.iter().for_each(place::check);
        }
    }
    check_in_file(text, &parsed.map(|dsl| dsl.to_string()).map_err(|mistakes| mistakes.len()));
}

/// Checks a chain that a file has as a JSON string, with and without escape sequences.
fn check_in_file(text: &str, alone: &Result<String, usize>) {
    for literal in [format!("\"{text}\""), format!("{text:?}")] {
        let span = Span::new(1, literal.len() + 1);
        let source = Arc::new(SourceText::file("fuzz.json", format!("[{literal}]")));
        let in_file = Dsl::parse_in(&source, span, text, MAX_GROUP_DEPTH);
        match &in_file {
            Ok(dsl) => dsl.warnings().iter().for_each(place::check),
            Err(mistakes) => mistakes.iter().for_each(place::check),
        }
        let in_file = in_file.map(|dsl| dsl.to_string()).map_err(|mistakes| mistakes.len());
        assert_eq!(&in_file, alone, "{text:?}");
    }
}

/// All parts of a chain, depth first: each without its position.
fn shape(chain: &DslChain) -> Vec<String> {
    let parts = chain.stages.iter().flat_map(|stage| stage.alternatives.iter().enumerate());
    let mut shape = Vec::new();
    for (alternative, DslPart { kind: part, count, lanes, .. }) in parts {
        let kind = match part {
            DslPartKind::Agent(name) => format!("agent {}", name.value),
            DslPartKind::Question(_) => "question".to_owned(),
            DslPartKind::Group(_) => "group".to_owned(),
            DslPartKind::Parallel(branches) => format!("{} branches", branches.len()),
        };
        shape.push(format!("alternative {alternative}: {kind} {count:?} {lanes:?}"));
        for chain in chains_of(part) {
            shape.extend(self::shape(chain));
            shape.push("end of chain".to_owned());
        }
    }
    shape
}

/// The chains in a part.
fn chains_of(part: &DslPartKind) -> &[DslChain] {
    match part {
        DslPartKind::Agent(_) | DslPartKind::Question(_) => &[],
        DslPartKind::Group(chain) => slice::from_ref(chain),
        DslPartKind::Parallel(branches) => branches,
    }
}

/// Checks that each agent and question is written at its position.
fn check_positions(chain: &DslChain, text: &str) {
    for part in chain.stages.iter().flat_map(|stage| &stage.alternatives) {
        assert!(text.get(part.span.range()).is_some(), "{:?} is no part of {text:?}", part.span);
        match &part.kind {
            DslPartKind::Agent(name) => assert_eq!(text[name.span.range()], name.value),
            DslPartKind::Question(span) => assert_eq!(&text[span.range()], "?"),
            DslPartKind::Group(_) | DslPartKind::Parallel(_) => {
                chains_of(&part.kind).iter().for_each(|chain| check_positions(chain, text));
            }
        }
    }
}
