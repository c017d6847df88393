//! A scripted model API on the loopback interface.
//!
//! Real agents use it in place of a provider. It supports Anthropic Messages, OpenAI Responses,
//! OpenAI Chat Completions and Gemini. A request that offers tools is a *main* request and gets the
//! next [`ModelTurn`]. Other requests (titles, summaries, quotas) get a fixed reply and do not
//! advance the script.
//!
//! [`ModelServer`] accepts connections, with a thread for each (`connection`), which reads requests
//! and writes replies (`http`). `protocol` detects the protocol, and one file for each protocol
//! encodes a turn. A script is a list of turns, or a function of the request such as
//! [`task_model()`], which plans and builds. [`ProviderFault`] lists common failures.
//! [`AgentClient::point_at`] makes this server the only provider of an agent.

mod agent;
mod anthropic;
mod chat;
mod connection;
mod gemini;
mod http;
mod http_request;
mod model_turn;
mod protocol;
mod provider_fault;
mod responses;
mod server;
mod server_sent_event;
mod server_state;
mod task_model;
#[cfg(test)]
mod tests;

pub use agent::AgentClient;
pub use http_request::HttpRequest;
pub use model_turn::{ModelTurn, TokenUsage};
pub use provider_fault::ProviderFault;
pub use server::ModelServer;
pub use task_model::task_model;
