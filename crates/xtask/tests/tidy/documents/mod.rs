//! Rules about the pages of the book.

pub(crate) mod book;
pub(crate) mod promises;
