//! Merging any text line by line.

mod line_matches;
mod text_merge;

pub(crate) use text_merge::{
    BETWEEN, OURS, THEIRS, TextMerge, merge_section, merge_text, push_conflict,
};
