//! A model API on the loopback interface that answers by a script.
//!
//! Real agents talk to it instead of to a provider: it speaks Anthropic Messages, OpenAI Responses,
//! OpenAI Chat Completions and Gemini. A request that offers tools is a *main* request and gets the next
//! [`ModelTurn`]; what agents ask besides (titles, summaries, quotas) gets a fixed answer and moves nothing.
//!
//! [`ModelServer`] accepts connections, a thread each (`connection`), in which requests are read and
//! answers written (`http`). `protocol` finds out what is spoken, and one file for each protocol turns a
//! turn into what goes over the wire. A script is a list of turns, or a function of the request such as
//! [`task_model()`], which plans and builds. [`ProviderFault`] names the usual ways to fail. [`AgentClient::point_at`]
//! sets an agent up to know this server only.

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
