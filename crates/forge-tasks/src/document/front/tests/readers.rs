//! Where the fast reader answers, it agrees with the general one.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::samples;
use crate::document::front::{fast_front_reader, front_mapping, front_matter};

/// Everything that has a meaning in YAML, and something that has none.
const TOKENS: [&str; 48] = [
    "a", "b c", "é", "1", "~", "null", "no", " ", "  ", "\t", ": ", ":", ",", ", ", "[", "]", "{",
    "}", "\"", "'", "\"x\"", "'y'", "\\", "#", " #", "# ", "-", "- ", "? ", "?", "|", ">", "&a",
    "*a", "!", "!!str ", "%", "@", "`", "=", "<<", "(", "\n", "\n  ", "\r\n", "\r", "...",
    "\u{feff}",
];

const STARTS: [&str; 17] = [
    "id: ",
    "title: ",
    "title:",
    "status: ",
    "labels: ",
    "labels: [",
    "labels:\n",
    "  - ",
    "- ",
    "    - ",
    "# ",
    "assignee: ",
    "x: ",
    "x-y:\n",
    "created_at: ",
    "createdAt: ",
    "",
];

fn line() -> impl Strategy<Value = String> {
    let tokens = vec(select(TOKENS.to_vec()), 0..5).prop_map(|tokens| tokens.concat());
    (select(STARTS.to_vec()), tokens, select(vec!["\n", "\n", "]\n", " # c\n", "\r\n", ""]))
        .prop_map(|(start, tokens, end)| format!("{start}{tokens}{end}"))
}

fn agree(text: &str) -> Result<(), TestCaseError> {
    if let Some(fast) = fast_front_reader::read(text) {
        let general = front_mapping::read(text);
        prop_assert_eq!(general.as_ref(), Ok(&fast), "{:?}", text);
        prop_assert_eq!(front_matter::interpret(fast), general.and_then(front_matter::interpret));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn both_readers_agree_on_lines_of_anything(lines in vec(line(), 0..6)) {
        agree(&lines.concat())?;
    }

    #[test]
    fn both_readers_agree_on_a_line_of_anything(line in line()) {
        agree(&format!("id: TASK-1\ntitle: x\n{line}"))?;
    }

    #[test]
    fn both_readers_agree_on_what_people_write(chunks in samples::chunks()) {
        agree(&samples::joined(&chunks))?;
    }

    #[test]
    fn both_readers_agree_when_something_is_put_in(
        at in any::<prop::sample::Index>(),
        token in select(TOKENS.to_vec()),
    ) {
        let mut text = "id: TASK-001\ntitle: \"Do it\" # soon\nstatus: To Do\nlabels: [a, 'b c']\n\
                        dependencies:\n  - TASK-1 # first\n  - \"TASK-2\"\n# end\n".to_owned();
        text.insert_str(at.index(text.len() + 1), token);
        agree(&text)?;
    }
}
