//! An agent that makes a check pass without doing the work.
