//! The point at which a limit would have ended a run or an iteration.

use std::fmt;
use std::time::Duration;

use super::limit_savings::LimitSavings;
use crate::cost::Spend;
use crate::event::{StepEnd, StopReason};

/// The end that other limits would have set to a run or to one of its iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierEnd {
    pub effect: LimitEffect,
    /// The step, one-based.
    pub step: usize,
    pub position: EndPosition,
    /// How long the run had been running: awake and not paused.
    pub elapsed: Duration,
    /// What the run had spent. If an agent was running, up to what it reported next.
    pub spend: Spend,
    /// What the run used from there on. For an iteration or a step, up to its recorded end only:
    /// something else would have followed.
    pub saved: LimitSavings,
    /// Iterations with an outcome that the run had from there on.
    pub later_iterations: u32,
    /// Whether the run later completed, perhaps after a resume, and no step was skipped.
    pub completed: bool,
}

/// What a limit would have ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitEffect {
    /// The step, and with it the run.
    EndsRun(StepEnd),
    /// The step. Another round of its group, or an alternative, would have followed.
    EndsStep(StepEnd),
    /// The agent of an iteration. The loop would have continued.
    EndsIteration(StopReason),
}

impl LimitEffect {
    /// The reason as one word, as in events and summaries.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::EndsRun(end) | Self::EndsStep(end) => end.as_str(),
            Self::EndsIteration(why) => why.as_str(),
        }
    }
}

/// Where in a step an end would have been.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EndPosition {
    /// After this many iterations.
    After(u32),
    /// In this iteration, one-based.
    During(u32),
}

impl EndPosition {
    /// The number of iterations that had finished or begun.
    pub const fn iteration(self) -> u32 {
        match self {
            Self::After(iteration) | Self::During(iteration) => iteration,
        }
    }
}

impl fmt::Display for EndPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::After(0) => f.write_str("before iteration 1"),
            Self::After(iteration) => write!(f, "after iteration {iteration}"),
            Self::During(iteration) => write!(f, "in iteration {iteration}"),
        }
    }
}
