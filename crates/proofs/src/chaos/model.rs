//! The model: what must hold after each session of a run, whatever was done to it.
//!
//! The model knows the script: what each agent does in each iteration, which limits apply, and
//! which disturbances took place. It follows the journal event by event, and compares it with the
//! script, with the notes of the agents, with the exit code and the last output of the program, and
//! with the remaining files and processes.

mod ending;
mod outcome;
mod past;
mod remains;
mod step_past;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::survival::journal::ProofJournal;
use crate::survival::world::ProofWorld;

use super::progress;
use super::run_session::RunSession;
use crate::chaos::script::random_chain::RandomChain;
use crate::chaos::script::round_script::SessionPlan;

use self::past::RunPast;
pub(super) use self::remains::SessionLeftovers;

/// The state of a run after some of its sessions.
pub(super) struct RunModel<'a> {
    chain: &'a RandomChain,
    past: RunPast<'a>,
    /// The number of iterations with an outcome.
    pub(super) outcomes: usize,
    /// All complete lines of the journal.
    recorded: Vec<u8>,
    leftovers: SessionLeftovers,
    /// The iterations whose agents were disturbed in the last session.
    hit_before: BTreeSet<(u64, u64)>,
}

/// A session and what it is compared with.
pub(super) struct SessionCheck<'a> {
    pub(super) world: &'a ProofWorld,
    pub(super) life: &'a RunSession,
    pub(super) plan: &'a SessionPlan,
    pub(super) journal: &'a ProofJournal,
    /// The events of this session.
    pub(super) new: &'a [Value],
    /// Whether the run was complete before.
    pub(super) was_complete: bool,
    /// The iterations whose agents were disturbed, in this session or in the one before: its runner
    /// may have died before the outcome was recorded.
    pub(super) hit: BTreeSet<(u64, u64)>,
}

impl<'a> RunModel<'a> {
    pub(super) fn new(chain: &'a RandomChain) -> Self {
        let (past, leftovers) = (RunPast::new(chain), SessionLeftovers::default());
        let (recorded, hit_before) = Default::default();
        Self { chain, past, outcomes: 0, recorded, leftovers, hit_before }
    }

    /// Whether there is a run that can be resumed.
    pub(super) fn has_begun(&self) -> bool {
        !self.recorded.is_empty()
    }

    /// The end of the run, by its journal.
    pub(super) fn end(&self) -> Option<&Value> {
        self.past.end.as_ref()
    }

    /// The number of a step's iterations with an outcome.
    pub(super) fn finished(&self, step: u64) -> u64 {
        self.past.finished(step)
    }

    /// The number of agents started so far.
    pub(super) fn starts(&self) -> usize {
        self.past.starts
    }

    /// Returns all problems after a session.
    pub(super) fn problems_after(
        &mut self,
        world: &ProofWorld,
        session: &RunSession,
        plan: &SessionPlan,
    ) -> Vec<String> {
        let mut problems = session.troubles.clone();
        let (bytes, journal) = match read(world) {
            Ok(read) => read,
            Err(why) => return vec![format!("the journal cannot be read: {why}")],
        };
        if !bytes.starts_with(&self.recorded) {
            problems.push("what was recorded in earlier lives was changed".to_owned());
            return problems;
        }
        let before = self.recorded.split(|byte| *byte == b'\n').count() - 1;
        let new = &journal.events[before..];
        let torn = journal.torn.as_ref().map_or(0, Vec::len);
        self.recorded = bytes[..bytes.len() - torn].to_vec();
        if torn > 0 && !session.facts.sent.iter().any(|(_, signal, _)| signal.as_raw() == 9) {
            problems.push("the last line was cut off without a kill".to_owned());
        }
        self.outcomes = journal.outcomes().len();
        problems.extend(journal.problems());
        let was_complete = self.past.is_complete();
        let end = journal.end().filter(|_| !new.is_empty());
        let hit = self.hit_before.union(&session.facts.hit).copied().collect();
        self.hit_before.clone_from(&session.facts.hit);
        let look =
            SessionCheck { world, life: session, plan, journal: &journal, new, was_complete, hit };
        problems.extend(self.past.take(&look));
        problems.extend(outcome::complaints(self.chain, &look));
        problems.extend(ending::complaints(&look, end));
        problems.extend(self.leftovers.complaints(&look));
        problems
    }
}

/// The journal of the run, and its bytes; both empty if it has not begun.
fn read(world: &ProofWorld) -> Result<(Vec<u8>, ProofJournal), String> {
    let Some(path) = progress::journal(world) else { return Ok(Default::default()) };
    let bytes = fs::read(&path).map_err(|error| error.to_string())?;
    Ok((bytes, ProofJournal::read(&path)?))
}
