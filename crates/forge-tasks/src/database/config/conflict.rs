//! What git leaves in `config.json` when two branches gave numbers.

use super::LAST_ID_NUMBER;
use super::edit::with_value;
use super::read::read;
use crate::merge_conflict::sides;

/// Settles a merge conflict in `config.json`: if its sides differ only in the highest number that was
/// given, gives the text with the higher one. None if there is no conflict, or one for a person.
pub fn merged(text: &str) -> Option<String> {
    let (ours, theirs) = sides(text)?;
    let number = |side: &str| read(side).ok().map(|read| read.config.last_id_number);
    let highest = number(&ours)?.max(number(&theirs)?).to_string();
    let with_highest = |side: &str| with_value(side, LAST_ID_NUMBER, &highest).ok();
    let merged = with_highest(&ours)?;
    (with_highest(&theirs)? == merged).then_some(merged)
}
