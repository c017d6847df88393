//! The real programs, installed from npm, against a scripted model server on loopback.
//!
//! `cargo xtask test` installs them. Without them, each test prints that it is skipped.

mod as_program;
mod build_all;
mod denials;
mod errors;
mod failed_tools;
mod fallback;
mod flow;
mod idle_stream;
mod idle_timeout;
mod lanes;
mod limits;
mod past_work;
mod probe;
mod real_agent_project;
mod signals;
mod work;

use testkit::AgentClient;

/// Generates a test for each agent from functions that take an `AgentClient`.
macro_rules! for_each_agent {
    ($($scenario:ident),* $(,)?) => {
        $(
            mod $scenario {
                use testkit::AgentClient;

                #[test]
                fn claude() {
                    super::$scenario(AgentClient::Claude);
                }

                #[test]
                fn codex() {
                    super::$scenario(AgentClient::Codex);
                }

                #[test]
                fn gemini() {
                    super::$scenario(AgentClient::Gemini);
                }

                #[test]
                fn opencode() {
                    super::$scenario(AgentClient::Opencode);
                }
            }
        )*
    };
}

use for_each_agent;

/// The error body of a provider, in the format of its API.
fn error_body(agent: AgentClient, kind: &str, message: &str) -> serde_json::Value {
    match agent {
        AgentClient::Claude => {
            serde_json::json!({ "type": "error", "error": { "type": kind, "message": message } })
        }
        AgentClient::Codex | AgentClient::Opencode => {
            serde_json::json!({ "error": { "type": kind, "code": kind, "message": message } })
        }
        AgentClient::Gemini => {
            serde_json::json!({ "error": { "code": 400, "status": kind, "message": message } })
        }
    }
}
