//! Builds the invocation of an agent from a request.

use std::ffi::OsString;
use std::path::Path;

use forkhestra_core::cost::Dollars;
use forkhestra_core::plan::DirectSpawn;

use super::host_facts::HostFacts;
use super::instructions::AgentInstructions;
use super::invocation_error::InvocationError;
use crate::agent::agent_backend::agent_backend;

/// The longest argument or variable that the system passes to a program.
const MAX_ARGUMENT_BYTES: usize = 128 * 1024 - 1;

/// The name of the file with the system prompt.
const SYSTEM_PROMPT: &str = "system-prompt.md";

/// Everything that decides how an agent is invoked.
#[derive(Clone, Copy)]
pub struct InvocationRequest<'a> {
    pub direct: &'a DirectSpawn,
    pub instructions: &'a AgentInstructions,
    /// The user's additional arguments.
    pub args: &'a [String],
    /// The budget of this invocation.
    pub budget: Option<Dollars>,
    /// The working directory, which paths are relative to.
    pub directory: &'a Path,
    /// The directory for its files.
    pub scratch: &'a Path,
    /// Looks up an inherited variable.
    pub inherited: &'a dyn Fn(&str) -> Option<OsString>,
    pub host: &'a HostFacts,
}

/// The invocation of an agent program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    /// The arguments without the program's name.
    pub args: Vec<String>,
    /// Variables that are added to the inherited ones.
    pub env: Vec<(String, String)>,
    /// The standard input, if there is one.
    pub stdin: Option<String>,
    /// Files in its scratch directory: names and contents.
    pub files: Vec<(String, String)>,
}

/// Builds the invocation in the syntax of the agent program.
pub fn invocation(asked: &InvocationRequest<'_>) -> Result<Invocation, InvocationError> {
    asked.check()?;
    let built = (agent_backend(asked.direct.backend).invocation)(asked)?;
    built.check()?;
    Ok(built)
}

impl InvocationRequest<'_> {
    /// Rejects zero bytes, which cannot be passed to a program.
    fn check(&self) -> Result<(), InvocationError> {
        let AgentInstructions { system_prompt, prompt } = self.instructions;
        let args = self.args.iter().map(|arg| ("an argument", arg));
        let texts = [("the system prompt", system_prompt), ("the prompt", prompt)];
        match texts.into_iter().chain(args).find(|(_, text)| text.contains('\0')) {
            Some((what, _)) => Err(InvocationError::ZeroByte { what }),
            None => Ok(()),
        }
    }

    /// The absolute path of a file that the user named.
    pub(in crate::agent) fn path(&self, written: &str) -> Result<String, InvocationError> {
        text(&self.directory.join(written))
    }

    /// The prompt, if it is within the limit of the program.
    pub(in crate::agent) fn prompt_up_to(&self, limit: usize) -> Result<&str, InvocationError> {
        let prompt = self.instructions.prompt.as_str();
        if prompt.len() <= limit {
            return Ok(prompt);
        }
        let program = self.direct.backend.title();
        Err(InvocationError::PromptTooLong { program, length: prompt.len(), limit })
    }

    /// Whether a variable is already set, so that it must not be overridden.
    pub(in crate::agent) fn has(&self, variable: &str) -> bool {
        (self.inherited)(variable).is_some()
    }
}

impl Invocation {
    /// Starts with these arguments.
    pub(in crate::agent) fn begin(args: &[&str]) -> Self {
        Self { args: args.iter().map(|arg| (*arg).to_owned()).collect(), ..Self::default() }
    }

    pub(in crate::agent) fn arg(&mut self, arg: impl Into<String>) {
        self.args.push(arg.into());
    }

    /// Adds an option whose value is a separate argument.
    pub(in crate::agent) fn option(&mut self, name: &str, value: impl Into<String>) {
        self.args.extend([name.to_owned(), value.into()]);
    }

    pub(in crate::agent) fn set(&mut self, variable: &str, value: impl Into<String>) {
        self.env.push((variable.to_owned(), value.into()));
    }

    /// Adds a file with the system prompt, and returns its path.
    pub(in crate::agent) fn system_prompt_file(
        &mut self,
        asked: &InvocationRequest<'_>,
    ) -> Result<String, InvocationError> {
        self.file(asked, SYSTEM_PROMPT, asked.instructions.system_prompt.clone())
    }

    /// Adds a file, and returns its path.
    pub(in crate::agent) fn file(
        &mut self,
        asked: &InvocationRequest<'_>,
        name: &str,
        content: impl Into<String>,
    ) -> Result<String, InvocationError> {
        self.files.push((name.to_owned(), content.into()));
        text(&asked.scratch.join(name))
    }

    /// Checks the lengths of variables, which are composed of several parts.
    fn check(&self) -> Result<(), InvocationError> {
        let too_long =
            self.env.iter().find(|(name, value)| name.len() + 1 + value.len() > MAX_ARGUMENT_BYTES);
        match too_long {
            Some((name, value)) => {
                let (name, length) = (name.clone(), value.len());
                Err(InvocationError::VariableTooLong { name, length })
            }
            None => Ok(()),
        }
    }
}

/// Whether the system passes an argument of this length.
pub(in crate::agent) const fn fits(argument: &str) -> bool {
    argument.len() <= MAX_ARGUMENT_BYTES
}

/// A path as an argument, which must be UTF-8.
fn text(path: &Path) -> Result<String, InvocationError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| InvocationError::PathIsNoText { path: path.to_owned() })
}
