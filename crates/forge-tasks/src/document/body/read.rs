//! Reading a body.

use super::layout::BodyLayout;
use super::list::CriterionList;
use super::{BodySection, Criterion, TaskBody};

impl TaskBody {
    /// Reads a body. There are no errors: unknown parts are kept as other text.
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
