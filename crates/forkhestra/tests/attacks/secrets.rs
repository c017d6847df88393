//! Secrets that get into files of a run.
