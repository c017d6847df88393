//! The messages about lanes in a plan.

use crate::config::ConfigLayer;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::Span;
use crate::text::lane_count::LaneCount;

pub(super) fn for_one_agent(option: &str) -> Diagnostic {
    Diagnostic::error(format!("`{option}` is for one agent at a time"))
        .hint("leave it out, or the lanes and parallel stages of the chain")
}

pub(super) fn too_many_lanes(at_once: u32) -> Diagnostic {
    let max = LaneCount::MAX;
    Diagnostic::error(format!(
        "the chain has {at_once} lanes at once, and at most {max} are possible"
    ))
    .hint("parallel stages run all their lanes at once; give some of them fewer lanes")
}

pub(crate) fn landing_without_lanes(layer: &ConfigLayer, when: Span) -> Diagnostic {
    Diagnostic::error("a check runs at landings, and nothing lands here")
        .at(&layer.source, when, "only work of lanes lands")
        .hint("write \"completion\", or give `lanes` to the step")
}

pub(super) fn unused_lane_settings(layer: &ConfigLayer, entry: Span) -> Diagnostic {
    Diagnostic::warning("`lane` has no effect: no lane has these settings")
        .at(&layer.source, entry, "for lanes of steps, groups and parallel stages in here")
        .hint("give `lanes` to a step or group, or remove `lane`")
}
