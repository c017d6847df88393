//! An agent that interferes with the processes of its run.
