//! What an agent program is asked, and how that is put to it.

use std::ffi::OsString;
use std::path::Path;

use forkhestra_core::config::Backend;
use forkhestra_core::cost::Dollars;
use forkhestra_core::plan::DirectSpawn;

use super::host_facts::HostFacts;
use super::instructions::AgentInstructions;
use super::invocation_error::InvocationError;
use super::{claude, codex, gemini, opencode};

/// The system hands no longer argument to a program, and no longer variable.
const LONGEST: usize = 128 * 1024 - 1;

/// The name of the file that holds a system prompt.
const SYSTEM_PROMPT: &str = "system-prompt.md";

/// What an agent is asked.
#[derive(Clone, Copy)]
pub struct InvocationRequest<'a> {
    /// Which agent it is.
    pub direct: &'a DirectSpawn,
    /// Who it is, and what to do.
    pub instructions: &'a AgentInstructions,
    /// The user's own arguments.
    pub args: &'a [String],
    /// The most it may spend.
    pub budget: Option<Dollars>,
    /// Where it works, which paths are relative to.
    pub directory: &'a Path,
    /// Where its files will be.
    pub scratch: &'a Path,
    /// The variables that it gets anyway.
    pub inherited: &'a dyn Fn(&str) -> Option<OsString>,
    /// What the machine says.
    pub host: &'a HostFacts,
}

/// How an agent program is started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    /// What follows the program's name.
    pub args: Vec<String>,
    /// Variables, over those that it gets anyway.
    pub env: Vec<(String, String)>,
    /// What it reads; nothing, if there is nothing.
    pub stdin: Option<String>,
    /// Files in its scratch directory: their names and what they hold.
    pub files: Vec<(String, String)>,
}

/// Puts what is asked the way that the agent program understands.
pub fn invocation(asked: &InvocationRequest<'_>) -> Result<Invocation, InvocationError> {
    asked.check()?;
    let built = match asked.direct.backend {
        Backend::Claude => claude::invocation(asked),
        Backend::Codex => codex::invocation(asked),
        Backend::Gemini => gemini::invocation(asked),
        Backend::Opencode => opencode::invocation(asked),
    }?;
    built.check()?;
    Ok(built)
}

impl InvocationRequest<'_> {
    /// No program can be given a zero byte, whichever way.
    fn check(&self) -> Result<(), InvocationError> {
        let AgentInstructions { system_prompt, prompt } = self.instructions;
        let args = self.args.iter().map(|arg| ("an argument", arg));
        let texts = [("the system prompt", system_prompt), ("the prompt", prompt)];
        match texts.into_iter().chain(args).find(|(_, text)| text.contains('\0')) {
            Some((what, _)) => Err(InvocationError::ZeroByte { what }),
            None => Ok(()),
        }
    }

    /// The whole path of a file that the user named.
    pub(super) fn path(&self, written: &str) -> Result<String, InvocationError> {
        text(&self.directory.join(written))
    }

    /// The prompt, if it is not longer than the program reads.
    pub(super) fn prompt_up_to(&self, most: usize) -> Result<&str, InvocationError> {
        let prompt = self.instructions.prompt.as_str();
        if prompt.len() <= most {
            return Ok(prompt);
        }
        let program = self.direct.backend.title();
        Err(InvocationError::PromptTooLong { program, length: prompt.len(), most })
    }

    /// Whether somebody has given a variable a value already, which is then theirs.
    pub(super) fn has(&self, variable: &str) -> bool {
        (self.inherited)(variable).is_some()
    }
}

impl Invocation {
    /// What always comes first.
    pub(super) fn begin(args: &[&str]) -> Self {
        Self { args: args.iter().map(|arg| (*arg).to_owned()).collect(), ..Self::default() }
    }

    pub(super) fn arg(&mut self, arg: impl Into<String>) {
        self.args.push(arg.into());
    }

    /// An option whose value is an argument of its own.
    pub(super) fn option(&mut self, name: &str, value: impl Into<String>) {
        self.args.extend([name.to_owned(), value.into()]);
    }

    pub(super) fn set(&mut self, variable: &str, value: impl Into<String>) {
        self.env.push((variable.to_owned(), value.into()));
    }

    /// Puts the system prompt into a file, and gives its path.
    pub(super) fn system_prompt_file(
        &mut self,
        asked: &InvocationRequest<'_>,
    ) -> Result<String, InvocationError> {
        self.file(asked, SYSTEM_PROMPT, asked.instructions.system_prompt.clone())
    }

    /// Puts something into a file, and gives its path.
    pub(super) fn file(
        &mut self,
        asked: &InvocationRequest<'_>,
        name: &str,
        content: impl Into<String>,
    ) -> Result<String, InvocationError> {
        self.files.push((name.to_owned(), content.into()));
        text(&asked.scratch.join(name))
    }

    /// What is built from pieces that fit may be too long as a whole.
    fn check(&self) -> Result<(), InvocationError> {
        let too_long = self.env.iter().find(|(name, value)| name.len() + 1 + value.len() > LONGEST);
        match too_long {
            Some((name, value)) => {
                let (name, length) = (name.clone(), value.len());
                Err(InvocationError::VariableTooLong { name, length })
            }
            None => Ok(()),
        }
    }
}

/// Whether the system hands over an argument of this length.
pub(super) const fn fits(argument: &str) -> bool {
    argument.len() <= LONGEST
}

/// Arguments are text, so paths among them must be, too.
fn text(path: &Path) -> Result<String, InvocationError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| InvocationError::PathIsNoText { path: path.to_owned() })
}
