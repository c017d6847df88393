//! No text makes the readers or an edit panic, and no edit changes what it does not name.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::samples::{self, nasty_text};
use super::{remove, set, set_list};
use crate::document::Newline;
use crate::document::front::{
    BrokenTask, FilePortion, FrontKey, FrontMatter, edit, front_mapping, split,
};

/// The pieces of the first lines of a file.
const PIECES: [&str; 7] = ["---", "\n", "\r\n", " ", "\u{feff}", "id: TASK-1", "title: x"];

fn try_everything(yaml: &str) -> Result<(), TestCaseError> {
    let _ = FrontMatter::read(yaml);
    let edits = [
        set(FrontKey::Status, "Done"),
        set_list(FrontKey::Labels, &["a", "z"]),
        remove(FrontKey::Assignee),
        set(FrontKey::Title, "x: y"),
    ];
    for change in &edits {
        let Ok(changed) = edit(yaml, Newline::Lf, std::slice::from_ref(change), None) else {
            continue;
        };
        let before = front_mapping::read(yaml).expect("only what can be read is edited");
        let after = front_mapping::read(&changed).expect("an edit leaves something to read");
        for key in FrontKey::ALL.into_iter().filter(|key| *key != change.key) {
            prop_assert_eq!(before.clone().take(key), after.clone().take(key));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_text_is_read_or_refused(words in vec(nasty_text(), 0..8)) {
        try_everything(&words.concat())?;
    }

    #[test]
    fn anything_put_into_front_matter_is_read_or_refused(
        chunks in samples::chunks(),
        at in any::<prop::sample::Index>(),
        word in nasty_text(),
    ) {
        let mut text: Vec<char> = samples::joined(&chunks).chars().collect();
        let at = at.index(text.len() + 1);
        text.splice(at..at, word.chars());
        try_everything(&text.into_iter().collect::<String>())?;
    }

    #[test]
    fn any_bytes_are_split_or_refused(
        words in vec(select(PIECES.to_vec()), 0..12),
        bytes in vec(any::<u8>(), 0..3),
        end in any::<prop::sample::Index>(),
    ) {
        let text = words.concat();
        if let Ok(parts) = split(&text) {
            prop_assert!(text.get(parts.front).is_some() && text.get(parts.body..).is_some());
        }
        let all = [text.as_bytes(), &bytes].concat();
        let whole = FrontMatter::read_start(&all, FilePortion::WholeFile);
        let first = &all[..end.index(all.len() + 1)];
        match FrontMatter::read_start(first, FilePortion::FirstBytes) {
            Ok(None) => {}
            result => prop_assert_eq!(result, whole),
        }
    }
}

#[test]
fn what_is_too_deep_or_repeats_too_much_is_refused() {
    let deep = format!("id: TASK-1\nx: {}\n", "[".repeat(100_000));
    let deep_block = format!("id: TASK-1\nx:\n{}\n", "- ".repeat(100_000));
    let bomb = format!("id: &a \"{}\\n\"\nlabels: [{}]\n", "x".repeat(1000), "*a, ".repeat(10_000));
    for yaml in [deep, deep_block, bomb] {
        let refused = matches!(FrontMatter::read(&yaml), Err(BrokenTask::Yaml { .. }));
        assert!(refused, "{}", &yaml[..40]);
        assert!(edit(&yaml, Newline::Lf, &[set(FrontKey::Status, "Done")], None).is_err());
    }
}
