//! Tests of statistics with journals that are written by hand.

mod hand_made;
mod journal_script;
mod journals;
mod single_runs;
