//! Which items of a list stay.

use crate::document::front::given::Given;
use crate::document::front::tree::Node;

/// What becomes of a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ItemPlan<'a> {
    /// For each old item, whether it stays.
    pub(super) stays: Vec<bool>,
    /// The new items, each with the number of old ones that come before it.
    pub(super) new: Vec<(usize, &'a str)>,
}

/// Keeps the old items that are wanted, as far as they are in order. What is not there yet comes
/// behind what it should follow.
pub(super) fn plan<'a>(old: &[Node<'_>], wanted: &[&'a str]) -> ItemPlan<'a> {
    let texts: Vec<Given<'_>> = old.iter().map(Node::given).collect();
    // Items without a text do not count, so they do no harm.
    let mut stays: Vec<bool> = texts.iter().map(|given| *given == Given::Nothing).collect();
    let mut new = Vec::new();
    let mut position = 0;
    for item in wanted {
        let is_item = |given: &Given<'_>| matches!(given, Given::Text(text) if text == item);
        match texts[position..].iter().position(is_item) {
            Some(found) => {
                stays[position + found] = true;
                position += found + 1;
            }
            None => new.push((position, *item)),
        }
    }
    ItemPlan { stays, new }
}
