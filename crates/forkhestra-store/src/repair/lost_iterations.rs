//! Iterations whose outcome a repair removes.

use std::collections::BTreeMap;
use std::fmt;

use forkhestra_core::cost::Spend;
use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RunState;
use forkhestra_core::text;

/// The maximum number of ranges in a message.
const MAX_LISTED: usize = 20;

/// Iterations that were started, and whose outcome the lines before the cut do not record. They run
/// again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LostIterations {
    /// Steps and iterations, in order.
    iterations: Vec<(usize, u32)>,
    /// The recorded spend of their attempts; none if no agent reported one.
    spend: Option<Spend>,
}

impl LostIterations {
    /// The lost iterations of a state and of the removed events.
    pub(super) fn of<'a>(state: &RunState, removed: impl Iterator<Item = &'a Event>) -> Self {
        // An agent reports its spend so far, so its last report counts.
        let mut units: BTreeMap<UnitId, Option<Spend>> = BTreeMap::new();
        for step in &state.steps {
            units.extend(step.running.map(|unit| (unit, step.spending)));
        }
        for event in removed {
            let Some(unit) = event.scope.unit() else { continue };
            let spend = match &event.kind {
                EventKind::Spent { spend, .. } => Some(*spend),
                EventKind::AgentFinished { report, .. }
                | EventKind::IterationFinished { report, .. } => report.spend,
                _ => None,
            };
            let last = units.entry(unit).or_default();
            *last = spend.or(*last);
        }
        units.retain(|unit, _| has_no_outcome(state, *unit));
        let mut iterations: Vec<_> = units.keys().map(|unit| (unit.step, unit.iteration)).collect();
        iterations.dedup();
        let spend = units.into_values().flatten().reduce(|one, other| one + other);
        Self { iterations, spend }
    }
}

/// Whether neither the outcome of an iteration nor the end of its agent is recorded.
fn has_no_outcome(state: &RunState, unit: UnitId) -> bool {
    state.step(unit.step).is_some_and(|step| {
        let is_unchecked =
            step.unchecked.as_deref().is_some_and(|(of, _)| of.iteration == unit.iteration);
        !step.allows_next_step() && unit.iteration > step.finished && !is_unchecked
    })
}

/// `iterations 2 to 4 of step 1, iteration 1 of step 2 (recorded cost: $0.8400)`.
impl fmt::Display for LostIterations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.iterations.is_empty() {
            return f.write_str("no agent, only checks and hooks without a recorded result");
        }
        let follows = |one: &(usize, u32), next: &(usize, u32)| *next == (one.0, one.1 + 1);
        let ranges = self.iterations.chunk_by(follows).map(|range| match range {
            [(step, only)] => format!("iteration {only} of step {step}"),
            [(step, first), .., (_, last)] => {
                format!("iterations {first} to {last} of step {step}")
            }
            [] => String::new(),
        });
        let mut listed: Vec<String> = ranges.collect();
        let more = listed.len().saturating_sub(MAX_LISTED);
        listed.truncate(MAX_LISTED);
        f.write_str(&text::join_with_more(&listed, more))?;
        self.spend.map_or(Ok(()), |spend| write!(f, " (recorded cost: {})", spend.cost()))
    }
}
