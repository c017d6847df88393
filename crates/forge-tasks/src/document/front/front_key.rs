//! The keys that have a meaning.

/// Which name of a key a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrontKeyName {
    /// The name that new files have.
    Own,
    /// A name that other programs write.
    Foreign,
}

/// The type of a key's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueType {
    Text,
    /// A text without blanks around it.
    Word,
    /// A list of texts.
    List,
    /// A name, or several in a list.
    Names,
}

/// Makes [`FrontKey`] from the table of keys.
macro_rules! keys {
    ($($key:ident = $name:literal: $value:ident $(, or $foreign:literal)*;)*) => {
        /// A key of the front matter, in the order of new files.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum FrontKey {
            $($key,)*
        }

        impl FrontKey {
            /// Every key, in order.
            pub(super) const ALL: [Self; [$($name),*].len()] = [$(Self::$key),*];

            /// The key as files have it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$key => $name,)*
                }
            }

            /// The type of its value.
            pub(super) const fn value_type(self) -> ValueType {
                match self {
                    $(Self::$key => ValueType::$value,)*
                }
            }

            /// Finds a key by one of its names. Case matters, as everywhere in YAML.
            pub(super) fn named(text: &str) -> Option<(Self, FrontKeyName)> {
                match text {
                    $($name => Some((Self::$key, FrontKeyName::Own)),)*
                    $($($foreign => Some((Self::$key, FrontKeyName::Foreign)),)*)*
                    _ => None,
                }
            }
        }
    };
}

keys! {
    Id = "id": Word;
    Title = "title": Text;
    Status = "status": Word;
    Priority = "priority": Word;
    Assignee = "assignee": Names;
    Labels = "labels": List;
    Dependencies = "dependencies": List;
    Parent = "parent": Text, or "parent_task_id";
    DueDate = "dueDate": Word, or "due_date";
    LeaseUntil = "leaseUntil": Word;
    LeaseRun = "leaseRun": Text;
    LeaseLane = "leaseLane": Word;
    Landing = "landing": Word;
    RenumberTo = "renumberTo": Word;
    CreatedAt = "createdAt": Word, or "created_at", or "created_date";
    UpdatedAt = "updatedAt": Word, or "updated_at", or "updated_date";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_by_its_name_and_they_are_in_order() {
        for (index, key) in FrontKey::ALL.into_iter().enumerate() {
            assert_eq!(FrontKey::named(key.name()), Some((key, FrontKeyName::Own)));
            assert_eq!(key as usize, index);
        }
        assert!(FrontKey::ALL.is_sorted());
    }

    #[test]
    fn names_that_other_programs_write_are_understood() {
        assert_eq!(
            FrontKey::named("created_date"),
            Some((FrontKey::CreatedAt, FrontKeyName::Foreign))
        );
        assert_eq!(
            FrontKey::named("parent_task_id"),
            Some((FrontKey::Parent, FrontKeyName::Foreign))
        );
        assert_eq!([FrontKey::named("Title"), FrontKey::named("duedate")], [None, None]);
    }
}
