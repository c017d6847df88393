//! The real programs, installed from npm, against a scripted model server on loopback.
//!
//! `cargo xtask test` installs them. Where they are not there, each test says that it is skipped.

mod as_program;
mod build_all;
mod built_in;
mod denials;
mod errors;
mod failed_tools;
mod idle;
mod limits;
mod probe;
mod signals;
mod silence;
mod stage;
mod work;

use testkit::Agent;

/// Makes a test for each agent of functions that take one.
macro_rules! for_each_agent {
    ($($scenario:ident),* $(,)?) => {
        $(
            mod $scenario {
                use testkit::Agent;

                #[test]
                fn claude() {
                    super::$scenario(Agent::Claude);
                }

                #[test]
                fn codex() {
                    super::$scenario(Agent::Codex);
                }

                #[test]
                fn gemini() {
                    super::$scenario(Agent::Gemini);
                }

                #[test]
                fn opencode() {
                    super::$scenario(Agent::Opencode);
                }
            }
        )*
    };
}

use for_each_agent;

/// The error of each provider for one status, in its own words.
fn error_body(agent: Agent, kind: &str, message: &str) -> serde_json::Value {
    match agent {
        Agent::Claude => {
            serde_json::json!({ "type": "error", "error": { "type": kind, "message": message } })
        }
        Agent::Codex | Agent::Opencode => {
            serde_json::json!({ "error": { "type": kind, "code": kind, "message": message } })
        }
        Agent::Gemini => {
            serde_json::json!({ "error": { "code": 400, "status": kind, "message": message } })
        }
    }
}
