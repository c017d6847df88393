//! The turns of the scripted model.

use std::time::Duration;

use serde_json::{Value, json};

/// The number of characters sent at once.
const CHUNK_CHARS: usize = 16;

/// One reply of the model, or a failure.
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

/// The tokens of one reply. The four counts do not overlap, whatever a protocol makes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenUsage {
    /// Input that neither came from a cache nor went into one.
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    /// Input that was written into a cache.
    pub cache_write: u64,
}

/// A tool call of the model.
#[derive(Debug, Clone)]
pub(crate) struct TurnTool {
    pub(crate) name: String,
    pub(crate) input: TurnToolInput,
}

#[derive(Debug, Clone)]
pub(crate) enum TurnToolInput {
    Arguments(Value),
    /// Free text, which only the Responses protocol supports.
    Text(String),
}

/// How much of a reply is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnDelivery {
    Whole,
    Cut,
    Malformed,
    Never,
}

impl ModelTurn {
    /// An empty reply. Use it for tools and errors without a text.
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

    /// A reply with this text, sent in pieces of 16 characters.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::new() }
    }

    /// Adds thinking before the text. Chat Completions does not support it.
    #[must_use]
    pub fn thinking(self, thinking: impl Into<String>) -> Self {
        Self { thinking: thinking.into(), ..self }
    }

    /// Adds a tool call after the text.
    #[must_use]
    pub fn tool(self, name: &str, arguments: Value) -> Self {
        self.with_tool(name, TurnToolInput::Arguments(arguments))
    }

    /// Adds a call of a tool that takes free text, such as Codex's `apply_patch`. Only Responses
    /// supports these; elsewhere it is a tool with the one argument `input`.
    #[must_use]
    pub fn custom_tool(self, name: &str, input: impl Into<String>) -> Self {
        self.with_tool(name, TurnToolInput::Text(input.into()))
    }

    fn with_tool(mut self, name: &str, input: TurnToolInput) -> Self {
        self.tools.push(TurnTool { name: name.to_owned(), input });
        self
    }

    /// Sets the tokens of the reply.
    #[must_use]
    pub fn usage(self, usage: TokenUsage) -> Self {
        Self { usage, ..self }
    }

    /// Replies with an HTTP status other than 200 and no turn.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Adds a header to the reply.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// The body of a reply with an error status. With status 200 the stream breaks off with this
    /// error.
    #[must_use]
    pub fn error(self, error: Value) -> Self {
        Self { error: Some(error), ..self }
    }

    /// Drops the connection after the first piece of text.
    #[must_use]
    pub fn cut(self) -> Self {
        Self { delivery: TurnDelivery::Cut, ..self }
    }

    /// Replies with status 200 and an invalid stream.
    #[must_use]
    pub fn malformed(self) -> Self {
        Self { delivery: TurnDelivery::Malformed, ..self }
    }

    /// Never replies: the connection stays open until the server or the client ends.
    #[must_use]
    pub fn hang(self) -> Self {
        Self { delivery: TurnDelivery::Never, ..self }
    }

    /// Delays the reply.
    #[must_use]
    pub fn delay(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Sets the stop reason, in the words of the protocol: `refusal`, `max_tokens`, `SAFETY`.
    #[must_use]
    pub fn stop(self, reason: &str) -> Self {
        Self { stop: Some(reason.to_owned()), ..self }
    }

    /// The text in the pieces in which it is sent.
    pub(crate) fn pieces(&self) -> Vec<String> {
        let characters: Vec<char> = self.text.chars().collect();
        characters.chunks(CHUNK_CHARS).map(|piece| piece.iter().collect()).collect()
    }

    /// The stop reason: that of the script, or one of the protocol's two usual words.
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
    /// All input tokens, for protocols with a single count.
    pub(crate) fn all_input(self) -> u64 {
        self.input + self.cache_read + self.cache_write
    }

    pub(crate) fn total(self) -> u64 {
        self.all_input() + self.output
    }
}

impl Default for TokenUsage {
    /// The tokens of a reply without explicit usage.
    fn default() -> Self {
        Self { input: 100, output: 20, cache_read: 0, cache_write: 0 }
    }
}

impl TurnTool {
    /// The input for protocols that only support named arguments.
    pub(crate) fn arguments(&self) -> Value {
        match &self.input {
            TurnToolInput::Arguments(arguments) => arguments.clone(),
            TurnToolInput::Text(text) => json!({ "input": text }),
        }
    }
}
