//! The merge of any two changes of a file, whatever they do to its structure.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::merge::{FileVersions, merge_file};

/// Beginnings of lines that mean something, for a word that is nowhere else.
const BEGINNINGS: [&str; 14] = [
    "",
    "## ",
    "## Description ",
    "# ",
    "- [ ] ",
    "- [x] #1 ",
    "  - ",
    "    ",
    "``` ",
    "<!-- ",
    "\\## ",
    "> ",
    "1. ",
    "a --> ",
];
/// Whole lines that mean something.
const LINES: [&str; 9] = [
    "## Description",
    "## Implementation Notes",
    "## Acceptance Criteria",
    "## Links",
    "<!-- AC:BEGIN -->",
    "<!-- AC:END -->",
    "```",
    "-->",
    "",
];

fn line() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![
        2 => Just(None),
        3 => select(LINES.to_vec()).prop_map(Some),
    ]
}

/// Lines, the words of which begin with a letter and count from a number.
fn lines(letter: char, length: usize) -> impl Strategy<Value = Vec<String>> {
    let line = (line(), select(BEGINNINGS.to_vec()));
    vec(line, 0..length).prop_map(move |lines| {
        let lines = lines.into_iter().enumerate();
        lines
            .map(|(at, (line, beginning))| match line {
                Some(line) => line.to_owned(),
                None => format!("{beginning}word{letter}{at}end"),
            })
            .collect()
    })
}

/// The text after some of its lines were removed and others inserted at a place.
fn changed(base: &[String], keep: &[bool], at: usize, new: &[String]) -> Vec<String> {
    let kept = |(place, _): &(usize, &String)| keep.get(*place).copied().unwrap_or(true);
    let mut lines: Vec<String> =
        base.iter().enumerate().filter(kept).map(|(_, line)| line.clone()).collect();
    let at = at.min(lines.len());
    lines.splice(at..at, new.iter().cloned());
    lines
}

fn file(lines: &[String]) -> String {
    format!("---\nid: TASK-1\ntitle: T\n---\n{}\n", lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_new_line_of_either_side_is_lost(
        base in lines('b', 14),
        ours in (vec(prop::bool::weighted(0.8), 14), 0_usize..14, lines('o', 5)),
        theirs in (vec(prop::bool::weighted(0.8), 14), 0_usize..14, lines('t', 5)),
    ) {
        let side = |(keep, at, new): &(Vec<bool>, usize, Vec<String>)| {
            file(&changed(&base, keep, *at, new))
        };
        let (our_text, their_text, base_text) = (side(&ours), side(&theirs), file(&base));
        let merged = merge_file("a.md", &FileVersions {
            base: base_text.as_bytes(),
            ours: our_text.as_bytes(),
            theirs: their_text.as_bytes(),
        });
        let text = String::from_utf8(merged.content).expect("texts stay text");
        let words = |lines: &[String]| -> Vec<String> {
            let words = lines.iter().filter_map(|line| Some(line[line.find("word")?..].to_owned()));
            words.collect()
        };
        for word in words(&ours.2).iter().chain(&words(&theirs.2)) {
            prop_assert!(text.contains(word.as_str()), "{} is lost:\n{}", word, text);
        }
        for word in words(&base) {
            let is_kept = our_text.contains(&word) && their_text.contains(&word);
            prop_assert!(!is_kept || text.contains(&word), "{} is lost:\n{}", word, text);
        }
    }
}
