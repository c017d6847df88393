//! Questions to a person, who answers from another process.

mod answers;
mod endings;
mod hooks;
mod killed;
mod late_answers;
mod printed_commands;
mod refusals;
mod rounds;
mod support;
mod timeouts;
