//! The outcomes of all limits over all runs.

use forkhestra_core::event::LimitChanges;
use forkhestra_core::text;
use forkhestra_core::what_if::{
    EarlierEnd, LimitEffect, LimitOutcome, LimitSummary, SimulatedLimit,
};

/// A run on which limits were simulated.
#[derive(Debug, Clone)]
pub(crate) struct SimulatedRun {
    pub(crate) id: String,
    /// The name of its chain, or the chain itself.
    pub(crate) chain: String,
    /// The agent of each step.
    pub(crate) agents: Vec<String>,
    pub(crate) completed: bool,
    /// Whether any of its agents reported a cost.
    pub(crate) has_cost: bool,
}

/// Runs that were left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeftOutRuns {
    pub(crate) active: usize,
    pub(crate) replays: usize,
    /// The ids of runs whose journal is damaged or unreadable.
    pub(crate) unreadable: Vec<String>,
}

impl LeftOutRuns {
    /// A sentence about the runs that were left out, if there are any.
    pub(super) fn note(&self) -> Option<String> {
        let count = |number: usize, what: &str| (number > 0).then(|| text::count(number, what));
        let unreadable = count(self.unreadable.len(), "damaged or unreadable run")
            .map(|runs| format!("{runs} ({})", self.unreadable.join(", ")));
        let runs = [count(self.active, "active run"), count(self.replays, "replay"), unreadable];
        let runs: Vec<String> = runs.into_iter().flatten().collect();
        (!runs.is_empty()).then(|| format!("Left out: {}.", runs.join(", ")))
    }
}

/// The outcomes of one limit, or of all together.
#[derive(Debug, Clone)]
pub(crate) struct LimitResult {
    /// Whether it has all limits together.
    pub(super) is_all: bool,
    pub(crate) limits: LimitChanges,
    pub(crate) summary: LimitSummary,
    /// Earlier ends, each with the index of its run.
    pub(crate) earlier: Vec<(usize, EarlierEnd)>,
}

impl LimitResult {
    fn new(limits: LimitChanges, is_all: bool) -> Self {
        Self { is_all, limits, summary: LimitSummary::default(), earlier: Vec::new() }
    }

    /// Its options, or `all together`.
    pub(super) fn name(&self) -> String {
        match self.is_all {
            true => "all together".to_owned(),
            false => self.limits.command_options().join(" "),
        }
    }
}

/// The outcomes of all limits over all runs.
#[derive(Debug, Clone)]
pub(crate) struct WhatIfReport {
    pub(crate) runs: Vec<SimulatedRun>,
    /// Each limit alone; then all together, if there are several.
    pub(super) results: Vec<LimitResult>,
    /// Runs that would have continued past one of the limits, or past all together.
    pub(super) continued: usize,
    pub(crate) left_out: LeftOutRuns,
}

impl WhatIfReport {
    pub(crate) fn new(limits: &LimitChanges) -> Self {
        let each = SimulatedLimit::each(limits);
        let all = (each.len() > 1).then(|| LimitResult::new(limits.clone(), true));
        let each = each.into_iter().map(|limits| LimitResult::new(limits, false));
        let results = each.chain(all).collect();
        Self { runs: Vec::new(), results, continued: 0, left_out: LeftOutRuns::default() }
    }

    /// The limits of each result.
    pub(crate) fn limits(&self) -> impl Iterator<Item = &LimitChanges> {
        self.results.iter().map(|result| &result.limits)
    }

    /// Adds a run with its outcome for the limits of each result.
    pub(crate) fn add(&mut self, run: SimulatedRun, outcomes: Vec<LimitOutcome>) {
        let index = self.runs.len();
        self.continued += usize::from(outcomes.contains(&LimitOutcome::Continues));
        for (result, outcome) in self.results.iter_mut().zip(outcomes) {
            result.summary.add(&outcome);
            if let LimitOutcome::Earlier(end) = outcome {
                result.earlier.push((index, *end));
            }
        }
        self.runs.push(run);
    }

    /// The number of completed runs.
    pub(super) fn completed(&self) -> usize {
        self.runs.iter().filter(|run| run.completed).count()
    }

    /// Whether any run has a cost.
    pub(super) fn has_cost(&self) -> bool {
        self.runs.iter().any(|run| run.has_cost)
    }

    /// Whether any limit would have ended only a step of a run.
    pub(super) fn has_step_ended(&self) -> bool {
        self.results.iter().any(|result| result.summary.step_ended > 0)
    }

    /// Whether any limit would have ended only an iteration of a run.
    pub(super) fn has_iteration_ended(&self) -> bool {
        self.results.iter().any(|result| result.summary.iteration_ended > 0)
    }
}

/// The part of a run that a limit would have ended, as one word.
pub(super) const fn ended_part(effect: &LimitEffect) -> &'static str {
    match effect {
        LimitEffect::EndsRun(_) => "run",
        LimitEffect::EndsStep(_) => "step",
        LimitEffect::EndsIteration(_) => "iteration",
    }
}
