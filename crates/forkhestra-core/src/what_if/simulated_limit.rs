//! The limits that can be simulated on a recorded run.

use std::num::NonZeroU32;

use super::limit_simulation::has_trees;
use crate::event::{Event, EventKind};
use crate::limit::{LIMITS, LimitChanges, LimitOption, LimitScope};
use crate::machine::RunState;
use crate::text::count::Count;

/// A limit that can be simulated on a recorded run.
#[derive(Debug, Clone, Copy)]
pub enum SimulatedLimit {
    /// The number of iterations of each loop. It is not in the table of limits.
    Iterations,
    /// A limit of the table.
    InTable(&'static LimitOption),
}

impl SimulatedLimit {
    /// All of them, in the order of the help.
    pub fn all() -> impl Iterator<Item = Self> {
        let rows = LIMITS.iter().filter(|limit| limit.not_simulated.is_none());
        [Self::Iterations].into_iter().chain(rows.map(Self::InTable))
    }

    /// Limits that cannot be simulated, each with its option and the reason.
    pub fn not_simulated() -> impl Iterator<Item = (&'static LimitOption, &'static str)> {
        LIMITS.iter().filter_map(|limit| Some((limit, limit.not_simulated?)))
    }

    /// The changes of each limit alone, in the order of the help.
    pub fn each(changes: &LimitChanges) -> Vec<LimitChanges> {
        Self::all().filter_map(|limit| limit.only(changes)).collect()
    }

    /// The option, without its dashes.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Iterations => "max-iterations",
            Self::InTable(limit) => limit.option,
        }
    }

    /// What the limit holds for; none for the iterations of a loop.
    pub const fn scope(self) -> Option<LimitScope> {
        match self {
            Self::Iterations => None,
            Self::InTable(limit) => Some(limit.scope),
        }
    }

    /// Whether the limit applies to a completed run, so that the run shows how tight it can be.
    pub(super) fn applies_to(self, run: &[Event], last: &RunState) -> bool {
        let steps = last.plan.steps.iter().zip(&last.steps);
        let mut loops = steps.filter(|(plan, _)| plan.iterations.is_some()).map(|(_, step)| step);
        if self.scope() == Some(LimitScope::Group) && !has_groups(last) {
            return false;
        }
        match self.option() {
            "max-iterations" => loops.any(|step| step.iterations() > 0),
            "stagnation" => loops.any(|step| step.iterations() > 1 && has_trees(step)),
            "max-cost" | "step-cost" => !last.spend().is_zero(),
            "group-cost" => !last.spend().is_zero(),
            "max-wait" => run.iter().any(|event| matches!(event.kind, EventKind::Waiting { .. })),
            _ => true,
        }
    }

    fn only(self, changes: &LimitChanges) -> Option<LimitChanges> {
        match self {
            Self::Iterations => {
                let iterations = Some(changes.iterations?);
                Some(LimitChanges { iterations, ..LimitChanges::default() })
            }
            Self::InTable(limit) => limit.only(changes),
        }
    }

    /// The change that turns the limit off; as many iterations as possible.
    pub(crate) fn off(self) -> LimitChanges {
        let mut changes = self.nth(NonZeroU32::MAX);
        if let Self::InTable(limit) = self {
            limit.set(&mut changes, "off").expect("every limit of the table can be off");
        }
        changes
    }

    /// The change to the value of this number, from the tightest up.
    pub(crate) fn nth(self, number: NonZeroU32) -> LimitChanges {
        match self {
            Self::Iterations => {
                LimitChanges { iterations: Some(Count::new(number)), ..LimitChanges::default() }
            }
            Self::InTable(limit) => limit.nth(number),
        }
    }
}

fn has_groups(state: &RunState) -> bool {
    state.plan.flow.iter().any(|flow| !flow.groups().is_empty())
}
