//! Answers to the questions of a run at its own terminal.

mod answer_dialog;
mod prompt_commands;
mod terminal_prompt;

pub(super) use prompt_commands::PromptCommands;
pub(super) use terminal_prompt::TerminalPrompt;
