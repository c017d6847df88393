//! Substitution of variables in the texts of a config.

use crate::config::ConfigLayer;
use crate::diagnostic::source::Span;
use crate::plan::error;
use crate::plan::plan_builder::PlanBuilder;
use crate::text::variables::{TemplatePiece, pieces, similar_variable_names};

impl PlanBuilder<'_> {
    /// Substitutes variables in a text of the config; none if one has no value.
    pub(crate) fn substitute(
        &mut self,
        layer: &ConfigLayer,
        (text, span): (&str, Span),
        agent: &str,
    ) -> Option<String> {
        for name in similar_variable_names(text) {
            self.report(error::misspelled_variable(layer, span, name));
        }
        let mut result = Some(String::new());
        for piece in pieces(text) {
            let value = match piece {
                TemplatePiece::Text(plain) => Some(plain.to_owned()),
                TemplatePiece::Variable(name)
                    if self.request.keeps_variables
                        && self.request.variables.get(name).is_none() =>
                {
                    Some(format!("${{{name}}}"))
                }
                TemplatePiece::Variable(name) => {
                    self.value(layer, span, name, agent).map(str::to_owned)
                }
            };
            result = result.zip(value).map(|(text, value)| text + &value);
        }
        result
    }

    fn value(&mut self, layer: &ConfigLayer, span: Span, name: &str, agent: &str) -> Option<&str> {
        let value = self.request.variables.get(name);
        if value.is_some() {
            self.used_variables.insert(name.to_owned());
        } else {
            let missing = error::missing_variable(layer, span, name, agent);
            self.missing_variables.entry(name.to_owned()).or_default().push(missing);
        }
        value
    }

    /// Reports every position that needs a missing variable, once.
    pub(crate) fn report_missing_variables(&mut self) {
        for missing in std::mem::take(&mut self.missing_variables).into_values().flatten() {
            self.report(missing);
        }
    }

    /// Warns about variables that no text refers to, which are probably mistyped.
    pub(crate) fn warn_of_unused_variables(&mut self) {
        let unused: Vec<&str> = self
            .request
            .variables
            .names()
            .filter(|name| !self.used_variables.contains(*name))
            .collect();
        for name in unused {
            self.diagnostics.push(error::unused_variable(name));
        }
    }
}
