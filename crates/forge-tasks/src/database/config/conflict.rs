//! Settles merge conflicts in `config.json` after two branches assigned numbers.

use super::LAST_ID_NUMBER;
use super::edit::with_value;
use super::read::read;
use crate::merge_conflict::sides;

/// Settles a merge conflict in `config.json`: if its sides differ only in the highest assigned
/// number, returns the text with the higher one. `None` if there is no conflict, or one that the
/// user has to settle.
pub fn merged(text: &str) -> Option<String> {
    let (ours, theirs) = sides(text)?;
    let number = |side: &str| read(side).ok().map(|read| read.config.last_id_number);
    let highest = number(&ours)?.max(number(&theirs)?).to_string();
    let with_highest = |side: &str| with_value(side, LAST_ID_NUMBER, &highest).ok();
    let merged = with_highest(&ours)?;
    (with_highest(&theirs)? == merged).then_some(merged)
}
