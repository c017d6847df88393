//! What is wrong with a text, where, and what to do about it.
//!
//! The core only describes; how a diagnostic looks on a screen is decided by the program.

pub mod source;

use std::sync::Arc;

use crate::diagnostic::source::{SourceText, Span};

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth saying, but everything goes on.
    Warning,
    /// Nothing is started.
    Error,
}

/// One message about something a person wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether it stops us.
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
    /// The text.
    pub source: Arc<SourceText>,
    /// The offending part.
    pub span: Span,
    /// What stands beside the caret.
    pub label: String,
    /// Another part that explains this one.
    pub related: Option<(Span, String)>,
}

impl Diagnostic {
    /// An error that stops everything.
    pub fn error(message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), label: None, hints: Vec::new() }
    }

    /// A warning.
    pub fn warning(message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(message) }
    }

    /// Points at a place.
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

    /// Points at a second place that explains the first.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        if let Some(place) = &mut self.label {
            place.related = Some((span, label.into()));
        }
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds advice, if there is any.
    #[must_use]
    pub fn maybe_hint(self, hint: Option<String>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Whether this stops everything.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Whether any of these stops everything.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}
