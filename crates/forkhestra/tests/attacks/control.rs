//! An agent that controls its own run.
