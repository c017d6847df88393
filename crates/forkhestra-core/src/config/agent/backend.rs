//! The supported agent programs and their settings.

mod claude;
mod codex;
mod gemini;
mod opencode;

use super::backend_facts::BackendFacts;
use crate::config::decode::record::choice;

choice! {
    /// The agent program that a system prompt is for.
    pub enum Backend {
        /// Claude Code.
        Claude = "claude",
        /// Codex.
        Codex = "codex",
        /// Gemini CLI.
        Gemini = "gemini",
        /// opencode.
        Opencode = "opencode",
    }
}

choice! {
    /// Whether an agent asks before it uses its tools. Prompts are never answered.
    pub enum Permissions {
        /// It does not ask.
        Skip = "skip",
        /// As its own settings define; a prompt counts as denied.
        Default = "default",
    }
}

choice! {
    /// Which payment method an agent may use.
    pub enum Billing {
        /// Any method.
        Any = "any",
        /// A subscription, never an API key.
        Subscription = "subscription",
        /// An API key, never a subscription.
        ApiKey = "api-key",
    }
}

impl Backend {
    /// The name of the executable.
    pub const fn program(self) -> &'static str {
        self.word()
    }

    /// The product name, for messages.
    pub fn title(self) -> &'static str {
        self.facts().title
    }

    /// The table of agent programs.
    pub fn facts(self) -> &'static BackendFacts {
        match self {
            Self::Claude => &claude::FACTS,
            Self::Codex => &codex::FACTS,
            Self::Gemini => &gemini::FACTS,
            Self::Opencode => &opencode::FACTS,
        }
    }
}

#[expect(clippy::derivable_impls, reason = "the macro that defines the words derives no default")]
impl Default for Backend {
    fn default() -> Self {
        Self::Claude
    }
}

#[expect(clippy::derivable_impls, reason = "the macro that defines the words derives no default")]
impl Default for Permissions {
    fn default() -> Self {
        Self::Skip
    }
}

#[expect(clippy::derivable_impls, reason = "the macro that defines the words derives no default")]
impl Default for Billing {
    fn default() -> Self {
        Self::Any
    }
}
