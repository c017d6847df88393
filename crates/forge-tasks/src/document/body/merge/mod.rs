//! Merging the body of a task three ways, section by section.

mod body_chunks;
mod body_merge;
mod criteria_merge;
mod section_merge;

pub(crate) use body_merge::BodyMerge;
pub(crate) use section_merge::EarlierSide;
