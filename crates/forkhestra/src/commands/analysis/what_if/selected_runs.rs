//! The past runs on which limits are simulated.

use forkhestra_core::cost::Cost;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::Liveness;
use forkhestra_core::plan::{Plan, PlanStep};
use forkhestra_core::time::Timestamp;
use forkhestra_store::RunDir;
use forkhestra_store::journal::recorded_run::{self, HistoryError, RecordedRun};

use crate::cli::args::analysis::what_if::WhatIfArgs;
use crate::cli::command_error::CommandError;
use crate::past_runs::repair;
use crate::past_runs::run_finder::RunFinder;
use crate::report::what_if::{LeftOutRuns, SimulatedRun};

/// The selected runs, in the order of their beginning.
pub(super) struct SelectedRuns<'a> {
    places: &'a RunFinder<'a>,
    found: Vec<RunDir>,
    /// Whether the runs were named: then none is left out.
    is_named: bool,
    since: Option<Timestamp>,
    pub(super) left_out: LeftOutRuns,
    /// Warnings about runs that cannot be read.
    pub(super) warnings: Vec<Diagnostic>,
}

/// Why a run is left out.
enum RunExclusion {
    Active,
    /// Its agents were recordings, whose time and cost are not those of a run.
    Replay,
    /// It began before the time that was asked for, or recorded nothing.
    NotSelected,
    Unreadable(Box<HistoryError>),
}

impl<'a> SelectedRuns<'a> {
    pub(super) fn find(
        places: &'a RunFinder<'a>,
        args: &WhatIfArgs,
        now: Timestamp,
    ) -> Result<Self, CommandError> {
        let is_named = !args.runs.is_empty();
        let mut found = match (is_named, args.all) {
            (true, _) => places.find_all_named(&args.runs)?,
            (false, true) => places.all_runs()?,
            (false, false) => places.work_tree_runs()?,
        };
        found.reverse();
        Ok(Self {
            places,
            found,
            is_named,
            since: args.since.map(|since| since.timestamp(now)),
            left_out: LeftOutRuns::default(),
            warnings: Vec::new(),
        })
    }

    /// Reads one run after the other, and calls `simulate` for each that is not left out.
    pub(super) fn for_each(
        &mut self,
        mut simulate: impl FnMut(SimulatedRun, &RecordedRun),
    ) -> Result<(), CommandError> {
        for run in std::mem::take(&mut self.found) {
            match self.read(&run) {
                Ok(past) => simulate(simulated_run(&past), &past),
                Err(why) => self.leave_out(&run, why)?,
            }
        }
        Ok(())
    }

    fn read(&self, run: &RunDir) -> Result<RecordedRun, RunExclusion> {
        if self.since.is_some_and(|since| !run.may_have_started_since(since)) {
            return Err(RunExclusion::NotSelected);
        }
        let past = recorded_run::read_unbroken(run).map_err(|error| match error {
            error if error.is_unrecorded_run(run) && !self.is_named => RunExclusion::NotSelected,
            error => RunExclusion::Unreadable(Box::new(error)),
        })?;
        let state = &past.history.state;
        let is_replayed = |step: &PlanStep| step.agent.replay.is_some();
        if self.since.is_some_and(|since| past.history.started < since) {
            Err(RunExclusion::NotSelected)
        } else if state.end.is_none() && recorded_run::liveness(run) == Liveness::Alive {
            Err(RunExclusion::Active)
        } else if !self.is_named && state.plan.steps.iter().any(is_replayed) {
            Err(RunExclusion::Replay)
        } else {
            Ok(past)
        }
    }

    /// Notes a run that is left out. One that was named is an error.
    fn leave_out(&mut self, run: &RunDir, why: RunExclusion) -> Result<(), CommandError> {
        let (id, project) = (run.run(), self.places.project);
        match why {
            RunExclusion::Unreadable(error) if self.is_named => {
                return Err(repair::refused(&error, run, project));
            }
            RunExclusion::Active if self.is_named => {
                let message =
                    format!("run {id} is active, and limits are simulated on ended runs only");
                let hint = format!("to stop it: forkhestra stop {id}");
                return Err(CommandError::wrong(Diagnostic::error(message).hint(hint)));
            }
            RunExclusion::Unreadable(error) => {
                self.warnings.push(repair::unreadable_warning(&error, run, project));
                self.left_out.unreadable.push(id.to_string());
            }
            RunExclusion::Active => self.left_out.active += 1,
            RunExclusion::Replay => self.left_out.replays += 1,
            RunExclusion::NotSelected => {}
        }
        Ok(())
    }
}

fn simulated_run(past: &RecordedRun) -> SimulatedRun {
    let state = &past.history.state;
    let Plan { chain, definition, steps, .. } = &state.plan;
    SimulatedRun {
        id: state.run.to_string(),
        chain: chain.clone().unwrap_or_else(|| definition.clone()),
        agents: steps.iter().map(|step| step.agent.name.clone()).collect(),
        completed: state.is_completed(),
        has_cost: past.history.spend().is_some_and(|spend| spend.cost() != Cost::Unknown),
    }
}
