//! The form for changing limits.

use forkhestra_core::event::LimitChanges;
use forkhestra_core::history::RunHistory;
use forkhestra_core::limit::Limit;
use forkhestra_core::text::count::Count;

use super::text_editor::TextEditor;

/// A limit that the form can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitName {
    Iterations,
    Cost,
    Time,
}

impl LimitName {
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Iterations => "iterations of this step",
            Self::Cost => "cost of the run",
            Self::Time => "time of the run",
        }
    }

    pub(crate) const fn example(self) -> &'static str {
        match self {
            Self::Iterations => "such as 20",
            Self::Cost => "such as 5 or 2.50, or off",
            Self::Time => "such as 90m or 1h 30m, or off",
        }
    }
}

/// The input field of one limit.
#[derive(Debug, Clone)]
pub(crate) struct LimitsFormField {
    pub(crate) name: LimitName,
    pub(crate) editor: TextEditor,
    /// The value before any change.
    pub(crate) was: String,
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
    /// Creates a form with the limits in effect.
    pub(crate) fn of(history: &RunHistory) -> Self {
        let plan = &history.state.plan;
        let step = history.current_step().and_then(|step| plan.steps.get(step - 1));
        let iterations = step.and_then(|step| step.iterations).map(|most| most.to_string());
        let cost = plan.limits.cost.value.to_string();
        let time = plan.limits.time.value.to_string();
        let fields = [
            iterations.map(|iterations| (LimitName::Iterations, iterations)),
            Some((LimitName::Cost, cost)),
            Some((LimitName::Time, time)),
        ];
        let field = |(name, was): (LimitName, String)| {
            let editor = TextEditor::of_line(&was);
            LimitsFormField { name, editor, was, trouble: None }
        };
        Self { fields: fields.into_iter().flatten().map(field).collect(), selected: 0 }
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
        if text == self.was {
            return Ok(());
        }
        match self.name {
            LimitName::Iterations => {
                changes.iterations = Some(Count::parse(text).map_err(|why| why.to_string())?);
            }
            LimitName::Cost => changes.run_cost = Some(limit(text)?),
            LimitName::Time => changes.run_time = Some(limit(text)?),
        }
        Ok(())
    }
}

fn limit<T: forkhestra_core::limit::LimitQuantity>(text: &str) -> Result<Limit<T>, String> {
    Limit::parse(text).map_err(|why| why.to_string())
}
