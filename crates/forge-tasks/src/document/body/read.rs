//! Reading a body.

use super::layout::Layout;
use super::list::List;
use super::{Body, Criterion, Section};

impl Body {
    /// Reads what has a meaning. Nothing is an error: what is not understood is something else.
    pub fn read(text: &str) -> Self {
        let layout = Layout::of(text);
        let list = List::of(&layout);
        let criteria = list.items.iter().zip(&list.numbers).map(|(item, &index)| Criterion {
            index,
            text: item.text(&layout.lines),
            checked: item.head.is_checked(),
        });
        Self {
            criteria: criteria.collect(),
            description: layout.text(Section::Description),
            plan: layout.text(Section::Plan),
            notes: layout.text(Section::Notes),
        }
    }
}
