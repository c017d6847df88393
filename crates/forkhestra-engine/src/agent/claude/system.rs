//! `system` events of Claude Code.

use std::borrow::Cow;
use std::time::Duration;

use forkhestra_core::time::Timestamp;
use serde::Deserialize;

use crate::agent::json::lenient_json::{Lenient, LenientString};
use crate::agent::stream::agent_event::{AgentEventKind, AgentReady, LimitNotice, ProviderRetry};

/// Frequent events that are not displayed.
const SILENT: [&str; 13] = [
    "background_tasks_changed",
    "compact_boundary",
    "files_persisted",
    "hook_progress",
    "hook_response",
    "hook_started",
    "status",
    "task_notification",
    "task_progress",
    "task_started",
    "task_updated",
    "thinking_tokens",
    "ui_invalidate",
];

/// Events that show progress of the model, a subagent or a hook.
const PROGRESS: [&str; 9] = [
    "compact_boundary",
    "hook_progress",
    "hook_response",
    "hook_started",
    "task_notification",
    "task_progress",
    "task_started",
    "task_updated",
    "thinking_tokens",
];

/// Whether a `system` event of this kind shows progress.
pub(super) fn is_progress(subtype: &str) -> bool {
    PROGRESS.contains(&subtype)
}

/// A `system` event of any kind.
#[derive(Deserialize)]
pub(super) struct ClaudeSystemEvent<'a> {
    #[serde(borrow, default)]
    session_id: LenientString<'a>,
    #[serde(borrow, default)]
    model: LenientString<'a>,
    #[serde(borrow, default, rename = "apiKeySource")]
    api_key_source: LenientString<'a>,
    #[serde(default)]
    attempt: Lenient<u32>,
    #[serde(default)]
    max_retries: Lenient<u32>,
    #[serde(default)]
    retry_delay_ms: Lenient<f64>,
    #[serde(default)]
    error_status: Lenient<u16>,
    #[serde(borrow, default)]
    error: LenientString<'a>,
    #[serde(borrow, default)]
    content: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) tool_name: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) tool_use_id: LenientString<'a>,
    #[serde(borrow, default)]
    pub(super) message: LenientString<'a>,
}

impl<'a> ClaudeSystemEvent<'a> {
    /// The event for other parts of the engine, if there is one.
    pub(super) fn interpret(self, subtype: &LenientString<'a>) -> Option<AgentEventKind<'a>> {
        match subtype.get().unwrap_or_default() {
            "init" => Some(AgentEventKind::Begun(AgentReady {
                session: self.session_id.0,
                model: self.model.0,
                key_source: self.api_key_source.0,
            })),
            "api_retry" => Some(AgentEventKind::Retry(ProviderRetry {
                attempt: self.attempt.0.unwrap_or(1),
                most: self.max_retries.0,
                delay: self.retry_delay_ms.0.and_then(milliseconds),
                status: self.error_status.0,
                why: self.error.or_empty(),
                unanswered: None,
            })),
            "informational" | "model_fallback" | "model_refusal_no_fallback" => {
                let content = self.content.or_empty();
                (!content.is_empty()).then_some(AgentEventKind::Error(content))
            }
            name if SILENT.contains(&name) => None,
            name => Some(AgentEventKind::Unknown(Cow::Owned(format!("system/{name}")))),
        }
    }
}

/// The state of the account's rate limit.
#[derive(Default, Deserialize)]
pub(super) struct RateLimitInfo<'a> {
    #[serde(borrow, default)]
    pub(super) status: LenientString<'a>,
    /// In seconds since 1970.
    #[serde(default, rename = "resetsAt")]
    resets_at: Lenient<f64>,
    #[serde(borrow, default, rename = "rateLimitType")]
    window: LenientString<'a>,
    #[serde(default)]
    utilization: Lenient<f64>,
}

impl<'a> RateLimitInfo<'a> {
    pub(super) fn is_reached(&self) -> bool {
        self.status.is("rejected")
    }

    pub(super) fn resets(&self) -> Option<Timestamp> {
        let seconds = self.resets_at.0?;
        // Implausible values are ignored.
        #[expect(clippy::cast_possible_truncation, reason = "it is in the range by then")]
        (0.0..1e11).contains(&seconds).then(|| Timestamp::from_milliseconds((seconds * 1e3) as i64))
    }

    pub(super) fn notice(self) -> LimitNotice<'a> {
        LimitNotice {
            is_reached: self.is_reached(),
            resets: self.resets(),
            window: self.window.0,
            used: self.utilization.0,
        }
    }
}

/// A `rate_limit_event`.
#[derive(Deserialize)]
pub(super) struct RateLimitEvent<'a> {
    #[serde(borrow, default)]
    pub(super) rate_limit_info: Lenient<RateLimitInfo<'a>>,
}

fn milliseconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number / 1e3).ok()
}
