//! The error messages about lanes and parallel stages.

use super::error::{DslDiagnostics, PartSubject};
use super::part_lanes::{LanesKind, LanesText};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::Span;
use crate::text::lane_count::LaneCount;

impl PartSubject {
    /// How lanes are written.
    pub(super) const fn lanes_hint(self) -> &'static str {
        match self {
            Self::Step(_) => "lanes share the iterations of a loop: `a:20 x4`",
            Self::Group => "lanes share the rounds of a group: `(a -> b):20 x4`",
        }
    }
}

impl DslDiagnostics<'_> {
    pub(super) fn bar_outside(&self, step: usize, at: Span) -> Diagnostic {
        let message = format!("{}: `|` is outside of parentheses", PartSubject::Step(step));
        self.error(message, at, "expected `->` or the end of the chain")
            .hint("parallel stages are in parentheses: `(a | b)`")
    }

    pub(super) fn parallel_repeated(&self, count: Span) -> Diagnostic {
        self.error("parallel stages cannot be repeated", count, "a count needs one last stage")
            .hint("put a stage behind them, which decides about a round: `((a | b) -> c):3`")
    }

    pub(super) fn parallel_with_lanes(&self, lanes: Span) -> Diagnostic {
        self.error("parallel stages cannot have lanes", lanes, "each of them has its own lane")
            .hint("give lanes to an agent in them: `(a:20 x2 | b)`")
    }

    pub(super) fn nested_parallel(&self, inner: Span, outer: Span) -> Diagnostic {
        self.error("parallel stages cannot stand in parallel stages", inner, "the inner ones")
            .related(self.text.in_source(outer), "the outer ones")
            .hint("write them side by side: `(a | b | c)`")
    }

    pub(super) fn nested_lanes(&self, lanes: Span, inner: Span) -> Diagnostic {
        self.error("lanes cannot stand in lanes", lanes, "lanes of the group")
            .related(self.text.in_source(inner), "lanes inside the group")
            .hint("give lanes to the group or to its parts")
    }

    /// `label` says what has the lanes.
    pub(super) fn question_in_lanes(&self, question: Span, lanes: Span, label: &str) -> Diagnostic {
        self.error("a question cannot stand in lanes", question, "this question")
            .related(self.text.in_source(lanes), label)
            .hint("ask before or after them: `? -> a:20 x4`")
    }

    pub(super) fn lanes_without_agent(&self, step: usize, at: Span) -> Diagnostic {
        let lanes = self.text.slice(at);
        let message = format!("step {step}: the lanes `{lanes}` have no agent before them");
        self.error(message, at, "expected an agent")
            .hint(PartSubject::Step(step).lanes_hint())
            .hint("a program of this name can be run by its path, as in `./x3`")
    }

    pub(super) fn second_lanes(&self, subject: PartSubject, second: LanesText) -> Diagnostic {
        self.error(format!("{subject} has lanes twice"), second.span, "the second lanes")
            .hint("`a:20 x4` shares the iterations; `a:20 best4` does the same work in each lane")
    }

    pub(super) fn lanes_out_of_range(&self, subject: PartSubject, lanes: LanesText) -> Diagnostic {
        let (min, max) = (LaneCount::MIN, LaneCount::MAX);
        let message = format!("{subject}: the number of lanes must be from {min} to {max}");
        let word = lanes.kind.word();
        self.error(message, lanes.span, format!("expected `{word}{min}` to `{word}{max}`"))
    }

    /// `agent` is the agent that lacks a count; none for a group. `written` is the text of the lanes.
    pub(super) fn lanes_without_count(
        &self,
        subject: PartSubject,
        lanes: LanesText,
        agent: Option<&str>,
        written: &str,
    ) -> Diagnostic {
        let (what, count) = match lanes.kind {
            LanesKind::Shared => ("has lanes", 20),
            LanesKind::Best => ("has best of N", 5),
        };
        let looping = match agent {
            Some(agent) => format!("{agent}:{count} {written}"),
            None => format!("(a -> b):{count} {written}"),
        };
        let hint = match lanes.kind {
            LanesKind::Shared => format!("lanes share its iterations: `{looping}`"),
            LanesKind::Best => format!("each lane has all its iterations: `{looping}`"),
        };
        let hint = match subject {
            PartSubject::Group => format!("lanes share its rounds: `{looping}`"),
            PartSubject::Step(_) => hint,
        };
        self.error(format!("{subject}: only a loop {what}"), lanes.span, "lanes without a count")
            .hint(hint)
    }

    pub(super) fn best_of_group(&self, best: Span) -> Diagnostic {
        self.error("a group cannot have best of N", best, "not for a group")
            .hint("give it to an agent of the group: `(a:5 best3 -> b):3`")
    }
}
