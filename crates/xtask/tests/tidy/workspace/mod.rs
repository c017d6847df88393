//! What the rules read: the files of the repository, parsed.

pub(crate) mod comments;
pub(crate) mod finding;
pub(crate) mod imports;
pub(crate) mod packages;
pub(crate) mod paths;
pub(crate) mod repository;
pub(crate) mod source;
pub(crate) mod tokens;
