//! The merge queue.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use super::landing_step::LandingStep;
use super::queue_batch::{ConflictingEntry, QueueBatch};
use super::{
    CheckResults, LandingVerdict, MergeResult, QueueAction, QueueEntry, QueueFacts, QueueInput,
    QueuePhase, QueueRefusal,
};
use crate::id::{CommitId, LaneNumber};

/// The work of the lanes on its way to the integration ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeQueue {
    checks: BTreeSet<usize>,
    integration: CommitId,
    /// The last results of the checks on the integration commit and on commits of the batch.
    checked: BTreeMap<CommitId, CheckResults>,
    /// The entries behind the batch.
    waiting: Vec<QueueEntry>,
    batch: QueueBatch,
    phase: QueuePhase,
}

impl MergeQueue {
    /// A queue without entries. No result of a check is known.
    pub fn new(checks: BTreeSet<usize>, integration: CommitId) -> Self {
        Self {
            checks,
            integration,
            checked: BTreeMap::new(),
            waiting: Vec::new(),
            batch: QueueBatch::default(),
            phase: QueuePhase::Idle,
        }
    }

    /// Goes on from recorded facts. All entries become one batch.
    pub fn resume(facts: QueueFacts) -> (Self, Vec<QueueAction>) {
        let QueueFacts { checks, integration, baseline, entries } = facts;
        let mut queue = Self::new(checks, integration);
        queue.checked.insert(queue.integration.clone(), baseline);
        queue.waiting = entries;
        let actions = queue.proceed();
        (queue, actions)
    }

    /// Takes an input and returns what is to be done, in order. An input that is too late changes
    /// nothing, and neither does an entry that is in the queue.
    pub fn handle(&mut self, input: QueueInput) -> Vec<QueueAction> {
        let mut actions = match input {
            QueueInput::Enqueue(entry) => {
                self.enqueue(entry);
                Vec::new()
            }
            QueueInput::Merged { results } => {
                self.merged(results);
                Vec::new()
            }
            QueueInput::Checked { tip, results } => self.checked(tip, results),
            QueueInput::Landed { tip } => self.landed(&tip),
            QueueInput::Withdraw { lane } => {
                self.withdraw(lane);
                Vec::new()
            }
            QueueInput::CheckBaseline { commit, results } => {
                if commit == self.integration {
                    self.checked.insert(commit, results);
                }
                Vec::new()
            }
            QueueInput::CheckAgain => {
                if matches!(self.phase, QueuePhase::Stopped { .. }) {
                    self.phase = QueuePhase::Idle;
                }
                Vec::new()
            }
        };
        actions.extend(self.proceed());
        actions
    }

    /// What the queue waits for.
    pub const fn phase(&self) -> &QueuePhase {
        &self.phase
    }

    /// The commit of the integration ref.
    pub const fn integration(&self) -> &CommitId {
        &self.integration
    }

    /// The last results of the checks on a commit, if it is the integration commit or one of the batch.
    pub fn results(&self, commit: &CommitId) -> Option<&CheckResults> {
        self.checked.get(commit)
    }

    /// The entries of the batch that is landing.
    pub fn batch(&self) -> impl Iterator<Item = &QueueEntry> {
        self.batch.entries()
    }

    /// All entries that are neither landed, refused nor withdrawn, in the order of their arrival.
    pub fn entries(&self) -> impl Iterator<Item = &QueueEntry> {
        self.batch.entries().chain(&self.waiting)
    }

    fn enqueue(&mut self, entry: QueueEntry) {
        if !self.entries().any(|known| *known == entry) {
            self.waiting.push(entry);
        }
    }

    fn merged(&mut self, results: Vec<MergeResult>) {
        let QueuePhase::Merging { onto, entries } = &self.phase else {
            return;
        };
        // An entry that was withdrawn since can have moved the commit onto which the rest goes.
        let expected = self.batch.to_merge(&self.integration);
        if expected.is_some_and(|(expected, _)| expected == *onto) {
            self.batch.record_merges(entries, results);
        }
        self.phase = QueuePhase::Idle;
    }

    fn checked(&mut self, tip: CommitId, results: CheckResults) -> Vec<QueueAction> {
        if self.phase != (QueuePhase::Checking { tip: tip.clone() }) {
            return Vec::new();
        }
        self.phase = QueuePhase::Idle;
        let not_run = match results.verdict(self.baseline(), &self.checks) {
            LandingVerdict::NotRun(not_run) => not_run,
            LandingVerdict::Acceptable | LandingVerdict::Red(_) => {
                self.checked.insert(tip, results);
                return Vec::new();
            }
        };
        let (mut entries, tips) = self.chain();
        // The tip contains work that was withdrawn since.
        let Some(last) = tips.iter().position(|known| *known == tip) else {
            return Vec::new();
        };
        entries.truncate(last + 1);
        self.phase = QueuePhase::Stopped { tip: tip.clone() };
        vec![QueueAction::Stop { tip, entries, not_run }]
    }

    fn landed(&mut self, tip: &CommitId) -> Vec<QueueAction> {
        match mem::take(&mut self.phase) {
            QueuePhase::Landing { tip: landing, entries } if landing == *tip => {
                self.integration = landing;
                let conflicts = self.batch.land(&entries);
                self.forget_results();
                conflicts.into_iter().map(|conflict| self.refuse_conflict(conflict)).collect()
            }
            phase => {
                self.phase = phase;
                Vec::new()
            }
        }
    }

    fn withdraw(&mut self, lane: LaneNumber) {
        self.waiting.retain(|entry| entry.lane != lane);
        let landing: &[QueueEntry] = match &self.phase {
            QueuePhase::Landing { entries, .. } => entries,
            _ => &[],
        };
        self.batch.withdraw(lane, landing);
    }

    /// Acts until there is something to wait for.
    fn proceed(&mut self) -> Vec<QueueAction> {
        let mut actions = Vec::new();
        while self.phase == QueuePhase::Idle {
            if self.batch.is_empty() {
                self.batch = QueueBatch::new(mem::take(&mut self.waiting));
            }
            match self.next_action() {
                Some(action) => actions.push(action),
                None => break,
            }
        }
        actions
    }

    fn next_action(&mut self) -> Option<QueueAction> {
        if let Some(conflict) = self.batch.take_leading_conflict() {
            return Some(self.refuse_conflict(conflict));
        }
        if let Some((onto, entries)) = self.batch.to_merge(&self.integration) {
            self.phase = QueuePhase::Merging { onto: onto.clone(), entries: entries.clone() };
            return Some(QueueAction::Merge { onto, entries });
        }
        let (mut entries, tips) = self.chain();
        let verdicts: Vec<_> = tips.iter().map(|tip| self.verdict(tip)).collect();
        let mut prefix = |count: usize| {
            entries.truncate(count);
            Some((tips.get(count.checked_sub(1)?)?.clone(), mem::take(&mut entries)))
        };
        match LandingStep::next(&verdicts) {
            LandingStep::Land(count) => {
                let (tip, entries) = prefix(count)?;
                self.phase = QueuePhase::Landing { tip: tip.clone(), entries: entries.clone() };
                Some(QueueAction::Land { tip, entries })
            }
            LandingStep::Check(count) => {
                let (tip, entries) = prefix(count)?;
                self.phase = QueuePhase::Checking { tip: tip.clone() };
                Some(QueueAction::Check { tip, entries })
            }
            LandingStep::RefuseFirst(checks) => {
                let (tip, _) = prefix(1)?;
                let entry = self.batch.take_first()?;
                let integration = self.integration.clone();
                let why = QueueRefusal::RedChecks { integration, tip, checks };
                Some(QueueAction::Refuse { entry, why })
            }
        }
    }

    fn refuse_conflict(&self, (entry, paths): ConflictingEntry) -> QueueAction {
        let why = QueueRefusal::Conflict { integration: self.integration.clone(), paths };
        QueueAction::Refuse { entry, why }
    }

    fn verdict(&self, tip: &CommitId) -> Option<LandingVerdict> {
        if self.checks.is_empty() || *tip == self.integration {
            return Some(LandingVerdict::Acceptable);
        }
        Some(self.checked.get(tip)?.verdict(self.baseline(), &self.checks))
    }

    fn baseline(&self) -> Option<&CheckResults> {
        self.checked.get(&self.integration)
    }

    /// The merged entries of the batch and the commits that contain them.
    fn chain(&self) -> (Vec<QueueEntry>, Vec<CommitId>) {
        let chain = self.batch.chain(&self.integration);
        chain.map(|(entry, tip)| (entry.clone(), tip.clone())).unzip()
    }

    /// Drops the results on commits that are no longer part of the chain.
    fn forget_results(&mut self) {
        let (_, tips) = self.chain();
        self.checked.retain(|commit, _| *commit == self.integration || tips.contains(commit));
    }
}
