//! An agent that shows checks something else than its commit, or makes our git run a command.
