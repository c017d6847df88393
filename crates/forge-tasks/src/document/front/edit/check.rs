//! Whether an edit did what was asked for, and nothing else.

use crate::document::front::Key;
use crate::document::front::reading::Reading;
use crate::document::front::split::is_fence;
use crate::document::front::tree::Node;
use crate::document::front::yaml::{self, Mapping};

/// What should come of an edit.
pub(super) struct Expected<'a> {
    /// What the key should read as.
    pub(super) wanted: Reading<'a>,
    /// The names of the entries that may have changed.
    pub(super) touched: &'a [&'a str],
}

/// Whether front matter says of a key what it should, and of all else what it said before.
pub(super) fn is_right(
    before: &Mapping<'_>,
    after: &str,
    key: Key,
    expected: &Expected<'_>,
) -> bool {
    if after.lines().any(|line| is_fence(line.as_bytes())) {
        return false;
    }
    let Ok(after) = yaml::mapping(after) else {
        return false;
    };
    let is_other = |entry: &&(Node<'_>, Node<'_>)| {
        entry.0.text().is_none_or(|name| !expected.touched.contains(&name))
    };
    let others_before = before.entries.iter().filter(is_other);
    let others_after = after.entries.iter().filter(is_other);
    key.reads(after.given(key)) == expected.wanted && others_before.eq(others_after)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[test]
    fn only_what_was_asked_for_is_right() {
        let before = yaml::mapping("status: To Do\nx: [a, no]\n").expect("it is YAML");
        let expected =
            Expected { wanted: Reading::Text(Cow::Borrowed("Done")), touched: &["status"] };
        let is_right = |after: &str| is_right(&before, after, Key::Status, &expected);
        assert!(is_right("status: Done\nx: [a, no]\n"));
        for after in [
            "status: Blocked\nx: [a, no]\n",
            "x: [a, no]\n",
            "status: Done\n",
            "status: Done\nx: [a]\n",
            "status: Done\nx: [a, 'no']\n",
            "status: Done\nx: [a, no]\ny:\n",
            "---\nstatus: Done\nx: [a, no]\n",
            "status: Done\nx: [a, no\n",
        ] {
            assert!(!is_right(after), "{after:?}");
        }
    }
}
