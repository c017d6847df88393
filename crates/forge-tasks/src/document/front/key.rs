//! The keys that have a meaning.

/// A key of the front matter, in the order in which new files have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "they are called like the fields of `Front`")]
pub enum Key {
    Id,
    Title,
    Status,
    Priority,
    Assignee,
    Labels,
    Dependencies,
    Parent,
    DueDate,
    LeaseUntil,
    LeaseRun,
    RenumberTo,
    CreatedAt,
    UpdatedAt,
}

/// Which of its names a key goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// The one that we write.
    Own,
    /// One that other programs write.
    Foreign,
}

impl Key {
    /// Every key, in order.
    pub(super) const ALL: [Self; 14] = [
        Self::Id,
        Self::Title,
        Self::Status,
        Self::Priority,
        Self::Assignee,
        Self::Labels,
        Self::Dependencies,
        Self::Parent,
        Self::DueDate,
        Self::LeaseUntil,
        Self::LeaseRun,
        Self::RenumberTo,
        Self::CreatedAt,
        Self::UpdatedAt,
    ];

    /// The key as files have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Title => "title",
            Self::Status => "status",
            Self::Priority => "priority",
            Self::Assignee => "assignee",
            Self::Labels => "labels",
            Self::Dependencies => "dependencies",
            Self::Parent => "parent",
            Self::DueDate => "dueDate",
            Self::LeaseUntil => "leaseUntil",
            Self::LeaseRun => "leaseRun",
            Self::RenumberTo => "renumberTo",
            Self::CreatedAt => "createdAt",
            Self::UpdatedAt => "updatedAt",
        }
    }

    /// Finds a key by one of its names. Case matters, as everywhere in YAML.
    pub(super) fn named(text: &str) -> Option<(Self, Name)> {
        let key = match text {
            "due_date" => Self::DueDate,
            "created_at" | "created_date" => Self::CreatedAt,
            "updated_at" | "updated_date" => Self::UpdatedAt,
            "parent_task_id" => Self::Parent,
            _ => return Self::own(text).map(|key| (key, Name::Own)),
        };
        Some((key, Name::Foreign))
    }

    fn own(text: &str) -> Option<Self> {
        Some(match text {
            "id" => Self::Id,
            "title" => Self::Title,
            "status" => Self::Status,
            "priority" => Self::Priority,
            "assignee" => Self::Assignee,
            "labels" => Self::Labels,
            "dependencies" => Self::Dependencies,
            "parent" => Self::Parent,
            "dueDate" => Self::DueDate,
            "leaseUntil" => Self::LeaseUntil,
            "leaseRun" => Self::LeaseRun,
            "renumberTo" => Self::RenumberTo,
            "createdAt" => Self::CreatedAt,
            "updatedAt" => Self::UpdatedAt,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_by_its_name_and_they_are_in_order() {
        for (index, key) in Key::ALL.into_iter().enumerate() {
            assert_eq!(Key::named(key.name()), Some((key, Name::Own)));
            assert_eq!(key as usize, index);
        }
        assert!(Key::ALL.is_sorted());
    }

    #[test]
    fn names_that_other_programs_write_are_understood() {
        assert_eq!(Key::named("created_date"), Some((Key::CreatedAt, Name::Foreign)));
        assert_eq!(Key::named("parent_task_id"), Some((Key::Parent, Name::Foreign)));
        assert_eq!([Key::named("Title"), Key::named("duedate")], [None, None]);
    }
}
