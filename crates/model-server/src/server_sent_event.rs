//! Server-sent events of a reply.

use serde_json::Value;

use crate::model_turn::ModelTurn;

/// A request that gets a turn as its reply.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelCall<'server> {
    pub(crate) turn: &'server ModelTurn,
    pub(crate) model: &'server str,
    /// A number that no other request has.
    pub(crate) serial: u64,
}

impl ModelCall<'_> {
    /// A unique id for a part of the reply.
    pub(crate) fn id(&self, kind: &str, index: usize) -> String {
        format!("{kind}_{}_{index}", self.serial)
    }
}

/// One server-sent event.
#[derive(Debug)]
pub(crate) struct ServerSentEvent {
    name: Option<String>,
    data: String,
    /// Whether it is a piece of the text: replies are cut there.
    pub(crate) is_text: bool,
}

impl ServerSentEvent {
    /// An event whose name is its `type`.
    pub(crate) fn named(data: &Value) -> Self {
        let name = data["type"].as_str().map(str::to_owned);
        Self { name, data: data.to_string(), is_text: false }
    }

    /// An event without a name.
    pub(crate) fn plain(data: &Value) -> Self {
        Self { name: None, data: data.to_string(), is_text: false }
    }

    /// An event that is not JSON.
    pub(crate) fn word(word: &str) -> Self {
        Self { name: None, data: word.to_owned(), is_text: false }
    }

    /// Marks the event as a piece of the text.
    pub(crate) fn text(self) -> Self {
        Self { is_text: true, ..self }
    }

    /// The encoded event.
    pub(crate) fn encoded(&self) -> String {
        let name = self.name.iter().map(|name| format!("event: {name}\n")).collect::<String>();
        format!("{name}data: {}\n\n", self.data)
    }
}
