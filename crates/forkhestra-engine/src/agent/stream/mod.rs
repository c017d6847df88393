//! Turns the bytes of an agent's stream into events.

pub mod agent_event;
pub(crate) mod agent_stream_reader;
pub(crate) mod conclude;
pub(crate) mod dialect;
pub(crate) mod line_splitter;
pub(crate) mod listener_config;
pub(crate) mod message_text;
pub(crate) mod open_calls;
pub(crate) mod plain_text_scanner;
pub(crate) mod program_reader;
pub(crate) mod stream_interpreter;
pub(crate) mod stream_listener;
