//! An agent that tries to leave its sandbox.
