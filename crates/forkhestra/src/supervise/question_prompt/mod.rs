//! Answers to the questions of a run at its own terminal.

mod answer_dialog;
mod prompt_input;
mod terminal_prompt;
#[cfg(test)]
mod tests;
mod typed_lines;

pub(super) use terminal_prompt::TerminalPrompt;
