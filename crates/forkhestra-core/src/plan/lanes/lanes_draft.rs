//! The lanes of steps and groups before their plan is built.

use crate::config::{ConfigLayer, LaneEntry};
use crate::diagnostic::source::{Span, Spanned};
use crate::dsl::DslLanes;
use crate::limit::{HumanDuration, Limit};
use crate::plan::check::work_tree_rules::without_nested_paths;
use crate::plan::lanes::lane_settings::LaneSettings;
use crate::plan::value_origin::{Sourced, ValueOrigin};
use crate::text::lane_count::LaneCount;

/// The timeout of the command that prepares a lane.
const SETUP_TIMEOUT: HumanDuration = HumanDuration::from_secs(10 * 60);

/// The lanes of a step.
#[derive(Clone, Default)]
pub(crate) struct StepLanes<'a> {
    /// The lanes that the step itself has.
    pub(crate) own: Option<DslLanes>,
    /// Whether the agent works in a lane.
    pub(crate) is_laned: bool,
    /// The settings of that lane.
    pub(crate) entry: Option<&'a Spanned<LaneEntry>>,
}

impl StepLanes<'_> {
    /// The lanes that share the iterations of the step.
    pub(crate) const fn shared(&self) -> Option<LaneCount> {
        match self.own {
            Some(DslLanes::Shared(lanes)) => Some(lanes),
            Some(DslLanes::Best(_)) | None => None,
        }
    }
}

/// The settings of lanes around the stage that is being read.
#[derive(Default)]
pub(crate) struct EnclosingLanes<'a> {
    /// Those of the chain, of groups and of parallel stages, the innermost last.
    entries: Vec<Option<&'a Spanned<LaneEntry>>>,
    /// The number of entries that hold for the innermost lane.
    of_lane: Vec<usize>,
    /// The positions of the settings that hold for a lane.
    used: Vec<Span>,
}

impl<'a> EnclosingLanes<'a> {
    /// Enters the chain, a group or parallel stages.
    pub(crate) fn enter(&mut self, entry: Option<&'a Spanned<LaneEntry>>, has_lanes: bool) {
        self.entries.push(entry);
        if has_lanes {
            self.of_lane.push(self.entries.len());
        }
    }

    pub(crate) fn leave(&mut self, has_lanes: bool) {
        self.entries.pop();
        if has_lanes {
            self.of_lane.pop();
        }
    }

    /// The settings of the lanes of a stage with lanes that was entered last.
    pub(crate) fn of_stage(&mut self) -> Option<&'a Spanned<LaneEntry>> {
        self.nearest(self.entries.len())
    }

    /// The lanes of a step.
    pub(crate) fn of_step(
        &mut self,
        own: Option<DslLanes>,
        written: Option<&'a Spanned<LaneEntry>>,
    ) -> StepLanes<'a> {
        let around = match (own, self.of_lane.last()) {
            (Some(_), _) => self.entries.len(),
            (None, Some(of_lane)) => *of_lane,
            (None, None) => return StepLanes::default(),
        };
        let entry = written.or_else(|| self.nearest(around));
        StepLanes { own, is_laned: true, entry }
    }

    /// The nearest of the outermost settings.
    fn nearest(&mut self, outermost: usize) -> Option<&'a Spanned<LaneEntry>> {
        let entry = self.entries[..outermost].iter().rev().copied().flatten().next();
        self.used.extend(entry.map(|entry| entry.span));
        entry
    }

    /// Whether settings hold for a lane.
    pub(crate) fn is_used(&self, entry: Span) -> bool {
        self.used.contains(&entry)
    }
}

/// The settings that an entry stands for.
pub(crate) fn lane_settings(
    layer: &ConfigLayer,
    entry: &Spanned<LaneEntry>,
) -> Sourced<LaneSettings> {
    let LaneEntry { setup, copy, keep, timeout } = &entry.value;
    let keep = keep.iter().flat_map(|keep| &keep.value);
    let keep: Vec<&str> = keep.map(|path| path.value.0.as_str()).collect();
    let globs = |globs: &Spanned<Vec<Spanned<crate::config::PathGlob>>>| {
        globs.value.iter().map(|glob| glob.value.0.clone()).collect()
    };
    let settings = LaneSettings {
        setup: setup.as_ref().map(|setup| setup.value.0.clone()),
        copy: copy.as_ref().map(globs),
        keep: without_nested_paths(&keep),
        timeout: timeout.as_ref().map_or(Limit::At(SETUP_TIMEOUT), |time| time.value),
    };
    Sourced::new(settings, ValueOrigin::file(layer, entry.span))
}
