//! Properties of random chains and of any text.

use proptest::prelude::*;

use super::*;

fn agent_name() -> impl Strategy<Value = String> {
    "[./a-wyz_é?][./a-wyz_0-9é]{1,6}(:[a-wyz][a-z]{0,3})?"
        .prop_filter("a keyword is no agent", |name| name != "else")
}

/// A random part as text, and the text that it is printed as.
#[derive(Debug, Clone)]
struct RandomPart {
    written: String,
    printed: String,
}

fn counted(part: impl Strategy<Value = RandomPart>) -> impl Strategy<Value = RandomPart> {
    (part, prop::option::of(1u32..), white_space()).prop_map(|(part, count, space)| match count {
        Some(count) => RandomPart {
            written: format!("{}{space}:{space}{count}", part.written),
            printed: format!("{}:{count}", part.printed),
        },
        None => part,
    })
}

fn white_space() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", " ", "\t", "\n "])
}

fn leaf() -> impl Strategy<Value = RandomPart> {
    let same = |text: String| RandomPart { written: text.clone(), printed: text };
    prop_oneof![
        4 => counted(agent_name().prop_map(same)),
        1 => Just(same("?".to_owned())),
    ]
}

/// Stages with alternatives. The first member is whether there is only one part.
fn chain_of(part: BoxedStrategy<RandomPart>) -> impl Strategy<Value = (bool, RandomPart)> {
    let stage = prop::collection::vec(part, 1..3);
    (prop::collection::vec(stage, 1..4), white_space()).prop_map(|(stages, space)| {
        let is_single = matches!(stages.as_slice(), [stage] if stage.len() == 1);
        let join = |text: fn(&RandomPart) -> &str, arrow: &str| {
            let stages = stages
                .iter()
                .map(|stage| stage.iter().map(text).collect::<Vec<_>>().join(" else "));
            stages.collect::<Vec<_>>().join(arrow)
        };
        let written = join(|part| &part.written, &format!("{space}->{space}"));
        (is_single, RandomPart { written, printed: join(|part| &part.printed, " -> ") })
    })
}

fn group_of(part: BoxedStrategy<RandomPart>) -> impl Strategy<Value = RandomPart> {
    (chain_of(part), white_space(), prop::option::of(1u32..)).prop_map(
        |((is_single, chain), space, count)| {
            let written = format!("({space}{}{space})", chain.written);
            match count {
                Some(count) => RandomPart {
                    written: format!("{written}{space}:{count}"),
                    printed: format!("({}):{count}", chain.printed),
                },
                None if is_single => RandomPart { written, printed: chain.printed },
                None => RandomPart { written, printed: format!("({})", chain.printed) },
            }
        },
    )
}

/// A loop with lanes or best of N.
fn laned() -> impl Strategy<Value = RandomPart> {
    let lanes = LaneCount::MIN..=LaneCount::MAX;
    (agent_name(), 1u32.., lanes, 0..4usize).prop_map(|(name, count, lanes, form)| {
        let word = if form == 3 { "best" } else { "x" };
        let space = ["", " ", "\t\n", " "][form];
        RandomPart {
            written: format!("{name}:{count}{space}{word}{lanes}"),
            printed: format!("{name}:{count} {word}{lanes}"),
        }
    })
}

/// Parallel stages without questions.
fn parallel() -> impl Strategy<Value = RandomPart> {
    let same = |text: String| RandomPart { written: text.clone(), printed: text };
    let part = prop_oneof![counted(agent_name().prop_map(same)), laned()].boxed();
    let branches = prop::collection::vec(chain_of(part), 2..4);
    (branches, white_space()).prop_map(|(branches, space)| {
        let join = |text: fn(&RandomPart) -> &str, bar: &str| {
            branches.iter().map(|(_, branch)| text(branch)).collect::<Vec<_>>().join(bar)
        };
        let written = join(|part| &part.written, &format!("{space}|{space}"));
        let printed = join(|part| &part.printed, " | ");
        RandomPart {
            written: format!("({space}{written}{space})"),
            printed: format!("({printed})"),
        }
    })
}

fn any_chain() -> impl Strategy<Value = RandomPart> {
    let inner = prop_oneof![3 => leaf(), 1 => laned(), 1 => group_of(leaf().boxed())].boxed();
    let part = prop_oneof![3 => leaf(), 1 => laned(), 1 => parallel(), 2 => group_of(inner)];
    chain_of(part.boxed()).prop_map(|(_, chain)| chain)
}

/// Every name in a chain is written at its position.
fn names_are_in_place(chain: &DslChain, text: &str) -> bool {
    chain.stages.iter().flat_map(|stage| &stage.alternatives).all(|part| match &part.kind {
        DslPartKind::Agent(name) => text.get(name.span.range()) == Some(name.value.as_str()),
        DslPartKind::Question(span) => text.get(span.range()) == Some("?"),
        DslPartKind::Group(chain) => names_are_in_place(chain, text),
        DslPartKind::Parallel(branches) => {
            branches.iter().all(|branch| names_are_in_place(branch, text))
        }
    })
}

/// A chain without its positions.
fn without_spans(mut chain: DslChain) -> DslChain {
    for part in chain.stages.iter_mut().flat_map(|stage| &mut stage.alternatives) {
        part.span = Span::new(0, 0);
        match &mut part.kind {
            DslPartKind::Agent(name) => name.span = Span::new(0, 0),
            DslPartKind::Question(span) => *span = Span::new(0, 0),
            DslPartKind::Group(inner) => {
                let inside = std::mem::replace(inner, DslChain { stages: Vec::new() });
                *inner = without_spans(inside);
            }
            DslPartKind::Parallel(branches) => {
                *branches = std::mem::take(branches).into_iter().map(without_spans).collect();
            }
        }
    }
    chain
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_the_same(chain in any_chain()) {
        let dsl = Dsl::parse(&chain.written).expect("a chain");
        let printed = dsl.to_string();
        prop_assert_eq!(&printed, &chain.printed);
        prop_assert!(names_are_in_place(&dsl.chain, &chain.written));
        let again = Dsl::parse(&printed).expect("a printed chain is a chain");
        prop_assert_eq!(without_spans(again.chain), without_spans(dsl.chain));
    }

    #[test]
    fn any_text_gives_a_chain_or_mistakes_that_point_into_it(
        text in "( |a|b|:|[0-9]|x|x2| best3|:4 x4|\\?|else|\\.|\\(|\\(|\\)|\\)|\\||->|->|&|→){0,16}|\\PC{0,24}"
    ) {
        match Dsl::parse(&text) {
            Ok(dsl) => {
                let again = Dsl::parse(&dsl.to_string()).expect("a printed chain is a chain");
                prop_assert_eq!(again.to_string(), dsl.to_string());
                prop_assert!(names_are_in_place(&dsl.chain, &text));
                for warning in dsl.warnings() {
                    let place = warning.label.expect("every warning has a place");
                    prop_assert!(text.get(place.span.range()).is_some());
                }
            }
            Err(errors) => {
                prop_assert!(!errors.is_empty());
                for error in errors {
                    let place = error.label.expect("every mistake has a place");
                    prop_assert!(text.get(place.span.range()).is_some());
                }
            }
        }
    }

    /// A chain inside a file has the same mistakes, at the same positions of its text.
    #[test]
    fn a_chain_in_a_file_is_read_as_on_the_command_line(
        text in "( |a|:|[0-9]|x|:4 x4| best3|\\?|else|\\(|\\)|\\||->){0,16}"
    ) {
        let source = Arc::new(SourceText::file("chains.json", format!("[\"{text}\"]")));
        let literal = Span::new(1, text.len() + 3);
        let in_file = Dsl::parse_in(&source, literal, &text, MAX_GROUP_DEPTH);
        match (Dsl::parse(&text), in_file) {
            (Ok(alone), Ok(in_file)) => {
                prop_assert_eq!(without_spans(alone.chain), without_spans(in_file.chain));
            }
            (Err(alone), Err(in_file)) => {
                prop_assert_eq!(alone.len(), in_file.len());
                for (alone, in_file) in alone.into_iter().zip(in_file) {
                    prop_assert_eq!(alone.message, in_file.message);
                    let (alone, in_file) = (alone.label.expect("a place"), in_file.label.expect("a place"));
                    prop_assert_eq!(alone.span.start + 2, in_file.span.start);
                    prop_assert_eq!(alone.span.end + 2, in_file.span.end);
                }
            }
            (alone, in_file) => prop_assert!(false, "{alone:?} and {in_file:?}"),
        }
    }
}
