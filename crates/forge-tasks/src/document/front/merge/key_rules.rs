//! Which side counts for a key that both sides changed.

use super::front_side::{EntryKey, FrontSide};
use crate::document::front::{FrontKey, FrontValue};
use crate::{IdQuery, TaskStatus};

/// The three versions, and what the body says.
pub(super) struct FrontVersions<'a> {
    pub(super) base: FrontSide<'a>,
    pub(super) ours: FrontSide<'a>,
    pub(super) theirs: FrontSide<'a>,
    /// Whether every criterion of the merged body is checked.
    pub(super) is_complete: bool,
}

/// What becomes of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeyOutcome {
    /// It is as in our version.
    Ours,
    /// It is as in their version.
    Theirs,
    /// It is removed.
    Neither,
    /// It gets a value that neither version has.
    Set(FrontValue),
    /// A person has to decide; our value counts until then.
    Conflict,
}

const LEASE: [FrontKey; 3] = [FrontKey::LeaseUntil, FrontKey::LeaseRun, FrontKey::LeaseLane];

impl FrontVersions<'_> {
    /// Decides about a key.
    pub(super) fn decide(&self, key: &EntryKey) -> KeyOutcome {
        match key {
            EntryKey::Known(known) if LEASE.contains(known) => self.lease(),
            EntryKey::Known(FrontKey::UpdatedAt) => self.later(FrontKey::UpdatedAt),
            _ => self.unless_both_changed(key).unwrap_or_else(|| self.of_both(key)),
        }
    }

    /// The side that changed a key. Comments and quotes count as long as no value differs.
    fn unless_both_changed(&self, key: &EntryKey) -> Option<KeyOutcome> {
        let Self { base, ours, theirs, .. } = self;
        let [base_lines, our_lines, their_lines] = [base, ours, theirs].map(|side| side.lines(key));
        if our_lines == their_lines || their_lines == base_lines {
            Some(KeyOutcome::Ours)
        } else if our_lines == base_lines {
            Some(KeyOutcome::Theirs)
        } else if ours.has_same(key, theirs) || theirs.has_same(key, base) {
            Some(KeyOutcome::Ours)
        } else {
            ours.has_same(key, base).then_some(KeyOutcome::Theirs)
        }
    }

    /// The outcome for a key that both sides changed in different ways.
    fn of_both(&self, key: &EntryKey) -> KeyOutcome {
        let EntryKey::Known(key) = key else { return KeyOutcome::Conflict };
        match key {
            FrontKey::Status => self.status(),
            FrontKey::Labels => self.set(*key, |one, other| one == other),
            FrontKey::Dependencies => self.set(*key, is_same_reference),
            FrontKey::Landing if self.theirs.is_later(FrontKey::UpdatedAt, &self.ours) => {
                KeyOutcome::Theirs
            }
            FrontKey::Landing => KeyOutcome::Ours,
            FrontKey::CreatedAt => match self.later(*key) {
                KeyOutcome::Ours => KeyOutcome::Theirs,
                _ => KeyOutcome::Ours,
            },
            _ => KeyOutcome::Conflict,
        }
    }

    fn later(&self, key: FrontKey) -> KeyOutcome {
        if self.theirs.is_later(key, &self.ours) { KeyOutcome::Theirs } else { KeyOutcome::Ours }
    }

    /// Done wins over work that goes on, if no criterion is open.
    fn status(&self) -> KeyOutcome {
        let is_at_work = |status| matches!(status, Some(TaskStatus::ToDo | TaskStatus::InProgress));
        match (self.ours.status(), self.theirs.status()) {
            (Some(TaskStatus::Done), other) if is_at_work(other) && self.is_complete => {
                KeyOutcome::Ours
            }
            (other, Some(TaskStatus::Done)) if is_at_work(other) && self.is_complete => {
                KeyOutcome::Theirs
            }
            _ => KeyOutcome::Conflict,
        }
    }

    /// A lease is one thing in several keys. Work that is done has none.
    fn lease(&self) -> KeyOutcome {
        let Self { base, ours, theirs, .. } = self;
        let became_done = |side: &FrontSide<'_>| {
            side.status() == Some(TaskStatus::Done) && base.status() != Some(TaskStatus::Done)
        };
        let lease = |side: &FrontSide<'_>| LEASE.map(|key| side.text(key));
        let [of_base, of_ours, of_theirs] = [base, ours, theirs].map(lease);
        if became_done(ours) || became_done(theirs) {
            KeyOutcome::Neither
        } else if of_ours == of_theirs || of_theirs == of_base {
            KeyOutcome::Ours
        } else if of_ours == of_base {
            KeyOutcome::Theirs
        } else {
            self.later(FrontKey::LeaseUntil)
        }
    }

    /// Our items without those that they removed, then those that they added.
    fn set(&self, key: FrontKey, same: fn(&str, &str) -> bool) -> KeyOutcome {
        let Self { base, ours, theirs, .. } = self;
        let lists = [base, ours, theirs].map(|side| side.list(key));
        let [Some(base), Some(mut merged), Some(theirs)] = lists else {
            return KeyOutcome::Conflict;
        };
        let is_in = |list: &[String], item: &str| list.iter().any(|other| same(other, item));
        merged.retain(|item| is_in(&theirs, item) || !is_in(&base, item));
        for item in &theirs {
            if !is_in(&base, item) && !is_in(&merged, item) {
                merged.push(item.clone());
            }
        }
        KeyOutcome::Set(FrontValue::List(merged))
    }
}

fn is_same_reference(one: &str, other: &str) -> bool {
    one == other || IdQuery::parse(one).is_ok_and(|query| query.means_written(other))
}
