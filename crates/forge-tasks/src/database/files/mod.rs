//! Files of the database: names, listing, atomic writes, the lock.

pub(crate) mod compare_and_swap;
pub(crate) mod database_lock;
pub(crate) mod directory_handle;
pub(crate) mod file_name;
pub(crate) mod list_files;
pub(crate) mod temporary_file;
