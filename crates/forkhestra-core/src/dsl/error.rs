//! All error messages about a chain.

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::{SourceText, Span};
use crate::text::count::CountParseError;

/// Creates the diagnostics about one text.
pub(super) struct DslDiagnostics<'a> {
    pub(super) source: &'a Arc<SourceText>,
}

impl DslDiagnostics<'_> {
    pub(super) fn empty_chain(&self) -> Diagnostic {
        self.error("the chain is empty", Span::new(0, 0), "expected an agent")
            .hint("write an agent, or several: \"planner:3 -> builder:10\"")
    }

    pub(super) fn missing_agent(&self, step: usize, piece: Span) -> Diagnostic {
        let end = self.source.text.len();
        let (at, label) = if piece.end == end {
            (Span::new(end, end), "expected an agent after this `->`")
        } else if piece.start == 0 {
            (Span::new(piece.end, piece.end + 2), "expected an agent before this `->`")
        } else {
            (Span::new(piece.end, piece.end + 2), "expected an agent between two arrows")
        };
        self.error(format!("step {step} of the chain is empty"), at, label)
    }

    pub(super) fn missing_name(&self, step: usize, at: Span) -> Diagnostic {
        self.error(format!("step {step} has no agent before the colon"), at, "expected an agent")
    }

    pub(super) fn missing_count(&self, step: usize, at: usize) -> Diagnostic {
        let label = "expected a positive whole number";
        self.error(format!("step {step} has no count after the colon"), Span::new(at, at), label)
            .hint("leave the colon out to run the agent once")
    }

    pub(super) fn bad_count(
        &self,
        step: usize,
        at: Span,
        count: &str,
        why: CountParseError,
    ) -> Diagnostic {
        let label = "expected a positive whole number";
        let message = format!("step {step}: the count `{count}` {why}");
        let error = self.error(message, at, label);
        match why {
            CountParseError::Zero => error.hint("leave the count out to run the agent once"),
            _ => error,
        }
    }

    pub(super) fn two_agents(&self, step: usize, second: Span) -> Diagnostic {
        self.error(
            format!("step {step} holds more than one word"),
            second,
            "expected `->` or the end of the chain",
        )
        .hint("agents are separated by `->`; arguments for them go after `--`")
        .hint("an agent whose name holds white space is run from a chain in the config file")
    }

    pub(super) fn stray_character(&self, step: usize, at: Span, character: char) -> Diagnostic {
        let message = format!("step {step}: unexpected {}", describe(character));
        self.error(message, at, "expected an agent's name, `:N` or `->`").maybe_hint(
            matches!(character, '<' | '>' | '→' | '⇒' | ',' | ';' | '&')
                .then(|| "agents are separated by `->`".to_owned()),
        )
    }

    pub(super) fn parallel(&self, step: usize, at: usize) -> Diagnostic {
        let message = format!("step {step}: parallel stages are not supported yet");
        self.error(message, Span::new(at, at + 1), "`( … | … )` is reserved for them")
            .hint("run the agents one after another: \"a -> b\"")
    }

    pub(super) fn replicas(&self, step: usize, at: Span) -> Diagnostic {
        let message = format!("step {step}: replicas are not supported yet");
        self.error(message, at, "`xK` is reserved for them")
            .hint("to loop an agent write its count after a colon: \"agent:3\"")
            .hint("an agent that is really called so can be run by its path")
    }

    fn error(&self, message: impl Into<String>, at: Span, label: &str) -> Diagnostic {
        Diagnostic::error(message).at(self.source, at, label)
    }
}

fn describe(character: char) -> String {
    if character.is_control() {
        return format!("control character U+{:04X}", u32::from(character));
    }
    match character {
        '`' => "back quote".to_owned(),
        _ => format!("`{character}`"),
    }
}
