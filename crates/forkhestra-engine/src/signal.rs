//! Signals that are sent to us.
