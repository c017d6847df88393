//! What the model says, one turn after the other.

use std::time::Duration;

use serde_json::{Value, json};

/// How many characters of a text are sent at once.
const PIECE: usize = 16;

/// One answer of the model, or the way in which there is none.
#[derive(Debug, Clone)]
pub struct ModelTurn {
    pub(crate) text: String,
    pub(crate) thinking: String,
    pub(crate) tools: Vec<TurnTool>,
    pub(crate) usage: TokenUsage,
    pub(crate) stop: Option<String>,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) error: Option<Value>,
    pub(crate) delay: Duration,
    pub(crate) delivery: TurnDelivery,
}

/// What one answer costs, in tokens. The four do not overlap, whatever a protocol makes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenUsage {
    /// What was read, and neither came from a cache nor went into one.
    pub input: u64,
    /// What was written.
    pub output: u64,
    /// What was read from a cache.
    pub cache_read: u64,
    /// What was read and put into a cache.
    pub cache_write: u64,
}

/// A tool that the model wants to be run.
#[derive(Debug, Clone)]
pub(crate) struct TurnTool {
    pub(crate) name: String,
    pub(crate) input: TurnToolInput,
}

#[derive(Debug, Clone)]
pub(crate) enum TurnToolInput {
    Arguments(Value),
    /// Free text, which only the Responses protocol knows.
    Text(String),
}

/// How much of an answer arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnDelivery {
    Whole,
    Cut,
    Malformed,
    Never,
}

impl ModelTurn {
    /// An answer that says nothing. Use it for tools and errors without a text.
    pub fn new() -> Self {
        Self {
            text: String::new(),
            thinking: String::new(),
            tools: Vec::new(),
            usage: TokenUsage::default(),
            stop: None,
            status: 200,
            headers: Vec::new(),
            error: None,
            delay: Duration::ZERO,
            delivery: TurnDelivery::Whole,
        }
    }

    /// An answer that says this, in pieces of 16 characters.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::new() }
    }

    /// Adds a thought before the text. Chat Completions has no place for it.
    #[must_use]
    pub fn thinking(self, thinking: impl Into<String>) -> Self {
        Self { thinking: thinking.into(), ..self }
    }

    /// Asks for a tool after the text.
    #[must_use]
    pub fn tool(self, name: &str, arguments: Value) -> Self {
        self.with_tool(name, TurnToolInput::Arguments(arguments))
    }

    /// Asks for a tool that takes free text, such as Codex's `apply_patch`. Only Responses has these;
    /// elsewhere it is a tool with the one argument `input`.
    #[must_use]
    pub fn custom_tool(self, name: &str, input: impl Into<String>) -> Self {
        self.with_tool(name, TurnToolInput::Text(input.into()))
    }

    fn with_tool(mut self, name: &str, input: TurnToolInput) -> Self {
        self.tools.push(TurnTool { name: name.to_owned(), input });
        self
    }

    /// Says what the answer costs.
    #[must_use]
    pub fn usage(self, usage: TokenUsage) -> Self {
        Self { usage, ..self }
    }

    /// Answers with an HTTP status other than 200 and no turn at all.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Adds a header to the answer.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// The body of an answer with an error status. With status 200 the answer breaks off with this
    /// error in the middle of the stream.
    #[must_use]
    pub fn error(self, error: Value) -> Self {
        Self { error: Some(error), ..self }
    }

    /// Drops the connection after the first piece of text.
    #[must_use]
    pub fn cut(self) -> Self {
        Self { delivery: TurnDelivery::Cut, ..self }
    }

    /// Answers with status 200 and a stream that no protocol knows.
    #[must_use]
    pub fn malformed(self) -> Self {
        Self { delivery: TurnDelivery::Malformed, ..self }
    }

    /// Never answers: the connection stays open until the server or the client is gone.
    #[must_use]
    pub fn hang(self) -> Self {
        Self { delivery: TurnDelivery::Never, ..self }
    }

    /// Waits before it answers.
    #[must_use]
    pub fn delay(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Gives another reason for the end of the answer, in the words of the protocol: `refusal`,
    /// `max_tokens`, `SAFETY`.
    #[must_use]
    pub fn stop(self, reason: &str) -> Self {
        Self { stop: Some(reason.to_owned()), ..self }
    }

    /// The text as it is sent.
    pub(crate) fn pieces(&self) -> Vec<String> {
        let characters: Vec<char> = self.text.chars().collect();
        characters.chunks(PIECE).map(|piece| piece.iter().collect()).collect()
    }

    /// Why the answer ends: what the script says, or one of the protocol's two usual words.
    pub(crate) fn stop_or<'turn>(&'turn self, tools: &'turn str, done: &'turn str) -> &'turn str {
        let usual = if self.tools.is_empty() { done } else { tools };
        self.stop.as_deref().unwrap_or(usual)
    }
}

impl Default for ModelTurn {
    fn default() -> Self {
        Self::new()
    }
}

impl TokenUsage {
    /// Everything that was read, as protocols count that have one number for it.
    pub(crate) fn all_input(self) -> u64 {
        self.input + self.cache_read + self.cache_write
    }

    pub(crate) fn total(self) -> u64 {
        self.all_input() + self.output
    }
}

impl Default for TokenUsage {
    /// What an answer costs of which nothing is said.
    fn default() -> Self {
        Self { input: 100, output: 20, cache_read: 0, cache_write: 0 }
    }
}

impl TurnTool {
    /// Its input for protocols that know named arguments only.
    pub(crate) fn arguments(&self) -> Value {
        match &self.input {
            TurnToolInput::Arguments(arguments) => arguments.clone(),
            TurnToolInput::Text(text) => json!({ "input": text }),
        }
    }
}
