//! An agent that shows checks something else than its commit, or makes our git run a command.

mod baseline;
mod clean_room;
mod commands;
mod hidden_changes;
mod links;
mod support;
mod unreadable;
