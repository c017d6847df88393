//! The stream of Claude Code, line by line, in the format of recorded streams.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// The session id of every stream.
const SESSION: &str = "3c311f1b-df38-4332-9a17-3b948a529581";

/// A time this many seconds from now, in seconds since 1970.
pub(crate) fn in_seconds(seconds: i64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
    i64::try_from(now.as_secs()).expect("it is not that late") + seconds
}

/// The stream of one iteration.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScriptedStream {
    lines: Vec<String>,
    messages: u32,
    tools: u32,
}

impl ScriptedStream {
    /// A stream with the usual first line and a key from the environment.
    pub(crate) fn new() -> Self {
        Self::paid_by("ANTHROPIC_API_KEY")
    }

    /// A stream whose `apiKeySource` is `source`.
    pub(crate) fn paid_by(source: &str) -> Self {
        let stream = Self::default();
        stream.line(&json!({
            "type": "system", "subtype": "init", "cwd": "/home/user/project",
            "session_id": SESSION, "tools": ["Bash", "Read", "Write"], "mcp_servers": [],
            "model": "claude-sonnet-5-5", "permissionMode": "bypassPermissions",
            "apiKeySource": source, "claude_code_version": "2.1.325",
        }))
    }

    pub(crate) fn line(mut self, event: &Value) -> Self {
        self.lines.push(event.to_string());
        self
    }

    /// Adds a line unchanged.
    pub(crate) fn raw(mut self, line: &str) -> Self {
        self.lines.push(line.to_owned());
        self
    }

    /// A message of the model.
    pub(crate) fn model_message(self, text: &str) -> Self {
        self.message(&json!({ "type": "text", "text": text }), &Value::Null)
    }

    /// A thinking block.
    pub(crate) fn thinks(self, text: &str) -> Self {
        let block = json!({ "type": "thinking", "thinking": text, "signature": "c2ln" });
        self.message(&block, &Value::Null)
    }

    /// A message of a subagent.
    pub(crate) fn subagent_says(self, text: &str) -> Self {
        self.message(&json!({ "type": "text", "text": text }), &json!("toolu_1"))
    }

    /// A tool call and its result.
    pub(crate) fn runs(mut self, command: &str, output: &str) -> Self {
        self.tools += 1;
        let id = format!("toolu_{}", self.tools);
        let input = json!({ "command": command });
        let call = json!({ "type": "tool_use", "id": id, "name": "Bash", "input": input });
        self.message(&call, &Value::Null).line(&json!({
            "type": "user", "parent_tool_use_id": null, "session_id": SESSION,
            "message": { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": id, "content": output, "is_error": false },
            ] },
        }))
    }

    fn message(mut self, block: &Value, parent: &Value) -> Self {
        self.messages += 1;
        let id = format!("msg_{}", self.messages);
        self.line(&json!({
            "type": "assistant", "parent_tool_use_id": parent, "session_id": SESSION,
            "message": {
                "id": id, "type": "message", "role": "assistant", "model": "claude-sonnet-5-5",
                "content": [block], "stop_reason": null, "stop_sequence": null,
                "usage": {
                    "input_tokens": 1000, "output_tokens": 50,
                    "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
                },
            },
        }))
    }

    /// A retry of a request.
    pub(crate) fn retries(self, status: u16, why: &str) -> Self {
        self.line(&json!({
            "type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10,
            "retry_delay_ms": 576, "error_status": status, "error": why, "session_id": SESSION,
        }))
    }

    /// The usage limit of the account is reached.
    pub(crate) fn reaches_usage_limit(self, resets: i64) -> Self {
        self.line(&json!({
            "type": "rate_limit_event", "session_id": SESSION,
            "rate_limit_info": {
                "status": "rejected", "resetsAt": resets, "rateLimitType": "five_hour",
                "isUsingOverage": false,
            },
        }))
        .ends(&json!({
            "subtype": "success", "is_error": true, "api_error_status": 429,
            "api_error_type": "rate_limit_error", "api_error": "usage_limit_reached",
            "terminal_reason": "api_error", "total_cost_usd": 0,
            "result": "You've hit your 5-hour limit · resets 3:33am (UTC)",
        }))
    }

    /// The account has used these shares of its windows, which end in so many seconds.
    pub(crate) fn reports_quota(self, five_hours: (f64, i64), seven_days: (f64, i64)) -> Self {
        let window = |(used, resets): (f64, i64)| json!({ "utilization": used, "resetsAt": in_seconds(resets), "status": "allowed" });
        self.line(&json!({
            "type": "rate_limit_event", "session_id": SESSION,
            "rate_limit_info": {
                "status": "allowed", "resetsAt": in_seconds(five_hours.1),
                "rateLimitType": "five_hour", "isUsingOverage": false,
                "unifiedWindows": {
                    "five_hour": window(five_hours), "seven_day": window(seven_days),
                },
            },
        }))
    }

    /// A successful result with this cost.
    pub(crate) fn succeeds(self, dollars: f64) -> Self {
        self.ends(&json!({
            "subtype": "success", "is_error": false, "terminal_reason": "completed",
            "total_cost_usd": dollars,
        }))
    }

    /// A result with these fields; the others have their usual values.
    pub(crate) fn ends(self, output: &Value) -> Self {
        let mut result = json!({
            "type": "result", "session_id": SESSION, "duration_ms": 10, "num_turns": 1,
            "stop_reason": "end_turn", "permission_denials": [], "result": "",
            "usage": {
                "input_tokens": 1000, "output_tokens": 50,
                "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            },
        });
        let output = output.as_object().expect("an object was given");
        for (key, value) in output {
            result[key] = value.clone();
        }
        self.line(&result)
    }

    /// All lines, each with a line break.
    pub(crate) fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}
