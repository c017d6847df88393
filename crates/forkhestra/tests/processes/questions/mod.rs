//! Questions to a person, who answers from another process or at the terminal of the run.

mod answers;
mod answers_at_terminal;
mod endings;
mod hooks;
mod killed;
mod late_answers;
mod printed_commands;
mod refusals;
mod rounds;
mod support;
mod timeouts;
