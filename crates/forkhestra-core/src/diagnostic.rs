//! Diagnostics: what is wrong with a text, where, and what to do about it.
//!
//! The core only describes; the program decides how a diagnostic is rendered.

pub mod source;

use std::sync::Arc;

use crate::diagnostic::source::{SourceText, Span};

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The run is started anyway.
    Warning,
    /// Nothing is started.
    Error,
}

/// One message about a user's input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// Where it is wrong, if it is in a text.
    pub label: Option<Box<DiagnosticLabel>>,
    /// What to do about it.
    pub hints: Vec<String>,
}

/// The part of a text that a diagnostic points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticLabel {
    pub source: Arc<SourceText>,
    pub span: Span,
    /// The text beside the caret.
    pub label: String,
    /// Another part that explains this one.
    pub related: Option<(Span, String)>,
}

impl Diagnostic {
    /// Creates an error, which prevents a run.
    pub fn error(message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), label: None, hints: Vec::new() }
    }

    /// Creates a warning.
    pub fn warning(message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(message) }
    }

    /// Points at a position.
    #[must_use]
    pub fn at(self, source: &Arc<SourceText>, span: Span, label: impl Into<String>) -> Self {
        let place = DiagnosticLabel {
            source: Arc::clone(source),
            span,
            label: label.into(),
            related: None,
        };
        Self { label: Some(Box::new(place)), ..self }
    }

    /// Points at a second position that explains the first.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        if let Some(position) = &mut self.label {
            position.related = Some((span, label.into()));
        }
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds a hint, if there is one.
    #[must_use]
    pub fn maybe_hint(self, hint: Option<String>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Whether the diagnostic is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Whether any of the diagnostics is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}
