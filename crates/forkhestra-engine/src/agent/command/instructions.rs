//! The instructions of an agent: system prompt and prompt.

use std::path::Path;

use forkhestra_core::plan::{DirectSpawn, PlanStep, Prompt, work_on};

use super::awareness;
use super::invocation_error::InvocationError;
use crate::regular_file;

/// The prompt for a step without one. Claude Code does not start without a message, and other
/// agents would do nothing.
pub(super) const NO_PROMPT: &str = "Do your work as described in your instructions.";

/// The instructions of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentInstructions {
    /// How it is run, and its role.
    pub system_prompt: String,
    pub prompt: String,
}

impl AgentInstructions {
    /// Reads the instructions of a step's agent, including files.
    pub fn read(
        step: &PlanStep,
        direct: &DirectSpawn,
        directory: &Path,
    ) -> Result<Self, InvocationError> {
        let own_prompt = read_text(&direct.system_prompt.value, directory, "system prompt")?;
        let prompt = read_text(&step.prompt.value, directory, "prompt")?;
        let mut system_prompt = awareness::prefix(step);
        if let Some(own_prompt) = own_prompt {
            system_prompt.push('\n');
            system_prompt.push_str(&own_prompt);
        }
        let prompt = match (&step.task, prompt) {
            (Some(task), Some(prompt)) => format!("{}\n\n{prompt}", work_on(task)),
            (Some(task), None) => work_on(task),
            (None, prompt) => prompt.unwrap_or_else(|| NO_PROMPT.to_owned()),
        };
        Ok(Self { system_prompt, prompt })
    }
}

/// The text of a prompt, or `None` if it is blank.
pub(crate) fn read_text(
    prompt: &Prompt,
    directory: &Path,
    what: &'static str,
) -> Result<Option<String>, InvocationError> {
    let text = match prompt {
        Prompt::None => return Ok(None),
        Prompt::Text(text) => text.clone(),
        Prompt::File(path) => regular_file::read_text(&directory.join(path)).map_err(|error| {
            let path = path.clone();
            InvocationError::Unreadable { what, path, error }
        })?,
    };
    // A blank text counts as none, in a file as on the command line.
    Ok((!text.trim().is_empty()).then_some(text))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::agent::command::tests::plan;

    #[test]
    fn a_prompt_file_is_passed_unchanged_unless_blank() {
        let directory = tempfile::tempdir().expect("there is room");
        let prompt = Prompt::File("prompt.md".to_owned());
        for (text, expected) in [("", None), (" \n\t\n", None), (" Fix it.\n", Some(" Fix it.\n"))]
        {
            fs::write(directory.path().join("prompt.md"), text).expect("the directory is ours");
            let read = read_text(&prompt, directory.path(), "prompt").expect("the file is there");
            assert_eq!(read.as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_prompt_file_that_has_gone_keeps_the_agent_from_starting() {
        let prompt = Prompt::File("gone.md".to_owned());
        let error = read_text(&prompt, Path::new("/nowhere"), "system prompt")
            .expect_err("it is not there")
            .to_string();
        assert!(error.starts_with("system prompt file `gone.md` cannot be read: "), "{error}");
    }

    #[test]
    fn runner_instructions_come_before_the_system_prompt() {
        let (step, direct) = plan(r#"{"systemPromptText": "You plan.\n"}"#, "a:3");
        let read =
            AgentInstructions::read(&step, &direct, Path::new("/")).expect("there are no files");
        let prefix = awareness::prefix(&step);
        assert_eq!(read.system_prompt, format!("{prefix}\nYou plan.\n"));
        assert!(prefix.ends_with(".\n"), "a blank line follows: {prefix:?}");
        assert_eq!(read.prompt, NO_PROMPT);
    }

    #[test]
    fn an_empty_system_prompt_leaves_the_runner_instructions() {
        let (step, direct) = plan(r#"{"systemPromptText": ""}"#, "a");
        let read =
            AgentInstructions::read(&step, &direct, Path::new("/")).expect("there are no files");
        assert_eq!(read.system_prompt, awareness::prefix(&step));
    }
}
