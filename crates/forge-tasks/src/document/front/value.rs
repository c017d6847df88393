//! Values that are written to front matter.

use super::FrontKey;

/// The new value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontValue {
    /// A text, quoted where it must be.
    Text(String),
    /// A text that is always quoted, so that no other program takes it for a date.
    Quoted(String),
    /// A list of texts. Empty ones are not written.
    List(Vec<String>),
}

/// One change of the front matter: a key is set or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontEdit {
    pub key: FrontKey,
    /// `None` removes the key.
    pub value: Option<FrontValue>,
}

/// Why front matter cannot be edited without changing something else.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` cannot be changed without changing something else in the front matter; edit the file",
    key.name()
)]
pub struct FrontEditError {
    /// The key that was to be changed.
    pub key: FrontKey,
}
