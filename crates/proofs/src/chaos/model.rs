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

use std::fs;

use serde_json::Value;

use crate::survival::journal::ProofJournal;
use crate::survival::world::ProofWorld;

use super::progress;
use super::run_life::RunLife;
use crate::chaos::script::random_chain::RandomChain;
use crate::chaos::script::round_script::LifePlan;

use self::past::RunPast;
use self::remains::Remains;

/// The state of a run after some of its sessions.
pub(super) struct RunModel<'a> {
    chain: &'a RandomChain,
    past: RunPast<'a>,
    /// The number of iterations with an outcome.
    pub(super) outcomes: usize,
    /// All complete lines of the journal.
    recorded: Vec<u8>,
    remains: Remains,
}

/// A session and what it is compared with.
struct LifeCheck<'a> {
    world: &'a ProofWorld,
    life: &'a RunLife,
    plan: &'a LifePlan,
    journal: &'a ProofJournal,
    /// The events of this session.
    new: &'a [Value],
    /// Whether the run was complete before.
    was_complete: bool,
}

impl<'a> RunModel<'a> {
    pub(super) fn new(chain: &'a RandomChain) -> Self {
        let (past, remains) = (RunPast::new(chain), Remains::default());
        Self { chain, past, outcomes: 0, recorded: Vec::new(), remains }
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
    pub(super) fn look(
        &mut self,
        world: &ProofWorld,
        life: &RunLife,
        plan: &LifePlan,
    ) -> Vec<String> {
        let mut complaints = life.troubles.clone();
        let (bytes, journal) = match read(world) {
            Ok(read) => read,
            Err(why) => return vec![format!("the journal cannot be read: {why}")],
        };
        if !bytes.starts_with(&self.recorded) {
            complaints.push("what was recorded in earlier lives was changed".to_owned());
            return complaints;
        }
        let before = self.recorded.split(|byte| *byte == b'\n').count() - 1;
        let new = &journal.events[before..];
        let torn = journal.torn.as_ref().map_or(0, Vec::len);
        self.recorded = bytes[..bytes.len() - torn].to_vec();
        if torn > 0 && !life.facts.sent.iter().any(|(_, signal, _)| signal.as_raw() == 9) {
            complaints.push("the last line was cut off, although nobody was killed".to_owned());
        }
        self.outcomes = journal.outcomes().len();
        complaints.extend(journal.problems());
        let was_complete = self.past.is_complete();
        let end = journal.end().filter(|_| !new.is_empty());
        let look = LifeCheck { world, life, plan, journal: &journal, new, was_complete };
        complaints.extend(self.past.take(&look));
        complaints.extend(outcome::complaints(self.chain, &look));
        complaints.extend(ending::complaints(&look, end));
        complaints.extend(self.remains.complaints(&look));
        complaints
    }
}

/// The journal of the run, and its bytes; both empty if it has not begun.
fn read(world: &ProofWorld) -> Result<(Vec<u8>, ProofJournal), String> {
    let Some(path) = progress::journal(world) else { return Ok(Default::default()) };
    let bytes = fs::read(&path).map_err(|error| error.to_string())?;
    Ok((bytes, ProofJournal::read(&path)?))
}
