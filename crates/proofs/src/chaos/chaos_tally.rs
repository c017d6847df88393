//! The statistics of all rounds.

use std::collections::BTreeMap;

use super::session_facts::SessionFacts;
use crate::chaos::script::disturbance::{DisturbanceTarget, name};

/// Numbers for the summary.
#[derive(Debug, Default, Clone)]
pub(super) struct ChaosTally {
    pub(super) rounds: u64,
    pub(super) lives: u64,
    pub(super) starts: usize,
    pub(super) outcomes: usize,
    pub(super) closed: u64,
    pub(super) attacked: u64,
    /// The number of signals, by signal and target.
    sent: BTreeMap<(&'static str, DisturbanceTarget), u64>,
}

impl ChaosTally {
    /// Adds one session.
    pub(super) fn add(&mut self, facts: &SessionFacts) {
        self.lives += 1;
        self.closed += u64::from(facts.closed.is_some());
        self.attacked += u64::from(facts.attacked);
        for (target, signal, _) in &facts.sent {
            *self.sent.entry((name(*signal), *target)).or_default() += 1;
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.rounds += other.rounds;
        self.lives += other.lives;
        self.starts += other.starts;
        self.outcomes += other.outcomes;
        self.closed += other.closed;
        self.attacked += other.attacked;
        for (what, many) in &other.sent {
            *self.sent.entry(*what).or_default() += many;
        }
    }

    /// A summary of a few lines.
    pub(super) fn summary(&self) -> String {
        let Self { rounds, lives, starts, outcomes, closed, attacked, .. } = self;
        let mut text = format!(
            "{rounds} rounds, {lives} lives, {starts} iterations begun, {outcomes} with an outcome\n"
        );
        for target in [
            DisturbanceTarget::Guard,
            DisturbanceTarget::Runner,
            DisturbanceTarget::Agent,
            DisturbanceTarget::Below,
        ] {
            let of_target = self.sent.iter().filter(|((_, recipient), _)| *recipient == target);
            let signals = of_target.map(|((signal, _), many)| format!("{many} {signal}"));
            let signals = signals.collect::<Vec<_>>().join(", ");
            text.push_str(&format!("  to {target:?}: {signals}\n"));
        }
        text.push_str(&format!("  output closed in {closed} lives, attacks in {attacked}"));
        text
    }
}
