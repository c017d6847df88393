//! The directory of tasks: finding it, reading it, and writing to it one at a time.
//!
//! Readers need no lock and create nothing. A [`DatabaseWriter`] holds the lock of the directory,
//! and only it has the methods that write. Everything below the directory is reached through an
//! open handle of it, and no symbolic link there is ever followed.

mod config;
mod error;
mod files;
mod find_task;
mod id_counter;
mod locate;
mod read;
mod reader;
mod store;
mod stored;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use config::{CONFIG, merge_config};
pub use config::{
    ConfigState, ExistingConfig, IdSettings, InitSettings, TasksConfig, TasksConfigError, merged,
};
pub use error::DatabaseError;
pub(crate) use files::file_name::id_of;
pub use files::file_name::is_named_after;
pub use find_task::FindTaskError;
pub(crate) use id_counter::last_number_of;
pub use locate::{find, place_for_new};
pub use reader::Database;
pub use stored::{BrokenFile, DirectoryListing, FileFault, StoredFile, TaskDirectory, TaskScope};
pub use writer::DatabaseWriter;
