//! What it all means.

use std::borrow::Cow;

use super::given::{Draft, Given};
use super::reading::Reading;
use super::{Broken, Front, Key, Lease, Oddity};
use crate::{Priority, Status, TaskId};

/// Finds out what is given for all keys.
pub(super) fn front(draft: Draft<'_>) -> Result<Front, Broken> {
    let mut reader = Reader { draft, oddities: Vec::new() };
    Ok(Front {
        id: reader.id()?,
        title: reader.text(Key::Title).ok_or(Broken::NoTitle)?,
        status: reader.status(),
        priority: reader.priority(),
        assignee: reader.text(Key::Assignee),
        labels: reader.list(Key::Labels),
        dependencies: reader.list(Key::Dependencies),
        parent: reader.text(Key::Parent),
        due_date: reader.text(Key::DueDate),
        lease: reader.lease(),
        created_at: reader.text(Key::CreatedAt),
        updated_at: reader.text(Key::UpdatedAt),
        oddities: reader.oddities,
    })
}

struct Reader<'a> {
    draft: Draft<'a>,
    oddities: Vec<Oddity>,
}

impl<'a> Reader<'a> {
    fn id(&mut self) -> Result<TaskId, Broken> {
        let given = self.draft.take(Key::Id);
        if let Given::List(_) | Given::Odd = given {
            let shape = if given == Given::Odd { "{…}" } else { "[…]" };
            return Err(Broken::BadId(shape.to_owned()));
        }
        match Key::Id.reads(given) {
            Reading::Text(text) => TaskId::parse(&text).map_err(|error| Broken::BadId(error.0)),
            _ => Err(Broken::NoId),
        }
    }

    fn status(&mut self) -> Status {
        let text = match Key::Status.reads(self.draft.take(Key::Status)) {
            Reading::Text(text) => text,
            Reading::Odd => {
                self.oddities.push(Oddity::OddValue(Key::Status.name()));
                return Status::ToDo;
            }
            _ => {
                self.oddities.push(Oddity::NoStatus);
                return Status::ToDo;
            }
        };
        status(&text).unwrap_or_else(|| {
            self.oddities.push(Oddity::UnknownStatus(text.into_owned()));
            Status::ToDo
        })
    }

    fn priority(&mut self) -> Option<Priority> {
        let text = self.found(Key::Priority)?;
        let priority = priority(&text);
        if priority.is_none() {
            self.oddities.push(Oddity::UnknownPriority(text.into_owned()));
        }
        priority
    }

    fn lease(&mut self) -> Option<Lease> {
        let until = self.found(Key::LeaseUntil);
        let run = self.text(Key::LeaseRun);
        if until.is_none() && run.is_none() {
            return None;
        }
        Some(Lease { until: until.and_then(|until| until.parse().ok()), run })
    }

    fn list(&mut self, key: Key) -> Vec<String> {
        match key.reads(self.draft.take(key)) {
            Reading::List(items) => items.into_iter().map(Cow::into_owned).collect(),
            Reading::Odd => {
                self.oddities.push(Oddity::OddValue(key.name()));
                Vec::new()
            }
            Reading::Nothing | Reading::Text(_) => Vec::new(),
        }
    }

    fn text(&mut self, key: Key) -> Option<String> {
        self.found(key).map(Cow::into_owned)
    }

    fn found(&mut self, key: Key) -> Option<Cow<'a, str>> {
        match key.reads(self.draft.take(key)) {
            Reading::Text(text) => Some(text),
            Reading::Odd => {
                self.oddities.push(Oddity::OddValue(key.name()));
                None
            }
            Reading::Nothing | Reading::List(_) => None,
        }
    }
}

/// Reads a status, nearly always without an allocation.
pub(super) fn status(text: &str) -> Option<Status> {
    let usual = Status::ALL.into_iter().find(|status| status.name() == text);
    usual.or_else(|| Status::parse(text).ok())
}

/// Reads a priority, nearly always without an allocation.
pub(super) fn priority(text: &str) -> Option<Priority> {
    let all = [Priority::High, Priority::Medium, Priority::Low];
    let usual = all.into_iter().find(|priority| priority.name() == text);
    usual.or_else(|| Priority::parse(text).ok())
}
