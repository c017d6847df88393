//! The content of a body.

use serde::Serialize;

use crate::document::body::body_layout::BodyLayout;
use crate::document::body::criterion_list::CriterionList;

/// The content of a body: its known sections and criteria.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct TaskBody {
    /// The purpose of the task.
    pub description: Option<String>,
    /// How it is to be done.
    #[serde(rename = "implementationPlan")]
    pub plan: Option<String>,
    /// The results.
    #[serde(rename = "implementationNotes")]
    pub notes: Option<String>,
    /// The acceptance criteria.
    #[serde(rename = "acceptanceCriteria")]
    pub criteria: Vec<Criterion>,
}

/// An acceptance criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Criterion {
    /// The number it is called by.
    pub index: u32,
    /// Its text, which may have several lines.
    pub text: String,
    /// Whether it does.
    pub checked: bool,
}

/// A section that has a meaning, in the order in which new files have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BodySection {
    Description,
    Plan,
    Criteria,
    Notes,
}

impl BodySection {
    pub(crate) const ALL: [Self; 4] = [Self::Description, Self::Plan, Self::Criteria, Self::Notes];

    /// The heading of the section.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Description => "Description",
            Self::Plan => "Implementation Plan",
            Self::Criteria => "Acceptance Criteria",
            Self::Notes => "Implementation Notes",
        }
    }

    /// The section that has a heading, in whatever case it is written.
    pub(crate) fn with_heading(heading: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| heading.eq_ignore_ascii_case(section.heading()))
    }
}

impl TaskBody {
    /// The text of a section; `None` for the criteria.
    pub(crate) fn text_mut(&mut self, section: BodySection) -> Option<&mut Option<String>> {
        match section {
            BodySection::Description => Some(&mut self.description),
            BodySection::Plan => Some(&mut self.plan),
            BodySection::Criteria => None,
            BodySection::Notes => Some(&mut self.notes),
        }
    }
}

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
