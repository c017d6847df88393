//! A merge queue whose actions are carried out on a model of a repository.

use std::collections::{BTreeMap, BTreeSet};

use super::action_text::action_text;
use super::repository_model::{Content, RepositoryModel, entry, number, numbers};
use crate::id::CommitId;
use crate::policy::{
    LandingVerdict, MergeQueue, MergeResult, QueueAction, QueueEntry, QueueFacts, QueueInput,
    QueueRefusal,
};

/// What happens next to a simulated queue.
#[derive(Debug, Clone, Copy)]
pub(super) enum QueueEvent {
    /// The next entry arrives.
    Arrive,
    /// The action that is under way is answered.
    Answer,
    /// The lane of this entry ends.
    Withdraw(u32),
    /// The queue is made anew from what is recorded.
    Crash,
}

/// The size of a batch and what became of it.
#[derive(Debug, Clone, Copy, Default)]
struct BatchCount {
    entries: usize,
    red: usize,
    checks: usize,
}

/// A queue, what it has asked for, and what became of every entry.
#[derive(Debug)]
pub(super) struct QueueSimulation {
    pub(super) model: RepositoryModel,
    pub(super) queue: MergeQueue,
    /// The action that is to be answered.
    pub(super) pending: Option<QueueAction>,
    /// Every entry that was enqueued, in order.
    pub(super) arrived: Vec<u32>,
    pub(super) landed: Vec<u32>,
    pub(super) refused: Vec<u32>,
    pub(super) withdrawn: Vec<u32>,
    /// How often each commit was checked.
    pub(super) checks: BTreeMap<CommitId, usize>,
    /// Every action as text.
    pub(super) transcript: Vec<String>,
    integration: CommitId,
    batches: Vec<BatchCount>,
    merged: BTreeSet<u32>,
}

impl QueueSimulation {
    /// A queue that knows the results on its integration commit.
    pub(super) fn new(model: RepositoryModel) -> Self {
        let integration = RepositoryModel::base();
        let mut queue = MergeQueue::new(model.check_numbers(), integration.clone());
        let results = model.results(&Content::new());
        let commit = integration.clone();
        assert_eq!(queue.handle(QueueInput::CheckBaseline { commit, results }), []);
        Self {
            model,
            queue,
            pending: None,
            arrived: Vec::new(),
            landed: Vec::new(),
            refused: Vec::new(),
            withdrawn: Vec::new(),
            checks: BTreeMap::new(),
            transcript: Vec::new(),
            integration,
            batches: Vec::new(),
            merged: BTreeSet::new(),
        }
    }

    /// The entries of which nothing is known but that they have arrived.
    fn open(&self) -> Vec<u32> {
        let ended = [&self.landed, &self.refused, &self.withdrawn];
        let is_open = |number: &u32| !ended.iter().any(|ended| ended.contains(number));
        self.arrived.iter().copied().filter(is_open).collect()
    }

    /// Lets something happen. Entries after `last` do not arrive.
    pub(super) fn apply(&mut self, event: QueueEvent, last: u32) {
        match event {
            QueueEvent::Arrive => {
                let next = self.arrived.last().map_or(1, |number| number + 1);
                if next <= last {
                    self.arrived.push(next);
                    self.handle(QueueInput::Enqueue(entry(next)));
                }
            }
            QueueEvent::Answer => self.answer(),
            QueueEvent::Withdraw(of) => self.withdraw(of),
            QueueEvent::Crash => self.crash(),
        }
    }

    /// Lets all other entries arrive and answers until nothing is under way.
    pub(super) fn finish(&mut self, last: u32) {
        for _ in 0..last {
            self.apply(QueueEvent::Arrive, last);
        }
        let most = 20 * (self.arrived.len() + 1) * (self.arrived.len() + 1);
        for _ in 0..most {
            if self.pending.is_none() {
                assert_eq!(self.queue.entries().count(), 0, "entries wait for nothing");
                return;
            }
            self.answer();
        }
        panic!("the queue does not end: {self:?}");
    }

    fn withdraw(&mut self, of: u32) {
        let lane = entry(of).lane;
        let landing = match &self.pending {
            Some(QueueAction::Land { entries, .. }) => numbers(entries),
            _ => Vec::new(),
        };
        let is_taken = |open: &u32| entry(*open).lane == lane && !landing.contains(open);
        let taken: Vec<u32> = self.open().into_iter().filter(is_taken).collect();
        self.withdrawn.extend(taken);
        self.handle(QueueInput::Withdraw { lane });
    }

    fn crash(&mut self) {
        let facts = QueueFacts {
            checks: self.model.check_numbers(),
            integration: self.integration.clone(),
            baseline: self.model.results(&self.model.content(&self.integration)),
            entries: self.open().into_iter().map(entry).collect(),
        };
        let (queue, actions) = MergeQueue::resume(facts);
        (self.queue, self.pending) = (queue, None);
        self.checks.clear();
        self.take(actions);
    }

    fn answer(&mut self) {
        let input = match self.pending.take() {
            None => return,
            Some(QueueAction::Merge { mut onto, entries }) => {
                let mut results = Vec::new();
                for entry in &entries {
                    let result = self.model.merge(&onto, number(entry));
                    if let MergeResult::Merged { tip } = &result {
                        onto = tip.clone();
                    }
                    results.push(result);
                }
                QueueInput::Merged { results }
            }
            Some(QueueAction::Check { tip, .. }) => {
                let count = self.checks.entry(tip.clone()).or_default();
                let results = self.model.check(&self.model.content(&tip), *count);
                *count += 1;
                QueueInput::Checked { tip, results }
            }
            Some(QueueAction::Land { tip, entries }) => {
                self.landed.extend(numbers(&entries));
                self.integration = tip.clone();
                QueueInput::Landed { tip }
            }
            Some(QueueAction::Stop { .. }) => QueueInput::CheckAgain,
            Some(QueueAction::Refuse { .. }) => panic!("a refusal has no answer"),
        };
        self.handle(input);
    }

    fn handle(&mut self, input: QueueInput) {
        let mut twin = self.queue.clone();
        let actions = self.queue.handle(input.clone());
        assert_eq!(twin.handle(input), actions, "the same input gives the same actions");
        self.take(actions);
        // No entry is lost, and none is in two places.
        assert_eq!(numbers(self.queue.entries()), self.open());
        let ended = [&self.landed, &self.refused, &self.withdrawn].map(Vec::len);
        assert_eq!(ended.iter().sum::<usize>() + self.open().len(), self.arrived.len());
    }

    fn take(&mut self, actions: Vec<QueueAction>) {
        for action in actions {
            self.transcript.push(action_text(&action));
            match &action {
                QueueAction::Merge { entries, .. } => self.count_batch(entries),
                QueueAction::Check { tip, entries } => self.assert_check(tip, entries),
                QueueAction::Land { tip, entries } => self.assert_landing(tip, entries),
                QueueAction::Stop { .. } => {}
                QueueAction::Refuse { entry, why } => {
                    self.assert_refusal(number(entry), why);
                    self.refused.push(number(entry));
                    continue;
                }
            }
            assert_eq!(self.pending.replace(action), None, "one thing is done at a time");
        }
    }

    fn count_batch(&mut self, entries: &[QueueEntry]) {
        let is_new = numbers(entries).iter().all(|number| self.merged.insert(*number));
        if is_new {
            self.batches.push(BatchCount { entries: entries.len(), ..BatchCount::default() });
        }
    }

    fn assert_check(&mut self, tip: &CommitId, entries: &[QueueEntry]) {
        if self.model.seed.is_none() {
            assert!(!self.checks.contains_key(tip), "{tip} is checked twice");
        }
        self.assert_content(tip, entries);
        if let Some(batch) = self.batches.last_mut() {
            batch.checks += 1;
        }
    }

    fn assert_landing(&self, tip: &CommitId, entries: &[QueueEntry]) {
        self.assert_content(tip, entries);
        assert!(numbers(entries).is_sorted(), "{tip} is not in the order of arrival");
        let verdict = self.verdict(&self.model.content(tip));
        assert_eq!(verdict, LandingVerdict::Acceptable, "{tip} lands");
        let is_checked = self.model.checks == 0 || self.checks.contains_key(tip);
        assert!(is_checked || *tip == self.integration, "{tip} lands without a check");
    }

    fn assert_content(&self, tip: &CommitId, entries: &[QueueEntry]) {
        let added = entries.iter().flat_map(|entry| self.model.content_of(number(entry)));
        let content: Content =
            self.model.content(&self.integration).into_iter().chain(added).collect();
        assert_eq!(self.model.content(tip), content, "{tip} contains its entries and no others");
    }

    fn assert_refusal(&mut self, number: u32, why: &QueueRefusal) {
        let onto = self.model.content(&self.integration);
        match why {
            QueueRefusal::Conflict { integration, paths } => {
                assert_eq!(*integration, self.integration);
                // What has landed after it arrived later.
                let before = self.landed.iter().filter(|landed| **landed < number);
                let before = before.flat_map(|landed| self.model.content_of(*landed)).collect();
                assert!(self.model.is_conflict(&before, number), "{number} is refused");
                assert_eq!(*paths, [format!("{number}.rs")]);
            }
            QueueRefusal::RedChecks { integration, tip, checks } => {
                assert_eq!(*integration, self.integration);
                let content = &onto | &self.model.content_of(number);
                assert_eq!(self.model.content(tip), content);
                // Without a rule, a check that turns red can be one that did not run.
                let LandingVerdict::Red(red) = self.verdict(&content) else {
                    panic!("{number} is refused");
                };
                let is_red = checks.iter().all(|check| red.contains(check));
                assert!(is_red && !checks.is_empty(), "{checks:?} of {red:?}");
                assert!(self.model.seed.is_some() || *checks == red, "{checks:?} of {red:?}");
                if let Some(batch) = self.batches.last_mut() {
                    batch.red += 1;
                }
            }
        }
    }

    fn verdict(&self, content: &Content) -> LandingVerdict {
        let baseline = self.model.results(&self.model.content(&self.integration));
        self.model.results(content).verdict(Some(&baseline), &self.model.check_numbers())
    }

    /// No batch of n entries with r red ones needs more than 1 + 2·r·⌈log2 n⌉ checks.
    pub(super) fn assert_checks_are_few(&self) {
        for batch in &self.batches {
            let halvings = batch.entries.next_power_of_two().ilog2() as usize;
            assert!(batch.checks <= 1 + 2 * batch.red * halvings, "{batch:?}");
        }
    }
}
