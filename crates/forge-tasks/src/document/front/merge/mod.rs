//! Merging front matter three ways, key by key.

mod front_merge;
mod front_side;
mod key_rules;

pub(crate) use front_merge::{FrontMerge, FrontMergeInput};
