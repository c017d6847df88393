//! Reading a body.

use super::layout::BodyLayout;
use super::list::CriterionList;
use super::{BodySection, Criterion, TaskBody};

impl TaskBody {
    /// Reads what has a meaning. Nothing is an error: what is not understood is something else.
    pub fn read(text: &str) -> Self {
        let layout = BodyLayout::of(text);
        let list = CriterionList::of(&layout);
        let criteria = list.items.iter().zip(&list.numbers).map(|(item, &index)| Criterion {
            index,
            text: item.text(&layout.lines),
            checked: item.head.is_checked(),
        });
        Self {
            criteria: criteria.collect(),
            description: layout.text(BodySection::Description),
            plan: layout.text(BodySection::Plan),
            notes: layout.text(BodySection::Notes),
        }
    }
}
