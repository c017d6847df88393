//! What Claude Code says about itself.

use std::borrow::Cow;
use std::time::Duration;

use forkhestra_core::time::Timestamp;
use serde::Deserialize;

use crate::agent::event::{AgentEventKind, Begun, LimitNotice, Retry};
use crate::agent::json::{Loose, Word};

/// Events that say nothing to people, and come often.
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

/// Those that show that the model, a subagent or a program that was called gets further.
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

/// Whether a `system` event of this kind shows that the agent gets further.
pub(super) fn is_progress(subtype: &str) -> bool {
    PROGRESS.contains(&subtype)
}

/// A `system` event of any kind.
#[derive(Deserialize)]
pub(super) struct System<'a> {
    #[serde(borrow, default)]
    session_id: Word<'a>,
    #[serde(borrow, default)]
    model: Word<'a>,
    #[serde(borrow, default, rename = "apiKeySource")]
    api_key_source: Word<'a>,
    #[serde(default)]
    attempt: Loose<u32>,
    #[serde(default)]
    max_retries: Loose<u32>,
    #[serde(default)]
    retry_delay_ms: Loose<f64>,
    #[serde(default)]
    error_status: Loose<u16>,
    #[serde(borrow, default)]
    error: Word<'a>,
    #[serde(borrow, default)]
    content: Word<'a>,
    #[serde(borrow, default)]
    pub(super) tool_name: Word<'a>,
    #[serde(borrow, default)]
    pub(super) tool_use_id: Word<'a>,
    #[serde(borrow, default)]
    pub(super) message: Word<'a>,
}

impl<'a> System<'a> {
    /// What it means, if it is more than one thing's business.
    pub(super) fn meaning(self, subtype: &Word<'a>) -> Option<AgentEventKind<'a>> {
        match subtype.get().unwrap_or_default() {
            "init" => Some(AgentEventKind::Begun(Begun {
                session: self.session_id.0,
                model: self.model.0,
                key_source: self.api_key_source.0,
            })),
            "api_retry" => Some(AgentEventKind::Retry(Retry {
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

/// How near the limit of an account is.
#[derive(Default, Deserialize)]
pub(super) struct LimitInfo<'a> {
    #[serde(borrow, default)]
    pub(super) status: Word<'a>,
    /// In seconds since 1970.
    #[serde(default, rename = "resetsAt")]
    resets_at: Loose<f64>,
    #[serde(borrow, default, rename = "rateLimitType")]
    window: Word<'a>,
    #[serde(default)]
    utilization: Loose<f64>,
}

impl<'a> LimitInfo<'a> {
    pub(super) fn is_reached(&self) -> bool {
        self.status.is("rejected")
    }

    pub(super) fn resets(&self) -> Option<Timestamp> {
        let seconds = self.resets_at.0?;
        // Far beyond any calendar it is no moment.
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
pub(super) struct LimitEvent<'a> {
    #[serde(borrow, default)]
    pub(super) rate_limit_info: Loose<LimitInfo<'a>>,
}

fn milliseconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number / 1e3).ok()
}
