//! The supported agent programs and their settings.

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
    /// All agent programs.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode];

    /// The name of the executable.
    pub const fn program(self) -> &'static str {
        self.word()
    }

    /// The environment variable that names another executable instead.
    pub const fn path_variable(self) -> &'static str {
        match self {
            Self::Claude => "CLAUDE_PATH",
            Self::Codex => "CODEX_PATH",
            Self::Gemini => "GEMINI_PATH",
            Self::Opencode => "OPENCODE_PATH",
        }
    }

    /// The product name, for messages.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Opencode => "opencode",
        }
    }

    /// How to log in, for messages.
    pub const fn log_in(self) -> &'static str {
        match self {
            Self::Claude => "log in by starting `claude`",
            Self::Codex => "log in with `codex login`",
            Self::Gemini => "log in by starting `gemini`",
            Self::Opencode => "log in with `opencode auth login`",
        }
    }

    /// The environment variable that holds the API key of its only provider.
    pub const fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::Claude => Some("ANTHROPIC_API_KEY"),
            Self::Codex => Some("CODEX_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Opencode => None,
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
