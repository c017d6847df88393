//! Spans of parts, on the command line and inside a file.

use super::*;

/// All units with their text, depth first.
fn spans(chain: &DslChain, source: &SourceText, found: &mut Vec<String>) {
    for part in chain.stages.iter().flat_map(|stage| &stage.alternatives) {
        let unit = match &part.kind {
            DslPartKind::Agent(name) => name.span,
            DslPartKind::Question(span) => *span,
            DslPartKind::Group(_) | DslPartKind::Parallel(_) => part.span,
        };
        let text = |span: Span| &source.text[span.range()];
        found.push(format!("{} in {}", text(unit), text(part.span)));
        match &part.kind {
            DslPartKind::Agent(_) | DslPartKind::Question(_) => {}
            DslPartKind::Group(chain) => spans(chain, source, found),
            DslPartKind::Parallel(branches) => {
                branches.iter().for_each(|chain| spans(chain, source, found));
            }
        }
    }
}

fn shown_spans(dsl: &Dsl) -> Vec<String> {
    let mut found = Vec::new();
    spans(&dsl.chain, &dsl.source, &mut found);
    found
}

const CHAIN: &str = " é : 2 x3 -> ( b->(?) ):3 else (c:1) -> (d:2 best2|( e ) )";

const SPANS: [&str; 8] = [
    "é in é : 2 x3",
    "( b->(?) ):3 in ( b->(?) ):3",
    "b in b",
    "? in ?",
    "c in c:1",
    "(d:2 best2|( e ) ) in (d:2 best2|( e ) )",
    "d in d:2 best2",
    "e in e",
];

#[test]
fn a_part_has_the_position_of_its_unit_and_count() {
    assert_eq!(shown_spans(&parsed(CHAIN)), SPANS);
}

fn in_file(literal: &str) -> (Arc<SourceText>, Span) {
    let text = format!("{{ \"é\": {literal} }}");
    let start = text.find(literal).expect("the literal is part of the text");
    (Arc::new(SourceText::file("chains.json", text)), Span::new(start, start + literal.len()))
}

#[test]
fn positions_in_a_file_are_those_of_the_string() {
    let (source, literal) = in_file(&format!("\"{CHAIN}\""));
    let dsl = Dsl::parse_in(&source, literal, CHAIN, MAX_GROUP_DEPTH).expect("a chain");
    assert_eq!(shown_spans(&dsl), SPANS);
    assert!(Arc::ptr_eq(&dsl.source, &source));
}

#[test]
fn mistakes_in_a_file_are_reported_with_their_positions() {
    let chain = "a -> (b:0 else";
    let (source, literal) = in_file(&format!("\"{chain}\""));
    let errors = Dsl::parse_in(&source, literal, chain, MAX_GROUP_DEPTH).expect_err("not a chain");
    let places = errors.iter().map(|error| {
        let label = error.label.as_ref().expect("every mistake has a place");
        assert!(Arc::ptr_eq(&label.source, &source));
        (label.span.start - literal.start - 1, label.span.end - literal.start - 1)
    });
    assert_eq!(places.collect::<Vec<_>>(), [(5, 6), (8, 9), (14, 14)]);
}

#[test]
fn a_mistake_in_a_string_with_escapes_has_the_position_of_the_whole_string() {
    let (source, literal) = in_file(r#""a -> \u0062 else b""#);
    let dsl = Dsl::parse_in(&source, literal, "a -> b else b", 2).expect("a chain");
    let parts = dsl.chain.stages.iter().flat_map(|stage| &stage.alternatives);
    assert!(parts.into_iter().all(|part| part.span == literal));
    let places = dsl.warnings().into_iter().map(|warning| warning.label.expect("a place").span);
    assert_eq!(places.collect::<Vec<_>>(), [literal]);
    let errors = Dsl::parse_in(&source, literal, "a:0 -> b c", 2).expect_err("not a chain");
    for error in errors {
        assert_eq!(error.label.expect("every mistake has a place").span, literal);
    }
}

#[test]
fn the_depth_of_groups_is_that_of_the_place() {
    for (depth, chain, fits) in [
        (0, "a -> b", true),
        (0, "(a -> b)", false),
        (1, "(a -> b):2", true),
        (1, "((a -> b):2 -> c):2", false),
        (2, "((a -> b):2 -> c):2", true),
    ] {
        let (source, literal) = in_file(&format!("\"{chain}\""));
        let parsed = Dsl::parse_in(&source, literal, chain, depth);
        assert_eq!(parsed.is_ok(), fits, "{chain} at {depth}");
    }
}
