//! Merging the text of one section.

use crate::document::body::{BodyEdit, BodySection};
use crate::merge::text::{TextMerge, merge_section};

/// The text of a section after a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SectionMerge {
    /// The whole text; empty for none.
    pub(super) text: String,
    pub(super) has_conflict: bool,
    /// How to get there from our version; `None` if that has the text.
    pub(super) edit: Option<BodyEdit>,
}

/// Which side wrote first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EarlierSide {
    Ours,
    Theirs,
}

/// Three versions of a text; empty for none.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextVersions<'a> {
    pub(super) base: &'a str,
    pub(super) ours: &'a str,
    pub(super) theirs: &'a str,
}

impl SectionMerge {
    /// Merges the text of a section.
    pub(super) fn of(
        section: BodySection,
        versions: TextVersions<'_>,
        earlier: EarlierSide,
    ) -> Self {
        let TextVersions { base, ours, theirs } = versions;
        if ours == theirs || theirs == base {
            return Self { text: ours.to_owned(), has_conflict: false, edit: None };
        }
        let set = |text: String, has_conflict| {
            let edit = Some(BodyEdit::Set(section, text.clone()));
            Self { text, has_conflict, edit }
        };
        if ours == base {
            return set(theirs.to_owned(), false);
        }
        if section != BodySection::Description
            && let Some((common, our_end, their_end)) = versions.added_paragraphs()
        {
            return match earlier {
                _ if their_end.is_empty() => {
                    Self { text: ours.to_owned(), has_conflict: false, edit: None }
                }
                EarlierSide::Ours => Self {
                    text: joined(&[ours, &their_end]),
                    has_conflict: false,
                    edit: Some(BodyEdit::Append(section, their_end)),
                },
                EarlierSide::Theirs => set(joined(&[&common, &their_end, &our_end]), false),
            };
        }
        let TextMerge { text, has_conflict } = merge_section(base, ours, theirs);
        set(text, has_conflict)
    }
}

impl TextVersions<'_> {
    /// If both sides only added paragraphs: the text that both have, and what else each has.
    fn added_paragraphs(&self) -> Option<(String, String, String)> {
        let (ours, theirs) = (added(self.base, self.ours)?, added(self.base, self.theirs)?);
        let paragraphs = |text: &str| text.split("\n\n").map(str::to_owned).collect::<Vec<_>>();
        let (ours, theirs) = (paragraphs(ours), paragraphs(theirs));
        let same = ours.iter().zip(&theirs).take_while(|(one, other)| one == other).count();
        let common = joined(&[self.base, &ours[..same].join("\n\n")]);
        Some((common, ours[same..].join("\n\n"), theirs[same..].join("\n\n")))
    }
}

/// The paragraphs after a text.
fn added<'a>(base: &str, side: &'a str) -> Option<&'a str> {
    if base.is_empty() {
        return Some(side);
    }
    let rest = side.strip_prefix(base)?.strip_prefix("\n\n")?;
    Some(rest.trim_start_matches('\n'))
}

fn joined(texts: &[&str]) -> String {
    let texts: Vec<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
    texts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(section: BodySection, [base, ours, theirs]: [&str; 3]) -> (String, bool) {
        let versions = TextVersions { base, ours, theirs };
        let merge = SectionMerge::of(section, versions, EarlierSide::Theirs);
        (merge.text, merge.has_conflict)
    }

    #[test]
    fn paragraphs_of_both_sides_stay_in_order_of_time() {
        for (versions, expected) in [
            (["a", "a\n\nb", "a\n\nc"], "a\n\nc\n\nb"),
            (["", "b", "c"], "c\n\nb"),
            (["a", "a\n\nb\n\nc", "a\n\nb"], "a\n\nb\n\nc"),
            (["a", "a\n\nb", "a\n\nb\n\nc"], "a\n\nb\n\nc"),
            (["a", "a\n\nb", "a"], "a\n\nb"),
            (["a", "", "a"], ""),
        ] {
            assert_eq!(merged(BodySection::Notes, versions), (expected.to_owned(), false));
        }
    }

    #[test]
    fn other_changes_are_merged_by_lines() {
        let conflict = "<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs";
        for section in [BodySection::Description, BodySection::Notes] {
            assert_eq!(merged(section, ["a", "b", "c"]), (conflict.to_owned(), true));
            let clear = ("A\nb\n\nC".to_owned(), false);
            assert_eq!(merged(section, ["a\nb\n\nc", "A\nb\n\nc", "a\nb\n\nC"]), clear);
        }
        assert_eq!(merged(BodySection::Description, ["", "b", "c"]), (conflict.to_owned(), true));
    }
}
