mod anthropic;
mod chat;
mod client;
mod gemini;
mod responses;
mod server;
mod task_model;
