//! The form for changing limits.

use forkhestra_core::event::LimitChanges;
use forkhestra_core::history::RunHistory;
use forkhestra_core::limit::{LIMITS, LimitOption};
use forkhestra_core::text::count::Count;

use super::text_editor::TextEditor;

/// A limit that the form can change.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FormLimit {
    Iterations,
    /// A row of the table of limits.
    Row(&'static LimitOption),
}

impl FormLimit {
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Iterations => "iterations of this step",
            Self::Row(limit) => limit.title,
        }
    }

    /// The meaning of the limit and examples of its value.
    pub(crate) fn hint(self) -> String {
        match self {
            Self::Iterations => "Iterations of the loop, such as 20".to_owned(),
            Self::Row(limit) => format!("{}, {}", limit.help_resume, limit.example),
        }
    }
}

/// The input field of one limit.
#[derive(Debug, Clone)]
pub(crate) struct LimitsFormField {
    pub(crate) limit: FormLimit,
    pub(crate) editor: TextEditor,
    /// The value before any change.
    pub(crate) initial: String,
    /// The error in the input.
    pub(crate) trouble: Option<String>,
}

/// The form for changing limits.
#[derive(Debug, Clone)]
pub(crate) struct LimitsForm {
    pub(crate) fields: Vec<LimitsFormField>,
    pub(crate) selected: usize,
}

impl LimitsForm {
    /// Creates a form with the limits in effect; none if no step is left.
    pub(crate) fn of(history: &RunHistory) -> Option<Self> {
        let plan = &history.state.plan;
        let step = plan.steps.get(history.current_step()?.checked_sub(1)?)?;
        let iterations = step
            .iterations
            .map(|max_iterations| (FormLimit::Iterations, max_iterations.to_string()));
        let groups = plan.enclosing_groups(step.number);
        let group = groups.first().map(|group| &group.limits);
        let limits = LIMITS.iter().filter_map(|limit| {
            Some((FormLimit::Row(limit), limit.current(&plan.limits, group, &step.limits)?))
        });
        let field = |(limit, was): (FormLimit, String)| {
            let editor = TextEditor::single_line(&was);
            LimitsFormField { limit, editor, initial: was, trouble: None }
        };
        let fields = iterations.into_iter().chain(limits).map(field).collect();
        Some(Self { fields, selected: 0 })
    }

    pub(crate) fn field_mut(&mut self) -> &mut LimitsFormField {
        &mut self.fields[self.selected]
    }

    pub(crate) fn next(&mut self) {
        self.selected = (self.selected + 1) % self.fields.len();
    }

    pub(crate) fn previous(&mut self) {
        self.selected = (self.selected + self.fields.len() - 1) % self.fields.len();
    }

    /// The changed limits; none if a field is invalid. Invalid fields then hold their error.
    pub(crate) fn changes(&mut self) -> Option<LimitChanges> {
        let mut changes = LimitChanges::default();
        for field in &mut self.fields {
            field.trouble = field.read(&mut changes).err();
        }
        let wrong = self.fields.iter().position(|field| field.trouble.is_some());
        self.selected = wrong.unwrap_or(self.selected);
        wrong.is_none().then_some(changes)
    }
}

impl LimitsFormField {
    fn read(&self, changes: &mut LimitChanges) -> Result<(), String> {
        let text = self.editor.text();
        let text = text.trim();
        if text == self.initial {
            return Ok(());
        }
        match self.limit {
            FormLimit::Iterations => {
                changes.iterations = Some(Count::parse(text).map_err(|why| why.to_string())?);
                Ok(())
            }
            FormLimit::Row(limit) => limit.set(changes, text).map_err(|why| why.to_string()),
        }
    }
}
