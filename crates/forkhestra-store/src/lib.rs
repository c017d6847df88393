//! Keeps runs on disk: the journal that is the truth, the lock, and what agents printed.
